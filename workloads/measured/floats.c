// floats: C = A B of floats. Of a large product only some rows of blocks are run.
#include "measured.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), tile = work_param(work, "tile");
    const uint32_t side = tile ? 32 : 16, blocks = ceil_div(n, side), some = measured_blocks(work, blocks);
    const int64_t rows = some * side < n ? some * side : n;
    const size_t bytes = (size_t)(n * n) * sizeof(float);
    float *a = measured_floats(work, n * n), *b = measured_floats(work, n * n);
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf da = work_upload(work, "A", a, bytes), db = work_upload(work, "B", b, bytes);
    WorkBuf dc = work_device(work, "C", bytes);
    measured_launch(work, tile ? "mm_tile_f32" : "mm_plain_f32", dim2(blocks, some), dim2(side, side), 0,
                    ARGS(arg_buf(da), arg_buf(db), arg_buf(dc), arg_i32(n)));
    work_read(work, got, dc, bytes);
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < rows && work_param(work, "data"); i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++) want[i * n + j] += a[i * n + k] * b[k * n + j];
    work_check_f32(work, "C", got, want, (size_t)(n * n), 0);
}

static const WorkParam params[] = {
    {"n", "rows and columns of the matrices, 1 to 8192", 64, 512, 1, 8192},
    {"tile", "1: over tiles in shared memory; 0: from global memory", 1, 1, 0, 1},
    MEASURED_PARAMS,
};

const Workload workload_measured_floats = {
    "floats", "measured", "C = A B of floats, plainly and over tiles (Kernel Performance Prediction)", params, run};
