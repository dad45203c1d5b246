// cusparse_host.c: where a sparse matrix' entries are, on the host: what an analysis needs.
#include "toolkit/cusparse_unit.h"

static cusparseStatus_t download(cusparseHandle_t h, const SparseIndices *from, int64_t *to, int64_t n)
{
    const size_t bytes = (size_t)n * (from->wide ? 8 : 4);
    int32_t *narrow = (int32_t *)to;
    if (!n) return CUSPARSE_STATUS_SUCCESS;
    CUresult r = cuMemcpyDtoHAsync(to, from->at, bytes, h->stream);
    if (r == CUDA_SUCCESS) r = cuStreamSynchronize(h->stream);
    for (int64_t k = n - 1; k >= 0; k--) to[k] = (from->wide ? to[k] : narrow[k]) - from->base;
    return sparse_status(r);
}

static bool rising(const int64_t *offsets, int64_t n, int64_t entries)
{
    if (offsets[0] != 0 || offsets[n] != entries) return false;
    for (int64_t k = 0; k < n; k++)
        if (offsets[k] > offsets[k + 1]) return false;
    return true;
}

static cusparseStatus_t majors(cusparseHandle_t h, const SparseMatrix *m, int64_t *to)
{
    if (m->majors.at) return download(h, &m->majors, to, m->entries);
    int64_t *offsets = mem_try((size_t)m->major + 1, sizeof *offsets);
    if (!offsets) return CUSPARSE_STATUS_ALLOC_FAILED;
    cusparseStatus_t r = download(h, &m->offsets, offsets, m->major + 1);
    if (r == CUSPARSE_STATUS_SUCCESS && !rising(offsets, m->major, m->entries)) r = CUSPARSE_STATUS_INVALID_VALUE;
    for (int64_t i = 0; r == CUSPARSE_STATUS_SUCCESS && i < m->major; i++)
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) to[e] = i;
    mem_free(offsets);
    return r;
}

static bool within(const int64_t *index, int64_t entries, int64_t n)
{
    for (int64_t e = 0; e < entries; e++)
        if (index[e] < 0 || index[e] >= n) return false;
    return true;
}

cusparseStatus_t sparse_places(cusparseHandle_t h, cusparseConstSpMatDescr_t a, SparsePlaces *out)
{
    const SparseMatrix m = sparse_matrix(a);
    const size_t n = (size_t)a->entries + 1;
    out->row = mem_try(n, sizeof *out->row), out->column = mem_try(n, sizeof *out->column);
    out->entries = a->entries;
    const bool turned = sparse_by_columns(a);
    cusparseStatus_t r = out->row && out->column ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
    if (r == CUSPARSE_STATUS_SUCCESS) r = majors(h, &m, turned ? out->column : out->row);
    if (r == CUSPARSE_STATUS_SUCCESS) r = download(h, &m.minors, turned ? out->row : out->column, m.entries);
    if (r == CUSPARSE_STATUS_SUCCESS &&
        !(within(out->row, out->entries, a->rows) && within(out->column, out->entries, a->columns)))
        r = CUSPARSE_STATUS_INVALID_VALUE;
    if (r != CUSPARSE_STATUS_SUCCESS) sparse_places_free(out);
    return r;
}

void sparse_places_free(SparsePlaces *p)
{
    mem_free(p->row);
    mem_free(p->column);
    *p = (SparsePlaces){0};
}

cusparseStatus_t sparse_put_indices(cusparseHandle_t h, const SparseIndices *to, const int64_t *from, int64_t n)
{
    int64_t *room = mem_try((size_t)n + 1, sizeof *room);
    int32_t *narrow = (int32_t *)room;
    if (!room) return CUSPARSE_STATUS_ALLOC_FAILED;
    for (int64_t k = 0; k < n; k++)
        if (to->wide)
            room[k] = from[k] + to->base;
        else
            narrow[k] = (int32_t)(from[k] + to->base);
    CUresult r = CUDA_SUCCESS;
    if (n) r = cuMemcpyHtoDAsync(to->at, room, (size_t)n * (to->wide ? 8 : 4), h->stream);
    if (n && r == CUDA_SUCCESS) r = cuStreamSynchronize(h->stream);
    mem_free(room);
    return sparse_status(r);
}

cusparseStatus_t sparse_upload(cusparseHandle_t h, CUdeviceptr *to, const int64_t *from, int64_t n)
{
    if (cuMemAlloc(to, (size_t)(n + 1) * sizeof *from) != CUDA_SUCCESS) return CUSPARSE_STATUS_ALLOC_FAILED;
    return sparse_put_indices(h, &(SparseIndices){*to, 1, 0}, from, n);
}
