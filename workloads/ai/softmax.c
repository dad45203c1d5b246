// softmax: of each row of a matrix.
#include "ai.h"

static void run(Work *work)
{
    const int64_t rows = work_shared(work, "m"), columns = work_param(work, "n");
    if (rows * columns > MATRIX_MOST) work_refuse(work, "n", "at most 2^30 elements");
    const size_t count = (size_t)(rows * columns);
    float *x = work_random_floats(work, count, -8, 8), *got = work_host(work, count * 4),
          *want = work_host(work, count * 4);
    WorkBuf dx = work_upload(work, "x", x, count * 4), dy = work_device(work, "y", count * 4);
    work_launch(work, "softmax", dim1((uint32_t)rows), dim1(256), 0, ARGS(arg_i32(columns), arg_buf(dx), arg_buf(dy)));
    work_read(work, got, dy, count * 4);
    if (!work_ok(work)) return;
    for (int64_t r = 0; r < rows; r++) {
        const float *row = x + r * columns;
        double sum = 0;
        for (int64_t i = 0; i < columns; i++) sum += exp(row[i]);
        for (int64_t i = 0; i < columns; i++) want[r * columns + i] = (float)(exp(row[i]) / sum);
    }
    work_check_f32(work, "y", got, want, count, 1e-5);
}

static const WorkParam params[] = {
    {"m", "rows, 1 to 2^20", 20, 512, 1, 1 << 20},
    {"n", "columns, 1 to 2^20", 1000, 4096, 1, 1 << 20},
    {.name = NULL},
};

const Workload workload_ai_softmax = {"softmax", "ai", "the softmax of each row of a matrix, a block a row", params,
                                      run};
