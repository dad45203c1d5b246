// cublas_vector.c: level 1 of BLAS.
#include "toolkit/cublas.h"

enum { PARTS = 256 };  // blocks of a reduction

// --- functions that change vectors -----------------------------------------------------------------------------------
static Status axpy(cublasHandle_t h, Count n, const void *alpha, int at, const void *x, Count incx, void *y, Count incy,
                   int type)
{
    NEEDS(h, alpha);
    Scalar a = scalar(h, alpha, at);
    Vector u = vector(x, n, incx, type), v = vector(y, n, incy, type);
    if (n <= 0 || is_number(a, 0)) return CUBLAS_STATUS_SUCCESS;
    const Shape s = shape_for(h, n);
    return run(h, "vector", "axpy", letter_of(type), &s, (void *[]){&n, &a, &u, &v});
}
#define AXPY(L, T, R, type, I, end)                                                                                 \
    cublasStatus_t cublas##L##axpy_v2##end(cublasHandle_t h, I n, const T *alpha, const T *x, I incx, T *y, I incy) \
    {                                                                                                               \
        return axpy(h, n, alpha, type, x, incx, y, incy, type);                                                     \
    }
ALL(AXPY)

static Status scal(cublasHandle_t h, Count n, const void *alpha, int at, void *x, Count incx, int type)
{
    NEEDS(h, alpha);
    Scalar a = scalar(h, alpha, at);
    Vector u = vector(x, n, incx, type);
    if (n <= 0 || incx <= 0 || is_number(a, 1)) return CUBLAS_STATUS_SUCCESS;
    const Shape s = shape_for(h, n);
    return run(h, "vector", "scal", letter_of(type), &s, (void *[]){&n, &a, &u});
}
#define SCAL(L, T, R, type, I, end)                                                             \
    cublasStatus_t cublas##L##scal_v2##end(cublasHandle_t h, I n, const T *alpha, T *x, I incx) \
    {                                                                                           \
        return scal(h, n, alpha, type, x, incx, type);                                          \
    }
ALL(SCAL)
#define SCAL_REAL(L, l, T, R, type, I, end)                                                        \
    cublasStatus_t cublas##L##l##scal_v2##end(cublasHandle_t h, I n, const R *alpha, T *x, I incx) \
    {                                                                                              \
        return scal(h, n, alpha, parts_of(type), x, incx, type);                                   \
    }
TWICE(SCAL_REAL, C, s, cuComplex, float, CUDA_C_32F)
TWICE(SCAL_REAL, Z, d, cuDoubleComplex, double, CUDA_C_64F)

// name: "copy" or "swap"
static Status move(cublasHandle_t h, const char *name, Count n, const void *x, Count incx, void *y, Count incy,
                   int type)
{
    char whole[16];
    NEEDS(h, "");
    Vector u = vector(x, n, incx, type), v = vector(y, n, incy, type);
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    if (bytes_of(type) < 2) return CUBLAS_STATUS_NOT_SUPPORTED;
    const Shape s = shape_for(h, n);
    snprintf(whole, sizeof whole, "%s_%zu", name, bytes_of(type));
    return status_of(kernel_run(&h->kernels, "vector", whole, &s, (void *[]){&n, &u, &v}));
}
#define MOVE(L, T, R, type, I, end)                                                                 \
    cublasStatus_t cublas##L##copy_v2##end(cublasHandle_t h, I n, const T *x, I incx, T *y, I incy) \
    {                                                                                               \
        return move(h, "copy", n, x, incx, y, incy, type);                                          \
    }                                                                                               \
    cublasStatus_t cublas##L##swap_v2##end(cublasHandle_t h, I n, T *x, I incx, T *y, I incy)       \
    {                                                                                               \
        return move(h, "swap", n, x, incx, y, incy, type);                                          \
    }
ALL(MOVE)

static Status rot(cublasHandle_t h, Count n, void *x, Count incx, void *y, Count incy, const void *c, const void *s,
                  int s_type, int type)
{
    NEEDS(h, c, s);
    Scalar cosine = scalar(h, c, parts_of(type)), sine = scalar(h, s, s_type);
    Vector u = vector(x, n, incx, type), v = vector(y, n, incy, type);
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    const Shape shape = shape_for(h, n);
    return run(h, "vector", "rot", letter_of(type), &shape, (void *[]){&n, &u, &v, &cosine, &sine});
}
#define ROT(L, T, R, type, I, end)                                                                                   \
    cublasStatus_t cublas##L##rot_v2##end(cublasHandle_t h, I n, T *x, I incx, T *y, I incy, const R *c, const T *s) \
    {                                                                                                                \
        return rot(h, n, x, incx, y, incy, c, s, type, type);                                                        \
    }
ALL(ROT)
#define ROT_REAL(L, l, T, R, type, I, end)                                                                  \
    cublasStatus_t cublas##L##l##rot_v2##end(cublasHandle_t h, I n, T *x, I incx, T *y, I incy, const R *c, \
                                             const R *s)                                                    \
    {                                                                                                       \
        return rot(h, n, x, incx, y, incy, c, s, parts_of(type), type);                                     \
    }
TWICE(ROT_REAL, C, s, cuComplex, float, CUDA_C_32F)
TWICE(ROT_REAL, Z, d, cuDoubleComplex, double, CUDA_C_64F)

static Status rotm(cublasHandle_t h, Count n, void *x, Count incx, void *y, Count incy, const void *param, int type)
{
    NEEDS(h, param);
    Place p = {(void *)(uintptr_t)param, 5 * bytes_of(type), 0, true};
    Vector u = vector(x, n, incx, type), v = vector(y, n, incy, type);
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    const Status status = places_begin(h, &p, 1, 0, true);
    if (status) return status;
    const Shape shape = shape_for(h, n);
    return run(h, "vector", "rotm", letter_of(type), &shape, (void *[]){&n, &u, &v, &p.device});
}
#define ROTM(L, T, R, type, I, end)                                                                           \
    cublasStatus_t cublas##L##rotm_v2##end(cublasHandle_t h, I n, T *x, I incx, T *y, I incy, const T *param) \
    {                                                                                                         \
        return rotm(h, n, x, incx, y, incy, param, type);                                                     \
    }
REAL(ROTM)

static Status rotation(cublasHandle_t h, const char *name, Place *p, int n, int type)
{
    Status status = places_begin(h, p, n, 0, true);
    if (status) return status;
    void *args[5];
    for (int j = 0; j < n; j++) args[j] = &p[j].device;
    status = run(h, "rotation", name, letter_of(type), &(Shape){.stream = h->stream}, args);
    return status ? status : places_end(h, p, n);
}
#define ROTG(L, T, R, type)                                                                                          \
    cublasStatus_t cublas##L##rotg_v2(cublasHandle_t h, T *a, T *b, R *c, T *s)                                      \
    {                                                                                                                \
        NEEDS(h, a, b, c, s);                                                                                        \
        Place p[] = {                                                                                                \
            {a, sizeof(T), 0, false}, {b, sizeof(T), 0, false}, {c, sizeof(R), 0, false}, {s, sizeof(T), 0, false}}; \
        return rotation(h, "rotg", p, COUNT(p), type);                                                               \
    }
ROTG(S, float, float, CUDA_R_32F)
ROTG(D, double, double, CUDA_R_64F)
ROTG(C, cuComplex, float, CUDA_C_32F)
ROTG(Z, cuDoubleComplex, double, CUDA_C_64F)
#define ROTMG(L, T, type)                                                                            \
    cublasStatus_t cublas##L##rotmg_v2(cublasHandle_t h, T *d1, T *d2, T *x1, const T *y1, T *param) \
    {                                                                                                \
        NEEDS(h, d1, d2, x1, y1, param);                                                             \
        Place p[] = {{d1, sizeof(T), 0, false},                                                      \
                     {d2, sizeof(T), 0, false},                                                      \
                     {x1, sizeof(T), 0, false},                                                      \
                     {(void *)(uintptr_t)y1, sizeof(T), 0, true},                                    \
                     {param, 5 * sizeof(T), 0, false}};                                              \
        return rotation(h, "rotmg", p, COUNT(p), type);                                              \
    }
ROTMG(S, float, CUDA_R_32F)
ROTMG(D, double, CUDA_R_64F)

// --- functions that give a number ------------------------------------------------------------------------------------
// What a result is where there is no element is what the kernel makes of none: 0. bytes: of the result.
static Status reduce(cublasHandle_t h, const char *name, Count n, Vector x, Vector y, int type, void *result,
                     size_t bytes)
{
    enum { PART = 24 };  // the largest part, three doubles
    char end[16];
    Place p = {result, bytes, 0, false};
    CUdeviceptr parts;
    n = MAX(n, 0);
    Status status = workspace(h, PARTS * PART + 64, &parts);
    if (!status) status = places_begin(h, &p, 1, PARTS * PART, false);
    if (status) return status;
    Count blocks = n <= 2048 ? 1 : MIN((n + 2047) / 2048, PARTS);
    int size = (int)bytes;
    const Shape s = {.grid = {(unsigned)blocks}, .block = {256}, .stream = h->stream};
    const Shape one = {.block = {256}, .stream = h->stream};
    status = run(h, "reduce", name, letter_of(type), &s, (void *[]){&n, &x, &y, &parts, &p.device, &size});
    if (!status && blocks > 1) {
        snprintf(end, sizeof end, "%s_%c_end", name, letter_of(type));
        status = status_of(kernel_run(&h->kernels, "reduce", end, &one, (void *[]){&blocks, &parts, &p.device, &size}));
    }
    return status ? status : places_end(h, &p, 1);
}

static Status dot(cublasHandle_t h, const char *name, Count n, const void *x, Count incx, const void *y, Count incy,
                  void *result, int type)
{
    NEEDS(h, result);
    return reduce(h, name, n, vector(x, n, incx, type), vector(y, n, incy, type), type, result, bytes_of(type));
}
#define DOT_AS(L, form, name, T, type, I, end)                                                                         \
    cublasStatus_t cublas##L##form##_v2##end(cublasHandle_t h, I n, const T *x, I incx, const T *y, I incy, T *result) \
    {                                                                                                                  \
        return dot(h, name, n, x, incx, y, incy, result, type);                                                        \
    }
#define DOT(L, T, R, type, I, end) DOT_AS(L, dot, "dot", T, type, I, end)
REAL(DOT)
#define DOT_COMPLEX(L, T, R, type, I, end)  \
    DOT_AS(L, dotu, "dot", T, type, I, end) \
    DOT_AS(L, dotc, "dotc", T, type, I, end)
COMPLEX(DOT_COMPLEX)

static Status sum(cublasHandle_t h, const char *name, Count n, const void *x, Count incx, void *result, size_t bytes,
                  int type)
{
    NEEDS(h, result);
    const Vector v = vector(x, n, incx, type);
    return reduce(h, name, incx <= 0 ? 0 : n, v, v, type, result, bytes);
}
#define SUM_AS(before, name, T, R, type, I, end)                                                        \
    cublasStatus_t cublas##before##name##_v2##end(cublasHandle_t h, I n, const T *x, I incx, R *result) \
    {                                                                                                   \
        return sum(h, #name, n, x, incx, result, sizeof(R), type);                                      \
    }
#define SUMS(before, T, R, type, I, end)     \
    SUM_AS(before, asum, T, R, type, I, end) \
    SUM_AS(before, nrm2, T, R, type, I, end)
TWICE(SUMS, S, float, float, CUDA_R_32F)
TWICE(SUMS, D, double, double, CUDA_R_64F)
TWICE(SUMS, Sc, cuComplex, float, CUDA_C_32F)
TWICE(SUMS, Dz, cuDoubleComplex, double, CUDA_C_64F)
#define PLACES(before, T, type, I, end)      \
    SUM_AS(before, amax, T, I, type, I, end) \
    SUM_AS(before, amin, T, I, type, I, end)
TWICE(PLACES, Is, float, CUDA_R_32F)
TWICE(PLACES, Id, double, CUDA_R_64F)
TWICE(PLACES, Ic, cuComplex, CUDA_C_32F)
TWICE(PLACES, Iz, cuDoubleComplex, CUDA_C_64F)

// --- with types as parameters ----------------------------------------------------------------------------------------
// Vectors of one type; narrow ones are computed with as f32.
static bool fits(int type, int execution)
{
    return letter_of(type) && (type == CUDA_R_16F || type == CUDA_R_16BF ? execution == CUDA_R_32F
                                                                         : type == execution && type != CUDA_R_32I);
}
#define FITS(h, function, ok)                                                  \
    do {                                                                       \
        if (!(h)) return CUBLAS_STATUS_NOT_INITIALIZED;                        \
        if (!(ok)) return not_there(h, function, "this combination of types"); \
    } while (0)

#define TYPED(I, end)                                                                                              \
    cublasStatus_t cublasAxpyEx##end(cublasHandle_t h, I n, const void *alpha, cudaDataType at, const void *x,     \
                                     cudaDataType xt, I incx, void *y, cudaDataType yt, I incy, cudaDataType et)   \
    {                                                                                                              \
        FITS(h, "cublasAxpyEx", xt == yt && fits(xt, et) && (at == et || at == xt));                               \
        return axpy(h, n, alpha, at, x, incx, y, incy, xt);                                                        \
    }                                                                                                              \
    cublasStatus_t cublasScalEx##end(cublasHandle_t h, I n, const void *alpha, cudaDataType at, void *x,           \
                                     cudaDataType xt, I incx, cudaDataType et)                                     \
    {                                                                                                              \
        FITS(h, "cublasScalEx", fits(xt, et) && (at == et || at == xt || at == parts_of(xt)));                     \
        return scal(h, n, alpha, at, x, incx, xt);                                                                 \
    }                                                                                                              \
    cublasStatus_t cublasDotEx##end(cublasHandle_t h, I n, const void *x, cudaDataType xt, I incx, const void *y,  \
                                    cudaDataType yt, I incy, void *result, cudaDataType rt, cudaDataType et)       \
    {                                                                                                              \
        FITS(h, "cublasDotEx", xt == yt && rt == xt && fits(xt, et));                                              \
        return dot(h, "dot", n, x, incx, y, incy, result, xt);                                                     \
    }                                                                                                              \
    cublasStatus_t cublasDotcEx##end(cublasHandle_t h, I n, const void *x, cudaDataType xt, I incx, const void *y, \
                                     cudaDataType yt, I incy, void *result, cudaDataType rt, cudaDataType et)      \
    {                                                                                                              \
        FITS(h, "cublasDotcEx", xt == yt && rt == xt && fits(xt, et));                                             \
        return dot(h, xt == parts_of(xt) ? "dot" : "dotc", n, x, incx, y, incy, result, xt);                       \
    }                                                                                                              \
    cublasStatus_t cublasNrm2Ex##end(cublasHandle_t h, I n, const void *x, cudaDataType xt, I incx, void *result,  \
                                     cudaDataType rt, cudaDataType et)                                             \
    {                                                                                                              \
        FITS(h, "cublasNrm2Ex", rt == parts_of(xt) && (fits(xt, et) || et == parts_of(xt)));                       \
        return sum(h, "nrm2", n, x, incx, result, bytes_of(rt), xt);                                               \
    }                                                                                                              \
    cublasStatus_t cublasAsumEx##end(cublasHandle_t h, I n, const void *x, cudaDataType xt, I incx, void *result,  \
                                     cudaDataType rt, cudaDataType et)                                             \
    {                                                                                                              \
        FITS(h, "cublasAsumEx", rt == parts_of(xt) && (fits(xt, et) || et == parts_of(xt)));                       \
        return sum(h, "asum", n, x, incx, result, bytes_of(rt), xt);                                               \
    }                                                                                                              \
    cublasStatus_t cublasIamaxEx##end(cublasHandle_t h, I n, const void *x, cudaDataType xt, I incx, I *result)    \
    {                                                                                                              \
        FITS(h, "cublasIamaxEx", letter_of(xt) && bytes_of(xt) > 1 && xt != CUDA_R_32I);                           \
        return sum(h, "amax", n, x, incx, result, sizeof(I), xt);                                                  \
    }                                                                                                              \
    cublasStatus_t cublasIaminEx##end(cublasHandle_t h, I n, const void *x, cudaDataType xt, I incx, I *result)    \
    {                                                                                                              \
        FITS(h, "cublasIaminEx", letter_of(xt) && bytes_of(xt) > 1 && xt != CUDA_R_32I);                           \
        return sum(h, "amin", n, x, incx, result, sizeof(I), xt);                                                  \
    }                                                                                                              \
    cublasStatus_t cublasCopyEx##end(cublasHandle_t h, I n, const void *x, cudaDataType xt, I incx, void *y,       \
                                     cudaDataType yt, I incy)                                                      \
    {                                                                                                              \
        FITS(h, "cublasCopyEx", xt == yt);                                                                         \
        return move(h, "copy", n, x, incx, y, incy, xt);                                                           \
    }                                                                                                              \
    cublasStatus_t cublasSwapEx##end(cublasHandle_t h, I n, void *x, cudaDataType xt, I incx, void *y,             \
                                     cudaDataType yt, I incy)                                                      \
    {                                                                                                              \
        FITS(h, "cublasSwapEx", xt == yt);                                                                         \
        return move(h, "swap", n, x, incx, y, incy, xt);                                                           \
    }
TYPED(int, )
TYPED(int64_t, _64)
