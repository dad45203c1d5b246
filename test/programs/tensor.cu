// Products of matrices by tensor instructions: tiles in shared memory that ldmatrix and mma.sync multiply, written as
// PTX; and CUDA's own functions (nvcuda::wmma) with each type and order, whose fragments are also scaled in place.
// Elements are small integers, so that each sum is exact.
#include "check.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <type_traits>

using namespace nvcuda;
enum { SIZE = 64, WARPS = 4, STRIDE = 48 };

__device__ static unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// Each of four warps makes 16 rows of C, eight columns at a time; B lies by columns.
__global__ void multiply(float *c, const __half *a, const __half *b)
{
    __shared__ __align__(16) __half left[SIZE][SIZE + 8], right[SIZE][SIZE + 8];
    for (int k = threadIdx.x; k < SIZE * SIZE; k += blockDim.x) {
        left[k / SIZE][k % SIZE] = a[k];
        right[k / SIZE][k % SIZE] = b[k];
    }
    __syncthreads();
    int lane = threadIdx.x % 32, top = threadIdx.x / 32 * 16;
    for (int column = 0; column < SIZE; column += 8) {
        float sum[4] = {};
        for (int k = 0; k < SIZE; k += 16) {
            unsigned x[4], y[2];
            asm("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                : "r"(at(&left[top + lane % 16][k + lane / 16 * 8])));
            asm("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                : "=r"(y[0]), "=r"(y[1])
                : "r"(at(&right[column + lane % 8][k + lane / 8 % 2 * 8])));
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        }
        for (int i = 0; i < 4; i++)
            c[(top + lane / 4 + i / 2 * 8) * SIZE + column + lane % 4 * 2 + i % 2] = sum[i];
    }
}

static void test_mma()
{
    float *c = shared_array<float>(SIZE * SIZE);
    __half *a, *b;
    MUST(cudaMallocManaged(&a, SIZE * SIZE * sizeof *a));
    MUST(cudaMallocManaged(&b, SIZE * SIZE * sizeof *b));
    for (int k = 0; k < SIZE * SIZE; k++) a[k] = __float2half(k % 7 - 3), b[k] = __float2half(k % 5 - 2);
    multiply<<<1, 32 * WARPS>>>(c, a, b);
    MUST(cudaDeviceSynchronize());
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            float sum = 0;
            for (int k = 0; k < SIZE; k++) sum += ((y * SIZE + k) % 7 - 3) * ((x * SIZE + k) % 5 - 2);
            CHECK(c[y * SIZE + x] == sum);
        }
}

// One warp: D = 2 A · B + C, the factor put on A's fragment. From global memory, or by way of shared memory.
template <int M, int N, int K, typename T, typename S, typename LA, typename LB, typename V>
__global__ void product(S *d, const V *a, const V *b, const S *c, bool rows, bool shared)
{
    extern __shared__ __align__(32) char tile[];
    V *own = (V *)tile;
    if (shared) {
        for (int k = threadIdx.x; k < 32 * STRIDE; k += 32) own[k] = a[k];
        __syncwarp();
    }
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> x;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> y;
    wmma::fragment<wmma::accumulator, M, N, K, S> z;
    wmma::layout_t how = rows ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(x, shared ? own : a, STRIDE);
    wmma::load_matrix_sync(y, b, STRIDE);
    wmma::load_matrix_sync(z, c, STRIDE, how);
    for (int k = 0; k < x.num_elements; k++) x.x[k] = (V)((float)x.x[k] * 2.0f);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(d, z, STRIDE, how);
}

template <typename S, typename V>
static void compare(const S *d, const V *a, const V *b, const S *c, int m, int n, int inner, bool a_rows, bool b_rows,
                    bool rows)
{
    for (int y = 0; y < m; y++)
        for (int x = 0; x < n; x++) {
            int place = rows ? y * STRIDE + x : x * STRIDE + y;
            float sum = (float)c[place];
            for (int k = 0; k < inner; k++)
                sum += 2 * (float)a[a_rows ? y * STRIDE + k : k * STRIDE + y] *
                       (float)b[b_rows ? k * STRIDE + x : x * STRIDE + k];
            CHECK((float)d[place] == sum);
        }
}

template <int M, int N, int K, typename T, typename S, typename V, bool AR, bool BR> static void test_layout()
{
    using LA = std::conditional_t<AR, wmma::row_major, wmma::col_major>;
    using LB = std::conditional_t<BR, wmma::row_major, wmma::col_major>;
    S *c = shared_array<S>(32 * STRIDE), *d = shared_array<S>(32 * STRIDE);
    V *a, *b;
    MUST(cudaMallocManaged(&a, 32 * STRIDE * sizeof *a));
    MUST(cudaMallocManaged(&b, 32 * STRIDE * sizeof *b));
    for (int k = 0; k < 32 * STRIDE; k++)
        a[k] = (V)(float)(k % 7), b[k] = (V)(float)(k % 5), c[k] = (S)(float)(k % 11);
    for (int form = 0; form < 4; form++) {
        product<M, N, K, T, S, LA, LB, V><<<1, 32, 32 * STRIDE * sizeof(V)>>>(d, a, b, c, form & 1, form & 2);
        MUST(cudaDeviceSynchronize());
        compare(d, a, b, c, M, N, K, AR, BR, form & 1);
    }
}

int main()
{
    test_mma();
    test_layout<16, 16, 16, __half, float, __half, true, true>();
    test_layout<16, 16, 16, __half, __half, __half, false, true>();
    test_layout<8, 32, 16, __half, float, __half, true, false>();
    test_layout<32, 8, 16, __half, float, __half, false, false>();
    test_layout<8, 32, 16, __nv_bfloat16, float, __nv_bfloat16, false, true>();
    test_layout<32, 8, 16, signed char, int, signed char, true, true>();
    test_layout<8, 32, 16, unsigned char, int, unsigned char, false, false>();
    test_layout<16, 16, 8, wmma::precision::tf32, float, float, false, true>();
    test_layout<8, 8, 4, double, double, double, true, false>();
    return verdict();
}
