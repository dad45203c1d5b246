#!/bin/bash
# The programs of programs/, each for one of our headers, built by onchip cc: each checks itself and prints how much is
# wrong.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
command -v clang >/dev/null && [[ -e /usr/lib/clc/nvptx64--nvidiacl.bc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
for file in "$ONCHIP_SOURCE"/test/compile/programs/*.cu; do
    name=$(basename "$file" .cu)
    "$ONCHIP" cc -arch=sm_80 "$file" -o "$work/$name" >"$work/log" 2>&1 || complain "$name: $(head -c 600 "$work/log")"
    "$ONCHIP" run --functional --gpu a100 "$work/$name" >"$work/out" 2>"$work/log"
    [[ $(<"$work/out") == '0 wrong' ]] || complain "$name: $(tail -n 3 "$work/out") $(head -c 300 "$work/log")"
done
exit $bad
