// onchip/half_math.h: mathematical functions of the device whose results are rounded to half or bfloat16. Some are exact to
// 20 bits or so, by the device's approximate instructions where these are good enough and by series where they aren't.
#ifndef ONCHIP_HALF_MATH_H
#define ONCHIP_HALF_MATH_H

#include "../math_functions.h"
#include "narrow.h"

ONCHIP_FN float onchip_exp(float x) { return onchip_ex2(x * 1.44269504f); }
ONCHIP_FN float onchip_exp10(float x) { return onchip_ex2(x * 3.32192809f); }

// Near 1 the instruction's error is absolute: there the series of the inverse hyperbolic tangent of t.
ONCHIP_FN float onchip_log2(float x)
{
    if (!(x > 0.9f && x < 1.1f)) return onchip_lg2(x);
    const float t = (x - 1) / (x + 1), s = t * t;
    return t * (2.88539008f + s * (0.961796694f + s * (0.577078016f + s * 0.412198583f)));
}
ONCHIP_FN float onchip_log(float x) { return onchip_log2(x) * 0.693147181f; }
ONCHIP_FN float onchip_log10(float x) { return onchip_log2(x) * 0.301029996f; }

// x - n · π/2, with |x - n · π/2| up to π/4. Up to 65536, π/2 in three parts; beyond, the bits of 2/π that matter, since
// such a number is a bfloat16, eight bits times a power of two.
ONCHIP_FN float onchip_quarter_turns(float x, unsigned &n)
{
    if (__builtin_fabsf(x) <= 65536) {
        const float q = __builtin_rintf(x * 0.636619772f);
        n = (unsigned)(int)q;
        const float rough = __builtin_fmaf(q, -0x1.921fb6p+0f, x);
        return __builtin_fmaf(q, 0x1.ee59dap-50f, __builtin_fmaf(q, 0x1.777a5cp-25f, rough));
    }
    const unsigned two_over_pi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041};
    const unsigned bits = onchip_bits_of(x), e = bits >> 23 & 255, from = e - 136, word = from >> 5, shift = from & 31;
    n = 0;
    if (e == 255) return x - x;  // NaN
    const unsigned long long high = (unsigned long long)two_over_pi[word] << 32 | two_over_pi[word + 1];
    const unsigned long long window = shift ? high << shift | two_over_pi[word + 2] >> (32 - shift) : high;
    const unsigned long long turns = window * ((bits >> 16 & 0x7f) | 0x80);
    n = (unsigned)((turns + (1ull << 61)) >> 62);
    const float r = (float)(long long)(turns - ((unsigned long long)n << 62)) * (0x1.921fb6p+0f * 0x1p-62f);
    if (bits >> 31) n = 0u - n;
    return bits >> 31 ? -r : r;
}
ONCHIP_FN float onchip_sine_or_cosine(float x, unsigned turn)
{
    unsigned n;
    const float r = onchip_quarter_turns(x, n), s = r * r;
    const float sine = r + r * s * (-0.166666667f + s * (8.33333333e-3f + s * (-1.98412698e-4f + s * 2.75573192e-6f)));
    const float cosine = 1 + s * (-0.5f + s * (4.16666667e-2f + s * (-1.38888889e-3f + s * 2.48015873e-5f)));
    n += turn;
    const float v = n & 1 ? cosine : sine;
    return n & 2 ? -v : v;
}
// So near 0 the result is x, with its sign if it is 0.
ONCHIP_FN float onchip_half_sin(float x) { return __builtin_fabsf(x) < 0x1p-13f ? x : onchip_sine_or_cosine(x, 0); }
ONCHIP_FN float onchip_half_cos(float x) { return onchip_sine_or_cosine(x, 1); }

ONCHIP_FN float onchip_half_tanh(float x)
{
    const float size = __builtin_fabsf(x), s = x * x;
    if (size < 0x1p-13f) return x;
    if (size < 0.5f) {
        const float end = -5.39682540e-2f + s * (2.18694885e-2f + s * -8.86323553e-3f);
        return x + x * s * (-0.333333333f + s * (0.133333333f + s * end));
    }
    return __builtin_copysignf(1 - 2 * __frcp_rn(onchip_ex2(size * 2.88539008f) + 1), x);
}

#endif
