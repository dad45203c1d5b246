// syr2k: C = beta C + alpha A Bᵀ + alpha B Aᵀ.
#include "../host.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), m = work_param_or(work, "m", n);
    const float alpha = 12435.0f, beta = 4546.0f;  // PolyBench's
    const size_t of_a = (size_t)(n * m) * sizeof(float), of_c = (size_t)(n * n) * sizeof(float);
    float *a = work_random_floats(work, (size_t)(n * m), 0, 1), *b = work_random_floats(work, (size_t)(n * m), 0, 1);
    float *c = work_random_floats(work, (size_t)(n * n), 0, 1);
    float *got = work_host(work, of_c), *want = work_host(work, of_c);
    WorkBuf da = work_upload(work, "A", a, of_a), db = work_upload(work, "B", b, of_a);
    WorkBuf dc = work_upload(work, "C", c, of_c);

    work_launch(work, "syr2k_kernel", dim2(ceil_div(n, 32), ceil_div(n, 8)), dim2(32, 8), 0,
                ARGS(arg_i32(n), arg_i32(m), arg_f32(alpha), arg_f32(beta), arg_buf(da), arg_buf(db), arg_buf(dc)));
    work_read(work, got, dc, of_c);
    if (!work_ok(work)) return;

    // The sum of the products is symmetric, C isn't.
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double products = alpha * (dot(a + i * m, b + j * m, m) + dot(b + i * m, a + j * m, m));
            want[i * n + j] = (float)(beta * (double)c[i * n + j] + products);
            want[j * n + i] = (float)(beta * (double)c[j * n + i] + products);
        }
    work_check_f32(work, "C", got, want, (size_t)(n * n), 5e-5);
}

static const WorkParam params[] = {
    {"n", "rows of A and B, 1 to 16384", 48, 2048, 1, 16384},
    {"m", "columns of A and B, 0 to 16384; 0: as many as rows", 40, 0, 0, 16384},
    {.name = NULL},
};

const Workload workload_polybench_syr2k = {
    "syr2k", "polybench", "C = beta C + alpha (A B^T + B A^T) (PolyBench; kernel as in PolyBench/GPU)", params, run};
