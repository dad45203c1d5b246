#!/bin/bash
# cuBLAS: products of matrices, compared with plain loops.
# With ONCHIP_LONG the programs are built by nvcc, too, where it is.
source "$ONCHIP_SOURCE/test/toolkit/program.bash"
program cublas/products a100 -lcublas
exit "$bad"
