// query.c: stored runs as rows of values. A column is found by its name among counters, rates, columns of the tables,
// settings and measures. A run's counters are sums over its kernels, and its rates are the usual formulas over these
// sums. The formulas need two values of the GPU. These are computed from what is stored (clock = cycles / seconds),
// since the description may have changed.
#include "store/query.h"
#include "store/sql.h"

#include "chip/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool bind_text(sqlite3_stmt *q, int at, const char *v)
{
    return sqlite3_bind_text(q, at, v, -1, SQLITE_TRANSIENT) == SQLITE_OK;
}

// --- filters ---------------------------------------------------------------------------------------------------------
const char *const run_columns[RUN_COLUMNS] = {
    "key",   "verb",     "program", "params",  "gpu",          "overrides",    "options",  "status",
    "error", "verified", "model",   "version", "wall_seconds", "memory_bytes", "finished", "host"};
const char *const kernel_columns[KERNEL_COLUMNS] = {"kernel",          "launches",       "grid",    "block",
                                                    "dynamic_shared",  "functional",     "partial", "occupancy_blocks",
                                                    "occupancy_warps", "occupancy_limit"};

static int place(const char *name, const char *const *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!strcmp(name, list[k])) return (int)k;
    return -1;
}

static bool same_setting(const char *a, const char *b)
{
    uint64_t x, y;
    return !strcmp(a, b) || (parse_size(a, &x) && parse_size(b, &y) && x == y);
}

// Whether any run has a row of this name in a table. False, with diag->failed, when the store failed.
static bool known_in(Store *s, const char *table, const char *name, Diag *diag)
{
    char sql[128];
    sqlite3_stmt *q = NULL;
    snprintf(sql, sizeof sql, "SELECT 1 FROM %s WHERE name = ? LIMIT 1", table);
    bool found = sql_prepare(s, sql, &q, diag) && (bind_text(q, 1, name) || sql_broken(s, diag)) && sql_row(s, q, diag);
    sqlite3_finalize(q);
    return found;
}

typedef VEC(const char *) Names;
static void names_of(Store *s, const char *table, Arena *arena, Names *out, Diag *diag)
{
    char sql[128];
    sqlite3_stmt *q = NULL;
    snprintf(sql, sizeof sql, "SELECT DISTINCT name FROM %s ORDER BY name", table);
    bool ok = sql_prepare(s, sql, &q, diag);
    while (ok && sql_row(s, q, diag) && sql_charge(s, (size_t)sqlite3_column_bytes(q, 0), diag))
        vec_push(out, arena_copy(arena, sql_text(q, 0)));
    sqlite3_finalize(q);
}

// Reports "no column 'x'; did you mean 'y'?", where y is the nearest name that could have been meant.
static bool unknown(Store *s, const char *what, const char *name, bool columns, bool kernels, Diag *diag)
{
    Arena arena = {0};
    Names names = {0};
    for (int k = 0; columns && k < C_COUNT; k++) vec_push(&names, counter_info[k].name);
    for (size_t k = 0; columns && k < RATES; k++) vec_push(&names, rates[k].name);
    for (size_t k = 0; k < RUN_COLUMNS; k++) vec_push(&names, run_columns[k]);
    for (size_t k = 0; kernels && k < KERNEL_COLUMNS; k++) vec_push(&names, kernel_columns[k]);
    names_of(s, "setting", &arena, &names, diag);
    if (columns) names_of(s, "measure", &arena, &names, diag);
    char hint[100];
    did_you_mean(name, names.v, names.n, hint);
    diag_error(diag, "%s has no %s '%s'%s%s", store_path(s), what, name, hint,
               !*hint && columns ? "\nhint: onchip list counters shows counters and rates; settings are parameters and "
                                   "overrides, such as l1.size"
                                 : "");
    vec_free(&names);
    arena_free(&arena);
    return false;
}

// One "name=value" of a filter. Values that are numbers are compared as numbers, so that 16KiB finds 16384.
typedef struct Condition {
    char *name;
    const char *value;
    sqlite3_stmt *q;
} Condition;

static bool condition_open(Store *s, Condition *c, const char *text, Diag *diag)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) return diag_error(diag, "'%s': name=value is expected", text);
    c->name = mem_text(text);
    c->name[equals - text] = 0;
    c->value = equals + 1;
    const char *name = setting_name(c->name);
    char sql[128];
    if (place(name, run_columns, RUN_COLUMNS) >= 0) {
        snprintf(sql, sizeof sql, "SELECT %s FROM run WHERE id = ?1", name);
        return sql_prepare(s, sql, &c->q, diag);
    }
    if (*c->value && !known_in(s, "setting", name, diag)) return unknown(s, "setting", name, false, false, diag);
    return sql_prepare(s, "SELECT value FROM setting WHERE run_id = ?1 AND name = ?2", &c->q, diag) &&
           (bind_text(c->q, 2, name) || sql_broken(s, diag));
}

static bool condition_holds(Store *s, Condition *c, int64_t run, Diag *diag)
{
    sqlite3_bind_int64(c->q, 1, run);
    bool set = sql_row(s, c->q, diag), same = set ? same_setting(sql_text(c->q, 0), c->value) : !*c->value;
    sqlite3_reset(c->q);
    return same;
}

// Adds a condition for the beginnings of keys. The beginning p is bound as the range [p, p + "g"), since hexadecimal
// digits sort below g.
static bool key_ranges(const Filter *f, Text *sql, Diag *diag)
{
    for (size_t k = 0; f->keys && f->keys[k]; k++) {
        const char *p = f->keys[k];
        if (!*p || p[strspn(p, "0123456789abcdef")])
            return diag_error(diag,
                              "'%s' isn't the beginning of a key: hexadecimal digits, as onchip db list shows them", p);
        text_put(sql, k ? " OR (key >= ? AND key < ? || 'g')" : " AND ((key >= ? AND key < ? || 'g')");
    }
    if (f->keys && f->keys[0]) text_put(sql, ")");
    return true;
}

static bool filter_open(Store *s, const Filter *f, sqlite3_stmt **q, Diag *diag)
{
    Text sql = {0};
    uint64_t model = 0;
    int at = 0;
    bool old = f->model && !strcmp(f->model, "old");
    bool ok = !f->model || old || parse_size(f->model, &model) ||
              diag_error(diag, "--model takes a number or old, not '%s'", f->model);
    text_put(&sql, "SELECT id FROM run WHERE 1");
    if (f->program) text_put(&sql, " AND program IN (?, ?)");
    if (f->gpu) text_put(&sql, " AND gpu = ?");
    if (f->failed) text_put(&sql, " AND status = 'failed'");
    if (f->model) text_put(&sql, old ? " AND model <> ?" : " AND model = ?");
    ok = ok && key_ranges(f, &sql, diag);
    text_put(&sql, " ORDER BY program, params, gpu, overrides, options, verb, model, key");
    ok = ok && sql_prepare(s, sql.v, q, diag);
    const char *slash = f->program ? strchr(f->program, '/') : NULL, *alone = slash ? slash + 1 : f->program;
    // "rodinia/nn" is stored as nn, unless nn alone means another workload.
    if (slash && workload_find(alone) != workload_find(f->program)) alone = f->program;
    if (ok && f->program) ok = bind_text(*q, at + 1, f->program) && bind_text(*q, at + 2, alone), at += 2;
    if (ok && f->gpu) ok = bind_text(*q, ++at, f->gpu);
    if (ok && f->model) ok = sqlite3_bind_int64(*q, ++at, old ? MODEL_VERSION : (int64_t)model) == SQLITE_OK;
    for (size_t k = 0; ok && f->keys && f->keys[k]; k++, at += 2)
        ok = bind_text(*q, at + 1, f->keys[k]) && bind_text(*q, at + 2, f->keys[k]);
    text_free(&sql);
    return ok || sql_broken(s, diag);
}

bool store_select(Store *s, const Filter *f, RunIds *ids, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    VEC(Condition) conditions = {0};
    bool begun = false, ok = sql_read(s, &begun, diag) && filter_open(s, f, &q, diag);
    for (size_t k = 0; ok && f->where && f->where[k]; k++) {
        Condition c = {.q = NULL};
        ok = condition_open(s, &c, f->where[k], diag);
        vec_push(&conditions, c);
    }
    while (ok && sql_row(s, q, diag)) {
        int64_t id = sqlite3_column_int64(q, 0);
        bool all = true;
        for (size_t k = 0; k < conditions.n && all; k++) all = condition_holds(s, &conditions.v[k], id, diag);
        if (all) vec_push(ids, id);
    }
    for (size_t k = 0; k < conditions.n; k++) sqlite3_finalize(conditions.v[k].q), mem_free(conditions.v[k].name);
    vec_free(&conditions);
    sqlite3_finalize(q);
    sql_end(s, begun);
    return ok && !diag->failed;
}

bool store_delete(Store *s, const RunIds *ids, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    if (!sql_write(s, diag)) return false;
    bool ok = sql_prepare(s, "DELETE FROM run WHERE id = ?", &q, diag);
    for (size_t k = 0; k < ids->n && ok; k++)
        ok = (sqlite3_bind_int64(q, 1, ids->v[k]) == SQLITE_OK && sqlite3_step(q) == SQLITE_DONE &&
              sqlite3_reset(q) == SQLITE_OK) ||
             sql_broken(s, diag);
    sqlite3_finalize(q);
    return sql_commit(s, ok, diag);
}

// --- rows ------------------------------------------------------------------------------------------------------------
typedef struct Column {
    enum { OF_RUN, OF_KERNEL, OF_COUNTER, OF_RATE, OF_SETTING, OF_MEASURE } kind;
    const char *name;  // in its table
    int at;        // its place in run_columns, kernel_columns, counter_info or rates; −1: this onchip has it in none
    int64_t same;  // the place of an earlier column that is the same, or −1
} Column;

struct Rows {
    Store *store;
    const RunIds *ids;
    size_t next;           // the place in ids of the next run
    bool kernels, within;  // within: a run's kernels are being gone through
    bool begun;            // a transaction was begun for the rows
    Column *columns;
    Datum *values;
    size_t n;
    Arena arena, row;  // arena has the columns' texts, row has those of the current row
    sqlite3_stmt *run, *kernel, *counters, *rates, *setting, *measure;
    Map wanted, registry;  // counters and rates → column; counters → place in counter_info
    bool wants_counters, wants_rates;
};

static bool find_column(Rows *r, const char *name, Column *c, Diag *diag)
{
    *c = (Column){.name = setting_name(name), .at = -1};
    for (int k = 0; k < C_COUNT; k++)
        if (!strcmp(name, counter_info[k].name)) return c->kind = OF_COUNTER, c->at = k, true;
    const Rate *rate = rate_called(name);
    if (rate) return c->kind = OF_RATE, c->at = (int)(rate - rates), true;
    if ((c->at = place(name, run_columns, RUN_COLUMNS)) >= 0) return c->kind = OF_RUN, true;
    int of_kernel = place(name, kernel_columns, KERNEL_COLUMNS);
    if (of_kernel >= 0 && r->kernels) return c->kind = OF_KERNEL, c->at = of_kernel, true;
    if (!strncmp(name, "setting.", 8)) return c->kind = OF_SETTING, c->name = setting_name(name + 8), true;
    if (!strncmp(name, "measure.", 8)) return c->kind = OF_MEASURE, c->name = name + 8, true;
    if (known_in(r->store, "setting", c->name, diag)) return c->kind = OF_SETTING, true;
    if (of_kernel >= 0) return diag_error(diag, "'%s' belongs to a kernel\nhint: --kernels gives a row for each", name);
    if (known_in(r->store, "measure", name, diag)) return c->kind = OF_MEASURE, true;
    if (known_in(r->store, "counter", name, diag)) return c->kind = OF_COUNTER, true;  // of another version of onchip
    if (known_in(r->store, "rate", name, diag)) return c->kind = OF_RATE, true;
    return unknown(r->store, "column", name, true, r->kernels, diag);
}

static bool prepare_columns(Rows *r, const char *const *columns, size_t n, const char *rest, sqlite3_stmt **q,
                            Diag *diag)
{
    Text sql = {0};
    for (size_t k = 0; k < n; k++)
        text_printf(&sql, "%s%s", k ? ", " : "SELECT ", strcmp(columns[k], "kernel") ? columns[k] : "name");
    text_put(&sql, rest);
    bool ok = sql_prepare(r->store, sql.v, q, diag);
    text_free(&sql);
    return ok;
}

const char *setting_column(const char *name, bool kernels, Arena *arena)
{
    bool taken =
        place(name, run_columns, RUN_COLUMNS) >= 0 || (kernels && place(name, kernel_columns, KERNEL_COLUMNS) >= 0);
    for (int k = 0; k < C_COUNT; k++) taken |= !strcmp(name, counter_info[k].name);
    return taken || rate_called(name) ? arena_printf(arena, "setting.%s", name) : name;
}

Rows *rows_open(Store *s, const RunIds *ids, const char *const *columns, size_t n, bool kernels, Diag *diag)
{
    Rows *r = mem_alloc(sizeof *r);
    *r = (Rows){.store = s, .ids = ids, .kernels = kernels, .n = n};
    r->columns = arena_alloc(&r->arena, sizeof *r->columns * (n + 1));
    r->values = arena_alloc(&r->arena, sizeof *r->values * (n + 1));
    bool ok = sql_read(s, &r->begun, diag);
    for (int c = 0; c < C_COUNT; c++) map_put(&r->registry, counter_info[c].name, strlen(counter_info[c].name), c);
    for (size_t k = 0; k < n && ok; k++) {
        Column *c = &r->columns[k];
        ok = find_column(r, arena_copy(&r->arena, columns[k]), c, diag);
        c->same = -1;
        r->wants_counters |= c->kind == OF_COUNTER;
        r->wants_rates |= c->kind == OF_RATE;
        if (ok && (c->kind == OF_COUNTER || c->kind == OF_RATE) &&
            !map_get(&r->wanted, c->name, strlen(c->name), &c->same))
            map_put(&r->wanted, c->name, strlen(c->name), (int64_t)k);
    }
    ok = ok && prepare_columns(r, run_columns, RUN_COLUMNS, " FROM run WHERE id = ?", &r->run, diag);
    ok = ok && prepare_columns(r, kernel_columns, KERNEL_COLUMNS, ", id FROM kernel WHERE run_id = ? ORDER BY id",
                               &r->kernel, diag);
    ok = ok && sql_prepare(s, "SELECT name, value FROM counter WHERE kernel_id = ?", &r->counters, diag);
    ok = ok && sql_prepare(s, "SELECT name, value FROM rate WHERE kernel_id = ?", &r->rates, diag);
    ok = ok && sql_prepare(s, "SELECT value FROM setting WHERE run_id = ?1 AND name = ?2", &r->setting, diag);
    ok = ok && sql_prepare(s, "SELECT value, text FROM measure WHERE run_id = ?1 AND name = ?2", &r->measure, diag);
    if (ok) return r;
    rows_close(r);
    return NULL;
}

void rows_close(Rows *r)
{
    if (!r) return;
    sqlite3_stmt *const all[] = {r->run, r->kernel, r->counters, r->rates, r->setting, r->measure};
    for (size_t k = 0; k < COUNT(all); k++) sqlite3_finalize(all[k]);
    sql_end(r->store, r->begun);
    map_free(&r->wanted), map_free(&r->registry);
    arena_free(&r->row), arena_free(&r->arena);
    mem_free(r);
}

const Datum *rows_values(const Rows *r) { return r->values; }
int64_t rows_id(const Rows *r) { return r->ids->v[r->next - 1]; }

static void take(Rows *r, Datum *v, sqlite3_stmt *q, int column)
{
    switch (sqlite3_column_type(q, column)) {
    case SQLITE_INTEGER: *v = (Datum){.kind = DATUM_INT, .whole = sqlite3_column_int64(q, column)}; break;
    case SQLITE_FLOAT: *v = (Datum){.kind = DATUM_REAL, .real = sqlite3_column_double(q, column)}; break;
    case SQLITE_NULL: *v = (Datum){.kind = DATUM_NONE}; break;
    default: *v = (Datum){.kind = DATUM_TEXT, .text = arena_copy(&r->row, sql_text(q, column))};
    }
}

static void take_of(Rows *r, sqlite3_stmt *q, int kind)
{
    for (size_t k = 0; k < r->n; k++)
        if ((int)r->columns[k].kind == kind) take(r, &r->values[k], q, r->columns[k].at);
}

// Puts a run's settings and measures into their columns. A measure is a number or a text.
static void take_named(Rows *r, int64_t run, Diag *diag)
{
    for (size_t k = 0; k < r->n; k++) {
        const Column *c = &r->columns[k];
        if (c->kind != OF_SETTING && c->kind != OF_MEASURE) continue;
        sqlite3_stmt *q = c->kind == OF_SETTING ? r->setting : r->measure;
        sqlite3_bind_int64(q, 1, run), bind_text(q, 2, c->name);
        r->values[k] = (Datum){.kind = DATUM_NONE};
        if (sql_row(r->store, q, diag))
            take(r, &r->values[k], q, c->kind == OF_MEASURE && sqlite3_column_type(q, 0) == SQLITE_NULL);
        sqlite3_reset(q);
    }
}

// Adds a kernel's counters to their columns. count, unless it is null, gets them, too, in the order of the registry.
static void add_counters(Rows *r, int64_t kernel, uint64_t *count, Diag *diag)
{
    sqlite3_bind_int64(r->counters, 1, kernel);
    while (sql_row(r->store, r->counters, diag)) {
        const char *name = sql_text(r->counters, 0);
        int64_t value = sqlite3_column_int64(r->counters, 1), at;
        if (map_get(&r->wanted, name, strlen(name), &at) && r->columns[at].kind == OF_COUNTER) {
            r->values[at].kind = DATUM_INT;
            if (__builtin_add_overflow(r->values[at].whole, value, &r->values[at].whole))
                diag_error(diag, "%s is damaged: the sum of %s over a run's kernels has no room in 64 bits",
                           store_path(r->store), r->columns[at].name);
        }
        if (count && map_get(&r->registry, name, strlen(name), &at)) count[at] = (uint64_t)value;
    }
}

// Puts a kernel's stored rates into their columns. *seconds and *occupancy get two of the rates, from which the GPU's
// values are computed.
static void take_rates(Rows *r, int64_t kernel, double *seconds, double *occupancy, Diag *diag)
{
    sqlite3_bind_int64(r->rates, 1, kernel);
    while (sql_row(r->store, r->rates, diag)) {
        const char *name = sql_text(r->rates, 0);
        int64_t at;
        if (map_get(&r->wanted, name, strlen(name), &at) && r->columns[at].kind == OF_RATE)
            take(r, &r->values[at], r->rates, 1);
        if (!strcmp(name, "seconds")) *seconds = sqlite3_column_double(r->rates, 1);
        if (!strcmp(name, "occupancy")) *occupancy = sqlite3_column_double(r->rates, 1);
    }
}

static void repeat(Rows *r)
{
    for (size_t k = 0; k < r->n; k++)
        if (r->columns[k].same >= 0) r->values[k] = r->values[r->columns[k].same];
}

// Sums over a run's kernels. Where only one kernel was timed, its rates are the run's.
static void sum_kernels(Rows *r, Diag *diag)
{
    Gpu gpu = {.capability = 0};
    uint64_t sum[C_COUNT] = {0};
    size_t timed = 0;
    while (sql_row(r->store, r->kernel, diag)) {
        int64_t id = sqlite3_column_int64(r->kernel, KERNEL_COLUMNS);
        uint64_t count[C_COUNT] = {0};
        double seconds = 0, occupancy = 0;
        add_counters(r, id, r->wants_rates ? count : NULL, diag);
        if (!r->wants_rates || sqlite3_column_int(r->kernel, 5)) continue;
        take_rates(r, id, &seconds, &occupancy, diag);
        if (seconds > 0) gpu.core_mhz = (double)count[C_CYCLES] / seconds / 1e6;
        if (occupancy > 0 && count[C_SM_CYCLES])
            gpu.sm.max_warps =
                (uint32_t)lround((double)count[C_WARP_CYCLES] / ((double)count[C_SM_CYCLES] * occupancy));
        for (int c = 0; c < C_COUNT; c++) sum[c] += count[c];
        timed++;
    }
    for (size_t k = 0; timed > 1 && k < r->n; k++) {
        if (r->columns[k].kind != OF_RATE) continue;
        int at = r->columns[k].at;
        r->values[k] = at < 0 || !(gpu.core_mhz > 0) ? (Datum){.kind = DATUM_NONE}
                                                     : (Datum){.kind = DATUM_REAL, .real = rates[at].value(sum, &gpu)};
    }
}

static void clear(Rows *r)
{
    for (size_t k = 0; k < r->n; k++)
        if (r->columns[k].kind == OF_KERNEL || r->columns[k].kind == OF_COUNTER || r->columns[k].kind == OF_RATE)
            r->values[k] = (Datum){.kind = DATUM_NONE};
}

static bool next_kernel(Rows *r, Diag *diag)
{
    if (!sql_row(r->store, r->kernel, diag)) return false;
    double unused;
    int64_t id = sqlite3_column_int64(r->kernel, KERNEL_COLUMNS);
    clear(r);
    take_of(r, r->kernel, OF_KERNEL);
    if (r->wants_counters) add_counters(r, id, NULL, diag);
    if (r->wants_rates && !sqlite3_column_int(r->kernel, 5)) take_rates(r, id, &unused, &unused, diag);
    repeat(r);
    return true;
}

bool rows_next(Rows *r, Diag *diag)
{
    if (diag->failed) return false;
    if (r->within && next_kernel(r, diag)) return !diag->failed;
    r->within = false;
    for (; r->next < r->ids->n && !diag->failed; r->next++) {
        int64_t id = r->ids->v[r->next];
        arena_free(&r->row);
        sqlite3_bind_int64(r->run, 1, id);
        if (!sql_row(r->store, r->run, diag)) continue;  // deleted since it was selected
        take_of(r, r->run, OF_RUN);
        sqlite3_reset(r->run);
        r->next++;
        if (!checksum_check(r->store, id, false, diag)) return false;
        clear(r);
        take_named(r, id, diag);
        sqlite3_bind_int64(r->kernel, 1, id);
        if (r->kernels)
            r->within = next_kernel(r, diag);
        else if (r->wants_counters || r->wants_rates)
            sum_kernels(r, diag), repeat(r);
        return !diag->failed;
    }
    return false;
}

bool store_structures(Store *s, int64_t run, Arena *arena, RunStructures *out, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    bool
        begun = false,
        ok =
            sql_read(s, &begun, diag) && checksum_check(s, run, false, diag) &&
            sql_prepare(
                s,
                "SELECT k.name, x.name, loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits, dram_bytes"
                " FROM kernel k JOIN structure x ON x.kernel_id = k.id WHERE k.run_id = ? ORDER BY k.id, dram_bytes "
                "DESC, x.name",
                &q, diag);
    if (ok) sqlite3_bind_int64(q, 1, run);
    while (ok && sql_row(s, q, diag)) {
        RunStructure x = {.kernel = arena_copy(arena, sql_text(q, 0)), .name = arena_copy(arena, sql_text(q, 1))};
        uint64_t *const values[] = {&x.loads,   &x.stores,      &x.atomics, &x.transactions,
                                    &x.sectors, &x.l1_accesses, &x.l1_hits, &x.dram_bytes};
        for (size_t k = 0; k < COUNT(values); k++) *values[k] = (uint64_t)sqlite3_column_int64(q, (int)k + 2);
        vec_push(out, x);
    }
    sqlite3_finalize(q);
    sql_end(s, begun);
    return ok && !diag->failed;
}

// --- values ----------------------------------------------------------------------------------------------------------
bool datum_number(const Datum *v, double *out)
{
    uint64_t n;
    switch (v->kind) {
    case DATUM_INT: return *out = (double)v->whole, true;
    case DATUM_REAL: return *out = v->real, true;
    case DATUM_TEXT:
        if (parse_size(v->text, &n)) return *out = (double)n, true;
        return parse_double(v->text, out);
    default: return false;
    }
}

void datum_text(const Datum *v, Text *out)
{
    size_t start = out->n;
    double back;
    switch (v->kind) {
    case DATUM_INT: text_printf(out, "%lld", (long long)v->whole); break;
    case DATUM_REAL:
        for (int digits = 15; digits <= 17; digits++) {
            out->n = start;
            text_printf(out, "%.*g", digits, v->real);
            if (parse_double(out->v + start, &back) && back == v->real) break;
        }
        break;
    case DATUM_TEXT: text_put(out, v->text); break;
    default: text_put(out, "");
    }
}
