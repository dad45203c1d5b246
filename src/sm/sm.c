// sm.c: the life of an SM: opening, blocks arriving, and the window's loop. The stages of a cycle run from the last to
// the first, so that what leaves a stage makes room for what enters it in the same cycle: replies land, waiting warps
// are looked at, the load-store unit serves a transaction, the schedulers issue.
#include "sm/sm.h"

#include <string.h>

bool sm_open(Sm *sm, const SmCfg *cfg, const PartitionCfg *part, uint32_t index, uint32_t sms, const char **why)
{
    *sm = (Sm){.cfg = *cfg, .part = part, .index = index, .sms = sms};
    if (!ports_open(sm, why)) return false;
    if (!tlb_open(&sm->tlb, &cfg->tlb, 4000 + index, why)) return false;
    out_open(sm);
    sm->in.cost = link_cost(cfg->bytes_in);
    sm->slots = mem_alloc(sizeof *sm->slots * cfg->max_warps);
    sm->wheel = mem_alloc(sizeof *sm->wheel * WHEEL);
    sm->inbox = mem_alloc(sizeof *sm->inbox * part->partitions);
    first_open(&sm->first, part->partitions);
    sm->view = (oc_sm_view){.now = &sm->now, .instructions = &sm->count[C_WARP_INSTS], .schedulers = cfg->schedulers};
    sm->view.warp = mem_alloc(sizeof *sm->view.warp * cfg->max_warps);
    sm->view.cta = mem_alloc(sizeof *sm->view.cta * cfg->max_blocks);
    lsu_open(sm);
    sm->env.log = &sm->log;
    sm->env.owner = sm;
    sm->env.sm = index;
    sm->env.sm_count = sms;
    sm->env.max_warps = cfg->max_warps;
    return true;
}

static void free_blocks(Sm *sm)
{
    for (uint32_t c = 0; c < sm->cta_slots; c++) {
        Cta *cta = &sm->ctas[c];
        for (uint32_t w = 0; w < cta->warp_count; w++) {
            exec_rows_free(cta->warps[w].rows);
            mem_free(cta->warps[w].local);
            vec_free(&cta->warps[w].splits);
            exec_audit_free(&cta->warps[w]);
        }
        mem_free(cta->shared);
    }
    for (uint32_t s = 0; s < sm->cfg.max_warps && sm->slots; s++)
        mem_free(sm->slots[s].ready), sm->slots[s].ready = NULL;
    mem_free(sm->ctas), mem_free(sm->warps);
    sm->ctas = NULL, sm->warps = NULL, sm->cta_slots = 0;
}

void sm_close(Sm *sm)
{
    free_blocks(sm);
    ports_close(sm), cache_close(&sm->tlb);
    for (uint32_t p = 0; sm->inbox && p < sm->part->partitions; p++) mem_free(sm->inbox[p].v);
    if (sm->part) out_close(sm);
    first_close(&sm->first);
    mem_free(sm->slots), mem_free(sm->wheel), mem_free(sm->inbox);
    mem_free(sm->queue), mem_free(sm->tracker), mem_free(sm->landing.v);
    mem_free(sm->inst), mem_free(sm->view.warp), mem_free(sm->view.cta), mem_free(sm->policy.own), mem_free(sm->watch);
    log_free(&sm->log);
    text_free(&sm->env.printed);
    *sm = (Sm){0};
}

bool sm_resize(Sm *sm, const SmCfg *cfg)
{
    const char *why;
    size_t own = cfg->schedule->state;
    sm->cfg = *cfg;
    if (own != sm->own_size) {
        mem_free(sm->policy.own);
        sm->policy.own = mem_try(own, 1);
        sm->own_size = sm->policy.own ? own : 0;
        if (!sm->policy.own) return false;
    }
    return ports_resize(sm, &why);  // of whole sets: fails for want of memory alone
}

void sm_flush(Sm *sm)
{
    for (int k = 0; k < PORT_COUNT; k++)
        if (!sm->port[k].cache.cfg.keep) cache_flush(&sm->port[k].cache);
    for (uint32_t w = 0; sm->own && w < sm->cfg.max_warps; w++)
        if (!sm->own[w].cache.cfg.keep) cache_flush(&sm->own[w].cache);
    cache_flush(&sm->tlb);
}

static uint32_t round_up(uint32_t x, uint32_t unit) { return unit ? (x + unit - 1) / unit * unit : x; }

uint32_t sm_block_shared(const SmCfg *cfg, const LaunchInfo *l)
{
    return round_up(l->kernel->static_shared + l->dynamic_shared + cfg->shared_reserved, cfg->shared_unit);
}

uint32_t sm_occupancy(const SmCfg *cfg, const LaunchInfo *l, const char **limit)
{
    uint32_t threads = l->block[0] * l->block[1] * l->block[2], warps = (threads + LANES - 1) / LANES;
    uint32_t regs = round_up(MAX(l->kernel->registers, 1u) * LANES, cfg->reg_unit) * warps;
    uint32_t shared = sm_block_shared(cfg, l);
    uint32_t fit = cfg->max_blocks;
    *limit = "blocks";
    if (cfg->max_warps / warps < fit) fit = cfg->max_warps / warps, *limit = "warps";
    if (cfg->max_threads / threads < fit) fit = cfg->max_threads / threads, *limit = "threads";
    if (cfg->registers / regs < fit) fit = cfg->registers / regs, *limit = "registers";
    if (shared && cfg->shared_size / shared < fit) fit = cfg->shared_size / shared, *limit = "shared memory";
    return fit;
}

static void wake(Env *env, Warp *w)
{
    Sm *sm = env->owner;  // looked at later: the instruction that woke it isn't over
    uint64_t when = sm->now + sm->cfg.unit[CLASS_BARRIER].latency;
    sm->slots[w->slot].next_issue = MAX(sm->slots[w->slot].next_issue, when);
    sm->slots[w->slot].pause = OC_WAIT_BARRIER;
    sm_wake_at(sm, w->slot, when);
}

static void open_policy(Sm *sm, const LaunchInfo *l)
{
    oc_sm_view *v = &sm->view;
    oc_policy *p = &sm->policy;
    const oc_policy_type *type = sm->cfg.schedule;
    uint32_t shared = sm_block_shared(&sm->cfg, l);
    v->slots = sm->warp_slots, v->ctas = sm->cta_slots;
    v->shared_size = sm->cfg.shared_size;
    v->use = (oc_memory_use){0};
    for (uint32_t k = 0; k < v->schedulers; k++) {
        sm->sched[k] = (SchedState){.view = {.last = -1, .turn = -1}};
        v->scheduler[k] = &sm->sched[k].view;
    }
    for (uint32_t c = 0, warps = v->ctas ? v->slots / v->ctas : 0; c < v->ctas; c++)
        v->cta[c] =
            (oc_cta_view){.first_warp = c * warps, .warps = warps, .shared_at = c * shared, .shared_size = shared};
    *p = (oc_policy){.type = type, .sm = v, .own = p->own, .param = sm->cfg.param, .count = sm->policy_count};
    if (sm->own_size) memset(p->own, 0, sm->own_size);
    memset(sm->policy_count, 0, sizeof sm->policy_count);
    p->next_tick = p->next_epoch = NEVER;
    memset(p->issue, 0xff, sizeof p->issue);
    memset(p->load, 0xff, sizeof p->load);
    sm->listens = policy_events(type) | (sm->watch ? ON_SEEN : 0);
    if (sm->watch) *sm->watch = (SmWatch){0};
    memset(sm->watched, 0, sizeof sm->watched);
    sm->watched_at = 0;
    scratch_begin(sm);
    if (type->open) type->open(p);
}

void sm_begin(Sm *sm, const LaunchInfo *l, uint32_t blocks)
{
    uint32_t threads = l->block[0] * l->block[1] * l->block[2], warps = (threads + LANES - 1) / LANES;
    sm->launch = l;
    sm->env.launch = l;
    sm->env.wake = wake;
    memset(sm->env.near, 0, sizeof sm->env.near);
    if (blocks != sm->cta_slots || (blocks && sm->ctas[0].warp_count != warps) ||
        l->kernel->score_size > sm->score_size) {
        free_blocks(sm);
        sm->cta_slots = blocks;
        sm->score_size = l->kernel->score_size;
        sm->ctas = mem_alloc(sizeof *sm->ctas * MAX(blocks, 1u));
        sm->warps = mem_alloc(sizeof *sm->warps * MAX(blocks * warps, 1u));
        for (uint32_t c = 0; c < blocks; c++) {
            sm->ctas[c].warps = sm->warps + (size_t)c * warps;
            sm->ctas[c].warp_count = warps;
            for (uint32_t w = 0; w < warps; w++) sm->ctas[c].warps[w].slot = c * warps + w;
        }
        sm->warp_slots = blocks * warps;
        for (uint32_t s = 0; s < sm->warp_slots; s++) sm->slots[s].ready = mem_alloc(sizeof(uint64_t) * sm->score_size);
    }
    sm_lay_out(sm);
    sm->limited = 0;
    for (int c = 0; c < CLASS_COUNT; c++) sm->limited |= (uint32_t)(sm->cfg.unit[c].per_cycle > 0) << c;
    for (uint32_t w = 0; w < WHEEL / 64; w++)
        for (; sm->wheel_used[w]; sm->wheel_used[w] &= sm->wheel_used[w] - 1)
            memset(sm->wheel[w * 64 + (uint32_t)__builtin_ctzll(sm->wheel_used[w])], 0, sizeof *sm->wheel);
    sm->wheel_words = 0;
    memset(sm->start_cycle, 0xff, sizeof sm->start_cycle);
    sm->spent_cycle = NEVER;
    sm->files = sm_counts_operands(&sm->cfg);
    memset(sm->count, 0, sizeof sm->count);
    memset(sm->structure, 0, sizeof sm->structure);
    mem_free(sm->inst);
    sm->inst = mem_alloc(sizeof *sm->inst * l->kernel->insts);
    sm->running = 0;
    sm->now = sm->env.changed = sm->last_event = sm->lsu_free = sm->in.free = 0;
    out_begin(sm);
    for (uint32_t p = 0; p < sm->part->partitions; p++) {
        sm->inbox[p].head = sm->inbox[p].n = 0;  // acknowledgements, which nobody waits for
        first_set(&sm->first, p, &sm->inbox[p]);
    }
    sm->env.fault = (Fault){0};
    sm->waiting_since = NEVER;
    open_policy(sm, l);
}

bool sm_watch_begin(Sm *sm, bool on)
{
    if (on && !sm->watch) sm->watch = mem_try(1, sizeof *sm->watch);
    if (!on) mem_free(sm->watch), sm->watch = NULL;
    return !on || sm->watch;
}

void sm_watch(Sm *sm, uint64_t now)
{
    static const Counter counter[WATCH_COUNT] = {C_WATCH_WARPS, C_WATCH_STALLED, C_WATCH_ISOLATED};
    uint32_t n[WATCH_COUNT] = {0};
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        n[WATCH_ALL] += (uint32_t)__builtin_popcountll(sm->sched[k].view.present);
        n[WATCH_STALLED] += (uint32_t)__builtin_popcountll(sm_stalled(sm, k));
        n[WATCH_ISOLATED] += (uint32_t)__builtin_popcountll(sm_isolated(sm, k));
    }
    for (int k = 0; k < WATCH_COUNT; k++) {
        sm->count[counter[k]] += sm->watched[k] * (now - sm->watched_at);
        sm->watched[k] = n[k];
    }
    sm->watched_at = now;
}

bool sm_has_room(const Sm *sm) { return sm->running < sm->cta_slots; }

// A warp arrives at a scheduler, and is younger than all others.
static void enter_scheduler(oc_scheduler_view *s, uint32_t bit)
{
    s->present |= 1ull << bit;
    for (int k = 0; k < 64; k++) s->older[k] &= ~(1ull << bit);
    s->older[bit] = ~(1ull << bit);
}

void sm_start_block(Sm *sm, uint64_t number, uint64_t now)
{
    uint32_t c = 0;
    while (sm->ctas[c].running) c++;
    Cta *cta = &sm->ctas[c];
    sm->now = sm->due = now;
    exec_cta_start(&sm->env, cta, number);
    sm->running++;
    sm->view.cta[c].running = true, sm->view.cta[c].number = number, sm->view.cta[c].started = now;
    scratch_arrange(sm);
    if (sm->policy.type->cta_start) sm->policy.type->cta_start(&sm->policy, c);
    for (uint32_t k = 0; k < cta->warp_count; k++) {
        uint32_t slot = c * cta->warp_count + k;
        WarpSlot *ws = &sm->slots[slot];
        uint64_t *ready = ws->ready;
        memset(ready, 0, sizeof *ready * sm->score_size);
        *ws = (WarpSlot){.warp = &cta->warps[k],
                         .ready = ready,
                         .next_issue = now,
                         .pause = OC_WAIT_BRANCH,
                         .started = now,
                         .home = &sm->sched[slot % sm->cfg.schedulers],
                         .slot = (uint16_t)slot,
                         .sched = (uint8_t)(slot % sm->cfg.schedulers),
                         .bit = (uint8_t)(slot / sm->cfg.schedulers)};
        sm->view.warp[slot] = (oc_warp_view){.started = now, .cta = c, .scheduler = ws->sched, .bit = ws->bit};
        enter_scheduler(&ws->home->view, ws->bit);
        if (sm->cfg.audit) exec_audit_start(ws->warp);
        if (sm->watch) oc_victims_clear(&sm->watch->lost, slot);
        if (sm->policy.type->start) sm->policy.type->start(&sm->policy, slot);
        sm->count[C_WARPS]++;
        sm_evaluate(sm, slot);
    }
}

void sm_edge_done(Sm *sm, const Deferred *d, uint64_t now)
{
    sm->due = now;
    if (d->d->kind == X_PRINTF || d->d->kind == X_MALLOC || d->d->kind == X_FREE ||
        (!d->d->score_dst && d->d->kind != X_CP_ASYNC))
        return;
    sm->now = now;
    lsu_done(sm, d->tracker, now);
}

// --- the window ------------------------------------------------------------------------------------------------------
static bool lands(const Sm *sm)
{
    const Fifo *f = &sm->landing;
    return first_due(&sm->first, sm->now) || (f->head < f->n && f->v[f->head].time <= sm->now);
}

void sm_land(Sm *sm, const Packet *p)
{
    if (sm->landing.head == sm->landing.n) sm->landing.head = sm->landing.n = 0;
    fifo_put_sorted(&sm->landing, p);  // what comes from within the SM overtakes
}

static void land(Sm *sm)
{
    while (first_due(&sm->first, sm->now)) {
        uint32_t part = first_queue(&sm->first);
        Fifo *f = &sm->inbox[part];
        Packet *r = &f->v[f->head++];
        r->time = link_pass(&sm->in, r->time, reply_bytes(sm->part, r));
        if (!r->quiet) sm_land(sm, r);
        first_set(&sm->first, part, f);
    }
    while (sm->landing.head < sm->landing.n && sm->landing.v[sm->landing.head].time <= sm->now) {
        lsu_reply(sm, &sm->landing.v[sm->landing.head++]);
        sm->last_event = sm->now + 1;
    }
}

static uint64_t next_waker(const Sm *sm)
{
    if (!sm->wheel_words) return NEVER;
    uint32_t at = (sm->now + 1) % WHEEL, words = WHEEL / 64, k = at / 64;
    uint64_t word = sm->wheel_used[k] >> (at % 64);
    if (word) return sm->now + 1 + (uint32_t)__builtin_ctzll(word);
    // The words behind that one, and at last its lower bits.
    uint32_t rest = (sm->wheel_words >> (k + 1) | sm->wheel_words << (words - 1 - k)) & ((1u << words) - 1);
    uint32_t n = (uint32_t)__builtin_ctz(rest);
    return sm->now + 1 + 64 * (n + 1) - at % 64 + (uint32_t)__builtin_ctzll(sm->wheel_used[(k + 1 + n) % words]);
}

// Can a ready warp issue in the next cycle? If not, only an event changes that.
static inline bool could_issue(Sm *sm)
{
    uint32_t refused = lsu_accepts(sm) ? 0 : MEMORY_CLASSES;
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        SchedState *s = &sm->sched[k];
        if (s->busy > sm->now + 1) return true;
        if (!(s->classes & ~refused)) continue;
        if (!~(sm->policy.issue[k] & sm->policy.load[k])) return true;
        uint64_t ready = s->view.in[OC_WAIT_READY];
        if (refused) ready &= ~sm_ready(s, MEMORY_CLASSES);
        if (ready & s->starved || (ready & sm_allowed(sm, k))) return true;
    }
    return false;
}

// The next cycle in which a warp that waits for a known time, or the policy, has its turn.
static uint64_t next_turn(const Sm *sm)
{
    uint64_t t = next_waker(sm);
    if (sm->running) t = MIN(t, sm->policy.next_tick);
    return MAX(t, sm->now + 1);
}

// The first reply, or credit that a packet or the load-store unit lacks.
static uint64_t next_arrival(const Sm *sm)
{
    uint64_t reply = MIN(first_time(&sm->first), out_due(sm));
    if (sm->refused != C_L1_REFUSED_LINK) return reply;
    const Fifo *f = &sm->credits[sm->refused_part];
    return f->head < f->n ? MIN(reply, f->v[f->head].time) : reply;
}

// The next cycle in which the load-store unit works, or a reply moves.
static uint64_t next_work(const Sm *sm)
{
    uint64_t t = next_arrival(sm);
    if (sm->landing.head < sm->landing.n) t = MIN(t, sm->landing.v[sm->landing.head].time);
    if (sm->q_n && !sm->refused) t = MIN(t, sm->lsu_free);
    return MAX(t, sm->now + 1);
}

static uint64_t next_event(const Sm *sm) { return MIN(next_turn(sm), next_work(sm)); }

// Accounts the cycles until `to`, in which no scheduler issues: each lacks what it lacks now.
static void pass(Sm *sm, const Idle *why, uint64_t from, uint64_t to)
{
    if (to > from && sm->running) {
        sm_idle_for(sm, why, to - from);
        sm->count[C_SM_CYCLES] += to - from;
        sm->count[C_ISSUE_SLOTS] += (to - from) * sm->cfg.schedulers * sm->cfg.issue;
    }
    sm->now = to;
}

// The next cycle in which a unit may start again that a ready warp, which the policy holds back, would need: what the
// empty slots count as changes then.
static uint64_t next_unit(const Sm *sm)
{
    uint64_t t = NEVER;
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        const SchedState *s = &sm->sched[k];
        for (uint32_t m = s->held & s->classes; m; m &= m - 1) {
            uint64_t free = s->unit_free[__builtin_ctz(m)];
            if (free > sm->now + 1) t = MIN(t, free);
        }
    }
    return t;
}

// No warp can issue after this cycle: only replies land and the load-store unit works, until a warp may be able to, one
// has its turn, or `to`. A policy that listens to the unit may change its mind in any cycle.
static void rest(Sm *sm, uint64_t to)
{
    Idle why[OC_MOST_SCHEDULERS];
    uint64_t turn = MIN(next_turn(sm), next_unit(sm)), work = next_work(sm), first = ++sm->now;
    bool full = !lsu_accepts(sm), alone = !sm->policy.type->seen && !sm->policy.type->route;
    sm_idle_why(sm, why);
    sm->stirred = false;
    while (alone && work < MIN(turn, to)) {
        sm->now = work;
        if (lands(sm)) land(sm);
        if (out_due(sm) <= sm->now) lsu_sent(sm);
        if (lsu_works(sm)) lsu_tick(sm);
        if (sm->stirred || (full && lsu_accepts(sm))) {
            turn = sm->now;  // this cycle isn't over
            break;
        }
        work = next_work(sm);
    }
    sm->due = MIN(turn, work);
    pass(sm, why, first, MIN(sm->due, to));
}

// Does no warp wait for its turn? Then what each waits for stays the same until an event.
static bool asleep(const Sm *sm)
{
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++)
        if (sm->sched[k].view.in[OC_WAIT_READY] || sm->sched[k].busy > sm->now) return false;
    return true;
}

void sm_run(Sm *sm, Wire *const *reply, Wire *const *credit, uint64_t window, uint64_t from, uint64_t to)
{
    for (uint32_t p = 0; p < sm->part->partitions; p++) {
        if (wire_take(reply[p], window, &sm->inbox[p])) first_set(&sm->first, p, &sm->inbox[p]);
        out_take(sm, p, window, credit[p]);
    }
    sm->window = from;
    sm->until = to;
    sm->parity = window & 1;
    sm->sent = NEVER;
    sm->due = MIN(sm->due, next_arrival(sm));
    Idle why[OC_MOST_SCHEDULERS];
    sm_idle_why(sm, why);
    pass(sm, why, sm->now, MAX(from, MIN(sm->due, to)));
    uint32_t per_cycle = sm->cfg.schedulers * sm->cfg.issue;
    if (sm->left.n) port_write_left(sm);
    while (sm->now < to) {
        if (lands(sm)) land(sm);
        if (sm_wakes(sm)) sm_wake_due(sm);
        if (sm->policy.next_tick <= sm->now && sm->running) {
            sm->policy.next_tick = NEVER;
            sm->policy.type->tick(&sm->policy);
        }
        if (out_due(sm) <= sm->now) lsu_sent(sm);
        if (lsu_works(sm)) lsu_tick(sm);
        if (sm->running) {
            sm->last_event = sm->now + 1;
            sm_issue(sm);
            sm->count[C_SM_CYCLES]++;
            sm->count[C_ISSUE_SLOTS] += per_cycle;
            if (sm->env.fault.kind != FAULT_NONE) return;
        }
        if (sm->running && could_issue(sm))
            sm->due = ++sm->now;
        else
            rest(sm, to);
    }
    if (!asleep(sm)) sm->due = to;
    if (sm->refused) {
        sm->count[sm->refused] += to - sm->refused_since;
        sm->refused_since = to;
    }
}

void sm_cut(Sm *sm, uint64_t now)
{
    for (uint32_t s = 0; s < sm->warp_slots; s++)
        if (sm->slots[s].warp && now > sm->slots[s].started) sm->count[C_WARP_CYCLES] += now - sm->slots[s].started;
    for (uint32_t c = 0; c < sm->view.ctas; c++) {
        const oc_cta_view *cta = &sm->view.cta[c];
        if (cta->running && now > cta->started) sm->count[C_SHARED_HELD] += cta->shared_size * (now - cta->started);
    }
}

bool sm_awaits(const Sm *sm)
{
    for (int k = 0; k < PORT_COUNT; k++)
        if (sm->port[k].under_way) return true;
    return false;
}

bool sm_idle(const Sm *sm) { return !sm->running && !sm->q_n && !sm_awaits(sm) && !sm->waiting_all; }

// Policies that prefer the oldest can starve the youngest for good where older warps poll what it should write.
void sm_feed(Sm *sm, uint64_t cycles)
{
    for (uint32_t slot = 0; slot < sm->warp_slots; slot++) {
        const WarpSlot *ws = &sm->slots[slot];
        if (ws->warp && ws->state == OC_WAIT_READY && ws->since + cycles < sm->now)
            ws->home->starved |= 1ull << ws->bit;
    }
}

uint64_t sm_next(const Sm *sm) { return asleep(sm) ? next_event(sm) : sm->now; }

// The registers of its next instruction that a warp's scoreboard holds back.
static void explain_registers(const Sm *sm, const WarpSlot *ws, Text *out)
{
    const Warp *w = ws->warp;
    if (w->cur < 0) return;
    const Code *code = w->code;
    const Dinst *d = &code->insts[w->pc];
    for (int k = 0; k < d->score_n; k++) {
        if (ws->ready[d->score[k]] >> 2 <= sm->now) continue;
        for (uint32_t r = 0; r < code->f->regs.n; r++) {
            bool pred = code->f->regs.v[r].type == TY_PRED;
            if (code->alloc->place[r] == NO_REG || code->alloc->place[r] + (pred ? code->reg_rows : 0) != d->score[k])
                continue;
            text_printf(out, ", for register %s", code->f->regs.v[r].name);
            break;
        }
    }
}

void sm_explain(const Sm *sm, Text *out)
{
    static const char *const waits[] = {"is over",
                                        "can issue",
                                        "waits for memory",
                                        "waits for shared memory",
                                        "waits for a result",
                                        "waits for a branch",
                                        "waits at a barrier or for other lanes",
                                        "sleeps"};
    for (uint32_t s = 0; s < sm->warp_slots; s++) {
        const WarpSlot *ws = &sm->slots[s];
        if (!ws->warp) continue;
        const Cta *c = ws->warp->cta;
        text_printf(out, "  SM %u, block (%u,%u,%u), warp %u %s", sm->index, c->x, c->y, c->z, ws->warp->in_cta,
                    waits[ws->state]);
        text_printf(out, " since cycle %llu", (unsigned long long)ws->since);
        explain_registers(sm, ws, out);
        if (ws->outstanding) text_printf(out, "; %u memory instructions under way", ws->outstanding);
        text_put(out, "\n");
        exec_dump_warp(ws->warp, out);
    }
    if (sm->refused)
        text_printf(out, "  SM %u: the load-store unit is refused since cycle %llu: %s\n", sm->index,
                    (unsigned long long)sm->refused_since, counter_info[sm->refused].doc);
}
