#!/bin/bash
# Streams write values and wait for them (values.c). What nobody writes is an error, and no hang.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # the program wants our libraries to be the first
now=cc
cc -std=gnu17 -O1 -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/libcuda/values.c" -o values -pthread \
    "$ONCHIP_BUILD/cuda/libcuda.so.1" || exit 1
for options in '--functional --gpu rtx2060' '--gpu gtx480' '--gpu h200'; do
    # shellcheck disable=SC2086
    run $options -- ./values
    ends 0
    prints <<<'0 wrong'
done
for part in stuck stuck_copy; do
    run --functional -- ./values $part
    prints <<<'0 wrong'
    says 'a stream waits for a value at 0x' ' 3), where 0 is: nothing that the program has asked for writes it'
done
run --functional -- ./values leaves
[[ $status != 0 ]] || complain 'what was left undone should be told'
says 'a stream waits for a value at 0x'
exit $bad
