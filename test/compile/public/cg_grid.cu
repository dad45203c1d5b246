// Conjugate gradients for a tridiagonal matrix in CSR, in one cooperative launch; sums by tiles of cooperative groups.
#include <cooperative_groups.h>
#include <cstdlib>
#include <cuda_runtime.h>
#include <iostream>
#include <math.h>

namespace cg = cooperative_groups;
#define THREADS_PER_BLOCK 128
#define ENABLE_CPU_DEBUG_CODE 1

__device__ void gpuSpMV(int *I, int *J, float *val, int nnz, int num_rows, float alpha, float *x, float *y,
                        cg::thread_block &cta, const cg::grid_group &grid)
{
    for (int i = grid.thread_rank(); i < num_rows; i += grid.size()) {
        float output = 0.0;
        for (int j = I[i]; j < I[i + 1]; j++) output += alpha * val[j] * x[J[j]];
        y[i] = output;
    }
}
__device__ void gpuDotProduct(float *a, float *b, double *result, int size, const cg::thread_block &cta,
                              const cg::grid_group &grid)
{
    extern __shared__ double tmp[];
    double temp_sum = 0.0;
    for (int i = grid.thread_rank(); i < size; i += grid.size()) temp_sum += (double)(a[i] * b[i]);
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
    for (int offset = tile32.size() / 2; offset > 0; offset >>= 1) temp_sum += tile32.shfl_down(temp_sum, offset);
    if (tile32.thread_rank() == 0) tmp[tile32.meta_group_rank()] = temp_sum;
    cg::sync(cta);
    if (tile32.meta_group_rank() == 0) {
        temp_sum = tile32.thread_rank() < tile32.meta_group_size() ? tmp[tile32.thread_rank()] : 0.0;
        for (int offset = tile32.size() / 2; offset > 0; offset /= 2) temp_sum += tile32.shfl_xor(temp_sum, offset);
        if (tile32.thread_rank() == 0) atomicAdd(result, temp_sum);
    }
}

extern "C" __global__ void gpuConjugateGradient(int *I, int *J, float *val, float *x, float *Ax, float *p, float *r,
                                                double *dot_result, int nnz, int N, float tol)
{
    cg::thread_block cta = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    float r0 = 0.0, r1, beta, alpha;
    gpuSpMV(I, J, val, nnz, N, 1, x, Ax, cta, grid);
    cg::sync(grid);
    for (int i = grid.thread_rank(); i < N; i += grid.size()) r[i] -= Ax[i];
    cg::sync(grid);
    gpuDotProduct(r, r, dot_result, N, cta, grid);
    cg::sync(grid);
    r1 = *dot_result;
    for (int k = 1; r1 > tol * tol && k <= 200; k++) {
        beta = k > 1 ? r1 / r0 : 0;
        for (int i = grid.thread_rank(); i < N; i += grid.size()) p[i] = r[i] + beta * p[i];
        cg::sync(grid);
        gpuSpMV(I, J, val, nnz, N, 1, p, Ax, cta, grid);
        if (threadIdx.x == 0 && blockIdx.x == 0) *dot_result = 0.0;
        cg::sync(grid);
        gpuDotProduct(p, Ax, dot_result, N, cta, grid);
        cg::sync(grid);
        alpha = r1 / *dot_result;
        for (int i = grid.thread_rank(); i < N; i += grid.size()) x[i] += alpha * p[i], r[i] -= alpha * Ax[i];
        r0 = r1;
        cg::sync(grid);
        if (threadIdx.x == 0 && blockIdx.x == 0) *dot_result = 0.0;
        grid.sync();
        gpuDotProduct(r, r, dot_result, N, cta, grid);
        grid.sync();
        r1 = *dot_result;
    }
}

int main(int argc, char **argv)
{
    int N = 512, nz = (N - 2) * 3 + 4, *I = NULL, *J = NULL, supports = 0, at = 0;
    float *val, *x, *rhs, *r, *p, *Ax;
    double *dot_result;
    cudaDeviceGetAttribute(&supports, cudaDevAttrCooperativeLaunch, 0);
    if (!supports) {
        printf("\nSelected GPU doesn't support Cooperative Kernels, waiving the run\nPASSED\n");
        return 0;
    }
    cudaMallocManaged((void **)&I, sizeof(int) * (N + 1));
    cudaMallocManaged((void **)&J, sizeof(int) * nz);
    cudaMallocManaged((void **)&val, sizeof(float) * nz);
    for (float **v : {&x, &rhs, &r, &p, &Ax}) cudaMallocManaged((void **)v, sizeof(float) * N);
    cudaMallocManaged((void **)&dot_result, sizeof(double));
    for (int i = 0; i < N; i++) {
        I[i] = at;
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < N) J[at] = j, val[at++] = i == j ? 4 + rand() / (float)RAND_MAX : -1;
        r[i] = rhs[i] = 1.0, x[i] = 0.0;
    }
    I[N] = nz, *dot_result = 0.0;
    float tol = 1e-5f;
    void *kernelArgs[] = {(void *)&I, (void *)&J,          (void *)&val, (void *)&x, (void *)&Ax, (void *)&p,
                          (void *)&r, (void *)&dot_result, (void *)&nz,  (void *)&N, (void *)&tol};
    int sMemSize = sizeof(double) * ((THREADS_PER_BLOCK / 32) + 1), numBlocksPerSm = 0;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&numBlocksPerSm, gpuConjugateGradient, THREADS_PER_BLOCK, sMemSize);
    std::cout << numBlocksPerSm * prop.multiProcessorCount << " blocks would fit\n";
    dim3 dimGrid(4, 1, 1), dimBlock(THREADS_PER_BLOCK, 1, 1);
    cudaError_t e =
        cudaLaunchCooperativeKernel((void *)gpuConjugateGradient, dimGrid, dimBlock, kernelArgs, sMemSize, NULL);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    float err = e == cudaSuccess ? 0.0 : INFINITY;
    for (int i = 0; i < N; i++) {
        float rsum = 0.0;
        for (int j = I[i]; j < I[i + 1]; j++) rsum += val[j] * x[J[j]];
        err = std::max(err, std::fabs(rsum - rhs[i]));
    }
    std::cout << "Test Summary:  Error amount = " << err << ", result = " << (err < 1e-4 ? "PASSED" : "FAILED") << "\n";
    return err < 1e-4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
