// wants.h: what the programs of this folder say of a call. They end well if wrong is 0.
#ifndef WANTS_H
#define WANTS_H

#include <stdio.h>

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
