// sample.c: a launch of which a part is timed. Blocks are handed out in stretches; those between two stretches are
// executed without time, all at once at a window's edge, while the timed ones stand still. So the chip is never empty
// between its first block and its last: the launch's beginning and its end are timed as they are.
//
// A wave is as many blocks as run side by side. Of a stretch, the first wave isn't looked at: it meets caches in which
// the blocks before left other lines, and blocks from before the gap still run beside it. Behind it, what the whole
// chip counts until the stretch's last block has started is divided by the warp instructions of that time. A gap is
// as long as a whole number of waves, so that waves stay in step with their blocks; it counts as many times what a
// warp instruction counts in the stretches before and behind it as it has warp instructions, which are known.
//
// How sure that is is seen from how stretches differ from their neighbours: the sampling is systematic, for which the
// variance of successive differences is the usual estimate (Wolter, Introduction to Variance Estimation, §8.2). It is
// kept as replicas: replica r adds to or subtracts from the counters what each difference is worth, with signs that are
// orthogonal (Plackett and Burman 1946). So the spread of anything that is computed of the replicas is that of what is
// computed of the counters, and sums of launches have the sums of the replicas.
#include "chip/chip.h"

#include <math.h>
#include <string.h>

enum { FIRST = 6, OTHER = 4, LOOKED = 2 };  // waves: of the first stretch, of others; at the end of each, looked at
enum { FEWEST = 3, MOST_STRETCHES = REPLICAS, WAVES_EACH = 100 };  // stretches, and one more for so many waves
enum { MARKS = 8 };
enum { FEWEST_WAVES = 20 };  // of a launch that is sampled: else little would be left out
enum { MOST_PAUSE = 64 };
#define UNSEEN 0.005     // standard deviation, as a share, of what differences of stretches don't show: assumed
#define ONE_ALONE 0.25   // where one stretch alone was looked at, since blocks waited for one another: assumed
#define NORMAL 1.959964  // deviations of a normal distribution that hold 95 % of it

typedef struct Stretch {
    uint64_t from, looked, to;  // blocks [from, to); looked at from this one on
    uint32_t marks;             // so many times; all of them: count is what a wave counts
    int64_t count[C_COUNT];
    int64_t warming[C_COUNT];  // what is counted between the gap before it and the first look
    uint64_t gap;              // warp instructions of the blocks behind it that aren't timed
} Stretch;
struct Stretches {
    const Chip *c;
    Execution *beside;
    Stretch all[MOST_STRETCHES];
    uint32_t n, at;  // at: of which blocks are handed out
    uint64_t wave, blocks;
    uint32_t gap;           // what is executed belongs to the one behind this stretch
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

// The first gaps are short: what changes at a launch's beginning, as an L2 fills, changes fast.
static uint64_t gap_parts(uint32_t gap) { return gap < 2 ? 1 + gap : 4; }

static void plan(Stretches *s, uint64_t waves)
{
    s->n = (uint32_t)MIN(FEWEST + waves / WAVES_EACH, MOST_STRETCHES);
    uint64_t spare = waves - FIRST - OTHER * (s->n - 1), parts = 0, at = 0;
    for (uint32_t k = 0; k + 1 < s->n; k++) parts += gap_parts(k);
    for (uint32_t k = 0; k < s->n; k++) {
        Stretch *t = &s->all[k];
        const uint64_t length = k ? OTHER : FIRST, gap = k + 1 < s->n ? spare * gap_parts(k) / parts : 0;
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
uint64_t stretches_insts(const Stretches *s) { return beside_done(s->beside).insts; }

// --- as the launch goes on -------------------------------------------------------------------------------------------
// The time is that at which the L2 has executed all atomics so far: nobody need wait for them, and a launch may leave
// more of them behind with every block.
static void snapshot(const Stretches *s, uint64_t count[C_COUNT], uint64_t now)
{
    chip_collect(s->c, count);
    count[C_CYCLES] = now;
    for (uint32_t p = 0; p < s->c->gpu.part.partitions; p++)
        count[C_CYCLES] = MAX(count[C_CYCLES], s->c->parts[p].last_event);
}

static void tally(int64_t to[C_COUNT], const uint64_t count[C_COUNT], int64_t sign)
{
    for (int k = 0; k < C_COUNT; k++) to[k] += sign * (int64_t)count[k];
}

// A wave's counters, as the mean over MARKS waves that begin a part of a wave apart. Waves may be in step, and then
// what they count in a time that is longer or shorter than a wave depends on where it begins; this mean hardly does.
static void look(Stretches *s, uint64_t started, uint64_t now)
{
    Stretch *t = &s->all[s->at];
    uint64_t count[C_COUNT];
    if (t->marks == 2 * MARKS || started < t->looked + t->marks * s->wave / MARKS) return;
    snapshot(s, count, now);
    if (!t->marks && s->at) tally(t->warming, count, 1);
    for (; t->marks < 2 * MARKS && started >= t->looked + t->marks * s->wave / MARKS; t->marks++)
        tally(t->count, count, t->marks < MARKS ? -1 : 1);
}

// Executes blocks beside the timed ones, and counts what that takes to the gap that they belong to.
static RunResult execute(Stretches *s, uint64_t from, uint64_t to, Text *message)
{
    const uint64_t before = stretches_insts(s);
    RunResult result = beside_run(s->beside, from, to, message);
    s->all[s->gap].gap += stretches_insts(s) - before;
    return result;
}

// What is left of a gap waits for blocks that are timed: it goes on between their windows, the less often the longer
// it only waits. No more gaps are made: it would be the same again.
static RunResult execute_rest(Stretches *s, uint64_t now, bool alone, Text *message)
{
    const uint64_t changed = beside_changed(s->beside);
    if (!alone && ++s->edges % s->pause) return RUN_OK;
    if (alone) beside_alone(s->beside);
    RunResult result = execute(s, 0, 0, message);
    s->pause = MIN(s->pause * 2, MOST_PAUSE);
    if (beside_changed(s->beside) != changed) s->pause = 1, s->changed = now;
    return result;
}

RunResult stretches_edge(Stretches *s, uint64_t *started, uint64_t now, bool alone, Text *message)
{
    look(s, *started, now);
    if (stretches_wait(s)) return execute_rest(s, now, alone, message);
    if (s->at + 1 == s->n || *started < s->all[s->at].to) return RUN_OK;
    const uint64_t from = s->all[s->at].to, to = s->all[s->at + 1].from;
    s->gap = s->at++;
    *started = to;
    uint64_t count[C_COUNT];
    snapshot(s, count, now);
    tally(s->all[s->at].warming, count, -1);
    RunResult result = execute(s, from, to, message);
    if (stretches_wait(s)) s->n = s->at + 1, s->all[s->at].to = s->blocks;
    return result;
}

// --- the estimate ----------------------------------------------------------------------------------------------------
// Of Student's distribution: within so many deviations a mean lies with a probability of 95 %.
double sample_student(uint32_t freedom)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
    return freedom <= COUNT(t) ? t[freedom - 1] : NORMAL + 2.42 / freedom;
}

// Of replica r, for the i-th of a launch's differences: orthogonal within a launch, as chance has it between launches.
double sample_sign(uint64_t launch, uint32_t r, uint32_t i)
{
    uint64_t x = (launch * REPLICAS + r + 1) * 0x9E3779B97F4A7C15ull;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return (__builtin_popcount(r & (i % (REPLICAS - 1) + 1)) + (int)(x >> 63)) & 1 ? -1 : 1;
}

bool sample_exact(int counter) { return counter == C_WARP_INSTS || counter == C_THREAD_INSTS || counter == C_BLOCKS; }

// What a warp instruction counts, in each stretch that was looked at, and how many instructions it stands for: half
// of the gap before it, and half of the one behind it.
typedef struct Looked {
    double each[MOST_STRETCHES][C_COUNT], weight[MOST_STRETCHES], warming[C_COUNT];
    uint32_t n;
} Looked;

static void gather(const Stretches *s, Looked *l)
{
    double before = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const Stretch *t = &s->all[k];
        if (t->marks == 2 * MARKS && t->count[C_WARP_INSTS]) {
            for (int c = 0; c < C_COUNT; c++) l->each[l->n][c] = (double)t->count[c] / (double)t->count[C_WARP_INSTS];
            l->weight[l->n++] = before + (double)t->warming[C_WARP_INSTS];
            for (int c = 0; c < C_COUNT; c++) l->warming[c] += (double)t->warming[c];
            before = 0;
        }
        if (l->n) l->weight[l->n - 1] += (double)t->gap / 2;
        before += (double)t->gap / 2;
    }
    if (l->n) l->weight[l->n - 1] += before;
}

static uint64_t rounded(double x) { return x > 0 ? (uint64_t)(x + 0.5) : 0; }

static void add_estimate(const Looked *l, Record *r)
{
    for (int c = 0; c < C_COUNT; c++) {
        double rest = -l->warming[c];
        for (uint32_t k = 0; k < l->n; k++) rest += l->weight[k] * l->each[k][c];
        if (!sample_exact(c)) r->count[c] = rounded((double)r->count[c] + rest);
    }
}

// A stretch's variance is half the square of the difference to a neighbour, where it has two, the mean of both. So
// much the square of the i-th difference counts in the estimate's variance; its root.
static double worth(const Looked *l, uint32_t i)
{
    const double a = l->weight[i] * l->weight[i], b = l->weight[i + 1] * l->weight[i + 1];
    return sqrt(a / (i ? 4 : 2) + b / (i + 2 < l->n ? 4 : 2));
}

static void spread(const Looked *l, uint64_t launch, Sampled *s)
{
    for (uint32_t i = 0; i + 1 < l->n; i++)
        for (uint32_t r = 0; r < REPLICAS; r++) {
            const double by = sample_sign(launch, r, i) * sample_student(l->n - 1) / NORMAL * worth(l, i);
            for (int c = 0; c < C_COUNT; c++)
                if (!sample_exact(c)) s->off[r][c] += by * (l->each[i + 1][c] - l->each[i][c]);
        }
    const double unseen = l->n > 1 ? UNSEEN : ONE_ALONE;
    for (uint32_t k = 0; k < l->n; k++)
        for (uint32_t r = 0; r < REPLICAS; r++)
            for (int c = 0; c < C_COUNT; c++)
                if (!sample_exact(c))
                    s->off[r][c] += sample_sign(launch, r, (uint32_t)c) * unseen * l->weight[k] * l->each[k][c];
}

// What isn't counted stretch by stretch: each counts as many times more as there are more instructions.
static void scale(uint64_t *v, size_t n, double times)
{
    for (size_t k = 0; k < n; k++) v[k] = rounded((double)v[k] * times);
}

void sample_scale(Record *r, double times)
{
    scale(r->own, OC_MOST_COUNTERS, times);
    scale(r->structure_dram, MAX_STRUCTURES, times);
    scale((uint64_t *)r->structure, sizeof r->structure / (sizeof(uint64_t)), times);
    if (r->inst) scale((uint64_t *)r->inst, r->insts * sizeof *r->inst / sizeof(uint64_t), times);
}

void stretches_close(Stretches *s, Record *r, bool whole)
{
    const Executed beside = beside_done(s->beside);
    if (!r->fault) r->fault = beside.fault;
    if (whole && beside.insts) {
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
        r->sm_most = rounded((double)r->sm_most * longer), r->sm_least = rounded((double)r->sm_least * longer);
        mem_free(l);
    }
    r->count[C_WARP_INSTS] += beside.insts;
    r->count[C_THREAD_INSTS] += beside.threads;
    r->count[C_BLOCKS] += beside.blocks;
    beside_close(s->beside, r);
    mem_free(s);
}

void sampled_add(Sampled **to, const Sampled *from)
{
    if (!from) return;
    if (!*to) *to = mem_alloc(sizeof **to);
    Sampled *s = *to;
    s->launches += from->launches, s->launches_timed += from->launches_timed;
    s->blocks += from->blocks, s->blocks_timed += from->blocks_timed;
    for (int r = 0; r < REPLICAS; r++)
        for (int c = 0; c < C_COUNT; c++) s->off[r][c] += from->off[r][c];
}

static Interval around(double value, double squares)
{
    const double half = NORMAL * sqrt(squares / REPLICAS);
    return (Interval){value - half, value + half};
}

Interval sampled_interval(const Sampled *s, const uint64_t *count, const Gpu *gpu,
                          double (*value)(const uint64_t *count, const Gpu *gpu))
{
    const double middle = value(count, gpu);
    double squares = 0;
    for (int r = 0; r < REPLICAS; r++) {
        uint64_t other[C_COUNT];
        for (int c = 0; c < C_COUNT; c++) other[c] = rounded((double)count[c] + s->off[r][c]);
        const double by = value(other, gpu) - middle;
        squares += by * by;
    }
    return around(middle, squares);
}

Interval sampled_counter(const Sampled *s, const uint64_t *count, Counter c)
{
    double squares = 0;
    for (int r = 0; r < REPLICAS; r++) squares += s->off[r][c] * s->off[r][c];
    return around((double)count[c], squares);
}
