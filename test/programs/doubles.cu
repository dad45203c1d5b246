// Functions of <cmath> for doubles: within the errors that the CUDA C++ Programming Guide gives ("Mathematical
// Functions", in units in the last place), of what the host's long double has.
#include "check.cuh"

#include <cmath>

#define FUNCTIONS(F)                                                                                                \
    F(sqrt, 0, 3.7 * k + .01)                                                                                       \
    F(cbrt, 1, 5.3 * k - 90)                                                                                        \
    F(exp, 1, .7 * k - 20)                                                                                          \
    F(exp2, 1, .9 * k - 20) F(expm1, 1, .05 * k - 1) F(log, 1, .37 * k + .001) F(log2, 1, .37 * k + .001)           \
        F(log10, 1, .37 * k + .001) F(log1p, 1, .1 * k - .9) F(sin, 2, 1.7 * k - 50) F(cos, 2, 1.7 * k - 50)        \
            F(tan, 2, .31 * k - 9) F(asin, 2, k / 64. - .5) F(acos, 2, k / 64. - .5) F(atan, 2, .3 * k - 10)        \
                F(sinh, 2, .2 * k - 6) F(cosh, 2, .2 * k - 6) F(tanh, 2, .1 * k - 3) F(asinh, 3, 2.1 * k - 60)      \
                    F(acosh, 3, 1 + .9 * k) F(atanh, 2, k / 33. - .95) F(erf, 2, .1 * k - 3) F(erfc, 5, .1 * k - 3) \
                        F(tgamma, 10, .17 * k + .1) F(floor, 0, .77 * k - 20) F(ceil, 0, .77 * k - 20)              \
                            F(round, 0, .5 * k - 16) F(rint, 0, .5 * k - 16) F(trunc, 0, .77 * k - 20)              \
                                F(fabs, 0, .77 * k - 20)

__global__ void work(double *out)
{
    int k = threadIdx.x, n = 0;
#define AT(name, ulp, x) out[n++ * 64 + k] = name(x);
    FUNCTIONS(AT)
#undef AT
    out[n++ * 64 + k] = pow(.3 * k + .2, 2.7), out[n++ * 64 + k] = atan2(k - 20., 11. - k);
    out[n++ * 64 + k] = fmod(k * 3.3, 1.7), out[n++ * 64 + k] = hypot(k * 3., k * 4.);
    out[n++ * 64 + k] = fma(k * .1, k * .3, -.7), out[n++ * 64 + k] = __dmul_rz(k * .1, .1) - k * .1 * .1;
    out[n++ * 64 + k] = __ddiv_rn(k, 7), out[n++ * 64 + k] = rsqrt(k + .5);
}

static int line = 0;
static void near(double got, long double right, double ulp)
{
    double unit = std::nextafter(std::fabs((double)right), INFINITY) - std::fabs((double)right);
    if (std::fabs(got - right) > (ulp + .5001) * unit)
        std::printf("function %d: %.17g, not %.17Lg\n", line, got, right);
    CHECK(std::fabs(got - right) <= (ulp + .5001) * unit);
}

int main()
{
    double *out = shared_array<double>(64 * 40);
    work<<<1, 64>>>(out);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 64; k++) {
        int n = 0;
#define AT(name, ulp, x) near(out[(line = n++) * 64 + k], std::name((long double)(double)(x)), ulp);
        FUNCTIONS(AT)
#undef AT
        near(out[n++ * 64 + k], std::pow((long double)(.3 * k + .2), (long double)2.7), 2);

        near(out[n++ * 64 + k], std::atan2((long double)(k - 20.), (long double)(11. - k)), 2);
        near(out[n++ * 64 + k], std::fmod(k * 3.3, 1.7), 0);
        near(out[n++ * 64 + k], 5. * k, 2);
        CHECK(out[n++ * 64 + k] == std::fma(k * .1, k * .3, -.7));
        CHECK(out[n++ * 64 + k] <= 0);
        CHECK(out[n++ * 64 + k] == k / 7.);
        near(out[n++ * 64 + k], 1 / std::sqrt((long double)(k + .5)), 1);
    }
    return verdict();
}
