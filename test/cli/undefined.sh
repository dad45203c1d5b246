#!/bin/bash
# --check tells of shuffles that read a lane which takes no part: how many lanes, and where the first one is. They are
# no error, and a kernel without any is not mentioned.
set -uo pipefail
cd "$ONCHIP_SOURCE/test/run/data"
failed=0
for mode in "" --functional; do
    # lanes 8 to 15, 16 to 23, 20 to 23, 22 and 23, and 23 read lanes 24 to 31: 8 + 8 + 4 + 2 + 1
    said=$("$ONCHIP" run shfl_inactive.ptx --block 32 --arg buf:128:zero --check $mode 2>&1 >/dev/null) ||
        { echo "exit $? $mode"; failed=1; }
    for text in "reduce: 23 times a lane's shfl reads a lane that takes no part" "reduce at shfl_inactive.ptx:31"; do
        grep -qF "$text" <<<"$said" || { echo "not said $mode: $text"; failed=1; }
    done
done
grep -q '"shuffle.undefined": 23,' <<<"$("$ONCHIP" run shfl_inactive.ptx --block 32 --arg buf:128:zero --json)" ||
    { echo "the counter isn't 23"; failed=1; }
said=$("$ONCHIP" run reduction --size small --check 2>&1 >/dev/null)
[[ -z $said ]] || { echo "said of reduction: $said"; failed=1; }
exit $failed
