// Every workload at its small size with the software L1: each checks its own result.
#include "check.h"
#include "sl1/sl1.h"
#include "work/programs.h"

#include <onchip.h>
#include <stdio.h>
#include <string.h>

static const Sl1Options settings[] = {
    {.line = 16, .threshold = 300},
    {.line = 16, .threshold = 1, .per_warp = true},
    {.line = 8, .threshold = 7},
    {.line = 16, .threshold = 40},
    {.line = 16, .threshold = 10, .pairs = true},
    {.line = 16, .threshold = 7, .banks = true, .prefetch = true, .scattered = true, .per_warp = true},
};

// How many of its launches had a rewritten kernel; −1: the result is wrong.
static int run(const WorkloadEntry *e, const Sl1Options *o)
{
    oc_device *d;
    char message[1000];
    if (oc_open(&(oc_config){.gpu = "titan_black", .functional = true}, &d, message, sizeof message) != OC_OK)
        fail_msg("%s", message);
    SoftL1 *s = soft_l1_open(d, o);
    WorkResult result = {0};
    int rewritten = 0;
    bool right = workload_run(d, e, &(WorkOptions){.small = true}, &result);
    for (size_t k = 0; k < oc_launches(d); k++) rewritten += strstr(oc_launch_kernel(d, k), SL1_ALIAS) != NULL;
    if (!right)
        printf("%s/%s, line %u, threshold %u%s%s: %s\n", e->workload->suite, e->workload->name, o->line, o->threshold,
               o->per_warp ? ", decide warp" : "", o->banks ? ", layout banks" : "", result.error);
    work_result_free(&result);
    soft_l1_close(s);
    oc_close(d);
    return right ? rewritten : -1;
}

static void all(void **state)
{
    (void)state;
    int wrong = 0, rewritten = 0;
    for (size_t k = 0; k < workload_count; k++) {
        int most = 0;
        for (size_t s = 0; s < COUNT(settings); s++) {
            int n = run(&workload_table[k], &settings[s]);
            wrong += n < 0;
            if (n > most) most = n;
        }
        rewritten += most > 0;
    }
    printf("%d of %zu workloads have rewritten kernels\n", rewritten, workload_count);
    assert_int_equal(wrong, 0);
    assert_true((size_t)rewritten * 4 > workload_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
