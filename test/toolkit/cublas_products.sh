#!/bin/bash
# cuBLAS: products of matrices, compared with plain loops.
source "$ONCHIP_SOURCE/test/toolkit/program.bash"
program cublas/products a100 -lcublas
exit "$bad"
