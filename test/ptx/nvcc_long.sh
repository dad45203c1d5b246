#!/bin/bash
# What nvcc emits for ordinary programs (test/ptx/cuda/*.cu, and the workloads), for several targets, optimised, with
# debug information and with lines: through the front end, and back through ptxas.
set -euo pipefail
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || exit 77
test=$ONCHIP_BUILD/test/ptx/test_ptx_ptxas
[[ -x $test ]] || exit 77
cd "$ONCHIP_SOURCE"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

compile() {  # SOURCE ARCH OPTION
    local name=${1//\//-}
    "$NVCC" -std=c++17 -ptx "$3" -arch="sm_$2" -I workloads "$1" -o "$FOLDER/${name%.cu}-sm_$2$3.ptx"
}
export -f compile
export NVCC=$nvcc FOLDER=$folder
for source in test/ptx/cuda/*.cu workloads/*/*.cu; do
    for arch in 75 80 90; do
        for option in -O3 -G -lineinfo; do echo "$source $arch $option"; done
    done
done | xargs -P "$(nproc)" -L 1 bash -c 'compile "$0" "$1" "$2"'
ONCHIP_PTX=$folder "$test"
