// What all statements of a store go through: a reader's transaction, the bound of their steps, and what an error says.
#include "check.h"
#include "store/sql.h"

#include <string.h>
#include <unistd.h>

static Store *opened(const char *path)
{
    Diag d = {0};
    Store *s = store_open(path, &d);
    if (!s) fail_msg("%s", d.text.v);
    return s;
}

static int64_t runs(Store *s)
{
    Diag d = {0};
    sqlite3_stmt *q = NULL;
    assert_true(sql_prepare(s, "SELECT count(*) FROM run", &q, &d) && sql_row(s, q, &d));
    int64_t n = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return n;
}

// While one handle reads, another one writes: the reader sees what there was when it began, and a reader inside of it
// neither begins anew nor ends it.
static void a_reader_sees_one_state(void **state)
{
    (void)state;
    Diag d = {0};
    Text folder = {0}, path = {0};
    assert_true(folder_for_a_while(&folder, &d));
    text_printf(&path, "%s/s.db", folder.v);
    Store *reader = opened(path.v), *writer = opened(path.v);
    bool outer = false, inner = true;
    assert_true(sql_read(reader, &outer, &d) && outer);
    assert_int_equal(runs(reader), 0);
    assert_true(sql_execute(writer,
                            "INSERT INTO run (key, verb, program, params, gpu, overrides, options, status, cycles, "
                            "warp_instructions, thread_instructions, model, version, wall_seconds, memory_bytes, "
                            "finished, host) VALUES ('k', 'run', 'p', '', 'g', '', '', 'done', 1, 1, 1, 1, '', 0, 0, "
                            "'', '')",
                            &d));
    assert_int_equal(runs(reader), 0);
    assert_true(sql_read(reader, &inner, &d));
    assert_false(inner);
    sql_end(reader, inner);
    assert_int_equal(runs(reader), 0);
    sql_end(reader, outer);
    assert_int_equal(runs(reader), 1);
    store_close(reader), store_close(writer);
    for (int k = 0; k < 3; k++) {
        path.n = 0;
        text_printf(&path, "%s/s.db%s", folder.v, (const char *[]){"", "-wal", "-shm"}[k]);
        unlink(path.v);
    }
    assert_int_equal(rmdir(folder.v), 0);
    text_free(&folder), text_free(&path);
}

// A statement that never ends is stopped where SQLite asks, which it does every 1,000 steps. The next transaction has
// steps of its own.
static void steps_are_bounded(void **state)
{
    (void)state;
    static const char endless[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
                      *const what[] = {":memory: is damaged: ", ":memory:, with other.db is damaged: "};
    Store *s = opened(":memory:");
    for (int with = 0; with < 2; with++) {
        Diag d = {0};
        bool begun = false;
        sqlite3_stmt *q = NULL;
        assert_true(sql_read(s, &begun, &d) && begun);
        s->incoming = with ? "other.db" : NULL;
        assert_true(sql_prepare(s, endless, &q, &d));
        s->most = 1000;
        assert_false(sql_row(s, q, &d));
        if (strncmp(strstr(d.text.v, ":memory:"), what[with], strlen(what[with])))
            fail_msg("'%s' is expected, not '%s'", what[with], d.text.v);
        assert_non_null(strstr(d.text.v, "takes more steps than a store of its size can need"));
        sqlite3_finalize(q);
        s->incoming = NULL;
        sql_end(s, begun);
        assert_true(s->spent > s->most);
        diag_free(&d);
        assert_true(sql_read(s, &begun, &d) && begun);
        assert_true(sql_charge(s, 2000, &d));
        assert_int_equal(runs(s), 0);
        sql_end(s, begun);
    }
    store_close(s);
}

// A handle belongs to one thread, so that SQLite may start none that helps it; the one store besides is what is merged.
static void limits(void **state)
{
    (void)state;
    Store *s = opened(":memory:");
    assert_int_equal(sqlite3_limit(s->db, SQLITE_LIMIT_WORKER_THREADS, -1), 0);
    assert_int_equal(sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, -1), 1);
    store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_sees_one_state),
        cmocka_unit_test(steps_are_bounded),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
