#!/bin/bash
# A store that is damaged, or of a version that nobody made, is refused with a reason by every command that reads it; no
# command crashes, takes memory without bound or changes the file's contents. In the short form a store is shown to the
# two commands whose turn it is, and to all only when bytes are changed; there are fewer rows too early and bytes.
set -uo pipefail
command -v sqlite3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/lab/store.bash"
ulimit -t 60
[[ ${ONCHIP_SANITIZED:-} ]] || ulimit -v 4000000

matrix=(--program vectoradd,saxpy --size small --gpu gtx480 --set l1.size=16KiB,32KiB)
"$ONCHIP" sweep "${matrix[@]}" --interval 100 --db good.db >/dev/null
sqlite3 good.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
key=$(sqlite3 good.db "SELECT key FROM run LIMIT 1")
(($(sqlite3 good.db "SELECT count(*) FROM sample") > 100)) || complain "no samples"

commands=("db list" "db show $key" "db export --json" "db export" "db compare --by l1.size=16KiB,32KiB"
    "report --no-figures -o page.html" "sweep ${matrix[*]}")

# refused FILE TEXT: by every command, or those whose turn it is.
turn=0
refused() {
    local k n=${#commands[@]} command
    for ((k = 0; k < n; k++)); do
        [[ ${ONCHIP_LONG:-} ]] || (((k + turn) % n < 2)) || continue
        command=${commands[k]}
        try "$1" "$command"
        ((status == 1 || status == 2)) || complain "$1: onchip $command: exit status $status"
        [[ $said == *"$2"* ]] || complain "$1: onchip $command: '$2' is expected, not: $(head -n 3 out)"
        cmp -s "$1" copy.db || complain "$1: onchip $command: the file was changed"
    done
    turn=$((turn + 2))
}
for version in -1 ${ONCHIP_LONG:+-5} -2147483648; do
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

# What isn't onchip's is refused by its name, in a store of any version: a trigger could falsify what is stored, a view
# could take a table's place or never end.
strange() { # TYPE NAME SQL
    damage strange.db "$3"
    refused strange.db "copy.db has the $1 '$2', which onchip didn't make"
    restamp strange.db
    try strange.db "db list"
    [[ $said == *"copy.db has the $1 '$2', which onchip didn't make"* ]] || complain "version 1 with the $1 $2: $said"
    cp good.db whole.db
    "$ONCHIP" db merge strange.db --db whole.db >out 2>&1 && complain "a store with the $1 $2 is merged"
    grep -qF "strange.db has the $1 '$2'" out || complain "merge of a store with the $1 $2: $(cat out)"
    same good.db whole.db
}
strange view mine "CREATE VIEW mine AS SELECT program, cycles FROM run"
strange trigger lower "CREATE TRIGGER lower AFTER INSERT ON run BEGIN UPDATE run SET cycles = 1 WHERE id = new.id; END"
strange trigger rates "CREATE TRIGGER rates AFTER INSERT ON rate BEGIN DELETE FROM rate; END"
strange trigger ever "CREATE TRIGGER ever AFTER INSERT ON run BEGIN INSERT INTO setting WITH RECURSIVE n (k) AS
    (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT new.id, 'x', max(k) FROM n; END"
strange table notes "CREATE TABLE notes (text)"
strange table notes "CREATE VIRTUAL TABLE notes USING fts5 (text)"
strange index by_host "CREATE INDEX by_host ON run (host)"
# A trigger that another program makes while the store is open does nothing.
cp good.db late.db
"$ONCHIP" sweep histogram n=1000000 --gpu gtx480 --set l1.size=16KiB,32KiB --jobs 1 --db late.db >out 2>&1 &
pid=$!
until [[ $(children $pid) ]] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
sqlite3 -cmd '.timeout 60000' late.db "CREATE TRIGGER lower AFTER INSERT ON run BEGIN DELETE FROM setting; END"
wait $pid || complain "a sweep whose store gets a trigger: $(cat out)"
sqlite3 late.db "DROP TRIGGER lower"
(($(sqlite3 late.db "SELECT count(DISTINCT run_id) FROM setting") == 6)) || complain "a late trigger was executed"

# Rows that wait for the next run or kernel don't become a part of it: no run is added, and the others are read.
early='launches, grid, block, dynamic_shared, functional, partial, occupancy_blocks, occupancy_warps, occupancy_limit,
    seconds FROM kernel LIMIT 1'
next_run='(SELECT max(id) + 1 FROM run)' next_kernel='(SELECT max(id) + 1 FROM kernel)'
for row in "setting VALUES ($next_run, 'odd', '9')" "measure VALUES ($next_run, 'odd', 9, NULL)" \
    "checksum VALUES ($next_run, 'odd', '')" "kernel SELECT NULL, $next_run, 'odd', $early" \
    "counter VALUES ($next_kernel, 'odd', 9)" "rate VALUES ($next_kernel, 'odd', 9)" \
    "sample VALUES ($next_kernel, 0, 'odd', 9)" \
    "structure SELECT $next_kernel, 'odd', 1, 1, 1, 1, 1, 1, 1, 1"; do
    damage early.db "PRAGMA foreign_keys = OFF; INSERT INTO $row"
    try early.db "sweep --program vectoradd --size small --gpu gtx480 --set l1.size=48KiB"
    grep -q "^onchip: copy.db can't take a run: its table ${row%% *} has rows of a [a-z]* that isn't there" out ||
        complain "a row too early, $row: $(cat out)"
    [[ ${ONCHIP_LONG:-} || $row == setting* || $row == counter* ]] || continue
    try early.db "db list"
    (($(grep -c '^[0-9a-f]\{32\}' out) == 4)) || complain "a row too early, $row, read: $(cat out)"
    "$ONCHIP" db merge early.db --db new.db >out 2>&1 || complain "a row too early, $row, merged: $(cat out)"
    same good.db new.db
    rm -f new.db*
done

# A page that lies below many others makes a table without end of a small file: 500⁵ runs.
cat >endless.py <<'PYTHON'
import sqlite3, struct, sys
def interior(child, size):
    page, start = bytearray(size), size - 500 * 5
    for k in range(500):
        page[start + 5 * k:start + 5 * k + 5] = struct.pack(">IB", child, 4)
    page[:12] = struct.pack(">BHHHBI", 5, 0, 500, start, 0, child)
    page[12:1012] = b"".join(struct.pack(">H", start + 5 * k) for k in range(500))
    return page
path = sys.argv[1]
root = sqlite3.connect(path).execute("SELECT rootpage FROM sqlite_master WHERE name = ?", sys.argv[2:]).fetchone()[0]
file = bytearray(open(path, "rb").read())
(size,) = struct.unpack(">H", file[16:18])
file += file[(root - 1) * size:root * size]
for _ in range(4):
    file += interior(len(file) // size, size)
file[(root - 1) * size:root * size] = interior(len(file) // size, size)
file[28:32] = struct.pack(">I", len(file) // size)
open(path, "wb").write(file)
PYTHON
if command -v python3 >/dev/null; then
    damage endless.db "VACUUM"
    python3 endless.py endless.db run
    for command in "db merge endless.db" ${ONCHIP_LONG:+"report --no-figures -o page.html"}; do
        try endless.db "$command"
        grep -q 'is damaged: reading it takes more steps than a store of its size can need' out ||
            complain "onchip $command of a table without end: $status $(cat out)"
    done
fi

# Bytes anywhere, the same in every run of the test.
for seed in 1 ${ONCHIP_LONG:+2 3 4 5 6 7 8}; do
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
exit $bad
