#!/bin/bash
# Every figure of every paper gives the numbers that doc/results/measurements/PAPER-small.csv has, and those files have
# every figure with a small size. tools/gtx480.sh gives gtx480.csv. The shortest run of each file of the paper's size
# takes as many cycles as stored. ONCHIP_REFRESH=1 writes these CSV files anew.
set -euo pipefail
command -v python3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/lab/stored.bash"

# compare FILE: with standard input.
compare() {
    cat >"$work/$1"
    [[ -z ${ONCHIP_REFRESH:-} ]] || cp "$work/$1" "$measurements/$1"
    diff -u --label "doc/results/measurements/$1" --label now "$measurements/$1" "$work/$1" >&2 ||
        complain "$1: other numbers than stored: see CONTRIBUTING.md, style/numbers"
}

for paper in mei unified sl1 ciao; do
    { echo figure,series,x,ours,theirs,tolerance && fresh "$paper"; } | compare "$paper-small.csv"
done
bash "$ONCHIP_SOURCE/tools/gtx480.sh" --csv | compare gtx480.csv
rerun ciao-paper gtx480_ciao
rerun sl1-shapes titan_black
rerun sl1-medium titan_black
rerun unified-paper sm32
exit $bad
