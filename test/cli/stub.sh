#!/bin/bash
# A kernel that only prints and traps is told as a stub of its library, with what it prints, once: "no device code" in
# the words of the library, which often names the architectures that it was compiled for. A kernel that prints and traps
# by a choice of its own is told as any other.
source test/cli/expect.bash
module() { # module TRAP: a kernel whose helper traps by that line
    cat <<PTX
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 args);
.global .align 1 .b8 text[64] = {78, 111, 32, 99, 111, 100, 101, 32, 102, 111, 114, 32, 37, 100, 59, 32, 98, 117, 105,
    108, 116, 32, 102, 111, 114, 58, 32, 55, 53, 48, 44, 56, 48, 48, 10, 0};
.func no_device_code(.param .b32 arch)
{
    .local .align 8 .b8 args[8];
    .reg .b64 %rd<5>; .reg .b32 %r<4>; .reg .pred %p;
    ld.param.u32 %r1, [arch];
    st.local.u32 [args], %r1;
    mov.u64 %rd1, args;
    cvta.local.u64 %rd2, %rd1;
    mov.u64 %rd3, text;
    cvta.global.u64 %rd4, %rd3;
    setp.ne.u32 %p, %r1, 5;
    {
        .param .b64 a; .param .b64 b; .param .b32 got;
        st.param.b64 [a], %rd4;
        st.param.b64 [b], %rd2;
        call (got), vprintf, (a, b);
    }
    $1
L:  bra L;
}
.visible .entry k(.param .u64 out)
{
    .param .b32 a;
    st.param.b32 [a], 700;
    call no_device_code, (a);
    ret;
}
PTX
}
module 'trap;' >"$work/stub.ptx"
module '@%p trap;' >"$work/choice.ptx"
for mode in --functional ''; do
    gives 1 "kernel k: this is a stub of its library" "this PTX is for sm_70" \
        -- run "$work/stub.ptx" --grid 4 --block 256 --arg buf:4 $mode
    n=$(grep -c 'No code for 700; built for: 750,800' <<<"$out$err")
    ((n == 1)) || complain "$mode: the text stands there $n times"
    gives 1 "in no_device_code at" -- run "$work/choice.ptx" --block 32 --arg buf:4 $mode
    lacks stub
done
exit $bad
