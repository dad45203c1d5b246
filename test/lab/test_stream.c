// Input larger than the GPU's memory (src/work/scenario.c): the four programs are right in every scenario; only what is
// needed travels; and the timeline is what one gets by hand from the lengths of the stages. For that the device only
// executes, so that a launch takes what is described and nothing else.
#include "check.h"
#include "device/device.h"
#include "work/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static oc_device *open_gpu(bool functional, const char *const *sets)
{
    oc_device *d;
    char message[1000] = "";
    oc_config config = {.gpu = "titan_black", .sets = sets, .functional = functional};
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    return d;
}

static const StreamProgram *program(const char *name)
{
    for (int k = 0; stream_programs[k]; k++)
        if (!strcmp(stream_names[k], name)) return stream_programs[k];
    fail_msg("no %s", name);
    return NULL;
}

static StreamReport run(const char *name, oc_device *d, const StreamOptions *o)
{
    StreamReport report;
    WorkResult result;
    if (!stream_run(d, program(name), o, &report, &result))
        fail_msg("%s, %s: %s", name, scenario_names[o->scenario], result.error);
    assert_true(result.verified);
    work_result_free(&result);
    return report;
}

// On a GPU whose memory is half of the input.
static void all_right(void **state)
{
    (void)state;
    static const char *const sets[] = {"gpu.memory=1MiB", NULL};
    for (int k = 0; stream_programs[k]; k++)
        for (int s = 0; s < SCENARIOS; s++) {
            oc_device *d = open_gpu(true, sets);
            StreamOptions o = {.scenario = (Scenario)s,
                               .chunk = 64 << 10,
                               .buffers = 5,
                               .params = (const char *const[]){"size=2097152", "blocks=2", "threads=64", NULL}};
            StreamReport r = run(stream_names[k], d, &o);
            assert_true(r.input > oc_describe(d).memory);
            assert_true(device_bytes(d) <= 1 << 20);
            assert_true(r.host_serial > 0);
            oc_close(d);
        }
}

// With cycles, and twice the same.
static void repeats(void **state)
{
    (void)state;
    for (int k = 0; stream_programs[k]; k++)
        for (int s = SCENARIO_SINGLE; s < SCENARIOS; s++) {
            StreamReport r[2];
            for (int n = 0; n < 2; n++) {
                oc_device *d = open_gpu(false, NULL);
                StreamOptions o = {.scenario = (Scenario)s,
                                   .chunk = 16 << 10,
                                   .buffers = 5,
                                   .threshold = 20,
                                   .params = (const char *const[]){"size=50000", "blocks=2", "threads=64", NULL}};
                r[n] = run(stream_names[k], d, &o);
                oc_close(d);
            }
            assert_true(r[0].seconds == r[1].seconds && r[0].seconds > 0);
            assert_true(r[0].stage[STAGE_COMPUTE] == r[1].stage[STAGE_COMPUTE] && r[0].stage[STAGE_COMPUTE] > 0);
            double longest = 0, sum = 0;
            for (int t = 0; t < STREAM_STAGES; t++) longest = fmax(longest, r[0].stage[t]), sum += r[0].stage[t];
            assert_true(r[0].seconds >= longest);
            if (s == SCENARIO_SINGLE) assert_true(r[0].seconds >= sum * (1 - 1e-9));
        }
}

// Chunks that threads don't divide, lines fewer than threads, one chunk for all, one buffer or many.
static void shapes(void **state)
{
    (void)state;
    static const struct {
        const char *size, *blocks, *threads;
        size_t chunk;
        uint32_t buffers, unit;
    } of[] = {
        {"size=1024", "blocks=3", "threads=96", 1 << 20, 5, 4},
        {"size=9999", "blocks=1", "threads=32", 1000, 1, 8},
        {"size=30011", "blocks=4", "threads=1024", 4097, 2, 16},
        {"size=30011", "blocks=2", "threads=64", 7777, 3, 128},
        {"size=2000", "blocks=1", "threads=32", 350, 64, 4},
        {"size=300011", "blocks=1", "threads=32", 1 << 20, 4, 32},
    };
    for (int k = 0; stream_programs[k]; k++)
        for (size_t n = 0; n < COUNT(of); n++)
            for (int s = 0; s < SCENARIOS; s++) {
                oc_device *d = open_gpu(true, NULL);
                StreamOptions o = {.scenario = (Scenario)s,
                                   .chunk = of[n].chunk,
                                   .buffers = of[n].buffers,
                                   .unit = of[n].unit,
                                   .params = (const char *const[]){of[n].size, of[n].blocks, of[n].threads, NULL}};
                run(stream_names[k], d, &o);
                oc_close(d);
            }
}

static void refused(void **state)
{
    (void)state;
    static const char *const sets[] = {"gpu.memory=1MiB", NULL};
    static const char *const params[] = {"size=4194304", "blocks=2", "threads=64", NULL}, *const odd[] = {
                                                                                              "size=4096", "blocks=1",
                                                                                              "threads=33", NULL};
    static const struct {
        StreamOptions o;
        oc_status status;
        const char *says;
    } of[] = {
        {{.scenario = SCENARIO_DOUBLE, .chunk = 1 << 20, .buffers = 5, .params = params},
         OC_OUT_OF_MEMORY,
         "gpu.memory"},
        {{.scenario = SCENARIO_BIGKERNEL, .chunk = 1 << 20, .buffers = 5, .params = params},
         OC_OUT_OF_MEMORY,
         "gpu.memory"},
        {{.scenario = SCENARIO_SINGLE, .chunk = 20, .params = params}, OC_OK, "no room for a line"},
        {{.scenario = SCENARIO_SINGLE, .chunk = 4096, .params = odd}, OC_BAD_ARGUMENT, "multiple of 32"},
    };
    for (size_t n = 0; n < COUNT(of); n++) {
        oc_device *d = open_gpu(true, sets);
        StreamReport report;
        WorkResult result;
        assert_false(stream_run(d, program("pageview"), &of[n].o, &report, &result));
        assert_int_equal(result.status, of[n].status);
        if (!strstr(result.error, of[n].says)) fail_msg("%s", result.error);
        work_result_free(&result);
        oc_close(d);
    }
}

// Only the fields travel, with the index and the lists: a URL of a line, two numbers of one.
static void sparse(void **state)
{
    (void)state;
    static const char *const names[] = {"pageview", "affinity"};
    const double most[] = {0.35, 0.60};
    for (size_t k = 0; k < COUNT(names); k++) {
        StreamReport r[SCENARIOS];
        for (int s = SCENARIO_SINGLE; s <= SCENARIO_BIGKERNEL; s++) {
            oc_device *d = open_gpu(true, NULL);
            StreamOptions o = {.scenario = (Scenario)s,
                               .chunk = 256 << 10,
                               .buffers = 5,
                               .params = (const char *const[]){"size=1048576", "blocks=1", "threads=64", NULL}};
            r[s] = run(names[k], d, &o);
            oc_close(d);
        }
        const uint64_t passes = (uint64_t)program(names[k])->passes;
        assert_int_equal(r[SCENARIO_SINGLE].to_device, passes * r[SCENARIO_SINGLE].input);
        assert_int_equal(r[SCENARIO_DOUBLE].to_device, passes * r[SCENARIO_SINGLE].input);
        assert_true((double)r[SCENARIO_BIGKERNEL].to_device < most[k] * (double)r[SCENARIO_SINGLE].to_device);
    }
}

// --- the timeline ----------------------------------------------------------------------------------------------------
enum { CHUNKS = 12, THREADS = 64, EACH = 500, BYTES = THREADS * EACH };

// Microseconds; bandwidth and assembly in bytes a microsecond. A copy has a latency of 3.
static StreamReport timed(Scenario s, uint32_t buffers, double bandwidth, double launch, double assembly)
{
    char text[3][64], size[32];
    snprintf(text[0], sizeof text[0], "host.bandwidth=%.9f", bandwidth / 1e3);
    snprintf(text[1], sizeof text[1], "host.launch=%.9f", launch);
    snprintf(text[2], sizeof text[2], "host.gather=%.9f", assembly / 1e3);
    snprintf(size, sizeof size, "size=%d", CHUNKS * BYTES);
    const char *const sets[] = {text[0], text[1], text[2], "host.latency=3", "host.engines=1", "host.call=0", NULL};
    oc_device *d = open_gpu(true, sets);
    StreamOptions o = {.scenario = s,
                       .chunk = BYTES,
                       .buffers = buffers,
                       .params = (const char *const[]){size, "blocks=2", "threads=32", NULL}};
    StreamReport r = run("wordcount", d, &o);
    assert_int_equal(r.chunks, CHUNKS);
    oc_close(d);
    return r;
}

static void assert_us(double seconds, double microseconds)
{
    if (fabs(seconds * 1e6 - microseconds) > 1e-6 * microseconds)
        fail_msg("%.6f us instead of %.6f", seconds * 1e6, microseconds);
}

// A chunk is written, computed on, and four words a thread are read: one buffer does it one by one. With two, and one
// engine for both directions, the longer of copies and kernels hides the other but for the ends.
static void buffers(void **state)
{
    (void)state;
    const double write = 3 + BYTES / 100.0, read = 3 + 16 * THREADS / 100.0;
    assert_us(timed(SCENARIO_SINGLE, 0, 100, 50, 100).seconds, CHUNKS * (write + 50 + read));
    StreamReport r = timed(SCENARIO_DOUBLE, 0, 100, 50, 100);
    assert_us(r.seconds, CHUNKS * write + (CHUNKS - 1) * read + 50);
    assert_us(r.stage[STAGE_TRANSFER], CHUNKS * (write + read));
    assert_us(r.stage[STAGE_COMPUTE], CHUNKS * 50);
    assert_us(timed(SCENARIO_DOUBLE, 0, 100, 5000, 100).seconds, write + CHUNKS * 5000 + read);
}

// What is assembled has a head of a word a thread and a warp, up to a multiple of 128 bytes; a list has three words.
// Whichever stage is the longest is always at work, and the others show only before the first and behind the last
// chunk.
static void overlaps(void **state)
{
    (void)state;
    const double feed = 384 + BYTES, lists = 12 * THREADS;
    const double list = 3 + lists / 100, write = 3 + feed / 100, read = 3 + 16 * THREADS / 100.0;
    StreamReport r = timed(SCENARIO_BIGKERNEL, 5, 100, 20, 10);  // assembly is the longest: 3238 us
    assert_us(r.stage[STAGE_ASSEMBLE], CHUNKS * feed / 10);
    assert_us(r.stage[STAGE_GATHER], CHUNKS * 20);
    assert_us(r.seconds, 20 + list + CHUNKS * feed / 10 + write + 20 + read);
    r = timed(SCENARIO_BIGKERNEL, 5, 100, 20,
              1000);  // transfer: it waits for the first lists and the last results alone
    assert_us(r.stage[STAGE_TRANSFER], CHUNKS * (list + write + read));
    assert_true(r.seconds * 1e6 > CHUNKS * (list + write + read));
    assert_true(r.seconds * 1e6 < CHUNKS * (list + write + read) + 20 + 20 + feed / 1000 + list);
    r = timed(SCENARIO_BIGKERNEL, 5, 100, 5000, 100);  // kernels: to gather and to compute
    assert_us(r.seconds, 2 * CHUNKS * 5000 + read);
    // One buffer: nothing overlaps.
    r = timed(SCENARIO_BIGKERNEL, 1, 100, 20, 10);
    assert_us(r.seconds, CHUNKS * (20 + list + feed / 10 + write + 20 + read));
    assert_int_equal(r.to_device, CHUNKS * (384 + BYTES));
    assert_int_equal(r.to_host, CHUNKS * (12 + 16) * THREADS);
}

// --- assembly --------------------------------------------------------------------------------------------------------
// 64 threads: thread t takes t % 7 bytes from 10 t on, skips two, takes three.
static void layout(void **state)
{
    (void)state;
    enum { T = 64 };
    uint32_t lists[4][T] = {{0}}, head[T + T / 32];
    uint8_t chunk[1000], feed[2048];
    for (int k = 0; k < 1000; k++) chunk[k] = (uint8_t)(k * 37 + k / 256);
    for (uint32_t t = 0; t < T; t++) lists[0][t] = 10 * t, lists[1][t] = t % 7, lists[2][t] = 2 << 16 | 3;
    for (uint32_t t = 0; t < T; t++)
        if (t % 7 == 0) lists[1][t] = 2 << 16 | 3, lists[2][t] = 0;  // nothing to take first
    for (uint32_t unit = 4; unit <= 8; unit *= 2) {
        const uint32_t each = (9 + unit - 1) / unit * unit;  // the longest is 6 + 3
        assert_int_equal(assemble_measure(NULL, lists[0], T, unit, head), 384 + T * each);
        memset(feed, 0xEE, sizeof feed);
        assemble(NULL, lists[0], T, unit, chunk, head, feed);
        assert_memory_equal(feed, head, sizeof head);
        for (uint32_t t = 0; t < T; t++) {
            assert_int_equal(head[t], t % 7 + 3);
            assert_int_equal(head[T + t / 32], 384 + t / 32 * 32 * each);
            for (uint32_t i = 0; i < head[t]; i++) {
                const uint32_t from = 10 * t + i + (i >= t % 7 ? 2 : 0), lane = t % 32;
                assert_int_equal(feed[head[T + t / 32] + (i / unit * 32 + lane) * unit + i % unit], chunk[from]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_right), cmocka_unit_test(repeats), cmocka_unit_test(shapes),   cmocka_unit_test(refused),
        cmocka_unit_test(sparse),    cmocka_unit_test(buffers), cmocka_unit_test(overlaps), cmocka_unit_test(layout)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
