#!/bin/bash
# Two keys of sm32. shared.blocking: without it an access of shared memory that takes several passes is late itself, and
# holds up no other. l1.local_back: without it local stores are written to DRAM at once.
set -eu
source "$ONCHIP_SOURCE/test/test.bash"

# Every warp reads shared memory a hundred times, all lanes from one bank: 32 passes. Lane k's address is 128 k.
cat >"$work/conflict.ptx" <<'PTX'
.version 6.0
.target sm_35
.address_size 64
.visible .entry conflict(.param .u64 out)
{
    .reg .b32 %r<9>;
    .reg .b64 %d<4>;
    .reg .pred %p;
    .shared .align 4 .b8 data[4096];
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    shl.b32 %r2, %r2, 7;
    mov.u32 %r3, data;
    add.u32 %r3, %r3, %r2;
    mov.u32 %r4, 0;
    mov.u32 %r5, 0;
LOOP:
    ld.shared.u32 %r6, [%r3];
    add.u32 %r5, %r5, %r6;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p, %r4, 100;
    @%p bra LOOP;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r5;
    ret;
}
PTX
cycles() {  # WARPS BLOCKING
    "$ONCHIP" run "$work/conflict.ptx" --gpu sm32 --block $((32 * $1)) --arg buf:4096 --set shared.blocking=$2 \
        --set sched.active=32 --json | python3 -c '
import json, sys
c = json.load(sys.stdin)["kernels"][0]["counters"]
assert c["shared.passes"] == 32 * c["shared.loads"], c["shared.passes"]
print(c["cycles"])'
}
one=$(cycles 1 no) alone=$(cycles 1 yes) eight=$(cycles 8 no) crowd=$(cycles 8 yes)
[[ $one == "$alone" ]] || complain "one warp: $one cycles, and $alone if it could hold up others"
# 800 accesses of 32 passes, one behind the other, are 25,600 cycles; side by side they take what one warp's take.
((crowd >= 25600 && crowd < 26600)) || complain "eight warps one behind the other: $crowd cycles"
((eight < one + 1000)) || complain "eight warps side by side: $eight cycles, one: $one"

traffic() {  # LOCAL_BACK: bytes written to DRAM, sectors stored to local memory and elsewhere, write-backs
    "$ONCHIP" run pcr n=128 systems=32 --gpu sm32 --set registers.max=18 --set l1.size=4MiB \
        --set l1.local_back=$1 --json | python3 -c '
import json, sys
k = json.load(sys.stdin)["kernels"][0]
c = k["counters"]
local = [s for s in k["structures"] if s["name"] == "local memory"][0]
assert local["stores"] > 0
print(c["dram.write_bytes"], 32 * c["global.store_sectors"], local["dram_bytes"], c["l1.writebacks"])'
}
read -r written global local back <<<"$(traffic no)"
((back == 0)) || complain "$back lines were written back"
((written > global && local >= written - global)) || complain "local stores didn't get to DRAM: $written of $global"
read -r written global local back <<<"$(traffic yes)"
((written == global && local == 0 && back == 0)) ||
    complain "local stores left the L1, which has room for them: $written, $global, $local, $back"
exit $bad
