#!/bin/bash
# Schedulers run the workloads, with a small L1 and settings that make them act on small inputs: results are right,
# nothing hangs, conservation laws hold, and some runs are the same on 2 or 7 threads. Here every second workload meets
# one of the schedulers, and each of these two workloads or more. In the long form each meets all of them, on 1, 2 and 7
# threads.
set -uo pipefail
all=${ONCHIP_LONG:-}
source "$ONCHIP_SOURCE/test/test.bash"
runs=0
ciao='--set sched.high_epoch=50 --set sched.low_epoch=10'
schedulers=(lrr two-level 'swl --set sched.limit=3' 'ccws --set sched.k=30'
    'statpcal --set sched.tokens=3 --set sched.use=0.02 --set sched.interval=100'
    "ciao-t $ciao" "ciao-t $ciao --set sched.eager=1" "ciao-p $ciao" "ciao-c $ciao"
    'trial --set sched.warm=20 --set sched.sample=50')

# once FILE ARGUMENT …: the run's JSON, without what the host decides.
once() {
    local file=$1
    shift
    "$ONCHIP" run --gpu gtx480 "$@" --size small --set l1.size=2KiB --json --laws >"$work/json" 2>"$work/log" ||
        complain "onchip run $*: status $?: $(tail -c 300 "$work/log")"
    grep -v wall_seconds "$work/json" >"$file"
    runs=$((runs + 1))
}
mapfile -t workloads < <("$ONCHIP" list workloads | awk '/^[a-z]/ { print $1 }')
((${#workloads[@]} > 30)) || complain "there are only ${#workloads[@]} workloads"
for ((k = 0; k < ${#workloads[@]}; k++)); do
    w=${workloads[k]}
    for ((j = 0; j < ${#schedulers[@]}; j++)); do
        [[ $all ]] || ((k % 2 == 0 && (k / 2 - j) % ${#schedulers[@]} == 0)) || continue
        s=${schedulers[j]}
        once "$work/one" "$w" --sched $s
        grep -q '"verified": true' "$work/one" || complain "$w with $s isn't verified"
        for t in 2 7; do
            [[ $all ]] || ((runs % 12 == t)) || continue
            once "$work/many" "$w" --sched $s --threads $t
            cmp -s "$work/one" "$work/many" || complain "$w with $s: $t threads differ from one"
        done
    done
done
echo "$runs runs of ${#workloads[@]} workloads"
exit $bad
