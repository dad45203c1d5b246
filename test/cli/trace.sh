#!/bin/bash
# --trace: a file of trace events, whose slices, curves and instants agree with what the run's JSON says.
source test/cli/expect.bash
card=gtx480
cd "$work" || exit 1
number() { sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}\$/\1/p" <<<"$out" | head -n 1; }
# same NAME TRACED COUNTED
same() { [[ $2 == "$3" ]] || complain "$1: the trace has $2, the run $3"; }

# A warp that is stalled and let go within a window isn't seen, nor is one that returns and ends: eager CIAO does that,
# and CIAO whose epochs are short.
slow=(--set sched.eager=0 --set sched.epochs=warp --set sched.high_epoch=20000)
syrk=(run syrk n=128 --sched ciao-c "${slow[@]}" --interval 500)
gives 0 '"verified": true' -- "${syrk[@]}" --trace t.json --json
python3 -c 'import json, sys; json.load(open("t.json"))' 2>"$work/log" ||
    command -v python3 >/dev/null && [[ -s $work/log ]] && complain "it isn't JSON: $(<"$work/log")"
for pair in isolate:isolations stall:stalls return:returns; do
    same "${pair%:*}" "$(grep -c "\"ph\":\"i\",\"name\":\"${pair%:*}\"" t.json)" "$(number "sched.${pair#*:}")"
done
(($(number sched.isolations) > 10 && $(number sched.stalls) > 10)) || complain 'hardly a warp is isolated or stalled'
same SMs "$(grep -c '"name":"SM ' t.json)" 15
same kernels "$(grep -c '"ph":"X","name":"syrk_kernel"' t.json)" 1
same copies "$(grep -c '"ph":"X","name":"copy to' t.json)" 3
# A sample's IPC is over what lies between it and the next of the same SM: the curves' areas are the instructions.
curve='.*"name":"IPC","pid":\([0-9]*\).*"ts":\([0-9.]*\),"args":{"[^"]*":\([0-9.e+-]*\)}}.*'
sum=$(sed -n "s/$curve/\1 \2 \3/p" t.json |
    awk -v end="$(awk 'match($0, /"name":"syrk_kernel".*"ts":[0-9.]*,"dur":[0-9.]*/) {
            split(substr($0, RSTART), a, /"ts":|,"dur":|}/); print a[2] + a[3] }' t.json)" '
        $1 in at { sum += ($2 - at[$1]) * ipc[$1] } { at[$1] = $2; ipc[$1] = $3 }
        END { for (p in at) sum += (end - at[p]) * ipc[p]; printf "%.0f", sum * 700 }')
insts=$(number warp_instructions)
((sum > insts * 99 / 100 && sum < insts * 101 / 100)) ||
    complain "the curves hold $sum instructions, the run has $insts"
# The counters that are watched.
resident=$(number warps.resident) watched=$(number watch.warps)
((watched > resident * 97 / 100 && watched < resident * 103 / 100)) ||
    complain "$watched warp-cycles were watched, $resident are counted"
(($(number watch.stalled) > 0 && $(number watch.isolated) > 0 && $(number watch.interference) > 0)) ||
    complain 'nothing stalled, isolated or lost was watched'
run run syrk n=128 --sched ciao-c "${slow[@]}" --json
same 'cycles without' "$(number cycles)" "$(run "${syrk[@]}" --json; number cycles)"
[[ $(number watch.warps) == 0 ]] || complain 'it watches though nobody asks'

# Each launch is watched from its own beginning.
gives 0 '"verified": true' -- run atax --size small --interval 100 --json
mapfile -t resident < <(sed -n 's/^ *"warps.resident": \([0-9]*\),$/\1/p' <<<"$out")
mapfile -t watched < <(sed -n 's/^ *"watch.warps": \([0-9]*\),$/\1/p' <<<"$out")
((${#resident[@]} == 2 && ${#watched[@]} == 2)) || complain 'atax has two kernels'
for k in 0 1; do
    ((watched[k] > resident[k] * 97 / 100 && watched[k] < resident[k] * 103 / 100)) ||
        complain "kernel $k: ${watched[k]} warp-cycles were watched, ${resident[k]} are counted"
done

# Blocks and warps are slices on their SM, of as many cycles as the counters have; what became of the issue slots adds
# up to all of them; the curves of L2 and DRAM hold what is counted; a copy says of which buffer it is.
if command -v python3 >/dev/null; then
    gives 0 '"verified": true' -- run atax nx=256 ny=256 --trace t.json --interval 1000 --json
    echo "$out" >run.json
    python3 - <<'PY' || complain "blocks, warps, issue slots, L2, DRAM or copies"
import json
events, run = json.load(open("t.json"))["traceEvents"], json.load(open("run.json"))
kernels = run["kernels"]
total = lambda name: sum(k["counters"][name] for k in kernels)
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
rows = lambda what: [e for e in events if e["ph"] == "X" and e["dur"] and names[e["pid"], e["tid"]].startswith(what)]
blocks, warps = rows("block's"), rows("warp's")
assert len(blocks) == total("blocks") == 2 and len(warps) == total("warps") == 16, (len(blocks), len(warps))
assert sum(w["args"]["cycles"] for w in warps) == total("warps.resident")
mhz = 700
for s in blocks + warps: assert abs(s["dur"] * mhz - s["args"]["cycles"]) < 1, s
for w in warps:  # within its block, on the same SM
    assert any(b["pid"] == w["pid"] and b["ts"] <= w["ts"] and w["ts"] + w["dur"] <= b["ts"] + b["dur"] + 1e-3 and
               w["name"].startswith(b["name"] + ", ") for b in blocks), w
for e in events:
    if e["name"] == "issue slots, %": assert abs(sum(e["args"].values()) - 100) < 0.1 or not any(e["args"].values()), e
# The area under a curve, in cycles.
def area(name, value):
    samples = [e for e in events if e["ph"] == "C" and e["name"] == name]
    return sum((b["ts"] - a["ts"]) * mhz * a["args"][value] for a, b in zip(samples, samples[1:]))
near = lambda a, b: abs(a - b) <= 0.01 * b + 1
assert near(area("L2 requests", "per cycle"), total("l2.accesses")), area("L2 requests", "per cycle")
assert near(area("DRAM, GB/s", "read") * 1e3 / mhz, total("dram.read_bytes")), area("DRAM, GB/s", "read")
copies = sorted(e["name"] for e in events if e["ph"] == "X" and e["name"].startswith("copy"))
assert "copy to the device: A" in copies and "copy to the host: y" in copies, copies
PY
fi
# Also of a launch that is cut short.
gives 1 'stopped' -- run atax nx=256 ny=256 --max-cycles 2000 --trace t.json
(($(grep -c '"ph":"X","name":"block [0-9]*, warp' t.json) >= 8)) || complain 'no warps of a launch that was cut short'

# A description's name may have what JSON writes in another way.
cp "$ONCHIP_SOURCE/gpus/gtx480.ini" 'a"b\c.ini'
gives 0 'right' -- run atax nx=64 ny=64 --gpu './a"b\c.ini' --trace t.json
same 'the name of the GPU' "$(grep -cF '"args":{"name":"a\"b\\c.ini"}}' t.json)" 1
if command -v python3 >/dev/null; then
    name=$(python3 -c 'import json; print(json.load(open("t.json"))["otherData"]["gpu"])' 2>/dev/null)
    same 'as JSON, the GPU' "$name" 'a"b\c.ini'
fi

# On a track, a slice ends before the next one begins: as written, and as viewers take it, which multiply the doubles
# and cut them to nanoseconds. Every curve is at 0 when a kernel ends.
if command -v python3 >/dev/null; then
    for program in atax histogram reduction; do
        gives 0 'right' -- run $program --size small --trace t.json
        python3 - $program <<'PY' || complain "$program: its slices or curves"
import json, sys
from fractions import Fraction
events = json.load(open("t.json"), parse_float=str)["traceEvents"]
slices, ends, curves = {}, set(), {}
for e in events:
    if e["ph"] == "X":
        slices.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["dur"]))
        if "args" not in e:
            ends.add(Fraction(e["ts"]) + Fraction(e["dur"]))
    if e["ph"] == "C":
        curves.setdefault((e["pid"], e["name"]), []).append((Fraction(e["ts"]), [float(v) for v in e["args"].values()]))
for track in slices.values():
    track.sort(key=lambda s: Fraction(s[0]))
    for (a, d), (b, _) in zip(track, track[1:]):
        assert Fraction(a) + Fraction(d) <= Fraction(b), (a, d, b)
        assert int(float(a) * 1000.0) + int(float(d) * 1000.0) <= int(float(b) * 1000.0), (a, d, b)
# speedscope takes a row's first slice as its 0: all rows have an empty one at one time, so that they are in step.
first = {track: min(Fraction(a) for a, _ in s) for track, s in slices.items()}
assert len(first) > 3 and set(first.values()) == {Fraction(1, 10000)}, first
assert all([a for a, d in s if not float(d)] == ["0.0001"] for s in slices.values())
for name, samples in curves.items():
    last = max(samples, key=lambda s: s[0])
    assert last[0] in ends and not any(last[1]), (name, last)
PY
    done
fi

gives 1 "can't write no/t.json" -- run syrk n=32 --trace no/t.json
gives 2 '--trace has no effect with --functional' -- run syrk n=32 --trace t.json --functional
gives 2 '--interval needs --json or --trace' -- run syrk n=32 --interval 100
gives 0 'right' -- run syrk n=32 --trace t.json --interval 100
exit $bad
