// mvt: x1 = x1 + A y1 and x2 = x2 + Aᵀ y2.
#include "../host.h"

// As the suite has it, for a square matrix.
static void launch_square(Work *work, int64_t n, WorkBuf a, const WorkBuf x[2], const WorkBuf y[2])
{
    work_launch(work, "mvt_kernel1", dim1(ceil_div(n, 256)), dim1(256), 0,
                ARGS(arg_i32(n), arg_buf(a), arg_buf(y[0]), arg_buf(x[0])));
    work_launch(work, "mvt_kernel2", dim1(ceil_div(n, 256)), dim1(256), 0,
                ARGS(arg_i32(n), arg_buf(a), arg_buf(y[1]), arg_buf(x[1])));
}

static void launch_rows(Work *work, int64_t rows, int64_t n, WorkBuf a, const WorkBuf x[2], const WorkBuf y[2])
{
    work_launch(work, "mvt_kernel1_rows", dim1(ceil_div(rows, 256)), dim1(256), 0,
                ARGS(arg_i32(rows), arg_i32(n), arg_buf(a), arg_buf(y[0]), arg_buf(x[0])));
    work_launch(work, "mvt_kernel2_rows", dim1(ceil_div(n, 256)), dim1(256), 0,
                ARGS(arg_i32(rows), arg_i32(n), arg_buf(a), arg_buf(y[1]), arg_buf(x[1])));
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), rows = work_param_or(work, "rows", n);
    if (rows * n > MATRIX_MOST) work_refuse(work, "rows", "at most 2^30 / n,");
    const size_t of_a = (size_t)(rows * n) * sizeof(float);
    const size_t of_row = (size_t)n * sizeof(float), of_column = (size_t)rows * sizeof(float);
    float *a = work_random_floats(work, (size_t)(rows * n), 0, 1);
    float *x1 = work_random_floats(work, (size_t)rows, 0, 1), *x2 = work_random_floats(work, (size_t)n, 0, 1);
    float *y1 = work_random_floats(work, (size_t)n, 0, 1), *y2 = work_random_floats(work, (size_t)rows, 0, 1);
    float *got1 = work_host(work, of_column), *want1 = work_host(work, of_column);
    float *got2 = work_host(work, of_row), *want2 = work_host(work, of_row);
    double *sum = work_host(work, (size_t)n * sizeof(double));
    WorkBuf da = work_upload(work, "A", a, of_a);
    WorkBuf dx1 = work_upload(work, "x1", x1, of_column), dx2 = work_upload(work, "x2", x2, of_row);
    WorkBuf dy1 = work_upload(work, "y1", y1, of_row), dy2 = work_upload(work, "y2", y2, of_column);

    const WorkBuf x[] = {dx1, dx2}, y[] = {dy1, dy2};
    if (rows == n)
        launch_square(work, n, da, x, y);
    else
        launch_rows(work, rows, n, da, x, y);
    work_read(work, got1, dx1, of_column);
    work_read(work, got2, dx2, of_row);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < rows; i++) {
        want1[i] = (float)(x1[i] + dot(a + i * n, y1, n));
        for (int64_t j = 0; j < n; j++) sum[j] += (double)a[i * n + j] * y2[i];
    }
    for (int64_t j = 0; j < n; j++) want2[j] = (float)(x2[j] + sum[j]);
    work_check_f32(work, "x1", got1, want1, (size_t)rows, 5e-5);
    work_check_f32(work, "x2", got2, want2, (size_t)n, 5e-5);
}

static const WorkParam params[] = {
    {"n", "columns of A, 1 to 32768", 200, 4096, 1, 32768},
    {"rows", "rows of A, 0 to 65536; 0: as many as columns", 0, 0, 0, 65536},
    {.name = NULL},
};

const Workload workload_polybench_mvt = {
    "mvt", "polybench", "x1 = x1 + A y1 and x2 = x2 + A^T y2 (PolyBench; kernels as in PolyBench/GPU)", params, run};
