#!/bin/bash
# cuBLAS: level 1 of BLAS, compared with plain loops.
source "$ONCHIP_SOURCE/test/toolkit/program.bash"
program cublas/vectors a100 -lcublas
exit "$bad"
