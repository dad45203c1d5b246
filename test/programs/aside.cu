// Two streams with a kernel each, of one block, and no copies: they could run side by side.
#include "check.cuh"

__global__ void turn(int *x, int n)
{
    for (int k = 0; k < n; k++) x[threadIdx.x] = x[threadIdx.x] * 3 + 1;
}

int main()
{
    int *x[2], y[32];
    cudaStream_t s[2];
    for (int k = 0; k < 2; k++) {
        MUST(cudaStreamCreate(&s[k]));
        MUST(cudaMalloc(&x[k], sizeof y));
        MUST(cudaMemset(x[k], 0, sizeof y));
    }
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 2; k++) turn<<<1, 32, 0, s[k]>>>(x[k], 4);
    for (int k = 0; k < 2; k++) {
        MUST(cudaMemcpy(y, x[k], sizeof y, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 32; i++) CHECK(y[i] == 40);
    }
    return verdict();
}
