// vector: an element a thread: a sum, a multiple and a sum, a loop more in half of the lanes, a gather of one element.
extern "C" __global__ void vec_add(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
                                   int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] + B[i];
}

extern "C" __global__ void saxpy(float a, const float *__restrict__ A, const float *__restrict__ B,
                                 float *__restrict__ C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = a * A[i] + B[i];
}

extern "C" __global__ void vec_add_split(const float *__restrict__ A, const float *__restrict__ B,
                                         float *__restrict__ C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    if ((i & 1) == 0) {
        float s = 0;
#pragma unroll 16
        for (int k = 0; k < 128; k++) s += 0.0001f * k;
        C[i] = A[i] + B[i] + s;
    } else {
        C[i] = A[i] + B[i];
    }
}

extern "C" __global__ void gather_same(const float *__restrict__ A, const int *__restrict__ x, float *__restrict__ B,
                                       int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) B[i] = A[x[i]];
}
