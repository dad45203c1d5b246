// corr: the correlation matrix of m variables over n observations.
#include "../host.h"

#include <math.h>

// want[m][m] from data[n][m]; columns is room for m·n floats.
static void correlate(float *want, float *columns, const float *data, int64_t n, int64_t m, double eps)
{
    transpose_into(columns, data, n, m);
    for (int64_t j = 0; j < m; j++) {
        float *column = columns + j * n;
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < n; i++) mean += column[i] / (double)n;
        for (int64_t i = 0; i < n; i++) variance += (column[i] - mean) * (column[i] - mean) / (double)n;
        const double deviation = sqrt(variance) <= eps ? 1 : sqrt(variance);
        for (int64_t i = 0; i < n; i++) column[i] = (float)((column[i] - mean) / (sqrt((double)n) * deviation));
    }
    for (int64_t j = 0; j < m; j++) {
        want[j * m + j] = 1;
        for (int64_t k = 0; k < j; k++)
            want[j * m + k] = want[k * m + j] = (float)dot(columns + j * n, columns + k * n, n);
    }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), m = work_param_or(work, "m", n);
    const float eps = 0.005f;  // PolyBench's
    const size_t of_row = (size_t)m * sizeof(float), of_data = (size_t)n * of_row, of_corr = (size_t)m * of_row;
    float *data = work_random_floats(work, (size_t)(n * m), 0, 1), *columns = work_host(work, of_data);
    float *got = work_host(work, of_corr), *want = work_host(work, of_corr);
    // A common part in each observation, so that the correlations to be found aren't all near zero.
    for (int64_t i = 0; data && i < n; i++) {
        const float common = work_random_float(work);
        for (int64_t j = 0; j < m; j++) data[i * m + j] = 0.5f * (data[i * m + j] + common);
    }
    WorkBuf ddata = work_upload(work, "data", data, of_data), dmean = work_device(work, "mean", of_row);
    WorkBuf ddev = work_device(work, "dev", of_row), dcorr = work_device(work, "corr", of_corr);

    const oc_dim3 columns_grid = dim1(ceil_div(m, 256)), block = dim1(256);
    work_launch(work, "corr_mean", columns_grid, block, 0,
                ARGS(arg_i32(n), arg_i32(m), arg_buf(ddata), arg_buf(dmean)));
    work_launch(work, "corr_deviation", columns_grid, block, 0,
                ARGS(arg_i32(n), arg_i32(m), arg_f32(eps), arg_buf(ddata), arg_buf(dmean), arg_buf(ddev)));
    work_launch(work, "corr_reduce", dim2(ceil_div(m, 32), ceil_div(n, 8)), dim2(32, 8), 0,
                ARGS(arg_i32(n), arg_i32(m), arg_buf(dmean), arg_buf(ddev), arg_buf(ddata)));
    work_launch(work, "corr_corr", columns_grid, block, 0,
                ARGS(arg_i32(n), arg_i32(m), arg_buf(ddata), arg_buf(dcorr)));
    work_read(work, got, dcorr, of_corr);
    if (!work_ok(work)) return;

    correlate(want, columns, data, n, m, eps);
    work_check_f32(work, "corr", got, want, (size_t)(m * m), 1e-4);
}

static const WorkParam params[] = {
    {"n", "observations, 2 to 16384", 40, 2048, 2, 16384},
    {"m", "variables, 0 to 16384; 0: as many as observations", 50, 0, 0, 16384},
    {.name = NULL},
};

const Workload workload_polybench_corr = {
    "corr", "polybench", "Correlations of m variables over n observations (PolyBench; kernels as in PolyBench/GPU)",
    params, run};
