#!/bin/bash
# Executed without time, a launch is shared out as it is in time: what one takes the other takes, and what doesn't fit
# is refused by both and leaves no record of a launch.
set -uo pipefail
cd "$ONCHIP_SOURCE"
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/k.ptx" <<'PTX'
.version 7.0
.target sm_35
.address_size 64
.visible .entry k()
{
    .shared .b8 s[40960];
    .reg .b32 %r<2>;
    mov.u32 %r1, s;
    st.shared.u32 [%r1], %r1;
    ret;
}
PTX
# Shared memory and L1 share 64 KiB, and the smaller part is what the description gives shared memory before it is
# chosen
printf '[gpu]\nbase = gtx480\n[storage]\nkind = fermi\nsize = 64KiB\n[shared]\nsize = 16KiB\n' >"$tmp/fermi.ini"
fermi=(--gpu "$tmp/fermi.ini")
for mode in "" --functional; do
    out=$("$ONCHIP" run --gpu gtx480 "$tmp/k.ptx" $mode --json "${fermi[@]}") ||
        { echo "refused $mode: $(grep error <<<"$out")"; failed=1; }
    grep -q '"occupancy_blocks": 1,' <<<"$out" || { echo "not one block $mode"; failed=1; }
done
for mode in "" --functional; do
    out=$("$ONCHIP" run --gpu gtx480 "$tmp/k.ptx" $mode --json --set shared.size=16KiB 2>/dev/null)
    (($? == 2)) || { echo "exit status $mode"; failed=1; }
    grep -q 'no block of this kernel fits an SM: shared memory' <<<"$out" || { echo "no reason $mode"; failed=1; }
    grep -q '"grid"' <<<"$out" && { echo "a launch that never ran is recorded $mode"; failed=1; }
done
# Registers are no limit without time: a block of 1,024 threads runs on an SM that has too few for it.
few=(--block 1024 --set registers.count=16384 --set registers.unit=1024)
out=$("$ONCHIP" run --gpu gtx480 "$tmp/k.ptx" --json "${few[@]}" 2>/dev/null) && { echo "the block fits"; failed=1; }
grep -q 'no block of this kernel fits an SM: registers' <<<"$out" || { echo "not for registers: $out"; failed=1; }
"$ONCHIP" run --gpu gtx480 "$tmp/k.ptx" --functional "${few[@]}" >/dev/null ||
    { echo "refused without time"; failed=1; }
exit $failed
