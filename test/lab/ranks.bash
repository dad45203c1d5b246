# ranks.bash: what the tests under mpirun share. Skips (77) where there is no Open MPI that works, or no module for it.
command -v mpirun sqlite3 >/dev/null || exit 77
[[ -e $ONCHIP_BUILD/libonchip-mpi.so && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
grep -q 'Open MPI' <<<"$(mpirun --version)" || exit 77
mpi=(mpirun --oversubscribe --allow-run-as-root)
"${mpi[@]}" -n 2 true >/dev/null 2>&1 || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
folder=$work

# content STORE: every row of every table by the names that rows have, without numbers and without when, where and how
# long. The checksum of a run's own row counts these, so it is left out.
content() {
    local table columns all from queries=
    while IFS='|' read -r table columns all; do
        case $all in
        kernel_id,*) from="r.key, k.name, k.functional, $columns
            FROM $table t JOIN kernel k ON k.id = t.kernel_id JOIN run r ON r.id = k.run_id" ;;
        *run_id,*) from="r.key, $columns FROM $table t JOIN run r ON r.id = t.run_id" ;;
        *) from="$columns FROM $table t" ;;
        esac
        [[ $table != checksum ]] || from+=" WHERE t.name != 'run'"
        queries+="SELECT '$table', $from;"
    done < <(sqlite3 "$1" "SELECT m.name, group_concat('t.' || c.name) FILTER (WHERE c.name NOT IN
            ('id', 'run_id', 'kernel_id', 'wall_seconds', 'memory_bytes', 'finished', 'host')), group_concat(c.name)
        FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name ORDER BY m.name")
    sqlite3 "$1" "$queries" | sort
}

# same STORE STORE
same() {
    [[ $(sqlite3 "$2" 'PRAGMA integrity_check; PRAGMA foreign_key_check') == ok ]] || complain "$2 is damaged"
    diff <(content "$1") <(content "$2") >"$work/difference" ||
        complain "$1 and $2 differ: $(head -n 20 "$work/difference")"
}

# rows STORE: how many runs it has.
rows() { sqlite3 "$1" 'SELECT count(*) FROM run' 2>/dev/null || echo 0; }

# children PID. Other processes come and go meanwhile.
children() { grep -lsE "^PPid:[[:space:]]+$1\$" /proc/[0-9]*/status | cut -d / -f 3 || true; }

# rank PID N: the process that is rank N of the mpirun that is PID.
rank() {
    local pid
    for pid in $(children "$1"); do
        if grep -qszx "OMPI_COMM_WORLD_RANK=$2" "/proc/$pid/environ"; then echo "$pid"; fi
    done
}
