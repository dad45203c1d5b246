// matmul8: C = A B of s8, scaled by rows of A and columns of B.
#include "ai.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), k = work_param(work, "k");
    if (work_param(work, "m") % 128) work_refuse(work, "m", "a multiple of 128, the tile,");
    if (n % 128) work_refuse(work, "n", "a multiple of 128, the tile,");
    if (k % 64) work_refuse(work, "k", "a multiple of 64, the depth of a tile,");
    const int64_t tiles = work_share(work, work_param(work, "m") / 128), m = tiles * 128;
    int8_t *a = work_host(work, (size_t)(m * k)), *b = work_host(work, (size_t)(n * k));
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < m * k; i++) a[i] = (int8_t)work_random(work);
    for (int64_t i = 0; i < n * k; i++) b[i] = (int8_t)work_random(work);
    float *sa = work_random_floats(work, (size_t)m, 0.001f, 0.01f),
          *sb = work_random_floats(work, (size_t)n, 0.001f, 0.01f);
    WorkBuf da = work_upload(work, "A", a, (size_t)(m * k)), db = work_upload(work, "B", b, (size_t)(n * k));
    WorkBuf dsa = work_upload(work, "scales of A", sa, (size_t)m * sizeof *sa);
    WorkBuf dsb = work_upload(work, "scales of B", sb, (size_t)n * sizeof *sb);
    WorkBuf c = work_device(work, "C", (size_t)(m * n) * sizeof(float));
    float *got = work_host(work, c.bytes), *want = work_host(work, c.bytes);

    work_launch(
        work, "matmul8", dim1((uint32_t)(n / 128 * tiles)), dim1(128), 0,
        ARGS(arg_i32(m), arg_i32(n), arg_i32(k), arg_buf(da), arg_buf(db), arg_buf(dsa), arg_buf(dsb), arg_buf(c)));
    work_read(work, got, c, c.bytes);
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            int64_t sum = 0;
            for (int64_t x = 0; x < k; x++) sum += a[i * k + x] * b[j * k + x];
            want[i * n + j] = (float)((double)sum * sa[i] * sb[j]);
        }
    work_check_f32(work, "C", got, want, (size_t)(m * n), 1e-6);
}

static const WorkParam params[] = {
    {"m", "rows of A and C, a multiple of 128 up to 16384", 128, 512, 128, 16384},
    {"n", "columns of B and C, a multiple of 128 up to 16384", 256, 512, 128, 16384},
    {"k", "columns of A and rows of B, a multiple of 64 up to 16384", 192, 512, 64, 16384},
    {.name = NULL},
};

const Workload workload_ai_matmul8 = {
    "matmul8", "ai", "C = A B of s8 by mma.sync, scaled by rows and columns, as quantised layers have it", params, run};
