// merge.c: copies runs from one store into another. Rows are matched by what names them (a run's key, a kernel's name),
// never by their numbers, so that the order in which stores are merged doesn't matter. A result of a sweep comes this
// way, too: the process that ran the cell fills a store in memory, and the sweep's store absorbs its bytes.
#include "store/sql.h"

#include <string.h>
#include <sys/stat.h>

static const char *const find[] = {
    "CREATE TEMP TABLE IF NOT EXISTS fresh (old INTEGER PRIMARY KEY, key TEXT NOT NULL)",
    "DELETE FROM fresh",
    ("INSERT INTO fresh SELECT i.id, i.key FROM incoming.run i LEFT JOIN main.run m ON m.key = i.key"
     " WHERE m.id IS NULL OR (m.status = 'failed' AND (i.status = 'done' OR i.finished > m.finished))"),
};
static const char *const steps[] = {
    "DELETE FROM main.run WHERE key IN (SELECT key FROM fresh)",
    "INSERT INTO main.run (key, verb, program, params, gpu, overrides, options, status, error, verified, cycles, "
    "warp_instructions,"
    " thread_instructions, model, version, wall_seconds, memory_bytes, finished, host)"
    " SELECT i.key, verb, program, params, gpu, overrides, options, status, error, verified, cycles, "
    "warp_instructions, thread_instructions,"
    " model, version, wall_seconds, memory_bytes, finished, host FROM incoming.run i JOIN fresh f ON f.old = i.id "
    "ORDER BY i.id",
    "INSERT INTO main.setting SELECT m.id, x.name, x.value FROM fresh f JOIN main.run m ON m.key = f.key JOIN "
    "incoming.setting x ON x.run_id = f.old",
    "INSERT INTO main.checksum SELECT m.id, x.name, x.value FROM fresh f JOIN main.run m ON m.key = f.key JOIN "
    "incoming.checksum x ON x.run_id = f.old",
    "INSERT INTO main.measure SELECT m.id, x.name, x.value, x.text FROM fresh f JOIN main.run m ON m.key = f.key JOIN "
    "incoming.measure x ON x.run_id = f.old",
    "INSERT INTO main.source SELECT m.id, x.file, x.line, x.text FROM fresh f JOIN main.run m ON m.key = f.key JOIN "
    "incoming.source x ON x.run_id = f.old",
    "INSERT INTO main.kernel (run_id, name, launches, grid, block, dynamic_shared, functional, partial, "
    "occupancy_blocks, occupancy_warps, occupancy_limit, seconds)"
    " SELECT m.id, x.name, x.launches, x.grid, x.block, x.dynamic_shared, x.functional, x.partial, x.occupancy_blocks, "
    "x.occupancy_warps, x.occupancy_limit, x.seconds"
    " FROM fresh f JOIN main.run m ON m.key = f.key JOIN incoming.kernel x ON x.run_id = f.old ORDER BY x.id",
};
// The tables whose rows belong to a kernel. They are copied alike, but for their columns.
static const struct {
    const char *table, *columns;
} below[] = {
    {"counter", "x.name, x.value"},
    {"rate", "x.name, x.value"},
    {"structure",
     "x.name, x.loads, x.stores, x.atomics, x.transactions, x.sectors, x.l1_accesses, x.l1_hits, x.dram_bytes"},
    {"line",
     "x.number, x.file, x.line, x.at_file, x.at_line, x.array, x.what, x.issued, x.lanes, x.transactions, x.sectors, "
     "x.l1_accesses, x.l1_hits, x.stalls, x.queued"},
    {"said", "x.name, x.text"},
    {"why", "x.name, x.served, x.first_touch, x.capacity, x.conflict, x.dropped"},
    {"sample", "x.number, x.name, x.value"},
};

static bool count_of(Store *s, const char *sql, uint64_t *n, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    bool ok = sql_prepare(s, sql, &q, diag) && sql_row(s, q, diag);
    if (ok) *n = (uint64_t)sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return ok;
}

// Finds the runs to copy, and checks them.
static bool find_fresh(Store *s, const char *path, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    Checker *c = NULL;
    bool ok = schema_alike(s, path, diag);
    for (size_t k = 0; k < COUNT(find) && ok; k++) ok = sql_execute(s, find[k], diag);
    ok = ok && sql_prepare(s, "SELECT old FROM fresh", &q, diag) && (c = checker_open(s, "incoming", path, diag));
    while (ok && sql_row(s, q, diag)) ok = checker_run(c, sqlite3_column_int64(q, 0), true, diag);
    checker_close(c);
    sqlite3_finalize(q);
    return ok && !diag->failed;
}

// Copies runs from the store that is attached as `incoming` into `main`. path names it in messages.
static bool take_over(Store *s, const char *path, MergeCount *count, Diag *diag)
{
    s->incoming = path;
    if (!sql_write_runs(s, diag)) return false;
    bool ok = find_fresh(s, path, diag);
    for (size_t k = 0; k < COUNT(steps) && ok; k++) ok = sql_execute(s, steps[k], diag);
    for (size_t k = 0; k < COUNT(below) && ok; k++) {
        Text t = {0};
        text_printf(&t,
                    "INSERT INTO main.%s SELECT mk.id, %s FROM fresh f JOIN main.run m ON m.key = f.key JOIN "
                    "incoming.kernel ik ON ik.run_id = f.old"
                    " JOIN main.kernel mk ON mk.run_id = m.id AND mk.name = ik.name AND mk.functional = ik.functional"
                    " JOIN incoming.%s x ON x.kernel_id = ik.id",
                    below[k].table, below[k].columns, below[k].table);
        ok = sql_execute(s, t.v, diag);
        text_free(&t);
    }
    uint64_t fresh = 0, all = 0;
    ok = ok && count_of(s, "SELECT count(*) FROM fresh", &fresh, diag) &&
         count_of(s, "SELECT count(*) FROM incoming.run", &all, diag);
    ok = sql_commit(s, ok, diag);
    if (ok && count) count->added += fresh, count->known += all - fresh;
    return ok;
}

static bool leave(Store *s, bool ok, Diag *diag)
{
    s->incoming = NULL;
    return sqlite3_exec(store_sqlite(s), "DETACH incoming", NULL, NULL, NULL) == SQLITE_OK ? ok : sql_broken(s, diag);
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool store_merge(Store *s, const char *path, MergeCount *count, Diag *diag)
{
    if (same_file(path, store_path(s))) return diag_error(diag, "%s can't be merged into itself", path);
    FILE *there = fopen(path, "rb");  // store_open would make a store that isn't there
    if (!there) return diag_error(diag, "can't read %s", path);
    fclose(there);
    Store *other = store_open(path, diag);  // brings it up to date
    if (!other) return false;
    store_close(other);
    sqlite3_stmt *q;
    sqlite3 *db = store_sqlite(s);
    bool ok = sqlite3_prepare_v2(db, "ATTACH ? AS incoming", -1, &q, NULL) == SQLITE_OK &&
              sqlite3_bind_text(q, 1, path, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(q) == SQLITE_DONE;
    if (!ok) diag_error(diag, "%s: %s", path, sqlite3_errmsg(db));
    sqlite3_finalize(q);
    if (!ok) return false;
    return leave(s, take_over(s, path, count, diag), diag);
}

bool store_absorb(Store *s, const void *bytes, size_t size, MergeCount *count, Diag *diag)
{
    sqlite3 *db = store_sqlite(s);
    if (!sql_execute(s, "ATTACH ':memory:' AS incoming", diag)) return false;
    unsigned char *copy = sqlite3_malloc64(size);
    bool ok = copy != NULL || diag_error(diag, "no memory for a result of %zu bytes", size);
    if (ok) {
        memcpy(copy, bytes, size);
        ok = sqlite3_deserialize(db, "incoming", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                                 SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK ||
             diag_error(diag, "a result can't be read: %s", sqlite3_errmsg(db));
    }
    return leave(s, ok && take_over(s, "a result", count, diag), diag);
}

void *store_bytes(Store *s, size_t *size)
{
    sqlite3_int64 n = 0;
    unsigned char *bytes = sqlite3_serialize(store_sqlite(s), "main", &n, 0);
    void *out = bytes ? mem_alloc((size_t)n + 1) : NULL;
    *size = out ? (size_t)n : 0;
    if (out) memcpy(out, bytes, (size_t)n);
    sqlite3_free(bytes);
    return out;
}
