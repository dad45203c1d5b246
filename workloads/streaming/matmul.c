// matmul: C = A B, a chunk of C a thread: of elements where the matrices are square, of whole rows where `rows` says
// how many A has.
#include "stream.h"

typedef struct Sizes {
    int64_t rows, inner, n;  // of C, a part of the GPU's rows of A; columns of A; columns of C
    int64_t elements;        // of C that are computed, the first ones
} Sizes;

static Sizes sizes(Work *work)
{
    const int64_t n = work_param(work, "n"), rows = work_param(work, "rows"), inner = work_param_or(work, "inner", n);
    if (rows == 0 && inner != n) work_refuse(work, "inner", "0 or n where rows is 0");
    if (rows == 0) return (Sizes){n, n, n, work_share(work, n * n)};
    const int64_t share = work_share(work, rows);
    if (share * n > INT32_MAX || share * inner > INT32_MAX)
        work_refuse(work, "rows", "fewer than 2^31 elements of A and C");
    return (Sizes){share, inner, n, share * n};
}

static void run(Work *work)
{
    const Shape shape = work_shape(work);
    const Sizes s = sizes(work);
    const bool by_rows = work_param(work, "rows") != 0;
    const size_t of_a = (size_t)(s.rows * s.inner), of_b = (size_t)(s.inner * s.n), of_c = (size_t)(s.rows * s.n);
    float *a = work_random_floats(work, of_a, 0, 1), *b = work_random_floats(work, of_b, 0, 1);
    float *bt = work_host(work, of_b * sizeof(float)), *got = work_host(work, of_c * sizeof(float));
    float *want = work_host(work, of_c * sizeof(float));
    WorkBuf da = work_upload(work, "A", a, of_a * sizeof(float)), db = work_upload(work, "B", b, of_b * sizeof(float));
    WorkBuf dc = work_device(work, "C", of_c * sizeof(float));

    if (by_rows)
        work_launch(work, "matmul_rows", shape.grid, shape.block, 0,
                    ARGS(arg_i32(s.rows), arg_i32(s.inner), arg_i32(s.n), arg_i32(chunk_of(shape, s.rows)), arg_buf(da),
                         arg_buf(db), arg_buf(dc)));
    else
        work_launch(work, "matmul", shape.grid, shape.block, 0,
                    ARGS(arg_i32(s.n), arg_i32(chunk_of(shape, s.elements)), arg_buf(da), arg_buf(db), arg_buf(dc)));
    work_read(work, got, dc, of_c * sizeof(float));
    if (!work_ok(work)) return;

    transpose_into(bt, b, s.inner, s.n);
    for (int64_t e = 0; e < s.elements; e++)
        want[e] = (float)dot(a + e / s.n * s.inner, bt + e % s.n * s.inner, s.inner);
    work_check_f32(work, "C", got, want, (size_t)s.elements, 5e-5);
}

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"n", "columns of the matrices B and C, and of A and rows of all if the next two are 0, 1 to 16384", 40, 288, 1,
     16384},
    {"rows", "rows of A and C, of which a thread makes whole ones, at most 2^24; 0: n, and a thread makes a chunk of C",
     0, 0, 0, 1 << 24},
    {"inner", "columns of A and rows of B, at most 16384; 0: n", 0, 0, 0, 16384},
    {.name = NULL},
};

const Workload workload_streaming_matmul = {
    "matmul", "streaming", "C = A B, a chunk of C a thread, no shared memory (S-L1, Table 1: Matrix Multiply)", params,
    run};
