// A description that probe emits loads; what it says was measured is what the probed description has; unequal sets,
// hashes, weights and what is around them come through; a probe that had no time for anything still gives a
// description.
#include "check.h"
#include "description.h"
#include "opened.h"
#include "probe/infer.h"
#include "probe/measure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The emitted text as the simulator reads it, "\nsection.key=value" each.
static char *read_back(const Probe *p, Text *text)
{
    char path[] = "/tmp/onchip-emit-XXXXXX.ini";
    Diag diag = {0};
    Text all = {0};
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    probe_emit(p, text);
    assert_int_equal(write(file, text->v, text->n), text->n);
    close(file);
    text_put(&all, "\n");
    if (!description_read(path, &all, &diag)) fail_msg("%s\n%s", diag.text.v, text->v);
    unlink(path);
    return all.v;
}

static char *described(const char *gpu)
{
    Text all = {0};
    Diag diag = {0};
    text_put(&all, "\n");
    if (!description_read(gpu, &all, &diag)) fail_msg("%s", diag.text.v);
    return all.v;
}

static void value_of(const char *all, const char *section, const char *key, char out[400])
{
    char name[100];
    snprintf(name, sizeof name, "\n%s.%s=", section, key);
    const char *at = strstr(all, name);
    if (!at) fail_msg("no key %s", name + 1);
    at += strlen(name);
    snprintf(out, 400, "%.*s", (int)strcspn(at, "\n"), at);
}

// An L1 that serves local memory alone is seen through as much as a warp has of it, 512 KiB at most: address bits above
// that take no part in what is measured.
static void drop_unseen_bits(char *masks)
{
    char all[400];
    size_t n = 0;
    for (char *at = masks; *at && n < sizeof all; at += strspn(at, " ")) {
        char *end;
        uint64_t mask = strtoull(at, &end, 16);
        assert_true(end > at);
        n += (size_t)snprintf(all + n, sizeof all - n, "%llx ", (unsigned long long)(mask & ((512 << 10) - 1)));
        at = end;
    }
    memcpy(masks, all, sizeof all);
}

// Every key of these sections that was measured, and not only within an interval, is the description's. Gives back how
// many.
static int compare(const Probe *p, const char *gpu, const char *sections)
{
    Text text = {0};
    Ini ini = {0};
    Diag diag = {0};
    char *ours = read_back(p, &text), *theirs = described(gpu), a[400], b[400];
    int n = 0;
    assert_true(ini_parse(&ini, "emitted", text.v, text.n, &diag));
    for (size_t k = 0; k < ini.entries.n; k++) {
        const IniEntry *e = &ini.entries.v[k];
        if (!strstr(sections, e->section) || strncmp(e->comment, "measured", 8)) continue;
        value_of(ours, e->section, e->key, a), value_of(theirs, e->section, e->key, b);
        if (!strcmp(e->key, "index_bits")) drop_unseen_bits(a), drop_unseen_bits(b);
        if (strcmp(a, b)) fail_msg("%s: %s.%s is %s, described %s (%s)", gpu, e->section, e->key, a, b, e->comment);
        n++;
    }
    ini_free(&ini), text_free(&text), mem_free(ours), mem_free(theirs);
    return n;
}

static void probe(const char *gpu, uint32_t parts, double budget, Probe *p)
{
    oc_device *d = open_device(gpu, NULL, 2);
    Diag diag = {0};
    const ProbeOptions o = {.parts = parts, .budget = budget};
    if (!probe_device(d, &o, p, &diag)) fail_msg("%s: %s", gpu, diag.text.v);
    oc_close(d);
}

static void recovered(void **state)
{
    (void)state;
    Probe p;
    bool all = getenv("ONCHIP_LONG");
    uint32_t parts = 1u << PART_L1 | 1u << PART_TEXTURE | 1u << PART_LOCAL | 1u << PART_SPECTRUM | 1u << PART_SHARED;
    if (all) parts |= 1u << PART_L2 | 1u << PART_TLB | 1u << PART_OPS;
    probe("gtx780", parts, 0, &p);
    assert_int_equal(p.part[PART_L1].state, PART_ABSENT);  // global loads go past it: mei §2
    // Each cache and TLB has five to ten keys, shared memory five, each of nine operations one.
    int n = compare(&p, "gtx780", "l1 readonly tlb1 tlb2 shared latency l2 lsu dram");
    if (n < (all ? 48 : 15)) fail_msg("only %d keys were measured", n);
    probe_free(&p);
}

static void l2(void **state)
{
    (void)state;
    Probe p;
    probe("gtx560ti", 1u << PART_L2, 0, &p);
    assert_int_equal(p.part[PART_L2].state, PART_DONE);
    assert_true(p.l2.size.low <= 512 << 10 && p.l2.size.high >= 512 << 10);
    assert_true(p.l2.line.value == 128 && p.l2.fill.value == 128);
    assert_true(p.l2.hit.value == 371 && p.l2.miss.value == 639);  // mei Table 3, L1 disabled
    assert_int_equal(p.l2.near.verdict, ABSENT);
    assert_int_equal(p.l2.sm.n, 8);
    Text text = {0};
    char *all = read_back(&p, &text), value[400];
    value_of(all, "l2", "size", value);
    assert_string_equal(value, "524288");
    mem_free(all), text_free(&text);
    probe_free(&p);
}

// mei Table 3 from what is known of the TLBs, in one run each.
static void spectrum(void **state)
{
    (void)state;
    static const double kepler[PATTERN_KINDS] = {0, 230, 236, 289, 371, 734, 1000},
                        fermi[PATTERN_KINDS] = {0, 371, 398, 482, 639, 1245, 0};
    for (int g = 0; g < 2; g++) {
        oc_device *d = open_device(g ? "gtx560ti" : "gtx780", NULL, 1);
        Chase c;
        Diag diag = {0};
        const double *want = g ? fermi : kepler;
        oc_device_info info = oc_describe(d);
        if (!chase_open(&c, d, g ? 900u << 20 : 2u << 30, &diag)) fail_msg("%s", diag.text.v);
        Subject s = {.of = &c, .run = run_chase, .stagger = 128, .cold = true};
        memcpy(s.span, c.span, sizeof s.span);
        FoundTlbs t = {.page = counted(2 << 20)};
        FoundL2 l2 = {.size = counted((double)info.l2_bytes)};
        t.level[0].entries = counted(16), t.level[1].entries = counted(65);
        Value window, switching;
        Spectrum out;
        if (!window_infer(&s, &t, &l2, &window, &switching, &diag) ||
            !spectrum_measure(&s, CHASE_L2, NULL, &t, &l2, window, &out, &diag))
            fail_msg("%s", diag.text.v);
        assert_int_equal(window.verdict, g ? ABSENT : MEASURED);
        if (!g) assert_true(window.value == 512 << 20 && switching.value == 266);
        for (int k = 0; k < PATTERN_KINDS; k++)
            if (want[k] != out.pattern[k].value)
                fail_msg("%s, %s: %g, in the paper %g", info.name, pattern_name((Pattern)k), out.pattern[k].value,
                         want[k]);
        // Each is a mode of its own: nearly all of its loads were prepared for it.
        for (size_t m = 0; m < out.modes; m++)
            if (out.mode[m].n > 4 && out.mode[m].share < 0.9) fail_msg("%s: mode at %g", info.name, out.mode[m].mean);
        subject_close(&s);
        chase_close(&c);
        oc_close(d);
    }
}

static void set_shape(Found *f, Form form, uint32_t sets, const uint32_t *ways, uint64_t line, Rule rule)
{
    *f = (Found){.size = counted(0),
                 .line = counted((double)line),
                 .fill = counted((double)line),
                 .sets = counted(sets),
                 .index = counted(form),
                 .rule = counted(rule),
                 .low = counted(30),
                 .high = counted(200)};
    f->shape = (Shape){.form = form, .rule = rule, .sets = sets, .ways = mem_alloc(sizeof *ways * sets)};
    for (uint32_t k = 0; k < sets; k++) f->shape.ways[k] = ways[k < 7 ? k : 6], f->shape.lines += f->shape.ways[k];
    f->entries = counted((double)f->shape.lines);
    f->size = counted((double)(f->shape.lines * line));
}

static void expect(const char *all, const char *section, const char *key, const char *want)
{
    char value[400];
    value_of(all, section, key, value);
    while (*value && value[strlen(value) - 1] == ' ') value[strlen(value) - 1] = 0;
    if (strcmp(value, want)) fail_msg("%s.%s is %s, not %s", section, key, value, want);
}

static void shapes(void **state)
{
    (void)state;
    static const uint32_t four[] = {4, 4, 4, 4, 4, 4, 4}, unequal[] = {17, 8, 8, 8, 8, 8, 8}, sixteen[] = {16};
    Probe p = {.name = mem_text("odd # one; two"),
               .device = {.capability = 35,
                          .clock_mhz = 1000,
                          .memory = 1 << 30,
                          .sms = 4,
                          .l2_bytes = 1 << 20,
                          .shared_sm = 49152,
                          .shared_block = 49152}};
    Text text = {0};
    // XOR as gtx480's: five bits, folded with those above.
    set_shape(&p.cache[PART_L1], FORM_LINEAR, 32, four, 128, RULE_WEIGHTED);
    for (int b = 5; b < 20; b++) p.cache[PART_L1].shape.kernel[b] = 1ull << b | 1ull << b % 5;
    for (int w = 0; w < 4; w++) p.cache[PART_L1].weight[w] = measured(w == 1 ? 0.5 : 1 / 6.0, 0.1, 0.6);
    p.part[PART_L1].state = PART_DONE;
    set_shape(&p.tlbs.level[0], FORM_ONE, 1, sixteen, 2 << 20, RULE_LRU);
    set_shape(&p.tlbs.level[1], FORM_DEALT, 7, unequal, 2 << 20, RULE_LRU);
    p.tlbs.page = counted(2 << 20), p.tlbs.late = counted(6), p.tlbs.walk = counted(53);
    shape_deal(&p.tlbs.level[1].shape);
    p.part[PART_TLB].state = PART_DONE;
    p.window = counted(512 << 20), p.switching = counted(266);
    assert_string_equal(form_name(&p.cache[PART_L1].shape), "xor");
    char *all = read_back(&p, &text);
    expect(all, "l1", "index", "4");
    assert_non_null(strstr(text.v, "index_bits = 7^12^17^22, 8^13^18^23, 9^14^19^24, 10^15^20^25, 11^16^21^26 "));
    expect(all, "l1", "size", "16384");
    expect(all, "tlb1", "entries", "16");
    expect(all, "tlb1", "ways", "16");
    expect(all, "tlb2", "entries", "65");
    expect(all, "tlb2", "window", "536870912");
    expect(all, "tlb2", "penalty", "53");
    expect(all, "tlb2", "sets", "17 8 8 8 8 8 8");
    assert_non_null(strstr(text.v, "weights    = 0.1667, 0.5000, 0.1667, 0.1667"));
    // Not a fold: line bit 9, which is address bit 16, adds to the first and the fourth bit of the number.
    p.cache[PART_L1].shape.kernel[9] = 1 << 9 | 1 << 0 | 1 << 3;
    assert_string_equal(form_name(&p.cache[PART_L1].shape), "linear");
    text.n = 0, mem_free(all);
    all = read_back(&p, &text);
    assert_non_null(strstr(text.v, "index_bits = 7^12^16^17^22, 8^13^18^23, 9^14^19^24, 10^15^16^20^25, 11^21^26 "));
    // The key can have 64 unequal sets. The first 64 are kept, one of 17 entries and 63 of 8.
    shape_free(&p.tlbs.level[1].shape);
    set_shape(&p.tlbs.level[1], FORM_MODULO, 70, unequal, 2 << 20, RULE_LRU);
    set_shape(&p.cache[PART_TEXTURE], FORM_MODULO, 70, unequal, 64, RULE_LRU);
    p.part[PART_TEXTURE].state = PART_DONE;
    text.n = 0, mem_free(all);
    all = read_back(&p, &text);
    expect(all, "tlb2", "entries", "521");
    expect(all, "readonly", "size", "33344");  // in lines of 64 bytes
    assert_non_null(strstr(text.v, "the first 64"));
    mem_free(all), text_free(&text);
    probe_free(&p);
}

static void no_time(void **state)
{
    (void)state;
    Probe p;
    Text text = {0};
    probe("gtx480", 0, 1e-3, &p);
    for (int k = 0; k < PARTS; k++) {
        assert_int_equal(p.part[k].state, PART_LEFT_OUT);
        assert_non_null(strstr(p.part[k].why, "it takes about"));
    }
    mem_free(read_back(&p, &text));
    assert_non_null(strstr(text.v, "# Part l1 was left out"));
    assert_null(strstr(text.v, "# measured"));
    text_free(&text);
    probe_free(&p);
}

// A probe that a test fills in: nothing is known but the device.
static Probe made_up(void)
{
    return (Probe){.name = mem_text("made up"),
                   .device = {.capability = 35,
                              .clock_mhz = 1000,
                              .memory = 1 << 30,
                              .sms = 4,
                              .shared_sm = 49152,
                              .shared_block = 49152}};
}

// A cache or TLB that is there, and of which too little is known for a section, is told of with the reason. Nothing is
// called measured that isn't: neither that there is no such cache, nor what would be computed from its latencies.
static void unknown(void **state)
{
    (void)state;
    Probe p = made_up();
    p.device.l2_bytes = 1 << 20;
    Text text = {0};
    found_unknown(&p.cache[PART_L1], undetermined("reason one"));
    found_unknown(&p.cache[PART_TEXTURE], undetermined("reason two"));
    found_unknown(&p.cache[PART_CONST], undetermined("reason three"));
    found_unknown(&p.tlbs.level[0], undetermined("reason four"));
    found_unknown(&p.tlbs.level[1], undetermined("reason five"));
    p.l2.hit = counted(200);
    for (int k = 0; k <= PART_TLB; k++) p.part[k].state = PART_DONE;
    p.part[PART_READONLY].state = p.part[PART_LOCAL].state = PART_ABSENT;
    mem_free(read_back(&p, &text));
    assert_non_null(strstr(text.v, "[l1]\nsize       = 0            # assumed, since its size isn't known: reason one\n"
                                   "global     = no           # assumed\n"));
    assert_non_null(strstr(text.v,
                           "[readonly]\nsize       = 0            # assumed, since its size isn't known: reason "
                           "two\n"));
    assert_non_null(strstr(text.v, "\n# [const] isn't known: reason three\n"));
    assert_non_null(strstr(text.v, "\n# [tlb1] isn't known: reason four\n"));
    assert_non_null(strstr(text.v, "\n# [tlb2] isn't known: reason five\n"));
    // Texture fetches have a cache whose misses weren't measured, and read-only loads have none.
    static const uint32_t four[] = {4, 4, 4, 4, 4, 4, 4};
    found_free(&p.cache[PART_TEXTURE]);
    set_shape(&p.cache[PART_TEXTURE], FORM_MODULO, 32, four, 128, RULE_LRU);
    p.cache[PART_TEXTURE].high = undetermined("reason six");
    text.n = 0;
    mem_free(read_back(&p, &text));
    assert_non_null(strstr(text.v, "nc         = no           # measured"));
    assert_null(strstr(text.v, "extra"));
    // The other way round: only the cache of read-only loads is known.
    p.cache[PART_READONLY] = p.cache[PART_TEXTURE];
    p.cache[PART_TEXTURE] = (Found){.size = undetermined("reason seven")};
    p.part[PART_READONLY].state = PART_DONE;
    text.n = 0;
    mem_free(read_back(&p, &text));
    assert_non_null(strstr(text.v, "texture    = no           # assumed\n"));
    text_free(&text);
    probe_free(&p);
}

// What a walk to DRAM takes besides is written only if all is known that it is computed from.
static void walks(void **state)
{
    (void)state;
    static const uint32_t sixteen[] = {16};
    Probe p = made_up();
    Text text = {0};
    set_shape(&p.tlbs.level[0], FORM_ONE, 1, sixteen, 2 << 20, RULE_LRU);
    set_shape(&p.tlbs.level[1], FORM_ONE, 1, sixteen, 2 << 20, RULE_LRU);
    p.device.l2_bytes = 1 << 20;
    p.tlbs.page = counted(2 << 20), p.tlbs.late = counted(6), p.tlbs.walk = counted(53);
    p.l2.hit = counted(230), p.l2.miss = counted(371);
    p.part[PART_TLB].state = p.part[PART_L2].state = PART_DONE;
    p.spectra = 1, p.spectrum[0].kind = CHASE_L2;
    p.spectrum[0].pattern[PATTERN_DRAM] = counted(371), p.spectrum[0].pattern[PATTERN_DRAM_WALK] = counted(734);
    mem_free(read_back(&p, &text));
    assert_non_null(strstr(text.v, "far        = 163 "));  // 734 − 2 · 371 + 230 − 6 − 53
    p.tlbs.walk = undetermined("a reason");
    text.n = 0;
    mem_free(read_back(&p, &text));
    assert_null(strstr(text.v, "far "));
    text_free(&text);
    probe_free(&p);
}

// An L2 of two halves needs an even number of partitions. One is chosen where the size has a factor for it. Elsewhere
// the distance of the halves becomes a comment, and the description loads all the same.
static void halves(void **state)
{
    (void)state;
    static const struct {
        uint64_t size;  // in units of 2 KiB, 16 lines of 128 bytes: partitions take whole sets of these
        uint64_t partitions;
        const char *far;
    } cases[] = {{7 * 2, 14, "37"}, {768, 6, "37"}, {9, 9, NULL}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        Probe p = made_up();
        Text text = {0};
        char value[400];
        double size = 2048.0 * (double)cases[k].size;
        p.l2.size = (Value){MEASURED, size, size, size, NULL};
        p.l2.near = (Value){MEASURED, 230, 230, 230, NULL}, p.l2.far = (Value){MEASURED, 267, 267, 267, NULL};
        char *all = read_back(&p, &text);
        value_of(all, "l2", "partitions", value);
        assert_int_equal(atoi(value), cases[k].partitions);
        expect(all, "l2", "far", cases[k].far ? cases[k].far : "0");
        assert_true(!strstr(text.v, "# far = 37: measured") == (cases[k].far != NULL));
        mem_free(all);
        text_free(&text);
        probe_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovered), cmocka_unit_test(l2),      cmocka_unit_test(spectrum), cmocka_unit_test(shapes),
        cmocka_unit_test(no_time),   cmocka_unit_test(unknown), cmocka_unit_test(walks),    cmocka_unit_test(halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
