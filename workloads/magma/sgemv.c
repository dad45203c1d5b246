// sgemv: y = alpha A x + beta y in single precision.
#include "../host.h"

#define BLOCK 128
#define ALPHA 1.25f
#define BETA 0.75f

static void run(Work *work)
{
    const int64_t m = work_param(work, "m"), n = work_param(work, "n");
    const size_t of_y = (size_t)m * sizeof(float);
    work_seed(work, work_param(work, "seed"));
    float *a = work_random_floats(work, (size_t)(m * n), 0, 1), *x = work_random_floats(work, (size_t)n, 0, 1);
    float *y = work_random_floats(work, (size_t)m, 0, 1), *got = work_host(work, of_y), *want = work_host(work, of_y);
    double *sum = work_host(work, (size_t)m * sizeof(double));
    WorkBuf da = work_upload(work, "A", a, (size_t)(m * n) * sizeof(float));
    WorkBuf dx = work_upload(work, "x", x, (size_t)n * sizeof(float)), dy = work_upload(work, "y", y, of_y);

    work_launch(
        work, "sgemv", dim1(ceil_div(m, BLOCK)), dim1(BLOCK), 0,
        ARGS(arg_i32(m), arg_i32(n), arg_f32(ALPHA), arg_buf(da), arg_i32(m), arg_buf(dx), arg_f32(BETA), arg_buf(dy)));
    work_read(work, got, dy, of_y);
    if (!work_ok(work)) return;

    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) sum[i] += (double)a[j * m + i] * x[j];
    for (int64_t i = 0; i < m; i++) want[i] = (float)((double)ALPHA * sum[i] + (double)BETA * y[i]);
    work_check_f32(work, "y", got, want, (size_t)m, 2e-5);
}

static const WorkParam params[] = {
    {"m", "rows of A and elements of y, 1 to 16384", 300, 16384, 1, 16384},
    {"n", "columns of A and elements of x, 1 to 16384", 200, 2048, 1, 16384},
    {"seed", "seed of the matrix and the vectors, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_magma_sgemv = {"sgemv", "magma",
                                       "y = alpha A x + beta y, a thread a row of A (MAGMA for Fermi)", params, run};
