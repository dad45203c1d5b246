// cusparse_dense.c: a sparse matrix made dense, and a dense one sparse. For the latter the lines' lengths are counted
// on the device, and summed on the host, which must say how many there are.
#include "toolkit/cusparse_unit.h"

// The dense matrix with the sparse one's major index first.
static SparseDense along(cusparseConstDnMatDescr_t d, cusparseConstSpMatDescr_t a)
{
    return sparse_dense(d, sparse_by_columns(a) ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE);
}

static cusparseStatus_t check(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t d)
{
    SPARSE_WITH(h);
    SPARSE_NEEDS(a && d && a->rows == d->rows && a->columns == d->columns);
    return a->type == d->type && sparse_value_bytes(a->type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t h, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t d, cusparseSparseToDenseAlg_t alg, size_t *bytes)
{
    (void)alg;
    SPARSE_TRY(check(h, a, d));
    return sparse_buffer(bytes);
}

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t d,
                                       cusparseSparseToDenseAlg_t alg, void *buffer)
{
    (void)alg, (void)buffer;
    SPARSE_TRY(check(h, a, d));
    SparseMatrix m = sparse_matrix(a);
    SparseDense to = along(d, a);
    SPARSE_TRY(sparse_run(h, a->type, "clear_matrix", m.major * m.minor, (void *[]){&to, &m.major, &m.minor}));
    return sparse_run(h, a->type, "spread_matrix", m.entries, (void *[]){&m, &to});
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t h, cusparseConstDnMatDescr_t d,
                                                  cusparseSpMatDescr_t a, cusparseDenseToSparseAlg_t alg, size_t *bytes)
{
    (void)alg;
    SPARSE_TRY(check(h, a, d));
    SPARSE_NEEDS(bytes);
    *bytes = (size_t)(sparse_matrix(a).major + 1) * sizeof(int64_t);
    return CUSPARSE_STATUS_SUCCESS;
}

// Sums of counts: starts[n] is their number.
static cusparseStatus_t sum_counts(cusparseHandle_t h, CUdeviceptr counts, int64_t *starts, int64_t n)
{
    CUresult r = n ? cuMemcpyDtoHAsync(starts, counts, (size_t)n * sizeof *starts, h->stream) : CUDA_SUCCESS;
    if (r == CUDA_SUCCESS) r = cuStreamSynchronize(h->stream);
    int64_t all = 0;
    for (int64_t k = 0; k <= n; k++) {
        const int64_t here = k < n ? starts[k] : 0;
        starts[k] = all;
        all += here;
    }
    return sparse_status(r);
}

cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t h, cusparseConstDnMatDescr_t d, cusparseSpMatDescr_t a,
                                                cusparseDenseToSparseAlg_t alg, void *buffer)
{
    (void)alg;
    SPARSE_TRY(check(h, a, d));
    SPARSE_NEEDS(buffer);
    SparseMatrix m = sparse_matrix(a);
    SparseDense from = along(d, a);
    CUdeviceptr counts = sparse_address(buffer);
    SPARSE_TRY(sparse_run(h, a->type, "count_lines", m.major, (void *[]){&m, &from, &counts}));
    int64_t *starts = mem_try((size_t)m.major + 1, sizeof *starts);
    if (!starts) return CUSPARSE_STATUS_ALLOC_FAILED;
    cusparseStatus_t r = sum_counts(h, counts, starts, m.major);
    const SparseIndices room = {counts, 1, 0};
    if (r == CUSPARSE_STATUS_SUCCESS) r = sparse_put_indices(h, &room, starts, m.major + 1);
    if (r == CUSPARSE_STATUS_SUCCESS && m.offsets.at) r = sparse_put_indices(h, &m.offsets, starts, m.major + 1);
    a->entries = starts[m.major];
    mem_free(starts);
    return r;
}

cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t h, cusparseConstDnMatDescr_t d, cusparseSpMatDescr_t a,
                                               cusparseDenseToSparseAlg_t alg, void *buffer)
{
    (void)alg;
    SPARSE_TRY(check(h, a, d));
    SPARSE_NEEDS(buffer);
    SparseMatrix m = sparse_matrix(a);
    SparseDense from = along(d, a);
    CUdeviceptr starts = sparse_address(buffer);
    return sparse_run(h, a->type, "collect_lines", m.major, (void *[]){&m, &from, &starts});
}
