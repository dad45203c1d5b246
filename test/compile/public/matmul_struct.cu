/* The programming guide's way of multiplying matrices: a struct with a stride, sub-matrices, tiles in shared memory. */
#define BLOCK_SIZE 16
#define W 80
#define H 48
#define D 64
#define min(a, b) ((a) < (b) ? (a) : (b))
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    int width;
    int height;
    int stride;
    float *elements;
} Matrix;

__device__ float GetElement(const Matrix A, int row, int col) { return A.elements[row * A.stride + col]; }
__device__ void SetElement(Matrix A, int row, int col, float value) { A.elements[row * A.stride + col] = value; }
__device__ Matrix GetSubMatrix(Matrix A, int row, int col)
{
    Matrix Asub;
    Asub.width = BLOCK_SIZE;
    Asub.height = BLOCK_SIZE;
    Asub.stride = A.stride;
    Asub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return Asub;
}

__global__ void MatMulKernel(Matrix, Matrix, Matrix);

void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    Matrix d_A, d_B, d_C;
    d_A.width = d_A.stride = A.width;
    d_A.height = A.height;
    size_t size = A.width * A.height * sizeof(float);
    cudaError_t err = cudaMalloc(&d_A.elements, size);
    printf("CUDA malloc A: %s\n", cudaGetErrorString(err));
    err = cudaMemcpy(d_A.elements, A.elements, size, cudaMemcpyHostToDevice);
    printf("Copy A to device: %s\n", cudaGetErrorString(err));
    d_B.width = d_B.stride = B.width;
    d_B.height = B.height;
    size = B.width * B.height * sizeof(float);
    err = cudaMalloc(&d_B.elements, size);
    err = cudaMemcpy(d_B.elements, B.elements, size, cudaMemcpyHostToDevice);
    d_C.width = d_C.stride = C.width;
    d_C.height = C.height;
    size = C.width * C.height * sizeof(float);
    err = cudaMalloc(&d_C.elements, size);
    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid(B.width / dimBlock.x, A.height / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C);
    err = cudaDeviceSynchronize();
    printf("Run kernel: %s\n", cudaGetErrorString(err));
    err = cudaMemcpy(C.elements, d_C.elements, size, cudaMemcpyDeviceToHost);
    printf("Copy C off of device: %s\n", cudaGetErrorString(err));
    cudaFree(d_A.elements);
    cudaFree(d_B.elements);
    cudaFree(d_C.elements);
}

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C)
{
    int blockRow = blockIdx.y, blockCol = blockIdx.x;
    Matrix Csub = GetSubMatrix(C, blockRow, blockCol);
    float Cvalue = 0;
    int row = threadIdx.y, col = threadIdx.x;
    for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
        Matrix Asub = GetSubMatrix(A, blockRow, m);
        Matrix Bsub = GetSubMatrix(B, m, blockCol);
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = GetElement(Asub, row, col);
        Bs[row][col] = GetElement(Bsub, row, col);
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e) Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    SetElement(Csub, row, col, Cvalue);
}

int main(int argc, char *argv[])
{
    Matrix A = {D, H, D, NULL}, B = {W, D, W, NULL}, C = {W, H, W, NULL};
    A.elements = (float *)malloc(A.width * A.height * sizeof(float));
    B.elements = (float *)calloc(B.width * B.height, sizeof(float));
    C.elements = (float *)malloc(C.width * C.height * sizeof(float));
    srand48(17);
    for (int i = 0; i < A.height; i++)
        for (int j = 0; j < A.width; j++) A.elements[i * A.width + j] = drand48();
    for (int i = 0; i < B.height; i++)
        for (int j = 0; j < B.width; j++) B.elements[i * B.width + j] = (float)(random() % 3);
    clock_t begin = clock();
    MatMul(A, B, C);
    printf("%.3f s of the processor, errno %d\n", (double)(clock() - begin) / CLOCKS_PER_SEC, errno);
    for (int i = 0; i < min(4, A.height); i++, printf("\n"))
        for (int j = 0; j < min(4, B.width); j++) printf("%f ", C.elements[i * C.width + j]);
    bool correct = true;
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            double sum = 0;
            for (int k = 0; k < D; k++) sum += (double)A.elements[i * D + k] * B.elements[k * W + j];
            if (fabs(sum - C.elements[i * W + j]) > 1e-5 * fabs(sum)) correct = false;
        }
    printf("Result = %s\n", correct ? "PASSED" : "FAILED");
    return correct ? 0 : 1;
}
