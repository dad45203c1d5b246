#!/bin/bash
# What measurements store is what `onchip list measures` says: each name that is stored is listed, and, in the long
# form, each name that is listed is stored. The short form leaves out those that take long.
set -euo pipefail
command -v sqlite3 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work"
stream='app=affinity bytes=64KiB chunk=8KiB blocks=1 threads=64'
long='^(hits|tlb|load|cache\.(weight|hit_cycles))'
measure() { "$ONCHIP" sweep "measure=$1" "${@:2}" --db store >/dev/null; }
measure shared --gpu gtx780
measure ops --gpu gtx780
measure 'throughput scale=0.25' --gpu gtx780
measure "bigkernel $stream" --gpu titan_black
measure "bigkernel scenario=cpu $stream" --gpu titan_black
measure 'book cache=constant' --gpu gtx780
if [[ ${ONCHIP_LONG:-} ]]; then
    long='^$'
    measure hits --gpu gtx780
    measure hierarchy --gpu gtx780
    measure caches --gpu gtx560ti
fi
sqlite3 store 'SELECT DISTINCT name FROM measure' | sed 's/\[.*//; s/\.\(low\|high\)$//' | sort -u >stored
"$ONCHIP" list measures | sed -n 's/^  \([a-z][a-z_.]*\).*/\1/p' | sort -u >listed
[[ ! $(comm -23 stored listed) ]] || complain "onchip list measures lacks $(comm -23 stored listed | xargs)"
unmet=$(comm -13 stored listed | grep -vE "$long" || true)
[[ ! $unmet ]] || complain "no measurement stores $(xargs <<<"$unmet")"
exit $bad
