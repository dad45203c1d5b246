// The values of a run by name: numbers of a list, what a run measured, and the points of a curve.
#include "check.h"
#include "store/query.h"
#include "store/sql.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

static double value_of(Values *v, const char *name)
{
    double value = -1;
    if (!values_get(v, name, &value)) fail_msg("there is no %s", name);
    return value;
}

static void of_a_list(void **state)
{
    (void)state;
    Values *v = values_given("gflops=345.6 gbs=86.4 cycles=12");
    double value;
    assert_true(value_of(v, "gbs") == 86.4 && value_of(v, "gflops") == 345.6 && value_of(v, "cycles") == 12);
    assert_false(values_get(v, "gb", &value));
    assert_false(values_get(v, "l1.hits", &value));  // a list has no counters
    values_free(v);
}

// --- a run in a store ------------------------------------------------------------------------------------------------
typedef struct Made {
    Store *store;
    Values *values;
    Identity id;
} Made;

// A run of the key below, and what more is inserted of it.
static Made made(const char *more)
{
    static const char key[] = "0123456789abcdef0123456789abcdef";
    Diag d = {0};
    Made m = {.store = store_open(":memory:", &d), .id = {.gpu = "gtx480", .params = ""}};
    assert_non_null(m.store);
    char *sql = sqlite3_mprintf(
        "INSERT INTO run (key, verb, program, params, gpu, overrides, options, status, cycles, warp_instructions, "
        "thread_instructions, model, version, wall_seconds, memory_bytes, finished, host) VALUES (%Q, 'run', 'p', '', "
        "'gtx480', '', '', 'done', 100, 0, 0, 1, '', 0, 0, '', '');%s",
        key, more);
    if (sqlite3_exec(store_sqlite(m.store), sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(store_sqlite(m.store)));
    sqlite3_free(sql);
    assert_true(checksum_fill(m.store, &d));
    memcpy(m.id.key, key, sizeof key);
    m.values = values_load(m.store, &m.id, NULL, &d);
    if (!m.values) fail_msg("%s", d.text.v ? d.text.v : "no values");
    return m;
}

static void unmake(Made *m)
{
    values_free(m->values);
    store_close(m->store);
}

// Places come in the order of their numbers, and of the first curve of a formula alone.
static void of_a_curve(void **state)
{
    (void)state;
    Made m =
        made("INSERT INTO measure (run_id, name, value) VALUES (1, 'other[k=7]', 70), (1, 'miss[stride=10]', 0.5), "
             "(1, 'miss[stride=2]', 0.25), (1, 'plain', 3);");
    Values *v = m.values;
    Places places = {0};
    values_places(v, "plain * miss + other", &places);
    assert_int_equal(places.n, 2);
    assert_string_equal(places.v[0], "stride=2");
    assert_string_equal(places.v[1], "stride=10");
    values_at(v, "stride=10");
    assert_true(value_of(v, "miss") == 0.5 && value_of(v, "plain") == 3);
    assert_true(isnan(value_of(v, "other")));  // the curve has no such point
    values_at(v, "stride=2");
    assert_true(value_of(v, "miss") == 0.25);
    double value;
    values_at(v, NULL);
    assert_false(values_get(v, "miss", &value));
    vec_free(&places);
    unmake(&m);
}

// Two kernels, each sampled twice: a kernel's counters begin at 0. Times go on from one to the next, to the nearest
// multiple of the interval, and at each the counters are what they grew by.
static void of_times(void **state)
{
    (void)state;
    static const struct {
        const char *time;
        double cycles, hits;
    } want[] = {{"time=1000", 1000, 10}, {"time=2000", 1000, 20}, {"time=3000", 900, 5}, {"time=4000", 1050, 7}};
    Made m = made(
        "INSERT INTO kernel (run_id, name, launches, grid, block, dynamic_shared, functional, partial, "
        "occupancy_blocks, occupancy_warps, occupancy_limit, seconds) VALUES (1, 'a', 1, '1,1,1', '32,1,1', 0, 0, 0, "
        "1, 1, '', 0), (1, 'b', 1, '1,1,1', '32,1,1', 0, 0, 0, 1, 1, '', 0);"
        "INSERT INTO sample (kernel_id, number, name, value) VALUES (1, 0, 'cycles', 1000), (1, 0, 'l1.hits', 10), "
        "(1, 1, 'cycles', 2000), (1, 1, 'l1.hits', 30), (2, 0, 'cycles', 900), (2, 0, 'l1.hits', 5), "
        "(2, 1, 'cycles', 1950), (2, 1, 'l1.hits', 12);");
    Places places = {0};
    Diag d = {0};
    assert_true(values_times(m.values, m.store, &m.id, 1000, &places, &d));
    assert_int_equal(places.n, COUNT(want));
    for (size_t k = 0; k < COUNT(want); k++) {
        assert_string_equal(places.v[k], want[k].time);
        values_at(m.values, places.v[k]);
        assert_true(value_of(m.values, "cycles") == want[k].cycles && value_of(m.values, "l1.hits") == want[k].hits);
    }
    vec_free(&places);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_list),
        cmocka_unit_test(of_a_curve),
        cmocka_unit_test(of_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
