#!/bin/bash
# The kernels of the suite ai on the card that they are written for, in the shapes that the default GPU has no room for:
# results are right, the counters agree, and there is no race. attention3 with two groups needs more registers than its
# 384 threads can have (65,536 over 384, in eights: 168): it fits an SM only since its warps trade them (setmaxnreg).
set -uo pipefail
source "$ONCHIP_SOURCE/test/test.bash"

right() {
    "$ONCHIP" run "$@" --size small --gpu h100 --check --json >"$work/json" 2>"$work/err"
    [[ $(jq -r '.verified, ([.kernels[].findings[]] | length)' "$work/json" | xargs) == 'true 0' ]] ||
        complain "$*: $(head -c 300 "$work/err")"
}
for dim in 64 128; do
    for causal in 0 1; do
        right attention2 dim=$dim causal=$causal
        right attention3 dim=$dim causal=$causal
    done
done
right attention3 length=640 stages=3
right attention3 dim=128 length=384 groups=1 stages=1
right gemm-mma
right gemm-wgmma k=704 stages=3
right matmul8
exit $bad
