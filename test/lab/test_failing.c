// Each request for memory whose size the user chooses may fail (base.h): mem_try and its kind. A scenario runs again
// and again, with the first of its requests failing, then the second, until none is left that fails. Each time it must
// end with an error that says something, or as if nothing had failed, where the memory was only to save time; nothing
// that was there before is lost; and what is tried again on the same device works. Under AddressSanitizer a leak fails,
// too.
//
// wrap: mem_try mem_try_resize mem_map mem_room mem_maps
#include "serve/serve.h"
#include "store/sql.h"
#include "sweep/unit.h"

#include "check.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// --- requests that fail ----------------------------------------------------------------------------------------------
static struct {
    size_t made, fails;  // requests since arm; which of them fails, from 1 on; 0: none
    bool failed;
} requests;

static void arm(size_t n) { requests.made = 0, requests.fails = n, requests.failed = false; }
static bool refused(void)
{
    const bool yes = ++requests.made == requests.fails;
    requests.failed |= yes;
    return yes;
}

void *__real_mem_try(size_t n, size_t bytes);
void *__real_mem_try_resize(void *old, size_t bytes);
void *__real_mem_map(size_t n, size_t bytes);
bool __real_mem_room(uint64_t bytes);
bool __real_mem_maps(uint64_t bytes);
void *__wrap_mem_try(size_t n, size_t bytes) { return refused() ? NULL : __real_mem_try(n, bytes); }
void *__wrap_mem_try_resize(void *old, size_t bytes) { return refused() ? NULL : __real_mem_try_resize(old, bytes); }
void *__wrap_mem_map(size_t n, size_t bytes) { return refused() ? NULL : __real_mem_map(n, bytes); }
bool __wrap_mem_room(uint64_t bytes) { return !refused() && __real_mem_room(bytes); }
bool __wrap_mem_maps(uint64_t bytes) { return !refused() && __real_mem_maps(bytes); }

static char last[500];  // the last error
static bool said(const char *text)
{
    if (!text || !*text) fail_msg("an error without a word");
    snprintf(last, sizeof last, "%s", text);
    return true;
}

// Files that this process has open; of a store, its connection has some until nothing uses it any more.
static int open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;
    assert_non_null(d);
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

// Runs a scenario until none of its requests fails any more; of many requests only each step-th does. It returns
// whether it has met an error.
static void each_request(const char *what, size_t step, bool (*scenario)(const void *of), const void *of)
{
    const double start = seconds_now();
    const int files = open_files();
    size_t errors = 0, n = 1;
    for (;; n += step) {
        arm(n);
        const bool error = scenario(of);
        const bool failed = requests.failed;
        arm(0);
        if (open_files() != files) fail_msg("%s: request %zu leaves a file open: %s", what, n, last);
        if (error && !failed) fail_msg("%s: no request failed, but: %s", what, last);
        errors += error;
        if (!failed) break;
    }
    print_message("%s: %zu requests, %zu of them with an error, %.1f s\n", what, n - 1, errors, seconds_now() - start);
    if (n < 2) fail_msg("%s: nothing was asked for", what);
}

// --- a device and its launches ---------------------------------------------------------------------------------------
// y[i] = 3 x[i] + table[i % 4] through local and shared memory.
static const char ptx[] =
    ".version 7.0\n.target sm_35\n.address_size 64\n"
    ".const .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
    ".visible .entry work(.param .u64 x, .param .u64 y)\n{\n"
    ".reg .b32 %r<12>; .reg .b64 %d<12>; .reg .pred %p;\n"
    ".local .align 4 .b8 room[512]; .shared .align 4 .b8 tile[256];\n"
    "ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;\n"
    "mul.wide.u32 %d3, %r3, 4; add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;\n"
    "ld.global.u32 %r4, [%d1];\n"
    "mul.lo.u32 %r5, %r1, 4; mov.u32 %r6, tile; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r4;\n"
    "bar.sync 0; ld.shared.u32 %r4, [%r6];\n"
    "and.b32 %r7, %r1, 127; mul.wide.u32 %d4, %r7, 4; mov.u64 %d5, room; add.u64 %d5, %d5, %d4;\n"
    "mul.lo.u32 %r4, %r4, 3; st.local.u32 [%d5], %r4; ld.local.u32 %r4, [%d5];\n"
    "and.b32 %r8, %r3, 3; mul.wide.u32 %d6, %r8, 4; mov.u64 %d7, table; add.u64 %d7, %d7, %d6;\n"
    "ld.const.u32 %r9, [%d7]; add.u32 %r4, %r4, %r9; st.global.u32 [%d2], %r4;\n"
    "ret;\n}\n";
enum { N = 256, BLOCKS = N / 64 };

typedef struct Opening {
    const char *gpu;
    const char *sets[6];
    bool functional, why, check;
    uint64_t interval;
    int launches;
} Opening;

static oc_device *opened(const Opening *s, char message[500])
{
    oc_device *d;
    const oc_config config = {.gpu = s->gpu,
                              .sets = s->sets,
                              .functional = s->functional,
                              .why = s->why,
                              .check = s->check,
                              .interval = s->interval};
    *message = 0;
    return oc_open(&config, &d, message, 500) == OC_OK ? d : NULL;
}

typedef struct Made {
    oc_module *module;
    oc_kernel *kernel;
    oc_ptr x, y;
} Made;

static bool make(oc_device *d, Made *m)
{
    uint32_t x[N];
    for (uint32_t k = 0; k < N; k++) x[k] = 7 * k;
    return oc_load(d, ptx, sizeof ptx - 1, "work.ptx", &m->module) == OC_OK &&
           oc_kernel_get(m->module, "work", &m->kernel) == OC_OK && oc_malloc(d, sizeof x, "x", &m->x) == OC_OK &&
           oc_malloc(d, sizeof x, "y", &m->y) == OC_OK && oc_write(d, m->x, x, sizeof x, NULL) == OC_OK;
}

static bool launch(const Made *m)
{
    const void *const args[] = {&m->x, &m->y};
    return oc_launch(m->kernel, (oc_dim3){BLOCKS, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args) == OC_OK;
}

// Both arrays are as they must be after a launch.
static void look(oc_device *d, const Made *m)
{
    uint32_t x[N], y[N];
    arm(0);
    assert_int_equal(oc_read(d, x, m->x, sizeof x, NULL), OC_OK);
    assert_int_equal(oc_read(d, y, m->y, sizeof y, NULL), OC_OK);
    for (uint32_t k = 0; k < N; k++)
        if (x[k] != 7 * k || y[k] != 21 * k + 1 + k % 4) fail_msg("x[%u] is %u, y %u", k, x[k], y[k]);
}

static bool device_scenario(const void *of)
{
    const Opening *s = of;
    char message[500];
    Made m = {0};
    oc_device *d = opened(s, message);
    if (!d) return said(message);
    bool error = !make(d, &m);
    for (int k = 0; k < s->launches && !error; k++) error = !launch(&m);
    if (error) {  // the same again, on the same device
        said(oc_error(d));
        const size_t before = oc_launches(d);
        const bool failed = requests.failed, first = !m.y;
        arm(0);
        if (first && !make(d, &m)) fail_msg("the second time: %s", oc_error(d));
        if (!launch(&m)) fail_msg("the second time: %s", oc_error(d));
        assert_true(oc_launches(d) > before);
        look(d, &m);
        requests.failed = failed;
    } else {
        const bool failed = requests.failed;
        look(d, &m);
        requests.failed = failed;
    }
    oc_close(d);
    return error;
}

static void devices(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        Opening setup;
    } all[] = {
        {"timed", {.gpu = "gtx480", .sets = {"gpu.slice=3"}, .launches = 2}},
        {"executed", {.gpu = "h200", .functional = true, .launches = 2}},
        {"why", {.gpu = "gtx480", .sets = {"gpu.slice=3"}, .why = true, .interval = 100, .launches = 1}},
        {"checked", {.gpu = "gtx480", .sets = {"gpu.slice=3"}, .check = true, .launches = 1}},
        {"with a policy", {.gpu = "gtx480", .sets = {"gpu.slice=3", "sched.policy=ciao-c"}, .launches = 1}},
        {"a newer one", {.gpu = "a100", .sets = {"gpu.slice=4"}, .launches = 1}},
    };
    for (size_t k = 0; k < COUNT(all); k++) each_request(all[k].what, 1, device_scenario, &all[k].setup);
}

// --- a sweep's cell --------------------------------------------------------------------------------------------------
static sqlite3_int64 one_number(Store *s, const char *sql)
{
    sqlite3_stmt *q;
    if (sqlite3_prepare_v2(store_sqlite(s), sql, -1, &q, NULL) || sqlite3_step(q) != SQLITE_ROW) fail_msg("%s", sql);
    const sqlite3_int64 n = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return n;
}

static const char *one_text(Store *s, const char *sql)
{
    static char text[500];
    sqlite3_stmt *q;
    if (sqlite3_prepare_v2(store_sqlite(s), sql, -1, &q, NULL) || sqlite3_step(q) != SQLITE_ROW) fail_msg("%s", sql);
    snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return text;
}

// What failed is stored as failed, with its reason; the run that was there before stays.
static bool cell_scenario(const void *of)
{
    const Cell *cell = of;
    Planner *planner = planner_open(NULL);
    Plan plan, other;
    Diag diag = {0};
    bool error = false;
    Store *s = store_open(":memory:", &diag);
    const Cell before = {.verb = "run",
                         .program = "vectoradd",
                         .gpu = "gtx480",
                         .params = (const char *const[]){"n=32", NULL},
                         .how = {.functional = true}};
    const size_t fails = requests.fails;
    arm(0);
    if (!s || !plan_cell(planner, &before, &other, &diag) || !plan_run(&other, s, &diag)) fail_msg("%s", diag.text.v);
    arm(fails);
    if (!plan_cell(planner, cell, &plan, &diag) || !plan_run(&plan, s, &diag))
        error = said(diag.text.v);
    else if (one_number(s, "SELECT count(*) FROM run WHERE error IS NOT NULL"))
        error = said(one_text(s, "SELECT error FROM run WHERE error IS NOT NULL"));
    assert_int_equal(one_number(s, "SELECT count(*) FROM run WHERE error IS NULL"), error ? 1 : 2);
    diag_free(&diag);
    plan_free(&plan), plan_free(&other);
    planner_close(planner);
    store_close(s);
    return error;
}

static void cells(void **state)
{
    (void)state;
    const char *const sets[] = {"gpu.sms=3", NULL};
    const Cell workload = {.verb = "run",
                           .program = "vectoradd",
                           .gpu = "gtx480",
                           .sets = sets,
                           .params = (const char *const[]){"n=256", NULL},
                           .how = {.why = true, .lines = true}};
    each_request("a workload's cell", 1, cell_scenario, &workload);
    char path[] = "/tmp/onchip-failing-XXXXXX.ptx";
    const int fd = mkstemps(path, 4);
    assert_true(fd >= 0 && write(fd, ptx, sizeof ptx - 1) == (ssize_t)sizeof ptx - 1 && !close(fd));
    const Cell file = {.verb = "run",
                       .program = path,
                       .gpu = "gtx480",
                       .sets = sets,
                       .params = (const char *const[]){"grid=4", "block=64", "args=buf:1024:iota:u32 buf:1024", NULL}};
    each_request("a PTX file's cell", 1, cell_scenario, &file);
    unlink(path);
}

// --- the store: SQLite's own requests --------------------------------------------------------------------------------
static sqlite3_mem_methods plain;
static void *some(int n) { return refused() ? NULL : plain.xMalloc(n); }
static void *other(void *old, int n) { return refused() ? NULL : plain.xRealloc(old, n); }

static bool store_scenario(const void *of)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%zu.db", (const char *)of, requests.fails);
    Diag diag = {0};
    Identity id = {.verb = "run", .program = "p", .params = "n=1", .gpu = "gtx480", .overrides = "", .options = ""};
    Findings found = {.names = {0}};
    const size_t fails = requests.fails;
    memset(id.key, 'a', KEY_DIGITS);
    arm(0);
    Store *s = store_open(path, &diag);
    findings_put(&found, "first.value", "", 7);
    const RunOutcome outcome = {.findings = &found, .wall_seconds = 1};
    if (!s || !store_put(s, &id, &outcome, &diag)) fail_msg("%s", diag.text.v);
    store_close(s);
    arm(fails);

    // As a sweep does: a process puts a run into a store in memory, whose bytes another process's store absorbs.
    Stored there = STORED_NOT;
    MergeCount count = {0};
    size_t size = 0;
    memset(id.key, 'b', KEY_DIGITS);
    Store *made = store_open(":memory:", &diag);
    bool ok = made && store_put(made, &id, &outcome, &diag);
    void *bytes = ok ? store_bytes(made, &size) : NULL;
    if (ok && !bytes) ok = diag_error(&diag, "no memory");
    s = ok ? store_open(path, &diag) : NULL;
    ok = s && store_absorb(s, bytes, size, &count, &diag) && store_find(s, id.key, &there, &diag);
    if (ok) assert_int_equal(there, STORED_DONE);
    if (!ok) said(diag.text.v);
    mem_free(bytes);
    store_close(made);
    store_close(s);
    diag_free(&diag);

    // Whatever happened, the store is whole, and has the run that it had.
    const bool failed = requests.failed;
    arm(0);
    memset(id.key, 'a', KEY_DIGITS);
    s = store_read(path, &diag);
    if (!s || !store_find(s, id.key, &there, &diag)) fail_msg("%s", diag.text.v);
    assert_int_equal(there, STORED_DONE);
    if (ok) assert_int_equal(one_number(s, "SELECT count(*) FROM run"), 2);
    store_close(s);
    unlink(path);
    findings_free(&found);
    diag_free(&diag);
    requests.failed = failed;
    return !ok;
}

static void stores(void **state)
{
    (void)state;
    char folder[] = "/dev/shm/onchip-failing-XXXXXX";
    if (!mkdtemp(folder)) strcpy(folder, "/tmp/onchip-failing-XXXXXX"), assert_non_null(mkdtemp(folder));
    sqlite3_shutdown();
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain), SQLITE_OK);
    sqlite3_mem_methods ours = plain;
    ours.xMalloc = some, ours.xRealloc = other;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &ours), SQLITE_OK);
    each_request("a store", getenv("ONCHIP_LONG") ? 1 : 61, store_scenario, folder);
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_MALLOC, &plain);
    assert_int_equal(rmdir(folder), 0);
}

// --- a program's server ----------------------------------------------------------------------------------------------
static void keep_text(void *user, const char *text, size_t length) { text_add(user, text, length); }
static void tell(void *user, const char *line) { (void)user, (void)line; }

// The program itself tells an error that it got, and ends with another status then; or it isn't started.
static bool server_scenario(const void *of)
{
    const char *const words[] = {of, NULL};
    Text printed = {0};
    Diag why = {0};
    const char *sets[] = {"gpu.slice=3", NULL};
    const oc_config config = {.gpu = "gtx480", .sets = sets, .print = keep_text, .user = &printed};
    FILE *written = tmpfile();
    Served served = {0};
    oc_device *d;
    char message[500] = "";
    bool error = true;
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) {
        said(message);
    } else {
        const ServeOptions o = {.words = words, .output = fileno(written), .keep = 64, .tell = tell};
        const bool ran = serve(d, &o, &printed, &served, &why);
        if (!ran) said(why.text.v);
        if (ran && WIFSIGNALED(served.status)) fail_msg("%s was ended by signal %d", words[0], WTERMSIG(served.status));
        error = !ran || WEXITSTATUS(served.status);
        if (ran && error) said("the program's status");
        oc_close(d);
    }
    fclose(written);
    text_free(&printed), diag_free(&why);
    return error;
}

static void servers(void **state)
{
    (void)state;
    if (getenv("ONCHIP_SANITIZED")) skip();  // a program would need the sanitizer, too, for libcudart
    // The library that a program finds lies beside the executable, or so it seems.
    char beside[500], library[500];
    const ssize_t n = readlink("/proc/self/exe", beside, sizeof beside - 10);
    assert_true(n > 0);
    beside[n] = 0;
    strcpy(strrchr(beside, '/'), "/cuda");
    snprintf(library, sizeof library, "%s/cuda", getenv("ONCHIP_BUILD"));
    unlink(beside);
    assert_int_equal(symlink(library, beside), 0);
    each_request("a program's server", 1, server_scenario, "test/programs/bin/fills");
    each_request("a program's server", 1, server_scenario, "test/programs/bin/rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(devices), cmocka_unit_test(cells), cmocka_unit_test(stores),
                                       cmocka_unit_test(servers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
