#!/bin/bash
# What cuBLAS answers to wrong arguments; its work in streams and in graphs, executed only and with time.
# With ONCHIP_LONG the programs are built by nvcc, too, where it is.
source "$ONCHIP_SOURCE/test/toolkit/program.bash"
program cublas/calls rtx2060 -lcublas
[[ $(<"$work/log") == *"cublasGemmEx: a product of these types isn't there yet"* ]] ||
    complain "nothing is named: $(head -c 300 "$work/log")"
runs timed --gpu rtx2060
exit "$bad"
