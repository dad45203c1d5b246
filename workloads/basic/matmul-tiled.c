// matmul-tiled: C = A B for square matrices.
#include "../host.h"

#define TILE 16

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const size_t count = (size_t)(n * n), bytes = count * sizeof(float);
    if (n % TILE != 0) work_refuse(work, "n", "a multiple of 16, the tile,");
    float *a = work_random_floats(work, count, 0, 1), *b = work_random_floats(work, count, 0, 1);
    float *bt = work_host(work, bytes), *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf da = work_upload(work, "A", a, bytes), db = work_upload(work, "B", b, bytes);
    WorkBuf dc = work_device(work, "C", bytes);

    const uint32_t blocks = ceil_div(n, TILE);
    work_launch(work, "matmul_tiled", dim2(blocks, blocks), dim2(TILE, TILE), 0,
                ARGS(arg_i32(n), arg_buf(da), arg_buf(db), arg_buf(dc)));
    work_read(work, got, dc, bytes);
    if (!work_ok(work)) return;

    transpose_into(bt, b, n, n);
    work_products(work, want, a, bt, n, n, n);
    work_check_f32(work, "C", got, want, count, 5e-5);
}

static const WorkParam params[] = {
    {"n", "rows and columns of the matrices, a multiple of 16 up to 16384", 48, 256, 16, 16384},
    {.name = NULL},
};

const Workload workload_basic_matmul_tiled = {
    "matmul-tiled", "basic", "C = A B over 16x16 tiles in shared memory (CUDA C++ Programming Guide)", params, run};
