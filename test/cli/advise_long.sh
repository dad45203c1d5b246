#!/bin/bash
# What advise says of a change is whole, however long the names of the array and of its file are.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
cd "$work" || exit 1
name=$(printf 'the_array_that_has_%.0s' {1..8})x
file=$(printf 'a_file_of_%.0s' {1..10}).cu
cat >long.ptx <<P
.version 7.0
.target sm_20
.address_size 64
.file 1 "$file"
.visible .entry walk(.param .u64 $name, .param .u64 out)
{
    .reg .b64 %in, %out, %a;
    .reg .b32 %t, %v, %s, %n;
    .reg .pred %p;
    ld.param.u64 %in, [$name];
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %a, %t, 128;
    add.u64 %in, %in, %a;
    mov.u32 %n, 0;
    mov.u32 %s, 0;
L:
    .loc 1 7 0
    ld.global.u32 %v, [%in];
    add.u32 %s, %s, %v;
    add.u64 %in, %in, 32;
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, 4;
    @%p bra L;
    mul.wide.u32 %a, %t, 4;
    add.u64 %out, %out, %a;
    st.global.u32 [%out], %s;
    ld.global.u32 %v, [%out];
    ret;
}
P
run advise long.ptx --grid 4 --block 128 --arg buf:16KiB --arg buf:2KiB --gpu gtx480 --db advise.db --budget 0 --json
[[ $(jq -r '.trials[].changes[].what' <<<"$out") == *"loads of $name past the L1"* ]] || complain "what: $out $err"
[[ $(jq -r '.trials[].changes[].write' <<<"$out") == *"load $name with __ldcg(&…), at $file:7"* ]] ||
    complain "write: $(jq -r '.trials[].changes[].write' <<<"$out")"
exit $bad
