#!/bin/bash
# An argument file runs several kernels one after the other; buffers have names, and structures have C's layout. Names
# for parameters, and what is refused. Values are computed by hand.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
cd "$work" || exit 1
cat >k.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .f32 by, .param .u64 x, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; setp.ge.u32 %p, %r1, %r2; @%p ret;
    ld.param.u64 %d1, [x]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; ld.global.f32 %f1, [%d1];
    ld.param.f32 %f2, [by]; mul.f32 %f1, %f1, %f2; st.global.f32 [%d1], %f1; ret;
}
// y[i] += factor * x[i] of the structure { u64 x, y; f32 factor; } at an address, or given as it is
.visible .entry there(.param .u64 param_0)
{
    .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<6>;
    ld.param.u64 %d1, [param_0]; ld.global.u64 %d2, [%d1]; ld.global.u64 %d3, [%d1+8]; ld.global.f32 %f1, [%d1+16];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;
    ld.global.f32 %f2, [%d2]; ld.global.f32 %f3, [%d3]; fma.rn.f32 %f3, %f1, %f2, %f3; st.global.f32 [%d3], %f3; ret;
}
.visible .entry here(.param .align 8 .b8 param_0[24])
{
    .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<6>;
    ld.param.u64 %d2, [param_0]; ld.param.u64 %d3, [param_0+8]; ld.param.f32 %f1, [param_0+16];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;
    ld.global.f32 %f2, [%d2]; ld.global.f32 %f3, [%d3]; fma.rn.f32 %f3, %f1, %f2, %f3; st.global.f32 [%d3], %f3; ret;
}
END
cat >good.args <<'END'
[buffers]
both = struct(&x, &y, f32:10)       # x and y come later
x    = 32:iota:f32
y    = 32
odd  = struct(u8:1, struct(u16:2, u64:3), &y+4, i8:-1)
[launch scale]
args  = f32:2 &x u32:8
times = 2
[launch there]
block = 8
args  = &both
[launch here]
block = 8
args  = struct(&x, &y, f32:1)
[launch the last four]
kernel = scale
args   = f32:0.5 &y+16 u32:4
END
# x = 4 i; y = 10 x + x, and half of it from 4 on
gives 0 'y: 0 44 88 132 88 110 132 154' -- run k.ptx @good.args --dump y:f32
gives 0 'x: 0 4 8 12 16 20 24 28' -- run k.ptx @good.args --dump x:f32 --dump odd
# a byte, 7 of padding; u16, 6 of padding, u64; an address, 0x…04; a byte, 7 of padding
"$ONCHIP" run k.ptx @good.args --dump odd >out
grep -qE '^odd: 01000000000000000200000000000000030{14}[0-9a-f]{2}04?[0-9a-f]*ff0{14}$' out || complain "$(head -1 out)"
[[ $(head -1 out | wc -c) == $((5 + 2 * 40 + 1)) ]] || complain "40 bytes: $(head -1 out)"
"$ONCHIP" run k.ptx @good.args --json >json
[[ $(jq -r '[.kernels[] | .name] | join(" ")' json) == 'scale scale there here scale' ]] ||
    complain "$(jq '.kernels[].name' json)"
# The caches are warm: the second launch finds x in the L2.
[[ $(jq '.kernels[1].counters["dram.reads"]' json) == 0 && $(jq '.kernels[0].counters["dram.reads"]' json) != 0 ]] ||
    complain 'the second launch reads from DRAM'

# wrong TEXT LINE …: an argument file with these lines is refused, and the place is named.
wrong() {
    printf '%s\n' "${@:2}" >bad.args
    gives 2 "$1" -- run k.ptx @bad.args
}
wrong "bad.args:4:8: error: &z: [buffers] has no 'z'" '[buffers]' 'x = 8' '[launch there]' 'args = &z'
wrong "bad.args:2:5: error: arg ?: a size from 1 byte" '[buffers]' 'x = ?' '[launch there]' 'args = &x'
wrong "bad.args:2:5: error: struct(u8:1: ')' is missing" '[buffers]' 'x = struct(u8:1'
wrong "bad.args:2:5: error: '5': a field is a number" '[buffers]' 'x = struct(u8:1, 5)' '[launch there]' 'args = &x'
wrong "a field is a number" '[buffers]' 'x = struct(u8:256)'
wrong "bad.args:2:5: error: &z: [buffers] has no 'z'" '[buffers]' 'x = struct(&z)' '[launch there]' 'args = &x'
wrong "the buffer has 8 bytes" '[buffers]' 'x = 8' '[launch there]' 'args = &x+9'
wrong "no kernel 'other'" '[launch other]' 'grid = 1'
wrong "has no 'gird'; did you mean 'grid'" '[launch there]' 'gird = 1'
wrong 'has no [launch KERNEL]' '[buffers]' 'x = 8'
wrong 'not [launches]' '[launches]' 'x = 8'
wrong 'takes 3 arguments; 1 was given' '[buffers]' 'x = 8' '[launch scale]' 'args = &x'
wrong "PTX type .f32" '[buffers]' 'x = 8' '[launch scale]' 'args = &x &x u32:1'
wrong 'takes exactly 48 hexadecimal digits' '[buffers]' 'x = 8' '[launch here]' 'args = struct(&x)'
wrong 'more than 8 structures' '[buffers]' "x = $(printf 'struct(%.0s' {1..9})u8:1$(printf ')%.0s' {1..9})"
wrong 'times: a whole number' '[launch there]' 'times = 0'
gives 1 "can't read none.args" -- run k.ptx @none.args
gives 2 '--grid has no effect with an argument file' -- run k.ptx @good.args --grid 4
gives 2 "good.args is one too many" -- run k.ptx @good.args @good.args
gives 2 "the argument file's buffers are both, x, y, odd" -- run k.ptx @good.args --dump z
gives 2 '--kernel scale and --kernel here: a run has one' -- run k.ptx --kernel scale --kernel here

# --- names
"$ONCHIP" run k.ptx --kernel scale --block 8 --arg f32:2 --arg buf:32:iota:f32 --arg u32:8 --name by,from \
    --dump from:f32 >out
grep -q '^from: 0 2 4 6 8 10 12 14' out && grep -q '^  from  ' out || complain "$(<out)"
gives 2 '2 names are given, and the kernel has 1 parameter' -- run k.ptx --kernel there --arg buf:8 --name a,b
gives 2 'a name is empty' -- run k.ptx --kernel there --arg buf:8 --name a,
exit $bad
