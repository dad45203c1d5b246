// How long products of matrices take: the latency of one that waits for the one before, and the rate of many warps'.
// What is expected is worked out here from the descriptions' numbers: multiply-adds of the shape over those a cycle of
// a scheduler's unit, a fourth of an SM's.
#include "bench.h"

#include <string.h>

typedef struct Case {
    const char *gpu, *sets, *inst;
    uint32_t latency, busy;
} Case;

#define SUM4 "{%f0, %f1, %f2, %f3}"
#define INT4 "{%r10, %r11, %r12, %r13}"
#define K16(types) "mma.sync.aligned.m16n8k16.row.col." types
static const char f32_k16[] = K16("f32.f16.f16.f32 ") SUM4 ", {%r0, %r1, %r2, %r3}, {%r4, %r5}, " SUM4 ";",
                  f16_k16[] = K16("f16.f16.f16.f16 ") "{%r10, %r11}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r10, %r11};",
                  f32_k8[] = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " SUM4 ", {%r0, %r1}, {%r4}, " SUM4 ";",
                  tf32_k8[] = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " SUM4
                              ", {%r0, %r1, %r2, %r3}, {%r4, %r5}, " SUM4 ";",
                  s8_k32[] = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " INT4
                             ", {%r0, %r1, %r2, %r3}, {%r4, %r5}, " INT4 ";",
                  b1_k256[] = "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc " INT4
                              ", {%r0, %r1, %r2, %r3}, {%r4, %r5}, " INT4 ";",
                  f64_k4[] = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d1}, {%d2}, {%d3}, {%d0, %d1};",
                  sparse_k32[] = "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 " SUM4
                                 ", {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, " SUM4 ", %r8, 0;",
                  wmma_k16[] =
                      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
                      "{%r0, %r1, %r2, %r3, %r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7, %r4, %r5, %r6, %r7}, "
                      "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};";

static const Case cases[] = {
    {"a100", NULL, f32_k16, 18 + 7, 2048 / 256},
    {"a100", NULL, f16_k16, 18 + 7, 2048 / 256},
    {"a100", NULL, f32_k8, 18, 1024 / 256},
    {"a100", NULL, tf32_k8, 18 + 7, 1024 / 128},
    {"a100", NULL, s8_k32, 18 + 7, 4096 / 512},
    {"a100", NULL, b1_k256, 18 + 7, 32768 / 4096},
    {"a100", NULL, f64_k4, 18 + 7, 256 / 16},
    {"a100", NULL, sparse_k32, 18 + 7, 4096 / 512},
    {"a100", NULL, wmma_k16, 18 + 7, 4096 / 256},
    {"a100", "tensor.rate=1000 latency.tensor=30 tensor.step=0", f32_k16, 30, 9},  // 8.192, in whole cycles
    {"a100", "latency.tensor=3 tensor.step=0", f32_k16, 8 + 1, 8},                 // not before the unit is free
    {"a100", "sm.schedulers=2", f32_k16, 25, 2048 / 512},
    {"rtx3080", NULL, f32_k16, 33, 2048 / 64},
    {"rtx3080", NULL, f16_k16, 18 + 7, 2048 / 128},
    {"rtx3080", NULL, tf32_k8, 33, 1024 / 32},
    {"gtx1650", NULL, f32_k8, 4 + 64, 1024 / 32 * 2},  // no unit: 32 lanes, each other cycle
};

static uint64_t growth(const Case *c, uint32_t warps, uint32_t few, uint32_t more)
{
    uint64_t cycles[2];
    for (int l = 0; l < 2; l++) {
        Bench b;
        Text t = {0};
        char sets[200];
        snprintf(sets, sizeof sets, "sched.policy=lrr %s", c->sets ? c->sets : "");  // no warp falls behind
        bench_open(&b, c->gpu, sets);
        for (int k = 0; k < 16; k++) text_printf(&t, "add.u32 %%r%d, %%t, %d;\n", k, k);
        for (int k = 0; k < 8; k++) text_printf(&t, "mov.f32 %%f%d, 0f00000000;\n", k);
        for (int k = 0; k < 4; k++) text_printf(&t, "mov.f64 %%d%d, 0d0000000000000000;\n", k);
        repeat(&t, l ? more : few, 1, c->inst);
        for (int k = 0; k < 8; k++) text_printf(&t, "st.global.f32 [%%out+%d], %%f%d;\n", 4 * k, k);
        for (int k = 10; k < 14; k++) text_printf(&t, "st.global.u32 [%%out+%d], %%r%d;\n", 64 + 4 * k, k);
        text_put(&t, "st.global.f64 [%out+256], %d0;\nst.global.f64 [%out+264], %d1;\n");
        const Record *r = bench_launch(&b, bench_load(&b, t.v, "sm_80"), (Shape){.block = 32 * warps}, 3);
        cycles[l] = CYCLES(r);
        text_free(&t);
        bench_close(&b);
    }
    return cycles[1] - cycles[0];
}

static void latencies(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        const Case *c = &cases[k];
        uint64_t got = growth(c, 1, 10, 30);
        if (got != 20 * c->latency)
            fail_msg("%s %s: %s\n%g cycles each, not %u", c->gpu, c->sets ? c->sets : "", c->inst, (double)got / 20,
                     c->latency);
    }
}

static void throughputs(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        const Case *c = &cases[k];
        const uint32_t schedulers = c->sets && strstr(c->sets, "schedulers=2") ? 2 : 4, each = 32 / schedulers;
        uint64_t got = growth(c, 32, 100, 300);
        double want = 200.0 * each * c->busy;
        if ((double)got < 0.99 * want || (double)got > 1.01 * want)
            fail_msg("%s %s: %s\n%g cycles each, not %u", c->gpu, c->sets ? c->sets : "", c->inst,
                     (double)got / 200 / each, c->busy);
    }
}

static void counted(void **state)
{
    (void)state;
    Bench b;
    bench_open(&b, "a100", NULL);
    Text t = {0};
    text_printf(&t, "%s\n%s\nsetp.eq.u32 %%p1, %%n, 0;\n@%%p1 %s\nst.global.f32 [%%out], %%f0;\n", f32_k16, sparse_k32,
                f32_k8);
    const Record *r = bench_launch(&b, bench_load(&b, t.v, "sm_80"), (Shape){.block = 64}, 3);
    assert_int_equal(COUNT_OF(r, TENSOR_FMAS), 2 * (2048 + 4096));  // that with a guard isn't executed
    text_free(&t);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies),
        cmocka_unit_test(throughputs),
        cmocka_unit_test(counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
