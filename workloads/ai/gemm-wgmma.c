// gemm-wgmma: C = A B of f16, by wgmma.
#include "ai.h"

#define STAGE 32768

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), k = work_param(work, "k");
    if (work_param(work, "m") % 128) work_refuse(work, "m", "a multiple of 128, the tile,");
    if (n % 128) work_refuse(work, "n", "a multiple of 128, the tile,");
    if (k % 64) work_refuse(work, "k", "a multiple of 64, the depth of a tile,");
    const int64_t room = work_block_shared(work) / (STAGE + 16);
    const int64_t stages = work_param_or(work, "stages", room < 4 ? room : 4);
    if (stages < 1 || stages > room)
        work_refuse(work, "stages", "1 to as many of 32 KiB as a block's shared memory holds");
    const int64_t tiles = work_share(work, work_param(work, "m") / 128), m = tiles * 128;
    Halves a = random_halves(work, "A", (size_t)(m * k), -1, 1), b = random_halves(work, "B", (size_t)(n * k), -1, 1);
    WorkBuf c = work_device(work, "C", (size_t)(m * n) * sizeof(float));
    float *got = work_host(work, c.bytes);

    map_halves(work, "map_a", a.device, m, k, 128);
    map_halves(work, "map_b", b.device, n, k, 128);
    work_launch(work, "gemm_wgmma", dim1((uint32_t)(n / 128 * tiles)), dim1(288), (uint32_t)(stages * (STAGE + 16)),
                ARGS(arg_i32(m), arg_i32(n), arg_i32(k), arg_i32(stages), arg_buf(c)));
    work_read(work, got, c, c.bytes);
    if (!work_ok(work)) return;
    work_check_f32(work, "C", got, product_of(work, a.host, b.host, m, n, k), (size_t)(m * n), 2e-5);
}

static const WorkParam params[] = {
    {"m", "rows of A and C, a multiple of 128 up to 16384", 128, 512, 128, 16384},
    {"n", "columns of B and C, a multiple of 128 up to 16384", 256, 512, 128, 16384},
    {"k", "columns of A and rows of B, a multiple of 64 up to 16384", 384, 512, 64, 16384},
    {"stages", "stages of 32 KiB that copies fill ahead; 0: up to 4, as a block's shared memory holds", 0, 0, 0, 7},
    {.name = NULL},
};

const Workload workload_ai_gemm_wgmma = {
    "gemm-wgmma", "ai",
    "C = A B of f16 with sums of f32, by wgmma, tensor copies and a warp that has them made (sm_90a)", params, run};
