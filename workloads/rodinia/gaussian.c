// gaussian: the solution of a system of n linear equations; the device eliminates, the host substitutes back.
#include "../host.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const size_t of_a = (size_t)(n * n) * sizeof(float), of_b = (size_t)n * sizeof(float);
    float *a = work_random_floats(work, (size_t)(n * n), 0, 1), *want = work_random_floats(work, (size_t)n, 0, 1);
    float *b = work_host(work, of_b), *got = work_host(work, of_b);
    if (!work_ok(work)) return;
    // The reference is the solution that the right-hand side is made from. A heavy diagonal needs no pivoting.
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i] += (float)n;
        b[i] = (float)dot(a + i * n, want, n);
    }
    WorkBuf da = work_upload(work, "a", a, of_a), db = work_upload(work, "b", b, of_b);
    WorkBuf dm = work_device(work, "m", of_a);

    for (int64_t t = 0; t < n - 1 && work_ok(work); t++) {
        work_launch(work, "Fan1", dim1(ceil_div(n, 512)), dim1(512), 0,
                    ARGS(arg_i32(n), arg_i32(t), arg_buf(da), arg_buf(dm)));
        work_launch(work, "Fan2", dim2(ceil_div(n, 4), ceil_div(n, 4)), dim2(4, 4), 0,
                    ARGS(arg_i32(n), arg_i32(t), arg_buf(dm), arg_buf(da), arg_buf(db)));
    }
    work_read(work, a, da, of_a);
    work_read(work, b, db, of_b);
    if (!work_ok(work)) return;

    for (int64_t i = n - 1; i >= 0; i--)
        got[i] = (float)((b[i] - dot(a + i * n + i + 1, got + i + 1, n - i - 1)) / a[i * n + i]);
    work_check_f32(work, "x", got, want, (size_t)n, 1e-4);
}

static const WorkParam params[] = {
    {"n", "equations, 2 to 8192", 20, 208, 2, 8192},
    {.name = NULL},
};

const Workload workload_rodinia_gaussian = {
    "gaussian", "rodinia", "Gaussian elimination of a system of linear equations (Rodinia)", params, run};
