// slices.c: a launch of which a part (part.c) is timed, on a few SMs of the whole chip, while the other blocks are
// executed in step with it through the tags of the L2. A request of a timed block keeps links, ports and DRAM busy for
// all the requests that it stands for. So the part sees the L2 and the contention of the whole launch, and takes about
// as long as that would. What it counts is scaled by its share of the warp instructions; its cycles aren't.
//
// A part is believed if its SMs take about as long, if its blocks execute as much as others, and if another part says
// the same: a twelfth must agree with a 33rd, or else a fourth with one of them; or the whole launch is timed, at once
// where two parts contradict each other. Where all blocks run at the same time, lines are asked for by many of them at
// once, and who is first is chance: there a part must agree with itself without the others' lines in the L2, too. Parts
// say little of banks of DRAM (dram.c): where these matter, the launch is timed whole, since fewer requests find other
// rows open. Each part begins with the memory and the caches of the launch's beginning; the last one leaves its own.
#include "chip/unit.h"

#include <math.h>
#include <string.h>

enum { LEAST_SMS = 2, LEAST_BLOCKS = 8, LEAST_EACH = 3 };  // of a part: SMs, blocks; of a launch: blocks for an SM
#define MOST_MEMORY ((uint64_t)4 << 30)                    // bytes of the device's memory that are kept
#define MOST_SPREAD 0.08  // standard deviation of the SMs' cycles for a block, as a share
#define MOST_UNLIKE 0.03  // that a part's blocks execute more or less than the launch's
#define MOST_APART 0.05   // of two parts, or of one with and without the others' lines
#define MOST_BUSY 0.3     // of the channels, where DRAM has banks
#define EARLY_BUSY 0.45   // of an eighth of a part's blocks, which may be busier than all
#define SOME_BUSY 0.1     // from which on banks count
#define LITTLE_BUSY 0.2   // of what a part shares with the others: too little for that to count
#define HOPELESS 0.25     // a spread that larger parts won't mend
#define CONTRARY 0.15     // two times of one launch that no third one will reconcile
#define BRIEF 6000  // cycles: shorter launches depend on their first loads and their longest block, and cost little
// What no difference of parts shows, as a standard deviation: assumed, after the errors of 40 launches on h200 and
// a100. Where links, ports or DRAM are busy for MUCH_BUSY of the time, it counts how evenly the slices are used at each
// moment, of which a mean knows nothing. Where banks of DRAM count: after seven launches on h200, a100 and rtx3080.
#define MUCH_BUSY 0.4
#define UNSEEN 0.04
#define UNSEEN_BUSY 0.08
#define UNSEEN_BANKS 0.05

static const uint32_t sizes[] = {33, 12, 4};  // of parts: so many make the whole

// --- what a launch changes -------------------------------------------------------------------------------------------
typedef struct Kept {
    uint8_t *memory;
    uint64_t top;       // bytes
    CacheCopy **l2;     // by partition
    FrontCopy **front;  // by SM, of those that a part uses
    uint32_t parts, sms;
    Division division;
} Kept;

static bool keep(const Chip *c, uint32_t sms, Kept *k)
{
    const Gmem *g = c->gmem;
    *k = (Kept){.top = g->top, .parts = c->gpu.part.partitions, .sms = sms, .division = c->division};
    if (g->top > MOST_MEMORY || !mem_room(g->top) || !(k->memory = mem_try(g->top + 1, 1))) return false;
    memcpy(k->memory, g->host, g->top);
    k->l2 = mem_alloc(sizeof *k->l2 * k->parts);
    k->front = mem_alloc(sizeof *k->front * sms);
    for (uint32_t p = 0; c->sms && c->gpu.part.l2.keep && p < k->parts; p++)
        if (c->stage[p % c->channels]) k->l2[p] = cache_copy(&c->parts[p].l2);
    for (uint32_t s = 0; s < MIN(sms, c->opened); s++) k->front[s] = fetch_copy(&c->sms[s]);
    return true;
}

static void put_back(Chip *c, const Kept *k)
{
    memcpy(c->gmem->host, k->memory, k->top);
    for (uint32_t p = 0; c->sms && p < k->parts; p++)
        if (c->stage[p % c->channels]) cache_hold(&c->parts[p].l2, k->l2[p]);
    for (uint32_t s = 0; s < MIN(k->sms, c->opened); s++) fetch_hold(&c->sms[s], k->front[s]);
    c->division = k->division;
}

static void kept_free(Kept *k)
{
    for (uint32_t p = 0; k->l2 && p < k->parts; p++) cache_copy_free(k->l2[p]);
    for (uint32_t s = 0; k->front && s < k->sms; s++) fetch_copy_free(k->front[s]);
    mem_free(k->memory), mem_free(k->l2), mem_free(k->front);
}

// --- which launches --------------------------------------------------------------------------------------------------
// Instructions that make a part tell something else than the whole, or whose effects can't be taken back.
static bool fits_kind(const Kernel *k)
{
    for (size_t c = 0; c < k->codes.n; c++)
        for (uint32_t n = 0; n < k->codes.v[c]->n; n++) {
            const uint8_t kind = k->codes.v[c]->insts[n].kind;
            if (kind == X_PRINTF || kind == X_MALLOC || kind == X_FREE) return false;
        }
    return true;
}

static bool can_slice(const Chip *c, const LaunchInfo *l, const RunOptions *o)
{
    const SmCfg *sm = &c->gpu.sm;
    return o->sample && !o->interval && !o->trace && !o->why && !o->max_cycles && !o->max_insts && !c->check &&
           !(o->before && o->before < BRIEF) && !c->gpu.part.ordered && !c->gpu.part.absent && !sm->l1.keep &&
           !l->cluster[0] && !l->workspace && c->gmem->file < 0 && fits_kind(l->kernel);
}

// --- parts -----------------------------------------------------------------------------------------------------------
typedef struct Timed {
    Record r;
    Part part;
    Executed other;
    double share;   // of all warp instructions
    double unlike;  // by how much, as a share, its blocks execute more than all do
    double spread;  // of its SMs
    double busy;    // of the channels of DRAM
} Timed;

static void look_at(const Chip *c, Timed *t)
{
    double sum = 0, squares = 0;
    for (uint32_t s = 0; s < c->used; s++) {
        const double each = (double)c->sms[s].count[C_SM_CYCLES] / (double)MAX(c->sms[s].count[C_BLOCKS], 1u);
        sum += each, squares += each * each;
    }
    const double mean = sum / c->used, insts = (double)t->r.count[C_WARP_INSTS];
    const double blocks = (double)t->part.timed / (double)t->part.blocks;
    t->spread = mean > 0 ? sqrt(MAX(squares / c->used - mean * mean, 0)) / mean : 1;
    t->share = insts / (insts + (double)t->other.insts);
    t->unlike = t->part.alone ? 0 : fabs(t->share / blocks - 1);
    t->busy = (double)t->r.count[C_DRAM_BUSY] / blocks / ((double)t->r.count[C_CYCLES] * c->channels);
}

typedef struct Slicing {
    Chip *c;
    const LaunchInfo *l;
    const Texture *textures;
    uint32_t texture_count;
    const RunOptions *o;
    uint64_t blocks;
    uint32_t sms;
    bool at_once;   // all blocks run at the same time
    bool dirty;     // memory and caches aren't those of the launch's beginning
    bool hopeless;  // no larger part would tell more
    Kept kept;
} Slicing;

static double banks_busy(const Slicing *s, const Timed *t) { return s->c->gpu.part.dram.simple ? 0 : t->busy; }

// Times a part. False: it ended otherwise than a launch should.
static bool time_part(Slicing *s, uint32_t k, bool alone, Timed *t)
{
    Text unsaid = {0};  // the whole launch will say it
    const uint64_t ns = s->c->clock_ns;
    if (s->dirty) put_back(s->c, &s->kept);
    s->dirty = true;
    *t = (Timed){.part = part_of(s->blocks, s->sms, k)};
    t->part.alone = alone;
    if (!s->c->gpu.part.dram.simple) t->part.most_busy = EARLY_BUSY;
    RunResult result = chip_run(s->c, s->l, s->textures, s->texture_count, s->o, &t->part, &t->other, &t->r, &unsaid);
    s->c->clock_ns = ns;
    text_free(&unsaid);
    const bool ended = result == RUN_OK && !t->other.given_up;
    if (ended) look_at(s->c, t);
    s->hopeless |= !ended || t->r.count[C_CYCLES] < BRIEF || t->spread > HOPELESS || banks_busy(s, t) > MOST_BUSY;
    return ended;
}

static double cycles_of(const Timed *t) { return (double)t->r.count[C_CYCLES]; }

static double apart(const Timed *a, const Timed *b)
{
    return fabs(cycles_of(a) - cycles_of(b)) / MIN(cycles_of(a), cycles_of(b));
}

static bool is_even(const Timed *t) { return t->spread <= MOST_SPREAD && t->unlike <= MOST_UNLIKE; }

static bool can_part(const Slicing *s, uint32_t k) { return s->sms / k >= LEAST_SMS && s->blocks / k >= LEAST_BLOCKS; }

// --- the estimate ----------------------------------------------------------------------------------------------------
// What the tags of the L2 tell of all blocks needn't be estimated: r has the part's counters, scaled.
static void by_tags(const Chip *c, const Timed *t, Record *r)
{
    const double bytes = (double)(r->count[C_DRAM_READ_BYTES] + r->count[C_DRAM_WRITE_BYTES]);
    uint64_t *n = r->count;
    uint64_t read = 0, written = 0, misses = 0;
    if (t->part.alone) return;
    EACH_AWAKE(c, p)
    read += p->count[C_DRAM_READ_BYTES] + p->passed_read, written += p->count[C_DRAM_WRITE_BYTES] + p->passed_written,
        misses += p->count[C_L2_MISSES] + p->passed_misses;
    const double more = bytes > 0 ? (double)(read + written) / bytes : 1;
    n[C_DRAM_READS] =
        n[C_DRAM_READ_BYTES] ? sample_round((double)n[C_DRAM_READS] * (double)read / (double)n[C_DRAM_READ_BYTES]) : 0;
    n[C_DRAM_WRITES] = n[C_DRAM_WRITE_BYTES]
                           ? sample_round((double)n[C_DRAM_WRITES] * (double)written / (double)n[C_DRAM_WRITE_BYTES])
                           : 0;
    n[C_DRAM_READ_BYTES] = read, n[C_DRAM_WRITE_BYTES] = written;
    n[C_DRAM_BUSY] = sample_round((double)n[C_DRAM_BUSY] * more);
    n[C_DRAM_ROW_HITS] = sample_round((double)n[C_DRAM_ROW_HITS] * more);
    n[C_DRAM_ROW_MISSES] = sample_round((double)n[C_DRAM_ROW_MISSES] * more);
    for (int k = 0; k < MAX_STRUCTURES; k++) r->structure_dram[k] = sample_round((double)r->structure_dram[k] * more);
    const uint64_t asked = n[C_L2_HITS] + n[C_L2_MISSES];
    n[C_L2_MISSES] = MIN(misses, asked), n[C_L2_HITS] = asked - n[C_L2_MISSES];
}

// off: standard deviations of the cycles, as shares: by two parts that differ, and by what no difference shows.
static void estimate(const Slicing *s, Timed *t, double differ, double unseen, Record *r)
{
    const double times = 1 / t->share;
    char *kernel = r->kernel;
    const uint64_t launches = r->launches;
    *r = t->r;
    r->kernel = kernel, r->launches = launches;
    t->r = (Record){0};
    r->sampled = mem_alloc(sizeof *r->sampled);
    Sampled *x = r->sampled;
    x->launches = x->launches_timed = 1;
    x->blocks = s->blocks, x->blocks_timed = t->part.timed;
    for (int c = 0; c < C_COUNT; c++) {
        if (!sample_exact(c)) r->count[c] = sample_round((double)r->count[c] * (c == C_CYCLES ? 1 : times));
        for (uint32_t n = 0; n < REPLICAS && !sample_exact(c); n++)
            x->off[n][c] = (float)((double)r->count[c] * (sample_sign(r->info.id, n, 0) * differ +
                                                          sample_sign(0, n, sample_place((Counter)c)) * unseen));
    }
    by_tags(s->c, t, r);
    sample_scale(r, times);
    r->count[C_WARP_INSTS] += t->other.insts, r->count[C_THREAD_INSTS] += t->other.threads;
    r->count[C_BLOCKS] += t->other.blocks;
    record_account(r, &s->c->gpu, &s->c->sms[0].cfg);
}

static double unseen(const Slicing *s, const Timed *t)
{
    if (t->other.busy > MUCH_BUSY) return UNSEEN_BUSY;
    return banks_busy(s, t) > SOME_BUSY ? UNSEEN_BANKS : UNSEEN;
}

// Does one of n parts agree with t, the latest and largest one? Then the record gets what t tells. What another one
// says instead makes the interval wider.
static bool settle(const Slicing *s, const Timed *before, size_t n, Timed *t, Record *r)
{
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < n; k++) {
        if (!before[k].r.count[C_CYCLES]) continue;  // it wasn't timed
        least = MIN(least, apart(&before[k], t)), most = MAX(most, apart(&before[k], t));
    }
    if (least > MOST_APART || !is_even(t) || s->hopeless) return false;
    estimate(s, t, hypot(most / 2, t->spread / sqrt(t->part.run)), unseen(s, t), r);
    return true;
}

// Will a larger part say no more than these? Two times contradict each other; or a second part still depends on the
// others' lines, or executes other blocks than the launch has.
static bool in_vain(const Timed *alone, const Timed *before, const Timed *t)
{
    const double lines = alone->r.count[C_CYCLES] ? apart(alone, t) : 0;
    if (!before) return lines > CONTRARY;
    return lines > MOST_APART || apart(before, t) > CONTRARY || t->unlike > 2 * MOST_UNLIKE;
}

// A part, and a larger one. Where all blocks run at the same time, each is timed without the others' lines, too; there
// one will do if it hardly uses what it shares with them.
static bool by_sizes(Slicing *s, Record *r)
{
    Timed t[COUNT(sizes)] = {0};
    bool done = false, had = false;
    for (uint32_t n = 0; n < COUNT(sizes) && !done && !s->hopeless; n++) {
        if (!can_part(s, sizes[n])) continue;
        Timed alone = {0};
        bool ok = !s->at_once || (time_part(s, sizes[n], true, &alone) && !s->hopeless);
        ok = ok && time_part(s, sizes[n], false, &t[n]);
        s->hopeless |= ok && in_vain(&alone, had ? &t[n - 1] : NULL, &t[n]);
        ok = ok && (!s->at_once || apart(&alone, &t[n]) <= MOST_APART);
        if (ok && had)
            done = settle(s, t, n, &t[n], r);
        else if (ok && s->at_once && t[n].other.busy <= LITTLE_BUSY)
            done = settle(s, &alone, 1, &t[n], r);
        record_free(&alone.r);
        had = true;
    }
    for (uint32_t n = 0; n < COUNT(sizes); n++) record_free(&t[n].r);
    return done;
}

RunResult slices_run(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count, const RunOptions *o,
                     Record *r, Text *message)
{
    Slicing s = {.c = c, .l = l, .textures = textures, .texture_count = texture_count, .o = o};
    s.blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    s.sms = (uint32_t)MIN(s.blocks, c->gpu.sms);
    bool done = false;
    if (can_slice(c, l, o) && s.blocks >= (uint64_t)LEAST_EACH * c->gpu.sms) {
        SmCfg organised = c->gpu.sm;
        Record shape = {0};
        Text unsaid = {0};
        const uint32_t fit = chip_fit(&organised, l, s.sms, &c->division, &shape, &unsaid);
        s.at_once = s.blocks <= (uint64_t)fit * s.sms;
        text_free(&unsaid);
        const uint32_t largest = sizes[COUNT(sizes) - 1];
        const bool kept = fit && can_part(&s, largest) && keep(c, s.sms / largest, &s.kept);
        done = kept && by_sizes(&s, r);
        if (!done && s.dirty) put_back(c, &s.kept);
        kept_free(&s.kept);
    }
    if (!done) return chip_run(c, l, textures, texture_count, o, NULL, NULL, r, message);
    c->clock_ns += (uint64_t)((double)r->count[C_CYCLES] * 1e3 / c->gpu.core_mhz);
    return RUN_OK;
}
