#!/bin/bash
# onchip completion: what may stand at a place of a command line comes out of the tables of options and the lists, and
# bash completes it. zsh and fish at least read their scripts, where they are installed.
set -uo pipefail
[[ -e $ONCHIP ]] || exit 77
source "$ONCHIP_SOURCE/test/test.bash"

# after WORDS… <EXPECTED: the names that may stand there, in any order.
after() {
    "$ONCHIP" completion words "$@" | cut -f 1 | sort >"$work/got"
    sort | diff - "$work/got" >"$work/difference" || complain "after '$*' (<: expected): $(<"$work/difference")"
}
"$ONCHIP" list gpus | grep -o '^[a-z0-9_]\+' | sed '$a :files' | after run --gpu ''
"$ONCHIP" list gpus | grep -o '^[a-z0-9_]\+' | sed 's/^/--gpu=atom,/; $a :files' | sed 's/atom/gtx480/' |
    after sweep --gpu=gtx480,
"$ONCHIP" list workloads | grep -o '^[a-z0-9_/-]\+' | sed '$a :files' | after run ''
"$ONCHIP" help | awk '/^  [a-z]/ { print $1 }' | sed '$a help\n--version' | after ''
for command in run sweep report advise compare db reproduce probe sl1 show; do
    "$ONCHIP" $command --help | grep -oE '^  -[-a-zA-Z0-9]+' | tr -d ' ' | sort -u >"$work/options"
    "$ONCHIP" completion words $command - | cut -f 1 | sort -u | diff "$work/options" - >"$work/difference" ||
        complain "options of $command: $(<"$work/difference")"
done
printf '%s\n' nx= ny= | after run atax n
printf '%s\n' l1.replacement=plru | after run --set l1.replacement=p
printf '%s\n' l1.ways= | after run atax --set l1.wa
printf '%s\n' --size=small --size=standard | after run --size=s
printf '%s\n' small | after reproduce sl1 --size s
ls "$ONCHIP_SOURCE/reproduce" | sed '$a :files' | after reproduce ''
(cd "$ONCHIP_SOURCE/reproduce/mei" && ls -- fig*.ini | sed 's/\.ini$//') | after reproduce mei fig
printf '%s\n' run | after report ''
printf '%s\n' delete | after db d
printf '%s\n' strands | after show ptx --view s
"$ONCHIP" show passes | sed -n 's/^| `\([a-z]*\)`.*/\1/p' | sed '$a all' | after show ptx --after ''
after run --cap '' </dev/null
after nothing '' </dev/null

# --- bash -------------------------------------------------------------------------------------------------------------
# bash_words WORDS… <EXPECTED: what Tab offers behind these words, as bash cuts them.
eval "$("$ONCHIP" completion bash)" || complain "bash doesn't take its script"
[[ $(complete -p onchip) == 'complete -F _onchip onchip' ]] || complain "bash completes nothing for onchip"
bash_words() {
    COMP_WORDS=("$ONCHIP" "$@") COMP_CWORD=$#
    _onchip
    diff <(sort) <(printf '%s\n' "${COMPREPLY[@]}" | sort) >"$work/difference" ||
        complain "bash after '$*': $(<"$work/difference")"
}
printf '%s\n' report reproduce | bash_words rep
printf '%s\n' plru | bash_words run atax --set l1.replacement = pl
printf '%s\n' small standard | bash_words run --size = s
printf '%s\n' nx= ny= | bash_words run atax n
touch "$work/some.ptx"
printf '%s\n' "$work/some.ptx" | bash_words run "$work/so"

if command -v zsh >/dev/null; then
    zsh -n <("$ONCHIP" completion zsh) || complain "zsh doesn't take its script"
fi
if command -v fish >/dev/null; then
    fish --no-execute <("$ONCHIP" completion fish) || complain "fish doesn't take its script"
fi
grep -q "no script for 'bsh'" <<<"$("$ONCHIP" completion bsh 2>&1)" || complain "bsh isn't refused"
exit $bad
