// dgemm: C = alpha A B + beta C in double precision.
#include "../host.h"

#define TILE 64
#define DEEP 16
#define ALPHA 1.25
#define BETA 0.75

static int64_t whole(int64_t n, int64_t tile) { return (n + tile - 1) / tile * tile; }

// rows x columns random elements of [-1, 1), column after column; a column takes `lead` elements, and there may be more
// columns. The others are 0.
static double *random_matrix(Work *work, int64_t rows, int64_t columns, int64_t lead, int64_t all)
{
    double *m = work_host(work, (size_t)(lead * all) * sizeof(double));
    for (int64_t j = 0; m && j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            const double high = work_random(work), low = work_random(work);
            m[j * lead + i] = high * 0x1p-31 + low * 0x1p-63 - 1;
        }
    return m;
}

static void run(Work *work)
{
    const int64_t m = work_param(work, "m"), n = work_param(work, "n"), k = work_param(work, "k");
    const int64_t lda = whole(m, TILE), ldb = whole(k, DEEP), columns = whole(n, TILE);
    const size_t of_a = (size_t)(lda * ldb) * sizeof(double), of_b = (size_t)(ldb * columns) * sizeof(double);
    const size_t count = (size_t)(m * n), of_c = count * sizeof(double);
    work_seed(work, work_param(work, "seed"));
    double *a = random_matrix(work, m, k, lda, ldb), *b = random_matrix(work, k, n, ldb, columns);
    double *c = random_matrix(work, m, n, m, n), *got = work_host(work, of_c);
    WorkBuf da = work_upload(work, "A", a, of_a), db = work_upload(work, "B", b, of_b);
    WorkBuf dc = work_upload(work, "C", c, of_c);

    work_launch(work, work_param(work, "ahead") ? "dgemm_ahead" : "dgemm", dim2(ceil_div(m, TILE), ceil_div(n, TILE)),
                dim2(TILE, 4), 0,
                ARGS(arg_i32(m), arg_i32(n), arg_i32(k), arg_f64(ALPHA), arg_buf(da), arg_i32(lda), arg_buf(db),
                     arg_i32(ldb), arg_f64(BETA), arg_buf(dc), arg_i32(m)));
    work_read(work, got, dc, of_c);
    if (!work_ok(work)) return;

    for (int64_t j = 0; j < n; j++) {
        double *column = c + j * m;
        for (int64_t i = 0; i < m; i++) column[i] *= BETA;
        for (int64_t l = 0; l < k; l++)
            for (int64_t i = 0; i < m; i++) column[i] += ALPHA * b[j * ldb + l] * a[l * lda + i];
    }
    work_check_f64(work, "C", got, c, count, 1e-12);
}

static const WorkParam params[] = {
    {"m", "rows of A and C, 1 to 8192", 100, 768, 1, 8192},
    {"n", "columns of B and C, 1 to 8192", 70, 768, 1, 8192},
    {"k", "columns of A and rows of B, 1 to 8192", 50, 768, 1, 8192},
    {"ahead", "1: the next tiles are loaded before the product of the last ones, not behind it, 0 or 1", 0, 0, 0, 1},
    {"seed", "seed of the matrices, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_magma_dgemm = {
    "dgemm", "magma", "C = alpha A B + beta C in double precision, over 64x64 tiles (MAGMA for Fermi)", params, run};
