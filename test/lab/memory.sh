#!/bin/bash
# The memory chart of each kernel of a page, and their roofline, have what is computed anew here from the counters that
# --json prints and the description of gtx480: 15 SMs at 700 MHz, two issue slots a cycle, 177 GB/s. --plot writes the
# same as files, and a name can't add elements to them.
set -uo pipefail
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work"
args=(atax nx=256 ny=256 --set l1.size=16KiB)
"$ONCHIP" run --gpu gtx480 "${args[@]}" --json >run.json
# gnuplot isn't needed to draw these two, but the page has others.
if command -v gnuplot >/dev/null; then
    "$ONCHIP" report run --gpu gtx480 "${args[@]}" --plot plots -o page.html >/dev/null || complain "report run fails"
else
    "$ONCHIP" report run --gpu gtx480 "${args[@]}" --no-figures -o page.html >/dev/null || complain "report run fails"
fi
python3 - <<'PYTHON' || bad=1
import csv, json, os, xml.etree.ElementTree as tree
kernels = json.load(open("run.json"))["kernels"]
space = "{http://www.w3.org/1999/xhtml}"
figures = {f.get("id"): f for f in tree.parse("page.html").getroot().iter(space + "figure")}
def table(name):
    text = figures[name].find(f".//{space}pre").text
    if os.path.exists("plots"): assert open(f"plots/{name}.csv", newline="").read().split() == text.split(), name
    rows = list(csv.reader(text.splitlines()))
    return {r[0]: dict(zip(rows[0], r)) for r in rows[1:]}
def near(got, want, what):
    assert abs(float(got) - want) <= 1e-6 * abs(want), (what, got, want)
some = 0
for k in kernels:
    c, cycles = k["counters"], k["cycles"]
    chart = table(k["name"].replace("_", "-") + "-memory-chart")
    near(chart["registers"]["requests"], c["warp_instructions"], "instructions")
    dram = c["dram.read_bytes"] + c["dram.write_bytes"]
    for part, column, want in (
            ("L1", "requests", c["l1.accesses"]), ("L1", "hits, in %", 100 * c["l1.hits"] / c["l1.accesses"]),
            ("L1", "bytes", 32 * (c["global.load_sectors"] + c["global.store_sectors"])),
            ("L1", "of its peak, in %", 100 * (c["l1.accesses"] + c["l1.bypasses"]) / (15 * cycles)),
            ("link, out", "bytes", c["link.bytes_out"]), ("link, in", "requests", c["link.replies"]),
            ("L2", "requests", c["l2.accesses"]), ("L2", "hits, in %", 100 * c["l2.hits"] / c["l2.accesses"]),
            ("DRAM", "bytes", dram), ("DRAM", "of its peak, in %", 100 * dram * 700e6 / (177e9 * cycles))):
        near(chart[part][column], want, (part, column))
    for name, counter in {"a free MSHR": "l1.refused_mshr", "a way of the set": "l1.refused_set"}.items():
        share = c[counter] / c["sm.active"]
        if share >= 0.005: near(chart["L1"][name + ", in % of the SMs' time"], 100 * share, name); some += 1
assert some, "nothing waits: take another workload"
roof = table("atax-roofline")
for k in kernels:
    n, row, seconds = k["counters"], roof[k["name"]], k["cycles"] / 700e6
    near(row["G warp instructions/s"], n["warp_instructions"] / seconds / 1e9, "reached")
    near(row["L1, instructions a transaction"],
         n["warp_instructions"] / (n["l1.accesses"] + n["l1.bypasses"]), "L1")
    near(row["L2, instructions a transaction"], n["warp_instructions"] / n["l2.accesses"], "L2")
    near(row["DRAM, instructions a transaction"],
         32 * n["warp_instructions"] / (n["dram.read_bytes"] + n["dram.write_bytes"]), "DRAM")
    near(row["L1, G transactions/s"], 15 * 0.7, "the L1's ceiling")
    near(row["DRAM, G transactions/s"], 177 / 32, "DRAM's ceiling")
    near(row["issue, G slots/s"], 15 * 0.7 * 2, "the issue's ceiling")
svg = "{http://www.w3.org/2000/svg}"
for name in ("atax-kernel1-memory-chart", "atax-roofline") if os.path.exists("plots") else ():
    drawn = figures[name].find(svg + "svg")
    alone = tree.parse(f"plots/{name}.svg").getroot()
    words = lambda root: [t.text for t in root.iter(svg + "text")]
    assert words(drawn) and words(drawn) == words(alone), name
    assert not os.path.exists(f"plots/{name}.gp"), "gnuplot doesn't draw it"
PYTHON
exit $bad
