// cublas_matrix.c: matrices as functions of BLAS are given them.
#include "toolkit/cublas.h"

Matrix whole(const void *at, Count rows, Count columns, Count ld, int op)
{
    return (Matrix){.at = (void *)(uintptr_t)at, .ld = ld, .rows = rows, .columns = columns, .op = op};
}

Matrix operand(const void *at, Count rows, Count columns, Count ld, cublasOperation_t op)
{
    const bool turned = op == CUBLAS_OP_T || op == CUBLAS_OP_C;
    return whole(at, turned ? columns : rows, turned ? rows : columns, ld, op);
}
bool pitch(const Matrix *a) { return a->ld >= MAX(a->rows, 1); }
bool is_op(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }

bool is_fill(Fill f) { return f == CUBLAS_FILL_MODE_LOWER || f == CUBLAS_FILL_MODE_UPPER; }
bool is_diag(Ones d) { return d == CUBLAS_DIAG_UNIT || d == CUBLAS_DIAG_NON_UNIT; }
Form form_of(Ones d) { return d == CUBLAS_DIAG_UNIT ? UNIT_TRIANGLE : TRIANGLE; }

Matrix half(const void *at, Count n, Count ld, Fill fill, Form form, int op)
{
    Matrix a = whole(at, n, n, ld, op);
    a.form = form, a.upper = fill == CUBLAS_FILL_MODE_UPPER;
    return a;
}

Matrix part(const Matrix *a, Count row, Count column, Count rows, Count columns)
{
    const bool turned = a->op == CUBLAS_OP_T || a->op == CUBLAS_OP_C;
    Matrix p = *a;
    p.form = GENERAL;
    p.offset += turned ? column + row * a->ld : row + column * a->ld;
    p.rows = turned ? columns : rows, p.columns = turned ? rows : columns;
    return p;
}
