#!/bin/bash
# The papers' figures that are measurements, as built in: every number that a paper's text gives is met within its
# tolerance, but for shared memory's throughput (s-l1 §2.3), which the figure says. Fig. 5 and 6 are one run.
set -euo pipefail
[[ -x $ONCHIP ]] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() {
    echo "$1" >&2
    bad=1
}
reproduce() { "$ONCHIP" reproduce "$@" --db "$work/db" --jobs 2; }

reproduce mei fig5 fig7 --strict >"$work/out" || complain "mei: a value isn't within its tolerance: $(cat "$work/out")"
grep -q '^9 of 9 values within' "$work/out" || complain "mei: 9 values are compared: $(cat "$work/out")"
reproduce sl1 fig5 --strict >"$work/out" || complain "s-l1 Fig. 5: a value isn't within its tolerance: $(cat "$work/out")"
grep -q '^6 of 6 values within' "$work/out" || complain "s-l1 Fig. 5: 6 values are compared: $(cat "$work/out")"
reproduce sl1 fig6 >"$work/out"
grep -q '^1 runs, 1 of them in the store already' "$work/out" || complain "s-l1 Fig. 6 is the run of Fig. 5: $(cat "$work/out")"
grep -q '^5 of 7 values within' "$work/out" || complain "s-l1 Fig. 6: 7 values are compared: $(cat "$work/out")"
[[ $(grep 'outside the tolerance' "$work/out" | cut -d' ' -f1 | sort -u) == shared ]] || complain "s-l1 Fig. 6: only shared memory's throughput is another"

(($(reproduce sl1 fig5 --csv | grep -c '"sl1/fig5","[0-9]') == 75)) || complain "s-l1 Fig. 5: 5 curves of 15 points are expected"

# What the figures are of: no point is missing, in the order of the axis.
points() { reproduce "$1" "$2" --csv | tail -n +2 | cut -d, -f2,3 | grep -v '[a-z]\.\|_' | tr -d '"' | tr '\n' ' '; }
[[ $(points sl1 fig5) == "1,64 1,128 "*" 1,1024 4,64 "*"15,1024 " ]] || complain "s-l1 Fig. 5 has other points: $(points sl1 fig5)"
[[ $(points sl1 fig6) == "dram,1 dram,2 "*"l2,15 shared,1 shared,5 shared,10 shared,15 " ]] || complain "s-l1 Fig. 6 has other points: $(points sl1 fig6)"
[[ $(points mei fig5) == ",0 ,1 ,2 "*",64 " ]] || complain "mei Fig. 5 has other points: $(points mei fig5)"
exit $bad
