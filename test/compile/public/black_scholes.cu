// Black-Scholes prices of European options in float and double, several options a thread by float2, with NVTX ranges.
#define N 4000
#define M 32
#include <cuda_runtime.h>
#include <math.h>
#include <nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN(a, b) ((a < b) ? a : b)
#define DIV_UP(a, b) (((a) + (b)-1) / (b))
const float RISKFREE = 0.02f;
const float VOLATILITY = 0.30f;

#define checkCUDAError(msg)                                                         \
    do {                                                                            \
        cudaError_t err = cudaGetLastError();                                       \
        if (cudaSuccess != err) {                                                   \
            fprintf(stderr, "Cuda error: %s: %s.\n", msg, cudaGetErrorString(err)); \
            exit(EXIT_FAILURE);                                                     \
        }                                                                           \
    } while (0)

__device__ inline float cndGPU(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}
__device__ inline void BlackScholesBodyGPU(float &CallResult, float &PutResult, float S, float X, float T, float R,
                                           float V)
{
    float sqrtT = __fdividef(1.0F, rsqrtf(T));
    float d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sqrtT);
    float d2 = d1 - V * sqrtT;
    float CNDD1 = cndGPU(d1), CNDD2 = cndGPU(d2), expRT = __expf(-R * T);
    CallResult = S * CNDD1 - X * expRT * CNDD2;
    PutResult = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}
__launch_bounds__(128) __global__
    void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult, float2 *__restrict d_S,
                         float2 *__restrict d_X, float2 *__restrict d_T, float Riskfree, float Volatility, int optN)
{
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt < (optN / 2)) {
        float c1, c2, p1, p2;
        BlackScholesBodyGPU(c1, p1, d_S[opt].x, d_X[opt].x, d_T[opt].x, Riskfree, Volatility);
        BlackScholesBodyGPU(c2, p2, d_S[opt].y, d_X[opt].y, d_T[opt].y, Riskfree, Volatility);
        d_CallResult[opt] = make_float2(c1, c2);
        d_PutResult[opt] = make_float2(p1, p2);
    }
}
__global__ void exactCall(const float *S, const float *X, const float *T, double r, double v, double *call, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double s = v * sqrt((double)T[i]), d1 = (log(S[i] / (double)X[i]) + (r + v * v / 2) * T[i]) / s;
    call[i] = S[i] * normcdf(d1) - X[i] * exp(-r * T[i]) * 0.5 * erfc(-(d1 - s) * M_SQRT1_2);
}

static double CND(double d) { return 0.5 * erfc(-d / sqrt(2.0)); }
float RandFloat(float low, float high)
{
    float t = (float)rand() / (float)RAND_MAX;
    return (1.0f - t) * low + t * high;
}

int main(int argc, char **argv)
{
    const int optN = N, OPT_SZ = optN * sizeof(float);
    float *h_S = (float *)malloc(OPT_SZ), *h_X = (float *)malloc(OPT_SZ), *h_T = (float *)malloc(OPT_SZ);
    float *call = (float *)malloc(OPT_SZ), *put = (float *)malloc(OPT_SZ), *d[5];
    double *exact, *dexact;
    nvtxRangePushA("init");
    srand(5347);
    for (int i = 0; i < optN; i++)
        h_S[i] = RandFloat(5.0f, 30.0f), h_X[i] = RandFloat(1.0f, 100.0f), h_T[i] = RandFloat(0.25f, 10.0f);
    for (int i = 0; i < 5; i++) cudaMalloc((void **)&d[i], OPT_SZ);
    cudaMallocHost((void **)&exact, 2 * OPT_SZ);
    cudaMalloc((void **)&dexact, 2 * OPT_SZ);
    cudaMemcpy(d[2], h_S, OPT_SZ, cudaMemcpyHostToDevice);
    cudaMemcpy(d[3], h_X, OPT_SZ, cudaMemcpyHostToDevice);
    cudaMemcpy(d[4], h_T, OPT_SZ, cudaMemcpyHostToDevice);
    nvtxRangePop();
    nvtxEventAttributes_t range = {0};
    range.version = NVTX_VERSION;
    range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    range.colorType = NVTX_COLOR_ARGB, range.color = 0xff00ff00;
    range.messageType = NVTX_MESSAGE_TYPE_ASCII, range.message.ascii = "kernels";
    nvtxRangePushEx(&range);
    BlackScholesGPU<<<DIV_UP((optN / 2), 128), 128>>>((float2 *)d[0], (float2 *)d[1], (float2 *)d[2], (float2 *)d[3],
                                                      (float2 *)d[4], RISKFREE, VOLATILITY, optN);
    checkCUDAError("BlackScholesGPU() execution failed");
    exactCall<<<DIV_UP(optN, M), M>>>(d[2], d[3], d[4], RISKFREE, VOLATILITY, dexact, optN);
    checkCUDAError("exactCall");
    nvtxRangePop();
    cudaMemcpy(call, d[0], OPT_SZ, cudaMemcpyDeviceToHost);
    cudaMemcpy(put, d[1], OPT_SZ, cudaMemcpyDeviceToHost);
    cudaMemcpy(exact, dexact, 2 * OPT_SZ, cudaMemcpyDeviceToHost);
    double sum_delta = 0, sum_ref = 0, max_delta = 0, max_exact = 0;
    for (int i = 0; i < optN; i++) {
        double r = RISKFREE, v = VOLATILITY, s = v * sqrt((double)h_T[i]), e = exp(-r * h_T[i]);
        double d1 = (log((double)h_S[i] / h_X[i]) + (r + 0.5 * v * v) * h_T[i]) / s, d2 = d1 - s;
        double c = h_S[i] * CND(d1) - h_X[i] * e * CND(d2), p = h_X[i] * e * CND(-d2) - h_S[i] * CND(-d1);
        max_delta = fmax(max_delta, fmax(fabs(c - call[i]), fabs(p - put[i])));
        max_exact = fmax(max_exact, fabs(c - exact[i]));
        sum_delta += fabs(c - call[i]), sum_ref += fabs(c);
    }
    printf("L1 norm: %E\nMax absolute error: %E, of double %E\n", sum_delta / sum_ref, max_delta, max_exact);
    printf(sum_delta / sum_ref > 1e-5 || max_exact > 1e-12 ? "Test FAILED\n" : "Test passed: PASSED\n");
    for (int i = 0; i < 5; i++) cudaFree(d[i]);
    cudaFreeHost(exact);
    return sum_delta / sum_ref > 1e-5 || max_exact > 1e-12;
}
