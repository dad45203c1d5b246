#!/bin/bash
# How many clusters of blocks have room on an H200, as the driver says it (clusters.c).
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # the program wants our libraries to be the first
now=cc
cc -std=gnu17 -O1 -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/libcuda/clusters.c" -o clusters \
    "$ONCHIP_BUILD/cuda/libcuda.so.1" "$ONCHIP_BUILD/cuda/libcudart.so.12" || exit 1
for options in '--functional' '--set cluster.sms=16'; do
    # shellcheck disable=SC2086
    run --gpu h200 $options -- ./clusters
    ends 0
    prints <<<'0 wrong'
done
for group in 4 5; do
    run --gpu h200 --set cluster.sms=$group -- ./clusters $group
    ends 0
    prints <<<'0 wrong'
done
exit $bad
