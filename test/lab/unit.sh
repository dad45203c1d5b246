#!/bin/bash
# A figure's unit and its formulas: × and speed-up need a quotient, of the baseline or of each formula, and a speed-up
# doesn't grow with time. All figures that onchip has are taken.
set -euo pipefail
source "$ONCHIP_SOURCE/test/lab/figure.bash"

# unit NAME UNIT LINE…: a figure with that unit and these lines of [figure], and what follows them.
unit() { { printf '%s\n' '[figure]' 'title = t' "unit = $2" "${@:3}"; } | figure "$1"; }
wrong() {  # NAME PLACE-AND-ERROR HINT UNIT LINE…
    unit "$1" "${@:4}"
    refuse "$1" "$2"
    refuse "$1" "hint: $3"
}
runs=('[matrix]' 'program = vectoradd' 'n = 64')
divide='baseline = NAME=VALUE divides every value by that of a run; NAME is the x or the series'
for word in 'speed-up' speedup 'Speed-up over GTO' '×' '× GTO'; do
    for y in cycles ipc 'warp_instructions + 1' '1 / ipc' '1e3 / ipc' '(n / n)'; do
        [[ $word != [sS]* || $y != cycles ]] || continue
        wrong bare "bare.ini:5:5: error: y: the unit is $word, but nothing divides the value" "$divide" \
            "$word" 'x = n' "y = $y" "${runs[@]}"
    done
done
wrong row "row.ini:7:7: error: two: the unit is ×, but nothing divides the value" "$divide" \
    × 'x = n' '[series]' 'one = n / 2' 'two = 2 * n' "${runs[@]}"

# A speed-up that grows with time is none, whatever divides it.
wrong slow 'slow.ini:5:5: error: y: the unit is speed-up, but this grows with the time that a run takes' \
    '1 / cycles grows as a run gets faster' speed-up 'x = n' 'y = cycles' 'baseline = n=64' "${runs[@]}"
wrong bare-slow 'bare-slow.ini:5:5: error: y: the unit is speed-up, but' '1 / cycles' speed-up 'x = n' 'y = cycles' \
    "${runs[@]}"
wrong over 'over.ini:5:5: error: y: the unit is speedup, but this grows' '1 / cycles' speedup 'x = n' \
    'y = wall_seconds / base.wall_seconds' 'baseline = n=64' "${runs[@]}"

# What divides, or has another unit.
taken() {  # UNIT LINE…
    unit taken "$@"
    reproduce taken >/dev/null 2>"$work/error" || complain "$*: $(cat "$work/error")"
}
taken speed-up 'x = n' 'y = 1 / cycles' 'baseline = n=64' "${runs[@]}"
taken speed-up 'x = n' 'y = base.cycles / cycles' 'baseline = n=64' "${runs[@]}"
taken × 'x = n' 'y = cycles' 'baseline = n=64' "${runs[@]}"
taken × 'x = n' 'y = n / 2' "${runs[@]}"
taken '× the first; bytes' 'x = n' '[series]' 'one = n / 64' 'two = (n + 1) / (2 * n)' "${runs[@]}"
taken '× 1000 cycles' 'x = n' 'y = cycles' "${runs[@]}"
taken 'speeds' 'x = n' 'y = cycles' "${runs[@]}"
taken cycles 'x = n' 'y = cycles' "${runs[@]}"
unit measured × 'x = n' 'y = bigkernel.over_host_serial' '[matrix]' 'program = vectoradd' 'n = 64'
refuse measured 'no counter, rate or measured value of this name'  # the run lacks it; the unit is no mistake

# The figures of all papers can be opened: they are listed.
"$ONCHIP" reproduce --list >"$work/list" 2>&1
listed=$(awk 'NF > 1 { print $1 "/" $2 ".ini" }' "$work/list")
for file in "$ONCHIP_SOURCE"/reproduce/*/*.ini; do
    [[ $listed == *"${file#"$ONCHIP_SOURCE/reproduce/"}"* ]] || complain "$file isn't taken"
done
exit $bad
