// spectrum.c: how long a load takes, by what it finds: its data in the cache, the L2 or DRAM; its page in the L1 TLB,
// the L2 TLB or neither; its page-table entry active or not (Mei et al., Tables 3 and 5). One run makes loads of every
// such pattern, and prepares each of them accordingly. The latencies fall into modes. A mode gets the name of the
// pattern that most of its loads were prepared for.
//
// Memory has three regions. Lines from page 0 on evict what is in the L2 and in the cache. `around` pages from there on
// are walked round. Behind them are fresh pages, so far apart that no load brings in two page-table entries (APART
// pages: 128 bytes of 8-byte entries).
#include "probe/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { APART = 16, LINES = 64, STRIDE = 512, FRESH = 24, LABELS = 8192 };

typedef struct Plan {
    Walk walk[CHASE_WALKS];
    uint8_t pattern[LABELS];      // of timed loads, in order
    size_t walks, timed, most;    // most: walks of a sequence
    uint64_t page, stride, span;  // stride: distance of the pages that are walked round
    // evict: how many bytes to load to empty the L2; cache: size of the cache in front of it, 0: there is none.
    uint64_t evict, cache;
    // late: so many pages miss the L1 TLB but not the L2 TLB; around: so many miss both; 0: unknown.
    uint32_t late, around;
} Plan;

static void add(Plan *p, uint64_t start, uint64_t stride, uint32_t count, int pattern)
{
    if (p->walks == p->most || !count) return;
    bool timed = pattern >= 0 && p->timed + count <= LABELS;
    for (uint32_t k = 0; timed && k < count; k++) p->pattern[p->timed++] = (uint8_t)pattern;
    p->walk[p->walks++] = (Walk){.start = start, .stride = (int64_t)stride, .count = count, .timed = timed};
}

// Empties the cache in front, with lines of page 0; several times, since victims may be drawn at random.
static void thrash(Plan *p)
{
    for (int k = 0; k < 3 && p->cache; k++) add(p, 0, 32, (uint32_t)(4 * p->cache / 32), -1);
}

static uint32_t fits(const FoundTlbs *t, int level)
{
    return t->level[level].entries.verdict == MEASURED ? (uint32_t)t->level[level].entries.value : 0;
}

static bool open_plan(Plan *p, const Subject *s, ChaseKind kind, const Found *cache, const FoundTlbs *t,
                      const FoundL2 *l2)
{
    uint32_t first = fits(t, 0), second = fits(t, 1);
    *p = (Plan){.span = s->span[kind],
                .most = subject_walks(s),
                .page = t->page.verdict == MEASURED ? (uint64_t)t->page.value : 2u << 20};
    p->stride = p->page + s->stagger;
    p->evict = l2->size.verdict == MEASURED ? 2 * (uint64_t)l2->size.high : 0;
    p->cache = cache && cache->size.verdict == MEASURED ? (uint64_t)cache->size.value : 0;
    // late: certainly overflows the L1 TLB, and fits the L2 TLB. around: certainly overflows both.
    if (first && second > 2 * first + 4)
        p->late = MIN(4 * first, second - 4);
    else if (first)
        p->late = 2 * first;
    if (second) p->around = 2 * second;
    return p->evict && p->evict < p->span / 4;
}

// The place of the k-th fresh page; 0: there is no more memory.
static uint64_t fresh(const Plan *p, uint32_t k)
{
    uint64_t apart = APART * p->page,
             from =
                 ((MAX((uint64_t)MAX(p->around, p->late) * p->stride, p->evict) + apart - 1) / apart + 1 + k) * apart;
    return from + p->page <= p->span ? from + 4096 : 0;
}

static void in_tlb(Plan *p)
{
    uint64_t at = fresh(p, 0);
    uint32_t stride = STRIDE, lines = LINES;
    while (lines * stride > p->page / 2 && lines > 8) lines /= 2;
    if (p->cache) add(p, at, 0, 2, -1), add(p, at, 0, LINES, PATTERN_CACHE);
    add(p, at, stride, lines, -1);  // now they are in the L2
    thrash(p);
    add(p, at, 4, 1, -1);  // the page is in the L1 TLB again
    add(p, at + stride, stride, lines - 1, PATTERN_L2);
    if (p->cache) thrash(p), add(p, at, 4, 1, -1);
    add(p, at + p->page / 2, stride, lines, PATTERN_DRAM);  // never loaded since the L2 was emptied
}

static void around(Plan *p, uint32_t pages, Pattern pattern)
{
    for (int k = 0; k < 2 && pages; k++) {
        add(p, 0, p->stride, pages, k ? (int)pattern : -1);
        if (!k) thrash(p);
    }
}

// First fresh pages in order, within one window; then pages of two windows in turn.
static void far_pages(Plan *p, Value window)
{
    uint64_t size = window.verdict == MEASURED ? (uint64_t)window.value : UINT64_MAX, at, last = UINT64_MAX;
    uint32_t k = 1, low = 0, high = 0, n = 0;
    for (; n < FRESH && (at = fresh(p, k)); k++) {
        // They lie in a window of their own, the last one.
        if (size != UINT64_MAX && at / size != (p->span - 1) / size) continue;
        if (!low) low = k;
        if (size != UINT64_MAX && fresh(p, k) - fresh(p, low) > size / 2) break;
        add(p, at, 4, 1, last == at / size ? PATTERN_DRAM_WALK : -1);
        last = at / size, n++;
    }
    if (size == UINT64_MAX || !low) return;
    for (high = k, k = 1; k < low && (at = fresh(p, high)); k++, high++) {
        add(p, fresh(p, k), 4, 1, PATTERN_DRAM_SWITCH);
        add(p, at, 4, 1, PATTERN_DRAM_SWITCH);
    }
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The values have the latency in their upper bits and the pattern in the lower 8, and are sorted. A mode ends at a gap
// that is wider than noise.
static void find_modes(Spectrum *out, const uint64_t *v, size_t n)
{
    for (size_t from = 0, to; from < n && out->modes < MODES; from = to) {
        uint32_t count[PATTERN_KINDS] = {0};
        double sum = 0;
        for (to = from; to < n; to++) {
            double x = (double)(v[to] >> 8), before = (double)(v[to - (to > from)] >> 8);
            if (x - before > MAX(2, 0.015 * before)) break;
            sum += x, count[v[to] & 255]++;
        }
        Mode m = {.n = (uint32_t)(to - from),
                  .mean = sum / (double)(to - from),
                  .low = (double)(v[from] >> 8),
                  .high = (double)(v[to - 1] >> 8)};
        for (int k = 0; k < PATTERN_KINDS; k++)
            if (count[k] > count[m.pattern]) m.pattern = (Pattern)k;
        m.share = count[m.pattern] / (double)m.n;
        out->mode[out->modes++] = m;
    }
}

static Value of_pattern(const uint64_t *v, size_t n, Pattern pattern)
{
    uint32_t *of = mem_alloc(sizeof *of * (n + 1));
    size_t m = 0;
    for (size_t k = 0; k < n; k++)
        if ((v[k] & 255) == pattern) of[m++] = (uint32_t)(v[k] >> 8);
    Value value = m ? measured(of[m / 2], of[m / 40], of[m - 1 - m / 40]) : (Value){.verdict = ABSENT};
    mem_free(of);
    return value;
}

bool spectrum_measure(Subject *s, ChaseKind kind, const Found *cache, const FoundTlbs *tlbs, const FoundL2 *l2,
                      Value window, Spectrum *out, Diag *diag)
{
    Plan *p = mem_alloc(sizeof *p);
    uint32_t latency[LABELS];
    *out = (Spectrum){.kind = kind};
    bool ok = true;
    if (open_plan(p, s, kind, cache, tlbs, l2) && fresh(p, 0)) {
        add(p, 0, 32, (uint32_t)(p->evict / 32), -1);
        in_tlb(p);
        around(p, p->late, PATTERN_L2_LATE);
        around(p, p->around, PATTERN_L2_WALK);
        if (p->around) far_pages(p, window);
        ok = subject_run(s, kind, p->walk, p->walks, 1, 0, latency, diag);
    }
    if (ok && p->timed) {
        uint64_t *v = mem_alloc(sizeof *v * p->timed);
        for (size_t k = 0; k < p->timed; k++) v[k] = (uint64_t)latency[k] << 8 | p->pattern[k];
        qsort(v, p->timed, sizeof *v, compare);
        find_modes(out, v, p->timed);
        for (int k = 0; k < PATTERN_KINDS; k++) out->pattern[k] = of_pattern(v, p->timed, (Pattern)k);
        mem_free(v);
    }
    mem_free(p);
    return ok;
}

// --- the window ------------------------------------------------------------------------------------------------------
// Pages at the region's start are walked round until nothing else is in the TLBs. Then a page that nobody has touched
// is loaded, at growing distances. Once the distance leaves the window, the load takes longer.
bool window_infer(Subject *s, const FoundTlbs *tlbs, const FoundL2 *l2, Value *window, Value *switching, Diag *diag)
{
    Plan *p = mem_alloc(sizeof *p);
    uint32_t latency[64], far[64], n = 0, at = 0;
    uint64_t distance[64];
    bool ok = true, known = open_plan(p, s, CHASE_L2, NULL, tlbs, l2);
    *window = *switching = !known      ? undetermined("it isn't known how to empty the L2")
                           : p->around ? absent("no distance makes a page that nobody has touched slower")
                                       : undetermined("it isn't known how many pages the L2 TLB holds");
    if (known && p->around) {
        add(p, 0, 32, (uint32_t)(p->evict / 32), -1);
        // Distances of 2^k and 1.5 · 2^k.
        for (uint64_t d = APART * p->page; d + p->page < p->span && n < 30; d = d & (d - 1) ? d / 3 * 4 : d / 2 * 3) {
            if (d < p->around * p->stride) continue;
            add(p, 0, p->stride, p->around, -1);
            add(p, d + 8192, 4, 1, PATTERN_DRAM_WALK);
            distance[n++] = d;
        }
        ok = n && subject_run(s, CHASE_L2, p->walk, p->walks, 1, 0, latency, diag);
        if (n && !ok) *window = *switching = undetermined(bound_why);
        memcpy(far, latency, sizeof far);
        while (at + 1 < n && far[at + 1] < far[at] * 1.1) at++;
        bool stays = at + 1 < n;
        for (uint32_t k = at + 1; k < n; k++) stays = stays && far[k] > far[0] * 1.1;
        stays = stays && !(distance[at + 1] & (distance[at + 1] - 1));
        if (ok && stays) {
            *window = counted((double)distance[at + 1]);
            *switching =
                measured((double)far[at + 1] - far[at], (double)far[at + 1] - far[at], (double)far[at + 1] - far[at]);
        }
        ok = ok || !n;
    }
    mem_free(p);
    return ok;
}
