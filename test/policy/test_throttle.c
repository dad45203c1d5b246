// CCWS and statPCAL, event by event: whose loads go, by scores, and who has a token.
#include "base/base.h"
#include "check.h"
#include "fake.h"

#include <math.h>

extern const oc_policy_type policy_ccws, policy_statpcal;

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
    for (uint32_t w = 0; w < 16; w++) {
        assert_int_equal(policy_statpcal.route(&f.p, w, &load), w < 8 ? OC_TO_L1 : OC_TO_L1_NO_ALLOCATE);
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
    // Of the last interval alone: 69 % of it, though 69.5 % of all.
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stack), cmocka_unit_test(tags), cmocka_unit_test(tokens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
