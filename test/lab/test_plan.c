// A cell is read once: what its key was made of is what runs, whatever happens to its files in between.
#include "store/sql.h"
#include "sweep/unit.h"

#include "check.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD ".version 7.0\n.target sm_35\n.address_size 64\n.visible .entry k()\n{\n"

static void new_file(char *path, int ending)
{
    int fd = mkstemps(path, ending);
    assert_true(fd >= 0);
    close(fd);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_true(f && fwrite(text, 1, strlen(text), f) == strlen(text) && !fclose(f));
}

// Plans the cell, does away with the file, runs it; the instructions that the store has of it then, or −1 and why.
static int64_t instructions_of(const Cell *c, const char *path, const char *after, Text *why)
{
    Planner *planner = planner_open(NULL);
    Plan plan;
    Diag diag = {0};
    Store *s = store_open(":memory:", &diag);
    if (!s || !plan_cell(planner, c, &plan, &diag)) fail_msg("%s", diag.text.v);
    if (after)
        write_text(path, after);
    else
        unlink(path);
    if (!plan_run(&plan, s, &diag)) fail_msg("%s", diag.text.v);
    sqlite3_stmt *q;
    assert_int_equal(
        sqlite3_prepare_v2(store_sqlite(s), "SELECT warp_instructions, error FROM run WHERE key = ?", -1, &q, NULL),
        SQLITE_OK);
    sqlite3_bind_text(q, 1, plan.id.key, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(q, 0);
    const char *error = (const char *)sqlite3_column_text(q, 1);
    if (error) n = -1, text_put(why, error);
    sqlite3_finalize(q);
    plan_free(&plan);
    planner_close(planner);
    store_close(s);
    return n;
}

#define LIST(...) \
    (const char *const[]) { __VA_ARGS__, NULL }

// One warp of one block, two instructions.
static void kernels(void **state)
{
    (void)state;
    char path[] = "/tmp/onchip-plan-XXXXXX.ptx";
    const char *two = HEAD "bar.sync 0;\nret;\n}\n";
    const Cell c = {
        .verb = "run", .program = path, .gpu = "gtx480", .params = LIST("block=32"), .how = {.no_lowering = true}};
    new_file(path, 4);
    const char *const afters[] = {HEAD "bar.sync 0;\nbar.sync 0;\nret;\n}\n", "no PTX at all", NULL};
    for (size_t k = 0; k < COUNT(afters); k++) {
        Text why = {0};
        write_text(path, two);
        int64_t n = instructions_of(&c, path, afters[k], &why);
        if (n != 2) fail_msg("after %s: %lld instructions: %s", afters[k], (long long)n, why.v ? why.v : "done");
    }
    unlink(path);
}

// As many instructions as the same device code has when it is the built-in one.
static void workloads(void **state)
{
    (void)state;
    const WorkloadEntry *e = workload_find("vectoradd");
    char path[] = "/tmp/onchip-plan-XXXXXX.ptx";
    new_file(path, 4);
    Text why = {0};
    Cell c = {.verb = "run", .program = "vectoradd", .gpu = "gtx480", .params = LIST("n=320"), .how = {.ptx = path}};
    write_text(path, e->ptx);
    int64_t n = instructions_of(&c, path, NULL, &why);
    c.how.ptx = NULL;
    if (n != instructions_of(&c, path, NULL, &why)) fail_msg("%s", why.v ? why.v : "other instructions");
}

static void descriptions(void **state)
{
    (void)state;
    char path[] = "/tmp/onchip-plan-XXXXXX.ini";
    const char *good = "[gpu]\nbase = gtx480\n";
    const char *const afters[] = {"[gpu]\nsms = no number\n", NULL};
    const Cell run = {.verb = "run", .program = "vectoradd", .gpu = path, .params = LIST("n=320")},
               probe = {.verb = "probe", .program = "ops", .gpu = path};
    new_file(path, 4);
    for (size_t k = 0; k < COUNT(afters); k++) {
        Text why = {0};
        write_text(path, good);
        if (instructions_of(&run, path, afters[k], &why) <= 0) fail_msg("%s", why.v);
        write_text(path, good);
        if (instructions_of(&probe, path, afters[k], &why) <= 0) fail_msg("%s", why.v);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels), cmocka_unit_test(workloads),
                                       cmocka_unit_test(descriptions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
