#!/bin/bash
# A kernel that can't be run blocks itself alone: the others of its file run, its own launch is refused with the place,
# and show ptx names it. --strict refuses the file.
source test/cli/expect.bash
cat >"$work/k.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) matrix(.param .b32 x)
{
    .reg .b32 %r<9>;
    tcgen05.mma.sync.aligned.m64n8k16.f16.f16.f16 {%r1, %r2}, %rd1, %rd2, 1, 1, 1, 0, 0;
    ret;
}
.visible .entry good(.param .u64 out)
{
    .reg .b64 %d;
    ld.param.u64 %d, [out];
    st.global.u32 [%d], 42;
    ret;
}
.visible .entry caller(.param .u64 out)
{
    .reg .b32 %r<2>;
    call (%r1), matrix, (%r0);
    ret;
}
.visible .entry wide(.param .u64 out)
{
    .reg .b128 %q<2>;
    .reg .b64 %d;
    st.global.b64 [%d], %q0;
    ret;
}
END
cd "$work" || exit 1
gives 0 'out: 42' -- run k.ptx --kernel good --arg buf:4 --dump out:u32
lacks tcgen05
gives 0 'out: 42' -- run k.ptx --kernel good --arg buf:4 --dump out:u32 --sl1
gives 1 "k.ptx:7:5: error: instruction 'tcgen05.mma" "kernel 'caller' needs function 'matrix'" \
    -- run k.ptx --kernel caller --arg buf:4
gives 1 "k.ptx:27:5: error: 'st' with the 128-bit register %q0 is not implemented" -- run k.ptx --kernel wide
gives 1 "instruction 'tcgen05.mma" -- run k.ptx --kernel good --arg buf:4 --strict
gives 0 "kernel 'caller' can't be run: k.ptx:7:5: error: instruction 'tcgen05" \
    "kernel 'wide' can't be run: k.ptx:27:5" -- show ptx k.ptx
lacks "'good' can't"
# What is shown is the module, with the text of what isn't understood.
"$onchip" show ptx k.ptx 2>/dev/null >shown.ptx
gives 0 'out: 42' -- run shown.ptx --kernel good --arg buf:4 --dump out:u32
gives 1 "instruction 'tcgen05.mma" -- run shown.ptx --kernel caller --arg buf:4
# A file's only kernel is found, and refused, without its name.
sed '/entry good/,/^}/d; /entry wide/,/^}/d' k.ptx >only.ptx
gives 1 "kernel 'caller' needs function 'matrix'" -- run only.ptx --arg buf:4
exit $bad
