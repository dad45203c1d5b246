// Warp schedulers seen from inside: every warp writes down the cycles at which it issued.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define ODD "test/chip/gpus/odd.ini"
enum { MOST = 32, READS = 8 };

// A trace: per warp, READS values of %clock from out + warp · READS · 4. Lane 0 writes; bodies leave them in %r10 ….
#define PLACE "shr.u32 %r1, %t, 5;\nmul.wide.u32 %rd1, %r1, 32;\nadd.u64 %rd1, %rd1, %out;\n"
#define TRACE \
    "\nst.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};\nst.global.v4.u32 [%rd1+16], {%r14, %r15, %r16, %r17};\n"
#define TOGETHER "bar.sync 0;\n"  // after it all warps can go in the same cycle

typedef uint32_t Trace[MOST][READS];
static const Record *run(Trace trace, const char *sets, const char *body, uint32_t warps)
{
    static Bench b;
    static bool open;
    if (open) bench_close(&b);
    bench_open(&b, ODD, sets);
    open = true;
    bench_data(&b, NULL, 1 << 20);
    const Record *r = bench_run(&b, body, (Shape){.block = warps * 32, .shared = 4096}, 7);
    bench_read(&b, trace, sizeof(Trace));
    return r;
}

#define CLOCKS                                                                                                   \
    "mov.u32 %r10, %clock;\nmov.u32 %r11, %clock;\nmov.u32 %r12, %clock;\nmov.u32 %r13, %clock;\nmov.u32 %r14, " \
    "%clock;\nmov.u32 %r15, %clock;\n"                                                                           \
    "mov.u32 %r16, %clock;\nmov.u32 %r17, %clock;\n"

// --- loose round robin -----------------------------------------------------------------------------------------------
static void round_robin(void **state)
{
    (void)state;
    Trace c;
    for (uint32_t warps = 2; warps <= 32; warps *= 2) {
        run(c, "sched.policy=lrr", PLACE TOGETHER CLOCKS TRACE, warps);
        for (uint32_t w = 0; w < warps; w++)
            for (uint32_t k = 0; k + 1 < READS; k++) assert_int_equal(c[w][k + 1] - c[w][k], warps);  // once a turn
        uint32_t later = 0;
        for (uint32_t w = 0; w < warps; w++) later += c[(w + 1) % warps][0] == c[w][0] + 1;
        assert_int_equal(later, warps - 1);  // in the order of their numbers, from one on
    }
    // With two schedulers, each has every other warp.
    run(c, "sched.policy=lrr sm.schedulers=2", PLACE TOGETHER CLOCKS TRACE, 8);
    for (uint32_t w = 0; w < 8; w++)
        for (uint32_t k = 0; k + 1 < READS; k++) assert_int_equal(c[w][k + 1] - c[w][k], 4);
    // Who can't go is passed by: warps 0 to 3 read the clock; the others' reads depend on something of 22 cycles.
    run(c, "sched.policy=lrr",
        PLACE TOGETHER "setp.lt.u32 %p1, %t, 128;\n@%p1 bra GO;\nmov.u32 %r20, 0;\nmov.b32 %f1, %r20;\nex2.approx.f32 "
                       "%f1, %f1;\nmov.b32 %r20, %f1;\nGO:\n" CLOCKS TRACE,
        8);
    for (uint32_t w = 0; w < 4; w++)
        for (uint32_t k = 3; k + 1 < READS; k++) assert_int_equal(c[w][k + 1] - c[w][k], 4);
}

// --- greedy, then oldest ---------------------------------------------------------------------------------------------
static void greedy(void **state)
{
    (void)state;
    Trace c;
    for (uint32_t warps = 2; warps <= 32; warps *= 2) {
        run(c, "sched.policy=gto", PLACE TOGETHER CLOCKS TRACE, warps);
        uint32_t first = 0;
        for (uint32_t w = 0; w < warps; w++) {
            for (uint32_t k = 0; k + 1 < READS; k++) assert_int_equal(c[w][k + 1] - c[w][k], 1);  // one goes on
            if (c[w][0] < c[first][0]) first = w;
        }
        uint32_t last = 0;
        for (uint32_t w = 0; w < warps; w++) {  // but for the one that ran last before the barrier: by age
            if (w == first) continue;
            if (last) assert_true(c[w][0] > last);
            last = c[w][READS - 1];
        }
    }
}

// A warp that could go on isn't put back for an older one that becomes ready; after it, the oldest goes, not the next.
static void greed_before_age(void **state)
{
    (void)state;
    Trace c;
    Text t = {0};
    // Warp 0 waits for a result of 100 cycles; the others read their clocks at both ends of 60 instructions.
    text_put(&t, PLACE "mov.u32 %r20, 0;\nmov.b32 %f1, %r20;\n" TOGETHER
                       "setp.lt.u32 %p1, %t, 32;\n@!%p1 bra GO;\nex2.approx.f32 %f1, %f1;\nmov.b32 %r20, %f1;\nadd.u32 "
                       "%r20, %r20, %n;\nGO:\nmov.u32 %r10, %clock;\n");
    repeat(&t, 60, 8, "add.u32 %r3%k, %r3%k, %n;");
    text_put(&t, "mov.u32 %r11, %clock;\nst.global.u32 [%rd1], %r10;\nst.global.u32 [%rd1+4], %r11;\nst.global.u32 "
                 "[%out+4096], %r20;\n");
    for (int k = 0; k < 8; k++) text_printf(&t, "st.global.u32 [%%out+4096], %%r3%d;\n", k);
    run(c, "sched.policy=gto latency.sfu=100", t.v, 6);
    for (uint32_t w = 0; w < 6; w++) assert_int_equal(c[w][1] - c[w][0], 61);  // 61 cycles without anyone between
    uint32_t before = 0;
    for (uint32_t w = 1; w < 6; w++) before += c[w][0] < c[0][0];
    assert_true(before >= 1 && before <= 2);  // 100 cycles are up while the second runs; then warp 0, the oldest, goes
    run(c, "sched.policy=lrr latency.sfu=100", t.v, 6);
    assert_true(c[1][1] - c[1][0] > 61 * 4);  // where the others take turns
    text_free(&t);
}

// --- two levels ------------------------------------------------------------------------------------------------------
// Every warp: a clock, thirty additions in a chain, a clock, a load, an addition that waits for it, a clock.
static const char *stages(const char *load)
{
    static Text t;
    t.n = 0;
    text_put(&t, "mov.u32 %r10, %clock;\n" PLACE "mov.u32 %r20, smem;\n");
    repeat(&t, 30, 1, "add.u32 %r3, %r3, %n;");
    text_printf(&t, "mov.u32 %%r11, %%clock;\n%s\nadd.u32 %%r3, %%r3, %%r4;\nmov.u32 %%r12, %%clock;\n", load);
    repeat(&t, 30, 1, "add.u32 %r3, %r3, %n;");
    text_put(
        &t, "mov.u32 %r13, %clock;\nst.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};\nst.global.u32 [%rd1+16], %r3;");
    return t.v;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// Warps begin one by one as others leave: start k + active isn't before departure k, and close behind it.
static void assert_admitted(Trace c, uint32_t warps, uint32_t active, uint32_t leave, uint32_t slack)
{
    uint32_t starts[MOST], leaves[MOST];
    for (uint32_t w = 0; w < warps; w++) starts[w] = c[w][0], leaves[w] = c[w][leave];
    qsort(starts, warps, sizeof *starts, by_value);
    qsort(leaves, warps, sizeof *leaves, by_value);
    for (uint32_t k = 0; k + active < warps; k++) assert_in_range(starts[k + active], leaves[k] + 1, leaves[k] + slack);
    assert_true(starts[active - 1] < leaves[0]);
    for (uint32_t w = 0; w < warps; w++)
        assert_true(w < active ? c[w][0] <= starts[active - 1] : c[w][0] > starts[active - 1]);  // first come, first in
}

static void two_levels(void **state)
{
    (void)state;
    Trace c;
    static const char *const far[] = {"ld.global.cg.u32 %r4, [%in];", "ld.global.u32 %r4, [%in];"};
    for (size_t l = 0; l < COUNT(far); l++) {
        // The default active set is eight. A departure: the load, and in the next cycle another warp can begin; with
        // eight in turn it takes a few cycles more.
        run(c, "sched.policy=two-level", stages(far[l]), 24);
        assert_admitted(c, 16, 8, 1, 30);
        run(c, "sched.policy=two-level sched.active=2", stages(far[l]), 6);
        assert_admitted(c, 4, 2, 1, 12);
        run(c, "sched.policy=two-level sched.active=1", stages(far[l]), 4);
        assert_admitted(c, 3, 1, 1, 8);
    }
    // Shared memory and arithmetic aren't long: warps stay until they are over.
    run(c, "sched.policy=two-level sched.active=2", stages("ld.shared.u32 %r4, [%r20];"), 6);
    assert_admitted(c, 6, 2, 3, 40);
    run(c, "sched.policy=two-level sched.active=2", stages("ex2.approx.f32 %f1, %f1;\nmov.b32 %r4, %f1;"), 6);
    assert_admitted(c, 6, 2, 3, 40);
    // Active warps take turns.
    run(c, "sched.policy=two-level sched.active=4", PLACE CLOCKS TRACE, 8);
    for (uint32_t w = 0; w < 4; w++)
        for (uint32_t k = 0; k + 1 < READS; k++) assert_int_equal(c[w][k + 1] - c[w][k], 4);
    // Or one goes on as long as it can.
    run(c, "sched.policy=two-level sched.active=4 sched.greedy=1", PLACE CLOCKS TRACE, 8);
    for (uint32_t w = 0; w < 8; w++)
        for (uint32_t k = 0; k + 1 < READS; k++) assert_int_equal(c[w][k + 1] - c[w][k], 1);
    // Eight for the SM are four for each of two schedulers.
    run(c, "sched.policy=two-level sm.schedulers=2", stages(far[0]), 16);
    uint32_t at_first = 0, soonest = UINT32_MAX;
    for (uint32_t w = 0; w < 16; w++) soonest = MIN(soonest, c[w][1]);
    for (uint32_t w = 0; w < 16; w++) at_first += c[w][0] < soonest;
    assert_int_equal(at_first, 8);
}

// A hit of the read-only cache takes as long as a texture. A warp that comes to its use leaves, though by then it is
// known when the value will be there.
static void known_and_long(void **state)
{
    (void)state;
    Trace c;
    Text t = {0};
    text_put(&t, PLACE "mov.u32 %r10, %clock;\nld.global.nc.u32 %r4, [%in];\n");
    repeat(&t, 30, 1, "add.u32 %r3, %r3, %n;");
    text_put(&t, "mov.u32 %r11, %clock;\nadd.u32 %r3, %r3, %r4;\n");
    text_put(&t, "st.global.v2.u32 [%rd1], {%r10, %r11};\nst.global.u32 [%rd1+16], %r3;");
    run(c, "sched.policy=two-level sched.active=2 readonly.size=12KiB readonly.nc=yes readonly.latency=1000", t.v, 8);
    assert_admitted(c, 8, 2, 1, 60);
    text_free(&t);
}

// A place goes to a warp that can use it: those that wait for memory aren't activated.
static void ready_ones_first(void **state)
{
    (void)state;
    // Warp 1 reads a line that the L1 has, in 37 cycles; warps 0 and 2 read from DRAM. One is active at a time.
    static const char body[] = PLACE "ld.global.u32 %r4, [%in];\nadd.u32 %r4, %r4, %r4;\n" TOGETHER
                                     "mul.wide.u32 %rd2, %r1, 4096;\nadd.u64 %rd2, %rd2, %in;\nsetp.eq.u32 %p1, %r1, "
                                     "1;\nselp.b64 %rd2, %in, %rd2, %p1;\nadd.u64 %rd3, %rd2, 128;\n"
                                     "setp.ne.u32 %p1, %r1, 1;\nselp.b64 %rd2, %rd3, %rd2, %p1;\nmov.u32 %r10, "
                                     "%clock;\nld.global.u32 %r5, [%rd2];\nadd.u32 %r5, %r5, %r4;\n"
                                     "mov.u32 %r11, %clock;\nst.global.u32 [%rd1], %r10;\nst.global.u32 [%rd1+4], "
                                     "%r11;\nst.global.u32 [%rd1+8], %r5;";
    Trace c;
    run(c, "sched.policy=two-level sched.active=1", body, 3);
    assert_true(c[0][1] - c[0][0] >= 211 && c[2][1] - c[2][0] >= 211);
    assert_in_range(c[1][1] - c[1][0], 37, 37 + 100);  // and a place's being given back
}

// --- static warp limit -----------------------------------------------------------------------------------------------
static void warp_limit(void **state)
{
    (void)state;
    Trace c;
    for (uint32_t limit = 1; limit <= 4; limit++) {
        char sets[64];
        snprintf(sets, sizeof sets, "sched.policy=swl sched.limit=%u", limit);
        run(c, sets, stages("ld.global.cg.u32 %r4, [%in];"), 8);
        assert_admitted(c, 8, limit, 3, 40);  // a warp's place is free when it is over, not while it waits for memory
    }
    // No limit below the number of warps: greedy then oldest.
    const Record *r = run(c, "sched.policy=swl sched.limit=32", stages("ld.global.cg.u32 %r4, [%in];"), 16);
    uint64_t cycles = CYCLES(r);
    r = run(c, "sched.policy=gto", stages("ld.global.cg.u32 %r4, [%in];"), 16);
    assert_int_equal(CYCLES(r), cycles);
}

// A limit that schedulers can't share out evenly: what is left over goes to the first ones.
static void warp_limit_of_two(void **state)
{
    (void)state;
    Trace c, half;
    run(c, "sched.policy=swl sched.limit=3 sm.schedulers=2", stages("ld.global.cg.u32 %r4, [%in];"), 16);
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t w = 0; w < 8; w++) memcpy(half[w], c[2 * w + k], sizeof *half);
        assert_admitted(half, 8, 2 - k, 3, 40);
    }
}

// Warps that wait at a barrier don't count among the oldest: eight warps, of which two may issue, get through ten
// barriers in about the time that issuing one after the other takes, without help.
static void warp_limit_at_barriers(void **state)
{
    (void)state;
    Trace c;
    Text t = {0};
    text_put(&t, PLACE "mov.u32 %r10, %clock;\n");
    for (int k = 0; k < 10; k++) text_put(&t, TOGETHER);
    text_put(&t, "mov.u32 %r11, %clock;\nst.global.u32 [%rd1], %r10;\nst.global.u32 [%rd1+4], %r11;\n");
    run(c, "sched.policy=gto", t.v, 8);
    uint32_t free = c[7][1] - c[0][0];
    run(c, "sched.policy=swl sched.limit=2", t.v, 8);
    assert_in_range(c[7][1] - c[0][0], 1, 8 * free);
    text_free(&t);
}

// Warps of a later block are younger, whatever slot they take.
static void age_is_of_the_start(void **state)
{
    (void)state;
    Bench b;
    uint32_t c[64][2];
    bench_open(&b, ODD, "sched.policy=swl sched.limit=1 sm.warps=4");
    bench_run(&b,
              "mov.u32 %r1, %clock;\nmov.u32 %r3, %ctaid.x;\nmul.wide.u32 %rd1, %r3, 8;\nadd.u64 %rd1, %rd1, "
              "%out;\nld.global.cg.u32 %r4, [%in];\nadd.u32 %r4, %r4, 1;\n"
              "mov.u32 %r2, %clock;\nst.global.v2.u32 [%rd1], {%r1, %r2};",
              (Shape){.grid = 12, .block = 32}, 0);
    bench_read(&b, c, sizeof c);
    for (uint32_t k = 0; k + 1 < 12; k++)
        assert_true(c[k + 1][0] > c[k][1]);  // one after the other, in the order of their start
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_robin),       cmocka_unit_test(greedy),
        cmocka_unit_test(greed_before_age),  cmocka_unit_test(two_levels),
        cmocka_unit_test(known_and_long),    cmocka_unit_test(ready_ones_first),
        cmocka_unit_test(warp_limit),        cmocka_unit_test(age_is_of_the_start),
        cmocka_unit_test(warp_limit_of_two), cmocka_unit_test(warp_limit_at_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
