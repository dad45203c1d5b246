#!/bin/bash
# Straight code by its length, on one warp: 2·4·n fused multiply-adds that are run twice, the second half of them timed
# the second time. The cycles are those that AmpereArchViaMicroBenchMark publishes for an RTX 3060, in its folder
# InstructionCache_Size, res_I-CacheSize.txt; the code has 128·n bytes.
source "$ONCHIP_SOURCE/test/cli/expect.bash"

straight() { # N
    local four='' k
    for k in 0 1 2 3; do four+="fma.rn.f32 %f$k, %f8, 0f3F800000, %f$k;"$'\n'; done
    cat <<END
.version 7.0
.target sm_86
.address_size 64
.visible .entry straight(.param .u64 out)
{
    .reg .f32 %f<10>;
    .reg .u32 %r<4>;
    .reg .u64 %rd<5>;
    .reg .pred %p;
    ld.param.u64 %rd0, [out];
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f8, %r1;
    mov.f32 %f0, %f8;
    mov.f32 %f1, %f8;
    mov.f32 %f2, %f8;
    mov.f32 %f3, %f8;
    mov.u32 %r0, 0;
again:
$(for ((k = 0; k < $1; k++)); do echo "$four"; done)
    mov.u64 %rd1, %clock64;
$(for ((k = 0; k < $1; k++)); do echo "$four"; done)
    mov.u64 %rd2, %clock64;
    sub.u64 %rd3, %rd2, %rd1;
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p, %r0, 2;
    @%p bra again;
    st.global.u64 [%rd0], %rd3;
    add.f32 %f0, %f0, %f1;
    add.f32 %f2, %f2, %f3;
    add.f32 %f0, %f0, %f2;
    st.global.f32 [%rd0+8], %f0;
    ret;
}
END
}

while read -r n published; do
    straight "$n" >"$work/straight.ptx"
    read -r _ ours _ < <("$ONCHIP" run "$work/straight.ptx" --gpu rtx3060 --arg buf:64 --block 32 --dump 0:u32)
    ((100 * ours >= 85 * published && 100 * ours <= 115 * published)) ||
        complain "$n: $ours cycles, $published are published"
done <<'END'
256 1030
504 2022
576 3809
640 5343
800 6659
1024 9251
1152 16374
1280 22754
3072 54687
END
exit $bad
