#!/bin/bash
# l1.unlocked. A warp reads 32 lines at once through an L1 of four. Locked lines let four misses be under way at a time,
# so that it waits for DRAM eight times; with unlocked ones it waits once. The last four lines are in the L1 afterwards.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/lines.ptx" <<'PTX'
.version 6.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 from)
{
    .reg .u64 %p, %at;
    .reg .u32 %lane, %v, %from, %behind;
    .reg .pred %again;
    ld.param.u64 %p, [data];
    ld.param.u32 %from, [from];
    mov.u32 %lane, %tid.x;
    mad.wide.u32 %at, %lane, 128, %p;
    ld.global.u32 %v, [%at];
    bar.sync 0;
    add.u32 %v, %v, 1;
    sub.u32 %behind, %lane, %from;
    setp.lt.u32 %again, %behind, 4;
    @%again ld.global.u32 %v, [%at];
    add.u32 %v, %v, 1;
    st.global.u32 [%at], %v;
    ret;
}
PTX
# All 32 lines; then, when the first ones have come, but not the last one, the last one again.
{
    printf '.version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n'
    printf '.reg .u64 %%p, %%at;\n.reg .u32 %%lane, %%v, %%w;\nld.param.u64 %%p, [data];\n'
    printf 'mov.u32 %%lane, %%tid.x;\nmad.wide.u32 %%at, %%lane, 128, %%p;\nld.global.u32 %%v, [%%at];\n'
    for ((k = 0; k < 75; k++)); do printf 'add.u32 %%lane, %%lane, 1;\n'; done  # 8 cycles each
    printf 'ld.global.u32 %%w, [%%p+3968];\nadd.u32 %%v, %%v, %%w;\nst.global.u32 [%%at], %%v;\nret;\n}\n'
} >"$work/early.ptx"
bad=0
run() {  # unlocked, the first of the four lines that are read again, hits, most cycles, least cycles
    local out hits cycles
    out=$("${ONCHIP:?}" run "$work/lines.ptx" --block 32 --arg buf:4096 --arg "u32:$2" --gpu sm32 --laws --json \
        --set l1.size=512 --set l1.unlocked="$1")
    hits=$(sed -n 's/.*"l1.read_hits": \([0-9]*\),*$/\1/p' <<<"$out")
    cycles=$(sed -n 's/.*"cycles": \([0-9]*\),*$/\1/p' <<<"$out" | head -n 1)
    [[ $hits == "$3" ]] && ((cycles <= $4 && cycles >= $5)) ||
        { echo "unlocked=$1 from $2: ${hits:-?} hits of $3, ${cycles:-?} cycles, $5 to $4" >&2; bad=1; }
}
# 32 lines of 128 bytes take 512 cycles at 8 bytes a cycle, and a miss at least 400.
run yes 28 4 1500 912
run no 28 4 9999 3200
run yes 24 0 2200 1312
out=$("${ONCHIP:?}" run "$work/early.ptx" --block 32 --arg buf:4096 --gpu sm32 --laws --json --set l1.size=512)
grep -q '"l1.read_hits": 0,' <<<"$out" && grep -q '"l1.merges": 1,' <<<"$out" ||
    { echo "a line is there before its fill: $(grep -E 'l1.(read_hits|merges)' <<<"$out" | tr -d '\n')" >&2; bad=1; }
exit $bad
