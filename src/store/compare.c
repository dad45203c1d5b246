// compare.c: compares runs. In pairs, it gives either the ratios of one value and their mean, or every counter that
// differs. It finds the best of runs that differ in one setting. Two runs are a pair when they have the same text:
// their identity in one canonical form, without the model and without the setting that is compared. Simulation is
// deterministic, so that equal means equal in every digit.
#include "store/query.h"
#include "store/sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- what makes a pair -----------------------------------------------------------------------------------------------
enum {
    K_KEY,
    K_VERB,
    K_PROGRAM,
    K_PARAMS,
    K_GPU,
    K_OVERRIDES,
    K_OPTIONS,
    K_STATUS,
    K_MODEL,
    K_CYCLES,
    K_SECONDS,
    K_VALUE,
    K_COUNT
};

typedef struct Entry {  // a run of one side
    const char *identity, *program, *what, *key;
    int64_t id, model;
    double value, cycles, seconds;  // 0: none
    bool valued;
} Entry;
typedef struct Entries {
    VEC(Entry) all;
    Map by_identity;  // → place in all
} Entries;

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

// Writes a list in its canonical form: sorted, and with numbers in one form, so that "l1.size=16KiB" and
// "l1.size=16384" are the same. Of a setting that is given twice the last value counts.
static void canonical(const char *list, const char *without, Arena *arena, Text *out)
{
    VEC(const char *) words = {0};
    Text name = {0}, value = {0};
    while (setting_next(&list, &name, &value)) {
        uint64_t number;
        if (without && !strcmp(name.v, without)) continue;
        const char *word = parse_size(value.v, &number)
                               ? arena_printf(arena, "%s=%llu", name.v, (unsigned long long)number)
                               : arena_printf(arena, "%s=%s", name.v, value.v);
        size_t k = 0;
        while (k < words.n && (strncmp(words.v[k], name.v, name.n) || words.v[k][name.n] != '=')) k++;
        if (k < words.n)
            words.v[k] = word;
        else
            vec_push(&words, word);
    }
    if (words.n) qsort(words.v, words.n, sizeof *words.v, by_text);
    for (size_t k = 0; k < words.n; k++) text_printf(out, " %s", words.v[k]);
    vec_free(&words);
    text_free(&name), text_free(&value);
}

// Writes the list without that setting for people, with values as they were given.
static void written(const char *list, const char *without, Text *out)
{
    Text name = {0}, value = {0};
    while (setting_next(&list, &name, &value))
        if (!without || strcmp(name.v, without)) text_printf(out, "%s%s=%s", out->n ? " " : "", name.v, value.v);
    text_free(&name), text_free(&value);
}

static const char *finished(Text *t, Arena *arena)
{
    const char *text = arena_text(arena, t->v ? t->v : "", t->n);
    text_free(t);
    return text;
}

static const char *identity(const Datum *v, const char *without, Arena *arena)
{
    Text t = {0};
    const int plain[] = {K_VERB, K_PROGRAM, K_GPU, K_OPTIONS};
    const char *const names[] = {"verb", "program", "gpu", "options"};
    for (size_t k = 0; k < COUNT(plain); k++)
        text_printf(&t, "%s\n", without && !strcmp(without, names[k]) ? "" : v[plain[k]].text);
    canonical(v[K_PARAMS].text, without, arena, &t);
    text_put(&t, "\n");
    canonical(v[K_OVERRIDES].text, without, arena, &t);
    return finished(&t, arena);
}

static const char *description(const Datum *v, const char *without, Arena *arena)
{
    Text t = {0};
    if (strcmp(v[K_VERB].text, "run")) text_put(&t, v[K_VERB].text);
    written(v[K_PARAMS].text, without, &t);
    if (!without || strcmp(without, "gpu")) text_printf(&t, "%son %s", t.n ? " " : "", v[K_GPU].text);
    written(v[K_OVERRIDES].text, without, &t);
    if (*v[K_OPTIONS].text && (!without || strcmp(without, "options")))
        text_printf(&t, "%s%s", t.n ? " " : "", v[K_OPTIONS].text);
    return finished(&t, arena);
}

static bool read_side(const Side *side, const char *without, const char *column, Arena *arena, Entries *out, Diag *diag)
{
    const char *const columns[K_COUNT] = {"key",     "verb",   "program", "params", "gpu",     "overrides",
                                          "options", "status", "model",   "cycles", "seconds", column};
    Rows *r = rows_open(side->store, side->ids, columns, K_COUNT, false, diag);
    if (!r) return false;
    while (rows_next(r, diag)) {
        const Datum *v = rows_values(r);
        Entry e = {.identity = identity(v, without, arena),
                   .what = description(v, without, arena),
                   .id = rows_id(r),
                   .model = v[K_MODEL].whole};
        e.program = arena_copy(arena, v[K_PROGRAM].text);
        e.key = arena_copy(arena, v[K_KEY].text);
        e.valued = !strcmp(v[K_STATUS].text, "done") && datum_number(&v[K_VALUE], &e.value);
        if (!datum_number(&v[K_CYCLES], &e.cycles)) e.cycles = 0;
        if (!datum_number(&v[K_SECONDS], &e.seconds)) e.seconds = 0;
        int64_t at;
        if (map_get(&out->by_identity, e.identity, strlen(e.identity), &at)) {
            if (e.model >= out->all.v[at].model) out->all.v[at] = e;
        } else {
            map_put(&out->by_identity, e.identity, strlen(e.identity), (int64_t)out->all.n);
            vec_push(&out->all, e);
        }
    }
    rows_close(r);
    return !diag->failed;
}

static void entries_free(Entries *e) { vec_free(&e->all), map_free(&e->by_identity); }

static const Entry *partner(const Entry *of, const Entries *in)
{
    int64_t at;
    return map_get(&in->by_identity, of->identity, strlen(of->identity), &at) ? &in->all.v[at] : NULL;
}

// --- the best of runs that differ in one setting ---------------------------------------------------------------------
// Fewer cycles are better; of equals the larger number, which is what a search takes (sweep/search.c).
static bool better(const Entry *a, const Entry *b)
{
    return a->cycles != b->cycles ? a->cycles < b->cycles : a->value >= b->value;
}

bool store_best(Store *s, RunIds *ids, const char *setting, Diag *diag)
{
    setting = setting_name(setting);
    Arena arena = {0};
    const char *column = arena_printf(&arena, "setting.%s", setting);
    const char *const columns[K_COUNT] = {"key",     "verb",   "program", "params", "gpu",     "overrides",
                                          "options", "status", "model",   "cycles", "seconds", column};
    Entries best = {0};
    Rows *r = rows_open(s, ids, columns, K_COUNT, false, diag);
    bool set = !ids->n;
    while (r && rows_next(r, diag)) {
        const Datum *v = rows_values(r);
        Entry e = {.id = rows_id(r), .value = -INFINITY};
        set |= v[K_VALUE].kind != DATUM_NONE;
        if (strcmp(v[K_STATUS].text, "done") || !datum_number(&v[K_CYCLES], &e.cycles) || !(e.cycles > 0)) continue;
        uint64_t number;
        if (v[K_VALUE].kind == DATUM_TEXT && parse_size(v[K_VALUE].text, &number)) e.value = (double)number;
        e.identity = arena_printf(&arena, "%s\n%lld", identity(v, setting, &arena), (long long)v[K_MODEL].whole);
        int64_t at = (int64_t)best.all.n;
        if (!map_get(&best.by_identity, e.identity, strlen(e.identity), &at)) {
            map_put(&best.by_identity, e.identity, strlen(e.identity), at);
            vec_push(&best.all, e);
        } else if (better(&e, &best.all.v[at])) {
            best.all.v[at] = e;
        }
    }
    bool ok = !diag->failed;
    rows_close(r);
    if (ok && !set)
        ok = diag_error(
            diag, "none of these runs has the setting '%s'\nhint: it is what was tried, such as sched.limit", setting);
    for (ids->n = 0; ok && ids->n < best.all.n; ids->n++) ids->v[ids->n] = best.all.v[ids->n].id;
    entries_free(&best);
    arena_free(&arena);
    return ok;
}

// --- ratios ----------------------------------------------------------------------------------------------------------
typedef VEC(double) Logs;

static void set_mean(PairMean *m, const Logs *logs)
{
    double sum = 0, squares = 0;
    size_t n = logs->n;
    m->ratios = n;
    if (!n) return;
    for (size_t k = 0; k < n; k++) sum += logs->v[k];
    double mean = sum / (double)n;
    for (size_t k = 0; k < n; k++) squares += (logs->v[k] - mean) * (logs->v[k] - mean);
    m->ratio = m->low = m->high = exp(mean);
    if (n < 2) return;
    double half = student_t(0.95, (uint32_t)(n - 1)) * sqrt(squares / (double)(n - 1) / (double)n);
    m->low = exp(mean - half), m->high = exp(mean + half);
    m->significant = m->low > 1 || m->high < 1;
}

static int by_program(const void *a, const void *b)
{
    const RunPair *x = a, *y = b;
    int order = strcmp(x->program, y->program);
    return order ? order : strcmp(x->what, y->what);
}

static void find_means(Comparison *c)
{
    Logs logs = {0}, means = {0};
    PairMean all = {.program = NULL};
    for (size_t k = 0; k < c->pairs.n;) {
        PairMean m = {.program = c->pairs.v[k].program};
        logs.n = 0;
        for (; k < c->pairs.n && !strcmp(c->pairs.v[k].program, m.program); k++) {
            m.pairs++, m.equal += c->pairs.v[k].equal;
            if (c->pairs.v[k].ratio > 0) vec_push(&logs, log(c->pairs.v[k].ratio));
        }
        set_mean(&m, &logs);
        all.pairs += m.pairs, all.equal += m.equal;
        if (m.ratios) vec_push(&means, log(m.ratio));
        vec_push(&c->means, m);
    }
    if (c->means.n > 1) set_mean(&all, &means);
    if (c->means.n > 1) vec_push(&c->means, all);
    vec_free(&logs), vec_free(&means);
}

bool clocks_differ(const double cycles[2], const double seconds[2])
{
    if (!(cycles[0] > 0 && cycles[1] > 0 && seconds[0] > 0 && seconds[1] > 0)) return false;
    double a = cycles[0] / seconds[0], b = cycles[1] / seconds[1];
    return fabs(a - b) > 1e-9 * fmax(a, b);
}

static bool any_clocks_differ(const Entries in[2])
{
    for (size_t k = 0; k < in[0].all.n; k++) {
        const Entry *a = &in[0].all.v[k], *b = partner(a, &in[1]);
        if (b && clocks_differ((double[]){a->cycles, b->cycles}, (double[]){a->seconds, b->seconds})) return true;
    }
    return false;
}

bool compare_runs(const Side sides[2], const char *setting, const char *column, Comparison *out, Diag *diag)
{
    Entries in[2] = {0};
    *out = (Comparison){.column = column ? column : "cycles"};
    if (setting) setting = setting_name(setting);
    bool ok = read_side(&sides[0], setting, out->column, &out->arena, &in[0], diag) &&
              read_side(&sides[1], setting, out->column, &out->arena, &in[1], diag);
    out->clocks = ok && any_clocks_differ(in);
    if (!column && out->clocks) {
        out->column = "seconds";
        for (int k = 0; k < 2; k++)
            for (size_t n = 0; n < in[k].all.n; n++) {
                Entry *e = &in[k].all.v[n];
                e->value = e->seconds, e->valued = e->valued && e->seconds > 0;
            }
    }
    for (size_t k = 0; ok && k < in[0].all.n; k++) {
        const Entry *a = &in[0].all.v[k], *b = partner(a, &in[1]);
        if (!b) {
            out->alone[0]++;
            continue;
        }
        out->without[0] += !a->valued, out->without[1] += !b->valued;
        if (!a->valued || !b->valued) continue;
        RunPair p = {.program = a->program,
                     .what = a->what,
                     .key = {a->key, b->key},
                     .value = {a->value, b->value},
                     .equal = a->value == b->value};
        p.ratio = p.equal ? 1 : a->value > 0 && b->value > 0 ? b->value / a->value : 0;
        vec_push(&out->pairs, p);
    }
    for (size_t k = 0; ok && k < in[1].all.n; k++) out->alone[1] += !partner(&in[1].all.v[k], &in[0]);
    if (out->pairs.n) qsort(out->pairs.v, out->pairs.n, sizeof *out->pairs.v, by_program);
    find_means(out);
    entries_free(&in[0]), entries_free(&in[1]);
    return ok;
}

void comparison_free(Comparison *c)
{
    vec_free(&c->pairs), vec_free(&c->means);
    arena_free(&c->arena);
}

// --- counters --------------------------------------------------------------------------------------------------------
typedef struct Count {
    const char *kernel, *name, *text;
    double number;
    bool numeric;
} Count;
typedef struct Counts {
    VEC(Count) all;
    Map by_name;  // kernel, newline, name → place
} Counts;

// All counts of a run. A kernel's number of launches is one, so that a kernel which only one run has shows, too. Verbs
// without kernels have measures.
static const char counts_sql[] =
    "SELECT '' AS k, 'status', status FROM run WHERE id = ?1"
    " UNION ALL SELECT '', name, coalesce(value, text) FROM measure WHERE run_id = ?1"
    " UNION ALL SELECT name || iif(functional, ' (functional)', ''), 'launches', launches FROM kernel WHERE run_id = ?1"
    " UNION ALL SELECT k.name || iif(k.functional, ' (functional)', ''), c.name, c.value FROM kernel k JOIN counter c "
    "ON c.kernel_id = k.id"
    " WHERE k.run_id = ?1";

static bool read_counts(Store *s, int64_t run, Arena *arena, Counts *out, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    bool begun = false,
         ok = sql_read(s, &begun, diag) && checksum_check(s, run, false, diag) && sql_prepare(s, counts_sql, &q, diag);
    if (ok) sqlite3_bind_int64(q, 1, run);
    while (ok && sql_row(s, q, diag)) {
        const char *name = arena_printf(arena, "%s\n%s", sql_text(q, 0), sql_text(q, 1));
        size_t kernel = strcspn(name, "\n");
        Count c = {.kernel = arena_text(arena, name, kernel), .name = name + kernel + 1};
        c.numeric = sqlite3_column_type(q, 2) != SQLITE_TEXT;
        c.number = sqlite3_column_double(q, 2);
        c.text = arena_copy(arena, sql_text(q, 2));
        map_put(&out->by_name, name, strlen(name), (int64_t)out->all.n);
        vec_push(&out->all, c);
    }
    sqlite3_finalize(q);
    sql_end(s, begun);
    return ok && !diag->failed;
}

static const Count *count_of(const Counts *in, const Count *like)
{
    Text name = {0};
    int64_t at;
    text_printf(&name, "%s\n%s", like->kernel, like->name);
    bool found = map_get(&in->by_name, name.v, name.n, &at);
    text_free(&name);
    return found ? &in->all.v[at] : NULL;
}

static int by_size(const void *a, const void *b)
{
    const Difference *x = a, *y = b;
    if (x->relative != y->relative) return x->relative > y->relative ? -1 : 1;
    int order = strcmp(x->kernel, y->kernel);
    return order ? order : strcmp(x->name, y->name);
}

// Compares texts, too: two large counters that differ may be the same double.
static void differ(const Count *a, const Count *b, Differences *out)
{
    const Count *any = a ? a : b;
    if (a && b && (a->numeric && b->numeric ? a->number == b->number : true) && !strcmp(a->text, b->text)) return;
    Difference d = {
        .kernel = any->kernel, .name = any->name, .text = {a ? a->text : "-", b ? b->text : "-"}, .relative = 1};
    if (a && b && a->numeric && b->numeric)
        d.relative = fabs(a->number - b->number) / fmax(fabs(a->number), fabs(b->number));
    vec_push(out, d);
}

bool compare_two(Store *store[2], const int64_t id[2], Arena *arena, Differences *out, Diag *diag)
{
    Counts in[2] = {0};
    bool ok = read_counts(store[0], id[0], arena, &in[0], diag) && read_counts(store[1], id[1], arena, &in[1], diag);
    for (size_t k = 0; ok && k < in[0].all.n; k++) {
        const Count *a = &in[0].all.v[k], *b = count_of(&in[1], a);
        if (b || !strcmp(a->name, "launches")) differ(a, b, out);
    }
    for (size_t k = 0; ok && k < in[1].all.n; k++) {
        const Count *b = &in[1].all.v[k];
        if (!strcmp(b->name, "launches") && !count_of(&in[0], b)) differ(NULL, b, out);
    }
    if (out->n) qsort(out->v, out->n, sizeof *out->v, by_size);
    for (int k = 0; k < 2; k++) vec_free(&in[k].all), map_free(&in[k].by_name);
    return ok;
}

static int by_largest(const void *a, const void *b)
{
    const Change *x = a, *y = b;
    if (x->largest.relative != y->largest.relative) return x->largest.relative > y->largest.relative ? -1 : 1;
    int order = strcmp(x->program, y->program);
    return order ? order : strcmp(x->what, y->what);
}

bool compare_models(const Side sides[2], Regression *out, Diag *diag)
{
    Entries in[2] = {0};
    *out = (Regression){.changes = {0}};
    bool ok = read_side(&sides[0], NULL, "cycles", &out->arena, &in[0], diag) &&
              read_side(&sides[1], NULL, "cycles", &out->arena, &in[1], diag);
    for (size_t k = 0; ok && k < in[0].all.n; k++) {
        const Entry *a = &in[0].all.v[k], *b = partner(a, &in[1]);
        if (!b) {
            out->alone[0]++;
            continue;
        }
        out->pairs++;
        Arena arena = {0};
        Differences d = {0};
        ok = compare_two((Store *[2]){sides[0].store, sides[1].store}, (int64_t[2]){a->id, b->id}, &arena, &d, diag);
        if (ok && d.n) {
            Change c = {.program = a->program,
                        .what = a->what,
                        .key = {a->key, b->key},
                        .cycles = {a->cycles, b->cycles},
                        .counters = d.n,
                        .largest = d.v[0]};
            const char **texts[] = {&c.largest.kernel, &c.largest.name, &c.largest.text[0], &c.largest.text[1]};
            for (size_t t = 0; t < COUNT(texts); t++) *texts[t] = arena_copy(&out->arena, *texts[t]);
            vec_push(&out->changes, c);
        }
        vec_free(&d);
        arena_free(&arena);
    }
    for (size_t k = 0; ok && k < in[1].all.n; k++) out->alone[1] += !partner(&in[1].all.v[k], &in[0]);
    if (out->changes.n) qsort(out->changes.v, out->changes.n, sizeof *out->changes.v, by_largest);
    entries_free(&in[0]), entries_free(&in[1]);
    return ok;
}

void regression_free(Regression *r)
{
    vec_free(&r->changes);
    arena_free(&r->arena);
}
