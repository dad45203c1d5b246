// sql.c: what every file of the folder does with statements. A store may come from strangers, so that no statement may
// run without bound: a small file can be made in which one page lies below many others, so that a scan of it never
// ends. SQLite counts its steps; bytes that are read count, too. From the beginning of one transaction to that of
// the next there may be as many as the file's size allows.
#include "store/sql.h"

#include <string.h>

// To read and check a store takes 1.3 steps for each byte of its file, and to merge it 2.4, as counted on a store of
// 1,000 runs. STEPS leave room for more. LEAST steps take seconds; they are for small stores, where a question that is
// asked of every column counts for more.
enum { OFTEN = 1000, STEPS = 20, LEAST = 100000000 };

static int count_steps(void *store)
{
    Store *s = store;
    s->spent += OFTEN;
    return s->spent > s->most;
}

static uint64_t number_of(Store *s, const char *sql)
{
    sqlite3_stmt *q = NULL;
    int64_t n = 0;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        n = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return n > 0 ? (uint64_t)n : 0;
}

void sql_bound(Store *s)
{
    s->spent = 0, s->most = LEAST;
    uint64_t bytes = number_of(s, "PRAGMA main.page_count") * number_of(s, "PRAGMA main.page_size");
    if (s->incoming) bytes += number_of(s, "PRAGMA incoming.page_count") * number_of(s, "PRAGMA incoming.page_size");
    s->spent = 0, s->most = LEAST + STEPS * bytes;
    sqlite3_progress_handler(s->db, OFTEN, count_steps, s);
}

bool sql_charge(Store *s, size_t bytes, Diag *diag)
{
    s->spent += bytes;
    return s->spent <= s->most || sql_broken(s, diag);
}

bool sql_read(Store *s, bool *begun, Diag *diag)
{
    *begun = sqlite3_get_autocommit(s->db);
    if (!*begun) return true;
    sql_bound(s);
    *begun = sql_execute(s, "BEGIN", diag);
    return *begun;
}

void sql_end(Store *s, bool begun)
{
    if (begun) sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);  // nothing was written that could be lost
}

bool sql_write(Store *s, Diag *diag)
{
    sql_bound(s);
    return sql_execute(s, "BEGIN IMMEDIATE", diag);
}

// A new run or kernel gets the number behind the largest. Rows that wait for this number, in a stranger's store, would
// become a part of it. Whoever adds runs is the only one who writes by then, so one look at each table is enough.
static bool no_orphans(Store *s, Diag *diag)
{
    static const struct {
        const char *table, *parent;
    } of[] = {{"setting", "run"},    {"kernel", "run"},  {"measure", "run"},      {"checksum", "run"},
              {"counter", "kernel"}, {"rate", "kernel"}, {"structure", "kernel"}, {"line", "kernel"},
              {"source", "run"},     {"said", "kernel"}, {"why", "kernel"},       {"sample", "kernel"}};
    bool ok = true;
    for (size_t k = 0; ok && k < COUNT(of); k++) {
        sqlite3_stmt *q = NULL;
        Text sql = {0};
        text_printf(&sql, "SELECT (SELECT max(%s_id) FROM main.%s) > (SELECT coalesce(max(id), 0) FROM main.%s)",
                    of[k].parent, of[k].table, of[k].parent);
        ok = sql_prepare(s, sql.v, &q, diag) && sql_row(s, q, diag);
        if (ok && sqlite3_column_int(q, 0))
            ok = diag_error(diag,
                            "%s can't take a run: its table %s has rows of a %s that isn't there\nhint: `onchip db "
                            "merge` copies its runs into another store",
                            s->path, of[k].table, of[k].parent);
        sqlite3_finalize(q);
        text_free(&sql);
    }
    return ok;
}

bool sql_write_runs(Store *s, Diag *diag)
{
    if (!sql_write(s, diag)) return false;
    s->sound = s->sound || no_orphans(s, diag);
    return s->sound || sql_commit(s, false, diag);
}

bool sql_commit(Store *s, bool ok, Diag *diag)
{
    if (ok && sql_execute(s, "COMMIT", diag)) return true;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);  // fails where SQLite has taken everything back itself
    return false;
}

// What SQLite's text leaves out of an I/O error. It doesn't always keep the system's reason, but knows what failed.
static const char *reason_of(Store *s)
{
    int code = sqlite3_extended_errcode(s->db), reason = sqlite3_system_errno(s->db);
    if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_TRUNCATE || code == SQLITE_IOERR_FSYNC ||
        code == SQLITE_IOERR_SHMSIZE)
        return "it can't be written\nhint: the disk may be full, or the file as large as it is allowed to be";
    return (code & 0xff) == SQLITE_IOERR && reason ? strerror(reason) : "";
}

bool sql_broken(Store *s, Diag *diag)
{
    const char *other = s->incoming ? s->incoming : "", *between = s->incoming ? ", with " : "";
    if (s->spent > s->most)
        return diag_error(diag, "%s%s%s is damaged: reading it takes more steps than a store of its size can need",
                          s->path, between, other);
    const char *reason = reason_of(s);
    return diag_error(diag, "%s%s%s: %s%s%s", s->path, between, other, sqlite3_errmsg(s->db), *reason ? ": " : "",
                      reason);
}

bool sql_execute(Store *s, const char *sql, Diag *diag)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || sql_broken(s, diag);
}

bool sql_prepare(Store *s, const char *sql, sqlite3_stmt **q, Diag *diag)
{
    return sqlite3_prepare_v2(s->db, sql, -1, q, NULL) == SQLITE_OK || sql_broken(s, diag);
}

bool sql_row(Store *s, sqlite3_stmt *q, Diag *diag)
{
    int code = sqlite3_step(q);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) sql_broken(s, diag);
    sqlite3_reset(q);
    return false;
}

const char *sql_text(sqlite3_stmt *q, int column)
{
    const char *text = (const char *)sqlite3_column_text(q, column);
    return text ? text : "";
}

void text_shown(Text *out, const char *text)
{
    for (size_t left = strlen(text), most = out->n + 60; left && out->n < most;) {
        size_t n = text_sequence(text, left);
        text_add(out, n ? text : "?", n ? n : 1);
        n = n ? n : 1;
        text += n, left -= n;
    }
}
