// cusparse_solve.c: triangular systems. The analysis finds, on the host, in which order rows can be solved: by levels
// (Saltz, Aggregation Methods for Solving Sparse Triangular Systems on Multiprocessors, 1990). It copies the values, so
// that cusparse…_updateMatrix may change them. Solving is a launch for each wide level, and one for narrow ones that
// follow each other.
#include "toolkit/cusparse_unit.h"

typedef struct Triangle {
    CUdeviceptr order, level, starts, columns, places, diagonal, values;
    int64_t rows, levels, entries, *sizes;  // sizes: of the levels
    cudaDataType type;
    cusparseOperation_t op;
} Triangle;
struct cusparseSpSVDescr {
    Triangle t;
};
struct cusparseSpSMDescr {
    Triangle t;
};

static void forget(Triangle *t)
{
    const CUdeviceptr all[] = {t->order, t->level, t->starts, t->columns, t->places, t->diagonal, t->values};
    for (size_t k = 0; k < COUNT(all); k++)
        if (all[k]) cuMemFree(all[k]);
    mem_free(t->sizes);
    *t = (Triangle){0};
}

// --- analysis --------------------------------------------------------------------------------------------------------
typedef struct Analysis {
    int64_t *starts, *columns, *places, *diagonal, *depth, *order, *level;
    int64_t rows, levels;
} Analysis;

static void analysis_free(Analysis *s)
{
    int64_t *const all[] = {s->starts, s->columns, s->places, s->diagonal, s->depth, s->order, s->level};
    for (size_t k = 0; k < COUNT(all); k++) mem_free(all[k]);
}

static bool analysis_begin(Analysis *s, int64_t rows, int64_t entries)
{
    const size_t n = (size_t)rows + 2;
    s->rows = rows;
    s->starts = mem_try(n, 8), s->diagonal = mem_try(n, 8), s->depth = mem_try(n, 8), s->order = mem_try(n, 8);
    s->level = mem_try(n, 8), s->columns = mem_try((size_t)entries + 1, 8), s->places = mem_try((size_t)entries + 1, 8);
    return s->starts && s->diagonal && s->depth && s->order && s->level && s->columns && s->places;
}

// The triangle's entries, by the rows of the operation's result.
static void sort_entries(Analysis *s, const SparsePlaces *p, bool lower, bool unit)
{
    for (int64_t i = 0; i < s->rows; i++) s->diagonal[i] = -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t e = 0; e < p->entries; e++) {
            const int64_t i = p->row[e], j = p->column[e];
            if (i == j && !unit) s->diagonal[i] = e;
            if (lower ? j >= i : j <= i) continue;
            if (!pass) {
                s->starts[i + 2]++;
                continue;
            }
            const int64_t at = s->starts[i + 1]++;
            s->columns[at] = j, s->places[at] = e;
        }
        for (int64_t i = 1; !pass && i <= s->rows + 1; i++) s->starts[i] += s->starts[i - 1];
    }
}

static void find_levels(Analysis *s, bool lower)
{
    for (int64_t k = 0; k < s->rows; k++) {
        const int64_t i = lower ? k : s->rows - 1 - k;
        for (int64_t e = s->starts[i]; e < s->starts[i + 1]; e++)
            s->depth[i] = MAX(s->depth[i], s->depth[s->columns[e]] + 1);
        s->levels = MAX(s->levels, s->depth[i] + 1);
        s->level[s->depth[i] + 1]++;
    }
    for (int64_t l = 1; l <= s->levels; l++) s->level[l] += s->level[l - 1];
    for (int64_t i = 0; i < s->rows; i++) s->order[s->level[s->depth[i]]++] = i;
    for (int64_t l = s->levels; l > 0; l--) s->level[l] = s->level[l - 1];
    s->level[0] = 0;
}

static cusparseStatus_t upload(cusparseHandle_t h, Triangle *t, const Analysis *s, cusparseConstSpMatDescr_t a)
{
    const int64_t inner = s->starts[s->rows];
    const size_t bytes = (size_t)a->entries * sparse_value_bytes(a->type);
    SPARSE_TRY(sparse_upload(h, &t->order, s->order, s->rows));
    SPARSE_TRY(sparse_upload(h, &t->level, s->level, s->levels + 1));
    SPARSE_TRY(sparse_upload(h, &t->starts, s->starts, s->rows + 1));
    SPARSE_TRY(sparse_upload(h, &t->columns, s->columns, inner));
    SPARSE_TRY(sparse_upload(h, &t->places, s->places, inner));
    SPARSE_TRY(sparse_upload(h, &t->diagonal, s->diagonal, s->rows));
    if (cuMemAlloc(&t->values, bytes + 16) != CUDA_SUCCESS) return CUSPARSE_STATUS_ALLOC_FAILED;
    if (!bytes) return CUSPARSE_STATUS_SUCCESS;
    return sparse_status(cuMemcpyDtoDAsync(t->values, sparse_address(a->values), bytes, h->stream));
}

static cusparseStatus_t analyse(cusparseHandle_t h, Triangle *t, cusparseConstSpMatDescr_t a, cusparseOperation_t op)
{
    SparsePlaces p;
    Analysis s = {0};
    const bool across = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    const bool lower = (a->fill == CUSPARSE_FILL_MODE_LOWER) != across;
    forget(t);
    SPARSE_TRY(sparse_places(h, a, &p));
    if (across) {
        int64_t *swap = p.row;
        p.row = p.column, p.column = swap;
    }
    cusparseStatus_t r = CUSPARSE_STATUS_ALLOC_FAILED;
    if (analysis_begin(&s, a->rows, a->entries)) {
        sort_entries(&s, &p, lower, a->diagonal == CUSPARSE_DIAG_TYPE_UNIT);
        find_levels(&s, lower);
        t->rows = s.rows, t->levels = s.levels, t->entries = a->entries, t->type = a->type, t->op = op;
        t->sizes = mem_try((size_t)s.levels + 1, sizeof *t->sizes);
        for (int64_t l = 0; t->sizes && l < s.levels; l++) t->sizes[l] = s.level[l + 1] - s.level[l];
        if (t->sizes) r = upload(h, t, &s, a);
    }
    analysis_free(&s);
    sparse_places_free(&p);
    if (r != CUSPARSE_STATUS_SUCCESS) forget(t);
    return r;
}

// --- solving ---------------------------------------------------------------------------------------------------------
static cusparseStatus_t solve(cusparseHandle_t h, const Triangle *t, const SparseDense *from, const SparseDense *to,
                              const void *alpha, int64_t sides)
{
    SparseSolve s = {.order = t->order, .level = t->level, .starts = t->starts, .columns = t->columns};
    s.places = t->places, s.diagonal = t->diagonal, s.values = t->values, s.from = *from, s.to = *to;
    s.alpha = sparse_scalar(h, alpha, t->type);
    s.right_sides = sides, s.turn = t->op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    for (int64_t l = 0; sides && l < t->levels; l = s.last) {
        s.first = l, s.last = l + 1;
        const bool narrow = t->sizes[l] * sides <= SPARSE_THREADS;
        while (narrow && s.last < t->levels && t->sizes[s.last] * sides <= SPARSE_THREADS) s.last++;
        SPARSE_TRY(sparse_run(h, t->type, "solve_levels", narrow ? 1 : t->sizes[l] * sides, (void *[]){&s}));
    }
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t update(cusparseHandle_t h, Triangle *t, void *values, bool diagonal)
{
    CUdeviceptr given = sparse_address(values);
    SPARSE_WITH(h);
    SPARSE_NEEDS(values && t->values);
    if (!diagonal)
        return sparse_status(
            cuMemcpyDtoDAsync(t->values, given, (size_t)t->entries * sparse_value_bytes(t->type), h->stream));
    long long n = t->rows;
    return sparse_run(h, t->type, "new_diagonal", n, (void *[]){&t->diagonal, &t->values, &given, &n});
}

static cusparseStatus_t check(cusparseConstSpMatDescr_t a, cusparseOperation_t op, cudaDataType type)
{
    SPARSE_NEEDS(a && sparse_operation(op) && a->rows == a->columns);
    return a->type == type && sparse_value_bytes(type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

// --- one right side --------------------------------------------------------------------------------------------------
#define SPSV                                                                                           \
    cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,        \
        cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpSVAlg_t alg, \
        cusparseSpSVDescr_t descr

static cusparseStatus_t check_spsv(SPSV)
{
    (void)alg;
    SPARSE_WITH(h);
    SPARSE_NEEDS(alpha && x && y && descr);
    SPARSE_TRY(check(a, op, type));
    SPARSE_NEEDS(x->size == a->rows && y->size == a->rows);
    return x->type == type && y->type == type ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr)
{
    SPARSE_NEEDS(descr);
    *descr = mem_alloc(sizeof **descr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr)
{
    if (descr) forget(&descr->t);
    mem_free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_bufferSize(SPSV, size_t *bytes)
{
    SPARSE_TRY(check_spsv(h, op, alpha, a, x, y, type, alg, descr));
    return sparse_buffer(bytes);
}

cusparseStatus_t cusparseSpSV_analysis(SPSV, void *buffer)
{
    (void)buffer;
    SPARSE_TRY(check_spsv(h, op, alpha, a, x, y, type, alg, descr));
    return analyse(h, &descr->t, a, op);
}

cusparseStatus_t cusparseSpSV_solve(SPSV)
{
    SPARSE_TRY(check_spsv(h, op, alpha, a, x, y, type, alg, descr));
    SPARSE_NEEDS(descr->t.values && descr->t.rows == a->rows && descr->t.op == op && descr->t.type == type);
    const SparseDense from = sparse_column(x), to = sparse_column(y);
    return solve(h, &descr->t, &from, &to, alpha, 1);
}

cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t h, cusparseSpSVDescr_t descr, void *values,
                                           cusparseSpSVUpdate_t part)
{
    SPARSE_NEEDS(descr);
    return update(h, &descr->t, values, part == CUSPARSE_SPSV_UPDATE_DIAGONAL);
}

// --- many right sides ------------------------------------------------------------------------------------------------
#define SPSM                                                                                                 \
    cusparseHandle_t h, cusparseOperation_t op, cusparseOperation_t op_b, const void *alpha,                 \
        cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType type, \
        cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr

static cusparseStatus_t check_spsm(SPSM)
{
    (void)alg;
    const bool across = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
    SPARSE_WITH(h);
    SPARSE_NEEDS(alpha && b && c && descr && sparse_operation(op_b));
    SPARSE_TRY(check(a, op, type));
    SPARSE_NEEDS(c->rows == a->rows && (across ? b->columns : b->rows) == c->rows);
    SPARSE_NEEDS((across ? b->rows : b->columns) == c->columns);
    return b->type == type && c->type == type ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr)
{
    SPARSE_NEEDS(descr);
    *descr = mem_alloc(sizeof **descr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr)
{
    if (descr) forget(&descr->t);
    mem_free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSM_bufferSize(SPSM, size_t *bytes)
{
    SPARSE_TRY(check_spsm(h, op, op_b, alpha, a, b, c, type, alg, descr));
    return sparse_buffer(bytes);
}

cusparseStatus_t cusparseSpSM_analysis(SPSM, void *buffer)
{
    (void)buffer;
    SPARSE_TRY(check_spsm(h, op, op_b, alpha, a, b, c, type, alg, descr));
    return analyse(h, &descr->t, a, op);
}

cusparseStatus_t cusparseSpSM_solve(SPSM)
{
    SPARSE_TRY(check_spsm(h, op, op_b, alpha, a, b, c, type, alg, descr));
    SPARSE_NEEDS(descr->t.values && descr->t.rows == a->rows && descr->t.op == op && descr->t.type == type);
    const SparseDense from = sparse_dense(b, op_b), to = sparse_dense(c, CUSPARSE_OPERATION_NON_TRANSPOSE);
    return solve(h, &descr->t, &from, &to, alpha, c->columns);
}

cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t h, cusparseSpSMDescr_t descr, void *values,
                                           cusparseSpSMUpdate_t part)
{
    SPARSE_NEEDS(descr);
    return update(h, &descr->t, values, part == CUSPARSE_SPSM_UPDATE_DIAGONAL);
}
