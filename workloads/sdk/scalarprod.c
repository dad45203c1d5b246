// scalarprod: the dot products of pairs of vectors.
#include "../host.h"

#define BLOCKS 128  // the SDK's
#define THREADS 256

static void run(Work *work)
{
    const int64_t vectors = work_param(work, "vectors"), n = work_param(work, "n");
    const size_t count = (size_t)(vectors * n), bytes = count * sizeof(float);
    const size_t of_c = (size_t)vectors * sizeof(float);
    float *a = work_random_floats(work, count, 0, 1), *b = work_random_floats(work, count, 0, 1);
    float *got = work_host(work, of_c), *want = work_host(work, of_c);
    WorkBuf da = work_upload(work, "A", a, bytes), db = work_upload(work, "B", b, bytes);
    WorkBuf dc = work_device(work, "C", of_c);

    work_launch(work, "scalarprod", dim1(BLOCKS), dim1(THREADS), 0,
                ARGS(arg_i32(vectors), arg_i32(n), arg_buf(da), arg_buf(db), arg_buf(dc)));
    work_read(work, got, dc, of_c);
    if (!work_ok(work)) return;

    for (int64_t v = 0; v < vectors; v++) want[v] = (float)dot(a + v * n, b + v * n, n);
    work_check_f32(work, "C", got, want, (size_t)vectors, 1e-5);
}

static const WorkParam params[] = {
    {"vectors", "pairs of vectors, 1 to 4096", 150, 256, 1, 4096},
    {"n", "elements of each vector, 1 to 65536", 1500, 4096, 1, 65536},
    {.name = NULL},
};

const Workload workload_sdk_scalarprod = {
    "scalarprod", "sdk", "Dot products of pairs of vectors, with 1024 sums in shared memory (CUDA SDK)", params, run};
