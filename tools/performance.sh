#!/bin/bash
# performance.sh [--before] [--peer COMMAND] [PART …]: measures how fast the simulator is, keeps the numbers in
# doc/results/measurements/performance.csv, and writes them into doc/results/performance.md. Without a PART all of them
# are measured:
#
#   instructions  host instructions of six launches, by callgrind: of the whole process, with one thread
#   growth        processor seconds and memory as a launch grows
#   sampled       processor seconds of large launches on an H200, whole and with --sample, and their cycles
#   cards         nanoseconds of a processor for each warp instruction, on each shipped GPU
#   threads       seconds of the simulation on 1, 2 … host threads, by turns, the least of $PERFORMANCE_RUNS (5)
#   peer          processor seconds of the six beside another simulator's, by turns, the least; only with --peer
#
# --before keeps the host instructions as those of the version to compare with: ONCHIP is then its program.
# --peer: a command that runs a launch with the other simulator, given the words that `onchip run` gets.
# $PERFORMANCE_MOST, a number: growth leaves out launches of more elements or multiply-adds than 2 to that power, and
# sampled doesn't time those whole that are larger than an eighth of that.
#
# performance.sh --table NAME prints a table of the page from the kept numbers, and measures nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
onchip=${ONCHIP:-build/onchip} runs=${PERFORMANCE_RUNS:-5} most=${PERFORMANCE_MOST:-64}
kept=${PERFORMANCE_FILE:-doc/results/measurements/performance.csv} page=doc/results/performance.md
six=('vectoradd n=131072' 'syrk n=64' 'conv2d n=256' 'matmul-tiled n=128' 'atax nx=3840 ny=64 --kernels kernel1'
    'syrk n=128')
four=('matmul-tiled n=256' 'atax nx=1024 ny=1024' 'conv2d n=1024' 'vectoradd n=1048576')
TIMEFORMAT='%U %S'

# --- tables -----------------------------------------------------------------------------------------------------------
# columns TABLE: its rows in their order, each with the values of its columns, as an awk program gets them:
# row[n], and value[row, column].
columns() {
    awk -F, -v table="$1" "
        FNR > 1 && \$1 == table {
            if (!(\$2 in seen)) { seen[\$2] = 1; row[++rows] = \$2 }
            value[\$2, \$3] = \$4
            if (!(\$3 in had)) { had[\$3] = 1; column[++columns] = \$3 }
        }
        function part(a, b) { return a != \"\" && b != \"\" ? sprintf(\"%.2f\", a / b) : \"\" }
        $2" "$kept"
}

table() {
    case $1 in
    instructions)
        # shellcheck disable=SC2016
        columns instructions '
            function mean(name, base, k, n, sum) {
                for (k = 1; k <= rows; k++)
                    if (value[row[k], name] != "" && value[row[k], base] != "") {
                        sum += log(value[row[k], name] / value[row[k], base]); n++
                    }
                return n ? sprintf("%.2f", exp(sum / n)) : ""
            }
            END {
                print "| launch | warp instructions | before | now | now ÷ before | without time: before | now |"
                print "|---|--:|--:|--:|--:|--:|--:|"
                for (k = 1; k <= rows; k++) {
                    r = row[k]
                    printf "| `%s` | %s | %s | %s | %s | %s | %s |\n", r, value[r, "warp instructions"],
                        value[r, "before"], value[r, "now"], part(value[r, "now"], value[r, "before"]),
                        value[r, "functional before"], value[r, "functional now"]
                }
                printf "| geometric mean | | | | %s | | |\n", mean("now", "before")
            }' ;;
    growth)
        # shellcheck disable=SC2016
        columns growth '
            END {
                print "| launch | processor seconds | MB of memory |"
                print "|---|--:|--:|"
                for (k = 1; k <= rows; k++)
                    printf "| `%s` | %s | %s |\n", row[k], value[row[k], "seconds"], value[row[k], "MB"]
            }' ;;
    sampled)
        # shellcheck disable=SC2016
        columns sampled '
            function size(b) { return b == "" ? "" : sprintf("%.0f", b) }
            END {
                print "| launch | seconds whole | sampled | whole ÷ sampled | timed | cycles | sampled | from | to |"
                print "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
                for (k = 1; k <= rows; k++) {
                    r = row[k]
                    printf "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s |\n", r, value[r, "whole"],
                        value[r, "sampled"], part(value[r, "whole"], value[r, "sampled"]), value[r, "timed"],
                        value[r, "whole cycles"], value[r, "cycles"], size(value[r, "low"]), size(value[r, "high"])
                }
            }' ;;
    cards)
        # shellcheck disable=SC2016
        columns cards '
            END {
                line = "|---|"
                printf "| GPU |"
                for (c = 1; c <= columns; c++) printf " %s |", column[c]
                for (c = 1; c <= columns; c++) line = line "--:|"
                print "\n" line
                for (k = 1; k <= rows; k++) {
                    printf "| `%s` |", row[k]
                    for (c = 1; c <= columns; c++) printf " %s |", value[row[k], column[c]]
                    print ""
                }
            }' ;;
    threads)
        # shellcheck disable=SC2016
        columns threads '
            END {
                line = "|---|"
                printf "| launch |"
                for (c = 1; c <= columns; c++) {
                    printf " %s thread%s |", column[c], (column[c] == 1 ? "" : "s")
                    line = line "--:|"
                }
                for (c = 2; c <= columns; c++) {
                    printf " 1 ÷ %s |", column[c]
                    line = line "--:|"
                }
                print "\n" line
                for (k = 1; k <= rows; k++) {
                    printf "| `%s` |", row[k]
                    for (c = 1; c <= columns; c++) printf " %s |", value[row[k], column[c]]
                    for (c = 2; c <= columns; c++) printf " %s |", part(value[row[k], 1], value[row[k], column[c]])
                    print ""
                }
            }' ;;
    peer)
        # shellcheck disable=SC2016
        columns peer '
            END {
                print "| launch | day | onchip (s) | the peer (s) | quotient |"
                print "|---|---|--:|--:|--:|"
                for (k = 1; k <= rows; k++) {
                    r = row[k]
                    q = value[r, "onchip"] != "" ? value[r, "peer"] / value[r, "onchip"] : value[r, "quotient"]
                    sum += log(q)
                    printf "| `%s` | %s | %s | %s | %.0f |\n", r, value[r, "day"], value[r, "onchip"],
                        value[r, "peer"], q
                }
                if (rows) printf "| geometric mean | | | | %.0f |\n", exp(sum / rows)
            }' ;;
    *) echo "performance: no table $1" >&2; return 2 ;;
    esac
}
if [[ ${1:-} == --table ]]; then
    table "${2:-}"
    exit
fi

# --- measuring --------------------------------------------------------------------------------------------------------
before='' peer='' parts=()
while (($#)); do
    case $1 in
    --before) before=1 ;;
    --peer) peer=${2:?a command is expected behind --peer}; shift ;;
    instructions | growth | sampled | cards | threads | peer) parts+=("$1") ;;
    *) sed -n '2,/^set /{ /^set /d; s/^# \{0,1\}//; p }' "$0" >&2; exit 2 ;;
    esac
    shift
done
if ((!${#parts[@]})); then
    parts=(instructions growth sampled cards threads)
    [[ ! $peer ]] || parts+=(peer)
    [[ ! $before ]] || parts=(instructions)
fi
[[ -x $onchip ]] || { echo "performance: no $onchip; run ./dev build" >&2; exit 1; }
need() { command -v "$1" >/dev/null || { echo "performance: $1 is missing: apt install $2" >&2; exit 1; }; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# keep TABLE ROW COLUMN VALUE: replaces the number that was kept, or comes behind the others.
keep() {
    [[ -e $kept ]] || echo table,row,column,value >"$kept"
    awk -F, -v OFS=, -v t="$1" -v r="$2" -v c="$3" -v v="$4" '
        $1 == t && $2 == r && $3 == c { $4 = v; found = 1 }
        { print }
        END { if (!found) print t, r, c, v }' "$kept" >"$scratch/kept"
    cat "$scratch/kept" >"$kept"
    echo "$1: $2: $3 $4"
}

# Million host instructions of a run.
counted() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$onchip" run "$@" 2>&1 >/dev/null |
        awk '/Collected :/ { printf "%.1f", $4 / 1e6; found = 1 } END { exit !found }'
}

measure_instructions() {
    local launch column=now count
    need valgrind valgrind
    [[ ! $before ]] || column=before
    for launch in "${six[@]}"; do
        # shellcheck disable=SC2086
        count=$("$onchip" run $launch --gpu gtx480 --json | awk -F'[:,]' '
            /"counters": \{/ { on = 1 }
            /\}/ { on = 0 }
            on && /"cycles"/ { timed = $2 > 0 }
            on && timed && /"warp_instructions"/ { n += $2 }
            END { print n }')
        [[ $before ]] || keep instructions "$launch" 'warp instructions' "$count"
        # shellcheck disable=SC2086
        count=$(counted $launch --threads 1 --gpu gtx480)
        keep instructions "$launch" "$column" "$count"
        # shellcheck disable=SC2086
        count=$(counted ${launch% --kernels*} --threads 1 --gpu gtx480 --functional)  # which runs all kernels
        keep instructions "$launch" "functional $column" "$count"
    done
}

# measured OPTION…: a launch's processor seconds; what it says is in $scratch/json, and the KiB it held stand third in
# $scratch/time.
measured() {
    /usr/bin/time -f '%U %S %M' -o "$scratch/time" "$onchip" run "$@" --threads 1 --json >"$scratch/json"
    awk '{ printf "%.2f", $1 + $2 }' "$scratch/time"
}

measure_growth() {
    local k n launch
    need /usr/bin/time time
    for launch in $(seq -f 'vectoradd:%g' 17 24) $(seq -f 'matmul-tiled:%g' 6 10); do
        k=${launch#*:} launch=${launch%:*} n=$((1 << k))
        [[ $launch == vectoradd ]] || k=$((3 * k))
        ((k <= most)) || continue
        launch="$launch n=$n"
        # shellcheck disable=SC2086
        keep growth "$launch" seconds "$(measured $launch --gpu gtx480)"
        keep growth "$launch" MB "$(awk '{ printf "%.0f", $3 / 1024 }' "$scratch/time")"
    done
}

measure_sampled() {
    local k n launch took
    need /usr/bin/time time
    need jq jq
    for launch in $(seq -f 'matmul-tiled:%g' 9 12) $(seq -f 'vectoradd:%g' 20 2 26); do
        k=${launch#*:} launch=${launch%:*} n=$((1 << k))
        [[ $launch == vectoradd ]] || k=$((3 * k))
        launch="$launch n=$n"
        ((k <= most)) || continue
        if ((k <= 30 && k + 3 <= most)); then
            # shellcheck disable=SC2086
            took=$(measured $launch --gpu h200 --set dram.simple=yes)
            keep sampled "$launch" whole "$took"
            keep sampled "$launch" 'whole cycles' "$(jq '.kernels[0].cycles' "$scratch/json")"
        fi
        # shellcheck disable=SC2086
        took=$(measured $launch --gpu h200 --set dram.simple=yes --sample)
        keep sampled "$launch" sampled "$took"
        jq -r '.kernels[0] | .cycles, (.sampled | .blocks_timed / .blocks * 1000 | round / 10 | "\(.) %"),
            .sampled.counters.cycles.low, .sampled.counters.cycles.high' "$scratch/json" >"$scratch/said"
        keep sampled "$launch" cycles "$(sed -n 1p "$scratch/said")"
        keep sampled "$launch" timed "$(sed -n 2p "$scratch/said")"
        keep sampled "$launch" low "$(sed -n 3p "$scratch/said")"
        keep sampled "$launch" high "$(sed -n 4p "$scratch/said")"
    done
}

measure_cards() {
    local gpu launch took
    need jq jq
    for gpu in gpus/*.ini; do
        gpu=$(basename "$gpu" .ini)
        for launch in 'matmul-tiled n=256' 'vectoradd n=1048576'; do
            # shellcheck disable=SC2086
            "$onchip" run $launch --gpu "$gpu" --threads 1 --json >"$scratch/json"
            took=$(jq '.wall_seconds * 1e9 / ([.kernels[].warp_instructions] | add) | round' "$scratch/json")
            keep cards "$gpu" "$launch" "$took"
        done
    done
}

# least FILE: the smallest number in it.
least() { sort -g "$1" | head -n 1; }

measure_threads() {
    local launch counts=(1 2) threads
    (($(nproc) <= 2)) || counts+=("$(nproc)")
    for launch in "${four[@]}"; do
        rm -f "$scratch"/wall.*
        for _ in $(seq "$runs"); do
            for threads in "${counts[@]}"; do
                # shellcheck disable=SC2086
                "$onchip" run $launch --threads "$threads" --gpu gtx480 --json |
                    awk -F'[:,]' '/"wall_seconds"/ { print $2 + 0 }' >>"$scratch/wall.$threads"
            done
        done
        for threads in "${counts[@]}"; do
            keep threads "$launch" "$threads" "$(printf %.3f "$(least "$scratch/wall.$threads")")"
        done
    done
}

# Processor seconds of a command.
seconds() {
    { time "$@" >"$scratch/said" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

measure_peer() {
    local launch
    [[ $peer ]] || { echo 'performance: the part peer needs --peer COMMAND' >&2; exit 2; }
    for launch in "${six[@]}"; do
        rm -f "$scratch/ours" "$scratch/theirs"
        for _ in $(seq "$runs"); do
            # shellcheck disable=SC2086
            seconds "$onchip" run $launch --threads 1 --gpu gtx480 >>"$scratch/ours"
            # shellcheck disable=SC2086
            seconds $peer $launch >>"$scratch/theirs"
        done
        keep peer "$launch" onchip "$(least "$scratch/ours")"
        keep peer "$launch" peer "$(least "$scratch/theirs")"
        keep peer "$launch" day "$(date -u +%F)"
    done
}

for part in "${parts[@]}"; do "measure_$part"; done
[[ $kept != doc/results/measurements/performance.csv ]] || bash tools/docs.sh "$page"
