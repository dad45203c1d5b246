#!/bin/bash
# Kernels as nvcc makes them (cures/NAME.cu): the report names what limits each, --why which array pushes which out,
# and onchip advise the gain of a change. The change, written into the source (NAME_cured.ptx), takes the cycles that
# were said within 10 %.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
card=gtx480
cd "$work" || exit 1
from=$ONCHIP_SOURCE/test/cli/cures
cp "$from"/*.ptx "$from"/*.args .

# The matrix and the table of slots, which kernels of their own make.
for name in first col val x; do
    gives 0 -- run spmv.ptx @spmv.args --functional --dump "$name:@$name.bin"
done
gives 0 -- run join.ptx @join.args --functional --dump slots:@slots.bin
spmv=(--kernel spmv --grid 32 --block 256 --arg buf:@first.bin --arg buf:@col.bin --arg buf:@val.bin --arg buf:@x.bin
    --arg buf:32KiB --arg u32:8192)
join=(--kernel probe --grid 64 --block 256 --arg buf:@slots.bin --arg u32:32767 --arg buf:64KiB --arg u32:16384)
stencil=(--grid 1,128 --block 128 --arg buf:64KiB --arg buf:64KiB --arg s32:128)
turn=(--grid 8,8 --block 32,8 --arg buf:256KiB --arg buf:256KiB --arg s32:256)

# cured GPU NAME CHANGE [OPTION …]: what is said of that change, and what the cured kernel takes.
cured() {
    local gpu=$1 name=$2 change=$3 said got base
    shift 3
    run advise "$name.ptx" "$@" --gpu "$gpu" --db advise.db --jobs 2 --budget 0 --json
    base=$(jq .base.cycles <<<"$out")
    said=$(jq ".trials[] | select((.changes | length) == 1 and .changes[0].what == \"$change\").cycles" <<<"$out")
    run run "${name}_cured.ptx" "$@" --gpu "$gpu" --json
    got=$(jq '[.kernels[].cycles] | add' <<<"$out")
    ((said > 0 && got * 100 > said * 90 && got * 100 < said * 110)) ||
        complain "$name on $gpu, $change: said $base/$said cycles, and it is $base/$got"
}

# Divergence: a row of 64 entries among 31 of 8. 8 rounds have 32 lanes, 56 have one.
gives 0 'divergence: ' "an instruction touching" -- run spmv.ptx "${spmv[@]}"
run run spmv.ptx "${spmv[@]}" --why --json
why='.kernels[0].structures[] | select(.name == "param_3").why'
jq -e "$why | .evicted_by.param_1 + .evicted_by.param_2 > .evicted_by.param_3" <<<"$out" >/dev/null ||
    complain "col and val don't push x out: $(jq -c "$why.evicted_by" <<<"$out")"
cured gtx480 spmv 'loads of param_1 past the L1' "${spmv[@]}"

# Lanes n words apart: of 32 lanes each touches a line.
gives 0 'the load-store unit: ' 'an instruction touching 31' -- run stencil.ptx "${stencil[@]}"
cured gtx480 stencil 'loads of param_0 past the L1' "${stencil[@]}"

# 32 lanes in one bank: half of the accesses take 32 passes, and half take one: of 33 passes 31 are for conflicts.
gives 0 '94 % of the passes of shared memory for bank conflicts' -- run turn.ptx "${turn[@]}"
cured gtx480 turn 'rows of 128 bytes of shared arrays padded by 4' "${turn[@]}"
cured h200 turn 'rows of 128 bytes of shared arrays padded by 4' "${turn[@]}"

# Slots that a hash finds.
gives 0 'an instruction touching' -- run join.ptx "${join[@]}"
cured gtx480 join 'loads of param_0 past the L1' "${join[@]}"
exit $bad
