# store.bash: what the tests of the store share.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
bad=0
complain() {
    echo "$1" >&2
    bad=1
}

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

# same A B: the stores have the same contents.
same() {
    contents "$1" >"$folder/a.contents"
    contents "$2" >"$folder/b.contents"
    [[ -s $folder/a.contents ]] || complain "$1 is empty"
    cmp -s "$folder/a.contents" "$folder/b.contents" && return
    complain "$1 and $2 differ:"
    diff "$folder/a.contents" "$folder/b.contents" | head -n 20 >&2
}

# children PID: the processes it started.
children() { cat "/proc/$1/task/$1/children" 2>/dev/null || true; }
