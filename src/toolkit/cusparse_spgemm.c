// cusparse_spgemm.c: products of two sparse matrices. Where the product has entries is found on the host (Gustavson,
// Two Fast Algorithms for Sparse Matrices, 1978), what they are on the device. Both are kept until they are copied into
// the arrays that the program has made for so many.
#include "toolkit/cusparse_unit.h"

#include <stdlib.h>

struct cusparseSpGEMMDescr {
    int64_t rows, entries, *offsets, *columns;
    CUdeviceptr offsets_there, columns_there, values;
    cudaDataType type;
};

static void forget(cusparseSpGEMMDescr_t d)
{
    if (d->offsets_there) cuMemFree(d->offsets_there);
    if (d->columns_there) cuMemFree(d->columns_there);
    if (d->values) cuMemFree(d->values);
    mem_free(d->offsets);
    mem_free(d->columns);
    *d = (struct cusparseSpGEMMDescr){0};
}

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr)
{
    SPARSE_NEEDS(descr);
    *descr = mem_alloc(sizeof **descr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr)
{
    if (descr) forget(descr);
    mem_free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

// --- structure -------------------------------------------------------------------------------------------------------
// Rows' first entries; the entries are by rows.
static int64_t *row_starts(const SparsePlaces *p, int64_t rows)
{
    int64_t *starts = mem_try((size_t)rows + 1, sizeof *starts);
    for (int64_t e = 0; starts && e < p->entries; e++) starts[p->row[e] + 1]++;
    for (int64_t i = 0; starts && i < rows; i++) starts[i + 1] += starts[i];
    return starts;
}

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// seen[column] is the last row, and 1, that has it.
static bool find_structure(cusparseSpGEMMDescr_t d, const SparsePlaces *a, const SparsePlaces *b, const int64_t *of_a,
                           const int64_t *of_b, int64_t *seen)
{
    int64_t room = 0;
    for (int64_t i = 0; i < d->rows; i++) {
        for (int64_t e = of_a[i]; e < of_a[i + 1]; e++)
            for (int64_t f = of_b[a->column[e]]; f < of_b[a->column[e] + 1]; f++) {
                const int64_t column = b->column[f];
                if (seen[column] == i + 1) continue;
                seen[column] = i + 1;
                if (d->entries == room) {
                    room = MAX(2 * room, 64);
                    int64_t *more = mem_try_resize(d->columns, (size_t)room * sizeof *more);
                    if (!more) return false;
                    d->columns = more;
                }
                d->columns[d->entries++] = column;
            }
        const int64_t first = d->offsets[i];
        if (d->entries > first) qsort(d->columns + first, (size_t)(d->entries - first), sizeof *d->columns, by_size);
        d->offsets[i + 1] = d->entries;
    }
    return true;
}

static cusparseStatus_t structure(cusparseHandle_t h, cusparseSpGEMMDescr_t d, cusparseConstSpMatDescr_t a,
                                  cusparseConstSpMatDescr_t b)
{
    SparsePlaces p = {0}, q = {0};
    cusparseStatus_t r = sparse_places(h, a, &p);
    if (r == CUSPARSE_STATUS_SUCCESS) r = sparse_places(h, b, &q);
    if (r == CUSPARSE_STATUS_SUCCESS) {
        int64_t *of_a = row_starts(&p, a->rows), *of_b = row_starts(&q, b->rows);
        int64_t *seen = mem_try((size_t)b->columns + 1, sizeof *seen);
        d->offsets = mem_try((size_t)a->rows + 1, sizeof *d->offsets);
        d->rows = a->rows, d->type = a->type;
        const bool room = of_a && of_b && seen && d->offsets;
        if (!room || !find_structure(d, &p, &q, of_a, of_b, seen)) r = CUSPARSE_STATUS_ALLOC_FAILED;
        mem_free(of_a), mem_free(of_b), mem_free(seen);
    }
    sparse_places_free(&p);
    sparse_places_free(&q);
    return r;
}

// --- the three steps -------------------------------------------------------------------------------------------------
#define SPGEMM                                                                                              \
    cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,              \
        cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, \
        cudaDataType type, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t d
#define GIVEN h, op_a, op_b, alpha, a, b, beta, c, type, alg, d

static cusparseStatus_t check(SPGEMM)
{
    (void)alg;
    SPARSE_WITH(h);
    SPARSE_NEEDS(alpha && a && b && beta && c && d && sparse_operation(op_a) && sparse_operation(op_b));
    if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || op_b != op_a) return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (a->format != CUSPARSE_FORMAT_CSR || b->format != a->format || c->format != a->format)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    SPARSE_NEEDS(a->columns == b->rows && a->rows == c->rows && b->columns == c->columns);
    const bool same = a->type == type && b->type == type && c->type == type && sparse_value_bytes(type);
    return same ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseSpGEMM_workEstimation(SPGEMM, size_t *bytes, void *buffer)
{
    SPARSE_TRY(check(GIVEN));
    return buffer ? CUSPARSE_STATUS_SUCCESS : sparse_buffer(bytes);
}

static cusparseStatus_t compute(cusparseHandle_t h, cusparseSpGEMMDescr_t d, cusparseConstSpMatDescr_t a,
                                cusparseConstSpMatDescr_t b, const void *alpha)
{
    SPARSE_TRY(structure(h, d, a, b));
    SPARSE_TRY(sparse_upload(h, &d->offsets_there, d->offsets, d->rows + 1));
    SPARSE_TRY(sparse_upload(h, &d->columns_there, d->columns, d->entries));
    if (cuMemAlloc(&d->values, ((size_t)d->entries + 1) * sparse_value_bytes(d->type)) != CUDA_SUCCESS)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    SparseMatrix m = sparse_matrix(a), n = sparse_matrix(b);
    SparseMatrix product = {.offsets = {d->offsets_there, 1, 0}, .minors = {d->columns_there, 1, 0}};
    product.values = d->values, product.major = d->rows, product.minor = b->columns, product.entries = d->entries;
    SparseScalar by = sparse_scalar(h, alpha, d->type);
    return sparse_run(h, d->type, "multiply_rows", d->rows * 32, (void *[]){&m, &n, &product, &by});
}

cusparseStatus_t cusparseSpGEMM_compute(SPGEMM, size_t *bytes, void *buffer)
{
    SPARSE_TRY(check(GIVEN));
    if (!buffer) return sparse_buffer(bytes);
    forget(d);
    const cusparseStatus_t r = compute(h, d, a, b, alpha);
    if (r == CUSPARSE_STATUS_SUCCESS)
        c->entries = d->entries;
    else
        forget(d);
    return r;
}

cusparseStatus_t cusparseSpGEMM_copy(SPGEMM)
{
    SPARSE_TRY(check(GIVEN));
    SPARSE_NEEDS(d->values && d->rows == c->rows && d->entries == c->entries && d->type == type);
    const SparseMatrix m = sparse_matrix(c);
    SPARSE_NEEDS(m.offsets.at && (!d->entries || (m.minors.at && m.values)));
    SPARSE_TRY(sparse_put_indices(h, &m.offsets, d->offsets, d->rows + 1));
    SPARSE_TRY(sparse_put_indices(h, &m.minors, d->columns, d->entries));
    SparseScalar old = sparse_scalar(h, beta, type);
    CUdeviceptr to = m.values;
    long long n = d->entries;
    return sparse_run(h, type, "add_values", n, (void *[]){&to, &d->values, &old, &n});
}
