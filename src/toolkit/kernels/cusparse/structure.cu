// structure.cu: where a matrix' entries are, in other forms.
#include "indices.cuh"

// An offset for each of n + 1 lines, from the entries' lines, which rise.
extern "C" __global__ void compress(SparseIndices lines, long long entries, long long n, SparseIndices offsets)
{
    for (long long i = thread_first(); i <= n; i += threads_all()) {
        const long long before = entries ? index_find(lines, i - 1, -1, entries) + 1 : 0;
        put_index(offsets, i, before);
    }
}
extern "C" __global__ void expand(SparseMatrix a)
{
    const SparseIndices to = a.majors;
    a.majors.at = 0;
    for (long long e = thread_first(); e < a.entries; e += threads_all()) put_index(to, e, major_of(a, e));
}
// The transposed matrix, by one warp, a row at a time: its columns differ, so no two lanes take the same place. next
// has room for a place for each column. bytes: of a value; 0: they aren't wanted.
extern "C" __global__ void transpose(SparseMatrix a, SparseMatrix to, long long *next, int bytes)
{
    const int lane = threadIdx.x;
    for (long long j = lane; j <= a.minor; j += 32) next[j] = 0;
    __syncwarp();
    for (long long e = lane; e < a.entries; e += 32)
        atomicAdd((unsigned long long *)next + index_of(a.minors, e) + 1, 1ull);
    __syncwarp();
    for (long long j = 1; j <= a.minor && !lane; j++) next[j] += next[j - 1];
    __syncwarp();
    for (long long j = lane; j <= a.minor; j += 32) put_index(to.offsets, j, next[j]);
    __syncwarp();
    for (long long row = 0; row < a.major; row++) {
        for (long long e = line_begin(a, row) + lane; e < line_begin(a, row + 1); e += 32) {
            const long long at = next[index_of(a.minors, e)]++;
            put_index(to.minors, at, row);
            for (int b = 0; b < bytes; b += 4)
                *(int *)(to.values + at * bytes + b) = *(const int *)(a.values + e * bytes + b);
        }
        __syncwarp();
    }
}
