// replicas.c: how sure an estimate is. Replica r adds to or subtracts from the counters what each observed difference
// is worth, with signs that are orthogonal within a launch (Plackett and Burman 1946). So the spread of anything that
// is computed of the replicas is that of what is computed of the counters, and sums of launches have the sums of the
// replicas.
#include "chip/unit.h"

#include <math.h>

#define NORMAL 1.959964  // deviations of a normal distribution that hold 95 % of it

double sample_wider(uint32_t freedom) { return student_t(0.95, freedom) / NORMAL; }

// The sign of replica r for the i-th of a launch's differences: orthogonal within a launch, chance between launches.
double sample_sign(uint64_t launch, uint32_t r, uint32_t i)
{
    uint64_t x = (launch * REPLICAS + r + 1) * 0x9E3779B97F4A7C15ull;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return (__builtin_popcount(r & (i % (REPLICAS - 1) + 1)) + (int)(x >> 63)) & 1 ? -1 : 1;
}

// A counter's place in places.def, or else one by its name. It isn't the one in counters.def, so that a counter more
// changes no other one's intervals.
uint32_t sample_place(Counter c)
{
    static const Counter first[] = {
#define PLACE(id) C_##id,
#include "chip/places.def"
#undef PLACE
    };
    uint32_t hash = 2166136261;
    for (uint32_t k = 0; k < COUNT(first); k++)
        if (first[k] == c) return k;
    for (const char *at = counter_info[c].name; *at; at++) hash = (hash ^ (uint8_t)*at) * 16777619;
    return hash % (REPLICAS - 1);
}

uint64_t sample_round(double x) { return x > 0 ? (uint64_t)(x + 0.5) : 0; }

bool sample_exact(int counter) { return counter == C_WARP_INSTS || counter == C_THREAD_INSTS || counter == C_BLOCKS; }

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
        for (int c = 0; c < C_COUNT; c++) other[c] = sample_round((double)count[c] + s->off[r][c]);
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
