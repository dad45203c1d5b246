#!/bin/bash
# The operations of floating point that a report names: a product of two matrices of n = 256 has 2 n³, in the time that
# the report names; a Titan V does two a lane of its 80 · 64 and a cycle of 1455 MHz, 14.9 TFLOP/s, and the FMA unit's
# share is theirs of that, since each product with its sum is one instruction. The report names a thread's registers.
source "$ONCHIP_SOURCE/test/test.bash"
"$ONCHIP" run floats tile=1 n=256 launches=1 part=1 --gpu titan_v >"$work/report" 2>&1 || complain "it fails"
us=$(sed -n 's/.*cycles .*(\([0-9.]*\) µs).*/\1/p' "$work/report")
row=$(sed -n 's/.*f32 \(.*\) of \(.*\) TFLOP.s (\(.*\) %).*/\1 \2 \3/p' "$work/report")
busy=$(sed -n 's/.*units.* FMA \([0-9.]*\) %.*/\1/p' "$work/report")
awk -v us="$us" -v row="$row" -v busy="$busy" '
    function near(a, b) { return a > 0.98 * b && a < 1.02 * b }
    BEGIN {
        split(row, x, " ")
        want = 2 * 256 ^ 3 / us / 1e6
        exit !(us > 0 && near(x[1], want) && near(x[2], 14.9) && near(x[3], 100 * want / 14.9) && near(busy, x[3]))
    }' || complain "$us µs: $row, FMA $busy %"
grep -q "[1-9][0-9]* registers a thread" "$work/report" || complain "the report names no registers"
exit $bad
