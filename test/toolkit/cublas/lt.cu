// lt.cu: cuBLASLt's epilogues. Each product is described, asked for, and run.
#include "blas.h"
#include <cublasLt.h>

static cublasLtHandle_t lt;

static double gelu(double x) { return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
static double slope(double x) { return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5; }

struct Desc {
    cublasLtMatmulDesc_t d;
    Desc(cublasComputeType_t compute, cudaDataType scale) { OK(cublasLtMatmulDescCreate(&d, compute, scale)); }
    ~Desc() { OK(cublasLtMatmulDescDestroy(d)); }
    template <class V> void set(cublasLtMatmulDescAttributes_t what, V value)
    {
        OK(cublasLtMatmulDescSetAttribute(d, what, &value, sizeof value));
        V back;
        size_t written;
        OK(cublasLtMatmulDescGetAttribute(d, what, &back, sizeof back, &written));
        CHECK(back == value && written == sizeof value);
    }
};
struct Layout {
    cublasLtMatrixLayout_t l;
    Layout(cudaDataType type, int rows, int columns, int ld)
    {
        OK(cublasLtMatrixLayoutCreate(&l, type, rows, columns, ld));
    }
    ~Layout() { OK(cublasLtMatrixLayoutDestroy(l)); }
    void batch(int count, int64_t stride)
    {
        OK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
        OK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
    }
};

// d = epilogue(a' b), with bias and aux of d's type; `how` has bits of cublasLtEpilogue_t.
template <class T> static void product(unsigned how, int m, int n, int k, int count, bool in_place)
{
    Array<T> a((size_t)k * m * count), b((size_t)k * n * count), c((size_t)m * n * count), d((size_t)m * n * count);
    Array<T> bias(m), aux((size_t)m * n * count);
    const int mask_ld = (m + 127) / 128 * 128;
    std::vector<unsigned char> bits((size_t)mask_ld * n / 8);
    for (unsigned char &x : bits) x = (unsigned char)draw(256);
    unsigned char *mask;
    OK(cudaMalloc(&mask, bits.size()));
    OK(cudaMemcpy(mask, bits.data(), bits.size(), cudaMemcpyHostToDevice));
    const bool relu = how & (2 | 8);
    const float alpha = 0.5f, beta = draw(2) ? 0 : 0.25f;
    Desc t(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    t.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    t.set(CUBLASLT_MATMUL_DESC_EPILOGUE, (cublasLtEpilogue_t)how);
    if (how & (4 | 16 | 256 | 512)) t.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (void *)bias.device);
    if (how & 128) {
        t.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, relu ? (void *)mask : (void *)aux.device);
        t.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)(relu ? mask_ld : m));
        t.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, (int64_t)(relu ? 0 : m * n));
    }
    const cudaDataType type = type_of<T>();
    Layout la(type, k, m, k), lb(type, k, n, k), lc(type, m, n, m), ld(type, m, n, m);
    la.batch(count, k * m), lb.batch(count, k * n), lc.batch(count, m * n), ld.batch(count, m * n);
    cublasLtMatmulPreference_t preference;
    OK(cublasLtMatmulPreferenceCreate(&preference));
    const size_t workspace = 1 << 20;
    OK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                            sizeof workspace));
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    OK(cublasLtMatmulAlgoGetHeuristic(lt, t.d, la.l, lb.l, lc.l, ld.l, preference, 1, &result, &found));
    CHECK(found == 1 && result.state == CUBLAS_STATUS_SUCCESS);
    OK(cublasLtMatmulPreferenceDestroy(preference));
    Array<T> &old = in_place ? d : c;
    std::vector<Number> want = values(d), kept = values(aux), gradient(m);
    std::vector<unsigned char> marks = bits;
    for (int w = 0; w < count; w++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                const size_t at = (size_t)w * m * n + i + (size_t)j * m, bit = i + (size_t)j * mask_ld;
                double x = 0;
                for (int e = 0; e < k; e++)
                    x += (a[(size_t)w * k * m + e + (size_t)i * k] * b[(size_t)w * k * n + e + (size_t)j * k]).real();
                x = alpha * x + beta * old[at].real();
                if (how & 4) x += bias[i].real();
                if (how & 2 && how & 128)
                    marks[bit / 8] = (unsigned char)((marks[bit / 8] & ~(1 << bit % 8)) | (x > 0) << bit % 8);
                if (how & 2) x = x > 0 ? x : 0;
                if (how & 32 && how & 128) kept[at] = x;
                if (how & 32) x = gelu(x);
                if (how & 8) x = bits[bit / 8] >> bit % 8 & 1 ? x : 0;
                if (how & 64) x *= slope(aux[at].real());
                want[at] = x;
                gradient[i] += x;
            }
    OK(cublasLtMatmul(lt, t.d, &alpha, a.device, la.l, b.device, lb.l, &beta, old.device, lc.l, d.device, ld.l,
                      &result.algo, NULL, 0, 0));
    const double most = 2e-5 + 2 * precision<T>();
    const bool right = agrees(d, want, most);
    CHECK(right && agrees(aux, kept, most));
    if (!right) fprintf(stderr, "  epilogue %u, m %d n %d k %d, count %d, type %d\n", how, m, n, k, count, type);
    if (how & 2 && how & 128 && count == 1) {
        OK(cudaMemcpy(bits.data(), mask, bits.size(), cudaMemcpyDeviceToHost));
        size_t differ = 0;
        for (size_t x = 0; x < bits.size(); x++) differ += bits[x] != marks[x];
        CHECK(differ <= bits.size() / 200);  // sums of nearly 0 may be on either side
    }
    if (how & 16) CHECK(agrees(bias, gradient, 30 * most));
    if (how & 256) {
        for (int i = 0; i < m; i++) {
            gradient[i] = 0;
            for (int e = 0; e < k; e++) gradient[i] += a[e + (size_t)i * k];
        }
        CHECK(agrees(bias, gradient, 10 * most));
    }
    OK(cudaFree(mask));
}

int main()
{
    OK(cublasLtCreate(&lt));
    const unsigned all[] = {CUBLASLT_EPILOGUE_DEFAULT,  CUBLASLT_EPILOGUE_RELU,        CUBLASLT_EPILOGUE_RELU_AUX,
                            CUBLASLT_EPILOGUE_BIAS,     CUBLASLT_EPILOGUE_RELU_BIAS,   CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
                            CUBLASLT_EPILOGUE_DRELU,    CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_GELU,
                            CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_BIAS,   CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
                            CUBLASLT_EPILOGUE_DGELU,    CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA};
    for (unsigned how : all) {
        product<float>(how, 1 + draw(70), 1 + draw(70), 1 + draw(40), 1, draw(2));
        product<__half>(how, 64 + 8 * draw(10), 64 + draw(60), 8 + 8 * draw(5), 1, draw(2));
        product<__nv_bfloat16>(how, 8 + 8 * draw(10), 1 + draw(60), 8 + 8 * draw(5), 1, draw(2));
    }
    product<float>(CUBLASLT_EPILOGUE_GELU_AUX_BIAS, 40, 30, 20, 3, false);
    product<__half>(CUBLASLT_EPILOGUE_BIAS, 80, 72, 64, 3, true);
    OK(cublasLtDestroy(lt));
    return verdict();
}
