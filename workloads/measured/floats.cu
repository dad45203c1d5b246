// floats: C = A B of floats: plainly, and over tiles of 32 × 32 in shared memory.
extern "C" __global__ void mm_plain_f32(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
                                        int N)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= N || col >= N) return;
    float s = 0;
    for (int k = 0; k < N; k++) s += A[row * N + k] * B[k * N + col];
    C[row * N + col] = s;
}

extern "C" __global__ void mm_tile_f32(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
                                       int N)
{
    __shared__ float P[32][32], Q[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    for (int h = 0; h < N; h += 32) {
        if (row < N && h + threadIdx.x < N)
            P[threadIdx.y][threadIdx.x] = A[row * N + (h + threadIdx.x)];
        else
            P[threadIdx.y][threadIdx.x] = 0;
        if (h + threadIdx.y < N && col < N)
            Q[threadIdx.y][threadIdx.x] = B[(h + threadIdx.y) * N + col];
        else
            Q[threadIdx.y][threadIdx.x] = 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++) s += P[threadIdx.y][k] * Q[k][threadIdx.x];
        __syncthreads();
    }
    if (row < N && col < N) C[row * N + col] = s;
}
