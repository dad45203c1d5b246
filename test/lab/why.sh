#!/bin/bash
# --why in sweep and report run: the store and the page have for each data structure what onchip run --why counts,
# summed over the kernels. A run with it is another run than the one without.
set -uo pipefail
[[ -e $ONCHIP && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
python3 -c 'import sqlite3' 2>/dev/null || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work"
"$ONCHIP" sweep atax nx=128 ny=128 --why --db runs.db >/dev/null || complain "sweep --why fails"
grep -q '1 simulated' <<<"$("$ONCHIP" sweep atax nx=128 ny=128 --db runs.db)" || 
    complain "a run without --why is taken for one"
grep -q '1 in the store' <<<"$("$ONCHIP" sweep atax nx=128 ny=128 --why --db runs.db)" || complain "the run isn't found"
"$ONCHIP" run atax nx=128 ny=128 --why --json >run.json
"$ONCHIP" report run atax nx=128 ny=128 --why --no-figures -o page.html >/dev/null || complain "report run --why fails"
python3 - <<'PYTHON' || bad=1
import collections, csv, json, re, sqlite3, sys, xml.etree.ElementTree as tree
want = collections.Counter()
for kernel in json.load(open("run.json"))["kernels"]:
    for s in kernel["structures"]:
        for name in ("served", "first_touch", "capacity", "conflict", "dropped"):
            if "why" in s: want[s["name"], name] += s["why"][name]
got = {}
for name, value in sqlite3.connect("runs.db").execute("SELECT name, value FROM measure WHERE name LIKE 'why.%'"):
    part = re.fullmatch(r"why\.(\w+)\[structure=(.*)\]", name)
    got[part[2], part[1]] = value
pairs = {k: v for k, v in want.items() if v or k in got}
assert pairs and all(abs(got.get(k, 0) - v) < 1e-6 for k, v in pairs.items()), (pairs, got)
assert sum(v for (s, n), v in want.items() if n != "served") > 0
# The page has them for each kernel alone: a figure of sums would hide which kernel's loads miss.
page = tree.parse("page.html").getroot()
space = "{http://www.w3.org/1999/xhtml}"
figures = {f.get("id"): f.find(f".//{space}pre").text for f in page.iter(space + "figure")}
names = ("served", "first_touch", "capacity", "conflict", "dropped")
kernels = json.load(open("run.json"))["kernels"]
assert len(kernels) == 2
for kernel in kernels:
    lines = list(csv.reader(figures[kernel["name"].replace("_", "-") + "-why-loads-miss"].splitlines()))
    assert lines[0] == ["data structure", "served", "first touch", "capacity", "conflict", "dropped"], lines[0]
    own = {s["name"]: s["why"] for s in kernel["structures"] if s.get("why", {}).get("loads")}
    assert own and {l[0] for l in lines[1:] if any(l[1:])} == set(own), (lines, own)
    for line in lines[1:]:
        for name, value in zip(names, line[1:]):
            assert not value or abs(float(value) - own[line[0]][name]) < 1e-6, (line, name)
assert not any("atax-why" in name for name in figures), figures.keys()
PYTHON
exit $bad
