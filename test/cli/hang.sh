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
exit $bad
