#!/bin/bash
# onchip advise --page: the page says what --json says: the best change first, with what to write; every change with its
# gain; what limits each kernel. Texts are escaped. --page - has the standard output for itself.
set -uo pipefail
source "$ONCHIP_SOURCE/test/test.bash"
command -v gnuplot >/dev/null && command -v python3 >/dev/null || exit 77
cd "$work"
args=(advise --gpu gtx480 atax nx=128 ny=128 --db runs.db --budget 0)
"$ONCHIP" "${args[@]}" --page page.html >text || complain "advise --page fails"
grep -q '^write ' text || complain "--page takes the text away: $(<text)"
"$ONCHIP" "${args[@]}" --json >advice.json || complain "advise --json fails"
"$ONCHIP" "${args[@]}" --page - >only.html || complain "advise --page - fails"
cmp page.html only.html || complain "--page - prints more than the page"
"$ONCHIP" run --gpu gtx480 atax nx=128 ny=128 --json >run.json
if "$ONCHIP" "${args[@]}" --json --page - >both 2>&1; then complain "--json --page - is taken"; fi
if "$ONCHIP" "${args[@]}" --page none/page.html >/dev/null 2>error; then complain "a page that can't be written"; fi
grep -q 'none/page.html' error || complain "which page can't be written? $(<error)"
python3 - <<'PYTHON' || bad=1
import json, xml.etree.ElementTree as tree
space = "{http://www.w3.org/1999/xhtml}"
text = lambda e: "".join(e.itertext())
root, advice = tree.parse("page.html").getroot(), json.load(open("advice.json"))
best = advice["best"]
answer = text(next(p for p in root.iter(space + "p") if p.get("class") == "answer"))
assert answer == "; ".join(c["what"] for c in best["changes"]) + f": {best['times']:.2f} times as fast.", answer
lines = [text(p) for p in root.iter(space + "pre") if p.get("class") == "whole"]
assert lines == ["\n".join(c["write"] for c in best["changes"]), best["command"]], lines
tables = [[[text(c) for c in row] for row in t.find(space + "tbody")] for t in root.iter(space + "table")]
alone = [t for t in advice["trials"] if len(t["changes"]) == 1 and t.get("times")]
want = sorted(((t["changes"][0]["what"], f"{t['times']:.2f}", t["changes"][0]["write"]) for t in alone),
              key=lambda w: w[0])
assert sorted([(r[0], r[1], r[4]) for r in tables[0]], key=lambda w: w[0]) == want, (tables[0], want)
times = [float(r[1]) for r in tables[0]]
assert times == sorted(times, reverse=True) and len(times) > 3
kernels = {k["name"]: k for k in json.load(open("run.json"))["kernels"]}
cycles = sum(k["counters"]["cycles"] for k in kernels.values())
assert len(tables[-1]) == len(kernels) == 2
for name, share, limits in tables[-1]:
    assert share == f"{100 * kernels[name]['counters']['cycles'] / cycles:.1f} %", (name, share)
    assert limits == kernels[name]["limited_by"], (limits, kernels[name]["limited_by"])
figures = [f for f in root.iter(space + "figure")]
assert len(figures) == 1 and "What each change gains" in text(figures[0])
PYTHON
# What no run can try stands on the page, too.
cat >again.ptx <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry again(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<2>; .reg .b64 %d<4>; .reg .f32 %f<4>;
  ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;
  add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
  ld.global.f32 %f1, [%d1]; st.global.f32 [%d2], %f1; ld.global.f32 %f2, [%d1]; st.global.f32 [%d2+128], %f2; ret;
}
PTX
again=(advise again.ptx --arg buf:128 --arg buf:256 --db runs.db --budget 0)
"$ONCHIP" "${again[@]}" --page - >again.html || complain "advise again.ptx --page fails"
grep -q 'What no run can try' again.html && grep -q 'x is loaded again, since' again.html ||
    complain "the page lacks what no run can try"
exit $bad
