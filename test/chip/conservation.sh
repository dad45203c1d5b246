#!/bin/bash
# Workloads, at their small size, on shipped GPUs, with schedulers, with gto and two-level also where the L1 doesn't
# serve global loads, and in the tightest shapes: the results are right, and the counters keep the conservation laws
# (--laws). Here every second workload meets one GPU with one scheduler, and each of the others one of five shapes, so
# that every GPU, every scheduler and every shape has its turn. In the long form every workload meets every GPU with
# every scheduler, and every shape.
set -euo pipefail
all=${ONCHIP_LONG:-}
source "$ONCHIP_SOURCE/test/test.bash"
names() { "$ONCHIP" list "$1" | sed -n '/^best-swl/d; s/^\([a-z][^ ]*\).*/\1/p'; }  # that one makes many runs
mapfile -t workloads < <(names workloads)
mapfile -t gpus < <(names gpus)
[[ $all ]] || gpus=("${gpus[@]/%h200/h200 --set gpu.sms=8}")  # most of its 132 SMs are idle at these sizes
mapfile -t modes < <(names schedulers | sed 's/$/ --set l1.global=yes/')
modes+=('two-level --set l1.global=no' 'gto --set l1.global=no')
((${#gpus[@]} >= 2 && ${#modes[@]} >= 6 && ${#workloads[@]} >= 2 * ${#gpus[@]} && ${#workloads[@]} >= 2 * ${#modes[@]}))

shapes=(
    # Hardly any room: everything refuses and waits.
    'gtx480 --set l1.size=512 --set l1.mshrs=2 --set l1.merges=2 --set lsu.queue=2 --set lsu.pending=2
        --set link.credits=2 --set l2.mshrs=2 --set l2.merges=2 --set dram.queue=4 --set dram.request=0
        --set dram.bank_bits= --set dram.banks=1'
    # Hardly any lines, which don't wait for their fills.
    'gtx480 --sched gto --set l1.size=512 --set l1.unlocked=yes --set readonly.unlocked=yes
        --set l1.write_allocate=yes --set l1.write_back=yes'
    'gtx480 --sched ciao-p --set l1.size=512 --set l1.unlocked=yes --set readonly.unlocked=yes
        --set l1.write_allocate=yes --set l1.write_back=yes'
    # Sectors, unusual policies, stores that allocate and stay.
    'gtx480 --set l1.fill=32 --set l1.replacement=weighted --set l1.weights=1,3,1,1 --set l1.write_allocate=yes
        --set l1.write_back=yes --set l2.replacement=random --set l2.fill=128 --set l2.hash=yes --set l2.write_back=no'
    'titan_black --set l1.global=yes --set l1.replacement=plru --set l1.index=bits --set l1.write_evict=yes
        --set l2.write_allocate=no --set registers.banks=4 --set sm.count=ptx --set shared.mode=8'
)

# The options of the runs of workload w: all of them, or those whose turn it is.
options() {
    local w=$1 gpu mode shape
    if [[ $all ]]; then
        for mode in "${modes[@]}"; do
            for gpu in "${gpus[@]}"; do echo "$gpu --sched $mode"; done
        done
        for shape in "${shapes[@]}"; do echo $shape; done
    elif ((w % 2)); then
        echo ${shapes[w / 2 % ${#shapes[@]}]}
    else
        echo "${gpus[w / 2 % ${#gpus[@]}]} --sched ${modes[w / 2 % ${#modes[@]}]}"
    fi
}

runs=0
for ((w = 0; w < ${#workloads[@]}; w++)); do
    while read -ra words; do
        runs=$((runs + 1))
        run=("$ONCHIP" run "${workloads[w]}" --size small --laws --json --gpu "${words[@]}")
        "${run[@]}" >"$work/json" 2>"$work/log" && grep -q '"verified": true' "$work/json" ||
            complain "${run[*]}: $(grep -hv '^ \|^[{}]' "$work/log" "$work/json" | head -5)"
    done < <(options $w)
done
echo "$runs runs"
exit $bad
