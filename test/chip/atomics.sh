#!/bin/bash
# What atomics and stores of parts of sectors take at the L2 (l2.atomic_sector, l2.partial, sm.gather): kernels whose
# warps all go to one line of it, so that its slice is what limits them. So many cycles a warp follow from the keys.
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work" || exit 1
# kernel NAME ADDRESS OPERATION: 64 times in every thread. %r3: the thread's number in its warp; %d1: the buffer.
kernel() {
    cat <<PTX
.visible .entry $1(.param .u64 a, .param .u32 v)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p;
  ld.param.u64 %d1, [a]; ld.param.u32 %r6, [v]; mov.u32 %r3, %laneid; mov.u32 %r5, 0;
  $2
LOOP:
  $3
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 64; @%p bra LOOP;
  ret;
}
PTX
}
words='mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2;'
pairs='and.b32 %r3, %r3, 30; mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2;'
same='and.b32 %r3, %r3, 0; mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2;'
{
    printf '.version 7.0\n.target sm_70\n.address_size 64\n'
    kernel words "$words" 'red.global.add.u32 [%d1], 1;'
    kernel pairs "$pairs" 'red.global.add.u32 [%d1], 1;'
    kernel same "$same" 'red.global.add.u32 [%d1], 1;'
    kernel sure '' 'red.global.add.u32 [%d1], 1;'
    kernel value '' 'red.global.add.u32 [%d1], %r6;'
    kernel mine '' 'red.global.add.u32 [%d1], %r3;'
    kernel used '' 'atom.global.add.u32 %r4, [%d1], 1; add.u32 %r5, %r5, %r4; sub.u32 %r5, %r5, %r4;'
    kernel float '' 'red.global.add.f32 [%d1], 0f3F800000;'
    kernel parts "$words" 'st.global.u8 [%d1], %r5;'
    kernel whole "$words" 'st.global.u32 [%d1], %r5;'
} >k.ptx
# takes CYCLES KERNEL [KEY=VALUE …]: a warp's operation takes the slice so many cycles, within 5 %. 960 warps do 64.
takes() {
    local cycles=$1 kernel=$2 sets=() got
    for s in "${@:3}"; do sets+=(--set "$s"); done
    got=$("$ONCHIP" run k.ptx --kernel "$kernel" --grid 30 --block 1024 --arg buf:4KiB --arg u32:3 --gpu titan_black \
        --set l2.chunk=4096 --set link.partition_in=4096 --set link.header=0 "${sets[@]}" --json |
        jq '.kernels[0].counters | .cycles / 64 / 960')
    jq -ne "($got - $cycles) / $cycles | fabs < 0.05" >/dev/null ||
        complain "$kernel ${*:3}: $got cycles a warp's operation, not $cycles"
}
takes 32 words                                       # a lane each
takes 32 pairs
takes 12 words l2.atomic_sector=3                    # four sectors
takes 12 pairs l2.atomic_sector=3                    # in each, 8 lanes at 4 addresses
takes 8 pairs l2.atomic_sector=1                     # two lanes at each
takes 16 pairs l2.atomic_sector=1 l2.atomic=2
takes 32 same l2.atomic_sector=3                     # all at one
takes 32 sure
takes 1 sure sm.gather=constant l2.atomic_sector=3   # one lane for all
takes 32 same sm.gather=lanes                        # nobody can be sure
takes 32 value sm.gather=constant
takes 1 value sm.gather=lanes
takes 1 mine sm.gather=lanes
takes 32 used sm.gather=lanes
takes 32 float sm.gather=lanes
takes 9 parts l2.partial=2                           # a look-up, and four sectors
takes 1 whole l2.partial=2
# The result is the same, whoever adds.
for gather in no constant lanes; do
    "$ONCHIP" run k.ptx --kernel mine --grid 2 --block 64 --arg buf:4KiB:zero --arg u32:3 --gpu titan_black \
        --set sm.gather=$gather --dump 0:u32 >dump
    grep -q "$((4 * 31 * 16 * 64))" dump || complain "sm.gather=$gather: another sum: $(<dump)"
done
exit $bad
