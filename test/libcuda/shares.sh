#!/bin/bash
# Two processes of a program use an event and a value of one of them (shares.c).
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # the program wants our libraries to be the first
now=cc
cc -std=gnu17 -O1 -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/libcuda/shares.c" -o shares \
    "$ONCHIP_BUILD/cuda/libcuda.so.1" || exit 1
for options in --functional '--gpu h200'; do
    # shellcheck disable=SC2086
    run $options -- ./shares
    ends 0
    [[ $(sort -u out) == '0 wrong' ]] || complain "$(<out)"
done
exit $bad
