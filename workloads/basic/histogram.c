// histogram: how often each byte value occurs.
#include "../host.h"

#define BINS 256
#define BLOCK 256
#define PER_THREAD 32  // bytes a thread counts

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const char *kernel = work_param(work, "privatised") ? "histogram_private" : "histogram_global";
    uint8_t *data = work_host(work, (size_t)n);
    uint32_t got[BINS] = {0}, want[BINS] = {0};
    for (int64_t i = 0; data && i < n; i++) {
        // The product of two uniform bytes: small values come often, so that lanes meet in a bin, as in a real image.
        const uint32_t r = work_random(work);
        data[i] = (uint8_t)((r & 255) * (r >> 8 & 255) >> 8);
    }
    WorkBuf ddata = work_upload(work, "data", data, (size_t)n), dbins = work_device(work, "bins", sizeof got);

    work_launch(work, kernel, dim1(ceil_div(n, BLOCK * PER_THREAD)), dim1(BLOCK), 0,
                ARGS(arg_i32(n), arg_buf(ddata), arg_buf(dbins)));
    work_read(work, got, dbins, sizeof got);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < n; i++) want[data[i]]++;
    work_check_u32(work, "bins", got, want, BINS);
}

static const WorkParam params[] = {
    {"n", "bytes to count, 1 to 2^28", 20000, 1048576, 1, 1 << 28},
    {"privatised", "1: a copy of the bins per block in shared memory; 0: global atomics only", 1, 1, 0, 1},
    {.name = NULL},
};

const Workload workload_basic_histogram = {
    "histogram", "basic", "Counts of byte values with atomics (Podlozhnyuk, Histogram calculation in CUDA)", params,
    run};
