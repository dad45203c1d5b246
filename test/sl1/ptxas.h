// ptxas.h: what the rewriting makes of the workloads and of random kernels, as the tests of equality run them, is PTX
// that ptxas takes.
#ifndef PTXAS_H
#define PTXAS_H

#include <stdint.h>

enum { SETTINGS_OF_PTXAS = 11 };
const char *find_ptxas(void);  // its path, or null
// All workloads, the kernels with calls and the first seeds, each with one in so many of the settings.
void give_to_ptxas(uint32_t seeds, uint32_t one_in);

#endif
