#!/bin/bash
# The page of one run: its kernels stand first, the slowest first, with time, share and limits as onchip run --json has
# them; each has its own memory chart and arrays, and no figure adds two kernels up or shows nothing but zeros; curves
# come last. A kernel has its name of C++, and a file stands without its folders.
set -uo pipefail
source "$ONCHIP_SOURCE/test/test.bash"
python3 -c 'import sqlite3' 2>/dev/null || exit 77
cd "$work"
args=(atax nx=512 ny=16) # its second kernel is the slower one
"$ONCHIP" run --gpu gtx480 "${args[@]}" --json >run.json || complain "the run fails"
"$ONCHIP" report run --gpu gtx480 "${args[@]}" --lines --interval 1000 --no-figures -o page.html >/dev/null ||
    complain "no page"
mkdir -p far/away
sed 's/atax_kernel1/_Z5firstIfEvPT_i/g' < <("$ONCHIP" show ptx atax) >far/away/mine.ptx
"$ONCHIP" report run --gpu gtx480 far/away/mine.ptx kernel=_Z5firstIfEvPT_i --arg i32:32 --arg i32:32 --arg buf:4KiB \
    --arg buf:4KiB --arg buf:4KiB --no-figures -o named.html >named.out 2>&1 ||
    complain "no page of a file: $(<named.out)"
# A run without time has kernels, and no figure of them.
"$ONCHIP" report run --gpu gtx480 "${args[@]}" --functional --no-figures -o plain.html >/dev/null ||
    complain "no page without time"
grep -q 'without time' plain.html && ! grep -q '<figure' plain.html || complain "a page without time has figures"
python3 - <<'PYTHON' || bad=1
import csv, json, re, xml.etree.ElementTree as tree
space = "{http://www.w3.org/1999/xhtml}"
text = lambda e: " ".join("".join(e.itertext()).split())
kernels = sorted(json.load(open("run.json"))["kernels"], key=lambda k: -k["counters"]["cycles"])
assert len(kernels) == 2
root = tree.parse("page.html").getroot()
cards = next(e for e in root.iter(space + "ol") if e.get("class") == "kernels").findall(space + "li")
assert len(cards) == 2
cycles = sum(k["counters"]["cycles"] for k in kernels)
for card, k in zip(cards, kernels):
    words = text(card)
    assert words.startswith(k["name"]), words
    assert f"{100 * k['counters']['cycles'] / cycles:.3g} % of the program" in words, words
    assert f"{1e6 * k['counters']['cycles'] / 700e6:.4g} µs" in words, words  # the GTX 480's clock
    assert "Limited by " + " ".join(k["limited_by"].split()) + "." in words, (words, k["limited_by"])
    target = next(e for e in root.iter() if e.get("id") == card.find(f".//{space}a").get("href")[1:])
    assert text(target.find(space + "h3")) == k["name"]
figures = [(f.get("id"), list(csv.reader(f.find(f".//{space}pre").text.splitlines())))
           for f in root.iter(space + "figure")]
for k in kernels:
    chart = dict(figures)[k["name"].replace("_", "-") + "-memory-chart"]
    row = {r[0]: r for r in chart}
    assert float(row["registers"][1]) == k["counters"]["warp_instructions"]
    assert float(row["L1"][1]) == k["counters"]["l1.accesses"]
    arrays = {r[0]: r for r in dict(figures)[k["name"].replace("_", "-") + "-data-structures"][1:]}
    for s in k["structures"]:
        assert float(arrays[s["name"]][1]) == s["l1_hits"] and \
            float(arrays[s["name"]][2]) == s["l1_accesses"] - s["l1_hits"], (arrays, s)
for name, rows in figures:
    values = [float(v) for r in rows[1:] for v in r[1:] if v]
    assert any(values), name
names = [name for name, _ in figures]
assert not any(n.startswith("atax-memory-chart") or n.startswith("atax-data") for n in names), names
first = min(k for k, n in enumerate(names) if n.endswith("-over-time"))
assert first > 5 and all(n.endswith("-over-time") for n in names[first:]), names
# The cards stand before every figure, the source before what sets kernels side by side.
order = [e.get("id") or e.get("class") for e in root.iter()]
assert order.index("kernels") < order.index(names[0])
assert order.index("table-source-1-1") < order.index("kernel-1-2") < order.index("table-source-1-2")
assert order.index("table-source-1-2") < order.index("atax-issue-slots")
page = open("named.html", encoding="utf-8").read()
root = tree.parse("named.html").getroot()
assert text(root.find(f".//{space}h1")) == "mine.ptx", text(root.find(f".//{space}h1"))
assert text(root.find(f".//{space}h3")) == "void first<float>(float*, int)"
shown = "".join(root.find(space + "body").itertext())
assert "_Z5first" not in re.sub(r'kernel\S*\s*=?\s*_Z5first\S*', "", shown), shown
assert "far/away" not in shown, re.findall(r".{40}far/away.{40}", shown)
PYTHON
exit $bad
