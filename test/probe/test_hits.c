// Hit rates estimated from latencies are those that the simulator counted; s-l1 Fig. 1: with few threads all but the
// first read of a line hit, with many none.
#include "check.h"
#include "opened.h"
#include "probe/probe.h"

#include <math.h>
#include <string.h>

// The rate that the n-th of the launches of the kernel that measures was counted to have. The counters are the test's:
// what is measured sees none.
static double counted_rate(const oc_device *d, HitKind kind, size_t n)
{
    const char *const accesses = kind == HITS_L1 ? "l1.accesses" : "readonly.accesses", *const hits =
                                                                                            kind == HITS_L1
                                                                                                ? "l1.hits"
                                                                                                : "readonly.hits";
    for (size_t l = 0; l < oc_launches(d); l++)
        if (!strcmp(oc_launch_kernel(d, l), "hits") && !n--)
            return (double)oc_launch_counter(d, l, hits) / (double)oc_launch_counter(d, l, accesses);
    return -1;
}

// most: the threads that fit an SM; fits: the most whose lines fit the cache, where it is LRU; best: the rate then.
static void as_counted(const char *gpu, const char *const *sets, HitKind kind, uint32_t most, uint32_t fits,
                       double best, double hit, double miss)
{
    oc_device *d = open_device(gpu, sets, 2);
    HitCurve c;
    Diag diag = {0};
    if (!hits_measure(d, kind, NULL, &c, &diag)) fail_msg("%s: %s", gpu, diag.text.v);
    if (c.why) fail_msg("%s: %s", gpu, c.why);
    assert_int_equal(c.points[c.n - 1].threads, most);
    hit += 2, miss += 2;  // issue slots between the readings of the clock
    if (c.hit.low > hit || hit > c.hit.high || c.miss.low > miss || miss > c.miss.high)
        fail_msg("%s: hits take %g to %g, not %g, and misses %g to %g, not %g", gpu, c.hit.low, c.hit.high, hit,
                 c.miss.low, c.miss.high, miss);
    for (size_t k = 0; k < c.n; k++) {
        const HitPoint *p = &c.points[k];
        double want = counted_rate(d, kind, k);
        if (p->rate.verdict != MEASURED) fail_msg("%s, %u threads: %s", gpu, p->threads, p->rate.why);
        if (fabs(p->rate.value - want) > 0.002)
            fail_msg("%s, %u threads: %.4f, counted %.4f", gpu, p->threads, p->rate.value, want);
        if (p->rate.low > want + 0.002 || p->rate.high < want - 0.002)
            fail_msg("%s, %u threads: %.4f to %.4f, counted %.4f", gpu, p->threads, p->rate.low, p->rate.high, want);
        if (p->threads <= fits)
            assert_true(fabs(p->rate.value - best) < 1e-9);
        else if (fits && p->threads > 1.4 * fits)
            assert_true(p->rate.value < 0.1);
    }
    oc_close(d);
}

// 16 KiB are 128 lines, one for each of 128 threads.
static void l1(void **state)
{
    (void)state;
    as_counted("titan_black", (const char *[]){"l1.global=yes", NULL}, HITS_L1, 2048, 128, 31.0 / 32, 80, 240);
    as_counted("gtx480", NULL, HITS_L1, 1536, 128, 31.0 / 32, 40, 182);
    as_counted("gtx560ti", NULL, HITS_L1, 1536, 0, 0, 116, 377);  // weighted ways: no such edge
}

// 32-byte lines: the first of eight words misses, and 12 KiB are 384 of them.
static void texture(void **state)
{
    (void)state;
    as_counted("gtx560ti", NULL, HITS_TEXTURE, 1536, 384, 7.0 / 8, 240, 470);
    as_counted("gtx780", NULL, HITS_READONLY, 2048, 384, 7.0 / 8, 110, 220);
}

static void nothing_there(void **state)
{
    (void)state;
    HitCurve c;
    Diag diag = {0};
    oc_device *d = open_device("titan_black", NULL, 2);  // its L1 serves local memory
    assert_true(hits_measure(d, HITS_L1, NULL, &c, &diag));
    assert_non_null(c.why);
    assert_int_equal(c.n, 0);
    assert_int_equal(c.hit.verdict, ABSENT);
    oc_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(l1), cmocka_unit_test(texture),
                                       cmocka_unit_test(nothing_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
