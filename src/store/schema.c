// schema.c: the tables of a store. They are in schema/*.sql: file N brings a store from version N - 1 to N, and
// SQLite's user_version holds a store's version.
#include "store/sql.h"

#include <stdio.h>
#include <stdlib.h>

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
bool schema_recognise(Store *s, int64_t *version, Diag *diag)
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

bool schema_migrate(Store *s, Diag *diag)
{
    int64_t newest = (int64_t)schema_file_count, version;
    if (!schema_recognise(s, &version, diag)) return false;
    if (version == newest) return true;
    if (!sql_execute(s, "BEGIN IMMEDIATE", diag)) return false;
    bool ok = schema_recognise(s, &version, diag);  // again, since another process may have brought it up to date
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
