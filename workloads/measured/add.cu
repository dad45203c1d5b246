// add: C = A + B of square matrices, an element a thread; neighbouring lanes lie in a row, or in a column.
extern "C" __global__ void add_coalesced(float *A, float *B, float *C, int m, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i * m + j;
    if (i < n && j < m) C[x] = A[x] + B[x];
}

extern "C" __global__ void add_uncoalesced(float *A, float *B, float *C, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int x = i * m + j;
    if (i < n && j < m) C[x] = A[x] + B[x];
}
