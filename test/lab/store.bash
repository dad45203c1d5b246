# store.bash: what the tests of the store share.
source "$ONCHIP_SOURCE/test/test.bash"
folder=$work
cd "$work"

# contents STORE: everything in it that a run determines, ordered by what names it: no row numbers, times, memory, host.
contents() {
    if ! command -v sqlite3 >/dev/null; then
        "$ONCHIP" db export --db "$1" --json | sed -E '/^ *"(wall_seconds|memory_bytes|finished|host)":/d'
        return
    fi
    sqlite3 -readonly "$1" "
        PRAGMA integrity_check; PRAGMA foreign_key_check;
        SELECT key, verb, program, params, gpu, overrides, options, status, error, verified, cycles, warp_instructions,
            thread_instructions, model, version FROM run ORDER BY key;
        SELECT key, s.name, value FROM run r JOIN setting s ON s.run_id = r.id ORDER BY key, s.name;
        SELECT key, m.name, value, text FROM run r JOIN measure m ON m.run_id = r.id ORDER BY key, m.name;
        SELECT key, k.name, launches, grid, block, dynamic_shared, functional, partial, occupancy_blocks,
            occupancy_warps, occupancy_limit, seconds FROM run r JOIN kernel k ON k.run_id = r.id
            ORDER BY key, k.name, functional;
        SELECT key, k.name, functional, c.name, value FROM run r JOIN kernel k ON k.run_id = r.id
            JOIN counter c ON c.kernel_id = k.id ORDER BY key, k.name, functional, c.name;
        SELECT key, k.name, functional, c.name, value FROM run r JOIN kernel k ON k.run_id = r.id
            JOIN rate c ON c.kernel_id = k.id ORDER BY key, k.name, functional, c.name;
        SELECT key, k.name, functional, s.name, loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits,
            dram_bytes FROM run r JOIN kernel k ON k.run_id = r.id JOIN structure s ON s.kernel_id = k.id
            ORDER BY key, k.name, functional, s.name;
        SELECT key, k.name, functional, number, s.name, value FROM run r JOIN kernel k ON k.run_id = r.id
            JOIN sample s ON s.kernel_id = k.id ORDER BY key, k.name, functional, number, s.name;"
}

# damage FILE SQL: makes a copy of good.db, and changes it.
damage() {
    cp good.db "$1"
    sqlite3 "$1" "$2; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE" >/dev/null
}

# try FILE COMMAND …: runs it on a copy; its exit status in $status, what it says in out and $said.
try() {
    cp "$1" copy.db
    [[ ! -e copy.db-wal && ! -e copy.db-shm ]] || rm -f copy.db-wal copy.db-shm
    status=0
    # shellcheck disable=SC2086
    "$ONCHIP" ${*:2} --db copy.db >out 2>&1 || status=$?
    ((status < 100)) || complain "$1: onchip ${*:2}: exit status $status"
    IFS= read -rd '' said <out || true
    ((status == 0)) || [[ $said == *'onchip: '* ]] || complain "$1: onchip ${*:2}: fails and says nothing"
}

# restamp STORE: makes a store whose rows were changed one of version 1, so that onchip takes them as they are now.
restamp() {
    sqlite3 "$1" "DROP TABLE checksum; DROP TABLE line; DROP TABLE source; DROP TABLE said;
        DROP TABLE why; PRAGMA user_version = 1"
}

# same A B: the stores have the same contents.
same() {
    contents "$1" >"$work/a.contents"
    contents "$2" >"$work/b.contents"
    [[ -s $work/a.contents ]] || complain "$1 is empty"
    cmp -s "$work/a.contents" "$work/b.contents" && return
    complain "$1 and $2 differ:"
    diff "$work/a.contents" "$work/b.contents" | head -n 20 >&2
}

# children PID: the processes it started.
children() { cat "/proc/$1/task/$1/children" 2>/dev/null || true; }
