// Dynamic programming by antidiagonals: Needleman-Wunsch in blocks of shared memory as in a benchmark suite, and the
// longest common subsequence by one diagonal a launch.
#define LIMIT -999
#define BLOCK_SIZE 16
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define SDATA(index) CUT_BANK_CHECKER(sdata, index)
#define TRACEBACK

int blosum62[4][4] = {{4, -1, -2, -2}, {-1, 5, 0, -2}, {-2, 0, 6, 1}, {-2, -2, 1, 6}};

__device__ __host__ int maximum(int a, int b, int c)
{
    int k;
    if (a <= b)
        k = b;
    else
        k = a;
    return k <= c ? c : k;
}

__global__ void needle_cuda_shared(int *referrence, int *matrix_cuda, int cols, int penalty, int i, int block_width,
                                   int lower)
{
    int bx = blockIdx.x, tx = threadIdx.x;
    int b_index_x = lower ? bx + block_width - i : bx;
    int b_index_y = lower ? block_width - bx - 1 : i - 1 - bx;
    int base = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x;
    __shared__ int temp[BLOCK_SIZE + 1][BLOCK_SIZE + 1];
    __shared__ int ref[BLOCK_SIZE][BLOCK_SIZE];
    if (tx == 0) temp[tx][0] = matrix_cuda[base];
    for (int ty = 0; ty < BLOCK_SIZE; ty++) ref[ty][tx] = referrence[base + cols + 1 + tx + cols * ty];
    __syncthreads();
    temp[tx + 1][0] = matrix_cuda[base + cols * (tx + 1)];
    __syncthreads();
    temp[0][tx + 1] = matrix_cuda[base + tx + 1];
    __syncthreads();
    for (int m = 0; m < 2 * BLOCK_SIZE - 1; m++) {
        int x = m < BLOCK_SIZE ? tx + 1 : tx + m - BLOCK_SIZE + 2, y = m - x + 2;
        if (y >= 1 && x <= BLOCK_SIZE)
            temp[y][x] =
                maximum(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty, temp[y - 1][x] - penalty);
        __syncthreads();
    }
    for (int ty = 0; ty < BLOCK_SIZE; ty++) matrix_cuda[base + cols + 1 + tx + ty * cols] = temp[ty + 1][tx + 1];
}

__global__ void lcs_diagonal(const char *a, const char *b, short *L, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = d - i;
    if (i > n || j < 1 || j > n) return;
    short *at = L + i * (n + 1) + j;
    *at = a[i - 1] == b[j - 1] ? at[-(n + 1) - 1] + 1 : max(at[-1], at[-(n + 1)]);
}

void usage(int argc, char **argv)
{
    fprintf(stderr, "Usage: %s <max_rows/max_cols> <penalty> \n", argv[0]);
    exit(1);
}

int main(int argc, char **argv)
{
    int max_rows = 64, penalty = 10, wrong = 0;
    if (argc == 3)
        max_rows = atoi(argv[1]), penalty = atoi(argv[2]);
    else if (argc != 1)
        usage(argc, argv);
    if (max_rows % 16 != 0) {
        fprintf(stderr, "The dimension values must be a multiple of 16\n");
        exit(1);
    }
    const int n = max_rows, cols = max_rows + 1, size = cols * cols;
    int *referrence = (int *)malloc(size * sizeof(int)), *input = (int *)calloc(size, sizeof(int));
    int *output = (int *)malloc(size * sizeof(int)), *ref_cuda, *matrix_cuda;
    char a[1024], b[1024];
    srand(7);
    for (int i = 0; i < n; i++) a[i] = rand() % 4, b[i] = rand() % 3 ? a[i] : rand() % 4;
    memset(referrence, 0, size * sizeof(int));
    for (int i = 1; i < cols; i++)
        for (int j = 1; j < cols; j++) referrence[i * cols + j] = blosum62[(int)a[i - 1]][(int)b[j - 1]];
    for (int i = 1; i < cols; i++) input[i * cols] = input[i] = -i * penalty;
    cudaMalloc((void **)&ref_cuda, sizeof(int) * size);
    cudaMalloc((void **)&matrix_cuda, sizeof(int) * size);
    cudaMemcpy(ref_cuda, referrence, sizeof(int) * size, cudaMemcpyHostToDevice);
    cudaMemcpy(matrix_cuda, input, sizeof(int) * size, cudaMemcpyHostToDevice);
    const int block_width = n / BLOCK_SIZE;
    dim3 dimGrid, dimBlock(BLOCK_SIZE, 1);
    for (int i = 1; i <= block_width; i++) {
        dimGrid.x = i, dimGrid.y = 1;
        needle_cuda_shared<<<dimGrid, dimBlock>>>(ref_cuda, matrix_cuda, cols, penalty, i, block_width, 0);
    }
    for (int i = block_width - 1; i >= 1; i--) {
        dimGrid.x = i;
        needle_cuda_shared<<<dimGrid, dimBlock>>>(ref_cuda, matrix_cuda, cols, penalty, i, block_width, 1);
    }
    cudaMemcpy(output, matrix_cuda, sizeof(int) * size, cudaMemcpyDeviceToHost);
    for (int i = 1; i < cols; i++)
        for (int j = 1; j < cols; j++) {
            int *at = input + i * cols + j;
            *at = maximum(at[-cols - 1] + referrence[i * cols + j], at[-1] - penalty, at[-cols] - penalty);
            wrong += *at != output[i * cols + j];
        }
    printf("score %d, %d wrong\n", output[size - 1], wrong);

    char *da, *db;
    short *L, len, *want = (short *)calloc(size, sizeof(short));
    cudaMalloc(&da, n), cudaMalloc(&db, n), cudaMalloc(&L, size * sizeof(short));
    cudaMemcpy(da, a, n, cudaMemcpyHostToDevice), cudaMemcpy(db, b, n, cudaMemcpyHostToDevice);
    cudaMemset(L, 0, size * sizeof(short));
    for (int d = 2; d <= 2 * n; d++) lcs_diagonal<<<(n + 31) / 32, 32>>>(da, db, L, n, d);
    cudaMemcpy(&len, L + size - 1, sizeof len, cudaMemcpyDeviceToHost);
    for (int i = 1; i < cols; i++)
        for (int j = 1; j < cols; j++) {
            short *at = want + i * cols + j;
            *at = a[i - 1] == b[j - 1] ? at[-cols - 1] + 1 : at[-1] > at[-cols] ? at[-1] : at[-cols];
        }
    printf("longest common subsequence %d of %d, by the host %d\n", len, n, want[size - 1]);
    wrong += len != want[size - 1] || cudaGetLastError() != cudaSuccess;
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong;
}
