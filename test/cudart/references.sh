#!/bin/bash
# References to textures and surfaces, which programs of CUDA 11 have (references.c): the library of CUDA 11 binds them.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
now=cc
cc -std=gnu17 -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/cudart/references.c" -o references \
    "$ONCHIP_BUILD/cuda/libcudart.so.11.0" || exit 1
run --functional ./references
ends 0
prints <<'OUT'
offset 0
1 1 0
6 2 0.2
11 3 0.4
16 0 1
0 1 2 3
cudaBindTexture: cudaErrorInvalidValue
offset 4
offset 4
1 2 3 0
found: 1
cudaGetTextureReference: cudaErrorInvalidTexture
cudaBindTextureToArray: cudaErrorInvalidTexture
cudaBindSurfaceToArray: cudaErrorInvalidValue
cudaBindSurfaceToArray: cudaErrorInvalidSurface
cudaUnbindTexture: cudaSuccess
launch: cudaErrorIllegalAddress
OUT
says 'nothing is bound to the reference'
exit $bad
