#!/bin/bash
# The shapes that tools/sl1-shapes.sh found best, and has stored, are among those that figure 7 of S-L1 runs with the
# paper's size.
set -euo pipefail
cd "${ONCHIP_SOURCE:-$(dirname "$0")/../..}"
bad=0 checked=0
variants=(none 'L1 16 KiB' 'L1 48 KiB' S-L1)
while IFS='|' read -r _ program shapes; do
    program=${program// /}
    [[ $program != program && $program != all && $program != ---* ]] || continue
    for with in "${variants[@]}"; do
        shape=${shapes%%|*} shapes=${shapes#*|}
        [[ $program$with != 'kmeansL1 48 KiB' ]] || continue  # with the paper's size it doesn't fit
        shape=${shape// /}
        sed -n "/^\[paper $with\]/,/^\$/p" reproduce/sl1/fig7.ini |
            grep -qE "[ ,]$program [^,]*blocks=${shape%×*} threads=${shape#*×}(,|\$)" ||
            { echo "$program, $with: $shape isn't in reproduce/sl1/fig7.ini" >&2; bad=1; }
        checked=$((checked + 1))
    done
done < <(bash tools/sl1-shapes.sh --table)
((checked == 39)) || { echo "$checked variants, not 39" >&2; bad=1; }
exit $bad
