// cell.c: what determines a run's result, as text, and the hash of that text. Two cells that are written differently
// but mean the same (16KiB and 16384, a default that is spelled out) have one key; anything that changes a counter
// changes it.
#include "sl1/sl1.h"
#include "sweep/wire.h"

#include "chip/chip.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <regex.h>
#include <string.h>
#include <xxhash.h>

struct Identities {
    Map gpus;             // name and overrides → place in texts
    VEC(char *) texts;    // canonical descriptions
    Map programs, files;  // → place in hashes
    VEC(XXH128_hash_t) hashes;
};

Identities *identities_open(void) { return mem_alloc(sizeof(Identities)); }

void identities_close(Identities *ids)
{
    if (!ids) return;
    for (size_t k = 0; k < ids->texts.n; k++) mem_free(ids->texts.v[k]);
    vec_free(&ids->texts), vec_free(&ids->hashes);
    map_free(&ids->gpus), map_free(&ids->programs), map_free(&ids->files);
    mem_free(ids);
}

static const char *description(Identities *ids, const char *gpu, const char *overrides, const char *const *sets,
                               Diag *diag)
{
    Text name = {0}, canonical = {0};
    int64_t at = 0;
    text_printf(&name, "%s %s", gpu, overrides);
    if (!map_get(&ids->gpus, name.v, name.n, &at)) {
        bool ok = gpu_canonical(gpu, sets, &canonical, diag);
        at = (int64_t)ids->texts.n;
        if (ok) {
            vec_push(&ids->texts, mem_text(canonical.v));
            map_put(&ids->gpus, name.v, name.n, at);
        }
        text_free(&canonical);
        if (!ok) return text_free(&name), NULL;
    }
    text_free(&name);
    return ids->texts.v[at];
}

static XXH128_hash_t code(Identities *ids, const WorkloadEntry *e)
{
    int64_t at;
    const char *name = (const char *)&e;  // its place in the table
    if (!map_get(&ids->programs, name, sizeof e, &at)) {
        at = (int64_t)ids->hashes.n;
        vec_push(&ids->hashes, XXH3_128bits(e->ptx, e->ptx_bytes));
        map_put(&ids->programs, name, sizeof e, at);
    }
    return ids->hashes.v[at];
}

static bool file_hash(Identities *ids, const char *path, XXH128_hash_t *hash, Diag *diag)
{
    int64_t at;
    if (!map_get(&ids->files, path, strlen(path), &at)) {
        Text t = {0};
        if (!text_read_file(&t, path)) return diag_error(diag, "can't read %s: %s", path, strerror(errno));
        at = (int64_t)ids->hashes.n;
        vec_push(&ids->hashes, XXH3_128bits(t.v ? t.v : "", t.n));
        map_put(&ids->files, path, strlen(path), at);
        text_free(&t);
    }
    *hash = ids->hashes.v[at];
    return true;
}

static void join(Text *out, const char *const *list)
{
    text_put(out, "");
    for (; list && *list; list++) text_printf(out, "%s%s", out->n ? " " : "", *list);
}

static void options_of(const Cell *c, Text *out)
{
    text_put(out, "");
    if (c->functional) text_put(out, " functional");
    if (c->no_lowering) text_put(out, " no-lowering");
    size_t from = out->n;
    if (c->sl1) text_printf(out, " sl1=%s", c->sl1);
    for (; from < out->n; from++)  // braces hold settings with commas together
        if (out->v[from] == ',') out->v[from] = '+';
    if (c->kernels) text_printf(out, " kernels=%s", c->kernels);
    if (c->skip) text_printf(out, " skip=%llu", (unsigned long long)c->skip);
    if (c->max_cycles) text_printf(out, " max-cycles=%llu", (unsigned long long)c->max_cycles);
    if (c->interval) text_printf(out, " interval=%llu", (unsigned long long)c->interval);
}

static bool no_workload(const char *name, Diag *diag)
{
    const char *names[256];
    size_t n = 0;
    for (; n < workload_count && n < COUNT(names); n++) {
        names[n] = workload_table[n].workload->name;
        if (!strcmp(names[n], name))
            return diag_error(diag, "several suites have a workload '%s': name one, as in %s/%s", name,
                              workload_table[n].workload->suite, name);
    }
    const char *near = nearest_name(name, names, n);
    return diag_error(diag, "no workload '%s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

// Which parameter is refused by itself, and whether for its name.
static void wrong_param(const WorkloadEntry *e, const Cell *c, Identity *id)
{
    for (const char *const *p = c->params; p && *p && !id->wrong; p++) {
        int64_t values[MAX_PARAMS];
        Text params = {0}, error = {0};
        if (!workload_params(e, &(WorkOptions){.params = (const char *[]){*p, NULL}}, values, &params, &error))
            id->wrong = *p, id->wrong_name = true;
        text_free(&params), text_free(&error);
        for (const WorkParam *q = e->workload->params; q->name; q++)
            if (!strncmp(q->name, *p, strlen(q->name)) && (*p)[strlen(q->name)] == '=') id->wrong_name = false;
    }
}

// The same for overrides; one that is wrong only together with others isn't found, and the description is blamed if it
// can't be read at all.
static void wrong_set(const Cell *c, Identity *id)
{
    Gpu g;
    Diag why = {0};
    if (!gpu_load(&g, c->gpu, NULL, &why)) id->wrong = c->gpu;
    diag_free(&why);
    for (const char *const *p = c->sets; p && *p && !id->wrong; p++) {
        if (!gpu_load(&g, c->gpu, (const char *[]){*p, NULL}, &why)) id->wrong = *p, id->wrong_name = true;
        diag_free(&why);
        for (size_t k = 0; k < gpu_key_count; k++) {
            char key[160];
            int n = snprintf(key, sizeof key, "%s.%s=", gpu_keys[k].section, gpu_keys[k].key);
            if (!strncmp(key, *p, (size_t)n)) id->wrong_name = false;
        }
    }
}

static bool regular(const char *expression, Diag *diag)
{
    regex_t r;
    if (!expression) return true;
    if (regcomp(&r, expression, REG_EXTENDED | REG_NOSUB))
        return diag_error(diag, "kernels: malformed regular expression '%s'", expression);
    regfree(&r);
    return true;
}

static bool readable(const char *settings, Diag *diag)
{
    Sl1Options o = sl1_defaults;
    Text why = {0};
    bool ok = !settings || sl1_read(&o, settings, &why) || diag_error(diag, "sl1: %s", why.v);
    text_free(&why);
    return ok;
}

bool cell_is_probe(const Cell *c) { return !strcmp(c->verb, "probe"); }

bool cell_is_file(const Cell *c)
{
    size_t n = strlen(c->program);
    return !cell_is_probe(c) && n > 4 && !strcmp(c->program + n - 4, ".ptx");
}

// What a cell runs, as its key has it.
typedef struct Subject {
    const char *suite, *name;
    const char *stored;  // its name in the store
    XXH128_hash_t code;
} Subject;

// A PTX file's text, and that of the files its arguments are read from.
static bool file_content(Identities *ids, const Cell *c, Identity *id, XXH128_hash_t *hash, Diag *diag)
{
    Arena arena = {0};
    FileRun run;
    Text error = {0};
    bool ok =
        file_options(&run, c->program, c->params, &arena, &error) || diag_error(diag, "%s: %s", c->program, error.v);
    for (const char *const *p = c->params; !ok && p && *p; p++) id->wrong = *p, id->wrong_name = true;
    if (ok && !file_hash(ids, c->program, hash, diag)) ok = false, id->wrong = c->program;
    for (size_t a = 0; a < run.args.n && ok; a++) {
        const char *at = strstr(run.args.v[a], ":@");
        XXH128_hash_t one;
        if (strncmp(run.args.v[a], "buf:", 4) || !at) continue;
        ok = file_hash(ids, at + 2, &one, diag);
        hash->low64 = hash->low64 * 0x9E3779B97F4A7C15ull + one.low64,
        hash->high64 = hash->high64 * 0x9E3779B97F4A7C15ull + one.high64;
    }
    vec_free(&run.args);
    arena_free(&arena);
    text_free(&error);
    return ok;
}

static bool file_of(Identities *ids, const Cell *c, Identity *id, Subject *s, Text *params, Diag *diag)
{
    *s = (Subject){"file", "", c->program, {0}};
    join(params, c->params);
    return file_content(ids, c, id, &s->code, diag);
}

static bool workload_of(Identities *ids, const Cell *c, Identity *id, Subject *s, Text *params, Diag *diag)
{
    const WorkloadEntry *e = workload_find(c->program);
    int64_t values[MAX_PARAMS];
    Text error = {0};
    if (!e) return id->wrong = c->program, no_workload(c->program, diag);
    *s = (Subject){e->workload->suite, e->workload->name, c->program, {0}};
    if (workload_find(s->name)) s->stored = s->name;  // its bare name, where that is enough
    bool ok = workload_params(e, &(WorkOptions){.small = c->small, .params = c->params}, values, params, &error);
    if (!ok) wrong_param(e, c, id), diag_error(diag, "%s", error.v);
    text_free(&error);
    if (ok && !c->ptx)
        s->code = code(ids, e);
    else if (ok && !file_hash(ids, c->ptx, &s->code, diag))
        ok = false, id->wrong = c->ptx;
    return ok;
}

static bool measurement_of(const Cell *c, Identity *id, Subject *s, Text *params, Diag *diag)
{
    const Measurement *m = measurement_find(c->program);
    double values[MEASURE_PARAMS];
    if (!m) return id->wrong = c->program, measurement_unknown(c->program, diag);
    const char *no = c->ptx          ? "ptx"
                     : c->kernels    ? "kernels"
                     : c->skip       ? "skip"
                     : c->max_cycles ? "max-cycles"
                     : c->interval   ? "interval"
                     : c->functional ? "functional"
                                     : NULL;
    if (no)
        return id->wrong = c->ptx ? c->ptx : c->kernels,
               diag_error(diag, "a measurement can't have %s: it is of whole kernels of its own", no);
    *s = (Subject){"probe", m->name, m->name, {.low64 = (uint64_t)m->version}};
    const char *wrong = NULL;
    if (measurement_params(m, c->params, values, params, &wrong, diag)) return true;
    id->wrong = wrong, id->wrong_name = true;
    for (const MeasureParam *p = m->params; p->name; p++)
        if (!strncmp(p->name, wrong, strlen(p->name)) && wrong[strlen(p->name)] == '=') id->wrong_name = false;
    return false;
}

bool identify(Identities *ids, const Cell *c, Identity *id, Diag *diag)
{
    *id = (Identity){.program = NULL};
    if (!verb_known(c->verb)) return id->wrong = c->verb, diag_error(diag, "no verb '%s'", c->verb);
    if (!readable(c->sl1, diag)) return id->wrong = c->sl1, false;
    if (!regular(c->kernels, diag)) return id->wrong = c->kernels, false;
    Subject s = {.suite = NULL};
    Text params = {0}, overrides = {0}, options = {0}, all = {0};
    bool ok = cell_is_probe(c)  ? measurement_of(c, id, &s, &params, diag)
              : cell_is_file(c) ? file_of(ids, c, id, &s, &params, diag)
                                : workload_of(ids, c, id, &s, &params, diag);
    join(&overrides, c->sets);
    const char *gpu = ok ? description(ids, c->gpu, overrides.v, c->sets, diag) : NULL;
    if (ok && !gpu) wrong_set(c, id);
    if (gpu) {
        options_of(c, &options);
        text_printf(&all, "model %d\nverb %s\nprogram %s/%s\nptx %016llx%016llx\nparams %s\noptions %s\ngpu %s\n%s",
                    MODEL_VERSION, c->verb, s.suite, s.name, (unsigned long long)s.code.high64,
                    (unsigned long long)s.code.low64, params.v, options.v, c->gpu, gpu);
        if (c->sl1) text_printf(&all, "sl1 %d\n", SL1_VERSION);
        XXH128_hash_t key = XXH3_128bits(all.v, all.n);
        snprintf(id->key, sizeof id->key, "%016llx%016llx", (unsigned long long)key.high64,
                 (unsigned long long)key.low64);
        id->verb = mem_text(c->verb);
        id->program = mem_text(s.stored);
        id->checked = !cell_is_probe(c) && !cell_is_file(c);
        id->params = mem_text(params.v);
        id->gpu = mem_text(c->gpu);
        id->overrides = mem_text(overrides.v);
        if (c->ptx) text_printf(&options, " ptx=%s", c->ptx);  // not in the key, which has the file's hash
        id->options = mem_text(options.n ? options.v + 1 : "");
    }
    text_free(&params), text_free(&overrides), text_free(&options), text_free(&all);
    return gpu != NULL;
}
