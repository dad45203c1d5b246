#!/bin/bash
# Machine instructions beside ptxas's own, where that is installed: the workloads whose times were measured, and three
# unrolled kernels in 200 configurations.
source "$ONCHIP_SOURCE/test/test.bash"
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null && command -v ptxas >/dev/null || { echo "no nvcc or ptxas: skipped"; exit 77; }

near() {  # KERNELS MOST FILE…: the mean of |log(onchip / ptxas)| of the sums is MOST at most
    local kernels=$1 most=$2 n off
    shift 2
    bash "$ONCHIP_SOURCE/tools/counts.sh" rtx3080 "$@" >"$work/table" || complain "tools/counts.sh fails"
    cat "$work/table"
    read -r n off < <(sed -n 's/^all: \([0-9]*\) kernels, mean |log| \([0-9.]*\),.*/\1 \2/p' "$work/table")
    ((n == kernels)) || complain "$n kernels are compared, not $kernels"
    awk "BEGIN {exit !($off <= $most)}" || complain "the mean is $off, more than $most"
}

near 25 0.08 "$ONCHIP_SOURCE"/workloads/measured/*.ptx
near 200 0.03 "$ONCHIP_SOURCE/test/ptx/registers.cu"
exit $bad
