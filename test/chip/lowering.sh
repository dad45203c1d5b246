#!/bin/bash
# Lowered or as written, timed or not, with few registers, one slot an instruction or several: every result is right,
# and lowering never makes more instructions of a kernel than were written, where nothing is spilled. In the short
# form every fourth workload is run as written, lowered, and in one of the other ways.
set -euo pipefail
onchip=${ONCHIP:?}
bad=0

executed() {  # of all kernels of a run's JSON
    local sum=0 n
    for n in $(sed -n 's/^      "warp_instructions": \([0-9]*\),*$/\1/p' <<<"$1"); do sum=$((sum + n)); done
    echo $sum
}

w=0
for workload in $("$onchip" list workloads | sed -n 's/^\([a-z][^ ]*\).*/\1/p'); do
    declare -A count=()
    w=$((w + 1)) k=0
    [[ ${ONCHIP_LONG:-} ]] || ((w % 4 == 1)) || continue
    for options in "--no-lowering" "--set ideal.spills=yes" "" "--functional" "--functional --no-lowering" \
        "--set registers.max=16" "--set sm.count=ptx"; do
        k=$((k + 1))
        [[ ${ONCHIP_LONG:-} ]] || ((k <= 2 || k == 3 + w / 4 % 5)) || continue
        # shellcheck disable=SC2086
        json=$("$onchip" run --gpu gtx480 "$workload" --size small --json $options 2>&1) || true
        if ! grep -q '"verified": true' <<<"$json"; then
            echo "onchip run $workload --size small $options: not verified" >&2
            bad=1
        fi
        count[_$options]=$(executed "$json")
    done
    lowered=${count["_--set ideal.spills=yes"]}
    if ((lowered == 0 || lowered > count[_--no-lowering])); then
        echo "$workload: $lowered warp instructions lowered, ${count[_--no-lowering]} as written" >&2
        bad=1
    fi
done
exit $bad
