#!/bin/bash
# The software L1's counters against a count by hand. Word count's threads read 256 characters each from a 256-byte
# boundary on: the first before the loop, one beside it, 254 in the main loop, which is unrolled twice. After 20 that
# are monitored 234 are left, from character 21 or 22 on, in 15 lines of 16 bytes, 30 of 8.
set -euo pipefail
[[ -x $ONCHIP ]] || exit 77
ptx=${ONCHIP_SOURCE:-$(dirname "$0")/../..}/test/lab/golden/wordcount.ptx
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=(wordcount threads=64 block=64 bytes=256 --ptx "$ptx")

count() {  # OPTION…: accesses and fills
    "$ONCHIP" run "${program[@]}" --gpu titan_black --sl1=threshold=20 "$@" --json |
        awk '/"sl1\.(accesses|fills)"/ { gsub(/[^0-9]/, "", $2); printf "%s ", $2 }'
}

expect() {  # WHAT WANTED OPTION…
    local what=$1 want=$2 got
    shift 2
    got=$(count "$@")
    [[ $got == "$want " ]] || { echo "$what: accesses and fills are $got, not $want" >&2; bad=1; }
}

expect "lines of 16 bytes" "$((64 * 234)) $((64 * 15))"
expect "lines of 8 bytes" "$((64 * 234)) $((64 * 30))" --sl1=line=8
expect "lines by banks" "$((64 * 234)) $((64 * 15))" --sl1=layout=banks
expect "each warp as one" "$((64 * 234)) $((64 * 15))" --sl1=decide=warp
expect "nothing cached" "0 0" --sl1=nothing
expect "pointers taken to alias" "$((64 * 234)) $((64 * 15))" --sl1=alias
expect "pointers said not to alias" "$((64 * 234)) $((64 * 15))" --sl1=noalias
# A lane that misses makes its warp wait, but here the lines of all lanes begin in the same rounds: 1 or 2 of 20
# accesses miss. Past the L1 every load takes more than 150 cycles, none takes 100,000; in the L1 there is a line of 128
# bytes for each thread.
expect "loads that take long" "$((64 * 234)) $((64 * 15))" --sl1=clock=150
expect "loads that don't" "0 0" --sl1=clock=100000
expect "loads that hit the L1" "0 0" --sl1=clock=150 --set l1.global=yes
# upper loads one structure and stores to another, both through lines where threads have 256 characters each. With 255 a
# lane begins one byte before the line of the lane before it: in each round some lane of a warp misses. What is stored
# to follows.
program=(upper blocks=1 threads=64 size=16384)
[[ $(count --sl1=clock=150) != "0 0 " ]] || { echo "lines that begin together aren't cached" >&2; bad=1; }
expect "a structure that is stored to, without one that is loaded" "0 0" --sl1=clock=100000
program=(upper blocks=1 threads=64 size=16320)
[[ $(count) != "0 0 " ]] || { echo "lines that don't begin together aren't cached" >&2; bad=1; }
expect "loads of which each misses some lane's line" "0 0" --sl1=clock=150

# Each thread chooses for itself. Of 32 lanes, each with 8 KiB of its own, those with an even number go on by a byte in
# each of 100 rounds, the others by 64. After 20 rounds the even lanes have a line each, for 80 accesses in 6 lines,
# from byte 20 to byte 99. A warp as one finds fewer than half of its accesses to hit, and caches nothing.
cat >"$work/lanes.ptx" <<'PTX'
.version 4.3
.target sm_35
.address_size 64
.visible .entry lanes(.param .u64 p)
{
    .reg .b32 %i, %v, %t, %s;
    .reg .b64 %a, %d;
    .reg .pred %p;
    ld.param.u64 %a, [p];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %d, %t, 8192;
    add.s64 %a, %a, %d;
    and.b32 %s, %t, 1;
    mad.lo.u32 %s, %s, 63, 1;
    cvt.u64.u32 %d, %s;
    mov.u32 %i, 0;
$l: ld.global.u8 %v, [%a];
    add.s64 %a, %a, %d;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 100;
    @%p bra $l;
    ret;
}
PTX
program=("$work/lanes.ptx" --block 32 --arg buf:256KiB)
expect "lanes that differ" "$((16 * 80)) $((16 * 6))"
expect "lanes that differ, in a warp that chooses as one" "0 0" --sl1=decide=warp
# Monitored more than once (footnote 6): for 200 rounds the kernel goes on by 64 bytes, then by one, in 200 more. It is
# monitored in rounds 0 to 19, 120 to 139, 240 to 259 and 360 to 379, with 100 between; the third time lines pay. So the
# accesses of rounds 260 to 359 go through them, at bytes 60 to 159 behind the change, and of 380 to 399, at 180 to 199.
cat >"$work/phases.ptx" <<'PTX'
.version 4.3
.target sm_35
.address_size 64
.visible .entry phases(.param .u64 p)
{
    .reg .b32 %i, %v, %t, %s;
    .reg .b64 %a, %d;
    .reg .pred %p;
    ld.param.u64 %a, [p];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %d, %t, 16384;
    add.s64 %a, %a, %d;
    mov.u32 %i, 0;
$l: ld.global.u8 %v, [%a];
    setp.lt.u32 %p, %i, 200;
    selp.u32 %s, 64, 1, %p;
    cvt.u64.u32 %d, %s;
    add.s64 %a, %a, %d;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 400;
    @%p bra $l;
    ret;
}
PTX
program=("$work/phases.ptx" --block 32 --arg buf:512KiB)
expect "accesses that change, monitored once" "0 0"
expect "accesses that change, monitored again" "$((32 * (100 + 20))) $((32 * (7 + 2)))" --sl1=again=100
expect "the same, in a warp that chooses as one" "$((32 * (100 + 20))) $((32 * (7 + 2)))" --sl1=again=100,decide=warp

# Lanes that make their accesses at different times stay together: opinion takes about as many warp instructions as with
# a warp that chooses as one.
instructions() {
    "$ONCHIP" run opinion size=61440 blocks=4 threads=64 --gpu titan_black --sl1=threshold=20 "$@" --json |
        awk '/"warp_instructions"/ && !n { gsub(/[^0-9]/, "", $2); n = $2 } END { print n }'
}
thread=$(instructions) warp=$(instructions --sl1=decide=warp)
((thread && thread * 10 < warp * 12)) ||
    { echo "opinion takes $thread warp instructions, $warp if a warp chooses" >&2; bad=1; }

# Pairs of lines. With chunks of 391 characters the 32 lanes of a warp leave their lines in different rounds. A model of
# them: each has a window of 32 bytes; if one leaves its own, each lane moves its window to the line that it is in, but
# not across a page of 4096 bytes, in which the text begins. A lane that moves by one line loads the upper one, and any
# other lane that moves both. So the warp loads once for all upper lines, and once more if any lane needs a lower one.
# There is no monitor: strides choose. Character 0 of each chunk is read before the loop.
program=(wordcount blocks=1 threads=32 size=$((32 * 391)) --ptx "$ptx")
model=$(awk 'BEGIN {
    lanes = 32; chunk = 391; loads = 1
    for (lane = 0; lane < lanes; lane++) at[lane] = -1
    for (byte = 1; byte < chunk; byte++) {
        called = 0
        for (lane = 0; lane < lanes; lane++) {
            a = lane * chunk + byte
            if (at[lane] < 0 || a - at[lane] >= 32) called = 1
        }
        if (!called) continue
        upper = lower = 0
        for (lane = 0; lane < lanes; lane++) {
            a = lane * chunk + byte
            to = a - a % 16
            if (to % 4096 == 4080) to -= 16
            if (to == at[lane]) continue
            upper = 1
            if (at[lane] < 0 || to - at[lane] != 16) { lower = 1; fills++ }
            at[lane] = to
        }
        loads += upper + lower
    }
    print lanes * (chunk - 1), fills, loads
}')
expect "pairs of lines" "${model% *}" --sl1=strides,pairs
loads=$("$ONCHIP" run "${program[@]}" --gpu titan_black --sl1=strides,pairs --json |
    awk '/"global.loads"/ && !n { gsub(/[^0-9]/, "", $2); n = $2 } END { print n }')
((loads == ${model##* })) || { echo "pairs of lines: a warp loads $loads times, not ${model##* }" >&2; bad=1; }

# A main loop of one round, of which an inner loop makes 400 accesses: only 20 of these are monitored. A thread of the
# original takes 6 instructions for each, and one that monitored all of them would take more than twice as many.
cat >"$work/inner.ptx" <<'PTX'
.version 4.3
.target sm_35
.address_size 64
.visible .entry inner(.param .u64 p)
{
    .reg .b32 %i, %j, %v, %t;
    .reg .b64 %a, %d;
    .reg .pred %p;
    ld.param.u64 %a, [p];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %d, %t, 4;
    add.s64 %a, %a, %d;
    mov.u32 %j, 0;
$outer:
    mov.u32 %i, 0;
$l: ld.global.u32 %v, [%a];
    add.s64 %a, %a, 128;
    xor.b32 %t, %t, %v;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 400;
    @%p bra $l;
    add.u32 %j, %j, 1;
    setp.lt.u32 %p, %j, 1;
    @%p bra $outer;
    ret;
}
PTX
taken() {
    "$ONCHIP" run "$work/inner.ptx" --block 32 --arg buf:64KiB --gpu titan_black "$@" --json |
        awk '/"warp_instructions"/ && !n { gsub(/[^0-9]/, "", $2); n = $2 } END { print n }'
}
plain=$(taken) monitored=$(taken --sl1=threshold=20)
((plain > 2400 && monitored < plain * 13 / 10)) ||
    { echo "a round of 400 accesses takes $plain instructions, and $monitored with 20 of them monitored" >&2; bad=1; }

# It has a copy that isn't monitored; an inner loop without accesses needs none.
sed 's/^$l: ld.global.u32 %v, .%a.;/$l: mov.u32 %v, %i;/; s/^$outer:/$outer: ld.global.u32 %v, [%a];/' \
    "$work/inner.ptx" >"$work/without.ptx"
copies() { "$ONCHIP" sl1 "$1" --dump monitor | grep -c '^$sl1_q' || true; }
[[ $(copies "$work/inner.ptx") != 0 && $(copies "$work/without.ptx") == 0 ]] ||
    { echo "$(copies "$work/inner.ptx") and $(copies "$work/without.ptx") quiet blocks" >&2; bad=1; }

# Where the loop's accesses hit, it isn't only quiet: the choice is made at its head, and the other 380 accesses go
# through a line of 16 bytes, a fill for each four.
sed 's/add.s64 %a, %a, 128;/add.s64 %a, %a, 4;/; s/mul.wide.u32 %d, %t, 4;/mul.wide.u32 %d, %t, 1600;/' \
    "$work/inner.ptx" >"$work/chosen.ptx"
lines=$("$ONCHIP" run "$work/chosen.ptx" --block 32 --arg buf:64KiB --gpu titan_black --sl1=threshold=20 --json |
    awk '/"sl1\.(accesses|fills)"/ { gsub(/[^0-9]/, "", $2); printf "%s ", $2 }')
[[ $lines == "$((32 * 380)) $((32 * 95)) " ]] ||
    { echo "an inner loop of 400 accesses has $lines accesses of lines and fills" >&2; bad=1; }

# The lanes of a warp choose different structures here, and some of them have no room for pairs.
"$ONCHIP" run opinion blocks=60 threads=512 size=245760 --gpu titan_black --functional --sl1=threshold=30,pairs \
    >"$work/apart" 2>&1 || { cat "$work/apart" >&2; bad=1; }

# An SM holds as many warps of a rewritten kernel as of the original: 64 of 32 registers. opinion's state is spilled for
# that; grep calls functions, which save registers on the stack: ptxas 13.0 gives its rewritten kernel 32.
for program in "opinion size=40960" "grep size=20480 pattern=2"; do
    warps=$("$ONCHIP" run $program blocks=30 threads=1024 --gpu titan_black --slice 15 --sl1 --json |
        awk '/"occupancy_warps"/ && !n { gsub(/[^0-9]/, "", $2); n = $2 } END { print n }')
    [[ $warps == 64 ]] || { echo "an SM has room for $warps warps of ${program%% *}, rewritten" >&2; bad=1; }
done

# A file's only kernel needs no name, rewritten or not; of two the error names those of the file.
kernel() {
    cat <<PTX
.visible .entry $1(.param .u64 p)
{
    .reg .b32 %i, %v;
    .reg .b64 %a;
    .reg .pred %p;
    ld.param.u64 %a, [p];
    cvta.to.global.u64 %a, %a;
    mov.u32 %i, 0;
\$l: ld.global.u32 %v, [%a];
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 40;
    @%p bra \$l;
    ret;
}
PTX
}
{ printf '.version 4.3\n.target sm_35\n.address_size 64\n'; kernel one; } >"$work/one.ptx"
{ cat "$work/one.ptx"; kernel two; } >"$work/two.ptx"
[[ $("$ONCHIP" run "$work/one.ptx" --gpu titan_black --arg buf:4KiB --sl1) == *'one$sl1_apart'* ]] ||
    { echo "a file's only kernel isn't found" >&2; bad=1; }
said=$("$ONCHIP" run "$work/two.ptx" --gpu titan_black --arg buf:4KiB --sl1 2>&1 || true)
[[ $said == *$'has 2 kernels; choose one with --kernel:\n  one\n  two' ]] ||
    { echo "of two kernels: $said" >&2; bad=1; }
exit $bad
