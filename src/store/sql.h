// sql.h: the SQLite database inside a store, the statements that make one, and helpers for statements. Only files of
// this folder include it: no other folder speaks SQL.
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include "store/store.h"

#include <sqlite3.h>

struct Store {
    sqlite3 *db;
    char *path;
    const char *incoming;  // the path of the store that is merged into this one; null: none is
    sqlite3_stmt *find;
    struct Checker *checker;  // of this store; null: none was needed yet
    bool sound;               // no rows wait for a run or kernel that is still to come
    uint64_t spent, most;     // steps since sql_bound, and how many there may be
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
// Checks that the store that is attached as `incoming` has nothing but what this one has.
bool schema_alike(Store *s, const char *path, Diag *diag);

// --- open.c ----------------------------------------------------------------------------------------------------------
sqlite3 *store_sqlite(Store *s);

// --- checksum.c: whether a run's rows are as they were stored --------------------------------------------------------
// Checks all that the store has of a run: values that no onchip writes and rows that were changed are errors. samples:
// its samples are checked, too. A run that isn't there is damaged.
bool checksum_check(Store *s, int64_t run, bool samples, Diag *diag);
bool checksum_put(Store *s, int64_t run, Diag *diag);  // makes the checksums of a run whose rows were put
bool checksum_fill(Store *s, Diag *diag);              // makes those that runs of an older version lack
// Checks the runs of a store that is attached as `schema`. path names it in messages.
typedef struct Checker Checker;
Checker *checker_open(Store *s, const char *schema, const char *path, Diag *diag);
bool checker_run(Checker *c, int64_t run, bool samples, Diag *diag);
void checker_close(Checker *c);

// --- sql.c: statements -----------------------------------------------------------------------------------------------
// Begins to read: until sql_end the store stays as it is now, so that what was checked is what is read. *begun: no
// transaction was open, and sql_end ends this one.
bool sql_read(Store *s, bool *begun, Diag *diag);
void sql_end(Store *s, bool begun);
bool sql_write(Store *s, Diag *diag);            // begins to write
bool sql_write_runs(Store *s, Diag *diag);       // begins to add runs; refuses a store with rows of runs still to come
bool sql_commit(Store *s, bool ok, Diag *diag);  // commits if ok, else takes everything back; returns whether it did
void sql_bound(Store *s);                        // counts steps from 0 again, up to what the store's size allows
bool sql_charge(Store *s, size_t bytes, Diag *diag);  // counts bytes that were read as steps
bool sql_broken(Store *s, Diag *diag);                // gives the reason of SQLite's last error; always false
bool sql_execute(Store *s, const char *sql, Diag *diag);
bool sql_prepare(Store *s, const char *sql, sqlite3_stmt **q, Diag *diag);
// Adds a store's text to a message: cut where it is long, with '?' for what can't be shown.
void text_shown(Text *out, const char *text);
// Goes to the statement's next row. False at its end, where it is reset, or (diag->failed) when the store failed.
bool sql_row(Store *s, sqlite3_stmt *q, Diag *diag);
const char *sql_text(sqlite3_stmt *q, int column);  // of the row that q stands on; NULL is ""

// --- query.c: the columns of run and kernel that Rows has; "kernel" is the name of one -------------------------------
enum { RUN_COLUMNS = 16, KERNEL_COLUMNS = 10 };
extern const char *const run_columns[RUN_COLUMNS], *const kernel_columns[KERNEL_COLUMNS];

#endif
