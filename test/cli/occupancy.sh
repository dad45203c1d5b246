#!/bin/bash
# onchip show occupancy: each row of its tables beside the guide's rule for capability 8.6, worked out here: 16 blocks,
# 48 warps, 1,536 threads, 64 KiB of registers in four parts that warps take in units of 256, 100 KiB of shared memory
# in units of 128 bytes with 1 KiB more for each block. Values of a row have the same room, and the next another.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
rule='function up(a, b) { return int((a + b - 1) / b) * b }
    function min(a, b) { return a < b ? a : b }
    function room(registers, shared, block,   warps, n) {
        warps = int((block + 31) / 32)
        n = min(16, min(int(48 / warps), int(1536 / block)))
        n = min(n, int(int(16384 / up(registers * 32, 256)) * 4 / warps))
        return min(n, int(102400 / up(shared + 1024, 128)))
    }'
for needs in "40 8192 256" "128 0 96" "32 49152 1024" "64 1024 640"; do
    read -r registers shared block <<<"$needs"
    "$ONCHIP" show occupancy rtx3080 registers="$registers" shared="$shared" block="$block" >"$work/out" || bad=1
    sed 's/→//; s/█\|·//g' "$work/out" | awk -v r="$registers" -v s="$shared" -v b="$block" "$rule"'
        NR == 1 { own = $2; if (own != room(r, s, b)) wrong = wrong "; its own room " own }
        /^ *registers of/ { of = 1 }
        /^ *shared memory of/ { of = 2 }
        /^ *threads of/ { of = 3 }
        function one(v) { return of == 1 ? room(v, s, b) : of == 2 ? room(r, v, b) : room(r, s, v) }
        of && $1 ~ /^[0-9]+$/ {
            rows++
            to = $2 == "to" ? $3 : $1
            blocks = $2 == "to" ? $4 : $2
            if (one($1) != blocks || one(to) != blocks) wrong = wrong "; " $0 " but " one($1) " and " one(to)
        }
        END { if (wrong || rows < 12) { print rows " rows" wrong; exit 1 } }' || complain "$needs: wrong"
done
gives 2 'is no need of a kernel' -- show occupancy rtx3080 register=3
gives 2 'from 1 to 1024' -- show occupancy rtx3080 block=2000
gives 2 'of which GPU' -- show occupancy
exit $bad
