// stencil: a convolution with 3 × 3 weights.
#include "measured.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const uint32_t blocks = ceil_div(n, 16), some = measured_blocks(work, blocks);
    const int64_t rows = some == blocks ? n : some * 16 + 2;  // the last two have no result
    const size_t bytes = (size_t)(rows * n) * sizeof(float);
    float *image = measured_floats(work, rows * n), *k = measured_floats(work, 9);
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf di = work_upload(work, "I", image, bytes), dk = work_upload(work, "K", k, 9 * sizeof *k);
    WorkBuf dout = work_device(work, "O", bytes);
    measured_launch(work, "conv_3x3", dim2(blocks, some), dim2(16, 16), 0,
                    ARGS(arg_buf(di), arg_buf(dk), arg_buf(dout), arg_i32(rows), arg_i32(n)));
    work_read(work, got, dout, bytes);
    if (!work_ok(work)) return;
    for (int64_t y = 0; y < rows - 2; y++)
        for (int64_t x = 0; x < n - 2; x++)
            for (int v = 0; v < 9; v++) want[y * n + x] += image[(y + v / 3) * n + x + v % 3] * k[v];
    work_check_f32(work, "O", got, want, (size_t)(rows * n), 0);
}

static const WorkParam params[] = {
    {"n", "rows and columns, 3 to 8192", 100, 1024, 3, 8192},
    MEASURED_PARAMS,
};

const Workload workload_measured_stencil = {
    "stencil", "measured", "A convolution with 3 x 3 weights (Kernel Performance Prediction)", params, run};
