// sql.h: the SQLite database inside a store, and the statements that make one. Only files of this folder include it: no
// other folder speaks SQL.
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include "store/store.h"

#include <sqlite3.h>

// --- store.c ---------------------------------------------------------------------------------------------------------
typedef struct SchemaFile {
    const char *name, *text;  // "2": its statements make version 2 of a store of version 1
    size_t size;
} SchemaFile;
extern const SchemaFile schema_files[];  // schema/*.sql, generated
extern const size_t schema_file_count;
sqlite3 *store_sqlite(Store *s);

#endif
