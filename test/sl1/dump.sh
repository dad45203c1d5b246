#!/bin/bash
# onchip sl1 --dump: each step's text has what the step makes, and nothing of the others.
source test/cli/expect.bash
cat >"$work/k.ptx" <<'PTX'
.version 7.8
.target sm_80
.address_size 64
.file 1 "k.cu"
.func (.param .b32 r) get(.param .b64 p)
{
    .reg .b32 %x;
    .reg .b64 %at;
    ld.param.u64 %at, [p];
    ld.u32 %x, [%at];
    st.param.b32 [r], %x;
    ret;
}
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %n, %v;
    .reg .b64 %in, %out;
    .reg .pred %q;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mov.u32 %n, 0;
$loop:
    .loc 1 7 3
    call (%v), get, (%in);
    .loc 1 8 3
    st.u32 [%out], %v;
    add.u32 %n, %n, 1;
    setp.lt.u32 %q, %n, 99;
    @%q bra $loop;
    ret;
}
PTX
sl1=(sl1 "$work/k.ptx")
gives 0 '.entry k(' 'ld.u32 %x$1, [%at$1]' '.local' '.loc 1 7 3' '.loc 1 8 3' -- "${sl1[@]}" --dump inline
lacks call
lacks sl1_
gives 0 '.entry k(' 'ld.u32 %x$1, [%at$1]' 'mov.b64' '.loc 1 7 3' -- "${sl1[@]}" --dump forward
lacks .local
gives 0 'k: rewritten' 'structure 0: in, 1 accesses, only read' 'structure 1: out, 1 accesses, read and written' -- \
    "${sl1[@]}" --dump plan
plan=$out
gives 0 -- "${sl1[@]}" --plan
[[ $out == "$plan" ]] || complain "--plan isn't --dump plan"
# The other way round: the first structure is the one that is written.
sed 's/in, .param .u64 out/out, .param .u64 in/' "$work/k.ptx" >"$work/other.ptx"
gives 0 'structure 0: out, 1 accesses, read and written' 'structure 1: in, 1 accesses, only read' -- \
    sl1 "$work/other.ptx" --plan
gives 0 '// k$sl1' '$sl1_m1:' 'add.u32 %sl1_h0_m, %sl1_h0_m, ' -- "${sl1[@]}" --dump monitor
lacks '$sl1_c1:'
gives 0 '$sl1_c1:' 'st.shared' '$sl1_x0_' -- "${sl1[@]}" --dump compute
lacks '$sl1_m1:'
gives 0 '$sl1_n1:' -- "${sl1[@]}" --dump plain
lacks %sl1_
gives 0 '// k$sl1_apart' -- "${sl1[@]}" --dump compute --sl1=noalias
gives 0 -- "${sl1[@]}" --dump plan -o "$work/plan"
[[ ! $out && $(<"$work/plan") == "$plan" ]] || complain "-o isn't where the dump goes"
gives 2 "--dump is one of inline|forward|plan|monitor|compute|plain, not 'both'" -- "${sl1[@]}" --dump both
sed 's/ld.u32/atom.add.u32/; s/%x, \[%at\]/%x, [%at], 1/; s/st.u32 \[%out\]/st.volatile.u32 [%out]/' "$work/k.ptx" \
    >"$work/left.ptx"
gives 0 '// k is left alone: atomics or volatile accesses touch every structure of its loops' -- sl1 "$work/left.ptx" \
    --dump compute
sed 's/%x/%sl1_x/' "$work/k.ptx" >"$work/again.ptx"
gives 0 'k: left alone: it is rewritten already' -- sl1 "$work/again.ptx" --plan
exit $bad
