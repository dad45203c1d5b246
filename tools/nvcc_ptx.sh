#!/bin/bash
# nvcc_ptx.sh: makes workloads/measured/NAME.ptx of NAME.cu with nvcc of CUDA 13. Their PTX is kept, since the times
# beside which they are simulated are those of what nvcc makes; clang unrolls and addresses otherwise. The build takes a
# .ptx that lies beside its .cu as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
for source in workloads/measured/*.cu; do
    "$nvcc" -arch=compute_75 -O3 -lineinfo -ptx "$source" -o "${source%.cu}.ptx"
    # Without what the compiler says about itself; files by their paths from here. The target is the least that has what
    # these kernels use, so that they run on any card.
    sed -i -e '/^\/\//d' -e '/^$/d' -e 's/^\.version .*/.version 6.3/' -e 's/^\.target .*/.target sm_52/' \
        -e "s|\(\.file[^\"]*\"\)$PWD/\([^\"]*\"\).*|\1\2|" \
        -e 's|\(\.file[^"]*"\)/.*/\([^"]*"\).*|\1\2|' "${source%.cu}.ptx"
done
