#!/bin/bash
# The small figures of doc/results/measurements/ give these numbers today, as does tools/gtx480.sh those of gtx480.csv;
# and so does one figure of the paper's size each. ONCHIP_REFRESH=1 writes the files anew.
set -euo pipefail
source "$ONCHIP_SOURCE/test/lab/stored.bash"

same mei small
same unified small
same sl1 small
same ciao small
same unified paper reading-interleaved
same ciao medium no-hash
bash "$ONCHIP_SOURCE/tools/gtx480.sh" >"$work/gtx480.csv"
diff -u "$measurements/gtx480.csv" "$work/gtx480.csv" >&2 || complain "gtx480.csv: other numbers than stored"
[[ -z ${ONCHIP_REFRESH:-} ]] || cp "$work/gtx480.csv" "$measurements"
exit $bad
