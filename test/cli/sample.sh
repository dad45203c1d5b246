#!/bin/bash
# onchip run --sample: results in memory are those of a whole run, what is estimated lies in its interval, the number of
# host threads changes nothing, blocks that wait for one another neither hang nor are taken for a hang, and what is of
# whole launches is refused. With ONCHIP_LONG, tools/sample.sh compares all workloads with their whole runs: of 100
# intervals 5 may miss, and of a few more by chance.
set -uo pipefail
cd "$ONCHIP_SOURCE"
. test/test.bash
if [[ ${ONCHIP_LONG:-} ]]; then
    tools/sample.sh >"$work/table" || complain "tools/sample.sh failed: $(tail -n 3 "$work/table")"
    cat "$work/table"
    awk '/^of [0-9]+ intervals of cycles/ { n = $2; in_it = $6; seen = 1 }
         /^of [0-9]+ intervals of rates/ { m = $2; in_them = $6 }
         END { exit !(seen && n > 30 && in_it >= 0.9 * n && in_them >= 0.9 * m) }' "$work/table" ||
        complain "the truth lies outside of too many intervals"
    exit $bad
fi

# plain FILE: the JSON without what says how long the host took, and how the parts were chosen
plain() { jq 'del(.wall_seconds)' "$1"; }

# in_it WHAT WHOLE SAMPLED: cycles of each launch lie in their interval, and blocks were left out.
in_it() {
    jq -e -n --slurpfile a "$2" --slurpfile b "$3" '
        [range($a[0].kernels | length)] | length > 0 and all(.[];
            $a[0].kernels[.].cycles as $true | $b[0].kernels[.] |
            if .sampled then .sampled.counters.cycles.low <= $true and $true <= .sampled.counters.cycles.high
            else .cycles == $true end)' >"$work/said" || complain "$1: the cycles lie outside of an interval"
    jq -e -n --slurpfile a "$2" --slurpfile b "$3" '
        all(range($a[0].kernels | length); . as $k |
            all("warp_instructions", "thread_instructions"; . as $c | $a[0].kernels[$k][$c] == $b[0].kernels[$k][$c]))
        ' >"$work/said" || complain "$1: the instructions aren't those of a whole run"
    jq -e '[.kernels[].sampled // empty | .blocks - .blocks_timed] | add > 0' "$3" >"$work/said" ||
        complain "$1: nothing was left out"
}

# Launches of many waves, one of which leaves atomics behind; launches of few.
for run in "bins n=1048576 block=256" "vectoradd n=1048576" "add n=100 launches=40"; do
    # shellcheck disable=SC2086
    "$ONCHIP" run --gpu gtx480 $run --json >"$work/whole" && "$ONCHIP" run --gpu gtx480 $run --sample --json \
        >"$work/part" ||
        complain "$run fails"
    in_it "$run" "$work/whole" "$work/part"
    [[ $(jq .verified "$work/part") == true ]] || complain "$run: the result is wrong"
    # shellcheck disable=SC2086
    "$ONCHIP" run --gpu gtx480 $run --sample --json --threads 3 >"$work/three"
    cmp -s <(plain "$work/part") <(plain "$work/three") || complain "$run: three threads come to another result"
done
jq -e '.kernels | length == 40 and (map(select(.sampled)) | length > 25) and (.[0].sampled == null)' "$work/part" \
    >"$work/said" || complain "of 40 launches that are alike more than 15 were timed, or the first one wasn't"
"$ONCHIP" run --gpu gtx480 add n=100 launches=40 --sample >"$work/text"
grep -q 'sampled: [0-9]* of 40 launches' <<<"$(head -n 2 "$work/text" | tr -s '\n ' ' ')" ||
    complain "the report's head doesn't say what was sampled: $(head -n 2 "$work/text")"

# What follows from estimates is one.
"$ONCHIP" run --gpu gtx480 bins n=1048576 block=256 --sample --energy --json |
    jq -e '.kernels[0].sampled.counters["energy.total"] | .low < .high' >"$work/said" || complain "the energy is sure"

# What is too small is timed whole, to the last counter.
"$ONCHIP" run --gpu gtx480 atax --size small --json >"$work/whole"
"$ONCHIP" run --gpu gtx480 atax --size small --sample --json >"$work/part"
cmp -s <(plain "$work/whole") <(plain "$work/part") || complain "a small launch isn't timed whole"

# Blocks in a chain: each waits for the one before it, or for the one behind it, which must be found to hang. The
# numbers' sums are n (n + 1) / 2.
chain() {
    cat <<PTX
.version 7.0
.target sm_35
.address_size 64
.visible .entry chain(.param .u64 sums, .param .u64 flags, .param .u64 ticket)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<10>;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra END;
    ld.param.u64 %rd1, [sums];
    ld.param.u64 %rd2, [flags];
    ld.param.u64 %rd3, [ticket];
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    mov.u32 %r3, 0;
    setp.eq.u32 %p2, %r2, $2;
    @%p2 bra ADD;
WAIT:
    ld.volatile.global.u32 %r4, [%rd6+$1];
    setp.eq.u32 %p3, %r4, 0;
    @%p3 bra WAIT;
    ld.volatile.global.u32 %r3, [%rd5+$1];
ADD:
    add.u32 %r5, %r3, %r2;
    st.volatile.global.u32 [%rd5], %r5;
    membar.gl;
    mov.u32 %r6, 1;
    st.volatile.global.u32 [%rd6], %r6;
    atom.global.add.u32 %r7, [%rd3], 1;
END:
    ret;
}
PTX
}
buffers=(--arg buf:16000:zero --arg buf:16000:zero --arg buf:4:zero)
chain -4 0 >"$work/chain.ptx"
for mode in "" --sample; do
    # shellcheck disable=SC2086
    "$ONCHIP" run --gpu gtx480 "$work/chain.ptx" --grid 4000 --block 256 "${buffers[@]}" --dump sums:u32 \
        --dump ticket:u32 $mode \
        >"$work/out" 2>&1 || complain "the chain fails $mode: $(grep -m1 onchip: "$work/out")"
    got=$(grep -o '^sums:.*' "$work/out" | awk '{ for (k = 2; k <= NF; k++) if ($k != (k - 2) * (k - 1) / 2) exit 1
        print NF - 1, "right" }')
    [[ $got == "4000 right" ]] || complain "the chain's sums are wrong $mode"
    grep -q '^ticket: 4000$' "$work/out" || complain "a block of the chain ran twice, or not at all $mode"
done
grep -q 'blocks were timed' "$work/out" || complain "nothing of the chain was left out"
chain 4 3999 >"$work/chain.ptx"
"$ONCHIP" run --gpu gtx480 "$work/chain.ptx" --grid 4000 --block 256 "${buffers[@]}" --sample >"$work/out" 2>&1 &&
    complain "a chain that hangs ends"
grep -q 'the kernel hangs' "$work/out" || complain "a chain that hangs isn't found: $(head -c 300 "$work/out")"

# Refused, with the reason.
for option in --functional --why --check "--max-cycles 5" "--cap 5" "--trace $work/t.json" "--interval 9 --json"; do
    # shellcheck disable=SC2086
    "$ONCHIP" run --gpu gtx480 atax --size small --sample $option >"$work/out" 2>&1
    (($? == 2)) || complain "$option with --sample: not a mistake of usage"
    grep -q -e "${option%% *} can't go with --sample" "$work/out" || complain "$option: $(cat "$work/out")"
done
"$ONCHIP" sweep --gpu gtx480 atax --size small --sample --why --db "$work/db" \
    >"$work/out" 2>&1 && complain "a sweep has both"
grep -q "why can't go with sample" "$work/out" || complain "the sweep: $(cat "$work/out")"
exit $bad
