#!/bin/bash
# onchip probe: what it says of gtx780 is what mei says, in the report, the JSON and the files; a budget leaves parts
# out and names them; mistakes are told. In the short form two GPUs are asked for their
# footprint, in the long one five.
source test/cli/expect.bash

# Every part is told of by --help and by doc/use/probe.md, and --only takes it.
gives 0 -- probe --help
parts=$(sed -n '/^parts:/,$ s/^  \([a-z0-9]*\) .*/\1/p' "$work/out")
for part in $parts; do
    grep -q "^|[^|]*\`$part\`" doc/use/probe.md || complain "doc/use/probe.md lacks part $part"
    gives 0 "$part was left out" -- probe --gpu gtx780 --only $part --budget 0.001s
done
[[ $(wc -w <<<"$parts") == 13 && $parts == *footprint* ]] || complain "the parts of --help: $parts"

# Mistakes.
gives 2 'probe what?' -- probe
gives 2 "takes no word 'gtx780'" -- probe gtx780
gives 2 "unknown GPU 'gtx78'; did you mean 'gtx780'?" -- probe --gpu gtx78
gives 2 "no part 'tlp'; did you mean 'tlb'?" -- probe --gpu gtx780 --only l1,tlp
gives 2 '--only takes parts' -- probe --gpu gtx780 --only ''
for budget in x 0 -5s 3h; do
    gives 2 "--budget takes a time such as 60s or 5m, not '$budget'" -- probe --gpu gtx780 --budget $budget
done
for loads in x 0 -5; do
    gives 2 "--loads takes a whole number from 1 to 2^40, not '$loads'" -- probe --gpu gtx780 --loads $loads
done
gives 2 "--threads takes a whole number up to 256, not '1000'" -- probe --gpu gtx780 --threads 1000
for option in --gpu=gtx780 --set=l1.size=0 --threads=2; do
    gives 2 "${option%%=*} is an option of a simulated GPU; --device names a real one" -- probe --device cuda:0 $option
done
gives 2 "'gpu:0' is not a device: cuda:0 is the first GPU" -- probe --device gpu:0
gives 2 'l1.size' -- probe --gpu gtx780 --set l1.size=many
gives 1 "can't write $work/no/where.ini: No such file" -- probe --gpu gtx780 --only shared --emit "$work/no/where.ini"
gives 1 "can't make the folder $work/no/where" -- probe --gpu gtx780 --only shared --traces "$work/no/where"
"$onchip" probe --device cuda:99 >"$work/out" 2>"$work/err" && complain 'probe --device cuda:99: no failure'
[[ $(<"$work/err") == *'--gpu NAME looks at a simulated one'* || $(<"$work/err") == *cuda:99* ]] ||
    complain "probe --device cuda:99: $(<"$work/err")"

# The report.
gives 0 '32 banks of 8 bytes, 4-byte mode' \
    'l1: loads of this kind take 230 cycles' -- probe --gpu gtx780 --only l1,texture,shared --emit "$work/found.ini" \
    --traces "$work/traces"
grep -Eq '^texture +12 KiB +32 B +32 B +4 × 96 +bits 7 to 8 +lru +110 +220$' "$work/out" ||
    complain "no texture cache: $out"
lacks 'l2_tlb'
lacks 'left out'

# With --emit - the standard output has the description alone.
gives 2 '--json and --emit - both write to the standard output' -- probe --gpu gtx780 --json --emit -
"$onchip" probe --gpu gtx780 --only shared --emit - >"$work/standard.ini" 2>"$work/err" ||
    complain "probe --emit -: $(<"$work/err")"
grep -q '32 banks of 8 bytes' "$work/err" || complain "probe --emit - reports: $(<"$work/err")"
"$onchip" show gpu "$work/standard.ini" >"$work/out" 2>&1 || complain "probe --emit - writes: $(<"$work/out")"

# The four steps of mei §3.2 beside the search: §4.3's mapping, 4 neighbouring lines to a set, isn't what they suppose.
gives 0 'step 3 (a): a further line doesn'"'"'t make a whole further set miss' 'neighbouring lines go to one set' \
    '32 B over strides, 128 B over sizes' -- probe --gpu gtx780 --only texture --by-the-book
grep -Eq '^texture +steps +12 KiB +32 B +13 +\? +lru$' "$work/out" && grep -Eq '^ +search +12 KiB +32 B +4 +96 +lru$' \
    "$work/out" && grep -Eq '^ +description +12 KiB +32 B +4 +96 +lru$' "$work/out" ||
    complain "other steps: $(<"$work/out")"

# A 2D texture's footprint, where its rows lie in memory one after the other, is part of a row: as many texels of 4
# bytes as the description has the texture cache fetch. On h200 that is the L1.
for gpu in gtx480 ${ONCHIP_LONG:+gtx560ti gtx780 titan_black} h200; do
    section=readonly
    [[ $gpu == h200 ]] && section=l1
    fill=$("$onchip" show gpu $gpu | awk -v of="[$section]" '/^\[/ { on = $0 == of } on && $1 == "fill" { print $3 }')
    gives 0 "2D textures: a miss brings in $((${fill%B} / 4)) × 1 texels of 4 bytes, ${fill%B} B of one row" \
        -- probe --gpu $gpu --only footprint
done
gives 0 '16 × 1 texels of 4 bytes, 64 B of one row: the texture cache'"'"'s fill' \
    -- probe --gpu gtx560ti --set readonly.line=64 --set readonly.sector=64 --set readonly.fill=64 \
    --set readonly.ways=48 --only texture,footprint
gives 0 'footprint: none, since a texel is fetched again no faster than the first time' \
    -- probe --gpu gtx780 --set readonly.size=0 --set l1.size=0 --only footprint
lacks '2D textures'
gives 0 'what a miss brings in is undetermined: the device has too little memory' -- probe --gpu gtx780 \
    --set gpu.memory=64MiB --only footprint

# What it found is a GPU.
grep -q '^latency  *= 110  *# measured$' "$work/found.ini" ||
    complain "no latency of the read-only cache: $(<"$work/found.ini")"
gives 0 'the result is right' -- run saxpy --size small --gpu "$work/found.ini"
gives 0 'ways           = 96           # line; measured' -- show gpu "$work/found.ini"

# Every latency that a run says it has is there, and every walk belongs to a run.
awk -F, -v OFS=, '
    FNR == 1 { file++; if (!NF) exit 1; next }
    file == 1 { loads[$1] = $5; runs++ }
    file == 2 { if (!($1 in loads)) bad = 1; walks++ }
    file == 3 { seen[$1]++; if ($3 < 1) bad = 1 }
    END { for (r in loads) if (seen[r] != loads[r]) bad = 1; exit bad || !runs || walks < runs }
' "$work/traces/runs.csv" "$work/traces/walks.csv" "$work/traces/latencies.csv" ||
    complain 'the traces do not agree with each other'

# A part that needs more loads than it may make is named, with what isn't known: in the report, the JSON and the file.
# An L1 as large as the L2 takes minutes otherwise.
large='--gpu gtx480 --set l1.size=768KiB --set l1.index=bits --only l1 --loads 100000'
known='it needs more than the 0.1 million loads that a part may make.'
known+=' Not known: size, line, sets, index, policy, hit, miss'
gives 0 "l1 isn't complete: it needs more than the 0.1 million loads" -- probe $large --emit "$work/found.ini"
grep -q '^l1 .*? *? *128 B' "$work/out" || complain "a size of l1: $(<"$work/out")"
grep -qF "# Part l1 isn't complete: $known." "$work/found.ini" || complain "no bound in: $(<"$work/found.ini")"
grep -q "^size  *= 0  *# assumed, since its size isn't known: it would take more loads than a part may make$" \
    "$work/found.ini" || complain "a size of l1 in: $(<"$work/found.ini")"
gives 0 "throughput isn't complete: it needs more than the 0.004 million threads that a part may launch" \
    'Not known: the curves that are missing' -- probe --gpu sm32 --only throughput --loads 1000

# Time. Each part is done, or named as left out.
gives 0 -- probe --gpu gtx780 --budget 2s --only shared,tlb,ops
[[ $out == *'32 banks'* && $out == *'tlb was left out: it takes about'* ]] || complain "a budget of 2 s: $out"
gives 0 'l1 was left out' 'footprint was left out' 'hits was left out' -- probe --gpu gtx780 --budget 0.001s
gives 0 'shared was left out' -- probe --gpu gtx780 --budget 0.1s --only shared

# The JSON, by any reader of it.
if command -v python3 >/dev/null; then
    gives 0 -- probe --gpu gtx780 --only l1,readonly,footprint,shared --json
    python3 - "$work/out" <<'P' || complain 'the JSON says something else'
import json, sys
j = json.load(open(sys.argv[1]))
m = {x["name"]: x for x in j["memories"]}
def exact(x): assert x["verdict"] == "measured" and x["low"] == x["value"] == x["high"], x; return x["value"]
assert j["schema"] == 1 and "error" not in j and j["device"]["sms"] == 12 and not j["device"]["real"]
assert list(m) == ["l1", "readonly", "texture", "constant", "local", "l2", "l1_tlb", "l2_tlb", "shared"]
assert m["l1"]["state"] == "absent" and m["l1"]["why"] and m["l2"]["state"] == "not asked for"
r = m["readonly"]
found = [exact(r[k]) for k in ("size_bytes", "line_bytes", "fill_bytes", "sets", "hit_cycles", "miss_cycles")]
assert found == [12288, 32, 32, 4, 110, 220]
assert r["ways"]["value"] == [96] * 4 and r["policy"]["value"] == "lru"
assert r["index"]["value"] == "bits" and r["index"]["low_bit"] == 7
assert {p["rate"] for p in r["misses"] if p["array_bytes"] <= 12288} == {0} and r["misses"][-1]["rate"] == 1
f = j["footprint"]
assert f["state"] == "measured" and [exact(f["width_texels"]), exact(f["height_texels"])] == [8, 1]
assert 8 * f["texel_bytes"] == r["fill_bytes"]["value"]
assert exact(m["shared"]["banks"]) == 32 and m["shared"]["stride_cycles"][8] == 47 + 3 * 14
P
    gives 0 -- probe $large --json
    python3 - "$work/out" "$known" <<'P' || complain 'the JSON lacks what is not known'
import json, sys
j = json.load(open(sys.argv[1]))
part = next(p for p in j["parts"] if p["name"] == "l1")
l1 = next(m for m in j["memories"] if m["name"] == "l1")
assert "error" not in j and part["state"] == l1["state"] == "measured" and part["why"] == l1["why"] == sys.argv[2]
want = {"verdict": "undetermined", "why": "it would take more loads than a part may make"}
for key in ("size_bytes", "line_bytes", "entries", "sets", "ways", "policy", "hit_cycles", "miss_cycles"):
    assert l1[key] == want, key
assert l1["fill_bytes"]["value"] == 128
P
    for options in '--bogus' '--gpu gtx78' '--gpu gtx780 --only shared --budget 0.001s'; do
        run probe $options --json
        python3 -c 'import json, sys; j = json.load(sys.stdin)
assert ("error" in j) == (sys.argv[1] != "0") and j["memories"] is not None' $status <<<"$out" ||
            complain "probe $options --json: $out"
    done
fi

# Figures.
if command -v gnuplot >/dev/null; then
    gives 0 -- probe --gpu gtx780 --only texture,shared --plot "$work/plot"
    for name in shared-conflicts misses-texture; do
        [[ -s $work/plot/$name.csv && -s $work/plot/$name.svg ]] || complain "no figure $name"
    done
    grep -q '^8,89' "$work/plot/shared-conflicts.csv" || complain "a stride of 8 words isn't in the figure"
fi
exit $bad
