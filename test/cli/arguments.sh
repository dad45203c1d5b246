#!/bin/bash
# An argument of a PTX file's kernel that isn't of its parameter's type, or a file that isn't as long as its buffer, is
# a mistake: the parameter, its PTX type and what to write instead are told, and nothing runs.
source test/cli/expect.bash
cp examples/saxpy.ptx "$work"
head -c 20 /dev/zero >"$work/twenty"

# refused TEXT … -- n alpha x y: examples/saxpy.ptx with these arguments.
refused() {
    local texts=() arguments=()
    while [[ $1 != -- ]]; do texts+=("$1"); shift; done
    shift
    for argument; do arguments+=(--arg "$argument"); done
    gives 2 "${texts[@]}" -- run "$work/saxpy.ptx" --block 8 "${arguments[@]}"
    [[ ! $out ]] || complain "saxpy $*: runs"
}
runs() { gives 0 -- run "$work/saxpy.ptx" --block 8 --arg "$1" --arg "$2" --arg "$3" --arg "$4"; }

# Kinds.
refused "arg i32:2: parameter 'alpha' has the PTX type .f32; write f32:2" -- i32:8 i32:2 buf:32 buf:32
refused "arg f32:8: parameter 'n' has the PTX type .u32; write u32:8" -- f32:8 f32:2 buf:32 buf:32
refused "'n' has the PTX type .u32; write u32:NUMBER" -- f32:8.5 f32:2 buf:32 buf:32
refused "'alpha' has the PTX type .f32 of 4 bytes, and a buffer's address has 8; write f32:NUMBER" \
    -- i32:8 buf:32 buf:32 buf:32
refused "'x' has the PTX type .u64; write u64:NUMBER, or buf:SIZE for a buffer" -- i32:8 f32:2 f64:0.5 buf:32
refused "'n' has the PTX type .u32; write u32:NUMBER" -- hex:00000008 f32:2 buf:32 buf:32
refused "'n' has the PTX type .u32; write u32:8" -- 8 f32:2 buf:32 buf:32
refused "no type 'f23'; did you mean 'f32:2'?" -- i32:8 f23:2 buf:32 buf:32
# Widths.
refused "arg i64:8: parameter 'n' has the PTX type .u32; write u32:8" -- i64:8 f32:2 buf:32 buf:32
refused "'n' has the PTX type .u32; write i32:-8" -- i16:-8 f32:2 buf:32 buf:32
refused "'n' has the PTX type .u32; write u32:NUMBER" -- i64:4294967296 f32:2 buf:32 buf:32
refused "'alpha' has the PTX type .f32; write f32:2.5" -- i32:8 f64:2.5 buf:32 buf:32
refused "'x' has the PTX type .u64; write u64:0, or buf:SIZE" -- i32:8 f32:2 i32:0 buf:32
# Values.
refused "a number is expected, not 'eight' (parameter 'n')" -- i32:eight f32:2 buf:32 buf:32
refused "doesn't fit 32 bits (parameter 'n', a .u32)" -- u32:-1 f32:2 buf:32 buf:32
refused "too large for an f32 (parameter 'alpha')" -- i32:8 f32:1e39 buf:32 buf:32
runs i32:8 f32:1e-46 buf:32 buf:32
refused "a number is expected, not ''" -- i32:8 f32: buf:32 buf:32
refused "a number is expected, not ''" -- i32: f32:2 buf:32 buf:32
runs i32:8 f32:inf buf:32 buf:32
runs i32:8 f32:2 buf:32 buf:32
runs u32:0 f32:2 u64:0 i64:0
# Too few, and too many.
refused 'kernel saxpy takes 4 arguments; 2 were given' 'n (.u32), alpha (.f32), x (.u64), y (.u64)' \
    'for x: u64:NUMBER, or buf:SIZE for a buffer; for y:' -- i32:8 f32:2
refused 'takes 4 arguments; 5 were given' 'hint: leave out i32:9' -- i32:8 f32:2 buf:32 buf:32 i32:9
# Buffers and files.
refused 'a size from 1 byte to 64 GiB is expected' -- i32:8 f32:2 buf:0 buf:32
refused "not 'iota:f23'; did you mean 'iota:f32'?" -- i32:8 f32:2 buf:32:iota:f23 buf:32
refused 'at most 64 hexadecimal digits' -- i32:8 f32:2 buf:32:hex:00+1 buf:32
for missing in "@$work/missing" "buf:@$work/missing" "buf:32:@$work/missing"; do
    gives 1 "arg $missing: can't read $work/missing: No such file" -- \
        run "$work/saxpy.ptx" --arg i32:8 --arg f32:2 --arg $missing --arg buf:32
    [[ ! $out ]] || complain "saxpy with $missing: runs"
done
refused "write buf:@$work/twenty" -- i32:8 f32:2 "@$work/twenty" buf:32
for size in 16 32; do
    refused "$work/twenty has 20 bytes and the buffer $size; write buf:@$work/twenty" \
        -- i32:8 f32:2 "buf:$size:@$work/twenty" buf:32
done
runs i32:8 f32:2 buf:32:@/dev/zero buf:32
refused '/dev/null has 0 bytes' -- i32:8 f32:2 buf:32:@/dev/null buf:32
refused 'not a file with a size' -- i32:8 f32:2 "buf:@/dev/zero" buf:32
runs i32:5 f32:2 "buf:20:@$work/twenty" "buf:@$work/twenty"

# Bits take a number of either kind; an array, which is how a structure is passed, takes all of its bytes.
cat >"$work/bits.ptx" <<'PTX'
.version 7.0
.target sm_35
.address_size 64
.visible .entry bits(.param .b32 a, .param .b64 b, .param .align 4 .b8 c[12], .param .u64 out)
{
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [out];
    ld.param.b32 %r1, [a];
    ld.param.b64 %d2, [b];
    ld.param.b32 %r2, [c];
    ld.param.b32 %r3, [c+8];
    st.global.b32 [%d1], %r1;
    st.global.b64 [%d1+8], %d2;
    st.global.b32 [%d1+4], %r2;
    st.global.b32 [%d1+16], %r3;
    ret;
}
PTX
bits() { gives 0 "out: $1" -- run "$work/bits.ptx" --block 1 --arg "$2" --arg "$3" --arg "$4" --arg buf:20 --dump out; }
# The bits of 1.5 as a float (3fc00000) and as a double (3ff8…), and those of whole numbers, the least byte first.
bits 0000c03f0201000000000000 f32:1.5 u64:0 hex:020100000000000000000000
bits 0700000000000000000000000000f83f0a0b0c0d i32:7 f64:1.5 hex:00000000000000000a0b0c0d
bits ffffffff01020304feffffffffffffff00000000 hex:ffffffff i64:-2 hex:010203040000000000000000
gives 2 "'c' has the PTX type .b8[12]; write hex: with 24 digits" \
    -- run "$work/bits.ptx" --arg i32:0 --arg i64:0 --arg i32:0 --arg buf:20
gives 2 "'c', a .b8[12], takes exactly 24 hexadecimal digits" \
    -- run "$work/bits.ptx" --arg i32:0 --arg i64:0 --arg hex:00 --arg buf:20
gives 2 "'a' has the PTX type .b32; write u32:1" \
    -- run "$work/bits.ptx" --arg i8:1 --arg i64:0 --arg hex:00 --arg buf:20
exit $bad
