// The L1 reads and writes that workloads must make, counted by hand from their loops: a warp's load of consecutive
// words is one line, a broadcast one, a column of a row-major matrix 32. gtx480, whose L1 serves global loads; sums
// live in registers between the iterations, but are stored in each (the pointers may alias). The short form has the
// smaller sizes.
#include "check.h"
#include "device/device.h"
#include "workload.h"

#include <string.h>

typedef struct Expected {
    const char *kernel;
    uint64_t reads, writes;
} Expected;

static void assert_counts(const char *gpu, const char *name, const char *params, const Expected *want, size_t kernels)
{
    oc_device *d = run_workload(workload_find(name), params, false, &(oc_config){.gpu = gpu});
    assert_int_equal(oc_launches(d), kernels);
    for (size_t k = 0; k < kernels; k++) {
        const Record *r = device_record(d, k);
        uint64_t reads = r->count[C_L1_READS], writes = r->count[C_L1_WRITES];
        assert_string_equal(r->kernel, want[k].kernel);
        if (reads != want[k].reads || writes != want[k].writes)
            fail_msg("%s %s, %s: %llu reads and %llu writes, by hand %llu and %llu", name, params, r->kernel,
                     (unsigned long long)reads, (unsigned long long)writes, (unsigned long long)want[k].reads,
                     (unsigned long long)want[k].writes);
        Text broken = {0};
        if (counters_broken(r->count, &broken)) fail_msg("%s", broken.v);
        text_free(&broken);
        // What data structures are charged with adds up to the whole.
        uint64_t accesses = 0, hits = 0;
        for (int s = 0; s < MAX_STRUCTURES; s++)
            accesses += r->structure[s].l1_accesses, hits += r->structure[s].l1_hits;
        assert_int_equal(accesses, r->count[C_L1_ACCESSES]);
        assert_int_equal(hits, r->count[C_L1_HITS]);
    }
    oc_close(d);
}
#define ASSERT_COUNTS(name, params, ...) \
    assert_counts("gtx480", name, params, (const Expected[]){__VA_ARGS__}, COUNT(((const Expected[]){__VA_ARGS__})))

// --- sizes that are multiples of a warp: formulas --------------------------------------------------------------------
static void formulas(void **state)
{
    (void)state;
    static const uint64_t sizes[][2] = {{32, 32}, {64, 96}, {160, 32}, {96, 256}, {320, 64}};
    for (size_t k = 0; k < (getenv("ONCHIP_LONG") ? COUNT(sizes) : 3); k++) {
        uint64_t x = sizes[k][0], y = sizes[k][1], n = x;
        char p[64];
        // tmp[i] += A[i][j] x[j] for every j: A by columns, x broadcast, tmp read once and stored ny times. Then y[j]
        // += A[i][j] tmp[i] for every i: A by rows, tmp broadcast.
        snprintf(p, sizeof p, "nx=%u ny=%u", (unsigned)x, (unsigned)y);
        ASSERT_COUNTS("atax", p, {"atax_kernel1", x * y + x * y / 32 + x / 32, x * y / 32},
                      {"atax_kernel2", y / 32 * (1 + 2 * x), x * y / 32});
        // The same with sums that begin at 0, the coalesced kernel first.
        ASSERT_COUNTS("bicg", p, {"bicg_kernel1", y / 32 * 2 * x, y / 32 * (1 + x)},
                      {"bicg_kernel2", x * y + x / 32 * y, x / 32 * (1 + y)});
        snprintf(p, sizeof p, "n=%u", (unsigned)n);
        ASSERT_COUNTS("mvt", p, {"mvt_kernel1", n * n + n * n / 32 + n / 32, n * n / 32},
                      {"mvt_kernel2", n / 32 * (1 + 2 * n), n * n / 32});
        // A and B by columns, x for each, tmp and y again in every turn, since the other's store may have changed them;
        // tmp once more at the end.
        ASSERT_COUNTS("gesummv", p, {"gesummv_kernel", n / 32 * (68 * n + 1), n / 32 * (2 * n + 1)});
        // The same for x rows of y columns; mvt is then as atax.
        snprintf(p, sizeof p, "n=%u rows=%u", (unsigned)y, (unsigned)x);
        if (x != y) {
            ASSERT_COUNTS("mvt", p, {"mvt_kernel1_rows", x * y + x * y / 32 + x / 32, x * y / 32},
                          {"mvt_kernel2_rows", y / 32 * (1 + 2 * x), x * y / 32});
            ASSERT_COUNTS("gesummv", p, {"gesummv_kernel_rows", x / 32 * (68 * y + 1), x / 32 * (2 * y + 1)});
        }
        // One element of C a thread, 32 of a row a warp: C once, then A[i][k] broadcast and A[j][k] by columns.
        uint64_t m = y;
        snprintf(p, sizeof p, "n=%u m=%u", (unsigned)n, (unsigned)m);
        ASSERT_COUNTS("syrk", p, {"syrk_kernel", n * n / 32 * (1 + 33 * m), n * n / 32 * (1 + m)});
        snprintf(p, sizeof p, "n=%u", (unsigned)n);
        ASSERT_COUNTS("vectoradd", p, {"vectoradd", 2 * n / 32, n / 32});
        ASSERT_COUNTS("saxpy", p, {"saxpy", 2 * n / 32, n / 32});
        // A byte of a line of its own for each thread; four results.
        snprintf(p, sizeof p, "threads=%u bytes=%u", (unsigned)x, 128 * (unsigned)(y / 32));
        ASSERT_COUNTS("wordcount", p, {"wordcount", x * 128 * (y / 32), 4 * x / 32});
    }
}

// --- any size: line by line ------------------------------------------------------------------------------------------
// Lines of 128 bytes that up to 32 lanes from `first` to below `end` touch, lane k at word at(k).
static uint64_t lines(uint64_t first, uint64_t end, uint64_t base, uint64_t step)
{
    uint64_t seen[32], n = 0;
    for (uint64_t k = first; k < first + 32 && k < end; k++) {
        uint64_t line = (base + k * step) * 4 / 128, s = 0;
        while (s < n && seen[s] != line) s++;
        if (s == n) seen[n++] = line;
    }
    return n;
}

static void odd_sizes(void **state)
{
    (void)state;
    static const uint64_t sizes[][2] = {{33, 31}, {7, 130}, {100, 75}, {257, 45}};
    for (size_t s = 0; s < (getenv("ONCHIP_LONG") ? COUNT(sizes) : 2); s++) {
        uint64_t nx = sizes[s][0], ny = sizes[s][1], warps_x = (nx + 31) / 32, warps_y = (ny + 31) / 32;
        char p[64];
        uint64_t columns = 0, rows = 0;  // lines of A by warps along x, of all j; by warps along y, of all i
        for (uint64_t w = 0; w < warps_x; w++)
            for (uint64_t j = 0; j < ny; j++) columns += lines(32 * w, nx, j, ny);
        for (uint64_t w = 0; w < warps_y; w++)
            for (uint64_t i = 0; i < nx; i++) rows += lines(32 * w, ny, i * ny, 1);
        snprintf(p, sizeof p, "nx=%u ny=%u", (unsigned)nx, (unsigned)ny);
        ASSERT_COUNTS("atax", p, {"atax_kernel1", columns + warps_x * ny + warps_x, warps_x * ny},
                      {"atax_kernel2", rows + warps_y * nx + warps_y, warps_y * nx});
        ASSERT_COUNTS("bicg", p, {"bicg_kernel1", rows + warps_y * nx, warps_y * (1 + nx)},
                      {"bicg_kernel2", columns + warps_x * ny, warps_x * (1 + ny)});
        snprintf(p, sizeof p, "n=%u rows=%u", (unsigned)ny, (unsigned)nx);
        ASSERT_COUNTS("mvt", p, {"mvt_kernel1_rows", columns + warps_x * ny + warps_x, warps_x * ny},
                      {"mvt_kernel2_rows", rows + warps_y * nx + warps_y, warps_y * nx});
        ASSERT_COUNTS("gesummv", p,
                      {"gesummv_kernel_rows", 2 * columns + 4 * warps_x * ny + warps_x, warps_x * (2 * ny + 1)});
        // n × n matrices.
        uint64_t n = nx, warps = warps_x, down = 0, across = 0;
        for (uint64_t w = 0; w < warps; w++)
            for (uint64_t j = 0; j < n; j++) down += lines(32 * w, n, j, n), across += lines(32 * w, n, j * n, 1);
        snprintf(p, sizeof p, "n=%u", (unsigned)n);
        ASSERT_COUNTS("mvt", p, {"mvt_kernel1", down + warps * n + warps, warps * n},
                      {"mvt_kernel2", across + warps * n + warps, warps * n});
        ASSERT_COUNTS("gesummv", p, {"gesummv_kernel", 2 * down + 4 * warps * n + warps, warps * (2 * n + 1)});
        ASSERT_COUNTS("vectoradd", p, {"vectoradd", 2 * warps, warps});
        // syrk: rows of C begin anywhere; A has m columns.
        uint64_t m = ny, c = 0, a = 0;
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t w = 0; w < warps; w++) {
                c += lines(32 * w, n, i * n, 1);
                for (uint64_t k = 0; k < m; k++) a += 1 + lines(32 * w, n, k, m);
            }
        snprintf(p, sizeof p, "n=%u m=%u", (unsigned)n, (unsigned)m);
        ASSERT_COUNTS("syrk", p, {"syrk_kernel", c + a, c * (1 + m)});
        uint64_t threads = nx;
        snprintf(p, sizeof p, "threads=%u bytes=256 block=96", (unsigned)threads);
        ASSERT_COUNTS("wordcount", p, {"wordcount", threads * 256, 4 * warps});
    }
}

// Where the L1 doesn't serve global loads, none of it is an access of the L1.
static void around_the_l1(void **state)
{
    (void)state;
    const Expected none[] = {{"atax_kernel1", 0, 0}, {"atax_kernel2", 0, 0}};
    assert_counts("titan_black", "atax", "nx=64 ny=64", none, 2);
}

// s-l1 Figure 1: alone, a thread misses once in 128 reads of a line; with 128 threads an SM their lines just fit 16
// KiB; with four times as many, next to none stays until it is read again. Chunks of three lines spread over all sets.
static void word_count_thrashes(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.global=yes", "l1.index=modulo", NULL};
    static const struct {
        const char *threads;
        double least, most;
    } of[] = {{"1", 127.0 / 128, 127.0 / 128}, {"1920", 0.97, 127.0 / 128}, {"7680", 0, 0.03}};
    for (size_t k = 0; k < COUNT(of); k++) {
        char threads[32], message[1024] = "";
        snprintf(threads, sizeof threads, "threads=%s", of[k].threads);
        oc_device *d;
        oc_config config = {.gpu = "titan_black", .sets = sets};
        if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
        WorkResult result;
        WorkOptions options = {.params = (const char *const[]){threads, "bytes=384", NULL}};
        assert_true(workload_run(d, workload_find("wordcount"), &options, &result));
        assert_true(result.verified);
        double rate = oc_launch_rate(d, 0, "l1_read_hit_rate");
        if (rate < of[k].least - 1e-12 || rate > of[k].most + 1e-12) fail_msg("%s: %g", threads, rate);
        work_result_free(&result);
        oc_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas),
        cmocka_unit_test(odd_sizes),
        cmocka_unit_test(around_the_l1),
        cmocka_unit_test(word_count_thrashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
