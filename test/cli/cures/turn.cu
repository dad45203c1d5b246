// turn: a matrix transposed by tiles in shared memory. Rows of 32 words have all of a column in one bank; the cure's
// are a word longer.
#ifdef CURE
enum { ROW = 33 };
#else
enum { ROW = 32 };
#endif

extern "C" __global__ void turn(const float *in, float *out, int n)
{
    __shared__ float tile[32][ROW];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
