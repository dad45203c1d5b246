// cell.c: reads a cell and makes a plan of it. All that determines the run's result becomes a text, and the hash of
// that text is the key. Two cells that are written differently but mean the same (16KiB and 16384, or a default that is
// spelled out) have one key. Whatever can change a counter changes the key. A file counts by its contents and by its
// name as it is given: so two files of equal contents are two runs, and the store has both names.
#include "sl1/sl1.h"
#include "sweep/wire.h"

#include "chip/record.h"
#include "compile/compile.h"
#include "driver/fatbin.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <string.h>
#include <xxhash.h>

enum { KEPT = 4096 };  // canonical texts that are kept; those of further descriptions are made again when needed
typedef struct Description {
    Gpu gpu;
    char *text;  // the canonical text; null: it isn't kept
} Description;
typedef struct Content {
    XXH128_hash_t hash;
    Text text;  // a PTX file's; empty for other files
} Content;
struct Planner {
    Map gpus;  // name and overrides → place in descriptions
    VEC(Description *) descriptions;
    Map programs, files, data;  // workloads, PTX files, files that arguments are read from → place in contents
    VEC(Content *) contents;
    Arena arena;  // of plans' files
    Text unused;  // of the first description that has a setting without effect: which, and why
    Store *store;
    Hashes inputs;  // of CUDA programs
};

Planner *planner_open(Store *store)
{
    Planner *p = mem_alloc(sizeof *p);
    p->store = store;
    return p;
}

void planner_close(Planner *p)
{
    if (!p) return;
    for (size_t k = 0; k < p->descriptions.n; k++) {
        gpu_free(&p->descriptions.v[k]->gpu);
        mem_free(p->descriptions.v[k]->text), mem_free(p->descriptions.v[k]);
    }
    for (size_t k = 0; k < p->contents.n; k++) text_free(&p->contents.v[k]->text), mem_free(p->contents.v[k]);
    vec_free(&p->descriptions), vec_free(&p->contents);
    map_free(&p->gpus), map_free(&p->programs), map_free(&p->files), map_free(&p->data);
    arena_free(&p->arena);
    text_free(&p->unused);
    hashes_free(&p->inputs);
    mem_free(p);
}

const char *planner_unused(const Planner *p) { return p->unused.n ? p->unused.v : NULL; }

void plan_free(Plan *plan)
{
    identity_free(&plan->id);
    if (plan->file) vec_free(&plan->file->args);
    mem_free(plan->params), mem_free(plan->numbers), mem_free(plan->sl1);
    regex_close(plan->kernels);
    *plan = (Plan){.cell = NULL};
}

// Returns a cell's description with its overrides, and appends its canonical text to canonical. Null: it can't be read.
static const Gpu *description(Planner *p, const Cell *c, const char *overrides, Text *canonical, Diag *diag)
{
    Gpu gpu;
    Text name = {0};
    int64_t at = 0;
    text_printf(&name, "%s %s", c->gpu, overrides);
    bool ok = true, known = map_get(&p->gpus, name.v, name.n, &at);
    if (known && p->descriptions.v[at]->text)
        text_put(canonical, p->descriptions.v[at]->text);
    else
        ok = gpu_canonical(&gpu, c->gpu, c->sets, canonical, diag);
    if (ok && known && !p->descriptions.v[at]->text) gpu_free(&gpu);
    if (ok && !known) {
        Description *d = mem_alloc(sizeof *d);
        d->gpu = gpu;
        if (!p->unused.n) gpu_unused(&gpu, c->sets, &p->unused);
        if (p->descriptions.n < KEPT) d->text = mem_text(canonical->v);
        at = (int64_t)p->descriptions.n;
        vec_push(&p->descriptions, d);
        map_put(&p->gpus, name.v, name.n, at);
    }
    text_free(&name);
    return ok ? &p->descriptions.v[at]->gpu : NULL;
}

static const Content *add_content(Planner *p, Map *map, const char *name, size_t length, XXH128_hash_t hash, Text text)
{
    Content *c = mem_alloc(sizeof *c);
    *c = (Content){hash, text};
    map_put(map, name, length, (int64_t)p->contents.n);
    vec_push(&p->contents, c);
    return c;
}

static const Content *built_in(Planner *p, const WorkloadEntry *e)
{
    int64_t at;
    const char *name = (const char *)&e;  // its place in the table
    if (map_get(&p->programs, name, sizeof e, &at)) return p->contents.v[at];
    return add_content(p, &p->programs, name, sizeof e, XXH3_128bits(e->ptx, e->ptx_bytes), (Text){0});
}

// Returns a file's hash and, if keep is set, its text: PTX is kept, data for buffers isn't. Null: it can't be read.
static const Content *file_content(Planner *p, const char *path, bool keep, Diag *diag)
{
    Map *map = keep ? &p->files : &p->data;
    Text t = {0};
    int64_t at;
    if (map_get(map, path, strlen(path), &at)) return p->contents.v[at];
    if (!text_read_file(&t, path)) return diag_error(diag, "can't read %s: %s", path, strerror(errno)), NULL;
    XXH128_hash_t hash = XXH3_128bits(t.v ? t.v : "", t.n);
    if (!keep) text_free(&t);
    return add_content(p, map, path, strlen(path), hash, t);
}

static void join(Text *out, const char *const *list)
{
    text_put(out, "");
    for (; list && *list; list++) text_printf(out, "%s%s", out->n ? " " : "", *list);
}

// The overrides as a run is known by them. A plug-in has the name that it gives itself there, and not its file's path,
// which says little elsewhere; its contents are part of the key. One with the name of a built-in policy is marked.
static void known_by(Text *out, const char *const *list, const Gpu *g)
{
    text_put(out, "");
    for (; list && *list; list++) {
        text_put(out, out->n ? " " : "");
        if (!gpu_known_set(g, *list, out)) text_put(out, *list);
    }
}

static bool no_workload(const char *name, Diag *diag)
{
    for (size_t k = 0; k < workload_count; k++)
        if (!strcmp(workload_table[k].workload->name, name))
            return diag_error(diag, "several suites have a workload '%s': name one, as in %s/%s", name,
                              workload_table[k].workload->suite, name);
    const char *near = workload_near(name);
    char hint[100];
    return diag_error(diag, "no workload '%s'%s", name, did_you_mean(name, &near, near != NULL, hint));
}

// Does a text such as "nx=64" give this name a value?
static bool gives(const char *text, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(name, text, n) && text[n] == '=';
}

// Finds the parameter that is refused, and whether its name or its value is.
static void wrong_param(const WorkloadEntry *e, const Cell *c, Plan *plan)
{
    for (const char *const *p = c->params; p && *p && !plan->wrong; p++) {
        int64_t values[MAX_PARAMS];
        Text params = {0};
        Diag error = {0};
        if (!workload_params(e, &(WorkOptions){.params = (const char *[]){*p, NULL}}, values, &params, &error))
            plan->wrong = *p, plan->wrong_name = true;
        text_free(&params), diag_free(&error);
        for (const WorkParam *q = e->workload->params; q->name; q++)
            if (gives(*p, q->name)) plan->wrong_name = false;
    }
}

// Finds the override that is refused. If the description can't be read at all, it is the culprit. An override that is
// wrong only together with others isn't found.
static void wrong_set(const Cell *c, Plan *plan)
{
    Gpu g;
    Diag why = {0};
    if (!gpu_load(&g, c->gpu, NULL, &why)) plan->wrong = c->gpu;
    gpu_free(&g);
    diag_free(&why);
    for (const char *const *p = c->sets; p && *p && !plan->wrong; p++) {
        if (!gpu_load(&g, c->gpu, (const char *[]){*p, NULL}, &why)) plan->wrong = *p, plan->wrong_name = true;
        gpu_free(&g);
        diag_free(&why);
        for (size_t k = 0; k < gpu_key_count; k++) {
            char key[160];
            snprintf(key, sizeof key, "%s.%s", gpu_keys[k].section, gpu_keys[k].key);
            if (gives(*p, key)) plan->wrong_name = false;
        }
    }
}

static bool read_kernels(Plan *plan, const char *expression, Diag *diag)
{
    if (!expression) return true;
    Diag why = {0};
    plan->kernels = regex_open(expression, &why);
    bool ok = plan->kernels || diag_error(diag, "kernels: %s", why.text.v);
    diag_free(&why);
    return ok;
}

static bool read_sl1(Plan *plan, const char *settings, Diag *diag)
{
    if (!settings) return true;
    Diag why = {0};
    plan->sl1 = mem_alloc(sizeof *plan->sl1);
    *plan->sl1 = sl1_defaults;
    bool ok = sl1_read(plan->sl1, settings, &why) || diag_error(diag, "sl1: %s", why.text.v);
    diag_free(&why);
    return ok;
}

static bool is_probe(const Cell *c) { return !strcmp(c->verb, "probe"); }
static bool is_file(const Cell *c)
{
    size_t n = strlen(c->program);
    return (n > 4 && !strcmp(c->program + n - 4, ".ptx")) || is_cuda_source(c->program);
}

static bool is_program(const Cell *c) { return !workload_find(c->program) && elf_program(c->program); }

// What a cell runs, as the key has it.
typedef struct Subject {
    const char *suite, *name;
    const char *stored;  // the name that it has in the store
    XXH128_hash_t code;
} Subject;

// Finds the parameter of a PTX file that is refused. Its value is at fault where it has one of the names whose values
// can be malformed; else its name is.
static void wrong_option(const Cell *c, Plan *plan)
{
    for (const char *const *p = c->params; p && *p && !plan->wrong; p++) {
        Arena arena = {0};
        FileRun one;
        Diag error = {0};
        if (!file_options(&one, c->program, (const char *[]){*p, NULL}, &arena, &error))
            plan->wrong = *p, plan->wrong_name = !gives(*p, "grid") && !gives(*p, "block") && !gives(*p, "smem");
        vec_free(&one.args);
        arena_free(&arena);
        diag_free(&error);
    }
}

static void join_hash(XXH128_hash_t *to, XXH128_hash_t hash)
{
    to->low64 = to->low64 * 0x9E3779B97F4A7C15ull + hash.low64;
    to->high64 = to->high64 * 0x9E3779B97F4A7C15ull + hash.high64;
}

// The PTX of a .cu file's kernels, for the cell's GPU.
static const Content *compiled(Planner *p, Plan *plan, Diag *diag)
{
    const Cell *c = plan->cell;
    Text overrides = {0}, canonical = {0}, name = {0}, ptx = {0};
    const Content *made = NULL;
    int64_t at;
    join(&overrides, c->sets);
    const Gpu *gpu = description(p, c, overrides.v, &canonical, diag);
    if (!gpu) wrong_set(c, plan);
    if (gpu) text_printf(&name, "%u %s", gpu->capability, c->program);  // no file's name: it has the kernels' target
    if (gpu && !c->params && has_main(c->program)) {
        diag_error(diag,
                   "%s is a program, with main\nhint: onchip cc %s -o program, and then ./program; or choose a kernel "
                   "of it with --kernel, or an argument file, @FILE",
                   c->program, c->program);
        plan->wrong = c->program;
    } else if (gpu && map_get(&p->programs, name.v, name.n, &at)) {
        made = p->contents.v[at];
    } else if (gpu && !compile_cuda(c->program, (CompileWish){.capability = gpu->capability}, &ptx, diag)) {
        plan->wrong = c->program;
    } else if (gpu) {
        made = add_content(p, &p->programs, name.v, name.n, XXH3_128bits(ptx.v ? ptx.v : "", ptx.n), ptx);
        ptx = (Text){0};
    }
    text_free(&overrides), text_free(&canonical), text_free(&name), text_free(&ptx);
    return made;
}

// Adds to the key what the argument file says, and the files that are named there.
static bool plan_script(Planner *p, Plan *plan, Subject *s, Diag *diag)
{
    TextList files = {0};
    const Content *script = file_content(p, plan->file->script, true, diag);
    for (const char *const *q = plan->cell->params; !script && *q; q++)
        if (gives(*q, "args")) plan->wrong = *q;
    if (!script) return false;
    plan->file->script_text = &script->text;
    join_hash(&s->code, script->hash);
    script_files(plan->file->script, &script->text, &p->arena, &files);
    bool ok = true;
    for (size_t k = 0; k < files.n && ok; k++) {
        const Content *one = file_content(p, files.v[k], false, diag);
        ok = one;
        if (one) join_hash(&s->code, one->hash);
    }
    vec_free(&files);
    return ok;
}

// Plans a run of a kernel of a PTX file or of CUDA source, or of those of an argument file. The key has the names and
// the contents of that file, of the argument file, and of the files that buffers are read from.
static bool plan_file(Planner *p, Plan *plan, Subject *s, Text *params, Diag *diag)
{
    const Cell *c = plan->cell;
    Diag error = {0};
    *s = (Subject){"file", c->program, c->program, {0}};
    join(params, c->params);
    plan->file = arena_alloc(&p->arena, sizeof *plan->file);
    bool ok = file_options(plan->file, c->program, c->params, &p->arena, &error);
    if (!ok) wrong_option(c, plan), diag_error(diag, "%s: %s", c->program, error.text.v);
    diag_free(&error);
    if (!ok) return false;
    const bool source = is_cuda_source(c->program);
    const Content *code = source ? compiled(p, plan, diag) : file_content(p, c->program, true, diag);
    if (!code && !source) plan->wrong = c->program;
    if (!code) return false;
    plan->ptx = plan->file->text = &code->text;
    if (source) plan->file->path = arena_printf(&p->arena, "PTX of %s", c->program);
    plan->file->rewritten = c->how.sl1;
    s->code = code->hash;
    if (plan->file->script) return plan_script(p, plan, s, diag);
    for (size_t a = 0; a < plan->file->args.n; a++) {
        const char *arg = plan->file->args.v[a], *at = strstr(arg, ":@");
        if (strncmp(arg, "buf:", 4) || !at) continue;
        const Content *one = file_content(p, at + 2, false, diag);
        if (!one) return false;
        join_hash(&s->code, one->hash);
    }
    return true;
}

// Plans a run of a CUDA program. Behind its file stand the words of the parameter args.
static bool plan_program(Planner *p, Plan *plan, Subject *s, Text *params, Diag *diag)
{
    const Cell *c = plan->cell;
    VEC(const char *) words = {0};
    vec_push(&words, c->program);
    for (const char *const *q = c->params; q && *q; q++) {
        if (!gives(*q, "args"))
            return vec_free(&words), plan->wrong = *q, plan->wrong_name = true,
                                     diag_error(diag, "a CUDA program has arguments, args = …, and no parameter '%.*s'",
                                                (int)strcspn(*q, "="), *q);
        Text plain = {0};
        const char *line = *q + strlen("args=");
        words.n = 1;
        while (word_next(&line, &plain)) vec_push(&words, arena_copy(&p->arena, plain.v));
        text_free(&plain);
    }
    if (c->how.ptx)
        return vec_free(&words), plan->wrong = c->how.ptx,
                                 diag_error(diag, "a CUDA program brings its own device code");
    const char **own = arena_alloc(&p->arena, sizeof *own * (words.n + 1));
    memcpy(own, words.v, sizeof *own * words.n);
    own[words.n] = NULL;
    plan->words = own;
    vec_free(&words);
    *s = (Subject){"program", c->program, c->program, {0}};
    text_put(params, own[1] ? "args=" : "");
    for (const char *const *w = own + 1; *w; w++) {  // an argument such as n=5 is no setting
        const char *quote = strchr(*w, '=') && !(*w)[strcspn(*w, "\"{}\t\r\n\v\f ")] ? "\"" : "";
        text_printf(params, "%s%s", w > own + 1 ? " " : "", quote);
        word_quoted(params, *w);
        text_put(params, quote);
    }
    const Content *code = file_content(p, c->program, false, diag);
    if (!code) return plan->wrong = c->program, false;
    s->code = code->hash;
    return true;
}

bool plan_settle(Planner *p, Plan *plan, Diag *diag)
{
    bool found = false;
    if (!plan->words || !p->store) return true;
    memcpy(plan->id.key, plan->id.base, sizeof plan->id.key);
    return store_settle(p->store, &plan->id, inputs_same, &p->inputs, &found, diag);
}

static bool plan_workload(Planner *p, Plan *plan, Subject *s, Text *params, Diag *diag)
{
    const Cell *c = plan->cell;
    const WorkloadEntry *e = plan->workload = workload_find(c->program);
    if (!e) return plan->wrong = c->program, no_workload(c->program, diag);
    const WorkloadEntry *alone = workload_find(e->workload->name);  // the name without the suite, where that is enough
    *s = (Subject){e->workload->suite, e->workload->name, alone == e ? e->workload->name : c->program, {0}};
    size_t n = 0;
    while (e->workload->params[n].name) n++;
    plan->params = mem_alloc(sizeof *plan->params * (n + 1));
    bool ok =
        workload_params(e, &(WorkOptions){.small = c->how.small, .params = c->params}, plan->params, params, diag);
    if (!ok) return wrong_param(e, c, plan), false;
    const Content *code = c->how.ptx ? file_content(p, c->how.ptx, true, diag) : built_in(p, e);
    if (!code) return plan->wrong = c->how.ptx, false;
    if (c->how.ptx) plan->ptx = &code->text;
    s->code = code->hash;
    return true;
}

static bool plan_measurement(Plan *plan, Subject *s, Text *params, Diag *diag)
{
    const Cell *c = plan->cell;
    const Measurement *m = plan->measurement = measurement_find(c->program);
    if (!m) return plan->wrong = c->program, measurement_unknown(c->program, diag);
    static const int none[] = {OPT_PTX, OPT_KERNELS,  OPT_SKIP,       OPT_MAX_CYCLES,
                               OPT_CAP, OPT_INTERVAL, OPT_FUNCTIONAL, OPT_SAMPLE};
    for (size_t k = 0; k < COUNT(none); k++)
        if (setup_given(&c->how) >> none[k] & 1)
            return plan->wrong = c->how.ptx ? c->how.ptx : c->how.kernels,
                   diag_error(diag, "a measurement can't have %s: it is of whole kernels of its own",
                              setup_axis_name(&setup_options[none[k]]));
    *s = (Subject){"probe", m->name, m->name, {.low64 = (uint64_t)m->version}};
    const char *wrong = NULL;
    plan->numbers = mem_alloc(sizeof *plan->numbers * MEASURE_PARAMS);
    if (measurement_params(m, c->params, plan->numbers, params, &wrong, diag)) return true;
    plan->wrong = wrong, plan->wrong_name = true;
    for (const MeasureParam *q = m->params; q->name; q++)
        if (gives(wrong, q->name)) plan->wrong_name = false;
    return false;
}

bool plan_cell(Planner *p, const Cell *c, Plan *plan, Diag *diag)
{
    *plan = (Plan){.cell = c};
    if (!is_probe(c) && strcmp(c->verb, "run")) return plan->wrong = c->verb, diag_error(diag, "no verb '%s'", c->verb);
    if (!setup_agrees(setup_given(&c->how), false, NAMES_AXIS, diag))
        return plan->wrong = "sample", plan->wrong_name = true, false;
    if (!read_sl1(plan, c->how.sl1, diag)) return plan->wrong = c->how.sl1, false;
    if (!read_kernels(plan, c->how.kernels, diag)) return plan->wrong = c->how.kernels, false;
    Subject s = {.suite = NULL};
    Text params = {0}, overrides = {0}, canonical = {0}, options = {0}, all = {0};
    bool ok = is_probe(c)     ? plan_measurement(plan, &s, &params, diag)
              : is_file(c)    ? plan_file(p, plan, &s, &params, diag)
              : is_program(c) ? plan_program(p, plan, &s, &params, diag)
                              : plan_workload(p, plan, &s, &params, diag);
    join(&overrides, c->sets);
    const Gpu *gpu = ok ? description(p, c, overrides.v, &canonical, diag) : NULL;
    if (ok && !gpu) wrong_set(c, plan);
    if (gpu) {
        setup_text(&c->how, &options);
        text_printf(&all, "model %d\nverb %s\nprogram %s/%s\nptx %016llx%016llx\nparams %s\noptions %s%s\ngpu %s\n%s",
                    MODEL_VERSION, c->verb, s.suite, s.name, (unsigned long long)s.code.high64,
                    (unsigned long long)s.code.low64, params.v, options.n ? " " : "", options.n ? options.v : "",
                    c->gpu, canonical.v);
        if (gpu->sm.reg_stated && plan->workload) text_printf(&all, "stated %u\n", workload_registers(plan->workload));
        if (c->how.sl1) text_printf(&all, "sl1 %d\n", SL1_VERSION);
        if (c->how.sample) text_printf(&all, "sample %d\n", SAMPLE_VERSION);
        XXH128_hash_t key = XXH3_128bits(all.v, all.n);
        Identity *id = &plan->id;
        snprintf(id->key, sizeof id->key, "%016llx%016llx", (unsigned long long)key.high64,
                 (unsigned long long)key.low64);
        if (plan->words) memcpy(id->base, id->key, sizeof id->base);
        id->verb = mem_text(c->verb);
        id->program = mem_text(s.stored);
        id->checked = plan->workload;
        id->params = mem_text(params.v);
        id->gpu = mem_text(c->gpu);
        overrides.n = 0, known_by(&overrides, c->sets, gpu);
        id->overrides = mem_text(overrides.v);
        id->options = mem_text(options.n ? options.v : "");
        plan->gpu = gpu;
    }
    text_free(&params), text_free(&overrides), text_free(&canonical), text_free(&options), text_free(&all);
    return gpu && plan_settle(p, plan, diag);
}
