// check_async.c: copies and products that go on while their thread does: cp.async, copies in bulk, st.async, and what
// wgmma reads. Each is a Flight from its issue on. A flight is over for a thread when the thread has waited for it, or
// comes behind one that has: by the flight's group (wait_group), which its own thread alone can wait for, or by the
// phase of an mbarrier. Each word of shared memory knows the flight that writes it, and the latest one that reads it.
//
// Besides: which places of shared memory are mbarriers, what their arrivals tell to those who wait (a clock for each
// warp, as in check_order.c), and whether what a thread wrote went through fence.proxy.async before the asynchronous
// proxy reads it (PTX ISA §8.11 and §9.7.9.25.2).
//
// Invariant: what is too old to be known counts as over; a block keeps MOST_FLIGHTS flights and MOST_BARS barriers.
#include "exec/check.h"
#include "ptx/ops.h"

#include <string.h>

enum { MOST_FLIGHTS = 512, MOST_BARS = 256, PHASES = 4, WORD_LANE = 5 };
#define LAST_FLIGHT (1u << 25)
#define BAR_MARK (1u << 31)  // of a word: it is part of the mbarrier of that number

struct Flight {
    uint32_t before;  // the warp's flight before it; 0: none
    uint32_t group, inst;
    uint32_t lanes, done;     // that it belongs to; that have waited for their group
    uint32_t clock[LANES];    // when they had
    uint32_t barrier, phase;  // the number of its mbarrier + 1, and of the phase; 0: it has none
    uint32_t segment;         // of what it writes into global memory; 0: it writes none, or that is over
    uint16_t warp;
    uint8_t kind;
    bool given;  // by another block's thread
    uint32_t thread;
    uint64_t block;
};
typedef struct Seen {  // of a phase, by a warp: the lanes that have waited for it, and when the first had
    uint32_t clock, lanes;
} Seen;
struct Mbar {
    uint32_t at, phases, inst, thread;  // phases: those that are over; by whom it was initialised
    uint32_t sent;                      // the last fence of another block that has arrived (Check.fences)
    bool valid;
    uint32_t *arrived, *told;  // vectors: of those that have arrived in this phase; of all phases before
    Seen *seen;                // [phase % PHASES][warp]
};

static const char *const cures[] = {
    [FLIGHT_COPY] = "cp.async.wait_group N or wait_all in the thread that copies, then a barrier for the others, comes "
                    "before the access; N is the number of later groups that may be under way",
    [FLIGHT_BULK] = "each thread waits for the phase of the copy's mbarrier (mbarrier.try_wait) before its access",
    [FLIGHT_STORE] =
        "the thread that copies waits by cp.async.bulk.wait_group.read 0, then comes a barrier, before the "
        "source is written",
    [FLIGHT_PRODUCT] =
        "wgmma.wait_group N comes before the tile is written, with so small an N that the product is over",
};

// --- flights ---------------------------------------------------------------------------------------------------------
// More shared memory than before: what is known of its words is from earlier blocks, and so of no use.
void async_start(CheckCta *c)
{
    if (c->async_words < c->shared_room / 4) {
        mem_free(c->into), mem_free(c->out);
        c->into = c->out = NULL;
    }
    c->first = c->last + 1;
    for (size_t k = 0; k < c->bars.n; k++) c->bars.v[k].valid = false, c->bars.v[k].phases = 0;
    c->bar_count = 0;
}

void async_free(CheckCta *c)
{
    for (size_t k = 0; k < c->bars.n; k++) mem_free(c->bars.v[k].arrived), mem_free(c->bars.v[k].seen);
    vec_free(&c->bars);
    mem_free(c->flights), mem_free(c->into), mem_free(c->out);
}

// Room for flights of a block; false: the host has none, and copies aren't watched.
static bool begin(Check *c, CheckCta *cta)
{
    const uint32_t words = cta->shared_room / 4;
    if (cta->into && cta->async_words >= words && cta->last < LAST_FLIGHT) return true;
    mem_free(cta->into), mem_free(cta->out);
    cta->async_words = words;
    cta->into = mem_try(words + 1, sizeof *cta->into), cta->out = mem_try(words + 1, sizeof *cta->out);
    if (!cta->flights) cta->flights = mem_try(MOST_FLIGHTS, sizeof *cta->flights);
    if (cta->into && cta->out && cta->flights) {
        if (cta->last >= LAST_FLIGHT) cta->last = 0, cta->first = 1;
        return true;
    }
    c->limit = "asynchronous copies: the host has no memory for them";
    mem_free(cta->into), mem_free(cta->out);
    cta->into = cta->out = NULL;
    return false;
}

static Flight *flight_at(const CheckCta *c, uint32_t id)
{
    return id < c->first || id + MOST_FLIGHTS <= c->last ? NULL : &c->flights[id % MOST_FLIGHTS];
}

// The flight of a warp's lanes that a group's copies are part of, or a new one.
static uint32_t open_flight(CheckCta *c, Warp *w, FlightKind kind, uint32_t group, uint32_t inst, uint32_t lanes)
{
    CheckWarp *x = &c->warp[w->in_cta];
    Flight *f = x->open[kind] ? flight_at(c, x->open[kind]) : NULL;
    if (f && f->group == group && !f->barrier) {
        f->lanes |= lanes;
        return x->open[kind];
    }
    const uint32_t id = ++c->last;
    f = &c->flights[id % MOST_FLIGHTS];
    *f = (Flight){.before = x->latest,
                  .group = group,
                  .inst = inst,
                  .lanes = lanes,
                  .warp = (uint16_t)w->in_cta,
                  .kind = (uint8_t)kind};
    x->open[kind] = x->latest = id;
    return id;
}

// What the flight writes into global memory is written, as if the warp did so now.
static void land(Check *check, const CheckWarp *x, Flight *f)
{
    Segment *s = f->segment >= check->first ? &check->segments.v[f->segment - check->first] : NULL;
    if (s) s->clock = x->clock, s->fences = check->fences;
    f->segment = 0;
}

// Lanes have waited: what is in groups up to limit[lane] is over for them. lands: what these write, too.
static void waited(Check *check, CheckCta *c, Warp *w, FlightKind kind, uint32_t lanes, const int64_t *limit,
                   bool lands)
{
    CheckWarp *x = &c->warp[w->in_cta];
    uint32_t oldest = x->latest + 1;
    for (uint32_t id = x->latest; id >= MAX(x->settled, 1u);) {
        Flight *f = flight_at(c, id);
        if (!f) break;
        for (uint32_t m = f->kind == kind ? f->lanes & lanes : 0; m; m &= m - 1) {
            const uint32_t n = (uint32_t)__builtin_ctz(m);
            if ((int64_t)f->group > limit[n]) continue;
            if (f->segment && lands) land(check, x, f);
            if (f->done >> n & 1) continue;
            f->done |= 1u << n;
            f->clock[n] = x->clock;
        }
        if ((f->done != f->lanes && !f->barrier) || f->segment) oldest = id;
        id = f->before;
    }
    x->settled = oldest;
}

// Is a flight over for a thread of its block, which comes now?
static bool over_in(const Check *c, const CheckCta *cta, const Flight *f, uint32_t lane, uint32_t warp, uint32_t thread)
{
    const uint32_t owner = f->warp * LANES + lane;
    if (f->done >> lane & 1 && check_in_cta(c, cta, warp, thread, owner, f->clock[lane])) return true;
    if (!f->barrier) return false;
    const Mbar *b = &cta->bars.v[f->barrier - 1];
    if (b->phases <= f->phase) return false;
    if (b->phases - f->phase > PHASES) return true;
    const Seen *seen = b->seen + (size_t)(f->phase % PHASES) * cta->warps;
    for (uint32_t v = 0; v < cta->warps; v++) {
        if (!seen[v].lanes) continue;
        if (v == warp && seen[v].lanes >> thread % LANES & 1) return true;
        if (check_in_cta(c, cta, warp, thread, v * LANES + (uint32_t)__builtin_ctz(seen[v].lanes), seen[v].clock))
            return true;
    }
    return false;
}

// For another block's thread it is over when somebody has waited for it, or can have.
static bool over(const Access *x, const Flight *f, uint32_t by, uint32_t lane)
{
    const CheckCta *home = x->home->check;
    if (x->home == x->w->cta) return over_in(x->c, home, f, by, x->w->in_cta, x->w->tid0 + lane);
    return f->done >> by & 1 || (f->barrier && home->bars.v[f->barrier - 1].phases > f->phase);
}

static void report(const Access *x, FlawKind kind, const Flight *f, uint32_t by, uint32_t lane, uint64_t address)
{
    Found n = found_at(kind, x->w, x->d->index, lane);
    n.space = SP_SHARED, n.address = address, n.bytes = MIN(x->bytes, 16u), n.cure = cures[f->kind];
    found_after(&n, x->env->launch->kernel, f->inst, f->given ? f->thread : f->warp * LANES + by,
                f->given ? f->block : x->home->number);
    if (!n.none) check_found(x->c, &n);
}

// b: the mbarrier that is there, by whose initialisation it is known; null: none is.
static void report_bar(const Warp *w, uint32_t pc, const Mbar *b, uint32_t lane, uint64_t address, const char *cure)
{
    Found n = found_at(FLAW_MBARRIER, w, pc, lane);
    n.space = SP_SHARED, n.address = address, n.bytes = 8, n.cure = cure;
    if (b) found_after(&n, w->code->kernel, b->inst, b->thread, w->cta->number);
    check_found(w->cta->env->check, &n);
}

// The bar that a word is part of, if it still is.
static const Mbar *marked(const CheckCta *c, uint32_t mark, uint64_t word)
{
    const uint32_t k = mark & ~BAR_MARK;
    const Mbar *b = k < c->bar_count ? &c->bars.v[k] : NULL;
    return b && b->valid && word - b->at / 4 < 2 ? b : NULL;
}

// A lane's access of a word, or its copy's. False: it was reported.
static bool word_access(const Access *x, uint32_t lane, uint64_t k, bool writes, uint64_t address)
{
    const CheckCta *c = x->home->check;
    const uint32_t in = c->into[k], out = c->out[k];
    const Flight *f;
    if (in & BAR_MARK) {
        const Mbar *b = writes ? marked(c, in, k) : NULL;
        if (b)
            report_bar(x->w, x->d->index, b, lane, address,
                       "mbarrier.inval, then a barrier, comes before its memory is used otherwise");
        if (b) return false;
    } else if (in && (f = flight_at(c, in >> WORD_LANE)) && !over(x, f, in % LANES, lane)) {
        report(x, FLAW_INCOMPLETE, f, in % LANES, lane, address);
        return false;
    }
    if (writes && out && (f = flight_at(c, out >> WORD_LANE)) && !over(x, f, out % LANES, lane)) {
        report(x, FLAW_REUSED, f, out % LANES, lane, address);
        return false;
    }
    return true;
}

void async_access(const Access *x)
{
    CheckCta *c = x->home->check;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        const uint64_t at = x->addr[n], first = at / 4, last = (at + x->bytes - 1) / 4;
        for (uint64_t k = first; k <= last; k++) {
            if (!(c->into[k] | c->out[k])) continue;
            word_access(x, n, k, x->write, MAX(at, k * 4));
            if (x->write && !(c->into[k] & BAR_MARK)) c->into[k] = c->out[k] = 0;
        }
    }
}

// --- what asynchronous instructions do to shared memory --------------------------------------------------------------
// A lane's flight writes bytes, from its issue on.
static void write_words(Access *x, uint32_t lane, uint64_t at, uint32_t bytes, uint32_t id)
{
    CheckCta *c = x->cta;
    x->read = false, x->write = true;
    for (uint64_t k = at / 4; k <= (at + bytes - 1) / 4; k++) {
        if (c->into[k] | c->out[k]) word_access(x, lane, k, true, MAX(at, k * 4));
        check_issued(x, lane, k, true);
        c->into[k] = id << WORD_LANE | lane;
        c->out[k] = 0;
    }
}

static void read_words(Access *x, uint32_t lane, uint64_t at, uint32_t bytes, uint32_t id, bool *told)
{
    CheckCta *c = x->cta;
    x->read = true, x->write = false;
    for (uint64_t k = at / 4; k <= (at + bytes - 1) / 4; k++) {
        const uint64_t found = x->c->found;
        if (c->into[k]) word_access(x, lane, k, false, MAX(at, k * 4));
        check_issued(x, lane, k, false);
        const Touch wrote = c->shared.write ? c->shared.write[k] : 0;
        if (!*told && found == x->c->found && check_unfenced(x, wrote))
            *told = check_proxy(x, lane, wrote, MAX(at, k * 4));
        c->out[k] = id << WORD_LANE | lane;
    }
}

static Access access_of(Env *env, Warp *w, const Dinst *d, uint32_t bytes)
{
    Access x = access_by(env, w, d);
    x.bytes = bytes;
    check_touch(&x);
    return x;
}

static uint32_t inst_of(const Warp *w, const Dinst *d) { return w->code->stat_base + d->index; }

void async_copy(Env *env, Warp *w, const Dinst *d, const uint64_t *to, uint32_t mask)
{
    CheckCta *c = w->cta->check;
    CheckWarp *x = &c->warp[w->in_cta];
    if (!c->written || !begin(env->check, c)) return;
    Access a = access_of(env, w, d, d->bytes);
    for (uint32_t left = mask, some; left; left &= ~some) {
        const uint32_t group = x->copies[__builtin_ctz(left)];
        some = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (x->copies[__builtin_ctz(m)] == group) some |= m & -m;
        const uint32_t id = open_flight(c, w, FLIGHT_COPY, group, inst_of(w, d), some);
        for (uint32_t m = some; m; m &= m - 1) {
            const uint32_t n = (uint32_t)__builtin_ctz(m);
            write_words(&a, n, to[n], d->bytes, id);
        }
    }
}

static Mbar *bar_at(CheckCta *c, uint32_t at)
{
    for (uint32_t k = 0; k < c->bar_count; k++)
        if (c->bars.v[k].at == at) return &c->bars.v[k];
    return NULL;
}

void async_bulk_in(Env *env, Warp *w, const Dinst *d, uint32_t lane, uint32_t at, uint32_t bytes, uint32_t barrier)
{
    CheckCta *c = w->cta->check;
    if (!bytes || !c->written || !begin(env->check, c)) return;
    const Mbar *b = bar_at(c, barrier);
    Access a = access_of(env, w, d, bytes);
    c->warp[w->in_cta].open[FLIGHT_BULK] = 0;
    const uint32_t id = open_flight(c, w, FLIGHT_BULK, 0, inst_of(w, d), 1u << lane);
    Flight *f = flight_at(c, id);
    if (b)
        f->barrier = (uint32_t)(b - c->bars.v) + 1, f->phase = b->phases;
    else
        f->done = f->lanes, f->clock[lane] = c->warp[w->in_cta].clock;  // nobody knows its barrier
    write_words(&a, lane, at, bytes, id);
}

// What was known of the words that another block writes is forgotten: what orders the two isn't followed.
void async_given(Env *env, const Late *x)
{
    CheckCta *c = x->cta->check;
    const Doer *by = &x->doer;
    const uint32_t *b = env->launch->block, *g = env->launch->grid;
    check_given(x->cta, x->at, x->count);
    const Mbar *bar = c && x->barrier ? bar_at(c, x->barrier - 1) : NULL;
    if (!bar || !x->count || !by->code || !c->written || !begin(env->check, c)) return;
    const uint32_t id = ++c->last;
    c->flights[id % MOST_FLIGHTS] =
        (Flight){.kind = FLIGHT_BULK,
                 .inst = by->code->stat_base + by->pc,
                 .barrier = (uint32_t)(bar - c->bars.v) + 1,
                 .phase = bar->phases,
                 .given = true,
                 .thread = by->thread[0] + b[0] * (by->thread[1] + b[1] * by->thread[2]),
                 .block = by->block[0] + g[0] * (by->block[1] + (uint64_t)g[1] * by->block[2])};
    for (uint32_t k = x->at / 4; k <= (x->at + x->count - 1) / 4; k++) {
        c->into[k] = id << WORD_LANE, c->out[k] = 0;
        c->shared.write[k] = c->shared.read[k] = c->shared.other[k] = 0;
    }
}

uint32_t async_bulk_out(Env *env, Warp *w, const Dinst *d, uint32_t lane, uint32_t at, uint32_t bytes)
{
    CheckCta *c = w->cta->check;
    bool told = false;
    if (!bytes || !c->written || !begin(env->check, c)) return 0;
    Access a = access_of(env, w, d, bytes);
    const uint32_t id = open_flight(c, w, FLIGHT_STORE, c->warp[w->in_cta].stores[lane], inst_of(w, d), 1u << lane);
    read_words(&a, lane, at, bytes, id, &told);
    Flight *f = flight_at(c, id);
    if (!f->segment) f->segment = check_new_segment(env->check, w->cta, UNDER_WAY);
    return f->segment;
}

void async_product(Env *env, Warp *w, const Dinst *d, const uint64_t *addr, uint32_t n, uint32_t bytes)
{
    CheckCta *c = w->cta->check;
    bool told = false;
    if (!c->written || !begin(env->check, c)) return;
    Access a = access_of(env, w, d, bytes);
    const uint32_t id = open_flight(c, w, FLIGHT_PRODUCT, c->warp[w->in_cta].products, inst_of(w, d), FULL);
    for (uint32_t k = 0; k < n; k++) read_words(&a, 0, addr[k], bytes, id, &told);
}

// --- groups ----------------------------------------------------------------------------------------------------------
void async_group(Env *env, Warp *w, const Dinst *d)
{
    CheckCta *c = w->cta->check;
    CheckWarp *x = &c->warp[w->in_cta];
    const uint32_t lanes = env->step.mask;
    const bool commits = d->imm == UINT64_MAX;
    int64_t limit[LANES];
    if (d->kind == X_WGMMA_WAIT && commits) {
        x->products++;
        return;
    }
    uint32_t *groups = d->kind == X_CP_WAIT ? x->copies : x->stores;
    for (uint32_t m = lanes; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m);
        if (commits)
            groups[n]++;
        else if (d->kind == X_WGMMA_WAIT)
            limit[n] = (int64_t)x->products - 1 - (int64_t)d->imm;
        else
            limit[n] = (int64_t)groups[n] - (int64_t)d->imm;
    }
    if (d->kind == X_WGMMA_WAIT && !commits) sums_over(w, (int64_t)x->products - 1 - (int64_t)d->imm);
    if (commits || !c->into) return;
    check_tick(c, x);
    const FlightKind kind = d->kind == X_CP_WAIT ? FLIGHT_COPY : d->kind == X_BULK_WAIT ? FLIGHT_STORE : FLIGHT_PRODUCT;
    waited(env->check, c, w, kind, lanes, limit, d->kind == X_BULK_WAIT && d->mod != M_READ);
}

// --- mbarriers -------------------------------------------------------------------------------------------------------
static Mbar *new_bar(Check *check, CheckCta *c, uint32_t at)
{
    Mbar *b = bar_at(c, at);
    const uint32_t vector = 2 * c->warps;
    if (!b && c->bar_count == MOST_BARS) {
        check->limit = "mbarriers beyond the first 256 of a block";
        return NULL;
    }
    if (!b && c->bar_count == c->bars.n) vec_push(&c->bars, ((Mbar){0}));
    if (!b) b = &c->bars.v[c->bar_count++];
    mem_free(b->arrived), mem_free(b->seen);
    *b = (Mbar){.at = at, .valid = true, .phases = b->phases + PHASES + 1};  // flights of the one before are over
    b->arrived = mem_alloc(sizeof *b->arrived * 2 * vector);
    b->told = b->arrived + vector;
    b->seen = mem_alloc(sizeof *b->seen * PHASES * c->warps);
    return b;
}

void check_phase(Cta *cta, uint32_t at)
{
    CheckCta *c = cta->check;
    Mbar *b = c ? bar_at(c, at) : NULL;
    if (!b) return;
    check_join(b->told, b->arrived, 2 * c->warps);
    memset(b->arrived, 0, sizeof *b->arrived * 2 * c->warps);
    memset(b->seen + (size_t)(++b->phases % PHASES) * c->warps, 0, sizeof *b->seen * c->warps);
}

void check_arrived(Warp *w, uint32_t at)
{
    CheckCta *c = w->cta->check;
    Mbar *b = bar_at(c, at);
    if (!b) return;
    const CheckWarp *x = &c->warp[w->in_cta];
    check_join(b->arrived, x->known, 2 * c->warps);
    b->arrived[w->in_cta] = x->clock;
}

void check_sent(Env *env, Warp *w, const Dinst *d, uint32_t lane, const Cta *to, uint32_t at)
{
    Mbar *b = to->check ? bar_at(to->check, at) : NULL;
    if (d->op == OP_MBAR_EXPECT || d->op == OP_MBAR_COMPLETE) return;
    if (d->inst->mod[G_SEM] != M_RELAXED) check_tell(env->check, w, 1u << lane);
    if (b) b->sent = MAX(b->sent, w->cta->check->fence);
}

void check_too_many(const Warp *w, const Dinst *d, uint32_t lane, uint32_t at)
{
    const Mbar *b = bar_at(w->cta->check, at);
    if (b && b->valid)
        report_bar(w, d->index, b, lane, at,
                   "as many arrivals come in each phase as mbarrier.init says, and the next ones once it is over");
}

void check_stuck(const Warp *w)
{
    for (size_t k = 0; k < w->splits.n; k++) {
        const Split *s = &w->splits.v[k];
        const Mbar *b = s->state == SPLIT_MBAR ? bar_at(w->cta->check, s->wait) : NULL;
        if (b && b->valid && s->code == w->code)
            report_bar(w, s->pc, b, (uint32_t)__builtin_ctz(s->mask), s->wait,
                       "as many arrivals come in each phase as mbarrier.init says, and all bytes that expect_tx "
                       "announces; a phase too many is missed by those who wait for it by parity");
    }
}

// Lanes have waited for the phase before the one that is open.
static void learn_phase(CheckCta *c, Warp *w, Mbar *b, uint32_t lanes)
{
    CheckWarp *x = &c->warp[w->in_cta];
    c->acquired = MAX(c->acquired, b->sent);
    check_join(x->known, b->told, 2 * c->warps);
    for (uint32_t p = b->phases; p && p + PHASES > b->phases; p--) {
        if (b->phases - (p - 1) > PHASES) break;
        Seen *s = &b->seen[(size_t)((p - 1) % PHASES) * c->warps + w->in_cta];
        if (!s->lanes) s->clock = x->clock;
        s->lanes |= lanes;
    }
}

void check_tied(Warp *w, uint32_t at, uint32_t lanes)
{
    CheckCta *c = w->cta->check;
    CheckWarp *x = &c->warp[w->in_cta];
    const Mbar *b = bar_at(c, at);
    if (!b) return;
    for (uint32_t id = x->latest; id;) {
        Flight *f = flight_at(c, id);
        if (!f || (f->kind == FLIGHT_COPY && f->barrier)) break;
        if (f->kind == FLIGHT_COPY && f->lanes & lanes)
            f->barrier = (uint32_t)(b - c->bars.v) + 1, f->phase = b->phases;
        id = f->before;
    }
    x->open[FLIGHT_COPY] = 0;
}

void async_barrier(Env *env, Warp *w, const Dinst *d)
{
    CheckCta *c = w->cta->check;
    const uint32_t mask = env->step.mask;
    const bool waits = d->op >= OP_MBAR_TEST && d->op <= OP_MBAR_TRY_PARITY;
    if (d->op == OP_MBAR_PENDING || env->step.space != SP_SHARED || !c->written) return;
    if (d->op == OP_MBAR_INIT && !begin(env->check, c)) return;
    check_tick(c, &c->warp[w->in_cta]);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t n = (uint32_t)__builtin_ctz(m), at = (uint32_t)env->step.addr[n];
        Mbar *b = bar_at(c, at);
        if (d->op == OP_MBAR_INIT) {
            if (b && b->valid)
                report_bar(w, d->index, b, n, at,
                           "an mbarrier is initialised once; mbarrier.inval comes before a second time");
            if (!(b = new_bar(env->check, c, at))) return;
            b->inst = inst_of(w, d), b->thread = w->tid0 + n;
            for (uint32_t k = at / 4; k < at / 4 + 2; k++)
                c->into[k] = BAR_MARK | (uint32_t)(b - c->bars.v), c->out[k] = 0;
        } else if (d->op == OP_MBAR_INVAL) {
            if (b) b->valid = false;
        } else if (!b || !b->valid) {
            if (c->bar_count < MOST_BARS)
                report_bar(w, d->index, NULL, n, at,
                           "mbarrier.init, then a barrier, comes before the first use of an mbarrier");
        } else if (waits) {
            if (w->l.pred[d->pdst] >> n & 1 || d->pdst == PRED_SINK) learn_phase(c, w, b, 1u << n);
        }
    }
}
