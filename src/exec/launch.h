// launch.h: a launch: a kernel, the shape of its grid, and its parameters.
#ifndef EXEC_LAUNCH_H
#define EXEC_LAUNCH_H

#include "base/base.h"

#define LANES 32  // of a warp

typedef struct Kernel Kernel;

typedef struct LaunchInfo {
    Kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];  // blocks; 0 in the first: the launch has no clusters
    uint32_t dynamic_shared;
    uint64_t id;
    uint8_t *params;       // param_bytes
    uint32_t local_limit;  // bytes of local memory a thread may use
    // The address that %envreg1 (its upper half) and %envreg2 hold: global memory by which the blocks of a cooperative
    // launch wait for one another, as CUDA's cooperative groups do. 0: none.
    uint64_t workspace;
} LaunchInfo;

#endif
