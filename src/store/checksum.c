// checksum.c: whether a run's rows are as they were stored. For each table the store keeps a hash (XXH128) of the rows
// that a run has there. Nothing of a run is read unless all of its tables hash to what is kept; only samples, of which
// there may be many, are checked when they are read themselves. This finds damage, not malice: who changes a value on
// purpose can change its checksum, too. So values are also judged: a count is a whole number of 0 or more, and a text
// has no control characters.
//
// What is hashed: the table's name and the run's key; then each row, in the order of what names it, with the type and
// the bytes of each value. Row numbers aren't hashed, since they are others in every store. So a merge copies checksums
// as they are.
#define XXH_INLINE_ALL
#include "store/sql.h"

#include <endian.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

// kinds says what each column may hold: t a text, n a whole number of 0 or more, b 0 or 1, r a finite number of 0 or
// more, v a finite number, m any number. A capital allows null, too.
static const struct {
    const char *name, *columns, *kinds;
    bool owned;  // the rows belong to the run's kernels
    const char *order;
} tables[] = {
    {"run",
     "key, verb, program, params, gpu, overrides, options, status, error, verified, cycles, warp_instructions, "
     "thread_instructions, model, version, wall_seconds, memory_bytes, finished, host",
     "ttttttttTBnnnntrntt", false, "id"},
    {"setting", "name, value", "tt", false, "name"},
    {"measure", "name, value, text", "tMT", false, "name"},
    {"kernel",
     "name, launches, grid, block, dynamic_shared, functional, partial, occupancy_blocks, occupancy_warps, "
     "occupancy_limit, seconds",
     "tnttnbbnntr", false, "id"},
    {"counter", "name, value", "tn", true, "name"},
    {"rate", "name, value", "tV", true, "name"},
    {"structure", "name, loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits, dram_bytes", "tnnnnnnnn",
     true, "name"},
    {"line",
     "number, file, line, at_file, at_line, array, what, issued, lanes, transactions, sectors, l1_accesses, l1_hits, "
     "stalls, queued",
     "ntnTnTTnnnnnnnn", true, "number"},
    {"source", "file, line, text", "tnt", false, "file, line"},
    {"said", "name, text", "tt", true, "name"},
    {"why", "name, served, first_touch, capacity, conflict, dropped", "trrrrr", true, "name"},
    {"sample", "number, name, value", "ntn", true, "number, name"},
};
enum { TABLES = COUNT(tables), SAMPLES = TABLES - 1 };

struct Checker {
    Store *s;
    const char *path;  // of the checked store, for messages
    sqlite3_stmt *rows[TABLES], *kernels, *kept;
    Text key;  // of the run that is being checked
};

static bool prepare(Checker *c, sqlite3_stmt **q, const char *columns, const char *schema, const char *rest, Diag *diag)
{
    Text sql = {0};
    text_printf(&sql, "SELECT %s FROM %s.%s", columns, schema, rest);
    bool ok = sql_prepare(c->s, sql.v, q, diag);
    text_free(&sql);
    return ok;
}

Checker *checker_open(Store *s, const char *schema, const char *path, Diag *diag)
{
    Checker *c = mem_alloc(sizeof *c);
    *c = (Checker){.s = s, .path = path};
    bool ok = prepare(c, &c->kernels, "id, name, functional", schema,
                      "kernel WHERE run_id = ?1 ORDER BY name, functional", diag) &&
              prepare(c, &c->kept, "value", schema, "checksum WHERE run_id = ?1 AND name = ?2", diag);
    for (size_t t = 0; t < TABLES && ok; t++) {
        Text rest = {0};
        text_printf(&rest, "%s WHERE %s = ?1 ORDER BY %s", tables[t].name,
                    tables[t].owned ? "kernel_id"
                    : t             ? "run_id"
                                    : "id",
                    tables[t].order);
        ok = prepare(c, &c->rows[t], tables[t].columns, schema, rest.v, diag);
        text_free(&rest);
    }
    if (ok) return c;
    checker_close(c);
    return NULL;
}

void checker_close(Checker *c)
{
    if (!c) return;
    for (size_t t = 0; t < TABLES; t++) sqlite3_finalize(c->rows[t]);
    sqlite3_finalize(c->kernels), sqlite3_finalize(c->kept);
    text_free(&c->key);
    mem_free(c);
}

// --- values ----------------------------------------------------------------------------------------------------------
// Whether a text can be shown: it is whole up to its 0, and of control characters it has tabs and line ends alone.
static bool is_plain(const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        unsigned char c = (unsigned char)text[k];
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) return false;
    }
    return true;
}

typedef struct Value {
    int type;  // as SQLite has them
    int64_t whole;
    double real;
    const char *bytes;  // of a text or blob
    size_t n;
} Value;

static Value value_at(sqlite3_stmt *q, int column)
{
    Value v = {.type = sqlite3_column_type(q, column)};
    switch (v.type) {
    case SQLITE_INTEGER: v.whole = sqlite3_column_int64(q, column), v.real = (double)v.whole; break;
    case SQLITE_FLOAT: v.real = sqlite3_column_double(q, column); break;
    case SQLITE_NULL: break;
    default: v.bytes = sqlite3_column_blob(q, column), v.n = (size_t)sqlite3_column_bytes(q, column);
    }
    return v;
}

// Returns what is expected in a column that holds something else; null: it is as it should be.
static const char *fault(const Value *v, char kind)
{
    bool whole = v->type == SQLITE_INTEGER, number = whole || v->type == SQLITE_FLOAT;
    switch (kind) {
    case 't':
        if (v->type != SQLITE_TEXT) return "a text";
        return is_plain(v->bytes, v->n) ? NULL : "a text without control characters";
    case 'n': return whole && v->whole >= 0 ? NULL : "a whole number of 0 or more";
    case 'b': return whole && (v->whole == 0 || v->whole == 1) ? NULL : "0 or 1";
    case 'r': return number && isfinite(v->real) && v->real >= 0 ? NULL : "a number of 0 or more";
    case 'v': return number && isfinite(v->real) ? NULL : "a finite number";
    case 'm': return number ? NULL : "a number";
    default: return v->type == SQLITE_NULL ? NULL : fault(v, (char)(kind - 'A' + 'a'));  // a capital
    }
}

// Reports why a run can't be read. What is done about it is said where the key can be typed.
static bool refuse(const Checker *c, Text *why, Diag *diag)
{
    Text key = {0};
    text_shown(&key, c->key.v);
    bool plain = key.n == KEY_DIGITS && strspn(key.v, "0123456789abcdef") == KEY_DIGITS;
    diag_error(diag, "%s is damaged: run %s: %s%s%s%s", c->path, key.v ? key.v : "''", why->v,
               plain ? "\nhint: onchip db delete " : "", plain ? key.v : "",
               plain ? " drops the run, so that it can be made again" : "");
    text_free(&key), text_free(why);
    return false;
}

// Reports the column that holds something else than it should.
static bool accuse(const Checker *c, size_t t, int column, const char *want, Diag *diag)
{
    sqlite3_stmt *q = c->rows[t];
    Text why = {0};
    text_printf(&why, "%s ", tables[t].name);
    if (t && tables[t].kinds[0] == 't')  // its first column is a name
        text_shown(&why, sql_text(q, 0)), text_put(&why, ": ");
    text_printf(&why, "%s is ", sqlite3_column_name(q, column));
    if (sqlite3_column_type(q, column) == SQLITE_NULL)
        text_put(&why, "missing");
    else
        text_put(&why, "'"), text_shown(&why, sql_text(q, column)), text_put(&why, "'");
    text_printf(&why, ", not %s", want);
    return refuse(c, &why, diag);
}

// --- hashes ----------------------------------------------------------------------------------------------------------
static void hash_number(XXH3_state_t *x, uint64_t bits)
{
    uint64_t bytes = htole64(bits);
    XXH3_128bits_update(x, &bytes, sizeof bytes);
}

static void hash_value(XXH3_state_t *x, const Value *v)
{
    unsigned char tag = (unsigned char)v->type;
    uint64_t bits = (uint64_t)v->whole;
    XXH3_128bits_update(x, &tag, 1);
    if (v->type == SQLITE_FLOAT) memcpy(&bits, &v->real, sizeof bits);
    if (v->type == SQLITE_INTEGER || v->type == SQLITE_FLOAT) hash_number(x, bits);
    if (v->type == SQLITE_TEXT || v->type == SQLITE_BLOB) hash_number(x, v->n);
    if (v->n) XXH3_128bits_update(x, v->bytes, v->n);
}

// Hashes the rows of a table that belong to a run or kernel. With `judged` their values are judged, too.
static bool hash_rows(Checker *c, size_t t, int64_t owner, bool judged, XXH3_state_t *x, Diag *diag)
{
    sqlite3_stmt *q = c->rows[t];
    const char *want = NULL;
    bool ok = true;
    sqlite3_bind_int64(q, 1, owner);
    while (ok && sql_row(c->s, q, diag)) {
        size_t bytes = 0;
        for (int k = 0; tables[t].kinds[k] && ok; k++) {
            Value v = value_at(q, k);
            hash_value(x, &v);  // first: the words about a fault ask SQLite for the value as text, which moves it
            bytes += v.n;
            ok = !judged || !(want = fault(&v, tables[t].kinds[k])) || accuse(c, t, k, want, diag);
        }
        ok = ok && sql_charge(c->s, bytes, diag);
    }
    sqlite3_reset(q);
    return !diag->failed;
}

// Hashes the rows that the run has in a table. Those of a kernel come behind what names it.
static bool hash_table(Checker *c, size_t t, int64_t run, bool judged, char hash[KEY_DIGITS + 1], Diag *diag)
{
    XXH3_state_t x;
    XXH3_128bits_reset(&x);
    XXH3_128bits_update(&x, tables[t].name, strlen(tables[t].name) + 1);
    XXH3_128bits_update(&x, c->key.v, c->key.n + 1);
    bool ok = tables[t].owned || hash_rows(c, t, run, judged, &x, diag);
    sqlite3_bind_int64(c->kernels, 1, run);
    while (ok && tables[t].owned && sql_row(c->s, c->kernels, diag)) {
        Value name = value_at(c->kernels, 1), functional = value_at(c->kernels, 2);
        hash_value(&x, &name), hash_value(&x, &functional);
        ok = hash_rows(c, t, sqlite3_column_int64(c->kernels, 0), judged, &x, diag);
    }
    sqlite3_reset(c->kernels);
    XXH128_hash_t h = XXH3_128bits_digest(&x);
    snprintf(hash, KEY_DIGITS + 1, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
    return ok && !diag->failed;
}

// Reads the run's key, which its messages and hashes have. A run that isn't there has none.
static bool take_key(Checker *c, int64_t run, Diag *diag)
{
    c->key.n = 0;
    text_put(&c->key, "");
    sqlite3_bind_int64(c->rows[0], 1, run);
    int code = sqlite3_step(c->rows[0]);
    if (code == SQLITE_ROW) text_put(&c->key, sql_text(c->rows[0], 0));
    sqlite3_reset(c->rows[0]);
    return code == SQLITE_ROW || code == SQLITE_DONE || sql_broken(c->s, diag);
}

bool checker_run(Checker *c, int64_t run, bool samples, Diag *diag)
{
    bool ok = take_key(c, run, diag);
    for (size_t t = 0; t < TABLES && ok; t++) {
        char hash[KEY_DIGITS + 1];
        if (t == SAMPLES && !samples) break;
        ok = hash_table(c, t, run, true, hash, diag);
        if (!ok) break;
        sqlite3_bind_int64(c->kept, 1, run);
        sqlite3_bind_text(c->kept, 2, tables[t].name, -1, SQLITE_STATIC);
        int code = sqlite3_step(c->kept);
        if (code != SQLITE_ROW && code != SQLITE_DONE) {
            ok = sql_broken(c->s, diag);
        } else if (code == SQLITE_DONE || strcmp(sql_text(c->kept, 0), hash)) {
            Text why = {0};
            text_printf(&why, "its rows in the table %s aren't those that were stored", tables[t].name);
            ok = refuse(c, &why, diag);
        }
        sqlite3_reset(c->kept);
    }
    return ok;
}

bool checksum_check(Store *s, int64_t run, bool samples, Diag *diag)
{
    if (!s->checker) s->checker = checker_open(s, "main", s->path, diag);
    return s->checker && checker_run(s->checker, run, samples, diag);
}

// Makes the checksums that the run hasn't: an older version had fewer tables.
bool checksum_put(Store *s, int64_t run, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    if (!s->checker) s->checker = checker_open(s, "main", s->path, diag);
    sql_bound(s);  // the run's rows have made the store larger
    bool ok = s->checker && take_key(s->checker, run, diag) &&
              sql_prepare(s, "INSERT OR IGNORE INTO checksum (run_id, name, value) VALUES (?, ?, ?)", &q, diag);
    for (size_t t = 0; t < TABLES && ok; t++) {
        char hash[KEY_DIGITS + 1];
        ok = hash_table(s->checker, t, run, false, hash, diag);
        sqlite3_bind_int64(q, 1, run);
        sqlite3_bind_text(q, 2, tables[t].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 3, hash, -1, SQLITE_STATIC);
        ok = ok && (sqlite3_step(q) == SQLITE_DONE || sql_broken(s, diag));
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    return ok;
}

bool checksum_fill(Store *s, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    int code = SQLITE_DONE;
    bool ok = sql_prepare(
        s, "SELECT id FROM run WHERE (SELECT count(*) FROM checksum WHERE run_id = id) < ? ORDER BY id", &q, diag);
    if (ok) sqlite3_bind_int(q, 1, TABLES);
    while (ok && (code = sqlite3_step(q)) == SQLITE_ROW) ok = checksum_put(s, sqlite3_column_int64(q, 0), diag);
    if (ok && code != SQLITE_DONE) ok = sql_broken(s, diag);
    sqlite3_finalize(q);
    return ok;
}
