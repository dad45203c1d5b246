// Timed chases on simulated GPUs give the latencies that mei's tables have: Table 3 by patterns made by hand, exactly
// with the L1 off or absent, within 10 cycles with it on (the paper's rows aren't sums of fixed penalties), and Table
// 5's misses.
#include "check.h"
#include "doctored.h"
#include "opened.h"
#include "probe/measure.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t KB = 1024, MB = 1 << 20;

// Patterns 1 to 6: what is loaded before puts the line and the page where the pattern wants them.
static void table_3(const char *gpu, ChaseKind kind, const uint32_t want[6], uint32_t within)
{
    const Walk walks[] = {
        {0, 0, 0, 2, false},                      // line 0 and its page are everywhere
        {0, 0, 0, 1, true},                       // 1: data hit, L1 TLB hit
        {4 * MB + 4 * KB, 2 * MB, 0, 20, false},  // 20 more pages: past the L1 TLB's 16, not the L2 TLB's 65
        {32 * KB, 32 * KB, 0, 4,
         false},  // page 0 is back; another line of it, and more, so that an L1 forgets line 0 …
        {4 * MB + 4 * KB, 2 * MB, 0, 20, false},
        {0, 0, 0, 1, true},                        // 2: L1 TLB miss
        {4 * MB + 8 * KB, 2 * MB, 0, 140, false},  // 140 pages: past the L2 TLB
        {0, 0, 0, 1, true},                        // 3: L2 TLB miss, its entry in the L2
        {500 * KB, 0, 0, 1, true},                 // 4: a line nobody had, page known
        {400 * MB, 0, 0, 1, true},                 // 5: nor the page
        {700 * MB, 0, 0, 1, true},                 // 6: nor its entry active
    };
    uint32_t got[6];
    Chase c;
    Diag diag = {0};
    oc_device *d = open_device(gpu, NULL, 1);
    if (!chase_open(&c, d, 768 * MB, &diag) || !chase_run(&c, kind, walks, COUNT(walks), 1, 0, got, &diag))
        fail_msg("%s", diag.text.v);
    for (int p = 0; p < 6; p++)
        if (want[p] && labs((long)got[p] - (long)want[p]) > (long)within)
            fail_msg("%s, pattern %d: %u, the paper has %u", gpu, p + 1, got[p], want[p]);
    chase_close(&c);
    oc_close(d);
}

static void kepler(void **state)
{
    (void)state;
    table_3("gtx780", CHASE_GLOBAL, (const uint32_t[]){230, 236, 289, 371, 734, 1000}, 0);
}
static void fermi_without_l1(void **state)
{
    (void)state;
    table_3("gtx560ti", CHASE_L2, (const uint32_t[]){371, 398, 482, 639, 1245, 0}, 0);
}
static void fermi_with_l1(void **state)
{
    (void)state;
    table_3("gtx560ti", CHASE_GLOBAL, (const uint32_t[]){116, 0, 0, 655, 1259, 0}, 10);
}

// With every line of the L1 used up between: 404 and 488 are L1 misses that hit the L2, with one and two TLB misses.
static void fermi_misses(void **state)
{
    (void)state;
    const Walk walks[] = {
        {0, 0, 0, 2, false},
        {4 * MB, 128, 0, 2000, false},         // fills the L1 many times over; most of the L2 stays
        {4 * MB, 2 * MB + 512, 0, 20, false},  // pages that don't meet line 0 in its set of the L2
        {0, 0, 0, 1, true},
        {4 * MB, 128, 0, 2000, false},
        {4 * MB, 2 * MB + 512, 0, 140, false},
        {0, 0, 0, 1, true},
    };
    uint32_t got[2];
    Chase c;
    Diag diag = {0};
    oc_device *d = open_device("gtx560ti", NULL, 1);
    if (!chase_open(&c, d, 768 * MB, &diag) || !chase_run(&c, CHASE_GLOBAL, walks, COUNT(walks), 1, 0, got, &diag))
        fail_msg("%s", diag.text.v);
    assert_int_equal(got[0], 404);
    assert_int_equal(got[1], 488);
    chase_close(&c);
    oc_close(d);
}

static Chase opened(const char *gpu, uint64_t span)
{
    Chase c;
    Diag diag = {0};
    if (!chase_open(&c, open_device(gpu, NULL, 1), span, &diag)) fail_msg("%s", diag.text.v);
    return c;
}
static void closed(Chase *c)
{
    oc_device *d = c->device;
    chase_close(c);
    oc_close(d);
}
static void run(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first, uint32_t *got)
{
    Diag diag = {0};
    if (!chase_run(c, kind, walks, n, rounds, first, got, &diag)) fail_msg("%s", diag.text.v);
}

// A line, a stretch larger than the small caches, and the line again, twice: an L2 hit and a hit. What no paper has is
// the description's: const.latency, l1.latency for local memory, and the L2's where a miss goes there, as the links
// make it: at 32 bytes a cycle and 64 out of a partition, a line of 64 bytes takes 1 cycle more than a sector on the
// 780 and one of 128 4; on the 480, whose l2.latency is a line's, a sector takes 6 less and 64 bytes 4. The Titan
// Black's partitions give 43 bytes.
static void others(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        ChaseKind kind;
        uint32_t hit, l2;
    } of[] = {
        {"gtx780", CHASE_READONLY, 110, 220},    {"titan_black", CHASE_READONLY, 110, 240},
        {"titan_black", CHASE_GLOBAL, 240, 240}, {"gtx480", CHASE_GLOBAL, 40, 182},
        {"gtx560ti", CHASE_TEXTURE, 240, 470},  // mei Table 5
        {"gtx780", CHASE_TEXTURE, 110, 220},    // mei Table 5
        {"gtx480", CHASE_TEXTURE, 150, 182},     {"gtx780", CHASE_CONST, 46, 231},
        {"gtx480", CHASE_CONST, 12, 178},        {"gtx780", CHASE_LOCAL, 90, 234},
        {"titan_black", CHASE_LOCAL, 80, 245},   {"gtx560ti", CHASE_LOCAL, 116, 377},
    };
    for (size_t k = 0; k < COUNT(of); k++) {
        const Walk walks[] = {
            {0, 0, 0, 1, false}, {16 * KB, 32, 0, of[k].kind == CHASE_CONST ? 1536 : 4096, false}, {0, 0, 0, 2, true}};
        uint32_t got[2];
        Chase c = opened(of[k].gpu, 16 * MB);
        run(&c, of[k].kind, walks, COUNT(walks), 1, 0, got);
        if (got[0] != of[k].l2 || got[1] != of[k].hit)
            fail_msg("%s, kind %d: %u and %u, expected %u and %u", of[k].gpu, of[k].kind, got[0], got[1], of[k].l2,
                     of[k].hit);
        closed(&c);
    }
}

// Consecutive words of local memory are those of the lanes of a warp: with all of them a line is seen, of whatever
// size.
static void local_lines(void **state)
{
    (void)state;
    const char *const small[] = {"l1.line=32", "l1.sector=32", "l1.fill=32", "l1.ways=16", NULL};
    for (int line = 128; line >= 32; line -= 96) {
        uint32_t got[64];
        Diag diag = {0};
        Chase c;
        oc_device *d = open_device("gtx780", line == 32 ? small : NULL, 1);
        assert_true(chase_open(&c, d, MB, &diag));
        run(&c, CHASE_LOCAL, &(Walk){64 * KB, 4, 0, 64, true}, 1, 1, 0, got);
        for (int k = 0; k < 64; k++) assert_int_equal(got[k] > 90, k % (line / 4) == 0);
        closed(&c);
    }
}

static void spans(void **state)
{
    (void)state;
    uint32_t got;
    Diag diag = {0};
    Chase c = opened("gtx780", 16 * MB);
    const uint64_t want[CHASE_KINDS] = {16 * MB, 16 * MB, 16 * MB, 16 * MB, 64 * KB, 512 * KB};
    for (int k = 0; k < CHASE_KINDS; k++) {
        assert_int_equal(c.span[k], want[k]);
        run(&c, (ChaseKind)k, &(Walk){want[k] - 4, 0, 0, 1, true}, 1, 1, 0, &got);
        assert_false(chase_run(&c, (ChaseKind)k, &(Walk){want[k] - 4, 4, 0, 2, true}, 1, 1, 0, &got, &diag));
        assert_non_null(strstr(diag.text.v, "within"));
        diag_free(&diag);
        diag = (Diag){0};
    }
    closed(&c);
}

// A thread that may have less local memory than the kernel wants: that kind isn't there, the others are.
static void refused(void **state)
{
    (void)state;
    const char *const sets[] = {"sm.local=512", NULL};
    uint32_t got;
    Diag diag = {0};
    Chase c;
    oc_device *d = open_device("gtx780", sets, 1);
    assert_true(chase_open(&c, d, MB, &diag));
    assert_int_equal(c.span[CHASE_LOCAL], 0);
    assert_false(chase_run(&c, CHASE_LOCAL, &(Walk){0, 0, 0, 1, true}, 1, 1, 0, &got, &diag));
    assert_non_null(strstr(diag.text.v, "no local loads"));
    diag_free(&diag);
    for (int k = 0; k < CHASE_LOCAL; k++) run(&c, (ChaseKind)k, &(Walk){0, 0, 0, 1, true}, 1, 1, 0, &got);
    closed(&c);
}

// Which lines a walk touches shows in what hits afterwards.
static void addresses(void **state)
{
    (void)state;
    uint32_t got[8];
    Chase c = opened("gtx780", 16 * MB);
    const uint64_t hit = 110;
    // 3 lines of 32 bytes, 96 apart around a ring of 256: at 0, 96, 192, then 32, 128 and 224
    const Walk ring[] = {{MB, 96, 256, 6, false}, {MB, 32, 0, 8, true}};
    for (int k = CHASE_READONLY; k <= CHASE_TEXTURE; k++) {
        run(&c, (ChaseKind)k, ring, 2, 1, 0, got);
        const bool touched[8] = {true, true, false, true, true, false, true, true};
        for (int n = 0; n < 8; n++) assert_int_equal(got[n] == hit, touched[n]);
    }
    // backwards
    const Walk back[] = {{MB + 224, -64, 0, 4, false}, {MB, 32, 0, 8, true}};
    run(&c, CHASE_TEXTURE, back, 2, 1, 0, got);
    for (int n = 0; n < 8; n++) assert_int_equal(got[n] == hit, n % 2);
    // one word back from the walk's start, and more than 2^31 in one step would not fit in 32 bits
    const Walk step[] = {{MB, -4, 0, 2, false}, {MB - 32, 32, 0, 2, true}};
    run(&c, CHASE_TEXTURE, step, 2, 1, 0, got);
    assert_true(got[0] == hit && got[1] == hit);
    closed(&c);
    c = opened("titan_black", 5ull << 30);
    const Walk far[] = {{0, 3ll << 30, 0, 2, false}, {3ull << 30, -(3ll << 30), 0, 2, true}, {MB, 0, 0, 1, true}};
    run(&c, CHASE_READONLY, far, 3, 1, 0, got);
    assert_true(got[0] == hit && got[1] == hit && got[2] > hit);
    closed(&c);
}

// Rounds: the first finds nothing, later ones what the ones before brought.
static void rounds(void **state)
{
    (void)state;
    uint32_t got[30];
    Chase c = opened("gtx780", 16 * MB);
    const Walk walks[] = {{0, 32, 0, 4, true}, {4 * KB, 32, 0, 100, false}, {8 * KB, 32, 0, 2, true}};
    assert_int_equal(chase_timed(walks, 3), 6);
    run(&c, CHASE_TEXTURE, walks, 3, 5, 0, got);
    for (int k = 0; k < 30; k++) assert_int_equal(got[k] > 110, k < 6);
    memset(got, 0xff, sizeof got);
    run(&c, CHASE_TEXTURE, walks, 3, 5, 3, got);
    for (int k = 0; k < 30; k++) assert_int_equal(got[k], k < 12 ? 110 : UINT32_MAX);
    run(&c, CHASE_TEXTURE, walks, 3, 2, 2, got);  // none is kept
    closed(&c);
}

// More timed loads than one window holds: all are there, and each has the latency it has alone. 25 KB go round in 12
// KB.
static void windows(void **state)
{
    (void)state;
    Chase c = opened("gtx780", 16 * MB);
    const Walk walks[] = {{0, 32, 0, 384, true}, {13 * KB, 0, 0, 3, false}, {0, 32, 0, 40, true}, {MB, 4, 0, 16, true}};
    const uint32_t timed = (uint32_t)chase_timed(walks, COUNT(walks)), n = 60,
                   window = (uint32_t)chase_window(&c, COUNT(walks));
    assert_in_range(window, 4096, 12288);
    uint32_t *all = calloc(n * timed, 4), *one = calloc(timed, 4);
    size_t launches = oc_launches(c.device);
    run(&c, CHASE_TEXTURE, walks, COUNT(walks), n + 1, 1, all);
    assert_int_equal(oc_launches(c.device) - launches, (n * timed + window - 1) / window);
    for (uint32_t r = 1; r <= n; r += 7) {
        run(&c, CHASE_TEXTURE, walks, COUNT(walks), r + 1, r, one);
        assert_memory_equal(one, all + (r - 1) * timed, 4 * timed);
    }
    uint32_t hits = 0;
    for (uint32_t k = 0; k < n * timed; k++) hits += all[k] == 110;
    assert_in_range(hits, n * timed / 20, n * timed / 20 * 19);  // both occur
    free(all), free(one);
    closed(&c);
}

// A sequence as long as there can be, and what is too long.
static void refusals(void **state)
{
    (void)state;
    enum { N = CHASE_WALKS };
    static Walk walks[N + 1];
    static uint32_t got[N + 1];
    Diag diag = {0};
    const char *const sets[] = {"shared.max=16KiB", NULL};
    Chase c = opened("gtx480", MB);
    for (uint32_t w = 0; w <= N; w++) walks[w] = (Walk){128 * w, 0, 0, 1, true};
    run(&c, CHASE_GLOBAL, walks, N, 1, 0, got);
    run(&c, CHASE_GLOBAL, walks, 0, 1, 0, got);
    const struct {
        Walk walk;
        size_t n;
        const char *says;
    } bad[] = {{walks[0], N + 1, "at most 1000"},          {{2 * MB, 0, 0, 1, true}, 1, "walk 0"},
               {{2, 0, 0, 1, true}, 1, "multiples of 4"},  {{0, 2, 0, 1, true}, 1, "multiples of 4"},
               {{0, 64, 64, 1, true}, 1, "walk 0"},        {{0, -64, 0, 2, true}, 1, "walk 0"},
               {{MB - 64, 32, 128, 4, true}, 1, "walk 0"}, {{0, 0, 0, 1u << 30, true}, 1, "2^29"}};
    for (size_t k = 0; k < COUNT(bad); k++) {
        walks[0] = bad[k].walk;
        assert_false(chase_run(&c, CHASE_GLOBAL, walks, bad[k].n, 1, 0, got, &diag));
        if (!strstr(diag.text.v, bad[k].says)) fail_msg("'%s' lacks '%s'", diag.text.v, bad[k].says);
        diag_free(&diag);
        diag = (Diag){0};
    }
    oc_device *d = c.device;
    chase_close(&c);
    assert_false(chase_open(&c, d, 1ull << 40, &diag));
    diag_free(&diag);
    chase_close(&c);
    oc_close(d);

    // Less shared memory than 1000 walks need.
    diag = (Diag){0};
    walks[0] = walks[1];
    d = open_device("gtx480", sets, 1);
    assert_true(chase_open(&c, d, MB, &diag));
    assert_true(chase_run(&c, CHASE_GLOBAL, walks, 400, 1, 0, got, &diag));
    assert_false(chase_run(&c, CHASE_GLOBAL, walks, N, 1, 0, got, &diag));
    diag_free(&diag);
    chase_close(&c);
    oc_close(d);
}

// --- what a real GPU's driver may do ---------------------------------------------------------------------------------
// A real GPU is refused if the clock is read before a load is done, and only then.
static void early_clock(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "h200", "gtx560ti", "gtx780", "titan_black"};
    for (size_t k = 0; k < (getenv("ONCHIP_LONG") ? COUNT(gpus) : 2); k++)
        for (int early = 0; early < 2; early++) {
            oc_device *d = open_device(gpus[k], NULL, 1);
            Chase c;
            Diag diag = {0};
            if (early)
                device_reads_clock_early(d);
            else
                device_is_real(d);
            bool opened = chase_open(&c, d, 64 * MB, &diag);
            if (opened == early) fail_msg("%s: %s", gpus[k], early ? "an early clock wasn't seen" : diag.text.v);
            if (early)
                if (!strstr(diag.text.v, "the clock can't be trusted with")) fail_msg("%s: %s", gpus[k], diag.text.v);
            diag_free(&diag);
            chase_close(&c);
            device_is_honest(d);
            oc_close(d);
        }
}

// GPUs set local memory aside for all threads that can be resident: at most a seventh of the memory is asked for, and
// less if the driver has no room for that.
static void local_memory(void **state)
{
    (void)state;
    static const char *const little[] = {"gpu.memory=256MiB", NULL}, *const allowed[] = {"sm.local=4KiB", NULL};
    const struct {
        const char *gpu;
        const char *const *sets;
        bool refuses;
        uint32_t bytes;
    } of[] = {{"h200", NULL, false, 16 << 10},         // 132 × 2048 threads: 4.1 GiB of 141 GB
              {"titan_black", NULL, false, 16 << 10},  // 15 × 2048: 480 MiB of 6 GiB
              {"gtx780", NULL, false, 16 << 10},       // 12 × 2048: 384 of 3071 MiB
              {"gtx780", allowed, false, 4 << 10},    {"gtx560ti", little, false, 2 << 10},  // 32 of 256 MiB
              {"gtx780", NULL, true, 2 << 10}};
    for (size_t k = 0; k < COUNT(of); k++) {
        oc_device *d = open_device(of[k].gpu, of[k].sets, 1);
        Chase c;
        Diag diag = {0};
        if (of[k].refuses) device_has_local(d, 2048);
        uint32_t last;
        if (!chase_open(&c, d, 64 * MB, &diag)) fail_msg("%s: %s", of[k].gpu, diag.text.v);
        assert_int_equal(c.local, of[k].bytes);
        assert_int_equal(c.span[CHASE_LOCAL], 32 * of[k].bytes);
        run(&c, CHASE_LOCAL, &(Walk){c.span[CHASE_LOCAL] - 4, 0, 0, 1, true}, 1, 1, 0, &last);
        assert_true(last > 0);
        chase_close(&c);
        device_is_honest(d);
        oc_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kepler),       cmocka_unit_test(fermi_without_l1), cmocka_unit_test(fermi_with_l1),
        cmocka_unit_test(fermi_misses), cmocka_unit_test(others),           cmocka_unit_test(local_lines),
        cmocka_unit_test(spans),        cmocka_unit_test(refused),          cmocka_unit_test(addresses),
        cmocka_unit_test(rounds),       cmocka_unit_test(windows),          cmocka_unit_test(refusals),
        cmocka_unit_test(early_clock),  cmocka_unit_test(local_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
