#!/bin/bash
# onchip advise: of kernels with a planted fault --why or "limited by" names the cause, and advise the cure; the cure,
# written into the kernel or its launch, gives the time that was said, within 10 %; where there is no fault, nothing
# gains.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
card=gtx480
cd "$work" || exit 1
head='.version 7.0
.target sm_70
.address_size 64'
index='mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;'

# Each thread walks a row of a, whose lines push those of b out, which all threads walk together.
cat >mix.ptx <<PTX
$head
.visible .entry mix(.param .u64 a, .param .u64 b, .param .u64 y)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [y]; $index
  mul.wide.u32 %d4, %r4, 128; add.u64 %d1, %d1, %d4; mov.f32 %f1, 0f00000000; mov.u32 %r5, 0;
LOOP:
  ld.globalA.f32 %f2, [%d1]; add.u64 %d1, %d1, 1048576;
  ld.global.f32 %f3, [%d2]; add.u64 %d2, %d2, 4;
  fma.rn.f32 %f1, %f2, %f3, %f1; add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 32; @%p bra LOOP;
  mul.wide.u32 %d5, %r4, 4; add.u64 %d3, %d3, %d5; st.global.f32 [%d3], %f1; ret;
}
PTX
# Each thread writes its tile's row and reads a column: with rows of 32 words all lanes of a warp meet in one bank.
cat >tile.ptx <<PTX
$head
.visible .entry tile(.param .u64 x, .param .u64 y)
{
  .shared .align 4 .b8 t[4224];
  .reg .b32 %r<12>; .reg .b64 %d<9>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; mov.u32 %r1, %ctaid.x; mov.u32 %r3, %tid.x; mov.u32 %r9, t;
  shl.b32 %r1, %r1, 10; add.u32 %r4, %r1, %r3; mul.wide.u32 %d4, %r4, 4; add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4;
  mad.lo.u32 %r6, %r3, 4, %r9; mad.lo.u32 %r7, %r3, ROW, %r9; mov.u32 %r5, 0;
FILL:
  ld.global.f32 %f1, [%d1]; st.shared.f32 [%r6], %f1; add.u64 %d1, %d1, 128; add.u32 %r6, %r6, ROW;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 32; @%p bra FILL;
  bar.sync 0; mov.u32 %r5, 0;
DRAIN:
  ld.shared.f32 %f1, [%r7]; st.global.f32 [%d2], %f1; add.u64 %d2, %d2, 128; add.u32 %r7, %r7, 4;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 32; @%p bra DRAIN;
  ret;
}
PTX
# Each thread walks its own 16 lines, four times: a few blocks fit the L1, all of them don't.
cat >thrash.ptx <<PTX
$head
.visible .entry thrash(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %d1, [x]; ld.param.u64 %d3, [y]; $index
  mul.wide.u32 %d4, %r4, 128; add.u64 %d1, %d1, %d4; mov.f32 %f1, 0f00000000; mov.u32 %r5, 0; mov.u64 %d6, %d1;
LOOP:
  ld.global.f32 %f2, [%d6]; add.f32 %f1, %f1, %f2; add.u64 %d6, %d6, 4;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 32; @%p bra LOOP;
  mul.wide.u32 %d5, %r4, 4; add.u64 %d3, %d3, %d5; st.global.f32 [%d3], %f1; ret;
}
PTX
# Each thread adds two numbers: nothing is used twice.
cat >stream.ptx <<PTX
$head
.visible .entry stream(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<4>;
  ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; $index
  mul.wide.u32 %d4, %r4, 4; add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4;
  ld.global.f32 %f1, [%d1]; add.f32 %f1, %f1, %f1; st.global.f32 [%d2], %f1; ret;
}
PTX
# All threads walk the same 8 rows, 64 times. Rows of 4096 bytes share sets where these are told by plain bits: 8 lines
# for 4 ways; rows of 4224 don't, nor do they fill the 6 ways of an L1 of 48 KiB.
cat >rows.ptx <<PTX
$head
.visible .entry rows(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %d1, [x]; ld.param.u64 %d3, [y]; $index
  mul.wide.u32 %d4, %r3, 4; add.u64 %d1, %d1, %d4; mov.f32 %f1, 0f00000000; mov.u32 %r5, 0;
AGAIN:
  mov.u64 %d6, %d1; mov.u32 %r6, 0;
LOOP:
  ld.global.f32 %f2, [%d6]; add.f32 %f1, %f1, %f2; add.u64 %d6, %d6, STRIDE;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 8; @%p bra LOOP;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 64; @%p bra AGAIN;
  mul.wide.u32 %d5, %r4, 4; add.u64 %d3, %d3, %d5; st.global.f32 [%d3], %f1; ret;
}
PTX
# Each thread loads 8 numbers, each of a line of its own: of 128 bytes 4 are used.
cat >apart.ptx <<PTX
$head
.visible .entry apart(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %d1, [x]; ld.param.u64 %d3, [y]; $index
  mul.wide.u32 %d4, %r4, 128; add.u64 %d1, %d1, %d4; mov.f32 %f1, 0f00000000; mov.u32 %r5, 0;
LOOP:
  ld.globalA.f32 %f2, [%d1]; add.f32 %f1, %f1, %f2; add.u64 %d1, %d1, 1048576;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 8; @%p bra LOOP;
  mul.wide.u32 %d5, %r4, 4; add.u64 %d3, %d3, %d5; st.global.f32 [%d3], %f1; ret;
}
PTX
sed 's/STRIDE/4096/' rows.ptx >rows_plain.ptx
sed 's/STRIDE/4224/' rows.ptx >rows_cured.ptx
sed 's/globalA/global/' apart.ptx >apart_plain.ptx
sed 's/globalA/global.cg/' apart.ptx >apart_cured.ptx
sed 's/globalA/global/' mix.ptx >mix_plain.ptx
sed 's/globalA/global.cg/' mix.ptx >mix_cured.ptx
sed 's/ROW/128/g' tile.ptx >tile_plain.ptx
sed 's/ROW/132/g' tile.ptx >tile_cured.ptx
cp thrash.ptx thrash_plain.ptx
cp thrash.ptx thrash_cured.ptx

# cycles FILE [OPTION …]: what a run takes.
cycles() { "$onchip" run --gpu gtx480 "$@" --json | jq '[.kernels[].cycles] | add'; }

# cured NAME KIND [OPTION …]: advise has a change of that kind among the best ones; the cured kernel takes the cycles
# that were said of that change alone, and the gain is real. What to write may be so much dynamic shared memory.
cured() {
    local name=$1 kind=$2 said got more base
    run advise "${name}_plain.ptx" "${@:3}" --db advise.db --jobs 2 --budget 0 --json
    ((status == 0)) || complain "advise $name: $err"
    said=$(jq "[.trials[] | select((.changes | length) == 1 and .changes[0].kind == \"$kind\" and .cycles)] |
               min_by(.cycles).cycles" <<<"$out")
    base=$(jq .base.cycles <<<"$out")
    [[ $(jq -r '.best.changes[].kind' <<<"$out") == *"$kind"* ]] || complain "$name: the best isn't '$kind'"
    more=$(jq -r "[.trials[] | select((.changes | length) == 1 and .changes[0].kind == \"$kind\" and .cycles)] |
               min_by(.cycles).changes[0].write" <<<"$out" | sed -n 's/.*, block, \([0-9]*\)>>>.*/--smem=\1/p')
    got=$(cycles "${name}_cured.ptx" "${@:3}" $more)
    ((got * 100 > said * 90 && got * 100 < said * 110)) ||
        complain "$name: said $base/$said cycles, and it is $base/$got"
    ((got * 100 < base * 99)) || complain "$name: the cure gains nothing: $base/$got"
}
# cause NAME STRUCTURE SHARE CLASS [OPTION …]: at least so many percent of the structure's misses are of that class.
cause() {
    local got
    run run "$1.ptx" "${@:5}" --why --json
    got=$(jq -r ".kernels[0].structures[] | select(.name == \"$2\").why | \"\(.$4) \(.loads - .served)\"" <<<"$out")
    ((${got% *} > 0 && ${got% *} * 100 >= $3 * ${got#* })) || complain "$1: of $2, $4 and misses are $got"
}
# limited NAME TEXT [OPTION …]: what the first part of the report says limits it.
limited() {
    run run "$1.ptx" "${@:3}"
    [[ $(tr -s ' \n' ' ' <<<"$out") == *"limited by"*"$2"*" cycles "* ]] || complain "$1: $2 doesn't limit it: $out"
}
# What each kernel runs with.
mix=(--grid 16 --block 256 --arg buf:33MiB --arg buf:128 --arg buf:32KiB)
tile=(--grid 30 --block 32 --arg buf:240KiB --arg buf:240KiB)
thrash=(--grid 60 --block 128 --arg buf:2MiB --arg buf:60KiB)
rows=(--grid 15 --block 64 --arg buf:40KiB --arg buf:4KiB --set l1.index=bits)
apart=(--grid 32 --block 256 --arg buf:9MiB --arg buf:32KiB)
stream=(--grid 64 --block 256 --arg buf:64KiB --arg buf:64KiB)
cause mix_plain b 90 'evicted_by.a' "${mix[@]}"
cured mix 'past the L1' "${mix[@]}"
cured tile padding "${tile[@]}"
cause thrash_plain x 90 capacity "${thrash[@]}"
cured thrash blocks "${thrash[@]}"
cause rows_plain x 90 conflict "${rows[@]}"
limited rows_plain 'latency of memory' "${rows[@]}"
cured rows carve-out "${rows[@]}"
cause apart_plain x 100 first_touch "${apart[@]}"
limited apart_plain 'the load-store unit' "${apart[@]}"
cured apart 'past the L1' "${apart[@]}"
cause stream x 100 first_touch "${stream[@]}"

run advise stream.ptx "${stream[@]}" --db advise.db --budget 0 --json
[[ $(jq '[.trials[] | select(.cycles and .times >= 1.1)] | length' <<<"$out") == 0 ]] || complain "a stream gains: $out"

# Blocks of 32 threads keep 8 warps on an SM of 48, which has room for 8 blocks: larger ones, with the same threads in
# all, take what is said. Where a block turns what it has, other blocks give another result, and are no change.
small=(--arg buf:240KiB:iota:f32 --arg buf:240KiB)
run advise stream.ptx --grid 1920 --block 32 "${small[@]}" --db advise.db --budget 0 --json
said=$(jq '[.trials[] | select((.changes | length) == 1 and .changes[0].kind == "block" and .cycles)] |
    min_by(.cycles)' <<<"$out")
got=$(eval "$(jq -r '.command | sub("onchip run"; "cycles")' <<<"$said")")
[[ $got == "$(jq .cycles <<<"$said")" ]] || complain "its command takes $got cycles: $said"
(($(jq .base.cycles <<<"$out") * 100 > got * 120)) || complain "larger blocks gain nothing: $out"
sed "s/mul.wide.u32 %d4, %r4, 4/&; sub.u32 %r3, %r2, %r3; mul.wide.u32 %d5, %r3, 4/
    s/add.u64 %d2, %d2, %d4;/add.u64 %d2, %d2, %d5;/" stream.ptx >turn.ptx
gives 0 'other result blocks of' 'No change gains' -- \
    advise turn.ptx --grid 1 --block 64 "${small[@]}" --db advise.db --budget 0

# A budget that is up ends it, and the same command goes on with what the store has.
gives 0 "runs weren't made, as the time was up" -- advise atax nx=96 ny=96 --db budget.db --budget 0.000001
gives 0 'times as fast' write 'onchip run --gpu gtx480 atax nx=96 ny=96' robust -- \
    advise atax nx=96 ny=96 --db budget.db --budget 0 --robust
lacks "weren't made"
# Settings of the software L1, also together: their command takes what was said.
run advise atax nx=256 ny=256 --set shared.size=32KiB --set shared.max=32KiB --db advise.db --budget 0 --json
got=$(eval "$(jq -r '.best.command | sub("onchip run"; "cycles")' <<<"$out")")
[[ $(jq -r .best.command <<<"$out") == *--sl1=*+* && $got == "$(jq .best.cycles <<<"$out")" ]] ||
    complain "the software L1's settings: $got cycles: $(jq -c .best <<<"$out")"
gives 2 'advise on what' -- advise
gives 2 'advise takes one run' -- advise atax,bicg
gives 2 '--budget takes seconds' -- advise atax --budget soon
# What is lost at most, and where; a grid of two dimensions is told as it is.
"$ONCHIP" advise add n=256 coalesced=0 launches=1 --gpu rtx3080 --db lost.db --budget 30 >lost 2>&1 || complain "advise"
tr -s ' \n' ' ' <lost >words
for words in "256 blocks" "to sectors of which little is used, most of them of A at add.cu:15" "neighbouring words"; do
    grep -qF "$words" words || complain "advise doesn't say '$words': $(cat lost)"
done
"$ONCHIP" advise add n=256 coalesced=0 launches=1 --gpu rtx3080 --db lost.db --budget 30 --json >lost.json 2>&1
grep -qF '"set": "ideal.coalesced=yes"' lost.json || complain "the JSON lacks what is lost"
exit $bad
