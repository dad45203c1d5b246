// lud: the decomposition of a matrix into L and U.
#include "../host.h"

#define TILE 16

// Gaussian elimination in double, in place: the multipliers stand where L is.
static void decompose(double *a, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] /= a[k * n + k];
            for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const size_t count = (size_t)(n * n), bytes = count * sizeof(float);
    if (n % TILE != 0) work_refuse(work, "n", "a multiple of 16, the tile,");
    work_seed(work, work_param(work, "seed"));
    float *a = work_random_floats(work, count, 0, 1), *got = work_host(work, bytes), *want = work_host(work, bytes);
    double *exact = work_host(work, count * sizeof(double));
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < n; i++) a[i * n + i] += (float)n;  // a heavy diagonal needs no pivoting
    WorkBuf da = work_upload(work, "a", a, bytes);

    for (int64_t offset = 0; offset < n && work_ok(work); offset += TILE) {
        const uint32_t left = (uint32_t)((n - offset) / TILE - 1);
        const WorkArg args[] = {arg_i32(n), arg_i32(offset), arg_buf(da)};
        work_launch(work, "lud_diagonal", dim1(1), dim1(TILE), 0, args, 3);
        if (!left) break;
        work_launch(work, "lud_perimeter", dim1(left), dim1(2 * TILE), 0, args, 3);
        work_launch(work, "lud_internal", dim2(left, left), dim2(TILE, TILE), 0, args, 3);
    }
    work_read(work, got, da, bytes);
    if (!work_ok(work)) return;

    for (size_t i = 0; i < count; i++) exact[i] = a[i];
    decompose(exact, n);
    for (size_t i = 0; i < count; i++) want[i] = (float)exact[i];
    work_check_f32(work, "LU", got, want, count, 1e-5);
}

static const WorkParam params[] = {
    {"n", "rows and columns of the matrix, a multiple of 16 up to 8192", 80, 256, TILE, 8192},
    {"seed", "seed of the matrix, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_rodinia_lud = {
    "lud", "rodinia", "A matrix decomposed into L and U, over 16x16 tiles in shared memory (Rodinia)", params, run};
