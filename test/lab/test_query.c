// Stored runs as rows: sums over kernels are those of the device's record, a run's rates are the formulas over these
// sums with the description's own values, and filters find settings however they were written.
#include "store/query.h"
#include "store/sql.h"
#include "sweep/unit.h"

#include "gpu/gpu.h"

#include "check.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Fixture {
    Store *store;
    Diag diag;
} Fixture;

static void add(Fixture *f, const char *program, const char *gpu, const char *const *params, const char *const *sets)
{
    Cell c = {.verb = "run", .program = program, .gpu = gpu, .params = params, .sets = sets, .how = {.small = true}};
    Plan plan;
    Planner *planner = planner_open(NULL);
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
        for (size_t k = 0; k < RATES; k++) vec_push(&names, rates[k].name);
        r = rows_open(f->store, &ids, names.v, names.n, false, &f->diag);
        assert_true(rows_next(r, &f->diag));
        const Datum *v = rows_values(r);
        for (int c = 0; c < C_COUNT; c++) assert_int_equal(v[c].whole, sum[c]);
        for (size_t k = 0; k < RATES; k++) {
            double want = rates[k].value(sum, &gpu), got = v[C_COUNT + k].real;
            assert_int_equal(v[C_COUNT + k].kind, DATUM_REAL);
            if (fabs(got - want) > 1e-12 * fabs(want)) fail_msg("%s: %.17g, not %.17g", rates[k].name, got, want);
        }
        assert_false(rows_next(r, &f->diag));
        rows_close(r);
        vec_free(&names), vec_free(&ids);
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

// A setting that has the name of a counter, a rate or a column of runs is told from it.
static void settings_by_name(void **state)
{
    (void)state;
    Arena arena = {0};
    for (int c = 0; c < C_COUNT; c++)
        if (strncmp(setting_column(counter_info[c].name, false, &arena), "setting.", 8))
            fail_msg("%s", counter_info[c].name);
    for (size_t k = 0; k < RATES; k++)
        if (strncmp(setting_column(rates[k].name, false, &arena), "setting.", 8)) fail_msg("%s", rates[k].name);
    assert_string_equal(setting_column("program", false, &arena), "setting.program");
    assert_string_equal(setting_column("grid", true, &arena), "setting.grid");
    assert_string_equal(setting_column("grid", false, &arena), "grid");
    assert_string_equal(setting_column("nx", true, &arena), "nx");
    arena_free(&arena);
}

// --- runs that differ in nothing that is told ------------------------------------------------------------------------
// Runs of equal settings get the beginning of their keys as a setting, and nobody else does: here a description's file
// changed between two runs.
static void told_apart(void **state)
{
    Fixture *f = *state;
    char gpu[] = "/tmp/onchip-query-XXXXXX.ini";
    int fd = mkstemps(gpu, 4);
    assert_true(fd >= 0);
    for (int k = 0; k < 2; k++) {
        dprintf(fd, k ? "[l1]\nlatency = 50  # changed\n" : "[gpu]\nbase = gtx480\n");
        add(f, "vectoradd", gpu, (const char *[]){"n=64", NULL}, NULL);
    }
    close(fd), unlink(gpu);
    Runs runs = {0};
    if (!runs_read(&runs, f->store, &(RunsWanted){.programs = NULL}, &f->diag)) fail_msg("%s", f->diag.text.v);
    uint32_t told = 0;
    for (size_t k = 0; k < runs.v.n; k++) {
        const StoredRun *r = &runs.v.v[k];
        for (size_t n = 0; n < r->settings.n; n++) {
            if (strcmp(r->settings.v[n].name, "key")) continue;
            assert_string_equal(r->gpu, gpu);
            assert_true(strlen(r->settings.v[n].value) == 8 && !strncmp(r->settings.v[n].value, r->key, 8));
            told++;
        }
    }
    assert_int_equal(told, 2);
    runs_free(&runs);
    RunIds ids = selected(f, (Filter){.gpu = gpu});
    assert_int_equal(ids.n, 2);
    if (!store_delete(f->store, &ids, &f->diag)) fail_msg("%s", f->diag.text.v);
    vec_free(&ids);
}

// --- what can't be written -------------------------------------------------------------------------------------------
static int unread(void *table, int action, const char *of, const char *column, const char *database, const char *inner)
{
    (void)column, (void)database, (void)inner;
    return action == SQLITE_READ && !strcmp(of, table) ? SQLITE_DENY : SQLITE_OK;
}

// A table that can't be read is no empty one.
static void refused_table(void **state)
{
    Fixture *f = *state;
    Arena arena = {0};
    RunStructures all = {0};
    Diag d = {0};
    RunIds ids = selected(f, (Filter){.program = "atax"});
    sqlite3_set_authorizer(store_sqlite(f->store), unread, (void *)(uintptr_t) "structure");
    assert_false(store_structures(f->store, ids.v[0], &arena, &all, &d));
    sqlite3_set_authorizer(store_sqlite(f->store), NULL, NULL);
    assert_true(d.failed && all.n == 0);
    vec_free(&ids), vec_free(&all);
    diag_free(&d);
    arena_free(&arena);
}

static int refuse(void *table, int action, const char *of, const char *column, const char *database, const char *inner)
{
    (void)column, (void)database, (void)inner;
    return action == SQLITE_INSERT && !strcmp(of, table) ? SQLITE_DENY : SQLITE_OK;
}

// A row that the database refuses fails the run, whatever its table is, and nothing of the run is there then.
static void refused_rows(void **state)
{
    Fixture *f = *state;
    static const char *const tables[] = {"run", "setting", "kernel", "counter", "rate", "structure"};
    const Cell c = {.verb = "run", .program = "vectoradd", .gpu = "gtx480", .params = (const char *[]){"n=64", NULL}};
    for (size_t k = 0; k < COUNT(tables); k++) {
        sqlite3_set_authorizer(store_sqlite(f->store), refuse, (void *)(uintptr_t)tables[k]);
        Plan plan;
        Diag d = {0};
        Planner *planner = planner_open(NULL);
        assert_true(plan_cell(planner, &c, &plan, &d));
        if (plan_run(&plan, f->store, &d)) fail_msg("a run without its row in %s is taken", tables[k]);
        assert_true(d.failed);
        sqlite3_set_authorizer(store_sqlite(f->store), NULL, NULL);
        Stored found;
        assert_true(store_find(f->store, plan.id.key, &found, &f->diag));
        assert_int_equal(found, STORED_NOT);
        diag_free(&d);
        plan_free(&plan);
        planner_close(planner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_apart),   cmocka_unit_test(filters),       cmocka_unit_test(suites),
        cmocka_unit_test(refusals),     cmocka_unit_test(sums),          cmocka_unit_test(columns),
        cmocka_unit_test(refused_rows), cmocka_unit_test(refused_table), cmocka_unit_test(settings_by_name),
        cmocka_unit_test(deleting)};
    return cmocka_run_group_tests(tests, open_store, close_store);
}
