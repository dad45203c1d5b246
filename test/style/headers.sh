#!/bin/bash
# What a room shows is what others call: each function and table that src/x/x.h declares is used by an object of another
# folder. What a room's own files share stands in src/x/unit.h. Tests don't count.
# work/work.h is for those who write workloads, link/link.h for the driver.
set -euo pipefail
source "${ONCHIP_SOURCE}/test/test.bash"
cd "$ONCHIP_SOURCE"
[[ -e $ONCHIP_BUILD/CMakeFiles/onchip_cli.dir && -z ${ONCHIP_SANITIZED:-} ]] || exit 77

# FOLDER NAME of what objects define, and of what they use of others.
objects() {
    find "$ONCHIP_BUILD/CMakeFiles" -name '*.c.o' -path '*.dir/*' -print0 | xargs -0 nm -A "$@" 2>/dev/null |
        sed -nE 's,^.*\.dir/(src/([a-z0-9]+)/|([a-z]+)\.?[a-z]*)[^:]*:.* ([^ ]+)$,\2\3 \4,p; ' |
        sed -E 's/_(sse2|avx2|avx512|generic)$//' | sort -u
}
objects --defined-only --extern-only >"$work/defined"
objects --undefined-only >"$work/used"
# ROOM NAME of what a room defines and no other one uses.
awk 'NR == FNR { users[$2] = users[$2] " " $1; next }
    { others = users[$2] " "; gsub(" " $1 " ", " ", others); gsub(" ", "", others); if (others == "") print }' \
    "$work/used" "$work/defined" >"$work/own"
for header in src/*/*.h; do
    room=$(basename "$(dirname "$header")")
    [[ $header == "src/$room/$room.h" && $room != work ]] || continue
    while read -r name; do
        complain "$header: $name is used in src/$room alone: it belongs into its unit.h"
    done < <(sed -E 's,//.*,,; s,"[^"]*",,g' "$header" | grep -oE '[A-Za-z_][A-Za-z_0-9]*' | sort -u |
        join - <(awk -v room="$room" '$1 == room { print $2 }' "$work/own" | sort -u))
done
exit $bad
