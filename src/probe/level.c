// level.c: one cache or TLB, which is known only through loads that it serves (hits) or doesn't (misses). Everything
// structural comes from one question: do these lines fit? It is asked by going round the lines, and answered by
// likelihoods, so that noise costs rounds rather than errors. The latency of a hit is assumed to be normal about `low`,
// that of a miss about `high` (or more, if there are further levels), and any load is an outlier with a small
// probability.
#include "probe/infer.h"

#include <math.h>
#include <string.h>

static const double sure = 12;  // log odds at which an answer is accepted: it is wrong with a chance of e⁻¹²

// --- sets of lines ---------------------------------------------------------------------------------------------------
void lines_add(Lines *l, uint64_t from, uint32_t step, uint32_t count)
{
    if (!count) return;
    Range *last = l->range.n ? &l->range.v[l->range.n - 1] : NULL;
    l->n += count;
    // Neighbours become one range.
    if (last && count == 1 && last->count == 1 && from > last->from && from - last->from <= 1u << 30) {
        *last = (Range){last->from, (uint32_t)(from - last->from), 2};
    } else if (last && count == 1 && from == last->from + (uint64_t)last->step * last->count) {
        last->count++;
    } else {
        vec_push(&l->range, ((Range){from, step ? step : 1, count}));
    }
}

void lines_free(Lines *l)
{
    vec_free(&l->range);
    l->n = 0;
}

// --- likelihoods -----------------------------------------------------------------------------------------------------
static double normal(double x, double mean, double sd)
{
    double z = (x - mean) / sd;
    return exp(-0.5 * z * z) / (sd * 2.5066282746);
}

double level_distance(const Level *l) { return (l->high - l->low) / (0.5 * (l->low_sd + l->high_sd)); }

// Makes a density over latencies from a sample: each value becomes a normal distribution of width sd.
static void spread(const uint32_t *latency, size_t n, double sd, float *density, uint32_t size)
{
    uint32_t reach = (uint32_t)(4 * sd) + 1, *histogram = mem_alloc(sizeof *histogram * size);
    for (size_t k = 0; k < n; k++)
        if (latency[k] < size) histogram[latency[k]]++;
    for (uint32_t x = 0; x < size; x++)
        for (uint32_t y = x > reach ? x - reach : 0; histogram[x] && y < MIN(x + reach, size); y++)
            density[y] += (float)(histogram[x] * normal(y, x, sd) / (double)n);
    mem_free(histogram);
}

void level_learn(Level *l, const uint32_t *misses, size_t n)
{
    uint32_t size = (uint32_t)(4 * l->high) + 64;
    double flat = l->outliers / size, peak = 1 / (l->high_sd * 2.5066282746);
    level_close(l);
    l->evidence = mem_alloc(sizeof *l->evidence * size);
    l->odds = mem_alloc(sizeof *l->odds * size);
    l->evidence_n = size;
    bool apart = misses && level_distance(l) > 6;
    if (apart) spread(misses, n, MAX(1, 0.5 * l->high_sd), l->odds, size);
    for (uint32_t x = 0; x < size; x++) {
        double hit = (1 - l->outliers) * normal(x, l->low, l->low_sd) + flat;
        double miss = apart ? MAX(l->odds[x], x > l->high ? 0.02 / size : 0) : normal(x, l->high, l->high_sd);
        double odds = ((1 - l->outliers) * miss + flat) / hit;
        if (apart && x < l->low) odds = MIN(odds, flat / peak);
        l->evidence[x] = (float)log(odds);
        l->odds[x] = (float)odds;
    }
}

void level_close(Level *l)
{
    mem_free(l->evidence), mem_free(l->odds);
    lines_free(&l->filler);
    l->evidence = l->odds = NULL;
}

// --- asking ----------------------------------------------------------------------------------------------------------
uint64_t level_address(const Level *l, uint64_t line) { return l->base + line * (l->unit + l->stagger); }

bool level_run(Level *l, const Walk *walks, size_t n, uint32_t rounds, uint32_t first, uint32_t *latency)
{
    if (l->broken) return false;
    for (size_t w = 0; w < n && !l->broken; w++)
        if (!walk_inside(&walks[w], l->subject->span[l->kind]))
            l->broken = true, l->spent = "the device has too little memory to ask";
    l->broken = l->broken || !subject_run(l->subject, l->kind, walks, n, rounds, first, latency, l->diag);
    const Bound *bound = l->subject->bound;
    if (l->broken && !l->spent && bound && bound->spent && !l->diag->failed) l->spent = bound_why;
    return !l->broken;
}

uint64_t level_window(const Level *l, size_t n)
{
    return l->subject->window ? l->subject->window(l->subject->of, n) : 1ull << 40;
}

size_t level_walks(const Level *l, const Lines *x, bool timed, Walk *out, size_t n)
{
    for (size_t r = 0; r < x->range.n && n < subject_walks(l->subject); r++) {
        const Range *f = &x->range.v[r];
        out[n++] = (Walk){.start = level_address(l, f->from),
                          .stride = (int64_t)f->step * (int64_t)(l->unit + l->stagger),
                          .count = f->count,
                          .timed = timed};
    }
    return n;
}

// What the rounds so far say against "all lines fit", as log odds: `pool` for several shares of misses, `one` for "at
// least one load misses in each round".
typedef struct Evidence {
    double share[8], pool[8], one;
    uint32_t shares;
    double *line;  // per place of the round: for "this load always misses"
} Evidence;

static void look(const Level *l, Evidence *e, const uint32_t *latency, uint64_t n, uint32_t rounds, uint32_t *histogram)
{
    for (uint32_t r = 0; r < rounds; r++) {
        double sum = 0;
        for (uint64_t k = 0; k < n; k++) {
            uint32_t x = MIN(latency[r * n + k], l->evidence_n - 1);
            histogram[x]++;
            sum += l->odds[x];
            e->line[k] += l->evidence[x];
        }
        e->one += log((1 - l->hidden) * sum / (double)n + l->hidden);
    }
    for (uint64_t k = 0; k < n * rounds; k++) {
        uint32_t x = MIN(latency[k], l->evidence_n - 1);
        for (uint32_t s = 0; s < e->shares && histogram[x]; s++)
            e->pool[s] += histogram[x] * log(1 - e->share[s] + e->share[s] * l->odds[x]);
        histogram[x] = 0;
    }
}

// > 0: they don't fit, for certain from `sure` on; < 0: they do.
static double balance(const Evidence *e, uint64_t n)
{
    double against = -1e300;
    for (uint32_t s = 0; s < e->shares; s++) against = MAX(against, e->pool[s]);
    for (uint64_t k = 0; k < n; k++) against = MAX(against, e->line[k] - log((double)n));
    if (against >= sure) return against;
    return MIN(e->one, e->pool[0]) <= -sure ? MIN(e->one, e->pool[0]) : MAX(against, MIN(e->one, e->pool[0]));
}

static double ask(Level *l, const Lines *x, uint32_t warm)
{
    Walk walks[CHASE_WALKS];
    size_t n = level_walks(l, x, true, walks, 0);
    n = level_walks(l, &l->filler, true, walks, n);
    if (n == subject_walks(l->subject))
        return l->broken = true, l->spent = "a question has more walks than shared memory has room for", 0;
    uint64_t lines = x->n + l->filler.n, loads = 0;
    Evidence e = {.line = mem_alloc(sizeof(double) * lines)};
    double share = MIN((double)l->least / (double)lines, 1), answer = 0;
    for (; e.shares < 7 && share < 1; share *= 3) e.share[e.shares++] = share;
    e.share[e.shares++] = 1 - 1e-9;
    uint32_t *histogram = mem_alloc(sizeof *histogram * l->evidence_n), *latency = NULL;
    for (uint32_t rounds = 1; fabs(answer) < sure && !l->broken;
         rounds = MIN(2 * rounds, (uint32_t)MAX(1, (1u << 20) / lines))) {
        latency = mem_resize(latency, sizeof *latency * lines * rounds);
        level_run(l, walks, n, warm + rounds, warm, latency);
        if (l->broken) break;
        look(l, &e, latency, lines, rounds, histogram);
        answer = balance(&e, lines);
        loads += (warm + rounds) * lines;
        if (loads > l->limit) break;
    }
    mem_free(latency), mem_free(histogram), mem_free(e.line);
    return answer;
}

// Do the same lines miss in every round? If so, the misses aren't due to lines of before that haven't been drawn as
// victims yet.
static bool same_miss(Level *l, const Lines *x)
{
    enum { ROUNDS = 6 };
    Walk walks[CHASE_WALKS];
    size_t n = level_walks(l, &l->filler, true, walks, level_walks(l, x, true, walks, 0));
    uint64_t lines = x->n + l->filler.n;
    uint32_t *latency = mem_alloc(sizeof *latency * lines * ROUNDS), always = 0;
    level_run(l, walks, n, l->warm + ROUNDS, l->warm, latency);
    for (uint64_t k = 0; k < lines && !l->broken; k++) {
        uint32_t r = 0;
        while (r < ROUNDS && l->odds[MIN(latency[r * lines + k], l->evidence_n - 1)] > 1) r++;
        always += r == ROUNDS;
    }
    mem_free(latency);
    return always > 1;
}

bool level_fits(Level *l, const Lines *x)
{
    if (l->subject->loads > l->until) l->broken = true, l->spent = "it would take too many loads";
    if (!l->broken && !bound_asks(l->subject->bound)) l->broken = true, l->spent = bound_why;
    if (l->broken || !x->n) return true;
    double answer = ask(l, x, l->warm);
    if (answer > 0 && l->settle && !l->broken && !same_miss(l, x))
        answer = ask(l, x, (uint32_t)MIN(l->settle, 5 * (x->n + l->filler.n)));
    return answer <= 0;
}
