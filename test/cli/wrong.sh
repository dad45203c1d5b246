#!/bin/bash
# A workload whose device code computes one element wrongly is caught, wherever that element lies, and the error names
# it: elements that are all as wanted are compared in stretches.
source test/cli/expect.bash
for at in 0 1 63 64 127 128 959 960 1000 1022; do
    spoil="setp.eq.s32 %p1, %r5, $at; @%p1 neg.f32 %f3, %f3;"
    "$onchip" show ptx vectoradd | sed "s/ add\.\(rn\.\)*f32 %f3.*/& $spoil/" >"$work/wrong.ptx"
    grep -q "%r5, $at;" "$work/wrong.ptx" || complain 'vectoradd has no add.f32 into %f3'
    gives 1 "wrong result: c[$at] is " -- run vectoradd n=1023 --functional --ptx "$work/wrong.ptx"
done
exit $bad
