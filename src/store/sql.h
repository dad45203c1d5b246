// sql.h: the SQLite database inside a store, the statements that make one, and helpers for statements. Only files of
// this folder include it: no other folder speaks SQL.
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include "store/store.h"

#include <sqlite3.h>

struct Store {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *find;
};

// --- schema.gen.c: schema/*.sql --------------------------------------------------------------------------------------
typedef struct SchemaFile {
    const char *name, *text;  // "2": its statements make version 2 of a store of version 1
    size_t size;
} SchemaFile;
extern const SchemaFile schema_files[];
extern const size_t schema_file_count;

// --- schema.c: the tables of a store ---------------------------------------------------------------------------------
// Checks that the file is a store, or empty, and gives its version. Nothing is written.
bool schema_recognise(Store *s, int64_t *version, Diag *diag);
bool schema_migrate(Store *s, Diag *diag);  // checks the same, and brings the store up to date

// --- open.c ----------------------------------------------------------------------------------------------------------
sqlite3 *store_sqlite(Store *s);

// --- sql.c: statements -----------------------------------------------------------------------------------------------
bool sql_broken(Store *s, Diag *diag);  // gives the reason of SQLite's last error; always false
bool sql_execute(Store *s, const char *sql, Diag *diag);
bool sql_prepare(Store *s, const char *sql, sqlite3_stmt **q, Diag *diag);
const char *sql_text(sqlite3_stmt *q, int column);  // of the row that q stands on; NULL is ""

// --- query.c: the columns of run and kernel that Rows has; "kernel" is the name of one -------------------------------
enum { RUN_COLUMNS = 16, KERNEL_COLUMNS = 10 };
extern const char *const run_columns[RUN_COLUMNS], *const kernel_columns[KERNEL_COLUMNS];

#endif
