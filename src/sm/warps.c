// warps.c: the SM's places for warps, the policy that chooses among them, and the wheel of events that wake them. A
// warp that waits for a known cycle stands in the wheel: a ring of cycles with a bit for each warp. issue.c issues.
#include "ptx/flow.h"
#include "sm/unit.h"

#include <string.h>

bool issue_open(Sm *sm)
{
    Issue *i = &sm->issue;
    const SmCfg *cfg = &sm->cfg;
    i->slots = mem_lines(sizeof *i->slots * cfg->max_warps);
    i->products = mem_alloc(sizeof *i->products * cfg->max_warps);
    i->wheel = mem_map(WHEEL, sizeof *i->wheel);
    i->view = (oc_sm_view){.now = &sm->now,
                           .instructions = &sm->count[C_WARP_INSTS],
                           .thread_instructions = &sm->count[C_THREAD_INSTS],
                           .mshrs_free = &sm->ports.port[PORT_L1].free,
                           .schedulers = cfg->schedulers};
    i->view.by_slot = mem_alloc(sizeof *i->view.by_slot * cfg->max_warps);
    i->view.cta = mem_alloc(sizeof *i->view.cta * cfg->max_blocks);
    return i->wheel;
}

void issue_close(Sm *sm)
{
    Issue *i = &sm->issue;
    mem_free(i->slots), mem_free(i->ready), mem_free(i->products), mem_unmap(i->wheel, WHEEL, sizeof *i->wheel);
    mem_free(i->view.by_slot), mem_free(i->view.cta), mem_free(i->policy.own);
}

bool issue_resize(Sm *sm)
{
    Issue *i = &sm->issue;
    size_t own = sm->cfg.schedule->state;
    if (own == i->own_size) return true;
    mem_free(i->policy.own);
    i->policy.own = mem_try(own, 1);
    i->own_size = i->policy.own ? own : 0;
    return i->policy.own;
}

uint64_t issue_lacks(const Sm *sm, const LaunchInfo *l, uint32_t count)
{
    uint64_t size = (uint64_t)count * l->kernel->score_size;
    return size > sm->issue.ready_room ? size * sizeof *sm->issue.ready : 0;
}

// An entry is cleared when its warp arrives.
void issue_room(Sm *sm, uint32_t count)
{
    Issue *i = &sm->issue;
    i->slot_count = count;
    i->score_size = sm->launch->kernel->score_size;
    size_t size = (size_t)count * i->score_size;
    if (size > i->ready_room) {
        mem_free(i->ready);
        i->ready = mem_alloc(sizeof *i->ready * size);
        i->ready_room = size;
    }
    for (uint32_t s = 0; s < count; s++) i->slots[s].ready = i->ready + (size_t)s * i->score_size;
}

static void open_policy(Sm *sm, const LaunchInfo *l)
{
    Issue *i = &sm->issue;
    oc_sm_view *v = &i->view;
    oc_policy *p = &i->policy;
    const oc_policy_type *type = sm->cfg.schedule;
    uint32_t shared = sm_block_needs(&sm->cfg, l).shared;
    v->slots = i->slot_count, v->ctas = sm->cta_slots;
    v->shared_size = sm->cfg.shared_size;
    v->use = (oc_memory_use){0};
    for (uint32_t k = 0; k < v->schedulers; k++) {
        i->sched[k] = (SchedState){.view = {.last = -1, .turn = -1}};
        v->scheduler[k] = &i->sched[k].view;
    }
    for (uint32_t c = 0, warps = v->ctas ? v->slots / v->ctas : 0; c < v->ctas; c++)
        v->cta[c] =
            (oc_cta_view){.first_warp = c * warps, .warps = warps, .shared_at = c * shared, .shared_size = shared};
    *p = (oc_policy){.type = type, .sm = v, .own = p->own, .param = sm->cfg.param, .count = i->policy_count};
    if (i->own_size) memset(p->own, 0, i->own_size);
    memset(i->policy_count, 0, sizeof i->policy_count);
    p->next_tick = p->next_epoch = NEVER;
    memset(p->issue, 0xff, sizeof p->issue);
    memset(p->load, 0xff, sizeof p->load);
    v->indices = sm->cfg.laws ? &i->indices : NULL;
    i->indices = (oc_index_check){.picks = OC_NO_WARP};
    i->listens = policy_events(type) | (sm->watch.seen ? ON_SEEN : 0) | (sm->ports.prefetch ? ON_LOAD : 0);
    i->quiet = sm->cfg.issue == 1 && !sm->cfg.audit && !sm->storage.counts && !sm->env.check &&
               !sm->cfg.ideal.divergence && !sm->cfg.laws && !(i->listens & ~(ON_SEEN | ON_LOADED | ON_LOAD));
    watch_reset(sm);
    scratch_begin(sm);
    if (type->open) type->open(p);
}

void issue_begin(Sm *sm, const LaunchInfo *l)
{
    Issue *i = &sm->issue;
    i->limited = 0;
    for (int c = 0; c < CLASS_COUNT; c++) i->limited |= (uint32_t)(sm->cfg.unit[c].per_cycle > 0) << c;
    for (uint32_t w = 0; w < WHEEL / 64; w++)
        for (; i->wheel_used[w]; i->wheel_used[w] &= i->wheel_used[w] - 1)
            memset(i->wheel[w * 64 + (uint32_t)__builtin_ctzll(i->wheel_used[w])], 0, sizeof *i->wheel);
    i->wheel_words = 0;
    memset(i->start_cycle, 0xff, sizeof i->start_cycle);
    i->spent_cycle = NEVER;
    i->operands = 0;
    open_policy(sm, l);
}

// --- CTAs ------------------------------------------------------------------------------------------------------------
void issue_cta_start(Sm *sm, uint32_t cta, uint64_t number)
{
    Issue *i = &sm->issue;
    oc_cta_view *view = &i->view.cta[cta];
    view->running = true, view->number = number, view->started = sm->now;
    scratch_arrange(sm);
    if (i->policy.type->cta_start) i->policy.type->cta_start(&i->policy, cta);
}

void issue_cta_stop(Sm *sm, uint32_t cta)
{
    Issue *i = &sm->issue;
    oc_cta_view *view = &i->view.cta[cta];
    view->running = false;
    sm->count[C_SHARED_HELD] += view->shared_size * (sm->now + 1 - view->started);
    if (sm->spans_kept) vec_push(&sm->spans, ((SmSpan){view->number, view->started, sm->now + 1, cta, WHOLE_BLOCK}));
    if (i->policy.type->cta_stop) i->policy.type->cta_stop(&i->policy, cta);
}

// --- a warp's arrival and end ----------------------------------------------------------------------------------------
// A warp arrives at a scheduler, and is younger than all others.
static void enter_scheduler(oc_scheduler_view *s, uint32_t bit)
{
    for (uint64_t m = s->present; m; m &= m - 1) s->older[__builtin_ctzll(m)] &= ~(1ull << bit);
    s->present |= 1ull << bit;
    s->older[bit] = ~(1ull << bit);
}

void issue_start(Sm *sm, uint32_t slot, Warp *w, uint32_t cta, uint64_t from)
{
    Issue *i = &sm->issue;
    WarpSlot *ws = &i->slots[slot];
    uint64_t *ready = ws->ready;
    memset(ready, 0, sizeof *ready * i->score_size);
    *ws = (WarpSlot){.warp = w,
                     .ready = ready,
                     .next_issue = from,
                     .pause = OC_WAIT_NONE,
                     .started = sm->now,
                     .home = &i->sched[slot % sm->cfg.schedulers],
                     .slot = (uint16_t)slot,
                     .sched = (uint8_t)(slot % sm->cfg.schedulers),
                     .bit = (uint8_t)(slot / sm->cfg.schedulers)};
    i->view.by_slot[slot] = (oc_warp_view){.started = sm->now, .cta = cta, .scheduler = ws->sched, .bit = ws->bit};
    i->products[slot] = (Products){0};
    enter_scheduler(&ws->home->view, ws->bit);
    if (sm->cfg.audit) exec_audit_start(w);
    watch_warp(sm, slot);
    if (i->policy.type->start) i->policy.type->start(&i->policy, slot);
    sm->count[C_WARPS]++;
    issue_evaluate(sm, slot);
}

void issue_stop(Sm *sm, WarpSlot *ws)
{
    oc_scheduler_view *v = &ws->home->view;
    Warp *w = ws->warp;
    ws->state = OC_WAIT_NONE;
    v->present &= ~(1ull << ws->bit);
    if (v->last == ws->bit) v->last = -1;
    if (sm->issue.policy.type->stop) sm->issue.policy.type->stop(&sm->issue.policy, ws->slot);
    sm->count[C_WARP_CYCLES] += sm->now + 1 - ws->started;
    if (sm->spans_kept) {
        uint64_t block = sm->issue.view.cta[sm->issue.view.by_slot[ws->slot].cta].number;
        vec_push(&sm->spans, ((SmSpan){block, ws->started, sm->now + 1, ws->slot, w->in_cta}));
    }
    ws->warp = NULL;
    if (!w->cta->live_threads) sm_end_block(sm, w->cta);
}

// --- events ----------------------------------------------------------------------------------------------------------

void issue_pause(Sm *sm, uint32_t slot, uint64_t when)
{
    WarpSlot *ws = &sm->issue.slots[slot];
    ws->next_issue = MAX(ws->next_issue, when);
    ws->pause = OC_WAIT_BARRIER;
    issue_wake_at(sm, ws, when);
}

static uint64_t next_waker(const Sm *sm)
{
    const Issue *i = &sm->issue;
    if (!i->wheel_words) return NEVER;
    uint32_t at = (sm->now + 1) % WHEEL, words = WHEEL / 64, k = at / 64;
    uint64_t word = i->wheel_used[k] >> (at % 64);
    if (word) return sm->now + 1 + (uint32_t)__builtin_ctzll(word);
    // The words behind that one, and at last its lower bits.
    uint32_t rest = (i->wheel_words >> (k + 1) | i->wheel_words << (words - 1 - k)) & ((1u << words) - 1);
    uint32_t n = (uint32_t)__builtin_ctz(rest);
    return sm->now + 1 + 64 * (n + 1) - at % 64 + (uint32_t)__builtin_ctzll(i->wheel_used[(k + 1 + n) % words]);
}

uint64_t issue_turn(const Sm *sm)
{
    uint64_t t = next_waker(sm);
    if (sm->running) t = MIN(t, sm->issue.policy.next_tick);
    return MAX(t, sm->now + 1);
}

uint64_t issue_unit(const Sm *sm)
{
    uint64_t t = NEVER;
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        const SchedState *s = &sm->issue.sched[k];
        for (uint32_t m = s->held & s->classes; m; m &= m - 1) {
            uint64_t free = s->unit_free[__builtin_ctz(m)];
            if (free > sm->now + 1) t = MIN(t, free);
        }
    }
    return t;
}

// Policies that prefer the oldest can starve the youngest for good where older warps poll what it should write.
void issue_feed(Sm *sm, uint64_t cycles)
{
    for (uint32_t slot = 0; slot < sm->issue.slot_count; slot++) {
        const WarpSlot *ws = &sm->issue.slots[slot];
        if (ws->warp && ws->state == OC_WAIT_READY && ws->since + cycles < sm->now)
            ws->home->starved |= 1ull << ws->bit;
    }
}

// --- words -----------------------------------------------------------------------------------------------------------
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

void issue_explain(const Sm *sm, Text *out)
{
    static const char *const waits[] = {"is over",
                                        "can issue",
                                        "waits for memory",
                                        "waits for shared memory",
                                        "waits for a result",
                                        "waits for a branch",
                                        "waits at a barrier or for other lanes",
                                        "sleeps"};
    for (uint32_t s = 0; s < sm->issue.slot_count; s++) {
        const WarpSlot *ws = &sm->issue.slots[s];
        if (!ws->warp) continue;
        const Cta *c = ws->warp->cta;
        text_printf(out, "  SM %u, block (%u,%u,%u), warp %u %s", sm->index, c->x, c->y, c->z, ws->warp->in_cta,
                    waits[ws->state]);
        text_printf(out, " since cycle %llu", (unsigned long long)ws->since);
        explain_registers(sm, ws, out);
        if (ws->outstanding) text_printf(out, "; %u memory instructions under way", ws->outstanding);
        text_put(out, "\n");
        if (sm->env.check) check_stuck(ws->warp);
        exec_dump_warp(ws->warp, out);
    }
}
