#!/bin/bash
# Regular expressions come from strangers' matrices. One that would take much memory or time is refused, by the command
# line and by a sweep, before anything runs; one that takes too many steps for a kernel's name ends the launch.
set -uo pipefail
source "$ONCHIP_SOURCE/test/test.bash"

# refused STATUS TEXT ARGUMENT …: the exit status and what is said, within 10 seconds of processor time; and in 1 GiB,
# where the addresses aren't a sanitizer's.
refused() {
    local want=$1 text=$2 said status=0
    shift 2
    said=$(
        ulimit -t 10
        [[ -n ${ONCHIP_SANITIZED:-} ]] || ulimit -v 1048576
        "$ONCHIP" "$@" 2>&1 >/dev/null
    ) || status=$?
    ((status == want)) && [[ $said == *"$text"* ]] || complain "$*: exit status $status: $said"
}

nested='((a{255}){255}){255}'
long=$(printf 'a%.0s' {1..1001})
deep=$(printf '(%.0s' {1..400})a$(printf ')%.0s' {1..400})
for expression in "$nested" "$deep" '(' 'a)(' 'a{2,1}'; do
    printf '[matrix]\nprogram = saxpy n=10\nkernels = {%s}\n' "$expression" >"$work/m.ini"
    refused 2 "m.ini:3:12: error: kernels: malformed regular expression" sweep "$work/m.ini" --db "$work/a.db" --dry-run
    refused 2 "--kernels: malformed regular expression '${expression:0:20}" run saxpy n=10 --kernels "$expression"
done
refused 2 "too large" run saxpy n=10 --kernels "$nested"
refused 2 "a regular expression of 1001 characters" run saxpy n=10 --kernels "$long"

# A name and an expression for which every division of the a's into groups is tried, 2^40 of them.
name=$(printf 'a%.0s' {1..40})
printf '.version 7.0\n.target sm_35\n.address_size 64\n.visible .entry %s_b() { ret; }\n' "$name" >"$work/many.ptx"
refused 2 "takes too many steps" run "$work/many.ptx" --kernels '^(a+)+[$]_?b'
printf '[matrix]\nprogram = %s\nkernels = ^(a+)+[$]_?b\n' "$work/many.ptx" >"$work/m.ini"
refused 1 "" sweep "$work/m.ini" --db "$work/a.db"
[[ $("$ONCHIP" db list --db "$work/a.db" --failed 2>&1) == *"takes too many steps"* ]] ||
    complain "the store doesn't say that the expression takes too many steps"
exit $bad
