#!/bin/bash
# Local memory of an SM's threads lies in one piece: what fits an L1 of plain sets stays there. 1,024 threads with 64
# bytes each, all 64 KB of an L1, read them twice: at first no line is there, then all are. With sm.interleave = no each
# thread's bytes lie side by side: a line has those of two threads. So a warp's load needs 16 lines, and the next 15
# loads find them.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    printf '.version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k()\n{\n'
    printf '.local .align 4 .b8 own[64];\n.reg .u32 %%v;\n'
    for pass in 1 2; do
        for ((at = 0; at < 64; at += 4)); do printf 'ld.local.u32 %%v, [own+%d];\n' $at; done
        printf 'bar.sync 0;\n'
    done
    printf 'ret;\n}\n'
} >"$work/twice.ptx"
bad=0
# all, and hits, of 2 × 16 × 32 loads by warps: of 16 lines each, which come once
out=$("${ONCHIP:?}" run "$work/twice.ptx" --block 1024 --gpu sm32 --set l1.index=bits --set sm.interleave=no --json)
for pair in accesses:16384 read_hits:15872; do
    got=$(sed -n "s/.*\"l1.${pair%:*}\": \([0-9]*\),*$/\1/p" <<<"$out" | head -n 1)
    [[ $got == "${pair#*:}" ]] || { echo "l1.${pair%:*} is $got, not ${pair#*:}, with threads apart" >&2; bad=1; }
done
for fits in 64 32; do
    out=$("${ONCHIP:?}" run "$work/twice.ptx" --block 1024 --gpu sm32 --set l1.index=bits \
        --set l1.size=${fits}KiB --json)
    hits=$(sed -n 's/.*"l1.read_hits": \([0-9]*\),*$/\1/p' <<<"$out")
    want=$((fits == 64 ? 512 : 0))  # of 2 × 16 × 32 accesses; with half the room the oldest line goes each time
    [[ $hits == "$want" ]] || { echo "$hits hits with $fits KB, of $want" >&2; bad=1; }
done
exit $bad
