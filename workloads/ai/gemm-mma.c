// gemm-mma: C = A B of f16, by mma.sync.
#include "ai.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), k = work_param(work, "k");
    if (work_param(work, "m") % 128) work_refuse(work, "m", "a multiple of 128, the tile,");
    if (n % 128) work_refuse(work, "n", "a multiple of 128, the tile,");
    if (k % 32) work_refuse(work, "k", "a multiple of 32, the depth of a tile,");
    const int64_t tiles = work_share(work, work_param(work, "m") / 128), m = tiles * 128;
    Halves a = random_halves(work, "A", (size_t)(m * k), -1, 1), b = random_halves(work, "B", (size_t)(n * k), -1, 1);
    WorkBuf c = work_device(work, "C", (size_t)(m * n) * sizeof(float));
    float *got = work_host(work, c.bytes);

    work_launch(work, "gemm_mma", dim1((uint32_t)(n / 128 * tiles)), dim1(128), 0,
                ARGS(arg_i32(m), arg_i32(n), arg_i32(k), arg_buf(a.device), arg_buf(b.device), arg_buf(c)));
    work_read(work, got, c, c.bytes);
    if (!work_ok(work)) return;
    work_check_f32(work, "C", got, product_of(work, a.host, b.host, m, n, k), (size_t)(m * n), 2e-5);
}

static const WorkParam params[] = {
    {"m", "rows of A and C, a multiple of 128 up to 16384", 128, 512, 128, 16384},
    {"n", "columns of B and C, a multiple of 128 up to 16384", 256, 512, 128, 16384},
    {"k", "columns of A and rows of B, a multiple of 32 up to 16384", 96, 512, 32, 16384},
    {.name = NULL},
};

const Workload workload_ai_gemm_mma = {
    "gemm-mma", "ai", "C = A B of f16 with sums of f32, by mma.sync, ldmatrix and a pipeline of cp.async", params, run};
