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
for what in workloads gpus schedulers policies counters ops; do narrow list $what; done
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

# Of a name too long for the table, the end is shown.
sed '/^```ptx$/,/^```$/!d; /^```/d' README.md >"$work/saxpy.ptx"
long=_ZN4some9namespace6kernelINS_5thing10with_many_args_param_2
sed "s/u64 x,/u64 $long,/; s/\[x\]/[$long]/" "$work/saxpy.ptx" >"$work/long.ptx"
gives 0 -- run "$work/long.ptx" --block 8 --arg i32:8 --arg f32:2 --arg buf:32 --arg buf:32
grep -q '^  ….*_args_param_2  *1  *0' <<<"$out" || complain "a long name: $out"
while IFS= read -r line; do ((${#line} <= 80)) || complain "a long name: too wide: $line"; done <<<"$out"
exit $bad
