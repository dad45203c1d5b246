#!/bin/bash
# A changed default is seen: quick figures of each paper, and one of the size of the paper, give the numbers that
# doc/results/measurements/ has. The test lab/numbers_long has all small figures.
set -euo pipefail
source "$ONCHIP_SOURCE/test/lab/stored.bash"

same mei small fig5 fig7
same unified small energy-why
same sl1 small table1 registers fig3 fig4
same ciao small fig1b
same unified paper reading-interleaved

# The test itself: a stored number that is another by a digit is seen.
measured=$measurements
measurements=$work
sed '0,/,50,50,/s//,51,50,/' "$measured/mei-small.csv" >"$work/mei-small.csv"
if (same mei small fig5; exit $bad) 2>"$work/log"; then complain "another number in mei-small.csv isn't seen"; fi
grep -q '^-"mei/fig5","","0",51,50,' "$work/log" || complain "another number isn't named: $(<"$work/log")"
exit $bad
