#!/bin/bash
# base.NAME in figures: values of the baseline's run. Expected values are by hand, from formulas over the runs' own
# parameters and keys; or they are computed here, from the counters that onchip db exports. Every figure gives another
# number when the value is that of another run.
set -euo pipefail
source "$ONCHIP_SOURCE/test/lab/figure.bash"

# A counter, cycles, a rate, and a key, over three runs of each program. The baseline's run comes last in the matrix.
figure series <<'INI'
[figure]
title = t
x = program
series = with
y = cycles + 3 * base.dram.read_bytes * base.cycles / base.dram.latency + 1e5 * base.ipc
baseline = with=slow
[matrix]
program = atax nx=64 ny=64, vectoradd n=1000, saxpy n=3000
with = quick: dram.latency=300, large: l1.size=48KiB shared.size=16KiB dram.latency=500, slow: dram.latency=900
gpu = gtx480
INI
reproduce series >/dev/null
# The best of the baseline's runs: of three latencies, that with fewest cycles, which isn't the first one.
figure fastest <<'INI'
[figure]
title = t
x = program
series = with
y = cycles + base.dram.read_bytes * base.cycles / base.dram.latency
best = min cycles
baseline = with=tuned
[matrix large]
program = atax nx=64 ny=64, saxpy n=3000
with = large: l1.size=48KiB shared.size=16KiB dram.latency=500
gpu = gtx480
[matrix tuned]
program = atax nx=64 ny=64, saxpy n=3000
with = tuned:
gpu = gtx480
dram.latency = 900, 300, 500
INI
reproduce fastest >/dev/null

# All runs, with their counters summed over their kernels: "program latency L1 cycles instructions bytes".
"$ONCHIP" db export --csv --db "$work/db" \
    --columns program,dram.latency,l1.size,cycles,warp_instructions,dram.read_bytes | tr -d '\r' | awk -F, '
    NR > 1 { k = $1 " " $2 " " ($3 == "" ? "-" : $3); c[k] += $4; i[k] += $5; b[k] += $6 }
    END { for (k in c) print k, c[k], i[k], b[k] }' | sort >"$work/runs"
[[ $(wc -l <"$work/runs") == 11 ]] || complain "11 runs are expected: $(cat "$work/runs")"
mapfile -t wanted < <(awk '
    $3 == ($2 == 500 ? "48KiB" : "-") { cycles[$1, $2] = $4; ipc[$1, $2] = $5 / $4; bytes[$1, $2] = $6 }
    function y(p, latency) {
        return cycles[p, latency] + 3 * bytes[p, 900] * cycles[p, 900] / 900 + 1e5 * ipc[p, 900]
    }
    END {
        split("quick large slow", names); split("300 500 900", latencies); split("atax vectoradd saxpy", programs)
        for (s = 1; s <= 3; s++)
            for (p = 1; p <= 3; p++)
                printf "\"%s\",\"%s\",%.9g,,\n", names[s], programs[p],
                    y(programs[p], latencies[s]) / y(programs[p], 900)
    }' "$work/runs")
expect series "${wanted[@]}"
mapfile -t wanted < <(awk '
    $3 != "-" { large[$1] = $4 }
    $3 == "-" && (!($1 in least) || $4 < least[$1]) { least[$1] = $4; bytes[$1] = $6; latency[$1] = $2 }
    function y(p, cycles) { return cycles + bytes[p] * least[p] / latency[p] }
    END {
        split("atax saxpy", programs)
        for (p = 1; p <= 2; p++)
            printf "\"large\",\"%s\",%.9g,,\n", programs[p],
                y(programs[p], large[programs[p]]) / y(programs[p], least[programs[p]])
        for (p = 1; p <= 2; p++) printf "\"tuned\",\"%s\",1,,\n", programs[p]
    }' "$work/runs")
expect fastest "${wanted[@]}"

# The same with numbers by hand: 96 of 64, 96 and 160, and so (128 + 10·96) / (96 + 10·96). Then the most, 160; of two
# that are equally good, the first, 64.
best() {  # NAME BEST
    figure "$1" <<INI
[figure]
title = t
x = program
series = with
y = n + 10 * base.n
best = $2
baseline = with=a
[matrix a]
program = vectoradd, saxpy
with = a:
n = 64, 96, 160
[matrix b]
program = vectoradd, saxpy
with = b:
n = 128
INI
}
best nearest 'min abs(n - 100)'
expect nearest '"a","vectoradd",1,,' '"a","saxpy",1,,' '"b","vectoradd",1.03030303,,' '"b","saxpy",1.03030303,,'
best most 'max n'
expect most '"a","vectoradd",1,,' '"a","saxpy",1,,' '"b","vectoradd",0.981818182,,' '"b","saxpy",0.981818182,,'
best equal 'min abs(n - 80)'
expect equal '"a","vectoradd",1,,' '"a","saxpy",1,,' '"b","vectoradd",1.09090909,,' '"b","saxpy",1.09090909,,'
best itself 'min abs(n - base.n)'
refuse itself \
    'itself.ini:6:8: error: best: base.NAME is a value of one run, and best has to choose it: several have with=a'

# Where the baseline's point has one run, best may use it: 120 is nearest to 128, and 320 to 256.
figure chosen <<'INI'
[figure]
title = t
x = l1.size
series = with
y = n
best = min abs(n - base.n)
baseline = with=a
[matrix b]
program = vectoradd
with = b:
n = 64, 120, 320
l1.size = 16KiB, 32KiB
gpu = gtx480
[matrix a]
program = vectoradd
with = a:
n = 128
l1.size = 16KiB
gpu = gtx480
[matrix a 2]
program = vectoradd
with = a:
n = 256
l1.size = 32KiB
gpu = gtx480
INI
expect chosen '"b","16KiB",0.9375,,' '"b","32KiB",1.25,,' '"a","16KiB",1,,' '"a","32KiB",1,,'

# A baseline on the x: the run of the same series. (64 + 128·16) / (128 + 128·16), (64 + 128·32) / (128 + 128·32)
figure x <<'INI'
[figure]
title = t
x = n
series = l1.size
y = n + base.n * base.l1.size / 1024
baseline = n=128
[matrix]
program = vectoradd
n = 64, 128
l1.size = 16KiB, 32KiB
gpu = gtx480
INI
expect x '"16KiB","64",0.970588235,,' '"16KiB","128",1,,' '"32KiB","64",0.984848485,,' '"32KiB","128",1,,'

# Of several formulas, one that has it. The base of each row is the row at n=128: (64 + 2·128) / 384. Where the baseline
# is a row, each run is its own base: 3·64 / 64.
formulas() {  # NAME BASELINE
    figure "$1" <<INI
[figure]
title = t
x = n
baseline = $2
[matrix]
program = vectoradd
n = 64, 128
[series]
one = n
two = n + 2 * base.n
INI
}
formulas rows n=128
expect rows '"one","64",0.5,,' '"one","128",1,,' '"two","64",0.833333333,,' '"two","128",1,,'
formulas own series=one
expect own '"one","64",1,,' '"one","128",1,,' '"two","64",3,,' '"two","128",3,,'

# Rows of data: (1000 + 300) / (2000 + 300), (500 + 300) / (2000 + 300)
figure data <<'INI'
[figure]
title = t
x = data
y = kg + base.hp
baseline = data=Volvo
[data]
Fiat = kg=1000 hp=50
Volvo = kg=2000 hp=300
Goggo = kg=500 hp=14
INI
expect data '"","Fiat",0.565217391,,' '"","Volvo",1,,' '"","Goggo",0.347826087,,'

# A single point of a curve: a stride of two ways takes 100 cycles and one or two conflicts: (120 + 2·110) / (3·110)
figure point <<'INI'
[figure]
title = t
x = gpu
series = shared.conflict
y = shared.ways_cycles[ways=2] + 2 * base.shared.ways_cycles[ways=2]
baseline = shared.conflict=10
[matrix]
measure = shared
gpu = gtx560ti
shared.latency = 100
shared.conflict = 20, 10
INI
expect point '"20","gtx560ti",1.03030303,,' '"10","gtx560ti",1,,'

# A run that the store lacks, since 1 MiB has no room for vectoradd's three arrays. Its program has no values; the other
# program has: (128 + 64) / (64 + 64).
missing() {  # NAME BEST LABEL MEMORY
    figure "$1" <<INI
[figure]
title = t
x = program
series = with
y = n + base.n
$2
baseline = with=a
[matrix a]
program = vectoradd n=100000, saxpy n=64
with = $3:
gpu.memory = $4
[matrix b]
program = vectoradd n=128, saxpy n=128
with = b:
INI
}
missing failed '' a 1MiB
expect failed '"a","saxpy",1,,' '"b","vectoradd",,,' '"b","saxpy",1.5,,'
[[ $(reproduce failed) == *'1 runs failed'* ]] || complain "failed: one run failed: $(reproduce failed)"
# Of two, one of which is missing, the other: (128 + 100000) / 200000
missing other 'best = min cycles' a '1MiB, 1GiB'
expect other '"a","vectoradd",1,,' '"a","saxpy",1,,' '"b","vectoradd",0.50064,,' '"b","saxpy",1.5,,'
# No run at all is on the baseline.
missing none '' c 1GiB
expect none '"c","vectoradd",,,' '"c","saxpy",,,' '"b","vectoradd",,,' '"b","saxpy",,,'

# A baseline of both axes is one point for all: 64 + 2.
for order in 'l1.size=32KiB, n=64' 'n=64, l1.size=32KiB'; do
    figure both <<INI
[figure]
title = t
x = n
series = l1.size
y = n + l1.size / 16384
baseline = $order
[matrix]
program = vectoradd
n = 64, 130
gpu = titan_black
l1.size = 16KiB, 32KiB
INI
    reproduce both >/dev/null
    expect both '"16KiB","64",0.984848485,,' '"16KiB","130",1.98484848,,' '"32KiB","64",1,,' '"32KiB","130",2,,'
done
sed 's/^y = .*/y = n + base.n/' "$work/paper/both.ini" | figure both-base
refuse both-base "base.NAME is a value of each point's own baseline"

# Errors say where.
wrong() {  # NAME ERROR LINE…: lines of [figure], and what follows
    { printf '%s\n' '[figure]' 'title = t' "${@:3}"; } | figure "$1"
    refuse "$1" "$2"
}
runs=('[matrix]' 'program = vectoradd, saxpy' 'n = 64, 128' 'gpu = gtx480' 'l1.size = 16KiB, 32KiB')
wrong bare "bare.ini:5:5: error: y: base.NAME is a value of the baseline's run, but [figure] has no baseline" \
    'x = n' 'series = program' 'y = n / base.n' "${runs[@]}"
refuse bare 'hint: baseline = NAME=VALUE; NAME is the x or the series'
wrong bare-best 'bare-best.ini:5:8: error: best: base.NAME' 'x = n' 'y = n' 'best = max n + base.n' "${runs[@]}"
wrong bare-row 'bare-row.ini:6:7: error: row: base.NAME' 'x = n' '[series]' 'any = n' 'row = base.n' "${runs[@]}"
wrong values 'values.ini:8:5: error: v: a row of [values] can'"'"'t use base.NAME' \
    'x = n' 'y = n' 'baseline = n=64' '[values]' 'u = n' 'v = base.n' "${runs[@]}"
wrong mean 'mean.ini:4:5: error: y: base.NAME is a value of one run, but a mean joins several' \
    'x = n' 'y = base.n' 'mean = geometric' 'baseline = n=64' "${runs[@]}"
wrong several \
    'several.ini:5:5: error: y: base.NAME is a value of one run, but several have n=64 and program=vectoradd' \
    'x = n' 'series = program' 'y = base.n' 'baseline = n=64' "${runs[@]}"
refuse several 'hint: best = min FORMULA keeps one run'
wrong name 'name.ini:4:5: error: y: formula:1:5' 'x = n' 'y = n + base.m' 'baseline = n=64' 'best = min cycles' \
    "${runs[@]}"
wrong axis 'baseline is a value of x or series' 'x = n' 'y = n + base.n' 'baseline = m=64' 'best = min n' "${runs[@]}"
curve=('[matrix]' 'measure = shared' 'gpu = gtx560ti' 'shared.conflict = 10, 20')
wrong curve 'curve.ini:5:5: error: y: the points of a curve have no base.NAME' \
    'x = ways' 'series = shared.conflict' 'y = shared.ways_cycles / base.shared.bank_count' \
    'baseline = shared.conflict=10' "${curve[@]}"
wrong curves 'curves.ini:4:5: error: y: the points of a curve have no base.NAME' \
    'x = shared.conflict' 'y = base.shared.ways_cycles' 'baseline = shared.conflict=10' "${curve[@]}"
wrong curve-best 'curve-best.ini:5:5: error: y: the points of a curve have no base.NAME' \
    'x = ways' 'series = shared.conflict' 'y = shared.ways_cycles' 'best = min base.shared.bank_count' \
    'baseline = shared.conflict=10' "${curve[@]}"
wrong time 'time.ini:5:5: error: y: the points of a curve have no base.NAME' \
    'x = time' 'series = l1.size' 'y = base.cycles' 'baseline = l1.size=16KiB' '[matrix]' 'program = vectoradd' \
    'n = 64' 'gpu = gtx480' 'interval = 100' 'l1.size = 16KiB, 32KiB'
exit $bad
