// sql.h: what the files of this folder share: the database below a store, and the statements that make one. No other
// folder speaks SQL.
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include "store/store.h"

#include <sqlite3.h>

// --- store.c ---------------------------------------------------------------------------------------------------------
typedef struct SchemaFile {
    const char *name, *text;  // "1": the statements that make version 1 of a store of version 0
    size_t size;
} SchemaFile;
extern const SchemaFile schema_files[];  // schema/*.sql, generated
extern const size_t schema_file_count;
sqlite3 *store_sqlite(Store *s);

#endif
