// bypass.c: loads whose program counter (PC) has a low hit rate go past the L1, and leave its lines to the others. Each
// SM counts hits by PC. After `trial` accesses, loads of a PC that hits less often than `rate` go past; every 32nd of
// them goes to the L1 all the same, so that a PC that begins to hit is found out. It is a plug-in:
//     cc -O2 -shared -fPIC -I include examples/bypass.c -o bypass.so
//     onchip run … --sched ./bypass.so
#include <onchip_policy.h>

enum { TRIAL, RATE };
static const oc_policy_param params[] = {
    [TRIAL] = {"trial", "access", "accesses of a PC before it is judged", 64, 1, 1e6, true, "assumed"},
    [RATE] = {"rate", "", "hit rate below which loads go past the L1", 0.1, 0, 1, false, "assumed"},
    {.name = 0},
};
enum { PAST };
static const oc_policy_counter counters[] = {[PAST] = {"past", "inst", "loads that went past the L1"}, {.name = 0}};

enum { PCS = 1024, AGAIN = 32, LONG = 4096 };
typedef struct Pc {
    uint32_t accesses, hits, loads;  // loads: asked for since it was judged
} Pc;
typedef struct Own {
    Pc of[PCS];  // by PC, modulo their number
} Own;

static void seen(oc_policy *p, const oc_access_event *e)
{
    Pc *pc = &((Own *)p->own)->of[e->pc % PCS];
    if (e->store) return;
    pc->accesses++, pc->hits += e->outcome != OC_MISS;  // a merge finds what another brings
    if (pc->accesses >= LONG + (uint32_t)p->param[TRIAL]) pc->accesses /= 2, pc->hits /= 2;  // the latest count most
}

static oc_route route(oc_policy *p, uint32_t warp, const oc_access *a)
{
    Pc *pc = &((Own *)p->own)->of[a->pc % PCS];
    (void)warp;
    if (a->store || a->local || pc->accesses < (uint32_t)p->param[TRIAL]) return OC_TO_L1;
    if (pc->hits >= p->param[RATE] * pc->accesses || pc->loads++ % AGAIN == AGAIN - 1) return OC_TO_L1;
    p->count[PAST]++;
    return OC_PAST_L1;
}

const oc_policy_type onchip_policy = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "bypass",
    .doc = "loads whose PC has a low hit rate go past the L1",
    .state = sizeof(Own),
    .params = params,
    .counters = counters,
    .pick = oc_pick_greedy,
    .seen = seen,
    .route = route,
};
