// matmul: C = A B for square matrices, a chunk of C a thread.
#include "stream.h"

static void run(Work *work)
{
    const Shape shape = work_shape(work);
    const int64_t n = work_param(work, "n");
    const size_t count = (size_t)(n * n), bytes = count * sizeof(float);
    const int64_t share = work_share(work, n * n);  // of C's elements, the first ones
    float *a = work_random_floats(work, count, 0, 1), *b = work_random_floats(work, count, 0, 1);
    float *bt = work_host(work, bytes), *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf da = work_upload(work, "A", a, bytes), db = work_upload(work, "B", b, bytes);
    WorkBuf dc = work_device(work, "C", bytes);

    work_launch(work, "matmul", shape.grid, shape.block, 0,
                ARGS(arg_i32(n), arg_i32(chunk_of(shape, share)), arg_buf(da), arg_buf(db), arg_buf(dc)));
    work_read(work, got, dc, bytes);
    if (!work_ok(work)) return;

    transpose_into(bt, b, n, n);
    for (int64_t e = 0; e < share; e++) want[e] = (float)dot(a + e / n * n, bt + e % n * n, n);
    work_check_f32(work, "C", got, want, (size_t)share, 5e-5);
}

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"n", "rows and columns of the matrices, 1 to 16384", 40, 288, 1, 16384},
    {.name = NULL},
};

const Workload workload_streaming_matmul = {
    "matmul", "streaming", "C = A B, a chunk of C a thread, no shared memory (S-L1, Table 1: Matrix Multiply)", params,
    run};
