#!/bin/bash
# cuBLAS: levels 2 and 3 but gemm, and LU factors, compared with plain loops.
# With ONCHIP_LONG the programs are built by nvcc, too, where it is.
source "$ONCHIP_SOURCE/test/toolkit/program.bash"
program cublas/matrices a100 -lcublas
exit "$bad"
