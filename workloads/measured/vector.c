// vector: an element a thread, in four ways.
#include "measured.h"

static void run(Work *work)
{
    const int64_t way = work_param(work, "way");
    const uint32_t blocks = measured_blocks(work, ceil_div(work_param(work, "n"), 256));
    const int64_t n = blocks * 256ll < work_param(work, "n") ? blocks * 256ll : work_param(work, "n");
    static const char *const kernels[] = {"vec_add", "saxpy", "vec_add_split", "gather_same"};
    const size_t bytes = (size_t)n * 4;
    float *a = measured_floats(work, n), *b = way < 4 ? measured_floats(work, n) : work_host(work, bytes);
    uint32_t *x = work_host(work, bytes);  // gather_same: where to look, always at the first
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf da = work_upload(work, "A", a, bytes),
            db = work_upload(work, way < 4 ? "B" : "x", way < 4 ? (void *)b : x, bytes);
    WorkBuf dc = work_device(work, "C", bytes);
    const WorkArg args[] = {arg_f32(2), arg_buf(da), arg_buf(db), arg_buf(dc), arg_i32(n)};
    measured_launch(work, kernels[way - 1], dim1(blocks), dim1(256), 0, way == 2 ? args : args + 1, way == 2 ? 5 : 4);
    work_read(work, got, dc, bytes);
    if (!work_ok(work)) return;
    float s = 0;
    for (int k = 0; k < 128; k++) s += 0.0001f * (float)k;
    for (int64_t k = 0; k < n; k++)
        want[k] = way == 4 ? a[0] : way == 2 ? 2 * a[k] + b[k] : a[k] + b[k] + (way == 3 && k % 2 == 0 ? s : 0);
    work_check_f32(work, "C", got, want, (size_t)n, 1e-5);
}

static const WorkParam params[] = {
    {"n", "elements, 1 to 2^28", 1000, 1048576, 1, 1 << 28},
    {"way", "1: a + b; 2: 2 a + b; 3: a + b, and a loop in every second lane; 4: the first element for all", 1, 1, 1,
     4},
    MEASURED_PARAMS,
};

const Workload workload_measured_vector = {
    "vector", "measured", "Sums, saxpy, divergence and a gather (Kernel Performance Prediction)", params, run};
