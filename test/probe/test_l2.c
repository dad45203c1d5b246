// The L2 of described GPUs: as it is described, whether its size is given or not.
#include "check.h"
#include "opened.h"
#include "probe/infer.h"
#include "probe/measure.h"

#include <string.h>

enum { LOADS = 4 << 20 };

typedef struct Want {
    const char *gpu;
    const char *const *sets;
    uint32_t kib, line, fill, hit;
} Want;

static void compare(const Want *w, uint64_t given)
{
    oc_device *d = open_device(w->gpu, w->sets, 1);
    Chase c;
    FoundL2 f = {.hit = {.verdict = ABSENT}};
    Diag diag = {0};
    if (!chase_open(&c, d, 512 << 20, &diag)) fail_msg("%s", diag.text.v);
    Subject s = {.of = &c, .run = run_chase, .cold = true};
    memcpy(s.span, c.span, sizeof s.span);
    if (!l2_infer(&s, given, LOADS, &f, &diag)) fail_msg("%s", diag.text.v);
    const double truth = 1024.0 * w->kib;
    if (f.size.verdict != MEASURED || f.size.low < 0.98 * truth || f.size.low > truth || f.size.high < truth)
        fail_msg("%s, given %llu: %g to %g bytes, %s", w->gpu, (unsigned long long)given, f.size.low, f.size.high,
                 f.size.why ? f.size.why : "");
    if (f.line.value != w->line || f.fill.value != w->fill)
        fail_msg("%s, given %llu: line %g (%s), fill %g", w->gpu, (unsigned long long)given, f.line.value,
                 f.line.why ? f.line.why : "", f.fill.value);
    if (f.hit.low > w->hit || f.hit.high < w->hit) fail_msg("%s: a hit takes %g", w->gpu, f.hit.value);
    subject_close(&s);
    l2_free(&f);
    chase_close(&c);
    oc_close(d);
}

// mei Tables 1 and 3, s-l1 §2.1 and §2.3; what the papers don't say is as the descriptions have it. Where a hash
// chooses partitions or sets, they may not fill up evenly.
static void sizes(void **state)
{
    (void)state;
    const Want want[] = {{"gtx560ti", NULL, 512, 128, 128, 371},
                         {"gtx480", NULL, 768, 128, 32, 176},
                         {"gtx780", NULL, 1536, 128, 32, 230}};
    for (size_t k = 0; k < COUNT(want); k++) {
        if (getenv("ONCHIP_LONG") || k % 2) compare(&want[k], want[k].kib * 1024ull);
        if (getenv("ONCHIP_LONG") || k % 2 == 0) compare(&want[k], 0);
    }
    compare(&want[0], 2 << 20);  // four times as much as there is
}

// One of fills of 32 bytes, whose slice a hash chooses; in the long form a larger one.
static void hashed(void **state)
{
    (void)state;
    const bool large = getenv("ONCHIP_LONG");
    const char *const sets[] = {large ? "l2.size=4MiB" : "l2.size=1MiB", "l2.partitions=4", "l2.hash=yes", NULL};
    const Want want = {"titan_black", sets, large ? 4096 : 1024, 128, 32, 240};
    compare(&want, want.kib * 1024ull);
}

// Victims drawn at random leave lines of before for many rounds: in three ways, and with two halves.
static void drawn(void **state)
{
    (void)state;
    if (!getenv("ONCHIP_LONG")) skip();
    static const char *const halves[] = {"l2.replacement=random", "l2.far=37", NULL}, *const three[] = {
                                                                                          "l2.replacement=random",
                                                                                          "l2.ways=3",
                                                                                          "l2.size=1152KiB",
                                                                                          "l2.index=xor", NULL};
    const Want want[] = {{"gtx780", three, 1152, 128, 32, 230}, {"gtx780", halves, 1536, 128, 32, 248}};
    for (size_t k = 0; k < COUNT(want); k++) compare(&want[k], want[k].kib * 1024ull);
}

// Without an L2 every load takes as long as one that missed in it: mei Table 3, pattern 4. That shows with few loads.
static void none(void **state)
{
    (void)state;
    static const char *const sets[] = {"l2.size=0", NULL};
    oc_device *d = open_device("gtx780", sets, 1);
    Chase c;
    FoundL2 f = {.hit = {.verdict = ABSENT}};
    Diag diag = {0};
    if (!chase_open(&c, d, 64 << 20, &diag)) fail_msg("%s", diag.text.v);
    Subject s = {.of = &c, .run = run_chase, .cold = true};
    memcpy(s.span, c.span, sizeof s.span);
    assert_true(l2_infer(&s, 0, LOADS, &f, &diag));
    assert_int_equal(f.size.verdict, ABSENT);
    assert_int_equal(f.hit.verdict, ABSENT);
    assert_true(f.miss.low <= 371 && 371 <= f.miss.high);
    assert_true(s.loads < 10000);
    subject_close(&s);
    l2_free(&f);
    chase_close(&c);
    oc_close(d);
}

// An L2 that is too large for the loads that are allowed stays undetermined, whether its size is given or not.
static void too_large(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        oc_device *d = open_device("gtx780", NULL, 1);
        Chase c;
        FoundL2 f = {.hit = {.verdict = ABSENT}};
        Diag diag = {0};
        if (!chase_open(&c, d, 64 << 20, &diag)) fail_msg("%s", diag.text.v);
        Subject s = {.of = &c, .run = run_chase, .cold = true};
        memcpy(s.span, c.span, sizeof s.span);
        assert_true(l2_infer(&s, given ? 1536 << 10 : 0, 40000, &f, &diag));
        assert_int_equal(f.size.verdict, UNDETERMINED);
        assert_int_equal(f.line.verdict, UNDETERMINED);
        assert_true(s.loads <= 3 * 40000);
        assert_true(f.hit.low <= 230 && 230 <= f.hit.high);
        subject_close(&s);
        l2_free(&f);
        chase_close(&c);
        oc_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(hashed), cmocka_unit_test(drawn),
                                       cmocka_unit_test(none), cmocka_unit_test(too_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
