// remedies.c: what a programmer can change tomorrow, without another algorithm. Each row of finders[] looks at a run,
// and adds changes of its kind, each with settings that do to the simulated GPU what the line in the source would do.
// Whether one helps is for the runs to say; a finder leaves out only what can't do anything.
#include "advise/unit.h"

#include "exec/launch.h"
#include "gpu/gpu.h"
#include "names/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Asked {
    const Gpu *g;
    const StoredRun *run;
    const WorkloadEntry *workload;  // null: another program
    const FileRun *file;            // likewise: a file's kernel, or those of an argument file
    const Facts *facts;
    Arena *arena;
    Remedies *out;
} Asked;

// The texts lie in the arena, or are constants; they are as long as they need to be.
static Remedy *add(const Asked *f, const char *kind, const char *what, const char *write)
{
    Remedy c = {.kind = kind, .what = what, .write = write};
    vec_push(f->out, c);
    return &f->out->v[f->out->n - 1];
}

// ", at atax.cu:9": the line with most of what an array's accesses take; of shared memory, of what conflicts take. ""
// where no line is known.
static const char *place(const Asked *f, const char *array)
{
    const RunLine *most = NULL;
    const bool conflicts = !strcmp(array, "shared memory");
    uint64_t highest = 0;
    for (size_t k = 0; k < f->run->kernels.n; k++)
        for (size_t n = 0; n < f->run->kernels.v[k].lines.n; n++) {
            const RunLine *l = &f->run->kernels.v[k].lines.v[n];
            const uint64_t cost = conflicts ? l->transactions - MIN(l->issued, l->transactions) : l->transactions;
            if (l->array && !strcmp(l->array, array) && l->line && cost > highest) highest = cost, most = l;
        }
    return most ? arena_printf(f->arena, ", at %s:%" PRIu64, base_name(most->file), most->line) : "";
}

// --- the size of the L1 ----------------------------------------------------------------------------------------------
enum { MOST_CARVEOUTS = 5 };  // that are tried: the smallest, the largest, and others between them

static void find_carveout(const Asked *f)
{
    const SmCfg *s = &f->g->sm;
    if (s->storage != STORAGE_CARVED || s->carveout_count < 2) return;
    uint32_t n = MIN(s->carveout_count, (uint32_t)MOST_CARVEOUTS), most = s->carveouts[s->carveout_count - 1];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t kib = s->carveouts[k * (s->carveout_count - 1) / (n - 1)];
        Remedy *c =
            add(f, "carve-out",
                arena_printf(f->arena, "a carve-out of %u KiB, an L1 of %u KiB", kib, s->storage_size / 1024 - kib),
                arena_printf(
                    f->arena,
                    "cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, %u);  // percent",
                    kib * 100 / most));
        c->sets[0] = arena_printf(f->arena, "storage.carveouts=%u", kib);
        c->carved = true, c->kib = kib, c->percent = kib * 100 / most;
    }
}

// What the kernels of one name take together in a run; negative: it has none of that name.
static double kernel_cycles(const StoredRun *run, const char *name)
{
    double all = -1;
    for (size_t k = 0; k < run->kernels.n; k++)
        if (!run->kernels.v[k].functional && !strcmp(run->kernels.v[k].name, name))
            all = MAX(all, 0) + (double)run->kernels.v[k].count[C_CYCLES];
    return all;
}

// The carve-out with which a kernel is fastest, as a change; SIZE_MAX: it is by itself.
static size_t best_carveout(const Advice *a, const char *name)
{
    double least = kernel_cycles(a->trials.v[0].run, name) / ADVISE_GAIN;
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < a->changes.n; k++) {
        const Trial *t = &a->trials.v[1 + k];
        const double cycles = trial_cycles(t) > 0 ? kernel_cycles(t->run, name) : -1;
        if (!a->changes.v[k].carved || cycles < 0 || cycles >= least) continue;
        least = cycles, best = k;
    }
    return best;
}

static bool seen_before(const StoredRun *run, size_t kernel)
{
    for (size_t k = 0; k < kernel; k++)
        if (!strcmp(run->kernels.v[k].name, run->kernels.v[kernel].name)) return true;
    return false;
}

// Settings of the software L1 that are tried where it costs little or gains.
static void sl1_settings(Advice *a)
{
    static const char *const settings[] = {"line=8", "line=24", "layout=banks", "decide=warp", "strides", "neighbours"};
    double times = 0;
    for (size_t k = 0; k < a->changes.n; k++)
        if (a->changes.v[k].sl1) times = trial_times(a, &a->trials.v[1 + k]);
    for (size_t k = 0; k < COUNT(settings) && times > 0.9; k++) {
        Remedy c = {.kind = "software L1",
                    .what = arena_printf(&a->arena, "the software L1 with %s", settings[k]),
                    .write = arena_printf(&a->arena, "onchip sl1 kernel.ptx --sl1=%s (doc/use/sl1.md)", settings[k]),
                    .sl1 = settings[k]};
        vec_push(&a->changes, c);
    }
}

// Where kernels are fastest with different carve-outs, each gets its own.
static void carveouts_apart(Advice *a)
{
    const StoredRun *run = a->trials.v[0].run;
    Text set = {0}, what = {0}, write = {0};
    size_t first = 0, chosen = 0;
    bool apart = false;
    for (size_t k = 0, n = 0; k < run->kernels.n; k++) {
        const char *name = run->kernels.v[k].name;
        if (run->kernels.v[k].functional || seen_before(run, k)) continue;
        const size_t best = best_carveout(a, name);
        if (!n++) first = best;
        apart |= best != first;
        if (best == SIZE_MAX || strpbrk(name, ",: ")) continue;
        const Remedy *c = &a->changes.v[best];
        char *shown = name_shown(name);
        text_printf(&set, "%s%s:%u", chosen ? "," : "", name, c->kib);
        const int word = (int)strcspn(shown, "(");
        text_printf(&what, "%s%u KiB for %.*s", chosen ? ", " : "", c->kib, word, shown);
        text_printf(&write, "%scudaFuncSetAttribute(%.*s, cudaFuncAttributePreferredSharedMemoryCarveout, %u);",
                    chosen ? " " : "", word, shown, c->percent);
        mem_free(shown);
        chosen++;
    }
    if (apart && chosen) {
        Remedy c = {.kind = "carve-out",
                    .what = arena_printf(&a->arena, "a carve-out by kernel, %s", what.v),
                    .write = arena_copy(&a->arena, write.v),
                    .sets = {arena_printf(&a->arena, "storage.kernels=%s", set.v)}};
        vec_push(&a->changes, c);
    }
    text_free(&set), text_free(&what), text_free(&write);
}

void remedies_after(Advice *a)
{
    carveouts_apart(a);
    sl1_settings(a);
}

// Fermi and Kepler divide 64 KiB in one of two ways, and the description has one of them.
static void find_division(const Asked *f)
{
    const SmCfg *s = &f->g->sm;
    enum { ALL = 64 << 10, SMALL = 16 << 10 };
    if (s->storage != STORAGE_PARTITIONED || s->l1.size + s->shared_size != ALL || f->g->capability >= 50) return;
    bool small = s->l1.size == SMALL;
    if (!small && s->shared_size != SMALL) return;
    Remedy *c =
        add(f, "carve-out", small ? "an L1 of 48 KiB, shared memory of 16" : "an L1 of 16 KiB, shared memory of 48",
            small ? "cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1);"
                  : "cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared);");
    c->sets[0] = small ? "l1.size=48KiB" : "l1.size=16KiB";
    c->sets[1] = small ? "shared.size=16KiB" : "shared.size=48KiB";
    c->sets[2] = small ? "shared.max=16KiB" : "shared.max=48KiB";
}

static void find_global(const Asked *f)
{
    const SmCfg *s = &f->g->sm;
    if (!s->l1.size || !f->run->count[C_SECTORS_LOADED]) return;
    Remedy *c = add(f, "route of all", s->l1_global ? "all global loads past the L1" : "global loads through the L1",
                    s->l1_global ? "nvcc -Xptxas -dlcm=cg" : "nvcc -Xptxas -dlcm=ca");
    c->sets[0] = s->l1_global ? "l1.global=no" : "l1.global=yes";
}

// --- the way of a data structure -------------------------------------------------------------------------------------
typedef struct Used {  // a data structure, summed over the kernels
    const char *name;
    uint64_t loads, writes, accesses;
} Used;
enum { MOST_USED = 64, MOST_ROUTED = 4 };

static int by_accesses(const void *x, const void *y)
{
    const Used *a = x, *b = y;
    if (a->accesses != b->accesses) return a->accesses < b->accesses ? 1 : -1;
    return strcmp(a->name, b->name);
}

static size_t used(const StoredRun *run, Used out[MOST_USED])
{
    size_t n = 0;
    for (size_t k = 0; k < run->kernels.n; k++)
        for (size_t m = 0; !run->kernels.v[k].functional && m < run->kernels.v[k].structures.n; m++) {
            const RunStructure *s = &run->kernels.v[k].structures.v[m];
            size_t at = 0;
            while (at < n && strcmp(out[at].name, s->name)) at++;
            if (at == MOST_USED || !strcmp(s->name, "other") || !strcmp(s->name, "local memory")) continue;
            if (at == n) out[n++] = (Used){.name = s->name};
            out[at].loads += s->loads, out[at].writes += s->stores + s->atomics, out[at].accesses += s->transactions;
        }
    qsort(out, n, sizeof *out, by_accesses);
    return n;
}

// A list of names has commas between them, and a name that has one itself can't be set.
static void route(const Asked *f, const Used *u, const char *kind, const char *key, const char *what, const char *how)
{
    size_t word = strcspn(u->name, " ");
    if (memchr(u->name, ',', word) || memchr(u->name, '=', word)) return;
    const char *about = arena_printf(f->arena, what, (int)word, u->name);
    const char *write = arena_printf(f->arena, how, (int)word, u->name);
    add(f, kind, about, arena_printf(f->arena, "%s%s", write, place(f, u->name)))->sets[0] =
        arena_printf(f->arena, "%s=%.*s", key, (int)word, u->name);
}

static void find_routes(const Asked *f)
{
    Used all[MOST_USED];
    size_t n = used(f->run, all), tried = 0;
    const SmCfg *s = &f->g->sm;
    for (size_t k = 0; k < n && tried < MOST_ROUTED; k++) {
        if (!all[k].loads) continue;
        tried++;
        if (s->l1.size && s->l1_global && n > 1)
            route(f, &all[k], "past the L1", "l1.past", "loads of %.*s past the L1", "load %.*s with __ldcg(&…)");
        if (s->ro.size && s->ro_nc && f->g->capability >= 35 && !all[k].writes)
            route(f, &all[k], "read-only", "readonly.take", "loads of %.*s through the read-only cache",
                  "load %.*s with __ldg(&…), or declare its pointer const and __restrict__");
    }
}

// --- how much runs at a time -----------------------------------------------------------------------------------------
// Those of the kernel with the most.
static uint32_t blocks_held(const StoredRun *run)
{
    uint32_t most = 0;
    for (size_t k = 0; k < run->kernels.n; k++)
        if (!run->kernels.v[k].functional) most = MAX(most, blocks_room(&run->kernels.v[k]));
    return most;
}

static void find_blocks(const Asked *f)
{
    uint32_t held = blocks_held(f->run);
    for (uint32_t n = held / 2, k = 0; n && k < 3; n /= 2, k++) {
        const char *what =
            arena_printf(f->arena, "%u block%s an SM at a time instead of %u", n, n > 1 ? "s" : "", held);
        const char *write = arena_printf(
            f->arena, "kernel<<<grid, block, %u>>>(…)  // so much dynamic shared memory that no more blocks fit",
            f->g->sm.shared_size / n / 1024 * 1024);
        add(f, "blocks", what, write)->sets[0] = arena_printf(f->arena, "sm.blocks=%u", n);
    }
}

static void find_registers(const Asked *f)
{
    static const uint32_t limits[] = {32, 64, 128};
    bool limited = false;
    for (size_t k = 0; k < f->run->kernels.n; k++)
        limited |= f->run->kernels.v[k].limit && !strcmp(f->run->kernels.v[k].limit, "registers");
    for (size_t k = 0; limited && k < COUNT(limits); k++) {
        if (limits[k] >= f->g->sm.reg_max) continue;
        const char *what = arena_printf(f->arena, "at most %u registers a thread", limits[k]);
        const char *write = arena_printf(f->arena, "nvcc -maxrregcount=%u", limits[k]);
        add(f, "registers", what, write)->sets[0] = arena_printf(f->arena, "registers.max=%u", limits[k]);
    }
}

// A workload says by a parameter's name that its block's size can be chosen.
static void find_threads(const Asked *f)
{
    for (size_t k = f->run->params_at; f->workload && k < f->run->settings.n; k++) {
        const RunSetting *s = &f->run->settings.v[k];
        if (strcmp(s->name, "threads") && strcmp(s->name, "block")) continue;
        const WorkParam *p = f->workload->workload->params;
        while (p->name && strcmp(p->name, s->name)) p++;
        int64_t now = strtoll(s->value, NULL, 10), values[] = {now / 4, now / 2, 2 * now, 4 * now};
        for (size_t n = 0; p->name && n < COUNT(values); n++) {
            if (values[n] < p->min || values[n] > p->max || !values[n]) continue;
            const char *what =
                arena_printf(f->arena, "%s = %lld instead of %lld", s->name, (long long)values[n], (long long)now);
            add(f, "block", what, "launch blocks of that size")->params[0] =
                arena_printf(f->arena, "%s=%lld", s->name, (long long)values[n]);
        }
    }
}

static const char *shape_text(const Asked *f, const uint32_t v[3])
{
    if (v[2] > 1) return arena_printf(f->arena, "%u,%u,%u", v[0], v[1], v[2]);
    return v[1] > 1 ? arena_printf(f->arena, "%u,%u", v[0], v[1]) : arena_printf(f->arena, "%u", v[0]);
}

// A kernel that a file's grid and block are given of: other blocks, with the same threads in each dimension. One that
// only asks which of all threads it runs on does the same then; whether it does, its result says.
static void find_shapes(const Asked *f)
{
    static const uint16_t shapes[][2] = {{32, 1}, {64, 1},  {128, 1}, {256, 1}, {512, 1}, {1024, 1}, {8, 8},
                                         {16, 8}, {16, 16}, {32, 4},  {32, 8},  {32, 16}, {32, 32},  {64, 4}};
    if (!f->file || f->file->script || f->file->smem) return;
    const oc_dim3 grid = f->file->grid, block = f->file->block;
    const uint64_t x = (uint64_t)grid.x * block.x, y = (uint64_t)grid.y * block.y;
    for (size_t k = 0; k < COUNT(shapes); k++) {
        const uint32_t bx = shapes[k][0], by = shapes[k][1];
        if ((bx == block.x && by == block.y) || x % bx || y % by || bx * by * block.z > f->g->sm.max_threads) continue;
        const char *now = shape_text(f, (uint32_t[]){block.x, block.y, block.z});
        const char *blocks = shape_text(f, (uint32_t[]){bx, by, block.z});
        const char *grids = shape_text(f, (uint32_t[]){(uint32_t)(x / bx), (uint32_t)(y / by), grid.z});
        const char *what = arena_printf(f->arena, "blocks of %s threads instead of %s", blocks, now);
        const char *from = y > 1 || grid.z * block.z > 1 ? "dim3(" : "", *to = *from ? ")" : "";
        const char *write =
            arena_printf(f->arena, "kernel<<<%s%s%s, %s%s%s>>>(…)  // the result is the same on this input", from,
                         grids, to, from, blocks, to);
        Remedy *c = add(f, "block", what, write);
        c->params[0] = arena_printf(f->arena, "grid=%s", grids);
        c->params[1] = arena_printf(f->arena, "block=%s", blocks);
        c->reshaped = true;
    }
}

// --- vectors ---------------------------------------------------------------------------------------------------------
// The fact of this kind that stands most often, and how many others there are.
static const Fact *most_often(const Asked *f, FactKind kind, size_t *others)
{
    const Fact *most = NULL;
    *others = 0;
    for (size_t k = 0; k < f->facts->n; k++) {
        const Fact *o = &f->facts->v[k];
        if (o->kind != kind) continue;
        *others += most != NULL;
        if (!most || o->times * o->bytes > most->times * most->bytes) most = o;
    }
    return most;
}

static void find_vectors(const Asked *f)
{
    size_t others;
    const Fact *o = most_often(f, FACT_VECTOR, &others);
    const char *more = "";
    if (!o) return;
    if (others) more = arena_printf(f->arena, ", and of %zu other line%s", others, others > 1 ? "s" : "");
    const char *what =
        arena_printf(f->arena, "a thread's neighbouring loads of %s as one of %u bytes%s", o->array, o->bytes, more);
    const char *type = o->bytes == 16 ? "float4" : o->bytes == 8 ? "float2" : "char4";
    Remedy *c = add(f, "vector loads", what,
                    arena_printf(f->arena, "const %s v = *(const %s *)&%s[…]%s%s  // at a multiple of %u bytes", type,
                                 type, o->array, *o->place ? ", at " : "", o->place, o->bytes));
    c->sets[0] = "sm.vectors=yes";
}

static void find_async(const Asked *f)
{
    size_t others;
    const Fact *o = most_often(f, FACT_COPY, &others);
    if (!o || !o->runs) return;
    Remedy *c =
        add(f, "cp.async", arena_printf(f->arena, "loads of %s straight to shared memory, by cp.async", o->array),
            arena_printf(f->arena,
                         "__pipeline_memcpy_async(&tile[…], &%s[…], %u)%s%s, then __pipeline_commit(); "
                         "__pipeline_wait_prior(0); before the barrier",
                         o->array, o->bytes, *o->place ? ", at " : "", o->place));
    c->sets[0] = "sm.async=yes";
}

// --- shared memory ---------------------------------------------------------------------------------------------------
// Rows of the array as tiles have them, and what lies behind each; or units that change places (CUTLASS's swizzles).
typedef struct Layout {
    uint32_t row, by, swizzle;  // bytes
    const char *write;
} Layout;
static const Layout layouts[] = {
    {128, 4, 0, "__shared__ float tile[…][32 + 1];"},
    {128, 16, 0, "__shared__ half tile[…][64 + 8];"},
    {64, 16, 0, "__shared__ half tile[…][32 + 8];"},
    {256, 16, 0, "__shared__ half tile[…][128 + 8];"},
    {0, 0, 4, "tile[row][column ^ row % 32], of words of 4 bytes, in rows of 128"},
    {0, 0, 16, "in rows of 128 bytes: unit column ^ row % 8, of units of 16 bytes"},
};

static void find_padding(const Asked *f)
{
    if (f->run->count[C_SHARED_CONFLICTS] * 20 < f->run->count[C_SHARED_PASSES] || !f->run->count[C_SHARED_PASSES])
        return;
    for (size_t k = 0; k < COUNT(layouts); k++) {
        const Layout *l = &layouts[k];
        const char *what =
            l->swizzle ? arena_printf(f->arena, "shared arrays swizzled by units of %u bytes", l->swizzle)
                       : arena_printf(f->arena, "rows of %u bytes of shared arrays padded by %u", l->row, l->by);
        Remedy *c = add(f, "padding", what, arena_printf(f->arena, "%s%s", l->write, place(f, "shared memory")));
        if (l->swizzle) {
            c->sets[0] = arena_printf(f->arena, "shared.swizzle=%u", l->swizzle);
            continue;
        }
        c->sets[0] = "shared.pad=yes";
        c->sets[1] = arena_printf(f->arena, "shared.pad_row=%u", l->row);
        c->sets[2] = arena_printf(f->arena, "shared.pad_by=%u", l->by);
    }
}

static void find_sl1(const Asked *f)
{
    if (!f->run->count[C_SECTORS_LOADED]) return;
    add(f, "software L1", "the software L1", "onchip sl1 kernel.ptx (doc/use/sl1.md)")->sl1 = "yes";
}

static void (*const finders[])(const Asked *) = {find_carveout, find_division, find_routes, find_global,
                                                 find_blocks,   find_threads,  find_shapes, find_registers,
                                                 find_padding,  find_vectors,  find_async,  find_sl1};

void remedies_find(const Plan *plan, const StoredRun *run, const Facts *facts, Arena *arena, Remedies *out)
{
    const Asked f = {plan->gpu, run, plan->workload, plan->file, facts, arena, out};
    for (size_t k = 0; k < COUNT(finders); k++) finders[k](&f);
}
