// footprint.c: infers which texels of a 2D texture a miss brings in together (mei §4.3: a mapping "optimized for 2D
// spatial locality"). A texel was fetched, then a neighbour, then the texel again (texels.c). The neighbour came with
// the texel if its fetch took as long as the third one, which is a hit. The answer is the one tile that explains which
// neighbours came. A device that doesn't cache textures has no footprint.
#include "probe/infer.h"

#include <stdlib.h>

static void say(Footprint *f, Value all) { f->width = f->height = f->linear = all; }

// --- the tile --------------------------------------------------------------------------------------------------------
// Do tiles of w × h texels, the first at (0, 0), explain exactly which pairs came together?
static bool explains(const Pair *pairs, size_t n, int32_t w, int32_t h)
{
    for (size_t p = 0; p < n; p++) {
        const Pair *a = &pairs[p];
        bool same = a->x / w == (a->x + a->dx) / w && a->y / h == (a->y + a->dy) / h;
        if (same != a->together) return false;
    }
    return true;
}

void footprint_infer(const Pair *pairs, size_t n, Footprint *f)
{
    static const char none[] = "no rectangle of up to 32 by 32 texels explains which come together",
                      many[] = "rectangles of different sizes explain which come together";
    int32_t w = 0, h = 0;
    size_t found = 0;
    for (int32_t x = 1; x <= FOOTPRINT_REACH; x++)
        for (int32_t y = 1; y <= FOOTPRINT_REACH; y++)
            if (explains(pairs, n, x, y)) w = x, h = y, found++;
    if (found == 1)
        f->width = counted(w), f->height = counted(h), f->linear = counted(h == 1);
    else
        say(f, undetermined(found ? many : none));
}

// --- latencies -------------------------------------------------------------------------------------------------------
static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The latency below which one in `part` of the fetches lies; which: 0 for first fetches, 2 for repeated ones.
static uint32_t quantile(const uint32_t *took, size_t n, int which, size_t part)
{
    uint32_t *v = mem_alloc(n * sizeof *v);
    for (size_t p = 0; p < n; p++) v[p] = took[3 * p + (size_t)which];
    qsort(v, n, sizeof *v, by_size);
    uint32_t q = v[n / part];
    mem_free(v);
    return q;
}

void footprint_judge(Pair *pairs, size_t n, const uint32_t *took, Footprint *f)
{
    uint32_t hit = quantile(took, n, 2, 2), miss = quantile(took, n, 0, 10);
    for (size_t p = 0; p < n; p++) pairs[p].together = took[3 * p + 1] < (hit + miss) / 2;
    if (miss <= hit + hit / 8)
        say(f, absent("a texel is fetched again no faster than the first time"));
    else
        footprint_infer(pairs, n, f);
    f->hit = hit, f->miss = miss, f->pairs = n;
}
