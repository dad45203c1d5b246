#!/bin/bash
# Registers beside ptxas's own, where that is installed: three unrolled kernels in 200 configurations.
source "$ONCHIP_SOURCE/test/test.bash"
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null && command -v ptxas >/dev/null || { echo "no nvcc or ptxas: skipped"; exit 77; }
bash "$ONCHIP_SOURCE/tools/registers.sh" rtx3080 >"$work/table" || complain "tools/registers.sh fails"
cat "$work/table"
sum='s/^\([0-9]*\) kernels on .*: \([0-9.]*\) % off on average.* at most \([0-9.]*\) times$/\1 \2 \3/p'
read -r n off most < <(sed -n "$sum" "$work/table")
((n == 200)) || complain "$n kernels are compared, not 200"
awk "BEGIN {exit !($off <= 15 && $most <= 1.5)}" || complain "$off % off on average, at most $most times"
exit $bad
