// product: C = A B of unsigned integers. Of a large product only some rows of blocks are run, and of these only some
// steps of the inner loop.
#include "measured.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), w = work_param(work, "w"), inner = work_param(work, "inner");
    const int64_t outputs = work_param(work, "outputs"), part = work_param(work, "part");
    if (part % inner) work_refuse(work, "inner", "a divisor of part");
    if (n % (2 * w)) work_refuse(work, "n", "a multiple of twice the block's side");
    if (n / inner % w) work_refuse(work, "inner", "a divisor of n that leaves whole tiles");
    if (!work_ok(work)) return;
    const uint32_t side = (uint32_t)w, blocks = ceil_div(n, w);
    const uint32_t some = ceil_div(work_share(work, blocks) * inner, part);
    const int64_t rows = some * w, steps = n / inner;
    uint32_t *a = measured_words(work, rows * steps, 100), *b = measured_words(work, steps * n, 100);
    // Where threads race for their operands, all of them are equal.
    for (int64_t k = 0; b && outputs == 2 && k < steps * n; k++) b[k] = b[0];
    const size_t bytes = (size_t)(rows * n) * sizeof *a;
    uint32_t *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf da = work_upload(work, "A", a, (size_t)(rows * steps) * sizeof *a);
    WorkBuf db = work_upload(work, "B", b, (size_t)(steps * n) * sizeof *b), dc = work_device(work, "C", bytes);
    const char *kernel = outputs == 2 ? "mm_wide" : outputs == 1 ? "mm_tile" : "mm_plain";
    // The wide one has four times the blocks that it needs, as it was measured.
    measured_launch(
        work, kernel, dim2(outputs == 2 ? 2 * blocks : blocks, some), dim2(side, side),
        outputs ? (uint32_t)(4 * w * w * (outputs + 1)) : 0,
        ARGS(arg_buf(da), arg_buf(db), arg_buf(dc), arg_i32(rows), arg_i32(steps), arg_i32(steps), arg_i32(n)));
    work_read(work, got, dc, bytes);
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < rows && work_param(work, "data"); i++)
        for (int64_t k = 0; k < steps; k++)
            for (int64_t j = 0; j < n; j++) want[i * n + j] += a[i * steps + k] * b[k * n + j];
    work_check_u32(work, "C", got, want, (size_t)(rows * n));
}

static const WorkParam params[] = {
    {"n", "rows and columns of the matrices, a multiple of 2 w from 64 to 8192", 64, 512, 64, 8192},
    {"w", "side of a block and of a tile, 2 to 32", 16, 16, 2, 32},
    {"outputs", "0: an element a thread, from global memory; 1: from tiles in shared memory; 2: two elements a thread",
     1, 1, 0, 2},
    {"inner", "of part, as much as this by fewer steps of the inner loop", 1, 1, 1, 4096},
    MEASURED_PARAMS,
};

const Workload workload_measured_product = {
    "product", "measured", "C = A B of integers, plainly and over tiles (Programming Massively Parallel Processors)",
    params, run};
