// cell.cu: an LSTM over a few steps, then a layer of halves with ReLU: products by cuBLASLt, whose epilogues add the
// bias and clip. The host does the same in doubles, from the same rounded weights.
#include "check.cuh"

#include <cublasLt.h>
#include <cuda_fp16.h>

enum { IN = 24, HIDDEN = 32, GATES = 4 * HIDDEN, OUT = 64 };

static cublasLtHandle_t lt;
static void *workspace;
static const size_t workspace_bytes = 1 << 20;

// d = epilogue(aᵀ b + beta d + bias): a is k x m by columns, b k x n, d m x n.
static void product(cudaDataType type, const void *a, const void *b, void *d, int m, int n, int k, float beta,
                    cublasLtEpilogue_t epilogue, const void *bias, cudaStream_t stream)
{
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t la, lb, ld;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    const cublasOperation_t turned = CUBLAS_OP_T;
    const float alpha = 1;
    int many = 0;
    MUST(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
    MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    if (bias) MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
    MUST(cublasLtMatrixLayoutCreate(&la, type, k, m, k));
    MUST(cublasLtMatrixLayoutCreate(&lb, type, k, n, k));
    MUST(cublasLtMatrixLayoutCreate(&ld, type, m, n, m));
    MUST(cublasLtMatmulPreferenceCreate(&preference));
    MUST(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                              sizeof workspace_bytes));
    MUST(cublasLtMatmulAlgoGetHeuristic(lt, desc, la, lb, ld, ld, preference, 1, &found, &many));
    CHECK(many == 1 && found.workspaceSize <= workspace_bytes);
    MUST(cublasLtMatmul(lt, desc, &alpha, a, la, b, lb, &beta, d, ld, d, ld, &found.algo, workspace, workspace_bytes,
                        stream));
    MUST(cublasLtMatmulPreferenceDestroy(preference));
    MUST(cublasLtMatrixLayoutDestroy(la));
    MUST(cublasLtMatrixLayoutDestroy(lb));
    MUST(cublasLtMatrixLayoutDestroy(ld));
    MUST(cublasLtMatmulDescDestroy(desc));
}

__device__ static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

__global__ void cell(const float *gates, float *c, float *h, __half *rounded, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float *g = gates + i / HIDDEN * GATES + i % HIDDEN;
    c[i] = sigmoid(g[HIDDEN]) * c[i] + sigmoid(g[0]) * tanhf(g[2 * HIDDEN]);
    h[i] = sigmoid(g[3 * HIDDEN]) * tanhf(c[i]);
    rounded[i] = __float2half(h[i]);
}

int main(int argc, char **argv)
{
    const int steps = size_of(argc, argv, 5), batch = 32;
    const std::vector<float> wx = random_vector<float>(GATES * IN, 0.5), wh = random_vector<float>(GATES * HIDDEN, 0.4),
                             bias = random_vector<float>(GATES), x = random_vector<float>(steps * batch * IN);
    std::vector<__half> wo, bo;
    for (int k = 0; k < OUT * HIDDEN; k++) wo.push_back(__float2half((float)random_part()));
    for (int k = 0; k < OUT; k++) bo.push_back(__float2half((float)random_part()));
    Array<float> dwx(wx), dwh(wh), dbias(bias), dx(x), gates(batch * GATES), c(batch * HIDDEN), h(batch * HIDDEN);
    Array<__half> dwo(wo), dbo(bo), rounded(batch * HIDDEN), out(batch * OUT);
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    MUST(cublasLtCreate(&lt));
    MUST(cudaMalloc(&workspace, workspace_bytes));
    for (int t = 0; t < steps; t++) {
        product(CUDA_R_32F, dwx, dx + t * batch * IN, gates, GATES, batch, IN, 0, CUBLASLT_EPILOGUE_BIAS, dbias,
                stream);
        product(CUDA_R_32F, dwh, h, gates, GATES, batch, HIDDEN, 1, CUBLASLT_EPILOGUE_DEFAULT, nullptr, stream);
        cell<<<batch * HIDDEN / 128, 128, 0, stream>>>(gates, c, h, rounded, batch * HIDDEN);
    }
    product(CUDA_R_16F, dwo, rounded, out, OUT, batch, HIDDEN, 0, CUBLASLT_EPILOGUE_RELU_BIAS, dbo, stream);
    MUST(cudaStreamSynchronize(stream));

    auto sigma = [](double v) { return 1 / (1 + std::exp(-v)); };
    const std::vector<float> got = h.get();
    const std::vector<__half> got_half = rounded.get(), got_out = out.get();
    int clipped = 0;
    for (int b = 0; b < batch; b++) {
        std::vector<double> hc(HIDDEN), hh(HIDDEN), g(GATES);
        for (int t = 0; t < steps; t++) {
            for (int k = 0; k < GATES; k++) {
                g[k] = bias[k];
                for (int i = 0; i < IN; i++) g[k] += (double)wx[k * IN + i] * x[(t * batch + b) * IN + i];
                for (int i = 0; i < HIDDEN; i++) g[k] += wh[k * HIDDEN + i] * hh[i];
            }
            for (int k = 0; k < HIDDEN; k++) {
                hc[k] = sigma(g[HIDDEN + k]) * hc[k] + sigma(g[k]) * std::tanh(g[2 * HIDDEN + k]);
                hh[k] = sigma(g[3 * HIDDEN + k]) * std::tanh(hc[k]);
            }
        }
        for (int k = 0; k < HIDDEN; k++) NEAR(got[b * HIDDEN + k], hh[k], 1e-5);
        for (int k = 0; k < OUT; k++) {
            double sum = __half2float(bo[k]);
            for (int i = 0; i < HIDDEN; i++)
                sum += (double)__half2float(wo[k * HIDDEN + i]) * __half2float(got_half[b * HIDDEN + i]);
            clipped += sum < 0;
            NEAR(__half2float(got_out[b * OUT + k]), sum < 0 ? 0 : sum, 2e-4 + std::fabs(sum) / 1024);
        }
    }
    CHECK(clipped > 0 && clipped < batch * OUT);
    MUST(cublasLtDestroy(lt));
    return verdict();
}
