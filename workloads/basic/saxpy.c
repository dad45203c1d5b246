// saxpy: y = alpha x + y.
#include "../host.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const size_t bytes = (size_t)n * sizeof(float);
    const float alpha = 2.5f;
    float *x = work_random_floats(work, (size_t)n, 0, 1), *y = work_random_floats(work, (size_t)n, 0, 1);
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf dx = work_upload(work, "x", x, bytes), dy = work_upload(work, "y", y, bytes);

    work_launch(work, "saxpy", dim1(ceil_div(n, 256)), dim1(256), 0,
                ARGS(arg_i32(n), arg_f32(alpha), arg_buf(dx), arg_buf(dy)));
    work_read(work, got, dy, bytes);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < n; i++) want[i] = (float)((double)alpha * x[i] + y[i]);
    work_check_f32(work, "y", got, want, (size_t)n, 1e-6);
}

static const WorkParam params[] = {
    {"n", "elements of each vector, 1 to 2^28", 1000, 1048576, 1, 1 << 28},
    {.name = NULL},
};

const Workload workload_basic_saxpy = {"saxpy", "basic", "y = alpha x + y, one thread an element (BLAS level 1)",
                                       params, run};
