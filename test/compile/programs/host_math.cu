// Functions that C's library lacks, on the host: against the device's, and against values of Abramowitz and Stegun.
#include "../../programs/check.cuh"

#include <cmath>

static const int kRows = 32, kCases = 64;

// What is called on both sides, of one argument.
template <typename T> __host__ __device__ void rows(T x, T *out)
{
    const T unit = T(0.99) * x / (1 + fabs(x));
    T sine, cosine;
    int k = 0;
    out[k++] = rsqrt(fabs(x)), out[k++] = rcbrt(x), out[k++] = rhypot(x, T(3)), out[k++] = norm3d(x, T(1), T(2));
    out[k++] = rnorm3d(x, T(1), T(2)), out[k++] = norm4d(x, T(1), T(2), T(3)), out[k++] = rnorm4d(x, x, x, T(1));
    sincospi(x, &sine, &cosine);
    out[k++] = sine, out[k++] = cosine, out[k++] = erfcx(x), out[k++] = normcdf(x), out[k++] = erfinv(unit);
    out[k++] = erfcinv(1 + unit), out[k++] = normcdfinv(T(0.5) + unit / 2), out[k++] = cyl_bessel_i0(x);
    out[k++] = cyl_bessel_i1(x), out[k++] = T(umin(7u, unsigned(fabs(x)))), out[k++] = T(ullmax(3, 4));
    for (; k < kRows; k++) out[k] = 0;
}
__host__ __device__ void narrow(float x, float *out)
{
    const float unit = 0.9f * x / (1 + fabsf(x));
    int k = 0;
    sincospif(x, out + k, out + k + 1), k += 2;
    out[k++] = rsqrtf(fabsf(x)), out[k++] = rcbrtf(x), out[k++] = rhypotf(x, 3), out[k++] = norm3df(x, 1, 2);
    out[k++] = rnorm3df(x, 1, 2), out[k++] = norm4df(x, 1, 2, 3), out[k++] = rnorm4df(x, 1, 2, 3);
    out[k++] = sinpif(x), out[k++] = cospif(x), out[k++] = erfcxf(x), out[k++] = normcdff(x);
    out[k++] = erfinvf(unit), out[k++] = erfcinvf(1 + unit);
    out[k++] = normcdfinvf(0.5f + unit / 2), out[k++] = cyl_bessel_i0f(x), out[k++] = cyl_bessel_i1f(x);
    out[k++] = fdividef(x, 3), out[k++] = rsqrt(fabsf(x)), out[k++] = rcbrt(x);
    for (; k < kRows; k++) out[k] = 0;
}
__global__ void evaluate(const double *x, double *wide, float *slim)
{
    rows(x[threadIdx.x], wide + threadIdx.x * kRows);
    narrow((float)x[threadIdx.x], slim + threadIdx.x * kRows);
}

// a name that programs give functions of their own
double norm(int n, const double *p) { return n ? fabs(*p) : 0; }

static bool near(double a, double b, double most)
{
    return a == b ? std::signbit(a) == std::signbit(b) : fabs(a - b) <= most * fabs(b) || (a != a && b != b);
}

int main()
{
    auto *x = shared_array<double>(kCases), *wide = shared_array<double>(kCases * kRows);
    auto *slim = shared_array<float>(kCases * kRows);
    for (int k = 0; k < kCases; k++) x[k] = (k - 32) * (k % 2 ? 0.25 : 0.3125);
    evaluate<<<1, kCases>>>(x, wide, slim);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < kCases; k++) {
        double here[kRows];
        float small[kRows];
        rows(x[k], here), narrow((float)x[k], small);
        for (int row = 0; row < kRows; row++) {
            CHECK(near(here[row], wide[k * kRows + row], 1e-13));
            CHECK(near(small[row], slim[k * kRows + row], 4e-6));
        }
    }
    // tables 7.1, 9.8 and 26.1; elsewhere the inverse undoes the function
    CHECK(near(erfinv(0.5204998778130465), 0.5, 1e-15) && near(normcdf(1.), 0.8413447460685429, 1e-15));
    CHECK(near(normcdfinv(0.9772498680518208), 2, 1e-14) && near(cyl_bessel_i0(1.), 1.2660658777520084, 1e-15));
    CHECK(near(cyl_bessel_i1(1.), 0.5651591039924851, 1e-15) && near(normcdf(-10.), 7.619853024160526e-24, 1e-15));
    CHECK(near(erfcx(1.), 0.427583576155807, 1e-14) && near(sinpi(0.5), 1, 0) && near(cospi(1.5), 0, 0));
    for (double q = 1e-300; q < 2; q = q < 0.01 ? q * 1e7 : q + 0.01) CHECK(near(erfc(erfcinv(q)), q, 1e-12));
    CHECK(near(sinpi(-3.), -0., 0) && erfinv(1.) == INFINITY && erfcinv(2.) == -INFINITY && erfinv(1.5) != erfinv(1.5));
    CHECK(rsqrt(0.) == INFINITY && rnorm3d(INFINITY, 0., 0.) == 0 && llmin(-1, 1) == -1 && umax(1, ~0u) == ~0u);
    const double three = -3;
    CHECK(norm(1, &three) == 3);
    return verdict();
}
