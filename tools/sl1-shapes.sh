#!/bin/bash
# sl1-shapes.sh [--table] [PROGRAM …]: the best shape of launch for each program of S-L1's figure 7, and for each of its
# variants. The paper tries 512 shapes for each (§4.1). Here they are searched, as Kernel Tuner searches a program's
# parameters: first a coarse grid of shapes, then the neighbours of the best one, until no neighbour is better. A shape
# is 15 to 480 blocks, in steps of 15, of 128 to 1,024 threads, in steps of 128. All these runs are on a slice: one SM
# of 15, with an eighth of the input that the figure's paper size has. Each run is a line of
# doc/results/measurements/sl1-shapes.csv; one that stands there already isn't made again. The best shapes stand in
# reproduce/sl1/fig7.ini, whose runs are of the whole input. With --table they are printed, and nothing is run.
set -euo pipefail
cd "$(dirname "$0")/.."
onchip=${ONCHIP:-build/onchip}
stored=${STORED:-doc/results/measurements/sl1-shapes.csv}

# The program's size for the slice.
inputs='upper size=12288000
wordcount size=12288000
dna fragments=65520
opinion size=4177920
index size=8355840
pageview size=8355840
affinity size=8355840
matmul rows=30720 inner=64 n=8
grep size=2096640 pattern=2
kmeans n=32760 k=240'
coarse='15x128 15x256 15x512 15x1024 30x512 30x1024 60x256 60x1024 120x128 120x512 480x256'

best() {
    awk -F , -v of="$1,$2," '
        index($0, of) == 1 && (!least || $5 < least) { least = $5; at = $3 "x" $4 }
        END { print at }' "$stored"
}

# What the best of some variants gains over the best without L1.
gain() {
    awk -F , -v of="$1" -v variants="$2" '
        $1 == of && $2 == "none" && (!none || $5 < none) { none = $5 }
        $1 == of && $2 ~ variants && (!least || $5 < least) { least = $5 }
        END { printf "%.2f", none / least }' "$stored"
}

if [[ ${1:-} == --table ]]; then
    head='| program | none | L1 16 KiB | L1 48 KiB | S-L1 | better L1 over none | S-L1 over none | shapes tried |'
    printf '%s\n' "$head" '|---|--:|--:|--:|--:|--:|--:|--:|'
    while read -r program _; do
        printf '| %s' "$program"
        for with in none 'L1 16 KiB' 'L1 48 KiB' S-L1; do
            printf ' | %s' "$(best "$program" "$with" | sed 's/x/ × /')"
        done
        printf ' | %s | %s | %s |\n' "$(gain "$program" '^L1')" "$(gain "$program" '^S-L1')" \
            "$(grep -c "^$program," "$stored")"
    done <<<"$inputs"
    printf '| all | | | | | | | %s |\n' "$(($(wc -l <"$stored") - 1))"
    exit
fi

[[ -s $stored ]] || echo program,with,blocks,threads,cycles >"$stored"

# measure PROGRAM WITH BLOCKSxTHREADS: appends the run.
measure() {
    local program=$1 with=$2 blocks=${3%x*} threads=${3#*x} options cycles
    case $with in
    none) options=(--set l1.global=no) ;;
    'L1 16 KiB') options=(--set l1.global=yes --set l1.size=16KiB) ;;
    'L1 48 KiB')
        options=(--set l1.global=yes --set l1.size=48KiB --set shared.size=16KiB --set shared.max=16KiB) ;;
    S-L1) options=(--set l1.global=no --sl1=threshold=10) ;;
    esac
    grep -q "^$program,$with,$blocks,$threads," "$stored" && return
    # shellcheck disable=SC2046  # the input is several words
    cycles=$("$onchip" run $(grep "^$program " <<<"$inputs") blocks="$blocks" threads="$threads" --gpu titan_black \
        --slice 15 "${options[@]}" --json |
        awk '/^      "cycles"/ { gsub(/[^0-9]/, "", $2); n += $2 } END { print n + 0 }')
    ((cycles)) || return 0  # such a block doesn't fit
    echo "$program,$with,$blocks,$threads,$cycles" >>"$stored"
}

# Goes to a neighbour as long as one is better.
climb() {
    local at to blocks threads
    at=$(best "$1" "$2")
    while [[ $at ]]; do
        blocks=${at%x*} threads=${at#*x}
        for to in "$((blocks - 15))x$threads" "$((blocks + 15))x$threads" "${blocks}x$((threads - 128))" \
            "${blocks}x$((threads + 128))"; do
            ((${to%x*} >= 15 && ${to%x*} <= 480 && ${to#*x} >= 128 && ${to#*x} <= 1024)) || continue
            measure "$1" "$2" "$to"
        done
        to=$(best "$1" "$2")
        [[ $to != "$at" ]] || return 0
        at=$to
    done
}

while read -r program _; do
    [[ $# == 0 || " $* " == *" $program "* ]] || continue
    for with in none 'L1 16 KiB' 'L1 48 KiB' S-L1; do
        for shape in $coarse; do measure "$program" "$with" "$shape"; done
        climb "$program" "$with"
    done
done <<<"$inputs"
