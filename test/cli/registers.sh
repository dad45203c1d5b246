#!/bin/bash
# onchip show registers: fewer registers never take fewer instructions, as many as are needed take no more than 64 do,
# and a register file of 1024 threads has 4 KB for each register.
set -eu
rows() {
    "$ONCHIP" show registers "$@" |
        awk 'NR == 1 { with = /ptxas/; next } /^$/ { exit } { if (with) $4 = ""; $3 = ""; print }'
}
check() { # count the columns behind the name: registers, 18, 24, 32, 40, 64, file
    awk -v what="$1" '{
        split("18 24 32 40 64", limit, " ")
        if ($NF != 4 * $2) { print what ": " $0 ": a file of " $NF " KB"; bad = 1 }
        for (k = 1; k <= 5; k++) {
            v = $(2 + k)
            if (v == "-") next
            if (k > 1 && v > $(1 + k)) { print what ": " $0 ": more registers, more instructions"; bad = 1 }
            if (limit[k] >= $2 && v != 1) { print what ": " $0 ": " limit[k] " registers should do"; bad = 1 }
        }
        n++
    } END { if (!n || bad) exit 1 }'
}
for w in hotspot sto "nw block=32 n=64" bfs aes; do
    # shellcheck disable=SC2086
    rows $w | check "$w"
done
spilled=$(rows hotspot | awk '{ print ($3 > 1) }')
test "$spilled" = 1 || { echo "hotspot with 18 registers spills nothing"; exit 1; }
# Registers of a thread, of which unified storage holds as many as its threads take.
taken() { # workload, what is set
    local w=$1
    shift
    # shellcheck disable=SC2086
    "$ONCHIP" run $w --gpu sm32 --set storage.kind=unified --set storage.size=1MiB "$@" --json |
        python3 -c '
import json, sys
k = json.load(sys.stdin)["kernels"][0]
print(k["counters"]["storage.registers"] / k["cycles"] / 128 / k["occupancy_warps"])'
}
# With registers.values a thread takes as many registers as values are told, parameters included.
for w in sto hotspot sgemv; do
    told=$("$ONCHIP" show registers $w |
        awk 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "values") at = k } NR == 2 { print $at }')
    taken=$(taken "$w --size small" --set registers.values=yes --set registers.params=yes --set registers.max=255)
    test "$taken" = "$told.0" || { echo "$w: $taken registers, $told values"; exit 1; }
done
# With registers.stated a thread takes at least what its workload states, the count of unified-memory's Table 1: 33 for
# pcr, 57 for dgemm. The limit wins. A kernel that needs more takes more: bfs states 9.
takes() { # workload, registers, what is set
    local w=$1 want=$2 got
    shift 2
    got=$(taken "$w --size small" --set registers.stated=yes "$@")
    test "$got" = "$want.0" || { echo "$w takes $got registers with '$*', not $want"; exit 1; }
}
listed=$("$ONCHIP" list workloads)
while IFS='"' read -r _ suite _ name _; do
    grep -qE "^($suite/)?$name +$suite( |$)" <<<"$listed" || { echo "registers.def: no workload $suite/$name"; exit 1; }
done < <(grep '^REGISTERS' "$ONCHIP_SOURCE/src/work/registers.def")
takes pcr 33
takes dgemm 57
takes pcr 18 --set registers.max=18
test "$(taken "pcr --size small")" != 33.0 || { echo "pcr needs what it states"; exit 1; }
test "$(taken "bfs --size small")" = "$(taken "bfs --size small" --set registers.stated=yes)" ||
    { echo "bfs takes less than it needs, or more"; exit 1; }
"$ONCHIP" show registers nosuch 2>/dev/null && { echo "an unknown workload is taken"; exit 1; }
grep -q "which workload?" <<<"$("$ONCHIP" show registers 2>&1)" ||
    { echo "no hint where the workload is missing"; exit 1; }
"$ONCHIP" show registers saxpy n=x 2>/dev/null && { echo "a bad parameter is taken"; exit 1; }
exit 0

# ptxas is asked in a folder of TMPDIR, whatever its name is, and nothing is left there.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/a 'b\" \$c"
told=$("$ONCHIP" show registers sto | awk 'NR == 1 || /sto/')
test "$told" = "$(TMPDIR="$folder/a 'b\" \$c" "$ONCHIP" show registers sto | awk 'NR == 1 || /sto/')" ||
    { echo "another table with another TMPDIR"; exit 1; }
test -z "$(ls "$folder"/*)" || { echo "left behind: $(ls "$folder"/*)"; exit 1; }
