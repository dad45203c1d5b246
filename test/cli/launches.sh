#!/bin/bash
# Launches of one kernel are summed alike in the terminal's table and in the store: data structures by name, also where
# a launch gets as its first parameter what the launch before got as its second (hotspot's two buffers change places).
# What they must be is added up here from the launches one by one, as --json gives them.
source test/cli/expect.bash
python3 -c 'import sqlite3' 2>/dev/null || exit 77
workload='hotspot n=50 steps=3 pyramid=2'
"$onchip" run $workload --json >"$work/run.json"
"$onchip" run $workload >"$work/run.txt"
"$onchip" sweep --program "$workload" --db "$work/store.db" >/dev/null 2>&1
python3 - "$work" <<'PYTHON' || complain "the sums differ"
import json, sqlite3, sys
work = sys.argv[1]
launches = json.load(open(work + "/run.json"))["kernels"]
assert len(launches) == 2 and len({k["name"] for k in launches}) == 1
fields = ["loads", "stores", "atomics", "transactions", "sectors", "l1_accesses", "l1_hits", "dram_bytes"]
want = {}
for s in [s for k in launches for s in k["structures"]]:
    sums = want.setdefault(s["name"], [0] * len(fields))
    for n, field in enumerate(fields): sums[n] += s[field]
# Each of the two buffers is read by one launch and written by the other; both read all of power.
assert set(want) == {"power", "temp", "next"} and all(want[name][0] and want[name][1] for name in ("temp", "next"))
assert want["temp"][0] + want["next"][0] == want["power"][0] and want["power"][1] == 0

db = sqlite3.connect(work + "/store.db")
stored = {row[0]: list(row[1:]) for row in db.execute(f"SELECT name, {', '.join(fields)} FROM structure")}
assert stored == want, (stored, want)

dram = sum(k["counters"][name] for k in launches for name in ("dram.read_bytes", "dram.write_bytes"))
rows = [line.split() for line in open(work + "/run.txt") if line.startswith("  ") and line.split()[0] in want]
assert len(rows) == 3
for name, loads, stores, each, accesses, hits, _, share, _ in rows:
    w = dict(zip(fields, want[name]))
    assert (int(loads), int(stores), int(accesses)) == (w["loads"], w["stores"], w["l1_accesses"])
    assert each == f"{w['sectors'] / (w['loads'] + w['stores']):.2f}"
    assert float(hits) == round(100 * w["l1_hits"] / w["l1_accesses"], 1)
    assert float(share) == round(100 * w["dram_bytes"] / dram, 1)
PYTHON
exit $bad
