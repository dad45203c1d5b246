// A launch that repeats an earlier one isn't simulated again, and nothing tells: programs of several launches are run
// with every launch simulated and without, and all records and all memory are the same. What differs in one of the
// things that determine a launch isn't repeated.
#include "bench.h"

#include "chip/chip.h"

enum { WORDS = 8192, LAUNCHES = 60 };
typedef struct Program {
    const char *gpu, *sets;
    const char *body[2];         // launched in turn
    bool writes, copies, grows;  // before each launch the host writes a number, or the same one; or allocates
    bool differs;                // some launch must not repeat one: none does
    uint64_t interval;
    uint32_t launches;  // 0: LAUNCHES
} Program;

// Adds 1 to what is read, and stores that elsewhere.
#define READS                                                                                \
    "mul.wide.u32 %rd0, %g, 4;\nadd.u64 %rd1, %rd0, %in;\nadd.u64 %rd2, %rd0, %out;\n"       \
    "ld.global.u32 %r0, [%rd1];\nld.global.u32 %r1, [%rd1+16384];\nadd.u32 %r0, %r0, %r1;\n" \
    "add.u32 %r0, %r0, 1;\nst.global.u32 [%rd2], %r0;\n"
// Writes the same places.
#define OTHER                                                                          \
    "mul.wide.u32 %rd0, %g, 4;\nadd.u64 %rd1, %rd0, %in;\nadd.u64 %rd2, %rd0, %out;\n" \
    "ld.global.u32 %r0, [%rd1+8192];\nst.global.u32 [%rd2], %r0;\n"
#define COUNTS "mov.u32 %r0, 1;\natom.global.add.u32 %r1, [%in], %r0;\n"
// The digits of the time, and of the launch's number, that change after some launches.
#define TIMES READS "mov.u64 %rd3, %globaltimer;\nshr.u64 %rd3, %rd3, 14;\nst.global.u64 [%out+32768], %rd3;\n"
#define NUMBERS READS "mov.u64 %rd3, %gridid;\nshr.u64 %rd3, %rd3, 4;\nst.global.u64 [%out+32768], %rd3;\n"
#define CLOCKS READS "mov.u64 %rd3, %clock64;\nst.global.u64 [%out+32768], %rd3;\n"

typedef struct Side {
    Bench b;
    oc_kernel *k[2];
} Side;

static void begin(const Program *p, bool all, Side *s)
{
    bench_open_config(&s->b, (oc_config){.simulate_all = all, .interval = p->interval}, p->gpu, p->sets);
    for (int n = 0; n < 2; n++) s->k[n] = p->body[n] ? bench_load(&s->b, p->body[n], "sm_35") : s->k[0];
    bench_data(&s->b, NULL, WORDS * 4);
}

static void launch(const Program *p, Side *s, uint32_t n)
{
    const uint32_t word = p->writes ? n : 7;
    oc_ptr ptr;
    if (p->writes || p->copies) assert_int_equal(oc_write(s->b.d, s->b.data, &word, 4, NULL), OC_OK);
    if (p->grows) assert_int_equal(oc_malloc(s->b.d, 64, "more", &ptr), OC_OK);
    bench_launch(&s->b, s->k[n % 2], (Shape){24, 128, 0}, WORDS);
}

static void same_records(const Record *a, const Record *b, uint32_t launch)
{
    for (int c = 0; c < C_COUNT; c++)
        if (a->count[c] != b->count[c])
            fail_msg("launch %u: %s is %llu and %llu", launch, counter_info[c].name, (unsigned long long)a->count[c],
                     (unsigned long long)b->count[c]);
    assert_memory_equal(a->own, b->own, sizeof a->own);
    assert_memory_equal(a->structure, b->structure, sizeof a->structure);
    assert_memory_equal(a->structure_dram, b->structure_dram, sizeof a->structure_dram);
    for (int k = 0; k < MAX_STRUCTURES; k++) {
        assert_true(!a->structure_name[k] == !b->structure_name[k]);
        if (a->structure_name[k]) assert_string_equal(a->structure_name[k], b->structure_name[k]);
    }
    assert_int_equal(a->insts, b->insts);
    assert_memory_equal(a->inst, b->inst, sizeof *a->inst * a->insts);
    assert_string_equal(a->kernel, b->kernel);
    assert_true(a->start == b->start && a->end == b->end && a->sm_most == b->sm_most && a->sm_least == b->sm_least);
    assert_int_equal(a->samples.n, b->samples.n);
    if (a->samples.n) assert_memory_equal(a->samples.v, b->samples.v, sizeof *a->samples.v * a->samples.n);
    assert_int_equal(a->pairs.n, b->pairs.n);
}

static void same_memory(const Side *a, const Side *b)
{
    static uint8_t bytes[2][65536];
    for (int out = 0; out < 2; out++) {
        const size_t n = out ? sizeof bytes[0] : WORDS * 4;
        assert_int_equal(oc_read(a->b.d, bytes[0], out ? a->b.out : a->b.data, n, NULL), OC_OK);
        assert_int_equal(oc_read(b->b.d, bytes[1], out ? b->b.out : b->b.data, n, NULL), OC_OK);
        assert_memory_equal(bytes[0], bytes[1], n);
    }
}

static void check(const Program *p)
{
    Side all, some;
    begin(p, true, &all), begin(p, false, &some);
    for (uint32_t n = 0; n < (p->launches ? p->launches : LAUNCHES); n++) {
        launch(p, &all, n), launch(p, &some, n);
        same_records(device_record(all.b.d, n), device_record(some.b.d, n), n);
        same_memory(&all, &some);
    }
    assert_int_equal(device_repeated(all.b.d), 0);
    if (p->differs ? device_repeated(some.b.d) != 0 : device_repeated(some.b.d) == 0)
        fail_msg("%s %s: %llu launches repeat earlier ones", p->gpu, p->sets ? p->sets : "",
                 (unsigned long long)device_repeated(some.b.d));
    bench_close(&all.b), bench_close(&some.b);
}

static void repeated(void **state)
{
    (void)state;
    static const Program programs[] = {
        {.gpu = "h200", .body = {READS}, .launches = 600},  // a large L2 takes long to look at
        {.gpu = "a100", .body = {READS}, .interval = 100, .launches = 900},
        {.gpu = "titan_black", .body = {READS}},
        {.gpu = "gtx480", .sets = "l2.keep=no", .body = {READS, OTHER}},
        {.gpu = "gtx480", .sets = "l2.keep=no", .body = {READS}, .copies = true},
        {.gpu = "gtx480", .sets = "sched.policy=ciao-c", .body = {READS}},
        {.gpu = "gtx480", .sets = "l1.keep=yes l1.write_evict=no", .body = {READS}},
        {.gpu = "gtx780", .sets = "l2.replacement=plru", .body = {READS}},
        {.gpu = "v100", .body = {CLOCKS}},
        {.gpu = "gtx480", .sets = "l2.keep=no", .body = {READS, TIMES}},  // the first one is repeated
    };
    for (size_t k = 0; k < COUNT(programs); k++) check(&programs[k]);
}

static void different(void **state)
{
    (void)state;
    static const Program programs[] = {
        {.gpu = "gtx480", .body = {READS}, .writes = true, .differs = true},
        {.gpu = "gtx480", .body = {READS}, .grows = true, .differs = true},
        {.gpu = "gtx480", .sets = "l2.keep=no", .body = {COUNTS}, .differs = true},
        {.gpu = "gtx480", .sets = "l2.keep=no", .body = {TIMES}, .differs = true},
        {.gpu = "gtx480", .sets = "l2.keep=no", .body = {NUMBERS}, .differs = true},
        {.gpu = "gtx480", .sets = "l2.keep=no l1.replacement=random l1.size=1KiB", .body = {READS}, .differs = true},
        {.gpu = "gtx480", .sets = "l2.size=24KiB", .body = {READS, OTHER}, .differs = true},  // each finds the other's
    };
    for (size_t k = 0; k < COUNT(programs); k++) check(&programs[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeated), cmocka_unit_test(different)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
