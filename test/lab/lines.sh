#!/bin/bash
# --lines in sweep and report run: the store and the page have for each line and access what onchip run --lines and
# --annotate print. The page needs no file of the source. What a source says is no part of the page's markup. A store of
# version 2 opens, and what it lacks is there for new runs.
set -uo pipefail
source "$ONCHIP_SOURCE/test/test.bash"
python3 -c 'import sqlite3' 2>/dev/null || exit 77
cd "$work"
mkdir there
cat >there/k.cu <<'CU'
line one
    p[i] = 1; // </td><script>alert("a&b")</script>
CU
printf '    q = p[i];\033[2J\377\n' >>there/k.cu
cat >there/k.ptx <<'PTX'
.version 7.0
.target sm_35
.address_size 64
.file 1 "k.cu"
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<3>;
    .reg .b64 %a;
    .loc 1 1 0
    ld.param.u64 %a, [p];
    mov.u32 %r1, %tid.x;
    .loc 1 2 0
    st.global.u32 [%a], %r1;
    .loc 1 3 0
    ld.global.u32 %r2, [%a+1024];
    st.global.u32 [%a+512], %r2;
    ret;
}
PTX
cd there
args=(k.ptx grid=3 block=64 --arg buf:4KiB)
"$ONCHIP" sweep "${args[@]}" --lines --db ../runs.db >/dev/null || complain "sweep --lines fails"
grep -q '1 simulated' <<<"$("$ONCHIP" sweep "${args[@]}" --db ../runs.db)" ||
    complain "a run without --lines is taken for one"
"$ONCHIP" run k.ptx --grid 3 --block 64 --arg buf:4KiB --annotate >../annotated
"$ONCHIP" run k.ptx --grid 3 --block 64 --arg buf:4KiB --lines --json >../run.json
cd ..
mv there away
"$ONCHIP" report --db runs.db --no-figures -o page.html >/dev/null || complain "report fails"
(cd away && "$ONCHIP" report run "${args[@]}" --lines --no-figures -o ../made.html >/dev/null) ||
    complain "report run --lines fails"
"$ONCHIP" db merge runs.db --db merged.db >/dev/null || complain "db merge fails"
"$ONCHIP" db export --json --db merged.db >merged.json
python3 - <<'PYTHON' || bad=1
import json, sqlite3, xml.etree.ElementTree as tree
want = {(l["file"].split("/")[-1], l["line"]): l for l in json.load(open("run.json"))["kernels"][0]["lines"]}
db = sqlite3.connect("runs.db")
columns = "file, line, what, array, issued, sectors, stalls, queued"
rows = db.execute("SELECT " + columns + " FROM line ORDER BY number").fetchall()
lines = [r for r in rows if r[2] is None]
assert {(r[0].split("/")[-1], r[1]): r[4] for r in lines} == {k: l["issued"] for k, l in want.items()}, (rows, want)
heat = [r[4] + r[6] + r[7] for r in lines]
assert heat == sorted(heat, reverse=True), heat
# 3 blocks of 2 warps; a warp's consecutive words are 4 sectors
accesses = {(r[1], r[2]): r[4:6] for r in rows if r[2]}
assert accesses == {(2, "store"): (6, 6), (3, "load"): (6, 6), (3, "store"): (6, 6)}, accesses
issued = {r[1]: r[4] for r in lines}
text = dict(db.execute("SELECT line, text FROM source"))
assert text[2] == '    p[i] = 1; // </td><script>alert("a&b")</script>', text
assert text[3] == "    q = p[i]; [2J?", text
run = next(r for r in json.load(open("merged.json"))["runs"] if "source" in r)
assert {s["line"]: s["text"] for s in run["source"]} == text
assert [(l["line"], l["what"], l["issued"]) for l in run["kernels"][0]["lines"]] == [(r[1], r[2], r[4]) for r in rows]
space = "{http://www.w3.org/1999/xhtml}"
for page in "page.html", "made.html":
    table = next(t for t in tree.parse(page).getroot().iter(space + "table") if t.get("id") == "table-source-1-1")
    shown = [["".join(c.itertext()) for c in r] for r in table.find(space + "tbody")]
    # The lines in the order of the file, each with its share of the slots, its text and its accesses.
    heats = {r[1]: r[4] + r[6] + r[7] for r in lines}
    percent = lambda line: f"{100 * heats[line] / sum(heats.values()):.1f} %"
    assert [r[:4] for r in shown if r[1]] == [["k.cu:%d" % n, percent(n), text[n], str(want_issued)]
        for n in (1, 2, 3) for want_issued in [issued[n]]], shown
    access = "↳ %s of buf: 1 sectors a request" if "buf" in str(shown) else "↳ %s of p: 1 sectors a request"
    assert [r[2] for r in shown if not r[1]] == [access % what for what in ("store", "load", "store")], shown
# a store of version 2
for what in "line", "source", "said", "why": db.execute("DROP TABLE " + what)
db.execute("DELETE FROM checksum WHERE name IN ('line', 'source', 'said', 'why')")
db.execute("PRAGMA user_version = 2")
db.commit()
PYTHON
(($("$ONCHIP" db list --db runs.db 2>/dev/null | grep -c done) == 2)) || complain "a store of version 2 isn't opened"
(cd away && "$ONCHIP" sweep k.ptx grid=3 block=96 --arg buf:4KiB --lines --db ../runs.db >/dev/null) ||
    complain "a store of version 2 takes no run"
exit $bad
