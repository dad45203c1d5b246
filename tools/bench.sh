#!/bin/bash
# bench.sh: how fast the simulator is: six kernels from compute-bound to fully divergent on gtx480, timing on, the best
# of three runs each with one thread and with two. Prints a table, compares it with the last one (build/bench.csv) and
# keeps the new one. A kernel that is slower than its budget makes the exit status 1: 120 ns a warp instruction plus
# 150 ns a transaction plus 20 ns a cycle of a busy SM (DESIGN: budgets). The last column is the peer's time for the
# same kernel and size over ours: GPGPU-Sim 4 in PTX mode on a two-core machine, single-threaded.
set -euo pipefail
cd "$(dirname "$0")/.."
onchip=${ONCHIP:-build/onchip} last=${BENCH_FILE:-build/bench.csv} runs=${BENCH_RUNS:-3}
new=$(mktemp)
trap 'rm -f "$new"' EXIT

# seconds warp-instructions transactions busy-SM-cycles, summed over the launches of one run
measure() {
    "$onchip" run "$@" --json | awk -F'[:,]' '
        /"wall_seconds"/ { wall = $2 }
        /"verified"/ { ok = $2 ~ /true/ }
        /"warp_instructions"/ { insts += $2 }  # once as a field, once as a counter
        /"l1[.]accesses"/ { trans += $2 }
        /"l1[.]bypasses"/ { trans += $2 }
        /"sm[.]active"/ { busy += $2 }
        END { if (!ok) exit 1; print wall + 0, insts / 2, trans, busy }'
}

best() {  # the run with the least time
    for _ in $(seq "$runs"); do measure "$@"; done | sort -g | head -n 1
}

echo "kernel,seconds,warp_instructions,transactions,busy_cycles,seconds_2" >"$new"
while read -r peer workload; do
    # shellcheck disable=SC2086
    one=$(best $workload --threads 1)
    # shellcheck disable=SC2086
    two=$(best $workload --threads 2 | cut -d' ' -f1)
    echo "${workload// /_},${one// /,},$two,$peer" >>"$new"
done <<'EOF'
59 vectoradd n=1048576
182 matmul-tiled n=256
276 conv2d n=1024
168 syrk n=128
149 atax nx=1024 ny=1024
460 gesummv n=1024
EOF

[ -e "$last" ] || last=/dev/null
status=0
awk -F, -v last="$last" '
    BEGIN {
        while ((getline line <last) > 0) { split(line, f, ","); before[f[1]] = f[2] }
        printf "%-24s %8s %12s %12s %8s %8s %8s %8s\n", "kernel", "seconds", "Minst/s", "Mtrans/s", "budget", "2 thr.",
            "before", "peer"
    }
    FNR == 1 { next }
    {
        budget = $3 * 120e-9 + $4 * 150e-9 + $5 * 20e-9
        printf "%-24s %8.3f %12.2f %12.2f %7.0f%% %7.2fx %8s %7.0fx\n", $1, $2, $3 / $2 / 1e6, $4 / $2 / 1e6,
            100 * $2 / budget, $2 / $6,
            ($1 in before) ? sprintf("%.2fx", before[$1] / $2) : "-", $7 / $2
        over += $2 > budget; n++; peer += log($7 / $2); two += log($2 / $6)
    }
    END {
        printf "%-24s %8s %12s %12s %8s %7.2fx %8s %7.0fx\n", "geometric mean", "", "", "", "", exp(two / n), "",
            exp(peer / n)
        exit over > 0
    }' "$new" || status=$?
mkdir -p "$(dirname "${BENCH_FILE:-build/bench.csv}")"
cp "$new" "${BENCH_FILE:-build/bench.csv}"
exit $status
