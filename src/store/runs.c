// runs.c: reads runs of a store into structures in memory, for reports. Counters of other versions of onchip that this
// one doesn't know are left out. Counters that a store lacks are 0.
#include "store/query.h"
#include "store/sql.h"

#include "exec/launch.h"
#include "gpu/gpu.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PEAKS_AT = 1000 };  // the place of the first share of a peak in rates, behind all of rates[]
typedef struct Reader {
    Runs *runs;
    Store *s;
    Map counters, rates;  // names to places
    sqlite3_stmt *setting, *kernel, *counter, *rate, *structure, *line, *sample, *said, *why_of, *why;
    Diag *diag;
} Reader;

static bool prepare(Reader *r, sqlite3_stmt **q, const char *sql) { return sql_prepare(r->s, sql, q, r->diag); }

static bool next(Reader *r, sqlite3_stmt *q) { return sql_row(r->s, q, r->diag); }

static const char *text(Reader *r, sqlite3_stmt *q, int column)
{
    const char *t = (const char *)sqlite3_column_text(q, column);
    return t ? arena_copy(&r->runs->arena, t) : NULL;
}

// Reports a value that can't be: a damaged file may have what the schema's constraints don't exclude.
static bool damaged(Reader *r, sqlite3_stmt *q, int column, const char *what)
{
    const char *found = (const char *)sqlite3_column_text(q, column);
    return diag_error(r->diag, "%s is damaged: %s is %s%s%s, not %s", store_path(r->s), sqlite3_column_name(q, column),
                      found ? "'" : "", found ? found : "missing", found ? "'" : "", what);
}

static const char *word(Reader *r, sqlite3_stmt *q, int column)
{
    const char *t = text(r, q, column);
    return t ? t : (damaged(r, q, column, "a text"), "");
}

static uint64_t count(Reader *r, sqlite3_stmt *q, int column)
{
    if (sqlite3_column_type(q, column) != SQLITE_INTEGER) damaged(r, q, column, "a whole number");
    return (uint64_t)sqlite3_column_int64(q, column);
}

// Returns the place of a name in a list of names between commas. Without a list it is 0; −1: the list hasn't the name.
static int place(const char *list, const char *name)
{
    ListValue v;
    if (!list) return 0;
    for (int at = 0; list_next(&list, &v); at++)
        if (v.n == strlen(name) && !memcmp(v.at, name, v.n)) return at;
    return -1;
}

// --- settings --------------------------------------------------------------------------------------------------------
static void add_setting(StoredRun *run, const char *name, const char *value)
{
    RunSetting s = {name, value};
    vec_push(&run->settings, s);
}

// Reads the run's overrides, or its parameters. An override's name is a section and a key; a parameter's has no dot.
static void read_settings(Reader *r, StoredRun *run, int64_t id, bool overrides)
{
    sqlite3_bind_int64(r->setting, 1, id);
    while (next(r, r->setting)) {
        const char *name = word(r, r->setting, 0);
        if (!strchr(name, '.') != overrides) add_setting(run, name, word(r, r->setting, 1));
    }
}

// --- kernels ---------------------------------------------------------------------------------------------------------
static void read_counters(Reader *r, RunKernel *k)
{
    k->count = arena_alloc(&r->runs->arena, sizeof *k->count * C_COUNT);
    while (next(r, r->counter)) {
        const char *name = word(r, r->counter, 0);
        int64_t at;
        if (map_get(&r->counters, name, strlen(name), &at)) k->count[at] = count(r, r->counter, 1);
    }
    k->rate = arena_alloc(&r->runs->arena, sizeof *k->rate * RATES);
    k->peak = arena_alloc(&r->runs->arena, sizeof *k->peak * ALL_PEAKS);
    for (size_t n = 0; n < RATES; n++) k->rate[n] = NAN;
    for (size_t n = 0; n < ALL_PEAKS; n++) k->peak[n] = NAN;
    while (next(r, r->rate)) {
        const char *name = word(r, r->rate, 0);
        int64_t at;
        if (map_get(&r->rates, name, strlen(name), &at) && sqlite3_column_type(r->rate, 1) != SQLITE_NULL)
            *(at < PEAKS_AT ? &k->rate[at] : &k->peak[at - PEAKS_AT]) = sqlite3_column_double(r->rate, 1);
    }
}

static void read_lines(Reader *r, RunKernel *k)
{
    while (next(r, r->line)) {
        sqlite3_stmt *q = r->line;
        RunLine l = {.file = word(r, q, 0),
                     .line = count(r, q, 1),
                     .at_file = text(r, q, 2),
                     .at_line = count(r, q, 3),
                     .array = text(r, q, 4),
                     .what = text(r, q, 5),
                     .issued = count(r, q, 6),
                     .lanes = count(r, q, 7),
                     .transactions = count(r, q, 8),
                     .sectors = count(r, q, 9),
                     .l1_accesses = count(r, q, 10),
                     .l1_hits = count(r, q, 11),
                     .stalls = count(r, q, 12),
                     .queued = count(r, q, 13),
                     .text = text(r, q, 14)};
        vec_push(&k->lines, l);
    }
}

static void read_samples(Reader *r, RunKernel *k)
{
    while (next(r, r->sample)) {
        uint64_t row = count(r, r->sample, 0), rows = k->samples.n / C_COUNT;
        const char *name = word(r, r->sample, 1);
        int64_t at;
        if (row > rows || row + 1 < rows) {  // samples must come in order, and none may be missing
            damaged(r, r->sample, 0, "the next sample");
            continue;
        }
        for (int c = 0; c < C_COUNT && row == rows; c++) vec_push(&k->samples, 0);
        if (map_get(&r->counters, name, strlen(name), &at))
            k->samples.v[row * C_COUNT + (size_t)at] = count(r, r->sample, 2);
    }
}

// A peak is so much a cycle, the same for all kernels of a run. So the shares weigh as the kernels' cycles do.
static void sum_peaks(StoredRun *run)
{
    for (size_t n = 0; n < ALL_PEAKS; n++) {
        double sum = 0;
        for (size_t k = 0; k < run->kernels.n; k++)
            if (!run->kernels.v[k].functional)
                sum += run->kernels.v[k].peak[n] * (double)run->kernels.v[k].count[C_CYCLES];
        run->peak[n] = run->count[C_CYCLES] ? sum / (double)run->count[C_CYCLES] : NAN;
    }
    run->peak[PEAK_LINK] = fmax(run->peak[PEAK_LINK_IN], run->peak[PEAK_LINK_OUT]);
}

static void read_kernels(Reader *r, StoredRun *run, int64_t id)
{
    sqlite3_bind_int64(r->kernel, 1, id);
    while (next(r, r->kernel)) {
        sqlite3_stmt *q = r->kernel;
        RunKernel k = {.name = word(r, q, 1),
                       .grid = word(r, q, 2),
                       .block = word(r, q, 3),
                       .limit = word(r, q, 4),
                       .launches = count(r, q, 5),
                       .functional = count(r, q, 6),
                       .partial = count(r, q, 7),
                       .warps = count(r, q, 8)};
        sqlite3_stmt *const below[] = {r->counter, r->rate, r->structure, r->line, r->sample, r->said, r->why_of};
        for (size_t n = 0; n < COUNT(below); n++) sqlite3_bind_int64(below[n], 1, sqlite3_column_int64(q, 0));
        read_counters(r, &k);
        while (next(r, r->said)) k.limits = word(r, r->said, 0);
        while (next(r, r->why_of)) {
            q = r->why_of;
            RunWhy w = {word(r, q, 0),
                        sqlite3_column_double(q, 1),
                        sqlite3_column_double(q, 2),
                        sqlite3_column_double(q, 3),
                        sqlite3_column_double(q, 4),
                        sqlite3_column_double(q, 5)};
            vec_push(&k.why, w);
        }
        while (next(r, r->structure)) {
            q = r->structure;
            RunStructure s = {k.name,         word(r, q, 0),  count(r, q, 1), count(r, q, 2), count(r, q, 3),
                              count(r, q, 4), count(r, q, 5), count(r, q, 6), count(r, q, 7), count(r, q, 8)};
            vec_push(&k.structures, s);
        }
        sqlite3_bind_int64(r->line, 2, id);
        read_lines(r, &k);
        read_samples(r, &k);
        for (int c = 0; c < C_COUNT && !k.functional; c++) run->count[c] += k.count[c];
        if (!k.functional && isfinite(k.rate[R_SECONDS])) run->seconds += k.rate[R_SECONDS];
        vec_push(&run->kernels, k);
    }
}

// Why loads missed, out of measures "why.CLASS[structure=NAME]".
static void read_why(Reader *r, StoredRun *run, int64_t id)
{
    static const struct {
        const char *name;
        size_t at;
    } fields[] = {{"why.served", offsetof(RunWhy, served)},
                  {"why.first_touch", offsetof(RunWhy, first)},
                  {"why.capacity", offsetof(RunWhy, capacity)},
                  {"why.conflict", offsetof(RunWhy, conflict)},
                  {"why.dropped", offsetof(RunWhy, dropped)}};
    static const char place[] = "[structure=";
    sqlite3_bind_int64(r->why, 1, id);
    while (next(r, r->why)) {
        const char *name = word(r, r->why, 0), *of = strchr(name, '[');
        size_t n = of ? strlen(of) : 0, at = 0, f = 0;
        if (n <= sizeof place || strncmp(of, place, sizeof place - 1) || of[n - 1] != ']') continue;
        const char *structure = arena_text(&r->runs->arena, of + sizeof place - 1, n - sizeof place);
        while (f < COUNT(fields) && strncmp(fields[f].name, name, MAX((size_t)(of - name), strlen(fields[f].name))))
            f++;
        if (f == COUNT(fields)) continue;
        while (at < run->why.n && strcmp(run->why.v[at].name, structure)) at++;
        if (at == run->why.n) vec_push(&run->why, ((RunWhy){.name = structure}));
        *(double *)(void *)((char *)&run->why.v[at] + fields[f].at) = sqlite3_column_double(r->why, 1);
    }
}

// --- runs ------------------------------------------------------------------------------------------------------------
static bool open_reader(Reader *r)
{
    for (int c = 0; c < C_COUNT; c++) map_put(&r->counters, counter_info[c].name, strlen(counter_info[c].name), c);
    for (size_t k = 0; k < RATES; k++) map_put(&r->rates, rates[k].name, strlen(rates[k].name), (int64_t)k);
    for (size_t k = 0; k < ALL_PEAKS; k++)
        map_put(&r->rates, peak_info[k].name, strlen(peak_info[k].name), (int64_t)(PEAKS_AT + k));
    return prepare(r, &r->setting, "SELECT name, value FROM setting WHERE run_id = ? ORDER BY name") &&
           prepare(r, &r->kernel,
                   "SELECT id, name, grid, block, occupancy_limit, launches, functional, partial, occupancy_warps FROM "
                   "kernel WHERE run_id = ? ORDER BY id") &&
           prepare(r, &r->counter, "SELECT name, value FROM counter WHERE kernel_id = ?") &&
           prepare(r, &r->rate, "SELECT name, value FROM rate WHERE kernel_id = ?") &&
           prepare(r, &r->structure,
                   "SELECT name, loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits, dram_bytes FROM "
                   "structure WHERE kernel_id = ? ORDER BY name") &&
           prepare(r, &r->line,
                   "SELECT l.file, l.line, at_file, at_line, array, what, issued, lanes, transactions, sectors, "
                   "l1_accesses, l1_hits, stalls, queued, s.text FROM line l LEFT JOIN source s ON s.run_id = ?2 AND "
                   "s.file = l.file AND s.line = l.line WHERE kernel_id = ?1 ORDER BY number") &&
           prepare(r, &r->said, "SELECT text FROM said WHERE kernel_id = ? AND name = 'limits'") &&
           prepare(r, &r->why_of,
                   "SELECT name, served, first_touch, capacity, conflict, dropped FROM why WHERE kernel_id = ? ORDER "
                   "BY name") &&
           prepare(r, &r->why,
                   "SELECT name, value FROM measure WHERE run_id = ? AND name GLOB 'why.*' ORDER BY name") &&
           prepare(r, &r->sample, "SELECT number, name, value FROM sample WHERE kernel_id = ? ORDER BY number");
}

static void close_reader(Reader *r)
{
    sqlite3_stmt *const all[] = {r->setting, r->kernel, r->counter, r->rate, r->structure,
                                 r->line,    r->sample, r->said,    r->why};
    for (size_t k = 0; k < COUNT(all); k++) sqlite3_finalize(all[k]);
    map_free(&r->counters), map_free(&r->rates);
}

// Orders runs by their texts, in which numbers count as numbers: 8KiB comes before 16KiB.
static int by_text(const void *a, const void *b)
{
    const StoredRun *x = a, *y = b;
    const char *const pairs[][2] = {{x->program, y->program},
                                    {x->params, y->params},
                                    {x->gpu, y->gpu},
                                    {x->overrides, y->overrides},
                                    {x->options, y->options}};
    int order = 0;
    for (size_t k = 0; k < COUNT(pairs) && !order; k++) order = strverscmp(pairs[k][0], pairs[k][1]);
    if (!order && x->model != y->model) order = x->model < y->model ? -1 : 1;
    return order ? order : strcmp(x->key, y->key);
}

// Runs with the same settings may still differ, such as when the description's file was changed between them. They get
// the beginning of their key as a setting, which tells them apart.
static void tell_apart(Runs *runs)
{
    for (size_t k = 1; k < runs->v.n; k++) {
        StoredRun *pair[] = {&runs->v.v[k - 1], &runs->v.v[k]};
        const StoredRun *a = pair[0], *b = pair[1];
        if (strcmp(a->program, b->program) || strcmp(a->params, b->params) || strcmp(a->gpu, b->gpu) ||
            strcmp(a->overrides, b->overrides) || strcmp(a->options, b->options) || a->model != b->model)
            continue;
        for (int n = 0; n < 2; n++)
            if (strcmp(pair[n]->settings.v[pair[n]->settings.n - 1].name, "key"))
                add_setting(pair[n], "key", arena_text(&runs->arena, pair[n]->key, 8));
    }
}

// Orders runs as they were asked for, which the store doesn't know: by the place of their keys where keys are given,
// else as the options list GPUs and programs. Runs that are equal so far have the order in which they were stored.
typedef struct Asked {
    StoredRun *run;
    size_t key, came;
    int gpu, program;
} Asked;
static int by_asking(const void *a, const void *b)
{
    const Asked *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->gpu != y->gpu) return x->gpu < y->gpu ? -1 : 1;
    if (x->program != y->program) return x->program < y->program ? -1 : 1;
    return x->came < y->came ? -1 : x->came > y->came;
}

static void set_order(Runs *runs, const RunsWanted *wanted)
{
    Asked *all = mem_alloc(sizeof *all * (runs->v.n + 1));
    Map keys = {0};
    for (size_t k = 0; wanted->keys && k < wanted->keys->n; k++) {
        const char *key = wanted->keys->v[k];
        if (!map_get(&keys, key, strlen(key), NULL)) map_put(&keys, key, strlen(key), (int64_t)k);
    }
    for (size_t k = 0; k < runs->v.n; k++) {
        StoredRun *r = &runs->v.v[k];
        int64_t at = INT64_MAX;
        map_get(&keys, r->key, strlen(r->key), &at);
        all[k] = (Asked){r, (size_t)at, k, place(wanted->gpus, r->gpu), place(wanted->programs, r->program)};
    }
    if (runs->v.n) qsort(all, runs->v.n, sizeof *all, by_asking);
    for (size_t k = 0; k < runs->v.n; k++) all[k].run->order = k;
    map_free(&keys);
    mem_free(all);
}

bool runs_read(Runs *runs, Store *s, const RunsWanted *wanted, Diag *diag)
{
    Reader r = {.runs = runs, .s = s, .diag = diag};
    sqlite3_stmt *q = NULL;
    bool begun = false,
         ok = sql_read(s, &begun, diag) && open_reader(&r) &&
              prepare(&r, &q,
                      "SELECT id, key, program, params, gpu, overrides, options, error, version, "
                      "finished, host, verified, model, cycles, warp_instructions,"
                      " wall_seconds, status = 'done', (SELECT text FROM measure WHERE run_id = run.id AND "
                      "name = '" RESULT_MEASURE "') FROM run WHERE verb = 'run' ORDER BY id");
    while (ok && !diag->failed && next(&r, q)) {
        const char *program = word(&r, q, 2), *gpu = word(&r, q, 4);
        if (wanted->key && strcmp(wanted->key, word(&r, q, 1))) continue;
        if (place(wanted->programs, program) < 0 || place(wanted->gpus, gpu) < 0) continue;
        if (!checksum_check(s, sqlite3_column_int64(q, 0), true, diag)) break;
        StoredRun run = {.key = word(&r, q, 1),
                         .program = program,
                         .params = word(&r, q, 3),
                         .gpu = gpu,
                         .overrides = word(&r, q, 5),
                         .options = word(&r, q, 6),
                         .error = text(&r, q, 7),
                         .version = word(&r, q, 8),
                         .finished = word(&r, q, 9),
                         .host = word(&r, q, 10),
                         .verified = sqlite3_column_int64(q, 11),
                         .model = sqlite3_column_int64(q, 12),
                         .cycles = count(&r, q, 13),
                         .warp_instructions = count(&r, q, 14),
                         .wall_seconds = sqlite3_column_double(q, 15)};
        run.result = text(&r, q, 17);
        if (!sqlite3_column_int(q, 16) && !run.error) run.error = "failed";
        run.count = arena_alloc(&runs->arena, sizeof *run.count * C_COUNT);
        add_setting(&run, "gpu", run.gpu);
        read_settings(&r, &run, sqlite3_column_int64(q, 0), true);
        add_setting(&run, "options", run.options);
        add_setting(&run, "model", arena_printf(&runs->arena, "%lld", (long long)run.model));
        run.params_at = run.settings.n;
        read_settings(&r, &run, sqlite3_column_int64(q, 0), false);
        run.peak = arena_alloc(&runs->arena, sizeof *run.peak * ALL_PEAKS);
        read_kernels(&r, &run, sqlite3_column_int64(q, 0));
        sum_peaks(&run);
        read_why(&r, &run, sqlite3_column_int64(q, 0));
        vec_push(&runs->v, run);
    }
    sqlite3_finalize(q);
    close_reader(&r);
    sql_end(s, begun);
    set_order(runs, wanted);
    if (runs->v.n) qsort(runs->v.v, runs->v.n, sizeof *runs->v.v, by_text);
    tell_apart(runs);
    return ok && !diag->failed;
}

void runs_free(Runs *runs)
{
    for (size_t k = 0; k < runs->v.n; k++) {
        StoredRun *r = &runs->v.v[k];
        for (size_t n = 0; n < r->kernels.n; n++)
            vec_free(&r->kernels.v[n].structures), vec_free(&r->kernels.v[n].why), vec_free(&r->kernels.v[n].samples),
                vec_free(&r->kernels.v[n].lines);
        vec_free(&r->settings), vec_free(&r->kernels), vec_free(&r->why);
    }
    vec_free(&runs->v);
    arena_free(&runs->arena);
}

bool shape_read(const char *text, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    return text && sscanf(text, "%" SCNu32 ",%" SCNu32 ",%" SCNu32, &out[0], &out[1], &out[2]) == 3;
}

uint32_t blocks_room(const RunKernel *r)
{
    uint32_t b[3];
    if (!shape_read(r->block, b)) return 0;
    uint64_t warps = ((uint64_t)b[0] * b[1] * b[2] + LANES - 1) / LANES;
    return warps ? (uint32_t)(r->warps / warps) : 0;
}
