// stairs.c: the mean latency of going round n lines, against n, is a stair. It has a step for every cache into which n
// lines don't fit. The steps give the latencies by which hits are told from misses, and roughly the capacities. The
// exact capacities are asked for line by line (sets.c).
#include "probe/infer.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

Sample sample_of(const uint32_t *latency, size_t n)
{
    uint32_t *v = mem_alloc(sizeof *v * n);
    for (size_t k = 0; k < n; k++) v[k] = latency[k];
    qsort(v, n, sizeof *v, compare);
    Sample s = {.n = n};
    size_t kept = n - n / 50;
    for (size_t k = 0; k < kept; k++) s.mean += v[k];
    s.mean /= (double)kept;
    double q16 = v[n * 16 / 100], q84 = v[n * 84 / 100], middle = v[n / 2];
    s.sd = MAX(0.5 * (q84 - q16), MAX(0.4, 0.005 * middle));
    for (size_t k = n; k-- > 0 && v[k] > middle + 6 * s.sd;) s.tail++;
    s.tail /= (double)n;
    s.error = s.sd / sqrt((double)n);
    mem_free(v);
    return s;
}

Sample sample_clean(const uint32_t *latency, size_t n)
{
    Sample s = sample_of(latency, n);
    uint32_t *v = mem_alloc(sizeof *v * n);
    for (size_t k = 0; k < n; k++) v[k] = latency[k];
    qsort(v, n, sizeof *v, compare);
    double middle = v[n / 2], sum = 0, squares = 0;
    mem_free(v);
    s.n = 0;
    for (size_t k = 0; k < n; k++) {
        double off = latency[k] - middle;
        if (fabs(off) > 4.5 * s.sd + 0.5) continue;
        sum += off, squares += off * off, s.n++;
    }
    s.mean = middle + sum / (double)s.n;
    s.sd = sqrt(MAX(0, squares / (double)s.n - (sum / (double)s.n) * (sum / (double)s.n)));
    s.error = s.sd / sqrt((double)s.n);
    return s;
}

bool go_round(Level *l, uint64_t n, uint32_t warm, uint32_t rounds, uint32_t *latency)
{
    Walk walk = {
        .start = level_address(l, 0), .stride = (int64_t)(l->unit + l->stagger), .count = (uint32_t)n, .timed = true};
    level_run(l, &walk, 1, warm + rounds, warm, latency);
    return !l->broken;
}

// Makes at least `loads` loads, so that the mean's error is small beside the height of any step.
bool measure_round(Level *l, uint64_t n, uint32_t loads, Sample *out)
{
    uint32_t rounds = (uint32_t)MAX(1, loads / n), *latency = mem_alloc(sizeof *latency * n * rounds);
    bool ok = go_round(l, n, 2, rounds, latency);
    if (ok) *out = sample_of(latency, n * rounds);
    mem_free(latency);
    return ok;
}

typedef struct Steps {
    Sample sample[96];
    uint64_t n[96];
    uint32_t count;
} Steps;

// Finds the first level above `first`: the index of a sample on it, or −1. A sample is on a level if the next one is
// hardly higher; so are the following ones as long as they rise less and less. Sets *low to how many samples there are
// before one is above `first`.
static int next_level(const Steps *s, const Sample *first, bool over, uint32_t *low)
{
    double base = first->mean, error = first->error, spread = MAX(first->sd, 0.5) / base;
    *low = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        double rise = s->sample[k].mean - base, noise = 5 * (s->sample[k].error + error) + 0.4 + 0.002 * base;
        if (rise <= noise && *low == k) *low = k + 1;
        if (rise <= noise) continue;
        if (k + 1 >= s->count) return over ? (int)k : -1;
        double next = s->sample[k + 1].mean - base;
        // If about half the lines miss, as when one of two sets overflows, the latencies spread. That isn't a level;
        // but if hits and misses are far apart, both are told anyway.
        bool mixed = rise < 3 * first->sd && s->sample[k].sd > 1.7 * spread * s->sample[k].mean;
        if (rise < 0.8 * next || mixed || k + 2 >= s->count + over) continue;
        uint32_t at = next > rise ? k + 1 : k;
        for (uint32_t j = k + 1; j + 1 < s->count && j < k + 4; j++) {
            double last = s->sample[j].mean - s->sample[j - 1].mean,
                   rise_on = s->sample[j + 1].mean - s->sample[j].mean;
            if (rise_on > MAX(0.7 * last, noise)) break;
            at = j + 1;
        }
        return at + 2 < s->count || k + 4 < s->count || over ? (int)at : -1;
    }
    return -1;
}

bool climb(Level *l, uint64_t from, const Sample *base, uint64_t most, Stair *stair)
{
    Steps s = {.count = 0};
    // With noise, more loads are needed.
    uint32_t loads = base->sd > 0.006 * base->mean ? 20000 : 400, low = 0;
    for (uint64_t n = from; n <= most && s.count < COUNT(s.n); n += n < 2 ? 1 : n & (n - 1) ? n / 3 : n / 2) {
        if (!measure_round(l, n, loads, &s.sample[s.count])) return false;
        s.n[s.count++] = n;
        int at = next_level(&s, base, n + n / 2 > most || s.count == COUNT(s.n), &low);
        if (at < 0) continue;
        *stair = (Stair){low ? s.n[low - 1] : 0, s.n[at], s.sample[at]};
        return true;
    }
    return false;
}

// Where victims are drawn at random, misses grow so gradually that one step may run into the next. Then the smallest
// size at which some loads clearly miss shows what a miss takes, by those loads alone.
bool first_misses(Level *l, const Sample *base, Stair *stair)
{
    double far = base->mean + MAX(3 * base->sd, 3);
    for (uint64_t n = stair->below + 1; n < stair->at; n += MAX(1, n / 16)) {
        uint32_t rounds = (uint32_t)MAX(1, 20000 / n), *latency = mem_alloc(sizeof *latency * n * rounds);
        size_t loads = n * rounds, missed = 0;
        if (go_round(l, n, 2, rounds, latency))
            for (size_t k = 0; k < loads; k++)
                if (latency[k] > far) latency[missed++] = latency[k];
        bool enough = missed > loads / 25 + 2 * base->tail * (double)loads;
        Sample s = enough ? sample_of(latency, missed) : *base;
        mem_free(latency);
        if (l->broken) return false;
        if (!enough) continue;
        *stair = (Stair){stair->below, n, s};
        return s.mean - base->mean > 4 * base->sd;
    }
    return false;
}
