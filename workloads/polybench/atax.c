// atax: y = Aᵀ(A x).
#include "../host.h"

static void run(Work *work)
{
    const int64_t nx = work_param(work, "nx"), ny = work_param(work, "ny");
    if (nx * ny > MATRIX_MOST) work_refuse(work, "nx", "at most 2^30 / ny,");
    const size_t of_a = (size_t)(nx * ny) * sizeof(float), of_x = (size_t)ny * sizeof(float);
    float *a = work_random_floats(work, (size_t)(nx * ny), 0, 1), *x = work_random_floats(work, (size_t)ny, 0, 1);
    float *got = work_host(work, of_x), *want = work_host(work, of_x);
    double *sum = work_host(work, (size_t)ny * sizeof(double));
    WorkBuf da = work_upload(work, "A", a, of_a), dx = work_upload(work, "x", x, of_x);
    WorkBuf dtmp = work_device(work, "tmp", (size_t)nx * sizeof(float)), dy = work_device(work, "y", of_x);

    work_launch(work, "atax_kernel1", dim1(ceil_div(nx, 256)), dim1(256), 0,
                ARGS(arg_i32(nx), arg_i32(ny), arg_buf(da), arg_buf(dx), arg_buf(dtmp)));
    work_launch(work, "atax_kernel2", dim1(ceil_div(ny, 256)), dim1(256), 0,
                ARGS(arg_i32(nx), arg_i32(ny), arg_buf(da), arg_buf(dtmp), arg_buf(dy)));
    work_read(work, got, dy, of_x);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < nx; i++) {
        const double tmp = dot(a + i * ny, x, ny);
        for (int64_t j = 0; j < ny; j++) sum[j] += a[i * ny + j] * tmp;
    }
    for (int64_t j = 0; j < ny; j++) want[j] = (float)sum[j];
    work_check_f32(work, "y", got, want, (size_t)ny, 5e-5);
}

static const WorkParam params[] = {
    {"nx", "rows of A, 1 to 65536", 200, 4096, 1, 65536},
    {"ny", "columns of A, 1 to 32768", 150, 4096, 1, 32768},
    {.name = NULL},
};

const Workload workload_polybench_atax = {"atax", "polybench", "y = A^T (A x) (PolyBench; kernels as in PolyBench/GPU)",
                                          params, run};
