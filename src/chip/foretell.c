// foretell.c: launches of one kernel with one grid and block. They are timed until what a launch takes is foretold by
// those before it, twice in a row. Then most are only executed, and one now and then is timed, after twice as many
// others each time. If it isn't what was foretold, it begins anew.
//
// Where numbers among the arguments differ, such as that of a step, launches with the same ones are taken together.
// Those with others must foretell one another more often in a row.
//
// An executed launch counts what the latest timed ones count, by its warp instructions, which are known: where all have
// about as many, the mean of the ratios; where they don't, by regression on them. The first launch of all isn't among
// these: it met an L2 without the kernel's data.
//
// Replicas (replicas.c) say how sure that is. Each launch is off by itself, as the timed ones are from what they
// foretell. All that are executed are off together, since they take their estimate from the same ones, and by as much
// as the last one missed what was foretold of it.
#include "chip/unit.h"

#include <math.h>
#include <string.h>

enum { SEEN = 8, FIRST_GAP = 2, MOST_GAP = 64 };
enum { AGREED = 2, AGREED_OTHERS = 10 };  // in a row; the second, where arguments differ
enum { LATELY = 16 };
enum { MOST_REPEATS = 4096 };  // that are told apart by their arguments, too
#define UNSEEN 0.0025          // standard deviation, as a share, of what no difference shows: assumed
#define TOLERANCE 0.03         // of cycles, between what was foretold and what came
#define ALIKE 0.01             // by so much warp instructions of launches may differ from their mean, and are the same

typedef struct Sight {  // a timed launch
    double count[C_COUNT];
    Sampled *sampled;  // null: it was timed whole
} Sight;
typedef struct Repeat {
    uint64_t number;  // of its first launch
    uint32_t n, at;   // launches in seen; the place of the next one
    uint32_t agreed, wait, gap;
    uint64_t numbers;        // a hash of the last one's arguments that aren't addresses
    bool others;             // they have differed
    bool alone;              // they can't
    double missed[C_COUNT];  // for a warp instruction: by how much the last one missed what was foretold of it
    bool cold;               // the only one that was seen is the first
    bool beyond;  // the last one executed had more or fewer instructions than all that were timed: no estimate is sure
    Sight seen[SEEN];
    Record like;  // the last timed one, with what is scaled: structures, instructions
} Repeat;
struct Foretell {
    Map places;
    VEC(Repeat *) all;
    Repeat *lately[LATELY];  // of the latest launches: those that decided
    uint64_t launches;
    Repeat *shape, *same, *one;  // of the launch: of its kernel and shape; with its numbers, too, or null; that decides
};

Foretell *foretell_open(void) { return mem_alloc(sizeof(Foretell)); }

static void forget(Repeat *p)
{
    for (uint32_t k = 0; k < SEEN; k++) mem_free(p->seen[k].sampled);
    memset(p->seen, 0, sizeof p->seen);
    p->n = p->at = 0;
}

void foretell_close(Foretell *r)
{
    if (!r) return;
    for (size_t k = 0; k < r->all.n; k++) {
        forget(r->all.v[k]);
        record_free(&r->all.v[k]->like);
        mem_free(r->all.v[k]);
    }
    vec_free(&r->all);
    map_free(&r->places);
    mem_free(r);
}

// numbers: 0: of any.
static Repeat *find(Foretell *r, const LaunchInfo *l, uint64_t numbers)
{
    Text key = {0};
    int64_t at = (int64_t)r->all.n;
    text_printf(&key, "%p %u %u,%u,%u %u,%u,%u %u,%u,%u %u %llu %s", (void *)l->kernel, l->kernel->insts, l->grid[0],
                l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->cluster[0], l->cluster[1],
                l->cluster[2], l->dynamic_shared, (unsigned long long)numbers, l->kernel->f->symbol->name);
    if (!map_get(&r->places, key.v, key.n, &at) && (!numbers || at < MOST_REPEATS)) {
        Repeat *p = mem_alloc(sizeof *p);
        *p = (Repeat){.number = l->id, .gap = FIRST_GAP, .alone = numbers};
        map_put(&r->places, key.v, key.n, at);
        vec_push(&r->all, p);
    }
    text_free(&key);
    return (size_t)at < r->all.n ? r->all.v[at] : NULL;
}

// A hash of the arguments that don't point to memory; not 0.
static uint64_t numbers_of(const LaunchInfo *l, const Gmem *g)
{
    const Function *f = l->kernel->f;
    uint64_t hash = 0;
    for (size_t p = 0; p < f->params.n; p++) {
        const uint8_t *at = l->params + l->kernel->param_at.v[p];
        const size_t bytes = f->params.v[p]->bytes;
        uint64_t value = 0;
        if (bytes == 8) memcpy(&value, at, 8);
        if (bytes == 8 && gmem_find(g, value)) continue;
        for (size_t k = 0; k < bytes; k++) hash = (hash ^ at[k]) * 0x100000001B3ull;
    }
    return hash | 1;
}

static bool settled(const Repeat *p) { return p && p->agreed >= (p->others ? AGREED_OTHERS : AGREED); }

bool foretell_times(Foretell *r, const LaunchInfo *l, const Gmem *g)
{
    Repeat *p = r->shape = find(r, l, 0);
    const uint64_t numbers = numbers_of(l, g);
    p->others |= p->n && numbers != p->numbers;
    p->numbers = numbers;
    r->same = p->others ? find(r, l, numbers) : NULL;
    if (settled(r->same)) p = r->same;
    r->one = r->lately[r->launches++ % LATELY] = p;
    if (sample_prints(l->kernel)) return true;
    if (!settled(p) || !p->wait || p->beyond) return p->wait = 0, p->beyond = false, true;
    p->wait--;
    return false;
}

uint64_t foretell_before(const Foretell *r)
{
    const Repeat *p = r->shape;
    return p->n ? (uint64_t)p->seen[(p->at + SEEN - 1) % SEEN].count[C_CYCLES] : 0;
}

// The kernels that were launched lately are those that come next.
bool foretell_warm(const Foretell *r)
{
    for (uint32_t k = 0; k < LATELY; k++)
        if (r->lately[k] && !r->lately[k]->wait) return true;
    return false;
}

// --- what is foretold ------------------------------------------------------------------------------------------------
// How much each launch that was seen counts for one with so many warp instructions.
typedef struct Fit {
    double of[SEEN];  // shares
    bool line;        // a regression, with an intercept
    bool beyond;
} Fit;

static double insts_of(const Repeat *p, uint32_t k) { return p->seen[k].count[C_WARP_INSTS]; }

static Fit fit(const Repeat *p, double insts)
{
    Fit f = {.line = false};
    double mean = 0, squares = 0, least = INFINITY, most = 0;
    for (uint32_t k = 0; k < p->n; k++)
        mean += insts_of(p, k) / p->n, least = MIN(least, insts_of(p, k)), most = MAX(most, insts_of(p, k));
    for (uint32_t k = 0; k < p->n; k++) squares += (insts_of(p, k) - mean) * (insts_of(p, k) - mean);
    f.beyond = insts < least * (1 - ALIKE) || insts > most * (1 + ALIKE);
    f.line = p->n > 3 && most - least > 2 * ALIKE * mean;
    for (uint32_t k = 0; k < p->n; k++)
        f.of[k] =
            f.line ? 1.0 / p->n + (insts - mean) * (insts_of(p, k) - mean) / squares : insts / insts_of(p, k) / p->n;
    return f;
}

static double foretold(const Repeat *p, const Fit *f, int counter)
{
    double sum = 0;
    for (uint32_t k = 0; k < p->n; k++) sum += f->of[k] * p->seen[k].count[counter];
    return sum;
}

// --- a timed launch --------------------------------------------------------------------------------------------------
static void keep_like(Repeat *p, const Record *r)
{
    record_free(&p->like);
    p->like = (Record){.insts = r->insts, .sm_most = r->sm_most, .sm_least = r->sm_least};
    memcpy(p->like.count, r->count, sizeof r->count);
    memcpy(p->like.own, r->own, sizeof r->own);
    memcpy(p->like.structure, r->structure, sizeof r->structure);
    memcpy(p->like.structure_dram, r->structure_dram, sizeof r->structure_dram);
    if (r->inst) p->like.inst = memcpy(mem_alloc(sizeof *r->inst * r->insts), r->inst, sizeof *r->inst * r->insts);
}

static void keep(Repeat *p, const Record *r)
{
    Sight *s = &p->seen[p->at];
    mem_free(s->sampled);
    *s = (Sight){.sampled = NULL};
    for (int c = 0; c < C_COUNT; c++) s->count[c] = (double)r->count[c];
    sampled_add(&s->sampled, r->sampled);
    p->at = (p->at + 1) % SEEN;
    p->n = MIN(p->n + 1, SEEN);
    keep_like(p, r);
}

static void learn(Repeat *p, const Record *r)
{
    if (p->cold) forget(p);
    if (p->n > 1) {
        const Fit f = fit(p, (double)r->count[C_WARP_INSTS]);
        const double cycles = (double)r->count[C_CYCLES];
        const bool agrees = fabs(foretold(p, &f, C_CYCLES) - cycles) <= TOLERANCE * cycles;
        p->agreed = agrees ? p->agreed + 1 : 0;
        if (!agrees) p->gap = FIRST_GAP;
        for (int c = 0; c < C_COUNT; c++)
            p->missed[c] = ((double)r->count[c] - foretold(p, &f, c)) / (double)r->count[C_WARP_INSTS];
    }
    if (settled(p)) p->wait = p->gap, p->gap = MIN(2 * p->gap, MOST_GAP);
    p->cold = !p->n && !p->cold && r->info.id == p->number && !p->alone;
    keep(p, r);
}

void foretell_learn(Foretell *all, const Record *r)
{
    if (!r->count[C_WARP_INSTS]) return;
    learn(all->shape, r);
    if (all->same) learn(all->same, r);
}

// --- an executed one -------------------------------------------------------------------------------------------------
static void spread(const Repeat *p, const Fit *f, const Record *r)
{
    const uint32_t freedom = p->n - 1 - f->line;
    const double insts = (double)r->count[C_WARP_INSTS], sure = sample_wider(freedom);
    double each[SEEN][C_COUNT], squares = 0;
    uint32_t place[C_COUNT];
    for (int c = 0; c < C_COUNT; c++) place[c] = sample_place((Counter)c);
    for (uint32_t k = 0; k < p->n; k++) {
        const Fit own = fit(p, insts_of(p, k));
        for (int c = 0; c < C_COUNT; c++)
            each[k][c] = (p->seen[k].count[c] - foretold(p, &own, c)) / insts_of(p, k) * insts * sure / sqrt(freedom);
        squares += f->of[k] * f->of[k];
    }
    for (uint32_t i = 0; i < REPLICAS; i++) {
        double off[C_COUNT] = {0};
        for (uint32_t k = 0; k < p->n; k++) {
            const double by = sample_sign(r->info.id, i, k) + sample_sign(p->number, i, k) * sqrt(squares);
            const Sampled *part = p->seen[k].sampled;
            for (int c = 0; c < C_COUNT; c++) off[c] += by * each[k][c] + (part ? f->of[k] * part->off[i][c] : 0);
        }
        for (int c = 0; c < C_COUNT; c++) {
            const double missed = sample_sign(p->number, i, SEEN) * p->missed[c] * insts,
                         unseen = sample_sign(p->number, i, place[c]) * UNSEEN * (double)r->count[c];
            if (!sample_exact(c)) r->sampled->off[i][c] = (float)(off[c] + missed + unseen);
        }
    }
}

void foretell_estimate(Foretell *all, Record *r)
{
    Repeat *p = all->one;
    const double insts = (double)r->count[C_WARP_INSTS], times = insts / (double)p->like.count[C_WARP_INSTS];
    const Fit f = fit(p, insts);
    p->beyond |= f.beyond;
    for (int c = 0; c < C_COUNT; c++)
        if (!sample_exact(c)) r->count[c] = (uint64_t)MAX(foretold(p, &f, c) + 0.5, 0);
    r->insts = p->like.insts;
    memcpy(r->own, p->like.own, sizeof r->own);
    memcpy(r->structure, p->like.structure, sizeof r->structure);
    memcpy(r->structure_dram, p->like.structure_dram, sizeof r->structure_dram);
    if (p->like.inst) r->inst = memcpy(mem_alloc(sizeof *r->inst * r->insts), p->like.inst, sizeof *r->inst * r->insts);
    sample_scale(r, times);
    r->sm_most = (uint64_t)((double)p->like.sm_most * times),
    r->sm_least = (uint64_t)((double)p->like.sm_least * times);
    r->functional = false;
    r->code = r->info.kernel;
    r->sampled = mem_alloc(sizeof *r->sampled);
    *r->sampled = (Sampled){.launches = 1, .blocks = r->count[C_BLOCKS]};
    spread(p, &f, r);
}
