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
metric smsp__issue_active.avg.pct_of_peak_sustained_active '100 * .counters."issue.issued" / .counters."issue.slots"'
metric l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum '.counters."shared.conflicts" - .counters."shared.wide"'
# Shares of units: a kernel of so many instructions of each kind. An SM of the GTX 480 has 32 units for sums and
# products, at twice the clock, so that it starts two a cycle; and 4 for sines, which take a warp in 8 cycles.
cat >pipes.ptx <<'END'
.version 7.0
.target sm_20
.address_size 64
.visible .entry pipes()
{
    .reg .f32 %f<4>; .reg .b32 %r<4>; .reg .pred %p;
    mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000; mov.u32 %r1, 0;
AGAIN:
    fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2;
    sin.approx.f32 %f2, %f2;
    add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 500; @%p bra AGAIN;
    ret;
}
END
args=(pipes.ptx --gpu gtx480 --grid 30 --block 256 --no-lowering)
"$onchip" run "${args[@]}" --json >json
warps=$((30 * 8))
for suffix in elapsed active; do
    over='(.cycles * 15)'
    [[ $suffix == elapsed ]] || over='.counters."sm.active"'
    metric sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_$suffix "100 * $warps * 1500 * 1 / ($over * 2)"
    metric sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_$suffix "100 * $warps * 500 * 8 / $over"
done
# Of tensor cores: operations of a product of 512×512×512 by the peak of the card, at its clock; and below them the
# bytes that they took from each level.
"$onchip" run gemm-wgmma --gpu h200 --json >json
args=(gemm-wgmma --gpu h200)
rate=$("$onchip" run "${args[@]}" | sed -n 's/.*tensor cores [0-9.]* of \([0-9]*\) TFLOP.*/\1/p')
share="2 * 512 * 512 * 512 / .rates.seconds / 1e12 / $rate"
got=$("$onchip" run "${args[@]}" --metrics sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed --csv |
    sed -n '2s/.*,"\([^"]*\)"$/\1/p')
awk -v a="$got" -v b="$(c "100 * $share")" 'BEGIN { exit !(a > 0 && (a / b - 1) ^ 2 < 1e-6) }' ||
    complain "tensor cores: $got"
gives 0 'roofline of products of matrices' -- run "${args[@]}" --chart
two=$(sed -n '/roofline of products/,/reached:/p' <<<"$out" | tr -s ' ')
# roof NAME BYTES: operations a byte, and what they allow: as much more as the level is used less than it could be.
roof() {
    local want
    want=$(c "2 * 512 * 512 * 512 / ($2)" | xargs printf '%.3g')
    grep -q "^ $1 $want " <<<"$two" || complain "$1: not $want operations a byte in $two"
}
roof DRAM '.counters."dram.read_bytes" + .counters."dram.write_bytes"'
roof L2 '32 * .counters."l2.sectors"'
roof 'shared memory' '128 * .counters."shared.passes"'
grep -q "reached: $(c '2 * 512 * 512 * 512 / .rates.seconds / 1e12' | xargs printf '%.3g') TFLOP/s" <<<"$two" ||
    complain "not what was reached: $two"
gives 0 roofline -- run matmul-tiled n=64 --chart
lacks 'products of matrices'
args=(matmul-tiled n=64 --gpu gtx480)
"$onchip" run "${args[@]}" --json >json
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
