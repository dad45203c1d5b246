// A store's file with any bytes, as a damaged one, or a stranger's, has: it is opened, each run is looked at, its
// values are read, it is exported, and its runs are copied into another store. Whatever is wrong with it is an error
// that says something; nothing of it runs.
#include "store/query.h"
#include "store/sql.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool in_order(bool ok, Diag *diag)
{
    assert(ok || diag->text.n);
    diag_free(diag);
    *diag = (Diag){0};
    return ok;
}

static void ask(Store *s, Diag *diag)
{
    static const char *const columns[] = {"key",    "program", "cycles", "l1.hits", "ipc",    "gpu",
                                          "params", "status",  "error",  "n",       "l1.size"};
    RunIds ids = {0};
    Arena arena = {0};
    const Filter filter = {0};
    if (in_order(store_select(s, &filter, &ids, diag), diag)) {
        for (int kernels = 0; kernels < 2; kernels++) {
            Rows *r = rows_open(s, &ids, columns, COUNT(columns), kernels, diag);
            for (size_t k = 0; r && k < 100 && rows_next(r, diag); k++) {
                Text t = {0};
                for (size_t c = 0; c < COUNT(columns); c++) datum_text(&rows_values(r)[c], &t);
                text_free(&t);
            }
            in_order(r && !diag->failed, diag);
            rows_close(r);
        }
        for (size_t k = 0; k < ids.n && k < 10; k++) {
            RunStructures structures = {0};
            in_order(store_structures(s, ids.v[k], &arena, &structures, diag), diag);
            vec_free(&structures);
        }
        ColumnNames names = {0};
        FILE *out = fopen("/dev/null", "w");
        if (in_order(export_columns(s, &ids, &arena, &names, diag), diag) && out) {
            in_order(export_rows(s, &ids, &names, true, EXPORT_CSV, out, diag), diag);
            in_order(export_runs(s, &ids, out, diag), diag);
        }
        if (out) fclose(out);
        vec_free(&names);
    }
    Runs runs = {0};
    in_order(runs_read(&runs, s, &(RunsWanted){NULL, NULL, NULL, NULL}, diag), diag);
    runs_free(&runs);
    Stored found;
    in_order(store_find(s, "00000000000000000000000000000000", &found, diag), diag);
    vec_free(&ids);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/dev/shm/onchip-fuzz-XXXXXX", more[64];
    int fd = mkstemp(path);
    if (fd < 0) strcpy(path, "/tmp/onchip-fuzz-XXXXXX"), fd = mkstemp(path);
    Diag diag = {0};
    MergeCount count = {0};
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    close(fd);
    Store *s = store_read(path, &diag);
    in_order(s != NULL, &diag);
    if (s) ask(s, &diag);
    store_close(s);
    Store *other = store_open(":memory:", &diag);
    assert(other);
    in_order(store_merge(other, path, &count, &diag), &diag);
    in_order(store_absorb(other, data, size, &count, &diag), &diag);
    store_close(other);
    unlink(path);
    for (int k = 0; k < 3; k++) {
        snprintf(more, sizeof more, "%s%s", path, (const char *const[]){"-wal", "-shm", "-journal"}[k]);
        unlink(more);
    }
    return 0;
}
