// Independent instructions go as fast as the tightest of what is described: issue width, the interval of their class,
// the SM's rate of it, the load-store unit's look-up a cycle.
#include "bench.h"

#include <string.h>

#define ODD "test/chip/gpus/odd.ini"

// Cycles by which a launch of `block` threads grows when each executes `more` times `lines` instead of `few` times.
static uint64_t growth(Bench *b, const char *before, const char *line, uint32_t mod, const char *after, uint32_t block,
                       uint32_t few, uint32_t more)
{
    uint64_t cycles[2];
    for (int l = 0; l < 2; l++) {
        Text t = {0};
        text_put(&t, before);
        text_put(&t, "\n");
        repeat(&t, l ? more : few, mod, line);
        text_put(&t, after);
        cycles[l] = CYCLES(bench_run(b, t.v, (Shape){.block = block, .shared = 1024}, 3));
        text_free(&t);
    }
    return cycles[1] - cycles[0];
}

// Sixteen accumulators, so that a register comes again only after sixteen instructions; all are summed up at the end.
static const char *before_of(const char *file)
{
    static Text t;
    t.n = 0;
    for (int k = 0; k < 16; k++)
        text_printf(&t,
                    *file == 'f'   ? "cvt.rn.f32.u32 %%f%d, %%t;\n"
                    : *file == 'd' ? "cvt.rn.f64.u32 %%d%d, %%t;\n"
                                   : "add.u32 %%r%d, %%t, %d;\n",
                    k, k);
    return t.v;
}

static const char *after_of(const char *file)
{
    static Text t;
    const char *type = *file == 'f' ? "f32" : *file == 'd' ? "f64" : "u32";
    t.n = 0;
    for (int k = 1; k < 16; k++) text_printf(&t, "add.%s %%%s0, %%%s0, %%%s%d;\n", type, file, file, file, k);
    text_printf(&t, "st.global.%s [%%out], %%%s0;\n", type, file);
    return t.v;
}

typedef struct Mill {
    const char *name, *file, *line;
    uint32_t class;
} Mill;
static const Mill mills[] = {
    {"add.u32", "r", "add.u32 %r%k, %r%k, %n;", CLASS_ALU},
    {"mul.lo.u32", "r", "mul.lo.u32 %r%k, %r%k, %n;", CLASS_MUL},
    {"fma.rn.f32", "f", "fma.rn.f32 %f%k, %f%k, %f%k, %f%k;", CLASS_FMA},
    {"add.f32", "f", "add.f32 %f%k, %f%k, 0f3F800000;", CLASS_FMA},
    {"mul.f32", "f", "mul.f32 %f%k, %f%k, %f%k;", CLASS_FMA},
    {"fma.rn.f64", "d", "fma.rn.f64 %d%k, %d%k, %d%k, %d%k;", CLASS_F64},
    {"ex2", "f", "ex2.approx.f32 %f%k, %f%k;", CLASS_SFU},
    {"cvt.rni", "f", "cvt.rni.f32.f32 %f%k, %f%k;", CLASS_CVT},
    {"shfl", "r", "shfl.bfly.b32 %r%k, %r%k, 1, 31;", CLASS_SHARED},
};

// Warp instructions of a class that an SM can start a cycle.
static double described(const SmCfg *s, uint32_t class)
{
    const ClassCfg *u = &s->unit[class];
    double rate = s->schedulers * (u->interval ? 1.0 / u->interval : s->issue);
    return u->per_cycle ? MIN(rate, u->per_cycle) : rate;
}

static void all_classes(const char *gpu, const char *sets)
{
    Bench b;
    Text wrong = {0};
    bench_open(&b, gpu, sets);
    for (size_t k = 0; k < COUNT(mills); k++) {
        enum { WARPS = 16, FEW = 64, MORE = 320 };
        uint64_t got =
            growth(&b, before_of(mills[k].file), mills[k].line, 16, after_of(mills[k].file), WARPS * 32, FEW, MORE);
        double want = WARPS * (MORE - FEW) / described(&b.gpu->sm, mills[k].class);
        if ((double)got < 0.97 * want || (double)got > 1.03 * want)
            text_printf(&wrong, "  %s: %g a cycle, described %g\n", mills[k].name, WARPS * (MORE - FEW) / (double)got,
                        described(&b.gpu->sm, mills[k].class));
    }
    bench_close(&b);
    if (wrong.n) fail_msg("%s %s:\n%s", gpu, sets ? sets : "", wrong.v);
}

static void on_gtx480(void **state) { (void)state, all_classes("gtx480", NULL); }
static void on_titan_black(void **state) { (void)state, all_classes("titan_black", NULL); }
static void on_h200(void **state) { (void)state, all_classes("h200", "sm.count=lowered registers.reorder=no"); }
static void on_odd(void **state)
{
    (void)state;
    all_classes(ODD, NULL);
    all_classes(ODD, "interval.alu=2 interval.mul=3 interval.fma=4 interval.f64=5 interval.sfu=16 interval.shuffle=7 "
                     "interval.cvt=2");
    all_classes(ODD, "sm.schedulers=4 rate.alu=1 rate.mul=2 rate.fma=3 rate.f64=4 rate.sfu=1");
    all_classes(ODD, "sm.schedulers=2 interval.sfu=4 rate.sfu=1 interval.f64=2 rate.f64=1");
    all_classes(ODD, "sm.schedulers=2 sm.issue=2 interval.alu=0 interval.fma=0 rate.fma=3");
}

// --- one warp: the exact cycles --------------------------------------------------------------------------------------
static void assert_growth(const char *sets, const char *file, const char *line, uint32_t lines, uint32_t cycles_of_16)
{
    Bench b;
    bench_open(&b, ODD, sets);
    uint64_t got = growth(&b, before_of(file), line, lines, after_of(file), 32, 64, 192);
    if (got != 8 * cycles_of_16)
        fail_msg("%s '%s': %g cycles for 16, described %u", sets ? sets : "", line, (double)got / 8, cycles_of_16);
    bench_close(&b);
}

static void one_warp(void **state)
{
    (void)state;
    assert_growth(NULL, "r", "add.u32 %r%k, %r%k, %n;", 16, 16);
    assert_growth("interval.alu=3", "r", "add.u32 %r%k, %r%k, %n;", 16, 48);
    assert_growth(NULL, "r", "add.u32 %r%k, %r%k, %n;", 4, 4 * 7);    // four chains: 7 cycles bring four forward
    assert_growth(NULL, "r", "add.u32 %r%k, %r%k, %n;", 8, 16);       // eight: more than enough
    assert_growth(NULL, "r", "div.u32 %r%k, %r%k, %n;", 16, 16 * 8);  // eight slots
    assert_growth("interval.sfu=2", "r", "div.u32 %r%k, %r%k, %n;", 16, 16 * 16);
    assert_growth("sm.count=ptx latency.sfu=8", "r", "div.u32 %r%k, %r%k, %n;", 16, 16);
}

// Two instructions a cycle from one warp, if they are independent.
static void dual_issue(void **state)
{
    (void)state;
    static const char pair[] = "add.u32 %r%k, %r%k, %n;\nmul.lo.u32 %r1%k, %r1%k, %n;";  // registers 0–7 and 10–17
    static const char dependent[] = "add.u32 %r%k, %r%k, %n;\nmul.lo.u32 %r1%k, %r%k, %n;";
    Bench b;
    static const char before[] = "mov.u32 %r0, %t;\nmov.u32 %r1, %t;\nmov.u32 %r2, %t;\nmov.u32 %r3, %t;\nmov.u32 %r4, "
                                 "%t;\nmov.u32 %r5, %t;\nmov.u32 %r6, %t;\nmov.u32 %r7, %t;\n"
                                 "mov.u32 %r10, %n;\nmov.u32 %r11, %n;\nmov.u32 %r12, %n;\nmov.u32 %r13, %n;\nmov.u32 "
                                 "%r14, %n;\nmov.u32 %r15, %n;\nmov.u32 %r16, %n;\nmov.u32 %r17, %n;\n";
    Text after = {0};
    for (int k = 1; k < 8; k++) text_printf(&after, "add.u32 %%r0, %%r0, %%r%d;\nadd.u32 %%r0, %%r0, %%r1%d;\n", k, k);
    text_put(&after, "add.u32 %r0, %r0, %r10;\nst.global.u32 [%out], %r0;\n");
    // Latencies of 7 and 8 leave eight accumulators of each class just busy.
    bench_open(&b, ODD, "sm.issue=2 latency.mul=8");
    assert_int_equal(growth(&b, before, pair, 8, after.v, 32, 64, 192), 128);                       // a pair a cycle
    assert_int_equal(growth(&b, before, "add.u32 %r%k, %r%k, %n;", 8, after.v, 32, 64, 192), 128);  // interval.alu = 1
    assert_int_equal(growth(&b, before, dependent, 8, after.v, 32, 64, 192),
                     128 * 7);  // in order: the product waits for the sum, and goes with the next sum
    bench_close(&b);
    bench_open(&b, ODD, "sm.issue=2 latency.alu=4 interval.alu=0");
    assert_int_equal(growth(&b, before, "add.u32 %r%k, %r%k, %n;", 8, after.v, 32, 64, 192), 64);  // two a cycle
    bench_close(&b);
    bench_open(&b, ODD, "sm.issue=1 latency.mul=8");
    assert_int_equal(growth(&b, before, pair, 8, after.v, 32, 64, 192), 256);
    bench_close(&b);
    bench_open(&b, ODD,
               "sm.issue=2 latency.mul=8 sm.schedulers=2");  // both slots are one warp's: two warps on one scheduler
    assert_int_equal(growth(&b, before, pair, 8, after.v, 128, 64, 192), 256);
    bench_close(&b);
    text_free(&after);
}

// --- the load-store unit ---------------------------------------------------------------------------------------------
// Independent loads that hit the L1: a look-up a cycle, as many look-ups as lines, and at least the unit's interval.
static void look_up(const char *sets, uint32_t interval)
{
    for (uint32_t lines = 1; lines <= 32; lines *= 2) {
        Bench b;
        bench_open(&b, ODD, sets);
        bench_data(&b, NULL, 65536);
        Text before = {0};  // lane k reads word k · 4 of line k mod lines
        text_printf(&before,
                    "rem.u32 %%r20, %%t, %u;\nmul.lo.u32 %%r20, %%r20, 128;\nand.b32 %%r21, %%t, 31;\nmad.lo.u32 "
                    "%%r20, %%r21, 4, %%r20;\n"
                    "cvt.u64.u32 %%rd1, %%r20;\nadd.u64 %%rd1, %%in, %%rd1;\n%s",
                    lines, before_of("r"));
        // Half-way lanes may straddle lines: count exactly what is touched.
        uint64_t each = 0;
        for (uint32_t line = 0; line < 64; line++) {
            bool touched = false;
            for (uint32_t lane = 0; lane < 32; lane++) touched |= (lane % lines * 128 + lane * 4) / 128 == line;
            each += touched;
        }
        uint64_t got = growth(&b, before.v, "ld.global.u32 %r%k, [%rd1];", 16, after_of("r"), 8 * 32, 16, 80);
        each = MAX(each, interval);
        if (got != 8 * 64 * each)
            fail_msg("%u lines: %g cycles a load, described %llu", lines, (double)got / 512, (unsigned long long)each);
        text_free(&before);
        bench_close(&b);
    }
}

static void l1_lookups(void **state)
{
    (void)state;
    look_up(NULL, 1);
    look_up("lsu.interval=2", 2);
    look_up("lsu.interval=5", 5);
}

// Eight warps' accesses of shared memory: as many passes as words that lie in one bank, and at least the interval.
static void shared_passes(void **state)
{
    (void)state;
    for (uint32_t interval = 1; interval <= 5; interval += 2)
        for (uint32_t ways = 1; ways <= 8; ways *= 2)
            for (int store = 0; store < 2; store++) {
                Bench b;
                char sets[40];
                Text before = {0};
                snprintf(sets, sizeof sets, "lsu.interval=%u", interval);
                bench_open(&b, ODD, sets);
                text_printf(&before,
                            "mov.u32 %%r21, smem;\nand.b32 %%r20, %%t, 31;\nmad.lo.u32 %%r20, %%r20, %u, %%r21;\n%s",
                            4 * ways, before_of("r"));
                uint64_t got =
                    growth(&b, before.v, store ? "st.shared.u32 [%r20], %r%k;" : "ld.shared.u32 %r%k, [%r20];", 16,
                           after_of("r"), 8 * 32, 16, 80);
                if (got != 8 * 64 * MAX(ways, interval))
                    fail_msg("%s, %u ways: %g cycles, described %u", sets, ways, (double)got / 512,
                             MAX(ways, interval));
                text_free(&before);
                bench_close(&b);
            }
}

// Published for h200: 126 bytes a clock and SM from the L1, which a row of all banks in a cycle gives and passes.
static void l1_of_h200(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint32_t bytes;  // of a warp
    } of[] = {{"ld.global.u32 %r%k, [%rd1];", 128},
              {"ld.global.v2.u32 {%r1%k, %r2%k}, [%rd1];", 256},
              {"ld.global.v4.u32 {%r1%k, %r2%k, %r3%k, %r4%k}, [%rd1];", 512}};
    for (size_t k = 0; k < COUNT(of); k++) {
        Bench b;
        char before[400];
        // Registers as numbered: lowered, those that nobody reads would be one, and loads wait for each other.
        bench_open_config(&b, (oc_config){.no_lowering = true}, "h200", NULL);
        bench_data(&b, NULL, 65536);
        snprintf(before, sizeof before, "mul.wide.u32 %%rd1, %%t, %u;\nadd.u64 %%rd1, %%in, %%rd1;\n%s",
                 of[k].bytes / 32, before_of("r"));
        growth(&b, before, of[k].line, 10, after_of("r"), 16 * 32, 1,
               1);  // brings the lines into the L2, which keeps them
        uint64_t got = growth(&b, before, of[k].line, 10, after_of("r"), 16 * 32, 100, 300);
        double each = 16 * 200.0 * of[k].bytes / (double)got;
        if (each < 126 || each > 129) fail_msg("%s %g bytes a cycle, described 128", of[k].line, each);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_gtx480),  cmocka_unit_test(on_titan_black), cmocka_unit_test(on_h200),
        cmocka_unit_test(on_odd),     cmocka_unit_test(one_warp),       cmocka_unit_test(dual_issue),
        cmocka_unit_test(l1_lookups), cmocka_unit_test(shared_passes),  cmocka_unit_test(l1_of_h200),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
