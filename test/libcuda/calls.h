// calls.h: what the programs of this folder share: the driver's header, and what they say of a call.
#ifndef CALLS_H
#define CALLS_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The call must return the error; 0: none.
#define WANT(error, call)                                                                                 \
    do {                                                                                                  \
        const int r_ = (int)(call);                                                                       \
        if (r_ != (error)) printf("line %d: %s gives %d, not %d\n", __LINE__, #call, r_, error), wrong++; \
    } while (0)
#define OK(call) WANT(0, call)
#define THAT(condition)                                                               \
    do {                                                                              \
        if (!(condition)) printf("line %d: not %s\n", __LINE__, #condition), wrong++; \
    } while (0)
static int wrong;

#endif
