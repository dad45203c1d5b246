#!/bin/bash
# References to textures and surfaces, which kernels of before CUDA 12 have as variables of their module (references.c).
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # each wants to be the first of all libraries
now=cc
cc -std=gnu17 -O1 -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/libcuda/references.c" -o references \
    "$ONCHIP_BUILD/cuda/libcuda.so.1" -lm || exit 1
for options in '--functional --gpu rtx2060' '--gpu gtx480' '--gpu titan_v' '--gpu h200'; do
    # shellcheck disable=SC2086
    run $options -- ./references
    ends 0
    prints <<<'0 wrong'
done
run --functional -- ./references faults
prints <<<'0 wrong'
says 'nothing is bound to the reference'
exit $bad
