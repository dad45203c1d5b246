#!/bin/bash
# Graphs by the driver's functions (graph.c).
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
now=cc
cc -std=gnu17 -g -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/libcuda/graph.c" -o graph \
    "$ONCHIP_BUILD/cuda/libcuda.so.1" || exit 1
for options in '' '--functional --gpu h200'; do
    # shellcheck disable=SC2086
    run $options -- ./graph
    ends 0
    prints <<<'0 wrong'
    says 'add grid 1×1×1, block 64×1×1, 4 launches summed'
done
exit $bad
