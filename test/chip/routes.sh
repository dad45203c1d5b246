#!/bin/bash
# l1.past and readonly.take send the loads of a data structure another way: all counters are those of the same kernel
# with ld.global.cg, or ld.global.nc, in the PTX.
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work" || exit 1
cat >k.ptx <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 y)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [y];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %d4, %r4, 256; add.u64 %d1, %d1, %d4; mov.f32 %f1, 0f00000000; mov.u32 %r5, 0;
LOOP:
  ld.globalA.f32 %f2, [%d1];
  ld.globalB.f32 %f3, [%d2];
  fma.rn.f32 %f1, %f2, %f3, %f1;
  add.u64 %d1, %d1, 4; add.u64 %d2, %d2, 4; add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 64; @%p bra LOOP;
  mul.wide.u32 %d5, %r4, 4; add.u64 %d3, %d3, %d5; st.global.f32 [%d3], %f1; ret;
}
PTX
# as A B [OPTION …]: the counters with these endings of the loads' names.
as() {
    sed "s/globalA/global$1/; s/globalB/global$2/" k.ptx >as.ptx
    "$ONCHIP" run as.ptx --grid 8 --block 128 --arg buf:256KiB:rand:f32 --arg buf:256:rand:f32 --arg buf:4KiB \
        --json "${@:3}" | jq '.kernels[0].counters'
}
for gpu in gtx480 titan_black; do
    as '' '' --gpu $gpu --set l1.global=yes >plain
    for names in a b a,b ' b , a '; do
        ca='' cb=''
        [[ $names != *a* ]] || ca=.cg
        [[ $names != *b* ]] || cb=.cg
        as "$ca" "$cb" --gpu $gpu --set l1.global=yes >cg
        as '' '' --gpu $gpu --set l1.global=yes --set "l1.past=$names" >past
        diff cg past >/dev/null || complain "$gpu, l1.past=$names: not as with ld.global.cg"
        ! diff plain past >/dev/null || complain "$gpu, l1.past=$names: as without it"
    done
done
as .nc '' --gpu titan_black >nc
as '' '' --gpu titan_black --set readonly.take=a >take
diff nc take >/dev/null || complain "readonly.take=a: not as with ld.global.nc"
as '' '' --gpu titan_black --set l1.past=c >none
as '' '' --gpu titan_black | diff - none >/dev/null || complain "l1.past=c: no structure is called so"
sed 's/globalA/global/; s/globalB/global/' k.ptx >plain.ptx
text=$("$ONCHIP" run plain.ptx --grid 8 --block 128 --arg buf:256KiB --arg buf:256 --arg buf:4KiB --set l1.past=b,c)
[[ $text == *'loads of b go past the L1'*'no data structure of this kernel is called c'* ]] ||
    complain "the report doesn't tell of the routes: $text"
exit $bad
