// Conway's Game of Life: bytes with halo in shared memory, and 32 cells a word by warp votes; both beside the host.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64
#define M 64
#define GENERATIONS 12
#define IDX(y, x) ((((y) + M) % M) * N + ((x) + N) % N)
#define CUDA_CHECK_RETURN(value) CheckCudaErrorAux(__FILE__, __LINE__, #value, value)
static void CheckCudaErrorAux(const char *file, unsigned line, const char *statement, cudaError_t err)
{
    if (err == cudaSuccess) return;
    fprintf(stderr, "%s returned %s(%d) at %s:%u\n", statement, cudaGetErrorString(err), err, file, line);
    exit(1);
}

template <int BX, int BY> __global__ void step_shared(const unsigned char *__restrict__ in, unsigned char *out)
{
    __shared__ unsigned char s[BY + 2][BX + 2];
    const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    for (int j = threadIdx.y; j < BY + 2; j += BY)
        for (int i = threadIdx.x; i < BX + 2; i += BX)
            s[j][i] = in[IDX((int)(blockIdx.y * BY) + j - 1, (int)(blockIdx.x * BX) + i - 1)];
    __syncthreads();
    int n = 0;
#pragma unroll
    for (int dy = 0; dy <= 2; dy++)
#pragma unroll
        for (int dx = 0; dx <= 2; dx++) n += s[threadIdx.y + dy][threadIdx.x + dx];
    const int alive = s[threadIdx.y + 1][threadIdx.x + 1];
    out[IDX(y, x)] = n == 3 || (n == 4 && alive);
}

/* A row of N cells is N / 32 words; a warp makes one word. */
__global__ void step_bits(const unsigned *in, unsigned *out)
{
    const int lane = threadIdx.x % warpSize, word = threadIdx.x / warpSize, words = N / 32, y = blockIdx.x;
    int n = 0, self = 0;
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + (y + dy + M) % M * words;
        for (int dx = -1; dx <= 1; dx++) {
            const int at = (word * 32 + lane + dx + N) % N, bit = row[at / 32] >> at % 32 & 1;
            n += bit;
            if (!dx && !dy) self = bit;
        }
    }
    const unsigned next = __ballot_sync(__activemask(), n == 3 || (n == 4 && self));
    if (lane == 0) out[y * words + word] = next;
    if (__any_sync(0xffffffff, next == 0xffffffff)) __trap();
}

int main()
{
    static unsigned char host[2][N * M], got[N * M];
    unsigned packed[N * M / 32];
    unsigned char *d[2];
    unsigned *b[2];
    srand(1970);
    for (int i = 0; i < N * M; i++) host[0][i] = rand() % 3 == 0;
    memset(packed, 0, sizeof(packed));
    for (int i = 0; i < N * M; i++) packed[i / 32] |= (unsigned)host[0][i] << i % 32;
    for (int k = 0; k < 2; k++) {
        CUDA_CHECK_RETURN(cudaMalloc((void **)&d[k], N * M));
        CUDA_CHECK_RETURN(cudaMalloc((void **)&b[k], sizeof packed));
    }
    CUDA_CHECK_RETURN(cudaMemcpy(d[0], host[0], N * M, cudaMemcpyHostToDevice));
    CUDA_CHECK_RETURN(cudaMemcpy(b[0], packed, sizeof packed, cudaMemcpyHostToDevice));
    dim3 threads(16, 8), grid(N / threads.x, M / threads.y);
    for (int g = 0; g < GENERATIONS; g++) {
        step_shared<16, 8><<<grid, threads>>>(d[g & 1], d[~g & 1]);
        step_bits<<<M, N>>>(b[g & 1], b[~g & 1]);
        for (int y = 0; y < M; y++)
            for (int x = 0; x < N; x++) {
                int n = 0;
                for (int k = 0; k < 9; k++) n += k == 4 ? 0 : host[g & 1][IDX(y + k / 3 - 1, x + k % 3 - 1)];
                host[~g & 1][IDX(y, x)] = n == 3 || (n == 2 && host[g & 1][IDX(y, x)]);
            }
    }
    CUDA_CHECK_RETURN(cudaMemcpy(got, d[GENERATIONS & 1], N * M, cudaMemcpyDeviceToHost));
    CUDA_CHECK_RETURN(cudaMemcpy(packed, b[GENERATIONS & 1], sizeof packed, cudaMemcpyDeviceToHost));
    int wrong = 0, alive = 0;
    for (int i = 0; i < N * M; i++) {
        const int want = host[GENERATIONS & 1][i];
        alive += want;
        wrong += got[i] != want;
        wrong += (packed[i / 32] >> i % 32 & 1) != want;
    }
    for (int y = 0; y < 8; y++, putchar('\n'))
        for (int x = 0; x < N; x++) putchar(got[y * N + x] ? '#' : '.');
    printf("%d cells alive after %d generations, %d wrong\n%s\n", alive, GENERATIONS, wrong,
           wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
