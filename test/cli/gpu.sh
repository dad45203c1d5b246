#!/bin/bash
# onchip gpu new: a description out of a data sheet's numbers. What is given stands in it, and what follows from it; it
# loads and runs. Numbers that can't be are refused, and then nothing is written.
source test/cli/expect.bash

# 4 MiB are 32 slices of the base's 128 KiB; DRAM answers as many ns behind the L2: 219 + (433 - 219) 1770 / 1710.
sheet=(--sms 46 --clock 1770 --memory 8GiB --bandwidth 608 --l2 4MiB)
gives 0 'base = rtx3080' 'sms = 46 # given' 'memory = 8GiB # given' 'partitions = 32 # derived: slices of 128 KiB;' \
    'latency = 441 # derived: 125 ns beyond the L2, as in rtx3080: 214 cycles at 1710 MHz' \
    'title = rtx3080 with 46 SMs, 1770 MHz, 8GiB of memory, 4MiB of L2, 608 GB/s' \
    -- gpu new --like rtx3080 "${sheet[@]}"
echo "$out" >"$work/printed.ini"
gives 0 -- gpu new --like rtx3080 "${sheet[@]}" -o "$work/card.ini"
[[ ! $out ]] && cmp -s "$work/printed.ini" "$work/card.ini" || complain "-o writes something else: $(<"$work/card.ini")"
gives 0 'sms = 46 # given' 'size = 4MiB # byte; given' 'bandwidth = 608 # GB/s; given' 'max = 99KiB' \
    -- show gpu "$work/card.ini"
gives 0 'vectoradd n=1000 on card.ini: the result is right' -- run vectoradd --size small --laws --gpu "$work/card.ini"
gives 0 -- gpu new --like "$work/card.ini" --sms 20 --name 'A card' -o "$work/next.ini"
gives 0 'sms = 20 # given' 'partitions = 32 # derived' -- show gpu "$work/next.ini"
grep -q '^title = A card$' "$work/next.ini" || complain "--name: $(<"$work/next.ini")"

# The shipped kin, which were made by hand: their slices and their latency of DRAM follow from their data sheets.
kin() {
    local card=$1 base=$2 key
    shift 2
    "$onchip" gpu new --like "$base" "$@" -o "$work/kin.ini" || complain "gpu new doesn't make $card"
    for key in 'partitions *=' 'latency *=.*beyond the L2'; do
        [[ $(grep "^$key" "$work/kin.ini" | grep -o '[0-9][0-9]*' | head -n 1) == \
            $(grep "^$key" "$ONCHIP_SOURCE/gpus/$card.ini" | grep -o '[0-9][0-9]*' | head -n 1) ]] ||
            complain "gpu new: $card: $key: $(grep "^$key" "$work/kin.ini")"
    done
}
kin rtx3070ti rtx3080 --clock 1770 --l2 4MiB
kin rtx3090 rtx3080 --clock 1695 --l2 6MiB
kin rtx3060 rtx3080 --clock 1777 --l2 3MiB
kin rtx4070 rtx4090 --clock 2475 --l2 36MiB
kin rtx2060 rtx2080ti --clock 1680 --l2 3MiB

# A clock alone leaves the L2's slices; slices that can't have the base's size get the nearest: 13 MiB are 104 of 128
# KiB with 40 such slices of base, and 200 MiB need more than the 128 that there can be.
gives 0 'clock = 1000 # given' -- gpu new --like rtx3080 --clock 1000
lacks partitions
gives 0 'partitions = 104 # derived' -- gpu new --like rtx3080 --l2 13MiB
gives 0 'partitions = 128 # derived: slices of 1600 KiB; rtx3080 has 40' -- gpu new --like rtx3080 --l2 200MiB

# Refusals.
refuses() { gives 2 "$@" -o "$work/refused.ini"; }
refuses "unknown GPU 'rtx308'; did you mean 'rtx3080'?" -- gpu new --like rtx308 --sms 46
refuses '--like is missing' 'usage: onchip gpu new' -- gpu new --sms 46
refuses 'no number is given' -- gpu new --like rtx3080
refuses '--sms 0 is out of range: 1 to 256' -- gpu new --like rtx3080 --sms 0
refuses "--sms takes a whole number, not '4.5'" -- gpu new --like rtx3080 --sms 4.5
refuses "--clock takes a number, not 'nan'" -- gpu new --like rtx3080 --clock nan
refuses '--clock 1e9 is out of range: 1 to 10000 MHz' -- gpu new --like rtx3080 --clock 1e9
refuses "--memory takes a number of bytes, such as 8GiB, not '8 apples'" -- gpu new --like rtx3080 --memory '8 apples'
refuses '--memory 1KiB is out of range: 1 MiB to 1 TiB' -- gpu new --like rtx3080 --memory 1KiB
refuses '--bandwidth 0 is out of range' -- gpu new --like rtx3080 --bandwidth 0
refuses "--l2 1000001 can't be divided" 'hint: its own has 40 slices of 128 KiB' -- gpu new --like rtx3080 --l2 1000001
refuses '--l2: sm32 has no L2' -- gpu new --like sm32 --l2 4MiB
refuses "no line of a description takes 'a # b'" -- gpu new --like rtx3080 --sms 4 --name 'a # b'
refuses 'no line of a description takes' -- gpu new --like rtx3080 --sms 4 --name $'a\n[l1]'
refuses "'more' is one too many" -- gpu new more --like rtx3080
refuses "nothing called 'nwe'; did you mean 'new'?" -- gpu nwe --like rtx3080
refuses 'usage: onchip gpu new' -- gpu
gives 1 "can't read the GPU description ./none.ini" -- gpu new --like ./none.ini --sms 4 -o "$work/refused.ini"
[[ ! -e $work/refused.ini ]] || complain "a refusal writes a file: $(<"$work/refused.ini")"
gives 1 "can't write $work/none/card.ini" -- gpu new --like rtx3080 --sms 4 -o "$work/none/card.ini"
exit $bad
