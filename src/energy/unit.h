// unit.h: what the files of energy ask of each other. What other parts call stands in energy.h.
#ifndef ENERGY_UNIT_H
#define ENERGY_UNIT_H

#include "energy/energy.h"

// energy.c: prices
// The price in pJ of an access of a bank of so many KiB. Between the sizes of the table it is interpolated along a
// line, outside of them the nearest line goes on; it is never negative.
double energy_of_access(const EnergyCfg *cfg, double bank_kib, bool write);

#endif
