// Numbers of 8 bits: every one of both formats by the formats' definition, and every half, and doubles beside them, by
// a search for the nearest number; on the host, on the device, and in words of two and four.
#include "../../programs/check.cuh"

#include <cmath>
#include <cstdint>
#include <cuda_fp8.h>

typedef __nv_fp8_interpretation_t Format;

static bool is_nan(Format f, unsigned bits) { return (bits & 0x7f) > (f == __NV_E4M3 ? 0x7eu : 0x7cu); }
static double value(Format f, unsigned bits)
{
    const int F = f == __NV_E4M3 ? 3 : 2, bias = f == __NV_E4M3 ? 7 : 15;
    const int e = (bits & 0x7f) >> F, m = bits & ((1 << F) - 1);
    if (f == __NV_E5M2 && e == 31) return m ? NAN : bits & 0x80 ? -INFINITY : INFINITY;
    if (f == __NV_E4M3 && (bits & 0x7f) == 0x7f) return NAN;
    const double size = e ? ldexp((1 << F) + m, e - bias - F) : ldexp(m, 1 - bias - F);
    return bits & 0x80 ? -size : size;
}

// The nearest number, the even one of two; too large: `large`, which stands where the next number would.
static unsigned nearest(Format f, double x, bool finite)
{
    const unsigned most = f == __NV_E4M3 ? 0x7e : 0x7b, sign = std::signbit(x) ? 0x80 : 0;
    if (x != x) return 0x7f;
    const double a = std::fabs(x), last = value(f, most), step = last - value(f, most - 1);
    if (a >= last + step / 2) return sign | (finite ? most : most + 1);
    unsigned best = 0;
    for (unsigned b = 1; b <= most; b++) {
        const double d = std::fabs(value(f, b) - a), was = std::fabs(value(f, best) - a);
        if (d < was || (d == was && !(b & 1))) best = b;
    }
    return sign | best;
}

struct Made {
    unsigned char of_half[2][2], of_double[2][2], of_float[2][2], single[2], of_bfloat16[2];
    unsigned short two[2];
    unsigned four[2];
};
// One argument in all the ways; both formats, with and without infinity.
static __host__ __device__ void make(__half h, double d, Made *to)
{
    const __half_raw raw = h;
    for (int f = 0; f < 2; f++) {
        for (int s = 0; s < 2; s++) {
            to->of_half[f][s] = __nv_cvt_halfraw_to_fp8(raw, (__nv_saturation_t)s, (Format)f);
            to->of_double[f][s] = __nv_cvt_double_to_fp8(d, (__nv_saturation_t)s, (Format)f);
            to->of_float[f][s] = __nv_cvt_float_to_fp8((float)d, (__nv_saturation_t)s, (Format)f);
        }
    }
    const float x = __half2float(h);
    const __nv_bfloat16 b = __float2bfloat16(x);
    to->single[0] = __nv_fp8_e4m3(h).__x, to->single[1] = __nv_fp8_e5m2(h).__x;
    to->of_bfloat16[0] = __nv_fp8_e4m3(b).__x, to->of_bfloat16[1] = __nv_fp8_e5m2(b).__x;
    to->two[0] = __nv_fp8x2_e4m3(make_float2(1, x)).__x, to->two[1] = __nv_fp8x2_e5m2(__half2(h, __half(2.0f))).__x;
    to->four[0] = __nv_fp8x4_e4m3(make_float4(x, 1, 2, x)).__x;
    to->four[1] = __nv_fp8x4_e5m2(__half2(h, h), __half2(__half(1.0f), h)).__x;
}
struct Read {
    float wide[2], two[2], four[2];
    double d[2];
    unsigned short half[2];
    int whole[2];
    unsigned char byte[2];
};
static __host__ __device__ void read(unsigned bits, Read *to)
{
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    a.__x = b.__x = (unsigned char)bits;
    to->wide[0] = float(a), to->wide[1] = float(b), to->d[0] = double(a), to->d[1] = double(b);
    to->half[0] = __half_as_ushort(__half(a)), to->half[1] = __half_as_ushort(__half(b));
    to->whole[0] = int(a), to->whole[1] = int(b), to->byte[0] = (unsigned char)a, to->byte[1] = (unsigned char)b;
    __nv_fp8x2_e4m3 two;
    __nv_fp8x4_e5m2 four;
    two.__x = (unsigned short)(bits << 8 | 0x38), four.__x = bits << 16;
    to->two[0] = float2(two).x, to->two[1] = __high2float(__half2(two));
    to->four[0] = float4(four).x, to->four[1] = float4(four).z;
}

static __host__ __device__ double beside(unsigned h) { return (double)__half2float(__ushort_as_half(h)) * 1.0000001; }
__global__ void make_all(Made *to)
{
    const unsigned h = blockIdx.x * blockDim.x + threadIdx.x;
    make(__ushort_as_half((unsigned short)h), beside(h), to + h);
}
__global__ void read_all(Read *to) { read(threadIdx.x, to + threadIdx.x); }

static bool same(double a, double b) { return a == b || (a != a && b != b); }
static void check_made(unsigned h, const Made *m)
{
    const double x = __half2float(__ushort_as_half((unsigned short)h)), d = beside(h);
    for (int f = 0; f < 2; f++) {
        unsigned end = 0;
        for (int s = 0; s < 2; s++) {
            end = nearest((Format)f, x, s);
            CHECK(m->of_half[f][s] == end);
            CHECK(m->of_double[f][s] == nearest((Format)f, d, s));
            CHECK(m->of_float[f][s] == nearest((Format)f, (float)d, s));
        }
        CHECK(m->single[f] == end);
        CHECK(m->of_bfloat16[f] == nearest((Format)f, __bfloat162float(__float2bfloat16((float)x)), true));
        if (f == 0) CHECK(m->two[0] == (0x38 | end << 8) && m->four[0] == (end | 0x38 << 8 | 0x40 << 16 | end << 24));
        if (f == 1) CHECK(m->two[1] == (end | 0x40 << 8) && m->four[1] == (end | end << 8 | 0x3c << 16 | end << 24));
    }
}
static void check_read(unsigned bits, const Read *r)
{
    for (int f = 0; f < 2; f++) {
        const double x = value((Format)f, bits);
        CHECK(is_nan((Format)f, bits) == (x != x));
        CHECK(same(r->wide[f], x) && same(r->d[f], x));
        CHECK(same(__half2float(__ushort_as_half(r->half[f])), x));
        CHECK(r->whole[f] == (x != x ? 0 : x > 1e9 ? INT32_MAX : x < -1e9 ? INT32_MIN : (int)x));
        CHECK(r->byte[f] == (x >= 255 ? 255 : x > 0 ? (int)x : 0));
    }
    CHECK(r->two[0] == 1 && same(r->two[1], value(__NV_E4M3, bits)));
    CHECK(r->four[0] == 0 && same(r->four[1], value(__NV_E5M2, bits)));
}

int main()
{
    Made *made = shared_array<Made>(65536);
    Read *all = shared_array<Read>(256);
    make_all<<<256, 256>>>(made);
    read_all<<<1, 256>>>(all);
    MUST(cudaDeviceSynchronize());
    for (unsigned h = 0; h < 65536; h++) {
        Made host;
        make(__ushort_as_half((unsigned short)h), beside(h), &host);
        if (h % 7 == 0) check_made(h, &host), check_made(h, made + h);
    }
    for (unsigned b = 0; b < 256; b++) {
        Read host;
        read(b, &host);
        check_read(b, &host), check_read(b, all + b);
    }
    return verdict();
}
