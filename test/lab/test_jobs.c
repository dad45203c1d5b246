// A run's process that never begins is given up, and made once more. If that one doesn't begin either, the run has
// failed, with the reason.
#include "store/sql.h"
#include "sweep/wire.h"

#include "check.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int forked, begin_at;  // processes made so far, and which of them is the first to begin
static void count_fork(void) { forked++; }
static void in_child(void)
{
    while (forked < begin_at) pause();
}

// The run's error as it is stored, or "done".
static void outcome(int first_to_begin, Text *out)
{
    Planner *planner = planner_open(NULL);
    Plan plan;
    Diag diag = {0};
    const Cell cell = {.verb = "run",
                       .program = "vectoradd",
                       .gpu = "gtx480",
                       .params = (const char *const[]){"n=64", NULL},
                       .how = {.functional = true}};
    Job job, *jobs[] = {&job};
    Store *s = store_open(":memory:", &diag);
    if (!s || !plan_cell(planner, &cell, &plan, &diag)) fail_msg("%s", diag.text.v);
    forked = 0, begin_at = first_to_begin;
    if (!job_start(&job, &plan, &diag)) fail_msg("%s", diag.text.v);
    job.patience = 0.5;
    while (!job.over)
        if (!jobs_wait(jobs, 1, 10, &diag)) fail_msg("%s", diag.text.v);
    if (!store_absorb(s, job.result.v, job.result.n, NULL, &diag)) fail_msg("%s", diag.text.v);
    sqlite3_stmt *q;
    const char *sql = "SELECT ifnull(error, status) FROM run";
    assert_int_equal(sqlite3_prepare_v2(store_sqlite(s), sql, -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    text_put(out, (const char *)sqlite3_column_text(q, 0));
    assert_int_equal(sqlite3_step(q), SQLITE_DONE);
    sqlite3_finalize(q);
    job_kill(&job);
    plan_free(&plan);
    planner_close(planner);
    store_close(s);
}

static void given_up(void **state)
{
    (void)state;
    if (getenv("ONCHIP_SANITIZED")) skip();  // ThreadSanitizer's own thread takes processor time in a child that waits
    static const struct {
        int begin_at, made;
        const char *outcome;
    } cases[] = {{1, 1, "done"}, {2, 2, "done"}, {3, 2, "got no processor time"}};
    assert_int_equal(pthread_atfork(count_fork, NULL, in_child), 0);
    for (size_t k = 0; k < COUNT(cases); k++) {
        Text out = {0};
        outcome(cases[k].begin_at, &out);
        if (!strstr(out.v, cases[k].outcome)) fail_msg("case %zu: %s", k, out.v);
        assert_int_equal(forked, cases[k].made);
        text_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(given_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
