// Throughput of simulated GPUs against what s-l1 §2.3 measured on a Titan Black and against what descriptions say; the
// fit of a saturation against curves made by hand.
#include "check.h"
#include "opened.h"
#include "probe/measure.h"

#include <math.h>
#include <string.h>

static const FlowCurve *curve_of(const Throughput *t, FlowKind kind, uint32_t ways, bool along_blocks, uint32_t blocks)
{
    for (size_t k = 0; k < t->curves.n; k++) {
        const FlowCurve *c = &t->curves.v[k];
        if (c->kind == kind && c->ways == ways && c->along_blocks == along_blocks &&
            (along_blocks || c->points[0].blocks == blocks))
            return c;
    }
    fail_msg("no such curve");
    return NULL;
}

static void near_to(double got, double want, double part, const char *what)
{
    if (fabs(got / want - 1) > part) fail_msg("%s: %g, should be %g", what, got, want);
}

// Fig. 5 and 6 and the text: an SM flattens after about 512 threads at slightly less than 32 GB/s, 15 reach close to
// 480 GB/s and grow in proportion; DRAM's peak is 307 GB/s, from about ten blocks on, after about 480 threads of 15.
static void titan_black(void **state)
{
    (void)state;
    Throughput t;
    Diag diag = {0};
    oc_device *d = open_device("titan_black", NULL, 2);
    if (!throughput_measure(d, 0.4, NULL, &t, &diag)) fail_msg("%s", diag.text.v);
    const FlowCurve *one = curve_of(&t, FLOW_L2, 4, false, 1), *all = curve_of(&t, FLOW_L2, 4, false, 15),
                    *blocks = curve_of(&t, FLOW_L2, 4, true, 0);
    assert_int_equal(one->knee.at.verdict, MEASURED);
    near_to(one->knee.peak.value, 31.36, 0.01, "an SM's throughput");
    near_to(one->knee.at.value, 512, 0.1, "threads that saturate an SM");
    assert_int_equal(one->limit, LIMIT_SM);
    near_to(all->knee.peak.value, 480, 0.03, "L2 throughput of 15 SMs");
    assert_int_equal(all->limit, LIMIT_SM);
    assert_int_equal(blocks->limit, LIMIT_SM);
    assert_int_equal(blocks->knee.at.verdict, UNDETERMINED);
    near_to(one->points[0].useful * 2, one->points[0].moved, 1e-9, "four words of a sector's eight");

    blocks = curve_of(&t, FLOW_DRAM, 4, true, 0), all = curve_of(&t, FLOW_DRAM, 4, false, 15),
    one = curve_of(&t, FLOW_DRAM, 4, false, 1);
    near_to(blocks->knee.peak.value, 307, 0.01, "DRAM throughput");
    near_to(blocks->knee.at.value, 10, 0.05, "blocks that saturate DRAM");
    assert_int_equal(blocks->limit, LIMIT_MEMORY);
    assert_int_equal(all->limit, LIMIT_MEMORY);
    near_to(all->knee.at.value, 480, 0.1, "threads of 15 blocks that saturate DRAM");  // "about" 480
    assert_int_equal(one->limit, LIMIT_SM);
    near_to(one->knee.peak.value, 31.36, 0.01, "an SM's throughput from DRAM");

    // Shared memory doesn't flatten (the paper: 60 GB/s at its end, by a kernel we don't have).
    one = curve_of(&t, FLOW_SHARED, 32, false, 1), blocks = curve_of(&t, FLOW_SHARED, 32, true, 0);
    assert_int_equal(one->limit, LIMIT_THREADS);
    assert_int_equal(blocks->limit, LIMIT_SM);
    assert_true(one->points[one->n - 1].moved > 60 && one->points[one->n - 1].moved < 128 * 0.98);
    throughput_free(&t);
    oc_close(d);
}

static double at(Flow *f, FlowKind kind, uint32_t blocks, uint32_t threads, uint32_t ways, double *useful)
{
    FlowPoint p = {.kind = kind, .blocks = blocks, .threads = threads, .ways = ways};
    Diag diag = {0};
    if (!flow_point(f, &p, &diag)) fail_msg("%s", diag.text.v);
    if (p.why) fail_msg("%u blocks of %u, %u-way: %s", blocks, threads, ways, p.why);
    *useful = p.useful;
    return p.moved;
}

// Other coalescing than the figures'. Whole lines: 64 loads of an SM under way, 275 cycles each with the links' share,
// are 29.7 GB/s, below its port. Sectors: with six slices, which serve a request each a cycle, they would reach 188
// GB/s.
static void coalescing(void **state)
{
    (void)state;
    static const char *const six[] = {"l2.partitions=6", NULL};
    double useful;
    Flow f;
    Diag diag = {0};
    oc_device *d = open_device("titan_black", NULL, 2);
    assert_true(flow_open(&f, d, &diag));
    near_to(at(&f, FLOW_L2, 15, 1024, 32, &useful), 15 * 29.7, 0.02, "L2 throughput of 15 SMs, whole lines");
    near_to(at(&f, FLOW_DRAM, 15, 1024, 32, &useful), 307, 0.07,
            "DRAM throughput, whole lines");  // unevenly, by a hash
    near_to(at(&f, FLOW_L2, 15, 512, 1, &useful), 15 * 31.36, 0.01, "L2 throughput of sectors");
    near_to(useful, 15 * 31.36 / 8, 0.01, "of which are asked for");
    double moved = at(&f, FLOW_L2, 1, 64, 32, &useful);
    near_to(useful, moved, 1e-9, "all of a whole line is asked for");
    flow_close(&f);
    oc_close(d);
    d = open_device("titan_black", six, 2);
    assert_true(flow_open(&f, d, &diag));
    near_to(at(&f, FLOW_L2, 15, 512, 1, &useful), 6 * 32 * 0.98, 0.05, "six slices' throughput of sectors");
    flow_close(&f);
    oc_close(d);
    // A Fermi: the data sheet's DRAM.
    d = open_device("gtx560ti", NULL, 2);
    assert_true(flow_open(&f, d, &diag));
    near_to(at(&f, FLOW_DRAM, 8, 1024, 32, &useful), 128.3, 0.05, "the 560 Ti's DRAM");
    flow_close(&f);
    oc_close(d);
}

// What doesn't fit the L2 isn't called its throughput.
static void too_much(void **state)
{
    (void)state;
    Flow f;
    Diag diag = {0};
    FlowPoint p = {.kind = FLOW_L2, .blocks = 15, .threads = 1024, .ways = 1};
    oc_device *d = open_device("gtx480", NULL, 2);
    assert_true(flow_open(&f, d, &diag));
    assert_true(flow_point(&f, &p, &diag));
    assert_non_null(p.why);
    assert_non_null(strstr(p.why, "don't fit the L2"));
    assert_true(p.moved == 0);
    flow_close(&f);
    oc_close(d);
    // Nor is what doesn't fit the memory read.
    static const char *const little[] = {"gpu.memory=1MiB", NULL};
    p = (FlowPoint){.kind = FLOW_L2, .blocks = 15, .threads = 1024, .ways = 1};
    d = open_device("titan_black", little, 2);
    assert_true(flow_open(&f, d, &diag));
    assert_true(flow_point(&f, &p, &diag));
    assert_non_null(p.why);
    assert_non_null(strstr(p.why, "memory is too small"));
    flow_close(&f);
    oc_close(d);
}

static void fits(void **state)
{
    (void)state;
    double x[16], y[16];
    for (int k = 0; k < 16; k++) x[k] = 64 * (k + 1), y[k] = MIN(0.05 * x[k], 25);
    Knee k = knee_fit(x, y, 16);
    assert_int_equal(k.at.verdict, MEASURED);
    assert_true(fabs(k.at.value - 500) < 2 && k.at.low <= 500 && 500 <= k.at.high && k.at.high - k.at.low < 20);
    assert_true(fabs(k.peak.value - 25) < 1e-9);
    assert_true(fabs(k.slope - 0.05) < 1e-3);
    // Noise widens the interval and doesn't move it away.
    for (int p = 0; p < 16; p++) y[p] *= p % 3 ? 1.03 : 0.95;
    Knee n = knee_fit(x, y, 16);
    assert_int_equal(n.at.verdict, MEASURED);
    assert_true(n.at.low < 500 && 500 < n.at.high && n.at.high - n.at.low > k.at.high - k.at.low);
    for (int p = 0; p < 16; p++) y[p] = 0.05 * x[p];
    k = knee_fit(x, y, 16);
    assert_int_equal(k.at.verdict, UNDETERMINED);
    assert_non_null(strstr(k.at.why, "still grows"));
    for (int p = 0; p < 16; p++) y[p] = MIN(0.05 * x[p], 0.05 * 1000);  // one point behind is none
    assert_int_equal(knee_fit(x, y, 16).at.verdict, UNDETERMINED);
    for (int p = 0; p < 16; p++) y[p] = 25;
    k = knee_fit(x, y, 16);
    assert_int_equal(k.at.verdict, UNDETERMINED);
    assert_int_equal(k.peak.verdict, MEASURED);
    assert_int_equal(knee_fit(x, y, 3).at.verdict, UNDETERMINED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(titan_black), cmocka_unit_test(coalescing),
                                       cmocka_unit_test(too_much), cmocka_unit_test(fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
