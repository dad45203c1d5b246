#!/bin/bash
# --why: planted causes of misses, with numbers that are counted by hand. One thread loads, each load waiting for the
# one before; the L1 has 16 KiB in lines of 128 bytes: 32 sets of 4 ways, by plain bits, LRU.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
card=gtx480
cd "$work" || exit 1
cat >k.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
// times times: n loads of x, stride bytes apart
.visible .entry walk(.param .u64 x, .param .u32 n, .param .u32 stride, .param .u32 times)
{
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<6>;
    ld.param.u32 %r1, [n]; ld.param.u32 %r2, [stride]; ld.param.u32 %r3, [times]; cvt.u64.u32 %d3, %r2;
AGAIN:
    ld.param.u64 %d1, [x]; mov.u32 %r4, 0;
NEXT:
    ld.global.u32 %r5, [%d1]; cvt.u64.u32 %d2, %r5; add.u64 %d1, %d1, %d3; add.u64 %d1, %d1, %d2;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r1; @%p bra NEXT;
    sub.u32 %r3, %r3, 1; setp.ne.u32 %p, %r3, 0; @%p bra AGAIN;
    ret;
}
// loads x, stores to it, and loads it again
.visible .entry touch(.param .u64 x)
{
    .reg .b32 %r<4>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [x]; ld.global.u32 %r1, [%d1]; st.global.u32 [%d1], %r1; membar.gl;
    ld.volatile.global.u32 %r2, [%d1+64];
    ld.global.u32 %r3, [%d1+4]; st.global.u32 [%d1+8], %r3; ret;
}
// times times: a line of hot, then n lines of cold
.visible .entry both(.param .u64 hot, .param .u64 cold, .param .u32 n, .param .u32 times)
{
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<6>;
    ld.param.u32 %r1, [n]; ld.param.u32 %r3, [times]; ld.param.u64 %d1, [cold]; ld.param.u64 %d4, [hot];
AGAIN:
    ld.global.u32 %r5, [%d4]; cvt.u64.u32 %d2, %r5; add.u64 %d1, %d1, %d2; mov.u32 %r4, 0;
NEXT:
    ld.global.u32 %r5, [%d1]; cvt.u64.u32 %d2, %r5; add.u64 %d1, %d1, 128; add.u64 %d1, %d1, %d2;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r1; @%p bra NEXT;
    sub.u32 %r3, %r3, 1; setp.ne.u32 %p, %r3, 0; @%p bra AGAIN;
    ret;
}
END
l1=(--set l1.size=16KiB --set l1.ways=4 --set l1.index=bits --set l1.replacement=lru --block 1 --why --json)
# walk BYTES N STRIDE TIMES
walk() {
    "$ONCHIP" run --gpu gtx480 k.ptx --kernel walk --arg "buf:$1" --arg "u32:$2" --arg "u32:$3" --arg "u32:$4" \
        "${l1[@]}" >json
}
# is NAME VALUE …: of the structure x (or $of).
is() {
    local got
    while (($#)); do
        got=$(jq ".kernels[0].structures[] | select(.name == \"${of:-x}\") | .why.$1" json)
        [[ $got == "$2" ]] || complain "$now: $1 is $got, not $2"
        shift 2
    done
}
now='a stream of 1000 lines'
walk 128000 1000 128 1
is loads 1000 served 0 first_touch 1000 capacity 0 conflict 0 dropped 0 served_by.four_times 0
# Every eighth line is sampled, by a hash, and none comes again.
[[ $(jq '[.kernels[0].structures[0].why.reuse[:-1][]] | add' json) == 0 ]] || complain "$now: it is reused"
now='256 lines, twice the L1, twice'
walk 32KiB 256 128 2
is loads 512 served 0 first_touch 256 capacity 256 conflict 0 served_by.twice 256 served_by.fully_associative 0
is 'evicted_by.x' 384  # all but the last 128
# Between two loads of a line 256 lines are loaded: a distance of 2^7 to 2^9 lines, as the sample of 1/8 goes.
[[ $(jq '.kernels[0].structures[0].why.reuse | (.[8] + .[9] + .[7]) > 0 and (.[:7] | add) == 0' json) == true ]] ||
    complain "$now: $(jq -c '.kernels[0].structures[0].why.reuse' json)"
now='8 lines of one set, ten times'
walk 32KiB 8 4096 10
is loads 80 served 0 first_touch 8 capacity 0 conflict 72 served_by.fully_associative 72 served_by.hashed 72
now='4 lines of one set, ten times'
walk 32KiB 4 4096 10
is loads 40 served 36 first_touch 4 conflict 0
now='4 times 4 bytes of a line'
walk 4096 32 4 1
is loads 32 served 31 first_touch 1

now='a line that a store drops'
"$ONCHIP" run --gpu gtx480 k.ptx --kernel touch --arg buf:4096 "${l1[@]}" --set l1.write_evict=yes >json
is first_touch 1 dropped 1 conflict 0 capacity 0
now='a hot line, pushed out by a stream'
"$ONCHIP" run --gpu gtx480 k.ptx --kernel both --arg buf:128 --arg buf:256KiB --arg u32:200 --arg u32:10 "${l1[@]}" \
    >json
of=hot is loads 10 served 0 first_touch 1 capacity 9 served_by.alone 9 evicted_by.cold 10
of=cold is loads 2000 first_touch 2000 served_by.alone 0
"$ONCHIP" run --gpu gtx480 k.ptx --kernel both --arg buf:128 --arg buf:256KiB --arg u32:200 --arg u32:10 \
    "${l1[@]/--json/--lines}" \
    >out
said=$(tr -s ' \n' ' ' <out)
[[ $said == *"hot the L1 of 16 KiB serves 0.0 % of its loads; one without the other structures' loads 90.0 %"* &&
    $said == *'pushed out by cold 100 %'* ]] || complain "$(<out)"

# A second launch: the caches were flushed; that dropped the line, and it isn't for the first time.
now='two launches'
cat >two.args <<'END'
[buffers]
x = 4096
[launch walk]
block = 1
args = &x u32:32 u32:128 u32:1
times = 2
END
"$ONCHIP" run --gpu gtx480 k.ptx @two.args --why --json --set l1.keep=no --set l1.size=16KiB >json
jq '.kernels |= .[1:]' json >second && mv second json
is loads 32 first_touch 0 dropped 32
gives 2 '--why has no effect with --functional' -- run k.ptx --kernel touch --arg buf:4096 --why --functional

# It changes nothing but what it says, on any number of threads.
"$ONCHIP" run --gpu gtx480 atax nx=128 ny=128 --json | jq 'del(.wall_seconds)' >plain
"$ONCHIP" run --gpu gtx480 atax nx=128 ny=128 --json --why --threads 2 | jq 'del(.wall_seconds)' >with
diff <(jq 'del(.kernels[].structures[].why)' with) plain >difference || complain "--why changes $(head -5 difference)"
"$ONCHIP" run --gpu gtx480 atax nx=128 ny=128 --json --why | jq 'del(.wall_seconds)' | diff - with >/dev/null ||
    complain 'two threads differ'
# The classes are all misses.
jq -e '[.kernels[].structures[].why | select(. != null) |
    (.loads - .served - .first_touch - .capacity - .conflict - .dropped) | fabs < 0.5] | all' with >/dev/null ||
    complain 'classes and misses differ'
exit $bad
