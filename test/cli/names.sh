#!/bin/bash
# A PTX file's buffers have the names of the kernel's parameters: in the table, in what --dump gives, which is also
# asked for by name, in messages and in the JSON.
source test/cli/expect.bash
cp examples/saxpy.ptx "$work"
saxpy=("$work/saxpy.ptx" --block 8 --arg i32:8 --arg f32:2 --arg buf:32:iota:f32 --arg buf:32)

for which in y 3; do
    gives 0 -- run "${saxpy[@]}" --dump $which:f32
    [[ $(head -n 1 <<<"$out") == 'y: 0 2 4 6 8 10 12 14' ]] || complain "--dump $which:f32: $(head -n 1 <<<"$out")"
done
[[ $(awk '$1 == "x" || $1 == "y" { print $1, $2, $3 }' <<<"$out") == $'x 1 0\ny 1 1' ]] || complain "the table: $out"
lacks arg

run run "${saxpy[@]}" --dump y:f32 --json
[[ $err == 'y: 0 2 4 6 8 10 12 14' && $out == *'"y": "00000000000000400000804'* ]] || complain "--dump y --json: $err"
[[ $out == *'"name": "x",'*'"name": "y",'* ]] || complain 'structures without names in the JSON'

gives 2 'they are n (.u32), alpha (.f32), x (.u64), y (.u64)' -- run "${saxpy[@]}" --dump z
gives 2 'its parameters are n (.u32), alpha (.f32), x (.u64), y (.u64)' -- run "$work/saxpy.ptx"
gives 2 "argument 1, 'alpha', is not a buffer" -- run "${saxpy[@]}" --dump alpha
gives 2 'from 0 on' -- run "${saxpy[@]}" --dump 4
gives 2 ':u32, :f32, :hex or :@FILE is expected' -- run "${saxpy[@]}" --dump y:f64
gives 1 "nearest allocation: 'x'" -- run "$work/saxpy.ptx" --block 16 --arg i32:16 --arg f32:2 --arg buf:32 \
    --arg buf:64 --set gpu.overread=no
exit $bad
