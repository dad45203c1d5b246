#!/bin/bash
# onchip run --sample of launches of few waves, of which some SMs are timed (chip/slices.c): the cycles of a whole run
# lie in the interval, memory is that of one launch though the launch runs more than once, what can't be told from a
# part is timed whole, and the number of host threads changes nothing.
set -uo pipefail
cd "$ONCHIP_SOURCE"
. test/test.bash
export XDG_DATA_HOME=$work

# part GPU RUN: share is how many blocks of its first kernel were timed, in percent; 100: all.
part() {
    # shellcheck disable=SC2086
    "$ONCHIP" run $2 --gpu $1 --sample --json >"$work/part" || complain "$2 fails"
    [[ $(jq .verified "$work/part") == true ]] || complain "$2: the result is wrong"
    share=$(jq '.kernels[0].sampled | if . then 100 * .blocks_timed / .blocks | round else 100 end' "$work/part")
}

simple="h200 --set dram.simple=yes"
within() { # RUN: the whole run's cycles and DRAM's bytes
    # shellcheck disable=SC2086
    "$ONCHIP" run $1 --gpu $simple --json >"$work/whole" || complain "$1 fails"
    jq -e -n --slurpfile a "$work/whole" --slurpfile b "$work/part" '
        $a[0].kernels[0] as $whole | $b[0].kernels[0] as $part |
        all("cycles", "dram.read_bytes", "l2.accesses"; . as $c | $part.sampled.counters[$c] as $in |
            $in.low <= $whole.counters[$c] and $whole.counters[$c] <= $in.high) and
        $part.warp_instructions == $whole.warp_instructions' >"$work/said" ||
        complain "$1: $(jq -c '[.kernels[0].cycles, .kernels[0].sampled.counters.cycles]' "$work/part") isn't $(
            jq '.kernels[0].cycles' "$work/whole")"
}

# A part of the SMs tells it.
for run in "conv2d n=1024" "transpose n=1024"; do
    part "$simple" "$run"
    ((share >= 2 && share <= 27)) || complain "$run: $share % of the blocks were timed"
    within "$run"
done
"$ONCHIP" run conv2d n=768 --gpu h200 --sample --json | jq 'del(.wall_seconds)' >"$work/one"
"$ONCHIP" run conv2d n=768 --gpu h200 --sample --threads 3 --json | jq 'del(.wall_seconds)' >"$work/three"
cmp -s "$work/one" "$work/three" || complain "three threads come to another result"

# What adds to what is there adds once, though parts are timed one after the other.
part "$simple" "saxpy n=262144"

# Blocks that differ, too few of them, and a GPU whose replies keep their order are timed whole.
for run in "h200 bfs n=4096" "h200 stencil3d n=64" "gtx480 conv2d n=256"; do
    part "${run%% *}" "${run#* }"
    ((share == 100)) || complain "$run: $share % of the blocks were timed"
done

# Parts that contradict each other are given up: a small one of syrk comes to 53 k cycles without and with the others'
# lines, a larger one to 37 k. So do blocks that find other lines in the L2 with the others than without.
for run in "h200 --set dram.simple=yes|syrk n=384 m=48" "v100|matmul-naive n=256"; do
    part "${run%|*}" "${run#*|}"
    ((share == 100)) || complain "$run: $share % of the blocks were timed"
done

# A part of a short launch doesn't wait for its first loads as the whole does: such launches aren't told by parts.
part v100 "gaussian n=96"
"$ONCHIP" run gaussian n=96 --gpu v100 --json >"$work/whole"
jq -e -n --slurpfile a "$work/whole" --slurpfile b "$work/part" '
    all(range($a[0].kernels | length); $b[0].kernels[.].cycles / $a[0].kernels[.].cycles | . > 0.8 and . < 1.2) and
    any($b[0].kernels[]; .sampled)' >"$work/said" || complain "gaussian: a launch is 20 % off, or none is sampled"

# Parts of sectors that many blocks write complete them in the L2: the next launch finds there what it would find.
part "$simple" "reduction n=8388608"
((share < 100)) || complain "reduction: it is timed whole"
# shellcheck disable=SC2086
whole=$("$ONCHIP" run reduction n=8388608 --gpu $simple --json | jq '.kernels[1].cycles')
[[ $(jq '.kernels[1].cycles' "$work/part") == "$whole" ]] || complain "reduction: its second launch isn't as it was"

# Of three parts, two that agree are enough: here a 33rd and a fourth.
part rtx3080 "matmul-tiled n=512"
((share <= 27)) || complain "matmul-tiled n=512: $share % of the blocks were timed"

# Where DRAM's banks are busy a part is given up, and leaves nothing behind: the launch, and those after it, are as if
# there had been none.
run="srad rows=512 columns=512 --gpu rtx3080"
# shellcheck disable=SC2086
for option in "" --sample; do
    "$ONCHIP" run $run $option --json | jq 'del(.wall_seconds)' >"$work/all$option" || complain "srad fails"
done
jq -e '[.kernels[].sampled // empty] == []' "$work/all--sample" >/dev/null || complain "srad isn't timed whole"
cmp -s "$work/all" "$work/all--sample" || complain "srad: a part that was given up has left something behind"

# A launch that faults says where, as one that isn't sampled does.
cat >"$work/far.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry far(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r1, 64, %r2;
    mul.wide.u32 %rd2, %r3, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}
END
"$ONCHIP" run "$work/far.ptx" --grid 1000 --block 64 --arg buf:255996 --gpu h200 --sample >/dev/null 2>"$work/part"
"$ONCHIP" run "$work/far.ptx" --grid 1000 --block 64 --arg buf:255996 --gpu h200 >/dev/null 2>"$work/whole"
cmp -s "$work/part" "$work/whole" || complain "a fault is told otherwise: $(cat "$work/part")"
grep -q 'block (999,0,0), thread (63,0,0)' "$work/part" || complain "the fault isn't told: $(cat "$work/part")"
exit $bad
