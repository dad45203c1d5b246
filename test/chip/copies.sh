#!/bin/bash
# Copies from the host and the L2 (l2.copies). A buffer of 192 KiB is copied to a GPU whose L2 has 96 KiB, by plain sets
# and LRU: so the L2 has its upper half, and nothing of its lower half. A kernel reads one half once, 768 lines of 128
# bytes. Without l2.copies the L2 has neither.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/read.ptx" <<'END'
.version 6.0
.target sm_20
.address_size 64
.visible .entry read(.param .u64 p, .param .u64 from)
{
    .reg .u32 %b, %n, %t, %v;
    .reg .u64 %a, %f, %o;
    ld.param.u64 %a, [p];
    ld.param.u64 %f, [from];
    mov.u32 %b, %ctaid.x;
    mov.u32 %n, %ntid.x;
    mov.u32 %t, %tid.x;
    mad.lo.u32 %t, %b, %n, %t;
    mul.wide.u32 %o, %t, 4;
    add.u64 %a, %a, %f;
    add.u64 %a, %a, %o;
    ld.global.u32 %v, [%a];
    ret;
}
END
bad=0
for case in no:0:0 no:98304:0 yes:0:0 yes:98304:768; do
    IFS=: read -r copies from want <<<"$case"
    out=$("${ONCHIP:?}" run "$work/read.ptx" --grid 96 --block 256 --arg buf:196608:iota:u32 --arg "u64:$from" \
        --gpu gtx480 --set l2.copies=$copies --set l2.size=96KiB --set l2.index=modulo --json)
    for pair in reads:768 "hits:$want"; do
        got=$(sed -n "s/.*\"l2.${pair%:*}\": \([0-9]*\),*$/\1/p" <<<"$out" | head -n 1)
        [[ $got == "${pair#*:}" ]] ||
            { echo "copies=$copies, from byte $from: l2.${pair%:*} is '$got', not ${pair#*:}" >&2; bad=1; }
    done
done
exit $bad
