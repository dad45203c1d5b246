/* saxpy: y = a*x + y, the first program of every course. Usage: saxpy [elements] [threads per block] */
#define N 100000
#define T 256
#define A 2.5f
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                             \
    {                                                                           \
        const cudaError_t error = call;                                         \
        if (error != cudaSuccess) {                                             \
            printf("Error: %s:%d, ", __FILE__, __LINE__);                       \
            printf("code: %d, reason: %s\n", error, cudaGetErrorString(error)); \
            exit(1);                                                            \
        }                                                                       \
    }

double seconds()
{
    struct timeval tp;
    struct timezone tzp;
    gettimeofday(&tp, &tzp);
    return ((double)tp.tv_sec + (double)tp.tv_usec * 1.e-6);
}

__global__ void saxpy(int n, float a, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

void saxpy_host(int n, float a, float *x, float *y)
{
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv)
{
    int n = N, threads = T, dev = 0;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) threads = atoi(argv[2]);

    cudaDeviceProp deviceProp;
    CHECK(cudaGetDeviceProperties(&deviceProp, dev));
    printf("Using Device %d: %s, compute capability %d.%d\n", dev, deviceProp.name, deviceProp.major, deviceProp.minor);
    CHECK(cudaSetDevice(dev));

    size_t nBytes = n * sizeof(float);
    float *x = (float *)malloc(nBytes), *y = (float *)malloc(nBytes), *gpuRef = (float *)malloc(nBytes);
    srand((unsigned)time(NULL));
    for (int i = 0; i < n; i++) x[i] = (float)(rand() & 0xFF) / 10.0f, y[i] = (float)(rand() & 0xFF) / 10.0f;

    float *d_x, *d_y;
    CHECK(cudaMalloc((void **)&d_x, nBytes));
    CHECK(cudaMalloc((float **)&d_y, nBytes));
    CHECK(cudaMemcpy(d_x, x, nBytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y, nBytes, cudaMemcpyHostToDevice));

    dim3 block(threads);
    dim3 grid((n + block.x - 1) / block.x);
    double iStart = seconds();
    saxpy<<<grid, block>>>(n, A, d_x, d_y);
    CHECK(cudaDeviceSynchronize());
    double iElaps = seconds() - iStart;
    printf("saxpy <<<%d, %d>>> Time elapsed %f sec\n", grid.x, block.x, iElaps);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(gpuRef, d_y, nBytes, cudaMemcpyDeviceToHost));

    saxpy_host(n, A, x, y);
    double epsilon = 1.0E-4;
    bool match = 1;
    for (int i = 0; i < n; i++) {
        if (abs(y[i] - gpuRef[i]) > epsilon) {
            match = 0;
            printf("host %5.2f gpu %5.2f at current %d\n", y[i], gpuRef[i], i);
            break;
        }
    }
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    free(x), free(y), free(gpuRef);
    CHECK(cudaDeviceReset());
    printf("Test %s\n", match ? "PASSED" : "FAILED");
    return match ? EXIT_SUCCESS : EXIT_FAILURE;
}
