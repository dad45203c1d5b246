// calls.h: what the programs of this folder share: the driver's header, and wants.h.
#ifndef CALLS_H
#define CALLS_H

#include "wants.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#endif
