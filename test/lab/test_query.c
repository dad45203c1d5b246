// Stored runs as rows: sums over kernels are those of the device's record, a run's rates are the formulas over these
// sums with the description's own values, and filters find settings however they were written.
#include "store/query.h"
#include "store/sql.h"
#include "sweep/sweep.h"

#include "chip/chip.h"

#include "check.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

typedef struct Fixture {
    Store *store;
    Diag diag;
} Fixture;

static void add(Fixture *f, const char *program, const char *gpu, const char *const *params, const char *const *sets)
{
    Cell c = {.verb = "run", .program = program, .gpu = gpu, .params = params, .sets = sets, .small = true};
    Plan plan;
    Planner *planner = planner_open();
    if (!plan_cell(planner, &c, &plan, &f->diag) || !plan_run(&plan, f->store, &f->diag))
        fail_msg("%s", f->diag.text.v);
    plan_free(&plan);
    planner_close(planner);
}

static int open_store(void **state)
{
    Fixture *f = mem_alloc(sizeof *f);
    f->store = store_open(":memory:", &f->diag);
    if (!f->store) return 1;
    add(f, "atax", "gtx480", NULL, (const char *[]){"l1.size=32KiB", NULL});
    add(f, "atax", "titan_black", NULL, NULL);
    add(f, "vectoradd", "gtx480", (const char *[]){"n=100", NULL},
        (const char *[]){"l1.size=16KiB", "storage.carveouts=24 17 17", NULL});
    add(f, "vectoradd", "gtx480", (const char *[]){"n=1048576", NULL},
        (const char *[]){"gpu.memory=1MiB", NULL});  // fails
    *state = f;
    return 0;
}

static int close_store(void **state)
{
    Fixture *f = *state;
    store_close(f->store);
    diag_free(&f->diag);
    mem_free(f);
    return 0;
}

static RunIds selected(Fixture *f, Filter filter)
{
    RunIds ids = {0};
    if (!store_select(f->store, &filter, &ids, &f->diag)) fail_msg("%s", f->diag.text.v);
    return ids;
}

static void assert_found(Fixture *f, Filter filter, size_t want)
{
    RunIds ids = selected(f, filter);
    assert_int_equal(ids.n, want);
    vec_free(&ids);
}

#define WHERE(...) \
    .where = (const char *[]) { __VA_ARGS__, NULL }

static void filters(void **state)
{
    Fixture *f = *state;
    assert_found(f, (Filter){.program = NULL}, 4);
    assert_found(f, (Filter){.program = "atax"}, 2);
    assert_found(f, (Filter){.program = "polybench/atax"}, 2);
    assert_found(f, (Filter){.program = "atax", .gpu = "gtx480"}, 1);
    assert_found(f, (Filter){.failed = true}, 1);
    assert_found(f, (Filter){.model = "old"}, 0);
    assert_found(f,
                 (Filter){.keys = (const char *[]){"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d",
                                                   "e", "f", NULL}},
                 4);
    assert_found(f, (Filter){WHERE("l1.size=16384")}, 1);
    assert_found(f, (Filter){WHERE("l1.size=32KiB")}, 1);
    assert_found(f, (Filter){WHERE("l1.size=")}, 2);
    assert_found(f, (Filter){WHERE("storage.carveouts=24 17 17")}, 1);
    assert_found(f, (Filter){WHERE("status=done", "gpu=gtx480")}, 2);
    assert_found(f, (Filter){WHERE("n=100", "l1.size=32KiB")}, 0);
}

// A workload's suite may be named or not; where two suites have the name, the runs of each are found by themselves.
static void suites(void **state)
{
    (void)state;
    Fixture f = {.store = NULL};
    f.store = store_open(":memory:", &f.diag);
    assert_non_null(f.store);
    add(&f, "kmeans", "gtx480", NULL, NULL);
    add(&f, "kmeans", "titan_black", NULL, NULL);
    add(&f, "rodinia/kmeans", "gtx480", NULL, NULL);
    assert_found(&f, (Filter){.program = "kmeans"}, 2);
    assert_found(&f, (Filter){.program = "streaming/kmeans"}, 2);
    assert_found(&f, (Filter){.program = "rodinia/kmeans"}, 1);
    assert_found(&f, (Filter){.program = "polybench/kmeans"}, 0);
    store_close(f.store);
    diag_free(&f.diag);
}

static void assert_refused(Fixture *f, Filter filter, const char *why)
{
    RunIds ids = {0};
    Diag d = {0};
    assert_false(store_select(f->store, &filter, &ids, &d));
    if (!strstr(d.text.v, why)) fail_msg("'%s' is expected in: %s", why, d.text.v);
    diag_free(&d);
    vec_free(&ids);
}

static void refusals(void **state)
{
    Fixture *f = *state;
    assert_refused(f, (Filter){WHERE("l1.sice=3")}, ":memory: has no setting 'l1.sice'; did you mean 'l1.size'?");
    assert_refused(f, (Filter){WHERE("l1.size")}, "'l1.size': name=value is expected");
    assert_refused(f, (Filter){.keys = (const char *[]){"12%", NULL}}, "'12%' isn't the beginning of a key");
    assert_refused(f, (Filter){.keys = (const char *[]){"", NULL}}, "'' isn't the beginning of a key");
    assert_refused(f, (Filter){.model = "new"}, "--model takes a number or old, not 'new'");
}

// All counters and rates of a run with two kernels, from its kernels' rows and the description.
static void sums(void **state)
{
    Fixture *f = *state;
    const char *gpus[] = {"gtx480", "titan_black"};
    for (size_t g = 0; g < COUNT(gpus); g++) {
        Gpu gpu;
        if (!gpu_load(&gpu, gpus[g], NULL, &f->diag)) fail_msg("%s", f->diag.text.v);
        RunIds ids = selected(f, (Filter){.program = "atax", .gpu = gpus[g]});
        ColumnNames names = {0};
        for (int c = 0; c < C_COUNT; c++) vec_push(&names, counter_info[c].name);
        Rows *r = rows_open(f->store, &ids, names.v, names.n, true, &f->diag);
        uint64_t sum[C_COUNT] = {0};
        size_t kernels = 0;
        while (rows_next(r, &f->diag)) {
            for (int c = 0; c < C_COUNT; c++) sum[c] += (uint64_t)rows_values(r)[c].whole;
            kernels++;
        }
        rows_close(r);
        assert_int_equal(kernels, 2);
        for (size_t k = 0; k < rate_count; k++) vec_push(&names, rates[k].name);
        r = rows_open(f->store, &ids, names.v, names.n, false, &f->diag);
        assert_true(rows_next(r, &f->diag));
        const Datum *v = rows_values(r);
        for (int c = 0; c < C_COUNT; c++) assert_int_equal(v[c].whole, sum[c]);
        for (size_t k = 0; k < rate_count; k++) {
            double want = rates[k].value(sum, &gpu), got = v[C_COUNT + k].real;
            assert_int_equal(v[C_COUNT + k].kind, DATUM_REAL);
            if (fabs(got - want) > 1e-12 * fabs(want)) fail_msg("%s: %.17g, not %.17g", rates[k].name, got, want);
        }
        assert_false(rows_next(r, &f->diag));
        rows_close(r);
        vec_free(&names), vec_free(&ids);
    }
}

// The rates of a run with one kernel are those that are stored: they aren't computed anew.
static double ipc_of_vectoradd(Fixture *f)
{
    RunIds ids = selected(f, (Filter){.program = "vectoradd"});
    Rows *r = rows_open(f->store, &ids, (const char *const[]){"ipc"}, 1, false, &f->diag);
    assert_true(rows_next(r, &f->diag));
    double ipc = rows_values(r)[0].real;
    rows_close(r);
    vec_free(&ids);
    return ipc;
}

static void one_kernel(void **state)
{
    Fixture *f = *state;
    double before = ipc_of_vectoradd(f);
    assert_true(before > 0);
    for (int k = 1; k >= -1; k -= 2) {
        char sql[100];
        snprintf(sql, sizeof sql, "UPDATE rate SET value = value + %d WHERE name = 'ipc'", k);
        assert_int_equal(sqlite3_exec(store_sqlite(f->store), sql, NULL, NULL, NULL), SQLITE_OK);
        assert_true(fabs(ipc_of_vectoradd(f) - before - (k > 0)) < 1e-9);
    }
}

static void columns(void **state)
{
    Fixture *f = *state;
    RunIds ids = selected(f, (Filter){.program = "vectoradd"});
    const char *const names[] = {"n", "setting.n", "storage.carveouts", "cycles", "ipc", "cycles", "status", "l1.size"};
    Rows *r = rows_open(f->store, &ids, names, COUNT(names), false, &f->diag);
    assert_true(rows_next(r, &f->diag));
    const Datum *v = rows_values(r);
    assert_string_equal(v[0].text, "100");
    assert_string_equal(v[1].text, "100");
    assert_string_equal(v[2].text, "24 17 17");
    assert_true(v[3].whole > 0 && v[3].whole == v[5].whole);
    assert_string_equal(v[7].text, "16KiB");
    assert_true(rows_next(r, &f->diag));
    assert_int_equal(v[3].kind, DATUM_NONE);  // of a run that failed before its first launch
    assert_int_equal(v[4].kind, DATUM_NONE);
    assert_string_equal(v[6].text, "failed");
    assert_int_equal(v[7].kind, DATUM_NONE);
    assert_false(rows_next(r, &f->diag));
    rows_close(r);
    const struct {
        const char *name, *why;
    } bad[] = {{"l1.hist", "no column 'l1.hist'; did you mean 'l1.hits'?"},
               {"grid", "'grid' belongs to a kernel"},
               {"kernel_id; DROP TABLE run", "has no column"}};
    for (size_t k = 0; k < COUNT(bad); k++) {
        Diag d = {0};
        assert_null(rows_open(f->store, &ids, &bad[k].name, 1, false, &d));
        if (!strstr(d.text.v, bad[k].why)) fail_msg("%s", d.text.v);
        diag_free(&d);
    }
    vec_free(&ids);
}

// What hangs below a run goes with it.
static void deleting(void **state)
{
    Fixture *f = *state;
    RunIds all = selected(f, (Filter){.program = NULL});
    assert_true(store_delete(f->store, &all, &f->diag));
    const char *const tables[] = {"run", "setting", "kernel", "counter", "rate", "structure", "sample", "measure"};
    for (size_t k = 0; k < COUNT(tables); k++) {
        char sql[64];
        sqlite3_stmt *q;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[k]);
        assert_int_equal(sqlite3_prepare_v2(store_sqlite(f->store), sql, -1, &q, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(q), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(q, 0), 0);
        sqlite3_finalize(q);
    }
    vec_free(&all);
}

// --- runs that differ in nothing that is told -------------------------------------------------------------------------
static void read_all(Fixture *f, Runs *runs)
{
    if (!runs_read(runs, f->store, &(RunsWanted){.programs = NULL}, &f->diag)) fail_msg("%s", f->diag.text.v);
}

// Runs of equal settings get the beginning of their keys as a setting, and nobody else does.
static void told_apart(void **state)
{
    Fixture *f = *state;
    Runs runs = {0};
    read_all(f, &runs);
    for (size_t k = 0; k < runs.v.n; k++)
        for (size_t n = 0; n < runs.v.v[k].settings.n; n++)
            assert_string_not_equal(runs.v.v[k].settings.v[n].name, "key");
    size_t before = runs.v.n;
    char copied[33], *sql;
    snprintf(copied, sizeof copied, "%s", runs.v.v[0].key);
    runs_free(&runs);

    sql =
        sqlite3_mprintf("CREATE TEMP TABLE twin AS SELECT * FROM run WHERE key = %Q;"
                        "UPDATE twin SET id = 1000, key = 'fedcba9876543210fedcba9876543210';"
                        "INSERT INTO run SELECT * FROM twin; INSERT INTO setting SELECT 1000, name, value FROM setting "
                        "WHERE run_id = (SELECT id FROM run WHERE key = %Q)",
                        copied, copied);
    sqlite3 *db = store_sqlite(f->store);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_free(sql);
    runs = (Runs){0};
    read_all(f, &runs);
    assert_int_equal(runs.v.n, before + 1);
    uint32_t told = 0;
    for (size_t k = 0; k < runs.v.n; k++) {
        const StoredRun *r = &runs.v.v[k];
        const RunSetting *last = &r->settings.v[r->settings.n - 1];
        bool twin = !strcmp(r->key, copied) || !strncmp(r->key, "fedcba98", 8);
        assert_true(!strcmp(last->name, "key") == twin);
        if (twin) told += strlen(last->value) == 8 && !strncmp(last->value, r->key, 8);
    }
    assert_int_equal(told, 2);
    runs_free(&runs);
    if (sqlite3_exec(db, "DELETE FROM run WHERE id = 1000; DROP TABLE twin", NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
}

// --- what can't be written --------------------------------------------------------------------------------------------
// A row that the database refuses fails the run, whatever its table is, and nothing of the run is there then.
static void refused_rows(void **state)
{
    Fixture *f = *state;
    static const char *const tables[] = {"run", "setting", "kernel", "counter", "rate", "structure"};
    const Cell c = {.verb = "run", .program = "vectoradd", .gpu = "gtx480", .params = (const char *[]){"n=64", NULL}};
    for (size_t k = 0; k < COUNT(tables); k++) {
        char sql[200];
        snprintf(sql, sizeof sql, "CREATE TRIGGER refuse BEFORE INSERT ON %s BEGIN SELECT RAISE(ABORT, 'refused'); END",
                 tables[k]);
        assert_int_equal(sqlite3_exec(store_sqlite(f->store), sql, NULL, NULL, NULL), SQLITE_OK);
        Plan plan;
        Diag d = {0};
        Planner *planner = planner_open();
        assert_true(plan_cell(planner, &c, &plan, &d));
        if (plan_run(&plan, f->store, &d)) fail_msg("a run without its row in %s is taken", tables[k]);
        assert_non_null(strstr(d.text.v, "refused"));
        assert_int_equal(store_find(f->store, plan.id.key), STORED_NOT);
        diag_free(&d);
        plan_free(&plan);
        planner_close(planner);
        assert_int_equal(sqlite3_exec(store_sqlite(f->store), "DROP TRIGGER refuse", NULL, NULL, NULL), SQLITE_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_apart), cmocka_unit_test(filters),      cmocka_unit_test(suites),
        cmocka_unit_test(refusals),   cmocka_unit_test(sums),         cmocka_unit_test(columns),
        cmocka_unit_test(one_kernel), cmocka_unit_test(refused_rows), cmocka_unit_test(deleting)};
    return cmocka_run_group_tests(tests, open_store, close_store);
}
