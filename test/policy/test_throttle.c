// CCWS, statPCAL and trial, event by event: whose loads go, by scores, who has a token, and what is found by trying.
#include "base/base.h"
#include "check.h"
#include "fake.h"

#include <math.h>

extern const oc_policy_type policy_ccws, policy_statpcal, policy_trial;

// --- ccws ------------------------------------------------------------------------------------------------------------
// Warps of a fake that may issue loads.
static uint32_t loading(const Fake *f)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < f->sm.slots; w++) n += oc_present(&f->sm, w) && oc_has(&f->sm, f->p.load, w);
    return n;
}

// Eight warps, base 100: the cutoff is 800. One that scores s leaves room for as many others as begin below the cutoff:
// ceil((800 − s) / 100).
static uint32_t others(double score) { return score >= 800 ? 0 : (uint32_t)fmin(7, ceil((800 - score) / 100)); }

static void stack(void **state)
{
    (void)state;
    Fake f;
    fake_open(&f, &policy_ccws, 1, 8);
    for (uint32_t w = 0; w < 8; w++) fake_start(&f, w);
    assert_int_equal(loading(&f), 8);
    for (uint32_t w = 0; w < 8; w++) fake_issue(&f, w, 100);
    fake_miss(&f, 1, 51, 5, 50);  // W1 pushes a line of W5 out
    fake_miss(&f, 5, 50, OC_NO_WARP, 0);
    assert_int_equal(f.count[0], 1);
    // LLDS = 8 · 1 hit / 800 instructions · 800 = 8: below the base.
    assert_int_equal(loading(&f), 8);
    for (uint64_t k = 0; k < 39; k++) fake_miss(&f, 1, 1000 + k, 5, 50 + k), fake_miss(&f, 5, 50 + k, OC_NO_WARP, 0);
    // 8 · 40 / 800 · 800 = 320: W5 and five others, the oldest.
    assert_int_equal(loading(&f), 1 + others(320));
    for (uint32_t w = 0; w < 8; w++) assert_true(oc_has(&f.sm, f.p.load, w) == (w <= 5));
    uint64_t since = f.now;
    // It falls by one a cycle.
    for (int k = 0; k < 240; k++) {
        fake_idle(&f, 1);
        double score = 320 - (double)(f.now - since);
        // A tick comes in the cycle in which the stack has changed or the one after it.
        uint32_t n = loading(&f), now = 1 + others(fmax(100, score)), before = 1 + others(fmax(100, score + 2));
        assert_true(n >= before && n <= now);
    }
    assert_int_equal(loading(&f), 8);
    assert_true(f.p.next_tick == OC_NEVER);
    // A score beyond the cutoff leaves its warp alone. Those that end take their hits and instructions with them.
    for (uint64_t k = 0; k < 120; k++) fake_miss(&f, 1, 3000 + k, 5, 50 + k), fake_miss(&f, 5, 50 + k, OC_NO_WARP, 0);
    assert_int_equal(loading(&f), 1);
    assert_true(oc_has(&f.sm, f.p.load, 5));
    fake_stop(&f, 5);
    assert_int_equal(loading(&f), 7);
    fake_miss(&f, 1, 5001, 2, 5000), fake_miss(&f, 2, 5000, OC_NO_WARP, 0);
    assert_int_equal(loading(&f), 7);  // 8 · 1 / 700 · 700
    fake_close(&f);
}

// Where scores are equal, the older warp lies lower, whatever its slot: here W7 is the oldest, and W2 loses locality.
static void oldest_below(void **state)
{
    (void)state;
    Fake f;
    fake_open(&f, &policy_ccws, 1, 8);
    for (uint32_t w = 8; w--;) fake_start(&f, w);
    for (uint32_t w = 0; w < 8; w++) fake_issue(&f, w, 100);
    for (uint64_t k = 0; k < 40; k++) fake_miss(&f, 1, 1000 + k, 2, 50 + k), fake_miss(&f, 2, 50 + k, OC_NO_WARP, 0);
    assert_int_equal(loading(&f), 1 + others(320));  // 8 · 40 / 800 · 800
    for (uint32_t w = 0; w < 8; w++) assert_true(oc_has(&f.sm, f.p.load, w) == (w >= 2));
    fake_close(&f);
}

// The highest score lies lowest. W2's reaches the cutoff alone, and W5 may not load, though it loses locality, too.
static void highest_below(void **state)
{
    (void)state;
    Fake f;
    fake_open(&f, &policy_ccws, 1, 8);
    for (uint32_t w = 0; w < 8; w++) fake_start(&f, w), fake_issue(&f, w, 100);
    for (uint64_t k = 0; k < 25; k++) fake_miss(&f, 1, 1000 + k, 5, 50 + k), fake_miss(&f, 5, 50 + k, OC_NO_WARP, 0);
    assert_int_equal(loading(&f), 1 + others(200));  // 8 · 25 / 800 · 800
    for (uint64_t k = 0; k < 100; k++) fake_miss(&f, 1, 3000 + k, 2, 500 + k), fake_miss(&f, 2, 500 + k, OC_NO_WARP, 0);
    for (uint32_t w = 0; w < 8; w++) assert_true(oc_has(&f.sm, f.p.load, w) == (w == 2));  // 8 · 125: beyond 800
    fake_close(&f);
}

// Sixteen tags a warp, first in, first out.
static void tags(void **state)
{
    (void)state;
    Fake f;
    fake_open(&f, &policy_ccws, 2, 4);
    for (uint32_t w = 0; w < 4; w++) fake_start(&f, w), fake_issue(&f, w, 1000);
    for (uint64_t k = 0; k < 17; k++) fake_miss(&f, 1, 100 + k, 2, 200 + k);
    fake_miss(&f, 2, 200, OC_NO_WARP, 0);
    assert_int_equal(f.count[0], 0);
    for (uint64_t k = 1; k < 17; k++) fake_miss(&f, 2, 200 + k, OC_NO_WARP, 0);
    assert_int_equal(f.count[0], 16);
    fake_close(&f);
}

// --- statpcal --------------------------------------------------------------------------------------------------------
static void tokens(void **state)
{
    (void)state;
    Fake f;
    fake_open(&f, &policy_statpcal, 2, 16);
    for (uint32_t w = 0; w < 16; w++) fake_start(&f, w);
    oc_access load = {.address = 4096}, local = {.address = 4096, .local = true};
    oc_access store = {.address = 4096, .store = true};
    for (uint32_t w = 0; w < 16; w++) {
        assert_int_equal(policy_statpcal.route(&f.p, w, &load), w < 8 ? OC_TO_L1 : OC_PAST_L1);
        assert_int_equal(policy_statpcal.route(&f.p, w, &store), OC_TO_L1);
        assert_int_equal(policy_statpcal.route(&f.p, w, &local), OC_TO_L1);
        assert_true(oc_has(&f.sm, f.p.issue, w));
    }
    // DRAM used to 70 %: the others wait. A warp at a barrier hands its token on.
    assert_int_equal(f.p.next_tick, 1000);
    f.sm.use = (oc_memory_use){.cycles = 1000, .l2_busy = 100, .dram_busy = 700};
    fake_idle(&f, 1000);
    for (uint32_t w = 0; w < 16; w++) assert_true(oc_has(&f.sm, f.p.issue, w) == (w < 8));
    fake_wait(&f, 2, OC_WAIT_READY, OC_WAIT_BARRIER);
    assert_true(!oc_has(&f.sm, f.p.issue, 2) && oc_has(&f.sm, f.p.issue, 8) && !oc_has(&f.sm, f.p.issue, 9));
    fake_wait(&f, 2, OC_WAIT_BARRIER, OC_WAIT_READY);
    fake_stop(&f, 1);
    assert_true(oc_has(&f.sm, f.p.issue, 9) && !oc_has(&f.sm, f.p.issue, 8));
    // The last interval alone counts: 69 % of it, though 69.5 % of all.
    f.sm.use = (oc_memory_use){.cycles = 2000, .l2_busy = 790, .dram_busy = 800};
    fake_idle(&f, 1000);
    for (uint32_t w = 2; w < 16; w++) assert_true(oc_has(&f.sm, f.p.issue, w));
    f.sm.use = (oc_memory_use){.cycles = 3000, .l2_busy = 1490, .dram_busy = 800};  // now the L2
    fake_idle(&f, 1000);
    assert_false(oc_has(&f.sm, f.p.issue, 15));
    assert_int_equal(f.count[0], 1);
    assert_int_equal(f.count[1], 2);
    fake_close(&f);
}

// --- trial -----------------------------------------------------------------------------------------------------------
typedef struct Limits {
    uint32_t issuing, near;
} Limits;
static Limits limits_of(const Fake *f)
{
    Limits l = {0};
    for (uint32_t w = 0; w < f->sm.slots; w++) {
        l.issuing += oc_has(&f->sm, f->p.issue, w);
        l.near += !oc_has(&f->sm, f->p.isolated, w);
    }
    return l;
}

// Runs an SM that executes so many instructions per 100 cycles as `speed` says of the warps that issue, and of those of
// them that use the L1.
static void run_at(Fake *f, uint64_t cycles, uint64_t (*speed)(Limits))
{
    for (uint64_t k = 0, parts = 0; k < cycles; k++) {
        parts += speed(limits_of(f));
        f->instructions += parts / 100, parts %= 100;
        fake_idle(f, 1);
    }
}

static uint64_t best_with_six(Limits l) { return l.issuing == 6 ? 90 : l.issuing < 6 ? 40 : 60 - l.issuing; }
static uint64_t best_with_four_near(Limits l) { return l.issuing < 16 ? 30 : l.near == 4 ? 90 : 80 - l.near; }
static uint64_t all_alike(Limits l) { return 50 + l.near % 2; }
static uint64_t best_with_all(Limits l) { return 20 + 2 * l.issuing + l.near; }

static void trial(void **state)
{
    (void)state;
    static const struct {
        uint64_t (*speed)(Limits);
        Limits best;
    } cases[] = {{best_with_six, {6, 6}}, {best_with_four_near, {16, 4}}, {all_alike, {16, 16}}};
    oc_access load = {.address = 4096}, local = {.address = 4096, .local = true};
    for (size_t k = 0; k < COUNT(cases); k++) {
        Fake f;
        fake_open(&f, &policy_trial, 2, 16);
        for (uint32_t w = 0; w < 16; w++) fake_start(&f, w);
        f.param[2] = 1000;  // once it is found it stays for long
        run_at(&f, 150000, cases[k].speed);
        Limits l = limits_of(&f);
        assert_int_equal(l.issuing, cases[k].best.issuing);
        if (l.issuing == 16) assert_int_equal(l.near, cases[k].best.near);
        for (uint32_t w = 0; w < 16; w++) {  // the oldest
            assert_true(oc_has(&f.sm, f.p.issue, w) == (w < l.issuing));
            oc_route to = w < l.near ? OC_TO_L1 : OC_TO_SCRATCH;
            assert_int_equal(policy_trial.route(&f.p, w, &load), to);
            assert_int_equal(policy_trial.route(&f.p, w, &local), OC_TO_L1);
        }
        fake_close(&f);
    }
}

// A program's next phase is another search, which climbs back both ladders.
static void trial_of_phases(void **state)
{
    (void)state;
    uint64_t (*const first[])(Limits) = {best_with_six, best_with_four_near};
    for (size_t k = 0; k < COUNT(first); k++) {
        Fake f;
        fake_open(&f, &policy_trial, 2, 16);
        for (uint32_t w = 0; w < 16; w++) fake_start(&f, w);
        run_at(&f, 150000, first[k]);
        run_at(&f, 150000, best_with_all);
        f.param[2] = 1000;  // what the search under way finds stays
        run_at(&f, 50000, best_with_all);
        Limits l = limits_of(&f);
        assert_int_equal(l.issuing, 16);
        assert_int_equal(l.near, 16);
        fake_close(&f);
    }
}

// Without a scratch cache the others take no line. A warp at a barrier, or one that is over, makes room for another.
static void trial_without_scratch(void **state)
{
    (void)state;
    Fake f;
    oc_access load = {.address = 4096};
    uint32_t to[OC_ROUTE_WAIT] = {0};
    fake_open(&f, &policy_trial, 2, 16);
    f.sm.scratch_lines = 0;
    for (uint32_t w = 0; w < 16; w++) fake_start(&f, w);
    f.param[2] = 1000;
    for (int k = 0; k < 300; k++) {
        run_at(&f, 500, best_with_six);
        to[policy_trial.route(&f.p, 15, &load)]++;
        assert_int_equal(f.p.isolated[0] | f.p.isolated[1], 0);
    }
    assert_true(to[OC_TO_L1] && to[OC_PAST_L1] && !to[OC_TO_SCRATCH]);
    assert_false(oc_has(&f.sm, f.p.issue, 6));
    fake_wait(&f, 2, OC_WAIT_READY, OC_WAIT_BARRIER);
    assert_true(oc_has(&f.sm, f.p.issue, 6) && !oc_has(&f.sm, f.p.issue, 7));
    fake_stop(&f, 1);
    assert_true(oc_has(&f.sm, f.p.issue, 7) && !oc_has(&f.sm, f.p.issue, 8));
    fake_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stack),
                                       cmocka_unit_test(tags),
                                       cmocka_unit_test(tokens),
                                       cmocka_unit_test(trial),
                                       cmocka_unit_test(trial_without_scratch),
                                       cmocka_unit_test(oldest_below),
                                       cmocka_unit_test(highest_below),
                                       cmocka_unit_test(trial_of_phases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
