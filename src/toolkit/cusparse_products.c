// cusparse_products.c: products of a sparse matrix with dense ones, and of sparse vectors. A matrix that has offsets
// along the rows of the result is gone through row by row; any other's entries are added to the result, which was
// scaled first, in any order.
#include "toolkit/cusparse_unit.h"

static bool across(cusparseOperation_t op) { return op != CUSPARSE_OPERATION_NON_TRANSPOSE; }

// The three matrices of one product have one type, which is what is computed in.
static cusparseStatus_t types(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType within)
{
    const bool same = a == within && b == within && c == within;
    return same && sparse_value_bytes(within) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

static cusparseStatus_t multiply(cusparseHandle_t h, SparseProduct *p, cudaDataType type)
{
    if (p->a.offsets.at && !p->across) {
        const bool column = p->columns == 1;
        return sparse_run(h, type, column ? "row_product" : "element_product", p->rows * (column ? 32 : p->columns),
                          (void *[]){p});
    }
    SPARSE_TRY(sparse_run(h, type, "scale_product", p->rows * p->columns, (void *[]){p}));
    return sparse_run(h, type, "add_product", p->a.entries * p->columns, (void *[]){p});
}

// --- matrix and vector -----------------------------------------------------------------------------------------------
#define SPMV                                                                                      \
    cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,   \
        cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type, \
        cusparseSpMVAlg_t alg

static cusparseStatus_t check_spmv(SPMV)
{
    (void)alg;
    SPARSE_WITH(h);
    SPARSE_NEEDS(alpha && a && x && beta && y && sparse_operation(op));
    SPARSE_NEEDS((across(op) ? a->columns : a->rows) == y->size && (across(op) ? a->rows : a->columns) == x->size);
    return types(a->type, x->type, y->type, type);
}

cusparseStatus_t cusparseSpMV_bufferSize(SPMV, size_t *bytes)
{
    SPARSE_TRY(check_spmv(h, op, alpha, a, x, beta, y, type, alg));
    return sparse_buffer(bytes);
}

cusparseStatus_t cusparseSpMV_preprocess(SPMV, void *buffer)
{
    (void)buffer;
    return check_spmv(h, op, alpha, a, x, beta, y, type, alg);
}

cusparseStatus_t cusparseSpMV(SPMV, void *buffer)
{
    (void)buffer;
    SPARSE_TRY(check_spmv(h, op, alpha, a, x, beta, y, type, alg));
    SparseProduct p = {.a = sparse_matrix(a), .from = sparse_column(x), .to = sparse_column(y), .columns = 1};
    p.alpha = sparse_scalar(h, alpha, type), p.beta = sparse_scalar(h, beta, type);
    p.rows = y->size;
    p.across = across(op) != sparse_by_columns(a), p.turn = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    return multiply(h, &p, type);
}

// --- matrix and matrix -----------------------------------------------------------------------------------------------
#define SPMM                                                                                                \
    cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,              \
        cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, \
        cudaDataType type, cusparseSpMMAlg_t alg

static cusparseStatus_t check_spmm(SPMM)
{
    (void)alg;
    SPARSE_WITH(h);
    SPARSE_NEEDS(alpha && a && b && beta && c && sparse_operation(op_a) && sparse_operation(op_b));
    const int64_t along = across(op_a) ? a->rows : a->columns;
    SPARSE_NEEDS((across(op_a) ? a->columns : a->rows) == c->rows);
    SPARSE_NEEDS((across(op_b) ? b->columns : b->rows) == along && (across(op_b) ? b->rows : b->columns) == c->columns);
    return types(a->type, b->type, c->type, type);
}

cusparseStatus_t cusparseSpMM_bufferSize(SPMM, size_t *bytes)
{
    SPARSE_TRY(check_spmm(h, op_a, op_b, alpha, a, b, beta, c, type, alg));
    return sparse_buffer(bytes);
}

cusparseStatus_t cusparseSpMM_preprocess(SPMM, void *buffer)
{
    (void)buffer;
    return check_spmm(h, op_a, op_b, alpha, a, b, beta, c, type, alg);
}

cusparseStatus_t cusparseSpMM(SPMM, void *buffer)
{
    (void)buffer;
    SPARSE_TRY(check_spmm(h, op_a, op_b, alpha, a, b, beta, c, type, alg));
    SparseProduct p = {.a = sparse_matrix(a), .from = sparse_dense(b, op_b), .columns = c->columns, .rows = c->rows};
    p.to = sparse_dense(c, CUSPARSE_OPERATION_NON_TRANSPOSE);
    p.alpha = sparse_scalar(h, alpha, type), p.beta = sparse_scalar(h, beta, type);
    p.across = across(op_a) != sparse_by_columns(a), p.turn = op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    return multiply(h, &p, type);
}

// --- a product of dense matrices, where a sparse one has entries -----------------------------------------------------
#define SDDMM                                                                                               \
    cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,              \
        cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, \
        cudaDataType type, cusparseSDDMMAlg_t alg

static cusparseStatus_t check_sddmm(SDDMM)
{
    (void)alg;
    SPARSE_WITH(h);
    SPARSE_NEEDS(alpha && a && b && beta && c && sparse_operation(op_a) && sparse_operation(op_b));
    SPARSE_NEEDS((across(op_a) ? a->columns : a->rows) == c->rows &&
                 (across(op_b) ? b->rows : b->columns) == c->columns);
    SPARSE_NEEDS((across(op_a) ? a->rows : a->columns) == (across(op_b) ? b->columns : b->rows));
    return types(a->type, b->type, c->type, type);
}

cusparseStatus_t cusparseSDDMM_bufferSize(SDDMM, size_t *bytes)
{
    SPARSE_TRY(check_sddmm(h, op_a, op_b, alpha, a, b, beta, c, type, alg));
    return sparse_buffer(bytes);
}

cusparseStatus_t cusparseSDDMM_preprocess(SDDMM, void *buffer)
{
    (void)buffer;
    return check_sddmm(h, op_a, op_b, alpha, a, b, beta, c, type, alg);
}

cusparseStatus_t cusparseSDDMM(SDDMM, void *buffer)
{
    (void)buffer;
    SPARSE_TRY(check_sddmm(h, op_a, op_b, alpha, a, b, beta, c, type, alg));
    SparseMatrix m = sparse_matrix(c);
    SparseDense left = sparse_dense(a, op_a), right = sparse_dense(b, op_b);
    SparseScalar by = sparse_scalar(h, alpha, type), old = sparse_scalar(h, beta, type);
    long long along = across(op_a) ? a->rows : a->columns;
    int by_columns = sparse_by_columns(c);
    return sparse_run(h, type, "sample", m.entries * 32, (void *[]){&m, &left, &right, &by, &old, &along, &by_columns});
}

// --- vectors ---------------------------------------------------------------------------------------------------------
enum { ADD, GATHER, SCATTER };  // as in kernels/cusparse/values.cuh

static cusparseStatus_t with_vector(cusparseHandle_t h, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                    SparseScalar alpha, int what)
{
    SparseMatrix sparse = sparse_vector(x);
    SparseDense dense = sparse_column(y);
    return sparse_run(h, x->type, "vector", x->entries, (void *[]){&sparse, &dense, &alpha, &what});
}

static cusparseStatus_t check_vectors(cusparseHandle_t h, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y)
{
    SPARSE_WITH(h);
    SPARSE_NEEDS(x && y && x->size == y->size);
    return types(x->type, y->type, x->type, x->type);
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t h, const void *alpha, cusparseConstSpVecDescr_t x, const void *beta,
                               cusparseDnVecDescr_t y)
{
    SPARSE_TRY(check_vectors(h, x, y));
    SPARSE_NEEDS(alpha && beta);
    SparseProduct p = {.to = sparse_column(y), .beta = sparse_scalar(h, beta, x->type), .rows = y->size, .columns = 1};
    SPARSE_TRY(sparse_run(h, x->type, "scale_product", p.rows, (void *[]){&p}));
    return with_vector(h, x, y, sparse_scalar(h, alpha, x->type), ADD);
}

cusparseStatus_t cusparseGather(cusparseHandle_t h, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x)
{
    SPARSE_TRY(check_vectors(h, x, y));
    return with_vector(h, x, y, (SparseScalar){0}, GATHER);
}

cusparseStatus_t cusparseScatter(cusparseHandle_t h, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y)
{
    SPARSE_TRY(check_vectors(h, x, y));
    return with_vector(h, x, y, (SparseScalar){0}, SCATTER);
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t h, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                                         cusparseConstDnVecDescr_t y, const void *result, cudaDataType type,
                                         size_t *bytes)
{
    SPARSE_TRY(check_vectors(h, x, y));
    SPARSE_NEEDS(result && sparse_operation(op));
    SPARSE_TRY(types(x->type, y->type, x->type, type));
    return sparse_buffer(bytes);
}

// The buffer has room for a result that goes to the host.
cusparseStatus_t cusparseSpVV(cusparseHandle_t h, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void *result, cudaDataType type, void *buffer)
{
    size_t bytes;
    SPARSE_TRY(cusparseSpVV_bufferSize(h, op, x, y, result, type, &bytes));
    const bool device = h->mode == CUSPARSE_POINTER_MODE_DEVICE;
    SPARSE_NEEDS(device || buffer);
    SparseMatrix sparse = sparse_vector(x);
    SparseDense dense = sparse_column(y);
    CUdeviceptr to = sparse_address(device ? result : buffer);
    int turn = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    SPARSE_TRY(sparse_run_shape(h, sparse_file(type), "dot_product", 1, SPARSE_THREADS,
                                (void *[]){&sparse, &dense, &turn, &to}));
    if (device) return CUSPARSE_STATUS_SUCCESS;
    const CUresult r = cuMemcpyDtoHAsync(result, to, sparse_value_bytes(type), h->stream);
    return sparse_status(r == CUDA_SUCCESS ? cuStreamSynchronize(h->stream) : r);
}
