// The memory that a chip takes of the host: what is added up from its description is what malloc gives and what is
// mapped for it, for all descriptions that are shipped and some odd ones; and without time a chip takes none.
#include "bench.h"

#include "chip/chip.h"

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t given(void)
{
    struct mallinfo2 m = mallinfo2();
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_true(f && fscanf(f, "%llu", &pages) == 1);
    fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE) - m.arena + m.uordblks;  // all but what malloc holds and nobody has
}

// What the first launch of a block takes: the chip is built for it.
static uint64_t taken(const char *gpu, const char *sets, bool functional, Needs *needs)
{
    Bench b;
    bench_open_config(&b, (oc_config){.functional = functional}, gpu, sets);
    *needs = chip_needs(b.gpu);
    oc_kernel *k = bench_load(&b, "", "sm_35");
    uint64_t before = given();
    bench_launch(&b, k, (Shape){1, 32, 0}, 0);
    uint64_t bytes = given() - before;
    bench_close(&b);
    return bytes;
}

static void check(const char *gpu, const char *sets)
{
    Needs needs;
    uint64_t bytes = taken(gpu, sets, false, &needs) - taken(gpu, sets, true, &needs);
    if ((double)needs.bytes < 0.97 * (double)bytes || (double)needs.bytes > 1.05 * (double)bytes)
        fail_msg("%s %s: %llu bytes are added up, and %llu taken", gpu, sets ? sets : "",
                 (unsigned long long)needs.bytes, (unsigned long long)bytes);
}

static void sums(void **state)
{
    (void)state;
    if (getenv("ONCHIP_SANITIZED")) skip();  // they have a malloc of their own
    for (size_t k = 0; k < gpu_file_count; k++) check(gpu_files[k].name, NULL);
    check("gtx480", "l1.size=4MiB l2.size=12MiB");
    check("gtx480", "l1.private=yes");
    check("gtx480", "l2.size=0");
    check("gtx480", "l1.mshrs=4096 lsu.pending=4096 lsu.queue=256");
    check("h200", "gpu.sms=3 l2.mshrs=1024");
}

static void none_without_time(void **state)
{
    (void)state;
    Needs needs;
    if (getenv("ONCHIP_SANITIZED")) skip();
    assert_true(taken("h200", NULL, true, &needs) < 1 << 20);
    assert_true(needs.bytes > 16 << 20);
}

static void names_the_key(void **state)
{
    (void)state;
    Needs needs;
    taken("gtx480", "l1.size=2MiB", true, &needs);
    assert_string_equal(needs.key, "l1.size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(none_without_time),
                                       cmocka_unit_test(names_the_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
