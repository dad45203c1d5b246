#!/bin/bash
# Large inputs: the program's time and memory grow with the text, or a bound is named. Each is made here, is loaded and
# started, and is rewritten by onchip sl1, under limits of CPU time and memory that a quadratic step would break. In the
# short form there is a fifth of everything, within a quarter of the time.
set -uo pipefail
onchip=${ONCHIP:-build/onchip}
[[ -x $onchip ]] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kilobytes=4000000 seconds=20 part=1 bad=0 cases=0
[[ ${ONCHIP_LONG:-} ]] || seconds=5 part=5
grep -qE "__(asan|tsan)_init" <<<"$(nm "$onchip" 2>/dev/null)" && kilobytes=unlimited seconds=600

# try TITLE STATUS TEXT [OPTION …]: the module in $work/x.ptx ends a run so, with an error that contains TEXT; sl1
# doesn't crash.
try() {
    local status
    cases=$((cases + 1))
    (ulimit -v "$kilobytes" -t "$seconds" &&
        exec "$onchip" run --gpu gtx480 "$work/x.ptx" --functional --max-cycles 10 --block 1 --arg buf:4096 "${@:4}") \
        >/dev/null 2>"$work/error"
    status=$?
    if ((status != $2)) || [[ $(<"$work/error") != *"$3"* ]]; then
        echo "$1: run: exit status $status, not $2, or without '$3': $(head -c 400 "$work/error")" >&2
        bad=1
    fi
    (ulimit -v "$kilobytes" -t "$seconds" &&
        exec "$onchip" sl1 "$work/x.ptx" --sl1=strides -o "$work/sl1.ptx") 2>"$work/error"
    status=$?
    ((status <= 1)) || { echo "$1: sl1: exit status $status: $(head -c 400 "$work/error")" >&2 && bad=1; }
}

# module N AWK: what the awk program prints for a count of n, behind a header; K opens a kernel with one pointer.
module() {
    awk -v n="$(($1 < 1000 ? $1 : $1 / part))" 'BEGIN {
        print ".version 7.0\n.target sm_35\n.address_size 64"
        K = ".visible .entry k(.param .u64 q)\n{\n"
        '"$2"'
    }' >"$work/x.ptx"
}

module 200000 'for (i = 0; i <= n; i++) printf ".func f%d();\n", i
    for (i = 0; i < n; i++) printf ".func f%d(){call f%d; ret;}\n", i, i + 1
    printf ".func f%d(){ret;}\n", n; print K "call f0; ret;}"'
try 'a chain of 200,000 functions' 1 'was stopped after 10 cycles'

module 20000 'body = ".reg .b64 %a; .reg .b32 %r; ld.param.u64 %a,[p]; ld.global.u32 %r,[%a];"
    body = body " st.global.u32 [%a],%r; ret;"
    for (i = 0; i < n; i++) printf ".func f%d(.param .u64 p){%s}\n", i, body
    print K ".reg .b64 %a; .reg .b32 %r; .reg .pred %p; ld.param.u64 %a,[q];\nL:"
    for (i = 0; i < n; i++) printf "{.param .u64 s; st.param.u64 [s],%%a; call f%d,(s);}\n", i
    print "add.u32 %r,%r,1; setp.lt.u32 %p,%r,2; @%p bra L; ret;}"'
try 'a loop that calls 20,000 functions' 1 'was stopped after 10 cycles'

module 20000 'body = ".reg .b64 %f; .reg .pred %p; p: .callprototype _ (); mov.u64 %f,0; @%p call %f,(),p; ret;"
    for (i = 0; i < n; i++) printf ".func f%d(){%s}\n", i, body
    print K ".reg .b64 %f; .reg .pred %p; p: .callprototype _ ();"
    for (i = 0; i < n; i++) printf "mov.u64 %%f,f%d;\n", i
    print "@%p call %f,(),p; ret;}"'
try '20,000 functions called by address' 1 'was stopped after 10 cycles'

if [[ ${ONCHIP_LONG:-} ]]; then  # each of them has all functions decoded for itself
    module 3000 'for (i = 0; i < n; i++) printf ".func f%d();\n", i
        for (i = 0; i < n; i++) printf ".func f%d(){%s ret;}\n", i, i + 1 < n ? "call f" i + 1 ";" : ""
        for (i = 0; i < n; i++) printf ".visible .entry k%d(){call f0; ret;}\n", i'
    try '3,000 kernels with 3,000 functions in common' 1 'was stopped after 10 cycles' --kernel k2999
fi

module 100000 'printf ".func f("; for (i = 0; i < n; i++) printf "%s.param .b32 p%d", i ? "," : "", i
    print "){.reg .b32 %r,%s; .reg .b64 %g; mov.u64 %g,0;"
    for (i = 0; i < n; i++) printf "ld.param.u32 %%r,[p%d]; add.u32 %%s,%%s,%%r;\n", i
    print "st.global.u32 [%g],%s; ret;}\n" K "ret;}"'
try 'a function of 100,000 parameters' 0 ''

module 100000 'printf ".visible .entry k("; for (i = 0; i < n; i++) printf "%s.param .b8 p%d", i ? "," : "", i
    print "){ret;}"'
try 'a kernel of 100,000 parameters' 1 'the parameters of the kernel have 4353 bytes, of at most 4352'

module 20000 'print K ".reg .b32 %r; .reg .pred %p; .reg .b64 %a; ld.param.u64 %a,[q];"
    for (i = 0; i < n; i++) printf "L%d: add.u32 %%r,%%r,1; setp.gt.u32 %%p,%%r,%d; @%%p bra X%d;\n", i, i, i
    print "ld.global.u32 %r,[%a];"
    for (i = n - 1; i >= 0; i--) printf "bra L%d; X%d:\n", i, i
    print "ret;}"'
try '20,000 loops inside one another' 0 ''

module 100000 'print K ".reg .b32 %r<" n ">; .reg .b64 %a; ld.param.u64 %a,[q];"
    for (i = 0; i < n; i++) printf "ld.global.u32 %%r%d,[%%a+%d];\n", i, 4 * i
    for (i = 0; i < n; i++) printf "st.global.u32 [%%a+%d],%%r%d;\n", 4 * i, n - 1 - i
    print "ret;}"'
try '100,000 registers at a time' 1 'was stopped after 10 cycles'

part=1 module 100000 'print K ".reg .b32 %r<" n ">; .reg .pred %p; .reg .b64 %a; ld.param.u64 %a,[q];"
    for (i = 0; i < n; i++) printf "add.u32 %%r%d,%%r0,1; @%%p bra L%d; L%d:\n", i, i, i
    print "ret;}"'
try '100,000 registers in 200,000 blocks' 1 'split it into functions'

module 50000 'print K ".reg .b32 %r; .reg .pred %p; .reg .b64 %a; ld.param.u64 %a,[q];"
    for (i = 0; i < n; i++) printf "setp.eq.u32 %%p,%%r,%d; @%%p bra END; add.u32 %%r,%%r,1;\n", i
    print "END: st.global.u32 [%a],%r; ret;}"'
try '50,000 branches to one label' 0 ''

module 50000 'print K ".reg .b32 %r<" n + 1 ">; .reg .b64 %a; ld.param.u64 %a,[q]; ld.global.u32 %r0,[%a];"
    for (i = 1; i <= n; i++) printf "mov.u32 %%r%d,%%r%d;\n", i, i - 1
    print "st.global.u32 [%a],%r" n "; ret;}"'
try 'a chain of 50,000 copies' 0 ''

module 20000 'print K ".reg .b64 %r<" n + 1 ">; .reg .b32 %v; ld.param.u64 %r0,[q]; bra S0;"
    print "SX: ld.global.u32 %v,[%r" n "]; ret;"
    for (i = n - 1; i >= 0; i--) printf "S%d: add.u64 %%r%d,%%r%d,4; bra S%s;\n", i, i + 1, i, i + 1 == n ? "X" : i + 1
    print "}"'
try 'an address made by 20,000 additions against the order of the text' 1 'was stopped after 10 cycles'

part=1 module 20000 'print K ".reg .b32 %r; t: .branchtargets "; for (i = 0; i < n; i++) printf "%sL%d", i ? "," : "", i
    print ";"
    for (i = 0; i < n; i++) printf "L%d: add.u32 %%r,%%r,1; brx.idx %%r,t;\n", i
    print "ret;}"'
try '20,000 branches to 20,000 labels each' 1 'its brx.idx have 400000000 targets, of at most 16777216'

module 64 'print K ".reg .b64 %r<" n + 1 ">; .reg .b32 %v,%c; .reg .pred %p;"
    print "ld.param.u64 %r0,[q]; ld.param.u64 %r" n ",[q];\nL:"
    for (i = 1; i < n; i++) printf "add.u64 %%r%d,%%r%d,%%r%d;\n", i, i - 1, i - 1
    print "add.u64 %r" n ",%r" n ",%r" n - 1 "; ld.global.u32 %v,[%r" n "];"
    print "add.u32 %c,%c,1; setp.lt.u32 %p,%c,4; @%p bra L; ret;}"'
try 'an address that leads back on 2^64 ways' 1 ''

module 100000 'print K; for (i = 0; i < n; i++) print ".pragma \"nounroll\";"; print "ret;}"'
try '100,000 pragmas' 0 ''

module 100000 'for (i = 0; i < n; i++) printf ".global .u32 v%d = %d;\n", i, i
    print K ".reg .b32 %r;"; for (i = 0; i < n; i++) printf "ld.global.u32 %%r,[v%d];\n", i; print "ret;}"'
try '100,000 variables' 1 'was stopped after 10 cycles'

module 20000 'for (i = 0; i < n; i++) printf ".func f%d(){ret;}\n", i
    printf ".global .u64 t[%d] = {", n; for (i = 0; i < n; i++) printf "%sf%d", i ? "," : "", i
    print "};\n" K "ret;}"'
try 'a table of 20,000 functions' 0 ''

module 100000 'print K; for (i = 0; i < n; i++) printf "{"; for (i = 0; i < n; i++) printf "}"; print "ret;}"'
try '100,000 scopes inside one another' 1 'scopes are nested too deeply'

echo "$cases cases"
exit $bad
