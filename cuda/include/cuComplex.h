// cuComplex.h: complex numbers as CUDA's libraries take them: a pair of floats or doubles, real part first; on both sides,
// and in C.
//
// A quotient is computed with scaled parts, so that it overflows where the result does (Smith, Algorithm 116,
// Communications of the ACM, 1962).
#ifndef ONCHIP_CU_COMPLEX_H
#define ONCHIP_CU_COMPLEX_H
#include "onchip/letters_off.h"
#define CU_COMPLEX_H_

#include "vector_functions.h"
#include <math.h>

#ifdef __CUDA__
#define ONCHIP_COMPLEX ONCHIP_BOTH
#else
#define ONCHIP_COMPLEX static inline __attribute__((unused))
#endif

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// T: the parts' type, C: the complex one; then the functions' names, and those of mathematics.
#define ONCHIP_COMPLEX_OF(T, C, real, imag, make, conj, add, sub, mul, div, abs, fma, fabs, hypot)             \
    ONCHIP_COMPLEX T real(C x) { return x.x; }                                                                \
    ONCHIP_COMPLEX T imag(C x) { return x.y; }                                                                \
    ONCHIP_COMPLEX C make(T r, T i)                                                                           \
    {                                                                                                         \
        C z;                                                                                                  \
        z.x = r, z.y = i;                                                                                     \
        return z;                                                                                             \
    }                                                                                                         \
    ONCHIP_COMPLEX C conj(C x) { return make(x.x, -x.y); }                                                    \
    ONCHIP_COMPLEX C add(C x, C y) { return make(x.x + y.x, x.y + y.y); }                                     \
    ONCHIP_COMPLEX C sub(C x, C y) { return make(x.x - y.x, x.y - y.y); }                                     \
    ONCHIP_COMPLEX C mul(C x, C y) { return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }             \
    ONCHIP_COMPLEX C fma(C x, C y, C z) { return add(mul(x, y), z); }                                         \
    ONCHIP_COMPLEX C div(C x, C y)                                                                            \
    {                                                                                                         \
        if (fabs(y.x) >= fabs(y.y)) {                                                                         \
            const T q = y.y / y.x, down = y.x + y.y * q;                                                      \
            return make((x.x + x.y * q) / down, (x.y - x.x * q) / down);                                      \
        } else {                                                                                              \
            const T q = y.x / y.y, down = y.x * q + y.y;                                                      \
            return make((x.x * q + x.y) / down, (x.y * q - x.x) / down);                                      \
        }                                                                                                     \
    }                                                                                                         \
    ONCHIP_COMPLEX T abs(C x) { return hypot(x.x, x.y); }
ONCHIP_COMPLEX_OF(float, cuFloatComplex, cuCrealf, cuCimagf, make_cuFloatComplex, cuConjf, cuCaddf, cuCsubf, cuCmulf,
                  cuCdivf, cuCabsf, cuCfmaf, fabsf, hypotf)
ONCHIP_COMPLEX_OF(double, cuDoubleComplex, cuCreal, cuCimag, make_cuDoubleComplex, cuConj, cuCadd, cuCsub, cuCmul,
                  cuCdiv, cuCabs, cuCfma, fabs, hypot)
#undef ONCHIP_COMPLEX_OF
ONCHIP_COMPLEX cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
ONCHIP_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
ONCHIP_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
#undef ONCHIP_COMPLEX

#include "onchip/letters_back.h"
#endif
