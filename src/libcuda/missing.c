// missing.c: functions that aren't there yet. A program that calls one goes on, with an error, and a line names the
// function. Whatever its parameters are, nothing is done with them.
#include "libcuda/unit.h"

#define PART(title)
#define DONE(name, since, what)
#define MISSING(name, since) \
    CUresult name(void) { return missing(#name); }
#include "driver/names.def"
