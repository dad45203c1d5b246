// curve.c: the share of loads that miss, against the size of the array that is walked round, as in Mei et al., Fig. 8,
// 9 and 11. A reader sees the inferred structure in it. Earlier measurements found the latencies that tell misses from
// hits.
#include "probe/infer.h"

enum { LOADS = 4096, CACHE_WARM = 4, TLB_WARM = 3 };  // loads of a point

// Goes round n lines, and counts the loads that took longer than `middle` as misses.
static bool point(Subject *s, ChaseKind kind, uint64_t start, uint64_t stride, uint64_t unit, uint64_t n, uint32_t warm,
                  uint32_t rounds, double middle, MissCurve *out, Diag *diag)
{
    const Walk walk = {.start = start, .stride = (int64_t)stride, .count = (uint32_t)n, .timed = true};
    uint32_t *latency = mem_alloc(sizeof *latency * n * rounds);
    uint64_t missed = 0;
    bool ok = subject_run(s, kind, &walk, 1, warm + rounds, warm, latency, diag);
    for (uint64_t k = 0; ok && k < n * rounds; k++) missed += latency[k] > middle;
    if (ok) out->point[out->n++] = (MissPoint){n * unit, (double)missed / (double)(n * rounds)};
    mem_free(latency);
    return ok;
}

// From three quarters to seven quarters of what fits.
bool curve_cache(Subject *s, ChaseKind kind, const Found *f, MissCurve *out, Diag *diag)
{
    out->n = 0;
    if (f->size.verdict != MEASURED || f->low.verdict != MEASURED) return true;
    uint64_t line = (uint64_t)f->line.value, lines = (uint64_t)f->entries.value, last = 0;
    for (uint64_t k = 24; k <= 56; k++) {
        uint64_t n = lines * k / 32;
        if (n == last || !n || n * line > s->span[kind]) continue;
        if (!point(s, kind, 0, line, line, last = n, CACHE_WARM, (uint32_t)MAX(LOADS / n, 2),
                   0.5 * (f->low.value + f->high.value), out, diag))
            return out->n = 0, false;
    }
    return true;
}

// The page to begin at. The first page that doesn't fit goes to the same set as this one. If sets are unequal, it is a
// page of a largest set, whose next page is in another set, as for the array of mei Fig. 11: then the sets overflow one
// after the other.
uint64_t curve_first(const Shape *s)
{
    uint32_t most = 0;
    for (uint32_t k = 0; s->form != FORM_NONE && k < s->sets; k++) most = MAX(most, s->ways[k]);
    if (most * (uint64_t)s->sets == s->lines) return 0;
    for (uint64_t k = 0; k < s->lines; k++)
        if (s->ways[shape_set(s, k)] == most && shape_set(s, k + 1) != shape_set(s, k)) return k;
    return 0;
}

// Page by page, from where the first set overflows. Loads that the level in front serves count as hits.
bool curve_tlb(Subject *s, ChaseKind kind, const FoundTlbs *f, uint32_t level, MissCurve *out, Diag *diag)
{
    const Found *l = &f->level[level];
    const Value *penalty = level ? &f->walk : &f->late;
    out->n = 0;
    if (l->size.verdict != MEASURED || penalty->verdict != MEASURED || f->page.verdict != MEASURED) return true;
    uint64_t page = (uint64_t)f->page.value, lines = (uint64_t)l->entries.value, stride = page + s->stagger,
             start = curve_first(&l->shape);
    uint32_t latency[256], rounds = 4;
    // The latency of a page that is in the TLBs; a miss takes more.
    const Walk one = {.count = 64, .timed = true};
    if (!subject_run(s, kind, &one, 1, 5, 1, latency, diag)) return false;
    double hit = sample_of(latency, 256).mean + (level && f->late.verdict == MEASURED ? f->late.value : 0);
    for (uint64_t n = lines > 8 ? lines - 4 : 1; n < lines + lines / 4 + 4 && out->n < CURVE_POINTS;
         n += 1 + lines / 128)
        if ((start + n) * stride <= s->span[kind] &&
            !point(s, kind, start * stride, stride, page, n, TLB_WARM, rounds, hit + 0.5 * penalty->value, out, diag))
            return out->n = 0, false;
    return true;
}
