// cublas.h: what the files of cuBLAS share: the handle, and how a function of BLAS asks for kernels. A function in four
// types and two widths of its counts is one row of a macro, and one function here with counts of 64 bits and types as
// numbers (cudaDataType).
//
// All work is in the handle's stream, and no function waits unless a result goes to the host.
#ifndef TOOLKIT_CUBLAS_H
#define TOOLKIT_CUBLAS_H

#include "toolkit/kernels/cublas/args.h"
#include "toolkit/unit.h"

#include <cublas_api.h>

typedef cublasStatus_t Status;
typedef int64_t Count;

struct cublasContext {
    Kernels kernels;
    CUstream stream;
    cublasPointerMode_t pointers;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
    int capability, processors, processors_wanted;
    CUdeviceptr own, given;  // workspaces: the handle's, and the program's
    size_t own_bytes, given_bytes;
    bool named;  // something that isn't there has been named
};

// --- cublas.c: handles -----------------------------------------------------------------------------------------------
Status status_of(CUresult result);
// Memory of the device for this call and what it launches. Where the stream is captured, it can't grow.
Status workspace(cublasHandle_t h, size_t bytes, CUdeviceptr *out);
Status not_there(cublasHandle_t h, const char *function, const char *what);  // says so once

// --- cublas_call.c: arguments ----------------------------------------------------------------------------------------
size_t bytes_of(int type);        // 0: no type of numbers that there is
cudaDataType parts_of(int type);  // the type of a complex number's parts
char letter_of(int type);         // s, d, c, z, h, b (bfloat16), i (int32), g (int8); 0: none
// A factor that points to the host or the device, by the handle's mode.
Scalar scalar(cublasHandle_t h, const void *at, int type);
Scalar number(double value);
bool is_number(Scalar s, double value);  // known here, and that
// x + i · inc for i from 0, or, where inc is negative, from the vector's other end.
Vector vector(const void *x, Count n, Count inc, int type);
Shape shape_for(cublasHandle_t h, Count n);  // blocks of 256 threads for n elements
// The kernel NAME_LETTER of FILE.cu.
Status run(cublasHandle_t h, const char *file, const char *name, char letter, const Shape *s, void *const *args);
// Values that a kernel reads and writes, and that are the host's or the device's, by the handle's mode.
typedef struct Place {
    void *user;
    size_t bytes;
    CUdeviceptr device;
    bool read_only;
} Place;
// Gives each its address on the device, with its value if it is read, behind `before` bytes of the workspace.
Status places_begin(cublasHandle_t h, Place *p, int n, size_t before, bool read);
Status places_end(cublasHandle_t h, const Place *p, int n);  // waits if they are the host's

// Ends the function with the documented status where there is no handle, or a pointer is null.
#define NEEDS(h, ...)                                          \
    do {                                                       \
        if (!(h)) return CUBLAS_STATUS_NOT_INITIALIZED;        \
        const void *const given[] = {__VA_ARGS__};             \
        for (size_t j = 0; j < COUNT(given); j++)              \
            if (!given[j]) return CUBLAS_STATUS_INVALID_VALUE; \
    } while (0)

// --- cublas_matrix.c: matrices ---------------------------------------------------------------------------------------
typedef cublasFillMode_t Fill;
typedef cublasDiagType_t Ones;
typedef cublasOperation_t Op;
// A whole matrix that is stored with so many rows and columns.
Matrix whole(const void *at, Count rows, Count columns, Count ld, int op);
// op(a), of rows times columns, as BLAS gives it; `pitch` holds where its ld is long enough.
Matrix operand(const void *at, Count rows, Count columns, Count ld, cublasOperation_t op);
bool pitch(const Matrix *a);
// A matrix of n rows and columns of which a triangle is stored.
Matrix half(const void *at, Count n, Count ld, Fill fill, Form form, int op);
// The part of op(a) that begins at that row and column; it is stored as it is.
Matrix part(const Matrix *a, Count row, Count column, Count rows, Count columns);
bool is_op(cublasOperation_t op);
bool is_fill(Fill f);
bool is_diag(Ones d);
Form form_of(Ones d);

// --- cublas_product.c: products --------------------------------------------------------------------------------------
typedef struct Types {
    int a, c;  // of a and b, and of c
    cublasComputeType_t compute;
} Types;
// Chooses a kernel and launches it. Of p all is set but `plain` and `d_type`.
Status product(cublasHandle_t h, Product *p, Types t);

// --- cublas_triangular.c ---------------------------------------------------------------------------------------------
// op(a) x = alpha b or x op(a) = alpha b in place, count times, with arrays of addresses if pointers is set.
Status triangle(cublasHandle_t h, cublasSideMode_t side, const Matrix *a, const Matrix *b, Scalar alpha, Count count,
                bool pointers, int type);

// --- rows: ROW(letter of the name, type, type of the parts, number of the type, …) -----------------------------------
#define TWICE(ROW, ...) ROW(__VA_ARGS__, int, ) ROW(__VA_ARGS__, int64_t, _64)
#define REAL(ROW) TWICE(ROW, S, float, float, CUDA_R_32F) TWICE(ROW, D, double, double, CUDA_R_64F)
#define COMPLEX(ROW) TWICE(ROW, C, cuComplex, float, CUDA_C_32F) TWICE(ROW, Z, cuDoubleComplex, double, CUDA_C_64F)
#define ALL(ROW) REAL(ROW) COMPLEX(ROW)

#endif
