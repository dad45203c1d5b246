#!/bin/bash
# Without time, the addresses of a base register are looked at once (exec/ops_straight.c): here base registers change in
# every way between accesses. Each kernel loads the same words twice, the second time by volatile loads, whose addresses
# are always looked at; the two must agree. A timed run, which looks at every access, gives the same bytes.
set -uo pipefail
onchip=${ONCHIP:-build/onchip}
source "${ONCHIP_SOURCE:-.}/test/test.bash"
cd "$work" || exit 1

# kernel CHANGE: loads by %b, then changes it (and %rd2, a 64-bit base; %r9 is the lane), then loads again.
kernel() {
    cat >k.ptx <<END
.version 7.0
.target sm_70
.address_size 64
.func (.reg .b32 %to) f(.reg .b32 %from)
{
    add.u32 %to, %from, 256;
    ret;
}
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<4>;
    .reg .b32 %r<20>;
    .reg .b64 %rd<12>;
    .shared .align 16 .b32 tile[1024];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [in];
    ld.param.u64 %rd3, [out];
    mov.u32 %r9, %tid.x;
    setp.lt.u32 %p1, %r9, 9;
    setp.lt.u32 %p3, %r9, 64;
    mov.u32 %r1, 0;
FILL:
    shl.b32 %r2, %r1, 7;
    shl.b32 %r3, %r9, 2;
    add.u32 %r2, %r2, %r3;
    mov.u32 %r4, tile;
    add.u32 %r4, %r4, %r2;
    mad.lo.u32 %r5, %r2, 2654435, 12345;
    st.shared.u32 [%r4], %r5;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 32;
    @%p2 bra FILL;
    bar.sync 0;
    mov.u32 %r6, tile;
    add.u32 %r6, %r6, %r3;
    mul.wide.u32 %rd4, %r3, 1;
    add.u64 %rd2, %rd2, %rd4;
    ld.shared.u32 %r10, [%r6+256];
    ld.global.u32 %r11, [%rd2+256];
    $1
    ld.shared.u32 %r12, [%r6];
    ld.shared.u32 %r13, [%r6+128];
    ld.global.u32 %r14, [%rd2];
    ld.global.u32 %r15, [%rd2+128];
    ld.volatile.shared.u32 %r16, [%r6];
    ld.volatile.shared.u32 %r17, [%r6+128];
    ld.volatile.global.u32 %r18, [%rd2];
    ld.volatile.global.u32 %r19, [%rd2+128];
    xor.b32 %r12, %r12, %r16;
    xor.b32 %r13, %r13, %r17;
    xor.b32 %r14, %r14, %r18;
    xor.b32 %r15, %r15, %r19;
    or.b32 %r12, %r12, %r13;
    or.b32 %r14, %r14, %r15;
    or.b32 %r12, %r12, %r14;
    mul.wide.u32 %rd6, %r9, 8;
    add.u64 %rd3, %rd3, %rd6;
    add.u32 %r10, %r10, %r11;
    st.global.u32 [%rd3], %r12;   // 0: they agree
    st.global.u32 [%rd3+4], %r16;
    ret;
}
END
}

run() { # NAME OPTIONS …
    "$onchip" run k.ptx --kernel k --block 32 --arg buf:8192:iota:u32 --arg buf:256:zero --name in,out --gpu h200 \
        --dump "out:@$1.bin" "${@:2}" >/dev/null 2>err || complain "$change: $(head -3 err)"
}
while IFS= read -r change; do
    kernel "$change"
    run executed --functional
    run timed
    cmp -s executed.bin timed.bin || complain "$change: without time other bytes than with it"
    [[ $(od -An -v -tu4 -w8 executed.bin | awk '{ n += $1 != 0 } END { print NR ":" n }') == 32:0 ]] ||
        complain "$change: a base that changed was taken for what it was"
done <<'END'
add.u32 %r6, %r6, 128; add.u64 %rd2, %rd2, 128;
add.u32 %r6, %r6, 256; add.u32 %r6, %r6, 4294967168; add.s64 %rd2, %rd2, 256; add.s64 %rd2, %rd2, -128;
@%p1 add.u32 %r6, %r6, 128; @%p1 add.u64 %rd2, %rd2, 128;
@!%p1 add.u32 %r6, %r6, 128; @!%p1 add.u64 %rd2, %rd2, 128;
@%p3 add.u32 %r6, %r6, 128; @%p3 add.u64 %rd2, %rd2, 128;
sub.u32 %r6, %r6, -128; sub.u64 %rd2, %rd2, -128;
mad.lo.u32 %r6, %r9, 8, %r6; add.u64 %rd2, %rd2, %rd4;
mov.u32 %r8, tile; ld.shared.u32 %r6, [%r6]; and.b32 %r6, %r6, 2044; add.u32 %r6, %r6, %r8;
mov.u32 %r8, tile; ld.global.u32 %r6, [%rd2]; and.b32 %r6, %r6, 508; add.u32 %r6, %r6, %r8;
and.b64 %rd2, %rd2, -64;
or.b32 %r6, %r6, 4;
@%p1 bra SKIP; add.u32 %r6, %r6, 128; add.u64 %rd2, %rd2, 128; SKIP:
ON: ld.shared.u32 %r8, [%r6]; add.u32 %r6, %r6, 128; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 40; @%p2 bra ON;
shfl.sync.bfly.b32 %r6, %r6, 3, 31, -1;
call (%r6), f, (%r6);
mov.u32 %r8, tile; selp.b32 %r6, %r6, %r8, %p1;
st.shared.u32 [%r6], %r9; add.u32 %r6, %r6, 128; st.global.u32 [%rd2], %r9; add.u64 %rd2, %rd2, 128;
END
exit $bad
