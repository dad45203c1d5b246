// matrices.cu: level 2 and level 3 but gemm, and factors of many small matrices. A matrix's elements are worked out by
// the definition of its storage (BLAS), and results by plain loops.
#include "blas.h"
#include <functional>

static cublasHandle_t h;
typedef cublasFillMode_t Fill;
typedef cublasOperation_t Op;
typedef std::function<Number(int, int)> Elements;

enum { WHOLE, BAND, PACKED };
enum { GENERAL, SYMMETRIC, HERMITIAN, TRIANGLE, UNIT };

// Where element (i, j) is stored; -1: nowhere.
struct Store {
    int layout, n, ld, kl, ku, upper;
    long place(int i, int j) const
    {
        if (layout == WHOLE) return i + (long)j * ld;
        if (layout == BAND) return i - j > kl || j - i > ku ? -1 : ku + i - j + (long)j * ld;
        long at = 0;
        for (int c = 0; c < j; c++) at += upper ? c + 1 : n - c;
        return at + (upper ? i : i - j);
    }
};
template <class T> static Number element(const Array<T> &a, const Store &s, int form, int i, int j)
{
    const bool inside = form == GENERAL || (s.upper ? i <= j : i >= j);
    if (form == UNIT && i == j) return 1;
    if (form >= TRIANGLE && !inside) return 0;
    const long at = inside ? s.place(i, j) : s.place(j, i);
    Number z = at < 0 ? Number(0) : a[(size_t)at];
    if (form != HERMITIAN) return z;
    return i == j ? Number(z.real()) : inside ? z : std::conj(z);
}
static Number turned(const Elements &e, Op op, int i, int j)
{
    return op == CUBLAS_OP_N ? e(i, j) : op == CUBLAS_OP_T ? e(j, i) : std::conj(e(j, i));
}
static Op draw_op() { return (Op)draw(3); }
static Fill draw_fill() { return (Fill)draw(2); }
static cublasDiagType_t draw_diag() { return (cublasDiagType_t)draw(2); }
static Number keep(Number beta, Number z) { return beta == Number(0) ? Number(0) : beta * z; }

// --- level 2 ---------------------------------------------------------------------------------------------------------
// y = alpha op(a) x + beta y, of m rows and n columns
template <class T, class F>
static void times(const Array<T> &, const Elements &e, Op op, int m, int n, bool device, F call)
{
    const int width = op == CUBLAS_OP_N ? n : m, height = op == CUBLAS_OP_N ? m : n, i = draw_step(), j = draw_step();
    Array<T> x(room(width, i)), y(room(height, j));
    Factor<T> alpha(draw_factor(Of<T>::COMPLEX), device), beta(draw_factor(Of<T>::COMPLEX), device);
    std::vector<Number> want = values(y);
    for (int r = 0; r < height; r++) {
        Number sum = 0;
        for (int c = 0; c < width; c++) sum += turned(e, op, r, c) * x[place(c, width, i)];
        Number &z = want[place(r, height, j)];
        z = alpha.value() * sum + keep(beta.value(), z);
    }
    mode(h, device);
    OK(call(alpha.at(), x.device, i, beta.at(), y.device, j));
    CHECK(agrees(y, want, precision<T>() * (8 + width / 4)));
}
// x = op(a) x, and back
template <class T, class F, class G> static void there_and_back(const Elements &e, Op op, int n, F there, G back)
{
    const int i = draw_step();
    Array<T> x(room(n, i));
    const std::vector<Number> before = values(x);
    std::vector<Number> want = before;
    for (int r = 0; r < n; r++) {
        Number sum = 0;
        for (int c = 0; c < n; c++) sum += turned(e, op, r, c) * before[place(c, n, i)];
        want[place(r, n, i)] = sum;
    }
    OK(there(x.device, i));
    CHECK(agrees(x, want, precision<T>() * (8 + n / 4)));
    OK(back(x.device, i));
    CHECK(agrees(x, before, precision<T>() * (20 + 5 * n)));
}
// Triangles that don't blow errors up: the diagonal is larger than the rest.
template <class T> static void tame(Array<T> &a, const Store &s)
{
    for (T &x : a.host) x = Of<T>::from(Of<T>::to(x) / (double)s.n);
    for (int i = 0; i < s.n; i++) {
        T &x = a.host[(size_t)s.place(i, i)];
        x = Of<T>::from(Of<T>::to(x) * 0.5 + Number(1 + draw_value() / 4));
    }
    a.send();
}
// a += alpha x y' + … , element by element as `what` has it
template <class T, class W, class F>
static void update(const Store &s, int form, int m, int n, Number alpha, W what, F call)
{
    const int i = draw_step(), j = draw_step();
    Array<T> a((size_t)s.place(s.layout == PACKED && s.upper ? n - 1 : m - 1, n - 1) + 1), x(room(m, i)), y(room(n, j));
    std::vector<Number> want = values(a);
    for (int c = 0; c < n; c++)
        for (int r = 0; r < m; r++) {
            if (form != GENERAL && (s.upper ? r > c : r < c)) continue;
            Number &z = want[(size_t)s.place(r, c)];
            z += what(
                alpha, [&](int k) { return x[place(k, m, i)]; }, [&](int k) { return y[place(k, n, j)]; }, r, c);
            if (form == HERMITIAN && r == c && alpha != Number(0)) z = z.real();
        }
    OK(call(x.device, i, y.device, j, a.device));
    CHECK(agrees(a, want, 8 * precision<T>()));
}

#define SYMMETRIC2(T, L, sy, sb, sp, r1, p1, r2, p2, S, FORM)                                                     \
    {                                                                                                             \
        const int n = 1 + draw(70), k = draw(6), ld = n + draw(4), band = k + 1 + draw(3);                        \
        const Fill f = draw_fill();                                                                               \
        const bool up = f == CUBLAS_FILL_MODE_UPPER;                                                              \
        const Store s = {WHOLE, n, ld, 0, 0, up}, b = {BAND, n, band, up ? 0 : k, up ? k : 0, up};                \
        const Store p = {PACKED, n, n, 0, 0, up};                                                                 \
        Array<T> a((size_t)ld *n), ab((size_t)band *n), ap((size_t)n *(n + 1) / 2);                               \
        times<T>(                                                                                                 \
            a, [&](int i, int j) { return element(a, s, FORM, i, j); }, CUBLAS_OP_N, n, n, device,                \
            [&](const T *al, const T *x, int i, const T *be, T *y, int j) {                                       \
                return cublas##L##sy(h, f, n, al, a.device, ld, x, i, be, y, j);                                  \
            });                                                                                                   \
        times<T>(                                                                                                 \
            ab, [&](int i, int j) { return element(ab, b, FORM, i, j); }, CUBLAS_OP_N, n, n, device,              \
            [&](const T *al, const T *x, int i, const T *be, T *y, int j) {                                       \
                return cublas##L##sb(h, f, n, k, al, ab.device, band, x, i, be, y, j);                            \
            });                                                                                                   \
        times<T>(                                                                                                 \
            ap, [&](int i, int j) { return element(ap, p, FORM, i, j); }, CUBLAS_OP_N, n, n, device,              \
            [&](const T *al, const T *x, int i, const T *be, T *y, int j) {                                       \
                return cublas##L##sp(h, f, n, al, ap.device, x, i, be, y, j);                                     \
            });                                                                                                   \
        const auto op = [](Number z) { return FORM == HERMITIAN ? std::conj(z) : z; };                            \
        Factor<S> real(0.75, device);                                                                             \
        Factor<T> alpha(draw_factor(Of<T>::COMPLEX), device);                                                     \
        mode(h, device);                                                                                          \
        const auto one = [&](Number al, auto x, auto, int i, int j) { return al * x(i) * op(x(j)); };             \
        const auto two = [&](Number al, auto x, auto y, int i, int j) {                                           \
            return al * x(i) * op(y(j)) + op(al) * y(i) * op(x(j));                                               \
        };                                                                                                        \
        update<T>(s, FORM, n, n, real.value(), one,                                                               \
                  [&](T *x, int i, T *, int, T *to) { return cublas##L##r1(h, f, n, real.at(), x, i, to, ld); }); \
        update<T>(p, FORM, n, n, real.value(), one,                                                               \
                  [&](T *x, int i, T *, int, T *to) { return cublas##L##p1(h, f, n, real.at(), x, i, to); });     \
        update<T>(s, FORM, n, n, alpha.value(), two, [&](T *x, int i, T *y, int j, T *to) {                       \
            return cublas##L##r2(h, f, n, alpha.at(), x, i, y, j, to, ld);                                        \
        });                                                                                                       \
        update<T>(p, FORM, n, n, alpha.value(), two, [&](T *x, int i, T *y, int j, T *to) {                       \
            return cublas##L##p2(h, f, n, alpha.at(), x, i, y, j, to);                                            \
        });                                                                                                       \
    }
#define LEVEL2(T, L, plain, conjugated)                                                                                \
    {                                                                                                                  \
        const int m = 1 + draw(100), n = 1 + draw(100), kl = draw(5), ku = draw(5), ld = m + draw(4);                  \
        const int band = kl + ku + 1 + draw(3);                                                                        \
        const Op op = draw_op();                                                                                       \
        const Store s = {WHOLE, 0, ld, 0, 0, 0}, b = {BAND, 0, band, kl, ku, 0};                                       \
        Array<T> a((size_t)ld *n), ab((size_t)band *n);                                                                \
        times<T>(                                                                                                      \
            a, [&](int i, int j) { return element(a, s, GENERAL, i, j); }, op, m, n, device,                           \
            [&](const T *al, const T *x, int i, const T *be, T *y, int j) {                                            \
                return cublas##L##gemv(h, op, m, n, al, a.device, ld, x, i, be, y, j);                                 \
            });                                                                                                        \
        times<T>(                                                                                                      \
            ab, [&](int i, int j) { return element(ab, b, GENERAL, i, j); }, op, m, n, device,                         \
            [&](const T *al, const T *x, int i, const T *be, T *y, int j) {                                            \
                return cublas##L##gbmv_64(h, op, m, n, kl, ku, al, ab.device, band, x, i, be, y, j);                   \
            });                                                                                                        \
        Factor<T> alpha(draw_factor(Of<T>::COMPLEX), device);                                                          \
        mode(h, device);                                                                                               \
        update<T>(                                                                                                     \
            s, GENERAL, m, n, alpha.value(), [](Number al, auto x, auto y, int i, int j) { return al * x(i) * y(j); }, \
            [&](T *x, int i, T *y, int j, T *to) {                                                                     \
                return cublas##L##plain(h, m, n, alpha.at(), x, i, y, j, to, ld);                                      \
            });                                                                                                        \
        update<T>(                                                                                                     \
            s, GENERAL, m, n, alpha.value(),                                                                           \
            [](Number al, auto x, auto y, int i, int j) {                                                              \
                return al * x(i) * (Of<T>::COMPLEX ? std::conj(y(j)) : y(j));                                          \
            },                                                                                                         \
            [&](T *x, int i, T *y, int j, T *to) {                                                                     \
                return cublas##L##conjugated(h, m, n, alpha.at(), x, i, y, j, to, ld);                                 \
            });                                                                                                        \
        const Fill f = draw_fill();                                                                                    \
        const cublasDiagType_t d = draw_diag();                                                                        \
        const bool up = f == CUBLAS_FILL_MODE_UPPER;                                                                   \
        const int form = d == CUBLAS_DIAG_UNIT ? UNIT : TRIANGLE, k = kl, deep = k + 1 + draw(3), wide = n + draw(3);  \
        const Store ts = {WHOLE, n, wide, 0, 0, up}, tb = {BAND, n, deep, up ? 0 : k, up ? k : 0, up};                 \
        const Store tp = {PACKED, n, n, 0, 0, up};                                                                     \
        Array<T> t((size_t)wide *n), u((size_t)deep *n), v((size_t)n *(n + 1) / 2);                                    \
        tame(t, ts), tame(u, tb), tame(v, tp);                                                                         \
        there_and_back<T>([&](int i, int j) { return element(t, ts, form, i, j); }, op, n,                             \
                          [&](T *x, int i) { return cublas##L##trmv(h, f, op, d, n, t.device, wide, x, i); },          \
                          [&](T *x, int i) { return cublas##L##trsv(h, f, op, d, n, t.device, wide, x, i); });         \
        there_and_back<T>([&](int i, int j) { return element(u, tb, form, i, j); }, op, n,                             \
                          [&](T *x, int i) { return cublas##L##tbmv(h, f, op, d, n, k, u.device, deep, x, i); },       \
                          [&](T *x, int i) { return cublas##L##tbsv(h, f, op, d, n, k, u.device, deep, x, i); });      \
        there_and_back<T>([&](int i, int j) { return element(v, tp, form, i, j); }, op, n,                             \
                          [&](T *x, int i) { return cublas##L##tpmv(h, f, op, d, n, v.device, x, i); },                \
                          [&](T *x, int i) { return cublas##L##tpsv(h, f, op, d, n, v.device, x, i); });               \
    }

// --- level 3 ---------------------------------------------------------------------------------------------------------
// c = alpha x y + beta c; half: of c, 0 all, 1 lower, 2 upper
template <class T, class F>
static void product(int m, int n, int k, const Elements &x, const Elements &y, const Elements *more, Number alpha,
                    Number beta, int half, bool real, F call)
{
    const int ld = m + draw(4);
    Array<T> c((size_t)ld * n);
    std::vector<Number> want = values(c);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            if ((half == 1 && i < j) || (half == 2 && i > j)) continue;
            Number sum = 0, &z = want[(size_t)i + (size_t)j * ld];
            for (int d = 0; d < k; d++) sum += x(i, d) * y(d, j);
            const Number old = real && i == j ? Number(z.real()) : z;
            z = alpha * sum + keep(beta, old) + (more ? (*more)(i, j) : Number(0));
            if (real && i == j) z = z.real();
        }
    OK(call(c.device, ld));
    CHECK(agrees(c, want, precision<T>() * (8 + k / 2)));
}
template <class T> static Elements of(const Array<T> &a, int ld)
{
    return [&a, ld](int i, int j) { return a[(size_t)i + (size_t)j * ld]; };
}
static Elements by(Elements e, Op op)
{
    return [e, op](int i, int j) { return turned(e, op, i, j); };
}
#define SYMMETRIC3(T, S, L, mm, rk, r2k, rkx, FORM, TURN)                                                             \
    {                                                                                                                 \
        const int m = 1 + draw(80), n = 1 + draw(80), k = 1 + draw(60), left = draw(2);                               \
        const cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;                                    \
        const int size = left ? m : n, lda = size + draw(4), ldb = m + draw(4);                                       \
        const Fill f = draw_fill();                                                                                   \
        const Store s = {WHOLE, size, lda, 0, 0, f == CUBLAS_FILL_MODE_UPPER};                                        \
        Array<T> a((size_t)lda *size), b((size_t)ldb *n);                                                             \
        Factor<T> alpha(draw_factor(Of<T>::COMPLEX), device), beta(draw_factor(Of<T>::COMPLEX), device);              \
        Factor<S> al(0.75, device), be(draw(2) ? 0 : 0.5, device);                                                    \
        mode(h, device);                                                                                              \
        const Elements whole_a = [&](int i, int j) { return element(a, s, FORM, i, j); };                             \
        product<T>(m, n, size, left ? whole_a : of(b, ldb), left ? of(b, ldb) : whole_a, NULL, alpha.value(),         \
                   beta.value(), 0, false, [&](T *c, int ldc) {                                                       \
                       return cublas##L##mm(h, side, f, m, n, alpha.at(), a.device, lda, b.device, ldb, beta.at(), c, \
                                            ldc);                                                                     \
                   });                                                                                                \
        const Op op = draw(2) ? CUBLAS_OP_N : TURN, back = op == CUBLAS_OP_N ? TURN : CUBLAS_OP_N;                    \
        const int rows = op == CUBLAS_OP_N ? n : k, ldx = rows + draw(4), ldy = rows + draw(4);                       \
        Array<T> x((size_t)ldx *(n + k - rows)), y((size_t)ldy *(n + k - rows));                                      \
        const Elements p = by(of(x, ldx), op), q = by(of(y, ldy), op);                                                \
        const Elements pt = by(of(x, ldx), back), qt = by(of(y, ldy), back);                                          \
        const int half = f == CUBLAS_FILL_MODE_LOWER ? 1 : 2;                                                         \
        product<T>(n, n, k, p, pt, NULL, al.value(), be.value(), half, FORM == HERMITIAN, [&](T *c, int ldc) {        \
            return cublas##L##rk(h, f, op, n, k, al.at(), x.device, ldx, be.at(), c, ldc);                            \
        });                                                                                                           \
        const Number other = FORM == HERMITIAN ? std::conj(alpha.value()) : alpha.value();                            \
        const Elements more = [&](int i, int j) {                                                                     \
            Number sum = 0;                                                                                           \
            for (int d = 0; d < k; d++) sum += q(i, d) * pt(d, j);                                                    \
            return other * sum;                                                                                       \
        };                                                                                                            \
        product<T>(n, n, k, p, qt, &more, alpha.value(), be.value(), half, FORM == HERMITIAN, [&](T *c, int ldc) {    \
            return cublas##L##r2k(h, f, op, n, k, alpha.at(), x.device, ldx, y.device, ldy, be.at(), c, ldc);         \
        });                                                                                                           \
        product<T>(n, n, k, p, pt, NULL, al.value(), be.value(), half, FORM == HERMITIAN, [&](T *c, int ldc) {        \
            Factor<T> again(0.75, device);                                                                            \
            return cublas##L##rkx(h, f, op, n, k, again.at(), x.device, ldx, x.device, ldx, be.at(), c, ldc);         \
        });                                                                                                           \
    }
template <class T> struct Pointers {
    T **device;
    Pointers(T *first, long stride, int count) : device(0)
    {
        std::vector<T *> v(count);
        for (int j = 0; j < count; j++) v[j] = first + stride * j;
        OK(cudaMalloc(&device, count * sizeof(T *)));
        OK(cudaMemcpy(device, v.data(), count * sizeof(T *), cudaMemcpyHostToDevice));
    }
    ~Pointers() { cudaFree(device); }
};
#define LEVEL3(T, L)                                                                                                   \
    {                                                                                                                  \
        const int m = 1 + draw(90), n = 1 + draw(90), left = draw(2), size = left ? m : n, lda = size + draw(4);       \
        const cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;                                     \
        const int ldb = m + draw(4), form = draw(2) ? UNIT : TRIANGLE;                                                 \
        const cublasDiagType_t d = form == UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;                             \
        const Fill f = draw_fill();                                                                                    \
        const Op op = draw_op();                                                                                       \
        const Store s = {WHOLE, size, lda, 0, 0, f == CUBLAS_FILL_MODE_UPPER};                                         \
        Array<T> a((size_t)lda *size), b((size_t)ldb *n);                                                              \
        tame(a, s);                                                                                                    \
        Factor<T> alpha(Number(0.5, Of<T>::COMPLEX ? 0.25 : 0), device), back(1.0 / alpha.value(), device);            \
        mode(h, device);                                                                                               \
        const Elements t = by([&](int i, int j) { return element(a, s, form, i, j); }, op), other = of(b, ldb);        \
        product<T>(                                                                                                    \
            m, n, size, left ? t : other, left ? other : t, NULL, alpha.value(), 0, 0, false, [&](T *c, int ldc) {     \
                return cublas##L##trmm(h, side, f, op, d, m, n, alpha.at(), a.device, lda, b.device, ldb, c, ldc);     \
            });                                                                                                        \
        const std::vector<Number> before = values(b);                                                                  \
        OK(cublas##L##trmm(h, side, f, op, d, m, n, alpha.at(), a.device, lda, b.device, ldb, b.device, ldb));         \
        OK(cublas##L##trsm(h, side, f, op, d, m, n, back.at(), a.device, lda, b.device, ldb));                         \
        CHECK(agrees(b, before, precision<T>() * (20 + 5 * size)));                                                    \
        {                                                                                                              \
            Pointers<T> p(a.device, 0, 1), q(b.device, 0, 1);                                                          \
            OK(cublas##L##trmm(h, side, f, op, d, m, n, alpha.at(), a.device, lda, b.device, ldb, b.device, ldb));     \
            OK(cublas##L##trsmBatched(h, side, f, op, d, m, n, back.at(), p.device, lda, q.device, ldb, 1));           \
            CHECK(agrees(b, before, precision<T>() * (20 + 5 * size)));                                                \
        }                                                                                                              \
        const Op p = draw_op(), q = draw_op();                                                                         \
        Array<T> u((size_t)100 * 100), v((size_t)100 * 100), x(300);                                                   \
        Factor<T> be(draw_factor(Of<T>::COMPLEX), device);                                                             \
        const Elements eu = by(of(u, 100), p), ev = by(of(v, 100), q);                                                 \
        const Elements sum = [&](int i, int j) { return alpha.value() * eu(i, j) + be.value() * ev(i, j); };           \
        product<T>(m, n, 0, eu, ev, &sum, 0, 0, 0, false, [&](T *c, int ldc) {                                         \
            return cublas##L##geam(h, p, q, m, n, alpha.at(), u.device, 100, be.at(), v.device, 100, c, ldc);          \
        });                                                                                                            \
        const Elements scaled = [&](int i, int j) { return u[i + 100 * j] * x[2 * (left ? i : j)]; };                  \
        product<T>(m, n, 0, eu, ev, &scaled, 0, 0, 0, false,                                                           \
                   [&](T *c, int ldc) { return cublas##L##dgmm(h, side, m, n, u.device, 100, x.device, 2, c, ldc); }); \
    }

// --- factors ---------------------------------------------------------------------------------------------------------
#define FACTORS(T, L, n, pivoted)                                                                                    \
    {                                                                                                                \
        enum { COUNT = 3, LD = n + 2 };                                                                              \
        const Store s = {WHOLE, n, LD, 0, 0, 0};                                                                     \
        Array<T> a((size_t)LD *n *COUNT), b((size_t)LD * 4 * COUNT), c((size_t)LD *n *COUNT);                        \
        Array<int> pivots(n *COUNT), info(COUNT);                                                                    \
        for (int w = 0; w < COUNT; w++)                                                                              \
            for (int i = 0; i < n; i++) { /* large elements, that no row has twice */                                \
                T &x = a.host[(size_t)LD * n * w + s.place(i, pivoted ? (i * 5 + w) % n : i)];                       \
                x = Of<T>::from(Of<T>::to(x) + Number(2 * n));                                                       \
            }                                                                                                        \
        a.send();                                                                                                    \
        const std::vector<Number> was = values(a), right = values(b);                                                \
        Pointers<T> pa(a.device, (long)LD *n, COUNT), pb(b.device, LD * 4, COUNT), pc(c.device, (long)LD *n, COUNT); \
        if (n <= 32) {                                                                                               \
            OK(cublas##L##matinvBatched(h, n, pa.device, LD, pc.device, LD, info.device, COUNT));                    \
            c.host = c.got();                                                                                        \
            inverse<T>(was, c, n, LD, COUNT);                                                                        \
        }                                                                                                            \
        OK(cublas##L##getrfBatched(h, n, pa.device, LD, pivoted ? pivots.device : NULL, info.device, COUNT));        \
        for (int x : info.got()) CHECK(x == 0);                                                                      \
        OK(cublas##L##getriBatched(h, n, pa.device, LD, pivoted ? pivots.device : NULL, pc.device, LD, info.device,  \
                                   COUNT));                                                                          \
        for (int x : info.got()) CHECK(x == 0);                                                                      \
        c.host = c.got();                                                                                            \
        inverse<T>(was, c, n, LD, COUNT);                                                                            \
        const Op op = draw_op();                                                                                     \
        int wrong_parameter;                                                                                         \
        OK(cublas##L##getrsBatched(h, op, n, 4, pa.device, LD, pivoted ? pivots.device : NULL, pb.device, LD,        \
                                   &wrong_parameter, COUNT));                                                        \
        CHECK(wrong_parameter == 0);                                                                                 \
        b.host = b.got();                                                                                            \
        for (int w = 0; w < COUNT; w++)                                                                              \
            for (int j = 0; j < 4; j++)                                                                              \
                for (int i = 0; i < n; i++) {                                                                        \
                    Number sum = 0;                                                                                  \
                    const Elements e = [&](int r, int k) { return was[(size_t)LD * n * w + s.place(r, k)]; };        \
                    for (int k = 0; k < n; k++) sum += turned(e, op, i, k) * b[(size_t)LD * 4 * w + k + LD * j];     \
                    CHECK(std::abs(sum - right[(size_t)LD * 4 * w + i + LD * j]) < 50 * n * precision<T>());         \
                }                                                                                                    \
    }
template <class T> static void inverse(const std::vector<Number> &a, const Array<T> &c, int n, int ld, int count)
{
    for (int w = 0; w < count; w++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                Number sum = 0;
                for (int k = 0; k < n; k++)
                    sum += a[(size_t)ld * n * w + i + ld * k] * c[(size_t)ld * n * w + k + ld * j];
                CHECK(std::abs(sum - Number(i == j)) < 50 * n * precision<T>());
            }
}

// A matrix without an inverse is named by the first pivot that is 0.
static void singular()
{
    Array<double> a(9);
    Array<int> info(1);
    const double rows[9] = {1, 2, 3, 2, 4, 6, 1, 0, 5};
    a.host.assign(rows, rows + 9), a.send();
    Pointers<double> p(a.device, 0, 1);
    OK(cublasDgetrfBatched(h, 3, p.device, 3, NULL, info.device, 1));
    CHECK(info.got()[0] == 2);
}

int main()
{
    OK(cublasCreate(&h));
    for (int round = 0; round < 3; round++) {
        const bool device = round % 2;
        LEVEL2(float, S, ger, ger)
        LEVEL2(double, D, ger, ger)
        LEVEL2(cuComplex, C, geru, gerc)
        LEVEL2(cuDoubleComplex, Z, geru, gerc)
        SYMMETRIC2(float, S, symv, sbmv, spmv, syr, spr, syr2, spr2, float, SYMMETRIC)
        SYMMETRIC2(double, D, symv, sbmv, spmv, syr, spr, syr2, spr2, double, SYMMETRIC)
        SYMMETRIC2(cuComplex, C, hemv, hbmv, hpmv, her, hpr, her2, hpr2, float, HERMITIAN)
        SYMMETRIC2(cuDoubleComplex, Z, hemv, hbmv, hpmv, her, hpr, her2, hpr2, double, HERMITIAN)
        SYMMETRIC3(float, float, S, symm, syrk, syr2k, syrkx, SYMMETRIC, CUBLAS_OP_T)
        SYMMETRIC3(double, double, D, symm, syrk, syr2k, syrkx, SYMMETRIC, CUBLAS_OP_T)
        SYMMETRIC3(cuComplex, cuComplex, C, symm, syrk, syr2k, syrkx, SYMMETRIC, CUBLAS_OP_T)
        SYMMETRIC3(cuDoubleComplex, cuDoubleComplex, Z, symm, syrk, syr2k, syrkx, SYMMETRIC, CUBLAS_OP_T)
        SYMMETRIC3(cuComplex, float, C, hemm, herk, her2k, herkx, HERMITIAN, CUBLAS_OP_C)
        SYMMETRIC3(cuDoubleComplex, double, Z, hemm, herk, her2k, herkx, HERMITIAN, CUBLAS_OP_C)
        LEVEL3(float, S)
        LEVEL3(double, D)
        LEVEL3(cuComplex, C)
        LEVEL3(cuDoubleComplex, Z)
    }
    FACTORS(float, S, 24, true)
    FACTORS(double, D, 24, false)
    FACTORS(cuComplex, C, 17, true)
    FACTORS(cuDoubleComplex, Z, 42, true)
    singular();
    OK(cublasDestroy(h));
    return verdict();
}
