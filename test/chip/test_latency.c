// A chain of n dependent instructions takes n times the described latency: the difference between two lengths, so that
// what comes before and after cancels.
#include "bench.h"
#include "exec/code.h"
#include "ptx/flow.h"
#include "ptx/ops.h"

#include <string.h>

// Executed cycles of `n` lines in a thread, and what surrounds them.
static uint64_t chain(Bench *b, const char *before, const char *line, uint32_t n, const char *after)
{
    Text t = {0};
    text_put(&t, before);
    text_put(&t, "\n");
    repeat(&t, n, 1000000, line);
    text_put(&t, after);
    const Record *r = bench_run(b, t.v, (Shape){0}, 3);
    text_free(&t);
    return CYCLES(r);
}

typedef struct Chain {
    const char *name, *before, *line, *after;
    uint32_t class;
    uint32_t slots;  // of the instruction, as ops.def says
} Chain;
#define KEEP "\nst.global.u32 [%out], %r1;"
#define KEEP64 "\nst.global.u64 [%out], %rd1;"
#define KEEPF "\nst.global.f32 [%out], %f1;"
#define KEEPD "\nst.global.f64 [%out], %d1;"
static const Chain links[] = {
    {"add.u32", "mov.u32 %r1, %t;", "add.u32 %r1, %r1, %n;", KEEP, CLASS_ALU, 1},
    {"sub.f32", "cvt.rn.f32.u32 %f1, %t;", "sub.f32 %f1, %f1, 0f3F800000;", KEEPF, CLASS_FMA, 1},
    {"xor.b32", "mov.u32 %r1, %t;", "xor.b32 %r1, %r1, %n;", KEEP, CLASS_ALU, 1},
    {"add.u64", "cvt.u64.u32 %rd1, %t;", "add.u64 %rd1, %rd1, %out;", KEEP64, CLASS_ALU, 2},
    {"mul.lo.u32", "mov.u32 %r1, %t;", "mul.lo.u32 %r1, %r1, %n;", KEEP, CLASS_MUL, 1},
    {"mad.lo.u32", "mov.u32 %r1, %t;", "mad.lo.u32 %r1, %r1, %n, %t;", KEEP, CLASS_MUL, 1},
    {"mul.lo.u64", "cvt.u64.u32 %rd1, %t;", "mul.lo.u64 %rd1, %rd1, %out;", KEEP64, CLASS_MUL, 4},
    {"mul.f32", "cvt.rn.f32.u32 %f1, %t;", "mul.f32 %f1, %f1, %f1;", KEEPF, CLASS_FMA, 1},
    {"fma.rn.f32", "cvt.rn.f32.u32 %f1, %t;", "fma.rn.f32 %f1, %f1, %f1, %f1;", KEEPF, CLASS_FMA, 1},
    {"fma.rn.f64", "cvt.rn.f64.u32 %d1, %t;", "fma.rn.f64 %d1, %d1, %d1, %d1;", KEEPD, CLASS_F64, 1},
    {"add.f64", "cvt.rn.f64.u32 %d1, %t;", "add.f64 %d1, %d1, %d1;", KEEPD, CLASS_F64, 1},
    {"ex2", "cvt.rn.f32.u32 %f1, %t;", "ex2.approx.f32 %f1, %f1;", KEEPF, CLASS_SFU, 1},
    {"rcp", "cvt.rn.f32.u32 %f1, %t;", "rcp.approx.f32 %f1, %f1;", KEEPF, CLASS_SFU, 1},
    {"sqrt.rn.f32", "cvt.rn.f32.u32 %f1, %t;", "sqrt.rn.f32 %f1, %f1;", KEEPF, CLASS_SFU, 8},
    {"div.u32", "mov.u32 %r1, %t;", "div.u32 %r1, %r1, %n;", KEEP, CLASS_SFU, 8},
    {"div.s64", "cvt.u64.u32 %rd1, %t;", "div.s64 %rd1, %rd1, %out;", KEEP64, CLASS_SFU, 24},
    {"cvt.rni.f32", "mov.u32 %r1, %t;\nmov.b32 %f1, %r1;", "cvt.rni.f32.f32 %f1, %f1;", KEEPF, CLASS_CVT, 1},
    {"shfl", "mov.u32 %r1, %t;", "shfl.bfly.b32 %r1, %r1, 1, 31;", KEEP, CLASS_SHARED, 1},
    {"bra", "", "bra L%k;\nL%k:", "", CLASS_BRANCH, 1},
    {"membar", "", "membar.gl;", "", CLASS_FENCE, 1},
    {"bar", "", "bar.sync 0;", "", CLASS_BARRIER, 1},
};

static void chains(const char *gpu, const char *sets)
{
    Text wrong = {0};
    for (size_t k = 0; k < COUNT(links); k++) {
        const Chain *l = &links[k];
        Bench b;
        bench_open(&b, gpu, sets);
        const ClassCfg *unit = &b.gpu->sm.unit[l->class];
        uint64_t a = chain(&b, l->before, l->line, 40, l->after), c = chain(&b, l->before, l->line, 100, l->after);
        // An instruction of several slots issues over as many cycles, the result is that of the last. What waits can't
        // issue before the unit is free again either.
        uint64_t each = MAX(MAX((uint64_t)unit->latency + l->slots - 1, (uint64_t)unit->interval * l->slots), 1u);
        if (c - a != 60 * each)
            text_printf(&wrong, "  %s: %g cycles each, described %llu\n", l->name, (double)(c - a) / 60,
                        (unsigned long long)each);
        bench_close(&b);
    }
    if (wrong.n) fail_msg("%s %s:\n%s", gpu, sets ? sets : "", wrong.v);
}

static void on_gtx480(void **state) { (void)state, chains("gtx480", NULL); }
static void on_titan_black(void **state) { (void)state, chains("titan_black", NULL); }
static void on_h200(void **state) { (void)state, chains("h200", "sm.count=lowered registers.reorder=no"); }
static void on_odd(void **state)
{
    (void)state;
    chains("test/chip/gpus/odd.ini", NULL);
    chains("test/chip/gpus/odd.ini",
           "latency.alu=1 latency.mul=1 latency.sfu=500 interval.sfu=3 latency.branch=1 sm.schedulers=4");
}
static void counted_as_ptx(void **state)
{  // every instruction is one slot
    (void)state;
    Bench b;
    bench_open(&b, "test/chip/gpus/odd.ini", "sm.count=ptx");
    uint64_t a = chain(&b, "mov.u32 %r1, %t;", "div.u32 %r1, %r1, %n;", 20, KEEP),
             c = chain(&b, "mov.u32 %r1, %t;", "div.u32 %r1, %r1, %n;", 50, KEEP);
    assert_int_equal(c - a, 30 * 22);
    bench_close(&b);
}

// Results of a predicate, of a guard, of a compare-and-select.
static void other_dependences(void **state)
{
    (void)state;
    Bench b;
    bench_open(&b, "test/chip/gpus/odd.ini", NULL);
    static const char setp_selp[] = "setp.eq.u32 %p1, %r1, 7;\nselp.u32 %r1, %n, %t, %p1;";
    uint64_t a = chain(&b, "mov.u32 %r1, %t;", setp_selp, 20, KEEP),
             c = chain(&b, "mov.u32 %r1, %t;", setp_selp, 50, KEEP);
    assert_int_equal(c - a, 30 * (7 + 7));
    static const char guarded[] = "setp.eq.u32 %p1, %r1, 7;\n@%p1 add.u32 %r1, %r1, %n;";
    a = chain(&b, "mov.u32 %r1, %t;", guarded, 20, KEEP), c = chain(&b, "mov.u32 %r1, %t;", guarded, 50, KEEP);
    assert_int_equal(c - a, 30 * (7 + 7));
    // What is written twice waits for the first write: multiplication 9, then addition 7 into the same register,
    // unread.
    static const char twice[] = "mul.lo.u32 %r1, %t, %n;\nadd.u32 %r1, %r1, %n;\nadd.u32 %r2, %r2, %r1;";
    a = chain(&b, "mov.u32 %r2, %t;", twice, 20, "\nst.global.u32 [%out], %r2;"),
    c = chain(&b, "mov.u32 %r2, %t;", twice, 50, "\nst.global.u32 [%out], %r2;");
    assert_int_equal((c - a) % 30, 0);
    assert_true((c - a) / 30 >= 7 && (c - a) / 30 <= 9 + 7 + 7);
    bench_close(&b);
}

// A taken back edge costs the branch's latency as any other: a loop of n turns.
static void loops(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        uint32_t each;
    } of[] = {{"test/chip/gpus/odd.ini", 7 + 7 + 5}, {"gtx480", 10 + 10 + 6}};  // add → setp → bra
    for (size_t k = 0; k < COUNT(of); k++) {
        Bench b;
        bench_open(&b, of[k].gpu, NULL);
        static const char body[] =
            "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %n;\n@%p1 bra L;" KEEP;
        oc_kernel *kernel = bench_load(&b, body, "sm_35");
        uint64_t a = CYCLES(bench_launch(&b, kernel, (Shape){0}, 100)),
                 c = CYCLES(bench_launch(&b, kernel, (Shape){0}, 300));
        assert_int_equal(c - a, 200 * of[k].each);
        bench_close(&b);
    }
}

// cp.async.wait_group N leaves the N latest groups under way, wait_all none, nor the open one (PTX ISA 9.7.9.25.3.3). A
// copy of a line that misses takes the way to a partition and back at least; one that hits takes less.
static void groups_of_copies(void **state)
{
    (void)state;
    static const struct {
        uint32_t copies[2];         // byte offsets: the line at 0 is in the L1
        const char *commit, *wait;  // after the second copy
        bool miss;                  // must be waited for
    } of[] = {{{4096, 0}, "cp.async.commit_group;", "cp.async.wait_group 2;", false},
              {{4096, 0}, "cp.async.commit_group;", "cp.async.wait_group 1;", true},
              {{0, 4096}, "cp.async.commit_group;", "cp.async.wait_group 1;", false},
              {{0, 4096}, "cp.async.commit_group;", "cp.async.wait_group 0;", true},
              {{0, 4096}, "", "cp.async.wait_group 0;", false},
              {{4096, 0}, "", "cp.async.wait_group 0;", true},
              {{0, 4096}, "", "cp.async.wait_all;", true}};
    for (size_t k = 0; k < COUNT(of); k++) {
        Bench b;
        Text t = {0};
        uint32_t took;
        bench_open(&b, "h200", NULL);
        bench_data(&b, NULL, 8192);
        text_printf(&t,
                    "ld.global.ca.u32 %%r1, [%%in];\nadd.u32 %%r1, %%r1, 1;\nst.global.u32 [%%out+4], %%r1;\n"
                    "bar.sync 0;\nmov.u32 %%r2, %%clock;\n"
                    "cp.async.ca.shared.global [smem], [%%in+%u], 4;\ncp.async.commit_group;\n"
                    "cp.async.ca.shared.global [smem+4], [%%in+%u], 4;\n%s\n%s\n"
                    "mov.u32 %%r3, %%clock;\nsub.u32 %%r3, %%r3, %%r2;\nst.global.u32 [%%out], %%r3;",
                    of[k].copies[0], of[k].copies[1], of[k].commit, of[k].wait);
        bench_launch(&b, bench_load(&b, t.v, "sm_80"), (Shape){.block = 1, .shared = 64}, 0);
        bench_read(&b, &took, sizeof took);
        if (of[k].miss != (took >= b.gpu->sm.to_partition + b.gpu->part.to_sm))
            fail_msg("case %zu: %s %s waits for %u cycles", k, of[k].commit, of[k].wait, took);
        text_free(&t);
        bench_close(&b);
    }
}

// Extra operand passes: all sources in one bank of one port, or two.
static void register_banks(void **state)
{
    (void)state;
    static const struct {
        const char *sets;
        uint32_t one, two, three;  // extra cycles of an instruction that reads as many registers
    } of[] = {{"registers.banks=0", 0, 0, 0},
              {"registers.banks=1", 0, 1, 2},
              {"registers.banks=1 registers.ports=2", 0, 0, 1},
              {"registers.banks=1 registers.ports=3", 0, 0, 0}};
    for (size_t k = 0; k < COUNT(of); k++) {
        Bench b;
        bench_open(&b, "test/chip/gpus/odd.ini", of[k].sets);
        static const char before[] = "mov.u32 %r1, %t;\nadd.u32 %r2, %n, %t;\nmul.lo.u32 %r3, %r1, %r2;";
        static const char after[] = "\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;" KEEP;
        const struct {
            const char *line;
            uint32_t latency, extra;
        } lines[] = {{"add.u32 %r1, %r1, 1;", 7, of[k].one},
                     {"add.u32 %r1, %r1, %r2;", 7, of[k].two},
                     {"mad.lo.u32 %r1, %r1, %r2, %r3;", 9, of[k].three},
                     {"mad.lo.u32 %r1, %r1, %r1, %r1;", 9, of[k].one}};  // one register is fetched once
        for (size_t l = 0; l < COUNT(lines); l++) {
            uint64_t a = chain(&b, before, lines[l].line, 10, after),
                     ca = COUNT_OF(device_record(b.d, oc_launches(b.d) - 1), BANK_STALLS);
            uint64_t c = chain(&b, before, lines[l].line, 60, after),
                     cc = COUNT_OF(device_record(b.d, oc_launches(b.d) - 1), BANK_STALLS);
            if (c - a != 50 * (lines[l].latency + lines[l].extra))
                fail_msg("%s: '%s': %llu/50 cycles", of[k].sets, lines[l].line, (unsigned long long)(c - a));
            assert_int_equal(cc - ca, 50 * lines[l].extra);
        }
        bench_close(&b);
    }
}

// Two banks: a conflict where the two sources' registers, as allocated, lie in the same one.
static void two_register_banks(void **state)
{
    (void)state;
    uint32_t seen[2] = {0};
    for (int other = 1; other < 8; other++) {
        Bench b;
        uint64_t cycles[2];
        bool same = false;
        bench_open(&b, "test/chip/gpus/odd.ini", "registers.banks=2");
        for (int l = 0; l < 2; l++) {
            Text t = {0};
            char line[64];
            for (int k = 0; k < 8; k++) text_printf(&t, "add.u32 %%r%d, %%t, %d;\n", k, k + 1);
            snprintf(line, sizeof line, "xor.b32 %%r0, %%r0, %%r%d;", other);
            repeat(&t, l ? 60 : 10, 1, line);
            for (int k = 1; k < 8; k++)
                text_printf(&t, "add.u32 %%r0, %%r0, %%r%d;\n", k);  // all are needed to the end
            text_put(&t, "st.global.u32 [%out], %r0;");
            oc_kernel *k = bench_load(&b, t.v, "sm_35");
            const Code *code = device_kernel(k)->code;
            for (uint32_t n = 0; n < code->n; n++)
                if (code->insts[n].op == OP_XOR) {
                    const Operand *o = code->insts[n].inst->opnd;
                    same = (code->alloc->slot[o[1].reg] & 1) == (code->alloc->slot[o[2].reg] & 1);
                }
            cycles[l] = CYCLES(bench_launch(&b, k, (Shape){0}, 3));
            text_free(&t);
        }
        assert_int_equal(cycles[1] - cycles[0], 50 * (7 + same));
        seen[same]++;
        bench_close(&b);
    }
    assert_true(seen[0] && seen[1]);
}

// The latest results: 4 in the last-result file, the 12 before them in the operand register file. %t is read by 20
// additions: after none to three further results, four to fifteen, and more. Of the 20 sums each is stored, the latest
// 16 first.
static void recent_results(void **state)
{
    (void)state;
    Bench b;
    Text t = {0};
    bench_open(&b, "test/chip/gpus/odd.ini", "registers.hierarchy=recent registers.lrf=4 registers.orf=12");
    for (int k = 0; k < 20; k++) text_printf(&t, "add.u32 %%r%d, %%t, %d;\n", k, k + 1);
    for (int k = 20; k--;) text_printf(&t, "st.global.u32 [%%out+%d], %%r%d;\n", 4 * k, k);
    const Record *r = bench_run(&b, t.v, (Shape){0}, 3);
    assert_int_equal(COUNT_OF(r, LRF_READS), 4 + 4);
    assert_int_equal(COUNT_OF(r, ORF_READS), 12 + 12);
    text_free(&t);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_gtx480),
        cmocka_unit_test(on_titan_black),
        cmocka_unit_test(on_h200),
        cmocka_unit_test(on_odd),
        cmocka_unit_test(counted_as_ptx),
        cmocka_unit_test(other_dependences),
        cmocka_unit_test(loops),
        cmocka_unit_test(register_banks),
        cmocka_unit_test(two_register_banks),
        cmocka_unit_test(groups_of_copies),
        cmocka_unit_test(recent_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
