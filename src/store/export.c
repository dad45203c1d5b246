// export.c: writes stored runs as CSV and JSON. Each row is written as soon as it is read, and of JSON only one run is
// held at a time. So the memory needed doesn't grow with the store.
#include "store/query.h"
#include "store/sql.h"

#include "chip/record.h"

#include <stdlib.h>
#include <string.h>

// --- columns ---------------------------------------------------------------------------------------------------------
static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

// Adds the names that the runs have in one table, sorted. A name that another column has already gets the prefix.
static bool add_names(Store *s, const RunIds *ids, const char *sql, const char *prefix, Map *seen, Arena *arena,
                      ColumnNames *out, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    if (!sql_prepare(s, sql, &q, diag)) return false;
    Map here = {0};
    size_t first = out->n;
    for (size_t k = 0; k < ids->n; k++) {
        sqlite3_bind_int64(q, 1, ids->v[k]);
        while (sql_row(s, q, diag)) {
            const char *name = sql_text(q, 0);
            if (map_get(&here, name, strlen(name), NULL)) continue;
            map_put(&here, name, strlen(name), 1);
            bool taken = map_get(seen, name, strlen(name), NULL);
            if (!taken || prefix) vec_push(out, arena_printf(arena, "%s%s", taken ? prefix : "", name));
        }
    }
    sqlite3_finalize(q);
    map_free(&here);
    if (out->n > first) qsort(out->v + first, out->n - first, sizeof *out->v, by_name);
    for (size_t k = first; k < out->n; k++) map_put(seen, out->v[k], strlen(out->v[k]), 1);
    return !diag->failed;
}

bool export_columns(Store *s, const RunIds *ids, Arena *arena, ColumnNames *out, Diag *diag)
{
    Map seen = {0};
    ColumnNames behind = {0};
    for (size_t k = 0; k < KERNEL_COLUMNS; k++) vec_push(&behind, kernel_columns[k]);
    for (int k = 0; k < C_COUNT; k++) vec_push(&behind, counter_info[k].name);
    for (size_t k = 0; k < RATES; k++) vec_push(&behind, rates[k].name);
    for (size_t k = 0; k < RUN_COLUMNS; k++) vec_push(out, run_columns[k]);
    for (size_t k = 0; k < out->n; k++) map_put(&seen, out->v[k], strlen(out->v[k]), 1);
    for (size_t k = 0; k < behind.n; k++) map_put(&seen, behind.v[k], strlen(behind.v[k]), 1);
    bool begun = false,
         ok = sql_read(s, &begun, diag) &&
              add_names(s, ids, "SELECT name FROM setting WHERE run_id = ?", "setting.", &seen, arena, out, diag) &&
              add_names(s, ids, "SELECT name FROM measure WHERE run_id = ?", "measure.", &seen, arena, out, diag);
    for (size_t k = 0; k < behind.n; k++) vec_push(out, behind.v[k]);
    // Counters and rates of other versions of onchip:
    ok = ok &&
         add_names(s, ids, "SELECT c.name FROM kernel k JOIN counter c ON c.kernel_id = k.id WHERE k.run_id = ?", NULL,
                   &seen, arena, out, diag) &&
         add_names(s, ids, "SELECT r.name FROM kernel k JOIN rate r ON r.kernel_id = k.id WHERE k.run_id = ?", NULL,
                   &seen, arena, out, diag);
    sql_end(s, begun);
    map_free(&seen);
    vec_free(&behind);
    return ok;
}

// --- rows ------------------------------------------------------------------------------------------------------------
// Writes a field of RFC 4180: one with a comma, a quote or a line break stands in quotes, and its quotes are doubled.
static void put_field(Text *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        text_put(out, text);
        return;
    }
    text_put(out, "\"");
    for (; *text; text++) text_add(out, "\"\"", *text == '"'), text_add(out, text, 1);
    text_put(out, "\"");
}

static void put_tabbed(Text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\t')
            text_put(out, "\\t");
        else if (*text == '\n')
            text_put(out, "\\n");
        else if (*text == '\r')
            text_put(out, "\\r");
        else
            text_add(out, text, 1);
    }
}

static void put_row(Text *out, ExportForm form, const Datum *values, const char *const *names, size_t n)
{
    Text field = {0};
    for (size_t k = 0; k < n; k++) {
        field.n = 0;
        if (names)
            text_put(&field, names[k]);
        else
            datum_text(&values[k], &field);
        if (k) text_put(out, form == EXPORT_TABS ? "\t" : ",");
        if (form == EXPORT_TABS)
            put_tabbed(out, field.v);
        else
            put_field(out, field.v);
    }
    text_put(out, form == EXPORT_TABS ? "\n" : "\r\n");
    text_free(&field);
}

static void json_value(Json *j, const char *name, const Datum *v)
{
    if (v->kind == DATUM_INT)
        json_int(j, name, v->whole);
    else if (v->kind == DATUM_REAL)
        json_double(j, name, v->real);
    else
        json_string(j, name, v->kind == DATUM_TEXT ? v->text : NULL);
}

// Writes what t has gathered, and empties t.
static bool flush(Text *t, FILE *out, Diag *diag)
{
    size_t n = t->n;
    t->n = 0;
    return !n || fwrite(t->v, 1, n, out) == n || diag_error(diag, "the output can't be written");
}

void export_begin(Json *j)
{
    json_open(j, NULL, '{');
    json_string(j, "onchip", ONCHIP_VERSION);
    json_int(j, "schema", EXPORT_VERSION);
}

bool export_rows(Store *s, const RunIds *ids, const ColumnNames *columns, bool kernels, ExportForm form, FILE *out,
                 Diag *diag)
{
    bool json = form == EXPORT_JSON;
    Rows *r = rows_open(s, ids, columns->v, columns->n, kernels, diag);
    if (!r) return false;
    Json j = {0};
    if (json)
        export_begin(&j), json_open(&j, "rows", '[');
    else
        put_row(&j.text, form, NULL, columns->v, columns->n);
    bool ok = true;
    while (ok && rows_next(r, diag)) {
        const Datum *v = rows_values(r);
        if (json) {
            json_open(&j, NULL, '{');
            for (size_t k = 0; k < columns->n; k++) json_value(&j, columns->v[k], &v[k]);
            json_close(&j, '}');
        } else {
            put_row(&j.text, form, v, NULL, columns->n);
        }
        if (j.text.n > 65536) ok = flush(&j.text, out, diag);
    }
    ok = ok && !diag->failed;
    if (json) json_close(&j, ']'), json_close(&j, '}');
    ok = ok && flush(&j.text, out, diag);
    json_free(&j);
    rows_close(r);
    return ok;
}

// --- runs ------------------------------------------------------------------------------------------------------------
typedef struct Tables {
    Store *s;
    Diag *diag;
    sqlite3_stmt *run, *setting, *measure, *kernel, *counter, *rate, *structure, *line, *source, *said, *why, *sample;
} Tables;

static const struct {
    size_t offset;
    const char *sql;
} queries[] = {
    {offsetof(Tables, run), "SELECT key, verb, program, params, gpu, overrides, options, status, error, verified, "
                            "cycles, warp_instructions, thread_instructions,"
                            " model, version, wall_seconds, memory_bytes, finished, host FROM run WHERE id = ?"},
    {offsetof(Tables, setting), "SELECT name, value FROM setting WHERE run_id = ? ORDER BY name"},
    {offsetof(Tables, measure), "SELECT name, coalesce(value, text) FROM measure WHERE run_id = ? ORDER BY name"},
    {offsetof(Tables, kernel), "SELECT name, launches, grid, block, dynamic_shared, functional, partial, "
                               "occupancy_blocks, occupancy_warps, occupancy_limit, seconds, id"
                               " FROM kernel WHERE run_id = ? ORDER BY id"},
    {offsetof(Tables, counter), "SELECT name, value FROM counter WHERE kernel_id = ? ORDER BY name"},
    {offsetof(Tables, rate), "SELECT name, value FROM rate WHERE kernel_id = ? ORDER BY name"},
    {offsetof(Tables, structure), "SELECT name, loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits, "
                                  "dram_bytes FROM structure WHERE kernel_id = ? ORDER BY name"},
    {offsetof(Tables, line), "SELECT file, line, at_file, at_line, array, what, issued, lanes, transactions, sectors, "
                             "l1_accesses, l1_hits, stalls, queued FROM line WHERE kernel_id = ? ORDER BY number"},
    {offsetof(Tables, source), "SELECT file, line, text FROM source WHERE run_id = ? ORDER BY file, line"},
    {offsetof(Tables, said), "SELECT name, text FROM said WHERE kernel_id = ? ORDER BY name"},
    {offsetof(Tables, why),
     "SELECT name, served, first_touch, capacity, conflict, dropped FROM why WHERE kernel_id = ? ORDER BY name"},
    {offsetof(Tables, sample), "SELECT name, value FROM sample WHERE kernel_id = ? ORDER BY name, number"},
};

static bool next(Tables *t, sqlite3_stmt *q) { return sql_row(t->s, q, t->diag); }

static sqlite3_stmt **statement(Tables *t, size_t k)
{
    return (sqlite3_stmt **)(void *)((char *)t + queries[k].offset);
}

static void json_column(Json *j, const char *name, sqlite3_stmt *q, int column)
{
    switch (sqlite3_column_type(q, column)) {
    case SQLITE_INTEGER: json_int(j, name, sqlite3_column_int64(q, column)); break;
    case SQLITE_FLOAT: json_double(j, name, sqlite3_column_double(q, column)); break;
    case SQLITE_NULL: json_string(j, name, NULL); break;
    default: json_string(j, name, sql_text(q, column));
    }
}

// Writes the rows (name, value) of a table as one object.
static void json_pairs(Json *j, const char *key, Tables *t, sqlite3_stmt *q, int64_t id)
{
    sqlite3_bind_int64(q, 1, id);
    json_open(j, key, '{');
    while (next(t, q)) json_column(j, sql_text(q, 0), q, 1);
    json_close(j, '}');
}

// Writes "4,1,1" as an array.
static void json_sizes(Json *j, const char *name, const char *text)
{
    json_open(j, name, '[');
    for (char *end; *text; text = *end ? end + 1 : end) {
        json_uint(j, NULL, strtoull(text, &end, 10));
        if (end == text) break;
    }
    json_close(j, ']');
}

// Writes the rows of a table as an array of objects. sparse: nothing where there are none.
static void json_rows(Json *j, const char *key, Tables *t, sqlite3_stmt *q, int64_t id, bool sparse)
{
    bool open = !sparse;
    sqlite3_bind_int64(q, 1, id);
    if (open) json_open(j, key, '[');
    while (next(t, q)) {
        if (!open) json_open(j, key, '[');
        open = true;
        json_open(j, NULL, '{');
        for (int c = 0; c < sqlite3_column_count(q); c++) json_column(j, sqlite3_column_name(q, c), q, c);
        json_close(j, '}');
    }
    if (open) json_close(j, ']');
}

static void json_series(Json *j, Tables *t, int64_t kernel)
{
    sqlite3_stmt *q = t->sample;
    char *name = NULL;
    sqlite3_bind_int64(q, 1, kernel);
    while (next(t, q)) {
        if (!name) json_open(j, "series", '{');
        if (!name || strcmp(name, sql_text(q, 0))) {
            if (name) json_close(j, ']');
            mem_free(name);
            name = mem_text(sql_text(q, 0));
            json_open(j, name, '[');
        }
        json_int(j, NULL, sqlite3_column_int64(q, 1));
    }
    if (name) json_close(j, ']'), json_close(j, '}');
    mem_free(name);
}

static void json_kernel(Json *j, Tables *t)
{
    int64_t id = sqlite3_column_int64(t->kernel, 11);
    json_open(j, NULL, '{');
    for (int c = 0; c < 11; c++) {
        const char *name = sqlite3_column_name(t->kernel, c);
        if (c == 2 || c == 3)
            json_sizes(j, name, sql_text(t->kernel, c));
        else if (c == 5 || c == 6)
            json_bool(j, name, sqlite3_column_int(t->kernel, c));
        else
            json_column(j, name, t->kernel, c);
    }
    json_pairs(j, "counters", t, t->counter, id);
    json_pairs(j, "rates", t, t->rate, id);
    json_rows(j, "structures", t, t->structure, id, false);
    json_rows(j, "lines", t, t->line, id, true);
    json_pairs(j, "said", t, t->said, id);
    json_rows(j, "why", t, t->why, id, true);
    json_series(j, t, id);
    json_close(j, '}');
}

static void json_run(Json *j, Tables *t, int64_t id)
{
    sqlite3_bind_int64(t->run, 1, id);
    if (next(t, t->run) && checksum_check(t->s, id, true, t->diag)) {
        json_open(j, NULL, '{');
        for (int c = 0; c < sqlite3_column_count(t->run); c++) {
            const char *name = sqlite3_column_name(t->run, c);
            if (!strcmp(name, "verified"))
                json_bool(j, name, sqlite3_column_int(t->run, c));
            else
                json_column(j, name, t->run, c);
        }
        json_pairs(j, "settings", t, t->setting, id);
        json_pairs(j, "measures", t, t->measure, id);
        json_rows(j, "source", t, t->source, id, true);
        json_open(j, "kernels", '[');
        sqlite3_bind_int64(t->kernel, 1, id);
        while (next(t, t->kernel)) json_kernel(j, t);
        json_close(j, ']');
        json_close(j, '}');
    }
    sqlite3_reset(t->run);
}

bool export_runs(Store *s, const RunIds *ids, FILE *out, Diag *diag)
{
    Tables t = {.s = s, .diag = diag};
    Json j = {0};
    bool begun = false, ok = sql_read(s, &begun, diag);
    for (size_t k = 0; k < COUNT(queries) && ok; k++) ok = sql_prepare(s, queries[k].sql, statement(&t, k), diag);
    export_begin(&j);
    json_open(&j, "runs", '[');
    for (size_t k = 0; k < ids->n && ok; k++) {
        json_run(&j, &t, ids->v[k]);
        ok = !diag->failed && flush(&j.text, out, diag);
    }
    json_close(&j, ']'), json_close(&j, '}');
    ok = ok && flush(&j.text, out, diag);
    for (size_t k = 0; k < COUNT(queries); k++) sqlite3_finalize(*statement(&t, k));
    sql_end(s, begun);
    json_free(&j);
    return ok;
}
