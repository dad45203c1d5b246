// spmv: a sparse matrix times a vector. The matrix is in compressed rows (CSR): starts[i] is where row i's entries
// begin, columns[] and values[] are all entries. Bell and Garland, "Implementing sparse matrix-vector multiplication on
// throughput-oriented processors", SC 2009: `lanes` neighbouring threads share a row, 1 ("scalar") to 32 ("vector").
#include "cuda.h"

extern "C" __global__ void spmv(int rows, int lanes, const int *starts, const int *columns, const float *values,
                                const float *x, float *y) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, row = thread / lanes, lane = thread % lanes;
    float sum = 0;
    if (row < rows)
        for (int k = starts[row] + lane; k < starts[row + 1]; k += lanes) sum += values[k] * x[columns[k]];
    for (int away = lanes / 2; away > 0; away /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, away, lanes);
    if (row < rows && lane == 0) y[row] = sum;
}
