// stencil: a convolution of an image with 3 × 3 weights, an element a thread.
extern "C" __global__ void conv_3x3(const float *__restrict__ I, const float *__restrict__ K, float *__restrict__ O,
                                    int H, int W)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W - 2 || y >= H - 2) return;
    float s = 0;
#pragma unroll
    for (int v = 0; v < 3; v++)
#pragma unroll
        for (int u = 0; u < 3; u++) s += I[(y + v) * W + x + u] * K[3 * v + u];
    O[y * W + x] = s;
}
