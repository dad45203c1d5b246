// open.c: opens and closes stores. Every write is one transaction with a write-ahead log (WAL). So several processes
// may write, and one that is killed leaves the store as it was before the write or after it.
#include "store/sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

sqlite3 *store_sqlite(Store *s) { return s->db; }
const char *store_path(const Store *s) { return s->path; }

static char *default_path(void)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    Text t = {0};
    if (data && *data)
        text_printf(&t, "%s/onchip/results.db", data);
    else
        text_printf(&t, "%s/.local/share/onchip/results.db", home && *home ? home : ".");
    return t.v;
}

static bool make_folders(const char *path, Diag *diag)
{
    char *copy = mem_text(path);
    bool ok = *path || diag_error(diag, "the path of the store is empty\nhint: --db names one");
    for (char *p = copy + 1; ok && (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        if (mkdir(copy, 0777) && errno != EEXIST)
            ok = diag_error(diag, "can't make the folder %s: %s", copy, strerror(errno));
    }
    mem_free(copy);
    return ok;
}

// Turns the write-ahead log on. Several processes may make a new store at once, and SQLite doesn't wait for the lock
// that this takes, so that the waiting is done here.
static bool use_wal(Store *s, Diag *diag)
{
    for (int k = 0; k < 600; k++) {
        int code = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
        if (code == SQLITE_OK) return true;
        if (code != SQLITE_BUSY) break;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return sql_broken(s, diag);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = mem_text(slash ? path : ".");
    if (slash) folder[slash == path ? 1 : slash - path] = 0;
    return folder;
}

// A store may come from strangers: nothing in its file is executed, and none of its values takes memory without bound.
// schema.c refuses whatever the file could have that is executed; this holds even if it comes there later.
static bool defend(Store *s, Diag *diag)
{
    static const struct {
        int option, on;
    } of[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
              {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
              {SQLITE_DBCONFIG_DQS_DDL, 0},        {SQLITE_DBCONFIG_DQS_DML, 0}};
    for (size_t k = 0; k < COUNT(of); k++)
        if (sqlite3_db_config(s->db, of[k].option, of[k].on, NULL) != SQLITE_OK)
            return diag_error(diag, "this SQLite, %s, lacks what protects from a stranger's store",
                              sqlite3_libversion());
    sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 1 << 20);  // bytes of a value, of which the longest are errors' texts
    sqlite3_limit(s->db, SQLITE_LIMIT_COLUMN, 100);
    sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 1);  // the store that is merged
    sqlite3_limit(s->db, SQLITE_LIMIT_WORKER_THREADS, 0);
    sql_bound(s);
    return sql_execute(s, "PRAGMA cell_size_check = ON", diag);
}

static bool open_file(Store *s, const char *name, int flags, Diag *diag)
{
    // A store is used by one thread at a time, so that SQLite needn't lock it for every value.
    if (sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) return defend(s, diag);
    int reason = s->db ? sqlite3_system_errno(s->db) : 0;
    char *folder = folder_of(s->path);
    if (reason == ENOENT && access(folder, W_OK)) reason = errno;  // SQLite tried to read last, and has that errno
    mem_free(folder);
    return diag_error(diag, "can't open the store %s: %s", s->path,
                      reason  ? strerror(reason)
                      : s->db ? sqlite3_errmsg(s->db)
                              : "no memory");
}

Store *store_open(const char *path, Diag *diag)
{
    Store *s = mem_alloc(sizeof *s);
    s->path = path ? mem_text(path) : default_path();
    bool memory = !strcmp(s->path, ":memory:");
    bool ok = (memory || make_folders(s->path, diag)) &&
              open_file(s, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, diag);
    if (ok) {
        sqlite3_busy_timeout(s->db, 60000);
        ok =
            sql_execute(s, "PRAGMA foreign_keys = ON", diag) && schema_migrate(s, diag) && (memory || use_wal(s, diag));
    }
    if (ok) return s;
    store_close(s);
    return NULL;
}

// Opens a store that can't be written, or whose folder can't, in which SQLite puts files of its own. It is opened as
// "immutable", unless its log is there: then another process has it open.
static bool open_as_it_is(Store *s, Diag *diag)
{
    Text name = {0}, log = {0};
    text_printf(&log, "%s-wal", s->path);
    text_put(&name, "file:");
    for (const char *p = s->path; *p; p++) text_printf(&name, strchr("%?#", *p) ? "%%%02x" : "%c", *p);
    text_put(&name, access(log.v, F_OK) ? "?immutable=1" : "?mode=ro");
    int64_t version;
    bool ok = open_file(s, name.v, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, diag) && schema_recognise(s, &version, diag);
    if (ok && version < (int64_t)schema_file_count)
        ok =
            diag_error(diag, "%s is a store of an older version, and can't be written to bring it up to date", s->path);
    text_free(&name), text_free(&log);
    return ok;
}

static bool can_write(const char *path)
{
    char *folder = folder_of(path);
    bool ok = !access(path, W_OK) && !access(folder, W_OK);
    mem_free(folder);
    return ok;
}

Store *store_read(const char *path, Diag *diag)
{
    Store *s = mem_alloc(sizeof *s);
    s->path = path ? mem_text(path) : default_path();
    bool ok = !access(s->path, R_OK) ||
              diag_error(diag, "no store to read at %s: %s\nhint: onchip sweep makes one; --db names another", s->path,
                         strerror(errno));
    if (ok && can_write(s->path)) {
        store_close(s);
        return store_open(path, diag);
    }
    if (ok && open_as_it_is(s, diag)) return s;
    store_close(s);
    return NULL;
}

void store_close(Store *s)
{
    if (!s) return;
    sqlite3_finalize(s->find);
    checker_close(s->checker);
    sqlite3_close(s->db);
    mem_free(s->path);
    mem_free(s);
}
