#!/bin/bash
# Programs of CUDA 12 and 11 find the runtime of their version (older.c): its structures, its arguments, its names.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
for version in 12 11; do
    library=$ONCHIP_BUILD/cuda/libcudart.so.$version
    ((version > 11)) || library+=.0
    now="cc -DVERSION=$version"
    cc -std=gnu17 -Wall -Wextra -Werror -DVERSION=$version "$ONCHIP_SOURCE/test/cudart/older.c" -o older "$library" ||
        exit 1
    bound=
    ((version > 11)) || bound=$'1\n'  # cudaBindTexture of nothing
    run --gpu h200 ./older
    ends 0
    prints <<OUT
$version
0: h200, 132 SMs, 1980000 kHz, 143771 MiB, as large as it is: 1
0: h200, 132 SMs, 1980000 kHz, 143771 MiB, as large as it is: 1
0
0: type 3, 24 bytes 1
0 400
0 0
801
${bound}0 0
OUT
    says "cudaLaunchCooperativeKernelMultiDevice isn't there yet"
done
exit $bad
