// stored.c: makes a version of a stored run. The store has a kernel's launches summed, and no words: what limits a
// kernel follows from its counters and the description, as far as that is still there.
#include "compare/unit.h"
#include "say/say.h"

#include <math.h>
#include <string.h>

void stored_limits(const RunKernel *k, const Gpu *g, Text *out)
{
    LaunchSum sum = {.occupancy_warps = (uint32_t)k->warps, .occupancy_limit = k->limit};
    uint32_t grid[3], block[3];
    shape_read(k->grid, grid), shape_read(k->block, block);
    for (int n = 0; n < 3; n++) sum.info.grid[n] = grid[n], sum.info.block[n] = block[n];
    sum.occupancy_blocks = blocks_room(k);
    memcpy(sum.count, k->count, sizeof sum.count);
    limits_say(&sum, g, out);
}

// The run's description, but for plug-ins, of which the store has the names alone, and their parameters.
static bool load_gpu(const StoredRun *run, Gpu *g)
{
    VEC(const char *) sets = {0};
    Arena arena = {0};
    Diag none = {0};
    for (size_t k = 1; k < run->params_at; k++) {
        const RunSetting *s = &run->settings.v[k];
        if (!strchr(s->name, '.') || !plug_is_built_in(s->name, s->value) || plug_is_param(s->name)) continue;
        vec_push(&sets, arena_printf(&arena, "%s=%s", s->name, s->value));
    }
    vec_push(&sets, NULL);
    bool ok = gpu_load(g, run->gpu, sets.v, &none);
    vec_free(&sets);
    arena_free(&arena);
    diag_free(&none);
    return ok;
}

static bool too_many(const char *what, Diag *diag)
{
    return diag_error(diag, "the run has more %s than any has", what);
}

static bool add_arrays(Version *v, VersionKernel *k, const RunKernel *r, Diag *diag)
{
    for (size_t n = 0; n < r->structures.n; n++) {
        const RunStructure *s = &r->structures.v[n];
        VersionArray *a = version_array(v, k, s->name);
        if (!a) return too_many("data structures", diag);
        a->accesses = s->loads + s->stores + s->atomics, a->sectors = s->sectors;
        a->l1_accesses = s->l1_accesses, a->l1_hits = s->l1_hits, a->dram_bytes = s->dram_bytes;
    }
    return true;
}

// Lines alone: the accesses behind them are parts of these.
static bool add_lines(Version *v, VersionKernel *k, const RunKernel *r, Diag *diag)
{
    for (size_t n = 0; n < r->lines.n; n++) {
        const RunLine *s = &r->lines.v[n];
        if (s->what) continue;
        VersionLine *l = version_line(v, k, s->file, s->line);
        if (!l) return too_many("lines", diag);
        if (s->text) l->text = version_text(v, s->text);
        l->issued = most_plus(l->issued, s->issued), l->stalls = most_plus(l->stalls, s->stalls + s->queued);
    }
    return true;
}

static bool add_kernel(Version *v, const RunKernel *r, const Gpu *g, Diag *diag)
{
    VersionKernel *k = version_kernel(v, r->name, !r->functional);
    if (!k) return too_many("kernels", diag);
    k->launches = r->launches, k->partial = r->partial;
    memcpy(k->count, r->count, sizeof k->count);
    if (k->timed && isfinite(r->rate[R_SECONDS])) k->seconds = r->rate[R_SECONDS];
    if (k->timed) version_gpu(v, r->count, k->seconds, r->rate[R_OCCUPANCY], r->peak[PEAK_DRAM]);
    if (g && k->timed) {
        Text limits = {0};
        stored_limits(r, g, &limits);
        k->limited = version_text(v, limits.v);
        text_free(&limits);
    }
    return add_arrays(v, k, r, diag) && add_lines(v, k, r, diag);
}

static bool fill(Version *v, const StoredRun *run, Diag *diag)
{
    if (run->error) return diag_error(diag, "the run %.8s failed: %s", run->key, run->error);
    v->model = run->model;
    Text about = {0};
    text_printf(&about, "%s%s%s  on %s", run->program, *run->params ? " " : "", run->params, run->gpu);
    if (*run->overrides) text_printf(&about, " %s", run->overrides);
    if (*run->options) text_printf(&about, " %s", run->options);
    v->about = version_text(v, about.v);
    text_free(&about);
    Gpu g;
    bool known = load_gpu(run, &g), ok = true;
    for (size_t k = 0; k < run->kernels.n && ok; k++) ok = add_kernel(v, &run->kernels.v[k], known ? &g : NULL, diag);
    if (known) gpu_free(&g);
    version_sum(v);
    return ok;
}

// The whole key of the one run that it is the beginning of.
static bool find_key(Store *s, const char *begin, Arena *arena, const char **key, Diag *diag)
{
    RunIds ids = {0};
    const char *const column = "key";
    const char *const keys[] = {begin, NULL};
    bool ok = store_select(s, &(Filter){.keys = *begin ? keys : NULL}, &ids, diag);
    if (ok && !ids.n) ok = diag_error(diag, "%s has no run %s", store_path(s), begin);
    if (ok && ids.n > 1)
        ok = diag_error(diag,
                        *begin ? "%s has %zu runs with keys that begin with %s"
                               : "%s has %zu runs\nhint: its name, a colon and a run's key name one%s",
                        store_path(s), ids.n, begin);
    Rows *rows = ok ? rows_open(s, &ids, &column, 1, false, diag) : NULL;
    if (rows && rows_next(rows, diag)) *key = arena_copy(arena, rows_values(rows)->text);
    rows_close(rows);
    vec_free(&ids);
    return ok && !diag->failed;
}

bool version_stored(Version *v, Store *s, const char *begin, Diag *diag)
{
    Runs runs = {0};
    const char *key = NULL;
    bool ok = find_key(s, begin, &v->arena, &key, diag) && runs_read(&runs, s, &(RunsWanted){.key = key}, diag);
    if (ok && !runs.v.n) ok = diag_error(diag, "%s is no run of a program, but a measurement", key);
    ok = ok && fill(v, runs.v.v, diag);
    runs_free(&runs);
    return ok;
}
