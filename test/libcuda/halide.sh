#!/bin/bash
# Halide's compiler, from Python and from C++, makes kernels while the program runs. They give what the CPU gives.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] && /usr/bin/python3 -c 'import halide' 2>/dev/null || exit 77
for options in --functional '--gpu gtx480' '--gpu h200'; do
    # shellcheck disable=SC2086
    run $options -- /usr/bin/python3 "$ONCHIP_SOURCE/test/libcuda/clients/blur.py"
    ends 0
    prints <<<same
    says '_kernel_blur_s0_y_y___block_id_y  grid 4×4×1, block 16×16×1'
done
if [[ -e /usr/include/halide14/Halide.h ]]; then
    now='c++ half.cpp'
    c++ -std=c++17 -I /usr/include/halide14 "$ONCHIP_SOURCE/test/libcuda/clients/half.cpp" -o half -lHalide14 2>log ||
        complain "$(<log)"
    run --functional -- ./half
    ends 0
    prints <<<'0 wrong'
    says 'grid 4×2×1, block 8×8×1'
fi
exit $bad
