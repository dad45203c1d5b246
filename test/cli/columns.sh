#!/bin/bash
# No line is wider than 80 characters: help, lists, and the summaries of all workloads, with their hottest lines; in the
# short form every third, in one of three ways.
source test/cli/expect.bash

narrow() {
    local line widest=0
    run "$@"
    ((status == 0)) || complain "onchip $*: exit status $status: $err"
    while IFS= read -r line; do
        ((${#line} <= 80)) || complain "onchip $*: ${#line} columns: $line"
        ((${#line} > widest)) && widest=${#line}
    done <<<"$out"
    ((widest > 40)) || complain "onchip $*: hardly any output"
}

for verb in $("$onchip" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do narrow help $verb; done
narrow help
for what in workloads gpus schedulers replacements counters ops; do narrow list $what; done
w=0
for workload in $("$onchip" list workloads | sed -n 's/^\([a-z][^ ]*\).*/\1/p'); do
    w=$((w + 1)) k=0
    [[ ${ONCHIP_LONG:-} ]] || ((w % 3 == 0)) || continue
    for options in '--gpu gtx480' '--gpu titan_black --sched two-level --set sm.issue=2' '--functional'; do
        k=$((k + 1))
        [[ ${ONCHIP_LONG:-} ]] || ((k == 1 + w / 3 % 3)) || continue
        [[ $options == --functional ]] || options+=' --lines'
        narrow run "$workload" --size small $options
        [[ $out$'\n' != *' '$'\n'* ]] || complain "run $workload $options: blanks at a line's end"
    done
done

# Nothing is lost by wrapping: every counter has its row, and its sentence to the end.
run list counters
listed=$(tr -s ' \n' '  ' <<<"$out")
while IFS=$'\t' read -r counter sentence; do
    [[ $listed == *" $counter "* && $listed == *" $sentence "* ]] ||
        complain "list counters: not whole: $counter: $sentence"
done < <(sed -nE '/^(COUNTER|STALL)\(/ {
    :row
    /"\)$/! { N; s/\n */ /; b row }
    s/([^,]) " *"/\1 /g
    s/^[A-Z]*\([A-Z0-9_]*, "([^"]*)", .*, "([^"]*)"\)$/\1\t\2/p
}' src/base/counters.def | tail -n +2)
gives 0 'an SM has room for 6 blocks (48 warps), limited by warps' -- run atax --size small

# Of names too long for the table the middle is left out, so that they stay apart; a wider terminal shows more.
cp examples/saxpy.ptx "$work"
long=_ZN4some9namespace6kernelINS_5thing10with_many_args_param
sed "s/u64 x,/u64 ${long}_2,/; s/\[x\]/[${long}_2]/; s/u64 y)/u64 ${long}_3)/; s/\[y\]/[${long}_3]/" "$work/saxpy.ptx" \
    >"$work/long.ptx"
saxpy=(--block 8 --arg i32:8 --arg f32:2 --arg buf:32 --arg buf:32)
gives 0 -- run "$work/long.ptx" "${saxpy[@]}"
for n in 2 3; do
    grep -q "^  _ZN4.*….*_$n  *1  *$((n - 2))" <<<"$out" || complain "a long name: $out"
done
while IFS= read -r line; do ((${#line} <= 80)) || complain "a long name: too wide: $line"; done <<<"$out"
if command -v script >/dev/null; then
    for columns in 70 200; do
        shown=$(script -qec "stty cols $columns; '$onchip' run '$work/long.ptx' ${saxpy[*]}" /dev/null | tr -d '\r')
        row=$(grep '^  _Z.*_2 ' <<<"$shown")
        ((${#row} <= columns)) && [[ $columns == 70 && $row == *…* || $columns == 200 && $row == *" ${long}_2 "* ]] ||
            complain "on a terminal of $columns columns: $row"
    done
fi

# Kernels whose names have thousands of letters, and differ in the middle: two lines of the report each, whole in JSON.
kernel=k$(printf 'x%.0s' {1..1500}) rest=$(printf 'y%.0s' {1..1500})
for n in 1 2; do sed "s/entry saxpy/entry $kernel$n$rest/" "$work/saxpy.ptx" >"$work/$n.ptx"; done
sed '/^\.\(version\|target\|address\)/d' "$work/2.ptx" | cat "$work/1.ptx" - >"$work/both.ptx"
printf '%s\n' '[buffers]' 'x = 32' 'y = 32' >"$work/args"
printf '%s\n' "[launch $kernel"{1,2}"$rest]"$'\nblock = 8\nargs = i32:8 f32:2 &x &y' >>"$work/args"
gives 0 -- run "$work/both.ptx" "@$work/args"
heads=$(grep '  grid 1×1×1' <<<"$out")
[[ $(sort -u <<<"$heads" | wc -l) == 2 && $heads == *1yyy* && $heads == *2yyy* ]] || complain "two kernels: $heads"
((${#heads} < 400)) || complain "a kernel's name has ${#heads} letters"
run run "$work/both.ptx" "@$work/args" --json
[[ $out == *"\"$kernel"1"$rest\""* && $out == *"\"$kernel"2"$rest\""* ]] || complain "names aren't whole in JSON"
exit $bad
