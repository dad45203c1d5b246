// sample.c: a launch of which a part is timed. Blocks are handed out in stretches; those between two stretches are
// executed without time, all at once at a window's edge, while the timed ones stand still. So the chip is never empty
// between its first block and its last: the launch's beginning and its end are timed as they are.
//
// A wave is as many blocks as run side by side. The first waves of a stretch aren't looked at: they meet an L2 in which
// lines lie as execution has left them, and blocks from before the gap still run beside them. Behind them, what the
// whole chip counts until the stretch's last block has started is divided by the warp instructions of that time. A gap
// is as long as a whole number of waves, so that waves stay in step with their blocks; it counts as many times what a
// warp instruction counts in the stretches before and behind it as it has warp instructions, which are known. So does
// what isn't looked at.
//
// Blocks aren't all alike. Execution tells a wave's mix: its warp instructions, how many lanes take part in one, how
// many sectors of global memory it accesses. A gap whose mix no stretch has had yet ends there, and a stretch begins. A
// wave of a gap counts what the stretches count that have its mix (post-stratification).
//
// How sure that is is seen from how stretches of one mix differ from their neighbours: the sampling is systematic, for
// which the variance of successive differences is the usual estimate (Wolter, Introduction to Variance Estimation,
// §8.2). replicas.c keeps it.
#include "chip/unit.h"

#include <math.h>
#include <string.h>

// Waves: of the first stretch, of others, and longer by one for so many; at the end of each, looked at.
enum { FIRST = 6, OTHER = 7, LONGER_EACH = 150, LOOKED = 3 };
// Stretches: of a launch of 30 waves or more (else little would be left out), from 100 waves on, and one more for each
// 1500; and with those for new mixes.
enum { FEWEST_WAVES = 30, SOME_WAVES = 100, WAVES_EACH = 1500, FEWEST = 3, MOST_PLANNED = 20, MOST_STRETCHES = 30 };
enum { MARKS = 8 };
enum { MOST_PAUSE = 64, MOST_UNTIMED = 4096 };
#define UNSEEN 0.02   // standard deviation, as a share, of what differences of stretches don't show: assumed
#define ALONE 0.1     // of a stretch whose mix no other one has: assumed
#define NEW_MIX 0.2   // mixes that differ by more are different
#define LIKE_MIX 0.1  // by less: the same

typedef struct Stretch {
    uint64_t from, looked, to;  // blocks [from, to); looked at from this one on
    uint32_t marks;             // so many times; all of them: count is what a wave counts
    int64_t count[C_COUNT];
    int64_t warming[C_COUNT];  // what is counted between the gap before it and the first look
} Stretch;
typedef struct Mix {
    double insts, lanes, sectors;  // warp instructions of a wave; lanes that take part in one, sectors that it accesses
} Mix;
typedef struct Untimed {  // consecutive waves of one mix
    uint32_t behind;      // this stretch
    uint64_t blocks;
    Executed did;
} Untimed;
struct Stretches {
    const Chip *c;
    Execution *beside;
    Stretch all[MOST_STRETCHES];
    uint32_t n, at;  // at: of which blocks are handed out
    uint64_t wave, blocks;
    VEC(Untimed) untimed;
    uint64_t changed;       // the cycle in which blocks that wait did last
    uint64_t edges, pause;  // while blocks wait: windows' edges; every so many of them they go on
};

// --- which blocks are timed ------------------------------------------------------------------------------------------
bool sample_prints(const Kernel *k)
{
    for (size_t c = 0; c < k->codes.n; c++)
        for (uint32_t n = 0; n < k->codes.v[c]->n; n++)
            if (k->codes.v[c]->insts[n].kind == X_PRINTF) return true;
    return false;
}

// The first gap is short: what changes at a launch's beginning, as an L2 fills, changes fast.
static uint64_t gap_parts(uint32_t gap) { return gap ? 4 : 1; }

static void plan(Stretches *s, uint64_t waves)
{
    s->n = waves < SOME_WAVES ? FEWEST : (uint32_t)MIN(FEWEST + 1 + waves / WAVES_EACH, MOST_PLANNED);
    const uint64_t longer = waves / LONGER_EACH, first = FIRST + longer, other = OTHER + longer;
    uint64_t spare = waves - first - other * (s->n - 1), parts = 0, at = 0;
    for (uint32_t k = 0; k + 1 < s->n; k++) parts += gap_parts(k);
    for (uint32_t k = 0; k < s->n; k++) {
        Stretch *t = &s->all[k];
        const uint64_t length = k ? other : first, gap = k + 1 < s->n ? spare * gap_parts(k) / parts : 0;
        t->from = at * s->wave, t->to = (at + length) * s->wave, t->looked = t->to - LOOKED * s->wave;
        at += length + gap;
        if (k + 1 < s->n) spare -= gap, parts -= gap_parts(k);
    }
    s->all[s->n - 1].to = s->blocks;
}

Stretches *stretches_open(Chip *c, const LaunchInfo *info, const Texture *textures, uint32_t texture_count,
                          const RunOptions *o, uint32_t fit)
{
    const uint64_t blocks = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2], wave = (uint64_t)fit * c->gpu.sms;
    if (!o->sample || blocks / wave < FEWEST_WAVES || info->cluster[0] || info->workspace ||
        sample_prints(info->kernel))
        return NULL;
    Stretches *s = mem_alloc(sizeof *s);
    *s = (Stretches){.c = c, .wave = wave, .blocks = blocks, .pause = 1};
    plan(s, blocks / wave);
    s->beside = beside_open(c, info, textures, texture_count, o, fit);
    return s;
}

uint64_t stretches_end(const Stretches *s) { return s->all[s->at].to; }

uint64_t stretches_changed(const Stretches *s) { return s->changed; }
bool stretches_wait(const Stretches *s) { return beside_left(s->beside) > 0; }

// --- as the launch goes on -------------------------------------------------------------------------------------------
// The time is that at which the L2 has executed all atomics so far: nobody need wait for them, and a launch may leave
// more of them behind with every block.
static void snapshot(const Stretches *s, uint64_t count[C_COUNT], uint64_t now)
{
    chip_collect(s->c, count);
    count[C_CYCLES] = now;
    EACH_AWAKE(s->c, p)
    count[C_CYCLES] = MAX(count[C_CYCLES], p->last_event);
}

static void tally(int64_t to[C_COUNT], const uint64_t count[C_COUNT], int64_t sign)
{
    for (int k = 0; k < C_COUNT; k++) to[k] += sign * (int64_t)count[k];
}

// Where the k-th mark lies: in the first wave that is looked at, or in the last one.
static uint64_t mark_at(const Stretches *s, const Stretch *t, uint32_t k)
{
    return t->looked + (k < MARKS ? 0 : LOOKED - 2) * s->wave + k * s->wave / MARKS;
}

// The counters of LOOKED - 1 waves, as the sum over MARKS such that begin a part of a wave apart. Waves may be in step,
// and then what they count in a time that is no whole number of waves depends on where it begins. This hardly does.
static void look(Stretches *s, uint64_t started, uint64_t now)
{
    Stretch *t = &s->all[s->at];
    uint64_t count[C_COUNT];
    if (t->marks == 2 * MARKS || started < mark_at(s, t, t->marks)) return;
    snapshot(s, count, now);
    if (!t->marks && s->at) tally(t->warming, count, 1);
    for (; t->marks < 2 * MARKS && started >= mark_at(s, t, t->marks); t->marks++)
        tally(t->count, count, t->marks < MARKS ? -1 : 1);
}

// --- mixes -----------------------------------------------------------------------------------------------------------
static Mix mix_of(double waves, double insts, double threads, double sectors)
{
    return (Mix){insts / waves, threads / insts, sectors / insts};
}

static Mix mix_looked(const Stretch *t)
{
    const int64_t *c = t->count;
    return mix_of(MARKS * (LOOKED - 1), (double)c[C_WARP_INSTS], (double)c[C_THREAD_INSTS],
                  (double)(c[C_SECTORS_LOADED] + c[C_SECTORS_STORED]));
}

static Mix mix_untimed(const Stretches *s, const Untimed *u)
{
    return mix_of((double)u->blocks / (double)s->wave, (double)u->did.insts, (double)u->did.threads,
                  (double)u->did.sectors);
}

// How much two mixes differ, as a share. Sectors are few in code that hardly accesses memory: there they say little.
static double apart(const Mix *a, const Mix *b)
{
    const double insts = fabs(log(a->insts / b->insts)),
                 lanes = fabs(a->lanes - b->lanes) / MAX(MAX(a->lanes, b->lanes), 1),
                 sectors = fabs(a->sectors - b->sectors) / (MAX(a->sectors, b->sectors) + 0.25);
    return MAX(insts, MAX(lanes, sectors));
}

static bool was_looked_at(const Stretch *t) { return t->marks == 2 * MARKS && t->count[C_WARP_INSTS] > 0; }

static bool is_new(const Stretches *s, const Untimed *u)
{
    const Mix mix = mix_untimed(s, u);
    for (uint32_t k = 0; k < s->n; k++) {
        const Mix seen = mix_looked(&s->all[k]);
        if (was_looked_at(&s->all[k]) && apart(&mix, &seen) < NEW_MIX) return false;
    }
    return true;
}

// --- gaps ------------------------------------------------------------------------------------------------------------
static void add_untimed(Stretches *s, const Untimed *u)
{
    Untimed *last = s->untimed.n ? &s->untimed.v[s->untimed.n - 1] : NULL;
    if (last && last->behind == u->behind) {
        const Mix a = mix_untimed(s, last), b = mix_untimed(s, u);
        if (!u->blocks || apart(&a, &b) < LIKE_MIX / 2 || s->untimed.n == MOST_UNTIMED) {
            last->blocks += u->blocks, last->did.insts += u->did.insts, last->did.threads += u->did.threads;
            last->did.sectors += u->did.sectors;
            return;
        }
    }
    vec_push(&s->untimed, *u);
}

// Executes blocks beside the timed ones.
static RunResult execute(Stretches *s, uint64_t from, uint64_t to, Untimed *u, Text *message)
{
    const Executed before = beside_done(s->beside);
    RunResult result = beside_run(s->beside, from, to, message);
    const Executed after = beside_done(s->beside);
    *u = (Untimed){.behind = s->at, .blocks = to - from};
    u->did.insts = after.insts - before.insts, u->did.threads = after.threads - before.threads;
    u->did.sectors = after.sectors - before.sectors;
    if (u->did.insts) add_untimed(s, u);
    return result;
}

// What is left of a gap waits for blocks that are timed: it goes on between their windows, the less often the longer
// it only waits. No more gaps are made: it would be the same again.
static RunResult execute_rest(Stretches *s, uint64_t now, bool alone, Text *message)
{
    const uint64_t changed = beside_changed(s->beside);
    Untimed u;
    if (!alone && ++s->edges % s->pause) return RUN_OK;
    if (alone) beside_alone(s->beside);
    RunResult result = execute(s, 0, 0, &u, message);
    s->pause = MIN(s->pause * 2, MOST_PAUSE);
    if (beside_changed(s->beside) != changed) s->pause = 1, s->changed = now;
    return result;
}

// A stretch more, before the next one: false: there is no place for it.
static bool insert(Stretches *s, uint64_t from)
{
    const uint64_t to = from + OTHER * s->wave;
    if (s->n == MOST_STRETCHES || to > s->all[s->at + 1].from) return false;
    memmove(&s->all[s->at + 2], &s->all[s->at + 1], (s->n - s->at - 1) * sizeof *s->all);
    s->all[s->at + 1] = (Stretch){.from = from, .looked = to - LOOKED * s->wave, .to = to};
    s->n++;
    return true;
}

RunResult stretches_edge(Stretches *s, uint64_t *started, uint64_t now, bool alone, Text *message)
{
    look(s, *started, now);
    if (stretches_wait(s)) return execute_rest(s, now, alone, message);
    if (s->at + 1 == s->n || *started < s->all[s->at].to) return RUN_OK;
    RunResult result = RUN_OK;
    uint64_t count[C_COUNT];
    for (Untimed u; *started < s->all[s->at + 1].from && result == RUN_OK;) {
        result = execute(s, *started, *started + s->wave, &u, message);
        *started += s->wave;
        if (stretches_wait(s)) {
            s->n = s->at + 2;
            s->all[s->at + 1] = (Stretch){.from = *started, .to = s->blocks};
            s->all[s->at + 1].looked = *started + (OTHER - LOOKED) * s->wave;
            break;
        }
        if (is_new(s, &u) && insert(s, *started)) break;
    }
    s->at++;
    snapshot(s, count, now);
    tally(s->all[s->at].warming, count, -1);
    return result;
}

// --- the estimate ----------------------------------------------------------------------------------------------------
// What a warp instruction counts, in each stretch that was looked at, and how many instructions it stands for.
typedef struct Looked {
    double each[MOST_STRETCHES][C_COUNT], weight[MOST_STRETCHES], warming[C_COUNT];
    double unlike[MOST_STRETCHES];  // instructions of waves that it stands for, times how far their mix is from its own
    Mix mix[MOST_STRETCHES];
    uint32_t number[MOST_STRETCHES], n;
} Looked;

// Untimed waves count what those of the stretches count whose mix is nearest, the last of them before and the first one
// behind; if there is but one of these, that.
static void stand_for(Looked *l, const Untimed *u, const Mix *mix)
{
    double nearest = INFINITY;
    int before = -1, behind = -1;
    for (uint32_t k = 0; k < l->n; k++) nearest = MIN(nearest, apart(mix, &l->mix[k]));
    for (uint32_t k = 0; k < l->n; k++) {
        if (apart(mix, &l->mix[k]) > nearest + LIKE_MIX) continue;
        if (l->number[k] <= u->behind) before = (int)k;
        if (l->number[k] > u->behind && behind < 0) behind = (int)k;
    }
    const int of[] = {before < 0 ? behind : before, behind < 0 ? before : behind};
    for (int k = 0; k < 2; k++) {
        l->weight[of[k]] += (double)u->did.insts / 2;
        if (nearest > NEW_MIX) l->unlike[of[k]] += nearest * (double)u->did.insts / 2;
    }
}

static void gather(const Stretches *s, Looked *l)
{
    for (uint32_t k = 0; k < s->n; k++) {
        const Stretch *t = &s->all[k];
        if (!was_looked_at(t)) continue;
        for (int c = 0; c < C_COUNT; c++) l->each[l->n][c] = (double)t->count[c] / (double)t->count[C_WARP_INSTS];
        for (int c = 0; c < C_COUNT; c++) l->warming[c] += (double)t->warming[c];
        l->weight[l->n] = (double)t->warming[C_WARP_INSTS];
        l->mix[l->n] = mix_looked(t);
        l->number[l->n++] = k;
    }
    for (size_t k = 0; k < s->untimed.n && l->n; k++) {
        const Mix mix = mix_untimed(s, &s->untimed.v[k]);
        stand_for(l, &s->untimed.v[k], &mix);
    }
}

static void add_estimate(const Looked *l, Record *r)
{
    for (int c = 0; c < C_COUNT; c++) {
        double rest = -l->warming[c];
        for (uint32_t k = 0; k < l->n; k++) rest += l->weight[k] * l->each[k][c];
        if (!sample_exact(c)) r->count[c] = sample_round((double)r->count[c] + rest);
    }
}

// The next stretch with k's mix; l->n: there is none.
static uint32_t next_like(const Looked *l, uint32_t k)
{
    uint32_t j = k + 1;
    while (j < l->n && apart(&l->mix[j], &l->mix[k]) > NEW_MIX) j++;
    return j;
}

static void add_off(Sampled *s, uint64_t launch, uint32_t sign, double by, const double *more, const double *less)
{
    for (uint32_t r = 0; r < REPLICAS; r++)
        for (int c = 0; c < C_COUNT; c++)
            if (!sample_exact(c)) s->off[r][c] += (float)(sample_sign(launch, r, sign) * by * (more[c] - less[c]));
}

// A stretch's variance is half the square of the difference to the next one of its mix, or to the one before it, or the
// mean of both. What no difference shows is the same in all launches.
static void spread(const Looked *l, uint64_t launch, Sampled *s)
{
    uint32_t neighbours[MOST_STRETCHES] = {0}, pairs = 0;
    for (uint32_t k = 0, j; k < l->n; k++)
        if ((j = next_like(l, k)) < l->n) neighbours[k]++, neighbours[j]++, pairs++;
    for (uint32_t k = 0, j; k < l->n; k++) {
        if ((j = next_like(l, k)) == l->n) continue;
        const double a = l->weight[k] * l->weight[k] / neighbours[k], b = l->weight[j] * l->weight[j] / neighbours[j];
        add_off(s, launch, k, sample_wider(pairs) * sqrt((a + b) / 2), l->each[j], l->each[k]);
    }
    for (uint32_t k = 0; k < l->n; k++) {
        const double by = (neighbours[k] ? UNSEEN : ALONE) * l->weight[k] + l->unlike[k];
        for (int c = 0; c < C_COUNT; c++) {
            const uint32_t place = sample_place((Counter)c);
            for (uint32_t r = 0; r < REPLICAS && !sample_exact(c); r++)
                s->off[r][c] += (float)(sample_sign(0, r, place) * by * l->each[k][c]);
        }
    }
}

// What isn't counted stretch by stretch: each counts as many times more as there are more instructions.
static void scale(uint64_t *v, size_t n, double times)
{
    for (size_t k = 0; k < n; k++) v[k] = sample_round((double)v[k] * times);
}

void sample_scale(Record *r, double times)
{
    scale(r->own, OWN_COUNTERS, times);
    scale(r->structure_dram, MAX_STRUCTURES, times);
    scale((uint64_t *)r->structure, sizeof r->structure / (sizeof(uint64_t)), times);
    if (r->inst) scale((uint64_t *)r->inst, r->insts * sizeof *r->inst / sizeof(uint64_t), times);
}

// A launch that was cut short has what was counted of its timed blocks, as one that is timed whole would.
void stretches_close(Stretches *s, Record *r, bool whole)
{
    const Executed beside = beside_done(s->beside);
    if (!r->fault) r->fault = beside.fault;
    if (whole && s->untimed.n) {
        Looked *l = mem_alloc(sizeof *l);
        r->sampled = mem_alloc(sizeof *r->sampled);
        const uint64_t cycles = r->count[C_CYCLES], timed = r->count[C_WARP_INSTS];
        r->sampled->launches = r->sampled->launches_timed = 1;
        r->sampled->blocks = s->blocks, r->sampled->blocks_timed = r->count[C_BLOCKS];
        gather(s, l);
        add_estimate(l, r);
        spread(l, r->info.id, r->sampled);
        sample_scale(r, (double)(timed + beside.insts) / (double)timed);
        const double longer = (double)r->count[C_CYCLES] / (double)cycles;
        r->sm_most = sample_round((double)r->sm_most * longer),
        r->sm_least = sample_round((double)r->sm_least * longer);
        mem_free(l);
        r->count[C_WARP_INSTS] += beside.insts, r->count[C_THREAD_INSTS] += beside.threads;
        r->count[C_BLOCKS] += beside.blocks;
    }
    beside_close(s->beside, r);
    vec_free(&s->untimed);
    mem_free(s);
}
