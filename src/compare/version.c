// version.c: the form that a run has when it is compared. Kernels, and in a kernel arrays and lines, are each there
// once, in the order in which they came.
#include "compare/unit.h"
#include "names/names.h"

#include <math.h>
#include <string.h>

const char *version_text(Version *v, const char *text)
{
    Text t = {0};
    text_put(&t, "");
    for (size_t left = strlen(text); left;) {
        size_t n = text_sequence(text, left);
        if (n)
            text_add(&t, text, n);
        else
            text_put(&t, "\xef\xbf\xbd"), n = 1;
        text += n, left -= n;
    }
    const char *copy = arena_text(&v->arena, t.v, t.n);
    text_free(&t);
    return copy;
}

// The name without what stands in <…> and in (…), and without scopes in front.
static const char *plain_name(Version *v, const char *name)
{
    Text t = {0};
    if (demangle(name, NAME_PLAIN, &t) && t.n) {
        const char *plain = arena_text(&v->arena, t.v, t.n);
        text_free(&t);
        return plain;
    }
    text_free(&t);
    return name;
}

VersionKernel *version_kernel(Version *v, const char *name, bool timed)
{
    for (size_t k = 0; k < v->kernels.n; k++)
        if (!strcmp(v->kernels.v[k].name, name) && v->kernels.v[k].timed == timed) return &v->kernels.v[k];
    if (v->kernels.n == VERSION_MOST) return NULL;
    char *shown = name_shown(name);
    VersionKernel one = {.name = arena_copy(&v->arena, name), .timed = timed};
    one.shown = version_text(v, shown), one.plain = plain_name(v, one.name);
    mem_free(shown);
    vec_push(&v->kernels, one);
    return &v->kernels.v[v->kernels.n - 1];
}

VersionArray *version_array(Version *v, VersionKernel *k, const char *name)
{
    name = version_text(v, name);
    for (size_t n = 0; n < k->arrays.n; n++)
        if (!strcmp(k->arrays.v[n].name, name)) return &k->arrays.v[n];
    if (k->arrays.n == VERSION_MOST) return NULL;
    vec_push(&k->arrays, ((VersionArray){.name = name}));
    return &k->arrays.v[k->arrays.n - 1];
}

VersionLine *version_line(Version *v, VersionKernel *k, const char *file, uint64_t line)
{
    file = version_text(v, file);
    for (size_t n = 0; n < k->lines.n; n++)
        if (k->lines.v[n].line == line && !strcmp(k->lines.v[n].file, file)) return &k->lines.v[n];
    if (k->lines.n == VERSION_MOST) return NULL;
    vec_push(&k->lines, ((VersionLine){.file = file, .line = line}));
    return &k->lines.v[k->lines.n - 1];
}

void version_gpu(Version *v, const uint64_t *count, double seconds, double occupancy, double dram)
{
    if (!v->gpu) v->gpu = arena_alloc(&v->arena, sizeof *v->gpu);
    const double cycles = (double)count[C_CYCLES], active = (double)count[C_SM_CYCLES];
    if (seconds > 0 && cycles > 0) v->gpu->core_mhz = cycles / seconds / 1e6;
    if (occupancy > 0 && active > 0) {
        double warps = round((double)count[C_WARP_CYCLES] / active / occupancy);
        if (warps > 0 && warps < 1e6) v->gpu->sm.max_warps = (uint32_t)warps;
    }
    if (dram > 0 && seconds > 0) v->gpu->dram_gbs = dram_bytes(count) / seconds / dram / 1e9;
}

static bool same_value(const char *metric, const uint64_t *a, const Gpu *g, const uint64_t *b, const Gpu *h)
{
    Metric m, n;
    if (!metric_find(metric, a, g, &m) || !metric_find(metric, b, h, &n)) return false;
    return m.value == n.value || (isnan(m.value) && isnan(n.value));
}

// A formula is asked: what it reads moves its value. Formulas are ratios, products and sums of counters, which move at
// values that are all apart; what isn't known of the GPU doesn't matter where there is nothing of which it is a share.
bool version_tells(const Version *v, const VersionKernel *k, const char *metric)
{
    uint64_t count[C_COUNT], other[C_COUNT];
    Gpu g = *v->gpu, h = *v->gpu;
    for (uint64_t c = 0; c < C_COUNT; c++)
        count[c] = 1000 + 7 * c, other[c] = count[c] + (k->lacks[c] ? 5 + 11 * c * c : 0);
    if (!(v->gpu->core_mhz > 0)) g.core_mhz = 3, h.core_mhz = 4;
    if (!v->gpu->sm.max_warps) g.sm.max_warps = 5, h.sm.max_warps = 8;
    if (!(v->gpu->dram_gbs > 0)) g.dram_gbs = 7, h.dram_gbs = 11;
    return same_value(metric, count, &g, other, &g) && same_value(metric, k->count, &g, k->count, &h);
}

void version_sum(Version *v)
{
    if (!v->gpu) v->gpu = arena_alloc(&v->arena, sizeof *v->gpu);
    v->whole = (VersionKernel){.timed = true};
    for (size_t k = 0; k < v->kernels.n; k++) {
        const VersionKernel *one = &v->kernels.v[k];
        if (!one->timed) continue;
        v->whole.launches += one->launches, v->whole.seconds += one->seconds, v->whole.partial |= one->partial;
        for (int c = 0; c < C_COUNT; c++) {
            v->whole.count[c] = most_plus(v->whole.count[c], one->count[c]);
            v->whole.lacks[c] |= one->lacks[c];
        }
    }
}

void version_free(Version *v)
{
    for (size_t k = 0; k < v->kernels.n; k++) vec_free(&v->kernels.v[k].arrays), vec_free(&v->kernels.v[k].lines);
    vec_free(&v->kernels);
    arena_free(&v->arena);
    *v = (Version){.input = NULL};
}
