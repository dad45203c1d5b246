// fake.h: an SM that a test makes up, to play events to a policy without one: warps that are there or not, and wait for
// what the test says; cycles and instructions that the test counts.
#ifndef FAKE_H
#define FAKE_H

#include <onchip_policy.h>
#include <stdlib.h>
#include <string.h>

typedef struct Fake {
    oc_policy p;
    oc_sm_view sm;
    oc_scheduler_view scheduler[OC_MOST_SCHEDULERS];
    oc_warp_view warp[OC_MOST_WARPS];
    double param[OC_MOST_PARAMS];
    uint64_t count[OC_MOST_COUNTERS], now, instructions, threads;
    uint32_t lanes;  // of each instruction
} Fake;

static inline void fake_open(Fake *f, const oc_policy_type *t, uint32_t schedulers, uint32_t slots)
{
    *f = (Fake){.now = 1, .lanes = 1};
    f->sm = (oc_sm_view){.now = &f->now,
                         .instructions = &f->instructions,
                         .thread_instructions = &f->threads,
                         .schedulers = schedulers,
                         .slots = slots,
                         .scratch_lines = 256,
                         .by_slot = f->warp};
    for (uint32_t k = 0; k < schedulers; k++) {
        f->scheduler[k].last = f->scheduler[k].turn = -1;
        f->sm.scheduler[k] = &f->scheduler[k];
    }
    for (uint32_t w = 0; w < slots; w++)
        f->warp[w].scheduler = (uint8_t)(w % schedulers), f->warp[w].bit = (uint8_t)(w / schedulers);
    f->p = (oc_policy){.type = t, .sm = &f->sm, .own = calloc(1, t->state + 1), .param = f->param, .count = f->count};
    memset(f->p.issue, 0xff, sizeof f->p.issue);
    memset(f->p.load, 0xff, sizeof f->p.load);
    f->p.next_tick = f->p.next_epoch = OC_NEVER;
    for (int k = 0; t->params && t->params[k].name; k++) f->param[k] = t->params[k].standard;
    if (t->open) t->open(&f->p);
}
static inline void fake_close(Fake *f) { free(f->p.own); }

static inline void fake_wait(Fake *f, uint32_t w, oc_wait from, oc_wait to)
{
    oc_scheduler_view *s = &f->scheduler[f->warp[w].scheduler];
    uint64_t bit = 1ull << f->warp[w].bit;
    s->in[from] &= ~bit, s->in[to] |= bit;
    if (f->p.type->waits) f->p.type->waits(&f->p, w, from, to);
}
// A warp arrives, younger than all others, and can go.
static inline void fake_start(Fake *f, uint32_t w)
{
    oc_scheduler_view *s = &f->scheduler[f->warp[w].scheduler];
    uint64_t bit = 1ull << f->warp[w].bit;
    f->warp[w].started = f->now++;
    s->present |= bit;
    for (int k = 0; k < 64; k++) s->older[k] &= ~bit;
    s->older[f->warp[w].bit] = s->present & ~bit;
    if (f->p.type->start) f->p.type->start(&f->p, w);
    fake_wait(f, w, OC_WAIT_NONE, OC_WAIT_READY);
}
static inline void fake_stop(Fake *f, uint32_t w)
{
    oc_scheduler_view *s = &f->scheduler[f->warp[w].scheduler];
    uint64_t bit = 1ull << f->warp[w].bit;
    s->present &= ~bit;
    for (int k = 0; k < OC_WAIT_COUNT; k++) s->in[k] &= ~bit;
    if (s->last == f->warp[w].bit) s->last = -1;
    if (f->p.type->stop) f->p.type->stop(&f->p, w);
}
// A warp's load misses a line. owner's line goes; OC_NO_WARP: none does.
static inline void fake_miss(Fake *f, uint32_t w, uint64_t line, uint32_t owner, uint64_t victim)
{
    f->p.type->seen(&f->p, &(oc_access_event){.outcome = OC_MISS,
                                              .warp = w,
                                              .line = line,
                                              .owner = owner,
                                              .victim = owner == OC_NO_WARP ? OC_NO_LINE : victim});
}
// A warp issues so many instructions, one a cycle. Epochs and ticks come when the policy asked for them.
static inline void fake_issue(Fake *f, uint32_t w, uint64_t n)
{
    for (; n; n--) {
        f->now++;
        if (f->p.next_tick <= f->now) f->p.next_tick = OC_NEVER, f->p.type->tick(&f->p);
        f->scheduler[f->warp[w].scheduler].last = f->warp[w].bit;
        f->warp[w].instructions++;
        if (f->p.type->issued) f->p.type->issued(&f->p, w, false);
        f->instructions++, f->threads += f->lanes;
        if (f->p.next_epoch <= f->instructions) f->p.next_epoch = OC_NEVER, f->p.type->epoch(&f->p);
    }
}
// Cycles in which nothing issues.
static inline void fake_idle(Fake *f, uint64_t cycles)
{
    for (; cycles; cycles--) {
        f->now++;
        if (f->p.next_tick <= f->now) f->p.next_tick = OC_NEVER, f->p.type->tick(&f->p);
    }
}

#endif
