// sm.c: the life of an SM: opening, blocks arriving, and the window's loop. The stages of a cycle run from the last to
// the first, so that what leaves a stage makes room for what enters it in the same cycle: replies land, waiting warps
// are looked at, the load-store unit serves a transaction, the schedulers issue.
#include "sm/unit.h"

#include <string.h>

bool sm_open(Sm *sm, const SmCfg *cfg, const PartitionCfg *part, uint32_t index, uint32_t sms, const Sm *like,
             const char **why)
{
    *sm = (Sm){.cfg = *cfg, .index = index, .sms = sms, .like = like};
    if (!ports_open(sm, why)) return false;
    if (!links_open(sm, part, why)) return false;
    *why = mem_none;
    if (!issue_open(sm) || !lsu_open(sm)) return false;
    engine_open(sm);
    fetch_open(sm);
    sm->ctas = mem_alloc(sizeof *sm->ctas * cfg->max_blocks);
    sm->env.log = &sm->log;
    sm->env.owner = sm;
    sm->env.sm = index;
    sm->env.sm_count = sms;
    sm->env.max_warps = cfg->max_warps;
    *why = NULL;
    return true;
}

void sm_spare(Sm *sm)
{
    for (uint32_t c = 0; c < sm->cfg.max_blocks && sm->ctas; c++) exec_cta_free(&sm->ctas[c]);
}

void sm_close(Sm *sm)
{
    sm_spare(sm);
    mem_free(sm->ctas);
    vec_free(&sm->spans), vec_free(&sm->given);
    ports_close(sm), links_close(sm), lsu_close(sm), issue_close(sm), engine_close(sm), fetch_close(sm);
    watch_close(sm), why_close(sm);
    mem_free(sm->inst);
    log_free(&sm->log);
    exec_env_free(&sm->env);
    *sm = (Sm){0};
}

bool sm_resize(Sm *sm, const SmCfg *cfg)
{
    const char *why;
    sm->cfg = *cfg;
    return issue_resize(sm) && ports_resize(sm, &why);  // of whole sets: fails for want of memory alone
}

void sm_flush(Sm *sm)
{
    ports_flush(sm);
    links_flush(sm);
}

static void wake(Env *env, Warp *w)
{
    Sm *sm = env->owner;  // looked at later: the instruction that woke it isn't over
    issue_pause(sm, w->slot, sm->now + sm->cfg.unit[CLASS_BARRIER].latency);
    sm->due = MIN(sm->due, sm->now);  // at a window's edge
}

uint64_t sm_lacks(const Sm *sm, const LaunchInfo *l, uint32_t blocks, uint32_t share)
{
    uint64_t bytes = issue_lacks(sm, l, blocks * sm_block_needs(&sm->cfg, l).warps);
    for (uint32_t c = 0; c < share; c++) bytes += exec_cta_lacks(&sm->ctas[c], l);
    return bytes;
}

void sm_begin(Sm *sm, const LaunchInfo *l, uint32_t blocks)
{
    sm->launch = l;
    sm->env.launch = l;
    sm->env.wake = wake;
    memset(sm->env.near, 0, sizeof sm->env.near);
    sm->cta_slots = blocks;
    issue_room(sm, blocks * sm_block_needs(&sm->cfg, l).warps);
    operands_begin(sm);
    memset(sm->count, 0, sizeof sm->count);
    memset(sm->structure, 0, sizeof sm->structure);
    mem_free(sm->inst);
    sm->inst = mem_alloc(sizeof *sm->inst * l->kernel->insts);
    sm->running = 0;
    memset(sm->ended, 0, sizeof sm->ended);
    sm->given.n = 0;
    sm->now = sm->env.changed = sm->last_event = 0;
    sm->env.fault = (Fault){0};
    lsu_begin(sm);
    fetch_begin(sm, l->kernel);
    engine_begin(sm);
    links_begin(sm);
    issue_begin(sm, l);
    ports_begin(sm);
}

bool sm_has_room(const Sm *sm) { return sm->running < sm->cta_slots; }

static void start_block(Sm *sm, uint64_t number, Cluster *cluster, uint32_t rank)
{
    uint32_t c = 0;
    while (sm->ctas[c].running) c++;
    Cta *cta = &sm->ctas[c];
    exec_cta_start(&sm->env, cta, number, cluster, rank);
    for (uint32_t k = 0; k < cta->warp_count; k++) cta->warps[k].slot = c * cta->warp_count + k;
    issue_cta_start(sm, c, number);
    const uint64_t from = MAX(sm->now, sm->ended[c] + sm->cfg.start);
    for (uint32_t k = 0; k < cta->warp_count; k++) issue_start(sm, c * cta->warp_count + k, &cta->warps[k], c, from);
}

void sm_give_block(Sm *sm, uint64_t number, uint64_t now)
{
    sm->now = sm->due = now;
    sm->running++;
    vec_push(&sm->given, number);
}

void sm_start_member(Sm *sm, uint64_t number, Cluster *cluster, uint32_t rank, uint64_t now)
{
    sm->now = sm->due = now;
    sm->running++;
    start_block(sm, number, cluster, rank);
}

void sm_end_block(Sm *sm, Cta *cta)
{
    uint32_t c = (uint32_t)(cta - sm->ctas);
    cta->running = false;
    sm->ended[c] = sm->now + 1;
    sm->running--;
    sm->count[C_BLOCKS]++;
    issue_cta_stop(sm, c);
}

void sm_edge_done(Sm *sm, const Deferred *d, uint64_t now)
{
    sm->due = now;
    if (d->d->kind == X_PRINTF || d->d->kind == X_MALLOC || d->d->kind == X_FREE ||
        (!d->d->score_dst && d->d->kind != X_CP_ASYNC))
        return;
    sm->now = now;
    lsu_done(sm, d->tracker, d->cluster ? MAX(now, d->cycle + sm->cfg.cluster_latency) : now);
}

// --- the window ------------------------------------------------------------------------------------------------------
// Can a ready warp issue in the next cycle? If not, only an event changes that.
static inline bool could_issue(Sm *sm)
{
    const Issue *i = &sm->issue;
    const uint32_t refused = issue_full(sm);
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        const SchedState *s = &i->sched[k];
        if (s->busy > sm->now + 1) return true;
        if (!(s->classes & ~refused)) continue;
        if (!~(i->policy.issue[k] & i->policy.load[k])) return true;
        uint64_t ready = s->view.in[OC_WAIT_READY];
        if (refused) ready &= ~issue_of_class(s, refused);
        if (ready & s->starved || (ready & issue_allowed(i, k))) return true;
    }
    return false;
}

// The first credit that a packet or the load-store unit lacks; and that, or the first reply.
static uint64_t next_credit(const Sm *sm) { return MIN(links_due(&sm->links), lsu_credit(sm)); }
static uint64_t next_arrival(const Sm *sm) { return MIN(first_time(&sm->links.first), next_credit(sm)); }

// The next cycle in which a reply moves, or the copy engine works; and that, or the load-store unit does.
static uint64_t next_from_outside(const Sm *sm)
{
    uint64_t t = MIN(next_arrival(sm), links_landing(sm));
    return sm->engine.n ? MIN(t, sm->engine.due) : t;
}

static uint64_t work_after(const Sm *sm, uint64_t outside) { return MAX(MIN(outside, lsu_due(sm)), sm->now + 1); }
static uint64_t next_work(const Sm *sm) { return work_after(sm, next_from_outside(sm)); }

static uint64_t next_event(const Sm *sm) { return MIN(issue_turn(sm), next_work(sm)); }

// Accounts the cycles until `to`, in which no scheduler issues: each lacks what it lacks now.
static void pass(Sm *sm, const Idle *why, uint64_t from, uint64_t to)
{
    if (to > from && sm->running) {
        issue_idle_for(sm, why, to - from);
        sm->count[C_SM_CYCLES] += to - from;
        sm->count[C_ISSUE_SLOTS] += (to - from) * sm->cfg.schedulers * sm->cfg.issue;
    }
    sm->now = to;
}

// The way in and the load-store unit have their turn of this cycle.
ALWAYS_INLINE void serve(Sm *sm)
{
    if (links_due(&sm->links) <= sm->now) lsu_sent(sm);
    if (lsu_works(sm)) lsu_tick(sm);
    if (sm->engine.n && sm->engine.due <= sm->now) engine_tick(sm);
}

// No warp can issue after this cycle: only replies land and the load-store unit works, until a warp may be able to, one
// has its turn, or `to`. A policy that listens to the unit may change its mind in any cycle.
static void rest(Sm *sm, uint64_t to)
{
    Idle why[OC_MOST_SCHEDULERS];
    const oc_policy_type *policy = sm->issue.policy.type;
    uint64_t turn = issue_turn(sm), unit = issue_unit(sm), work = next_work(sm), first = ++sm->now;
    const uint32_t full = issue_full(sm);
    const bool alone = !policy->seen && !policy->route;
    turn = MIN(turn, unit);
    issue_idle_why(sm, why);
    lsu_calm(sm);
    while (alone && work < MIN(turn, to)) {
        sm->now = work;
        if (links_lands(sm)) links_deliver(sm);
        serve(sm);
        if (sm->lsu.stirred || full & ~issue_full(sm)) {
            turn = sm->now;  // this cycle isn't over
            break;
        }
        uint64_t outside = next_from_outside(sm);
        lsu_go_on(sm, MIN(MIN(turn, to), outside));
        work = work_after(sm, MIN(outside, next_credit(sm)));  // which what was sent, or refused, may lack now
    }
    sm->due = MIN(turn, work);
    pass(sm, why, first, MIN(sm->due, to));
}

void sm_run(Sm *sm, Wire *const *reply, Wire *const *credit, uint64_t window, uint64_t from, uint64_t to)
{
    for (size_t k = 0; k < sm->given.n; k++) start_block(sm, sm->given.v[k], NULL, 0);
    sm->given.n = 0;
    links_take(sm, reply, credit, window);
    sm->window = from;
    sm->until = to;
    sm->due = MIN(sm->due, next_arrival(sm));
    Idle why[OC_MOST_SCHEDULERS];
    issue_idle_why(sm, why);
    pass(sm, why, sm->now, MAX(from, MIN(sm->due, to)));
    uint32_t per_cycle = sm->cfg.schedulers * sm->cfg.issue;
    if (sm->ports.left.n) port_write_left(sm);
    engine_stir(sm);
    while (sm->now < to) {
        if (links_lands(sm)) links_deliver(sm);
        if (issue_wakes(sm)) issue_wake_due(sm);
        issue_tick(sm);
        serve(sm);
        if (sm->running) {
            sm->last_event = sm->now + 1;
            issue_cycle(sm);
            sm->count[C_SM_CYCLES]++;
            sm->count[C_ISSUE_SLOTS] += per_cycle;
            if (sm->env.fault.kind != FAULT_NONE) return;
        }
        if (sm->running && could_issue(sm))
            sm->due = ++sm->now;
        else
            rest(sm, to);
    }
    if (!issue_asleep(sm)) sm->due = to;
    lsu_account(sm, to);
    if (sm->cfg.l1.plug) ports_judge(sm);
    if (sm->cfg.laws) issue_judge(sm);
}

void sm_cut(Sm *sm, uint64_t now)
{
    const Issue *i = &sm->issue;
    for (uint32_t s = 0; s < i->slot_count; s++)
        if (i->slots[s].warp && now > i->slots[s].started) sm->count[C_WARP_CYCLES] += now - i->slots[s].started;
    for (uint32_t c = 0; c < i->view.ctas; c++) {
        const oc_cta_view *cta = &i->view.cta[c];
        if (cta->running && now > cta->started) sm->count[C_SHARED_HELD] += cta->shared_size * (now - cta->started);
    }
}

bool sm_quiet(const Sm *sm)
{
    return !sm->running && !sm->lsu.n && !ports_await(sm) && links_empty(sm) && engine_idle(sm);
}

bool sm_stuck(const Sm *sm) { return issue_asleep(sm) && next_event(sm) == NEVER && !ports_await(sm) && !sm->lsu.n; }

WatchVerdict sm_judge(const Sm *sm, uint64_t since)
{
    WatchVerdict all = WATCH_STUCK;
    for (uint32_t k = 0; k < sm->issue.slot_count && all != WATCH_WORKS; k++)
        if (sm->issue.slots[k].warp) all = MIN(all, watch_judge(&sm->env, sm->issue.slots[k].warp, since));
    return all;
}

void sm_add_counters(const Sm *sm, uint64_t *own)
{
    for (int k = 0; k < OC_MOST_COUNTERS; k++) own[OWN_POLICY + k] += sm->issue.policy_count[k];
    plug_add(&sm->ports.port[PORT_L1].cache, own + OWN_L1);
    for (uint32_t w = 0; sm->ports.own && w < sm->cfg.max_warps; w++) plug_add(&sm->ports.own[w].cache, own + OWN_L1);
    const Prefetch *p = sm->ports.prefetch;
    for (int k = 0; p && k < OC_MOST_COUNTERS; k++) own[OWN_PREFETCHER + k] += p->own_count[k];
    for (int k = 0; p && k < PREFETCH_COUNTS; k++) own[OWN_PREFETCH + k] += p->count[k];
}

void sm_explain(const Sm *sm, Text *out)
{
    issue_explain(sm, out);
    lsu_explain(sm, out);
}
