#!/bin/bash
# What is killed in the middle of a sweep under mpirun costs what it was running and no more: a rank, mpirun, the
# process of a run. The same command goes on from there, repeats nothing that was stored, and ends with the store of a
# sweep that nothing happened to. The short form kills rank 0 and the process of a run; the long one others, too.
# Skipped (77) without Open MPI.
set -euo pipefail
cd "$ONCHIP_SOURCE"
source test/lab/ranks.bash
sizes='atax nx=500 ny=400,bicg nx=500 ny=400,mvt n=400,syrk n=90,syrk n=100' n=160
[[ ${ONCHIP_LONG:-} ]] || n=110 sizes='atax nx=250 ny=200,bicg nx=250 ny=200,mvt n=200,syrk n=50,syrk n=60'
matrix=(--program "$sizes" --gpu gtx480,titan_black --sched lrr,gto)
runs=20
"$ONCHIP" sweep "${matrix[@]}" --db "$folder/whole.db" >/dev/null

# begin NAME [OPTION…]: three ranks, by now with some runs stored; $mpirun is their mpirun.
begin() {
    store=$folder/$1.db
    rm -f "$store" "$store"-*
    "${mpi[@]}" "${@:2}" -n 3 "$ONCHIP" sweep "${matrix[@]}" --db "$store" >"$folder/$1.out" 2>&1 &
    mpirun=$!
    while (($(rows "$store") < 4)) && kill -0 $mpirun 2>/dev/null; do sleep 0.1; done
    ranks=$(children $mpirun)
}

# killed NAME SIGNAL VICTIM [OPTION…]: begins, sends the signal to the process that the command VICTIM prints, and waits
# until all is gone. On a busy machine a sweep can be at its end before it is looked at: then once more.
killed() {
    local victim attempt
    for attempt in {1..20}; do
        begin "$1" "${@:4}"
        victim=$($3)
        [[ -z $victim ]] || kill "-$2" "$victim" 2>/dev/null || true
        gone $mpirun
        (($(rows "$store") == runs)) || return 0
    done
    complain "$1: $attempt sweeps ended before they were killed"
}
mpirun_itself() { echo $mpirun; }
rank_0() { rank $mpirun 0; }
rank_2() { rank $mpirun 2; }

# gone PID: waits for it and sets its exit status; then no rank is left either.
gone() {
    local pid
    status=0
    wait "$1" || status=$?
    for pid in $ranks; do
        for _ in {1..6000}; do
            [[ -e /proc/$pid ]] || continue 2
            sleep 0.02
        done
        complain "$store: rank $pid is left"
        kill -9 "$pid"
    done
}

# resumed NAME: the same command does the rest, and only that.
resumed() {
    local before after
    before=$(rows "$store")
    ((before >= 4 && before < runs)) || complain "$1: $before runs of $runs when it was killed: $(cat "$folder/$1.out")"
    [[ $(sqlite3 "$store" "SELECT count(*) FROM run WHERE status = 'failed'") == 0 ]] ||
        complain "$1: runs count as failed"
    sqlite3 "$store" 'SELECT key, id, finished, wall_seconds FROM run ORDER BY key' >"$folder/before"
    "${mpi[@]}" -n 3 "$ONCHIP" sweep "${matrix[@]}" --db "$store" >"$folder/out"
    grep -q "^$runs runs: $before in the store already, $((runs - before)) simulated, 0 failed" "$folder/out" ||
        complain "$1, again: $(cat "$folder/out")"
    after=$(sqlite3 "$store" 'SELECT key, id, finished, wall_seconds FROM run ORDER BY key' |
        grep -cxFf "$folder/before")
    [[ $after == "$before" ]] || complain "$1: of $before stored runs $after are as they were"
    same "$folder/whole.db" "$store"
}

killed rank0 KILL rank_0
resumed rank0

if [[ ${ONCHIP_LONG:-} ]]; then
    # A rank. Open MPI ends the others too: with SIGTERM, upon which rank 0 closes the store and says what is left.
    killed worker KILL rank_2
    ((status)) || complain "mpirun doesn't tell that a rank died"
    resumed worker

    killed mpirun KILL mpirun_itself
    resumed mpirun

    killed interrupt INT mpirun_itself
    grep -q 'left (the same command goes on)' "$folder/interrupt.out" ||
        complain "Ctrl-C: $(cat "$folder/interrupt.out")"
    resumed interrupt

    # With --enable-recovery the others go on, and the dead rank's run is given out again once it was silent long
    # enough.
    ONCHIP_MPI_SILENCE=5 begin recovery --enable-recovery
    victim=$(rank $mpirun 1)
    [[ -z $victim ]] || kill -9 "$victim" 2>/dev/null || true
    gone $mpirun
    grep -q "^$runs runs: 0 in the store already, $runs simulated, 0 failed" "$folder/recovery.out" ||
        complain "recovery: $(cat "$folder/recovery.out")"
    same "$folder/whole.db" "$store"
fi

# The process of a run, of a second or so: that run has failed, and only that. When it ended first, once more.
long=(--program "syrk n=$n,syrk n=$((n + 1)),syrk n=$((n + 2))" --db "$folder/run.db")
for _ in {1..20}; do
    rm -f "$folder"/run.db*
    "${mpi[@]}" -n 3 "$ONCHIP" sweep "${long[@]}" >"$folder/out" 2>&1 &
    mpirun=$!
    victim=
    while [[ -z $victim ]] && kill -0 $mpirun 2>/dev/null; do victim=$(children "$(rank_2)" | head -n 1); done
    [[ -z $victim ]] || kill -9 "$victim" 2>/dev/null || true
    status=0
    wait $mpirun || status=$?
    [[ $(sqlite3 "$folder/run.db" "SELECT count(*) FROM run WHERE status = 'failed'") == 0 ]] || break
done
((status)) || complain "mpirun doesn't tell that a run failed"
grep -q '^3 runs: 0 in the store already, 2 simulated, 1 failed' "$folder/out" || complain "a run: $(cat "$folder/out")"
[[ $(sqlite3 "$folder/run.db" "SELECT error FROM run WHERE status = 'failed'") == *'killed by signal 9'* ]] ||
    complain "a run: no reason is given"
"${mpi[@]}" -n 3 "$ONCHIP" sweep "${long[@]}" --retry >"$folder/out"
grep -q '^3 runs: 2 in the store already, 1 simulated, 0 failed' "$folder/out" ||
    complain "a run, again: $(cat "$folder/out")"
exit $bad
