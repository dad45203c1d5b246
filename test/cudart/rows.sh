#!/bin/bash
# Rows, boxes, pools, host functions, registered memory (rows.c): what the CUDA Runtime API reference says of each.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
now=cc
cc -std=gnu17 -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/cudart/rows.c" -o rows \
    "$ONCHIP_BUILD/cuda/libcudart.so.13" || exit 1
run ./rows
ends 0
prints <<'OUT'
a pitch is at least the width, and rows begin at multiples of 256 bytes: 1
rows abc-- ijk-- qrs--
shifted bc--- jk--- rs---
cudaMemcpy2D: cudaErrorInvalidPitchValue
cudaMemcpy2D: cudaErrorInvalidPitchValue
cudaMemcpy2D: cudaSuccess
cudaMemcpy2D: cudaSuccess
cudaMemcpy2D: cudaErrorInvalidMemcpyDirection
cudaMemcpy2D: cudaErrorInvalidValue
cudaMallocPitch: cudaErrorMemoryAllocation
a box of 4 by 3: 1
part fg jk rs vw
filled ab## efgh ijkl mn## qrst uvwx
cudaMemcpy3D: cudaErrorInvalidValue
xx
cudaFreeAsync: cudaErrorInvalidValue
cudaDeviceGetDefaultMemPool: cudaErrorInvalidDevice
threshold 1, reuse 1
cudaMemPoolGetAttribute: cudaErrorInvalidValue
11
cudaStreamAddCallback: cudaErrorInvalidValue
cudaLaunchHostFunc: cudaErrorInvalidValue
cudaLaunchHostFunc: cudaErrorInvalidResourceHandle
cudaMalloc: device, device pointer 1, host pointer 0
cudaMallocHost: host, device pointer 1, host pointer 1
cudaMallocManaged: managed, device pointer 1, host pointer 1
own: unregistered, device pointer 0, host pointer 0
cudaHostRegister: cudaSuccess
cudaHostRegister: cudaErrorHostMemoryAlreadyRegistered
cudaHostUnregister: cudaErrorHostMemoryNotRegistered
cudaHostUnregister: cudaSuccess
cudaHostUnregister: cudaErrorHostMemoryNotRegistered
cudaMemPrefetchAsync: cudaSuccess
cudaMemPrefetchAsync: cudaErrorInvalidValue
cudaMemAdvise: cudaSuccess
cudaMemAdvise: cudaErrorInvalidValue
cudaProfilerStart: cudaSuccess
cudaProfilerStop: cudaSuccess
OUT
says './rows launched no kernel'
exit $bad
