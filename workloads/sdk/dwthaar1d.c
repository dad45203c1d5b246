// dwthaar1d: the Haar wavelet decomposition of a signal. The SDK's own signal has 4096 values, too few to fill a GPU.
// The default is 64 times as long.
#include "../host.h"

#include <math.h>

#define BLOCK 512  // threads at most; the SDK's

// Each coefficient by itself: the sum of the first half of the values below its wavelet, less that of the second half,
// over the root of their number. upto[i]: the sum of the first i values.
static void decompose(int64_t n, const double *upto, float *want)
{
    want[0] = (float)(upto[n] / sqrt((double)n));
    for (int64_t width = 2; width <= n; width *= 2)
        for (int64_t i = 0; i < n / width; i++) {
            const double *from = upto + i * width, middle = from[width / 2];
            want[n / width + i] = (float)(((middle - from[0]) - (from[width] - middle)) / sqrt((double)width));
        }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const size_t bytes = (size_t)n * sizeof(float);
    if (power_of_two(n) != n) work_refuse(work, "n", "a power of two");
    work_seed(work, work_param(work, "seed"));
    // Around 0, so that sums stay as small as differences: the rounding of large sums would be seen in the differences.
    float *signal = work_random_floats(work, (size_t)n, -1, 1);
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    double *upto = work_host(work, (size_t)(n + 1) * sizeof(double));
    WorkBuf from = work_upload(work, "signal", signal, bytes), sums = work_device(work, "sums", bytes);
    WorkBuf coefficients = work_device(work, "coefficients", bytes);

    for (int64_t left = n; left > 1 && work_ok(work);) {
        const int64_t block = left / 2 < BLOCK ? left / 2 : BLOCK, blocks = left / (2 * block);
        const uint32_t shared = (uint32_t)(2 * block * (int64_t)sizeof(float));
        // The last sum is the result's first element.
        work_launch(work, "haar", dim1((uint32_t)blocks), dim1((uint32_t)block), shared,
                    ARGS(arg_buf(from), arg_buf(coefficients), arg_buf(blocks > 1 ? sums : coefficients)));
        const WorkBuf done = from;
        from = sums;
        sums = done;
        left = blocks;
    }
    work_read(work, got, coefficients, bytes);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < n; i++) upto[i + 1] = upto[i] + signal[i];
    decompose(n, upto, want);
    work_check_f32(work, "coefficients", got, want, (size_t)n, 1e-5);
}

static const WorkParam params[] = {
    {"n", "values of the signal, a power of two, 2 to 2^24", 4096, 1 << 18, 2, 1 << 24},
    {"seed", "seed of the signal, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_sdk_dwthaar1d = {
    "dwthaar1d", "sdk", "Haar wavelet decomposition of a signal, ten levels in shared memory (CUDA SDK)", params, run};
