// Comparisons of made-up stores whose ratios and intervals are known by hand.
#include "store/query.h"
#include "store/sql.h"

#include "check.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

// A run with one kernel; its key counts up, so that keys differ between stores as those of two models do.
static void add(Store *s, int model, const char *program, const char *params, const char *overrides, int64_t cycles,
                int64_t hits, const char *status)
{
    sqlite3 *db = store_sqlite(s);
    char *sql =
        sqlite3_mprintf("INSERT INTO run (key, verb, program, params, gpu, overrides, options, status, cycles, "
                        "warp_instructions, thread_instructions, model, version,"
                        " wall_seconds, memory_bytes, finished, host) VALUES (printf('%%032x', (SELECT count(*) + %d "
                        "FROM run)), 'run', %Q, %Q, 'gtx480', %Q, '', %Q, %lld, 0, 0, %d, '', 0, 0,"
                        " '', '');"
                        "INSERT INTO kernel (run_id, name, launches, grid, block, dynamic_shared, functional, partial, "
                        "occupancy_blocks, occupancy_warps, occupancy_limit, seconds)"
                        " SELECT max(id), 'k', 1, '1,1,1', '32,1,1', 0, 0, 0, 1, 1, '', 0 FROM run;"
                        "INSERT INTO counter SELECT max(id), 'cycles', %lld FROM kernel;"
                        "INSERT INTO counter SELECT max(id), 'l1.hits', %lld FROM kernel",
                        1000 * model, program, params, overrides, status, cycles, model, cycles, hits);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_free(sql);
    const char *const lists[] = {params, overrides};
    for (int k = 0; k < 2; k++) {
        Text name = {0}, value = {0};
        for (const char *p = lists[k]; setting_next(&p, &name, &value);) {
            sql = sqlite3_mprintf("INSERT INTO setting SELECT max(id), %Q, %Q FROM run", name.v, value.v);
            assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
            sqlite3_free(sql);
        }
        text_free(&name), text_free(&value);
    }
    Diag d = {0};
    if (!checksum_fill(s, &d)) fail_msg("%s", d.text.v);
}

static Store *fresh(void)
{
    Diag d = {0};
    Store *s = store_open(":memory:", &d);
    if (!s) fail_msg("%s", d.text.v);
    return s;
}

static RunIds ids_of(Store *s, const char *where)
{
    Diag d = {0};
    RunIds ids = {0};
    if (!store_select(s, &(Filter){.where = (const char *[]){where, NULL}}, &ids, &d)) fail_msg("%s", d.text.v);
    return ids;
}

static Comparison compared(Store *a, const char *where_a, Store *b, const char *where_b, const char *setting,
                           const char *column)
{
    Diag d = {0};
    Comparison c;
    RunIds x = ids_of(a, where_a), y = ids_of(b, where_b);
    const Side sides[2] = {{a, &x}, {b, &y}};
    if (!compare_runs(sides, setting, column, &c, &d)) fail_msg("%s", d.text.v);
    vec_free(&x), vec_free(&y);
    return c;
}

static void assert_close(double got, double want)
{
    if (fabs(got - want) > 1e-9 * fabs(want)) fail_msg("%.12g, not %.12g", got, want);
}

// Ratios 1.1 and 1.21: with l = ln 1.1, the logarithms' mean is 1.5 l, their deviation l / √2, the mean's error l / 2,
// and t for one degree of freedom 12.7062047364.
static void intervals(void **state)
{
    (void)state;
    Store *a = fresh(), *b = fresh();
    add(a, 1, "p", "n=1", "", 1000, 5, "done"), add(b, 1, "p", "n=1", "", 1100, 5, "done");
    add(a, 1, "p", "n=2", "", 1000, 0, "done"), add(b, 1, "p", "n=2", "", 1210, 0, "done");
    // The same ratio four times: 3/4, without deviation.
    for (int k = 1; k <= 4; k++) {
        char n[8];
        snprintf(n, sizeof n, "n=%d", k);
        add(a, 1, "q", n, "", 400 * k, 7, "done"), add(b, 1, "q", n, "", 300 * k, k == 1 ? 0 : 7, "done");
    }
    add(a, 1, "r", "", "", 123456789, 0, "done"), add(b, 1, "r", "", "", 123456789, 0, "done");
    add(a, 1, "alone", "", "", 1, 1, "done");
    add(a, 1, "fails", "", "", 1, 1, "done"), add(b, 1, "fails", "", "", 0, 0, "failed");
    Comparison c = compared(a, "verb=run", b, "verb=run", NULL, "cycles");
    assert_int_equal(c.pairs.n, 7);
    assert_int_equal(c.alone[0], 1), assert_int_equal(c.alone[1], 0);
    assert_int_equal(c.without[0], 0), assert_int_equal(c.without[1], 1);
    assert_int_equal(c.means.n, 4);
    const PairMean *p = &c.means.v[0], *q = &c.means.v[1], *r = &c.means.v[2], *all = &c.means.v[3];
    assert_string_equal(p->program, "p"), assert_string_equal(q->program, "q"), assert_string_equal(r->program, "r"),
        assert_null(all->program);
    assert_close(p->ratio, pow(1.1, 1.5));
    assert_close(p->low, pow(1.1, 1.5 - 12.7062047364 / 2)), assert_close(p->high, pow(1.1, 1.5 + 12.7062047364 / 2));
    assert_false(p->significant);
    assert_close(q->ratio, 0.75), assert_close(q->low, 0.75), assert_close(q->high, 0.75);
    assert_true(q->significant);
    assert_int_equal(q->equal, 0);
    assert_int_equal(r->equal, 1), assert_true(r->ratio == 1), assert_int_equal(r->ratios, 1),
        assert_false(r->significant);
    // Over the three programs' means, however many pairs they have; t for two degrees of freedom is 4.30265272975.
    double x = 1.5 * log(1.1), y = log(0.75), mean = (x + y) / 3,
           s = sqrt(((x - mean) * (x - mean) + (y - mean) * (y - mean) + mean * mean) / 2);
    assert_int_equal(all->pairs, 7), assert_int_equal(all->equal, 1), assert_int_equal(all->ratios, 3);
    assert_close(all->ratio, exp(mean));
    assert_close(all->low, exp(mean - 4.30265272975 * s / sqrt(3)));
    assert_close(all->high, exp(mean + 4.30265272975 * s / sqrt(3)));
    comparison_free(&c);
    // A counter: 0 and 0 are equal; 7 and 0 have no ratio.
    c = compared(a, "program=q", b, "program=q", NULL, "l1.hits");
    assert_int_equal(c.pairs.n, 4), assert_int_equal(c.means.n, 1);
    assert_true(c.pairs.v[0].ratio == 0);
    assert_int_equal(c.means.v[0].equal, 3), assert_int_equal(c.means.v[0].ratios, 3);
    assert_true(c.means.v[0].ratio == 1);
    comparison_free(&c);
    store_close(a), store_close(b);
}

// Halves of one store: what differs doesn't tell pairs apart, and the rest pairs however it was written.
static void halves(void **state)
{
    (void)state;
    Store *s = fresh();
    add(s, 1, "p", "n=1024 m=2", "l1.size=16KiB l2.size=1MiB", 100, 1, "done");
    add(s, 1, "p", "m=2 n=1KiB", "l2.size=1048576 l1.size=32KiB", 50, 1, "done");
    add(s, 1, "p", "n=1024 m=3", "l1.size=16384", 100, 1, "done");
    add(s, 1, "p", "n=1024 m=4", "l1.size=32768", 100, 1, "done");
    add(s, 1, "p", "n=1024 m=3", "", 300, 1, "done");
    Comparison c = compared(s, "l1.size=16KiB", s, "l1.size=32KiB", "l1.size", "cycles");
    assert_int_equal(c.pairs.n, 1);
    assert_true(c.pairs.v[0].ratio == 0.5);
    assert_string_equal(c.pairs.v[0].what, "n=1024 m=2 on gtx480 l2.size=1MiB");
    assert_int_equal(c.alone[0], 1), assert_int_equal(c.alone[1], 1);
    comparison_free(&c);
    c = compared(s, "l1.size=", s, "l1.size=16KiB", "l1.size",
                 "cycles");  // the description's own value against another
    assert_int_equal(c.pairs.n, 1);
    assert_close(c.pairs.v[0].ratio, 1.0 / 3);
    comparison_free(&c);
    c = compared(s, "m=3", s, "m=4", "m", "cycles");
    assert_int_equal(c.pairs.n, 0);
    comparison_free(&c);
    store_close(s);
}

static Regression regressed(Store *before, Store *now)
{
    Diag d = {0};
    Regression g;
    RunIds x = ids_of(before, "verb=run"), y = ids_of(now, "verb=run");
    if (!compare_models((const Side[2]){{before, &x}, {now, &y}}, &g, &d)) fail_msg("%s", d.text.v);
    vec_free(&x), vec_free(&y);
    return g;
}

static void models(void **state)
{
    (void)state;
    Store *before = fresh(), *now = fresh();
    add(before, 1, "same", "n=1", "l1.size=16KiB", 100, 10, "done"),
        add(now, 2, "same", "n=1", "l1.size=16384", 100, 10, "done");
    Regression g = regressed(before, now);
    assert_int_equal(g.pairs, 1), assert_int_equal(g.changes.n, 0);
    regression_free(&g);
    add(before, 1, "little", "", "", 1000, 10, "done"), add(now, 2, "little", "", "", 1001, 10, "done");
    add(before, 1, "much", "", "", 1000, 100, "done"), add(now, 2, "much", "", "", 1010, 75, "done");
    add(before, 1, "status", "", "", 1000, 100, "done"), add(now, 2, "status", "", "", 1000, 100, "failed");
    add(before, 1, "large", "", "", INT64_C(9007199254740993), 1, "done"),
        add(now, 2, "large", "", "", INT64_C(9007199254740992), 1, "done");
    add(before, 1, "gone", "", "", 1, 1, "done"), add(now, 2, "new", "", "", 1, 1, "done");
    add(now, 1, "same", "n=1", "l1.size=16KiB", 77, 7, "done");  // of an older model: doesn't count
    g = regressed(before, now);
    assert_int_equal(g.pairs, 5), assert_int_equal(g.alone[0], 1), assert_int_equal(g.alone[1], 1);
    assert_int_equal(g.changes.n, 4);
    const Change *c = g.changes.v;
    assert_string_equal(c[0].program, "status"), assert_string_equal(c[0].largest.name, "status");
    assert_string_equal(c[1].program, "much"), assert_string_equal(c[1].largest.name, "l1.hits");
    assert_close(c[1].largest.relative, 0.25);
    assert_string_equal(c[1].largest.text[0], "100"), assert_string_equal(c[1].largest.text[1], "75");
    assert_int_equal(c[1].counters, 2);
    assert_string_equal(c[2].program, "little"), assert_close(c[2].largest.relative, 1.0 / 1001);
    assert_string_equal(c[3].program, "large");  // differs by less than a double can tell
    regression_free(&g);
    store_close(before), store_close(now);
}

// A kernel that only one of two runs has is a difference in its launches, whichever of the two has it.
static void one_has_a_kernel(void **state)
{
    (void)state;
    Store *s = fresh();
    add(s, 1, "a", "n=1", "", 100, 5, "done");
    add(s, 1, "a", "n=2", "", 100, 5, "done");
    assert_int_equal(
        sqlite3_exec(store_sqlite(s),
                     "INSERT INTO kernel (run_id, name, launches, grid, block, dynamic_shared, functional, "
                     "partial, occupancy_blocks, occupancy_warps, occupancy_limit, seconds)"
                     " SELECT max(id), 'late', 3, '1,1,1', '32,1,1', 0, 0, 0, 1, 1, '', 0 FROM run",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_exec(store_sqlite(s), "DELETE FROM checksum", NULL, NULL, NULL), SQLITE_OK);
    Diag stamped = {0};
    assert_true(checksum_fill(s, &stamped));
    for (int turn = 0; turn < 2; turn++) {
        Store *both[2] = {s, s};
        Arena arena = {0};
        Differences found = {0};
        Diag d = {0};
        assert_true(compare_two(both, (const int64_t[]){turn ? 2 : 1, turn ? 1 : 2}, &arena, &found, &d));
        assert_int_equal(found.n, 1);
        assert_string_equal(found.v[0].kernel, "late");
        assert_string_equal(found.v[0].name, "launches");
        assert_string_equal(found.v[0].text[turn], "-");
        assert_string_equal(found.v[0].text[!turn], "3");
        vec_free(&found), arena_free(&arena);
    }
    store_close(s);
}

// The fastest of runs that differ in one setting alone is kept: one for each program, of equals the larger number. Runs
// that failed, or have no cycles, don't count.
static void best(void **state)
{
    (void)state;
    Store *s = fresh();
    add(s, 1, "a", "", "sched.limit=2", 100, 0, "done");
    add(s, 1, "a", "", "sched.limit=4", 80, 0, "done");
    add(s, 1, "a", "", "sched.limit=8", 90, 0, "done");
    add(s, 1, "b", "", "sched.limit=8", 70, 0, "done");
    add(s, 1, "b", "", "sched.limit=10", 70, 0, "done");
    add(s, 1, "b", "", "sched.limit=2", 70, 0, "done");
    add(s, 1, "b", "", "sched.limit=3", 10, 0, "failed");
    add(s, 1, "b", "", "sched.limit=5", 0, 0, "done");
    Diag d = {0};
    RunIds ids = ids_of(s, "gpu=gtx480");
    assert_int_equal(ids.n, 8);
    assert_true(store_best(s, &ids, "sched.limit", &d));
    assert_int_equal(ids.n, 2);
    assert_int_equal(ids.v[0], 2);
    assert_int_equal(ids.v[1], 5);
    assert_false(store_best(s, &ids, "sched.active", &d));  // none of them has it
    assert_non_null(strstr(d.text.v, "none of these runs has the setting 'sched.active'"));
    diag_free(&d);
    vec_free(&ids);
    ids = (RunIds){0};
    assert_true(store_best(s, &ids, "sched.active", &d));  // of no runs none is the best
    assert_int_equal(ids.n, 0);
    store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(best), cmocka_unit_test(intervals), cmocka_unit_test(halves),
                                       cmocka_unit_test(models), cmocka_unit_test(one_has_a_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
