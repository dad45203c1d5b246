// matvec4: y = A x with weights of 4 bits.
#include "ai.h"

typedef struct Weights {
    uint16_t scale;
    uint8_t pairs[16];
} Weights;
typedef struct Block {
    float scale;
    int32_t sum;
    int8_t v[32];
} Block;

// x as blocks must be x itself to within half a step, and have the sums of their elements.
static bool check_blocks(Work *work, const Block *b, const float *x, int64_t blocks)
{
    for (int64_t k = 0; k < blocks && work_ok(work); k++) {
        int32_t sum = 0;
        for (int i = 0; i < 32; i++) {
            const double error = fabs((double)b[k].scale * b[k].v[i] - x[32 * k + i]);
            if (error > 0.5001 * b[k].scale)
                work_fail(work, "wrong result: x[%lld] is rounded badly", (long long)(32 * k + i));
            sum += b[k].v[i];
        }
        if (sum != b[k].sum) work_fail(work, "wrong result: block %lld of x has a wrong sum", (long long)k);
    }
    return work_ok(work);
}

static double row_of(const Weights *w, const Block *x, int64_t blocks)
{
    double y = 0;
    for (int64_t k = 0; k < blocks; k++)
        for (int i = 0; i < 32; i++) {
            const int q = i < 16 ? w[k].pairs[i] & 15 : w[k].pairs[i - 16] >> 4;
            y += (double)of_f16(w[k].scale) * (q - 8) * x[k].scale * x[k].v[i];
        }
    return y;
}

static void run(Work *work)
{
    const int64_t rows = work_shared(work, "m"), k = work_param(work, "k"), blocks = k / 32;
    if (k % 32) work_refuse(work, "k", "a multiple of 32, the block,");
    Weights *a = work_host(work, (size_t)(rows * blocks) * sizeof *a);
    float *x = work_random_floats(work, (size_t)k, -1, 1);
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < rows * blocks; i++) {
        a[i].scale = to_f16(0.01f + 0.1f * work_random_float(work));
        for (int b = 0; b < 16; b++) a[i].pairs[b] = (uint8_t)work_random(work);
    }
    WorkBuf da = work_upload(work, "A", a, (size_t)(rows * blocks) * sizeof *a);
    WorkBuf dx = work_upload(work, "x", x, (size_t)k * sizeof *x);
    WorkBuf db = work_device(work, "x of 8 bits", (size_t)blocks * sizeof(Block));
    WorkBuf dy = work_device(work, "y", (size_t)rows * sizeof(float));
    Block *b = work_host(work, db.bytes);
    float *got = work_host(work, dy.bytes), *want = work_host(work, dy.bytes);

    work_launch(work, "matvec4_round", dim1(ceil_div(blocks, 8)), dim1(256), 0,
                ARGS(arg_i32(blocks), arg_buf(dx), arg_buf(db)));
    work_launch(work, "matvec4", dim1(ceil_div(rows, 4)), dim1(128), 0,
                ARGS(arg_i32(rows), arg_i32(blocks), arg_buf(da), arg_buf(db), arg_buf(dy)));
    work_read(work, b, db, db.bytes);
    work_read(work, got, dy, dy.bytes);
    if (!work_ok(work) || !check_blocks(work, b, x, blocks)) return;
    for (int64_t i = 0; i < rows; i++) want[i] = (float)row_of(a + i * blocks, b, blocks);
    work_check_f32(work, "y", got, want, (size_t)rows, 1e-5);
}

static const WorkParam params[] = {
    {"m", "rows of A, 1 to 2^20", 250, 4096, 1, 1 << 20},
    {"k", "columns of A, a multiple of 32 up to 65536", 1056, 4096, 32, 65536},
    {.name = NULL},
};

const Workload workload_ai_matvec4 = {
    "matvec4", "ai", "y = A x, A in blocks of 32 weights of 4 bits with a scale, by dp4a", params, run};
