// What a tutorial begins with: a vector times a number plus a vector.
#include "../../programs/check.cuh"

#include <vector>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1000;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) x[i] = (float)i, y[i] = 1;
    float *dx, *dy;
    MUST(cudaMalloc(&dx, n * sizeof(float)));
    MUST(cudaMalloc(&dy, n * sizeof(float)));
    MUST(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2, dx, dy);
    MUST(cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) CHECK(y[i] == 2 * (float)i + 1);
    return verdict();
}
