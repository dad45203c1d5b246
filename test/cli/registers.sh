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
"$ONCHIP" show registers nosuch 2>/dev/null && { echo "an unknown workload is taken"; exit 1; }
grep -q "of which workload" <<<"$("$ONCHIP" show registers 2>&1)" ||
    { echo "no hint where the workload is missing"; exit 1; }
"$ONCHIP" show registers saxpy n=x 2>/dev/null && { echo "a bad parameter is taken"; exit 1; }
exit 0
