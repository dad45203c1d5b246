#!/bin/bash
# examples/poise.c, a scheduler of the literature as a plug-in: it builds without a warning, its results are right and
# the same on any number of threads, it does what it is told, and what it predicts is within bounds.
source test/cli/expect.bash
command -v cc >/dev/null || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # a shared object that is built without it meets a sanitizer's allocator
cd "$work" || exit 1
cc -O2 -Wall -Wextra -Werror -shared -fPIC -I "$ONCHIP_SOURCE/include" "$ONCHIP_SOURCE/examples/poise.c" -lm \
    -o poise.so || complain "examples/poise.c doesn't build"
counter() { sed -n "s/^ *\"sched.$1\": \([0-9]*\),\{0,1\}\$/\1/p" <<<"$out" | awk '{ n += $1 } END { print n + 0 }'; }

atax=(run atax nx=512 ny=512 --gpu gtx480_ciao --sched ./poise.so --json)
for threads in 1 2 7; do
    gives 0 '"verified": true' -- "${atax[@]}" --threads "$threads"
    grep -v wall_seconds "$work/out" >"threads.$threads"
    cmp -s threads.1 "threads.$threads" || complain "$threads threads differ from one"
done
n=$(counter predictions) warps=$(counter predicted_warps) allocate=$(counter predicted_allocate)
((n > 5 && warps >= 2 * n && warps <= 48 * n && allocate >= 2 * n && allocate <= warps)) ||
    complain "$n predictions: $warps warps, of which $allocate allocate"
((n >= $(counter hits_all) / 1000 && $(counter resident) >= n)) || complain "features: $out"

gives 0 '"verified": true' -- "${atax[@]}" --set sched.warps=5 --set sched.allocate=3
((5 * $(counter predictions) == $(counter predicted_warps))) || complain 'not 5 warps'
((3 * $(counter predictions) == $(counter predicted_allocate))) || complain 'not 3 that allocate'
# Barriers: warps that may not issue must come to them.
for w in matmul-tiled nw lud backprop; do
    gives 0 '"verified": true' -- run $w --size small --sched ./poise.so --json
done
exit $bad
