// cusparse_older.c: what is left of cuSPARSE's first interface: a matrix' description, other forms of CSR, tridiagonal
// systems.
#include "toolkit/cusparse_unit.h"

// --- descriptions ----------------------------------------------------------------------------------------------------
struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    cusparseIndexBase_t base;
};

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *d)
{
    SPARSE_NEEDS(d);
    *d = mem_alloc(sizeof **d);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t d)
{
    mem_free(d);
    return CUSPARSE_STATUS_SUCCESS;
}

#define SETTING(name, T, field, last)                                \
    cusparseStatus_t cusparseSetMat##name(cusparseMatDescr_t d, T x) \
    {                                                                \
        SPARSE_NEEDS(d && (unsigned)x <= (unsigned)(last));          \
        d->field = x;                                                \
        return CUSPARSE_STATUS_SUCCESS;                              \
    }                                                                \
    T cusparseGetMat##name(const cusparseMatDescr_t d) { return d ? d->field : (T)0; }
SETTING(Type, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
SETTING(FillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_UPPER)
SETTING(DiagType, cusparseDiagType_t, diagonal, CUSPARSE_DIAG_TYPE_UNIT)
SETTING(IndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ONE)

// --- forms -----------------------------------------------------------------------------------------------------------
static SparseIndices ints(const int *p, cusparseIndexBase_t base)
{
    return (SparseIndices){sparse_address(p), 0, (int)base};
}
static unsigned blocks_for(int64_t threads)
{
    return (unsigned)MIN((threads + SPARSE_THREADS) / SPARSE_THREADS, 1 << 16);
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t h, const int *rows, int entries, int m, int *offsets,
                                  cusparseIndexBase_t base)
{
    SPARSE_WITH(h);
    SPARSE_NEEDS(entries >= 0 && m >= 0 && offsets && (rows || !entries));
    SparseIndices from = ints(rows, base), to = ints(offsets, base);
    long long n = entries, lines = m;
    return sparse_run_shape(h, "structure", "compress", blocks_for(m), SPARSE_THREADS,
                            (void *[]){&from, &n, &lines, &to});
}

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t h, const int *offsets, int entries, int m, int *rows,
                                  cusparseIndexBase_t base)
{
    SPARSE_WITH(h);
    SPARSE_NEEDS(entries >= 0 && m >= 0 && offsets && (rows || !entries));
    if (!entries) return CUSPARSE_STATUS_SUCCESS;
    SparseMatrix a = {.offsets = ints(offsets, base), .majors = ints(rows, base), .major = m, .entries = entries};
    a.offsets.base = (int)base;
    return sparse_run_shape(h, "structure", "expand", blocks_for(entries), SPARSE_THREADS, (void *[]){&a});
}

#define CSR2CSC                                                                                                \
    cusparseHandle_t h, int m, int n, int entries, const void *values, const int *offsets, const int *columns, \
        void *to_values, int *to_offsets, int *to_rows, cudaDataType type, cusparseAction_t action,            \
        cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(CSR2CSC, size_t *bytes)
{
    (void)values, (void)offsets, (void)columns, (void)to_values, (void)to_offsets, (void)to_rows, (void)action;
    (void)base, (void)alg;
    SPARSE_WITH(h);
    SPARSE_NEEDS(m >= 0 && n >= 0 && entries >= 0 && bytes);
    if (!sparse_value_bytes(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *bytes = ((size_t)n + 1) * sizeof(int64_t);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsr2cscEx2(CSR2CSC, void *buffer)
{
    size_t room;
    SPARSE_TRY(cusparseCsr2cscEx2_bufferSize(h, m, n, entries, values, offsets, columns, to_values, to_offsets, to_rows,
                                             type, action, base, alg, &room));
    SPARSE_NEEDS(offsets && to_offsets && buffer && (!entries || (columns && to_rows)));
    int bytes = action == CUSPARSE_ACTION_NUMERIC ? (int)sparse_value_bytes(type) : 0;
    SPARSE_NEEDS(!bytes || !entries || (values && to_values));
    SparseMatrix a = {.offsets = ints(offsets, base), .minors = ints(columns, base), .values = sparse_address(values)};
    a.major = m, a.minor = n, a.entries = entries;
    SparseMatrix to = {.offsets = ints(to_offsets, base), .minors = ints(to_rows, base)};
    to.values = sparse_address(to_values);
    CUdeviceptr next = sparse_address(buffer);
    return sparse_run_shape(h, "structure", "transpose", 1, 32, (void *[]){&a, &to, &next, &bytes});
}

// --- tridiagonal systems ---------------------------------------------------------------------------------------------
typedef struct Bands {
    const void *lower, *own, *upper;
    void *x;
    long long n, sides, apart, matrices;
    int pivot;
} Bands;

// Four lines for each right side.
static cusparseStatus_t band_bytes(cusparseHandle_t h, const Bands *b, cudaDataType type, size_t *bytes)
{
    SPARSE_WITH(h);
    SPARSE_NEEDS(b->n >= 1 && b->sides >= 0 && b->apart >= b->n && bytes);
    *bytes = (size_t)(4 * b->n * MAX(b->sides, 1)) * sparse_value_bytes(type);
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t solve_bands(cusparseHandle_t h, Bands *b, cudaDataType type, void *buffer)
{
    size_t bytes;
    SPARSE_TRY(band_bytes(h, b, type, &bytes));
    SPARSE_NEEDS(b->lower && b->own && b->upper && b->x && buffer);
    return sparse_run(h, type, "tridiagonals", b->sides,
                      (void *[]){&b->lower, &b->own, &b->upper, &b->x, &b->n, &b->sides, &b->apart, &b->matrices,
                                 &buffer, &b->pivot});
}

#define SIDES(pivot) (&(Bands){dl, d, du, (void *)(uintptr_t)x, m, n, ldb, 0, pivot})
#define BATCH (&(Bands){dl, d, du, (void *)(uintptr_t)x, m, batch, stride, stride, 0})
#define TRIDIAGONAL(letter, T, type)                                                                                   \
    cusparseStatus_t cusparse##letter##gtsv2_bufferSizeExt(cusparseHandle_t h, int m, int n, const T *dl, const T *d,  \
                                                           const T *du, const T *x, int ldb, size_t *bytes)            \
    {                                                                                                                  \
        return band_bytes(h, SIDES(1), type, bytes);                                                                   \
    }                                                                                                                  \
    cusparseStatus_t cusparse##letter##gtsv2(cusparseHandle_t h, int m, int n, const T *dl, const T *d, const T *du,   \
                                             T *x, int ldb, void *buffer)                                              \
    {                                                                                                                  \
        return solve_bands(h, SIDES(1), type, buffer);                                                                 \
    }                                                                                                                  \
    cusparseStatus_t cusparse##letter##gtsv2_nopivot_bufferSizeExt(                                                    \
        cusparseHandle_t h, int m, int n, const T *dl, const T *d, const T *du, const T *x, int ldb, size_t *bytes)    \
    {                                                                                                                  \
        return band_bytes(h, SIDES(0), type, bytes);                                                                   \
    }                                                                                                                  \
    cusparseStatus_t cusparse##letter##gtsv2_nopivot(cusparseHandle_t h, int m, int n, const T *dl, const T *d,        \
                                                     const T *du, T *x, int ldb, void *buffer)                         \
    {                                                                                                                  \
        return solve_bands(h, SIDES(0), type, buffer);                                                                 \
    }                                                                                                                  \
    cusparseStatus_t cusparse##letter##gtsv2StridedBatch_bufferSizeExt(cusparseHandle_t h, int m, const T *dl,         \
                                                                       const T *d, const T *du, const T *x, int batch, \
                                                                       int stride, size_t *bytes)                      \
    {                                                                                                                  \
        return band_bytes(h, BATCH, type, bytes);                                                                      \
    }                                                                                                                  \
    cusparseStatus_t cusparse##letter##gtsv2StridedBatch(cusparseHandle_t h, int m, const T *dl, const T *d,           \
                                                         const T *du, T *x, int batch, int stride, void *buffer)       \
    {                                                                                                                  \
        return solve_bands(h, BATCH, type, buffer);                                                                    \
    }
TRIDIAGONAL(S, float, CUDA_R_32F)
TRIDIAGONAL(D, double, CUDA_R_64F)
TRIDIAGONAL(C, cuComplex, CUDA_C_32F)
TRIDIAGONAL(Z, cuDoubleComplex, CUDA_C_64F)
