// indices.cuh: indices of sparse matrices on the device, of 32 or 64 bits, from 0 or 1 on.
#ifndef TOOLKIT_SPARSE_INDICES_H
#define TOOLKIT_SPARSE_INDICES_H
#include "args.h"

static __device__ long long thread_first() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ long long threads_all() { return (long long)gridDim.x * blockDim.x; }
static __device__ long long index_of(const SparseIndices &s, long long at)
{
    return (s.wide ? ((const long long *)s.at)[at] : ((const int *)s.at)[at]) - s.base;
}
static __device__ void put_index(const SparseIndices &s, long long at, long long index)
{
    if (s.wide)
        ((long long *)s.at)[at] = index + s.base;
    else
        ((int *)s.at)[at] = (int)(index + s.base);
}
static __device__ long long line_begin(const SparseMatrix &a, long long major) { return index_of(a.offsets, major); }
// The place of the last one, from `first` to before `last`, that is at most `index`. They rise.
static __device__ long long index_find(const SparseIndices &s, long long index, long long first, long long last)
{
    while (last - first > 1) {
        const long long middle = first + (last - first) / 2;
        if (index_of(s, middle) <= index)
            first = middle;
        else
            last = middle;
    }
    return first;
}
static __device__ long long major_of(const SparseMatrix &a, long long e)
{
    return a.majors.at ? index_of(a.majors, e) : index_find(a.offsets, e, 0, a.major);
}
#endif
