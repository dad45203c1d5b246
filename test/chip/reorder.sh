#!/bin/bash
# registers.reorder = occupancy: loads go ahead as far as an SM can still be full of threads. A chain of loads and sums
# of which each sum waits for its load: in the order of the text a warp waits sixteen times, with all loads in front
# once.
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work" || exit 1
# kernel DIRECTIVE: sixteen loads, each with its sum.
kernel() {
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n%s\n' "$1"
    printf '{\n.reg .b32 %%r<40>; .reg .b64 %%d<9>;\nld.param.u64 %%d1, [a]; ld.param.u64 %%d3, [b];\n'
    printf 'mov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%d2, %%r0, 4; add.u64 %%d1, %%d1, %%d2;\n'
    printf 'add.u64 %%d3, %%d3, %%d2; mov.u32 %%r1, 0;\n'
    for k in {0..15}; do
        printf 'ld.global.u32 %%r%d, [%%d1+%d];\nadd.u32 %%r1, %%r1, %%r%d;\n' $((k + 2)) $((k * 4096)) $((k + 2))
    done
    printf 'st.global.u32 [%%d3], %%r1;\nret;\n}\n'
}
# as DIRECTIVE REORDER [KEY=VALUE …]: got has the cycles, and the blocks of a warp for which an SM has room.
as() {
    local sets=()
    kernel "$1" >k.ptx
    for s in "${@:3}"; do sets+=(--set "$s"); done
    "$ONCHIP" run k.ptx --gpu h200 --arg buf:64KiB:iota:u32 --arg buf:128 --block 32 --set "registers.reorder=$2" \
        --set sm.blocks=64 "${sets[@]}" --dump 1:@sums --json >json || complain "it fails: $(<json)"
    jq -r '.kernels[0] | "\(.counters.cycles) \(.occupancy_blocks)"' json >got
    [[ -e was ]] || cp sums was
    cmp -s sums was || complain "$*: another result"
}
as '' no
read -r slow blocks <got
((blocks == 64)) || complain "in the order of the text there is room for $blocks blocks"
as '' occupancy
read -r fast blocks <got
((fast * 4 < slow)) || complain "loads don't go ahead: $fast cycles, in the order of the text $slow"
((blocks == 64)) || complain "an SM of 2048 threads isn't full: $blocks blocks"
# With 16384 registers 2048 threads have 8 each; with .maxntid those of the blocks that fit, 32 here, have 16; and with
# .minnctapersm 16 so many blocks have 32.
as '' occupancy registers.count=16384 sm.blocks=32
read -r short blocks <got
as '.maxntid 32' occupancy registers.count=16384 sm.blocks=32
read -r more blocks_more <got
as '.maxntid 32 .minnctapersm 16' occupancy registers.count=16384 sm.blocks=32
read -r most blocks_most <got
((blocks == 32 && blocks_more == 32 && blocks_most >= 16 && blocks_most < 32)) ||
    complain "room for $blocks, $blocks_more, $blocks_most"
((short > more && more > most && most < fast * 2)) || complain "cycles: $short, with more registers $more, $most"
exit $bad
