#!/bin/bash
# Every workload, at its small size, on every shipped GPU, with every scheduler, with gto and two-level also where the
# L1 doesn't serve global loads, and in the tightest shapes: the results are right, and the counters keep the
# conservation laws (--check). Of the triples every third is run, so that each two of workload, GPU and scheduler meet;
# conservation_long runs all of them.
set -euo pipefail
stride=${1:-3}
onchip=${ONCHIP:?}
workloads=$("$onchip" list workloads | sed -n 's/^\([a-z][^ ]*\).*/\1/p')
gpus=$("$onchip" list gpus | sed -n 's/^\([a-z][^ ]*\).*/\1/p')
schedulers=$("$onchip" list schedulers | sed -n '/^best-swl/d; s/^\([a-z][^ ]*\).*/\1/p')  # that one makes many runs
(($(wc -w <<<"$workloads") >= 20 && $(wc -w <<<"$gpus") >= 2 && $(wc -w <<<"$schedulers") >= 4))
[[ -z ${ONCHIP_SANITIZED:-} ]] || schedulers="gto two-level"

bad=0 runs=0
check() {  # workload, options
    local json
    runs=$((runs + 1))
    if json=$("$onchip" run "$1" --size small --check --json "${@:2}" 2>&1) &&
        grep -q '"verified": true' <<<"$json"; then
        return
    fi
    echo "onchip run $1 --size small --check ${*:2}" >&2
    grep -v '^ \|^[{}]' <<<"$json" | head -5 >&2 || true
    bad=1
}

modes='two-level:no gto:no'
for scheduler in $schedulers; do modes+=" $scheduler:yes"; done

w=0
for workload in $workloads; do
    w=$((w + 1)) g=0
    for gpu in $gpus; do
        g=$((g + 1)) m=0
        for mode in $modes; do
            m=$((m + 1))
            (((w + g + m) % stride)) || check "$workload" --gpu "$gpu" --sched "${mode%:*}" --set l1.global="${mode#*:}"
        done
    done
    # Hardly any room: everything refuses and waits.
    check "$workload" --gpu gtx480 --set l1.size=512 --set l1.mshrs=2 --set l1.merges=2 --set lsu.queue=2 \
        --set lsu.pending=2 \
        --set link.credits=2 --set l2.mshrs=2 --set l2.merges=2 --set dram.queue=4 --set dram.request=0 \
        --set dram.bank_bits= --set dram.banks=1
    # Hardly any lines, which don't wait for their fills.
    for scheduler in gto ciao-p; do
        check "$workload" --gpu gtx480 --sched $scheduler --set l1.size=512 --set l1.unlocked=yes \
            --set readonly.unlocked=yes --set l1.write_allocate=yes --set l1.write_back=yes
    done
    # Sectors, unusual policies, stores that allocate and stay.
    check "$workload" --gpu gtx480 --set l1.fill=32 --set l1.policy=weighted --set l1.weights=1,3,1,1 \
        --set l1.write_allocate=yes \
        --set l1.write_back=yes --set l2.policy=random --set l2.fill=128 --set l2.hash=yes --set l2.write_back=no
    check "$workload" --gpu titan_black --set l1.global=yes --set l1.policy=plru --set l1.index=bits \
        --set l1.write_evict=yes --set l2.write_allocate=no \
        --set registers.banks=4 --set sm.count=ptx --set shared.mode=8
done
echo "$runs runs"
exit $bad
