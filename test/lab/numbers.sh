#!/bin/bash
# A changed default is seen: quick figures of each paper give the numbers that doc/results/measurements/ has, and the
# shortest runs of its files of the paper's size take as many cycles. The test lab/numbers_long has all figures.
set -euo pipefail
command -v python3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/lab/stored.bash"

same mei fig5 fig7
same unified table1-registers table1-shared
same sl1 table1 registers fig3 fig4
same ciao fig1b
rerun ciao-paper gtx480_ciao
rerun sl1-shapes titan_black
rerun unified-paper sm32

# The test itself: a stored number that is another by a digit is seen.
measured=$measurements
measurements=$work
sed '0,/,50,50,/s//,51,50,/' "$measured/mei-small.csv" >"$work/mei-small.csv"
if (same mei fig5; exit $bad) 2>"$work/log"; then complain "another number in mei-small.csv isn't seen"; fi
grep -q '^-"mei/fig5","","0",51,50,' "$work/log" || complain "another number isn't named: $(<"$work/log")"
exit $bad
