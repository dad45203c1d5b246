#!/bin/bash
# Arrays and texture objects of a program that nvcc has built (data/textures.cu): it computes what it expects itself, by
# the formulas of the CUDA C++ Programming Guide. Skipped where nvcc isn't.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
source "$ONCHIP_SOURCE/test/nvcc.bash"
[[ -x $nvcc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
now='nvcc textures.cu'
"$nvcc" -O2 -arch=sm_75 -cudart shared "$ONCHIP_SOURCE/test/cudart/data/textures.cu" -o textures >log 2>&1 ||
    complain "$(<log)"
for options in '--gpu h200' --functional; do
    # shellcheck disable=SC2086
    run $options ./textures
    ends 5
    prints <"$ONCHIP_SOURCE/test/cudart/data/textures.out"
done
exit $bad
