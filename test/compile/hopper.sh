#!/bin/bash
# The programs of sm_90/, each for what only sm_90 has, built by onchip cc with clang 19: each checks itself and prints
# how much is wrong.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
command -v clang-19 >/dev/null && [[ -e /usr/lib/clc/nvptx64--nvidiacl.bc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
for file in "$ONCHIP_SOURCE"/test/compile/sm_90/*.cu; do
    name=$(basename "$file" .cu)
    grep -q '<cuda/' "$file" && [[ ! -e /usr/include/cuda/std/atomic ]] && continue
    "$ONCHIP" cc -ccbin clang-19 -arch=sm_90 "$file" -o "$work/$name" >"$work/log" 2>&1 ||
        complain "$name: $(head -c 600 "$work/log")"
    for way in --functional --check; do
        "$ONCHIP" run "$way" --gpu h200 "$work/$name" >"$work/out" 2>"$work/log" &&
            [[ $(<"$work/out") == '0 wrong' ]] ||
            complain "$name, $way: $(tail -n 3 "$work/out") $(head -c 300 "$work/log")"
    done
done
exit $bad
