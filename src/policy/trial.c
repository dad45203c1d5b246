// trial.c: throttling and isolation by measured gain; our own, on greedy then oldest. Of an SM's warps only the oldest
// `limit` issue; of these, the oldest `near` use the L1, and the others the scratch cache (where there is none, their
// loads go past the L1). No detector says which limit is best: each is tried, for `warm` cycles that don't count and
// `sample` cycles that do, and the one with which the SM executes most instructions stays for `hold` samples. Then its
// neighbours are tried again, since programs have phases.
//
// The search begins with all warps, and all of them use the L1. It goes down a ladder of shares as long as that gains,
// then down one of limits, then back up. An SM knows its own instructions alone: what it gains by taking memory from
// other SMs is no gain of the GPU's.
#include <onchip_policy.h>

enum { WARM, SAMPLE, HOLD, GAIN };
#define CHOSEN "by trial on half of ciao's programs"
static const oc_policy_param params[] = {
    [WARM] = {"warm", "cycle", "how long a change takes effect before instructions are counted", 1000, 1, 1e9, true,
              CHOSEN},
    [SAMPLE] = {"sample", "cycle", "how long instructions are counted", 2000, 1, 1e9, true, CHOSEN},
    [HOLD] = {"hold", "sample", "how long the best setting stays", 4, 1, 1e9, true, CHOSEN},
    [GAIN] = {"gain", "", "by which share a setting must be better to replace another", 0.02, 0, 10, false, CHOSEN},
    {.name = NULL},
};

enum { TRIALS, MOVES };
static const oc_policy_counter counters[] = {
    [TRIALS] = {"trials", "sample", "samples taken, each of one limit and one share"},
    [MOVES] = {"moves", "change", "times that another limit or share was better, and replaced the last"},
    {.name = NULL},
};

// The ladders: limits in warps (the first is none); shares of these warps that use the L1, in eighths.
static const uint8_t limits[] = {64, 36, 24, 16, 12, 8, 6, 4, 2}, shares[] = {8, 6, 4, 2, 1};
enum { LIMITS = sizeof limits, SHARES = sizeof shares };
typedef struct Rung {
    uint8_t limit, share;  // places on the ladders
} Rung;
// What is tried next: a step on one ladder, down or up.
typedef enum Step { FARTHER, FEWER, NEARER, MORE, STEPS } Step;

typedef struct Own {
    Rung best, now;
    double ipc;                         // of the best
    uint64_t at, instructions;          // when the sample began
    uint64_t near[OC_MOST_SCHEDULERS];  // warps that use the L1
    uint8_t step;                       // Step
    bool counting, settled;             // a sample is under way; the best is held
} Own;

static void choose_tried(oc_policy *p, uint32_t k)
{
    Own *o = p->own;
    const oc_scheduler_view *s = p->sm->scheduler[k];
    uint32_t limit = limits[o->now.limit], all = oc_warps(p->sm), n = limit < all ? limit : all;
    uint32_t near = (n * shares[o->now.share] + 7) / 8;
    p->issue[k] = o->now.limit ? oc_oldest_few(s, oc_share(limit, p->sm->schedulers, k)) : UINT64_MAX;
    o->near[k] = o->now.share ? oc_oldest_few(s, oc_share(near, p->sm->schedulers, k)) : UINT64_MAX;
    p->isolated[k] = p->sm->scratch_lines ? s->present & ~o->near[k] : 0;
}

static void begin_sample(oc_policy *p, Rung at)
{
    Own *o = p->own;
    o->now = at;
    for (uint32_t k = 0; k < p->sm->schedulers; k++) choose_tried(p, k);
    p->next_tick = *p->sm->now + (uint64_t)p->param[WARM];
}

// The rung one step from the best; false: there is none, or it would change nothing.
static bool neighbour(const oc_policy *p, Step step, Rung *out)
{
    const Own *o = p->own;
    Rung r = o->best;
    uint32_t warps = oc_warps(p->sm);
    switch (step) {
    case FEWER:
        while (r.limit + 1 < LIMITS && limits[r.limit + 1] >= warps) r.limit++;
        if (++r.limit >= LIMITS) return false;
        break;
    case MORE:
        if (!r.limit) return false;
        r.limit--;
        if (limits[r.limit] >= warps) r.limit = 0;
        break;
    case FARTHER:
        if (++r.share >= SHARES) return false;
        break;
    case NEARER:
        if (!r.share) return false;
        r.share--;
        break;
    default: return false;
    }
    *out = r;
    return true;
}

// Tries the next step that there is; none left: the best is held.
static void go_on(oc_policy *p)
{
    Own *o = p->own;
    Rung r;
    while (o->step < STEPS && !neighbour(p, o->step, &r)) o->step++;
    if (o->step < STEPS) {
        begin_sample(p, r);
        return;
    }
    o->settled = true;
    o->now = o->best;
    for (uint32_t k = 0; k < p->sm->schedulers; k++) choose_tried(p, k);
    p->next_tick = *p->sm->now + (uint64_t)(p->param[HOLD] * p->param[SAMPLE]);
}

// A step that was better is taken once more; another is tried after one that wasn't.
static void end_sample(oc_policy *p)
{
    Own *o = p->own;
    double ipc = (double)(*p->sm->instructions - o->instructions) / (double)(*p->sm->now - o->at);
    p->count[TRIALS]++;
    if (o->settled)  // of the best, anew: its neighbours are next
        o->settled = false, o->ipc = ipc, o->step = 0;
    else if (ipc > o->ipc * (1 + p->param[GAIN]))
        o->best = o->now, o->ipc = ipc, p->count[MOVES]++;
    else
        o->step++;
    go_on(p);
}

static void tick(oc_policy *p)
{
    Own *o = p->own;
    o->counting = !o->counting;
    if (!o->counting) {
        end_sample(p);
        return;
    }
    o->at = *p->sm->now, o->instructions = *p->sm->instructions;
    p->next_tick = *p->sm->now + (uint64_t)p->param[SAMPLE];
}

static void open(oc_policy *p)
{
    Own *o = p->own;
    o->settled = true;  // the first sample is of all warps
    p->next_tick = (uint64_t)p->param[WARM];
}

static void changed(oc_policy *p, uint32_t warp) { choose_tried(p, oc_warp(p->sm, warp)->scheduler); }
static void waits(oc_policy *p, uint32_t warp, oc_wait from, oc_wait to)
{
    if (from == OC_WAIT_BARRIER || to == OC_WAIT_BARRIER) changed(p, warp);
}

static oc_route route(oc_policy *p, uint32_t warp, const oc_access *a)
{
    const Own *o = p->own;
    if (a->local || oc_has(p->sm, o->near, warp)) return OC_TO_L1;
    if (p->sm->scratch_lines) return OC_TO_SCRATCH;
    return a->store ? OC_TO_L1 : OC_PAST_L1;
}

const oc_policy_type policy_trial = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "trial",
    .doc = "tries how many warps should issue, and how many of these use unused shared memory and not the L1; keeps "
           "the fastest",
    .wants = OC_WANTS_SCRATCH,
    .state = sizeof(Own),
    .params = params,
    .counters = counters,
    .open = open,
    .pick = oc_pick_greedy,
    .start = changed,
    .stop = changed,
    .waits = waits,
    .tick = tick,
    .route = route,
};
