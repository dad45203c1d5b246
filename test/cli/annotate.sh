#!/bin/bash
# --annotate and --lines: counters beside the source, a row for each access with its array, and the place in the kernel
# of what was inlined there, through two functions. All numbers are counted by hand.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
card=gtx480
cd "$work" || exit 1
mkdir include
cat >k.cu <<'CU'
inline float twice(const float *p) { return 2 * *p; }
inline float get(const float *p, int i) { return twice(p + i); }

kernel(x, c, y)
{
    y[i] = get(x, c[i]);
}
CU
echo 'an atomic' >include/atomic.hpp
cat >k.ptx <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry kernel(.param .u64 x, .param .u64 c, .param .u64 y)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<4>;
  .loc 1 4 0
  ld.param.u64 %d1, [x]; ld.param.u64 %d2, [c]; ld.param.u64 %d3, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4;
  add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;
  .loc 1 6 12
  ld.global.u32 %r2, [%d2];
  mul.wide.u32 %d5, %r2, 4; add.u64 %d1, %d1, %d5;
  .loc 1 2 49, function_name $S0, inlined_at 1 6 12
  .loc 1 1 40, function_name $S1, inlined_at 1 2 49
  ld.global.f32 %f1, [%d1];
  add.f32 %f1, %f1, %f1;
  .loc 1 6 5
  st.global.f32 [%d3], %f1;
  .loc 2 1 1, function_name $S2, inlined_at 1 6 5
  red.global.add.f32 [%d3], %f1;
  .loc 1 7 1
  ret;
}
.file 1 "k.cu"
.file 2 "include/atomic.hpp"
.section .debug_str {
$S0: .b8 103,0
$S1: .b8 116,0
$S2: .b8 97,0
}
PTX
args=(run k.ptx --grid 2 --block 64 --arg buf:4096 --arg buf:256:iota:u32 --arg buf:256)
run "${args[@]}" --annotate --lines
((status == 0)) || complain "$err"
# Four warps; a warp's 32 words are four sectors.
for line in '6 y\[i\] = get(x, c\[i\]);' 'load of c: 4, 4 sectors each, .* L1 hits' \
    'load of x: 4, 4 sectors each, .* L1 hits (k.cu:1)' 'store of y: 4, 4 sectors each' \
    'atomic of y: 4, 4 sectors each (atomic.hpp:1)' '4 kernel(x, c, y)' '^ 5 {$' '^ 4 7 }$' '^ k.cu:6 > k.cu:1 [0-9]' \
    '^ k.cu:6 > atomic.hpp:1 4 '; do
    grep -q -e "$line" <(tr -s ' ' <<<"$out") || complain "no line '$line' in: $out"
done
# The line has the load of c and its two additions, twice(), the store and the atomic: 7 instructions of 4 warps.
grep -q '^ 2[0-9] .*y\[i\] = get' <(tr -s ' ' <<<"$out") || complain "not the line's instructions: $out"
run "${args[@]}" --json --lines
[[ $(jq -c '.kernels[0].lines[] | select(.line == 1 and (.file | endswith("k.cu"))) | [.at_file, .at_line, .sectors]' \
    <<<"$out") == '["k.cu",6,16]' ]] || complain "the JSON has no at_line: $out"
# Half of the lanes leave at line 4, and the others do the rest: line 6 loses most.
sed 's/  .loc 1 6 12/  setp.gt.u32 %p, %r1, 15; @%p ret;\n&/; s/%f<4>;/%f<4>; .reg .pred %p;/' k.ptx >half.ptx
run "${args[@]/k.ptx/half.ptx}" --grid 2 --block 32
[[ $(tr -s ' \n' ' ' <<<"$out") == *"lanes take part, "*" % of those that don't at k.cu:6"* ]] ||
    complain "where lanes idle: $out"
# A file that isn't there, or no plain file, has its lines' numbers alone.
mv k.cu gone
run "${args[@]}" --annotate
[[ $out == *"k.cu, which can't be read"* && $out == *'load of c: 4'* ]] || complain "without the source: $out"
ln -s /dev/zero k.cu
run "${args[@]}" --annotate
[[ $out == *"k.cu, which can't be read"* ]] || complain "of a device: $out"
# Below a line stand the instructions that warps waited long before: a sum's loop waits for its loads, and all waits at
# barriers are at the two lines that have one.
"$ONCHIP" run reduce way=3 n=65536 --gpu rtx3080 --annotate >"$work/waits" 2>&1 || complain "reduce fails"
shares=$(sed -n 's/.* \([0-9.]*\) % of the waits at barriers are at bar.sync 0;/\1/p' "$work/waits")
awk '{ n += $1 } END { exit !(NR == 2 && n > 80 && n <= 100.1) }' <<<"$shares" || complain "at barriers: $shares"
grep -q '% of the waits for memory are before st.shared' "$work/waits" || complain "nothing waits for the load"
# Waits for copies are told by themselves: at an mbarrier, and for a group of copies. In these kernels nothing else
# waits at a barrier but one bar.sync, and for memory nothing else at all.
for of in bulk_wait:barrier:'at mbarriers':mbarrier.try_wait \
    copy_own:memory:'for groups of cp.async':cp.async.wait_group; do
    IFS=: read -r kernel cause words inst <<<"$of"
    grep -v '// wrong$' "$ONCHIP_SOURCE/test/cli/async/$kernel.ptx" >"$work/wait.ptx"
    args=("$work/wait.ptx" --gpu h200 --grid 1 --block 64 --arg buf:16384 --arg buf:16384:iota:u32)
    run run "${args[@]}" --json
    read -r stalls slots < <(jq -r ".kernels[0].counters | \"\(.[\"stall.$cause\"]) \(.[\"issue.slots\"])\"" <<<"$out")
    gives 0 "waits $words" -- run "${args[@]}" --annotate
    flat=$(tr -s ' \n' ' ' <<<"$out")
    share=$(sed -n "s/.* waits $words \([0-9.]*\) % of the issue slots.*/\1/p" <<<"$flat")
    part=$(sed -n "s/.* \([0-9.]*\) % of the waits [a-z ]*: $inst.*/\1/p" <<<"$flat")
    awk -v s="$share" -v p="$part" -v n="$stalls" -v all="$slots" \
        'BEGIN { d = s - p * n / all; exit !(p > 95 && s > 20 && d < 0.1 && d > -0.1) }' ||
        complain "$kernel: $share % of the slots, $part % of $stalls of $slots"
done
exit $bad
