#!/bin/bash
# nvcc.sh: the workloads' device code through nvcc, where there is one: a workload at its small size must give the right
# result with that PTX too. The short form takes every tenth, on one GPU. Skipped (77) without nvcc.
set -u
source "$ONCHIP_SOURCE/test/nvcc.bash"
[ -x "$nvcc" ] || exit 77
cd "$ONCHIP_SOURCE" || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0 k=0 gpus='gtx480 titan_black'
[ -n "${ONCHIP_LONG:-}" ] || gpus=titan_black
for cu in workloads/*/*.cu; do
    workload=${cu#workloads/} workload=${workload%.cu} name=${workload//\//-}
    [ -e "${cu%.cu}.c" ] || continue
    k=$((k + 1))
    [ -n "${ONCHIP_LONG:-}" ] || [ $((k % 10)) = 0 ] || continue
    arch=$(sed -n 's/^\/\/ ptx: [0-9.]* //p' "$cu")  # what its inline assembly needs
    if ! "$nvcc" -ptx -arch="${arch:-sm_75}" -lineinfo -I workloads "$cu" -o "$tmp/$name.ptx" >"$tmp/log" 2>&1; then
        echo "nvcc refuses $cu"
        cat "$tmp/log"
        bad=1
        continue
    fi
    for gpu in $gpus; do
        if ! "$ONCHIP" run "$workload" --size small --ptx "$tmp/$name.ptx" --gpu $gpu --laws >"$tmp/log" 2>&1; then
            echo "$workload on $gpu with nvcc's PTX:"
            cat "$tmp/log"
            bad=1
        fi
        n=$((n + 1))
    done
done
echo "$n runs with nvcc's PTX"
exit $bad
