// turn: B is A with rows and columns exchanged, an element a thread.
extern "C" __global__ void transpose_plain(const float *__restrict__ A, float *__restrict__ B, int rows, int cols)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows && c < cols) B[c * rows + r] = A[r * cols + c];
}
