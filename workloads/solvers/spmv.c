// spmv: a sparse matrix in compressed rows times a vector. Rows have different lengths: row i has about as many entries
// as i's rank in a power law says, as matrices of networks have; columns are random.
#include "../host.h"

#include <math.h>

// Row lengths whose mean is about `mean`: a length is mean / 2 times u^-1/2, u from (0, 1], at most `rows`.
static int64_t row_starts(Work *work, int32_t *starts, int64_t rows, int64_t mean)
{
    int64_t all = 0;
    for (int64_t i = 0; i < rows; i++) {
        const double u = (work_random(work) % 65536u + 1) / 65536.0;
        const int64_t length = (int64_t)(0.5 * (double)mean / sqrt(u) + 0.5);
        starts[i] = (int32_t)all;
        all += length < 1 ? 1 : length < rows ? length : rows;
    }
    starts[rows] = (int32_t)all;
    return all;
}

static void run(Work *work)
{
    const int64_t rows = work_param(work, "rows"), lanes = power_of_two(work_param(work, "lanes"));
    const int64_t block = work_param(work, "block");
    if (block % 32) work_refuse(work, "block", "a multiple of 32, a warp,");
    const size_t of_rows = (size_t)rows * sizeof(float);
    work_seed(work, work_param(work, "seed"));
    int32_t *starts = work_host(work, (size_t)(rows + 1) * sizeof(int32_t));
    const int64_t count = starts ? row_starts(work, starts, rows, work_param(work, "mean")) : 1;
    int32_t *columns = work_host(work, (size_t)count * sizeof(int32_t));
    float *values = work_random_floats(work, (size_t)count, -1, 1), *x = work_random_floats(work, (size_t)rows, -1, 1);
    float *got = work_host(work, of_rows), *want = work_host(work, of_rows);
    if (!work_ok(work)) return;
    for (int64_t k = 0; k < count; k++) columns[k] = (int32_t)(work_random(work) % (uint32_t)rows);

    WorkBuf dstarts = work_upload(work, "starts", starts, (size_t)(rows + 1) * sizeof(int32_t));
    WorkBuf dcolumns = work_upload(work, "columns", columns, (size_t)count * sizeof(int32_t));
    WorkBuf dvalues = work_upload(work, "values", values, (size_t)count * sizeof(float));
    WorkBuf dx = work_upload(work, "x", x, of_rows), dy = work_device(work, "y", of_rows);
    work_launch(work, "spmv", dim1(ceil_div(rows * lanes, block)), dim1((uint32_t)block), 0,
                ARGS(arg_i32(rows), arg_i32(lanes), arg_buf(dstarts), arg_buf(dcolumns), arg_buf(dvalues), arg_buf(dx),
                     arg_buf(dy)));
    work_read(work, got, dy, of_rows);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int32_t k = starts[i]; k < starts[i + 1]; k++) sum += (double)values[k] * x[columns[k]];
        want[i] = (float)sum;
    }
    work_check_f32(work, "y", got, want, (size_t)rows, 1e-4);
}

static const WorkParam params[] = {
    {"rows", "rows and columns of the matrix, 1 to 2^20", 3000, 16384, 1, 1 << 20},
    {"mean", "entries of a row, on average about, 1 to 256", 16, 32, 1, 256},
    {"lanes", "threads that share a row, 1 to 32, rounded up to a power of two", 1, 1, 1, 32},
    {"block", "threads of a block, a multiple of 32, 32 to 1024", 256, 256, 32, 1024},
    {"seed", "seed of the matrix, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_solvers_spmv = {
    "spmv", "solvers", "A sparse matrix in compressed rows times a vector (Bell, Garland, SC 2009)", params, run};
