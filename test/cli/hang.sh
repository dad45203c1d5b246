#!/bin/bash
# The report of a hang: since when each warp waits, for which registers, and at most 32 registers of a lane, those of
# all kinds together.
source test/cli/expect.bash
cd "$ONCHIP_SOURCE/test/run/data" || exit 1

run run hang_registers.ptx --block 1 --arg buf:4:zero
named=$(grep -o '%[pr][0-9]*=' <<<"$err" | wc -l)
((named == 32)) || complain "$named registers are named, not 32: $err"

# At a barrier a warp waits since the clock at which its lanes came there.
run run hang_barrier.ptx --block 96 --arg buf:4:zero
mapfile -t since < <(grep -E '^ +(SM|lanes)' <<<"$err" | grep -oE 'since (cycle|clock) [0-9]+' | grep -oE '[0-9]+')
((${#since[@]} == 6)) || complain "three warps and their lanes wait: $err"
for ((k = 0; k + 1 < ${#since[@]}; k += 2)); do
    ((since[k] == since[k + 1])) || complain "a warp waits since ${since[k]}, its lanes since ${since[k + 1]}"
done

# Polling: most of the time a warp stands before the comparison and has its first operand, %k, but not what is loaded.
cat >"$work/poll.ptx" <<'PTX'
.version 6.0
.target sm_20
.address_size 64
.visible .entry poll(.param .u64 flag)
{
    .reg .u64 %a;
    .reg .u32 %k, %v;
    .reg .pred %p;
    ld.param.u64 %a, [flag];
    mov.u32 %k, %tid.x;
    add.u32 %k, %k, 1;
poll:
    ld.volatile.global.u32 %v, [%a];
    setp.ne.u32 %p, %k, %v;
    @%p bra poll;
    ret;
}
PTX
run run "$work/poll.ptx" --block 512 --grid 30 --arg buf:4:zero
waiting=$(grep -c 'waits for memory since cycle [0-9]*, for register %v; 1 memory instructions under way$' <<<"$err")
((waiting > 48 && waiting == $(grep -c 'waits for memory' <<<"$err"))) ||
    complain "$waiting of 96 warps wait for %v: $(grep 'SM 0' <<<"$err")"

# A loop over 64 KiB of local memory of each thread, and no store that others can see. The search for an endless loop
# hashes that memory now and then: 200,000 rounds take a fraction of a second, and took half a minute when it was hashed
# in every round. With `count` 0 the loop comes back to a state after mask + 1 rounds, and that is found.
cat >"$work/local.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 count, .param .u32 mask)
{
    .local .align 8 .b8 l[65536];
    .reg .b32 %r<7>;
    .reg .b64 %d<5>;
    .reg .pred %p;
    ld.param.u64 %d1, [out];
    ld.param.u32 %r4, [count];
    ld.param.u32 %r6, [mask];
    mov.u32 %r1, 0;
    mov.u32 %r5, 0;
    mov.u64 %d2, l;
L:
    mad.wide.u32 %d3, %r5, 4, %d2;
    ld.local.u32 %r3, [%d3];
    add.u32 %r3, %r3, %r1;
    st.local.u32 [%d3], %r3;
    add.u32 %r1, %r1, %r4;
    add.u32 %r5, %r5, 1;
    and.b32 %r5, %r5, %r6;
    setp.lt.u32 %p, %r1, 200000;
    @%p bra L;
    st.global.u32 [%d1], %r3;
    ret;
}
PTX
for mode in "" --functional; do
    (ulimit -t 8 && "$ONCHIP" run "$work/local.ptx" --arg buf:4 --arg u32:1 --arg u32:16383 $mode >"$work/out" 2>&1) ||
        [[ -n ${ONCHIP_SANITIZED:-} ]] || complain "200,000 rounds over local memory $mode: $(cat "$work/out")"
    "$ONCHIP" run "$work/local.ptx" --arg buf:4 --arg u32:0 --arg u32:1023 $mode >"$work/out" 2>&1
    grep -q 'the kernel hangs' "$work/out" || complain "an endless loop over local memory $mode: $(cat "$work/out")"
done
exit $bad
