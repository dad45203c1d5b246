// cusparse_descriptors.c: what cuSPARSE knows of vectors and matrices: where they are, and how they lie there. Of those
// that may only be read there is the same, with another name.
#include "toolkit/cusparse_unit.h"

#include <string.h>

unsigned long long sparse_address(const void *p) { return (unsigned long long)(uintptr_t)p; }
static void *loose(const void *p) { return (void *)(uintptr_t)p; }
static bool index_known(cusparseIndexType_t t) { return t == CUSPARSE_INDEX_32I || t == CUSPARSE_INDEX_64I; }
static bool base_known(cusparseIndexBase_t b) { return b == CUSPARSE_INDEX_BASE_ZERO || b == CUSPARSE_INDEX_BASE_ONE; }
#define SET(to, x) \
    if (to) *(to) = (x)

// --- dense vectors ---------------------------------------------------------------------------------------------------
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *out, int64_t size, void *values, cudaDataType type)
{
    SPARSE_NEEDS(out && size >= 0 && (values || !size));
    *out = mem_alloc(sizeof **out);
    **out = (struct cusparseDnVecDescr){size, values, type};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t x)
{
    mem_free(loose(x));
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t x, int64_t *size, void **values, cudaDataType *type)
{
    SPARSE_NEEDS(x);
    SET(size, x->size);
    SET(values, x->values);
    SET(type, x->type);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t x, void **values)
{
    SPARSE_NEEDS(x && values);
    *values = x->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t x, void *values)
{
    SPARSE_NEEDS(x && values);
    x->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *out, int64_t size, const void *values,
                                          cudaDataType type)
{
    return cusparseCreateDnVec((cusparseDnVecDescr_t *)out, size, loose(values), type);
}
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t x, int64_t *size, const void **values,
                                       cudaDataType *type)
{
    return cusparseDnVecGet(loose(x), size, (void **)values, type);
}
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t x, const void **values)
{
    return cusparseDnVecGetValues(loose(x), (void **)values);
}

// --- sparse vectors --------------------------------------------------------------------------------------------------
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *out, int64_t size, int64_t entries, void *indices,
                                     void *values, cusparseIndexType_t index, cusparseIndexBase_t base,
                                     cudaDataType type)
{
    SPARSE_NEEDS(out && size >= 0 && entries >= 0 && entries <= size && index_known(index) && base_known(base));
    *out = mem_alloc(sizeof **out);
    **out = (struct cusparseSpVecDescr){size, entries, indices, values, index, base, type};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t x)
{
    mem_free(loose(x));
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t x, int64_t *size, int64_t *entries, void **indices,
                                  void **values, cusparseIndexType_t *index, cusparseIndexBase_t *base,
                                  cudaDataType *type)
{
    SPARSE_NEEDS(x);
    SET(size, x->size);
    SET(entries, x->entries);
    SET(indices, x->indices);
    SET(values, x->values);
    SET(index, x->index);
    SET(base, x->base);
    SET(type, x->type);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t x, cusparseIndexBase_t *base)
{
    SPARSE_NEEDS(x && base);
    *base = x->base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t x, void **values)
{
    SPARSE_NEEDS(x && values);
    *values = x->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t x, void *values)
{
    SPARSE_NEEDS(x && values);
    x->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *out, int64_t size, int64_t entries,
                                          const void *indices, const void *values, cusparseIndexType_t index,
                                          cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateSpVec((cusparseSpVecDescr_t *)out, size, entries, loose(indices), loose(values), index, base,
                               type);
}
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t x, int64_t *size, int64_t *entries,
                                       const void **indices, const void **values, cusparseIndexType_t *index,
                                       cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseSpVecGet(loose(x), size, entries, (void **)indices, (void **)values, index, base, type);
}
cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t x, const void **values)
{
    return cusparseSpVecGetValues(loose(x), (void **)values);
}

// --- dense matrices --------------------------------------------------------------------------------------------------
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *out, int64_t rows, int64_t columns, int64_t leading,
                                     void *values, cudaDataType type, cusparseOrder_t order)
{
    SPARSE_NEEDS(out && rows >= 0 && columns >= 0 && (order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW));
    SPARSE_NEEDS(leading >= (order == CUSPARSE_ORDER_COL ? rows : columns));
    *out = mem_alloc(sizeof **out);
    **out = (struct cusparseDnMatDescr){rows, columns, leading, values, type, order};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t d)
{
    mem_free(loose(d));
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t d, int64_t *rows, int64_t *columns, int64_t *leading,
                                  void **values, cudaDataType *type, cusparseOrder_t *order)
{
    SPARSE_NEEDS(d);
    SET(rows, d->rows);
    SET(columns, d->columns);
    SET(leading, d->leading);
    SET(values, d->values);
    SET(type, d->type);
    SET(order, d->order);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t d, void **values)
{
    SPARSE_NEEDS(d && values);
    *values = d->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t d, void *values)
{
    SPARSE_NEEDS(d && values);
    d->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *out, int64_t rows, int64_t columns,
                                          int64_t leading, const void *values, cudaDataType type, cusparseOrder_t order)
{
    return cusparseCreateDnMat((cusparseDnMatDescr_t *)out, rows, columns, leading, loose(values), type, order);
}
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t d, int64_t *rows, int64_t *columns, int64_t *leading,
                                       const void **values, cudaDataType *type, cusparseOrder_t *order)
{
    return cusparseDnMatGet(loose(d), rows, columns, leading, (void **)values, type, order);
}
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t d, const void **values)
{
    return cusparseDnMatGetValues(loose(d), (void **)values);
}

// --- sparse matrices -------------------------------------------------------------------------------------------------
// Serves all formats: in Csr rows have the offsets, in Csc columns; in Coo both indices have one type.
static cusparseStatus_t create(cusparseFormat_t format, cusparseSpMatDescr_t *out, int64_t rows, int64_t columns,
                               int64_t entries, void *major, void *minor, void *values, cusparseIndexType_t major_type,
                               cusparseIndexType_t minor_type, cusparseIndexBase_t base, cudaDataType type)
{
    SPARSE_NEEDS(out && rows >= 0 && columns >= 0 && entries >= 0);
    SPARSE_NEEDS(index_known(major_type) && index_known(minor_type) && base_known(base));
    *out = mem_alloc(sizeof **out);
    **out = (struct cusparseSpMatDescr){format,
                                        rows,
                                        columns,
                                        entries,
                                        major,
                                        minor,
                                        values,
                                        major_type,
                                        minor_type,
                                        base,
                                        type,
                                        CUSPARSE_FILL_MODE_LOWER,
                                        CUSPARSE_DIAG_TYPE_NON_UNIT};
    return CUSPARSE_STATUS_SUCCESS;
}
static cusparseStatus_t get(cusparseFormat_t format, cusparseConstSpMatDescr_t a, int64_t *rows, int64_t *columns,
                            int64_t *entries, void **major, void **minor, void **values,
                            cusparseIndexType_t *major_type, cusparseIndexType_t *minor_type, cusparseIndexBase_t *base,
                            cudaDataType *type)
{
    SPARSE_NEEDS(a && a->format == format);
    SET(rows, a->rows);
    SET(columns, a->columns);
    SET(entries, a->entries);
    SET(major, a->major);
    SET(minor, a->minor);
    SET(values, a->values);
    SET(major_type, a->major_type);
    SET(minor_type, a->minor_type);
    SET(base, a->base);
    SET(type, a->type);
    return CUSPARSE_STATUS_SUCCESS;
}
static cusparseStatus_t set(cusparseFormat_t format, cusparseSpMatDescr_t a, void *major, void *minor, void *values)
{
    SPARSE_NEEDS(a && a->format == format);
    a->major = major, a->minor = minor, a->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *out, int64_t rows, int64_t columns, int64_t entries,
                                   void *major, void *minor, void *values, cusparseIndexType_t major_type,
                                   cusparseIndexType_t minor_type, cusparseIndexBase_t base, cudaDataType type)
{
    return create(CUSPARSE_FORMAT_CSR, out, rows, columns, entries, major, minor, values, major_type, minor_type, base,
                  type);
}
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t a, int64_t *rows, int64_t *columns, int64_t *entries, void **major,
                                void **minor, void **values, cusparseIndexType_t *major_type,
                                cusparseIndexType_t *minor_type, cusparseIndexBase_t *base, cudaDataType *type)
{
    return get(CUSPARSE_FORMAT_CSR, a, rows, columns, entries, major, minor, values, major_type, minor_type, base,
               type);
}
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *out, int64_t rows, int64_t columns, int64_t entries,
                                        const void *major, const void *minor, const void *values,
                                        cusparseIndexType_t major_type, cusparseIndexType_t minor_type,
                                        cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateCsr((cusparseSpMatDescr_t *)out, rows, columns, entries, loose(major), loose(minor),
                             loose(values), major_type, minor_type, base, type);
}
cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t a, int64_t *rows, int64_t *columns, int64_t *entries,
                                     const void **major, const void **minor, const void **values,
                                     cusparseIndexType_t *major_type, cusparseIndexType_t *minor_type,
                                     cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseCsrGet(loose(a), rows, columns, entries, (void **)major, (void **)minor, (void **)values, major_type,
                          minor_type, base, type);
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t a, void *major, void *minor, void *values)
{
    return set(CUSPARSE_FORMAT_CSR, a, major, minor, values);
}
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *out, int64_t rows, int64_t columns, int64_t entries,
                                   void *major, void *minor, void *values, cusparseIndexType_t major_type,
                                   cusparseIndexType_t minor_type, cusparseIndexBase_t base, cudaDataType type)
{
    return create(CUSPARSE_FORMAT_CSC, out, rows, columns, entries, major, minor, values, major_type, minor_type, base,
                  type);
}
cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t a, int64_t *rows, int64_t *columns, int64_t *entries, void **major,
                                void **minor, void **values, cusparseIndexType_t *major_type,
                                cusparseIndexType_t *minor_type, cusparseIndexBase_t *base, cudaDataType *type)
{
    return get(CUSPARSE_FORMAT_CSC, a, rows, columns, entries, major, minor, values, major_type, minor_type, base,
               type);
}
cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *out, int64_t rows, int64_t columns, int64_t entries,
                                        const void *major, const void *minor, const void *values,
                                        cusparseIndexType_t major_type, cusparseIndexType_t minor_type,
                                        cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateCsc((cusparseSpMatDescr_t *)out, rows, columns, entries, loose(major), loose(minor),
                             loose(values), major_type, minor_type, base, type);
}
cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t a, int64_t *rows, int64_t *columns, int64_t *entries,
                                     const void **major, const void **minor, const void **values,
                                     cusparseIndexType_t *major_type, cusparseIndexType_t *minor_type,
                                     cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseCscGet(loose(a), rows, columns, entries, (void **)major, (void **)minor, (void **)values, major_type,
                          minor_type, base, type);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t a, void *major, void *minor, void *values)
{
    return set(CUSPARSE_FORMAT_CSC, a, major, minor, values);
}
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *out, int64_t rows, int64_t columns, int64_t entries,
                                   void *major, void *minor, void *values, cusparseIndexType_t minor_type,
                                   cusparseIndexBase_t base, cudaDataType type)
{
    return create(CUSPARSE_FORMAT_COO, out, rows, columns, entries, major, minor, values, minor_type, minor_type, base,
                  type);
}
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t a, int64_t *rows, int64_t *columns, int64_t *entries, void **major,
                                void **minor, void **values, cusparseIndexType_t *minor_type, cusparseIndexBase_t *base,
                                cudaDataType *type)
{
    return get(CUSPARSE_FORMAT_COO, a, rows, columns, entries, major, minor, values, NULL, minor_type, base, type);
}
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *out, int64_t rows, int64_t columns, int64_t entries,
                                        const void *major, const void *minor, const void *values,
                                        cusparseIndexType_t minor_type, cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateCoo((cusparseSpMatDescr_t *)out, rows, columns, entries, loose(major), loose(minor),
                             loose(values), minor_type, base, type);
}
cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t a, int64_t *rows, int64_t *columns, int64_t *entries,
                                     const void **major, const void **minor, const void **values,
                                     cusparseIndexType_t *minor_type, cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseCooGet(loose(a), rows, columns, entries, (void **)major, (void **)minor, (void **)values, minor_type,
                          base, type);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t a, void *major, void *minor, void *values)
{
    return set(CUSPARSE_FORMAT_COO, a, major, minor, values);
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t a)
{
    mem_free(loose(a));
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t a, cusparseFormat_t *format)
{
    SPARSE_NEEDS(a && format);
    *format = a->format;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t a, cusparseIndexBase_t *base)
{
    SPARSE_NEEDS(a && base);
    *base = a->base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t a, int64_t *rows, int64_t *columns, int64_t *entries)
{
    SPARSE_NEEDS(a && rows && columns && entries);
    *rows = a->rows, *columns = a->columns, *entries = a->entries;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t a, void **values)
{
    SPARSE_NEEDS(a && values);
    *values = a->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t a, const void **values)
{
    return cusparseSpMatGetValues(loose(a), (void **)values);
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t a, void *values)
{
    SPARSE_NEEDS(a && values);
    a->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t a, cusparseSpMatAttribute_t which, void *data,
                                           size_t bytes)
{
    SPARSE_NEEDS(a && data && bytes == sizeof(int));
    SPARSE_NEEDS(which == CUSPARSE_SPMAT_FILL_MODE || which == CUSPARSE_SPMAT_DIAG_TYPE);
    const int value = which == CUSPARSE_SPMAT_FILL_MODE ? (int)a->fill : (int)a->diagonal;
    memcpy(data, &value, sizeof value);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t a, cusparseSpMatAttribute_t which, void *data,
                                           size_t bytes)
{
    int value;
    SPARSE_NEEDS(a && data && bytes == sizeof value);
    memcpy(&value, data, sizeof value);
    SPARSE_NEEDS(value == 0 || value == 1);
    if (which == CUSPARSE_SPMAT_FILL_MODE)
        a->fill = (cusparseFillMode_t)value;
    else if (which == CUSPARSE_SPMAT_DIAG_TYPE)
        a->diagonal = (cusparseDiagType_t)value;
    else
        return CUSPARSE_STATUS_INVALID_VALUE;
    return CUSPARSE_STATUS_SUCCESS;
}

// --- as kernels take them --------------------------------------------------------------------------------------------
bool sparse_by_columns(cusparseConstSpMatDescr_t a) { return a->format == CUSPARSE_FORMAT_CSC; }

SparseMatrix sparse_matrix(cusparseConstSpMatDescr_t a)
{
    const int base = (int)a->base;
    const SparseIndices major = {sparse_address(a->major), a->major_type == CUSPARSE_INDEX_64I, base};
    SparseMatrix m = {.minors = {sparse_address(a->minor), a->minor_type == CUSPARSE_INDEX_64I, base}};
    if (a->format == CUSPARSE_FORMAT_COO)
        m.majors = major;
    else
        m.offsets = major;
    m.values = sparse_address(a->values);
    m.major = sparse_by_columns(a) ? a->columns : a->rows;
    m.minor = sparse_by_columns(a) ? a->rows : a->columns;
    m.entries = a->entries;
    return m;
}

SparseMatrix sparse_vector(cusparseConstSpVecDescr_t x)
{
    return (SparseMatrix){.minors = {sparse_address(x->indices), x->index == CUSPARSE_INDEX_64I, (int)x->base},
                          .values = sparse_address(x->values),
                          .major = 1,
                          .minor = x->size,
                          .entries = x->entries};
}

SparseDense sparse_dense(cusparseConstDnMatDescr_t d, cusparseOperation_t op)
{
    const bool by_rows = d->order == CUSPARSE_ORDER_ROW, across = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    SparseDense s = {.at = sparse_address(d->values), .turn = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
    s.down = by_rows != across ? d->leading : 1;
    s.right = by_rows != across ? 1 : d->leading;
    return s;
}

SparseDense sparse_column(cusparseConstDnVecDescr_t x) { return (SparseDense){sparse_address(x->values), 1, 0, 0}; }
