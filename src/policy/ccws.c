// ccws.c: cache-conscious wavefront scheduling (Rogers et al., MICRO 2012; ciao §V-A), as its authors' published
// simulator does it. Each warp has a score of lost locality. A miss that hits the warp's victim tags sets the score to
// LLDS = k · (such hits / instructions) · cutoff; both are the resident warps'. The score falls
// by `decay` a cycle, back to its base. The warps are stacked by their scores, the highest at the bottom; the
// cutoff is their number times the base. Those that lie wholly above it may not issue loads. So a warp that loses
// locality pushes others out. Issue is greedy then oldest.
//
// All scores above the base fall alike, so the stack's order only changes when a score is set or reaches the base:
// between such cycles, and those in which one more warp fits, nothing is looked at.
#include <onchip_policy.h>

#define AUTHORS "the authors' simulator, ccws-2012: its gpgpusim.config"
enum { VICTIMS, BASE, K, DECAY };
static const oc_policy_param params[] = {
    [VICTIMS] = {"victims", "tag", "how many lost lines of a warp are remembered (victim tags)", 16, 1, OC_MOST_TAGS,
                 true, AUTHORS "; ciao §V-F"},
    [BASE] = {"base", "point", "score of a warp that loses nothing", 100, 1, 1e6, true, AUTHORS},
    [K] = {"k", "", "how strongly lost locality throttles", 8, 0, 1e6, false, AUTHORS},
    [DECAY] = {"decay", "point/cycle", "how fast a score falls back", 1, 0.001, 1e6, false, AUTHORS},
    {.name = NULL},
};

enum { VTA_HITS };
static const oc_policy_counter counters[] = {
    [VTA_HITS] = {"vta_hits", "access", "misses whose line others had pushed out: hits of the victim tags"},
    {.name = NULL},
};

typedef struct Own {
    oc_victims victims;
    double score[OC_MOST_WARPS];  // at the cycle `at`
    uint64_t at[OC_MOST_WARPS], hits[OC_MOST_WARPS];
} Own;

static double score(const oc_policy *p, uint32_t warp)
{
    const Own *o = p->own;
    double s = o->score[warp] - p->param[DECAY] * (double)(*p->sm->now - o->at[warp]);
    return s > p->param[BASE] ? s : p->param[BASE];
}

static uint64_t age(const oc_policy *p, uint32_t warp)
{
    const oc_warp_view *w = oc_warp(p->sm, warp);
    return w->started << 8 | warp;
}

// Stacks the warps anew, and sees in which cycle that may change.
static void stack(oc_policy *p)
{
    const oc_sm_view *sm = p->sm;
    double s[OC_MOST_WARPS], sum = 0, base = p->param[BASE], soon = 0;
    uint32_t warp[OC_MOST_WARPS], n = 0, raised = 0;
    for (uint32_t w = 0; w < sm->slots; w++) {
        if (!oc_present(sm, w)) continue;
        double mine = score(p, w);
        uint32_t k = n++;
        for (; k && (s[k - 1] < mine || (s[k - 1] == mine && age(p, warp[k - 1]) > age(p, w))); k--)
            s[k] = s[k - 1], warp[k] = warp[k - 1];
        s[k] = mine, warp[k] = w;
        raised += mine > base;
    }
    double cutoff = base * n;
    for (uint32_t k = 0; k < n; k++) {
        bool may = sum < cutoff;
        oc_set(sm, p->load, warp[k], may);
        if (!may && !soon) soon = (sum - cutoff) / (p->param[DECAY] * (k < raised ? k : raised)) + 1;
        sum += s[k];
    }
    p->next_tick = OC_NEVER;
    if (!raised) return;
    double back = (s[raised - 1] - base) / p->param[DECAY];  // the lowest raised score is the base again
    double wait = soon && soon < back ? soon : back;
    p->next_tick = *sm->now + 1 + (wait < 1e9 ? (uint64_t)wait : (uint64_t)1e9);
}

static void start(oc_policy *p, uint32_t warp)
{
    Own *o = p->own;
    oc_victims_clear(&o->victims, warp);
    o->hits[warp] = 0;
    o->score[warp] = p->param[BASE], o->at[warp] = *p->sm->now;
    stack(p);
}

static void stop(oc_policy *p, uint32_t warp)
{
    oc_set(p->sm, p->load, warp, true);
    stack(p);
}

static void seen(oc_policy *p, const oc_access_event *e)
{
    Own *o = p->own;
    uint32_t tags = (uint32_t)p->param[VICTIMS];
    if (e->store) return;
    if (e->victim != OC_NO_LINE) oc_victims_add(&o->victims, tags, e->owner, e->victim, e->warp);
    if (e->outcome != OC_MISS || oc_victims_take(&o->victims, tags, e->warp, e->line) == OC_NO_WARP) return;
    p->count[VTA_HITS]++;
    o->hits[e->warp]++;
    uint64_t hits = 0, instructions = 0;
    for (uint32_t w = 0; w < p->sm->slots; w++)
        if (oc_present(p->sm, w)) hits += o->hits[w], instructions += oc_warp(p->sm, w)->instructions;
    double cutoff = p->param[BASE] * oc_warps(p->sm);
    o->score[e->warp] = p->param[K] * (double)hits / (double)instructions * cutoff, o->at[e->warp] = *p->sm->now;
    stack(p);
}

const oc_policy_type policy_ccws = {
    .version = ONCHIP_POLICY_VERSION,
    .name = "ccws",
    .doc = "cache-conscious: the more locality warps lose, the fewer warps may issue loads (Rogers et al., MICRO 2012)",
    .wants = OC_WANTS_INSTRUCTIONS,
    .state = sizeof(Own),
    .params = params,
    .counters = counters,
    .pick = oc_pick_greedy,
    .start = start,
    .stop = stop,
    .seen = seen,
    .tick = stack,
};
