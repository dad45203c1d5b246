#!/bin/bash
# cuBLAS: level 1 of BLAS, compared with plain loops.
# With ONCHIP_LONG the programs are built by nvcc, too, where it is.
source "$ONCHIP_SOURCE/test/toolkit/program.bash"
program cublas/vectors a100 -lcublas
exit "$bad"
