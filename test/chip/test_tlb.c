// Address translation: a pointer chase of one thread across what the TLBs reach, in pages of 4 KiB.
#include "bench.h"

#include <string.h>

#define ODD "test/chip/gpus/odd.ini"
// Four pages in the SM's TLB, sixteen in the shared one; 50 cycles to it, 70 for a walk whose entry is in the L2.
#define TLBS                                                                                                 \
    "tlb1.entries=4 tlb1.ways=4 tlb1.page=4KiB tlb1.penalty=50 tlb2.entries=16 tlb2.ways=16 tlb2.page=4KiB " \
    "tlb2.penalty=70 l2.size=256KiB l2.ways=16 "
enum { PAGE = 4096, L2 = 101, FIRST = 50, ENTRY = 70 };

// A ring of one line in each of `pages` pages, a line further in each, so that they don't meet in the caches' sets.
static const Record *chase(const char *sets, const char *load, uint32_t pages, uint64_t page, uint32_t steps)
{
    static Bench b;
    static bool open;
    if (open) bench_close(&b);  // the record lives until the next chase
    bench_open(&b, ODD, sets);
    open = true;
    bench_data(&b, NULL, (pages + 2) * page);
    uint64_t base = (b.data + page - 1) / page * page;
    for (uint32_t k = 0; k < pages; k++) {
        uint64_t at = base + k * page + k % 16 * 128, n = (k + 1) % pages, next = base + n * page + n % 16 * 128;
        assert_int_equal(oc_write(b.d, at, &next, 8, NULL), OC_OK);
    }
    Text t = {0};
    text_printf(&t, "add.u64 %%rd1, %%in, %llu;\n", (unsigned long long)(base - b.data));
    repeat(&t, steps, 1, load);
    const Record *r = bench_run(&b, t.v, (Shape){.block = 1}, 0);
    text_free(&t);
    return r;
}

#define CG "ld.global.cg.u64 %rd1, [%rd1];"
#define PLAIN "ld.global.u64 %rd1, [%rd1];"

static void assert_steps(const char *sets, const char *load, uint32_t pages, uint64_t page, uint64_t each)
{
    uint64_t a = CYCLES(chase(sets, load, pages, page, 2 * pages)),
             c = CYCLES(chase(sets, load, pages, page, 4 * pages));
    if (c - a != 2 * pages * each)
        fail_msg("%s, %u pages: %g cycles a step, described %llu", sets, pages, (double)(c - a) / (2 * pages),
                 (unsigned long long)each);
}

static void within_reach(void **state)
{
    (void)state;
    assert_steps(TLBS, CG, 4, PAGE, L2);          // all in the first
    assert_steps(TLBS, CG, 5, PAGE, L2 + FIRST);  // one too many for its LRU: all in the second
    assert_steps(TLBS, CG, 16, PAGE, L2 + FIRST);
    assert_steps(TLBS, CG, 17, PAGE, L2 + FIRST + ENTRY);  // walks; their entries, 8 bytes each, lie in the L2
    assert_steps(TLBS, CG, 32, PAGE, L2 + FIRST + ENTRY);
    assert_steps(TLBS, PLAIN, 24, PAGE, 37);  // what hits the L1 isn't translated
    assert_steps("", CG, 32, PAGE, L2);       // none
}

// The first walk to an entry reads it from DRAM: 211 − 101 = 110 cycles more than from the L2, and tlb2.far besides.
static void entries_from_dram(void **state)
{
    (void)state;
    for (uint32_t far = 0; far <= 40; far += 40) {
        char sets[512];
        snprintf(sets, sizeof sets, TLBS "dram.simple=yes tlb2.far=%u", far);
        // Pages 32 · 4 apart share no sector of four entries: every step of the first round reads an entry and a line.
        uint64_t a = CYCLES(chase(sets, CG, 40, 16 * PAGE, 10)), c = CYCLES(chase(sets, CG, 40, 16 * PAGE, 30));
        assert_int_equal(c - a, 20 * (211 + FIRST + ENTRY + (211 - L2) + far));
    }
}

static void counts(void **state)
{
    (void)state;
    const Record *r = chase(TLBS, CG, 8, PAGE, 80);
    assert_int_equal(COUNT_OF(r, TLB1_ACCESSES), 80);
    assert_int_equal(COUNT_OF(r, TLB1_HITS), 0);
    assert_int_equal(COUNT_OF(r, TLB1_MISSES), 80);
    assert_int_equal(COUNT_OF(r, TLB2_ACCESSES), 80);
    assert_int_equal(COUNT_OF(r, TLB2_HITS), 72);
    assert_int_equal(COUNT_OF(r, TLB2_MISSES), 8);
    assert_int_equal(COUNT_OF(r, TLB2_MERGES), 0);
    assert_int_equal(COUNT_OF(r, PAGE_WALKS), 8);
    r = chase(TLBS, CG, 4, PAGE, 80);
    assert_int_equal(COUNT_OF(r, TLB1_HITS), 76);
    assert_int_equal(COUNT_OF(r, TLB1_MISSES), 4);
    assert_int_equal(COUNT_OF(r, TLB2_ACCESSES), 4);
    r = chase(TLBS, PLAIN, 4, PAGE, 80);
    assert_int_equal(COUNT_OF(r, TLB1_ACCESSES), 4);  // four lines leave the SM
    r = chase(TLBS, CG, 34, PAGE, 34 * 3);
    assert_int_equal(COUNT_OF(r, TLB2_HITS), 0);
    assert_int_equal(COUNT_OF(r, PAGE_WALKS), 34 * 3);
    // Entries of 8 bytes in sectors of 32: 34 of them lie in nine or ten; the others' walks find them in the L2.
    assert_in_range(COUNT_OF(r, DRAM_READS), 34 + 9, 34 + 10);
}

// Four SMs look for one page at the same time: one misses, and three find its walk under way, which is no hit.
static void merges(void **state)
{
    (void)state;
    Bench b;
    bench_open(&b, ODD, TLBS "gpu.sms=4");
    bench_data(&b, NULL, PAGE);
    const Record *r = bench_run(&b, "ld.global.cg.u32 %r2, [%in];", (Shape){.grid = 4, .block = 1}, 0);
    assert_int_equal(COUNT_OF(r, TLB1_MISSES), 4);
    assert_int_equal(COUNT_OF(r, TLB2_ACCESSES), 4);
    assert_int_equal(COUNT_OF(r, TLB2_HITS), 0);
    assert_int_equal(COUNT_OF(r, TLB2_MISSES), 1);
    assert_int_equal(COUNT_OF(r, TLB2_MERGES), 3);
    bench_close(&b);
}

// Kepler's active window (mei §IV-A): leaving it costs a switch.
static void active_window(void **state)
{
    (void)state;
    // 32 pages in turn, in two halves of a window each: a step to a page of the other half every sixteen. In the L2 all
    // the while.
    uint64_t a = CYCLES(chase(TLBS "tlb2.window=64KiB tlb2.switching=300", CG, 32, PAGE, 64)),
             c = CYCLES(chase(TLBS "tlb2.window=64KiB tlb2.switching=300", CG, 32, PAGE, 128));
    uint64_t plain = 64 * (L2 + FIRST + ENTRY);
    assert_true(c - a == plain + 4 * 300 || c - a == plain + 6 * 300);  // two or three windows, as the data begin
}

// Two SMs ask for one page, the second a while after the first. Until the walk is over, at the latest after reading an
// entry from DRAM (211 cycles) and tlb2.penalty, the second walks too, though the L2 TLB has the page entered already.
static void walk_under_way(void **state)
{
    (void)state;
    // A walk at most; and a load whose entry and line come from DRAM.
    enum { WALK = 211 + ENTRY, DRAM = 211 + FIRST + ENTRY + (211 - L2) };
    bool before = false, after = false;
    for (uint32_t adds = 0; adds < 400; adds += adds / 40 == WALK / 40 ? 1 : 40) {
        Bench b;
        Text t = {0};
        uint32_t clock[2][2];
        bench_open_config(&b, (oc_config){.no_lowering = true}, ODD, TLBS "gpu.sms=2 dram.simple=yes");
        bench_data(&b, NULL, PAGE);
        // The second block makes so many additions first. (Lowering would find that nobody reads them.)
        text_put(&t,
                 "setp.eq.u32 %p1, %r63, 0;\nmul.wide.u32 %rd2, %r63, 8;\nadd.u64 %rd2, %rd2, %out;\n@%p1 bra GO;\n");
        repeat(&t, adds, 8, "add.u32 %r4%k, %n, %n;");
        text_put(&t, "GO:\nmov.u32 %r10, %clock;\nld.global.cg.u32 %r1, [%in];\nadd.u32 %r2, %r1, 1;\nmov.u32 %r11, "
                     "%clock;\n");
        size_t loads = t.n;
        text_put(&t, "st.global.v2.u32 [%rd2], {%r10, %r11};\n");
        bench_run(&b, t.v, (Shape){.grid = 2, .block = 1}, 0);
        bench_read(&b, clock, sizeof clock);
        bench_close(&b);
        uint32_t later = clock[1][0] - clock[0][0];
        bool walks = later < WALK;
        before |= walks && later + 1 == WALK;
        after |= later == WALK;
        assert_in_range(clock[0][1] - clock[0][0], DRAM, DRAM + 2);
        // Entry and line are under way for the first or in the L2 already.
        uint32_t alone = walks ? L2 + FIRST + ENTRY : L2 + FIRST, want = later + alone < DRAM ? DRAM - later : alone;
        assert_in_range(clock[1][1] - clock[1][0], want, want + 2);

        // The same without the stores, which are translated as well.
        t.v[loads] = 0;
        bench_open_config(&b, (oc_config){.no_lowering = true}, ODD, TLBS "gpu.sms=2 dram.simple=yes");
        bench_data(&b, NULL, PAGE);
        const Record *r = bench_run(&b, t.v, (Shape){.grid = 2, .block = 1}, 0);
        assert_int_equal(COUNT_OF(r, TLB2_ACCESSES), 2);
        assert_int_equal(COUNT_OF(r, TLB2_HITS), walks ? 0 : 1);
        assert_int_equal(COUNT_OF(r, TLB2_MERGES), walks ? 1 : 0);
        assert_int_equal(COUNT_OF(r, PAGE_WALKS), walks ? 2 : 1);
        bench_close(&b);
        text_free(&t);
    }
    assert_true(before && after);  // both sides of the walk's end were tried
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_reach), cmocka_unit_test(entries_from_dram), cmocka_unit_test(counts),
        cmocka_unit_test(merges),       cmocka_unit_test(active_window),     cmocka_unit_test(walk_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
