#!/bin/bash
# Every figure of every paper gives the numbers that doc/results/measurements/PAPER-small.csv has, and those files have
# every figure with a small size. tools/gtx480.sh gives gtx480.csv. The shortest run of each file of the paper's size
# takes as many cycles as stored.
set -euo pipefail
command -v python3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/lab/stored.bash"

for paper in mei unified sl1 ciao; do
    fresh "$paper" >"$work/fresh"
    diff -u --label "doc/results/measurements/$paper-small.csv" --label now \
        <(tail -n +2 "$measurements/$paper-small.csv") "$work/fresh" >&2 || complain "$paper: other numbers than stored"
done
bash tools/gtx480.sh --csv | diff -u "$measurements/gtx480.csv" - >&2 || complain "gtx480.csv: other numbers than stored"
rerun ciao-paper gtx480_ciao
rerun sl1-shapes titan_black
rerun sl1-medium titan_black
rerun unified-paper sm32
exit $bad
