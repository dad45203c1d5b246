// Products of matrices by warpgroups (wgmma of sm_90a), written as PTX: A in shared memory, swizzled by 128 bytes, and
// B there by rows, swizzled by 64; and A in registers, with B by columns and not swizzled. Elements are small integers,
// so that each sum is exact.
#include "check.cuh"
#include <cuda_fp16.h>

enum { ROWS = 128, COLUMNS = 64, DEEP = 192, TILE_M = 64, TILE_N = 32, TILE_K = 64 };

__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// Offsets in bytes; swizzle: 0 none, 1 of 128 bytes, 2 of 64
__device__ static unsigned long long describe(unsigned start, unsigned lead, unsigned stride, unsigned swizzle)
{
    return (start & 0x3ffff) >> 4 | (unsigned long long)(lead >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 |
           (unsigned long long)swizzle << 62;
}

#define SUMS(c)                                                                                                      \
    "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]),      \
        "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15])
#define LIST "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"

__device__ static void begin()
{
    asm volatile("fence.proxy.async;\nwgmma.fence.sync.aligned;" ::: "memory");
}
__device__ static void end()
{
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// A lane has rows lane / 4 and 8 more, and pairs of columns.
__device__ static void put(float *out, const float *c)
{
    int lane = threadIdx.x % 32, row = blockIdx.y * TILE_M + threadIdx.x / 32 * 16 + lane / 4;
    int column = blockIdx.x * TILE_N + lane % 4 * 2;
    for (int k = 0; k < 16; k++)
        out[(row + k / 2 % 2 * 8) * COLUMNS + column + k / 4 * 8 + k % 2] = c[k];
}

__global__ void from_memory(float *out, const __half *a, const __half *b)
{
    __shared__ __align__(1024) char left[TILE_M * TILE_K * 2], right[TILE_K * TILE_N * 2];
    float c[16] = {};
    for (int first = 0; first < DEEP; first += TILE_K) {
        __syncthreads();
        for (int n = threadIdx.x; n < TILE_M * TILE_K; n += 128) {
            int row = n / TILE_K, k = n % TILE_K;
            *(__half *)(left + row * 128 + (k / 8 ^ row % 8) * 16 + k % 8 * 2) =
                a[(blockIdx.y * TILE_M + row) * DEEP + first + k];
        }
        for (int n = threadIdx.x; n < TILE_K * TILE_N; n += 128) {
            int k = n / TILE_N, column = n % TILE_N;
            *(__half *)(right + k * 64 + (column / 8 ^ k / 2 % 4) * 16 + column % 8 * 2) =
                b[(first + k) * COLUMNS + blockIdx.x * TILE_N + column];
        }
        __syncthreads();
        begin();
        for (int k = 0; k < TILE_K; k += 16)
            asm volatile("{.reg .pred p;\nsetp.ne.b32 p, %18, 0;\n"
                         "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " LIST ", %16, %17, p, 1, -1, 0, 1;\n}"
                         : SUMS(c)
                         : "l"(describe(at(left) + 2 * k, 16, 1024, 1)), "l"(describe(at(right) + 64 * k, 16, 512, 2)),
                           "r"(first + k)
                         : "memory");
        end();
    }
    put(out, c);
}

__global__ void from_registers(float *out, const __half *a, const __half *b)
{
    __shared__ __align__(128) char right[16 * TILE_N * 2];
    float c[16];
    for (int k = 0; k < 16; k++) c[k] = 1000;
    int lane = threadIdx.x % 32, row = blockIdx.y * TILE_M + threadIdx.x / 32 * 16 + lane / 4;
    for (int first = 0; first < DEEP; first += 16) {
        __syncthreads();
        for (int n = threadIdx.x; n < 16 * TILE_N; n += 128) {
            int k = n / TILE_N, column = n % TILE_N;
            *(__half *)(right + column / 8 * 256 + k / 8 * 128 + column % 8 * 16 + k % 8 * 2) =
                b[(first + k) * COLUMNS + blockIdx.x * TILE_N + column];
        }
        unsigned x[4];
        for (int k = 0; k < 4; k++)
            x[k] = *(const unsigned *)&a[(row + k % 2 * 8) * DEEP + first + k / 2 * 8 + lane % 4 * 2];
        __syncthreads();
        begin();
        asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " LIST
                     ", {%16, %17, %18, %19}, %20, 1, 1, 1, 0;"
                     : SUMS(c)
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(describe(at(right), 128, 256, 0))
                     : "memory");
        end();
    }
    put(out, c);
}

int main()
{
    float *one = shared_array<float>(ROWS * COLUMNS), *two = shared_array<float>(ROWS * COLUMNS);
    __half *a, *b;
    MUST(cudaMallocManaged(&a, ROWS * DEEP * sizeof *a));
    MUST(cudaMallocManaged(&b, DEEP * COLUMNS * sizeof *b));
    for (int k = 0; k < ROWS * DEEP; k++) a[k] = __float2half(k % 7 - 3);
    for (int k = 0; k < DEEP * COLUMNS; k++) b[k] = __float2half(k % 5 - 2);
    dim3 grid(COLUMNS / TILE_N, ROWS / TILE_M);
    from_memory<<<grid, 128>>>(one, a, b);
    from_registers<<<grid, 128>>>(two, a, b);
    MUST(cudaDeviceSynchronize());
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++) {
            float sum = 0;
            for (int k = 0; k < DEEP; k++) sum += ((y * DEEP + k) % 7 - 3) * ((k * COLUMNS + x) % 5 - 2);
            CHECK(one[y * COLUMNS + x] == -sum);
            CHECK(two[y * COLUMNS + x] == 1000 + sum);
        }
    return verdict();
}
