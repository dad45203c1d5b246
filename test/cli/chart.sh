#!/bin/bash
# --chart and --metrics print what --json counts: each number is computed anew from the JSON's counters.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
cd "$work" || exit 1
args=(matmul-tiled n=64 --gpu gtx480)
"$onchip" run "${args[@]}" --json >json
gives 0 'memory chart' roofline -- run "${args[@]}" --chart
c() { jq -r ".kernels[0] | $1" json; }
one=$(sed -n '/memory chart/,/roofline/p' <<<"$out" | tr -s ' ')
# chart NAME FORMULA: the row of that name has the share of its peak that the formula gives, in percent.
chart() {
    local want
    want=$(c "($2) * 1000 | round / 10" | xargs printf '%.1f %%')
    [[ $(grep "^ $1 " <<<"$one" | head -n 1) == *" $want"* ]] || complain "$1: not $want in: $(grep "^ $1 " <<<"$one")"
}
# An SM's load-store unit takes one segment a cycle, and its banks make one pass; there are 15 SMs and 6 partitions.
chart L1 '(.counters."l1.accesses" + .counters."l1.bypasses") / (.cycles * 15)'
chart 'shared memory' '.counters."shared.passes" / (.cycles * 15)'
chart DRAM '(.counters."dram.read_bytes" + .counters."dram.write_bytes") * 700e6 / (177e9 * .cycles)'
chart L1 '.counters."l1.hits" / .counters."l1.accesses"'
chart L2 '.counters."l2.hits" / .counters."l2.accesses"'
flat=$(tr -s ' \n' ' ' <<<"$out")
[[ $flat == *"reached: $(c '.warp_instructions * 700 / .cycles | round') M warp instructions/s"* ||
    $flat == *"reached: $(c '.warp_instructions * 0.7 / .cycles * 100 | round / 100') G warp instructions/s"* ]] ||
    complain "not what was reached: $flat"

# metric NAME FORMULA: its value in the CSV.
metric() {
    local got want
    got=$("$onchip" run "${args[@]}" --metrics "$1" --csv | sed -n '2s/.*,"\([^"]*\)"$/\1/p')
    want=$(c "$2")
    awk -v a="$got" -v b="$want" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (1e-9 * b) ^ 2) }' ||
        complain "$1: $got, not $want"
}
metric l1.hits '.counters."l1.hits"'
metric ipc .ipc
metric gpu__time_duration.sum '.cycles / 0.7'
metric dram__bytes.sum '.counters."dram.read_bytes" + .counters."dram.write_bytes"'
metric smsp__inst_executed_op_global_ld.sum '.counters."global.loads"'
metric smsp__thread_inst_executed_per_inst_executed.ratio '.thread_instructions / .warp_instructions'
metric l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio \
    '.counters."global.load_sectors" / .counters."global.loads"'
metric sm__warps_active.avg.pct_of_peak_sustained_active '.rates.occupancy * 100'
metric sm__inst_executed.avg.per_cycle_active '.warp_instructions / .counters."sm.active"'
"$onchip" run "${args[@]}" --metrics ipc,l1.hits --csv | python3 -c '
import csv, sys
rows = list(csv.reader(sys.stdin))
assert rows[0] == ["Kernel Name", "Launches", "Metric Name", "Metric Unit", "Metric Value"] and len(rows) == 3' ||
    complain "--csv isn't CSV"
# With --launches they are those of each launch, which add up to their kernel's.
"$onchip" run bfs --size small --metrics cycles --csv >"$work/sums.csv"
"$onchip" run bfs --size small --metrics cycles --csv --launches all >"$work/each.csv"
python3 - "$work" <<'END' || complain "--metrics --launches all doesn't add up: $(head -4 "$work/each.csv")"
import collections, csv, sys
def read(name):
    return list(csv.reader(open(f"{sys.argv[1]}/{name}.csv")))[1:]
added, seen = collections.Counter(), collections.Counter()
for kernel, which, _, _, cycles in read("each"):
    seen[kernel] += 1
    assert which.startswith(f"launch {seen[kernel]} of "), which
    added[kernel] += int(cycles)
sums = {kernel: (int(launches), int(cycles)) for kernel, launches, _, _, cycles in read("sums")}
assert sums == {k: (seen[k], added[k]) for k in added} and max(seen.values()) > 1, (sums, seen, added)
END
gives 2 "no metric 'l1.hit'; did you mean 'l1.hits'" -- run atax --metrics l1.hit
gives 2 '--csv needs --metrics' -- run atax --csv
gives 2 '--metrics has no effect with --json' -- run atax --metrics ipc --json
gives 2 '--chart has no effect with --functional' -- run atax --chart --functional
exit $bad
