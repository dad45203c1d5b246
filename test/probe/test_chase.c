// Timed chases on simulated GPUs give the latencies that mei's tables have: Table 3 by patterns made by hand, exactly with
// the L1 off or absent, within 10 cycles with it on (the paper's rows aren't sums of fixed penalties), and Table 5's misses.
#include "check.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t KB = 1024, MB = 1 << 20;

static oc_device *open_device(const char *gpu, const char *const *sets) {
    oc_device *d;
    char message[500];
    if (oc_open(&(oc_config){.gpu = gpu, .sets = sets}, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    return d;
}

// Patterns 1 to 6: what is loaded before puts the line and the page where the pattern wants them.
static void table_3(const char *gpu, ChaseKind kind, const uint32_t want[6], uint32_t within) {
    const Walk walks[] = {
        {0, 0, 2, false},                       // line 0 and its page are everywhere
        {0, 0, 1, true},                        // 1: data hit, L1 TLB hit
        {4 * MB + 4 * KB, 2 * MB, 20, false},   // 20 more pages: past the L1 TLB's 16, not the L2 TLB's 65
        {32 * KB, 32 * KB, 4, false},           // page 0 is back; another line of it, and more, so that an L1 forgets line 0 …
        {4 * MB + 4 * KB, 2 * MB, 20, false},
        {0, 0, 1, true},                        // 2: L1 TLB miss
        {4 * MB + 8 * KB, 2 * MB, 140, false},  // 140 pages: past the L2 TLB
        {0, 0, 1, true},                        // 3: L2 TLB miss, its entry in the L2
        {500 * KB, 0, 1, true},                 // 4: a line nobody had, page known
        {400 * MB, 0, 1, true},                 // 5: nor the page
        {700 * MB, 0, 1, true},                 // 6: nor its entry active
    };
    uint32_t got[6];
    Chase c;
    Diag diag = {0};
    oc_device *d = open_device(gpu, NULL);
    if (!chase_open(&c, d, 768 * MB, &diag) || !chase_run(&c, kind, walks, COUNT(walks), got, &diag)) fail_msg("%s", diag.text.v);
    for (int p = 0; p < 6; p++)
        if (want[p] && labs((long)got[p] - (long)want[p]) > (long)within) fail_msg("%s, pattern %d: %u, the paper has %u", gpu, p + 1, got[p], want[p]);
    chase_close(&c);
    oc_close(d);
}

static void kepler(void **state) {
    (void)state;
    table_3("gtx780", CHASE_GLOBAL, (const uint32_t[]){230, 236, 289, 371, 734, 1000}, 0);
}
static void fermi_without_l1(void **state) {
    (void)state;
    table_3("gtx560ti", CHASE_L2, (const uint32_t[]){371, 398, 482, 639, 1245, 0}, 0);
}
static void fermi_with_l1(void **state) {
    (void)state;
    table_3("gtx560ti", CHASE_GLOBAL, (const uint32_t[]){116, 0, 0, 655, 1259, 0}, 10);
}

// With every line of the L1 used up between: 404 and 488 are L1 misses that hit the L2, with one and two TLB misses.
static void fermi_misses(void **state) {
    (void)state;
    const Walk walks[] = {
        {0, 0, 2, false},
        {4 * MB, 128, 2000, false},             // fills the L1 many times over; most of the L2 stays
        {4 * MB, 2 * MB + 512, 20, false},      // pages that don't meet line 0 in its set of the L2
        {0, 0, 1, true},
        {4 * MB, 128, 2000, false},
        {4 * MB, 2 * MB + 512, 140, false},
        {0, 0, 1, true},
    };
    uint32_t got[2];
    Chase c;
    Diag diag = {0};
    oc_device *d = open_device("gtx560ti", NULL);
    if (!chase_open(&c, d, 768 * MB, &diag) || !chase_run(&c, CHASE_GLOBAL, walks, COUNT(walks), got, &diag)) fail_msg("%s", diag.text.v);
    assert_int_equal(got[0], 404);
    assert_int_equal(got[1], 488);
    chase_close(&c);
    oc_close(d);
}

static void others(void **state) {
    (void)state;
    static const struct {
        const char *gpu;
        ChaseKind kind;
        uint32_t hit, l2;
    } of[] = {{"gtx780", CHASE_READONLY, 110, 220}, {"titan_black", CHASE_READONLY, 110, 240}, {"titan_black", CHASE_GLOBAL, 240, 240}, {"gtx480", CHASE_GLOBAL, 21, 220}};
    for (size_t k = 0; k < COUNT(of); k++) {
        // A line, a stretch larger than the small caches, and the line again, twice.
        const Walk walks[] = {{0, 0, 1, false}, {64 * KB, 32, 4096, false}, {0, 0, 2, true}};
        uint32_t got[2];
        Chase c;
        Diag diag = {0};
        oc_device *d = open_device(of[k].gpu, NULL);
        if (!chase_open(&c, d, 16 * MB, &diag) || !chase_run(&c, of[k].kind, walks, COUNT(walks), got, &diag)) fail_msg("%s", diag.text.v);
        if (got[0] != of[k].l2 || got[1] != of[k].hit) fail_msg("%s: %u and %u, described %u and %u", of[k].gpu, got[0], got[1], of[k].l2, of[k].hit);
        chase_close(&c);
        oc_close(d);
    }
}

static void refusals(void **state) {
    (void)state;
    Chase c;
    Diag diag = {0};
    uint32_t got[CHASE_TIMED];
    oc_device *d = open_device("gtx480", NULL);
    assert_true(chase_open(&c, d, 1 * MB, &diag));
    assert_false(chase_run(&c, CHASE_GLOBAL, &(Walk){0, 0, CHASE_TIMED + 1, true}, 1, got, &diag));
    assert_non_null(strstr(diag.text.v, "at most 8000"));
    diag_free(&diag);
    diag = (Diag){0};
    assert_false(chase_run(&c, CHASE_GLOBAL, &(Walk){2 * MB, 0, 1, true}, 1, got, &diag));  // outside
    diag_free(&diag);
    chase_close(&c);
    diag = (Diag){0};
    assert_false(chase_open(&c, d, 1ull << 40, &diag));
    diag_free(&diag);
    chase_close(&c);
    oc_close(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kepler), cmocka_unit_test(fermi_without_l1), cmocka_unit_test(fermi_with_l1), cmocka_unit_test(fermi_misses), cmocka_unit_test(others), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
