// rmsnorm: of each row of a matrix.
#include "ai.h"

static void run(Work *work)
{
    const int64_t rows = work_shared(work, "m"), columns = work_param(work, "n");
    if (columns % 4) work_refuse(work, "n", "a multiple of 4");
    if (rows * columns > MATRIX_MOST) work_refuse(work, "n", "at most 2^30 elements");
    const size_t count = (size_t)(rows * columns), row_bytes = (size_t)columns * 4;
    const float epsilon = 1e-5f;
    float *x = work_random_floats(work, count, -2, 2), *w = work_random_floats(work, (size_t)columns, 0.5f, 1.5f);
    float *got = work_host(work, count * 4), *want = work_host(work, count * 4);
    WorkBuf dx = work_upload(work, "x", x, count * 4), dw = work_upload(work, "weights", w, row_bytes);
    WorkBuf dy = work_device(work, "y", count * 4);
    work_launch(work, "rmsnorm", dim1((uint32_t)rows), dim1(256), 0,
                ARGS(arg_i32(columns), arg_f32(epsilon), arg_buf(dx), arg_buf(dw), arg_buf(dy)));
    work_read(work, got, dy, count * 4);
    if (!work_ok(work)) return;
    for (int64_t r = 0; r < rows; r++) {
        const float *row = x + r * columns;
        const double by = 1 / sqrt(dot(row, row, columns) / (double)columns + (double)epsilon);
        for (int64_t i = 0; i < columns; i++) want[r * columns + i] = (float)(row[i] * by * w[i]);
    }
    work_check_f32(work, "y", got, want, count, 2e-6);
}

static const WorkParam params[] = {
    {"m", "rows, 1 to 2^20", 20, 512, 1, 1 << 20},
    {"n", "columns, a multiple of 4 up to 2^20", 1000, 4096, 4, 1 << 20},
    {.name = NULL},
};

const Workload workload_ai_rmsnorm = {
    "rmsnorm", "ai", "each row over the root of its mean square, times weights (Zhang and Sennrich 2019)", params, run};
