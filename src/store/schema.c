// schema.c: the tables of a store. They are in schema/*.sql: file N brings a store from version N - 1 to N, and
// SQLite's user_version holds a store's version.
#include "store/sql.h"

#include <stdio.h>
#include <stdlib.h>

static bool number_of(Store *s, const char *sql, int64_t *value, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    bool ok = sql_prepare(s, sql, &q, diag) && sql_row(s, q, diag);
    if (ok) *value = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return ok;
}

static const SchemaFile *migration(int64_t version)
{
    for (size_t k = 0; k < schema_file_count; k++)
        if (atoll(schema_files[k].name) == version) return &schema_files[k];
    return NULL;
}

// Makes an empty store of a version in memory.
static bool make(Store *s, int64_t version, sqlite3 **made, Diag *diag)
{
    bool ok = sqlite3_open(":memory:", made) == SQLITE_OK;
    for (int64_t v = 1; ok && v <= version; v++)
        ok = sqlite3_exec(*made, migration(v)->text, NULL, NULL, NULL) == SQLITE_OK;
    return ok || diag_error(diag, "%s: %s", s->path, *made ? sqlite3_errmsg(*made) : "no memory");
}

// Reports a table, index, view or trigger that isn't as it should be. known: a store has one of this name.
static bool strange(const char *path, const char *type, const char *name, bool known, Diag *diag)
{
    Text shown = {0};
    text_shown(&shown, name);
    if (known)
        diag_error(diag, "%s is damaged: its %s is missing, or isn't as onchip makes it", path, shown.v);
    else
        diag_error(diag,
                   "%s has the %s '%s', which onchip didn't make\nhint: what isn't onchip's belongs into another file, "
                   "which can attach the store",
                   path, type, shown.v);
    text_free(&shown);
    return false;
}

// Goes through what the database `of` has and looks for the same in `in`. Reports what isn't there.
static bool each_in(Store *s, sqlite3 *of, sqlite3 *in, bool known, Diag *diag)
{
    static const char all[] = "SELECT type, name, tbl_name, sql FROM sqlite_master",
                      one[] = "SELECT 1 FROM sqlite_master WHERE type = ? AND name = ? AND tbl_name = ? AND sql IS ?",
                      named[] = "SELECT 1 FROM sqlite_master WHERE name = ?";
    sqlite3_stmt *x = NULL, *y = NULL, *z = NULL;
    bool ok = sqlite3_prepare_v2(of, all, -1, &x, NULL) == SQLITE_OK &&
              sqlite3_prepare_v2(in, one, -1, &y, NULL) == SQLITE_OK &&
              sqlite3_prepare_v2(in, named, -1, &z, NULL) == SQLITE_OK;
    int code = SQLITE_DONE, found = SQLITE_ROW;
    while (ok && (code = sqlite3_step(x)) == SQLITE_ROW) {
        for (int k = 0; k < 4; k++) sqlite3_bind_value(y, k + 1, sqlite3_column_value(x, k));
        if ((found = sqlite3_step(y)) != SQLITE_ROW) break;
        sqlite3_reset(y);
    }
    if (!ok || (found != SQLITE_ROW && found != SQLITE_DONE) || (code != SQLITE_ROW && code != SQLITE_DONE)) {
        ok = sql_broken(s, diag);
    } else if (found == SQLITE_DONE) {
        sqlite3_bind_value(z, 1, sqlite3_column_value(x, 1));
        ok = strange(s->path, sql_text(x, 0), sql_text(x, 1), known || sqlite3_step(z) == SQLITE_ROW, diag);
    }
    sqlite3_finalize(x), sqlite3_finalize(y), sqlite3_finalize(z);
    return ok;
}

// Checks that a store has every table and index as onchip makes them for its version, and nothing else: a trigger, a
// view or a virtual table of a stranger's could falsify what is read, or never end.
static bool complete(Store *s, int64_t version, Diag *diag)
{
    sqlite3 *made = NULL;
    bool ok =
        make(s, version, &made, diag) && each_in(s, made, s->db, true, diag) && each_in(s, s->db, made, false, diag);
    sqlite3_close(made);
    return ok;
}

bool schema_alike(Store *s, const char *path, Diag *diag)
{
    sqlite3_stmt *q = NULL;
    int64_t ours = -1, theirs = -1;
    bool ok = number_of(s, "PRAGMA main.user_version", &ours, diag) &&
              number_of(s, "PRAGMA incoming.user_version", &theirs, diag) &&
              (ours == theirs || diag_error(diag, "%s isn't a store of version %lld", path, (long long)ours)) &&
              sql_prepare(s,
                          "SELECT type, name, name IN (SELECT name FROM main.sqlite_master) FROM (SELECT type, name, "
                          "tbl_name, sql FROM incoming.sqlite_master EXCEPT SELECT type, name, tbl_name, sql FROM "
                          "main.sqlite_master)",
                          &q, diag);
    if (ok && sql_row(s, q, diag)) ok = strange(path, sql_text(q, 0), sql_text(q, 1), sqlite3_column_int(q, 2), diag);
    sqlite3_finalize(q);
    return ok && !diag->failed;
}

static bool recognise(Store *s, int64_t *version, Diag *diag)
{
    int64_t newest = (int64_t)schema_file_count, tables, ours;
    if (!number_of(s, "SELECT count(*) FROM sqlite_master", &tables, diag) ||
        !number_of(s, "PRAGMA user_version", version, diag) ||
        !number_of(s,
                   "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('run', 'setting', 'kernel', "
                   "'counter', 'rate')",
                   &ours, diag))
        return false;
    if (*version < 0 || (*version == 0 ? tables > 0 : ours != 5))
        return diag_error(diag, "%s is a database of something else\nhint: --db names the store", s->path);
    if (*version > newest)
        return diag_error(
            diag, "%s is a store of version %lld; this onchip knows versions up to %lld\nhint: a later onchip wrote it",
            s->path, (long long)*version, (long long)newest);
    return complete(s, *version, diag);
}

// Checks that the file is a store, or empty. Nothing is written to it before. All of it is read as it is at one moment:
// another process may be making the store.
bool schema_recognise(Store *s, int64_t *version, Diag *diag)
{
    bool begun;
    if (!sql_read(s, &begun, diag)) return false;
    bool ok = recognise(s, version, diag);
    sql_end(s, begun);
    return ok;
}

bool schema_migrate(Store *s, Diag *diag)
{
    int64_t newest = (int64_t)schema_file_count, version;
    if (!schema_recognise(s, &version, diag)) return false;
    if (version == newest) return true;
    if (!sql_write(s, diag)) return false;
    bool ok = schema_recognise(s, &version, diag);  // again, since another process may have brought it up to date
    while (ok && version < newest) {
        char set[64];
        const SchemaFile *next = migration(++version);
        snprintf(set, sizeof set, "PRAGMA user_version = %lld", (long long)version);
        ok = (next || diag_error(diag, "%s: no way leads to version %lld", s->path, (long long)version)) &&
             sql_execute(s, next->text, diag) && sql_execute(s, set, diag);
    }
    return sql_commit(s, ok && checksum_fill(s, diag), diag);
}
