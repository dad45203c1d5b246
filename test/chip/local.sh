#!/bin/bash
# Local memory of an SM's threads lies in one piece: what fits an L1 of plain sets stays there. 1,024 threads with 64
# bytes each, all 64 KB of an L1, read them twice: at first no line is there, then all are. With sm.interleave = no each
# thread's bytes lie side by side: a line has those of two threads. So a warp's load needs 16 lines, and the next 15
# loads find them. With sm.interleave = spills that holds for the array, but each access of a spilled register is one
# line.
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
        --set sm.interleave=yes --set l1.size=${fits}KiB --json)
    hits=$(sed -n 's/.*"l1.read_hits": \([0-9]*\),*$/\1/p' <<<"$out")
    want=$((fits == 64 ? 512 : 0))  # of 2 × 16 × 32 accesses; with half the room the oldest line goes each time
    [[ $hits == "$want" ]] || { echo "$hits hits with $fits KB, of $want" >&2; bad=1; }
done
# One warp loads 16 words of its array, needs all of them twice, and stores one: 17 accesses of 16 lines each, and 17 of
# one line each if all lies side by side. With eight registers some of the words are spilled. A second array has 20
# bytes, and its first four words are loaded at once: if threads' pieces begin at multiples of 16, that is eight lines.
summed() # of v0 to v15, twice
{
    echo 'mov.u32 %sum, 0;'
    for pass in 1 2; do
        for ((n = 0; n < 16; n++)); do printf 'xor.b32 %%sum, %%sum, %%v%d;\nshl.b32 %%sum, %%sum, 1;\n' $n; done
    done
    echo 'st.local.u32 [own], %sum;'
    echo 'ret; }'
}
head='.version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k()\n{\n.reg .u32 %%v<16>, %%sum;\n'
{
    printf "$head.local .align 16 .b8 own[64];\n"
    for ((n = 0; n < 16; n++)); do printf 'ld.local.u32 %%v%d, [own+%d];\n' $n $((4 * n)); done
    summed
} >"$work/64.ptx"
{
    printf "$head.local .align 16 .b8 own[20];\nld.local.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [own];\n"
    for ((n = 4; n < 16; n++)); do printf 'mov.u32 %%v%d, %%clock;\n' $n; done
    summed
} >"$work/20.ptx"
count() # FILE INTERLEAVE REGISTERS: accesses of the L1, and instructions
{
    "$ONCHIP" run "$work/$1.ptx" --block 32 --gpu sm32 --set "sm.interleave=$2" --set "registers.max=$3" --json |
        sed -n 's/.*"\(l1\.accesses\|warp_instructions\)": \([0-9]*\),*$/\1=\2/p' | sort -u | sed 's/.*=//' | xargs
}
for way in 64:yes:17 64:spills:272 64:no:272 20:spills:; do
    IFS=: read -r file how want <<<"$way"
    read -r accesses instructions <<<"$(count "$file" "$how" 64)"
    read -r spilled more <<<"$(count "$file" "$how" 8)"
    [[ $accesses$instructions$spilled$more =~ ^[0-9]+$ ]] || { echo "$file.ptx: no counters with $how" >&2; exit 1; }
    extra=$((more - instructions)) took=$((spilled - accesses))
    [[ -z $want || $accesses == "$want" ]] || { echo "$accesses accesses, not $want, with $how" >&2; bad=1; }
    ((extra > 0)) || { echo "nothing of $file.ptx is spilled" >&2; bad=1; }
    [[ $file != 20 || $accesses == 16 ]] || { echo "v4 and a store take $accesses lines, of 8 each" >&2; bad=1; }
    if [[ $how == no ]]; then
        ((took > 16 * extra)) || { echo "$extra spills take $took lines, where threads' lie apart" >&2; bad=1; }
    else
        ((took == extra)) || { echo "$extra spills take $took lines of $file.ptx with $how" >&2; bad=1; }
    fi
done
exit $bad
