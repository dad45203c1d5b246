#!/bin/bash
# onchip report: the page is well-formed and needs nothing from elsewhere; its numbers are those of the store, read with
# another program; issue slots add up to 100 %; the figures' files make the same figures by hand; mistakes are told.
set -euo pipefail
command -v gnuplot >/dev/null && python3 -c 'import sqlite3' 2>/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# A store has the runs in the order in which they ended; with one job that is the order of the matrix.
"$ONCHIP" sweep --gpu gtx480 --program 'atax nx=64 ny=64,syrk n=32' --set l1.size=16KiB,8KiB --sched gto,lrr --jobs 1 \
    --db store.db >/dev/null
"$ONCHIP" sweep --gpu gtx480 --program 'syrk n=32' --max-cycles 500 --interval 100 --db store.db >/dev/null
"$ONCHIP" report --db store.db --plot plots -o page.html >/dev/null

python3 - page.html store.db plots <<'PYTHON'
import csv, glob, html.parser, re, sqlite3, sys, xml.etree.ElementTree as tree
page, store, plots = sys.argv[1:]
text = open(page, encoding="utf-8").read()
root = tree.fromstring(text)
namespace = "{http://www.w3.org/1999/xhtml}"

# HTML's own rules: what is opened is closed. And nothing is fetched.
class Checker(html.parser.HTMLParser):
    stack = []
    ids = set()
    def handle_startendtag(self, tag, attributes): self.look(attributes)
    def handle_starttag(self, tag, attributes):
        self.stack.append(tag)
        self.look(attributes)
    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop() == tag, (tag, self.getpos())
    def look(self, attributes):
        for name, value in attributes:
            if name == "id":
                assert value not in self.ids, value
                self.ids.add(value)
            assert name not in ("src", "srcset", "data", "action", "onload", "onclick"), (name, value)
            assert "href" not in name or value.startswith("#"), (name, value)
checker = Checker()
checker.feed(text)
assert not checker.stack
for link in root.iter(namespace + "a"): assert link.get("href")[1:] in checker.ids
style = root.find(f".//{namespace}style").text
assert "url(" not in style and "@import" not in style

# The table of runs against the store.
db = sqlite3.connect(store)
table = root.find(f".//{namespace}table[@id='table-runs']")
names = ["".join(cell.itertext()) for cell in table.find(f"{namespace}thead/{namespace}tr")]
value = lambda cell: cell.get("data-v") or "".join(cell.itertext())
rows = [dict(zip(names, map(value, row))) for row in table.find(f"{namespace}tbody")]
assert len(rows) == db.execute("SELECT count(*) FROM run").fetchone()[0] == 9
total = "SELECT sum(c.value) FROM counter c JOIN kernel k ON k.id = c.kernel_id WHERE k.run_id = ? AND c.name = ?"
for row in rows:
    run, program, params, cycles = db.execute("SELECT id, program, params, cycles FROM run WHERE key = ?",
                                              (row["key"],)).fetchone()
    assert (row["program"], row["parameters"], int(row["cycles"])) == (program, params, cycles)
    count = lambda name: db.execute(total, (run, name)).fetchone()[0]
    assert int(row["DRAM bytes read"]) == count("dram.read_bytes")
    assert abs(float(row["L1 hits"]) - count("l1.hits") / count("l1.accesses")) < 1e-12
    assert abs(float(row["IPC"]) - count("warp_instructions") / count("cycles")) < 1e-12
# Every kernel's rates and every data structure.
def table_rows(prefix):
    for t in root.iter(namespace + "table"):
        if not t.get("id").startswith(prefix): continue
        names = ["".join(cell.itertext()) for cell in t.find(f"{namespace}thead/{namespace}tr")]
        for row in t.find(f"{namespace}tbody"): yield dict(zip(names, map(value, row)))
kernels = list(table_rows("table-kernels"))
assert len(kernels) == db.execute("SELECT count(*) FROM kernel").fetchone()[0]
rates = set(db.execute("SELECT k.name, r.value FROM rate r JOIN kernel k ON k.id = r.kernel_id"))
for row in kernels:
    assert (row["kernel"], float(row["L1 hits"])) in rates and (row["kernel"], float(row["DRAM GB/s"])) in rates
structures = list(table_rows("table-structures"))
assert sorted(int(r["sectors"]) for r in structures) == sorted(x for x, in db.execute("SELECT sectors FROM structure"))

# Figures come first, the table of all runs last; no two figures share a title.
order = [e.get("id") for e in root.iter() if e.tag == namespace + "figure" or e.get("id") == "table-runs"]
assert order[-1] == "table-runs" and len(order) > 5, order
titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
assert len(titles) == len(set(titles)) == len(order) - 1, sorted(titles)

# No figure adds kernels up. Each kernel of the run that others are compared with, the fastest, has its data structures
# and its memory chart.
def numbers(name): return list(csv.reader(open(f"{plots}/{name}.csv", newline="", encoding="utf-8")))
of_base = "r.program = 'atax' AND r.overrides = 'l1.size=16KiB sched.policy=gto' AND k.name = ?"
def of_kernel(name, counter, where=of_base):
    return db.execute(f"""SELECT c.value FROM counter c JOIN kernel k ON c.kernel_id = k.id JOIN run r ON
        r.id = k.run_id WHERE c.name = ? AND {where}""", (counter, name)).fetchone()[0]
for kernel in ("atax_kernel1", "atax_kernel2"):
    prefix = "atax-" + kernel.replace("_", "-")
    lines = numbers(prefix + "-data-structures-16kib-gto")
    assert lines[0] == ["data structure", "hits", "misses", "DRAM"], lines[0]
    want = db.execute(f"""SELECT s.name, s.l1_hits, s.l1_accesses - s.l1_hits FROM structure s JOIN kernel k ON
        k.id = s.kernel_id JOIN run r ON r.id = k.run_id WHERE {of_base} ORDER BY s.l1_accesses DESC, s.name""",
        (kernel,)).fetchall()
    assert [(l[0], int(l[1]), int(l[2])) for l in lines[1:]] == want, (lines, want)
    chart = {l[0]: l[1] for l in numbers(prefix + "-16kib-gto-memory-chart")[1:]}
    assert int(chart["registers"]) == of_kernel(kernel, "warp_instructions"), chart
    assert int(chart["L1"]) == of_kernel(kernel, "l1.accesses"), chart
    for line in numbers(prefix + "-issue-slots")[1:]:
        if line[0] != "16KiB, gto": continue
        want = 100 * of_kernel(kernel, "issue.issued") / of_kernel(kernel, "issue.slots")
        assert abs(float(line[1]) - want) < 1e-9, (line, want)
assert not [n for n in glob.glob(plots + "/atax-*") if re.search(r"/atax-(issue|bytes|data|l1|16kib-gto-memory)", n)]
lines = numbers("l1-hit-rate-of-each-kernel-against-l1-size")
assert lines[0] == ["l1.size", "atax_kernel1", "atax_kernel2", "syrk_kernel"], lines
for line in lines[1:]:
    size = "8KiB" if line[0] == "8192" else "16KiB"
    where = f"r.program = 'atax' AND r.overrides = 'l1.size={size} sched.policy=gto' AND k.name = ?"
    want = 100 * of_kernel("atax_kernel1", "l1.hits", where) / of_kernel("atax_kernel1", "l1.accesses", where)
    assert abs(float(line[1]) - want) < 1e-9, (line, want)

# Issue slots.
stacks = glob.glob(plots + "/*issue-slots*.csv")
assert len(stacks) == 4, stacks  # each kernel; over both programs, the base's settings, which are the fastest
for path in stacks:
    lines = list(csv.reader(open(path, newline="", encoding="utf-8")))
    assert len(lines) > 1
    for line in lines[1:]: assert abs(sum(map(float, line[1:])) - 100) < 1e-9, (path, line)
# Relative cycles, by hand. The baseline is what gtx480 has by itself, an L1 of 16 KiB and gto; rows go upwards.
cycles = dict(((p, o), c) for p, o, c in db.execute("SELECT program, overrides, cycles FROM run WHERE options = ''"))
lines = list(csv.reader(open(plots + "/atax-cycles-relative-to-16kib-gto.csv", newline="")))
assert lines[0] == ["l1.size", "gto", "lrr"] and [line[0] for line in lines[1:]] == ["8KiB", "16KiB"]
for line in lines[1:]:
    for policy, got in zip(lines[0][1:], line[1:]):
        want = cycles["atax", f"l1.size={line[0]} sched.policy={policy}"]
        want /= cycles["atax", "l1.size=16KiB sched.policy=gto"]
        assert abs(float(got) - want) < 1e-12
# The time series ends with the run, and its mean is the run's.
series = glob.glob(plots + "/syrk-syrk-kernel-ipc-over-time.csv")
assert series, glob.glob(plots + "/*")
# Every figure's numbers are in the page.
pages = [pre.text for pre in root.iter(namespace + "pre")]
for path in glob.glob(plots + "/*.csv"):
    assert open(path, encoding="utf-8").read() in pages, path
figures = [f.get("id") for f in root.iter(namespace + "figure")]
assert all(len(glob.glob(f"{plots}/*.{kind}")) == len(figures) for kind in ("csv", "svg"))
ours = [f for f in figures if re.search("-(memory-chart|roofline)(-[0-9]+)?$", f)]  # gnuplot draws the others
assert ours and len(glob.glob(plots + "/*.gp")) == len(figures) - len(ours), figures
for path in glob.glob(plots + "/*.svg"): tree.parse(path)
PYTHON

# The answer: the settings with the least geometric mean of relative cycles, and of each workload the fastest, with the
# misses of its worst array. The run that was ended after 500 cycles is no faster for that.
"$ONCHIP" report --db store.db --no-figures --baseline l1.size=8KiB -o answer.html >/dev/null
python3 - answer.html store.db <<'PYTHON'
import sqlite3, sys, xml.etree.ElementTree as tree
page, store = sys.argv[1:]
root, namespace, db = tree.parse(page).getroot(), "{http://www.w3.org/1999/xhtml}", sqlite3.connect(store)
runs = {(p, o): c for p, o, c in db.execute("SELECT program, overrides, cycles FROM run WHERE options = ''")}
settings, base = sorted({o for _, o in runs}), "l1.size=8KiB sched.policy=gto"
of_base = lambda program, o: runs[program, o] / runs[program, base]
mean = lambda o: (of_base("atax", o) * of_base("syrk", o)) ** 0.5
best = min(settings, key=mean)
answer = "".join(root.find(f".//{namespace}p[@class='answer']").itertext())
want = f"{100 * (1 - mean(best)):.3g} % fewer cycles" if best != base else "Nothing is faster"
assert want in answer, (want, answer)
for word in best.replace("=", " = ").split(" sched"): assert word in answer, (word, answer)
table = root.find(f".//{namespace}table[@id='table-answers']")
names = ["".join(cell.itertext()) for cell in table.find(f"{namespace}thead/{namespace}tr")]
value = lambda cell: cell.get("data-v") or "".join(cell.itertext())
rows = [dict(zip(names, map(value, row))) for row in table.find(f"{namespace}tbody")]
assert sorted(r["workload"] for r in rows) == ["atax", "syrk"], rows
for r in rows:
    assert abs(float(r["of the base's cycles"]) - min(of_base(r["workload"], o) for o in settings)) < 1e-12, r
    arrays = db.execute("SELECT sum(l1_accesses - l1_hits) FROM structure s JOIN kernel k ON k.id = kernel_id JOIN run "
                        "ON run.id = run_id WHERE program = ? AND overrides = ? GROUP BY s.name", (r["workload"], base))
    assert int(r["misses, base"]) == max(arrays)[0], r
PYTHON

# By hand the scripts draw the same lines and texts. The program's pictures have colours for light and dark besides.
drawn() { grep -oE '<text>[^<]*|<tspan[^>]*>[^<]*| d=.[^"]*|points = "[^"]*"' "$1" | sed "/ d='/d"; }
cp -r plots again
rm again/*.svg
for script in plots/*.gp; do
    name=$(basename "$script" .gp)
    (cd again && gnuplot "$name.gp" 2>/dev/null)
    cmp <(drawn "plots/$name.svg") <(drawn "again/$name.svg")
    (($(drawn "plots/$name.svg" | wc -l) > 8))
    grep -q 'prefers-color-scheme: dark' "plots/$name.svg" && ! grep -q 'rgb(' "plots/$name.svg"
done

# The page depends on the store alone.
"$ONCHIP" report --db store.db -o - >again.html
cmp page.html again.html

# Without gnuplot: the error says so, and how to do without.
mkdir bare
! PATH=$folder/bare "$ONCHIP" report --db store.db 2>error
grep -q "gnuplot isn't installed" error && grep -q '^hint: .*--no-figures' error
PATH=$folder/bare "$ONCHIP" report --db store.db --no-figures >/dev/null
[[ -s report.html ]] && ! grep -q '<svg' report.html && grep -q atax-atax-kernel1-issue-slots.csv report.html

# One program, and runs made for the report.
grep -q '^one.html: 5 runs' <<<"$("$ONCHIP" report --db store.db --program syrk --no-figures -o one.html)"
! grep -q atax one.html
two=$("$ONCHIP" report run --gpu gtx480 atax nx=32 ny=32 --set l1.size=8KiB,16KiB --interval 500 -o two.html)
grep -q '^two.html: 2 runs' <<<"$two"
grep -q 'IPC over time' two.html

# GPUs of different clocks are compared by time, cycles over the description's clock, with the first that was given and
# not with the alphabet's; the heading names both. Keys have their own values as the baseline.
gpus=titan_black,gtx480
"$ONCHIP" report run atax nx=64 ny=64 --gpu $gpus --plot clocks -o clocks.html >/dev/null
"$ONCHIP" sweep --program 'atax nx=64 ny=64' --gpu $gpus --db clocks.db >/dev/null
for gpu in gtx480 titan_black; do "$ONCHIP" show gpu $gpu >$gpu.txt; done
python3 - clocks.html clocks.db clocks <<'PYTHON'
import csv, re, sqlite3, sys, xml.etree.ElementTree as tree
page, store, plots = sys.argv[1:]
cycles = dict(sqlite3.connect(store).execute("SELECT gpu, cycles FROM run"))
clock = {gpu: float(re.search(r"\[gpu\][^[]*?\nclock *= *([0-9.]+)", open(gpu + ".txt").read())[1]) for gpu in cycles}
want = (cycles["gtx480"] / clock["gtx480"]) / (cycles["titan_black"] / clock["titan_black"])
assert abs(want / (cycles["gtx480"] / cycles["titan_black"]) - 1) > 0.1, "the clocks are too near to tell"
lines = list(csv.reader(open(plots + "/atax-simulated-time-relative-to-titan-black.csv", newline="")))
assert [line[0] for line in lines] == ["gpu", "gtx480"]  # the baseline is a line at 1
assert abs(float(lines[1][1]) / want - 1) < 1e-9, (lines, want)
text = open(page, encoding="utf-8").read()
assert "On titan_black and gtx480" in text
first = cycles["titan_black"]
assert f"1 is {first} cycles, {first / clock['titan_black']:.4g} µs on titan_black" in text
PYTHON

# A long text gives way to the numbers behind it, and is there whole.
"$ONCHIP" sweep --gpu gtx480 --program 'atax nx=32 ny=32' --set dram.simple=yes --set sched.policy=gto \
    --set l1.merges=9 \
    --set l2.merges=9 --db long.db >/dev/null
"$ONCHIP" report --db long.db --no-figures -o long.html >/dev/null
settings='dram.simple=yes sched.policy=gto l1.merges=9 l2.merges=9'
grep -qF "<td class=\"cut\" title=\"$settings\">$settings</td>" long.html

# Names that are no names, and mistakes.
cat >'<b>&"x.ini' <<'INI'
[gpu]
base = gtx480
INI
"$ONCHIP" report run saxpy n=64 --gpu '<b>&"x.ini' --no-figures -o - >odd.html
python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' odd.html
! "$ONCHIP" report --db none.db 2>error
grep -q '^hint:' error && [[ ! -e none.db ]]
! "$ONCHIP" report --db store.db --program bicg 2>error
grep -q 'has no runs of these programs' error && grep -q '^hint:' error
! "$ONCHIP" report --set l1.size=8KiB --db store.db 2>error
grep -q 'is an option of onchip report run' error
! "$ONCHIP" report run atax --db store.db 2>error
grep -q -e '--db is an option of' error
! "$ONCHIP" report run atax nx=0 2>error
grep -q 'nx' error

# A description that changed under its name: both runs are there, told apart by their keys. Kernels without time.
for size in 8 16; do
    printf '[gpu]\nbase = gtx480\n[l1]\nsize = %sKiB\n' $size >mine.ini
    "$ONCHIP" sweep --program 'atax nx=32 ny=32' --gpu mine.ini --kernels kernel1 --db mine.db >/dev/null
done
"$ONCHIP" report --db mine.db --plot mine -o mine.html >/dev/null
(($(wc -l <mine/atax-bytes-moved.csv) == 3)) && grep -q '^key,' mine/atax-bytes-moved.csv
grep -q 'without time' mine.html

# Names are strangers': gnuplot takes none for a format, a comment, an option or a command, and shows each as it is.
cat >store.ptx <<'PTX'
.version 7.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %a;
    ld.param.u64 %a, [p];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%a], %r1;
    ret;
}
PTX
"$ONCHIP" sweep --gpu gtx480 --program store.ptx --set args=buf:4KiB --set grid=1,2,3,4,5,6,7,8 --db names.db >/dev/null
python3 - names.db <<'PYTHON'
import sqlite3, sys
names = ["%d.ptx", "%s%n%%%.ptx", "#`touch ran`.ptx", "$(touch ran)'q'.ptx", "a\\b\\", "${x}_y^z@w&v~u", "two\nlines",
         "%" + 300 * "ü"]
db = sqlite3.connect(sys.argv[1])
for name, (run,) in zip(names, db.execute("SELECT id FROM run ORDER BY id").fetchall()):
    db.execute("UPDATE run SET program = ?, params = 'grid=1' WHERE id = ?", (name, run))
    db.execute("UPDATE setting SET value = '1' WHERE run_id = ? AND name = 'grid'", (run,))
# A store of version 1, whose runs get checksums as they are now.
for table in "checksum", "line", "source", "said", "why":
    db.execute("DROP TABLE " + table)
db.execute("PRAGMA user_version = 1")
db.commit()
PYTHON
"$ONCHIP" report --db names.db --plot names -o names.html >/dev/null
[[ ! -e ran && ! -e names/ran ]]
python3 - names.html names <<'PYTHON'
import sys, xml.etree.ElementTree as tree
page, plots = sys.argv[1:]
tree.parse(page)
drawing = tree.parse(plots + "/all-workloads-issue-slots.svg").getroot()
shown = {"".join(e.itertext()) for e in drawing.iter() if e.tag.endswith("}text")}
for name in ["%d.ptx", "%s%n%%%.ptx", "#`touch ran`.ptx", "$(touch ran)'q'.ptx", "a\\b\\", "${x}_y^z@w&v~u",
             "two lines", "%" + 10 * "ü" + "…" + 10 * "ü"]:
    assert name in shown, (name, shown)
issued = next(e for e in drawing.iter() if e.get("id") == "gnuplot_plot_1")
assert sum(e.tag.endswith("}polygon") for e in issued.iter()) == 8 + 1, "a bar for each program, and one of the key"
PYTHON

# A baseline with a comma, among blocks of two dimensions.
"$ONCHIP" sweep --gpu gtx480 store.ptx "block={32,8},{16,16},{8,32}" --arg buf:4KiB --db blocks.db >/dev/null
for block in 32,8 16,16; do
    "$ONCHIP" report --no-figures --db blocks.db --baseline "gpu=gtx480,block={$block}" -o blocks.html >/dev/null
    grep -q "cycles relative to $block<" blocks.html || { echo "the baseline isn't $block" >&2; exit 1; }
done

# Kernels' names of thousands of letters: the page shows both, shortened and apart.
"$ONCHIP" show ptx vectoradd >add.ptx
name=$(sed -n 's/^\.visible \.entry \([A-Za-z0-9_]*\).*/\1/p' add.ptx | head -n 1)
long=k$(printf 'x%.0s' {1..1500}) rest=$(printf 'y%.0s' {1..1500})
for n in 1 2; do sed "s/entry $name/entry $long$n$rest/" add.ptx >long$n.ptx; done
"$ONCHIP" report run --gpu gtx480 long1.ptx,long2.ptx --arg i32:32 --arg buf:128 --arg buf:128 \
    --arg buf:128 -o long.html >/dev/null
if grep -q "$long" long.html; then echo "a kernel's name of 3,000 letters is whole" >&2 && exit 1; fi
(($(grep -o '<td[^>]*>kx*…[^<"]*' long.html | sort -u | wc -l) == 2)) ||
    { echo "two kernels look the same" >&2; exit 1; }
