#!/bin/bash
# The report's formats say the same of the same launches: in text, one block for each launch (--launches all) in the
# order of the JSON's objects, with its cycles; and a block has a row just where the JSON has the field that says it.
# --metrics gives the sums of these cycles. Failing kernels are among the runs. The two formats are compared with each
# other: no number is expected here.
source test/cli/expect.bash
python3 -c 'import json' 2>/dev/null || exit 77
data=test/run/data

# said NAME ARGUMENT …: writes NAME.txt, NAME.json and NAME.csv.
said() {
    local name=$1
    shift
    "$onchip" run "$@" --launches all >"$work/$name.txt" 2>"$work/$name.err"
    "$onchip" run "$@" --json >"$work/$name.json" 2>"$work/$name.err"
    [[ $* == *--functional* ]] || "$onchip" run "$@" --metrics cycles --csv >"$work/$name.csv" 2>"$work/$name.err"
}
cat >"$work/race.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x)
{
    .reg .b32 %r<8>; .reg .b64 %d<4>; .shared .align 4 .b8 tile[512];
    ld.param.u64 %d1, [x]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2;
    xor.b32 %r2, %r2, 128; mov.u32 %r4, tile; add.u32 %r4, %r4, %r2;
    st.shared.u32 [%r3], %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%d1], %r5; ret;
}
END
said race "$work/race.ptx" --block 64 --arg buf:64 --check
said plain bfs --size small
said whole bfs --size small --why --lines --energy --check --gpu v100
said past bfs --size small --kernels expand --lines
said executed backprop --size small --functional
said cut atax --size small --max-cycles 300
said sampled add n=100 launches=40 --sample
said unified atax --size small --set storage.kind=unified
said overread "$data/overread.ptx" $(sed -n 's,^// run: ,,p' "$data/overread.ptx" | head -n 1)

python3 - "$work" <<'PYTHON' || complain "the formats differ"
import csv, glob, json, re, sys
work = sys.argv[1]
# A row of the text, and what a launch must have for it.
rows = [
    (r"^  executed without time: ", lambda k: k["functional"]),
    (r"^  limited by ", lambda k: "limited_by" in k),
    (r"^  cycles ", lambda k: not k["functional"]),
    (r"^  sampled ", lambda k: "sampled" in k),
    (r"^  energy ", lambda k: k["counters"]["energy.total"]),
    (r"^  loads that miss ", lambda k: any(s.get("why", {}).get("loads") for s in k["structures"])),
    (r"^  read behind ", lambda k: "overread" in k and "findings" not in k),
    (r"^  check ", lambda k: "findings" in k),
    (r"^  check +nothing ", lambda k: k.get("findings") == []),
    (r"^ +cure: ", lambda k: k.get("findings")),
    (r"^  source line ", lambda k: k.get("lines") and not k["functional"]),
    (r"^  structure +loads ", lambda k: k["structures"] and not k["functional"]),
    (r" so far[ ,]", lambda k: k["partial"]),
]
met = [set() for _ in rows]
runs = glob.glob(work + "/*.json")
assert len(runs) == 9, runs
for path in runs:
    launches = json.load(open(path))["kernels"]
    text = open(path[:-4] + "txt").read()
    blocks = re.split(r"\n\n(?=\S.*  grid )", text)[1:]
    assert launches and len(blocks) == len(launches), (path, len(blocks), len(launches))
    sums = {}
    for block, k in zip(blocks, launches):
        block = re.sub(r"\n {16}", " ", block)
        grid = "×".join(map(str, k["grid"]))
        begins = k.get("demangled", k["name"])[:20].split("(")[0]
        assert block.startswith(begins) and f"grid {grid}," in block, (path, block)
        if not k["functional"]:
            assert re.search(r"^  cycles +(\d+)", block, re.M)[1] == str(k["cycles"]), (path, block)
            sums[k["name"]] = sums.get(k["name"], 0) + k["cycles"]
        for n, (row, has) in enumerate(rows):
            there, due = bool(re.search(row, block, re.M)), bool(has(k))
            assert there == due, (path, row, due, block)
            met[n].add(due)
    if sums:
        table = list(csv.reader(open(path[:-4] + "csv")))
        at = [r[-1] for r in table].index("Metric Value")  # what kernels print comes before it
        assert [int(r[-1]) for r in table[at + 1:]] == list(sums.values()), (path, table)
assert all(m == {True, False} for m in met), list(zip([r[0] for r in rows], met))
PYTHON
exit $bad
