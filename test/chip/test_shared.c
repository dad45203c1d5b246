// Shared memory: the latency of an access of n passes, the described cost of conflicts, a pass a cycle.
#include "bench.h"

#include <string.h>

#define ODD "test/chip/gpus/odd.ini"

// Every lane of a warp reads its own word, which holds the word's address, again and again. Words lie `stride` words
// of `bytes` apart.
static const Record *read_again(Bench *b, uint32_t stride, uint32_t bytes, uint32_t steps, uint32_t warps)
{
    Text t = {0};
    text_printf(&t,
                "mov.u32 %%r2, smem;\nand.b32 %%r3, %%t, 31;\nmad.lo.u32 %%r1, %%r3, %u, %%r2;\nst.shared.u32 [%%r1], "
                "%%r1;\nbar.sync 0;\n",
                stride * bytes);
    repeat(&t, steps, 1,
           bytes == 4   ? "ld.shared.u32 %r1, [%r1];"
           : bytes == 8 ? "ld.shared.v2.u32 {%r1, %r4}, [%r1];"
                        : "ld.shared.v4.u32 {%r1, %r4, %r5, %r6}, [%r1];");
    text_put(&t, "st.global.u32 [%out], %r1;");
    const Record *r = bench_run(b, t.v, (Shape){.block = warps * 32, .shared = 32768}, 0);
    text_free(&t);
    return r;
}

static void assert_read(const char *gpu, const char *sets, uint32_t stride, uint32_t bytes, uint32_t passes,
                        uint64_t cycles)
{
    Bench b;
    bench_open(&b, gpu, sets);
    const Record *r = read_again(&b, stride, bytes, 10, 1);
    uint64_t a = CYCLES(r), pa = COUNT_OF(r, SHARED_PASSES), ca = COUNT_OF(r, SHARED_CONFLICTS);
    r = read_again(&b, stride, bytes, 40, 1);
    if (CYCLES(r) - a != 30 * cycles)
        fail_msg("%s %s, stride %u of %u bytes: %g cycles, described %llu", gpu, sets ? sets : "", stride, bytes,
                 (double)(CYCLES(r) - a) / 30, (unsigned long long)cycles);
    assert_int_equal(COUNT_OF(r, SHARED_PASSES) - pa, 30 * passes);
    assert_int_equal(COUNT_OF(r, SHARED_CONFLICTS) - ca, 30 * (passes - 1));
    assert_int_equal(COUNT_OF(r, LD_SHARED), 40);
    assert_int_equal(COUNT_OF(r, ST_SHARED), 1);
    bench_close(&b);
}

static void latency_of_conflicts(void **state)
{
    (void)state;
    static const uint32_t ways[][2] = {{0, 1},   {1, 1},  {2, 2},   {3, 1},  {4, 4},   {6, 2},  {8, 8},
                                       {16, 16}, {31, 1}, {32, 32}, {33, 1}, {48, 16}, {64, 32}};
    for (size_t k = 0; k < COUNT(ways); k++) {
        uint32_t passes = ways[k][1];
        assert_read(ODD, NULL, ways[k][0], 4, passes, 29 + 3 * (passes - 1));
        assert_read(ODD, "shared.conflict=0", ways[k][0], 4, passes, MAX(29u, passes));
        assert_read("gtx480", NULL, ways[k][0], 4, passes, 32 + (passes - 1));
    }
    assert_read(ODD, NULL, 1, 8, 2, 29 + 3);   // 64 bits: two half warps
    assert_read(ODD, NULL, 1, 16, 4, 29 + 9);  // 128: four quarters
    assert_read(ODD, NULL, 2, 8, 4, 29 + 9);
}

// Lanes in runs, as the rows of narrow blocks are: `apart` bytes from run to run, stride bytes from lane to lane.
static uint64_t passes_of_runs(uint32_t run, uint32_t apart, uint32_t stride, uint32_t bytes)
{
    uint64_t passes[2];
    for (uint32_t more = 0; more < 2; more++) {
        Bench b;
        Text t = {0};
        bench_open(&b, "gtx480", NULL);
        text_printf(&t,
                    "mov.u32 %%r2, smem;\nand.b32 %%r3, %%t, %u;\nmad.lo.u32 %%r1, %%r3, %u, %%r2;\n"
                    "div.u32 %%r3, %%t, %u;\nmad.lo.u32 %%r1, %%r3, %u, %%r1;\n",
                    run - 1, stride, run, apart);
        repeat(&t, 10 + 10 * more, 1,
               bytes == 4   ? "ld.shared.u32 %r4, [%r1];"
               : bytes == 8 ? "ld.shared.v2.u32 {%r4, %r5}, [%r1];"
                            : "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1];");
        text_put(&t, "st.global.u32 [%out], %r4;");
        passes[more] = COUNT_OF(bench_run(&b, t.v, (Shape){.block = 32, .shared = 32768}, 0), SHARED_PASSES);
        text_free(&t);
        bench_close(&b);
    }
    return (passes[1] - passes[0]) / 10;
}

// Programming guide, capability 2.0: halves of the warp pass one after the other where words have 64 bits, quarters
// where they have 128; lanes that pass together wait for others on their banks, whose run they may not be of.
static void runs(void **state)
{
    (void)state;
    assert_int_equal(passes_of_runs(16, 4, 8, 4), 1);       // on even banks, and on odd ones
    assert_int_equal(passes_of_runs(16, 256, 8, 4), 2);     // on the same ones
    assert_int_equal(passes_of_runs(16, 1024, 8, 8), 2);    // a half is a run
    assert_int_equal(passes_of_runs(16, 1024, 16, 8), 4);   // of two ways
    assert_int_equal(passes_of_runs(8, 1024, 16, 16), 4);   // a quarter is
    assert_int_equal(passes_of_runs(16, 1024, 16, 16), 4);  // or half of one
    assert_int_equal(passes_of_runs(8, 128, 8, 8), 4);      // two runs of a half meet on 16 banks
    assert_int_equal(passes_of_runs(8, 64, 8, 8), 2);       // or share none
}

// mei §V-C: Fermi's 50, 88 and 1210 cycles without, with 2 and with 32 ways are 37.4 for each way beyond the first.
static void as_mei_measured(void **state)
{
    (void)state;
    static const char sets[] = "shared.latency=50 shared.conflict=37.4";
    assert_read(ODD, sets, 1, 4, 1, 50);
    assert_read(ODD, sets, 2, 4, 2, 87);      // 87.4
    assert_read(ODD, sets, 32, 4, 32, 1209);  // 1209.4
}

// mei Fig. 7: Kepler, strides 2, 4 and 6, in both modes.
static void kepler(void **state)
{
    (void)state;
    assert_read("titan_black", NULL, 1, 4, 1, 80);
    assert_read("titan_black", NULL, 2, 4, 1, 80);
    assert_read("titan_black", NULL, 4, 4, 2, 81);
    assert_read("titan_black", NULL, 6, 4, 2, 81);
    assert_read("titan_black", "shared.mode=8", 2, 4, 1, 80);
    assert_read("titan_black", "shared.mode=8", 4, 4, 2, 81);
    assert_read("titan_black", "shared.mode=8", 6, 4, 1, 80);
    assert_read("titan_black", NULL, 1, 8, 1, 80);
    assert_read("titan_black", NULL, 1, 16, 2, 81);
}

// Accesses of many warps: a pass a cycle.
static void throughput(void **state)
{
    (void)state;
    for (uint32_t stride = 1; stride <= 32; stride *= 2) {
        Bench b;
        bench_open(&b, ODD, "shared.conflict=0");
        uint64_t a = CYCLES(read_again(&b, stride, 4, 20, 32)), c = CYCLES(read_again(&b, stride, 4, 60, 32));
        assert_within((double)(c - a), 32.0 * 40 * stride, 0.01, "cycles of shared memory");
        bench_close(&b);
    }
}

static void atomics(void **state)
{
    (void)state;
    static const struct {
        const char *address;
        uint32_t passes;
    } of[] = {{"mov.u32 %r1, smem;", 32},
              {"mov.u32 %r1, smem;\nmad.lo.u32 %r1, %t, 4, %r1;", 1},
              {"mov.u32 %r1, smem;\nand.b32 %r2, %t, 7;\nmad.lo.u32 %r1, %r2, 4, %r1;", 4}};
    for (size_t k = 0; k < COUNT(of); k++) {
        Bench b;
        bench_open(&b, ODD, NULL);
        uint64_t cycles[2], passes[2];
        for (int l = 0; l < 2; l++) {
            Text t = {0};
            text_printf(&t, "%s\n", of[k].address);
            repeat(&t, l ? 30 : 10, 1, "atom.shared.add.u32 %r3, [%r1], %n;\nadd.u32 %r4, %r4, %r3;");
            text_put(&t, "st.global.u32 [%out], %r4;");
            const Record *r = bench_run(&b, t.v, (Shape){.shared = 1024}, 1);
            cycles[l] = CYCLES(r), passes[l] = COUNT_OF(r, SHARED_PASSES);
            assert_int_equal(COUNT_OF(r, AT_SHARED), l ? 30 : 10);
            text_free(&t);
        }
        assert_int_equal(passes[1] - passes[0], 20 * of[k].passes);
        uint64_t each =
            29 + 3 * (of[k].passes - 1);  // the addition waits for the atomic, the next atomic doesn't for it
        assert_in_range(cycles[1] - cycles[0], 20 * each, 20 * (each + 1));
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_of_conflicts), cmocka_unit_test(runs),
        cmocka_unit_test(as_mei_measured),      cmocka_unit_test(kepler),
        cmocka_unit_test(throughput),           cmocka_unit_test(atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
