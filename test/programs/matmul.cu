// A product of matrices by tiles in shared memory, with sizes that no tile divides, in float and in double. Elements
// are small integers, so that each sum is exact.
#include "check.cuh"

enum { TILE = 16 };

template <typename T> __global__ void multiply(T *c, const T *a, const T *b, int m, int n, int inner)
{
    __shared__ T left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    T sum = 0;
    for (int at = 0; at < inner; at += TILE) {
        left[y][x] = row < m && at + x < inner ? a[row * inner + at + x] : 0;
        right[y][x] = column < n && at + y < inner ? b[(at + y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

template <typename T> static void test(int m, int n, int inner)
{
    T *a = shared_array<T>(m * inner), *b = shared_array<T>(inner * n), *c = shared_array<T>(m * n);
    for (int k = 0; k < m * inner; k++) a[k] = k % 7 - 3;
    for (int k = 0; k < inner * n; k++) b[k] = k % 5 - 2;
    multiply<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(c, a, b, m, n, inner);
    MUST(cudaDeviceSynchronize());
    for (int y = 0; y < m; y++)
        for (int x = 0; x < n; x++) {
            T sum = 0;
            for (int k = 0; k < inner; k++) sum += a[y * inner + k] * b[k * n + x];
            CHECK(c[y * n + x] == sum);
        }
}

int main()
{
    test<float>(50, 37, 41), test<double>(17, 64, 30), test<int>(1, 1, 100);
    return verdict();
}
