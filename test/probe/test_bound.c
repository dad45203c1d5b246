// How much a part may do: what is executed is counted, a refused run adds nothing, and the part says what isn't known
// for that. The machines are those on which a part took minutes, or had no end: an L1 as large as the L2, or larger; an
// L1 of many hashed sets; no L2. The short form cuts at fewer places, and leaves some of the machines to the long one.
#include "check.h"
#include "machine.h"
#include "opened.h"
#include "probe/measure.h"
#include "probe/unit.h"

#include <string.h>

static void taking(void **state)
{
    (void)state;
    Bound b = {.most = 100}, none = {.most = 0};
    assert_true(bound_take(&b, 60));
    assert_false(b.spent);
    assert_false(bound_take(&b, 41));
    assert_true(b.spent);
    assert_int_equal(b.done, 60);
    assert_false(bound_take(&b, UINT64_MAX));
    assert_true(bound_asks(&b));
    assert_true(bound_take(&b, 40));
    assert_false(bound_take(&b, 1));
    assert_false(bound_asks(&b));
    assert_true(bound_take(&none, UINT64_MAX) && bound_asks(&none));
    assert_true(bound_take(NULL, UINT64_MAX) && bound_asks(NULL));
}

// A sequence is executed once for each window of its timed loads, and so often its loads count. The hash of 256 sets
// has line bits 0 to 7, most of them with a higher one. When all orders went round in one sequence (watch, sets.c), 7.9
// million loads were executed instead of 1.5.
static void hashed(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.size=128KiB", "l1.index_bits=7^13,8^14,9^15,10^17,11^19,12^20,16^21,18",
                                       NULL};
    Chase c;
    Diag diag = {0};
    Found f;
    Bound b = {.most = 3000000};
    uint32_t latency[30000];
    const Walk walk = {.stride = 128, .count = COUNT(latency), .timed = true};
    oc_device *d = open_device("gtx480", sets, 1);
    if (!chase_open(&c, d, 64 << 20, &diag)) fail_msg("%s", diag.text.v);
    Subject s = {.of = &c,
                 .run = run_chase,
                 .window = window_of_chase,
                 .stagger = 128,
                 .cold = true,
                 .keep = 1 << 24,
                 .bound = &b};
    memcpy(s.span, c.span, sizeof s.span);
    const uint64_t executions = (COUNT(latency) + chase_window(&c, 1) - 1) / chase_window(&c, 1);
    assert_true(executions > 2 && subject_run(&s, CHASE_GLOBAL, &walk, 1, 1, 0, latency, &diag));
    assert_int_equal(b.done, executions * COUNT(latency));
    if (!infer_cache(&s, CHASE_GLOBAL, 0, &f, &diag)) fail_msg("%s", diag.text.v);
    assert_false(b.spent);
    assert_int_equal(b.done, c.loads);
    assert_true(f.size.value == 128 << 10 && f.sets.value == 256 && f.rule.value == RULE_LRU);
    for (uint32_t k = 0; k < 256; k++) assert_int_equal(f.shape.ways[k], 4);
    found_free(&f);
    subject_close(&s);
    chase_close(&c);
    oc_close(d);
}

static void probe(const char *gpu, const char *const *sets, uint32_t parts, uint64_t most, Probe *p)
{
    Diag diag = {0};
    oc_device *d = open_device(gpu, sets, 1);
    if (!probe_device(d, &(ProbeOptions){.parts = parts, .most = most}, p, &diag)) fail_msg("%s", diag.text.v);
    oc_close(d);
}

// What the L1 has isn't known, and isn't written as if it were.
static void large(void **state)
{
    (void)state;
    static const char *const sets[][3] = {{"l1.size=768KiB", "l1.index=bits", NULL},
                                          {"l1.size=1536KiB", "l1.index=bits", NULL}};
    for (size_t k = 0; k < (getenv("ONCHIP_LONG") ? COUNT(sets) : 1); k++) {
        Probe p;
        Text text = {0};
        probe("gtx480", sets[k], 1u << PART_L1, 300000, &p);
        assert_int_equal(p.part[PART_L1].state, PART_DONE);
        assert_string_equal(p.part[PART_L1].why, "it needs more than the 0.3 million loads that a part may make. Not "
                                                 "known: size, line, sets, index, policy, hit, miss");
        assert_true(p.loads <= 300000);
        assert_int_equal(p.cache[PART_L1].size.verdict, UNDETERMINED);
        assert_string_equal(p.cache[PART_L1].size.why, bound_why);
        assert_true(p.cache[PART_L1].fill.value == 128);
        probe_emit(&p, &text);
        assert_non_null(strstr(text.v, "# Part l1 isn't complete: it needs more than the 0.3 million loads"));
        assert_non_null(strstr(text.v, "size       = 0            # assumed, since its size isn't known: it would"));
        assert_non_null(strstr(text.v, "global     = no           # assumed\n"));
        text_free(&text);
        probe_free(&p);
    }
}

// Every part of a chase ends, and all that it makes stays below the bound. There is no L2, so no spectrum.
static void no_l2(void **state)
{
    (void)state;
    enum { MOST = 150000 };
    static const char *const sets[] = {"l2.size=0", NULL};
    Probe p;
    probe("gtx480", sets, (1u << PART_FOOTPRINT) - 1, MOST, &p);
    assert_int_equal(p.part[PART_L2].state, PART_ABSENT);
    assert_int_equal(p.part[PART_SPECTRUM].state, PART_ABSENT);
    assert_int_equal(p.part[PART_L1].state, PART_DONE);
    for (int k = 0; k < CACHES; k++) {
        if (p.part[k].state != PART_DONE) continue;
        const Found *f = &p.cache[k];
        const bool all =
            f->size.verdict == MEASURED && f->rule.verdict == MEASURED && f->low.verdict == MEASURED && p.misses[k].n;
        if (all == (p.part[k].why != NULL)) fail_msg("%s: %s", part_info[k].name, p.part[k].why);
    }
    assert_true(p.loads <= PART_FOOTPRINT * MOST);
    probe_free(&p);
}

// A launch that would exceed the bound isn't made, and nothing is said to have failed. gtx480 has 15 SMs. Part l2 asks
// them in turn; each launch has a warp for each SM.
static void threads(void **state)
{
    (void)state;
    oc_device *d = open_device("gtx480", NULL, 1);
    Diag diag = {0};
    Bound b = {.most = 15 * 32 * 3};
    FoundL2 l2 = {.near = {.verdict = ABSENT}};
    Throughput t;
    HitCurve c;
    assert_false(l2_halves(d, &b, &l2, &diag));
    assert_true(b.spent && !diag.failed);
    assert_int_equal(b.done, 15 * 32 * 3);
    assert_int_equal(l2.sm.n, 3);
    assert_int_equal(l2.near.verdict, UNDETERMINED);
    assert_string_equal(l2.near.why, bound_why);
    assert_string_equal(l2.far.why, bound_why);
    l2_free(&l2);
    // 12 points of a block each more than before, of 1024 threads; the L2's words are brought in first, so three
    // launches a point: the curve along blocks is whole, the next one isn't.
    b = (Bound){.most = 3 * 1024 * (1 + 2 + 3 + 5 + 6 + 7 + 8 + 10 + 11 + 12 + 13 + 15) + 3 * 1024};
    assert_false(throughput_measure(d, 0.4, &b, &t, &diag));
    assert_true(b.spent && !diag.failed && b.done <= b.most);
    assert_int_equal(t.curves.n, 1);
    throughput_free(&t);
    // A launch of 32 threads has one for 128 bytes, and 256 to bring these into the L2.
    b = (Bound){.most = 2 * 256 + 32 + 64};
    assert_false(hits_measure(d, HITS_L1, &b, &c, &diag));
    assert_true(b.spent && !diag.failed);
    assert_int_equal(c.n, 2);
    oc_close(d);
}

// A random machine, of which as many loads may be asked for. Its truth is known.
static void ask(uint64_t seed, bool tlbs, uint64_t most, Found *cache, FoundTlbs *both, uint64_t *done)
{
    Machine m;
    Diag diag = {0};
    Bound b = {.most = most};
    machine_draw(&m, seed);
    machine_open(&m);
    m.subject.bound = &b;
    if (!(tlbs ? infer_tlbs(&m.subject, CHASE_L2, both, &diag)
               : infer_cache(&m.subject, CHASE_GLOBAL, 0, cache, &diag)) &&
        !b.spent)
        fail_msg("machine %llu: %s", (unsigned long long)seed, diag.text.v);
    assert_false(diag.failed);
    assert_true(b.done <= most);
    *done = b.done;
    machine_close(&m);
}

// What few loads find is what many find, or nothing.
static void agree(const Found *few, const Found *many, uint64_t most)
{
    const Value *a[] = {&few->size, &few->line, &few->fill, &few->entries, &few->sets, &few->index, &few->rule},
                *b[] = {&many->size, &many->line, &many->fill, &many->entries, &many->sets, &many->index, &many->rule};
    for (size_t k = 0; k < COUNT(a); k++)
        if (a[k]->verdict == MEASURED && (b[k]->verdict != MEASURED || a[k]->value != b[k]->value))
            fail_msg("value %zu with %llu loads: %g, not %g", k, (unsigned long long)most, a[k]->value, b[k]->value);
    assert_int_equal(few->size.verdict, few->index.verdict == MEASURED ? MEASURED : few->size.verdict);
}

// Wherever the bound cuts, no value is wrong for that.
static void caches(void **state)
{
    (void)state;
    enum { MANY = 1 << 30 };
    static const uint64_t seeds[] = {1, 25, 27};
    const bool all = getenv("ONCHIP_LONG");
    const uint64_t cuts = all ? 40 : 8;
    for (size_t s = 0; s < (all ? COUNT(seeds) : 2); s++) {
        Found many, few;
        uint64_t done, unused;
        ask(seeds[s], false, MANY, &many, NULL, &done);
        for (uint64_t k = 1; k <= cuts; k++) {
            ask(seeds[s], false, done * k / cuts, &few, NULL, &unused);
            agree(&few, &many, done * k / cuts);
            found_free(&few);
        }
        found_free(&many);
    }
}

// With the last number of loads, the questions end while the sets that were found are checked.
static void tlbs(void **state)
{
    (void)state;
    static const uint64_t most[] = {50000, 500000, 1678608};
    FoundTlbs many, few;
    uint64_t unused;
    ask(1, true, 1 << 30, NULL, &many, &unused);
    for (size_t k = getenv("ONCHIP_LONG") ? 0 : COUNT(most) - 1; k < COUNT(most); k++) {
        ask(1, true, most[k], NULL, &few, &unused);
        for (int t = 0; t < 2; t++) {
            agree(&few.level[t], &many.level[t], most[k]);
            found_free(&few.level[t]);
        }
    }
    for (int t = 0; t < 2; t++) found_free(&many.level[t]);
}

typedef struct Failing {
    Subject own;
    Bound *bound;
} Failing;

// Fails by itself after something was refused.
static bool fail_later(void *of, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                       uint32_t *latency, Diag *diag)
{
    Failing *f = of;
    if (f->bound->spent) return diag_error(diag, "the device is gone");
    return f->own.run(f->own.of, kind, walks, n, rounds, first, latency, diag);
}

static void failure(void **state)
{
    (void)state;
    Machine m;
    Diag diag = {0};
    Found found;
    machine_draw(&m, 1);
    machine_open(&m);
    Bound b = {.most = 1 << 20, .spent = true};
    Failing f = {m.subject, &b};
    Subject s = m.subject;
    s.of = &f, s.run = fail_later, s.bound = &b;
    assert_false(infer_cache(&s, CHASE_GLOBAL, 0, &found, &diag));
    assert_non_null(strstr(diag.text.v, "the device is gone"));
    diag_free(&diag);
    found_free(&found);
    subject_close(&s);
    machine_close(&m);
}

// Only what isn't known because of the bound is named. What was to be measured later gets the reason; what is absent
// for another reason stays so.
static void names(void **state)
{
    (void)state;
    static Probe p;
    Text t = {0};
    Found *f = &p.cache[PART_L1];
    *f = (Found){.size = counted(1024),
                 .entries = counted(8),
                 .line = counted(128),
                 .fill = counted(32),
                 .sets = counted(2),
                 .index = counted(FORM_MODULO),
                 .rule = undetermined("no policy"),
                 .low = counted(20)};
    bound_names(&p, PART_L1, &t);
    assert_string_equal(t.v, "miss, misses by the size of an array");
    assert_string_equal(f->high.why, bound_why);
    f->high = counted(100), p.misses[PART_L1].n = 1, text_free(&t);
    bound_names(&p, PART_L1, &t);
    assert_int_equal(t.n, 0);

    p.l2 = (FoundL2){.size = undetermined(bound_why),
                     .line = undetermined(bound_why),
                     .fill = undetermined(bound_why),
                     .hit = counted(200)};
    bound_names(&p, PART_L2, &t);
    assert_string_equal(t.v, "size, line, fill, miss");
    assert_int_equal(p.l2.near.verdict, ABSENT);
    p.l2.size = p.l2.line = p.l2.fill = p.l2.miss = counted(1), p.l2.near = p.l2.far = undetermined(bound_why);
    text_free(&t);
    bound_names(&p, PART_L2, &t);
    assert_string_equal(t.v, "hits in a nearer and a farther half");
    text_free(&t);

    found_unknown(&p.tlbs.level[0], undetermined(bound_why));
    found_unknown(&p.tlbs.level[1], undetermined("the other one isn't known"));
    p.tlbs.page = counted(4096), p.tlbs.late = p.tlbs.walk = undetermined("it isn't known"), p.window = absent("none");
    bound_names(&p, PART_TLB, &t);
    assert_string_equal(t.v, "l1_tlb size, l1_tlb sets, l1_tlb index, l1_tlb policy");
    assert_int_equal(p.window.verdict, ABSENT);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taking), cmocka_unit_test(hashed),  cmocka_unit_test(large),
        cmocka_unit_test(no_l2),  cmocka_unit_test(threads), cmocka_unit_test(caches),
        cmocka_unit_test(tlbs),   cmocka_unit_test(failure), cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
