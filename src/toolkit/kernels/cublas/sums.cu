// sums.cu: sums along the rows of op(a), whose type is known at run time alone: gradients of a bias.
#include "finish.cuh"

// A block of 32 x 8 threads adds up 32 rows.
extern "C" __global__ void sums_any(Matrix a, int type, void *out, int out_type)
{
    __shared__ float sums[8][33];
    const bool turn = is_transposed(a);
    const long long height = turn ? a.columns : a.rows, width = turn ? a.rows : a.columns;
    const long long i = (long long)blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    if (i < height)
        for (long long j = threadIdx.y; j < width; j += 8)
            sum += load_any<float>(a.at, turn ? j + i * a.ld : i + j * a.ld, type);
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y || i >= height) return;
    for (int k = 1; k < 8; k++) sum += sums[k][threadIdx.x];
    store_any(out, i, out_type, sum);
}
