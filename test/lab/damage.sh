#!/bin/bash
# A store that is damaged, or of a version that nobody made, is refused with a reason by every command that reads it; no
# command crashes, takes memory without bound or changes the file's contents.
set -uo pipefail
command -v sqlite3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/lab/store.bash"
ulimit -t 60
[[ ${ONCHIP_SANITIZED:-} ]] || ulimit -v 4000000

"$ONCHIP" sweep --program vectoradd,saxpy --size small --set l1.size=16KiB,32KiB --interval 100 --db good.db >/dev/null
sqlite3 good.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
key=$(sqlite3 good.db "SELECT key FROM run LIMIT 1")
(($(sqlite3 good.db "SELECT count(*) FROM sample") > 100)) || complain "no samples"

commands=("db list" "db show $key" "db export --json" "db export" "db compare --by l1.size=16KiB,32KiB"
    "report --no-figures -o page.html" "sweep --program vectoradd,saxpy --size small --set l1.size=16KiB,32KiB")

# try FILE COMMAND …: runs it on a copy; its exit status in $status, what it says in out.
try() {
    cp "$1" copy.db
    rm -f copy.db-wal copy.db-shm
    status=0
    # shellcheck disable=SC2086
    "$ONCHIP" ${*:2} --db copy.db >out 2>&1 || status=$?
    ((status < 100)) || complain "$1: onchip ${*:2}: exit status $status"
    ((status == 0)) || grep -q 'onchip: ' out || complain "$1: onchip ${*:2}: fails and says nothing"
}
# refused FILE TEXT: by every command.
refused() {
    for command in "${commands[@]}"; do
        try "$1" "$command"
        ((status == 1 || status == 2)) || complain "$1: onchip $command: exit status $status"
        grep -qF -- "$2" out || complain "$1: onchip $command: '$2' is expected, not: $(head -n 3 out)"
        cmp -s "$1" copy.db || complain "$1: onchip $command: the file was changed"
    done
}
damage() { # FILE SQL
    cp good.db "$1"
    sqlite3 "$1" "$2; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE" >/dev/null
}

for version in -1 -5 -2147483648; do
    damage version.db "PRAGMA user_version = $version"
    refused version.db 'is a database of something else'
done
damage version.db "PRAGMA user_version = 2147483647"
refused version.db 'is a store of version 2147483647'
for table in structure sample measure; do
    damage "$table.db" "DROP TABLE $table"
    refused "$table.db" "copy.db is damaged: its $table is missing"
done
for table in run setting kernel counter rate; do
    damage "$table.db" "PRAGMA foreign_keys = OFF; DROP TABLE $table"
    refused "$table.db" 'is a database of something else'
done
damage column.db "ALTER TABLE kernel RENAME COLUMN grid TO grit"
refused column.db 'copy.db is damaged: its kernel is missing, or'
size=$(stat -c %s good.db)
for bytes in 100 4096 20000 $((size / 2)); do
    head -c "$bytes" good.db >short.db
    for command in "${commands[@]}"; do try short.db "$command"; done
    ((status != 0)) || complain "a store cut to $bytes bytes is taken"
done
: >short.db
try short.db "db list"

# Values that the schema doesn't keep out.
expect() { # COMMAND TEXT
    try values.db "$1"
    ((status == 1 || status == 2)) && grep -qF -- "$2" out ||
        complain "onchip $1: '$2' is expected, not: $status $(head -n 3 out)"
}
damage values.db "UPDATE counter SET value = 'many' WHERE name = 'cycles'"
expect "db list" "copy.db is damaged: counter cycles is 'many', not a whole number"
expect "report --no-figures -o page.html" "copy.db is damaged: value is 'many', not a whole number"
for number in 1000000000000000 9223372036854775807 -1; do
    damage values.db "UPDATE sample SET number = $number WHERE number = 2"
    expect "report --no-figures -o page.html" "copy.db is damaged: number is '"
done
damage values.db "UPDATE run SET cycles = 'some' WHERE id = 1"
expect "report --no-figures -o page.html" "copy.db is damaged: cycles is 'some'"
damage values.db "UPDATE run SET key = '%s%n' WHERE id = 1; UPDATE run SET key = '' WHERE id = 2"
for command in "${commands[@]}"; do try values.db "$command"; done

# Bytes anywhere, the same in every run of the test.
for seed in 1 2 3 4 5 6 7 8; do
    cp good.db bytes.db
    for k in $(seq 20); do
        at=$(((seed * 7919 + k * 104729) * 131 % size))
        printf "\\x$(printf %02x $(((seed * 31 + k * 17) % 256)))" |
            dd of=bytes.db bs=1 seek="$at" conv=notrunc status=none
    done
    for command in "${commands[@]}"; do try bytes.db "$command"; done
    cp good.db whole.db
    "$ONCHIP" db merge bytes.db --db whole.db >out 2>&1
    (($? < 100)) || complain "merge of bytes.db: $(cat out)"
    [[ $(sqlite3 whole.db "PRAGMA integrity_check") == ok ]] || complain "a merge of a damaged store damages another"
done

# The store that was meant: none, or the file of another kind.
for path in '' / . ./ /dev/null/x; do
    status=0
    "$ONCHIP" db list --db "$path" >out 2>&1 || status=$?
    ((status == 1 || status == 2)) || complain "--db '$path': exit status $status"
    status=0
    "$ONCHIP" sweep --program vectoradd --size small --db "$path" >out 2>&1 || status=$?
    ((status == 1 || status == 2)) || complain "sweep --db '$path': exit status $status: $(cat out)"
done
# A view of the user's own is no damage.
damage view.db "CREATE VIEW mine AS SELECT program, cycles FROM run"
try view.db "db list"
((status == 0)) || complain "a store with a view is refused: $(cat out)"
exit $bad
