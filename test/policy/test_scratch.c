// The scratch cache: how many lines unused shared memory has room for (ciao Figure 7), what a direct-mapped cache does
// access by access, and that a line is never in it and in the L1 at once.
#include "check.h"
#include "device/device.h"
#include "seam.h"
#include "sm/unit.h"

#include <string.h>

// --- its shape -------------------------------------------------------------------------------------------------------
static void rows(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        bool modulo;
        uint32_t bytes, rows;
    } cases[] = {
        {8, false, 48 << 10, 128},  // of 192 rows; 4 of the others hold tags: 32 KB of data (ciao §IV-B)
        {8, false, 33 << 10, 128},  // just enough: 132 rows
        {8, false, 33791, 64},      // a byte less
        {8, false, 24 << 10, 64},   // 96 rows
        {8, false, 16 << 10, 32},   // 64 rows have no room for 64 and their tags
        {8, false, 512, 1},         // a row of data, a row with two tags
        {8, false, 511, 0},         {8, false, 0, 0},
        {8, false, 228 << 10, 256},  // eight bits of mask
        {9, false, 228 << 10, 512}, {0, false, 48 << 10, 1},
        {8, true, 48 << 10, 186},  // 186 rows, and 6 for 372 tags: as many as fit
        {8, true, 512, 1},          {8, true, 511, 0},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        SmCfg cfg = {.scratch_bits = cases[k].bits, .scratch_modulo = cases[k].modulo};
        assert_int_equal(scratch_rows(&cfg, cases[k].bytes), cases[k].rows);
    }
}

// --- where it lies ---------------------------------------------------------------------------------------------------
// An SM with 48 KB of shared memory and six slots for CTAs of 8 KB; those of `running` have one.
enum { SLOT = 8 << 10, SLOTS = 6, MOST_LINES = 256 };
typedef struct Slots {
    Sm sm;
    oc_cta_view cta[SLOTS];
    Cache *cache;
} Slots;

static void slots_open(Slots *s)
{
    const char *why;
    *s = (Slots){.sm.cfg = {.shared_size = SLOTS * SLOT, .scratch_bits = 8}};
    s->cache = &s->sm.ports.port[PORT_SCRATCH].cache;
    const CacheCfg cfg = {
        .size = MOST_LINES * 128, .line = 128, .sector = 32, .fill = 32, .ways = 1, .index = INDEX_MODULO};
    assert_true(cache_open(s->cache, &cfg, 1, &why));
    for (uint32_t k = 0; k < SLOTS; k++) s->cta[k] = (oc_cta_view){.shared_at = k * SLOT, .shared_size = SLOT};
    s->sm.issue.view.cta = s->cta, s->sm.issue.view.ctas = SLOTS;
    scratch_begin(&s->sm);
}

static void arrange(Slots *s, uint32_t running)
{
    for (uint32_t k = 0; k < SLOTS; k++) s->cta[k].running = running >> k & 1;
    scratch_arrange(&s->sm);
}

// The largest gap between CTAs is taken, of equal ones the first.
static void gaps(void **state)
{
    (void)state;
    static const struct {
        uint32_t running, at, lines;
    } cases[] = {{0, 0, 256},
                 {1 << 3, 0, 128},         // 24 KB below it, 16 above
                 {1 << 2, 3 * SLOT, 128},  // the other way round
                 {1 << 0 | 1 << 1 | 1 << 5, 2 * SLOT, 128},
                 {1 << 1 | 1 << 3, 4 * SLOT, 64},    // 8, 8 and 16 KB
                 {1 << 1 | 1 << 3 | 1 << 5, 0, 32},  // three of 8 KB
                 {0x3f, 0, 0}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        static Slots s;
        slots_open(&s);
        arrange(&s, cases[k].running);
        assert_int_equal(s.sm.issue.view.scratch_lines, cases[k].lines);
        assert_int_equal(s.cache->sets, cases[k].lines);
        if (cases[k].lines) assert_int_equal(s.sm.ports.scratch.at, cases[k].at);
        cache_close(s.cache);
    }
}

// What lies in rows that a CTA takes back is lost for good: it isn't there again when the CTA is over.
static void taken_back(void **state)
{
    (void)state;
    static Slots s;
    CacheLine *line;
    slots_open(&s);
    arrange(&s, 0);
    for (uint64_t k = 0; k < MOST_LINES; k++) {
        assert_int_equal(cache_lookup(s.cache, k * 128, 1, &line), MISS);
        cache_take(s.cache, line, k * 128);
    }
    arrange(&s, 1 << 3);  // 128 lines are left, from the same place on
    arrange(&s, 0);
    for (uint64_t k = 0; k < MOST_LINES; k++) assert_true(!cache_peek(s.cache, k * 128) == (k >= 128));
    cache_close(s.cache);
}

// --- runs ------------------------------------------------------------------------------------------------------------
// Each warp of a CTA adds up rounds · lines of its own and of a shared region, with a stride that makes the lines
// collide, and stores into a line that others read.
static const char kernel_text[] =
    ".version 7.0\n.target sm_35\n.address_size 64\n.extern .shared .b8 unused[];\n"
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 step)\n{\n"
    ".reg .b64 %o, %i, %a, %x;\n.reg .b32 %t, %w, %n, %v, %s, %k, %b, %z;\n.reg .pred %p, %q;\n"
    "ld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nld.param.u32 %z, [step];\n"
    "mov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %w, %ntid.x;\nmad.lo.u32 %t, %b, %w, %t;\n"
    "shr.u32 %w, %t, 5;\nand.b32 %k, %t, 31;\nmul.wide.u32 %x, %k, 4;\nadd.u64 %i, %i, %x;\n"
    "mov.u32 %n, 0;\nmov.u32 %s, 0;\n"
    "R:\nmov.u32 %k, 0;\n"
    "L:\nmad.lo.u32 %b, %k, %z, %w;\nadd.u32 %b, %b, %n;\nand.b32 %b, %b, 511;\nmul.wide.u32 %x, %b, 128;\n"
    "add.u64 %a, %i, %x;\nld.global.u32 %v, [%a];\nadd.u32 %s, %s, %v;\n"
    "add.u32 %k, %k, 1;\nsetp.lt.u32 %q, %k, 8;\n@%q bra L;\n"
    "mul.wide.u32 %x, %t, 4;\nadd.u64 %a, %o, %x;\nst.global.u32 [%a], %s;\n"
    "ld.global.u32 %v, [%a];\nadd.u32 %s, %v, 1;\n"
    "add.u32 %n, %n, 1;\nsetp.lt.u32 %p, %n, 12;\n@%p bra R;\n"
    "st.global.u32 [%a], %s;\nret;\n}\n";
enum { LINES = 512, THREADS = 128, BLOCKS = 12, STEP = 37 };

static uint32_t expected(const uint32_t *data, uint32_t thread)
{
    uint32_t sum = 0;
    for (uint32_t n = 0; n < 12; n++) {
        for (uint32_t k = 0; k < 8; k++) sum += data[(k * STEP + thread / 32 + n) % LINES * 32 + thread % 32];
        sum++;
    }
    return sum;
}

static const char *const *settings;
static oc_device *device;
static Record run(const oc_policy_type *type, uint32_t shared)
{
    oc_config config = {.gpu = "gtx480", .sets = settings};
    oc_module *m;
    oc_kernel *k;
    oc_ptr in, out;
    static uint32_t data[LINES * 32], got[THREADS * BLOCKS];
    uint32_t step = STEP;
    char message[500] = "";
    if (oc_open(&config, &device, message, sizeof message) != OC_OK) fail_msg("%s", message);
    plug(device, type);
    for (uint32_t n = 0; n < COUNT(data); n++) data[n] = n * 2654435761u;
    assert_int_equal(oc_malloc(device, sizeof data, "in", &in), OC_OK);
    assert_int_equal(oc_malloc(device, sizeof got, "out", &out), OC_OK);
    assert_int_equal(oc_write(device, in, data, sizeof data, NULL), OC_OK);
    if (oc_load(device, kernel_text, strlen(kernel_text), "scratch.ptx", &m) != OC_OK) fail_msg("%s", oc_error(device));
    assert_int_equal(oc_kernel_get(m, "k", &k), OC_OK);
    const void *args[] = {&out, &in, &step};
    if (oc_launch(k, (oc_dim3){BLOCKS, 1, 1}, (oc_dim3){THREADS, 1, 1}, shared, NULL, args) != OC_OK)
        fail_msg("%s", oc_error(device));
    assert_int_equal(oc_read(device, got, out, sizeof got, NULL), OC_OK);
    for (uint32_t t = 0; t < THREADS * BLOCKS; t++) assert_int_equal(got[t], expected(data, t));
    Record r = *device_record(device, 0);
    r.inst = NULL;
    Text broken = {0};
    if (counters_broken(r.count, &broken)) fail_msg("%s", broken.v);
    text_free(&broken);
    oc_close(device);
    return r;
}

static int greedy(const oc_policy *p, uint32_t k, uint64_t ready) { return oc_greedy(p->sm->scheduler[k], ready); }

// A direct-mapped cache of 64 lines, access by access. Loads take a place, also one that is under way; stores don't.
static uint64_t model[64], seen_loads;
static bool evicts;  // stores drop the line that they hit, unless it is under way; else they write to it
static void on_seen(oc_policy *p, const oc_access_event *e)
{
    assert_int_equal(p->sm->scratch_lines, 64);
    assert_true(e->scratch);
    uint64_t *line = &model[e->line % 64];
    assert_true((e->outcome == OC_MISS) == (*line != e->line));
    if (e->store) {
        if (e->outcome == OC_HIT && evicts) *line = 0;
        return;
    }
    if (e->outcome == OC_MISS) assert_int_equal(e->victim, *line ? *line : OC_NO_LINE);
    if (e->outcome != OC_MISS) assert_int_equal(e->victim, OC_NO_LINE);
    *line = e->line;
    seen_loads++;
}
static void everyone(oc_policy *p, uint32_t cta)
{
    (void)cta;
    memset(p->isolated, 0xff, sizeof p->isolated);
}
static const oc_policy_type modelled = {
    .wants = OC_WANTS_SCRATCH, .pick = greedy, .cta_start = everyone, .seen = on_seen};

static void direct_mapped(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        evicts = k;
        settings = (const char *[]){"gpu.sms=1", "scratch.modulo=no", "scratch.bits=5",
                                    k ? "l1.write_evict=yes" : "l1.write_evict=no", NULL};
        memset(model, 0, sizeof model);
        seen_loads = 0;
        Record r = run(&modelled, 0);
        assert_int_equal(r.count[C_L1_ACCESSES], 0);
        assert_int_equal(seen_loads, BLOCKS * THREADS / 32 * 12 * 9);
        assert_true(r.count[C_SCRATCH_HITS] > 0 && r.count[C_SCRATCH_MISSES] > 0);
    }
}

// --- one copy --------------------------------------------------------------------------------------------------------
static uint64_t drawn = 1, both, looked;
static oc_route anywhere(oc_policy *p, uint32_t warp, const oc_access *a)
{
    static const oc_route routes[] = {OC_TO_L1, OC_TO_SCRATCH, OC_TO_SCRATCH, OC_TO_L1_NO_ALLOCATE, OC_PAST_L1};
    (void)p, (void)warp, (void)a;
    drawn = drawn * 6364136223846793005ull + 1442695040888963407ull;
    return routes[(drawn >> 33) % COUNT(routes)];
}
static void look(oc_policy *p, const oc_access_event *e)
{
    Sm *sm = sm_of(device);
    Cache *l1 = &sm->ports.port[PORT_L1].cache, *scratch = &sm->ports.port[PORT_SCRATCH].cache;
    (void)e;
    assert_in_range(p->sm->scratch_lines, 0, 2 * 186);
    for (uint32_t k = 0; k < p->sm->scratch_lines; k++) {
        if (!scratch->tags[k]) continue;
        assert_int_equal(cache_tagged(scratch, k) / 128 % p->sm->scratch_lines, k);
        both += cache_peek(l1, cache_tagged(scratch, k)) != NULL;
        looked++;
    }
}
static const oc_policy_type mixed = {.wants = OC_WANTS_SCRATCH, .pick = greedy, .route = anywhere, .seen = look};

static void one_copy(void **state)
{
    (void)state;
    static const char *const variants[][5] = {{"gpu.sms=1", NULL},
                                              {"gpu.sms=1", "scratch.modulo=no", "scratch.bits=4", "l1.mshrs=3"},
                                              {"gpu.sms=1", "l1.merges=1", "l1.write_evict=yes", NULL},
                                              {"gpu.sms=1", "l1.fill=32", "l1.sector=32", "l1.write_evict=no"},
                                              {"gpu.sms=1", "l1.line=64", "l1.fill=64", NULL},
                                              {"gpu.sms=1", "l1.write_back=yes", "link.queue=0", "link.credits=2"}};
    for (size_t v = 0; v < COUNT(variants); v++)
        for (uint32_t shared = 0; shared <= 9000; shared += 4500) {
            settings = variants[v], both = looked = 0;
            Record r = run(&mixed, shared);
            assert_int_equal(both, 0);
            assert_true(looked > 1000);
            assert_true(r.count[C_SCRATCH_ACCESSES] > 0 && r.count[C_L1_ACCESSES] > 0);
            if (v != 4) assert_true(r.count[C_SCRATCH_MIGRATIONS] > 0);  // lines of another size are fetched anew
        }
}

// --- CTAs take their space back --------------------------------------------------------------------------------------
static uint32_t started, lines_then[BLOCKS];
static void note_lines(oc_policy *p, uint32_t cta)
{
    assert_true(p->sm->cta[cta].running);
    assert_int_equal(p->sm->cta[cta].shared_at, cta * p->sm->cta[cta].shared_size);
    lines_then[started++] = p->sm->scratch_lines;
    everyone(p, cta);
}
static const oc_policy_type watched = {.wants = OC_WANTS_SCRATCH, .pick = greedy, .cta_start = note_lines};

static void ctas_come_first(void **state)
{
    (void)state;
    // Six CTAs of 8 KB leave 40, 32, 24, 16, 8 and 0 KB. 32 KB are 128 rows: no room for 128 of data and their tags.
    // Without the mask they are 124 of data, two lines each, and 4 of tags.
    static const uint32_t want[2][6] = {{256, 128, 128, 64, 32, 0}, {310, 248, 186, 124, 62, 0}};
    for (int modulo = 0; modulo < 2; modulo++) {
        settings = (const char *[]){"gpu.sms=1", modulo ? NULL : "scratch.modulo=no", NULL};
        started = 0;
        run(&watched, 8192);
        assert_int_equal(started, BLOCKS);
        for (int k = 0; k < 6; k++) assert_int_equal(lines_then[k], want[modulo][k]);
        for (uint32_t k = 6; k < BLOCKS; k++)
            assert_true(lines_then[k] == 0 || lines_then[k] == want[modulo][4]);  // one has ended
    }
}

// --- the look into the L1's tags -------------------------------------------------------------------------------------
// A pointer that points to itself is followed a hundred times: a miss, and 99 hits, each after the one before.
static uint64_t chase(const char *look)
{
    static const char text[] = ".version 7.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                               ".reg .b64 %a;\n.reg .b32 %n;\n.reg .pred %p;\n"
                               "ld.param.u64 %a, [p];\nmov.u32 %n, 0;\n"
                               "L:\nld.global.u64 %a, [%a];\nadd.u32 %n, %n, 1;\nsetp.lt.u32 %p, %n, 100;\n"
                               "@%p bra L;\nst.global.u64 [%a], %a;\nret;\n}\n";
    static const oc_policy_type isolating = {.wants = OC_WANTS_SCRATCH, .pick = greedy, .cta_start = everyone};
    oc_config config = {.gpu = "gtx480", .sets = (const char *[]){look, NULL}};
    oc_device *d;
    oc_module *m;
    oc_kernel *k;
    oc_ptr p;
    char message[500];
    assert_int_equal(oc_open(&config, &d, message, sizeof message), OC_OK);
    plug(d, &isolating);
    assert_int_equal(oc_malloc(d, 8, "p", &p), OC_OK);
    assert_int_equal(oc_write(d, p, &p, 8, NULL), OC_OK);
    assert_int_equal(oc_load(d, text, sizeof text - 1, "chase.ptx", &m), OC_OK);
    assert_int_equal(oc_kernel_get(m, "k", &k), OC_OK);
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, (const void *[]){&p}), OC_OK);
    assert_int_equal(device_record(d, 0)->count[C_SCRATCH_HITS], 99 + 1);  // the store hits, too
    uint64_t cycles = device_record(d, 0)->count[C_CYCLES];
    oc_close(d);
    return cycles;
}

static void look_at_tags(void **state)
{
    (void)state;
    assert_int_equal(chase("scratch.look=11") - chase("scratch.look=1"), 10 * 99);
    assert_int_equal(chase("scratch.look=1") - chase("scratch.look=0"), 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),         cmocka_unit_test(direct_mapped), cmocka_unit_test(gaps),
        cmocka_unit_test(taken_back),   cmocka_unit_test(one_copy),      cmocka_unit_test(ctas_come_first),
        cmocka_unit_test(look_at_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
