// Shortest paths between all pairs: Floyd-Warshall by steps with paths, and in blocks with three phases.
#include <climits>
#include <cuda_runtime.h>
#include <iostream>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
using namespace std;
#define INF 1000000000
#define N 64
#define TILE 16
#define __DEBUG 1

#define PERR(call)                                                             \
    if (call) {                                                                \
        fprintf(stderr, "%s:%d Error [%s] on " #call "\n", __FILE__, __LINE__, \
                cudaGetErrorString(cudaGetLastError()));                       \
        exit(1);                                                               \
    }
#define ERRCHECK                                                                                           \
    if (cudaPeekAtLastError()) {                                                                           \
        fprintf(stderr, "%s:%d Error [%s]\n", __FILE__, __LINE__, cudaGetErrorString(cudaGetLastError())); \
        exit(1);                                                                                           \
    }

__global__ void wake_gpu(int reps)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= reps) return;
}
__global__ void step(int u, int n, int *d, int *path)
{
    int v1 = blockDim.y * blockIdx.y + threadIdx.y, v2 = blockDim.x * blockIdx.x + threadIdx.x;
    if (v1 < n && v2 < n) {
        int newPath = d[v1 * n + u] + d[u * n + v2], oldPath = d[v1 * n + v2];
        if (oldPath > newPath) d[v1 * n + v2] = newPath, path[v1 * n + v2] = path[u * n + v2];
    }
}
template <int PHASE> __global__ void blocked(int k, int n, int *const graph)
{
    if (PHASE > 1 && (blockIdx.x == k || (PHASE == 3 && blockIdx.y == k))) return;
    const int by = PHASE == 1 ? k : PHASE == 2 ? (blockIdx.y ? (int)blockIdx.x : k) : (int)blockIdx.y;
    const int bx = PHASE == 1 ? k : PHASE == 2 ? (blockIdx.y ? k : (int)blockIdx.x) : (int)blockIdx.x;
    const int y = threadIdx.y, x = threadIdx.x;
    __shared__ int row[TILE][TILE], col[TILE][TILE];
    int *const cell = graph + (by * TILE + y) * n + bx * TILE + x;
    col[y][x] = graph[(by * TILE + y) * n + k * TILE + x];
    row[y][x] = graph[(k * TILE + y) * n + bx * TILE + x];
    int best = *cell;
    __syncthreads();
    for (int i = 0; i < TILE; i++) {
        best = min(best, col[y][i] + row[i][x]);
        if (PHASE == 3) continue;
        __syncthreads();
        if (PHASE == 1 || bx == k) col[y][x] = best;
        if (PHASE == 1 || by == k) row[y][x] = best;
        __syncthreads();
    }
    *cell = best;
}

int main(int argc, char **argv)
{
    const int n = N;
    vector<int> g(n * n, INF), want, got(n * n), path(n * n), tiles(n * n);
    srand(42);
    for (int i = 0; i < n; i++) {
        g[i * n + i] = 0;
        for (int k = 0; k < 4; k++) g[i * n + rand() % n] = rand() % 100 + 1;
        g[i * n + i] = 0;
    }
    int *d, *p, *b;
    PERR(cudaMalloc(&d, n * n * sizeof(int)));
    PERR(cudaMalloc(&p, n * n * sizeof(int)));
    PERR(cudaMalloc(&b, n * n * sizeof(int)));
    for (int i = 0; i < n * n; i++) path[i] = i / n;
    PERR(cudaMemcpy(d, g.data(), n * n * sizeof(int), cudaMemcpyHostToDevice));
    PERR(cudaMemcpy(p, path.data(), n * n * sizeof(int), cudaMemcpyHostToDevice));
    PERR(cudaMemcpy(b, d, n * n * sizeof(int), cudaMemcpyDeviceToDevice));
    wake_gpu<<<1, 32>>>(32);
    ERRCHECK;
    for (int u = 0; u < n; u++) step<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(u, n, d, p);
    ERRCHECK
    const int round = n / TILE;
    const dim3 block(TILE, TILE);
    for (int k = 0; k < round; k++) {
        blocked<1><<<1, block>>>(k, n, b);
        blocked<2><<<dim3(round, 2), block>>>(k, n, b);
        blocked<3><<<dim3(round, round), block>>>(k, n, b);
    }
    ERRCHECK
    PERR(cudaMemcpy(got.data(), d, n * n * sizeof(int), cudaMemcpyDeviceToHost));
    PERR(cudaMemcpy(path.data(), p, n * n * sizeof(int), cudaMemcpyDeviceToHost));
    PERR(cudaMemcpy(tiles.data(), b, n * n * sizeof(int), cudaMemcpyDeviceToHost));
    want = g;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) want[i * n + j] = min(want[i * n + j], want[i * n + k] + want[k * n + j]);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            wrong += got[i * n + j] != want[i * n + j];
            wrong += tiles[i * n + j] != want[i * n + j];
            if (i == j || want[i * n + j] >= INF) continue;
            const int before = path[i * n + j];  // the way's last edge
            wrong += want[i * n + before] + g[before * n + j] != want[i * n + j];
        }
    cout << "distance 0 -> " << n - 1 << ": " << got[n - 1] << ", " << wrong << " wrong" << endl;
    cout << (wrong ? "FAILED" : "PASSED") << endl;
    return wrong;
}
