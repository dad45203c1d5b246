// Caches and TLBs of the described GPUs, from traces alone: what mei's Tables 4 and 5 say of them, and what the
// descriptions do where no paper says anything. The short form leaves out a second cache or TLB of the same kind.
#include "check.h"
#include "opened.h"
#include "probe/infer.h"
#include "probe/measure.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t KB = 1024, MB = 1 << 20;

typedef struct Gpu {
    oc_device *device;
    Chase chase;
    Subject subject;
    Diag diag;
} Gpu;

static void open_gpu(Gpu *g, const char *name, const char *const *sets, uint64_t span)
{
    *g = (Gpu){.device = open_device(name, sets, 1)};
    if (!chase_open(&g->chase, g->device, span, &g->diag)) fail_msg("%s", g->diag.text.v);
    g->subject = (Subject){
        .of = &g->chase, .run = run_chase, .window = window_of_chase, .stagger = 128, .cold = true, .keep = 16 << 20};
    memcpy(g->subject.span, g->chase.span, sizeof g->subject.span);
    g->subject.walks = chase_walks(&g->chase);
}

static void close_gpu(Gpu *g)
{
    subject_close(&g->subject);
    chase_close(&g->chase);
    oc_close(g->device);
    diag_free(&g->diag);
}

typedef struct Want {
    ChaseKind kind;
    uint32_t size, line, fill, sets, ways, block;
    Form form;
    Rule rule;
    uint32_t hit;
} Want;

static void compare(const char *gpu, const Want *w, const Found *f)
{
    const struct {
        const char *what;
        double got, want;
    } of[] = {{"size", f->size.value, w->size},
              {"line", f->line.value, w->line},
              {"fill", f->fill.value, w->fill},
              {"sets", f->sets.value, w->sets},
              {"block", f->shape.block, w->block},
              {"form", f->index.value, w->form},
              {"rule", f->rule.value, w->rule},
              {"hit", f->low.value, w->hit},
              {"entries", f->entries.value, w->sets * w->ways}};
    for (size_t k = 0; k < COUNT(of); k++)
        if (of[k].got != of[k].want)
            fail_msg("%s, loads of kind %d: %s is %g, not %g", gpu, w->kind, of[k].what, of[k].got, of[k].want);
    for (uint32_t k = 0; k < w->sets; k++)
        if (f->shape.ways[k] != w->ways)
            fail_msg("%s, loads of kind %d: set %u has %u ways", gpu, w->kind, k, f->shape.ways[k]);
    // What was inferred, run on every access, gives what was seen.
    if (!f->accesses || f->mismatches)
        fail_msg("%s, loads of kind %d: %llu of %llu accesses differ", gpu, w->kind, (unsigned long long)f->mismatches,
                 (unsigned long long)f->accesses);
}

static void caches(const char *gpu, const char *const *sets, const Want *want, size_t n)
{
    Gpu g;
    open_gpu(&g, gpu, sets, 64 * MB);
    for (size_t k = 0; k < n; k++) {
        Found f;
        if (!infer_cache(&g.subject, want[k].kind, 0, &f, &g.diag)) fail_msg("%s", g.diag.text.v);
        compare(gpu, &want[k], &f);
        found_free(&f);
    }
    close_gpu(&g);
}

static void gtx560ti(void **state)
{
    (void)state;
    // mei Table 4, §4.3 (bits 7-8 choose the texture set: blocks of 4 lines of 32 bytes) and Table 5
    const Want want[] = {{CHASE_GLOBAL, 16 * KB, 128, 128, 32, 4, 0, FORM_MODULO, RULE_WEIGHTED, 116},
                         {CHASE_TEXTURE, 12 * KB, 32, 32, 4, 96, 2, FORM_MODULO, RULE_LRU, 240},
                         {CHASE_CONST, 8 * KB, 64, 64, 32, 4, 0, FORM_MODULO, RULE_LRU, 46}};
    caches("gtx560ti", NULL, want, COUNT(want));
}

static void gtx780(void **state)
{
    (void)state;
    const Want want[] = {{CHASE_LOCAL, 16 * KB, 128, 128, 32, 4, 0, FORM_LINEAR, RULE_LRU, 90},
                         {CHASE_READONLY, 12 * KB, 32, 32, 4, 96, 2, FORM_MODULO, RULE_LRU, 110},
                         {CHASE_TEXTURE, 12 * KB, 32, 32, 4, 96, 2, FORM_MODULO, RULE_LRU, 110}};
    caches("gtx780", NULL, want, getenv("ONCHIP_LONG") ? COUNT(want) : 1);
}

static void titan_black(void **state)
{
    (void)state;
    if (!getenv("ONCHIP_LONG")) skip();  // gtx780 has the same caches but for the L1's spaces

    const Want want[] = {{CHASE_READONLY, 48 * KB, 128, 32, 16, 24, 0, FORM_MODULO, RULE_LRU, 110},
                         {CHASE_LOCAL, 16 * KB, 128, 128, 32, 4, 0, FORM_LINEAR, RULE_LRU, 80}};
    caches("titan_black", NULL, want, COUNT(want));
}

// An L1 that is hardly faster than the L2 behind it (371 cycles past the L1, 377 for a line) is an L1 still.
static void near_l2(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.latency=360", NULL};
    const Want want[] = {{CHASE_GLOBAL, 16 * KB, 128, 128, 32, 4, 0, FORM_MODULO, RULE_WEIGHTED, 360}};
    Gpu g;
    Presence p;
    open_gpu(&g, "gtx560ti", sets, 64 * MB);
    assert_true(find_presence(&g.subject, CHASE_GLOBAL, &p, &g.diag));
    assert_true(p.there.verdict == MEASURED && p.there.value == 1);
    assert_true(p.own == 360 && p.past == 371);
    close_gpu(&g);
    caches("gtx560ti", sets, want, COUNT(want));
}

// mei §4.2: Fermi's L1 has 48 KB in 6 ways where shared memory has 16 KB of an SM's 64. Then a sequence has room for
// fewer walks than elsewhere: each takes 32 bytes, and two recorded loads beside it 8.
static void split_48(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.size=48KiB", "l1.ways=6", "shared.size=16KiB", "shared.max=16KiB", NULL};
    const Want want[] = {{CHASE_GLOBAL, 48 * KB, 128, 128, 64, 6, 0, FORM_MODULO, RULE_WEIGHTED, 116},
                         {CHASE_TEXTURE, 12 * KB, 32, 32, 4, 96, 2, FORM_MODULO, RULE_LRU, 240}};
    Gpu g;
    open_gpu(&g, "gtx560ti", sets, 64 * MB);
    assert_true(g.subject.walks <= 16 * KB / 40 && g.subject.walks > 16 * KB / 40 - 3);
    assert_true(chase_window(&g.chase, g.subject.walks) >= 2 * g.subject.walks);
    close_gpu(&g);
    caches("gtx560ti", sets, want, getenv("ONCHIP_LONG") ? COUNT(want) : 1);
}

// mei §4.2: the ways of Fermi's L1 are replaced with probabilities 1/6, 1/2, 1/6, 1/6.
static void weights(void **state)
{
    (void)state;
    static const double want[] = {1 / 6.0, 1 / 2.0, 1 / 6.0, 1 / 6.0};
    Gpu g;
    Found f;
    open_gpu(&g, "gtx560ti", NULL, 64 * MB);
    assert_true(infer_cache(&g.subject, CHASE_GLOBAL, 0, &f, &g.diag));
    for (int k = 0; k < 4; k++) {
        double half = 0.5 * (f.weight[k].high - f.weight[k].low);
        if (f.weight[k].value < want[k] - 2 * half || f.weight[k].value > want[k] + 2 * half)
            fail_msg("way %d: %g", k, f.weight[k].value);
    }
    found_free(&f);
    close_gpu(&g);
}

// ciao §V-A: the L1's index is a hash, that of Nugteren et al.: address bits 7 to 11 XOR 13, 14, 15, 17 and 19. Lines
// to which it gives one number share a set, and others don't.
static void hash(void **state)
{
    (void)state;
    const Want want = {CHASE_GLOBAL, 16 * KB, 128, 128, 32, 4, 0, FORM_LINEAR, RULE_LRU, 40};
    Gpu g;
    Found f;
    open_gpu(&g, "gtx480", NULL, 64 * MB);
    assert_true(infer_cache(&g.subject, CHASE_GLOBAL, 0, &f, &g.diag));
    compare("gtx480", &want, &f);
    uint32_t known[32] = {0};
    for (uint32_t x = 0; x < f.span; x++) {
        uint32_t upper = (x >> 6 & 7) | (x >> 10 & 1) << 3 | (x >> 12 & 1) << 4;
        uint32_t fold = (x & 31) ^ upper, set = shape_set(&f.shape, x);
        if (!known[fold]) known[fold] = set + 1;
        if (known[fold] != set + 1) fail_msg("line %u is in set %u", x, set);
    }
    found_free(&f);
    close_gpu(&g);
}

// mei Fig. 11: the page after the 65 that fit overflows the large set, and each further one a small one; all pages of
// such a set miss, one more than it has entries.
static void overflow(Gpu *g, const char *gpu, const FoundTlbs *f)
{
    MissCurve c;
    if (!curve_tlb(&g->subject, CHASE_L2, f, 1, &c, &g->diag)) fail_msg("%s", g->diag.text.v);
    assert_true(c.n && c.point[0].bytes <= 130 * MB && c.point[c.n - 1].bytes >= 144 * MB);
    for (size_t k = 0; k < c.n; k++) {
        double pages = (double)(c.point[k].bytes / (2 * MB)), got = c.point[k].misses * pages;
        double want = pages <= 65 ? 0 : pages <= 72 ? 18 + 9 * (pages - 66) : pages;
        if (got < want - 0.01 || got > want + 0.01) fail_msg("%s: %g of %g pages miss, not %g", gpu, got, pages, want);
    }
}

// mei Table 4 and Fig. 10: 16 entries fully associative; 65 entries in one set of 17 and six of 8; pages of 2 MB. Table
// 3: penalties of 27 and 84 cycles on Fermi, 6 and 53 on Kepler.
static void tlbs(const char *gpu, double late, double walk)
{
    Gpu g;
    FoundTlbs f;
    open_gpu(&g, gpu, NULL, 900 * MB);
    if (!infer_tlbs(&g.subject, CHASE_L2, &f, &g.diag)) fail_msg("%s", g.diag.text.v);
    assert_true(f.page.value == 2.0 * MB);
    assert_true(f.level[0].entries.value == 16 && f.level[0].sets.value == 1 && f.level[0].rule.value == RULE_LRU);
    assert_true(f.level[1].entries.value == 65 && f.level[1].sets.value == 7 && f.level[1].rule.value == RULE_LRU);
    uint32_t large = 0, small = 0;
    for (uint32_t k = 0; k < 7; k++) large += f.level[1].shape.ways[k] == 17, small += f.level[1].shape.ways[k] == 8;
    assert_true(large == 1 && small == 6);
    if (f.late.value != late || f.walk.value != walk)
        fail_msg("%s: penalties %g and %g", gpu, f.late.value, f.walk.value);
    for (int k = 0; k < 2; k++)
        if (!f.level[k].accesses || f.level[k].mismatches)
            fail_msg("%s, TLB %d: %llu of %llu accesses differ", gpu, k + 1, (unsigned long long)f.level[k].mismatches,
                     (unsigned long long)f.level[k].accesses);
    overflow(&g, gpu, &f);
    found_free(&f.level[0]), found_free(&f.level[1]);
    close_gpu(&g);
}

static void fermi_tlbs(void **state)
{
    (void)state;
    if (!getenv("ONCHIP_LONG")) skip();
    tlbs("gtx560ti", 398 - 371, 482 - 398);
}
static void kepler_tlbs(void **state)
{
    (void)state;
    if (!getenv("ONCHIP_LONG")) skip();  // test_book.c finds them, too
    tlbs("gtx780", 236 - 230, 289 - 236);
}

// The L2 TLB holds 126 pages. Of four times as many, 1 GB has no room, and twice as many tell as well what a miss adds.
static void little_memory(void **state)
{
    (void)state;
    static const char *const sets[] = {"tlb1.entries=24",
                                       "tlb1.ways=12",
                                       "tlb1.replacement=fifo",
                                       "tlb2.entries=126",
                                       "tlb2.sets=18,18,18,18,18,18,18",
                                       "tlb2.index=modulo",
                                       NULL};
    Gpu g;
    FoundTlbs f;
    if (!getenv("ONCHIP_LONG")) skip();
    open_gpu(&g, "gtx560ti", sets, 960 * MB);
    if (!infer_tlbs(&g.subject, CHASE_L2, &f, &g.diag)) fail_msg("%s", g.diag.text.v);
    assert_true(f.level[0].entries.value == 24 && f.level[0].sets.value == 2 && f.level[0].rule.value == RULE_FIFO);
    assert_true(f.level[1].entries.value == 126 && f.level[1].sets.value == 7 && f.level[1].rule.value == RULE_LRU);
    assert_true(f.late.value == 398 - 371 && f.walk.value == 482 - 398);
    found_free(&f.level[0]), found_free(&f.level[1]);
    // With less, what a miss adds stays open. What was found by then isn't lost.
    g.subject.span[CHASE_L2] = 400 * MB;
    if (!infer_tlbs(&g.subject, CHASE_L2, &f, &g.diag)) fail_msg("%s", g.diag.text.v);
    assert_true(f.level[0].entries.value == 24);
    assert_true(f.walk.verdict == UNDETERMINED && f.walk.why);
    found_free(&f.level[0]), found_free(&f.level[1]);
    close_gpu(&g);
}

static void told(const Found *f, const char *why)
{
    const Value *const all[] = {&f->size, &f->entries, &f->sets, &f->index, &f->rule};
    for (size_t k = 0; k < COUNT(all); k++) {
        assert_int_equal(all[k]->verdict, UNDETERMINED);
        if (!strstr(all[k]->why, why)) fail_msg("%zu: %s", k, all[k]->why);
    }
}

// Seven unequal sets behind an XOR of page bits are none of the forms. Each value that follows from the sets has that
// reason. What a miss of the L1 TLB adds is known (mei Table 3: 236 - 230). With too little memory to overflow the L2
// TLB, no second step is found.
static void unknown_tlb(void **state)
{
    (void)state;
    static const char *const folded[] = {"tlb2.index=xor", NULL};
    Gpu g;
    FoundTlbs f;
    for (int none = 0; none < (getenv("ONCHIP_LONG") ? 2 : 1); none++) {
        open_gpu(&g, "gtx780", none ? NULL : folded, none ? 200 * MB : 300 * MB);
        if (!infer_tlbs(&g.subject, CHASE_L2, &f, &g.diag)) fail_msg("%s", g.diag.text.v);
        assert_true(f.level[0].entries.value == 16 && f.walk.verdict == UNDETERMINED && f.walk.why);
        told(&f.level[1], none ? "rise only once" : "which lines share a set");
        if (!none && f.late.value != 236 - 230) fail_msg("a miss of the L1 TLB adds %g", f.late.value);
        found_free(&f.level[0]), found_free(&f.level[1]);
        close_gpu(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gtx560ti),    cmocka_unit_test(gtx780),   cmocka_unit_test(titan_black),
        cmocka_unit_test(weights),     cmocka_unit_test(hash),     cmocka_unit_test(fermi_tlbs),
        cmocka_unit_test(kepler_tlbs), cmocka_unit_test(near_l2),  cmocka_unit_test(little_memory),
        cmocka_unit_test(unknown_tlb), cmocka_unit_test(split_48),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
