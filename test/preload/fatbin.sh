#!/bin/bash
# Fat binaries as the toolkit makes them, in each of its compressions: their PTX is found and rewritten, and does the
# same. The short form has the one that nvcc takes by itself. (LD_LIBRARY_PATH has the stand-in for the driver, which
# takes the PTX of add.ptx for what is in a fat binary.)
set -euo pipefail
library=$ONCHIP_BUILD/libonchip-sl1.so
source "$ONCHIP_SOURCE/test/nvcc.bash"
[[ -e $library && -x $nvcc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
here=$ONCHIP_SOURCE/test/preload
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cc -std=gnu17 -Wall "$here/app.c" -o app -ldl
cat >add.cu <<'C'
extern "C" __global__ void add(const unsigned char *in, unsigned char *out, unsigned n)
{
    size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
    for (unsigned i = 0; i < n; i++) out[at + i] = in[at + i] + 1;
}
C
export STAND_IN_CODE=$here/add.ptx
./app dlsym data "$here/add.ptx" | grep sum >expected
both='-gencode arch=compute_90,code=[sm_90,compute_90]'
modes=(--no-compress --compress)
if grep -q compress-mode <<<"$("$nvcc" --help)"; then modes=(--compress-mode={none,speed,balance,size}); fi
[[ ${ONCHIP_LONG:-} ]] || modes=(${modes[-1]/size/balance})
for mode in "${modes[@]}"; do
    if [[ $mode == --no-compress || $mode == --compress ]]; then mode="-Xfatbin $mode"; fi
    # shellcheck disable=SC2086
    "$nvcc" -fatbin $mode $both -gencode arch=compute_80,code=compute_80 add.cu -o add.fatbin
    for what in data wrapped-library; do
        : >log
        ONCHIP_SL1_LOG=log LD_PRELOAD=$library ./app dlsym $what add.fatbin | grep sum | diff expected -
        grep -q 'add is launched rewritten' log || grep 'no libzstd' log ||
            { echo "$mode $what" && cat log && false; } >&2
    done
done
[[ ${ONCHIP_LONG:-} ]] || exit 0
"$nvcc" -fatbin -gencode arch=compute_90,code=sm_90 add.cu -o add.fatbin
"$nvcc" -cubin -arch=sm_90 add.cu -o add.cubin
for image in add.fatbin add.cubin; do
    : >log
    ONCHIP_SL1_LOG=log LD_PRELOAD=$library ./app dlsym data $image | grep sum | diff expected -
    grep -q 'module 1 is left alone: it is machine code alone' log
done
