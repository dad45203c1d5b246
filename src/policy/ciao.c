// ciao.c: cache-interference-aware scheduling (ciao §III, §IV, Algorithm 1), on greedy then oldest. A detector says how
// much a warp suffers (its individual re-reference score, IRS, Equation 1) and who pushed its lines out last and most
// (the interference list). A warp that makes others suffer is isolated: its accesses go to shared memory, as a cache.
// If it still does, it is stalled. CIAO-T stalls at once, CIAO-P only isolates, CIAO-C does both, in that order.
//
// Each epoch, a short and a long one, marks every warp. A marked warp is looked at when its turn in the warp list
// comes: each cycle a scheduler goes through the list, greedy then oldest, up to the warp that issues, stalled ones
// included, and through all of it when none issues. After a short epoch a warp may be released. After a long one the
// warp that interferes with it most is isolated or stalled. The pair list says for whom.
//
// Where the paper can be read in several ways, a parameter chooses (doc/results/reproduce-ciao.md has the sentences).
#include <onchip_policy.h>

enum { WARPS, THREADS };  // whose instructions count
enum { VICTIMS, HIGH, LOW, HIGH_EPOCH, LOW_EPOCH, EPOCHS, SCORE, LITERAL, PER_EPOCH, EAGER, REVERSE, FRONT };
static const oc_policy_param params[] = {
    [VICTIMS] = {"victims", "tag", "how many lost lines of a warp are remembered (victim tags)", 8, 1, OC_MOST_TAGS,
                 true, "ciao Table I"},
    [HIGH] = {"high", "hit/instruction", "interference score (IRS) above which a warp counts as suffering", 0.01, 0,
              1e9, false, "ciao §IV-A"},
    [LOW] = {"low", "hit/instruction", "interference score (IRS) below which a warp no longer counts as suffering",
             0.005, 0, 1e9, false, "ciao §IV-A"},
    [HIGH_EPOCH] = {"high_epoch", "instruction", "instructions of an SM after which warps may be isolated or stalled",
                    5000, 1, 1e9, true, "ciao §IV-A"},
    [LOW_EPOCH] = {"low_epoch", "instruction", "instructions of an SM after which warps may be released", 100, 1, 1e9,
                   true, "ciao §IV-A"},
    [EPOCHS] = {"epochs", "", "whether epochs count an instruction of a warp once, or once for each active thread",
                THREADS, 0, 1, true,
                "ciao Figure 11a: within 15 % from 1 K to 50 K instructions, which epochs of warps' aren't",
                "warp thread"},
    [SCORE] = {"score", "",
               "whether the instructions by which the interference score is divided are those of warps or of threads",
               WARPS, 0, 1, true,
               "as epochs: with those of threads Backprop's score (Table II) couldn't pass a cut-off", "warp thread"},
    [LITERAL] = {"literal", "", "1 takes IRS as Algorithm 1 writes it, hits / instructions / warps; 0 takes Equation 1",
                 0, 0, 1, true, "Equation 1 is what the text explains"},
    [PER_EPOCH] = {"per_epoch", "",
                   "1 takes the IRS of the last epoch alone (§IV-A); 0 takes it since the kernel's start (§V-F)", 0, 0,
                   1, true, "the counters of §V-F are reset when a kernel starts"},
    [EAGER] = {"eager", "",
               "1 releases a stalled warp also when the warp that it was stalled for is itself stalled or waits at a "
               "barrier; 0 does so only when no other warp can issue",
               0, 0, 1, true, "our own rule; §IV-C says when a warp comes back, and has 0"},
    [REVERSE] = {"reverse", "", "1 releases stalled warps in the reverse order of their stalls; 0 in any order", 1, 0,
                 1, true, "ciao §III-C; Algorithm 1 has no order"},
    [FRONT] = {"front", "",
               "1 looks after an epoch only at the warp at the front of each scheduler's list; 0 at each warp when its "
               "turn comes",
               0, 0, 1, true, "Algorithm 1; §IV-C speaks of the front"},
    {.name = NULL},
};

enum { VTA_HITS, ISOLATIONS, STALLS, RETURNS, RELEASES, BLOCKED, UNSTUCK };
static const oc_policy_counter counters[] = {
    [VTA_HITS] = {"vta_hits", "access", "misses whose line others had pushed out: hits of the victim tags"},
    [ISOLATIONS] = {"isolations", "warp", "warps sent to the scratch cache"},
    [STALLS] = {"stalls", "warp", "warps stalled"},
    [RETURNS] = {"returns", "warp", "warps sent back to the L1"},
    [RELEASES] = {"releases", "warp",
                  "stalled warps released, because the warp that they were stalled for no longer suffers"},
    [BLOCKED] = {"blocked", "warp",
                 "stalled warps released, because the warp that they were stalled for is stalled or at a barrier"},
    [UNSTUCK] = {"unstuck", "warp", "stalled warps released, because all other warps wait at a barrier"},
    {.name = NULL},
};

// The warp for which another one was isolated or stalled; its slot may have got a third one since.
typedef struct Pair {
    uint32_t warp;  // OC_NO_WARP: for nobody
    uint64_t started;
} Pair;
typedef enum Epoch { SHORT, LONG } Epoch;
typedef struct Own {
    oc_victims victims;
    uint64_t hits[OC_MOST_WARPS];
    uint64_t hits_before[2][OC_MOST_WARPS],
        before[2];                                  // when the epoch that is over began: hits, the score's instructions
    uint64_t hits_then[2][OC_MOST_WARPS], then[2];  // when it ended
    uint32_t interferer[OC_MOST_WARPS];             // the interference list; OC_NO_WARP: empty
    uint8_t counter[OC_MOST_WARPS];                 // of two bits
    Pair isolated_for[OC_MOST_WARPS], stalled_for[OC_MOST_WARPS];
    uint64_t stalled_as[OC_MOST_WARPS];      // in which order
    uint64_t end[2];                         // of each epoch, in instructions as epochs count them
    uint64_t marked[2][OC_MOST_SCHEDULERS];  // warps whose turn is to come
    uint64_t issued_at[OC_MOST_SCHEDULERS];  // cycle
    int last[OC_MOST_SCHEDULERS];            // the bit that issued then
    bool isolates, stalls_warps;
} Own;

// --- the detector ----------------------------------------------------------------------------------------------------
static void note(Own *o, uint32_t warp, uint32_t by)
{
    if (o->interferer[warp] == by)
        o->counter[warp] += o->counter[warp] < 3;
    else if (o->interferer[warp] != OC_NO_WARP && o->counter[warp])
        o->counter[warp]--;
    else
        o->interferer[warp] = by, o->counter[warp] = 0;
}

static void seen(oc_policy *p, const oc_access_event *e)
{
    Own *o = p->own;
    uint32_t tags = (uint32_t)p->param[VICTIMS];
    if (e->store) return;
    if (e->victim != OC_NO_LINE) oc_victims_add(&o->victims, tags, e->owner, e->victim, e->warp);
    uint32_t by = e->outcome == OC_MISS ? oc_victims_take(&o->victims, tags, e->warp, e->line) : OC_NO_WARP;
    if (by == OC_NO_WARP) return;
    p->count[VTA_HITS]++;
    o->hits[e->warp]++;
    note(o, e->warp, by);
}

static bool is_stalled(const oc_policy *p, uint32_t warp) { return !oc_has(p->sm, p->issue, warp); }

static uint32_t active_warps(const oc_policy *p)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->sm->schedulers; k++)
        n += (uint32_t)__builtin_popcountll(p->sm->scheduler[k]->present & p->issue[k]);
    return n;
}

// What the SM has executed, in the unit of a parameter.
static uint64_t executed(const oc_policy *p, int param)
{
    return p->param[param] == THREADS ? *p->sm->thread_instructions : *p->sm->instructions;
}

static double irs(const oc_policy *p, uint32_t warp, Epoch e)
{
    const Own *o = p->own;
    double hits = (double)o->hits[warp], instructions = (double)executed(p, SCORE), active = active_warps(p);
    if (p->param[PER_EPOCH] != 0) {
        hits = (double)(o->hits_then[e][warp] - o->hits_before[e][warp]);
        instructions = (double)(o->then[e] - o->before[e]);
    }
    if (!instructions || !active) return 0;
    return p->param[LITERAL] != 0 ? hits / instructions / active : hits * active / instructions;
}

// --- what follows ----------------------------------------------------------------------------------------------------
static void release(oc_policy *p, uint32_t warp, int why)
{
    Own *o = p->own;
    oc_set(p->sm, p->issue, warp, true);
    o->stalled_for[warp].warp = OC_NO_WARP;
    p->count[why]++;
}

// Is the warp that another was isolated or stalled for over, or fine by now?
static bool is_over(const oc_policy *p, Pair k)
{
    return k.warp == OC_NO_WARP || !oc_present(p->sm, k.warp) || oc_warp(p->sm, k.warp)->started != k.started ||
           irs(p, k.warp, SHORT) <= p->param[LOW];
}

// Is no warp stalled that was stalled after this one?
static bool is_last_stalled(const oc_policy *p, uint32_t warp)
{
    const Own *o = p->own;
    for (uint32_t k = 0; k < p->sm->schedulers; k++)
        for (uint64_t stalled = p->sm->scheduler[k]->present & ~p->issue[k]; stalled; stalled &= stalled - 1)
            if (o->stalled_as[oc_slot(p->sm, k, (uint32_t)__builtin_ctzll(stalled))] > o->stalled_as[warp])
                return false;
    return true;
}

// Algorithm 1, lines 4 to 17. A warp that is stalled or at a barrier can't suffer: eagerly, a warp that was stalled for
// it is released at once.
static void after_short(oc_policy *p, uint32_t warp)
{
    Own *o = p->own;
    if (is_stalled(p, warp)) {
        Pair k = o->stalled_for[warp];
        if (p->param[REVERSE] != 0 && !is_last_stalled(p, warp)) return;
        if (is_over(p, k))
            release(p, warp, RELEASES);
        else if (p->param[EAGER] != 0 &&
                 (is_stalled(p, k.warp) || p->sm->scheduler[oc_warp(p->sm, k.warp)->scheduler]->in[OC_WAIT_BARRIER] >>
                                                   oc_warp(p->sm, k.warp)->bit &
                                               1))
            release(p, warp, BLOCKED);
    } else if (oc_has(p->sm, p->isolated, warp) && is_over(p, o->isolated_for[warp])) {
        oc_set(p->sm, p->isolated, warp, false);
        o->isolated_for[warp].warp = OC_NO_WARP;
        p->count[RETURNS]++;
    }
}

// If all warps that aren't stalled wait at a barrier, nothing would end an epoch: the one stalled last is let go,
// unless it waits there, too. That may come to be when a warp gets to a barrier or behind it, ends, or is stalled.
static void unstick(oc_policy *p)
{
    const Own *o = p->own;
    uint32_t last = OC_NO_WARP;
    for (uint32_t k = 0; k < p->sm->schedulers; k++) {
        const oc_scheduler_view *s = p->sm->scheduler[k];
        uint64_t able = s->present & ~s->in[OC_WAIT_BARRIER], stalled = able & ~p->issue[k];
        if (able & ~stalled) return;
        for (; stalled; stalled &= stalled - 1) {
            uint32_t w = oc_slot(p->sm, k, (uint32_t)__builtin_ctzll(stalled));
            if (last == OC_NO_WARP || o->stalled_as[w] > o->stalled_as[last]) last = w;
        }
    }
    if (last != OC_NO_WARP) release(p, last, UNSTUCK);
}

// Lines 18 to 27.
static void after_long(oc_policy *p, uint32_t warp)
{
    Own *o = p->own;
    uint32_t j = o->interferer[warp];
    if (is_stalled(p, warp) || j == OC_NO_WARP || j == warp || !oc_present(p->sm, j)) return;
    if (irs(p, warp, LONG) <= p->param[HIGH]) return;
    Pair pair = {warp, oc_warp(p->sm, warp)->started};
    if (o->isolates && !oc_has(p->sm, p->isolated, j)) {
        oc_set(p->sm, p->isolated, j, true);
        o->isolated_for[j] = pair;
        p->count[ISOLATIONS]++;
    } else if (o->stalls_warps) {
        if (!is_stalled(p, j)) o->stalled_as[j] = ++p->count[STALLS];
        oc_set(p->sm, p->issue, j, false);
        o->stalled_for[j] = pair;
        unstick(p);
    }
}

// The turn of some warps of a scheduler, the oldest first; or of the oldest of them alone, where only the front counts.
static void take_turns(oc_policy *p, uint32_t k, uint64_t warps)
{
    Own *o = p->own;
    const oc_scheduler_view *s = p->sm->scheduler[k];
    bool front = p->param[FRONT] != 0;
    warps &= s->present & (o->marked[SHORT][k] | o->marked[LONG][k]);
    if (front && warps) {
        warps = 1ull << oc_oldest(s, warps);
        o->marked[SHORT][k] &= warps, o->marked[LONG][k] &= warps;
    }
    while (warps) {
        int bit = oc_oldest(s, warps);
        uint64_t mask = 1ull << bit, both[2] = {o->marked[SHORT][k] & mask, o->marked[LONG][k] & mask};
        uint32_t warp = oc_slot(p->sm, k, (uint32_t)bit);
        warps &= ~mask;
        o->marked[SHORT][k] &= ~mask, o->marked[LONG][k] &= ~mask;
        if (both[SHORT]) after_short(p, warp);
        if (both[LONG]) after_long(p, warp);
    }
}

static bool any_marked(const oc_policy *p)
{
    const Own *o = p->own;
    uint64_t any = 0;
    for (uint32_t k = 0; k < p->sm->schedulers; k++)
        any |= p->sm->scheduler[k]->present & (o->marked[SHORT][k] | o->marked[LONG][k]);
    return any;
}

// --- events ----------------------------------------------------------------------------------------------------------
static void issued(oc_policy *p, uint32_t warp, bool memory)
{
    (void)memory;
    Own *o = p->own;
    const oc_warp_view *w = oc_warp(p->sm, warp);
    uint32_t k = w->scheduler;
    bool greedy = o->last[k] == w->bit;
    o->issued_at[k] = *p->sm->now, o->last[k] = w->bit;
    if (!any_marked(p)) return;
    take_turns(p, k, greedy ? 1ull << w->bit : p->sm->scheduler[k]->older[w->bit] | 1ull << w->bit);
}

// A scheduler that issued nothing in the cycle before has gone through all of its list. Called in each cycle while a
// warp is marked: another scheduler may issue all the time.
static void tick(oc_policy *p)
{
    Own *o = p->own;
    for (uint32_t k = 0; k < p->sm->schedulers; k++)
        if (o->issued_at[k] + 1 < *p->sm->now) take_turns(p, k, UINT64_MAX);
    if (any_marked(p)) p->next_tick = *p->sm->now + 1;
}

// Asks to be called when an epoch may be over: an instruction of a warp counts for 32 threads at most.
static void expect_epoch(oc_policy *p)
{
    const Own *o = p->own;
    uint64_t end = o->end[SHORT] < o->end[LONG] ? o->end[SHORT] : o->end[LONG], left = end - executed(p, EPOCHS);
    p->next_epoch = *p->sm->instructions + (p->param[EPOCHS] == THREADS ? (left + 31) / 32 : left);
}

static void epoch(oc_policy *p)
{
    Own *o = p->own;
    uint64_t now = executed(p, EPOCHS);
    if (now < o->end[SHORT] && now < o->end[LONG]) {
        expect_epoch(p);
        return;
    }
    for (int e = SHORT; e <= LONG; e++) {
        if (now < o->end[e]) continue;
        o->end[e] = now + (uint64_t)p->param[e == SHORT ? LOW_EPOCH : HIGH_EPOCH];
        o->before[e] = o->then[e], o->then[e] = executed(p, SCORE);
        for (uint32_t w = 0; w < p->sm->slots; w++)
            o->hits_before[e][w] = o->hits_then[e][w], o->hits_then[e][w] = o->hits[w];
        for (uint32_t k = 0; k < p->sm->schedulers; k++) o->marked[e][k] = p->sm->scheduler[k]->present;
    }
    expect_epoch(p);
    if (p->next_tick > *p->sm->now + 2) p->next_tick = *p->sm->now + 2;
}

static void waits(oc_policy *p, uint32_t warp, oc_wait from, oc_wait to)
{
    (void)warp;
    if (from == OC_WAIT_BARRIER || to == OC_WAIT_BARRIER) unstick(p);
}

static void start(oc_policy *p, uint32_t warp)
{
    Own *o = p->own;
    oc_victims_clear(&o->victims, warp);
    o->interferer[warp] = o->isolated_for[warp].warp = o->stalled_for[warp].warp = OC_NO_WARP;
    for (int e = SHORT; e <= LONG; e++) oc_set(p->sm, o->marked[e], warp, false);
}

static void stop(oc_policy *p, uint32_t warp)
{
    oc_set(p->sm, p->issue, warp, true);
    oc_set(p->sm, p->isolated, warp, false);
    unstick(p);
}

static void open(oc_policy *p)
{
    Own *o = p->own;
    o->end[SHORT] = (uint64_t)p->param[LOW_EPOCH], o->end[LONG] = (uint64_t)p->param[HIGH_EPOCH];
    expect_epoch(p);
    for (uint32_t k = 0; k < OC_MOST_SCHEDULERS; k++) o->last[k] = -1;
}

static void open_t(oc_policy *p) { ((Own *)p->own)->stalls_warps = true, open(p); }
static void open_p(oc_policy *p) { ((Own *)p->own)->isolates = true, open(p); }
static void open_c(oc_policy *p) { ((Own *)p->own)->isolates = true, open_t(p); }

#define CIAO(which, scratch, sentence)                                            \
    const oc_policy_type policy_ciao_##which = {.version = ONCHIP_POLICY_VERSION, \
                                                .wants = scratch,                 \
                                                .name = "ciao-" #which,           \
                                                .doc = sentence,                  \
                                                .state = sizeof(Own),             \
                                                .params = params,                 \
                                                .counters = counters,             \
                                                .open = open_##which,             \
                                                .pick = oc_pick_greedy,           \
                                                .start = start,                   \
                                                .stop = stop,                     \
                                                .waits = waits,                   \
                                                .issued = issued,                 \
                                                .seen = seen,                     \
                                                .tick = tick,                     \
                                                .epoch = epoch}
CIAO(t, 0, "CIAO-T: stalls warps that push others' lines out of the L1 (ciao §III-C)");
CIAO(p, OC_WANTS_SCRATCH, "CIAO-P: isolates such warps: unused shared memory is their cache (ciao §III-B)");
CIAO(c, OC_WANTS_SCRATCH, "CIAO-C: isolates such warps, and stalls them if they still interfere (ciao Algorithm 1)");
