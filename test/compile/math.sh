#!/bin/bash
# The device's mathematics: the errors of functions, as a table beside the bounds of the CUDA C++ Programming Guide, and
# what has none. ONCHIP_MATH_ALL=1: ten times as many numbers.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
command -v clang >/dev/null && [[ -e /usr/lib/clc/nvptx64--nvidiacl.bc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
printf '#include <mpfr.h>\n' | cc -E - >"$work/log" 2>&1 || exit 77
numbers=(10000 2000)
[[ -z ${ONCHIP_MATH_ALL:-} ]] || numbers=(100000 20000)
for name in exact ulp; do
    "$onchip" cc -arch=sm_80 "$ONCHIP_SOURCE/test/compile/math/$name.cu" -o "$work/$name" -lmpfr -lgmp \
        >"$work/log" 2>&1 || complain "$name: $(head -c 600 "$work/log")"
    "$onchip" run --functional --gpu a100 "$work/$name" "${numbers[@]}" >"$work/out" 2>"$work/log"
    sed '/ on a100$/,$d' "$work/out"
    grep -q '^0 wrong\|, 0 wrong$' "$work/out" || complain "$name: $(head -c 300 "$work/log")"
done
exit $bad
