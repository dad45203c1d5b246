#!/bin/bash
# onchip compare: a regression of 5.1 % is caught by --fail-above 5% and one of 4.9 % isn't, of each kind of input; what
# has changed is told, and what is no run's JSON is refused with its place. Expected values are counted by hand: the
# files are written here, or a run's file is made slower by awk.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
card=gtx480
cd "$work" || exit 1

# document NAME:CYCLES:L1HITS …: the JSON of a run at 1 GHz, with an array a of 1000 look-ups.
document() {
    local one name cycles hits comma=
    echo '{"onchip": "0", "schema": 2, "program": "p", "parameters": "n=1", "gpu": "g", "kernels": ['
    for one; do
        IFS=: read -r name cycles hits <<<"$one"
        echo "$comma{\"name\": \"$name\", \"functional\": false, \"limited_by\": \"DRAM: 7 % of its peak\","
        echo "\"counters\": {\"cycles\": $cycles, \"l1.hits\": ${hits:-500}, \"dram.read_bytes\": 64,"
        echo "\"dram.write_bytes\": 0},"
        echo "\"rates\": {\"seconds\": ${cycles}e-9}, \"structures\": [{\"name\": \"a\", \"sectors\": 1000,"
        echo "\"l1_accesses\": 1000, \"l1_hits\": ${hits:-500}, \"dram_bytes\": 64}]}"
        comma=,
    done
    echo ']}'
}

# --- files
document k:100000 >old.json
document k:105100 >worse.json
document k:104900 >near.json
document k:105000 >just.json
gives 3 '+5.1 %' slower 'failed k: time +5.1 %, and +5 % is allowed' 'failed all kernels: time' -- \
    compare old.json worse.json --fail-above 5%
gives 0 '+4.9 %' passed -- compare old.json near.json --fail-above 5%
gives 0 '+5.0 %' passed -- compare old.json just.json --fail-above 5%
gives 0 '-4.9 %' faster passed -- compare worse.json old.json --fail-above 0%
gives 0 'all kernels 100 → 100 µs, no change' 'no change k' -- compare old.json old.json --fail-above 0%
gives 0 '+5.1 %' -- compare old.json worse.json
lacks passed
# A metric by its name, and one that may not fall: the hits go from 500 to 474, -5.2 %.
document k:100000:474 >missing.json
gives 0 'L1 misses 500 → 526 (+5.2 %)' 'l1.hits 500 → 474' -- compare old.json missing.json --fail-above 0%
gives 3 'k: l1.hits -5.2 %, and -5 % is allowed' -- compare old.json missing.json --fail-above l1.hits=-5%
gives 0 passed -- compare old.json missing.json --fail-above l1.hits=-5.3%,time=0%
gives 3 'k: cycles +5.1 %' -- compare old.json worse.json --fail-above dram.read_bytes=1%,cycles=5.05%
gives 3 'k: gpu__time_duration.sum +5.1 %' -- compare old.json worse.json --fail-above gpu__time_duration.sum=5%
sed 's/"dram.write_bytes": 0/"dram.write_bytes": 36/' old.json >writes.json
gives 3 'k: dram.bytes +56.2 %' -- compare old.json writes.json --fail-above dram.bytes=50%
# What a file lacks is unknown, and not 0: it is told, isn't compared, and can't be judged.
gives 0 "counters that a version's file lacks aren't compared: warp_instructions, thread_instructions," -- \
    compare old.json writes.json
for metric in l1_hit_rate occupancy l1.misses ipc dram__throughput.avg.pct_of_peak_sustained_elapsed \
    smsp__inst_executed.sum dram_row_hit_rate; do
    gives 1 "$metric isn't known in the old version: its file lacks what it is made of" -- \
        compare old.json worse.json --fail-above "$metric=5%"
done
gives 3 'dram.bytes +56.2 %' -- compare old.json writes.json --fail-above dram__bytes.sum=5%,dram.bytes=5%
sed 's/"l1\.hits": 500, //' old.json >hitless.json
gives 1 "l1.hits isn't known in the new version" -- compare old.json hitless.json --fail-above l1.hits=5%
gives 0 'no change k' -- compare old.json hitless.json
lacks 'l1.hits 500'
run compare old.json hitless.json --json
[[ $(jq -c '[.kernels[0].counters, .kernels[0].differs]' <<<"$out") == '[{},false]' ]] || complain "json: $out"
sed 's/"cycles": 105100, //' worse.json >timed.json
gives 3 'k: time +5.1 %' 'all kernels 100 → 105.1 µs' -- compare old.json timed.json --fail-above 5%
lacks '  cycles'
"$onchip" run --gpu gtx480 vectoradd n=1000 --json >whole.json
gives 0 passed -- compare whole.json whole.json --fail-above \
    l1_hit_rate=0%,occupancy=0%,dram__throughput.avg.pct_of_peak_sustained_elapsed=0%,ipc=0%,dram_bandwidth=0%
lacks "lacks"
# What limits a kernel: another cause is told, other numbers aren't.
sed 's/DRAM: 7 %/DRAM: 9 %/' old.json >dram.json
sed 's/DRAM: 7 %/the grid: 1 block; L2: 9 %/' old.json >l2.json
gives 0 'no change k' -- compare old.json dram.json
gives 0 'was limited by DRAM: 7 % of its peak' 'is limited by the grid: 1 block; L2: 9 %' -- compare old.json l2.json
# A kernel's time counts though the whole is faster; a kernel that is new fails by the whole alone.
document k:100000 m:100000 >two.json
document k:110000 m:80000 >moved.json
gives 3 'failed k: time +10.0 %' 'all kernels 200 → 190 µs, -5.0 %, faster' -- \
    compare two.json moved.json --fail-above 5%
lacks 'failed all'
lacks 'failed m'
document k:100000 m:100000 new:20000 >more.json
gives 3 'failed all kernels: time +10.0 %' 'new: only in the new version, 20 µs' 'no change k, m' -- \
    compare two.json more.json --fail-above 5%
lacks 'failed new'
# Kernels are matched by the name without scope and parameters, and what is left by its place.
document _Z5saxpyifPf:1000 odd:2000 >names.json
document _Z5saxpyidPd:1100 even:2000 >named.json
gives 0 'saxpy(int, double, double*): 1 → 1.1 µs, +10.0 %, slower; was saxpy(int, float, float*), matched by its base' \
    -- compare names.json named.json
run compare names.json named.json --json
[[ $(jq -c '[.kernels[] | [.names[1], .matched_by]]' <<<"$out") == *'["even","place"]'* ]] || complain "json: $out"
[[ $(jq .change <<<"$out") == 0.033* ]] || complain "json: 3000 to 3100 cycles are $(jq .change <<<"$out")"
# Where more are left of one version than of the other, nothing says which is which.
document a:1000 odd:2000 >two.json
document a:1000 even:2000 f:300 >three.json
gives 0 'odd: only in the old version, 2 µs' 'even: only in the new version, 2 µs' 'f: only in the new version' \
    'no change a' 'all kernels 3 → 3.3 µs, +10.0 %, slower' -- compare two.json three.json -o page.html --fail-above 11%
gives 3 'failed all kernels: time +10.0 %' -- compare two.json three.json --fail-above 9%
lacks 'failed odd'
run compare three.json two.json --json
[[ $(jq -c '[.kernels[].names]' <<<"$out") == '[["even",null],[null,"odd"],["f",null],["a","a"]]' ]] ||
    complain "json: $out"
# Launches of a kernel are one.
document k:50000 k:50000 >halves.json
gives 0 'launches 1 → 2' 'all kernels 100 → 100 µs, no change' -- compare old.json halves.json --fail-above 0%

# Another model of the simulator is told of: what differs may be its doing.
sed 's/"schema"/"model": 24, "schema"/' old.json >model.json
gives 0 'the old version was simulated by model 24' "the new one by a model that isn't known" -- \
    compare model.json worse.json
gives 0 'no change k' -- compare model.json model.json
lacks 'simulated by'

# --- what isn't a run's JSON
# refused TEXT PLACE <JSON
refused() {
    cat >bad.json
    gives 1 "$1" "bad.json:$2" -- compare old.json bad.json
}
refused 'a colon is missing' 1:6 <<<'{"a" 1}'
refused 'a text without an end' 1:2 < <(printf '{"a')
refused 'this object has no kernels' 1:1 <<<'{}'
refused 'kernels must be an array' 1:26 <<<'{"schema": 2, "kernels": 7}'
refused "its schema isn't 2" 1:12 <<<'{"schema": 1, "kernels": []}'
refused 'a launch must be an object' 1:27 <<<'{"schema": 2, "kernels": [7]}'
refused 'this object has no counters' 1:27 <<<'{"schema": 2, "kernels": [{"name": "k"}]}'
for number in -1 1e3 1.5 '"7"' null 99999999999999999999; do
    refused 'a counter is a whole number' 1:64 \
        <<<"{\"schema\": 2, \"kernels\": [{\"name\": \"k\", \"counters\": {\"cycles\": $number}}]}"
done
refused 'this launch has no time' 1:27 <<<'{"schema": 2, "kernels": [{"name": "k", "counters": {"cycles": 1}}]}'
refused 'a number beyond all doubles' 1:2 <<<'[1e999]'
refused 'a zero in front' 1:2 <<<'[01]'
refused 'half of a pair' 1:3 <<<'["\ud800"]'
refused 'no value begins like that' 1:2 <<<'[nul]'
refused 'something stands behind its end' 1:4 <<<'[] []'
refused 'it is nested more than 64 deep' 1:65 <<<"$(printf '[%.0s' {1..100000})"
refused 'it ends too early' 1:1 </dev/null
refused 'a byte that no text may have' 1:3 < <(printf '["\xff"]')
refused 'a byte that no text may have' 1:4 < <(printf '{"a\0": 1}')
sed 's/"gpu"/"error": "it was hot", "gpu"/' old.json >failed.json
gives 1 'failed.json is of a run that failed: it was hot' -- compare failed.json old.json
gives 1 "can't read none.json: No such file" -- compare old.json none.json
# A name can't move the cursor of a terminal.
document k:100000 | sed 's/"k"/"k\\u001b[2J"/' >rude.json
gives 0 'k�[2J' -- compare rude.json rude.json

# --- the page: the same side by side. It is well-formed, whatever a kernel is called.
document '<b>&k:100000' m:1:400 >marked.json
document '<b>&k:123457' m:1:300 n:7 >marks.json
gives 3 -- compare marked.json marks.json -o page.html --fail-above 5%
if command -v xmllint >/dev/null; then xmllint --noout page.html || complain 'the page is no XML'; fi
for text in '<td>&lt;b&gt;&amp;k</td>' 'data-v="123457">123457</td>' '>+23.5 %</td>' \
    'class="bad">failed</span> &lt;b&gt;' \
    '<td class="n">600</td><td class="n">700</td>' '>+16.7 %</td>' 'Only the new version has it.'; do
    grep -qF -- "$text" page.html || complain "the page hasn't '$text'"
done
gives 2 'give the page a name' -- compare old.json old.json -o -

# --- stored runs and commands
# A loop of additions waits for no memory: its cycles are the same at any clock, and its time goes as 1 / clock. From
# 1051 to 1000 MHz that is 5.1 % more, from 1049 4.9 %.
cat >spin.ptx <<'PTX'
.version 7.0
.target sm_20
.address_size 64
.visible .entry spin()
{
  .reg .b32 %r<3>; .reg .pred %p;
  mov.u32 %r1, 0;
LOOP:
  add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 20000; @%p bra LOOP;
  ret;
}
PTX
"$onchip" sweep --gpu gtx480 spin.ptx --set gpu.clock=1000,1049,1051 --db runs.db >/dev/null || complain 'no sweep'
key() { "$onchip" db list --db runs.db --where "gpu.clock=$1" --csv | sed -n '2s/,.*//p'; }
for of in "$(key 1051)" "runs.db:$(key 1051 | cut -c 1-9)" 'spin.ptx --set gpu.clock=1051'; do
    for to in "$(key 1000)" 'spin.ptx --set "gpu.clock=1000"'; do
        gives 3 '+5.1 %' 'failed spin: time +5.1 %' 'cycles no change' 'limited by the grid: 1 block for 15 SMs' -- \
            compare "$of" "$to" --fail-above 5% --db runs.db
    done
done
for of in "$(key 1049)" "runs.db:$(key 1049)" 'spin.ptx --set gpu.clock=1049'; do
    gives 0 '+4.9 %' passed -- compare "$of" "$(key 1000)" --fail-above 5% --db runs.db
    gives 0 '+4.9 %' passed -- compare "$of" spin.ptx --set gpu.clock=1000 --fail-above 5% --db runs.db
done
"$onchip" run --gpu gtx480 spin.ptx --set gpu.clock=1051 --json >run.json
gives 0 'no change spin' -- compare run.json "$(key 1051)" --db runs.db --fail-above 0%,occupancy=0%
gives 3 'dram' -- compare 'vectoradd n=5000' 'vectoradd n=10000' --gpu titan_v --fail-above dram.read_bytes=80%
gives 0 'equal in every counter' 'all kernels' '+5.1 %, slower' -- \
    db compare "$(key 1051)" "$(key 1000)" --db runs.db
# The same limits, of runs of a store: two keys, and every pair of two selections or of two stores.
gives 3 'failed spin: time +5.1 %' -- db compare "$(key 1051)" "$(key 1000)" --db runs.db --fail-above 5%
gives 0 passed -- db compare "$(key 1049)" "$(key 1000)" --db runs.db --fail-above 5%
gives 3 'failed spin.ptx on gtx480: spin: time +5.1 %, and +5 % is allowed' -- \
    db compare --by gpu.clock=1051,1000 --db runs.db --fail-above 5%
gives 0 passed -- db compare --by gpu.clock=1049,1000 --db runs.db --fail-above 5%
gives 0 ratio -- db compare --by gpu.clock=1051,1000 --db runs.db
lacks passed
gives 0 passed -- db compare runs.db runs.db --fail-above 0%
gives 0 passed -- db compare --against runs.db --db runs.db --fail-above 0%
run db compare --by gpu.clock=1051,1000 --db runs.db --fail-above 5% --json
((status == 3)) && [[ $(jq -c '[.failed[] | [.program, .run, .kernel, .metric, .percent]]' <<<"$out") == \
    '[["spin.ptx","on gtx480",null,"time",5],["spin.ptx","on gtx480","spin","time",5]]' ]] || complain "$status: $out"
run db compare "$(key 1051)" "$(key 1000)" --db runs.db --fail-above 5% --json
((status == 3)) && [[ $(jq -c '[.failed[].kernel]' <<<"$out") == '[null,"spin"]' ]] || complain "$status: $out"
gives 2 "no metric 'l1.hit'" -- db compare --by gpu.clock=1051,1000 --db runs.db --fail-above l1.hit=5%
gives 2 'db list takes no --fail-above' -- db list --db runs.db --fail-above 5%
# Runs of one name that differ, as those of two models would: what merely differs passes.
mkdir later
sed 's/20000/21020/' spin.ptx >later/spin.ptx
(cd later && "$onchip" sweep --gpu gtx480 spin.ptx --set gpu.clock=1000 --db ../later.db >/dev/null) ||
    complain 'no sweep'
gives 1 '1 pairs, 1 differ' -- db compare --against runs.db --db later.db
gives 3 'failed spin.ptx on gtx480 gpu.clock=1000: spin: time +5.' -- \
    db compare --against runs.db --db later.db --fail-above 5%
gives 0 '1 pairs, 1 differ' passed -- db compare --against runs.db --db later.db --fail-above 6%
gives 3 'failed spin.ptx on gtx480 gpu.clock=1000: spin: warp_instructions +5.1 %' -- \
    db compare runs.db later.db --fail-above warp_instructions=5%
gives 1 'runs.db has 3 runs' 'a colon and a run' -- compare runs.db run.json
gives 1 'has no run 0123456789' -- compare 0123456789 run.json --db runs.db
gives 2 "no workload 'atx'" "'atx' failed with the exit status 2" -- compare atx atax
gives 2 'a search is several runs' -- compare 'atax --sched best-swl' atax

# A CUDA program prints what it prints, and the comparison has the standard output to itself.
program=$ONCHIP_SOURCE/test/programs/bin/classes
run compare "$program" "$program" --fail-above 0% --gpu titan_v
((status == 0)) || complain "a program's status is $status: $err"
[[ $out == old*'no change'*passed* ]] || complain "a program: $out"

gives 1 'nothing to judge' -- compare "${program%/*}/fills" "${program%/*}/fills" --gpu titan_v --fail-above 5%

# The workflow of doc/use: its command, with a program that has become as much slower as a baseline was made faster.
run_workflow() {
    jq ".kernels[] |= (.counters.cycles |= (. / $1 | floor) | .rates.seconds /= $1)" now.json >baseline.json
    status=0
    PATH=$work/bin:$PATH bash -c "$(sed -n 's/^ *run: \(onchip compare\)/\1/p' "$ONCHIP_SOURCE/doc/use/compare.yml")" \
        >"$work/out" 2>"$work/err" || status=$?
    out=$(<"$work/out") err=$(<"$work/err")
    ((status == $2)) && [[ $out == *"$3"* && -s compare.html ]] ||
        complain "the workflow, $1 times as slow: exit status $status: $out $err"
}
mkdir bin
ln -s "$onchip" bin/onchip
cp "$program" app
"$onchip" run --gpu rtx3080 --json --lines -o now.json ./app >/dev/null || complain "no baseline"
run_workflow 1.051 3 'failed'
run_workflow 1.049 0 'passed'

# Lines: the second version has an instruction more in the loop, at the third line of the kernel's body.
sed 's/add.u32 %r1, %r1, 1;/add.u32 %r1, %r1, 1; xor.b32 %r2, %r1, %r2;/; s/mov.u32 %r1, 0;/& mov.u32 %r2, 0;/' \
    spin.ptx >spun.ptx
sed '4i // a line more' spin.ptx >late.ptx
gives 0 'spun.ptx:9 instructions 60 k → 80 k (+33.3 %)' -- compare spin.ptx spun.ptx
gives 0 'no change spin' -- compare spin.ptx late.ptx --fail-above 0%
lacks instructions

# Of CUDA source, two files of two names: the line that has an addition more. What clang makes beside it are others.
if command -v clang >/dev/null; then
    echo '__global__ void add(float *x) { x[threadIdx.x] += 1; }' >one.cu
    echo '__global__ void add(float *x) { x[threadIdx.x] += x[threadIdx.x + 32]; }' >other.cu
    gives 0 'other.cu:1 instructions ' -- compare 'one.cu --block 32 --arg buf:256' 'other.cu --block 32 --arg buf:256'
    lacks 'from nothing'
fi

# --- the command line
gives 2 'compare what? two versions' -- compare old.json
gives 2 "'x' is one too many" -- compare old.json old.json x
gives 2 "--fail-above takes percents, not '5'" -- compare old.json old.json --fail-above 5
gives 2 "no metric 'l1.hit'; did you mean 'l1.hits'?" -- compare old.json old.json --fail-above l1.hit=5%
exit $bad
