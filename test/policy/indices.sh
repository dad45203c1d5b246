#!/bin/bash
# Schedulers that take a warp's bit in its scheduler for its slot in the SM, or the other way round: they run as another
# policy, and onchip run --laws says which function was given which number. Those that don't are left alone.
source test/cli/expect.bash
command -v cc >/dev/null || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # a shared object that is built without it meets a sanitizer's allocator
cd "$work" || exit 1

# policy NAME FIELDS TOP: NAME.so, greedy then oldest with these fields.
policy() {
    cat >"$1.c" <<C
#include <onchip_policy.h>
$3
const oc_policy_type onchip_policy = {.version = ONCHIP_POLICY_VERSION, .name = "mine", .doc = "d",
                                      .pick = oc_pick_greedy, $2};
C
    cc -w -O1 -shared -fPIC -I "$ONCHIP_SOURCE/include" "$1.c" -o "$1.so" || exit 1
}
big=(run syrk n=64 --gpu gtx480 --set gpu.sms=1)  # 2 schedulers, 48 slots: bits 0 to 23

# wrong TEXT FIELDS TOP: what --laws says. Without it the run is right, and says nothing.
wrong() {
    policy wrong "$2" "$3"
    gives 0 'the result is right' -- "${big[@]}" --sched ./wrong.so
    gives 1 "policy mine $1" -- "${big[@]}" --sched ./wrong.so --laws
    gives 1 "policy mine $1" -- "${big[@]}" --sched ./wrong.so --check
}
# right FIELDS TOP: it isn't blamed.
right() {
    policy right "$1" "$2"
    gives 0 'the result is right' -- "${big[@]}" --sched ./right.so --laws
}
least='static int pick(const oc_policy *p, uint32_t k, uint64_t ready)
{
    int best = -1;
    uint32_t least = ~0u;
    for (; ready; ready &= ready - 1) {
        uint32_t bit = __builtin_ctzll(ready), loads = WARP->loads;
        if (loads < least) least = loads, best = bit;
    }
    return best;
}'
right '.pick = pick' "${least/WARP/oc_warp_of(p->sm, k, bit)}"
right '.pick = pick' "${least/WARP/oc_warp(p->sm, oc_slot(p->sm, k, bit))}"
wrong 'gave oc_warp slot' '.pick = pick' "${least/WARP/oc_warp(p->sm, bit)}"
gives 1 'while it picked for another scheduler: that warp is bit' 'oc_warp_of takes' -- \
    "${big[@]}" --sched ./wrong.so --laws
wrong 'gave oc_warp_of bit' '.pick = pick' \
    "${least/WARP/oc_warp_of(p->sm, k, oc_slot(p->sm, k, bit) % (p->sm->slots \/ 2))}"
wrong 'gave oc_slot bit 24 of scheduler 0, which has no such warp: the SM has 48 slots' '.start = start' '
static void start(oc_policy *p, uint32_t warp) { if (warp == 24) oc_slot(p->sm, 0, warp); }'
for call in 'oc_set(p->sm, p->issue, warp + 48, true)' 'oc_has(p->sm, p->issue, warp + 48)' \
    'oc_present(p->sm, warp + 48)'; do
    policy far '.start = start' "
static void start(oc_policy *p, uint32_t warp) { $call; }"
    gives 1 "policy mine gave ${call%%(*} slot 48, and the SM has slots 0 to 47" -- \
        "${big[@]}" --gpu gtx480 --sched ./far.so --laws
done
# A mask with a bit that no warp of its scheduler has.
wrong 'made issue[1] 0xfffffffffdffffff: scheduler 1 has warps in bits 0 to 23 alone' '.start = start, .stop = stop' '
static void start(oc_policy *p, uint32_t warp) { if (warp == 25) p->issue[warp % 2] &= ~(1ull << warp); }
static void stop(oc_policy *p, uint32_t warp) { p->issue[warp % 2] |= 1ull << warp; }'
right '.start = start, .open = open' '
static void open(oc_policy *p) { p->load[0] = p->load[1] = 0; }
static void start(oc_policy *p, uint32_t warp) { oc_set(p->sm, p->load, warp, true), p->issue[0] = 0xffffff; }'
# A slot that is picked: here also without --laws, since the bit isn't ready.
policy slot '.pick = pick' '
static int pick(const oc_policy *p, uint32_t k, uint64_t ready) { return 2 * (63 - __builtin_clzll(ready)) + k; }'
gives 1 'policy mine picked bit 46 for scheduler 0' "which isn't one of the ready warps 0xffffff" \
    'it is the slot of the warp that has bit 23 there' -- "${big[@]}" --sched ./slot.so
exit $bad
