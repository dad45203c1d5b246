#!/bin/bash
# The number of host threads changes nothing but the time taken: the JSON of 1, 2 and 7 threads is the same to the byte.
# In the short form every fourth workload is run, on one GPU, and with 2 or 7 threads.
set -euo pipefail
onchip=${ONCHIP:?}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
bad=0 n=0 w=0

compare() {  # what and options
    local threads several='2 7'
    n=$((n + 1))
    [[ ${ONCHIP_LONG:-} ]] || several=$((n / 2 % 2 ? 2 : 7))
    for threads in 1 $several; do
        "$onchip" run "$@" --json --threads $threads | grep -v '^  "wall_seconds"' >"$folder/$threads" ||
            { echo "onchip run $* --threads $threads" >&2; bad=1; }
    done
    for threads in $several; do
        cmp -s "$folder/1" "$folder/$threads" && continue
        echo "onchip run $* --threads $threads: not the same as with one" >&2
        diff "$folder/1" "$folder/$threads" | head -6 >&2 || true
        bad=1
    done
}

for workload in $("$onchip" list workloads | sed -n 's/^\([a-z][^ ]*\).*/\1/p'); do
    w=$((w + 1))
    [[ ! ${ONCHIP_LONG:-} ]] && ((w % 8)) || compare "$workload" --size small --gpu gtx480
    [[ ! ${ONCHIP_LONG:-} ]] && ((w % 8 != 4)) ||
        compare "$workload" --size small --gpu titan_black --sched two-level --set l1.global=yes --interval 500
done
compare atax nx=300 ny=200 --set l1.replacement=random      # several SMs; random replacement
compare histogram n=200000 privatised=0                # atomics of all SMs on the same lines
compare bfs n=3000                                     # racing stores
compare matmul-tiled n=128 --gpu titan_black
compare matmul-tiled n=128 --set l2.far=150            # an L2 of two halves
compare atax --size small --gpu h200
exit $bad
