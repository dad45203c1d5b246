#!/bin/bash
# bench.sh: how fast the simulator is. Times are CPU seconds of the whole process, user and system, the least of some
# runs with one thread; "2 threads" compares wall seconds of the simulation.
#
# Six kernels from compute-bound to fully divergent on gtx480, compared with the last time (build/bench.csv, which
# is replaced). A kernel whose simulation alone is slower than its budget, on the wall, makes the exit status 1: 120 ns
# a warp instruction plus 150 ns a transaction plus 20 ns a cycle of a busy SM.
#
# Then two programs of CUDA source, where clang is: what compiling them for the first time takes with the run, what the
# run takes from the cache, and the most memory that one process of it has.
set -euo pipefail
cd "$(dirname "$0")/.."
onchip=${ONCHIP:-build/onchip} last=${BENCH_FILE:-build/bench.csv} runs=${BENCH_RUNS:-3}
new=$(mktemp)
out=$(mktemp)
trap 'rm -f "$new" "$out"' EXIT
TIMEFORMAT='%U %S'

# CPU seconds of the process; its JSON is left in $out.
seconds() {
    { time "$onchip" run --gpu gtx480 "$@" --json >"$out"; } 2>&1 | awk '{ print $1 + $2 }'
}

# cpu-seconds wall-seconds warp-instructions transactions busy-SM-cycles, summed over the launches of one run
measure() {
    local cpu
    cpu=$(seconds "$@")
    awk -F'[:,]' -v cpu="$cpu" '
        /"wall_seconds"/ { wall = $2 }
        /"verified"/ { ok = $2 ~ /true/ }
        /"warp_instructions"/ { insts += $2 }  # once as a field, once as a counter
        /"l1[.]accesses"/ { trans += $2 }
        /"l1[.]bypasses"/ { trans += $2 }
        /"sm[.]active"/ { busy += $2 }
        END { if (!ok) exit 1; print cpu, wall + 0, insts / 2, trans, busy }' "$out"
}

best() {  # the run with the least time
    for _ in $(seq "$runs"); do measure "$@"; done | sort -g | head -n 1
}

echo "kernel,seconds,wall,warp_instructions,transactions,busy_cycles,wall_2" >"$new"
for workload in 'vectoradd n=1048576' 'matmul-tiled n=256' 'conv2d n=1024' 'syrk n=128' 'atax nx=1024 ny=1024' \
    'gesummv n=1024'; do
    # shellcheck disable=SC2086
    one=$(best $workload --threads 1)
    # shellcheck disable=SC2086
    two=$(best $workload --threads 2 | cut -d' ' -f2)
    echo "${workload// /_},${one// /,},$two" >>"$new"
done

[ -e "$last" ] || last=/dev/null
status=0
awk -F, -v last="$last" '
    BEGIN {
        while ((getline line <last) > 0) { split(line, f, ","); before[f[1]] = f[2] }
        printf "%-24s %8s %12s %12s %8s %9s %8s\n", "kernel", "CPU s", "Minst/s", "Mtrans/s", "budget", "2 threads",
            "before"
    }
    FNR == 1 { next }
    {
        budget = $4 * 120e-9 + $5 * 150e-9 + $6 * 20e-9
        printf "%-24s %8.3f %12.2f %12.2f %7.0f%% %8.2fx %8s\n", $1, $2, $4 / $2 / 1e6, $5 / $2 / 1e6,
            100 * $3 / budget, $3 / $7, ($1 in before) ? sprintf("%.2fx", before[$1] / $2) : "-"
        over += $3 > budget; n++; two += log($3 / $7)
    }
    END {
        printf "%-24s %8s %12s %12s %8s %8.2fx\n", "geometric mean", "", "", "", "", exp(two / n)
        exit over > 0
    }' "$new" || status=$?
mkdir -p "$(dirname "${BENCH_FILE:-build/bench.csv}")"
cp "$new" "${BENCH_FILE:-build/bench.csv}"

command -v clang >/dev/null || exit $status
TIMEFORMAT='%U %S'
source_seconds() {  # CPU seconds of onchip run FILE
    { time "$onchip" run --functional "$1" >"$out" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
printf '\n%-24s %8s %8s %8s\n' 'CUDA source' 'first s' 'again s' MiB
for source in test/compile/programs/saxpy.cu test/compile/libraries/sort.cu; do
    first='' again=''
    for _ in $(seq "$runs"); do
        XDG_CACHE_HOME=$(mktemp -d)
        export XDG_CACHE_HOME
        first+="$(source_seconds "$source") " again+="$(source_seconds "$source") "
        rm -rf "$XDG_CACHE_HOME"
    done
    XDG_CACHE_HOME=$(mktemp -d)
    most=$(/usr/bin/time -f %M "$onchip" run --functional "$source" 2>&1 >/dev/null | tail -n 1)
    rm -rf "$XDG_CACHE_HOME"
    least() { tr ' ' '\n' <<<"$1" | sed '/^$/d' | sort -g | head -n 1; }
    printf '%-24s %8.2f %8.2f %8.0f\n' "$(basename "$source")" "$(least "$first")" "$(least "$again")" \
        "$(awk -v k="$most" 'BEGIN { print k / 1024 }')"
done
exit $status
