// Lesson 3, coalescing: a warp is 32 threads with neighbouring threadIdx.x. Its loads are cheap if they lie side by
// side. Run it, and look at sectors/req.: 4 sectors of 32 bytes would do for a warp's 32 numbers.
#include <cstdio>

__global__ void scale(float *image, int n, float by) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    image[row * n + column] *= by;
}

int main() {
    const int n = 1024;
    float *image;
    cudaMalloc(&image, n * n * sizeof *image);
    float *host = new float[n * n];
    for (int i = 0; i < n * n; i++) host[i] = i % 7;
    cudaMemcpy(image, host, n * n * sizeof *host, cudaMemcpyHostToDevice);
    scale<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(image, n, 2);
    cudaMemcpy(host, image, n * n * sizeof *host, cudaMemcpyDeviceToHost);
    int right = 0;
    for (int i = 0; i < n * n; i++) right += host[i] == i % 7 * 2;
    printf("%d of %d pixels are right\n", right, n * n);
}
