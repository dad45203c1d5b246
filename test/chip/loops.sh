#!/bin/bash
# With sm.count = sass an atomic of shared memory is a loop where ptxas of CUDA 13 writes one: as many turns as lanes
# meet at an address, each with its issue slots, passes and latencies. What one costs is the difference between kernels
# with 24 and with 12 of them. The result doesn't change.
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work" || exit 1
# kernel N OPERATION LANES: one warp does it N times; %r4: the address, by LANES: all at one, each at the next word or
# the next of 64 bits, two at every second word, or all in one bank.
kernel() {
    local address
    case $3 in
    same) address='mov.u32 %r4, t;' ;;
    words) address='mad.lo.u32 %r4, %r1, 4, %r5;' ;;
    longs) address='mad.lo.u32 %r4, %r1, 8, %r5;' ;;
    pairs) address='and.b32 %r4, %r1, 30; mad.lo.u32 %r4, %r4, 4, %r5;' ;;
    bank) address='mad.lo.u32 %r4, %r1, 128, %r5;' ;;
    esac
    cat <<PTX
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 y)
{
  .shared .align 8 .b8 t[4096];
  .reg .b16 %h<3>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<3>; .reg .f64 %e<3>;
  ld.param.u64 %d1, [y]; mov.u32 %r1, %tid.x; mov.u32 %r5, t; mov.f32 %f1, 0f3F800000; mov.f64 %e1, 0d3FF0000000000000;
  mov.u64 %d2, 1; mov.u32 %r2, 1; mov.u32 %r3, 0x3C003C00; mov.u64 %d3, 0;
  $address
PTX
    echo '  mad.lo.u32 %r6, %r1, 128, %r5;'
    for n in {0..15}; do echo "  st.shared.u64 [%r6+$((8 * n))], %d3;"; done
    echo '  bar.sync 0;'
    for ((n = 0; n < $1; n++)); do echo "  $2"; done
    cat <<'PTX'
  bar.sync 0; ld.shared.u64 %d4, [%r5]; mul.wide.u32 %d5, %r1, 8; add.u64 %d1, %d1, %d5; st.global.u64 [%d1], %d4; ret;
}
PTX
}
# count N OPERATION LANES …: cycles, issued slots, passes and conflicts.
count() {
    kernel "$@" >k.ptx
    "$ONCHIP" run k.ptx --grid 1 --block 32 --arg buf:256 --gpu "$gpu" --laws --json --dump y "${@:4}" >json \
        2>/dev/null || complain "$2 $3: $(<json)"
    jq -r '.kernels[0].counters | "\(.cycles) \(.["issue.issued"]) \(.["shared.passes"]) \(.["shared.conflicts"])"' json
}
# costs CYCLES SLOTS PASSES CONFLICTS SUM OPERATION LANES …: of one; SUM: the first 8 bytes that 24 of them leave.
costs() {
    local few many got='' k
    read -ra few <<<"$(count 12 "${@:6}")"
    read -ra many <<<"$(count 24 "${@:6}")"
    for k in 0 1 2 3; do got+="$(((many[k] - few[k]) / 12)) "; done
    [[ $got == "$1 $2 $3 $4 " ]] || complain "$gpu ${*:6}: $got, not $1 $2 $3 $4"
    [[ $(jq -r '.dumps.y[0:16]' json) == "$5" ]] || complain "$gpu ${*:6}: $(jq -r '.dumps.y[0:16]' json), not $5"
}
# A turn takes two latencies of shared memory, that of the operation, of the comparison (latency.alu) and of the branch:
# 2 · 23 + 4 + 4 + 8 cycles on rtx3080, with doubles 2 · 23 + 64 + 4 + 8. Its slots are the instructions of the loop's
# body, and 2 stand around. It passes the banks twice; 16 lanes of 64 bits fill them. All in one bank are 32 passes
# twice, which is then what takes the time.
gpu=rtx3080
costs 62 7 2 0 0000c0410000c041 'red.shared.add.f32 [%r4], %f1;' words
costs 124 12 4 0 0000404200000000 'red.shared.add.f32 [%r4], %f1;' pairs
costs 1984 162 64 0 0000404400000000 'red.shared.add.f32 [%r4], %f1;' same
costs 64 7 64 62 0000c04100000000 'red.shared.add.f32 [%r4], %f1;' bank
costs 122 8 4 2 0000000000003840 'red.shared.add.f64 [%r4], %e1;' longs
costs 3904 194 96 32 0000000000008840 'red.shared.add.f64 [%r4], %e1;' same
costs 62 9 4 2 1800000000000000 'red.shared.add.u64 [%r4], %d2;' longs
costs 62 9 4 2 0100000000000000 'red.shared.or.b64 [%r4], %d2;' longs
costs 1984 258 96 32 0100000000000000 'red.shared.max.u64 [%r4], %d2;' same
costs 62 7 2 0 004e004e004e004e 'red.shared.add.noftz.f16x2 [%r4], %r3;' words
# A chain of results takes as long; each gives the next one what was there: the sum is the 24th Fibonacci number.
costs 62 7 2 0 0020354700203547 'atom.shared.add.f32 %f1, [%r4], %f1;' words
costs 74 7 2 0 0000c0410000c041 'red.shared.add.f32 [%r4], %f1;' words --set latency.fma=10 --set latency.branch=14
# Words of 32 bits, and a comparison and exchange, are one instruction: a pass for each lane of a bank.
costs 2 1 1 0 1800000018000000 'red.shared.add.u32 [%r4], %r2;' words
costs 32 1 32 31 0003000000000000 'red.shared.add.u32 [%r4], %r2;' same
costs 32 1 32 31 0100000000000000 'red.shared.max.u32 [%r4], %r2;' same
gpu=titan_v  # 2 · 19 + 4 + 4 + 8
costs 54 7 2 0 0000c0410000c041 'red.shared.add.f32 [%r4], %f1;' words
gpu=titan_black  # which doesn't count so
costs 32 1 32 31 0000404400000000 'red.shared.add.f32 [%r4], %f1;' same
exit $bad
