#!/bin/bash
# Which warps take whose lines, told for runs with an interval: three warps that share an L1 of one line, in an order
# that barriers set, so that the pairs can be counted by hand.
source test/cli/expect.bash
card=gtx480
cd "$work" || exit 1

# Ten rounds: warp 0 loads its line, then warp 1 loads another one. Behind the load of warp 1, in the fifth round,
# warp 2 loads a third line. So warp 0 loses its line to 1 nine times that matter. 1 loses its own to 2 once, and to 0
# eight times.
cat >pairs.ptx <<'PTX'
.version 6.0
.target sm_20
.address_size 64
.visible .entry pairs(.param .u64 data)
{
    .reg .u64 %a, %o;
    .reg .u32 %t, %w, %k, %v;
    .reg .pred %p, %q;
    ld.param.u64 %a, [data];
    mov.u32 %t, %tid.x;
    shr.u32 %w, %t, 5;
    mul.wide.u32 %o, %w, 4096;
    add.u64 %a, %a, %o;
    mov.u32 %k, 0;
round:
    setp.eq.u32 %p, %w, 0;
    @%p ld.global.u32 %v, [%a];
    @%p add.u32 %v, %v, 1;
    bar.sync 0;
    setp.eq.u32 %p, %w, 1;
    @%p ld.global.u32 %v, [%a];
    @%p add.u32 %v, %v, 1;
    bar.sync 0;
    setp.eq.u32 %p, %w, 2;
    setp.eq.and.u32 %p, %k, 4, %p;
    @%p ld.global.u32 %v, [%a];
    @%p add.u32 %v, %v, 1;
    bar.sync 0;
    add.u32 %k, %k, 1;
    setp.lt.u32 %q, %k, 10;
    @%q bra round;
    ret;
}
PTX
launch=(pairs.ptx --arg buf:16KiB --grid 1 --block 96
    --set l1.size=128 --set l1.ways=1 --set l1.index=modulo --sched gto)
gives 0 '"watch.interference": 18' -- run "${launch[@]}" --interval 1000 --json
flat=$(sed -n '/"interference": \[/,/\]/p' <<<"$out" | tr -d ' \n')
pairs='{"warp":0,"by":1,"misses":9},{"warp":1,"by":0,"misses":8},{"warp":1,"by":2,"misses":1}'
[[ $flat == "\"interference\":[$pairs]" ]] ||
    complain "the pairs are $flat"
run run "${launch[@]}" --json
[[ $out != *'"interference": ['* ]] || complain 'pairs are told though nobody asks'

# Each launch has pairs of its own: as many misses as it counts, and in atax's second kernel none.
run run atax --size small --set l1.size=1KiB --interval 1000 --json
awk '/"watch.interference": [0-9]/ { sub(/.*: /, ""); counted[++k] = $0 + 0 }
     /"misses": / { sub(/.*: /, ""); told[k] += $0 }
     END { exit !(k == 2 && counted[1] > 100 && told[1] == counted[1] && !counted[2] && !told[2]) }' "$work/out" ||
    complain 'the pairs of a launch are not those that it counts'

# In a store they are a finding for each pair, beside the least and the most of two different warps.
gives 0 '1 simulated, 0 failed' -- sweep "${launch[@]}" --interval 1000 --db pairs.db
gives 0 'interference.misses[warp=0 by=1]": 9' 'interference.misses[warp=1 by=2]": 1' \
    'interference.misses[warp=2 by=0]": 0' 'interference.least": 0' 'interference.most": 9' -- \
    db export --db pairs.db --json
exit $bad
