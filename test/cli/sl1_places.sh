#!/bin/bash
# With --sl1 a fault, a refusal and the report's lines name the file that was given, and its lines. An instruction that
# the software L1 adds names the text that onchip sl1 writes.
source test/cli/expect.bash
cat >"$work/k.ptx" <<'END_PTX'
.version 7.0
.target sm_70
.address_size 64
.file 1 "k.cu"
.visible .entry sum(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.lo.u32 %r3, %r2, %r1;
    mul.wide.u32 %rd5, %r3, 4;
    add.u64 %rd3, %rd1, %rd5;
    mov.u32 %r4, 0;
    mov.u32 %r5, 0;

    // a comment and an empty line, which the rewritten text has not
LOOP:
    ld.global.u32 %r6, [%rd3];
    add.u32 %r4, %r4, %r6;
    add.u64 %rd3, %rd3, 4;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, %r1;
    @%p1 bra LOOP;
    mul.wide.u32 %rd4, %r2, 4;
    add.u64 %rd2, %rd2, %rd4;  .loc 1 77 3
    st.global.u32 [%rd2], %r4;
    ret;
}
.visible .entry alone(.param .u64 out)
{
    .reg .b64 %rd<2>;

    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], 1;
    ret;
}
.visible .entry refused(.param .u64 out)
{
    .reg .b128 %q<2>;
    .reg .b64 %d;

    st.global.b64 [%d], %q0;
    ret;
}
END_PTX
cd "$work" || exit 1
data=(--kernel sum --block 32)
# The rewritten kernel runs, and its access is refused where it stands in the file: by the load itself while its hits
# are counted, and by the fill of a line when the computing slice has begun.
for threshold in 1 300; do
    gives 1 'in sum$sl1_apart at k.ptx:22 ' 'ld.global' \
        -- run k.ptx "${data[@]}" --arg buf:64:zero --arg buf:128:zero --arg u32:128 --sl1=threshold=$threshold \
        --set gpu.overread=no
    lacks 'writes it'
done
gives 1 'at k.ptx:30 (k.cu:77)' \
    -- run k.ptx "${data[@]}" --arg buf:16384:zero --arg buf:64:zero --arg u32:128 --sl1
gives 1 'in alone at k.ptx:38 ' -- run k.ptx --kernel alone --arg u64:0 --sl1
gives 1 'k.ptx:46:5: error' -- run k.ptx --kernel refused --arg u64:0 --sl1
# Lines of the loop, of the .loc, and of what the software L1 adds, which are those of the text that it writes. There
# every line that it adds before the loop's slices names a register or a label of its own.
run run k.ptx "${data[@]}" --arg buf:16384:zero --arg buf:128:zero --arg u32:128 --lines --json --sl1
lines=$(awk -F'"' '/^ *"file"/ { file = $4 } /^ *"line"/ { gsub(/[^0-9]/, ""); print file ":" $0 }' <<<"$out")
for line in k.ptx:10 k.ptx:{13..18} k.ptx:{22..29} k.cu:77; do
    [[ $'\n'$lines$'\n' == *$'\n'$line$'\n'* ]] || complain "--lines has no $line: $lines"
done
run sl1 k.ptx -o k.sl1.ptx
own=0
while IFS=: read -r file line; do
    [[ $file == 'k.ptx (as onchip sl1 writes it)' ]] || continue
    own=$((own + 1)) text=$(sed -n "${line}p" k.sl1.ptx)
    [[ $text == *[%\$]sl1_* ]] || complain "line $line of the rewritten text is '$text'"
done <<<"$lines"
((own > 4)) || complain "of what the software L1 adds, $own lines ran"
# That text, run as a file, has its own places.
line=$(grep -n 'st.global.u32 \[%rd1\], 1;' k.sl1.ptx | cut -d: -f1)
gives 1 "in alone at k.sl1.ptx:$line " -- run k.sl1.ptx --kernel alone --arg u64:0
exit $bad
