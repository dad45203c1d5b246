// args.h: what cuBLAS's host code and its kernels say to each other. Both compile it. Every index is of 64 bits.
#ifndef TOOLKIT_CUBLAS_ARGS_H
#define TOOLKIT_CUBLAS_ARGS_H

// A factor: in device memory, of a type (cudaDataType), or, with at null, given here.
typedef struct Scalar {
    const void *at;
    double re, im;
    int type, conjugated;
} Scalar;

// Element i is at at + i · step.
typedef struct Vector {
    void *at;
    long long step;
} Vector;

// How a matrix of level 2 and 3 lies in memory, column by column. BAND: with ku rows over the diagonal, kl under it.
// Packed: a triangle's columns, one behind the other.
typedef enum Layout { WHOLE, BAND, PACKED } Layout;
// What stands for the elements that aren't there: those of a triangle's other half, or 0.
typedef enum Form { GENERAL, SYMMETRIC, HERMITIAN, TRIANGLE, UNIT_TRIANGLE } Form;
// How it is used: as it is, transposed, transposed and conjugated, conjugated (cublasOperation_t).
typedef struct Matrix {
    void *at;
    long long ld, stride;     // stride: to the next matrix of a batch
    long long offset;         // of the first element, in elements
    long long rows, columns;  // as it is stored
    long long kl, ku;
    int layout, form, upper, op;
} Matrix;

// Vectors of a batch are so many elements apart, or, where pointers is set, behind an array's addresses.
typedef struct Batch {
    long long x, y;
    int pointers;
} Batch;

// c = alpha op(a) op(b) + beta c, of m rows, n columns and depth k, count times.
typedef struct Product {
    long long m, n, k, count;
    Matrix a, b, c;
    Scalar alpha, beta;
    int plain;     // 1: every element of c is alpha times a sum plus beta c, in the type of a; 2: in f32
    int pointers;  // a, b and c point to count pointers each
    int half;      // of c: 0 all of it, 1 the lower triangle, 2 the upper one
    int real;      // c's diagonal is real
    // An epilogue (cuBLASLt): what is added, then applied, and what is kept of it.
    const void *bias;
    void *aux;
    long long aux_ld, aux_stride, bias_stride;
    int bias_type, aux_type, action;  // action: Action
    const float *scale_a, *scale_b, *scale_c, *scale_d;
    const void *c_in;  // where c is read; null: where it is written
    long long c_in_ld, c_in_stride;
    int c_in_type, d_type;
} Product;
typedef enum Action { PLAIN, RELU, GELU, DRELU, DGELU } Action;

#endif
