// cusparse_unit.h: what cuSPARSE's files share.
#ifndef TOOLKIT_CUSPARSE_UNIT_H
#define TOOLKIT_CUSPARSE_UNIT_H

#include "toolkit/kernels/cusparse/args.h"
#include "toolkit/unit.h"

#include <cusparse.h>

struct cusparseContext {
    Kernels kernels;
    CUstream stream;
    cusparsePointerMode_t mode;
};
struct cusparseSpVecDescr {
    int64_t size, entries;
    void *indices, *values;
    cusparseIndexType_t index;
    cusparseIndexBase_t base;
    cudaDataType type;
};
struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    cudaDataType type;
};
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, columns, entries;
    void *major;  // offsets, or of COO rows
    void *minor, *values;
    cusparseIndexType_t major_type, minor_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
};
struct cusparseDnMatDescr {
    int64_t rows, columns, leading;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
};

// A function's first lines: it ends where that isn't so.
#define SPARSE_WITH(h) \
    if (!(h)) return CUSPARSE_STATUS_NOT_INITIALIZED
#define SPARSE_NEEDS(condition) \
    if (!(condition)) return CUSPARSE_STATUS_INVALID_VALUE
#define SPARSE_TRY(call)                                        \
    do {                                                        \
        const cusparseStatus_t status_ = (call);                \
        if (status_ != CUSPARSE_STATUS_SUCCESS) return status_; \
    } while (0)

// --- cusparse.c ------------------------------------------------------------------------------------------------------
enum { SPARSE_THREADS = 256, SPARSE_BUFFER = 16 };  // what is said to be needed where nothing is
size_t sparse_value_bytes(cudaDataType type);       // 0: there are no kernels for it
cusparseStatus_t sparse_status(CUresult r);
// A kernel for values of that type, with a thread for each of so many things, as far as a grid may have them.
cusparseStatus_t sparse_run(cusparseHandle_t h, cudaDataType type, const char *kernel, int64_t threads,
                            void *const *args);
cusparseStatus_t sparse_run_shape(cusparseHandle_t h, const char *file, const char *kernel, unsigned blocks,
                                  unsigned threads, void *const *args);
const char *sparse_file(cudaDataType type);
SparseScalar sparse_scalar(cusparseHandle_t h, const void *given, cudaDataType type);
// An operation that needn't be: -1 is none of the three.
bool sparse_operation(cusparseOperation_t op);
cusparseStatus_t sparse_buffer(size_t *bytes);

// --- cusparse_descriptors.c ------------------------------------------------------------------------------------------
bool sparse_by_columns(cusparseConstSpMatDescr_t a);
SparseMatrix sparse_matrix(cusparseConstSpMatDescr_t a);
SparseMatrix sparse_vector(cusparseConstSpVecDescr_t x);
SparseDense sparse_dense(cusparseConstDnMatDescr_t d, cusparseOperation_t op);
SparseDense sparse_column(cusparseConstDnVecDescr_t x);
unsigned long long sparse_address(const void *p);

// --- cusparse_host.c -------------------------------------------------------------------------------------------------
// Where a matrix' entries are, on the host: entry e is at (row[e], column[e]), from 0 on. Reading waits for the stream.
typedef struct SparsePlaces {
    int64_t *row, *column, entries;
} SparsePlaces;
cusparseStatus_t sparse_places(cusparseHandle_t h, cusparseConstSpMatDescr_t a, SparsePlaces *out);
void sparse_places_free(SparsePlaces *p);
// Copies n indices there, as 64 or 32 bits.
cusparseStatus_t sparse_put_indices(cusparseHandle_t h, const SparseIndices *to, const int64_t *from, int64_t n);
// The same into new memory.
cusparseStatus_t sparse_upload(cusparseHandle_t h, CUdeviceptr *to, const int64_t *from, int64_t n);

#endif
