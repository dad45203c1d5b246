#!/bin/bash
# NVRTC (nvrtc.cpp), over clang; with our header, and with CUDA's where it is.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} && -e $ONCHIP_BUILD/cuda/libnvrtc.so.13 ]] && command -v clang >/dev/null &&
    command -v g++ >/dev/null || exit 77
try() { # INCLUDE LIBRARY
    now="g++, $1"
    g++ -std=c++17 -Wall -Wextra -Werror -isystem "$1" "$ONCHIP_SOURCE/test/toolkit/nvrtc.cpp" -o nvrtc \
        "$ONCHIP_BUILD/cuda/$2" "$ONCHIP_BUILD/cuda/libcuda.so.1" 2>log || complain "$(<log)"
    for gpu in rtx2060 h200; do
        run --functional --gpu $gpu -- ./nvrtc
        ends 0
        prints <<<'0 wrong'
        says 'void axpy<float>(float, float const*, float*, int)'
    done
}
try "$ONCHIP_BUILD/cuda/include" libnvrtc.so.12
source "$ONCHIP_SOURCE/test/nvcc.bash"
[[ ! -e $toolkit/include/cuda.h ]] || try "$toolkit/include" libnvrtc.so.13
exit $bad
