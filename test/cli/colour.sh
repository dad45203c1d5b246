#!/bin/bash
# Colour: on a terminal alone, and none where NO_COLOR is set or the terminal is dumb. Pipes and files get plain text.
set -uo pipefail
[[ -e $ONCHIP ]] || exit 77
command -v script >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
escape=$'\x1b['
run=("$ONCHIP" run vectoradd --size small)

# on_terminal COMMAND…: what it writes on a terminal.
on_terminal() { script -qec "$(printf '%q ' "$@")" /dev/null </dev/null; }
# colours YES|NO WHAT TEXT. Progress ends with a code that erases its line: that one is no colour.
colours() {
    local text=${3//"${escape}K"/} has=no
    [[ $text == *"$escape"* ]] && has=yes
    [[ $has == "$1" ]] || complain "$2: colours: $has"
}
unset NO_COLOR
export TERM=xterm
colours no 'a pipe' "$("${run[@]}" 2>&1)"
colours no "a pipe's error" "$("$ONCHIP" run nothing-such 2>&1)"
text=$(on_terminal "${run[@]}")
colours yes 'a terminal' "$text"
[[ $text == *"${escape}1mlimited by${escape}0m"* ]] || complain "the head isn't bold: $text"
text=$(on_terminal "$ONCHIP" run nothing-such)
[[ $text == *"${escape}1;31monchip:${escape}0m no workload"* ]] || complain "an error isn't red: $text"
colours no NO_COLOR "$(NO_COLOR=1 on_terminal "${run[@]}")"
colours no 'a dumb terminal' "$(TERM=dumb on_terminal "${run[@]}")"
colours yes 'an empty NO_COLOR' "$(NO_COLOR='' on_terminal "${run[@]}")"
exit $bad
