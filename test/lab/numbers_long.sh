#!/bin/bash
# The figures of doc/results/measurements/PAPER-small.csv give these numbers today, as does tools/gtx480.sh those of
# gtx480.csv; and the shortest run of each file of the paper's size takes as many cycles. ONCHIP_REFRESH=1 writes the
# CSV files anew.
set -euo pipefail
command -v python3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/lab/stored.bash"

same mei
same unified
same sl1
same ciao
bash "$ONCHIP_SOURCE/tools/gtx480.sh" --csv >"$work/gtx480.csv"
diff -u "$measurements/gtx480.csv" "$work/gtx480.csv" >&2 || complain "gtx480.csv: other numbers than stored"
[[ -z ${ONCHIP_REFRESH:-} ]] || cp "$work/gtx480.csv" "$measurements"
rerun ciao-paper gtx480_ciao
rerun sl1-shapes titan_black
rerun sl1-medium titan_black
rerun unified-paper sm32
exit $bad
