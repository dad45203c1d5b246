#!/bin/bash
# End-to-end tests: every data/NAME.ptx is run by the program itself, in all of its ways: executed only and timed,
# lowered and as written, on two GPUs, with 1, 2 and 7 host threads. All must give the same results, and the JSON of the
# timed runs must be the same to the byte on any number of threads, wall_seconds apart.
#
# The comments at the top of a file say what to do:
#   // run: OPTIONS       of onchip run; several lines are several runs, whose outputs follow one another
#   // only: MODE …       the modes it makes sense in, of: functional timed lowered plain threads gpus (default: all)
#   //= SHELL             lines of a shell script that computes what must come out (printf's text and the dumps, in
#                         order)
#   //? SHELL             lines of a shell script that judges it instead ($out; its exit status), where a race may end
#                         in more than one way
# The expectation is computed apart from the simulator; where neither is there it is worked out by hand, in NAME.out. A
# file with a NAME.err must fail: its first line is "exit N", then come lines that the error must contain, in this
# order, and "! TEXT" for what it must not contain. `ptx.sh --refresh NAME …` writes NAME.out or NAME.err from what
# comes out, to be read before it is kept.
set -uo pipefail
cd "$(dirname "$0")/data" || exit 1
onchip=${ONCHIP:-../../../build/onchip}
[[ -x $onchip ]] || exit 77
refresh=0
[[ ${1:-} == --refresh ]] && refresh=1 && shift
source ../../test.bash
seconds=60
[[ -z ${ONCHIP_SANITIZED:-} ]] || seconds=600
files=0 runs=0

# wrong NAME TEXT
wrong() {
    complain "test/run/data/$1.ptx: $2"
    bad_here=1
}

# shell TAG FILE: the script in the comments of a kind.
shell() { sed -n "s|^//$1||p" "$2"; }

# launch NAME OPTION …: all runs of the file; text in $work/text, JSON in $work/json; the last exit status in $status.
launch() {
    local name=$1 line
    shift
    status=0
    : >"$work/text"
    : >"$work/json"
    while IFS= read -r line; do
        eval "set -- $(printf '%q ' "$@")"  # the options again, for the eval below
        # A minute of processor time: a kernel that doesn't end is one file's failure. ThreadSanitizer takes longer.
        eval "(ulimit -t $seconds && exec \"$onchip\" run $name.ptx $line --json \"\$@\")" \
            2>>"$work/text" >>"$work/json" || status=$?
        runs=$((runs + 1))
    done < <(sed -n 's|^// run: *||p' "$name.ptx")
    sed -i '/"wall_seconds"/d' "$work/json"
}

# must_be NAME MODE: the outcome of the last launch is the expected one.
must_be() {
    local name=$1 mode=$2
    if ((status)); then
        wrong "$name" \
            "$mode: exit status $status: $(tr -d '\n' <"$work/text" | head -c 400)$(grep -m1 '"error"' "$work/json")"
    elif [[ -s $work/judge ]]; then
        out=$(<"$work/text") bash "$work/judge" || wrong "$name" "$mode: judged wrong: $(head -c 600 "$work/text")"
    elif ! cmp -s "$work/want" "$work/text"; then
        wrong "$name" "$mode: wrong output (< expected)"
        diff <(fold -s -w 100 "$work/want") <(fold -s -w 100 "$work/text") | head -n 12 >&2
    fi
}

# The error of the last launch, which --json carries: with its lines told apart.
error_text() {
    sed -n 's/^ *"error": "\(.*\)",\{0,1\}$/\1/p' "$work/json" | sed 's/\\"/"/g; s/\\n/\n/g'
    cat "$work/text"
}

must_fail() {
    local name=$1 mode=$2 code line text
    read -r _ code <"$name.err"
    text=$(error_text)
    ((status == code)) || wrong "$name" "$mode: exit status $status, not $code"
    while IFS= read -r line; do
        if [[ $line == '! '* ]]; then
            [[ $(error_text) != *"${line#! }"* ]] || wrong "$name" "$mode: the error has '${line#! }'"
        elif [[ $text == *"$line"* ]]; then
            text=${text#*"$line"}
        else
            wrong "$name" "$mode: the error lacks '$line': $(error_text | head -n 40)"
            return
        fi
    done < <(tail -n +2 "$name.err")
}

judge() {
    if [[ -e $1.err ]]; then must_fail "$@"; else must_be "$@"; fi
}

check() {
    local name=$1 only first threads plain
    bad_here=0
    only=" $(sed -n 's|^// only: *||p' "$name.ptx") "
    [[ $only == '  ' ]] && only=' functional timed lowered plain threads gpus '
    shell '?' "$name.ptx" >"$work/judge"
    if grep -q '^//=' "$name.ptx"; then
        shell '=' "$name.ptx" | bash >"$work/want" || wrong "$name" "its own script fails"
    elif [[ -e $name.out ]]; then
        cp "$name.out" "$work/want"
    elif [[ ! -e $name.err && ! -s $work/judge ]] && ! ((refresh)); then
        wrong "$name" "no expectation: neither //= nor //? nor $name.out nor $name.err"
        return
    fi
    for plain in '' --no-lowering; do
        if [[ $plain ]]; then [[ $only == *' plain '* ]] || continue; else [[ $only == *' lowered '* ]] || continue; fi
        if [[ $only == *' functional '* ]]; then
            launch "$name" --functional $plain
            judge "$name" "functional $plain"
            ((bad_here)) && return
        fi
        [[ $only == *' timed '* ]] || continue
        first=
        for threads in 1 2 7; do
            if [[ $threads != 1 && $only != *' threads '* ]]; then continue; fi
            launch "$name" --threads $threads $([[ -e $name.err ]] || echo --check) $plain
            if [[ ! $first ]]; then
                judge "$name" "timed $plain"
                ((bad_here)) && return
                first=$(cat "$work/json" "$work/text")
            elif [[ $first != "$(cat "$work/json" "$work/text")" ]]; then
                wrong "$name" "$threads threads $plain: another output than with one thread"
                diff <(echo "$first") <(cat "$work/json" "$work/text") | head -n 12 >&2
            fi
        done
        [[ $plain || $only != *' gpus '* ]] || { launch "$name" --gpu titan_black; judge "$name" titan_black; }
    done
}

renew() {
    local name=$1
    launch "$name"
    if ((status)); then
        { echo "exit $status"; error_text; } >"$name.err"
    elif ! grep -q '^//[=?]' "$name.ptx"; then
        cp "$work/text" "$name.out"
    fi
}

(($#)) || set -- *.ptx
for file; do
    name=$(basename "$file" .ptx)
    files=$((files + 1))
    if ((refresh)); then renew "$name"; else check "$name"; fi
done
echo "$files files, $runs runs"
exit $bad
