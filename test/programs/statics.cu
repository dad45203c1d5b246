// Static shared memory: two-dimensional tiles, arrays of structs, a variable of one warp, and blocks that keep theirs
// apart.
#include "check.cuh"

enum { N = 96, TILE = 32 };

__global__ void transpose(float *to, const float *from)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += blockDim.y) tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += blockDim.y) to[(y + k) * N + x] = tile[threadIdx.x][threadIdx.y + k];
}

struct Item {
    char letter;
    double value;
    short list[3];
};

__global__ void items(int *out)
{
    __shared__ Item all[64];
    __shared__ int count;
    int t = threadIdx.x;
    if (!t) count = blockIdx.x;
    all[t].letter = 'a' + t % 26, all[t].value = t * 1.25;
    for (int k = 0; k < 3; k++) all[t].list[k] = -t * k;
    __syncthreads();
    const Item &o = all[63 - t];
    int bad = o.letter != 'a' + (63 - t) % 26 || o.value != (63 - t) * 1.25 || o.list[2] != -2 * (63 - t);
    atomicAdd(&count, bad);
    __syncthreads();
    if (!t) out[blockIdx.x] = count;
}

int main()
{
    float *from = shared_array<float>(N * N), *to = shared_array<float>(N * N);
    int *out = shared_array<int>(10);
    for (int k = 0; k < N * N; k++) from[k] = k;
    transpose<<<dim3(N / TILE, N / TILE), dim3(TILE, 8)>>>(to, from);
    items<<<10, 64>>>(out);
    MUST(cudaDeviceSynchronize());
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) CHECK(to[y * N + x] == x * N + y);
    for (int k = 0; k < 10; k++) CHECK(out[k] == k);
    return verdict();
}
