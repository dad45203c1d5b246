// poise.c: a warp scheduler that asks a regression how many warps should run, in the manner of Poise (Dublish,
// Nagarajan, Topham, HPCA 2019). It is a plug-in:
//     cc -O2 -shared -fPIC -I include examples/poise.c -lm -o poise.so
//     onchip run … --sched ./poise.so
//
// As in Poise's abstract, a regression is trained offline on some programs, and the hardware asks it for others at run
// time. The abstract is what we could read of the paper. So the structure is Poise's; features, weights and cycles are
// ours. An SM first measures itself, with all its warps and with two. From these measurements the regression predicts
// how many warps may issue, and how many of these may take lines of the L1; misses of the others take none. After
// `period` cycles the SM measures again. doc/results/reproduce-ciao.md says how the weights were trained, and on what.
#include <math.h>
#include <onchip_policy.h>

enum { WARM, SAMPLE, PERIOD, WARPS, ALLOCATE };
static const oc_policy_param params[] = {
    [WARM] = {"warm", "cycle", "how long a change takes effect before anything is measured", 1000, 1, 1e9, true,
              "as policy trial"},
    [SAMPLE] = {"sample", "cycle", "how long a measurement takes", 2000, 1, 1e9, true, "as policy trial"},
    [PERIOD] = {"period", "cycle", "after which the policy measures again", 100000, 1, 1e9, true, "assumed"},
    [WARPS] = {"warps", "warp", "how many warps may issue; 0: what the regression says", 0, 0, 64, true, "to train it"},
    [ALLOCATE] = {"allocate", "warp", "how many of them take lines of the L1; 0: what the regression says", 0, 0, 64,
                  true, "to train it"},
    {.name = NULL},
};

// Sums over the predictions of all SMs: divided by `predictions` they are means, from which the weights were trained.
enum { PREDICTIONS, PREDICTED_WARPS, PREDICTED_ALLOCATE, FEATURE };
enum { FEATURES = 5 };  // behind a constant 1
static const oc_policy_counter counters[] = {
    [PREDICTIONS] = {"predictions", "prediction", "times that the regression was asked"},
    [PREDICTED_WARPS] = {"predicted_warps", "warp", "how many warps may issue: the sum over all predictions"},
    [PREDICTED_ALLOCATE] = {"predicted_allocate", "warp",
                            "how many warps may take lines of the L1: the sum over all predictions"},
    [FEATURE] = {"hits_all", "0.001", "hit rate of loads with all warps, the sum over all predictions"},
    {"hits_few", "0.001", "hit rate of loads with two warps, the sum over all predictions"},
    {"loads", "0.001", "loads of the L1 per instruction with all warps, the sum over all predictions"},
    {"speed_few", "0.001", "instructions with two warps over those with all, the sum over all predictions"},
    {"resident", "warp", "warps that the SM has, the sum over all predictions"},
    {.name = NULL},
};

// ln warps and ln allocate are these times 1, hits_all, hits_few, ln loads, ln speed_few, ln resident.
static const double of_warps[1 + FEATURES] = {0.15, 0.91, 0.70, -0.13, -0.34, 0.55},
                                 of_allocate[1 + FEATURES] = {-0.53, 1.35, 0.45, -0.45, -0.04, 0.73};

typedef enum Phase { ALL_WARM, ALL, FEW_WARM, FEW, RUN } Phase;
typedef struct Seen {
    uint64_t instructions, loads, hits;
} Seen;
typedef struct Own {
    uint8_t phase;
    uint32_t warps, allocate;  // 0: all
    uint64_t near[OC_MOST_SCHEDULERS];
    Seen now, began, all, few;
} Own;

static void choose(oc_policy *p, uint32_t k)
{
    Own *o = p->own;
    const oc_scheduler_view *s = p->sm->scheduler[k];
    p->issue[k] = o->warps ? oc_oldest_few(s, oc_share(o->warps, p->sm->schedulers, k)) : UINT64_MAX;
    o->near[k] = o->allocate ? oc_oldest_few(s, oc_share(o->allocate, p->sm->schedulers, k)) : UINT64_MAX;
}

static void set(oc_policy *p, uint32_t warps, uint32_t allocate)
{
    Own *o = p->own;
    o->warps = warps, o->allocate = allocate;
    for (uint32_t k = 0; k < p->sm->schedulers; k++) choose(p, k);
}

static Seen since(const Own *o, uint64_t instructions)
{
    return (Seen){instructions - o->began.instructions, o->now.loads - o->began.loads, o->now.hits - o->began.hits};
}
static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static uint32_t predicted(const double *weights, const double *x, uint32_t most)
{
    double ln = weights[0];
    for (int k = 0; k < FEATURES; k++) ln += weights[1 + k] * x[k];
    double n = round(exp(ln));
    return n >= most ? most : n < 2 ? 2 : (uint32_t)n;
}

static void predict(oc_policy *p)
{
    const Own *o = p->own;
    uint32_t resident = oc_warps(p->sm), warps = (uint32_t)p->param[WARPS], allocate = (uint32_t)p->param[ALLOCATE];
    double f[FEATURES] = {ratio(o->all.hits, o->all.loads), ratio(o->few.hits, o->few.loads),
                          ratio(o->all.loads, o->all.instructions), ratio(o->few.instructions, o->all.instructions),
                          resident ? resident : 1};
    for (int k = 0; k < FEATURES; k++) p->count[FEATURE + k] += (uint64_t)(f[k] * (k + 1 < FEATURES ? 1000 : 1));
    for (int k = 2; k < FEATURES; k++) f[k] = log(fmax(f[k], 0.001));
    if (!warps) warps = predicted(of_warps, f, resident);
    if (!allocate) allocate = predicted(of_allocate, f, warps);
    p->count[PREDICTIONS]++, p->count[PREDICTED_WARPS] += warps, p->count[PREDICTED_ALLOCATE] += allocate;
    set(p, warps, allocate);
}

static void tick(oc_policy *p)
{
    Own *o = p->own;
    uint64_t instructions = *p->sm->instructions, next = (uint64_t)p->param[WARM];
    switch (o->phase) {
    case ALL_WARM:
    case FEW_WARM:
        o->began = o->now, o->began.instructions = instructions;
        next = (uint64_t)p->param[SAMPLE];
        break;
    case ALL:
        o->all = since(o, instructions);
        set(p, 2, 0);
        break;
    case FEW:
        o->few = since(o, instructions);
        predict(p);
        next = (uint64_t)p->param[PERIOD];
        break;
    default: set(p, 0, 0);
    }
    o->phase = o->phase == RUN ? ALL_WARM : o->phase + 1;
    p->next_tick = *p->sm->now + next;
}

static void open(oc_policy *p) { p->next_tick = (uint64_t)p->param[WARM]; }
static void changed(oc_policy *p, uint32_t warp) { choose(p, oc_warp(p->sm, warp)->scheduler); }
static void waits(oc_policy *p, uint32_t warp, oc_wait from, oc_wait to)
{
    if (from == OC_WAIT_BARRIER || to == OC_WAIT_BARRIER) changed(p, warp);
}
static void seen(oc_policy *p, const oc_access_event *e)
{
    Own *o = p->own;
    o->now.loads += !e->store, o->now.hits += !e->store && e->outcome == OC_HIT;
}
static oc_route route(oc_policy *p, uint32_t warp, const oc_access *a)
{
    const Own *o = p->own;
    return a->local || oc_has(p->sm, o->near, warp) ? OC_TO_L1 : OC_TO_L1_NO_ALLOCATE;
}

const oc_policy_type onchip_policy = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "poise",
    .doc = "as many warps, and as many of them with the L1, as a regression says (in the manner of Poise, HPCA 2019)",
    .state = sizeof(Own),
    .params = params,
    .counters = counters,
    .open = open,
    .pick = oc_pick_greedy,
    .start = changed,
    .stop = changed,
    .waits = waits,
    .tick = tick,
    .seen = seen,
    .route = route,
};
