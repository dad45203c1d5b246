// Half and bfloat16: axpy with half2, dot products, conversions and comparisons, and how far from float they are.
#define N 2048
#define A 3
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include <cstdio>
#include <cstdlib>
#include <ctime>

#define CHECK_CUDA(func)                                                                                              \
    {                                                                                                                 \
        cudaError_t status = (func);                                                                                  \
        if (status != cudaSuccess) {                                                                                  \
            printf("CUDA API failed at line %d with error: %s (%d)\n", __LINE__, cudaGetErrorString(status), status); \
            return EXIT_FAILURE;                                                                                      \
        }                                                                                                             \
    }

__forceinline__ __device__ void reduceInShared_intrinsics(half2 *const v)
{
    if (threadIdx.x < 64) v[threadIdx.x] = __hadd2(v[threadIdx.x], v[threadIdx.x + 64]);
    __syncthreads();
    for (int i = 32; i > 0; i /= 2) {
        if (threadIdx.x < 32) v[threadIdx.x] = __hadd2(v[threadIdx.x], v[threadIdx.x + i]);
        __syncthreads();
    }
}
__global__ void scalarProductKernel(half2 const *const a, half2 const *const b, float *const results, size_t const size)
{
    const int stride = gridDim.x * blockDim.x;
    __shared__ half2 shArray[128];
    shArray[threadIdx.x] = __float2half2_rn(0.f);
    half2 value = __float2half2_rn(0.f);
    for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < size; i += stride) value = __hfma2(a[i], b[i], value);
    shArray[threadIdx.x] = value;
    __syncthreads();
    reduceInShared_intrinsics(shArray);
    if (threadIdx.x == 0) results[blockIdx.x] = __low2float(shArray[0]) + __high2float(shArray[0]);
}
__global__ void haxpy(half a, const __half *x, half *y)
{
    const int start = threadIdx.x + blockDim.x * blockIdx.x, stride = blockDim.x * gridDim.x;
    const half2 aa = __half2half2(a);
    half2 *y2 = reinterpret_cast<half2 *>(y);
    const half2 *x2 = reinterpret_cast<const half2 *>(x);
    for (int i = start; i < N / 2; i += stride) y2[i] = __hfma2(aa, __ldg(x2 + i), y2[i]);
    if (start == 0 && N % 2) y[N - 1] = a * x[N - 1] + y[N - 1];
}
template <typename T> __global__ void polynomial(const T *x, T *y, T c)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    T v = x[i];
    v = v * v + c;
    v -= T(0.25f);
    if (v > c) v = -v;
    y[i] = v / T(2.0f);
}
template <typename T> __host__ __device__ float to_float(T v) { return static_cast<float>(v); }
static float polynomial_host(float x)
{
    float v = x * x + 1 - 0.25f;
    return (v > 1 ? -v : v) / 2;
}

int main(int argc, char *argv[])
{
    srand((unsigned int)1);
    half *vec[2], *devVec[2];
    float *results, *devResults, want = 0, worst[2] = {0, 0};
    for (int i = 0; i < 2; ++i) {
        CHECK_CUDA(cudaMallocHost((void **)&vec[i], N * sizeof *vec[i]));
        CHECK_CUDA(cudaMalloc((void **)&devVec[i], N * sizeof *devVec[i]));
        for (int k = 0; k < N; ++k) vec[i][k] = __float2half((rand() % 4) * (k % 2 ? 0.5f : 1.0f));
        CHECK_CUDA(cudaMemcpy(devVec[i], vec[i], N * sizeof *vec[i], cudaMemcpyHostToDevice));
    }
    const int blocks = 8;
    CHECK_CUDA(cudaMallocHost((void **)&results, blocks * sizeof(float)));
    CHECK_CUDA(cudaMalloc((void **)&devResults, blocks * sizeof(float)));
    scalarProductKernel<<<blocks, 128>>>((half2 *)devVec[0], (half2 *)devVec[1], devResults, N / 2);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(results, devResults, blocks * sizeof *results, cudaMemcpyDeviceToHost));
    float product = 0;
    for (int i = 0; i < blocks; ++i) product += results[i];
    for (int k = 0; k < N; ++k) want += __half2float(vec[0][k]) * __half2float(vec[1][k]);
    printf("Result native operators\t: %f of %f\n", product, want);
    bool ok = product == want;

    haxpy<<<4, 64>>>(__float2half_rn(A), devVec[0], devVec[1]);
    half *y;
    CHECK_CUDA(cudaHostAlloc(&y, N * sizeof(half), cudaHostAllocDefault));
    CHECK_CUDA(cudaMemcpy(y, devVec[1], N * sizeof(half), cudaMemcpyDeviceToHost));
    for (int k = 0; k < N; ++k) ok &= float(y[k]) == A * float(vec[0][k]) + float(vec[1][k]);
    printf("haxpy %s\n", ok ? "right" : "wrong");

    __nv_bfloat16 *bx;
    half *hx;
    CHECK_CUDA(cudaMallocManaged(&bx, 2 * N * sizeof *bx));
    CHECK_CUDA(cudaMallocManaged(&hx, 2 * N * sizeof *hx));
    for (int k = 0; k < N; ++k) {
        const float x = (float)k / N;
        hx[k] = x, bx[k] = __float2bfloat16(x);
    }
    polynomial<<<N / 128, 128>>>(hx, hx + N, __float2half(1.0f));
    polynomial<__nv_bfloat16><<<N / 128, 128>>>(bx, bx + N, __float2bfloat16(1.0f));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < N; ++k) {
        const float h = polynomial_host(to_float(hx[k])), b = polynomial_host(__bfloat162float(bx[k]));
        // Where the comparison is near, rounding may choose the other side.
        worst[0] = fmaxf(worst[0], fabsf(fabsf(h) - fabsf(to_float(hx[N + k]))));
        worst[1] = fmaxf(worst[1], fabsf(fabsf(b) - fabsf(to_float(bx[N + k]))));
    }
    printf("largest differences: half %f, bfloat16 %f\n", worst[0], worst[1]);
    ok = ok && worst[0] > 0 && worst[0] < 1.0f / 1024 && worst[1] > worst[0] && worst[1] < 1.0f / 128;
    for (int i = 0; i < 2; ++i) {
        CHECK_CUDA(cudaFree(devVec[i]));
        CHECK_CUDA(cudaFreeHost(vec[i]));
    }
    printf("%s\n", ok ? "PASSED" : "FAILED");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
