// cublasLt.c: cuBLASLt: products that objects describe, with an epilogue. Its handle is cuBLAS's, as a program may give
// one for the other.
#include "toolkit/cublas.h"

#include <cublasLt.h>
#include <stddef.h>
#include <string.h>

typedef struct MatrixLayout {
    int64_t rows, columns, ld, stride;
    uint32_t type;
    int32_t order, count;
} MatrixLayout;
typedef struct Desc {
    int32_t compute, scale, pointers, op_a, op_b, op_c, fill, aux_type, bias_type, target;
    uint32_t epilogue;
    int8_t fast;
    const void *bias, *scale_a, *scale_b, *scale_c, *scale_d, *amax;
    void *aux;
    int64_t bias_stride, aux_ld, aux_stride;
} Desc;
_Static_assert(sizeof(MatrixLayout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "a layout fits");
_Static_assert(sizeof(Desc) <= 23 * sizeof(uint64_t), "as CUDA 11 has it, too");

// --- attributes ------------------------------------------------------------------------------------------------------
typedef struct Attribute {
    int what;
    size_t at, bytes;
} Attribute;
static const Attribute of_layout[] = {
#define ROW(name, field) \
    {CUBLASLT_MATRIX_LAYOUT_##name, offsetof(MatrixLayout, field), sizeof(((MatrixLayout *)0)->field)},
    ROW(TYPE, type) ROW(ORDER, order) ROW(ROWS, rows) ROW(COLS, columns) ROW(LD, ld) ROW(BATCH_COUNT, count)
        ROW(STRIDED_BATCH_OFFSET, stride)
#undef ROW
};
static const Attribute of_desc[] = {
#define ROW(name, field) {CUBLASLT_MATMUL_DESC_##name, offsetof(Desc, field), sizeof(((Desc *)0)->field)},
    ROW(COMPUTE_TYPE, compute) ROW(SCALE_TYPE, scale) ROW(POINTER_MODE, pointers) ROW(TRANSA, op_a) ROW(TRANSB, op_b)
        ROW(TRANSC, op_c) ROW(FILL_MODE, fill) ROW(EPILOGUE, epilogue) ROW(BIAS_POINTER, bias)
            ROW(BIAS_BATCH_STRIDE, bias_stride) ROW(EPILOGUE_AUX_POINTER, aux) ROW(EPILOGUE_AUX_LD, aux_ld)
                ROW(EPILOGUE_AUX_BATCH_STRIDE, aux_stride) ROW(SM_COUNT_TARGET, target) ROW(A_SCALE_POINTER, scale_a)
                    ROW(B_SCALE_POINTER, scale_b) ROW(C_SCALE_POINTER, scale_c) ROW(D_SCALE_POINTER, scale_d)
                        ROW(AMAX_D_POINTER, amax) ROW(EPILOGUE_AUX_DATA_TYPE, aux_type) ROW(FAST_ACCUM, fast)
                            ROW(BIAS_DATA_TYPE, bias_type)
#undef ROW
};

// The attribute's place in an object; null: it isn't there, or has another size.
static void *place_of(void *object, const Attribute *all, size_t n, int what, size_t bytes)
{
    for (size_t j = 0; j < n; j++)
        if (all[j].what == what) return bytes >= all[j].bytes ? (char *)object + all[j].at : NULL;
    return NULL;
}
static size_t bytes_of_attribute(const Attribute *all, size_t n, int what)
{
    for (size_t j = 0; j < n; j++)
        if (all[j].what == what) return all[j].bytes;
    return 0;
}
static Status set(void *object, const Attribute *all, size_t n, int what, const void *value, size_t bytes)
{
    void *const to = object && value ? place_of(object, all, n, what, bytes) : NULL;
    if (!to) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(to, value, bytes_of_attribute(all, n, what));
    return CUBLAS_STATUS_SUCCESS;
}
// With a size of 0 it says how many bytes there are.
static Status get(void *object, const Attribute *all, size_t n, int what, void *value, size_t bytes, size_t *written)
{
    const size_t size = bytes_of_attribute(all, n, what);
    if (!object || !size || (!bytes && !written) || (bytes && (!value || bytes < size)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes) memcpy(value, place_of(object, all, n, what, size), size);
    if (written) *written = size;
    return CUBLAS_STATUS_SUCCESS;
}
#define ATTRIBUTES(name, Handle, What, table)                                                               \
    cublasStatus_t name##SetAttribute(Handle object, What what, const void *value, size_t bytes)            \
    {                                                                                                       \
        return set(object, table, COUNT(table), (int)what, value, bytes);                                   \
    }                                                                                                       \
    cublasStatus_t name##GetAttribute(Handle object, What what, void *value, size_t bytes, size_t *written) \
    {                                                                                                       \
        return get(object, table, COUNT(table), (int)what, value, bytes, written);                          \
    }                                                                                                       \
    cublasStatus_t name##Destroy(Handle object)                                                             \
    {                                                                                                       \
        mem_free(object);                                                                                   \
        return CUBLAS_STATUS_SUCCESS;                                                                       \
    }
ATTRIBUTES(cublasLtMatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, of_layout)
ATTRIBUTES(cublasLtMatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, of_desc)

// --- objects ---------------------------------------------------------------------------------------------------------
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t ld)
{
    const MatrixLayout l = {(int64_t)rows, (int64_t)columns, ld, 0, type, CUBLASLT_ORDER_COL, 1};
    if (!layout || size < sizeof l) return CUBLAS_STATUS_INVALID_VALUE;
    memset(layout, 0, size);
    memcpy(layout, &l, sizeof l);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld)
{
    if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
    *layout = mem_alloc(sizeof **layout);
    return cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, columns, ld);
}
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t size, cublasComputeType_t compute,
                                               cudaDataType scale)
{
    const Desc d = {.compute = (int)compute,
                    .scale = (int)scale,
                    .fill = CUBLAS_FILL_MODE_FULL,
                    .aux_type = -1,
                    .bias_type = -1,
                    .epilogue = CUBLASLT_EPILOGUE_DEFAULT};
    if (!desc || size < sizeof d) return CUBLAS_STATUS_INVALID_VALUE;
    memset(desc, 0, size);
    memcpy(desc, &d, sizeof d);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType scale)
{
    if (!desc) return CUBLAS_STATUS_INVALID_VALUE;
    *desc = mem_alloc(sizeof **desc);
    return cublasLtMatmulDescInit_internal(*desc, sizeof **desc, compute, scale);
}
// A preference has no effect: there is one way for each product, and it needs no workspace.
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t size)
{
    if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
    memset(preference, 0, size);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
    *preference = mem_alloc(sizeof **preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    mem_free(preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t what, const void *value,
                                                    size_t size)
{
    (void)what;
    return preference && value && size ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

// --- the handle ------------------------------------------------------------------------------------------------------
cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) { return cublasCreate_v2((cublasHandle_t *)handle); }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return cublasDestroy_v2((cublasHandle_t)handle); }
size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion(void) { return CUDA_VERSION; }
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value) { return cublasGetProperty(type, value); }
const char *cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char *cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }

// --- products --------------------------------------------------------------------------------------------------------
static MatrixLayout layout_of(cublasLtMatrixLayout_t l)
{
    MatrixLayout r;
    memcpy(&r, l, sizeof r);
    return r;
}
static Matrix matrix_of(const void *at, const MatrixLayout *l, int op)
{
    Matrix a = whole(at, l->rows, l->columns, l->ld, op);
    a.stride = l->stride;
    return a;
}
static bool is_turned(int op) { return op != CUBLAS_OP_N; }

// What isn't there; null: all is.
static const char *missing(const Desc *d, const MatrixLayout *a, const MatrixLayout *b, const MatrixLayout *c,
                           const MatrixLayout *out)
{
    const MatrixLayout *const all[] = {a, b, c, out};
    for (size_t j = 0; j < COUNT(all); j++) {
        if (all[j]->order != CUBLASLT_ORDER_COL) return "a matrix that isn't stored by columns";
        if (!letter_of((int)all[j]->type)) return "a product of these types";
    }
    if (a->type != b->type || a->type == CUDA_R_32I) return "a product of these types";
    if (d->pointers > CUBLASLT_POINTER_MODE_DEVICE) return "a vector of factors";
    if (d->op_c != CUBLAS_OP_N) return "a transposed c";
    if (d->fill != CUBLAS_FILL_MODE_FULL) return "half of a result";
    if (d->amax) return "the largest element of d";
    const unsigned known = 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 512;
    return d->epilogue & ~known ? "this epilogue" : NULL;
}

static int or_else(int type, uint32_t other) { return type < 0 ? (int)other : type; }
static void epilogue(Product *p, const Desc *d, const MatrixLayout *out)
{
    const unsigned e = d->epilogue;
    p->action = e & 2 ? RELU : e & 32 ? GELU : e & 8 ? DRELU : e & 64 ? DGELU : PLAIN;
    if (e & 4) p->bias = d->bias, p->bias_stride = d->bias_stride, p->bias_type = or_else(d->bias_type, out->type);
    if (e & 128)
        p->aux = d->aux, p->aux_ld = d->aux_ld, p->aux_stride = d->aux_stride,
        p->aux_type = or_else(d->aux_type, out->type);
    p->scale_a = d->scale_a, p->scale_b = d->scale_b, p->scale_c = d->scale_c, p->scale_d = d->scale_d;
}
static Status sums(cublasHandle_t h, Matrix a, int type, const Desc *d, const MatrixLayout *out)
{
    int to = or_else(d->bias_type, out->type);
    void *bias = (void *)(uintptr_t)d->bias;
    const Count n = is_turned(a.op) ? a.columns : a.rows;
    const Shape s = {.grid = {(unsigned)((n + 31) / 32)}, .block = {32, 8}, .stream = h->stream};
    return status_of(kernel_run(&h->kernels, "sums", "sums_any", &s, (void *[]){&a, &type, &bias, &to}));
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout,
                              const void *beta, const void *c, cublasLtMatrixLayout_t c_layout, void *d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algo, void *room,
                              size_t bytes, cudaStream_t stream)
{
    (void)algo, (void)room, (void)bytes;
    cublasHandle_t h = (cublasHandle_t)handle;
    NEEDS(h, desc, alpha, beta, a, b, d, a_layout, b_layout, c_layout, d_layout);
    Desc t;
    memcpy(&t, desc, sizeof t);
    const MatrixLayout la = layout_of(a_layout), lb = layout_of(b_layout), lc = layout_of(c_layout);
    const MatrixLayout ld = layout_of(d_layout);
    const char *const what = missing(&t, &la, &lb, &lc, &ld);
    if (what) return not_there(h, "cublasLtMatmul", what);
    Product p = {.m = ld.rows, .n = ld.columns, .count = ld.count};
    p.a = matrix_of(a, &la, t.op_a), p.b = matrix_of(b, &lb, t.op_b), p.c = matrix_of(d, &ld, CUBLAS_OP_N);
    p.k = is_turned(t.op_a) ? la.rows : la.columns;
    if ((is_turned(t.op_a) ? la.columns : la.rows) != p.m || (is_turned(t.op_b) ? lb.columns : lb.rows) != p.k ||
        (is_turned(t.op_b) ? lb.rows : lb.columns) != p.n || lc.rows != p.m || lc.columns != p.n)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!pitch(&p.a) || !pitch(&p.b) || !pitch(&p.c)) return CUBLAS_STATUS_INVALID_VALUE;
    struct cublasContext own = *h;  // the stream and the pointer mode are the call's
    own.stream = (CUstream)stream, own.pointers = t.pointers == CUBLASLT_POINTER_MODE_DEVICE;
    p.alpha = scalar(&own, alpha, t.scale), p.beta = scalar(&own, beta, t.scale);
    if (!is_number(p.beta, 0) && !c) return CUBLAS_STATUS_INVALID_VALUE;
    if (c && !is_number(p.beta, 0) && (c != d || lc.ld != ld.ld || lc.stride != ld.stride || lc.type != ld.type))
        p.c_in = c, p.c_in_ld = lc.ld, p.c_in_stride = lc.stride, p.c_in_type = (int)lc.type;
    epilogue(&p, &t, &ld);
    Status status = product(&own, &p, (Types){(int)la.type, (int)ld.type, (cublasComputeType_t)t.compute});
    // The bias's gradient: of what was written, or of a factor, along k.
    if (!status && t.bias && t.epilogue & 16) status = sums(&own, p.c, (int)ld.type, &t, &ld);
    if (!status && t.bias && t.epilogue & 256) status = sums(&own, p.a, (int)la.type, &t, &ld);
    if (!status && t.bias && t.epilogue & 512) {
        Matrix turned = p.b;
        turned.op = is_turned(t.op_b) ? CUBLAS_OP_N : CUBLAS_OP_T;
        status = sums(&own, turned, (int)lb.type, &t, &ld);
    }
    h->kernels = own.kernels, h->named = own.named;
    return status;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int *found)
{
    cublasHandle_t h = (cublasHandle_t)handle;
    NEEDS(h, desc, a, b, c, d, preference, results, found);
    *found = 0;
    if (wanted < 1) return CUBLAS_STATUS_INVALID_VALUE;
    Desc t;
    memcpy(&t, desc, sizeof t);
    const MatrixLayout la = layout_of(a), lb = layout_of(b), lc = layout_of(c), ld = layout_of(d);
    const char *const what = missing(&t, &la, &lb, &lc, &ld);
    if (what) return not_there(h, "cublasLtMatmulAlgoGetHeuristic", what);
    results[0] = (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}
