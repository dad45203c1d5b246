#!/bin/bash
# cuBLASLt's epilogues, compared with plain loops, on a GPU that has wgmma and on one that has not.
# With ONCHIP_LONG the programs are built by nvcc, too, where it is.
source "$ONCHIP_SOURCE/test/toolkit/program.bash"
program cublas/lt h200 -lcublasLt -lcublas
runs 'rtx2060' --functional --gpu rtx2060
exit "$bad"
