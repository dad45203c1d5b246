#!/bin/bash
# onchip sweep under mpirun: three ranks leave the store that one process with --jobs 3 leaves, but for when, where and
# how long; rank 0 alone speaks (libraries may on stderr); without the module, no process runs the whole sweep. The long
# form has more runs, and every figure of a folder. Skipped (77) without Open MPI.
set -euo pipefail
cd "$ONCHIP_SOURCE"
source test/lab/ranks.bash
programs=vectoradd,bfs,reduction runs=6 gpus=gtx480 cycles=2000,500 n=32 warps=(--set sm.warps=8)
if [[ ${ONCHIP_LONG:-} ]]; then
    programs=atax,bicg,mvt,$programs runs=24 gpus=gtx480,titan_black cycles=100000,1000 n=64 warps=()
fi
matrix=(--program $programs --size small --gpu $gpus --sched lrr,gto)

"$ONCHIP" sweep "${matrix[@]}" --db "$folder/alone.db" --jobs 3 >/dev/null
"${mpi[@]}" -n 3 "$ONCHIP" sweep "${matrix[@]}" --db "$folder/ranks.db" >"$folder/out" 2>"$folder/err" ||
    complain "three ranks fail: $(cat "$folder/out" "$folder/err")"
same "$folder/alone.db" "$folder/ranks.db"
[[ $(grep -c ^ "$folder/out") == 2 ]] || complain "rank 0 alone says two lines, not: $(cat "$folder/out")"
"${mpi[@]}" -n 3 "$ONCHIP" sweep "${matrix[@]}" --db "$folder/ranks.db" >"$folder/out"
grep -q "^$runs runs: $runs in the store already, 0 simulated, 0 failed" "$folder/out" ||
    complain "the second time: $(cat "$folder/out")"

# Time series, launches that are cut off, several runs on each rank.
series=(--program 'atax,saxpy' --size small --interval 100 --max-cycles $cycles)
"$ONCHIP" sweep "${series[@]}" --db "$folder/alone.db" --jobs 1 >/dev/null
"${mpi[@]}" -n 2 "$ONCHIP" sweep "${series[@]}" --jobs 2 --db "$folder/ranks.db" >/dev/null
same "$folder/alone.db" "$folder/ranks.db"

# A search has the same candidates on every rank; its best is told once.
search=(atax nx=$n ny=$n --sched gto,best-swl "${warps[@]}")
"$ONCHIP" sweep "${search[@]}" --db "$folder/alone.db" --jobs 1 >"$folder/out"
"${mpi[@]}" -n 3 "$ONCHIP" sweep "${search[@]}" --db "$folder/ranks.db" >"$folder/out2"
same "$folder/alone.db" "$folder/ranks.db"
diff <(grep best-swl "$folder/out") <(grep best-swl "$folder/out2") || complain "ranks find another limit"

# Figures are sweeps, one after the other.
figures=workloads
if [[ ! ${ONCHIP_LONG:-} ]]; then
    figures=$folder/figures
    mkdir "$figures"
    for axis in l1.size=16KiB,48KiB sched=lrr,gto; do
        printf '%s\n' '[figure]' title=Cycles x=program series=${axis%%=*} y=cycles \
            '[matrix]' program=vectoradd,saxpy gpu=gtx480 size=small $axis >"$figures/${axis%%=*}.ini"
    done
fi
"$ONCHIP" reproduce "$figures" --db "$folder/figures.db" --csv >"$folder/alone.csv"
"${mpi[@]}" -n 2 "$ONCHIP" reproduce "$figures" --db "$folder/figures.ranks.db" --csv >"$folder/ranks.csv"
[[ $(grep -c vectoradd "$folder/alone.csv") -ge 4 ]] || complain "figures: $(cat "$folder/alone.csv")"
diff "$folder/alone.csv" "$folder/ranks.csv" || complain "figures differ"

# A mistake is told once.
if "${mpi[@]}" -n 3 "$ONCHIP" sweep --program nothing --db "$folder/x.db" >"$folder/out" 2>&1; then
    complain "a mistake passes"
fi
[[ $(grep -c 'no workload' "$folder/out") == 1 ]] || complain "a mistake is told once: $(cat "$folder/out")"

# With --shard each process is on its own. Without the module, or without MPI around it, none runs everything.
"${mpi[@]}" -n 2 sh -c "\"$ONCHIP\" sweep --program vectoradd --size small --gpu gtx480,titan_black --sched lrr,gto \
    --db \"$folder/shards.db\" --shard \$OMPI_COMM_WORLD_RANK/2" >"$folder/out"
[[ $(grep -c '^2 runs: 0 in the store already, 2 simulated' "$folder/out") == 2 ]] ||
    complain "shards: $(cat "$folder/out")"
if ONCHIP_MPI=/nowhere "${mpi[@]}" -n 2 "$ONCHIP" sweep "${matrix[@]}" --db "$folder/x.db" >"$folder/out" 2>&1; then
    complain "without the module it runs"
fi
grep -q 'hint: .*--shard' "$folder/out" || complain "without the module: $(cat "$folder/out")"
if OMPI_COMM_WORLD_SIZE=4 "$ONCHIP" sweep "${matrix[@]}" --db "$folder/x.db" >"$folder/out" 2>&1; then
    complain "one of four runs all"
fi
grep -q 'one of the 4 processes' "$folder/out" || complain "one of four: $(cat "$folder/out")"
OMPI_COMM_WORLD_SIZE=1 ONCHIP_MPI=/nowhere "$ONCHIP" sweep --program vectoradd --size small --db "$folder/x.db" \
    >/dev/null || complain "one of one is alone"
exit $bad
