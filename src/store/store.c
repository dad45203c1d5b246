// store.c: results in SQLite. The schema is in schema/*.sql: file N brings a store from version N - 1 to N, and
// SQLite's user_version holds a store's version. Every write is one transaction with a write-ahead log (WAL). So
// several processes may write, and one that is killed leaves the store as it was before the write or after it. All
// values are bound to parameters; none is pasted into SQL.
#include "store/sql.h"

#include "device/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct Store {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *find;
};

sqlite3 *store_sqlite(Store *s) { return s->db; }
const char *store_path(const Store *s) { return s->path; }

// --- what every file of the folder does with statements --------------------------------------------------------------
bool sql_broken(Store *s, Diag *diag) { return diag_error(diag, "%s: %s", s->path, sqlite3_errmsg(s->db)); }

bool sql_execute(Store *s, const char *sql, Diag *diag)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || sql_broken(s, diag);
}

bool sql_prepare(Store *s, const char *sql, sqlite3_stmt **q, Diag *diag)
{
    return sqlite3_prepare_v2(s->db, sql, -1, q, NULL) == SQLITE_OK || sql_broken(s, diag);
}

const char *sql_text(sqlite3_stmt *q, int column)
{
    const char *text = (const char *)sqlite3_column_text(q, column);
    return text ? text : "";
}

// --- opening ---------------------------------------------------------------------------------------------------------
static char *default_path(void)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    Text t = {0};
    if (data && *data)
        text_printf(&t, "%s/onchip/results.db", data);
    else
        text_printf(&t, "%s/.local/share/onchip/results.db", home && *home ? home : ".");
    return t.v;
}

static bool make_folders(const char *path, Diag *diag)
{
    char *copy = mem_text(path);
    bool ok = *path || diag_error(diag, "the path of the store is empty\nhint: --db names one");
    for (char *p = copy + 1; ok && (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        if (mkdir(copy, 0777) && errno != EEXIST)
            ok = diag_error(diag, "can't make the folder %s: %s", copy, strerror(errno));
    }
    mem_free(copy);
    return ok;
}

static int64_t pragma(Store *s, const char *sql)
{
    sqlite3_stmt *q;
    int64_t v = -1;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        v = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return v;
}

static const SchemaFile *migration(int64_t version)
{
    for (size_t k = 0; k < schema_file_count; k++)
        if (atoll(schema_files[k].name) == version) return &schema_files[k];
    return NULL;
}

// Checks that a store of the newest version has every table and index as this onchip makes them. What else is there,
// such as a view that the user made, is left alone.
static bool complete(Store *s, Diag *diag)
{
    sqlite3 *made = NULL;
    sqlite3_stmt *want = NULL, *have = NULL;
    bool ok = sqlite3_open(":memory:", &made) == SQLITE_OK;
    for (int64_t v = 1; ok && v <= (int64_t)schema_file_count; v++)
        ok = sqlite3_exec(made, migration(v)->text, NULL, NULL, NULL) == SQLITE_OK;
    ok = ok && sqlite3_prepare_v2(made, "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL", -1, &want, NULL) ==
                   SQLITE_OK;
    if (!ok) diag_error(diag, "%s: %s", s->path, made ? sqlite3_errmsg(made) : "no memory");
    ok = ok && sql_prepare(s, "SELECT 1 FROM sqlite_master WHERE name = ? AND sql = ?", &have, diag);
    while (ok && sqlite3_step(want) == SQLITE_ROW) {
        for (int k = 0; k < 2; k++)
            sqlite3_bind_text(have, k + 1, (const char *)sqlite3_column_text(want, k), -1, SQLITE_TRANSIENT);
        int code = sqlite3_step(have);
        if (code != SQLITE_ROW && code != SQLITE_DONE) ok = sql_broken(s, diag);
        if (code == SQLITE_DONE)
            ok = diag_error(diag, "%s is damaged: its %s is missing, or isn't as onchip makes it", s->path,
                            sqlite3_column_text(want, 0));
        sqlite3_reset(have);
    }
    sqlite3_finalize(want), sqlite3_finalize(have);
    sqlite3_close(made);
    return ok;
}

// Checks that the file is a store, or empty. Nothing is written to it before.
static bool recognise(Store *s, int64_t *version, Diag *diag)
{
    int64_t newest = (int64_t)schema_file_count, tables = pragma(s, "SELECT count(*) FROM sqlite_master");
    if (tables < 0) return sql_broken(s, diag);
    *version = pragma(s, "PRAGMA user_version");
    int64_t ours = pragma(s, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('run', 'setting', "
                             "'kernel', 'counter', 'rate')");
    if (*version < 0 || (*version == 0 ? tables > 0 : ours != 5))
        return diag_error(diag, "%s is a database of something else\nhint: --db names the store", s->path);
    if (*version > newest)
        return diag_error(
            diag, "%s is a store of version %lld; this onchip knows versions up to %lld\nhint: a later onchip wrote it",
            s->path, (long long)*version, (long long)newest);
    return *version < newest || complete(s, diag);
}

static bool migrate(Store *s, Diag *diag)
{
    int64_t newest = (int64_t)schema_file_count, version;
    if (!recognise(s, &version, diag)) return false;
    if (version == newest) return true;
    if (!sql_execute(s, "BEGIN IMMEDIATE", diag)) return false;
    bool ok = recognise(s, &version, diag);  // again, since another process may have brought it up to date
    while (ok && version < newest) {
        char set[64];
        const SchemaFile *next = migration(++version);
        snprintf(set, sizeof set, "PRAGMA user_version = %lld", (long long)version);
        ok = (next || diag_error(diag, "%s: no way leads to version %lld", s->path, (long long)version)) &&
             sql_execute(s, next->text, diag) && sql_execute(s, set, diag);
    }
    sqlite3_exec(s->db, ok ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

// Turns the write-ahead log on. Several processes may make a new store at once, and SQLite doesn't wait for the lock
// that this takes, so that the waiting is done here.
static bool use_wal(Store *s, Diag *diag)
{
    for (int k = 0; k < 600; k++) {
        int code = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
        if (code == SQLITE_OK) return true;
        if (code != SQLITE_BUSY) break;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return sql_broken(s, diag);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = mem_text(slash ? path : ".");
    if (slash) folder[slash == path ? 1 : slash - path] = 0;
    return folder;
}

static bool open_file(Store *s, const char *name, int flags, Diag *diag)
{
    if (sqlite3_open_v2(name, &s->db, flags, NULL) == SQLITE_OK) return true;
    int reason = s->db ? sqlite3_system_errno(s->db) : 0;
    char *folder = folder_of(s->path);
    if (reason == ENOENT && access(folder, W_OK)) reason = errno;  // SQLite tried to read last, and has that errno
    mem_free(folder);
    return diag_error(diag, "can't open the store %s: %s", s->path,
                      reason  ? strerror(reason)
                      : s->db ? sqlite3_errmsg(s->db)
                              : "no memory");
}

Store *store_open(const char *path, Diag *diag)
{
    Store *s = mem_alloc(sizeof *s);
    s->path = path ? mem_text(path) : default_path();
    bool memory = !strcmp(s->path, ":memory:");
    bool ok = (memory || make_folders(s->path, diag)) &&
              open_file(s, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, diag);
    if (ok) {
        sqlite3_busy_timeout(s->db, 60000);
        ok = sql_execute(s, "PRAGMA foreign_keys = ON", diag) && migrate(s, diag) && (memory || use_wal(s, diag));
    }
    if (ok) return s;
    store_close(s);
    return NULL;
}

// Opens a store that can't be written, or whose folder can't, in which SQLite puts files of its own. It is opened as
// "immutable", unless its log is there: then another process has it open.
static bool open_as_it_is(Store *s, Diag *diag)
{
    Text name = {0}, log = {0};
    text_printf(&log, "%s-wal", s->path);
    text_put(&name, "file:");
    for (const char *p = s->path; *p; p++) text_printf(&name, strchr("%?#", *p) ? "%%%02x" : "%c", *p);
    text_put(&name, access(log.v, F_OK) ? "?immutable=1" : "?mode=ro");
    int64_t version;
    bool ok = open_file(s, name.v, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, diag) && recognise(s, &version, diag);
    if (ok && version < (int64_t)schema_file_count)
        ok =
            diag_error(diag, "%s is a store of an older version, and can't be written to bring it up to date", s->path);
    text_free(&name), text_free(&log);
    return ok;
}

static bool can_write(const char *path)
{
    char *folder = folder_of(path);
    bool ok = !access(path, W_OK) && !access(folder, W_OK);
    mem_free(folder);
    return ok;
}

Store *store_read(const char *path, Diag *diag)
{
    Store *s = mem_alloc(sizeof *s);
    s->path = path ? mem_text(path) : default_path();
    bool ok = !access(s->path, R_OK) ||
              diag_error(diag, "no store to read at %s: %s\nhint: onchip sweep makes one; --db names another", s->path,
                         strerror(errno));
    if (ok && can_write(s->path)) {
        store_close(s);
        return store_open(path, diag);
    }
    if (ok && open_as_it_is(s, diag)) return s;
    store_close(s);
    return NULL;
}

void store_close(Store *s)
{
    if (!s) return;
    sqlite3_finalize(s->find);
    sqlite3_close(s->db);
    mem_free(s->path);
    mem_free(s);
}

// --- statements ------------------------------------------------------------------------------------------------------
// A statement whose parameters are being bound: the number of bound ones, and whether all is well so far.
typedef struct Query {
    Store *s;
    sqlite3_stmt *q;
    int at;
    bool ok;
} Query;
static Query query(Store *s, const char *sql)
{
    Query x = {.s = s};
    x.ok = sqlite3_prepare_v2(s->db, sql, -1, &x.q, NULL) == SQLITE_OK;
    return x;
}
static void put_text(Query *x, const char *v)
{
    x->ok = x->ok && sqlite3_bind_text(x->q, ++x->at, v, -1, SQLITE_TRANSIENT) == SQLITE_OK;
}  // a null pointer binds NULL
static void put_int(Query *x, int64_t v) { x->ok = x->ok && sqlite3_bind_int64(x->q, ++x->at, v) == SQLITE_OK; }
static void put_real(Query *x, double v) { x->ok = x->ok && sqlite3_bind_double(x->q, ++x->at, v) == SQLITE_OK; }
static void run(Query *x)
{
    x->ok = x->ok && sqlite3_step(x->q) == SQLITE_DONE && sqlite3_reset(x->q) == SQLITE_OK;
    x->at = 0;
}
static bool finish(Query *x, Diag *diag)
{
    bool ok = x->ok || sql_broken(x->s, diag);
    sqlite3_finalize(x->q);
    return ok;
}

// --- looking up ------------------------------------------------------------------------------------------------------
Stored store_find(Store *s, const char *key)
{
    if (!s->find &&
        sqlite3_prepare_v2(s->db, "SELECT status = 'done' FROM run WHERE key = ?", -1, &s->find, NULL) != SQLITE_OK)
        return STORED_NOT;
    sqlite3_bind_text(s->find, 1, key, -1, SQLITE_STATIC);
    Stored found = sqlite3_step(s->find) != SQLITE_ROW ? STORED_NOT
                   : sqlite3_column_int(s->find, 0)    ? STORED_DONE
                                                       : STORED_FAILED;
    sqlite3_reset(s->find);
    return found;
}

bool store_estimate(Store *s, const Identity *id, double *seconds, double *bytes)
{
    Query x = query(s, "SELECT avg(wall_seconds), max(memory_bytes) FROM run WHERE program = ? AND params = ? AND "
                       "options = ? AND status = 'done'");
    put_text(&x, id->program), put_text(&x, id->params), put_text(&x, id->options);
    bool known = x.ok && sqlite3_step(x.q) == SQLITE_ROW && sqlite3_column_type(x.q, 0) != SQLITE_NULL;
    *seconds = known ? sqlite3_column_double(x.q, 0) : 0;
    *bytes = known ? sqlite3_column_double(x.q, 1) : 0;
    sqlite3_finalize(x.q);
    return known;
}

// --- a run's rows ----------------------------------------------------------------------------------------------------
static uint64_t total(const LaunchSums *sums, Counter c)
{
    uint64_t all = 0;
    for (size_t k = 0; k < sums->n; k++) all += sums->v[k].count[c];
    return all;
}

static bool put_run(Store *s, const Identity *id, const RunOutcome *o, const LaunchSums *sums, Diag *diag)
{
    char now[32], host[256] = "";
    time_t t = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
    gethostname(host, sizeof host - 1);
    Query x = query(
        s,
        "INSERT INTO run (key, verb, program, params, gpu, overrides, options, status, error, verified, cycles, "
        "warp_instructions, thread_instructions,"
        " model, version, wall_seconds, memory_bytes, finished, host) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    put_text(&x, id->key), put_text(&x, id->verb), put_text(&x, id->program), put_text(&x, id->params),
        put_text(&x, id->gpu);
    put_text(&x, id->overrides), put_text(&x, id->options), put_text(&x, o->error ? "failed" : "done"),
        put_text(&x, o->error);
    if (id->checked)
        put_int(&x, o->verified);
    else
        put_text(&x, NULL);
    put_int(&x, (int64_t)total(sums, C_CYCLES)), put_int(&x, (int64_t)total(sums, C_WARP_INSTS)),
        put_int(&x, (int64_t)total(sums, C_THREAD_INSTS));
    put_int(&x, MODEL_VERSION), put_text(&x, ONCHIP_VERSION), put_real(&x, o->wall_seconds),
        put_int(&x, (int64_t)o->memory_bytes);
    put_text(&x, now), put_text(&x, host);
    run(&x);
    return finish(&x, diag);
}

// Puts a row for each setting of "nx=64 ny=64". Of an override that is given twice the last value counts.
static bool put_settings(Store *s, int64_t run_id, const char *list, Diag *diag)
{
    Query x = query(s, "INSERT OR REPLACE INTO setting (run_id, name, value) VALUES (?,?,?)");
    Text name = {0}, value = {0};
    while (x.ok && setting_next(&list, &name, &value)) {
        put_int(&x, run_id), put_text(&x, name.v), put_text(&x, value.v);
        run(&x);
    }
    text_free(&name), text_free(&value);
    return finish(&x, diag);
}

static bool put_counters(Store *s, int64_t kernel, const LaunchSum *sum, const Gpu *g, Diag *diag)
{
    Query x = query(s, "INSERT INTO counter (kernel_id, name, value) VALUES (?,?,?)");
    for (int c = 0; c < C_COUNT; c++)
        put_int(&x, kernel), put_text(&x, counter_info[c].name), put_int(&x, (int64_t)sum->count[c]), run(&x);
    const oc_policy_type *policy = g->sm.schedule;
    for (size_t c = 0; c < policy_counters(policy); c++) {
        char name[64];
        snprintf(name, sizeof name, "sched.%s", policy->counters[c].name);
        put_int(&x, kernel), put_text(&x, name), put_int(&x, (int64_t)sum->own[c]), run(&x);
    }
    if (!finish(&x, diag)) return false;
    x = query(s, "INSERT INTO rate (kernel_id, name, value) VALUES (?,?,?)");
    for (size_t r = 0; r < rate_count; r++)
        put_int(&x, kernel), put_text(&x, rates[r].name), put_real(&x, rates[r].value(sum->count, g)), run(&x);
    return finish(&x, diag);
}

static bool put_structures(Store *s, int64_t kernel, const LaunchSum *sum, Diag *diag)
{
    Query x = query(s, "INSERT INTO structure VALUES (?,?,?,?,?,?,?,?,?,?)");
    for (size_t k = 0; k < sum->structures.n; k++) {
        const SumStructure *t = &sum->structures.v[k];
        put_int(&x, kernel), put_text(&x, t->name);
        const StructStat *n = &t->stat;
        const uint64_t v[] = {n->loads,   n->stores,      n->atomics, n->transactions,
                              n->sectors, n->l1_accesses, n->l1_hits, t->dram_bytes};
        for (size_t c = 0; c < COUNT(v); c++) put_int(&x, (int64_t)v[c]);
        run(&x);
    }
    return finish(&x, diag);
}

static bool put_samples(Store *s, int64_t kernel, const LaunchSum *sum, Diag *diag)
{
    Query x = query(s, "INSERT INTO sample VALUES (?,?,?,?)");
    for (size_t k = 0; k < sum->samples.n && x.ok; k++) {
        put_int(&x, kernel), put_int(&x, (int64_t)(k / C_COUNT)), put_text(&x, counter_info[k % C_COUNT].name),
            put_int(&x, (int64_t)sum->samples.v[k]);
        run(&x);
    }
    return finish(&x, diag);
}

static bool put_kernel(Store *s, int64_t run_id, const LaunchSum *sum, const Gpu *g, Diag *diag)
{
    char grid[64], block[64];
    snprintf(grid, sizeof grid, "%u,%u,%u", sum->info.grid[0], sum->info.grid[1], sum->info.grid[2]);
    snprintf(block, sizeof block, "%u,%u,%u", sum->info.block[0], sum->info.block[1], sum->info.block[2]);
    Query x = query(s, "INSERT INTO kernel (run_id, name, launches, grid, block, dynamic_shared, functional, partial, "
                       "occupancy_blocks, occupancy_warps, occupancy_limit,"
                       " seconds) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
    put_int(&x, run_id), put_text(&x, sum->kernel), put_int(&x, (int64_t)sum->launches), put_text(&x, grid),
        put_text(&x, block), put_int(&x, sum->info.dynamic_shared);
    put_int(&x, sum->functional), put_int(&x, sum->partial), put_int(&x, sum->occupancy_blocks),
        put_int(&x, sum->occupancy_warps);
    put_text(&x, sum->occupancy_limit ? sum->occupancy_limit : ""), put_real(&x, sum->seconds);
    run(&x);
    if (!finish(&x, diag)) return false;
    int64_t id = sqlite3_last_insert_rowid(s->db);
    return put_counters(s, id, sum, g, diag) && put_structures(s, id, sum, diag) && put_samples(s, id, sum, diag);
}

static bool put_findings(Store *s, int64_t run_id, const Findings *f, Diag *diag)
{
    Query x = query(s, "INSERT INTO measure (run_id, name, value, text) VALUES (?,?,?,?)");
    for (size_t k = 0; k < f->all.n && x.ok; k++) {
        const Finding *one = &f->all.v[k];
        put_int(&x, run_id), put_text(&x, one->name);
        if (one->text)
            put_text(&x, NULL);
        else
            put_real(&x, one->value);
        put_text(&x, one->text);
        run(&x);
    }
    return finish(&x, diag);
}

bool store_put(Store *s, const Identity *id, const RunOutcome *o, Diag *diag)
{
    if (!sql_execute(s, "BEGIN IMMEDIATE", diag)) return false;
    LaunchSums sums = {0};
    if (o->device) device_sums(o->device, &sums);
    Query x = query(s, "DELETE FROM run WHERE key = ?");
    put_text(&x, id->key);
    run(&x);
    bool ok = finish(&x, diag) && put_run(s, id, o, &sums, diag);
    int64_t run_id = sqlite3_last_insert_rowid(s->db);
    ok = ok && put_settings(s, run_id, id->params, diag) && put_settings(s, run_id, id->overrides, diag);
    for (size_t k = 0; k < sums.n && ok; k++) ok = put_kernel(s, run_id, &sums.v[k], device_gpu(o->device), diag);
    if (ok && o->findings) ok = put_findings(s, run_id, o->findings, diag);
    sums_free(&sums);
    if (ok && sql_execute(s, "COMMIT", diag)) return true;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}
