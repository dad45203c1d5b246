#!/bin/bash
# advise.sh STORE [SECONDS [GPU …]]: runs onchip advise over all workloads at --size small, for so many seconds each
# (15), on the GPUs (titan_black, h200). It prints doc/results/advise.md's tables and writes the file of all rows. Runs
# stay in STORE, so that the same command goes on where it was. ONCHIP is the program.
set -uo pipefail
export LC_ALL=C.UTF-8
onchip=${ONCHIP:-onchip}
(($# >= 1)) || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
store=$1 seconds=${2:-15}
gpus=("${@:3}")
((${#gpus[@]})) || gpus=(titan_black h200)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# GPU, workload, cycles as it is, cycles with the best and its changes, with the best single change, of all runs the
# least, then runs made, and runs that weren't.
row='[$gpu, $name, .base.cycles, (.best.cycles // .base.cycles),
    (.best.changes // [] | map(.kind) | join(" + ")),
    ([.trials[] | select((.changes | length) == 1).cycles // empty] + [.base.cycles] | min),
    ([.trials[].cycles // empty] + [.base.cycles] | min), (.trials | map(select(.cycles)) | length), .left] | @tsv'
for gpu in "${gpus[@]}"; do
    "$onchip" list workloads | awk '/^[a-z]/ {print $1}' >"$work/names"
    while read -r name; do
        "$onchip" advise "$name" --size small --gpu "$gpu" --budget "$seconds" --db "$store" --jobs 2 --json \
            >"$work/out" 2>"$work/err" </dev/null || { cat "$work/err" >&2; continue; }
        jq -r --arg gpu "$gpu" --arg name "$name" "$row" "$work/out"
    done <"$work/names"
done >"$work/rows"

# A change that gains less than 1 % is none. A + stands behind a number of runs where others weren't made.
awk -F '\t' -v csv="$(dirname "$0")/../doc/results/measurements/advise.csv" '
    {
        if (!gpu[$1]++) order[++gpus] = $1
        if (!$9) whole[$1]++
        if ($4 < $3) { gains[$1]++; sum[$1] += log($3 / $4) }
        if ($3 >= 1.1 * $4) much[$1]++
        if ($4 <= $7 || $5 == "" && $3 < 1.01 * $7) first[$1]++
        many = split($5, kinds, / [+] /)
        for (k = 1; k <= many; k++) { used[$1, kinds[k]]++; all[kinds[k]] = 1 }
        lines[++n] = sprintf("%s,%s,%d,%d,%s,%s,%d%s", $1, $2, $3, $4, $4 < $3 ? sprintf("%.2f", $3 / $4) : "", $5,
            $8, $9 ? "+" : "")
    }
    END {
        print "| GPU | workloads | all runs made | something gains | 10 % or more | geometric mean | " \
            "best is best of all |"
        print "|---|---|---|---|---|---|---|"
        for (k = 1; k <= gpus; k++) {
            g = order[k]
            printf "| %s | %d | %d | %d | %d | %.2f | %d of %d |\n", g, gpu[g], whole[g], gains[g], much[g],
                exp(sum[g] / gpu[g]), first[g], gpu[g]
        }
        print ""
        printf "| change among the best |"
        for (k = 1; k <= gpus; k++) printf " %s |", order[k]
        printf "\n|---|"
        for (k = 1; k <= gpus; k++) printf "---|"
        print ""
        for (kind in all) {
            line = "| " kind " |"
            for (k = 1; k <= gpus; k++) line = line " " used[order[k], kind] + 0 " |"
            print line | "sort"
        }
        close("sort")
        print "gpu,workload,cycles,best,times,changes,runs" >csv
        for (k = 1; k <= n; k++) print lines[k] >csv
    }' "$work/rows"
