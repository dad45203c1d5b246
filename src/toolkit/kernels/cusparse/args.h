// args.h: what the kernels of cuSPARSE are told.
//
// A sparse matrix lies along one of its dimensions, the major one: rows of CSR and COO, columns of CSC. CSR and CSC
// have offsets, by which the entries of each major index are found; COO has a major index for each entry.
#ifndef TOOLKIT_SPARSE_ARGS_H
#define TOOLKIT_SPARSE_ARGS_H

typedef struct SparseIndices {
    unsigned long long at;  // the address; 0: there are none
    int wide, base;         // wide: of 64 bits
} SparseIndices;
typedef struct SparseMatrix {
    SparseIndices offsets, majors, minors;
    unsigned long long values;
    long long major, minor, entries;
} SparseMatrix;
// Element (i, j) is at i·down + j·right. turn: it's taken as its conjugate.
typedef struct SparseDense {
    unsigned long long at;
    long long down, right;
    int turn;
} SparseDense;
// At an address, or here.
typedef struct SparseScalar {
    unsigned long long at;
    double here[2];
} SparseScalar;
// to = alpha · a · from + beta · to, of `columns` columns. across: a's minor index is that of `to`; turn: a is taken as
// its conjugate.
typedef struct SparseProduct {
    SparseMatrix a;
    SparseDense from, to;
    SparseScalar alpha, beta;
    long long columns, rows;  // rows: of `to`
    int across, turn;
} SparseProduct;
// A triangular system by levels: the rows of a level need those of earlier ones alone. They are order[level[k]…]; row r
// has the entries from starts[r] on: their columns, and where their values are. diagonal[r] is where its divisor is; if
// that is -1, it's 1.
typedef struct SparseSolve {
    unsigned long long order, level, starts, columns, places, diagonal, values;
    SparseDense from, to;
    SparseScalar alpha;
    long long first, last, right_sides;  // levels from first to before last
    int turn;
} SparseSolve;
#endif
