#!/bin/bash
# Lanes of a warp that hand numbers around through memory, with __syncwarp between: below sm_70 that is no instruction.
# Each round every lane takes its neighbour's number, so after 70 rounds lane i has number (i + 70) modulo 32.
source test/cli/expect.bash
cat >"$work/k.cu" <<'CU'
#include "cuda.h"
extern "C" __global__ void around(unsigned *numbers, unsigned rounds) {
    const unsigned lane = threadIdx.x;
    for (unsigned r = 0; r < rounds; r++) {
        const unsigned next = numbers[(lane + 1) % 32];
        __syncwarp();
        numbers[lane] = next;
        __syncwarp();
    }
}
CU
clang -x cuda --cuda-device-only -nocudainc -nocudalib -Wno-unknown-cuda-version --cuda-gpu-arch=sm_35 -O3 -std=c++17 \
    -I workloads -S "$work/k.cu" -o "$work/k.ptx" || exit 77
right="numbers:$(for ((i = 0; i < 32; i++)); do printf ' %d' $(((i + 70) % 32)); done)"
launch=(--gpu titan_black --block 32 --arg buf:128:iota:u32 --arg u32:70 --dump 0:u32 --functional)

# around FILE OPTION…: what the lanes have in the end must be right.
around() {
    run run "${launch[@]}" "$@"
    [[ $(tr -s '\n' ' ' <<<"$out") == *"${right#numbers:}"* ]] || complain "onchip run $*: $out$err"
}

# Our cuda.h leaves a mark, and the loop is left alone.
around "$work/k.ptx"
around "$work/k.ptx" --sl1=threshold=3
lacks assumed
gives 0 'around: left alone: a warp must stay together in it' -- sl1 "$work/k.ptx" --plan

# PTX from elsewhere has no mark. What is assumed of it is said, and a setting leaves the loop alone.
grep -v onchip.syncwarp "$work/k.ptx" >"$work/foreign.ptx"
gives 0 'around: the target is older than sm_70: it is assumed' "setting 'lockstep'" -- sl1 "$work/foreign.ptx"
gives 0 'around: the target is older than sm_70: it is assumed' -- run "${launch[@]}" "$work/foreign.ptx" --sl1
around "$work/foreign.ptx" --sl1=threshold=3,lockstep
lacks assumed
gives 0 'around: left alone: lanes of a warp could exchange data in it' -- sl1 "$work/foreign.ptx" --plan --sl1=lockstep
# From sm_70 on, such a program needs a barrier, and nothing is assumed.
sed 's/^\.version.*/.version 6.3/; s/sm_35/sm_75/' "$work/foreign.ptx" >"$work/new.ptx"
gives 0 -- sl1 "$work/new.ptx" -o /dev/null
lacks assumed

# A mark in a function that the loop calls, and volatile shared memory, as older programs have it.
cat >"$work/more.ptx" <<'PTX'
.version 4.3
.target sm_35
.address_size 64
.func meet() { .pragma "onchip.syncwarp"; ret; }
.func alone() { ret; }
.visible .entry called(.param .u64 p)
{
    .reg .b32 %i, %v;
    .reg .b64 %a;
    .reg .pred %q;
    ld.param.u64 %a, [p];
    mov.u32 %i, 0;
$l: ld.global.u32 %v, [%a];
    call meet;
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 40;
    @%q bra $l;
    ret;
}
.visible .entry volatile(.param .u64 p)
{
    .reg .b32 %i, %v;
    .reg .b64 %a;
    .reg .pred %q;
    .shared .b32 tile;
    ld.param.u64 %a, [p];
    mov.u32 %i, 0;
$l: ld.global.u32 %v, [%a];
    st.volatile.shared.u32 [tile], %v;
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 40;
    @%q bra $l;
    ret;
}
.visible .entry tile(.param .u64 p)
{
    .reg .b32 %i, %v;
    .reg .b64 %a;
    .reg .pred %q;
    .shared .b32 tile;
    ld.param.u64 %a, [p];
    mov.u32 %i, 0;
$l: ld.global.u32 %v, [%a];
    st.shared.u32 [tile], %v;
    ld.shared.u32 %v, [tile];
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 40;
    @%q bra $l;
    ret;
}
.visible .entry reads(.param .u64 p)
{
    .reg .b32 %i, %v;
    .reg .b64 %a;
    .reg .pred %q;
    ld.param.u64 %a, [p];
    mov.u32 %i, 0;
$l: ld.global.u32 %v, [%a];
    call alone;
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 40;
    @%q bra $l;
    ret;
}
PTX
together='a warp must stay together'
gives 0 "called: left alone: $together" "volatile: left alone: $together" 'tile: rewritten' 'reads: rewritten' -- \
    sl1 "$work/more.ptx" --plan
gives 0 'tile: left alone: lanes of a warp could exchange data in it' 'reads: rewritten' -- \
    sl1 "$work/more.ptx" --plan --sl1=lockstep
gives 0 'tile: the target is older than sm_70' -- sl1 "$work/more.ptx" -o /dev/null
lacks reads:
exit $bad
