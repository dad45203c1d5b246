// spmv: y = A x, A in compressed rows, a row for each thread. Rows have different lengths, so that lanes of a warp wait
// for the longest; val and col push x out of the L1. The cure loads col past the L1. The loop isn't unrolled, and
// its end stands in a register: nvcc loads first[row + 1] anew behind each __ldcg, and unrolls such a loop less far.
#ifdef CURE
#define ONCE(p) __ldcg(p)
#else
#define ONCE(p) (*(p))
#endif

extern "C" __global__ void spmv(const int *first, const int *col, const float *val, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int end = first[row + 1];
    float sum = 0;
#pragma unroll 1
    for (int k = first[row]; k < end; k++) sum += val[k] * x[ONCE(&col[k])];
    y[row] = sum;
}

// The matrix: row r has 64 entries where r mod 32 = 0, else 8, in columns that a hash gives.
extern "C" __global__ void make(int *first, int *col, float *val, float *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row > rows) return;
    int from = row / 32 * (64 + 31 * 8) + (row % 32 ? 64 + (row % 32 - 1) * 8 : 0);
    first[row] = from;
    if (row == rows) return;
    x[row] = 1;
    for (int k = from; k < from + (row % 32 ? 8 : 64); k++) {
        col[k] = (unsigned)(k * 2654435761u >> 8) % 2048;
        val[k] = 1;
    }
}
