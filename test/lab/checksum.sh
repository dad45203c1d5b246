#!/bin/bash
# What is read of a run is what was stored: a row or byte that was changed is noticed, with the store, the run and the
# table; and so is a value that no onchip stores, whatever its checksum says. In the short form a change is shown to the
# two commands whose turn it is, and the run is made again after every fifth.
set -uo pipefail
command -v sqlite3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/lab/store.bash"
ulimit -t 60
matrix=(sweep --program "vectoradd,saxpy" --size small --gpu gtx480 --set "l1.size=16KiB,32KiB" --interval 100)
"$ONCHIP" "${matrix[@]}" --db good.db >/dev/null
sqlite3 good.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
key=$(sqlite3 good.db "SELECT key FROM run LIMIT 1")
size=$(stat -c %s good.db)

# A row that was changed, lost or added is noticed by whatever reads the run, with the run and the table; only samples
# are checked when they are read themselves. Without the run, the store is as good as it was.
all=("db list" "db show $key" "db export --json" "db export" "db compare $key $key" "db compare --against good.db"
    "report --no-figures -o page.html"
    "${matrix[*]}")
turn=0
changed() { # TABLE SQL: of the run with this key
    local k n=${#all[@]} command
    damage changed.db "$2"
    cmp -s good.db changed.db && complain "nothing was changed by $2"
    for ((k = 0; k < n; k++)); do
        command=${all[k]}
        if [[ $1 == sample && $command != *json && $command != sweep* && $command != report* ]]; then continue; fi
        [[ ${ONCHIP_LONG:-} || $1 == sample ]] || (((k + turn) % n < 2)) || continue
        try changed.db "$command"
        ((status == 1)) || complain "$2: onchip $command: exit status $status"
        [[ $said == *"damaged: run $key: its rows in the table $1 aren't those that were stored"* ]] ||
            complain "$2: onchip $command: $(head -n 3 out)"
        [[ $said == *"hint: onchip db delete $key drops the run, so that it can be made again"* ]] ||
            complain "$2: onchip $command: no hint: $said"
    done
    turn=$((turn + 2))
    [[ ${ONCHIP_LONG:-} ]] || ((turn % 10 == 2)) || return
    : >none.db
    "$ONCHIP" db merge changed.db --db none.db >out 2>&1 && complain "$2: a damaged run is merged"
    grep -qF "changed.db is damaged: run $key: its rows in the table $1" out || complain "$2: merge: $(cat out)"
    "$ONCHIP" db delete "$key" --db changed.db >/dev/null || complain "$2: the run can't be deleted"
    "$ONCHIP" "${matrix[@]}" --db changed.db >out 2>&1 || complain "$2: the sweep doesn't go on: $(cat out)"
    grep -qF "4 runs: 3 in the store already, 1 simulated" out || complain "$2: the sweep: $(cat out)"
    same good.db changed.db
}
run="run_id = (SELECT id FROM run WHERE key = '$key')"
kernel="kernel_id IN (SELECT id FROM kernel WHERE $run)"
changed run "UPDATE run SET cycles = cycles - 1 WHERE key = '$key'"
changed run "UPDATE run SET host = host || 'x' WHERE key = '$key'"
changed setting "UPDATE setting SET value = '48KiB' WHERE $run AND name = 'l1.size'"
changed setting "DELETE FROM setting WHERE $run AND name = 'n'"
changed measure "UPDATE measure SET value = value + 1 WHERE $run AND name = 'interference.most'"
changed measure "INSERT INTO measure SELECT id, 'more', 1, NULL FROM run WHERE key = '$key'"
changed kernel "UPDATE kernel SET occupancy_warps = occupancy_warps + 1 WHERE $run"
changed counter "UPDATE counter SET value = value + 1 WHERE $kernel AND name = 'l1.hits'"
changed counter "DELETE FROM counter WHERE $kernel AND name = 'l1.hits'"
changed rate "UPDATE rate SET value = value * 2 WHERE $kernel AND name = 'ipc'"
changed rate "UPDATE rate SET value = NULL WHERE $kernel AND name = 'ipc'"
changed structure "UPDATE structure SET name = 'zz' WHERE $kernel AND
    name = (SELECT min(name) FROM structure WHERE $kernel)"
changed said "UPDATE said SET text = 'nothing alone' WHERE $kernel"
changed sample "UPDATE sample SET value = value + 1 WHERE $kernel AND number = 1 AND name = 'cycles'"
changed run "UPDATE checksum SET value = '' WHERE $run AND name = 'run'"
changed rate "DELETE FROM checksum WHERE $run AND name = 'rate'"
# The key is part of every hash: two runs can't have changed places.
damage swapped.db "UPDATE run SET key = 'x' WHERE id = 1; UPDATE run SET key = (SELECT key FROM run WHERE id = 2) || 'y'
    WHERE id = 2; UPDATE run SET key = substr(key, 1, 32) WHERE id = 2"
try swapped.db "db list"
((status == 1)) || complain "a key that was changed isn't noticed: $(cat out)"

# Values that nothing keeps out of a store whose checksums were made for them.
expect() { # SQL TEXT COMMAND…
    damage values.db "$1"
    restamp values.db
    for command in "${@:3}"; do
        try values.db "$command"
        ((status == 1)) && [[ $said == *"$2"* ]] ||
            complain "$1: onchip $command: '$2' is expected, not: $status $(head -n 3 out)"
    done
}
two=("db list" "report --no-figures -o page.html")
[[ ${ONCHIP_LONG:-} ]] || two=("db list")
whole="not a whole number of 0 or more"
expect "UPDATE counter SET value = 'many' WHERE name = 'cycles'" "counter cycles: value is 'many', $whole" "${two[@]}" \
    ${ONCHIP_LONG:+"${all[@]}"}
expect "UPDATE counter SET value = -1 WHERE name = 'cycles'" "counter cycles: value is '-1', $whole" "${two[@]}"
expect "UPDATE counter SET value = 1e300 WHERE name = 'cycles'" "counter cycles: value is '1.0e+300', $whole" "db list"
expect "UPDATE rate SET value = 9e999 WHERE name = 'ipc'" "rate ipc: value is 'Inf', not a finite number" "${two[@]}"
expect "UPDATE rate SET value = 'fast' WHERE name = 'ipc'" "rate ipc: value is 'fast', not a finite number" "db list"
expect "UPDATE kernel SET seconds = -1" "seconds is '-1.0', not a number of 0 or more" "${two[@]}"
expect "UPDATE kernel SET functional = 7" "functional is '7', not 0 or 1" "${two[@]}"
expect "UPDATE run SET cycles = 'some'" "run cycles is 'some', $whole" "${two[@]}"
expect "UPDATE run SET memory_bytes = -5" "run memory_bytes is '-5', $whole" "${two[@]}"
expect "UPDATE run SET wall_seconds = 9e999" "run wall_seconds is 'Inf', not a number of 0 or more" "${two[@]}"
expect "UPDATE run SET host = char(27) || '[2J'" "run host is '?[2J', not a text without control characters" "${two[@]}"
expect "UPDATE run SET program = 'a' || char(0) || 'b'" "run program is 'a', not a text without control" "db list"
expect "UPDATE run SET version = x'00ff'" "run version is '', not a text" "${two[@]}"
expect "UPDATE structure SET loads = -1" "loads is '-1', $whole" "${two[@]}"
expect "UPDATE measure SET text = x'1b'" "text is '?', not a text" "${two[@]}"
for number in 1000000000000000 9223372036854775807 -1; do
    expect "UPDATE sample SET number = $number WHERE number = 2" "copy.db is damaged: " \
        "report --no-figures -o page.html"
done
expect "UPDATE counter SET value = 9223372036854775807 WHERE name = 'l1.hits'; INSERT INTO kernel SELECT NULL, run_id,
    'twin', launches, grid, block, dynamic_shared, functional, partial, occupancy_blocks, occupancy_warps,
    occupancy_limit, seconds FROM kernel; INSERT INTO counter SELECT id, 'l1.hits', 9223372036854775807 FROM kernel
    WHERE name = 'twin'" "the sum of l1.hits over a run's kernels has no room in 64 bits" "db list --columns l1.hits"
# Such a run alone is lost: the store opens, and without the run it is read as before.
damage values.db "UPDATE run SET cycles = 'some' WHERE key = '$key'"
restamp values.db
"$ONCHIP" db delete "$key" --db values.db >out 2>&1 || complain "the run can't be deleted: $(cat out)"
try values.db "db list"
((status == 0)) || complain "without the run: $(cat out)"
# What can be shown is no damage, whatever it looks like.
damage values.db "UPDATE run SET program = '%s%n''\"; DROP TABLE run', host = '' WHERE id = 1"
restamp values.db
try values.db "db list"
((status == 0)) && grep -qF "%s%n'\"; DROP TABLE run" out || complain "a program with a strange name: $(cat out)"
damage values.db "UPDATE run SET key = '%s%n' WHERE id = 1; UPDATE run SET key = '' WHERE id = 2"
for command in "${two[@]}" ${ONCHIP_LONG:+"${all[@]}"}; do try values.db "$command"; done

# One byte anywhere: whatever is still shown of a run is what was stored.
columns=key,program,params,gpu,status,cycles,kernel,launches,grid,ipc,l1.hits,l1.accesses,dram.read_bytes,l1.size
"$ONCHIP" db export --csv --columns $columns --db good.db | sort >good.rows
step=10  # every tenth place, without ONCHIP_LONG
[[ -z ${ONCHIP_LONG:-} ]] || step=1
for k in $(seq 1 $step 100); do
    cp good.db bytes.db
    printf "\\x$(printf %02x $((k * 37 % 256)))" |
        dd of=bytes.db bs=1 seek=$((k * 1000003 % size)) conv=notrunc status=none
    try bytes.db "db export --csv --columns $columns"
    grep -v '^onchip: \|^hint: ' out | sort | comm -23 - good.rows >other
    [[ ! -s other ]] || complain "byte $((k * 1000003 % size)) shows: $(cat other)"
done

exit $bad
