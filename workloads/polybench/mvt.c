// mvt: x1 = x1 + A y1 and x2 = x2 + Aᵀ y2.
#include "../host.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const size_t of_a = (size_t)(n * n) * sizeof(float), of_x = (size_t)n * sizeof(float);
    float *a = work_random_floats(work, (size_t)(n * n), 0, 1);
    float *x1 = work_random_floats(work, (size_t)n, 0, 1), *x2 = work_random_floats(work, (size_t)n, 0, 1);
    float *y1 = work_random_floats(work, (size_t)n, 0, 1), *y2 = work_random_floats(work, (size_t)n, 0, 1);
    float *got1 = work_host(work, of_x), *want1 = work_host(work, of_x);
    float *got2 = work_host(work, of_x), *want2 = work_host(work, of_x);
    double *sum = work_host(work, (size_t)n * sizeof(double));
    WorkBuf da = work_upload(work, "A", a, of_a);
    WorkBuf dx1 = work_upload(work, "x1", x1, of_x), dx2 = work_upload(work, "x2", x2, of_x);
    WorkBuf dy1 = work_upload(work, "y1", y1, of_x), dy2 = work_upload(work, "y2", y2, of_x);

    work_launch(work, "mvt_kernel1", dim1(ceil_div(n, 256)), dim1(256), 0,
                ARGS(arg_i32(n), arg_buf(da), arg_buf(dy1), arg_buf(dx1)));
    work_launch(work, "mvt_kernel2", dim1(ceil_div(n, 256)), dim1(256), 0,
                ARGS(arg_i32(n), arg_buf(da), arg_buf(dy2), arg_buf(dx2)));
    work_read(work, got1, dx1, of_x);
    work_read(work, got2, dx2, of_x);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < n; i++) {
        want1[i] = (float)(x1[i] + dot(a + i * n, y1, n));
        for (int64_t j = 0; j < n; j++) sum[j] += (double)a[i * n + j] * y2[i];
    }
    for (int64_t j = 0; j < n; j++) want2[j] = (float)(x2[j] + sum[j]);
    work_check_f32(work, "x1", got1, want1, (size_t)n, 5e-5);
    work_check_f32(work, "x2", got2, want2, (size_t)n, 5e-5);
}

static const WorkParam params[] = {
    {"n", "rows and columns of A, 1 to 32768", 200, 4096, 1, 32768},
    {.name = NULL},
};

const Workload workload_polybench_mvt = {
    "mvt", "polybench", "x1 = x1 + A y1 and x2 = x2 + A^T y2 (PolyBench; kernels as in PolyBench/GPU)", params, run};
