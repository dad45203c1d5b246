#!/bin/bash
# The kernels of data/ with the small register files that the compiler fills: each read must find its value in the file
# that was chosen for it (registers.audit). What they compute, ptx.sh says. Two of them need several SMs.
set -uo pipefail
cd "$(dirname "$0")/data" || exit 1
bad=0
for file in *.ptx; do
    [[ ! -e ${file%.ptx}.err && $file != @(its_starve|race_grid).ptx ]] && ! grep -q '^// only:' "$file" || continue
    while IFS= read -r line; do
        eval "set -- $line"
        out=$("${ONCHIP:?}" run "$file" "$@" --gpu sm32 --set registers.audit=yes 2>&1) ||
            { echo "test/run/data/$file: $(tail -n 4 <<<"$out")" >&2; bad=1; }
    done < <(sed -n 's|^// run: *||p' "$file")
done
exit $bad
