#!/bin/bash
# registers.sh GPU [FILE.cu|FILE.ptx …]: how many registers the kernels of each file get from ptxas of CUDA 13 and from
# onchip for that GPU. Without files: three kernels that are unrolled, in 200 configurations. nvcc and ptxas are needed.
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
for file in "${files[@]}"; do
    case $file in
        *.cu) "$nvcc" -O3 -arch="compute_$sm" -ptx "$file" -o "$work/k.ptx" ;;
        *) cp "$file" "$work/k.ptx" ;;
    esac
    "$ptxas" -arch="sm_$sm" -v "$work/k.ptx" -o /dev/null 2>&1 |
        awk -F"'" '/Compiling entry/ {k = $2}
            /Used [0-9]+ registers/ {n = $0; sub(/.*Used /, "", n); print k, n + 0}' >"$work/theirs"
    "$onchip" show ptx "$work/k.ptx" --view registers --gpu "$gpu" 2>/dev/null |
        awk '/^[A-Za-z_0-9$]+$/ {k = $1} / 32-bit registers / {print k, $4}' >"$work/ours"
    join <(sort "$work/theirs") <(sort "$work/ours")
done >"$work/all"
awk '{r = $3 / $2; off += r > 1 ? r - 1 : 1 - r; if (r > most) most = r
      if (r > 1.1 || r < 0.9) far++
      printf "%-40s %4d ptxas %4d onchip %5.2f\n", $1, $2, $3, r}
     END {printf "%d kernels on '"$gpu"': %.1f %% off on average, ", NR, 100 * off / NR
          printf "%d by more than 10 %%, at most %.2f times\n", far, most}' "$work/all"
