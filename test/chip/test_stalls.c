// Every issue slot has one use or one reason: a kernel for each reason, with the slots it must lose, to the slot. What
// the slots add up to is checked after every launch of these tests (bench.c).
#include "bench.h"

#include <string.h>

#define ODD "test/chip/gpus/odd.ini"

static const struct {
    Counter counter;
    const char *name;
} causes[] = {{C_STALL_MEMORY, "memory"}, {C_STALL_SHARED, "shared"},   {C_STALL_ALU, "dependence"},
              {C_STALL_PIPE, "pipe"},     {C_STALL_LSU, "lsu"},         {C_STALL_BARRIER, "barrier"},
              {C_STALL_BRANCH, "branch"}, {C_STALL_SCHED, "scheduler"}, {C_STALL_SLEEP, "sleep"},
              {C_STALL_EMPTY, "empty"}};

// By how much every counter grows when a body has 60 of a line instead of 20.
typedef struct Growth {
    int64_t of[C_COUNT];
} Growth;
static Growth growth(const char *sets, const char *before, const char *line, const char *after, Shape s,
                     const char *target)
{
    Growth g = {{0}};
    for (int l = 0; l < 2; l++) {
        Bench b;
        Text t = {0};
        bench_open(&b, ODD, sets);
        bench_data(&b, NULL, 1 << 20);
        text_put(&t, before);
        repeat(&t, l ? 60 : 20, 8, line);  // 20 and 60 end on the same of eight registers
        text_put(&t, after);
        const Record *r = bench_launch(&b, bench_load(&b, t.v, target), s, 7);
        for (int k = 0; k < C_COUNT; k++) g.of[k] += l ? (int64_t)r->count[k] : -(int64_t)r->count[k];
        text_free(&t);
        bench_close(&b);
    }
    return g;
}

// 40 more lines: `issued` more slots used, `lost` more of one cause, none of another.
static void assert_cause(const Growth *g, Counter cause, int64_t issued, int64_t lost)
{
    if (g->of[C_ISSUED] != issued)
        fail_msg("issued %lld more, expected %lld", (long long)g->of[C_ISSUED], (long long)issued);
    for (size_t k = 0; k < COUNT(causes); k++) {
        int64_t want = causes[k].counter == cause ? lost : 0;
        if (g->of[causes[k].counter] != want)
            fail_msg("stall.%s: %lld more, expected %lld", causes[k].name, (long long)g->of[causes[k].counter],
                     (long long)want);
    }
    assert_int_equal(g->of[C_ISSUE_SLOTS], issued + lost);
}

static const Shape one = {0};

static void memory(void **state)
{
    (void)state;
    static const char chase[] = "ld.global.u64 %rd1, [%rd1];", cg[] = "ld.global.cg.u64 %rd1, [%rd1];";
    // A cell that points to itself: atomics put it there.
    static const char before[] = "mov.u64 %rd1, %in;\nst.global.u64 [%in], %in;\nmembar.gl;\nmembar.gl;\n";
    Growth g = growth(NULL, before, cg, "st.global.u64 [%out], %rd1;", one, "sm_35");
    assert_cause(&g, C_STALL_MEMORY, 40, 40 * (101 - 1));
    g = growth(NULL, before, chase, "st.global.u64 [%out], %rd1;", one, "sm_35");
    assert_cause(&g, C_STALL_MEMORY, 40, 40 * (37 - 1));
}

static void shared(void **state)
{
    (void)state;
    static const char before[] = "mov.u32 %r1, smem;\nst.shared.u32 [%r1], %r1;\n";
    Growth g = growth(NULL, before, "ld.shared.u32 %r1, [%r1];", "st.global.u32 [%out], %r1;", (Shape){.shared = 128},
                      "sm_35");
    assert_cause(&g, C_STALL_SHARED, 40, 40 * (29 - 1));
    g = growth(NULL, "mov.u32 %r1, %t;\n", "shfl.bfly.b32 %r1, %r1, 1, 31;", "st.global.u32 [%out], %r1;", one,
               "sm_35");
    assert_cause(&g, C_STALL_SHARED, 40, 40 * (26 - 1));
}

static void dependence(void **state)
{
    (void)state;
    Growth g = growth(NULL, "mov.u32 %r1, %t;\n", "add.u32 %r1, %r1, %n;", "st.global.u32 [%out], %r1;", one, "sm_35");
    assert_cause(&g, C_STALL_ALU, 40, 40 * (7 - 1));
    // Four warps hide three quarters of it and a bit: 7 cycles for four additions.
    g = growth(NULL, "mov.u32 %r1, %t;\n", "add.u32 %r1, %r1, %n;", "st.global.u32 [%out], %r1;", (Shape){.block = 128},
               "sm_35");
    assert_cause(&g, C_STALL_ALU, 160, 40 * (7 - 4));
    // An instruction of eight slots uses them.
    g = growth(NULL, "mov.u32 %r1, %t;\n", "div.u32 %r1, %r1, %n;", "st.global.u32 [%out], %r1;", one, "sm_35");
    assert_cause(&g, C_STALL_ALU, 40 * 8, 40 * (22 - 1));
}

static void pipe(void **state)
{
    (void)state;
    static const char sfu[] = "ex2.approx.f32 %f%k, %f%k;";
    Text before = {0}, after = {0};
    for (int k = 0; k < 8; k++)
        text_printf(&before, "mov.b32 %%f%d, %%t;\n", k),
            text_printf(&after, "st.global.f32 [%%out+%d], %%f%d;\n", 4 * k, k);
    Growth g = growth("interval.sfu=8", before.v, sfu, after.v, one, "sm_35");
    assert_cause(&g, C_STALL_PIPE, 40, 40 * (8 - 1));
    // Two schedulers and one a cycle for both: each loses every other slot.
    g = growth("sm.schedulers=2 rate.sfu=1", before.v, sfu, after.v, (Shape){.block = 64 * 8}, "sm_35");
    assert_in_range(g.of[C_STALL_PIPE], 40 * 16 * 95 / 100, 40 * 16 * 105 / 100);
    assert_int_equal(g.of[C_ISSUED], 40 * 16);
    text_free(&before), text_free(&after);
}

static void load_store_unit(void **state)
{
    (void)state;
    // A store of 32 lines occupies the unit for 32 cycles; with its queue full, the next can't issue before.
    static const char before[] = "mul.wide.u32 %rd1, %t, 128;\nadd.u64 %rd1, %in, %rd1;\n";
    Growth g = growth("lsu.queue=2 l2.write_allocate=yes dram.bandwidth=10000 l2.latency=103", before,
                      "st.global.v4.u32 [%rd1], {%n, %n, %n, %n};", "", one, "sm_35");
    assert_cause(&g, C_STALL_LSU, 40, 40 * 31);
    // And one of shared memory of 32 passes likewise.
    g = growth("lsu.queue=2", "mov.u32 %r2, smem;\nmad.lo.u32 %r1, %t, 128, %r2;\n", "st.shared.u32 [%r1], %n;", "",
               (Shape){.shared = 4096}, "sm_35");
    assert_cause(&g, C_STALL_LSU, 40, 40 * 31);
}

static void barrier(void **state)
{
    (void)state;
    // Two warps on two schedulers, in step: each loses the barrier's latency minus the barrier's own slot.
    Growth g = growth("sm.schedulers=2", "", "bar.sync 0;", "", (Shape){.block = 64}, "sm_35");
    assert_cause(&g, C_STALL_BARRIER, 80, 80 * (15 - 1));
    static const char before[] = "setp.lt.u32 %p1, %t, 32;\nmov.u32 %r1, %t;\n";
    // The first works before it, the second waits for it.
    static const char work[] = "mov.b32 %f1, %r1;\n";
    Text body = {0};
    text_put(&body, work);
    text_put(&body, "@!%p1 bra DONE;\n");
    repeat(&body, 10, 1, "ex2.approx.f32 %f1, %f1;");
    text_put(&body, "mov.b32 %r1, %f1;\nadd.u32 %r1, %r1, %n;\nDONE:\nbar.sync 0;\nst.global.u32 [%out], %r1;");
    Bench b;
    Text all = {0};
    bench_open(&b, ODD, "sm.schedulers=2");
    text_printf(&all, "%s%s", before, body.v);
    const Record *r = bench_run(&b, all.v, (Shape){.block = 64}, 3);
    // The chain, two additions more and the barrier; the last to come loses the barrier's latency minus its slot, too.
    assert_in_range(COUNT_OF(r, STALL_BARRIER), 10 * 22, 10 * 22 + 7 + 7 + 15 + 14);
    assert_int_equal(COUNT_OF(r, BARRIERS), 2);
    text_free(&body), text_free(&all);
    bench_close(&b);
}

static void branch(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        Text body = {0};
        Bench b;
        bench_open(&b, ODD, NULL);
        for (int i = 0; i < 40; i++) text_printf(&body, "bra L%d;\nL%d:\n", i, i);
        const Record *r = bench_run(&b, body.v, one, 0);
        assert_int_equal(COUNT_OF(r, STALL_BRANCH), 40 * (5 - 1));
        assert_int_equal(COUNT_OF(r, BRANCHES), 40);
        assert_int_equal(COUNT_OF(r, DIVERGED), 0);
        text_free(&body);
        bench_close(&b);
    }
}

// Branches at which lanes part, counted by hand: r1 is the lane's number modulo 4, p1 says that it is below 2. The same
// with one lane, where none can part.
static void diverged(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t branches, parted;
    } cases[] = {
        // One side empty, three times over.
        {"@%p1 bra A;\nst.global.u32 [%out], %r1;\nA:\n@%p1 bra B;\nst.global.u32 [%out], %r1;\nB:\n@!%p1 bra "
         "C;\nst.global.u32 [%out], %r1;\nC:",
         3, 3},
        // Two sides: the branch over the other side takes all that are there.
        {"@%p1 bra A;\nst.global.u32 [%out], %r1;\nbra B;\nA:\nst.global.u32 [%out+4], %r1;\nB:", 2, 1},
        // A round for each of 0 … 3: after the last one nobody stays behind.
        {"mov.u32 %r2, 0;\nL:\nst.global.u32 [%out], %r2;\nsetp.lt.u32 %p2, %r2, %r1;\nadd.u32 %r2, %r2, 1;\n@%p2 bra "
         "L;",
         4, 3},
        // The same within one side: there lanes 2 and 3 modulo 4 are.
        {"@%p1 bra A;\nmov.u32 %r2, 0;\nL:\nst.global.u32 [%out], %r2;\nsetp.lt.u32 %p2, %r2, %r1;\nadd.u32 %r2, %r2, "
         "1;\n@%p2 bra L;\nA:",
         5, 2},
        // To the next instruction, or by all or by none.
        {"@%p1 bra A;\nA:\nbra B;\nB:\nsetp.lt.u32 %p2, %r1, 9;\n@%p2 bra C;\nst.global.u32 [%out], %r1;\nC:\n@!%p2 "
         "bra "
         "D;\nst.global.u32 [%out], %r1;\nD:",
         4, 0},
        // Three targets: first one lane's target takes what goes there, then the next.
        {"T: .branchtargets A, B, C;\nmin.u32 %r2, %r1, 2;\nbrx.idx %r2, T;\nA:\nst.global.u32 [%out], %r1;\nB:\n"
         "st.global.u32 [%out+4], %r1;\nC:",
         3, 2},
    };
    for (size_t k = 0; k < COUNT(cases); k++)
        for (uint32_t lanes = 1; lanes <= 32; lanes += 31) {
            Bench b;
            Text body = {0};
            bench_open(&b, ODD, NULL);
            text_printf(&body, "and.b32 %%r1, %%t, 3;\nsetp.lt.u32 %%p1, %%r1, 2;\n%s", cases[k].body);
            const Record *r = bench_run(&b, body.v, (Shape){.block = lanes}, 0);
            if (lanes == 32) assert_int_equal(COUNT_OF(r, BRANCHES), cases[k].branches);
            assert_int_equal(COUNT_OF(r, DIVERGED), lanes == 32 ? cases[k].parted : 0);
            text_free(&body);
            bench_close(&b);
        }
}

static void scheduler(void **state)
{
    (void)state;
    // One warp may issue: the other could, and while the first waits for its sums the slots are lost to the policy;
    // then the second is alone and loses as many to its own.
    Growth g = growth("sched.policy=swl sched.limit=1", "mov.u32 %r1, %t;\n", "add.u32 %r1, %r1, %n;",
                      "st.global.u32 [%out], %r1;", (Shape){.block = 64}, "sm_35");
    assert_int_equal(g.of[C_ISSUED], 80);
    assert_int_equal(g.of[C_STALL_SCHED], 40 * 6);
    assert_int_equal(g.of[C_STALL_ALU], 40 * 6);
    g = growth("sched.policy=two-level sched.active=1", "mov.u32 %r1, %t;\n", "add.u32 %r1, %r1, %n;",
               "st.global.u32 [%out], %r1;", (Shape){.block = 64}, "sm_35");
    assert_int_equal(g.of[C_STALL_SCHED], 40 * 6);
    assert_int_equal(g.of[C_STALL_ALU], 40 * 6);
}

static void sleeping(void **state)
{
    (void)state;
    Growth g = growth(NULL, "mov.u32 %r1, 1000;\n", "nanosleep.u32 %r1;", "", one, "sm_70");  // a nanosecond is a cycle
    assert_int_equal(g.of[C_ISSUED], 40);
    assert_in_range(g.of[C_STALL_SLEEP], 40 * 1000, 40 * 1001);
    assert_int_equal(g.of[C_STALL_SLEEP] + g.of[C_ISSUED], g.of[C_ISSUE_SLOTS]);
}

// A warp sleeps as long beside one of another scheduler that wakes at any time: 500 times 1000 cycles beside naps of 50
// to 1073. Both reads of the clock issue, too.
static void naps(void **state)
{
    (void)state;
    Bench b;
    uint32_t got[2];
    bench_open(&b, ODD, "sm.schedulers=2");
    bench_run_sm70(&b,
                   "mov.u32 %r6, %clock;\nmov.u32 %r1, 0;\nmov.u32 %r2, 1000000;\nmov.u32 %r3, 0;\n"
                   "setp.lt.u32 %p1, %t, 32;\n@%p1 bra NAP;\n"
                   "SLEEP: mov.u32 %r4, %clock;\nnanosleep.u32 1000;\nmov.u32 %r5, %clock;\n"
                   "sub.u32 %r5, %r5, %r4;\nmin.u32 %r2, %r2, %r5;\nmax.u32 %r3, %r3, %r5;\n"
                   "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 500;\n@%p2 bra SLEEP;\n"
                   "st.global.v2.u32 [%out], {%r2, %r3};\nbra DONE;\n"
                   "NAP: mad.lo.u32 %r1, %r1, 1664525, 1013904223;\nshr.u32 %r7, %r1, 22;\nadd.u32 %r7, %r7, 50;\n"
                   "nanosleep.u32 %r7;\nmov.u32 %r8, %clock;\nsub.u32 %r8, %r8, %r6;\n"
                   "setp.lt.u32 %p3, %r8, 500000;\n@%p3 bra NAP;\nDONE:",
                   (Shape){.block = 64}, 5);
    bench_read(&b, got, sizeof got);
    assert_int_equal(got[0], 1002);
    assert_int_equal(got[1], 1002);
    bench_close(&b);
}

static void empty(void **state)
{
    (void)state;
    Bench b;
    bench_open(&b, ODD, "sm.schedulers=4");
    static const char body[] = "mov.u32 %r1, %t;\nadd.u32 %r1, %r1, %n;\nadd.u32 %r1, %r1, %r1;\nadd.u32 %r1, %r1, "
                               "%r1;\nst.global.u32 [%out], %r1;";
    const Record *r = bench_run(&b, body, one, 5);
    assert_int_equal(COUNT_OF(r, STALL_EMPTY) * 4, COUNT_OF(r, ISSUE_SLOTS) * 3);  // three schedulers have no warp
    r = bench_run(&b, body, (Shape){.block = 96}, 5);
    assert_true(COUNT_OF(r, STALL_EMPTY) * 4 >= COUNT_OF(r, ISSUE_SLOTS));
    bench_close(&b);
    // Issue slots are counted while an SM has a block: of fifteen SMs, one.
    bench_open(&b, "gtx480", NULL);
    r = bench_run(&b, body, one, 5);
    assert_int_equal(COUNT_OF(r, ISSUE_SLOTS), 2 * COUNT_OF(r, SM_CYCLES));
    assert_true(COUNT_OF(r, SM_CYCLES) <= CYCLES(r));
    bench_close(&b);
}

// Instructions are counted by warps and by lanes.
static void instructions(void **state)
{
    (void)state;
    Bench b;
    bench_open(&b, ODD, NULL);
    // Six parameters and coordinates precede the body; what lowering leaves of them is a matter of its own: compare.
    const Record *r = bench_run(&b, "add.u32 %r1, %t, %n;\nst.global.u32 [%out], %r1;", (Shape){.block = 50}, 5);
    uint64_t warp = COUNT_OF(r, WARP_INSTS), thread = COUNT_OF(r, THREAD_INSTS);
    r = bench_run(&b,
                  "add.u32 %r1, %t, %n;\nmul.lo.u32 %r1, %r1, %n;\nsetp.lt.u32 %p1, %t, 7;\n@%p1 xor.b32 %r1, %r1, "
                  "%n;\nst.global.u32 [%out], %r1;",
                  (Shape){.block = 50}, 5);
    assert_int_equal(COUNT_OF(r, WARP_INSTS) - warp, 3 * 2);
    assert_int_equal(COUNT_OF(r, THREAD_INSTS) - thread, 2 * 50 + 7);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(shared),
        cmocka_unit_test(dependence),
        cmocka_unit_test(pipe),
        cmocka_unit_test(load_store_unit),
        cmocka_unit_test(barrier),
        cmocka_unit_test(branch),
        cmocka_unit_test(diverged),
        cmocka_unit_test(scheduler),
        cmocka_unit_test(sleeping),
        cmocka_unit_test(naps),
        cmocka_unit_test(empty),
        cmocka_unit_test(instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
