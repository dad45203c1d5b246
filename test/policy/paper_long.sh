#!/bin/bash
# CIAO's programs with the paper's inputs, uncapped, with GTO and CIAO-C: results are right, and a run that is capped
# begins as the uncapped one does. syr2k isn't there: its 3·10⁹ warp instructions take hours. ONLY="atax sm" takes these
# alone.
set -uo pipefail
onchip=${ONCHIP:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
programs=('atax nx=4096 ny=4096' 'bicg nx=4096 ny=4096' 'mvt n=4096' 'kmn points=14336'
    'rodinia/kmeans n=778744 invert=0 loops=1' 'gesummv n=4096' 'syrk n=256' 'ii size=29360128' 'pvc size=13631488'
    'ss documents=1400' 'sm size=1048576' 'wc size=90112' 'gaussian n=208' 'conv2d n=4096' 'corr n=512'
    'backprop n=65536' 'hotspot n=512' 'lud n=80' 'nn n=42764' 'nw n=2048')

# launches FILE: the warp instructions of each launch, a line each.
launches() { sed -n 's/^      "warp_instructions": \([0-9]*\),$/\1/p' "$1"; }

for program in "${programs[@]}"; do
    [[ -z ${ONLY:-} || " $ONLY " == *" ${program%% *} "* ]] || continue
    for sched in gto ciao-c; do
        # shellcheck disable=SC2086
        "$onchip" run $program --gpu gtx480_ciao --sched $sched --json >"$work/whole" 2>"$work/error" ||
            { echo "$program, $sched: $(head -c 300 "$work/error")" >&2; bad=1; }
        grep -q '"verified": true' "$work/whole" || { echo "$program, $sched: isn't verified" >&2; bad=1; }
        # shellcheck disable=SC2086
        "$onchip" run $program --gpu gtx480_ciao --sched $sched --cap 10000000 --json >"$work/capped" 2>/dev/null
        n=$(launches "$work/capped" | wc -l)
        ((n > 0)) || { echo "$program, $sched: nothing ran up to the cap" >&2; bad=1; }
        diff <(launches "$work/whole" | head -n $((n - 1))) <(launches "$work/capped" | head -n $((n - 1))) >&2 ||
            { echo "$program, $sched: the capped run begins otherwise" >&2; bad=1; }
        echo "$program, $sched: $(launches "$work/whole" | awk '{ n += $1 } END { print n }') warp instructions"
    done
done
exit $bad
