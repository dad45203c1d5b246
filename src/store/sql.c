// sql.c: what every file of the folder does with statements.
#include "store/sql.h"

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
