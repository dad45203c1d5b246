#!/bin/bash
# onchip show ptx --after PASS prints what each pass of lowering leaves: a function whose passes each have something to
# do. What is expected follows from what the passes say that they do (doc/extend/lowering.md), counted by hand.
source test/cli/expect.bash
cat >"$work/k.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<20>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 7;
    mov.u32 %r3, %tid.x;
    mov.u32 %r8, 0;
    mul.lo.s32 %r9, %r3, %r3;
    setp.gt.s32 %p1, %r1, 5;
    @%p1 bra OVER;
    add.s32 %r3, %r3, %r2;
OVER:
    mov.u32 %r4, 0;
LOOP:
    mad.lo.s32 %r8, %r3, %r8, %r4;
    add.s32 %r4, %r4, 1;
    setp.ne.s32 %p2, %r4, 4;
    @%p2 bra LOOP;
    st.global.u32 [%rd2], %r8;
    ret;
}
PTX
# after PASS: leaves the lines of the function's body in $out
after() { run show ptx "$work/k.ptx" --gpu rtx3080 --after "$1"; ((status == 0)) || complain "--after $1: $err"; }
# count PATTERN N: so many lines have it
count() {
    local n
    n=$(grep -cE -- "$1" <<<"$out")
    ((n == $2)) || complain "after $pass: $n lines with '$1' and not $2: $out"
}

pass=copies && after $pass && count 'add.s32 .*, 7;' 1 && count 'mov.u32 .*, 7;' 1 && count 'mul.lo' 1 && count 'bra' 2
pass=dead && after $pass && count 'mov.u32 .*, 7;' 0 && count 'cvta' 0 && count 'mul.lo' 0 && count 'bra' 2
pass=guard && after $pass && count '@!?%p[0-9]+ add.s32 .*, 7;' 1 && count 'bra' 1
pass=unroll && after $pass && count 'mad.lo' 4 && count 'bra' 0
pass=spill && after $pass
[[ $(sed 1d <<<"$out") == "$(run show ptx "$work/k.ptx" --gpu rtx3080 --view lowered && sed 1d <<<"$out")" ]] ||
    complain "what the last pass leaves isn't what is lowered"

# all: the passes of the table that run, in its order: for a card those that keys don't ask for, and with these all.
names=$("$onchip" show passes | sed -n 's/^| `\([a-z]*\)` .*/\1/p')
(($(wc -l <<<"$names") > 5)) || complain "the table of passes: $names"
asked=$("$onchip" show passes | sed -n 's/^| `\([a-z]*\)` .*| with sm\.\(vectors\|async\) |.*/\1/p')
[[ $asked == $'vectors\nasync' ]] || complain "passes that keys ask for: $asked"
after all
[[ $(sed -n 's/^k, after //p' <<<"$out") == "$(grep -vxF "$asked" <<<"$names")" ]] ||
    complain "not each pass runs for rtx3080: $out"
printf '[gpu]\nbase = rtx3080\n[sm]\nvectors = yes\nasync = yes\n' >"$work/asked.ini"
run show ptx "$work/k.ptx" --gpu "$work/asked.ini" --after all
[[ $(sed -n 's/^k, after //p' <<<"$out") == "$names" ]] || complain "not each pass runs where it is asked for: $out"
run show ptx "$work/k.ptx" --after all
[[ $(sed -n 's/^k, after //p' <<<"$out") == $'wmma\ncopies\ndead' ]] || complain "without a card others run: $out"

# Every pass stands in --help, in the message of an unknown one, and in completion.
gives 2 "no pass 'unrol'; did you mean 'unroll'?" "$(paste -sd, <<<"$names" | sed 's/,/, /g'), or all" -- \
    show ptx "$work/k.ptx" --after unrol
run show --help
for name in $names; do
    [[ $(tr -s ' \n' ' ' <<<"$out") == *[\(\ ]"$name,"* ]] || complain "--help lacks the pass $name"
done
gives 2 "unroll doesn't run here: it does from sm.lower = 3 on, with sm.count = sass" -- \
    show ptx "$work/k.ptx" --after unroll
gives 2 "it can't go with --view" -- show ptx "$work/k.ptx" --after all --view cfg
gives 2 '--after is an option of onchip show ptx' -- show gpu gtx480 --after all
exit $bad
