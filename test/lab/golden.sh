#!/bin/bash
# Golden cycles: a small matrix (GPUs with schedulers, and lines of several lengths) whose cycles and counters are
# exactly those of golden/cycles. The device code is committed beside it, so that no compiler's version moves a number.
# The file names the counters that the checksums cover: a counter that is new since then changes nothing here, and needs
# no new MODEL_VERSION. Where a number moves on purpose, raise MODEL_VERSION (src/chip/chip.h), run
# `test/lab/golden.sh --update`, which names all counters of that day, and say in the commit what changed and why.
# Without ONCHIP_LONG every eighth run is made: the matrix has 15 for each program, so each column is met twice.
set -euo pipefail
cd "${ONCHIP_SOURCE:-$(dirname "$0")/../..}"
onchip=${ONCHIP:-build/onchip}
[[ -x $onchip ]] || exit 77
folder=test/lab/golden
now=$(mktemp) found=$(mktemp) runs=0 every=8
trap 'rm -f "$now" "$found"' EXIT
[[ -z ${ONCHIP_LONG:-} && ${1:-} != --update ]] || every=1

names=$(sed -n 's/^counters //p' "$folder/cycles" | tr '\n' ' ')
[[ ${1:-} != --update ]] || names=

# The cycles of a run's kernels and a checksum of their named counters; of all counters, whose names it keeps, where
# none are named.
measure() {
    local counters
    counters=$("$onchip" run "$@" --json | awk -v names="$names" '
        BEGIN { n = split(names, name, " "); for (k = 1; k <= n; k++) named[name[k]] }
        /"counters": \{/ { on = 1; next }
        /\}/ { on = 0 }
        on { gsub(/[",:]/, ""); if (!n || $1 in named) print $1, $2 }')
    [[ -n $names ]] || cut -d' ' -f1 <<<"$counters" >>"$found"
    echo "$(awk '$1 == "cycles" { n += $2 } END { print n }' <<<"$counters")" \
        "$(cksum <<<"$counters" | cut -d' ' -f1)"
}

"$onchip" --version | sed 's/.*(\(model [0-9]*\))/\1/' >"$now"
for ptx in "$folder"/*.ptx; do
    program=$(basename "$ptx" .ptx)
    for gpu in gtx480 titan_black h200; do
        for sched in lrr gto two-level swl; do
            ((++runs % every == 0)) || continue
            echo "$program $gpu $sched $(measure "$program" --ptx "$ptx" --size small --gpu "$gpu" --sched "$sched")"
        done
    done
    for line in 32 64 256; do  # at every level
        ((++runs % every == 0)) || continue
        sets=(--gpu titan_black)
        for cache in l1 readonly const l2; do
            sets+=(--set $cache.line=$line --set $cache.sector=32 --set $cache.fill=32)
        done
        echo "$program titan_black line=$line $(measure "$program" --ptx "$ptx" --size small "${sets[@]}")"
    done
done >>"$now"

if [[ ${1:-} == --update ]]; then
    {
        head -n 1 "$now"
        awk '!seen[$0]++' "$found" | paste -sd' ' | fold -sw 110 | sed 's/^/counters /; s/ $//'
        tail -n +2 "$now"
    } >"$folder/cycles"
elif ! diff <(awk 'NR == FNR { made[$1 " " $2 " " $3]; next } $1 != "counters" && $1 " " $2 " " $3 in made' \
    "$now" "$folder/cycles") "$now"; then
    if [[ $(head -n 1 "$folder/cycles") == $(head -n 1 "$now") ]]; then
        echo "cycles or counters changed: raise MODEL_VERSION in src/chip/chip.h, run test/lab/golden.sh --update," \
            "and say why in the commit" >&2
    else
        echo "the golden matrix is of another model: run test/lab/golden.sh --update," \
            "and say in the commit what changed" >&2
    fi
    exit 1
fi
