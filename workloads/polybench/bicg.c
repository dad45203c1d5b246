// bicg: s = Aᵀ r and q = A p.
#include "../host.h"

static void run(Work *work)
{
    const int64_t nx = work_param(work, "nx"), ny = work_param(work, "ny");
    if (nx * ny > MATRIX_MOST) work_refuse(work, "nx", "at most 2^30 / ny,");
    const size_t of_a = (size_t)(nx * ny) * sizeof(float);
    const size_t of_r = (size_t)nx * sizeof(float), of_p = (size_t)ny * sizeof(float);
    float *a = work_random_floats(work, (size_t)(nx * ny), 0, 1);
    float *r = work_random_floats(work, (size_t)nx, 0, 1), *p = work_random_floats(work, (size_t)ny, 0, 1);
    float *s = work_host(work, of_p), *want_s = work_host(work, of_p);
    float *q = work_host(work, of_r), *want_q = work_host(work, of_r);
    double *sum = work_host(work, (size_t)ny * sizeof(double));
    WorkBuf da = work_upload(work, "A", a, of_a), dr = work_upload(work, "r", r, of_r);
    WorkBuf ds = work_device(work, "s", of_p), dp = work_upload(work, "p", p, of_p), dq = work_device(work, "q", of_r);

    work_launch(work, "bicg_kernel1", dim1(ceil_div(ny, 256)), dim1(256), 0,
                ARGS(arg_i32(nx), arg_i32(ny), arg_buf(da), arg_buf(dr), arg_buf(ds)));
    work_launch(work, "bicg_kernel2", dim1(ceil_div(nx, 256)), dim1(256), 0,
                ARGS(arg_i32(nx), arg_i32(ny), arg_buf(da), arg_buf(dp), arg_buf(dq)));
    work_read(work, s, ds, of_p);
    work_read(work, q, dq, of_r);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < nx; i++) {
        want_q[i] = (float)dot(a + i * ny, p, ny);
        for (int64_t j = 0; j < ny; j++) sum[j] += (double)a[i * ny + j] * r[i];
    }
    for (int64_t j = 0; j < ny; j++) want_s[j] = (float)sum[j];
    work_check_f32(work, "s", s, want_s, (size_t)ny, 5e-5);
    work_check_f32(work, "q", q, want_q, (size_t)nx, 5e-5);
}

static const WorkParam params[] = {
    {"nx", "rows of A, 1 to 65536", 200, 4096, 1, 65536},
    {"ny", "columns of A, 1 to 32768", 150, 4096, 1, 32768},
    {.name = NULL},
};

const Workload workload_polybench_bicg = {
    "bicg", "polybench", "s = A^T r and q = A p (PolyBench; kernels as in PolyBench/GPU)", params, run};
