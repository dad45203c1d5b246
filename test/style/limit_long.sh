#!/bin/bash
# test/limit.c: the limit is on the processor time of all processes of a test, sleep doesn't count, the exit status is
# the test's, and nothing that it started is left.
set -uo pipefail
limit=$ONCHIP_BUILD/test/limit
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0

# gives STATUS SECONDS SCRIPT
gives() {
    local status=0
    "$limit" "$2" bash -c "$3" >"$folder/out" 2>"$folder/err" || status=$?
    ((status == $1)) || { echo "'$3' with $2 s: exit status $status, not $1: $(<"$folder/err")" >&2; bad=1; }
}
gives 0 60 true
gives 77 60 'exit 77'
gives 137 60 'kill -9 $$'
gives 124 1 'while :; do :; done'
gives 124 1 'for _ in 1 2 3; do (while :; do :; done) & done; wait'             # each less than the limit
gives 124 1 'while :; do bash -c "for ((k = 0; k < 20000; k++)); do :; done"; done'  # many, of which each is short
gives 124 1 '(setsid bash -c "while :; do :; done" &) ; sleep 60'                # an orphan in a session of its own
gives 0 1 'sleep 1.5'
gives 0 60 "setsid sleep 600 & echo \$! >'$folder/pid'"
[[ ! -e /proc/$(<"$folder/pid") ]] || { echo "what a test leaves behind lives on" >&2; bad=1; }

rm -f "$folder/pid"
# Told to end, it ends all of them.
"$limit" 60 bash -c "sleep 600 & echo \$! >'$folder/pid'; wait" &
until [[ -s $folder/pid ]]; do sleep 0.02; done
kill $!
status=0
wait $! || status=$?
((status == 143)) || { echo "told to end: exit status $status" >&2; bad=1; }
[[ ! -e /proc/$(<"$folder/pid") ]] || { echo "what was running when the test was told to end lives on" >&2; bad=1; }
exit $bad
