// Functions and intrinsics for floats: exact ones to the bit, in each rounding; others within the errors that the CUDA
// C++ Programming Guide gives in units in the last place ("Mathematical Functions").
#include "check.cuh"

#include <cmath>

__global__ void exact(float *o, float a, float b, float c)
{
    o[0] = a / b, o[1] = sqrtf(a), o[2] = fmaf(a, b, c), o[3] = __fadd_rn(a, b), o[4] = __fmul_rn(a, c);
    o[5] = __fadd_ru(a, c) - __fadd_rd(a, c), o[6] = __fdiv_rz(a, b), o[7] = __frcp_rn(b), o[8] = __fsqrt_rn(b);
    o[9] = fminf(a, NAN), o[10] = fmaxf(-0.f, c), o[11] = copysignf(a, -1), o[12] = ldexpf(a, 5),
    o[13] = scalbnf(b, -3);
    o[14] = floorf(-a), o[15] = rintf(2.5f), o[16] = roundf(2.5f), o[17] = truncf(-2.7f), o[18] = fmodf(a * 9, b);
    o[19] = __int2float_rn(16777217), o[20] = __int2float_ru(16777217), o[21] = __float2int_rn(2.5f);
    o[22] = __float2int_rd(-2.5f), o[23] = __float2uint_rz(-3.f), o[24] = (int)(a * 1e20f) == 2147483647;
    o[25] = __float_as_int(1.f) == 0x3f800000, o[26] = isnan(sqrtf(-a)), o[27] = __saturatef(a), o[28] = signbit(-c);
    o[29] = fdimf(a, b), o[30] = remainderf(a, b), o[31] = nextafterf(1.f, 2.f);
}

__global__ void near(float *o, float x)
{
    o[0] = expf(x), o[1] = logf(x), o[2] = sinf(x), o[3] = cosf(x), o[4] = tanhf(x), o[5] = powf(x, 1.7f);
    o[6] = exp2f(x), o[7] = log2f(x), o[8] = atanf(x), o[9] = erff(x), o[10] = cbrtf(x), o[11] = rsqrtf(x);
    o[12] = atan2f(x, 2.f), o[13] = sinhf(x), o[14] = log1pf(x), o[15] = hypotf(x, 3.f), o[16] = tanf(x);
}

int main()
{
    float *o = shared_array<float>(32), a = 7.3f, b = 1.9f, c = 1e-7f;
    exact<<<1, 1>>>(o, a, b, c);
    MUST(cudaDeviceSynchronize());
    float rounded = a / b, down = (double)rounded * b > a ? std::nextafter(rounded, 0.f) : rounded;
    // clang-format off
    const float right[] = {
        a / b, std::sqrt(a), std::fma(a, b, c), a + b, a * c, std::nextafter(a, 9.f) - a, down, 1 / b,
        std::sqrt(b), a, c, -a, a * 32, b / 8, -8, 2, 3, -2, std::fmod(a * 9, b), 16777216, 16777218,
        2, -3, 0, 1, 1, 1, 1, 1, a - b, std::remainder(a, b), 1 + 0x1p-23f};
    // clang-format on
    for (int k = 0; k < 32; k++) CHECK(o[k] == right[k]);
    for (float x = 0.1f; x < 9; x += 0.37f) {
        double d = x;
        near<<<1, 1>>>(o, x);
        MUST(cudaDeviceSynchronize());
        const double r[] = {exp(d),       log(d),  sin(d),   cos(d),       tanh(d), pow(d, (double)1.7f),
                            exp2(d),      log2(d), atan(d),  erf(d),       cbrt(d), 1 / sqrt(d),
                            atan2(d, 2.), sinh(d), log1p(d), hypot(d, 3.), tan(d)};
        const float ulp[] = {1, 1, 2, 2, 2, 4, 2, 1, 2, 2, 1, 2, 3, 3, 1, 3, 4};
        for (int k = 0; k < 17; k++) {
            double unit = std::nextafter(std::fabs((float)r[k]), INFINITY) - std::fabs((float)r[k]);
            CHECK(std::fabs(o[k] - r[k]) <= (ulp[k] + 0.5) * unit);
        }
    }
    return verdict();
}
