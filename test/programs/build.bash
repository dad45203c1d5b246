#!/bin/bash
# build.bash [NAME …]: makes bin/NAME of NAME.cu, for all rows of the list or those named. It needs nvcc of CUDA 13. The
# programs hold PTX, no machine code, and nothing of CUDA's runtime: they ask for libcudart.so.13.
#   ONCHIP_BIN=FOLDER        where the programs go, instead of bin/
#   ONCHIP_CUDART=static     with the runtime inside, and with the names that onchip needs then
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
source ../nvcc.bash
[[ -x $nvcc ]] || { echo "there is no nvcc" >&2; exit 77; }
to=${ONCHIP_BIN:-bin} runtime=${ONCHIP_CUDART:-shared} bad=0
declare -A packing=([none]=none [speed]='speed -Xfatbin -compress-all' [size]=size)
strip=(-Xlinker --strip-all)
[[ $runtime == shared ]] || strip=()
mkdir -p "$to"
while IFS='|' read -r name options _; do
    read -r name <<<"$name"
    read -r packed target more <<<"$options"
    [[ $name && $name != '#'* && $packed ]] || continue
    (($# == 0)) || [[ " $* " == *" $name "* ]] || continue
    # shellcheck disable=SC2086
    "$nvcc" -O2 -std=c++17 -cudart "$runtime" "${strip[@]}" -gencode "arch=compute_$target,code=compute_$target" \
        -compress-mode=${packing[$packed]} $more "$name.cu" -o "$to/$name" || { echo "$name isn't built" >&2; bad=1; }
done <list
exit $bad
