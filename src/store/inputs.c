// inputs.c: finds the run of a program that read the same files as it would read now. Which files a program reads,
// nobody knows before it has run: so each run has their names and hashes among its measures.
#include "store/sql.h"

#include <string.h>

static const char of_base[] =
    "SELECT run.id, run.key FROM run JOIN measure ON run_id = run.id AND name = '" INPUT_BASE "' AND text = ? "
    "WHERE program = ? AND params = ? AND NOT EXISTS (SELECT 1 FROM measure WHERE run_id = run.id AND name = "
    "'" INPUT_MORE "') ORDER BY run.id DESC";
static const char of_run[] =
    "SELECT name, text FROM measure WHERE run_id = ? AND name >= '" INPUT_FILE "[' AND name < '" INPUT_FILE "\\'";

// Are a run's files as they were?
static bool unchanged(Store *s, sqlite3_stmt *files, int64_t run, InputSame *same, void *user, Diag *diag)
{
    bool all = true;
    sqlite3_bind_int64(files, 1, run);
    while (sql_row(s, files, diag)) {
        Text name = {0};
        const char *at = sql_text(files, 0) + strlen(INPUT_FILE "[");
        size_t n = strlen(at);  // a stranger's store may have a name without the bracket that ends it
        text_add(&name, at, n - (n > 0));
        if (all) all = n && at[n - 1] == ']' && same(user, name.v, sql_text(files, 1));
        text_free(&name);
    }
    return all && !diag->failed;
}

bool store_settle(Store *s, Identity *id, InputSame *same, void *user, bool *found, Diag *diag)
{
    sqlite3_stmt *runs = NULL, *files = NULL;
    bool begun = false;
    *found = false;
    bool ok = sql_read(s, &begun, diag) && sql_prepare(s, of_base, &runs, diag) && sql_prepare(s, of_run, &files, diag);
    const char *const bound[] = {id->base, id->program, id->params};
    for (int k = 0; k < 3 && ok; k++)
        ok = sqlite3_bind_text(runs, k + 1, bound[k], -1, SQLITE_STATIC) == SQLITE_OK || sql_broken(s, diag);
    while (ok && !*found && sql_row(s, runs, diag)) {
        *found = unchanged(s, files, sqlite3_column_int64(runs, 0), same, user, diag);
        if (*found) snprintf(id->key, sizeof id->key, "%s", sql_text(runs, 1));
    }
    sqlite3_finalize(runs), sqlite3_finalize(files);
    sql_end(s, begun);
    return ok && !diag->failed;
}
