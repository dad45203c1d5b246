// description.h: a GPU description as the simulator reads it, "section.key=value" a line. Apart from the tests, since
// chip.h and probe.h have names in common.
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include "base/base.h"

bool description_read(const char *gpu, Text *out, Diag *diag);

#endif
