#!/bin/bash
# libgpuarray's own tests (python3-pygpu), which compile their kernels by NVRTC while they run. With ONCHIP_LONG all but
# those of BLAS and of several GPUs.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} && -e $ONCHIP_BUILD/cuda/libnvrtc.so ]] && command -v clang >/dev/null &&
    /usr/bin/python3 -c 'import pygpu, pytest' 2>/dev/null || exit 77
parts=basic
[[ -z ${ONCHIP_LONG:-} ]] || parts='basic elemwise gpu_ndarray operations reduction tools'
for part in $parts; do
    DEVICE=cuda run --functional --gpu h200 -- /usr/bin/python3 -m pytest -q \
        -p no:cacheprovider --pyargs "pygpu.tests.test_$part"
    ends 0
    [[ $out == *passed* ]] || complain "$out"
done
exit $bad
