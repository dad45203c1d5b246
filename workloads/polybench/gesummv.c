// gesummv: y = alpha A x + beta B x.
#include "../host.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), rows = work_param_or(work, "rows", n), count = rows * n;
    if (count > MATRIX_MOST) work_refuse(work, "rows", "at most 2^30 / n,");
    const float alpha = 43532.0f, beta = 12313.0f;  // PolyBench's
    const size_t of_a = (size_t)count * sizeof(float), of_x = (size_t)n * sizeof(float);
    const size_t of_y = (size_t)rows * sizeof(float);
    float *a = work_random_floats(work, (size_t)count, 0, 1), *b = work_random_floats(work, (size_t)count, 0, 1);
    float *x = work_random_floats(work, (size_t)n, 0, 1), *got = work_host(work, of_y), *want = work_host(work, of_y);
    WorkBuf da = work_upload(work, "A", a, of_a), db = work_upload(work, "B", b, of_a);
    WorkBuf dx = work_upload(work, "x", x, of_x), dtmp = work_device(work, "tmp", of_y);
    WorkBuf dy = work_device(work, "y", of_y);

    const oc_dim3 grid = dim1(ceil_div(rows, 256)), block = dim1(256);
    if (rows == n)
        work_launch(work, "gesummv_kernel", grid, block, 0,
                    ARGS(arg_i32(n), arg_f32(alpha), arg_f32(beta), arg_buf(da), arg_buf(db), arg_buf(dx),
                         arg_buf(dtmp), arg_buf(dy)));
    else
        work_launch(work, "gesummv_kernel_rows", grid, block, 0,
                    ARGS(arg_i32(rows), arg_i32(n), arg_f32(alpha), arg_f32(beta), arg_buf(da), arg_buf(db),
                         arg_buf(dx), arg_buf(dtmp), arg_buf(dy)));
    work_read(work, got, dy, of_y);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < rows; i++) want[i] = (float)(alpha * dot(a + i * n, x, n) + beta * dot(b + i * n, x, n));
    work_check_f32(work, "y", got, want, (size_t)rows, 5e-5);
}

static const WorkParam params[] = {
    {"n", "columns of A and B, 1 to 32768", 200, 4096, 1, 32768},
    {"rows", "rows of A and B, 0 to 65536; 0: as many as columns", 0, 0, 0, 65536},
    {.name = NULL},
};

const Workload workload_polybench_gesummv = {
    "gesummv", "polybench", "y = alpha A x + beta B x (PolyBench; kernel as in PolyBench/GPU)", params, run};
