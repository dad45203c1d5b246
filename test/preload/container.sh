#!/bin/bash
# A container of a few bytes that claims to hold much more than they can yield: it is left alone, and takes no memory.
# The sizes are those of the formats: a byte of LZ4 yields 255 at most, four bytes of zstd 128 KiB.
set -euo pipefail
library=$ONCHIP_BUILD/libonchip-sl1.so
[[ -e $library && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
here=$ONCHIP_SOURCE/test/preload
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cc -std=gnu17 -Wall "$here/app.c" -o app -ldl
export STAND_IN_CODE=$here/add.ptx
# number BYTES VALUE: with the lowest byte first.
number() {
    local k
    for ((k = 0; k < $1; k++)); do printf '%b' "\\x$(printf %02x $(($2 >> 8 * k & 255)))"; done
}
# container FLAGS UNPACKED: an entry of PTX for 3.5 whose contents are 32 compressed bytes.
container() {
    number 4 0xba55ed50 && number 2 1 && number 2 16 && number 8 $((64 + 32))
    number 2 1 && number 2 1 && number 4 64 && number 8 32 && number 4 32 && number 4 0
    number 2 0 && number 2 0 && number 4 35 && number 4 0 && number 4 0 && number 8 "$1" && number 8 0 && number 8 "$2"
    number 8 0 && number 8 0 && number 8 0 && number 8 0
}
bad=0
for claim in "0x2000 $((1 << 30))" "0x2000 $((255 * 32 + 1))" "0x8000 $((1 << 30))" "0x8000 $((32768 * 32 + 1))"; do
    # shellcheck disable=SC2086
    container $claim >claim.fatbin
    : >log
    (ulimit -v 600000 && ONCHIP_SL1_LOG=log LD_PRELOAD=$library exec ./app dlsym data claim.fatbin) >out 2>&1 ||
        { echo "$claim: $(cat out)" >&2 && bad=1; }
    grep -q 'is left alone: its compressed PTX is damaged' log || { echo "$claim: $(cat log)" >&2 && bad=1; }
done
exit $bad
