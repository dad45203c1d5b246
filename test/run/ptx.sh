#!/bin/bash
# End-to-end tests: every data/NAME.ptx is run by the program itself, in all of its ways: executed only and timed,
# lowered and as written, on two GPUs, with 1, 2 and 7 host threads. All must give the same results, and the JSON of the
# timed runs must be the same to the byte on any number of threads, wall_seconds apart. In the short form a file is run
# in two ways, executed only as written and timed as lowered, and in a third whose turn it is. `ptx.sh NAME …` runs
# these files in all ways, as does the long form.
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
files=0 runs=0 all=${ONCHIP_LONG:-}

# The ways: what a file must allow ("only"), and the options. A run with several threads must print what the run before
# it with one thread, lowered or plain, has printed.
ways=('functional plain: --functional --no-lowering' 'timed lowered: --threads 1'
    'functional lowered: --functional' 'timed plain: --threads 1 --no-lowering'
    'timed lowered threads: --threads 2' 'timed lowered threads: --threads 7'
    'timed lowered gpus: --gpu titan_black'
    'timed plain threads: --threads 2 --no-lowering' 'timed plain threads: --threads 7 --no-lowering')
always=2 turns=5

# wrong NAME TEXT
wrong() {
    complain "test/run/data/$1.ptx: $2"
    bad_here=1
}

# read_file NAME: its comments, in $options, $only, $want and $judge.
read_file() {
    local line
    options=() only='functional timed lowered plain threads gpus' want='' judge=''
    while IFS= read -r line; do
        case $line in
        '// run:'*) options+=("${line#// run:}") ;;
        '// only:'*) only=${line#// only:} ;;
        '//='*) want+=${line#//=}$'\n' ;;
        '//?'*) judge+=${line#//?}$'\n' ;;
        esac
    done <"$1.ptx"
}

# launch NAME OPTION …: all runs of the file; text in $work/text, JSON in $work/json; the last exit status in $status.
launch() {
    local line own
    status=0
    : >"$work/text"
    : >"$work/json"
    for line in "${options[@]}"; do
        eval "own=($line)"
        # A minute of processor time: a kernel that doesn't end is one file's failure. ThreadSanitizer takes longer.
        (ulimit -t $seconds && exec "$onchip" run --gpu gtx480 "$1.ptx" "${own[@]}" --json "${@:2}") \
            2>>"$work/text" >>"$work/json" || status=$?
        runs=$((runs + 1))
    done
}

# must_be NAME MODE: the outcome of the last launch is the expected one.
must_be() {
    local name=$1 mode=$2 text
    if ((status)); then
        wrong "$name" \
            "$mode: exit status $status: $(tr -d '\n' <"$work/text" | head -c 400)$(grep -m1 '"error"' "$work/json")"
    elif [[ $judge ]]; then
        out=$(<"$work/text") bash -c "$judge" || wrong "$name" "$mode: judged wrong: $(head -c 600 "$work/text")"
    elif IFS= read -rd '' text <"$work/text"; [[ $text != "$wanted" ]]; then
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

# check NAME TURN: in all ways, or in those whose turn it is.
check() {
    local name=$1 k way base check third=${ways[always + $2 % turns]}
    bad_here=0
    if [[ $want ]]; then
        bash -c "$want" >"$work/want" || wrong "$name" "its own script fails"
    elif [[ -e $name.out ]]; then
        cp "$name.out" "$work/want"
    elif [[ ! -e $name.err && ! $judge ]]; then
        wrong "$name" "no expectation: neither //= nor //? nor $name.out nor $name.err"
    else
        : >"$work/want"
    fi
    IFS= read -rd '' wanted <"$work/want"
    for ((k = 0; k < ${#ways[@]} && !bad_here; k++)); do
        way=${ways[k]} check=''
        [[ $all || $way == "$third" ]] || ((k < always)) || continue
        for word in ${way%:*}; do [[ " $only " == *" $word "* ]] || continue 2; done
        [[ -e $name.err || $way != *--threads* ]] || check=--laws
        launch "$name" ${way#*:} $check
        if [[ -e $name.err ]]; then must_fail "$name" "$way"; else must_be "$name" "$way"; fi
        [[ $way == *--threads* && ( $all || $third == *threads:* ) ]] || continue
        base=$work/lowered
        [[ $way != *plain* ]] || base=$work/plain
        grep -hv '^ *"wall_seconds"' "$work/json" "$work/text" >"$work/now"
        if [[ $way != *threads:* ]]; then
            mv "$work/now" "$base"
        elif ! cmp -s "$base" "$work/now"; then
            wrong "$name" "$way: another output than with one thread"
            diff "$base" "$work/now" | head -n 12 >&2
        fi
    done
}

renew() {
    local name=$1
    launch "$name"
    if ((status)); then
        { echo "exit $status"; error_text; } >"$name.err"
    elif [[ ! $want$judge ]]; then
        cp "$work/text" "$name.out"
    fi
}

if (($#)); then all=yes; else set -- *.ptx; fi
for file; do
    name=${file##*/} name=${name%.ptx}
    files=$((files + 1))
    read_file "$name"
    if ((refresh)); then renew "$name"; else check "$name" $files; fi
done
echo "$files files, $runs runs"
exit $bad
