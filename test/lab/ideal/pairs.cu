// Kernels with a planted cause, and each cured. N: elements of a row; a power of two.
#define N 1024
#define AT(i, j) ((i) * N + (j))

extern "C" __global__ void column_bad(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    b[AT(i, j)] = a[AT(i, j)] + 1;
}
extern "C" __global__ void column_good(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    b[AT(j, i)] = a[AT(j, i)] + 1;
}

// Every fourth word of an array of structures, and an array of its own.
struct Four {
    float x, y, z, w;
};
extern "C" __global__ void structures_bad(const Four *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i].y * 2;
}
extern "C" __global__ void structures_good(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i] * 2;
}

// Four neighbouring words a thread, one by one; and in turns of all threads.
extern "C" __global__ void chunks_bad(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) s += ((const volatile float *)a)[4 * i + k];
    b[i] = s;
}
extern "C" __global__ void chunks_good(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) s += ((const volatile float *)a)[k * n + i];
    b[i] = s;
}

// Sums of rows, a row or a column a thread.
extern "C" __global__ void rows_bad(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 256; k++) s += a[AT(i, k)];
    b[i] = s;
}
extern "C" __global__ void rows_good(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 256; k++) s += a[k * 4096 + i];
    b[i] = s;
}

// A stencil whose innermost axis isn't the threads'.
extern "C" __global__ void stencil_bad(const float *in, float *out)
{
    int j = blockIdx.y + 1, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= N - 1 || j >= N - 1) return;
    out[AT(i, j)] = in[AT(i, j)] + in[AT(i, j - 1)] + in[AT(i, j + 1)] + in[AT(i - 1, j)] + in[AT(i + 1, j)];
}
extern "C" __global__ void stencil_good(const float *in, float *out)
{
    int j = blockIdx.y + 1, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= N - 1 || j >= N - 1) return;
    out[AT(j, i)] = in[AT(j, i)] + in[AT(j, i - 1)] + in[AT(j, i + 1)] + in[AT(j - 1, i)] + in[AT(j + 1, i)];
}

// A tile that is read by columns; with a word behind each row.
template <int PAD> static __device__ void tile(const float *a, float *b)
{
    __shared__ float t[32][32 + PAD];
    float s = 0;
    for (int k = 0; k < 32; k++) {
        t[threadIdx.y][threadIdx.x] = a[(blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x] + k;
        __syncthreads();
        s += t[threadIdx.x][threadIdx.y];
        __syncthreads();
    }
    b[(blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x] = s;
}
extern "C" __global__ void tile_bad(const float *a, float *b) { tile<0>(a, b); }
extern "C" __global__ void tile_good(const float *a, float *b) { tile<1>(a, b); }

// Words of shared memory at a distance of eight, and side by side.
template <int STEP> static __device__ void steps(const float *a, float *b)
{
    __shared__ float t[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) t[k] = a[k];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 64; k++) s += t[(threadIdx.x * STEP + k) & 2047];
    b[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
extern "C" __global__ void steps_bad(const float *a, float *b) { steps<8>(a, b); }
extern "C" __global__ void steps_good(const float *a, float *b) { steps<1>(a, b); }

// Halves of each warp go different ways, and whole warps do.
static __device__ float way(float x, int which)
{
    if (which)
        for (int k = 0; k < 100; k++) x = x * 1.5f + 0.25f, x = x * x - 1;
    else
        for (int k = 0; k < 100; k++) x = x * 0.5f - 0.75f, x = x * x + 2;
    return x;
}
extern "C" __global__ void ways_bad(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = way(a[i], i & 1);
}
extern "C" __global__ void ways_good(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = way(a[i], i & 32);
}

// One lane of four has work; the same work in whole warps.
extern "C" __global__ void few_bad(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (!(i & 3))
        for (int k = 0; k < 200; k++) x = x * 1.5f + 0.25f, x = x * x - 1;
    b[i] = x;
}
extern "C" __global__ void few_good(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (blockIdx.x < 68)
        for (int k = 0; k < 200; k++) x = x * 1.5f + 0.25f, x = x * x - 1;
    b[i] = x;
}

// 96 values at once, with registers for 64 and for all.
extern "C" __global__ void spills(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r[96], s = 0;
#pragma unroll
    for (int k = 0; k < 96; k++) r[k] = a[i + k * 256];
#pragma unroll 1
    for (int turn = 0; turn < 16; turn++) {
#pragma unroll
        for (int k = 0; k < 96; k++) r[k] = r[k] * 0.5f + r[(k * 37 + 11) % 96];
    }
#pragma unroll
    for (int k = 0; k < 96; k++) s += r[k];
    b[i] = s;
}

// Tiles of halves, in rows of 32 of them and with 8 behind each row, as ldmatrix reads them.
template <int ROW> static __device__ void halves(const float *a, float *b)
{
    __shared__ __align__(16) unsigned short t[64 * ROW];
    for (int k = threadIdx.x; k < 64 * ROW; k += blockDim.x) t[k] = (unsigned short)a[k & 1023];
    __syncthreads();
    unsigned sum = 0, r0, r1, r2, r3;
    const unsigned base = (unsigned)__cvta_generic_to_shared(t), lane = threadIdx.x & 31;
    for (int k = 0; k < 128; k++) {
        const unsigned at = base + ((lane & 15) + 16 * (k & 3)) * ROW * 2 + (lane >> 4) * 16;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                     : "r"(at));
        sum += r0 ^ r1 ^ r2 ^ r3;
    }
    b[blockIdx.x * blockDim.x + threadIdx.x] = (float)sum;
}
extern "C" __global__ void halves_bad(const float *a, float *b) { halves<32>(a, b); }
extern "C" __global__ void halves_good(const float *a, float *b) { halves<40>(a, b); }
