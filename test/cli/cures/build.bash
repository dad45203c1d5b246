#!/bin/bash
# build.bash: makes NAME.ptx and NAME_cured.ptx of each NAME.cu with nvcc of CUDA 13; the second has CURE defined.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source ../../nvcc.bash
for source in *.cu; do
    for cure in '' _cured; do
        to=${source%.cu}$cure.ptx
        "$nvcc" -arch=compute_75 -O3 ${cure:+-DCURE} -ptx "$source" -o "$to"
        # Without what the compiler says about itself, and for the least target that has what these kernels use.
        sed -i -e '/^\/\//d' -e '/^$/d' -e 's/^\.version .*/.version 6.3/' -e 's/^\.target .*/.target sm_52/' "$to"
    done
done
