// turn: the transpose of a matrix, without tiles.
#include "measured.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const uint32_t blocks = ceil_div(n, 16), some = measured_blocks(work, blocks);
    const int64_t rows = some * 16 < n ? some * 16 : n;
    const size_t bytes = (size_t)(rows * n) * sizeof(float);
    float *a = measured_floats(work, rows * n), *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf da = work_upload(work, "A", a, bytes), db = work_device(work, "B", bytes);
    measured_launch(work, "transpose_plain", dim2(blocks, some), dim2(16, 16), 0,
                    ARGS(arg_buf(da), arg_buf(db), arg_i32(rows), arg_i32(n)));
    work_read(work, got, db, bytes);
    if (!work_ok(work)) return;
    transpose_into(want, a, rows, n);
    work_check_f32(work, "B", got, want, (size_t)(rows * n), 0);
}

static const WorkParam params[] = {
    {"n", "rows and columns, 1 to 8192", 100, 1024, 1, 8192},
    MEASURED_PARAMS,
};

const Workload workload_measured_turn = {
    "turn", "measured", "The transpose of a matrix, without tiles (Kernel Performance Prediction)", params, run};
