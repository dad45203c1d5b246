// attention_host.h: what the host code of attention2 and attention3 shares: input, and the result from its definition.
#ifndef WORKLOADS_AI_ATTENTION_HOST_H
#define WORKLOADS_AI_ATTENTION_HOST_H

#include "ai.h"

typedef struct Attention {
    int64_t heads, length, dim;
    bool causal;
    float factor;  // of scores, times log2(e): kernels raise 2 to a power
    Halves q, k, v;
    WorkBuf o;
} Attention;

// Rows of Q are long enough for scores that differ by several times e.
static inline Attention attention_make(Work *work)
{
    Attention a = {.length = work_param(work, "length"), .dim = work_param(work, "dim")};
    a.heads = work_shared(work, "heads"), a.causal = work_param(work, "causal");
    if (a.length % 128) work_refuse(work, "length", "a multiple of 128, the tile,");
    if (a.dim != 64 && a.dim != 128) work_refuse(work, "dim", "64 or 128");
    if (a.heads * a.length * a.dim > MATRIX_MOST) work_refuse(work, "heads", "at most 2^30 elements of Q");
    const size_t count = (size_t)(a.heads * a.length * a.dim);
    a.factor = (float)(1.4426950408889634 / sqrt((double)a.dim));
    a.q = random_halves(work, "Q", count, -4, 4), a.k = random_halves(work, "K", count, -1, 1);
    a.v = random_halves(work, "V", count, -1, 1);
    a.o = work_device(work, "O", count * sizeof(uint16_t));
    return a;
}

// One row of softmax(Q Kᵀ / √d) V, in double. p has room for all scores, sums for a row.
static inline void attention_row(const Attention *a, int64_t head, int64_t row, double *p, double *sums, float *to)
{
    const size_t from = (size_t)(head * a->length * a->dim);
    const float *q = a->q.host + from + row * a->dim;
    const int64_t keys = a->causal ? row + 1 : a->length;
    double most = -INFINITY, total = 0;
    for (int64_t j = 0; j < keys; j++) {
        p[j] = dot(q, a->k.host + from + j * a->dim, a->dim) / sqrt((double)a->dim);
        most = fmax(most, p[j]);
    }
    for (int64_t d = 0; d < a->dim; d++) sums[d] = 0;
    for (int64_t j = 0; j < keys; j++) {
        const double e = exp(p[j] - most);
        const float *v = a->v.host + from + j * a->dim;
        total += e;
        for (int64_t d = 0; d < a->dim; d++) sums[d] += e * v[d];
    }
    for (int64_t d = 0; d < a->dim; d++) to[d] = (float)(sums[d] / total);
}

// Exponentials and results are rounded to f16, 11 bits each. A row is compared by itself: the more keys it sees, the
// smaller are its elements, and their errors with them.
static inline void attention_check(Work *work, const Attention *a)
{
    float *got = read_halves(work, a->o), *want = work_host(work, (size_t)a->dim * sizeof *want);
    double *p = work_host(work, (size_t)(a->length + a->dim) * sizeof *p);
    for (int64_t h = 0; h < a->heads && work_ok(work); h++)
        for (int64_t r = 0; r < a->length && work_ok(work); r++) {
            char row[64];
            snprintf(row, sizeof row, "row %lld of head %lld", (long long)r, (long long)h);
            attention_row(a, h, r, p, p + a->length, want);
            work_check_f32(work, row, got + (h * a->length + r) * a->dim, want, (size_t)a->dim, 3e-3);
        }
}

#define ATTENTION_PARAMS                                                                                   \
    {"heads", "heads of all sequences together, 1 to 4096", 1, 2, 1, 4096},                                \
        {"length", "rows of Q, K and V of a head, a multiple of 128 up to 131072", 256, 512, 128, 131072}, \
        {"dim", "elements of such a row, 64 or 128", 64, 64, 64, 128},                                     \
    {                                                                                                      \
        "causal", "1: a row sees the keys up to its own; 0: it sees all", 1, 0, 0, 1                       \
    }

#endif
