// sum: each block sums 512 elements of X in shared memory.
extern "C" __global__ void sum_block(const float *__restrict__ X, float *__restrict__ Y, int N)
{
    extern __shared__ float F[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    float s = 0;
    if (i < N) s += X[i];
    if (i + blockDim.x < N) s += X[i + blockDim.x];
    F[t] = s;
    __syncthreads();
    for (int o = blockDim.x >> 1; o > 0; o >>= 1) {
        if (t < o) F[t] += F[t + o];
        __syncthreads();
    }
    if (t == 0) Y[blockIdx.x] = F[0];
}
