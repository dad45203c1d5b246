#!/bin/bash
# A policy that hears of everything and picks as gto does gives what gto gives. The SM takes other ways there: it asks
# at each step whether somebody listens, and looks at every cycle.
source test/cli/expect.bash
command -v cc >/dev/null || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # a shared object that is built without it meets a sanitizer's allocator
cd "$work" || exit 1
cat >listener.c <<'C'
#include <onchip_policy.h>
static void warp(oc_policy *p, uint32_t warp) { (void)p, (void)warp; }
static void waits(oc_policy *p, uint32_t warp, oc_wait from, oc_wait to) { (void)p, (void)warp, (void)from, (void)to; }
static void issued(oc_policy *p, uint32_t warp, bool memory) { (void)p, (void)warp, (void)memory; }
static void seen(oc_policy *p, const oc_access_event *e) { (void)p, (void)e; }
const oc_policy_type onchip_policy = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "listener",
    .doc = "gto, and hears of everything",
    .pick = oc_pick_greedy,
    .stall = warp,
    .wake = warp,
    .loaded = warp,
    .waits = waits,
    .issued = issued,
    .seen = seen,
};
C
cc -O2 -Wall -Wextra -Werror -shared -fPIC -I "$ONCHIP_SOURCE/include" listener.c -o listener.so ||
    complain "the listener doesn't build"

# same ARGUMENT …: of a run, its JSON without the policy's name and the host's seconds.
same() {
    local by
    for by in gto ./listener.so; do
        gives 0 '"cycles": ' -- run "$@" --json --threads 1 --sched $by
        grep -vE 'wall_seconds|gto|listener' out >"${by##*/}.json"
    done
    cmp -s gto.json listener.so.json || complain "$*: $(diff gto.json listener.so.json | head -n 4)"
}
for launch in 'atax nx=256 ny=64' 'syrk n=64' 'conv2d n=64' 'matmul-tiled n=64' 'bfs --size small'; do
    for set in link.queue=8 'link.queue=0 --set link.credits=2' l1.mshrs=2 l1.merges=1; do
        # shellcheck disable=SC2086
        same $launch --set $set
    done
    # shellcheck disable=SC2086
    same $launch --gpu rtx3080
done
exit $bad
