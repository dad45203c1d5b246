// How long products of wgmma take, and what they count: their rates, what shared memory takes to give the units their
// operands, chains of sums, groups and waits. What is expected is worked out here from the H100's numbers: 512
// multiply-adds of .f16 a cycle of a scheduler's unit, and 128 bytes of shared memory. And that passes over the code
// keep what products add to.
#include "bench.h"

#include <string.h>

enum { UNIT = 512, BYTES = 128, LATENCY = 18 + 7 };

typedef struct Case {
    int n, bits;        // of A's and B's elements
    bool sparse, here;  // here: A in registers
    const char *types;
} Case;

// Writes one product, with sums 0 to n - 1 or the next as many; tiles are at offset 0.
static void put_product(Text *t, const Case *c, int sums, const char *adds)
{
    const int deep = 256 / c->bits * (c->sparse ? 2 : 1), registers = c->n / 2;
    text_printf(t, "wgmma.mma_async%s.sync.aligned.m64n%dk%d.%s {", c->sparse ? ".sp" : "", c->n, deep, c->types);
    for (int k = 0; k < registers; k++) text_printf(t, "%s%%s%d", k ? ", " : "", sums * registers + k);
    text_printf(t, "}, %s, %%rd0%s, %s", c->here ? "{%r0, %r1, %r2, %r3}" : "%rd0", c->sparse ? ", %r4, 0" : "", adds);
    if (strstr(c->types, ".f") || strstr(c->types, "f32")) text_put(t, ", 1, 1");
    if (c->bits == 16) text_put(t, c->here ? ", 0" : ", 0, 0");
    text_put(t, ";\n");
}

static void put_begin(Text *t, int sums)
{
    text_printf(t, ".reg .b32 %%s<%d>;\nmov.b64 %%rd0, 0x0000004000400000;\n", sums);  // every 1,024 bytes
    for (int k = 0; k < 5; k++) text_printf(t, "add.u32 %%r%d, %%t, %d;\n", k, k);
    for (int k = 0; k < sums; k++) text_printf(t, "mov.b32 %%s%d, 0;\n", k);
    text_put(t, "wgmma.fence.sync.aligned;\n");
}

static void put_end(Text *t, int sums)
{
    text_put(t, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (int k = 0; k < sums; k++) text_printf(t, "st.global.b32 [%%out+%d], %%s%d;\n", 4 * k, k);
}

static uint64_t time_of(const char *gpu, const char *sets, const Case *c, int products, int sets_of_sums)
{
    Bench b;
    Text t = {0};
    const int sums = c->n / 2 * sets_of_sums;
    bench_open(&b, gpu, sets);
    put_begin(&t, sums);
    for (int k = 0; k < products; k++) put_product(&t, c, k % sets_of_sums, "1");
    put_end(&t, sums);
    const Record *r = bench_launch(&b, bench_load(&b, t.v, "sm_90a"), (Shape){.block = 128, .shared = 40960}, 3);
    const uint64_t cycles = CYCLES(r);
    assert_int_equal(COUNT_OF(r, TENSOR_FMAS),
                     (uint64_t)products * 64 * (uint64_t)c->n * 256 / (uint64_t)c->bits * (c->sparse ? 2 : 1));
    text_free(&t);
    bench_close(&b);
    return cycles;
}

static uint64_t each(const char *gpu, const char *sets, const Case *c, int sets_of_sums)
{
    return (time_of(gpu, sets, c, 30, sets_of_sums) - time_of(gpu, sets, c, 10, sets_of_sums)) / 20;
}

static void throughputs(void **state)
{
    (void)state;
    static const Case cases[] = {
        {128, 16, false, false, "f32.f16.f16"},  {64, 16, false, false, "f32.f16.f16"},
        {32, 16, false, false, "f32.f16.f16"},   {8, 16, false, false, "f32.f16.f16"},
        {128, 16, false, true, "f32.f16.f16"},   {32, 16, false, true, "f32.f16.f16"},
        {8, 16, false, true, "f32.f16.f16"},     {128, 16, false, true, "f32.bf16.bf16"},
        {128, 32, false, true, "f32.tf32.tf32"}, {128, 8, false, true, "f32.e4m3.e4m3"},
        {128, 8, false, true, "s32.s8.s8"},      {128, 16, true, true, "f32.f16.f16"},
        {128, 16, true, false, "f32.f16.f16"},   {64, 8, true, true, "s32.s8.u8"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        const Case *c = &cases[k];
        // A and B as they are in memory have rows of 256 bits, B of a sparse A twice as many. Narrower elements and
        // sparse ones are multiplied as much faster as there are more of them.
        const int compute = 16 * c->n * 16 / UNIT;
        const int bytes = (c->here ? 0 : 64 * 32) + c->n * 32 * (c->sparse ? 2 : 1),
                  reads = (bytes + BYTES - 1) / BYTES;
        const uint64_t want = (uint64_t)MAX(compute, reads), got = each("h200", NULL, c, 2);
        if (got != want)
            fail_msg("m64n%d %s%s%s: %d cycles each, not %d", c->n, c->types, c->sparse ? ", sparse" : "",
                     c->here ? ", A in registers" : "", (int)got, (int)want);
    }
}

static void chains(void **state)
{
    (void)state;
    static const Case small = {8, 16, false, true, "f32.f16.f16"}, large = {128, 16, false, true, "f32.f16.f16"},
                      whole = {256, 16, false, true, "f32.f16.f16"};
    assert_int_equal(each("h200", NULL, &small, 1), LATENCY);  // each adds to the sums of the one before
    assert_int_equal(each("h200", NULL, &large, 1), 16 * 128 * 16 / UNIT);
    assert_int_equal(each("h200", NULL, &whole, 1), 16 * 256 * 16 / UNIT);
    assert_int_equal(each("h200", "tensor.wgmma=0 tensor.rate=1024", &large, 2), 16 * 128 * 16 / 256);
    assert_int_equal(each("h200", "tensor.rate=0 latency.fma=2", &large, 2), 16 * 128 * 16 / 32);  // without a unit
    assert_int_equal(each("a100", NULL, &large, 2), 16 * 128 * 16 / 256);
}

// %clock before and behind each wait: a warp goes on while products are under way, and waits for those of a group.
static void groups(void **state)
{
    (void)state;
    static const Case c = {128, 16, false, true, "f32.f16.f16"};
    enum { ONE = 16 * 128 * 16 / UNIT, CLOCKS = 6 };
    Bench b;
    Text t = {0};
    uint32_t clock[CLOCKS];
    bench_open(&b, "h200", NULL);
    put_begin(&t, 128);
    text_put(&t, "mov.u32 %r10, %clock;\n");
    put_product(&t, &c, 0, "1"), text_put(&t, "wgmma.commit_group.sync.aligned;\n");
    put_product(&t, &c, 1, "1"), text_put(&t, "wgmma.commit_group.sync.aligned;\n");
    put_product(&t, &c, 0, "1"), text_put(&t, "wgmma.commit_group.sync.aligned;\nmov.u32 %r11, %clock;\n");
    static const int left[] = {3, 2, 1, 0};
    for (int k = 0; k < 4; k++)
        text_printf(&t, "wgmma.wait_group.sync.aligned %d;\nmov.u32 %%r%d, %%clock;\n", left[k], 12 + k);
    for (int k = 0; k < CLOCKS; k++) text_printf(&t, "st.global.b32 [%%out+%d], %%r%d;\n", 4 * k, 10 + k);
    text_put(&t, "add.u64 %out, %out, 64;\n");
    put_end(&t, 128);
    bench_launch(&b, bench_load(&b, t.v, "sm_90a"), (Shape){.block = 128, .shared = 40960}, 3);
    bench_read(&b, clock, sizeof clock);
    for (int k = 1; k < CLOCKS; k++) clock[k] -= clock[0];
    print_message("issued %u, waited until %u, %u, %u, %u\n", clock[1], clock[2], clock[3], clock[4], clock[5]);
    assert_true(clock[1] < ONE / 2 && clock[2] < ONE / 2);  // nothing to wait for
    for (int k = 0; k < 3; k++) assert_within(clock[3 + k], (k + 1) * ONE, 0.15, "a group");
    text_free(&t);
    bench_close(&b);
}

// Two warpgroups share the units, and shared memory gives B once to each.
static void shared_by_groups(void **state)
{
    (void)state;
    static const Case c = {64, 16, false, false, "f32.f16.f16"};
    Bench b;
    uint64_t cycles[2];
    for (int many = 0; many < 2; many++) {
        Text t = {0};
        bench_open(&b, "h200", NULL);
        put_begin(&t, 64);
        for (int k = 0; k < (many ? 30 : 10); k++) put_product(&t, &c, k % 2, "1");
        put_end(&t, 0);  // stores of the first group would go beside products of the second
        const Record *r = bench_launch(&b, bench_load(&b, t.v, "sm_90a"), (Shape){.block = 256, .shared = 40960}, 3);
        cycles[many] = CYCLES(r);
        assert_int_equal(COUNT_OF(r, SHARED_PASSES), 2u * (many ? 30 : 10) * (64 * 32 + 64 * 32) / BYTES);
        text_free(&t);
        bench_close(&b);
    }
    assert_int_equal((cycles[1] - cycles[0]) / 20, 2 * 16 * 64 * 16 / UNIT);
}

// --- passes over the code --------------------------------------------------------------------------------------------
// Each of seven turns adds A · B of ones to D, and some numbers that are loaded, whose registers D's could seem to be
// free for. Each thread keeps 24 more values. So with few registers sums are spilled; with many the loop is unrolled,
// and with clear the first turn begins anew.
static const char head[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "
    "n)%s\n"
    "{\n.shared .align 128 .b8 tile[4096];\n.reg .b64 %%rd<4>;\n.reg .b32 %%r<64>;\n.reg .f32 %%s<16>;\n"
    ".reg .pred %%p<3>;\nld.param.u64 %%rd1, [out];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, tile;\n"
    "mad.lo.u32 %%r2, %%r0, 32, %%r1;\nmov.b32 %%r3, 0x3c003c00;\nst.shared.v4.b32 [%%r2], {%%r3, %%r3, %%r3, %%r3};\n"
    "st.shared.v4.b32 [%%r2+16], {%%r3, %%r3, %%r3, %%r3};\nbar.sync 0;\nmov.b64 %%rd0, 0x0000000800080000;\n"
    "mov.u32 %%r4, 0;\nmov.u32 %%r5, 0;\n";

enum { KEPT = 24, SUMS = 16, LOADS = 8, TURNS = 7 };

static void put_loop(Text *t, const char *directive, bool unrolled, bool clears)
{
    text_printf(t, head, directive);
    for (int n = 0; n < KEPT; n++) text_printf(t, "mul.lo.u32 %%r%d, %%r0, %d;\n", 8 + n, 3 + n);
    for (int n = 0; n < SUMS; n++) text_printf(t, "cvt.rn.f32.u32 %%s%d, %%r%d;\n", n, 8 + n);
    text_printf(t, "LOOP:\n%ssetp.ne.u32 %%p1, %%r4, 0;\n", unrolled ? "" : ".pragma \"nounroll\";\n");
    for (int n = 0; n < LOADS; n++) text_printf(t, "ld.shared.u16 %%r%d, [%%r2+%d];\n", 40 + n, 2 * n);
    for (int n = 0; n < LOADS; n++) text_printf(t, "add.u32 %%r5, %%r5, %%r%d;\n", 40 + n);
    text_put(t, "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {");
    for (int n = 0; n < SUMS; n++) text_printf(t, "%s%%s%d", n ? ", " : "", n);
    text_printf(
        t,
        "}, %%rd0, %%rd0, %s, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
        "wgmma.wait_group.sync.aligned 0;\nadd.u32 %%r4, %%r4, 1;\nsetp.lt.u32 %%p2, %%r4, %d;\n@%%p2 bra LOOP;\n"
        "mad.wide.u32 %%rd1, %%r0, 256, %%rd1;\nst.global.u32 [%%rd1], %%r5;\n",
        clears ? "%p1" : "1", TURNS);
    for (int n = 0; n < SUMS; n++) text_printf(t, "st.global.f32 [%%rd1+%d], %%s%d;\n", 4 + 4 * n, n);
    for (int n = 0; n < KEPT; n++) text_printf(t, "st.global.u32 [%%rd1+%d], %%r%d;\n", 4 + 4 * (SUMS + n), 8 + n);
    text_put(t, "ret;\n}\n");
}

static void keeps_sums(void **state)
{
    (void)state;
    static const char *const limits[] = {"", "\n.maxnreg 40", "\n.maxnreg 16"};
    for (int how = 0; how < 12; how++) {
        const bool clears = how & 1;
        Bench b;
        Text t = {0};
        oc_module *m;
        oc_kernel *k;
        static union {
            uint32_t word[64];
            float f[64];
        } out[128];
        bench_open(&b, "h100", NULL);
        put_loop(&t, limits[how / 4], how & 2, clears);
        if (oc_load(b.d, t.v, t.n, "sums.ptx", &m) != OC_OK) fail_msg("%s", oc_error(b.d));
        assert_int_equal(oc_kernel_get(m, "k", &k), OC_OK);
        bench_launch(&b, k, (Shape){.block = 128}, 0);
        bench_read(&b, out, sizeof out);
        for (uint32_t i = 0; i < 128; i++) {
            assert_int_equal(out[i].word[0], TURNS * LOADS * 0x3c00);
            for (uint32_t n = 0; n < SUMS; n++) {
                const float want = (float)(TURNS * 16 + (clears ? 0 : i * (3 + n)));
                if (out[i].f[1 + n] != want)
                    fail_msg("form %d: thread %u, sum %u: %g, not %g", how, i, n, (double)out[i].f[1 + n],
                             (double)want);
            }
            for (uint32_t n = 0; n < KEPT; n++) assert_int_equal(out[i].word[1 + SUMS + n], i * (3 + n));
        }
        text_free(&t);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throughputs),      cmocka_unit_test(chains),     cmocka_unit_test(groups),
        cmocka_unit_test(shared_by_groups), cmocka_unit_test(keeps_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
