// transpose: out = inᵀ for a square matrix.
#include "../host.h"

#define TILE 32
#define ROWS 8  // rows of a block

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const bool tiled = work_param(work, "tiled");
    const size_t count = (size_t)(n * n), bytes = count * sizeof(float);
    float *in = work_random_floats(work, count, 0, 1), *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf din = work_upload(work, "in", in, bytes), dout = work_device(work, "out", bytes);

    work_launch(work, tiled ? "transpose_tiled" : "transpose_naive",
                dim2(ceil_div(n, TILE), ceil_div(n, tiled ? TILE : ROWS)), dim2(TILE, ROWS), 0,
                ARGS(arg_i32(n), arg_buf(din), arg_buf(dout)));
    work_read(work, got, dout, bytes);
    if (!work_ok(work)) return;

    transpose_into(want, in, n, n);
    work_check_f32(work, "out", got, want, count, 0);
}

static const WorkParam params[] = {
    {"n", "rows and columns of the matrix, 1 to 32768", 100, 1024, 1, 32768},
    {"tiled", "1: through tiles in shared memory; 0: straight", 1, 1, 0, 1},
    {.name = NULL},
};

const Workload workload_basic_transpose = {
    "transpose", "basic", "Transpose of a matrix (Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA)",
    params, run};
