// add: C = A + B of square matrices.
#include "measured.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), coalesced = work_param(work, "coalesced");
    const uint32_t blocks = ceil_div(n, 16), some = measured_blocks(work, blocks);
    const int64_t done = some * 16 < n ? some * 16 : n;  // rows, or columns
    const size_t count = (size_t)(n * n), bytes = count * sizeof(float);
    float *a = measured_floats(work, n * n), *b = measured_floats(work, n * n);
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf da = work_upload(work, "A", a, bytes), db = work_upload(work, "B", b, bytes);
    WorkBuf dc = work_device(work, "C", bytes);
    measured_launch(work, coalesced ? "add_coalesced" : "add_uncoalesced", dim2(blocks, some), dim2(16, 16), 0,
                    ARGS(arg_buf(da), arg_buf(db), arg_buf(dc), arg_i32(n), arg_i32(n)));
    work_read(work, got, dc, bytes);
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if ((coalesced ? i : j) < done) want[i * n + j] = a[i * n + j] + b[i * n + j];
    work_check_f32(work, "C", got, want, count, 0);
}

static const WorkParam params[] = {
    {"n", "rows and columns, 1 to 8192", 100, 1024, 1, 8192},
    {"coalesced", "1: neighbouring lanes lie in a row; 0: in a column", 1, 1, 0, 1},
    MEASURED_PARAMS,
};

const Workload workload_measured_add = {
    "add", "measured", "C = A + B of matrices, along rows or columns (Programming Massively Parallel Processors)",
    params, run};
