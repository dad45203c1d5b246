// products.cu: gemm, in all its types and forms.
#include "blas.h"

static cublasHandle_t h;

static size_t index_of(int i, int j, int ld) { return (size_t)i + (size_t)j * ld; }
// Element (i, j) of op(a).
template <class T> static Number used(const Array<T> &a, size_t from, int ld, cublasOperation_t op, int i, int j)
{
    if (op == CUBLAS_OP_N) return a[from + index_of(i, j, ld)];
    const Number z = a[from + index_of(j, i, ld)];
    return op == CUBLAS_OP_C && Of<T>::COMPLEX ? std::conj(z) : z;
}
static cublasOperation_t draw_op() { return (cublasOperation_t)draw(3); }

// A product of random shape, count times. T: of a and b, C: of c, S: of factors
template <class T, class C, class S, class F>
static void product(F call, int size, int count, bool device, double most, double factor = 1)
{
    const int m = 1 + draw(size), n = 1 + draw(size), k = draw(8) ? 1 + draw(size) : 0;
    const cublasOperation_t op_a = draw_op(), op_b = draw_op();
    const int lda = (op_a == CUBLAS_OP_N ? m : k) + draw(5) + !k, ldb = (op_b == CUBLAS_OP_N ? k : n) + draw(5) + !k;
    const int ldc = m + draw(5);
    const size_t size_a = (size_t)lda * (op_a == CUBLAS_OP_N ? k : m) + draw(9);
    const size_t size_b = (size_t)ldb * (op_b == CUBLAS_OP_N ? n : k) + draw(9), size_c = (size_t)ldc * n + draw(9);
    Array<T> a(size_a * count), b(size_b * count);
    Array<C> c(size_c * count);
    Factor<S> alpha(factor * draw_factor(Of<S>::COMPLEX), device), beta(factor * draw_factor(Of<S>::COMPLEX), device);
    std::vector<Number> want = values(c);
    for (int which = 0; which < count; which++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                Number sum = 0;
                for (int d = 0; d < k; d++)
                    sum += used(a, which * size_a, lda, op_a, i, d) * used(b, which * size_b, ldb, op_b, d, j);
                Number &z = want[which * size_c + index_of(i, j, ldc)];
                z = alpha.value() * sum + (beta.value() == Number(0) ? Number(0) : beta.value() * z);
            }
    mode(h, device);
    OK(call(op_a, op_b, m, n, k, alpha.at(), a.device, lda, size_a, b.device, ldb, size_b, beta.at(), c.device, ldc,
            size_c, count));
    const bool right = agrees(c, want, most * (4 + k / 4));
    CHECK(right);
    if (!right)
        fprintf(stderr, "  m %d n %d k %d, ld %d %d %d, op %d %d, count %d, alpha %g beta %g, %s\n", m, n, k, lda, ldb,
                ldc, op_a, op_b, count, alpha.value().real(), beta.value().real(), device ? "device" : "host");
}
#define GIVEN(T, C, S)                                                                                     \
    [](cublasOperation_t p, cublasOperation_t q, int m, int n, int k, const S *alpha, const T *a, int lda, \
       long long sa, const T *b, int ldb, long long sb, const S *beta, C *c, int ldc, long long sc, int count)

// The addresses of matrices of a batch, on the device.
template <class T> struct Pointers {
    T **device;
    Pointers(T *first, long long stride, int count) : device(0)
    {
        std::vector<T *> v(count);
        for (int j = 0; j < count; j++) v[j] = first + stride * j;
        OK(cudaMalloc(&device, count * sizeof(T *)));
        OK(cudaMemcpy(device, v.data(), count * sizeof(T *), cudaMemcpyHostToDevice));
    }
    ~Pointers() { cudaFree(device); }
};

#define FORMS(L, T, plain)                                                                                           \
    static void forms_##L(bool device)                                                                               \
    {                                                                                                                \
        const double most = precision<T>();                                                                          \
        product<T, T, T>(                                                                                            \
            GIVEN(T, T, T) { return plain(h, p, q, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); }, 90, 1, device,  \
            most);                                                                                                   \
        product<T, T, T>(                                                                                            \
            GIVEN(T, T, T) { return plain##_64(h, p, q, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); }, 40, 1,     \
            device, most);                                                                                           \
        product<T, T, T>(                                                                                            \
            GIVEN(T, T, T) {                                                                                         \
                return cublas##L##gemmStridedBatched(h, p, q, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc,  \
                                                     sc, count);                                                     \
            },                                                                                                       \
            30, 3, device, most);                                                                                    \
        product<T, T, T>(                                                                                            \
            GIVEN(T, T, T) {                                                                                         \
                Pointers<T> x((T *)a, sa, count), y((T *)b, sb, count), z(c, sc, count);                             \
                return cublas##L##gemmBatched(h, p, q, m, n, k, alpha, x.device, lda, y.device, ldb, beta, z.device, \
                                              ldc, count);                                                           \
            },                                                                                                       \
            30, 3, device, most);                                                                                    \
    }
FORMS(S, float, cublasSgemm)
FORMS(D, double, cublasDgemm)
FORMS(C, cuComplex, cublasCgemm)
FORMS(Z, cuDoubleComplex, cublasZgemm)
FORMS(H, __half, cublasHgemm)

template <class T, class C, class S>
static void typed(cublasComputeType_t how, bool device, double most, double factor = 1)
{
    static cublasComputeType_t compute;
    compute = how;
    product<T, C, S>(
        GIVEN(T, C, S) {
            return cublasGemmEx(h, p, q, m, n, k, alpha, a, type_of<T>(), lda, b, type_of<T>(), ldb, beta, c,
                                type_of<C>(), ldc, compute, CUBLAS_GEMM_DEFAULT);
        },
        90, 1, device, most, factor);
    product<T, C, S>(
        GIVEN(T, C, S) {
            return cublasGemmStridedBatchedEx(h, p, q, m, n, k, alpha, a, type_of<T>(), lda, sa, b, type_of<T>(), ldb,
                                              sb, beta, c, type_of<C>(), ldc, sc, count, compute,
                                              CUBLAS_GEMM_DEFAULT_TENSOR_OP);
        },
        50, 2, device, most, factor);
    product<T, C, S>(
        GIVEN(T, C, S) {
            Pointers<T> x((T *)a, sa, count), y((T *)b, sb, count);
            Pointers<C> z(c, sc, count);
            return cublasGemmBatchedEx(h, p, q, m, n, k, alpha, (const void **)x.device, type_of<T>(), lda,
                                       (const void **)y.device, type_of<T>(), ldb, beta, (void **)z.device,
                                       type_of<C>(), ldc, count, compute, CUBLAS_GEMM_DEFAULT);
        },
        30, 2, device, most, factor);
}

// Tensor cores read 16 bytes at once: shapes for which they may.
template <class T, class C, class S> static void aligned(cublasComputeType_t how, int m, int n, int k, double most)
{
    for (int ops = 0; ops < 4; ops++) {
        const cublasOperation_t p = (cublasOperation_t)(ops / 2), q = (cublasOperation_t)(ops % 2);
        const int step = 16 / sizeof(T), over = step * draw(3);
        const int lda = ((p ? k : m) + step - 1) / step * step + over,
                  ldb = ((q ? n : k) + step - 1) / step * step + over;
        const int ldc = (m + 7) / 8 * 8;
        Array<T> a((size_t)lda * (p ? m : k)), b((size_t)ldb * (q ? k : n));
        Array<C> c((size_t)ldc * n);
        Factor<S> alpha(draw_value(), false), beta(draw(2) ? 0 : draw_value(), false);
        std::vector<Number> want = values(c);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                double sum = 0;
                for (int d = 0; d < k; d++) sum += (used(a, 0, lda, p, i, d) * used(b, 0, ldb, q, d, j)).real();
                Number &z = want[index_of(i, j, ldc)];
                z = alpha.value() * sum + beta.value() * z;
            }
        mode(h, false);
        OK(cublasGemmEx(h, p, q, m, n, k, alpha.at(), a.device, type_of<T>(), lda, b.device, type_of<T>(), ldb,
                        beta.at(), c.device, type_of<C>(), ldc, how, CUBLAS_GEMM_DEFAULT));
        const bool right = agrees(c, want, most);
        CHECK(right);
        if (!right) fprintf(stderr, "  m %d n %d k %d, op %d %d, type %d\n", m, n, k, p, q, type_of<T>());
    }
}
template <class T> static void all_aligned(cublasComputeType_t how, double most, double narrow)
{
    aligned<T, float, float>(how, 8, 8, 8, most);
    aligned<T, float, float>(how, 136, 264, 72, most);
    aligned<T, T, float>(how, 130, 100, 90, narrow);
    aligned<T, float, float>(how, 256, 128, 200, most);
    aligned<T, T, float>(how, 60 + draw(100), 60 + draw(100), 1 + draw(200), narrow);
}

// What is not an element of c stays, and what c was does not matter where beta is 0.
static void untouched()
{
    const int n = 70;
    Array<float> a(n * n), b(n * n), c(n * n);
    for (float &x : c.host) x = NAN;
    c.send();
    const float one = 1, zero = 0;
    mode(h, false);
    OK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n - 1, n, n, &one, a.device, n, b.device, n, &zero, c.device, n));
    const std::vector<float> got = c.got();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) CHECK(std::isnan(got[index_of(i, j, n)]) == (i == n - 1));
    // Nor do a and b where alpha is 0.
    OK(cudaMemcpy(a.device, c.host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice));
    for (int device = 0; device < 2; device++) {
        Factor<float> none(0, device);
        mode(h, device);
        OK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, none.at(), a.device, n, b.device, n, none.at(), c.device,
                       n));
        for (float x : c.got()) CHECK(x == 0);
    }
}

int main()
{
    OK(cublasCreate(&h));
    for (int round = 0; round < 1 + (getenv("ONCHIP_LONG") != NULL); round++) {
        const bool device = draw(2);
        forms_S(device), forms_D(device), forms_C(device), forms_Z(device), forms_H(device);
        const double half = precision<__half>(), bfloat = precision<__nv_bfloat16>();
        typed<__half, __half, __half>(CUBLAS_COMPUTE_16F, device, half);
        typed<__half, __half, float>(CUBLAS_COMPUTE_32F, device, half);
        typed<__half, float, float>(CUBLAS_COMPUTE_32F, device, 1e-6);
        typed<__nv_bfloat16, __nv_bfloat16, float>(CUBLAS_COMPUTE_32F, device, bfloat);
        typed<__nv_bfloat16, float, float>(CUBLAS_COMPUTE_32F, device, 1e-6);
        typed<signed char, int, int>(CUBLAS_COMPUTE_32I, device, 0, 3);
        typed<signed char, float, float>(CUBLAS_COMPUTE_32F, device, 1e-6);
        typed<float, float, float>(CUBLAS_COMPUTE_32F_PEDANTIC, device, 1e-6);
        typed<float, float, float>(CUBLAS_COMPUTE_32F_FAST_TF32, device, 1e-3);
        typed<double, double, double>(CUBLAS_COMPUTE_64F, device, 1e-14);
        typed<cuComplex, cuComplex, cuComplex>(CUBLAS_COMPUTE_32F, device, 1e-6);
        typed<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(CUBLAS_COMPUTE_64F, device, 1e-14);
    }
    all_aligned<__half>(CUBLAS_COMPUTE_32F, 2e-5, 2e-3);
    all_aligned<__nv_bfloat16>(CUBLAS_COMPUTE_32F, 2e-5, 1.6e-2);
    all_aligned<float>(CUBLAS_COMPUTE_32F, 2e-5, 2e-5);
    all_aligned<float>(CUBLAS_COMPUTE_32F_FAST_TF32, 1e-2, 1e-2);
    untouched();
    OK(cublasDestroy(h));
    return verdict();
}
