#!/bin/bash
# Kernels from strangers: sizes, offsets and prototypes that reach beyond what they belong to. None may touch the host's
# memory, take much of it or go on for long; each ends with the error that it should, or runs.
#
# Every bounds/NAME.ptx holds cases behind lines "//--- what it is about", each a module of its own. One that begins
# with no .version gets a header. The comments of a case say what to do:
#   // run: OPTIONS   of onchip run
#   //! TEXT          it is refused, or faults, and the error contains this; without such a line it must run
# Each is executed only, timed, and as written, and rewritten by onchip sl1, which must not crash whatever the case is.
# In the short form it is run in one of these ways, whose turn it is, and what sl1 wrote is read back for every third.
# The limits are of CPU time and of memory, the latter without a sanitizer, which maps much more than it uses.
set -uo pipefail
cd "$(dirname "$0")/bounds" || exit 1
onchip=${ONCHIP:-../../../build/onchip}
[[ -x $onchip ]] || exit 77
source ../../test.bash
kilobytes=3000000 seconds=20 cases=0
grep -q asan <<<"$(ldd "$onchip" 2>/dev/null)" && kilobytes=unlimited seconds=60
grep -qE "__(asan|tsan)_init" <<<"$(nm "$onchip" 2>/dev/null)" && kilobytes=unlimited seconds=60

wrong() { complain "test/run/bounds/$1"$'\n'"$(head -c 600 "$work/error")"; }

# limited COMMAND …: its exit status, its error text in $work/error.
limited() {
    (ulimit -v "$kilobytes" -t "$seconds" && exec "$@") >"$work/out" 2>"$work/error"
}

check() {
    local file=$1 title=$2 case=$3 run='' wanted=() mode status line error own=$((cases % 3))
    local modes=(--functional '' '--functional --no-lowering')
    while IFS= read -r line; do
        case $line in
        '// run:'*) run=${line#// run:} ;;
        '//!'*) read -r line <<<"${line#//!}" && wanted+=("$line") ;;
        esac
    done <"$case"
    [[ ${ONCHIP_LONG:-} ]] || modes=("${modes[own]}")
    for mode in "${modes[@]}"; do
        eval "limited \"\$onchip\" run --gpu gtx480 \"\$case\" $mode $run"
        status=$?
        if [[ ${wanted[*]} ]]; then
            ((status && status <= 3)) || wrong "$file: $title: run $mode: exit status $status, not 1, 2 or 3"
            IFS= read -rd '' error <"$work/error" || true
            for line in "${wanted[@]}"; do
                [[ $error == *"$line"* ]] || wrong "$file: $title: run $mode: the error lacks '$line'"
            done
        else
            ((status == 0)) || wrong "$file: $title: run $mode: exit status $status"
        fi
    done
    limited "$onchip" sl1 "$case" -o "$work/sl1.ptx" --sl1=strides
    status=$?
    ((status <= 1)) || wrong "$file: $title: sl1: exit status $status"
    ((status)) && return
    [[ ${ONCHIP_LONG:-} ]] || ((own == 0)) || return
    limited "$onchip" show ptx "$work/sl1.ptx" || wrong "$file: $title: what sl1 wrote isn't read back"
}

for file in *.ptx; do
    rm -f "$work"/case*
    awk -v to="$work/case" '
        /^\/\/---/ {
            n++
            head = 0
            name = sprintf("%s%03d.ptx", to, n)
            sub(/^\/\/--- */, "")
            print > (name ".title")
            next
        }
        n {
            if (!head && !/^\/\//) {
                if (!/^\.version/) print ".version 7.0\n.target sm_35\n.address_size 64" > name
                head = 1
            }
            print > name
        }' "$file"
    for case in "$work"/case*.ptx; do
        check "$file" "$(<"$case.title")" "$case"
        cases=$((cases + 1))
    done
done
echo "$cases cases"
exit $bad
