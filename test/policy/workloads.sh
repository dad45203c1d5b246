#!/bin/bash
# Every scheduler runs every workload, with a small L1 and settings that make it act on small inputs: results are right,
# nothing hangs, conservation laws hold, and a quarter of the runs are the same on 2 or 7 threads (workloads_long: all).
set -uo pipefail
onchip=${ONCHIP:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 runs=0 all=${ALL:-}
ciao='--set sched.high_epoch=50 --set sched.low_epoch=10'
schedulers=(lrr two-level 'swl --set sched.limit=3' 'ccws --set sched.k=30'
    'statpcal --set sched.tokens=3 --set sched.use=0.02 --set sched.interval=100'
    "ciao-t $ciao" "ciao-t $ciao --set sched.eager=1" "ciao-p $ciao" "ciao-c $ciao"
    'trial --set sched.warm=20 --set sched.sample=50')

# once FILE ARGUMENT …: the run's JSON, without what the host decides.
once() {
    local file=$1
    shift
    timeout 600 "$onchip" run "$@" --size small --set l1.size=2KiB --json --check >"$work/json" 2>"$work/log" ||
        { echo "onchip run $*: status $?: $(tail -c 300 "$work/log")" >&2; bad=1; }
    grep -v wall_seconds "$work/json" >"$file"
    runs=$((runs + 1))
}
mapfile -t workloads < <("$onchip" list workloads | awk '/^[a-z]/ { print $1 }')
((${#workloads[@]} > 30)) || { echo "there are only ${#workloads[@]} workloads" >&2; bad=1; }
for w in "${workloads[@]}"; do
    for s in "${schedulers[@]}"; do
        # shellcheck disable=SC2086
        once "$work/one" "$w" --sched $s
        grep -q '"verified": true' "$work/one" || { echo "$w with $s isn't verified" >&2; bad=1; }
        for t in 2 7; do
            [[ $all ]] || ((runs % 8 == t % 4)) || continue
            # shellcheck disable=SC2086
            once "$work/many" "$w" --sched $s --threads $t
            cmp -s "$work/one" "$work/many" || { echo "$w with $s: $t threads differ from one" >&2; bad=1; }
        done
    done
done
echo "$runs runs of ${#workloads[@]} workloads"
exit $bad
