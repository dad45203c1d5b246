#!/bin/bash
# l1.fence: a fence of the GPU or the system, and what acquires at such a scope, empties the L1, so that a second read
# of a word misses; those of a block, releases and relaxed accesses don't. Dirty lines are written first, values stay.
# Which do is what ptxas of CUDA 13 writes CCTL.IVALL for.
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work" || exit 1
# Each lane reads a word of a, then OP, then, once it has the word, it again; and a word of its own local memory
# likewise.
cat >k.ptx <<'PTX'
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 y)
{
  .local .align 4 .b8 mine[4];
  .shared .align 4 .b8 ours[4];
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [y]; mov.u32 %r1, %tid.x;
  setp.gt.u32 %p, %r1, 99;
  mul.wide.u32 %d4, %r1, 4; add.u64 %d1, %d1, %d4; add.u64 %d3, %d3, %d4;
  LOCAL1
  ld.global.u32 %r2, [%d1];
  and.b32 %r6, %r2, 0; cvt.u64.u32 %d5, %r6; add.u64 %d1, %d1, %d5;
  OP
  ld.global.ca.u32 %r3, [%d1];
  LOCAL2
  add.u32 %r3, %r3, %r2; st.global.u32 [%d3], %r3; ret;
}
PTX
# run LOCAL OP [OPTION …]: the counters of k with OP; LOCAL: with the local word, too.
run() {
    local one='' two=''
    [[ -z $1 ]] || one='st.local.u32 [mine], %r1;' two='ld.local.u32 %r5, [mine]; add.u32 %r3, %r3, %r5;'
    sed "s/ OP/ $2/; s/LOCAL1/$one/; s/LOCAL2/$two/" k.ptx >now.ptx
    "$ONCHIP" run now.ptx --grid 1 --block 32 --arg buf:128:iota:u32 --arg buf:4 --arg buf:128 --laws --json \
        --dump y "${@:3}" >json 2>/dev/null || complain "$2: $(<json)"
    jq -r '.kernels[0].counters | "\(.["l1.read_hits"]) \(.["l1.emptied"]) \(.["l1.writebacks"])"' json
}
# The dump of y: word k is so many times k.
right() {
    local want='' k
    for k in {0..31}; do want+=$(printf '%02x000000' $((k * $1))); done
    [[ $(jq -r .dumps.y json) == "$want" ]] || complain "$2: y is $(jq -r .dumps.y json)"
}
empties=('membar.gl;' 'membar.sys;' 'fence.acq_rel.gpu;' 'fence.acq_rel.sys;' 'fence.sc.gpu;' 'fence.sc.sys;'
    'ld.acquire.gpu.global.u32 %r4, [%d2];' 'ld.acquire.sys.global.u32 %r4, [%d2];'
    'ld.acquire.gpu.u32 %r4, [%d2];' 'atom.acq_rel.gpu.global.add.u32 %r4, [%d2], 1;'
    'atom.acquire.gpu.global.add.u32 %r4, [%d2], 1;' 'atom.acq_rel.global.add.u32 %r4, [%d2], 1;'
    'atom.acq_rel.gpu.global.add.u32 _, [%d2], 1;')
keeps=('@%p membar.gl;' '@%p atom.acq_rel.gpu.global.add.u32 _, [%d2], 1;'
    'membar.cta;' 'fence.acq_rel.cta;' 'fence.sc.cta;' 'bar.sync 0;' 'bar.warp.sync -1;' 'fence.proxy.alias;'
    'ld.relaxed.gpu.global.u32 %r4, [%d2];' 'ld.volatile.global.u32 %r4, [%d2];' 'ld.global.ca.u32 %r4, [%d1];'
    'ld.acquire.cta.global.u32 %r4, [%d2];' 'st.release.gpu.global.u32 [%d2], %r1;'
    'atom.global.add.u32 %r4, [%d2], 1;' 'atom.relaxed.gpu.global.add.u32 %r4, [%d2], 1;'
    'atom.release.gpu.global.add.u32 %r4, [%d2], 1;' 'atom.acq_rel.cta.global.add.u32 %r4, [%d2], 1;'
    'red.release.gpu.global.add.u32 [%d2], 1;' 'atom.acq_rel.gpu.shared.add.u32 %r4, [ours], 1;')
for op in "${empties[@]}"; do
    got=$(run '' "$op" --gpu rtx3080)
    [[ $got == '0 1 0' ]] || complain "$op: read hits, emptied and written lines are $got, not 0 1 0"
    right 2 "$op"
done
for op in "${keeps[@]}"; do
    got=$(run '' "$op" --gpu rtx3080)
    [[ $got == [12]' 0 0' ]] || complain "$op: read hits, emptied and written lines are $got, not 1 0 0"
done
# By description: the papers' cards keep it.
for gpu in gtx480 titan_black; do
    got=$(run '' 'membar.gl;' --gpu $gpu --set l1.global=yes)
    [[ $got == '1 0 0' ]] || complain "$gpu: $got"
done
for gpu in titan_v v100 a100 rtx2080ti gtx1650 rtx4070 rtx5090 h100; do
    got=$(run '' 'membar.gl;' --gpu $gpu)
    [[ $got == '0 1 0' ]] || complain "$gpu: $got"
done
[[ $(run '' 'membar.gl;' --gpu rtx3080 --set l1.fence=keep) == '1 0 0' ]] || complain "l1.fence=keep"
# A dirty line of local memory is written, then lost; both hold what they held.
[[ $(run local 'membar.cta;' --gpu rtx3080) == '2 0 0' ]] || complain "local, kept: $(<json)"
got=$(run local 'membar.gl;' --gpu rtx3080)
[[ $got == '0 2 1' ]] || complain "local: $got, not 0 2 1"
right 3 local
# So is one that a global store left there: a sector, a packet to the L2, with nothing else to write.
got=$(run '' 'st.global.u32 [%d1], %r1; membar.gl;' --gpu rtx3080 --set l1.write_back=yes --set l1.write_allocate=yes)
[[ $got == '0 1 1' ]] || complain "write-back L1: $got, not 0 1 1"
right 2 "write-back L1"
[[ $(jq '.kernels[0].counters["l2.writes"]' json) -ge 1 ]] || complain "write-back L1: nothing came to the L2"
# All warps of an SM dirty lines and fence, where the ways out have hardly any room: it ends, and no write is lost.
cat >storm.ptx <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry storm(.param .u64 y)
{
  .local .align 4 .b8 mine[32];
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p;
  ld.param.u64 %d1, [y]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;
LOOP:
  st.local.u32 [mine], %r2; st.local.u32 [mine+16], %r1; membar.gl; ld.local.u32 %r4, [mine];
  ld.local.u32 %r5, [mine+16]; add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5;
  add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 20; @%p bra LOOP;
  mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r3; ret;
}
PTX
for room in 'link.credits=32' 'link.credits=2 --set link.queue=1 --set l2.partitions=2'; do
    # shellcheck disable=SC2086
    "$ONCHIP" run storm.ptx --grid 1 --block 256 --arg buf:1KiB --gpu rtx3080 --set $room --laws --json --dump y \
        >json 2>/dev/null || complain "storm, $room: $(<json)"
    # 20 times tid, and 0 to 19.
    want=$(for k in {0..255}; do n=$((20 * k + 190)) && printf '%02x%02x0000' $((n & 255)) $((n >> 8)); done)
    [[ $(jq -r .dumps.y json) == "$want" ]] || complain "storm, $room: other values"
    jq -e '.kernels[0].counters | .["l1.emptied"] >= .["l1.writebacks"] and .["l1.writebacks"] >= 20' json >/dev/null ||
        complain "storm, $room: $(jq -c '.kernels[0].counters | [.["l1.emptied"], .["l1.writebacks"]]' json)"
done
jq -e '.kernels[0].counters["l1.refused_link"] > 0' json >/dev/null || complain "storm: nothing waited for room"
# --why: what a fence took is dropped, in every L1 that stands beside.
run '' 'membar.gl;' --gpu rtx3080 --why >/dev/null
jq -e '.kernels[0].structures[] | select(.name == "a").why | .dropped == 1 and .first_touch == 1' json >/dev/null ||
    complain "--why: $(jq -c '.kernels[0].structures' json)"
exit $bad
