#!/bin/bash
# What a program is told of the memory's bus: two transfers in a cycle of its clock are the description's bandwidth, and
# the width is the card's, as data sheets have it. Limits of arrays in layers are those of CUDA's guide (compute
# capability 7.0 and above), and arrays of these sizes can be made.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
cc -std=gnu17 -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/cudart/told.c" -o told "$ONCHIP_BUILD/cuda/libcudart.so.13" ||
    exit 1
while read -r gpu bits; do
    line=$("$ONCHIP" run --functional --gpu "$gpu" ./told 2>/dev/null | head -n 1)
    gbs=$("$ONCHIP" show gpu "$gpu" | sed -n '/^\[dram\]/,/^\[[^d]/s/^bandwidth *= *\([0-9.]*\).*/\1/p')
    awk -v line="$line" -v bits="$bits" -v gbs="$gbs" 'BEGIN {
        split(line, word, /[ ,]+/)
        told = 2 * word[1] * bits / 8 / 1e6
        exit !(word[3] == bits && gbs > 0 && told > gbs * 0.9999 && told < gbs * 1.0001) }' ||
        complain "$gpu: '$line' of $bits bits at $gbs GB/s"
done <<'END_OF_CARDS'
gtx480 384
titan_v 3072
v100 4096
rtx2080ti 352
rtx3080 320
rtx3090 384
rtx4090 384
rtx5090 512
a100 5120
h100 5120
h200 6144
END_OF_CARDS
# RTX 3080: 19 Gbit/s a line are 9.5 GHz at two transfers a cycle. No part of a simulated L2 can be set aside.
"$ONCHIP" run --functional --gpu rtx3080 ./told >out 2>/dev/null
diff - out <<'OUT' || complain 'rtx3080 tells something else'
9500000 kHz, 320 bits, L2 0 0
textures: 32768 32768 2048 32768 2048 32768 32768 2046
surfaces: 32768 131072 65536 16384 16384 16384 32768 2048 32768 32768 2048 32768 32768 2046
made: 1 1 1, more: 0
OUT
# A description that has no bus tells its DRAM's clock, and the width that goes with it.
line=$("$ONCHIP" run --functional --gpu rtx3080 --set dram.bus=0 --set dram.clock=1000 ./told 2>/dev/null | head -n 1)
[[ $line == '1000000 kHz, 3040 bits, L2 0 0' ]] || complain "without a bus: $line"
exit $bad
