// vectors.cu: level 1.
#include "blas.h"

static cublasHandle_t h;

// The functions of a type under one name.
#define NAMES(T, R, L, l, ri)                                                                                       \
    static cublasStatus_t axpy(int n, const T *a, const T *x, int i, T *y, int j)                                   \
    {                                                                                                               \
        return cublas##L##axpy(h, n, a, x, i, y, j);                                                                \
    }                                                                                                               \
    static cublasStatus_t axpy_64(int64_t n, const T *a, const T *x, int64_t i, T *y, int64_t j)                    \
    {                                                                                                               \
        return cublas##L##axpy_64(h, n, a, x, i, y, j);                                                             \
    }                                                                                                               \
    static cublasStatus_t scal(int n, const T *a, T *x, int i) { return cublas##L##scal(h, n, a, x, i); }           \
    static cublasStatus_t copy(int n, const T *x, int i, T *y, int j) { return cublas##L##copy(h, n, x, i, y, j); } \
    static cublasStatus_t swap(int n, T *x, int i, T *y, int j) { return cublas##L##swap(h, n, x, i, y, j); }       \
    static cublasStatus_t rot(int n, T *x, int i, T *y, int j, const R *c, const T *s)                              \
    {                                                                                                               \
        return cublas##L##rot(h, n, x, i, y, j, c, s);                                                              \
    }                                                                                                               \
    static cublasStatus_t rotg(T *a, T *b, R *c, T *s) { return cublas##L##rotg(h, a, b, c, s); }                   \
    static cublasStatus_t nrm2(int n, const T *x, int i, R *r) { return cublas##ri##nrm2(h, n, x, i, r); }          \
    static cublasStatus_t asum(int n, const T *x, int i, R *r) { return cublas##ri##asum(h, n, x, i, r); }          \
    static cublasStatus_t amax(int n, const T *x, int i, int *r) { return cublasI##l##amax(h, n, x, i, r); }        \
    static cublasStatus_t amin(int n, const T *x, int i, int *r) { return cublasI##l##amin(h, n, x, i, r); }
NAMES(float, float, S, s, S)
NAMES(double, double, D, d, D)
NAMES(cuComplex, float, C, c, Sc)
NAMES(cuDoubleComplex, double, Z, z, Dz)
#define DOTS(T, plain, conjugated)                                                               \
    static cublasStatus_t dot(bool c, int n, const T *x, int i, const T *y, int j, T *r)         \
    {                                                                                            \
        return c ? cublas##conjugated(h, n, x, i, y, j, r) : cublas##plain(h, n, x, i, y, j, r); \
    }
DOTS(float, Sdot, Sdot)
DOTS(double, Ddot, Ddot)
DOTS(cuComplex, Cdotu, Cdotc)
DOTS(cuDoubleComplex, Zdotu, Zdotc)

template <class T> static Number conj_of(Number z) { return Of<T>::COMPLEX ? std::conj(z) : z; }
static double size_of(Number z) { return fabs(z.real()) + fabs(z.imag()); }

// A function's result is the host's or the device's.
template <class R, class F> static Number result(bool device, F call)
{
    Array<R> kept(1);
    R there;
    mode(h, device);
    OK(call(device ? kept.device : &there));
    return Of<R>::to(device ? kept.got()[0] : there);
}
static bool near(Number x, Number y, double most) { return std::abs(x - y) <= most * (1 + std::abs(y)); }

template <class T, class R> static void changes(int n, bool device)
{
    const int i = draw_step(), j = draw_step();
    const double most = 4 * precision<T>();
    Array<T> x(room(n, i)), y(room(n, j));
    std::vector<Number> u = values(x), v = values(y);
    Factor<T> alpha(draw_factor(Of<T>::COMPLEX), device);
    mode(h, device);
    for (int k = 0; k < n; k++) v[place(k, n, j)] += alpha.value() * u[place(k, n, i)];
    if (draw(2))
        OK(axpy(n, alpha.at(), x.device, i, y.device, j));
    else
        OK(axpy_64(n, alpha.at(), x.device, i, y.device, j));
    CHECK(agrees(y, v, most));
    const int up = abs(i);
    for (int k = 0; k < n; k++) u[(size_t)k * up] *= alpha.value();
    OK(scal(n, alpha.at(), x.device, up));
    CHECK(agrees(x, u, most));
    for (int k = 0; k < n; k++) std::swap(u[place(k, n, i)], v[place(k, n, j)]);
    OK(swap(n, x.device, i, y.device, j));
    CHECK(agrees(x, u, most) && agrees(y, v, most));
    Factor<R> c(Number(0.6), device);
    Factor<T> s(Of<T>::COMPLEX ? Number(0.48, 0.64) : Number(0.8), device);
    for (int k = 0; k < n; k++) {
        Number &a = u[place(k, n, i)], &b = v[place(k, n, j)];
        const Number kept = a;
        a = c.value() * a + s.value() * b;
        b = c.value() * b - conj_of<T>(s.value()) * kept;
    }
    OK(rot(n, x.device, i, y.device, j, c.at(), s.at()));
    CHECK(agrees(x, u, most) && agrees(y, v, most));
    for (int k = 0; k < n; k++) v[place(k, n, j)] = u[place(k, n, i)];
    OK(copy(n, x.device, i, y.device, j));
    CHECK(agrees(y, v, most));
}

template <class T, class R> static void sums(int n, bool device)
{
    const int i = draw_step(), j = draw_step(), up = abs(i);
    const double most = precision<T>() * (10 + n / 50.0);
    Array<T> x(room(n, i)), y(room(n, j));
    Number plain = 0, conjugated = 0;
    double squares = 0, sizes = 0;
    int largest = 0, smallest = 0;
    for (int k = 0; k < n; k++) {
        const Number a = x[place(k, n, i)], b = y[place(k, n, j)], c = x[(size_t)k * up];
        plain += a * b, conjugated += conj_of<T>(a) * b;
        squares += std::norm(c), sizes += size_of(c);
        // in the type's precision, as the function has it
        if ((R)size_of(c) > (R)size_of(x[(size_t)largest * up])) largest = k;
        if ((R)size_of(c) < (R)size_of(x[(size_t)smallest * up])) smallest = k;
    }
    const T *p = x.device, *q = y.device;
    CHECK(near(result<T>(device, [&](T *r) { return dot(false, n, p, i, q, j, r); }), plain, most));
    CHECK(near(result<T>(device, [&](T *r) { return dot(true, n, p, i, q, j, r); }), conjugated, most));
    CHECK(near(result<R>(device, [&](R *r) { return nrm2(n, p, up, r); }), sqrt(squares), most));
    CHECK(near(result<R>(device, [&](R *r) { return asum(n, p, up, r); }), sizes, most));
    const Number first = result<int>(device, [&](int *r) { return amax(n, p, up, r); });
    const Number last = result<int>(device, [&](int *r) { return amin(n, p, up, r); });
    if (Of<T>::COMPLEX && n) {  // sizes that are nearly the same may come in either order
        CHECK(near(size_of(x[(size_t)((int)first.real() - 1) * up]), size_of(x[(size_t)largest * up]), most));
        CHECK(near(size_of(x[(size_t)((int)last.real() - 1) * up]), size_of(x[(size_t)smallest * up]), most));
    } else {
        CHECK(first.real() == (n ? largest + 1 : 0) && last.real() == (n ? smallest + 1 : 0));
    }
    // No element, as BLAS has it.
    CHECK(result<R>(device, [&](R *r) { return nrm2(n, p, 0, r); }) == Number(0));
    CHECK(result<T>(device, [&](T *r) { return dot(false, -1, p, 1, q, 1, r); }) == Number(0));
}

// A length whose squares are beyond the type's range; and a NaN stays one.
template <class T, class R> static void extremes(double far)
{
    const double values[] = {far, 1 / far, 1};
    for (double v : values) {
        Array<T> x(1000);
        double sum = 0;
        for (size_t k = 0; k < 1000; k++) {
            x.host[k] = Of<T>::from(Number(v * (k % 7 + 1), Of<T>::COMPLEX ? -v : 0));
            sum += std::norm(x[k] / v);
        }
        x.send();
        const Number got = result<R>(false, [&](R *r) { return nrm2(1000, x.device, 1, r); });
        CHECK(near(got / v, sqrt(sum), 1e-5));
        x.host[500] = Of<T>::from(NAN), x.send();
        CHECK(std::isnan(result<R>(true, [&](R *r) { return nrm2(1000, x.device, 1, r); }).real()));
    }
}

// A rotation is of length 1, turns b to 0, and gives a.
template <class T, class R> static void rotations(bool device, int which)
{
    Array<T> a(1), b(1), s(1);
    Array<R> c(1);
    if (which % 3 == 1) a.host[0] = Of<T>::from(0), a.send();
    if (which % 3 == 2) b.host[0] = Of<T>::from(0), b.send();
    const Number f = a[0], g = b[0];
    mode(h, device);
    if (device) {
        OK(rotg(a.device, b.device, c.device, s.device));
        a.host = a.got(), c.host = c.got(), s.host = s.got();
    } else {
        OK(rotg(a.host.data(), b.host.data(), c.host.data(), s.host.data()));
    }
    const double most = 10 * precision<T>();
    CHECK(near(std::norm(c[0]) + std::norm(s[0]), 1, most));
    CHECK(near(c[0] * f + s[0] * g, a[0], most));
    CHECK(near(c[0] * g, conj_of<T>(s[0]) * f, most));
}

// A modified rotation keeps d1 x1² + d2 y1² and turns y1 to 0.
template <class T, class F, class G> static void modified(F rotmg, G rotm, bool device)
{
    Array<T> d1(1), d2(1), x(1), y(1), p(5);
    for (Array<T> *d : {&d1, &d2}) d->host[0] = (T)(fabs((double)d->host[0]) * pow(10, (int)draw(13) - 6)), d->send();
    const double before = d1[0].real() * std::norm(x[0]) + d2[0].real() * std::norm(y[0]);
    const double x_was = x[0].real(), y_was = y[0].real();
    mode(h, device);
    if (device) {
        OK(rotmg(h, d1.device, d2.device, x.device, y.device, p.device));
        d1.host = d1.got(), d2.host = d2.got(), x.host = x.got(), p.host = p.got();
    } else {
        OK(rotmg(h, d1.host.data(), d2.host.data(), x.host.data(), y.host.data(), p.host.data()));
    }
    CHECK(near(d1[0].real() * std::norm(x[0]) / before, 1, 100 * precision<T>()));
    Array<T> u(100), v(100);
    for (size_t k = 0; k < 100; k++) u.host[k] = (T)(x_was * (k + 1)), v.host[k] = (T)(y_was * (k + 1));
    u.send(), v.send();
    OK(rotm(h, 100, u.device, 1, v.device, 1, device ? p.device : p.host.data()));
    const std::vector<T> got = u.got(), zero = v.got();
    for (size_t k = 0; k < 100; k++) {
        CHECK(near((double)got[k] / (x[0].real() * (k + 1)), 1, 100 * precision<T>()));
        // of the numbers whose difference it is
        const double scale = fabs(y_was * (k + 1)) + fabs(p[2].real() * x_was * (k + 1)) + fabs(got[k]);
        CHECK(fabs((double)zero[k]) <= 100 * precision<T>() * scale);
    }
}

template <class T> static void narrow(bool device)
{
    const int n = 500 + draw(3000);
    Array<T> x(n), y(n);
    std::vector<Number> v = values(y);
    Factor<float> alpha(0.5, device);
    const cudaDataType t = type_of<T>();
    mode(h, device);
    Number dot = 0, squares = 0;
    for (int k = 0; k < n; k++) v[k] += 0.5 * x[k];
    OK(cublasAxpyEx(h, n, alpha.at(), CUDA_R_32F, x.device, t, 1, y.device, t, 1, CUDA_R_32F));
    CHECK(agrees(y, v, precision<T>()));
    y.host = y.got();
    for (int k = 0; k < n; k++) dot += x[k] * y[k], squares += x[k] * x[k];
    const Number got =
        result<T>(device, [&](T *r) { return cublasDotEx(h, n, x.device, t, 1, y.device, t, 1, r, t, CUDA_R_32F); });
    CHECK(near(got, dot, 2 * precision<T>()));
    const Number length = result<T>(device, [&](T *r) { return cublasNrm2Ex(h, n, x.device, t, 1, r, t, CUDA_R_32F); });
    CHECK(near(length, sqrt(squares), 2 * precision<T>()));
    mode(h, device);
    OK(cublasScalEx(h, n, alpha.at(), CUDA_R_32F, y.device, t, 1, CUDA_R_32F));
    for (int k = 0; k < n; k++) v[k] = 0.5 * y[k];
    CHECK(agrees(y, v, precision<T>()));
}

int main()
{
    OK(cublasCreate(&h));
    for (int round = 0; round < 6; round++) {
        const int sizes[] = {0, 1, (int)draw(40), (int)draw(300), 2049 + (int)draw(100), (int)draw(20000)};
        const int n = sizes[round];
        const bool device = draw(2);
        changes<float, float>(n, device), changes<double, double>(n, device);
        changes<cuComplex, float>(n, device), changes<cuDoubleComplex, double>(n, device);
        sums<float, float>(n, device), sums<double, double>(n, device);
        sums<cuComplex, float>(n, device), sums<cuDoubleComplex, double>(n, device);
        rotations<float, float>(device, round), rotations<double, double>(device, round);
        rotations<cuComplex, float>(device, round), rotations<cuDoubleComplex, double>(device, round);
        modified<float>(cublasSrotmg, cublasSrotm, device), modified<double>(cublasDrotmg, cublasDrotm, device);
        narrow<__half>(device), narrow<__nv_bfloat16>(device);
    }
    extremes<float, float>(1e30), extremes<cuComplex, float>(1e30);
    extremes<double, double>(1e250), extremes<cuDoubleComplex, double>(1e250);
    OK(cublasDestroy(h));
    return verdict();
}
