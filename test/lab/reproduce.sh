#!/bin/bash
# onchip reproduce on figures whose values are known by hand: formulas over the runs' own parameters, so that no model
# is in them. Also its errors, and that a second call simulates nothing.
set -euo pipefail
source "$ONCHIP_SOURCE/test/lab/figure.bash"

# Every run a point; series in the order of the matrix; a baseline on the series, a geometric mean over x.
figure plain <<'INI'
[figure]
title = n over n
x = n
series = l1.size
y = n * l1.size / 1024
baseline = l1.size=16KiB
summary = geometric
[matrix]
program = vectoradd
n = 64, 128
l1.size = 16KiB, 32KiB, 64KiB
gpu = gtx480
[theirs 32KiB]
64 = 2
128 = 4 ± 50 %
[theirs 64KiB]
64 = 5 ± 1
128 = 5
INI
expect plain '"16KiB","64",1,,' '"16KiB","128",1,,' '"16KiB","geomean",1,,' \
    '"32KiB","64",2,2,0.2' '"32KiB","128",2,4,2' '"32KiB","geomean",2,,' \
    '"64KiB","64",4,5,1' '"64KiB","128",4,5,0.5' '"64KiB","geomean",4,,'
grep -q '3 of 4 values within their tolerance' <<<"$(reproduce plain)" || complain "plain: 3 of 4 are within"
# Differences of 0, −2, −1 and −1: √(6/4), −4/4. The paper's values minus 1 are 1, 3, 4 and 4: √(42/4).
grep -qF 'error over 4 cells: 1.22 (root mean square), -1 on average, most -2 at 32KiB, 128; 1 everywhere has 3.24' \
    <<<"$(reproduce plain)" || complain "plain: the error over its cells"
grep -q '6 runs, 6 of them in the store already' <<<"$(reproduce plain)" || complain "plain: the runs were stored"
if reproduce plain --strict >/dev/null; then complain "--strict should have failed"; fi

# --page: the same values and quotients, and the figure.
if command -v gnuplot >/dev/null && command -v python3 >/dev/null; then
    reproduce plain --page "$work/page.html" >/dev/null || complain "plain: no page"
    python3 - "$work/page.html" <<'PYTHON' || complain "plain: the page"
import sys, xml.etree.ElementTree as tree
space = "{http://www.w3.org/1999/xhtml}"
root = tree.parse(sys.argv[1]).getroot()
assert root.find(f".//{space}h2").text == "n over n"
rows = {}
for row in root.find(f".//{space}table/{space}tbody"):
    cells = ["".join(c.itertext()) for c in row]
    rows[tuple(cells[:2])] = cells[2:]
assert rows["32KiB", "64"] == ["2", "2", "1.000", "its tolerance"], rows
assert rows["32KiB", "128"] == ["2", "4", "0.500", "its tolerance"], rows
assert rows["64KiB", "128"] == ["4", "5", "0.800", "no"], rows
assert rows["16KiB", "64"] == ["1", "–", "–", "–"], rows
assert len(root.findall(f".//{{http://www.w3.org/2000/svg}}svg")) == 1
assert "4 cells ours are 1.22" in "".join(root.itertext())
PYTHON
fi

# --plot leaves the numbers and a script that draws them.
reproduce plain --plot "$work/plots" >/dev/null 2>&1 || command -v gnuplot >/dev/null &&
    [[ -s $work/plots/paper-plain.svg ]] || ! command -v gnuplot >/dev/null ||
    complain "plain: no figure"
grep -q '^"64KiB",\|64KiB' "$work/plots/paper-plain.csv" || complain "plain: no CSV of the figure"

# The best over a swept key, and a mean over several programs.
figure best <<'INI'
[figure]
title = the n nearest to 100
x = program
y = n
best = min abs(n - 100)
[matrix]
program = vectoradd, saxpy
n = 64, 96, 160
INI
expect best '"","vectoradd",96,,' '"","saxpy",96,,'
figure mean <<'INI'
[figure]
title = a geometric mean
x = n
series = with
y = n * l1.size / 16384
mean = geometric
[matrix small]
program = vectoradd, saxpy
n = 64
with = a: l1.size=16KiB, b: l1.size=64KiB sched=lrr
gpu = gtx480
[paper]
program = vectoradd
n = 128
INI
expect mean '"a","64",64,,' '"b","64",256,,'

# Of sizes, the one that is asked for; [matrix] stands for all others, where there is one.
figure sizes <<'INI'
[figure]
title = sizes
x = n
y = n
[small]
program = vectoradd
n = 64
[medium]
program = vectoradd
n = 128
INI
expect sizes '"","64",64,,'
expect 'sizes --size medium' '"","128",128,,'
[[ $(reproduce sizes --size paper) == *'sizes.ini has no size paper' ]] || complain "a size that there isn't"
! reproduce sizes --size small --size huge >/dev/null 2>&1 || complain "the size huge is taken"

# A measured curve: its places are the points, but for those that `where` keeps out; [values] are points of their own.
# The numbers are the description's: 100 cycles, 10 more for each way.
figure curve <<'INI'
[figure]
title = ways of a stride
kind = curve
axis = linear
x = stride
series = shared.conflict
y = 1 + (shared.stride_cycles - shared.latency_cycles) / shared.conflict_cycles
where = stride=2,10,1,1000
baseline = stride=2
summary = geometric, arithmetic, least, most
[matrix]
measure = shared
gpu = gtx560ti
shared.latency = 100
shared.conflict = 10, 20
[values]
two-ways = shared.ways_cycles[ways=2]
banks = shared.bank_count
[theirs 10]
2 = 2
10 = 3 ± 1
two-ways = 110 ± 0
INI
expect curve '"10","1",0.5,,' '"10","2",1,2,0.2' '"10","10",1,3,1' '"10","two-ways",110,110,0' '"10","banks",32,,' \
    '"10","geomean",0.793700526,,' '"10","mean",0.833333333,,' '"10","least",0.5,,' '"10","most",1,,' \
    '"20","1",0.5,,' '"20","2",1,,' '"20","10",1,,' '"20","two-ways",120,,' '"20","banks",32,,' \
    '"20","geomean",0.793700526,,' '"20","mean",0.833333333,,' '"20","least",0.5,,' '"20","most",1,,'
if command -v gnuplot >/dev/null; then
    reproduce curve --plot "$work/plots" >/dev/null
    [[ -s $work/plots/paper-curve.svg ]] || complain "curve: no figure"
    diff <(printf '%s\r\n' 'stride,10,20,"10, theirs"' 1,0.5,0.5, 2,1,1,2 10,1,1,3) "$work/plots/paper-curve.csv" >&2 ||
        complain "curve: other points are drawn"
    if grep -q logscale "$work/plots/paper-curve.gp"; then complain "curve: the axis should be linear"; fi
fi
# Bars beside which [values] stand.
figure bars <<'INI'
[figure]
title = bars
x = ways
y = shared.ways_cycles
where = ways=1,3
[matrix]
measure = shared
gpu = gtx560ti
[values]
banks = shared.bank_count
INI
expect bars '"","1",50,,' '"","3",124,,' '"","banks",32,,'
if command -v gnuplot >/dev/null; then
    reproduce bars --plot "$work/plots" >/dev/null
    diff <(printf '%s\r\n' ways,ours 1,50 3,124) "$work/plots/paper-bars.csv" >&2 ||
        complain "bars: other points are drawn"
fi
# Ours and theirs on one row: a dot, a ring and a line from the one to the other, which is as long as they differ.
figure dots <<'INI'
[figure]
title = dots
x = data
y = v
[data]
a = v=40
b = v=60
[theirs]
a = 45
INI
if command -v gnuplot >/dev/null; then
    reproduce dots --plot "$work/plots" >/dev/null
    diff <(printf '%s\r\n' data,ours,theirs a,40,45 b,60,) "$work/plots/paper-dots.csv" >&2 ||
        complain "dots: the points"
    for part in 'pt 7' 'pt 6' 'with vectors nohead'; do
        grep -q "$part" "$work/plots/paper-dots.gp" || complain "dots: no $part"
    done
    rows=$(grep -o '(\$0[-+][0-9.]*)' "$work/plots/paper-dots.gp" | sort -u | wc -l)
    [[ $rows == 1 ]] || complain "dots: $rows rows for a point"
fi
# Of [values] alone: a table. What can't be measured is no number.
figure table <<'INI'
[figure]
title = a table
[matrix]
measure = shared
gpu = gtx560ti
shared.conflict = 0
[values]
latency = shared.latency_cycles
banks = shared.bank_count
[theirs]
latency = 50
banks = 32
INI
expect table '"","latency",50,50,5' '"","banks",,32,3.2'
grep -q '^banks *– *32 *outside the tolerance$' <<<"$(reproduce table)" || complain "table: no banks without conflicts"

# Rows of data in place of runs, and several formulas, each a series, one of which another's baseline may be.
figure data <<'INI'
[figure]
title = speed and weight
x = data
baseline = series=weight
[data]
Fiat = kg=1000 hp=50 year=1960
Volvo = kg=2000 hp=300.5
[series]
power = hp
weight = kg / 1000
[theirs power]
Volvo = 150
INI
expect data '"power","Fiat",50,,' '"power","Volvo",150.25,150,15' '"weight","Fiat",1,,' '"weight","Volvo",1,,'
grep -q '^0 runs' <<<"$(reproduce data)" || complain "data: there is nothing to run"
figure columns <<'INI'
[figure]
title = the table's columns are as wide as their names
x = kg
[data]
Fiat = kg=1000 hp=50
[series]
power-in-horses = hp
INI
diff <(printf '%s\n' 'kg    power-in-horses' '1000               50') <(reproduce columns | sed -n 3,4p) >&2 ||
    complain "columns: the table isn't as expected"
figure formulas <<'INI'
[figure]
title = formulas over runs
x = n
[matrix]
program = vectoradd
n = 64, 128
[series]
one = n
two = 2 * n
INI
expect formulas '"one","64",64,,' '"one","128",128,,' '"two","64",128,,' '"two","128",256,,'

# How many data structures the software L1's pass finds in a program's main loops: of two kernels, with 2 and 3, the
# more.
figure structures <<'INI'
[figure]
title = structures
x = program
y = sl1.structures
[matrix]
program = wordcount, affinity
size = small
functional = yes
sl1 = yes
INI
expect structures '"","wordcount",1,,' '"","affinity",3,,'

# Registers that rewriting adds: none where there is no room for a line (kmeans's table leaves 192 bytes), so the
# original ran.
figure registers <<'INI'
[figure]
title = registers
x = program
[matrix]
program = wordcount, kmeans k=720
size = small
gpu = titan_black
functional = yes
sl1 = yes
[series]
structures = sl1.structures
some = min(sl1.registers, 1)
INI
expect registers '"structures","wordcount",1,,' '"structures","kmeans",2,,' '"some","wordcount",1,,' \
    '"some","kmeans",0,,'
# Capability 3.5: 16 blocks an SM, 64 warps.
figure occupancy <<'INI'
[figure]
title = warps that there is room for
x = block
y = occupancy.warps
[matrix]
program = wordcount threads=256 bytes=128
gpu = titan_black
block = 32, 64, 128
INI
expect occupancy '"","32",16,,' '"","64",32,,' '"","128",64,,'

# Errors say where.
figure key <<<$'[figure]\ntitle = t\nx = n\ny = 1\nbaselin = a\n[matrix]\nprogram = vectoradd'
refuse key "key.ini:5:1: error: [figure] has no key 'baselin'"
figure name <<<$'[figure]\ntitle = t\nx = n\ny = l1.hitz\n[matrix]\nprogram = vectoradd\nn = 64'
refuse name "name.ini:4:5: error: y: formula:1:1"
figure several <<<$'[figure]\ntitle = t\nx = n\ny = 1\n[matrix]\nprogram = vectoradd, saxpy\nn = 64'
refuse several "several runs fall on 64"
figure number <<<$'[figure]\ntitle = t\nx = n\ny = 1\n[matrix]\nprogram = vectoradd\nn = 64\n[theirs]\n64 = about 7'
refuse number "number.ini:9:6: error: a number is expected"
figure axis <<<$'[figure]\ntitle = t\nx = m\ny = 1\n[matrix]\nprogram = vectoradd\nn = 64'
refuse axis "no run has 'm'"
figure base <<<$'[figure]\ntitle = t\nx = n\ny = 1\nbaseline = sched=lrr\n[matrix]\nprogram = vectoradd\nn = 64'
refuse base "baseline is a value of x or series"
figure summary <<<$'[figure]\ntitle = t\nx = n\ny = 1\nsummary = least, median\n[matrix]\nprogram = vectoradd\nn = 64'
refuse summary "summary is geometric, arithmetic, least or most, or several of them, not 'median'"
figure place <<<$'[figure]\ntitle = t\nx = stride\ny = shared.ways_cycles\n[matrix]\nmeasure = shared\ngpu = gtx560ti'
refuse place "no run has 'stride'"
figure where <<'INI'
[figure]
title = t
x = ways
y = shared.ways_cycles
where = ways=1,2 way=3
[matrix]
measure = shared
gpu = gtx560ti
INI
refuse where "where.ini:5:9: error: y has no point at way=3; one is at ways=1"
figure log <<<$'[figure]\ntitle = t\nx = n\ny = 1\naxis = log\n[matrix]\nprogram = vectoradd'
refuse log "log.ini:5:8: error: axis is linear"
figure kind <<<$'[figure]\ntitle = t\nx = n\ny = 1\nkind = pie\n[matrix]\nprogram = vectoradd'
refuse kind "kind.ini:5:8: error: kind is bars, curve or heat"
figure bracket <<'INI'
[figure]
title = t
x = gpu
y = shared.ways_cycles[ways=2
[matrix]
measure = shared
gpu = gtx560ti
INI
refuse bracket "'[' without ']'"
figure single <<<$'[figure]\ntitle = t\n[values]\na = 1\nb = shared.bangs\n[matrix]\nmeasure = shared\ngpu = gtx560ti'
refuse single "single.ini:5:5: error: b: formula:1:1"
figure twice <<<$'[figure]\ntitle = t\n[values]\na = 1\n[matrix]\nprogram = vectoradd\nn = 8, 16'
refuse twice "several runs have the value a"
figure neither <<<$'[figure]\ntitle = t\nx = n\n[values]\na = 1\n[matrix]\nprogram = vectoradd'
refuse neither "needs title, x and y, or title and [values]"
figure both <<<$'[figure]\ntitle = t\nx = n\ny = 1\n[series]\na = 1\n[matrix]\nprogram = vectoradd'
refuse both "[series] replaces y and series"
figure runs <<<$'[figure]\ntitle = t\nx = data\ny = kg\n[data]\nA = kg=5\n[matrix]\nprogram = vectoradd'
refuse runs "[data] replaces [matrix]"
figure given <<<$'[figure]\ntitle = t\nx = data\n[data]\nA = kg=5\n[series]\na = cycles'
refuse given "given.ini:7:5: error: a: formula:1:1"
figure empty <<<$'[figure]\ntitle = t\nx = n\ny = 1'
refuse empty "has no [matrix]"
# With `runs` a figure has the runs of another one in its folder.
figure whole <<'INI'
[figure]
title = t
x = n
y = launches
[small]
program = vectoradd
n = 64, 128
[paper]
program = vectoradd
n = 256
INI
figure half <<<$'[figure]\ntitle = t\nx = n\ny = launches / 2\nruns = whole'
expect half '"","64",0.5,,' '"","128",0.5,,'
expect "half --size paper" '"","256",0.5,,'
[[ $(reproduce half --size medium) == *'has no size medium'* ]] || complain "half has no size medium"
figure nobody <<<$'[figure]\ntitle = t\nx = n\ny = 1\nruns = ../paper/whole'
refuse nobody "nobody.ini:5:8: error: there is no figure '../paper/whole'"
figure rows <<<$'[figure]\ntitle = t\nx = n\ny = 1\nruns = whole\n[data]\na = n=1'
refuse rows "rows.ini:5:8: error: [data] replaces the runs of 'whole'"
# Axes of its own replace those of the other figure, and others are added; several figures' runs come together.
figure over <<'INI'
[figure]
title = t
x = n
series = gpu
y = launches
runs = whole
[small]
n = 32
gpu = sm32, gtx480
INI
expect over '"sm32","32",1,,' '"gtx480","32",1,,'
[[ $(reproduce over --size paper) == *'has no size paper'* ]] || complain "over has no size paper"
figure other <<<$'[figure]\ntitle = t\nx = n\ny = launches\n[matrix]\nprogram = saxpy\nn = 96'
figure both <<<$'[figure]\ntitle = t\nx = n\nseries = program\ny = launches\nruns = whole, other'
expect both '"vectoradd","64",1,,' '"vectoradd","128",1,,' '"saxpy","96",1,,'
figure hole <<<$'[figure]\ntitle = t\nx = n\ny = 1\nruns = whole, none'
refuse hole "hole.ini:5:15: error: there is no figure 'none'"
figure wrong <<<$'[figure]\ntitle = t\nx = n\ny = 1\nruns = whole\n[small]\nl1.ways = many'
refuse wrong "wrong.ini:7:11: error"
figure chain <<<$'[figure]\ntitle = t\nx = n\ny = 1\nruns = chain'
refuse chain "chain.ini:5:8: error: figure 'chain' has no matrix of its own"

if "$ONCHIP" reproduce nobody 2>"$work/error"; then complain "nobody's paper"; fi
grep -q 'sl1 .*figures' "$work/error" || complain "the papers there are should be listed"
# The help is a screen; --list has the figures.
(($("$ONCHIP" reproduce --help | wc -l) <= 40)) || complain 'the help is longer than a screen'
[[ $("$ONCHIP" reproduce --list mei | grep -c '^  mei ') == $(ls "$ONCHIP_SOURCE"/reproduce/mei/*.ini | wc -l) ]] ||
    complain '--list lacks figures'
exit $bad
