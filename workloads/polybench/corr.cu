// corr: the correlation matrix of m variables (columns) over n observations (rows). PolyBench's definition, with the
// work split as in PolyBench/GPU: means and deviations by a thread a column, centring and scaling by a thread an
// element (blocks of 32x8), and correlations by a thread a row of the result's upper triangle, which it mirrors.
#include "cuda.h"

extern "C" __global__ void corr_mean(int n, int m, const float *data, float *mean) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        mean[j] = 0;
        for (int i = 0; i < n; i++) mean[j] += data[i * m + j];
        mean[j] /= (float)n;
    }
}

extern "C" __global__ void corr_deviation(int n, int m, float eps, const float *data, const float *mean, float *dev) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        dev[j] = 0;
        for (int i = 0; i < n; i++) dev[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        dev[j] = sqrtf(dev[j] / (float)n);
        if (dev[j] <= eps) dev[j] = 1;  // a constant column: nothing to divide by
    }
}

extern "C" __global__ void corr_reduce(int n, int m, const float *mean, const float *dev, float *data) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < m) {
        data[i * m + j] -= mean[j];
        data[i * m + j] /= sqrtf((float)n) * dev[j];
    }
}

extern "C" __global__ void corr_corr(int n, int m, const float *data, float *corr) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;
    corr[j * m + j] = 1;
    for (int k = j + 1; k < m; k++) {
        corr[j * m + k] = 0;
        for (int i = 0; i < n; i++) corr[j * m + k] += data[i * m + j] * data[i * m + k];
        corr[k * m + j] = corr[j * m + k];
    }
}
