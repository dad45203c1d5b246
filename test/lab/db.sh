#!/bin/bash
# onchip db on the command line: what is listed, how wide, what is refused and with which exit status.
set -euo pipefail
export LC_ALL=C.UTF-8  # columns are characters, not bytes
source "$ONCHIP_SOURCE/test/lab/store.bash"
export XDG_DATA_HOME=$folder/data

# db STATUS TEXT ARGUMENT…: the exit status, and a text that is printed (empty: none is asked for).
db() {
    local code=0
    "$ONCHIP" db "${@:3}" >out 2>&1 || code=$?
    ((code == $1)) || complain "db ${*:3}: status $code, not $1: $(cat out)"
    [[ -z $2 ]] || grep -qF -- "$2" out || complain "db ${*:3}: '$2' is expected, not: $(cat out)"
}

# --- without a store
db 1 "no store to read at $XDG_DATA_HOME/onchip/results.db" list
# Where a store lies that isn't named: without XDG_DATA_HOME, or with an empty one, below the home (XDG base
# directories).
for data in unset empty; do
    if [[ $data == unset ]]; then command=(env -u XDG_DATA_HOME); else command=(env XDG_DATA_HOME=); fi
    said=$("${command[@]}" HOME="$folder/home" "$ONCHIP" db list 2>&1) &&
        complain "a store is found below an empty home"
    [[ $said == *"no store to read at $folder/home/.local/share/onchip/results.db"* ]] || complain "$data: $said"
done
db 1 "no store to read at nowhere.db" show 12 --db nowhere.db
db 1 "no store to read at nowhere.db" delete --failed --db nowhere.db
[[ ! -e nowhere.db && ! -e data ]] || complain "reading made a store"

"$ONCHIP" sweep --program vectoradd,atax,histogram --size small --gpu gtx480,titan_black --set l1.size=16KiB,32KiB \
    >/dev/null
"$ONCHIP" sweep --gpu gtx480 --program vectoradd --set gpu.memory=1MiB >/dev/null || true
"$ONCHIP" sweep --gpu gtx480 --program atax --size small \
    --set storage.carveouts="{24,17,17,17,17,17,17,17,17,17,17,17,17,17,17,17}" \
    --kernels kernel1 >/dev/null || true

# --- list
db 0 "14 runs, 1 failed in $XDG_DATA_HOME/onchip/results.db" list
db 0 "	the device's memory of 1048576 bytes has no room for 4194304 more (gpu.memory)" list --failed
# On a terminal rows fit it, settings that differ are columns, and what all runs have in common stands above.
# terminal COLUMNS ARGUMENT…
terminal() {
    TERM=dumb script -qec "stty cols $1; $ONCHIP db ${*:2}" /dev/null </dev/null | tr -d '\r' >out
}
size=''
if command -v script >/dev/null; then
    size=$(script -qec "stty cols 77; stty size" /dev/null </dev/null 2>/dev/null | tr -d '\r') || true
fi
if [[ $size == *\ 77 ]]; then
    for options in "" "--kernels" "--kernels --columns l1.hits,l2_hit_rate,dram.read_bytes" "--failed"; do
        for columns in 80 100; do
            # shellcheck disable=SC2086
            terminal $columns list $options
            if grep -v ' in /' out | grep -E "^.{$((columns + 1)),}"; then
                complain "db list $options: more than $columns columns"
            fi
        done
    done
    terminal 100 list --program histogram
    [[ $(head -n 1 out) == 'histogram, n=20000, privatised=1' ]] || complain "db list: what is common: $(cat out)"
    [[ $(sed -n 3p out | xargs) == 'run gpu l1.size cycles ipc l1_hit_rate' ]] ||
        complain "db list: heads: $(sed -n 3p out)"
    want=$'gtx480 16KiB\ngtx480 32KiB\ntitan_black 16KiB\ntitan_black 32KiB'
    [[ $(awk 'NR > 3 && NF == 6 { print $2, $3 }' out) == "$want" ]] ||
        complain "db list: rows: $(cat out)"
    terminal 100 list --program vectoradd --gpu gtx480
    [[ $(sed -n 3p out | xargs) == 'run n l1.size gpu.memory cycles ipc l1_hit_rate' ]] ||
        complain "db list: heads: $(sed -n 3p out)"
    # Where there is room for no more, settings share a column: nothing is wider than the terminal.
    terminal 60 list --program vectoradd --gpu gtx480
    if grep -v ' in /' out | grep -E '^.{61,}' | grep -v '^    '; then
        complain "db list: more than 60 columns"
    fi
    terminal 100 list --failed
    grep -q "^    the device's memory of 1048576 bytes has no room for 4194304 more (gpu.memory)$" out ||
        complain "db list --failed: $(cat out)"
fi
# Anything else gets everything: a field for each head in each row, between tabs, and nothing cut.
"$ONCHIP" db list >rows 2>/dev/null
want='key verb program params gpu overrides options model n l1.size storage.carveouts gpu.memory cycles ipc l1_hit_rate'
[[ $(head -n 1 rows | tr '\t' ' ') == "$want status error" ]] || complain "db list: heads: $(head -n 1 rows)"
(($(awk -F'\t' '{ print NF }' rows | sort -u | wc -l) == 1 && $(wc -l <rows) == 15)) ||
    complain "db list: rows: $(cat rows)"
[[ $(cut -f 1 rows) == "$("$ONCHIP" db list --csv | tr -d '\r' | cut -d, -f 1)" ]] ||
    complain "db list and db list --csv list other runs"
grep -q $'\t24,17,17,17,17,17,17,17,17,17,17,17,17,17,17,17\t' rows || complain "db list: a list is cut: $(cat rows)"
if grep -q … rows; then complain "db list: something is cut"; fi
db 0 "1 run in" list --program vectoradd --gpu gtx480 --where l1.size=16KiB --where status=done
db 0 "2 runs in" list --program polybench/atax --where l1.size=16384
db 0 "0 runs in" list --model old
db 1 "has no column 'l1.hist'; did you mean 'l1.hits'?" list --columns l1.hist
db 1 "has no setting 'l1.sise'; did you mean 'l1.size'?" list --where l1.sise=3
db 1 "'grid' belongs to a kernel" list --columns grid
# A PTX file's settings have names of a kernel's columns. A row of a run has the setting; a row of a kernel has both.
cp "$ONCHIP_SOURCE/examples/saxpy.ptx" saxpy.ptx
"$ONCHIP" sweep --gpu gtx480 saxpy.ptx "grid={2,1},3" block=8,16 kernel=saxpy --arg i32:8 --arg f32:2 --arg buf:32 \
    --arg buf:32 \
    --db file.db >/dev/null
front='key verb program params gpu overrides options model'
db 0 "$(tr ' ' '\t' <<<"$front grid block cycles status error")" list --columns cycles --db file.db
[[ $(grep "done" out | cut -f 9,10 | sort | xargs) == '2,1 16 2,1 8 3 16 3 8' ]] ||
    complain "db list: settings of a file's runs: $(cat out)"
db 0 "saxpy.ptx" list --columns grid,kernel --db file.db
[[ $(grep "done" out | cut -f 11,12 | sort | xargs) == '2,1 saxpy 2,1 saxpy 3 saxpy 3 saxpy' ]] ||
    complain "db list --columns grid: $(cat out)"
db 0 "$(tr ' ' '\t' <<<"$front setting.grid setting.block kernel grid")" list --kernels --columns grid --db file.db
[[ $(grep "done" out | cut -f 9-12 | sort | xargs) == \
    '2,1 16 saxpy 2,1,1 2,1 8 saxpy 2,1,1 3 16 saxpy 3,1,1 3 8 saxpy 3,1,1' ]] ||
    complain "db list --kernels: a file's runs: $(cat out)"
db 1 "'launches' belongs to a kernel" list --columns launches --db file.db
db 2 "db has no command 'lisst'; did you mean 'list'?" lisst
db 2 "unknown option --columms; did you mean '--columns'?" list --columms ipc
db 2 "db list takes no --yes" list --yes
db 2 "--json or --csv, not both" list --json --csv
db 2 "db list takes no argument 'atax'" list atax
db 2 "usage: onchip db COMMAND"
db 0 "usage: onchip db delete" delete --help

# --- show
key=$("$ONCHIP" db list --program vectoradd --gpu gtx480 --where l1.size=16KiB --csv | sed -n '2s/,.*//p')
((${#key} == 32)) || complain "the CSV has no key: $key"
db 0 "$key" show "${key:0:8}"
db 0 "\"key\": \"$key\"" show "$key" --json
db 1 "has no run 123456789" show 123456789
db 1 "'nonsense' isn't the beginning of a key" show nonsense
db 2 "db show takes a key" show

# --- compare
db 0 "all programs" compare --by l1.size=16KiB,32KiB
db 0 "equal in every digit" compare --by l1.size=16KiB,32KiB --program vectoradd
db 0 "geometric means" compare --by gpu=gtx480,titan_black --column warp_instructions
# Clocks of 700 and 980 MHz: cycles are of two lengths, so that times are compared.
db 0 "simulated time in" compare --by gpu=gtx480,titan_black
grep -q 'cycles / gpu.clock: gpu=titan_black / gpu=gtx480' out || complain "compare: $(cat out)"
both() {
    "$ONCHIP" db list --program atax --where l1.size=16KiB --where options= --gpu "$1" --columns cycles --csv |
        sed -n 2p | tr -d '\r' | cut -d, -f "$2"
}
heads=$("$ONCHIP" db list --program atax --columns cycles --csv | head -n 1 | tr -d '\r' | tr , '\n' |
    grep -n '^cycles$' | cut -d: -f 1)
want=$(awk -v a="$(both gtx480 "$heads")" -v b="$(both titan_black "$heads")" \
    'BEGIN { printf "%.4f", (b / 980) / (a / 700) }')
grep -q "^atax .*l1.size=16KiB .* $want\$" out || complain "compare: no ratio $want: $(cat out)"
db 0 "cycles: gpu=titan_black / gpu=gtx480" compare --by gpu=gtx480,titan_black --column cycles
grep -q 'the clocks differ' out || complain "compare --column cycles: $(cat out)"
db 0 "cycles: l1.size=32KiB / l1.size=16KiB" compare --by l1.size=16KiB,32KiB
db 0 "cycles: block=16 / block=8" compare --by block=8,16 --db file.db
db 0 "cycles: grid=2,1 / grid=3" compare --by 'grid=3,{2,1}' --db file.db
db 1 "(0 and 2 runs)" compare --by grid=,3 --db file.db
db 1 "a value with commas stands in braces" compare --by grid=2,1,3 --db file.db
db 1 "--columns: '{' without '}'" list --columns '{cycles' --db file.db
db 1 "no run of one side has a partner" compare --by program=atax,vectoradd
db 2 "compare what?" compare
db 2 "compare what?" compare a.db
db 1 "--by takes NAME=A,B, not 'l1.size'" compare --by l1.size
cp "$XDG_DATA_HOME/onchip/results.db" before.db
db 0 "14 pairs, 0 differ" compare --against before.db
db 0 "equal in every digit" compare before.db "$XDG_DATA_HOME/onchip/results.db"
other=$("$ONCHIP" db list --program vectoradd --gpu titan_black --where l1.size=16KiB --csv | sed -n '2s/,.*//p')
db 0 "counters differ" compare "$key" "$other"
grep -q '^simulated time in .*, ratio' out || complain "two runs of different clocks: $(cat out)"
db 0 "ratio" compare "$key" "$other" --column cycles
db 0 "are equal in every counter" compare "$key" "$key"
if command -v sqlite3 >/dev/null; then
    sqlite3 before.db \
        "UPDATE run SET model = 0, key = '0' || substr(key, 2) WHERE program = 'vectoradd' AND status = 'done';
        UPDATE counter SET value = 2 * value WHERE name = 'l1.accesses' AND value > 0 AND
            kernel_id = (SELECT k.id FROM kernel k JOIN run r ON r.id = k.run_id
                WHERE r.program = 'vectoradd' AND r.gpu = 'gtx480' LIMIT 1)"
    restamp before.db
    db 1 "14 pairs, 1 differ" compare --against before.db
    db 0 "5 pairs, 0 differ" compare --against before.db --where program=atax
    sqlite3 before.db "DELETE FROM run"
    db 1 "nothing to compare" compare --against before.db
fi

# --- delete
db 2 "delete which?" delete
db 1 "4 runs would be deleted" delete --program histogram
db 0 "1 run deleted" delete "$key"
db 1 "has no such run" delete "$key"
db 0 "1 run deleted" delete --failed
db 0 "4 runs deleted" delete --program histogram --yes
db 0 "8 runs in" list

# A field with a comma stands in quotes (RFC 4180).
"$ONCHIP" sweep --gpu gtx480 vectoradd n=64 --set 'storage.carveouts={24,17}' --db commas.db >/dev/null
db 0 ',gtx480,"storage.carveouts=24,17",,' list --csv --columns storage.carveouts --db commas.db
db 0 ',"24,17",done,' list --csv --columns storage.carveouts --db commas.db

# The course of each kernel is exported as the run itself tells it: atax has two.
series() { tr -d ' \n' | grep -o '"cycles":\[[0-9,]*\]'; }
"$ONCHIP" sweep --gpu gtx480 atax --size small --interval 2000 --db series.db >/dev/null
"$ONCHIP" run --gpu gtx480 atax --size small --interval 2000 --json | series >told
"$ONCHIP" db export --db series.db --json | series >exported
[[ $(sort -u told | wc -l) == 2 ]] && cmp -s told exported || complain "exported: $(cut -c1-60 exported)"

# --- where nothing can be written: as another user when the test is run by root
mkdir locked
cp "$XDG_DATA_HOME/onchip/results.db" locked
chmod 444 locked/results.db
chmod 555 locked
chmod 755 "$folder"
as=()
if ((EUID == 0)); then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
if "${as[@]}" test -x "$ONCHIP" 2>/dev/null; then
    "${as[@]}" "$ONCHIP" db list --db locked/results.db >out 2>&1 ||
        complain "a store that can't be written can't be read: $(cat out)"
    grep -q "8 runs in locked/results.db" out || complain "locked: $(cat out)"
    if "${as[@]}" "$ONCHIP" db delete --program atax --yes --db locked/results.db >out 2>&1; then
        complain "runs were deleted from a locked store"
    fi
    grep -q "readonly" out || complain "locked: $(cat out)"
fi
chmod 755 locked
exit $bad
