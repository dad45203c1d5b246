// settle.c: makes one trace out of several. On a real GPU interference makes single loads much slower, and none faster.
// So a position's median hardly moves, and outliers are told by the spread of the other repeats. Nothing here knows
// what a latency means.
#include "probe/measure.h"

// If two values are in the middle, the lower one, so that the median is a latency that was measured. There are few
// repeats, so sorting by insertion is enough.
static uint32_t median(uint32_t *v, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++) {
        uint32_t x = v[k], at = k;
        for (; at && v[at - 1] > x; at--) v[at] = v[at - 1];
        v[at] = x;
    }
    return v[(n - 1) / 2];
}

static uint32_t distance(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

uint32_t settle_value(const uint32_t *v, size_t step, uint32_t repeats, uint32_t *rejected)
{
    uint32_t all[SETTLE_LIMIT], off[SETTLE_LIMIT], n = MIN(repeats, (uint32_t)SETTLE_LIMIT), kept = 0;
    for (uint32_t r = 0; r < n; r++) all[r] = v[r * step];
    uint32_t middle = median(all, n);
    for (uint32_t r = 0; r < n; r++) off[r] = distance(all[r], middle);
    uint64_t far = 5ull * MAX(median(off, n), 1u);
    for (uint32_t r = 0; r < n; r++)
        if (distance(all[r], middle) <= far) all[kept++] = all[r];
    if (rejected) *rejected = n - kept;
    return median(all, kept);
}

static bool is_still(const uint32_t *v, size_t step, uint32_t repeats, uint32_t within)
{
    uint32_t low = UINT32_MAX, high = 0;
    if (repeats < SETTLE_LEAST) return false;
    for (uint32_t r = repeats - SETTLE_LEAST + 1; r <= repeats; r++) {
        uint32_t m = settle_value(v, step, r, NULL);
        low = MIN(low, m), high = MAX(high, m);
    }
    return high - low < within;
}

Settled settle(const uint32_t *traces, uint32_t repeats, size_t n, uint32_t within, uint32_t *value)
{
    Settled s = {0};
    for (size_t p = 0; p < n; p++) {
        uint32_t rejected;
        value[p] = settle_value(traces + p, n, repeats, &rejected);
        s.rejected += rejected;
        s.moving += !is_still(traces + p, n, repeats, within);
    }
    return s;
}
