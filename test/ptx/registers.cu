// registers.cu: three kernels that are unrolled, in 200 configurations: how many registers each gets from ptxas is put
// beside ours (tools/registers.sh). 1 to 64 items a thread.
#define BY_ITEMS(M, ...) \
    M(1, __VA_ARGS__)    \
    M(2, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__) M(32, __VA_ARGS__) M(64, __VA_ARGS__)

// A polynomial of each of ITEMS numbers, a block apart.
template <typename T, int ITEMS, int DEGREE> __device__ __forceinline__ void powers(const T *in, T *out, int n)
{
    int first = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        int i = first + k * blockDim.x;
        if (i >= n) return;
        T x = in[i], sum = T(1);
#pragma unroll
        for (int d = 0; d < DEGREE; d++) sum = sum * x + T(d);
        out[i] = sum;
    }
}
#define POWERS(items, type, degree)                                                                 \
    extern "C" __global__ void powers_##type##_##degree##_##items(const type *in, type *out, int n) \
    {                                                                                               \
        powers<type, items, degree>(in, out, n);                                                    \
    }
BY_ITEMS(POWERS, float, 1)
BY_ITEMS(POWERS, float, 4)
BY_ITEMS(POWERS, float, 9)
BY_ITEMS(POWERS, float, 20)
BY_ITEMS(POWERS, double, 1)
BY_ITEMS(POWERS, double, 4)
BY_ITEMS(POWERS, double, 9)
BY_ITEMS(POWERS, int, 1)
BY_ITEMS(POWERS, int, 4)
BY_ITEMS(POWERS, int, 9)

// X times Y sums of products, whose factors are read from shared memory.
template <int X, int Y, int DEEP> __device__ __forceinline__ void tile(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[DEEP][16 * Y], right[DEEP][16 * X];
    int tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx;
    float sum[Y][X] = {};
    for (int k = 0; k < n; k += DEEP) {
        for (int q = id; q < DEEP * 16 * Y; q += 256)
            left[q / (16 * Y)][q % (16 * Y)] = a[(k + q / (16 * Y)) * n + blockIdx.y * 16 * Y + q % (16 * Y)];
        for (int q = id; q < DEEP * 16 * X; q += 256)
            right[q / (16 * X)][q % (16 * X)] = b[(k + q / (16 * X)) * n + blockIdx.x * 16 * X + q % (16 * X)];
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEEP; d++)
#pragma unroll
            for (int y = 0; y < Y; y++)
#pragma unroll
                for (int x = 0; x < X; x++) sum[y][x] += left[d][ty * Y + y] * right[d][tx * X + x];
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < Y; y++)
#pragma unroll
        for (int x = 0; x < X; x++)
            c[(blockIdx.y * 16 * Y + ty * Y + y) * n + blockIdx.x * 16 * X + tx * X + x] = sum[y][x];
}
#define TILE(x, y, deep)                                                                                \
    extern "C" __global__ void tile_##deep##_##x##_##y(const float *a, const float *b, float *c, int n) \
    {                                                                                                   \
        tile<x, y, deep>(a, b, c, n);                                                                   \
    }
#define TILES(y, deep) TILE(1, y, deep) TILE(2, y, deep) TILE(4, y, deep) TILE(8, y, deep)
#define ALL_TILES(deep) TILES(1, deep) TILES(2, deep) TILES(4, deep) TILES(8, deep)
ALL_TILES(4)
ALL_TILES(8)
ALL_TILES(16)

// X times Y sums of F by F neighbours, from a tile in shared memory.
template <int F, int X, int Y>
__device__ __forceinline__ void window(const float *in, const float *by, float *out, int w)
{
    __shared__ float t[8 * Y + F - 1][16 * X + F - 1];
    int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x * 16 * X, y0 = blockIdx.y * 8 * Y;
    for (int j = ty; j < 8 * Y + F - 1; j += 8)
        for (int i = tx; i < 16 * X + F - 1; i += 16) t[j][i] = in[(y0 + j) * w + bx + i];
    __syncthreads();
    float sum[Y][X] = {};
#pragma unroll
    for (int j = 0; j < F; j++)
#pragma unroll
        for (int i = 0; i < F; i++)
#pragma unroll
            for (int y = 0; y < Y; y++)
#pragma unroll
                for (int x = 0; x < X; x++) sum[y][x] += t[ty + y * 8 + j][tx + x * 16 + i] * by[j * F + i];
#pragma unroll
    for (int y = 0; y < Y; y++)
#pragma unroll
        for (int x = 0; x < X; x++) out[(y0 + ty + y * 8) * w + bx + tx + x * 16] = sum[y][x];
}
#define WINDOW(x, y, f)                                                                                    \
    extern "C" __global__ void window_##f##_##x##_##y(const float *in, const float *by, float *out, int w) \
    {                                                                                                      \
        window<f, x, y>(in, by, out, w);                                                                   \
    }
#define WINDOWS(y, f) WINDOW(1, y, f) WINDOW(2, y, f) WINDOW(4, y, f) WINDOW(8, y, f)
#define ALL_WINDOWS(f) WINDOWS(1, f) WINDOWS(2, f) WINDOWS(4, f) WINDOWS(8, f)
ALL_WINDOWS(3)
ALL_WINDOWS(5)
ALL_WINDOWS(7)
ALL_WINDOWS(9)
WINDOWS(1, 11)
WINDOWS(2, 11)
WINDOWS(1, 15)
WINDOWS(2, 15)
WINDOW(1, 1, 17)
WINDOW(2, 1, 17)
