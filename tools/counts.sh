#!/bin/bash
# counts.sh GPU [FILE.cu|FILE.ptx …]: how many machine instructions stand in the kernels of each file, from ptxas of
# CUDA 13 and from onchip for that GPU, by group. A line for each kernel, then the mean of |log(onchip / ptxas)|.
# Without files: the three kernels of registers.sh, in 200 configurations. ptxas is needed, and nvcc for .cu.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
onchip=${ONCHIP:-$here/build/onchip}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
gpu=${1:?which GPU?}
shift
files=("${@:-$here/test/ptx/registers.cu}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sm=$("$onchip" show gpu "$gpu" | sed -n 's/^ *capability *= *\([0-9]*\).*/\1/p')
pairs=()
for file in "${files[@]}"; do
    at=$work/${#pairs[@]}
    case $file in
        *.cu) "$nvcc" -O3 -arch="compute_$sm" -ptx "$file" -o "$at.ptx" ;;
        *) sed -E "s/^\.version [0-6]\..*/.version 7.0/; s/^\.target sm_[0-6][0-9]/.target sm_75/" "$file" >"$at.ptx" ;;
    esac
    "$ptxas" -arch="sm_$sm" "$at.ptx" -o "$at.cubin"
    "$onchip" show ptx "$at.ptx" --view counts --gpu "$gpu" >"$at.ours"
    pairs+=("$at.cubin" "$at.ours")
done
/usr/bin/python3 "$here/tools/counts.py" "${pairs[@]}"
