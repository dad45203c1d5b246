#!/bin/bash
# doc/use/results.md: its commands, queries and program work on a store as a sweep makes it. doc/reference/store.md
# names every field of the JSON; the CSV says the same.
set -euo pipefail
command -v sqlite3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/lab/store.bash"
page=$ONCHIP_SOURCE/doc/use/results.md

# The commands of the first ```console block.
onchip() { "$ONCHIP" "$@"; }
awk '/^```console$/ { on = 1; next } /^```$/ { if (on) exit } on && sub(/^\$ /, "")' "$page" >commands
(($(wc -l <commands) == 6)) || complain "the page's commands aren't found"
while IFS= read -r command; do
    eval "$command" >out 2>&1 </dev/null || complain "$command: $(cat out)"
    [[ -s out || $command == *" -o "* ]] || complain "$command prints nothing"
done <commands

# The queries.
awk '/^```sql$/ { on = 1; n++; next } /^```$/ { on = 0 } on { print >("query" n) }' "$page"
for query in query?; do
    sqlite3 -readonly -batch results.db <"$query" >out 2>&1 || complain "$query: $(cat out)"
    (($(wc -l <out) > 3)) || complain "$query gives no rows: $(cat out)"
done
# Of the first, by hand: a larger L1 never costs cycles here, so that each program's smaller one comes first.
sqlite3 -readonly -batch results.db <query1 >out
[[ $(cut -d '|' -f 1,3 out | head -n 2 | tr '\n' ' ') == "atax|16KiB atax|32KiB " ]] || complain "query 1: $(cat out)"

if python3 -c 'import pandas' 2>/dev/null; then
    awk '/^```python$/ { on = 1; next } /^```$/ { on = 0 } on' "$page" >query.py
    python3 query.py >out 2>&1 && grep -q '^atax' out || complain "the program with pandas: $(cat out)"
fi

# Every field of the JSON is in store.md, in counters.md or one of `onchip list fields`.
"$ONCHIP" sweep --gpu gtx480 --program vectoradd --size small --interval 100 --db results.db >/dev/null
"$ONCHIP" export >/dev/null 2>&1 && complain "export is a command of db"
"$ONCHIP" db export --json --db results.db -o all.json
"$ONCHIP" db compare --by l1.size=16KiB,32KiB --json --db results.db >compare.json
cp results.db before.db
sqlite3 before.db "UPDATE counter SET value = value + 1 WHERE name = 'l1.hits'"
restamp before.db
"$ONCHIP" db compare --against before.db --json --db results.db >against.json &&
    complain "a counter that differs isn't found"
"$ONCHIP" list fields >fields
for field in $(sed '/"settings": {/,/}/d' all.json compare.json against.json | grep -oE '^ *"[a-z0-9_.]+":' |
    tr -d ' ":' | sort -u); do
    grep -qF "\`$field\`" "$ONCHIP_SOURCE"/doc/reference/{store,counters}.md ||
        grep -q "^db-compare .*\b$field " fields || complain "doc/reference/store.md lacks $field"
done

# JSON and CSV as other programs read them, against the tables.
if command -v python3 >/dev/null; then
    python3 - <<'PY' || bad=1
import csv, json, sqlite3
store = sqlite3.connect("results.db")
runs = {r["key"]: r for r in json.load(open("all.json"))["runs"]}
assert sorted(runs) == [k for (k,) in store.execute("SELECT key FROM run ORDER BY key")]
n = 0
for key, kernel, name, value in store.execute(
        """SELECT key, k.name, c.name, value FROM run r JOIN kernel k ON k.run_id = r.id
            JOIN counter c ON c.kernel_id = k.id"""):
    (k,) = [k for k in runs[key]["kernels"] if k["name"] == kernel]
    assert k["counters"][name] == value
    n += 1
assert n > 500
# The other tables column by column: of a run (but its number), of its kernels and of their data structures.
def table(name, where=""):
    q = store.execute(f"SELECT * FROM {name} {where}")
    return [dict(zip([c[0] for c in q.description], row)) for row in q]
def same(got, want):
    return all(got[c] == (bool(v) if c in ("verified", "functional", "partial") else v) for c, v in want.items())
for run in table("run"):
    number, got = run.pop("id"), runs[run["key"]]
    assert same(got, run) and got["verified"] is True
    assert got["settings"] == dict(store.execute("SELECT name, value FROM setting WHERE run_id = ?", (number,)))
    for want in table("kernel", f"WHERE run_id = {number}"):
        of_kernel, _ = want.pop("id"), want.pop("run_id")
        (kernel,) = [k for k in got["kernels"] if k["name"] == want["name"]]
        sizes = {c: [int(n) for n in want.pop(c).split(",")] for c in ("grid", "block")}
        assert same(kernel, want) and same(kernel, sizes)
        assert kernel["rates"] == dict(store.execute("SELECT name, value FROM rate WHERE kernel_id = ?", (of_kernel,)))
        structures = table("structure", f"WHERE kernel_id = {of_kernel} ORDER BY name")
        assert len(structures) == len(kernel["structures"]) > 0
        for s, t in zip(structures, kernel["structures"]):
            del s["kernel_id"]
            assert same(t, s)
        for name in kernel.get("series", {}):
            assert kernel["series"][name] == [v for (v,) in store.execute(
                "SELECT value FROM sample WHERE kernel_id = ? AND name = ? ORDER BY number", (of_kernel, name))]
assert max(len(s) for r in runs.values() for k in r["kernels"] for s in k.get("series", {}).values()) > 1
import subprocess, os
text = subprocess.run([os.environ["ONCHIP"], "db", "export", "--db", "results.db"],
                      capture_output=True, check=True).stdout.decode()
assert text.count("\r\n") == text.count("\n")
rows = list(csv.DictReader(text.splitlines()))
assert len(rows) == sum(len(r["kernels"]) for r in runs.values())
for row in rows:
    (k,) = [k for k in runs[row["key"]]["kernels"] if k["name"] == row["kernel"]]
    assert row["grid"] == ",".join(map(str, k["grid"]))
    assert all(int(row[c]) == v for c, v in k["counters"].items())
    assert all(float(row[c]) == v for c, v in k["rates"].items())
    assert all(row[s] == v for s, v in runs[row["key"]]["settings"].items())
PY
fi
exit $bad
