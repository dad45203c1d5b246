// Random kernels and every workload with the register files that the compiler fills: each read must find its value in
// the file that was chosen for it (registers.audit), and the results are as always. So they are with the instructions
// in another order (registers.reorder). In the short form every second workload is run, in one of these orders.
#include "check.h"
#include "equal.h"
#include "work/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const as_written[] = {"registers.hierarchy=strands", "registers.audit=yes", NULL};
static const char *const reordered[] = {"registers.hierarchy=strands", "registers.audit=yes", "registers.reorder=yes",
                                        NULL};
static const char *const values[] = {"registers.hierarchy=strands", "registers.audit=yes", "registers.values=yes",
                                     NULL};

static void random_kernels(void **state)
{
    (void)state;
    Tally t = {.out = stdout};
    const char *only = getenv("ONCHIP_SEED");
    bool all = getenv("ONCHIP_LONG");
    compare_with(only ? strtoull(only, NULL, 0) : 1, only ? 1 : all ? 75 : 12, as_written, &t);
    compare_with(only ? strtoull(only, NULL, 0) : 1, only ? 1 : all ? 25 : 6, reordered, &t);
    compare_with(only ? strtoull(only, NULL, 0) : 26, only ? 1 : all ? 25 : 6, values, &t);
    assert_int_equal(t.different, 0);
}

// Register files of several sizes.
static void two_thousand(void **state)
{
    (void)state;
    if (!getenv("ONCHIP_LONG")) skip();
    static const char *const orf[] = {"registers.orf=4", "registers.orf=1", "registers.orf=12", "registers.orf=0"};
    Tally t = {.out = stdout};
    for (uint32_t k = 0; k < 8; k++)
        compare_with(1000 + 250 * k, 250,
                     (const char *const[]){"registers.hierarchy=strands", "registers.audit=yes", orf[k % 4],
                                           k < 4 ? "registers.values=no" : "registers.values=yes", NULL},
                     &t);
    assert_int_equal(t.kernels, 2000);
    assert_int_equal(t.different, 0);
}

static bool run(const char *gpu, const char *const *sets, const WorkloadEntry *e)
{
    oc_device *d;
    char message[1000];
    if (oc_open(&(oc_config){.gpu = gpu, .sets = sets}, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    WorkResult result = {0};
    bool right = workload_run(d, e, &(WorkOptions){.small = true}, &result);
    // What asks for the shared memory of a later card has no room.
    const char *unfit = result.error ? strstr(result.error, "no block of this kernel fits an SM: shared memory") : NULL;
    if (unfit && !strcmp(e->workload->suite, "ai")) right = true;
    if (result.error && strstr(result.error, "the cluster's 2 blocks: there is room for 1")) right = true;  // on one SM
    if (!right) printf("%s/%s on %s: %s\n", e->workload->suite, e->workload->name, gpu, result.error);
    work_result_free(&result);
    oc_close(d);
    return right;
}

static void workloads(void **state)
{
    (void)state;
    int wrong = 0;
    bool all = getenv("ONCHIP_LONG");
    for (size_t k = 0; k < workload_count; k++) {
        if (all || k % 4 == 1) wrong += !run("sm32", as_written, &workload_table[k]);
        if (all || k % 4 == 3) wrong += !run("sm32", reordered, &workload_table[k]);
        if (k % (all ? 4 : 16) == 0) wrong += !run("h200", as_written, &workload_table[k]);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels), cmocka_unit_test(two_thousand),
                                       cmocka_unit_test(workloads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
