// The memory that a chip takes of the host: what is added up from its description is what malloc gives and what is
// mapped for it, for all descriptions that are shipped and some odd ones; without time a chip takes none, and a launch
// takes what it uses of it.
#include "bench.h"

#include "chip/unit.h"

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

// The first warp stores a line into each of n places, all sectors whole, so that nothing is fetched.
static const char stores[] = "mul.wide.u32 %rd0, %t, 4;\nadd.u64 %rd0, %rd0, %in;\nsetp.ge.u32 %p0, %g, 32;\n"
                             "setp.eq.or.u32 %p0, %n, 0, %p0;\n@%p0 bra DONE;\nmov.u32 %r0, 0;\nLOOP:\n"
                             "st.global.u32 [%rd0], %r0;\nadd.u64 %rd0, %rd0, 256;\nadd.u32 %r0, %r0, 1;\n"
                             "setp.lt.u32 %p1, %r0, %n;\n@%p1 bra LOOP;\nDONE:\n";
enum { EACH = 2 };  // places for each partition, among which the hash spreads them

// What the first launch takes. All of the chip is built for it: each SM has a block, and each partition a store.
static uint64_t taken(const char *gpu, const char *sets, bool functional, bool all, Needs *needs)
{
    Bench b;
    bench_open_config(&b, (oc_config){.functional = functional}, gpu, sets);
    *needs = chip_needs(b.gpu);
    const uint32_t places = all ? b.gpu->part.partitions * MAX(b.gpu->part.chunk / 256, 1u) * EACH : 0;
    oc_kernel *k = bench_load(&b, stores, "sm_35");
    if (places) bench_data(&b, NULL, places * 256);
    uint64_t before = given();
    const uint32_t sms = all ? b.gpu->sms : 1;
    const Record *r = bench_launch(&b, k, (Shape){sms, 32, 0}, places);
    uint64_t bytes = given() - before;
    if (!functional)  // the launch's own, which it asks for by itself: scoreboards of the blocks that fit an SM
        bytes -= (uint64_t)sms * MIN(r->occupancy_blocks, sms) * r->code->score_size * sizeof(uint64_t);
    bench_close(&b);
    return bytes;
}

static void check(const char *gpu, const char *sets)
{
    Needs needs;
    uint64_t bytes = taken(gpu, sets, false, true, &needs) - taken(gpu, sets, true, true, &needs);
    // Besides come what the blocks keep of the host, and what waits in queues.
    if ((double)needs.bytes < 0.95 * (double)bytes || (double)needs.bytes > 1.05 * (double)bytes)
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
    assert_true(taken("h200", NULL, true, true, &needs) < 1 << 20);
    assert_true(needs.bytes > 16 << 20);
}

static void what_is_used(void **state)
{
    (void)state;
    Needs needs;
    if (getenv("ONCHIP_SANITIZED")) skip();
    assert_true(taken("h200", NULL, false, false, &needs) < needs.bytes / 16);
}

static void names_the_key(void **state)
{
    (void)state;
    Needs needs;
    taken("gtx480", "l1.size=2MiB", true, true, &needs);
    assert_string_equal(needs.key, "l1.size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(none_without_time),
                                       cmocka_unit_test(what_is_used), cmocka_unit_test(names_the_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
