// Products of matrices by nvcuda::wmma beside sums that the host makes: every type, shape and order in memory, sums of
// another type than the addends, saturation of integers and floats, elements of four bits and of one, and fragments
// that are filled and scaled in place. Numbers are small, so that sums are exact.
#include "../../programs/check.cuh"

#include <cmath>
#include <cstdint>
#include <mma.h>
#include <type_traits>
using namespace nvcuda;

enum { LD = 40, ROOM = 40 * LD };

static uint32_t state = 1;
static uint32_t draw_bits()
{
    state = state * 1664525 + 1013904223;
    return state ^ state >> 15;
}
static int draw(int least, int most) { return least + (int)((draw_bits() >> 8) % (uint32_t)(most - least + 1)); }

// --- D = 3 A · B + C + 1, the factor put on A's fragment, the one on D's --------------------------------------------
template <int M, int N, int K, class T, class E, class Td, class Tc, class La, class Lb>
__global__ void product(Td *d, const E *a, const E *b, const Tc *c, wmma::layout_t dl, wmma::layout_t cl)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, La> af;
    wmma::fragment<wmma::matrix_b, M, N, K, T, Lb> bf;
    wmma::fragment<wmma::accumulator, M, N, K, Tc> cf;
    wmma::fragment<wmma::accumulator, M, N, K, Td> df, one;
    wmma::fill_fragment(df, (Td)7.0f);
    wmma::fill_fragment(one, (Td)1.0f);
    wmma::load_matrix_sync(af, a, LD);
    wmma::load_matrix_sync(bf, b, LD);
    wmma::load_matrix_sync(cf, c, LD, cl);
    for (int k = 0; k < af.num_elements; k++) af.x[k] = (E)((float)af.x[k] * 3.0f);
    wmma::mma_sync(df, af, bf, cf);
    for (int k = 0; k < df.num_elements; k++) df.x[k] = (Td)((float)df.x[k] + (float)one.x[k]);
    wmma::store_matrix_sync(d, df, LD, dl);
}

static int place(bool rows, int y, int x) { return rows ? y * LD + x : x * LD + y; }
template <int M, int N, int K, class T, class E, class Td, class Tc, bool ar, bool br>
static void test(int least, int most)
{
    using La = std::conditional_t<ar, wmma::row_major, wmma::col_major>;
    using Lb = std::conditional_t<br, wmma::row_major, wmma::col_major>;
    E *a = shared_array<E>(ROOM), *b = shared_array<E>(ROOM);
    Tc *c = shared_array<Tc>(ROOM);
    Td *d = shared_array<Td>(ROOM);
    for (int k = 0; k < ROOM; k++) {
        a[k] = (E)(float)draw(least, most), b[k] = (E)(float)draw(least, most);
        c[k] = (Tc)(float)draw(-90, 90);
    }
    for (int form = 0; form < 4; form++) {
        const bool dr = form & 1, cr = form & 2;
        for (int k = 0; k < ROOM; k++) d[k] = (Td)(float)-1234;
        product<M, N, K, T, E, Td, Tc, La, Lb><<<1, 32>>>(d, a, b, c, dr ? wmma::mem_row_major : wmma::mem_col_major,
                                                          cr ? wmma::mem_row_major : wmma::mem_col_major);
        MUST(cudaGetLastError());
        MUST(cudaDeviceSynchronize());
        int inside = 0;
        for (int y = 0; y < M; y++)
            for (int x = 0; x < N; x++, inside++) {
                double sum = 1 + (double)(float)c[place(cr, y, x)];
                for (int k = 0; k < K; k++)
                    sum += 3.0 * (double)(float)a[place(ar, y, k)] * (double)(float)b[place(br, k, x)];
                CHECK((double)(float)d[place(dr, y, x)] == sum);
            }
        for (int k = 0; k < ROOM; k++) inside += (float)d[k] == -1234;
        CHECK(inside == ROOM);  // no other place was written
    }
    MUST(cudaFree(a)), MUST(cudaFree(b)), MUST(cudaFree(c)), MUST(cudaFree(d));
}
template <int M, int N, int K, class T, class E, class Td, class Tc> static void test_orders(int least, int most)
{
    test<M, N, K, T, E, Td, Tc, true, true>(least, most), test<M, N, K, T, E, Td, Tc, true, false>(least, most);
    test<M, N, K, T, E, Td, Tc, false, true>(least, most), test<M, N, K, T, E, Td, Tc, false, false>(least, most);
}

// --- saturation ----------------------------------------------------------------------------------------------------
template <class T, class S> __global__ void saturate(S *d, const T *a, const T *b, const S *c, bool satf)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> af;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> bf;
    wmma::fragment<wmma::accumulator, 16, 16, 16, S> f;
    wmma::load_matrix_sync(af, a, 16);
    wmma::load_matrix_sync(bf, b, 16);
    wmma::load_matrix_sync(f, c, 16, wmma::mem_row_major);
    wmma::mma_sync(f, af, bf, f, satf);
    wmma::store_matrix_sync(d, f, 16, wmma::mem_row_major);
}
static void test_saturated_ints()
{
    signed char *a = shared_array<signed char>(256), *b = shared_array<signed char>(256);
    int *c = shared_array<int>(256), *d = shared_array<int>(256);
    for (int k = 0; k < 256; k++) {
        a[k] = (signed char)draw(-128, 127), b[k] = (signed char)draw(-128, 127);
        c[k] = k % 3 ? k % 3 == 1 ? INT32_MAX - k : INT32_MIN + k : k;
    }
    for (int satf = 0; satf < 2; satf++) {
        saturate<<<1, 32>>>(d, a, b, c, satf);
        MUST(cudaDeviceSynchronize());
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 16; x++) {
                int64_t sum = c[y * 16 + x];
                for (int k = 0; k < 16; k++) sum += a[y * 16 + k] * b[x * 16 + k];
                if (satf) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
                CHECK(d[y * 16 + x] == (int)(uint32_t)sum);
            }
    }
}
// Each element of D is 60000 · 2, or one without an end, or none that is a number, or 12.
template <class S> static void test_saturated_floats(float most)
{
    const float given[][3] = {{60000, 2, 120000}, {-60000, 2, -120000}, {INFINITY, 0, NAN}, {-INFINITY, 3, -INFINITY},
                              {INFINITY, 1, INFINITY}, {4, 3, 12}};
    __half *a = shared_array<__half>(256), *b = shared_array<__half>(256);
    S *c = shared_array<S>(256), *d = shared_array<S>(256);
    for (int y = 0; y < 16; y++) a[y * 16] = __float2half(given[y % 6][0]);  // others are 0
    for (int x = 0; x < 16; x++) b[x * 16] = __float2half(1);
    for (int n = 0; n < 6; n++) {
        for (int x = 0; x < 16; x++) b[x * 16] = __float2half(given[n][1]);
        for (int satf = 0; satf < 2; satf++) {
            saturate<<<1, 32>>>(d, a, b, c, satf);
            MUST(cudaDeviceSynchronize());
            for (int y = n; y < 16; y += 6)
                for (int x = 0; x < 16; x++) {
                    const float v = (float)d[y * 16 + x];
                    float want = given[n][2];
                    if (satf && want != want) want = 0;
                    if (std::fabs(want) > most) want = std::copysign(satf ? most : INFINITY, want);
                    CHECK(want != want ? v != v : v == want);
                }
        }
    }
}

// --- elements of less than a byte ------------------------------------------------------------------------------------
template <class T, class E> __global__ void few_bits(int *d, const E *a, const E *b, const int *c, bool satf)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 32, T, wmma::row_major> af;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, T, wmma::col_major> bf;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> f;
    wmma::load_matrix_sync(af, a, 64);
    wmma::load_matrix_sync(bf, b, 32);
    wmma::load_matrix_sync(f, c, 8, wmma::mem_row_major);
    wmma::mma_sync(f, af, bf, f, satf);
    wmma::store_matrix_sync(d, f, 8, wmma::mem_col_major);
    static_assert(af.num_elements == 8 && af.num_storage_elements == 1 && f.num_elements == 2, "");
}
template <class T, class E> static void test_few_bits(bool negative)
{
    E *a = shared_array<E>(64), *b = shared_array<E>(32);
    int *c = shared_array<int>(64), *d = shared_array<int>(64);
    for (int k = 0; k < 64; k++) a[k] = (E)draw_bits(), c[k] = k % 2 ? INT32_MAX - 9 : k;
    for (int k = 0; k < 32; k++) b[k] = (E)draw_bits();
    auto element = [=](const E *p, int n) {
        const int v = (int)((uint32_t)p[n / 8] >> n % 8 * 4 & 15);
        return negative && v > 7 ? v - 16 : v;
    };
    for (int satf = 0; satf < 2; satf++) {
        few_bits<T, E><<<1, 32>>>(d, a, b, c, satf);
        MUST(cudaDeviceSynchronize());
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) {
                int64_t sum = c[y * 8 + x];
                for (int k = 0; k < 32; k++) sum += element(a, y * 64 + k) * element(b, x * 32 + k);
                if (satf && sum > INT32_MAX) sum = INT32_MAX;
                CHECK(d[x * 8 + y] == (int)(uint32_t)sum);
            }
    }
}
__global__ void bits(int *d, const unsigned *a, const unsigned *b, const int *c, bool both)
{
    using wmma::experimental::precision::b1;
    wmma::fragment<wmma::matrix_a, 8, 8, 128, b1, wmma::row_major> af;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, b1, wmma::col_major> bf;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> f;
    wmma::load_matrix_sync(af, a, 128);
    wmma::load_matrix_sync(bf, b, 256);
    wmma::load_matrix_sync(f, c, 8, wmma::mem_row_major);
    if (both)
        wmma::bmma_sync(f, af, bf, f, wmma::experimental::bmmaBitOpAND);
    else
        wmma::bmma_sync(f, af, bf, f);
    wmma::store_matrix_sync(d, f, 8, wmma::mem_row_major);
}
static void test_bits()
{
    unsigned *a = shared_array<unsigned>(32), *b = shared_array<unsigned>(64);
    int *c = shared_array<int>(64), *d = shared_array<int>(64);
    for (int k = 0; k < 32; k++) a[k] = draw_bits();
    for (int k = 0; k < 64; k++) b[k] = draw_bits(), c[k] = k * 3;
    for (int both = 0; both < 2; both++) {
        bits<<<1, 32>>>(d, a, b, c, both);
        MUST(cudaDeviceSynchronize());
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) {
                int sum = c[y * 8 + x];
                for (int k = 0; k < 4; k++) {
                    const unsigned u = a[y * 4 + k], v = b[x * 8 + k];
                    sum += __builtin_popcount(both ? u & v : u ^ v);
                }
                CHECK(d[y * 8 + x] == sum);
            }
    }
}

// --- tf32: ten bits of the fraction, the nearer, and of two the one further from zero -------------------------------
__global__ void shorten(float *v) { v[threadIdx.x] = wmma::__float_to_tf32(v[threadIdx.x]); }
static void test_tf32()
{
    float *v = shared_array<float>(64), was[64];
    for (int k = 0; k < 64; k++) v[k] = was[k] = std::ldexp((float)(k % 2 ? -1 : 1) * (8192 + k * 37), k - 40);
    v[7] = was[7] = 1 + std::ldexp(1.0f, -11), v[8] = was[8] = -1 - std::ldexp(3.0f, -11);
    shorten<<<1, 64>>>(v);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 64; k++) {
        const double unit = std::ldexp(1.0, std::ilogb(was[k]) - 10);
        CHECK((double)v[k] == std::round((double)was[k] / unit) * unit);
    }
}

int main()
{
    test_orders<16, 16, 16, __half, __half, float, float>(-8, 8);
    test<8, 32, 16, __half, __half, __half, float, true, false>(-4, 4);
    test<32, 8, 16, __half, __half, float, __half, false, false>(-8, 8);
    test<16, 16, 16, __half, __half, __half, __half, false, true>(-4, 4);
    test<32, 8, 16, __half, __half, __half, __half, true, true>(-4, 4);
    test<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, float, true, true>(-8, 8);
    test_orders<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, float>(-8, 8);
    test<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float, float, false, true>(-8, 8);
    test<16, 16, 16, signed char, signed char, int, int, true, false>(-42, 42);
    test<8, 32, 16, signed char, signed char, int, int, false, true>(-42, 42);
    test_orders<32, 8, 16, unsigned char, unsigned char, int, int>(0, 85);
    test<16, 16, 16, unsigned char, unsigned char, int, int, false, false>(0, 85);
    test_orders<16, 16, 8, wmma::precision::tf32, float, float, float>(-200, 200);
    test_orders<8, 8, 4, double, double, double, double>(-500, 500);
    test_saturated_ints();
    test_saturated_floats<__half>(65504.0f), test_saturated_floats<float>(3.402823466e+38f);
    test_few_bits<wmma::experimental::precision::u4, unsigned>(false);
    test_few_bits<wmma::experimental::precision::s4, int>(true);
    test_bits();
    test_tf32();
    return verdict();
}
