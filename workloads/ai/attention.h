// attention.h: the online softmax that attention2 and attention3 share (Milakov and Gimelshein 2018; Dao 2023, §3.1).
// A lane has parts of two rows of a tile of scores, as mma and wgmma leave them: elements 4 j and 4 j + 1 are of row
// lane / 4 and of columns 8 j + 2 (lane % 4) and one more; the next two are of the same columns, eight rows below.
#ifndef WORKLOADS_AI_ATTENTION_H
#define WORKLOADS_AI_ATTENTION_H

#include "tensor.h"

struct Rows {
    float most[2], sum[2];  // the largest score so far; a lane's part of the sum of exponentials
};

FN void rows_begin(Rows &r)
{
#pragma unroll
    for (int h = 0; h < 2; h++) r.most[h] = -__builtin_inff(), r.sum[h] = 0;
}

// Over the four lanes that share a row.
FN float quad_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
FN float quad_sum(float x)
{
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

// Hides the keys behind a row's own. row: of the lane's first elements; column: of its first element.
template <int N> FN void mask_causal(float (&s)[N], int row, int column)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        if (column + i / 4 * 8 + i % 2 > row + i / 2 % 2 * 8) s[i] = -__builtin_inff();
}

// Makes exponentials of scores. factor: that of scores, times log2(e). shrink: what earlier sums are to be multiplied
// by.
template <int N> FN void softmax_step(float (&s)[N], Rows &r, float factor, float (&shrink)[2])
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float most = r.most[h], sum = 0;
#pragma unroll
        for (int i = 2 * h; i < N; i += 4) most = fmaxf(most, fmaxf(s[i], s[i + 1]));
        most = quad_max(most);
        shrink[h] = exp2f((r.most[h] - most) * factor);
        r.most[h] = most;
        const float offset = most * factor;
#pragma unroll
        for (int i = 2 * h; i < N; i += 4) {
            s[i] = exp2f(s[i] * factor - offset);
            s[i + 1] = exp2f(s[i + 1] * factor - offset);
            sum += s[i] + s[i + 1];
        }
        r.sum[h] = r.sum[h] * shrink[h] + sum;
    }
}

template <int N> FN void scale_rows(float (&o)[N], const float (&by)[2])
{
#pragma unroll
    for (int i = 0; i < N; i++) o[i] *= by[i / 2 % 2];
}

// 16 columns of exponentials as a fragment of A.
template <int N> FN void fragment_of(uint (&a)[4], const float (&p)[N], int step)
{
#pragma unroll
    for (int i = 0; i < 4; i++) a[i] = pack_f16(p[8 * step + 2 * i], p[8 * step + 2 * i + 1]);
}

// The end: divides by the sums and stores f16. to: where the lane's first elements go.
template <int N, int WIDTH> FN void put_rows(unsigned short *to, float (&o)[N], const Rows &r)
{
    const float by[2] = {1 / quad_sum(r.sum[0]), 1 / quad_sum(r.sum[1])};
    scale_rows(o, by);
#pragma unroll
    for (int i = 0; i < N / 2; i++)
        *(uint *)&to[(size_t)(i % 2 * 8) * WIDTH + i / 2 * 8] = pack_f16(o[2 * i], o[2 * i + 1]);
}

#endif
