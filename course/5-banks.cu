// Lesson 5, shared memory and its banks: a tile goes through shared memory, so that loads and stores are coalesced.
// Shared memory has 32 banks: a word's bank is its number modulo 32, and a bank gives one word a cycle.
// Run it: how many passes does an access take? Where do the 32 words of a column of the tile lie?
#include <cstdio>

__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

int main() {
    const int n = 1024;
    const size_t bytes = n * n * sizeof(float);
    float *in, *out, *host = new float[n * n];
    cudaMalloc(&in, bytes), cudaMalloc(&out, bytes);
    for (int i = 0; i < n * n; i++) host[i] = i;
    cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice);
    transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
    cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost);
    int right = 0;
    for (int i = 0; i < n * n; i++) right += host[i] == i % n * n + i / n;
    printf("%d of %d numbers are right\n", right, n * n);
}
