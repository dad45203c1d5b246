// math_forward.h: the device's mathematical functions by their names in std, declared before <cmath>. That has some of
// them as constexpr functions, which clang takes for functions of both sides unless it has seen one of the device with
// the same parameters before; and their builtins have no code on the device. math_functions.h defines all of these.
#ifndef ONCHIP_MATH_FORWARD_H
#define ONCHIP_MATH_FORWARD_H

#if defined(__CUDA__) && defined(__cplusplus)
// F(name) for each function of one, and of two parameters of the result's type
#define ONCHIP_MATH_1(F)                                                                                      \
    F(acos) F(acosh) F(asin) F(asinh) F(atan) F(atanh) F(cbrt) F(ceil) F(cos) F(cosh) F(erf) F(erfc) F(exp)   \
    F(exp2) F(expm1) F(fabs) F(floor) F(lgamma) F(log) F(log10) F(log1p) F(log2) F(logb) F(nearbyint)         \
    F(rint) F(round) F(sin) F(sinh) F(sqrt) F(tan) F(tanh) F(tgamma) F(trunc)
#define ONCHIP_MATH_2(F)                                                                                      \
    F(atan2) F(copysign) F(fdim) F(fmax) F(fmin) F(fmod) F(hypot) F(nextafter) F(pow) F(remainder)
// the others: F(name, result, parameters) with T for the type
#define ONCHIP_MATH_OTHER(F, T)                                                                               \
    F(fma, T, (T, T, T)) F(frexp, T, (T, int *)) F(ilogb, int, (T)) F(ldexp, T, (T, int))                     \
    F(llrint, long long, (T)) F(llround, long long, (T)) F(lrint, long, (T)) F(lround, long, (T))             \
    F(modf, T, (T, T *)) F(remquo, T, (T, T, int *)) F(scalbln, T, (T, long)) F(scalbn, T, (T, int))

#define ONCHIP_DECLARE_1(name) ONCHIP_FN float name(float); ONCHIP_FN double name(double);
#define ONCHIP_DECLARE_2(name) ONCHIP_FN float name(float, float); ONCHIP_FN double name(double, double);
#define ONCHIP_DECLARE(name, R, parameters) ONCHIP_FN R name parameters;
#define ONCHIP_USE(name, ...) using ::name;
ONCHIP_MATH_1(ONCHIP_DECLARE_1)
ONCHIP_MATH_2(ONCHIP_DECLARE_2)
ONCHIP_MATH_OTHER(ONCHIP_DECLARE, float)
ONCHIP_MATH_OTHER(ONCHIP_DECLARE, double)
ONCHIP_FN float hypot(float, float, float);
ONCHIP_FN double hypot(double, double, double);
namespace std {
ONCHIP_MATH_1(ONCHIP_USE)
ONCHIP_MATH_2(ONCHIP_USE)
ONCHIP_MATH_OTHER(ONCHIP_USE, )
}
#undef ONCHIP_DECLARE_1
#undef ONCHIP_DECLARE_2
#undef ONCHIP_DECLARE
#endif

#endif
