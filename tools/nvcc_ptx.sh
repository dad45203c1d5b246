#!/bin/bash
# nvcc_ptx.sh: makes the kept PTX of workloads with nvcc of CUDA 13: NAME.ptx beside NAME.cu, which the build takes as
# it is. That of workloads/measured is kept since the times beside which they are simulated are those of what nvcc
# makes; clang unrolls and addresses otherwise. A line "// nvcc: compute_90 8.0 sm_90" in a .cu says what it is compiled
# for, and the least version and target that have what its kernels use; without one they run on any card.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
for ptx in workloads/*/*.ptx; do
    source=${ptx%.ptx}.cu arch=compute_75 version=6.3 target=sm_52
    wants=$(sed -n 's,^// nvcc: ,,p' "$source")
    [[ ! $wants ]] || read -r arch version target <<<"$wants"
    "$nvcc" -arch="$arch" -O3 -lineinfo -ptx "$source" -o "$ptx"
    # Without what the compiler says about itself; files by their paths from here.
    sed -i -e '/^\/\//d' -e '/^$/d' -e "s/^\.version .*/.version $version/" -e "s/^\.target .*/.target $target/" \
        -e "s|\(\.file[^\"]*\"\)$PWD/\([^\"]*\"\).*|\1\2|" \
        -e 's|\(\.file[^"]*"\)/.*/\([^"]*"\).*|\1\2|' "$ptx"
done
