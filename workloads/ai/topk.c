// topk: the k largest elements of each row of a matrix.
#include "ai.h"

#include <stdlib.h>

typedef struct Entry {
    float value;
    uint32_t column;
} Entry;

static int descending(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static void run(Work *work)
{
    const int64_t rows = work_shared(work, "m"), columns = work_param(work, "n"), k = work_param(work, "k");
    if (rows * columns > MATRIX_MOST) work_refuse(work, "n", "at most 2^30 elements");
    const size_t count = (size_t)(rows * columns), bytes = (size_t)(rows * k) * 4;
    float *x = work_random_floats(work, count, -8, 8), *got = work_host(work, bytes), *want = work_host(work, bytes);
    uint32_t *got_at = work_host(work, bytes), *want_at = work_host(work, bytes);
    Entry *sorted = work_host(work, (size_t)columns * sizeof *sorted);
    if (!work_ok(work)) return;
    for (size_t i = 0; i < count; i++) x[i] = rintf(x[i] * 512) / 512;  // as of a model in f16: some are equal
    WorkBuf dx = work_upload(work, "x", x, count * 4), dv = work_device(work, "values", bytes);
    WorkBuf di = work_device(work, "indices", bytes);
    work_launch(work, "topk", dim1((uint32_t)rows), dim1(256), 0,
                ARGS(arg_i32(columns), arg_i32(k), arg_buf(dx), arg_buf(dv), arg_buf(di)));
    work_read(work, got, dv, bytes);
    work_read(work, got_at, di, bytes);
    if (!work_ok(work)) return;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t i = 0; i < columns; i++) sorted[i] = (Entry){x[r * columns + i], (uint32_t)i};
        qsort(sorted, (size_t)columns, sizeof *sorted, descending);
        for (int64_t i = 0; i < k; i++) want[r * k + i] = sorted[i].value, want_at[r * k + i] = sorted[i].column;
    }
    work_check_f32(work, "values", got, want, bytes / 4, 0);
    work_check_u32(work, "indices", got_at, want_at, bytes / 4);
}

static const WorkParam params[] = {
    {"m", "rows, 1 to 65536", 8, 64, 1, 65536},
    {"n", "columns, 1024 to 2^20", 2000, 32000, 1024, 1 << 20},
    {"k", "elements that are taken of a row, 1 to 1024", 40, 50, 1, 1024},
    {.name = NULL},
};

const Workload workload_ai_topk = {
    "topk", "ai", "the k largest elements of each row and their columns, by radix selection and a bitonic sort", params,
    run};
