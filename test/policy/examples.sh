#!/bin/bash
# examples/fewest.c and examples/bypass.c, small schedulers as plug-ins: they build without a warning, results are right
# and the same on any number of threads, and each does what its head says.
source test/cli/expect.bash
command -v cc >/dev/null || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # a shared object that is built without it meets a sanitizer's allocator
cd "$work" || exit 1
flags=(-O2 -Wall -Wextra -Werror -shared -fPIC -I "$ONCHIP_SOURCE/include" -I "$ONCHIP_SOURCE/examples")
number() { sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}\$/\1/p" <<<"$out" | awk '{ n += $1 } END { print n + 0 }'; }
is() { [[ $(number "$1") == "$2" ]] || complain "$1 is $(number "$1"), not $2"; }

for policy in fewest bypass; do
    cc "${flags[@]}" "$ONCHIP_SOURCE/examples/$policy.c" -o $policy.so || complain "examples/$policy.c doesn't build"
    for threads in 1 3; do
        gives 0 '"verified": true' -- run atax nx=192 ny=192 --sched ./$policy.so --json --threads $threads
        grep -v wall_seconds out >$policy.$threads
    done
    cmp -s $policy.1 $policy.3 || complain "$policy: 3 threads differ from one"
    for w in nw lud; do gives 0 '"verified": true' -- run $w --size small --sched ./$policy.so --json; done
done

# --- fewest: no warp that could have issued had fewer loads under way; of equal ones none was older
cat >checked.c <<'C'
#define onchip_policy fewest
#include "fewest.c"
#undef onchip_policy
enum { PICKS = 3, WRONG, SPREAD };
static const oc_policy_counter checks[] = {
    {"memory", "", "m"}, {"loads", "", "l"}, {"passed", "", "p"}, {"picks", "", "p"}, {"wrong", "", "w"},
    {"spread", "", "picks with a choice"}, {.name = 0}};
static int checked(const oc_policy *p, uint32_t k, uint64_t ready)
{
    int bit = fewest.pick(p, k, ready);
    uint32_t mine = oc_warp(p->sm, (uint32_t)bit * p->sm->schedulers + k)->loads;
    p->count[PICKS]++;
    for (uint32_t b = 0; b < 64; b++) {
        if (!(ready >> b & 1) || b == (uint32_t)bit) continue;
        const oc_warp_view *w = oc_warp(p->sm, b * p->sm->schedulers + k);
        bool older = p->sm->scheduler[k]->older[bit] >> b & 1;
        p->count[WRONG] += w->loads < mine || (w->loads == mine && older);
        p->count[SPREAD] += w->loads > mine && older;
    }
    return bit;
}
const oc_policy_type onchip_policy = {.version = ONCHIP_POLICY_VERSION, .wants = OC_WANTS_MEMORY, .name = "checked",
                                      .doc = "d", .counters = checks, .pick = checked, .issued = issued};
C
cc "${flags[@]}" checked.c -o checked.so || complain "checked.c doesn't build"
gives 0 '"verified": true' -- run bfs --size small --sched ./checked.so --json
is sched.wrong 0
(($(number sched.picks) > 1000 && $(number sched.spread) > 0 && $(number sched.passed) > 0)) ||
    complain "picks: $(grep sched. <<<"$out")"

# --- bypass: one load of the loop goes round 8 lines, the other never comes back to one. Of 4,096 loads of the latter
# the first 64 go to the L1, and of the 4,032 behind them every 32nd, 126.
cat >two.ptx <<'P'
.version 7.0
.target sm_20
.address_size 64
.visible .entry two(.param .u64 in)
{
    .reg .b64 %hot, %cold, %a;
    .reg .b32 %n, %k, %v, %w, %s;
    .reg .pred %p;
    ld.param.u64 %hot, [in];
    add.u64 %cold, %hot, 1024;
    mov.u32 %n, 0;
    mov.u32 %s, 0;
L:  and.b32 %k, %n, 7;
    mul.wide.u32 %a, %k, 128;
    add.u64 %a, %hot, %a;
    ld.global.u32 %v, [%a];
    ld.global.u32 %w, [%cold];
    add.u32 %s, %s, %v;
    add.u32 %s, %s, %w;
    add.u64 %cold, %cold, 128;
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, 4096;
    @%p bra L;
    st.global.u32 [%hot], %s;
    ret;
}
P
two=(run two.ptx --grid 1 --block 1 --arg buf:525312:zero --gpu gtx480 --json)
gives 0 -- "${two[@]}" --sched ./bypass.so
is sched.past 3906
is l1.bypasses 3906
is l1.reads $((4096 + 64 + 126))
is l1.misses $((8 + 64 + 126))
gives 0 -- "${two[@]}" --sched ./bypass.so --set sched.rate=0
is sched.past 0
exit $bad
