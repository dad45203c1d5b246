// Heat on a plate by Jacobi iteration with pitched memory; the norm comes back in a second stream, events order them,
// and a callback of the stream tells the end.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#define CUDA_RT_CALL(call)                                                                  \
    {                                                                                       \
        cudaError_t cudaStatus = call;                                                      \
        if (cudaSuccess != cudaStatus)                                                      \
            fprintf(stderr,                                                                 \
                    "ERROR: CUDA RT call \"%s\" in line %d of file %s failed "              \
                    "with "                                                                 \
                    "%s (%d).\n",                                                           \
                    #call, __LINE__, __FILE__, cudaGetErrorString(cudaStatus), cudaStatus); \
    }

typedef float real;
constexpr real tol = 2.0e-3;
const real PI = 2.0 * std::asin(1.0);

__global__ void initialize_boundaries(real *__restrict__ const a_new, real *__restrict__ const a, const real pi,
                                      const int pitch, const int ny, const int nx)
{
    for (int iy = blockIdx.x * blockDim.x + threadIdx.x; iy < ny; iy += blockDim.x * gridDim.x) {
        const real y0 = sin(2.0 * pi * iy / (ny - 1));
        a[iy * pitch + 0] = a[iy * pitch + (nx - 1)] = y0;
        a_new[iy * pitch + 0] = a_new[iy * pitch + (nx - 1)] = y0;
    }
}
template <int BLOCK_DIM_X, int BLOCK_DIM_Y>
__global__ void jacobi_kernel(real *__restrict__ const a_new, const real *__restrict__ const a,
                              real *__restrict__ const l2_norm, const int pitch, const int ny, const int nx)
{
    const int iy = blockIdx.y * blockDim.y + threadIdx.y + 1, ix = blockIdx.x * blockDim.x + threadIdx.x + 1;
    real local_l2_norm = 0.0;
    __shared__ real partial[BLOCK_DIM_X * BLOCK_DIM_Y / 32];
    if (iy < ny - 1 && ix < nx - 1) {
        const real new_val = 0.25 * (a[iy * pitch + ix + 1] + a[iy * pitch + ix - 1] + a[(iy + 1) * pitch + ix] +
                                     a[(iy - 1) * pitch + ix]);
        a_new[iy * pitch + ix] = new_val;
        real residue = new_val - a[iy * pitch + ix];
        local_l2_norm += residue * residue;
    }
    for (int mask = 16; mask; mask >>= 1) local_l2_norm += __shfl_xor_sync(0xffffffff, local_l2_norm, mask);
    const int tid = threadIdx.y * BLOCK_DIM_X + threadIdx.x;
    if (tid % 32 == 0) partial[tid / 32] = local_l2_norm;
    __syncthreads();
    if (tid == 0) {
        real block = 0;
        for (real p : partial) block += p;
        atomicAdd(l2_norm, block);
    }
}
void CUDART_CB converged(cudaStream_t, cudaError_t status, void *data)
{
    if (status == cudaSuccess) static_cast<std::atomic<int> *>(data)->fetch_add(1);
}

int main(int argc, char *argv[])
{
    const int nx = 50, ny = 34, iter_max = 400;
    constexpr int dim_block_x = 32, dim_block_y = 4;
    real *a, *a_new, *l2_norm_d[2], *l2_norm_h[2];
    size_t pitch_bytes, same;
    CUDA_RT_CALL(cudaSetDevice(0));
    CUDA_RT_CALL(cudaFree(0));
    CUDA_RT_CALL(cudaMallocPitch(&a, &pitch_bytes, nx * sizeof(real), ny));
    CUDA_RT_CALL(cudaMallocPitch(&a_new, &same, nx * sizeof(real), ny));
    assert(pitch_bytes == same);
    const int pitch = pitch_bytes / sizeof(real);
    CUDA_RT_CALL(cudaMemset2D(a, pitch_bytes, 0, nx * sizeof(real), ny));
    CUDA_RT_CALL(cudaMemset2D(a_new, pitch_bytes, 0, nx * sizeof(real), ny));
    initialize_boundaries<<<1, 64>>>(a, a_new, PI, pitch, ny, nx);
    cudaStream_t compute, copy;
    cudaEvent_t compute_done[2], copied[2];
    int least, greatest;
    CUDA_RT_CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_RT_CALL(cudaStreamCreateWithPriority(&compute, cudaStreamDefault, greatest));
    CUDA_RT_CALL(cudaStreamCreate(&copy));
    for (int k : {0, 1}) {
        CUDA_RT_CALL(cudaMalloc(&l2_norm_d[k], sizeof(real)));
        CUDA_RT_CALL(cudaMallocHost(&l2_norm_h[k], sizeof(real)));
        *(l2_norm_h[k]) = 1.0;
        CUDA_RT_CALL(cudaEventCreateWithFlags(&compute_done[k], cudaEventDisableTiming));
        CUDA_RT_CALL(cudaEventCreateWithFlags(&copied[k], cudaEventDisableTiming | cudaEventBlockingSync));
    }
    const dim3 dim_grid((nx + dim_block_x - 1) / dim_block_x, (ny + dim_block_y - 1) / dim_block_y, 1);
    int iter = 0;
    for (real l2_norm = 1; l2_norm > tol && iter < iter_max; ++iter) {
        const int k = iter % 2;
        CUDA_RT_CALL(cudaMemsetAsync(l2_norm_d[k], 0, sizeof(real), compute));
        jacobi_kernel<dim_block_x, dim_block_y>
            <<<dim_grid, dim3{dim_block_x, dim_block_y, 1}, 0, compute>>>(a_new, a, l2_norm_d[k], pitch, ny, nx);
        CUDA_RT_CALL(cudaGetLastError());
        CUDA_RT_CALL(cudaEventRecord(compute_done[k], compute));
        CUDA_RT_CALL(cudaStreamWaitEvent(copy, compute_done[k], 0));
        CUDA_RT_CALL(cudaMemcpyAsync(l2_norm_h[k], l2_norm_d[k], sizeof(real), cudaMemcpyDeviceToHost, copy));
        CUDA_RT_CALL(cudaEventRecord(copied[k], copy));
        CUDA_RT_CALL(cudaEventSynchronize(copied[k]));
        l2_norm = std::sqrt(*l2_norm_h[k]);
        std::swap(a_new, a);
    }
    std::atomic<int> calls{0};
    CUDA_RT_CALL(cudaStreamAddCallback(compute, converged, &calls, 0));
    std::vector<real> got(nx * ny), want(nx * ny), next;
    CUDA_RT_CALL(cudaMemcpy2DAsync(got.data(), nx * sizeof(real), a, pitch_bytes, nx * sizeof(real), ny,
                                   cudaMemcpyDeviceToHost, compute));
    while (cudaStreamQuery(compute) == cudaErrorNotReady) std::this_thread::sleep_for(std::chrono::microseconds(50));
    for (int iy = 0; iy < ny; ++iy) want[iy * nx] = want[iy * nx + nx - 1] = std::sin(2.0 * PI * iy / (ny - 1));
    for (int k = 0; k < iter; ++k) {
        next = want;
        for (int iy = 1; iy < ny - 1; ++iy)
            for (int ix = 1; ix < nx - 1; ++ix)
                next[iy * nx + ix] = 0.25f * (want[iy * nx + ix + 1] + want[iy * nx + ix - 1] +
                                              want[(iy + 1) * nx + ix] + want[(iy - 1) * nx + ix]);
        want.swap(next);
    }
    real worst = 0;
    for (int i = 0; i < nx * ny; ++i) worst = std::max(worst, std::fabs(want[i] - got[i]));
    printf("%d iterations, largest difference %g, %d callback\n", iter, worst, calls.load());
    const bool result_correct = worst < 1e-5f && iter > 10 && calls == 1;
    CUDA_RT_CALL(cudaStreamDestroy(copy));
    CUDA_RT_CALL(cudaStreamDestroy(compute));
    printf("%s\n", result_correct ? "PASSED" : "FAILED");
    return result_correct ? 0 : 1;
}
