// engine.c: the SM's copy engine, which carries out copies in bulk (cp.async.bulk, TMA). It takes a job from a warp,
// sends requests of up to 128 bytes past the L1, one in copy.interval cycles and in the order of the jobs, and tells
// the job's barriers when the last reply is there. It takes no register, and no turn of the load-store unit. What it
// writes into shared memory costs no pass of the banks: that isn't modelled.
//
// Besides, it keeps the arrivals at an mbarrier that wait for a warp's copies (cp.async.mbarrier.arrive).
#include "sm/unit.h"

#include <assert.h>
#include <string.h>

void engine_open(Sm *sm) { sm->engine.job = mem_alloc(sizeof *sm->engine.job * MAX_COPIES); }

void engine_close(Sm *sm)
{
    for (uint32_t k = 0; k < MAX_COPIES && sm->engine.job; k++) vec_free(&sm->engine.job[k].copy.rows);
    mem_free(sm->engine.job);
    vec_free(&sm->engine.waiting);
}

void engine_begin(Sm *sm)
{
    sm->engine.due = NEVER;
    sm->engine.used = 0;
    sm->engine.free = MAX_COPIES;
    sm->engine.head = sm->engine.n = 0;
    sm->engine.waiting.n = 0;
}

static WarpSlot *warp_of(Sm *sm, const CopyJob *j)
{
    WarpSlot *ws = &sm->issue.slots[j->slot];
    return ws->warp && ws->started == j->started ? ws : NULL;
}

// Its warp may wait for it.
static void tell(Sm *sm, const CopyJob *j)
{
    WarpSlot *ws = warp_of(sm, j);
    if (ws && ws->state == OC_WAIT_MEMORY) issue_evaluate(sm, j->slot), sm->lsu.stirred = true;
}

static void all_read(Sm *sm, const CopyJob *j)
{
    WarpSlot *ws = warp_of(sm, j);
    if (ws) ws->bulk_unread[j->group]--;
}

static void finish(Sm *sm, uint32_t k)
{
    CopyJob *j = &sm->engine.job[k];
    WarpSlot *ws = warp_of(sm, j);
    if (ws) ws->bulk_count[j->group]--;
    sm->env.clock = sm->now;
    exec_copied(&sm->env, &j->copy);
    tell(sm, j);
    vec_free(&j->copy.rows);
    sm->engine.used &= ~(1ull << k);
    sm->engine.free++;
}

void engine_reply(Sm *sm, uint32_t k)
{
    if (!--sm->engine.job[k].left) finish(sm, k);
}

// It counts as a load, store or atomic of the data structure in which it begins.
static void count_structure(Sm *sm, const Copy *c)
{
    StructStat *st = &sm->structure[sm->structure_of(sm, c->rows.v[0].address)];
    st->loads += c->way == COPY_IN || c->way == COPY_PREFETCH;
    st->stores += c->way == COPY_OUT;
    st->atomics += c->way == COPY_REDUCE;
}

void engine_start(Sm *sm, WarpSlot *ws)
{
    Engine *e = &sm->engine;
    assert(sm->env.copies.n <= e->free);
    e->free -= (uint32_t)sm->env.copies.n;
    for (size_t n = 0; n < sm->env.copies.n; n++) {
        const Copy *c = &sm->env.copies.v[n];
        const uint32_t k = (uint32_t)__builtin_ctzll(~e->used);
        const uint32_t group = ws->bulk_group & 15;
        e->used |= 1ull << k;
        e->job[k] = (CopyJob){.copy = *c,
                              .slot = ws->slot,
                              .group = group,
                              .started = ws->started,
                              .from = sm->now + sm->cfg.copy_latency,
                              .left = 1};
        ws->bulk_count[group]++, ws->bulk_unread[group]++;
        e->queue[(e->head + e->n++) % MAX_COPIES] = (uint8_t)k;
        e->due = MIN(e->due, e->job[k].from);
        if (c->rows.n) count_structure(sm, c);
        sm->count[C_COPIES]++;
        sm->count[C_COPIED] += c->bytes;
    }
    sm->env.copies.n = 0;
}

// The next request of a job: what its row has of a segment of 128 bytes.
static bool next_request(const CopyJob *j, Segment *s)
{
    if (j->row == j->copy.rows.n) return false;
    const CopyRow *r = &j->copy.rows.v[j->row];
    const uint64_t at = r->address + j->at;
    const uint32_t off = (uint32_t)(at % SEGMENT), bytes = MIN(r->bytes - j->at, SEGMENT - off);
    const uint32_t first = off / SECTOR, last = (off + bytes - 1) / SECTOR;
    *s = (Segment){.address = at - off, .sectors = (2u << last) - (1u << first), .bytes = (uint16_t)bytes};
    for (uint32_t k = first; k <= last; k++)
        if (k * SECTOR >= off && (k + 1) * SECTOR <= off + bytes) s->whole |= 1u << k;
    return true;
}

static void advance(CopyJob *j, uint32_t bytes)
{
    j->at += bytes;
    if (j->at < j->copy.rows.v[j->row].bytes) return;
    j->at = 0, j->row++;
}

void engine_tick(Sm *sm)
{
    Engine *e = &sm->engine;
    while (e->n) {
        const uint32_t k = e->queue[e->head % MAX_COPIES];
        CopyJob *j = &e->job[k];
        Segment s;
        if (j->from > sm->now) {
            e->due = j->from;
            return;
        }
        if (next_request(j, &s)) {
            if (port_copy(sm, &j->copy, &s, k)) {
                e->due = NEVER;  // until a reply or a credit
                return;
            }
            j->left++;
            advance(j, s.bytes);
            e->due = sm->now + sm->cfg.copy_interval;
            if (j->row < j->copy.rows.n) return;
        }
        e->head = (e->head + 1) % MAX_COPIES, e->n--;
        all_read(sm, j);
        if (--j->left)
            tell(sm, j);
        else
            finish(sm, k);
        if (e->due > sm->now) return;
    }
    e->due = NEVER;
}

// --- arrivals that wait for copies -----------------------------------------------------------------------------------
void engine_await(Sm *sm, const WarpSlot *ws)
{
    uint32_t left = 0;
    for (int k = 0; k < 16; k++) left += ws->async_count[k];
    for (size_t n = 0; n < sm->env.arrivals.n; n++) {
        const Arrival *a = &sm->env.arrivals.v[n];
        if (left)
            vec_push(&sm->engine.waiting, ((Awaited){*a, ws->slot, ws->async_begun, left, ws->started}));
        else
            exec_arrive(&sm->env, a);
    }
    sm->env.arrivals.n = 0;
}

void engine_copied(Sm *sm, const Tracker *t)
{
    Engine *e = &sm->engine;
    size_t kept = 0;
    for (size_t n = 0; n < e->waiting.n; n++) {
        Awaited w = e->waiting.v[n];
        // Numbers of copies go round; those of one warp are near one another.
        const bool before = w.slot == t->slot && w.started == t->started && (int32_t)(t->begun - w.begun) < 0;
        if (before && !--w.left) {
            sm->env.clock = sm->now;
            exec_arrive(&sm->env, &w.arrival);
            continue;
        }
        e->waiting.v[kept++] = w;
    }
    e->waiting.n = kept;
}
