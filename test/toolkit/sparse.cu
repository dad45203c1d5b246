// sparse.cu: cuSPARSE's functions against plain loops in double precision. Matrices are random ones, in all three
// formats, with indices of 32 and 64 bits from 0 or 1 on, of all four types; scalars are on the host and on the device.
// It prints how much is wrong.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <map>
#include <vector>

typedef std::complex<double> Value;
static int wrong;
static void check(bool right, const char *what, int line)
{
    if (right) return;
    printf("line %d: %s\n", line, what);
    wrong++;
}
#define CHECK(x) check(x, #x, __LINE__)
#define OK(x) CHECK((x) == CUSPARSE_STATUS_SUCCESS)

static unsigned long long at = 7;
static int random_below(int n) { return (int)((at = at * 6364136223846793005ull + 1442695040888963407ull) >> 33) % n; }
static double random_part() { return random_below(2001) / 1000.0 - 1; }

// --- types -----------------------------------------------------------------------------------------------------------
template <class T> struct Of;
template <> struct Of<float> {
    static const cudaDataType type = CUDA_R_32F;
    static const bool turns = false;
    static float make(Value v) { return (float)v.real(); }
    static Value take(float v) { return v; }
};
template <> struct Of<double> {
    static const cudaDataType type = CUDA_R_64F;
    static const bool turns = false;
    static double make(Value v) { return v.real(); }
    static Value take(double v) { return v; }
};
template <> struct Of<cuComplex> {
    static const cudaDataType type = CUDA_C_32F;
    static const bool turns = true;
    static cuComplex make(Value v) { return make_cuComplex((float)v.real(), (float)v.imag()); }
    static Value take(cuComplex v) { return Value(v.x, v.y); }
};
template <> struct Of<cuDoubleComplex> {
    static const cudaDataType type = CUDA_C_64F;
    static const bool turns = true;
    static cuDoubleComplex make(Value v) { return make_cuDoubleComplex(v.real(), v.imag()); }
    static Value take(cuDoubleComplex v) { return Value(v.x, v.y); }
};
template <class T> static Value some() { return Of<T>::take(Of<T>::make(Value(random_part(), random_part()))); }
template <class T> static double precision()
{
    return sizeof(T) == 4 || sizeof(T) == sizeof(cuComplex) && Of<T>::turns ? 2e-5 : 1e-12;
}

// An array on the device.
template <class T> struct Room {
    T *at = nullptr;
    size_t n;
    explicit Room(size_t n) : n(n) { cudaMalloc(&at, (n + 1) * sizeof(T)); }
    explicit Room(const std::vector<T> &v) : Room(v.size())
    {
        cudaMemcpy(at, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    Room(const Room &) = delete;
    ~Room() { cudaFree(at); }
    std::vector<T> get() const
    {
        std::vector<T> v(n);
        cudaDeviceSynchronize();
        cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
};
template <class T> static std::vector<T> made(const std::vector<Value> &v)
{
    std::vector<T> r;
    for (Value x : v) r.push_back(Of<T>::make(x));
    return r;
}
template <class T> static bool near(const std::vector<T> &got, const std::vector<Value> &want)
{
    double error = 0, size = 1;
    for (size_t i = 0; i < want.size(); i++)
        error = std::max(error, std::abs(Of<T>::take(got[i]) - want[i])), size = std::max(size, std::abs(want[i]));
    return got.size() == want.size() && error <= precision<T>() * size;
}

// --- matrices --------------------------------------------------------------------------------------------------------
struct Plain {  // dense, by rows; there: which elements are entries
    int rows, columns;
    std::vector<Value> v;
    std::vector<bool> there;
    Plain(int rows, int columns) : rows(rows), columns(columns), v((size_t)rows * columns), there(v.size()) {}
    Value &operator()(int i, int j) { return v[(size_t)i * columns + j]; }
    Value operator()(int i, int j) const { return v[(size_t)i * columns + j]; }
};
static Plain op(const Plain &a, cusparseOperation_t o)
{
    if (o == CUSPARSE_OPERATION_NON_TRANSPOSE) return a;
    Plain r(a.columns, a.rows);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.columns; j++) r(j, i) = o == CUSPARSE_OPERATION_TRANSPOSE ? a(i, j) : std::conj(a(i, j));
    return r;
}
static Plain product(Value alpha, const Plain &a, const Plain &b, Value beta, const Plain &c)
{
    Plain r = c;
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.columns; j++) {
            Value sum = 0;
            for (int k = 0; k < a.columns; k++) sum += a(i, k) * b(k, j);
            r(i, j) = alpha * sum + beta * c(i, j);
        }
    return r;
}
template <class T> static Plain random_sparse(int rows, int columns, int percent)
{
    Plain a(rows, columns);
    for (size_t k = 0; k < a.v.size(); k++)
        if ((a.there[k] = random_below(100) < percent)) a.v[k] = some<T>();
    return a;
}
template <class T> static Plain random_dense(int rows, int columns)
{
    Plain a(rows, columns);
    for (Value &x : a.v) x = some<T>();
    return a;
}

static int index_base() { return random_below(2); }
static std::vector<char> indices(const std::vector<long long> &v, bool wide, int base)
{
    std::vector<char> r(v.size() * (wide ? 8 : 4));
    for (size_t k = 0; k < v.size(); k++) {
        const long long x = v[k] + base;
        const int y = (int)x;
        if (wide)
            memcpy(&r[8 * k], &x, 8);
        else
            memcpy(&r[4 * k], &y, 4);
    }
    return r;
}
static std::vector<long long> indices_back(const std::vector<char> &v, bool wide, int base)
{
    std::vector<long long> r(v.size() / (wide ? 8 : 4));
    for (size_t k = 0; k < r.size(); k++) {
        int y;
        if (wide)
            memcpy(&r[k], &v[8 * k], 8);
        else
            memcpy(&y, &v[4 * k], 4), r[k] = y;
        r[k] -= base;
    }
    return r;
}
// A sparse matrix on the device, in some format.
template <class T> struct Sparse {
    int format = random_below(3), base = index_base();  // CSR, CSC, COO
    bool wide = random_below(2);
    std::vector<long long> major, minor, offsets{0};
    std::vector<Value> values;
    Room<char> *first, *second;
    Room<T> *third;
    cusparseSpMatDescr_t d;
    explicit Sparse(const Plain &a, int wanted = -1)
    {
        if (wanted >= 0) format = wanted;
        const int m = format == 1 ? a.columns : a.rows, n = format == 1 ? a.rows : a.columns;
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                const int r = format == 1 ? j : i, c = format == 1 ? i : j;
                if (!a.there[(size_t)r * a.columns + c]) continue;
                major.push_back(i), minor.push_back(j), values.push_back(a(r, c));
            }
            offsets.push_back((long long)minor.size());
        }
        first = new Room<char>(indices(format == 2 ? major : offsets, wide, base));
        second = new Room<char>(indices(minor, wide, base));
        third = new Room<T>(made<T>(values));
        const cusparseIndexType_t t = wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
        const cusparseIndexBase_t b = (cusparseIndexBase_t)base;
        if (format == 0)
            OK(cusparseCreateCsr(&d, a.rows, a.columns, minor.size(), first->at, second->at, third->at, t, t, b,
                                 Of<T>::type));
        if (format == 1)
            OK(cusparseCreateCsc(&d, a.rows, a.columns, minor.size(), first->at, second->at, third->at, t, t, b,
                                 Of<T>::type));
        if (format == 2)
            OK(cusparseCreateCoo(&d, a.rows, a.columns, minor.size(), first->at, second->at, third->at, t, b,
                                 Of<T>::type));
    }
    ~Sparse()
    {
        OK(cusparseDestroySpMat(d));
        delete first, delete second, delete third;
    }
};
// A dense matrix on the device, by rows or by columns, with a gap behind each.
template <class T> struct Dense {
    int rows, columns, leading;
    bool by_rows;
    Room<T> *room;
    cusparseDnMatDescr_t d;
    explicit Dense(const Plain &a) : rows(a.rows), columns(a.columns), by_rows(random_below(2))
    {
        leading = (by_rows ? columns : rows) + random_below(3);
        std::vector<Value> v((size_t)leading * (by_rows ? rows : columns), 5);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) v[place(i, j)] = a(i, j);
        room = new Room<T>(made<T>(v));
        OK(cusparseCreateDnMat(&d, rows, columns, leading, room->at, Of<T>::type,
                               by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
    }
    size_t place(int i, int j) const { return by_rows ? (size_t)i * leading + j : (size_t)j * leading + i; }
    bool is(const Plain &want) const
    {
        const std::vector<T> v = room->get();
        std::vector<T> got;
        size_t gap = 0;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) got.push_back(v[place(i, j)]);
        for (T x : v) gap += Of<T>::take(x) == Value(5);
        return near(got, want.v) && gap >= v.size() - (size_t)rows * columns;
    }
    ~Dense()
    {
        OK(cusparseDestroyDnMat(d));
        delete room;
    }
};

// --- tests -----------------------------------------------------------------------------------------------------------
struct Session {
    cusparseHandle_t h;
    cudaStream_t s;
    Session()
    {
        OK(cusparseCreate(&h));
        cudaStreamCreate(&s);
        OK(cusparseSetStream(h, s));
    }
    ~Session()
    {
        OK(cusparseDestroy(h));
        cudaStreamDestroy(s);
    }
};
// A scalar where the pointer mode wants it.
template <class T> struct Scalar {
    T here;
    Room<T> there;
    bool device;
    Scalar(Value v, bool device) : here(Of<T>::make(v)), there(std::vector<T>{here}), device(device) {}
    const void *get() const { return device ? there.at : &here; }
};
static cusparseOperation_t some_operation() { return (cusparseOperation_t)random_below(3); }

template <class T> static void products(Session &s)
{
    const int m = 1 + random_below(40), k = 1 + random_below(40), n = random_below(3) ? 1 + random_below(9) : 1;
    const cusparseOperation_t op_a = some_operation(), op_b = some_operation();
    const bool device = random_below(2), none = random_below(3) == 0;
    const Plain a = op_a == CUSPARSE_OPERATION_NON_TRANSPOSE ? random_sparse<T>(m, k, 20) : random_sparse<T>(k, m, 20);
    const Plain b = op_b == CUSPARSE_OPERATION_NON_TRANSPOSE ? random_dense<T>(k, n) : random_dense<T>(n, k),
                c = random_dense<T>(m, n);
    const Value alpha = some<T>(), beta = none ? 0 : some<T>();
    const Scalar<T> x(alpha, device), y(beta, device);
    Sparse<T> sa(a);
    Dense<T> db(b), dc(c);
    size_t bytes = 0;
    OK(cusparseSetPointerMode(s.h, device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
    OK(cusparseSpMM_bufferSize(s.h, op_a, op_b, x.get(), sa.d, db.d, y.get(), dc.d, Of<T>::type,
                               CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
    Room<char> buffer(bytes);
    OK(cusparseSpMM_preprocess(s.h, op_a, op_b, x.get(), sa.d, db.d, y.get(), dc.d, Of<T>::type,
                               CUSPARSE_SPMM_ALG_DEFAULT, buffer.at));
    OK(cusparseSpMM(s.h, op_a, op_b, x.get(), sa.d, db.d, y.get(), dc.d, Of<T>::type, CUSPARSE_SPMM_ALG_DEFAULT,
                    buffer.at));
    CHECK(dc.is(product(alpha, op(a, op_a), op(b, op_b), beta, c)));

    const Plain v = random_dense<T>(k, 1), w = random_dense<T>(m, 1);
    Room<T> rv(made<T>(v.v)), rw(made<T>(w.v));
    cusparseDnVecDescr_t dv, dw;
    OK(cusparseCreateDnVec(&dv, k, rv.at, Of<T>::type));
    OK(cusparseCreateDnVec(&dw, m, rw.at, Of<T>::type));
    OK(cusparseSpMV_bufferSize(s.h, op_a, x.get(), sa.d, dv, y.get(), dw, Of<T>::type, CUSPARSE_SPMV_ALG_DEFAULT,
                               &bytes));
    OK(cusparseSpMV(s.h, op_a, x.get(), sa.d, dv, y.get(), dw, Of<T>::type, CUSPARSE_SPMV_ALG_DEFAULT, buffer.at));
    CHECK(near(rw.get(), product(alpha, op(a, op_a), v, beta, w).v));
    if (m != k)
        CHECK(cusparseSpMV(s.h, op_a, x.get(), sa.d, dw, y.get(), dv, Of<T>::type, CUSPARSE_SPMV_ALG_DEFAULT,
                           buffer.at) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(cusparseSpMV(s.h, op_a, x.get(), sa.d, dv, y.get(), dw, CUDA_R_8I, CUSPARSE_SPMV_ALG_DEFAULT, buffer.at) ==
          CUSPARSE_STATUS_NOT_SUPPORTED);
    OK(cusparseDestroyDnVec(dv));
    OK(cusparseDestroyDnVec(dw));

    // Where c has entries: the product of two dense ones.
    const Plain left = op_a == CUSPARSE_OPERATION_NON_TRANSPOSE ? random_dense<T>(m, k) : random_dense<T>(k, m);
    Plain mask = random_sparse<T>(m, n, 30), want = product(alpha, op(left, op_a), op(b, op_b), beta, mask);
    for (size_t i = 0; i < want.v.size(); i++)
        if (!mask.there[i]) want.v[i] = 0;
    Dense<T> dl(left), out(random_dense<T>(m, n));
    Sparse<T> sm(mask);
    OK(cusparseSDDMM_bufferSize(s.h, op_a, op_b, x.get(), dl.d, db.d, y.get(), sm.d, Of<T>::type,
                                CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
    OK(cusparseSDDMM(s.h, op_a, op_b, x.get(), dl.d, db.d, y.get(), sm.d, Of<T>::type, CUSPARSE_SDDMM_ALG_DEFAULT,
                     buffer.at));
    OK(cusparseSparseToDense(s.h, sm.d, out.d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer.at));
    CHECK(out.is(want));
}

template <class T> static void dense(Session &s)
{
    Plain a = random_sparse<T>(1 + random_below(30), 1 + random_below(30), 30);
    for (size_t k = 0; k < a.v.size(); k++) a.there[k] = a.v[k] != Value(0);
    Plain none = a;
    Dense<T> da(a);
    std::fill(none.there.begin(), none.there.end(), false);
    Sparse<T> sp(none);  // its offsets' room is what counts
    size_t bytes;
    int64_t rows, columns, entries;
    OK(cusparseDenseToSparse_bufferSize(s.h, da.d, sp.d, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
    Room<char> buffer(bytes);
    OK(cusparseDenseToSparse_analysis(s.h, da.d, sp.d, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer.at));
    OK(cusparseSpMatGetSize(sp.d, &rows, &columns, &entries));
    const Sparse<T> want(a, sp.format);
    CHECK(rows == a.rows && columns == a.columns && entries == (int64_t)want.minor.size());
    Room<char> first(indices(want.major, sp.wide, 0)), second(first.n);
    Room<T> third(entries);
    if (sp.format == 0) OK(cusparseCsrSetPointers(sp.d, sp.first->at, second.at, third.at));
    if (sp.format == 1) OK(cusparseCscSetPointers(sp.d, sp.first->at, second.at, third.at));
    if (sp.format == 2) OK(cusparseCooSetPointers(sp.d, first.at, second.at, third.at));
    OK(cusparseDenseToSparse_convert(s.h, da.d, sp.d, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer.at));
    CHECK(near(third.get(), want.values) && indices_back(second.get(), sp.wide, sp.base) == want.minor);
    if (sp.format == 2)
        CHECK(indices_back(first.get(), sp.wide, sp.base) == want.major);
    else
        CHECK(indices_back(sp.first->get(), sp.wide, sp.base) == want.offsets);
}

template <class T> static void vectors(Session &s)
{
    const int n = 50 + random_below(300);
    const bool wide = random_below(2), device = random_below(2);
    const int base = index_base();
    std::vector<long long> place;
    std::vector<Value> x, y;
    for (int i = 0; i < n; i++) {
        y.push_back(some<T>());
        if (random_below(4) == 0) place.push_back(i), x.push_back(some<T>());
    }
    Room<char> rp(indices(place, wide, base));
    Room<T> rx(made<T>(x)), ry(made<T>(y)), buffer(1), there(1);
    cusparseSpVecDescr_t dx;
    cusparseDnVecDescr_t dy;
    OK(cusparseCreateSpVec(&dx, n, x.size(), rp.at, rx.at, wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I,
                           (cusparseIndexBase_t)base, Of<T>::type));
    OK(cusparseCreateDnVec(&dy, n, ry.at, Of<T>::type));
    OK(cusparseSetPointerMode(s.h, device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
    const cusparseOperation_t o =
        Of<T>::turns && random_below(2) ? CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    T result;
    Value sum = 0;
    for (size_t k = 0; k < x.size(); k++) sum += (o ? std::conj(x[k]) : x[k]) * y[place[k]];
    OK(cusparseSpVV(s.h, o, dx, dy, device ? there.at : &result, Of<T>::type, buffer.at));
    CHECK(near(device ? there.get() : std::vector<T>{result}, {sum}));
    const Value alpha = some<T>(), beta = some<T>();
    const Scalar<T> p(alpha, device), q(beta, device);
    for (Value &v : y) v *= beta;
    for (size_t k = 0; k < x.size(); k++) y[place[k]] += alpha * x[k];
    OK(cusparseAxpby(s.h, p.get(), dx, q.get(), dy));
    CHECK(near(ry.get(), y));
    for (size_t k = 0; k < x.size(); k++) x[k] = y[place[k]];
    OK(cusparseGather(s.h, dy, dx));
    CHECK(near(rx.get(), x));
    std::vector<T> other = made<T>(x);
    std::reverse(other.begin(), other.end());
    std::reverse(x.begin(), x.end());
    cudaMemcpy(rx.at, other.data(), other.size() * sizeof(T), cudaMemcpyHostToDevice);
    for (size_t k = 0; k < x.size(); k++) y[place[k]] = x[k];
    OK(cusparseScatter(s.h, dx, dy));
    CHECK(near(ry.get(), y));
    OK(cusparseDestroySpVec(dx));
    OK(cusparseDestroyDnVec(dy));
}

// op(triangle of a) · x must be alpha · op(b).
template <class T> static Plain triangle(const Plain &a, bool upper, bool unit)
{
    Plain t(a.rows, a.rows);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.rows; j++)
            if (upper ? j >= i : j <= i) t(i, j) = unit && i == j ? 1 : a(i, j);
    return t;
}
template <class T> static Plain solution(const Plain &t, bool upper, Plain b)
{
    for (int c = 0; c < b.columns; c++)
        for (int k = 0; k < t.rows; k++) {
            const int i = upper ? t.rows - 1 - k : k;
            for (int j = 0; j < t.rows; j++)
                if (j != i) b(i, c) -= (upper ? j > i : j < i) ? t(i, j) * b(j, c) : 0;
            b(i, c) /= t(i, i);
        }
    return b;
}
template <class T> static void triangles(Session &s)
{
    const int n = 1 + random_below(60), sides = 1 + random_below(5);
    const cusparseOperation_t op_a = some_operation(), op_b = some_operation();
    const bool device = random_below(2);
    cusparseFillMode_t fill = (cusparseFillMode_t)random_below(2);
    cusparseDiagType_t unit = (cusparseDiagType_t)random_below(2);
    Plain a = random_sparse<T>(n, n, 12);
    for (int i = 0; i < n; i++) a(i, i) = 2.0 + some<T>(), a.there[(size_t)i * n + i] = true;
    const Plain b = op_b == CUSPARSE_OPERATION_NON_TRANSPOSE ? random_dense<T>(n, sides) : random_dense<T>(sides, n);
    const Value alpha = some<T>();
    const Scalar<T> x(alpha, device);
    auto want = [&](const Plain &right) {
        Plain scaled = right;
        for (Value &v : scaled.v) v *= alpha;
        return solution<T>(op(triangle<T>(a, fill, unit), op_a), (fill != 0) != (op_a != 0), scaled);
    };
    Sparse<T> sa(a);
    Dense<T> db(b), dc(random_dense<T>(n, sides));
    size_t bytes;
    OK(cusparseSetPointerMode(s.h, device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
    OK(cusparseSpMatSetAttribute(sa.d, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    OK(cusparseSpMatSetAttribute(sa.d, CUSPARSE_SPMAT_DIAG_TYPE, &unit, sizeof unit));
    cusparseSpSMDescr_t many;
    OK(cusparseSpSM_createDescr(&many));
    OK(cusparseSpSM_bufferSize(s.h, op_a, op_b, x.get(), sa.d, db.d, dc.d, Of<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, many,
                               &bytes));
    Room<char> buffer(bytes);
    OK(cusparseSpSM_analysis(s.h, op_a, op_b, x.get(), sa.d, db.d, dc.d, Of<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, many,
                             buffer.at));
    OK(cusparseSpSM_solve(s.h, op_a, op_b, x.get(), sa.d, db.d, dc.d, Of<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, many));
    CHECK(dc.is(want(op(b, op_b))));
    OK(cusparseSpSM_destroyDescr(many));

    const Plain v = random_dense<T>(n, 1);
    Room<T> rv(made<T>(v.v)), rw(n);
    cusparseDnVecDescr_t dv, dw;
    cusparseSpSVDescr_t one;
    OK(cusparseCreateDnVec(&dv, n, rv.at, Of<T>::type));
    OK(cusparseCreateDnVec(&dw, n, rw.at, Of<T>::type));
    OK(cusparseSpSV_createDescr(&one));
    OK(cusparseSpSV_bufferSize(s.h, op_a, x.get(), sa.d, dv, dw, Of<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, one, &bytes));
    OK(cusparseSpSV_analysis(s.h, op_a, x.get(), sa.d, dv, dw, Of<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, one, buffer.at));
    OK(cusparseSpSV_solve(s.h, op_a, x.get(), sa.d, dv, dw, Of<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, one));
    CHECK(near(rw.get(), want(v).v));
    if (!unit) {
        std::vector<Value> diagonal;
        for (int i = 0; i < n; i++) diagonal.push_back(a(i, i) = 3.0 + some<T>());
        Room<T> given(made<T>(diagonal));
        OK(cusparseSpSV_updateMatrix(s.h, one, given.at, CUSPARSE_SPSV_UPDATE_DIAGONAL));
        OK(cusparseSpSV_solve(s.h, op_a, x.get(), sa.d, dv, dw, Of<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, one));
        CHECK(near(rw.get(), want(v).v));
    }
    OK(cusparseSpSV_destroyDescr(one));
    OK(cusparseDestroyDnVec(dv));
    OK(cusparseDestroyDnVec(dw));
}

template <class T> static void sparse_products(Session &s)
{
    const int m = 1 + random_below(30), k = 1 + random_below(30), n = 1 + random_below(30);
    const Plain a = random_sparse<T>(m, k, 15), b = random_sparse<T>(k, n, 15);
    const cusparseOperation_t o = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const Value alpha = some<T>();
    const Scalar<T> x(alpha, false), y(0, false);
    Plain none(m, n);
    Sparse<T> sa(a, 0), sb(b, 0), sc(none, 0);
    size_t bytes = 0, more = 0;
    int64_t rows, columns, entries;
    cusparseSpGEMMDescr_t d;
    OK(cusparseSetPointerMode(s.h, CUSPARSE_POINTER_MODE_HOST));
    OK(cusparseSpGEMM_createDescr(&d));
#define STEP(name, ...)                                                                                           \
    cusparseSpGEMM_##name(s.h, o, o, x.get(), sa.d, sb.d, y.get(), sc.d, Of<T>::type, CUSPARSE_SPGEMM_DEFAULT, d, \
                          ##__VA_ARGS__)
    OK(STEP(workEstimation, &bytes, nullptr));
    Room<char> one(bytes);
    OK(STEP(workEstimation, &bytes, one.at));
    OK(STEP(compute, &more, nullptr));
    Room<char> two(more);
    OK(STEP(compute, &more, two.at));
    OK(cusparseSpMatGetSize(sc.d, &rows, &columns, &entries));
    Room<char> index(entries * 8);
    Room<T> values(entries);
    OK(cusparseCsrSetPointers(sc.d, sc.first->at, index.at, values.at));
    OK(STEP(copy));
#undef STEP
    Dense<T> out(random_dense<T>(m, n));
    OK(cusparseSparseToDense(s.h, sc.d, out.d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, two.at));
    CHECK(out.is(product(alpha, a, b, 0, none)));
    OK(cusparseSpGEMM_destroyDescr(d));
}

// CSR, COO and CSC of ints.
static void forms(Session &s)
{
    const Plain a = random_sparse<float>(1 + random_below(40), 1 + random_below(40), 10);
    const int base = index_base(), n = (int)std::count(a.there.begin(), a.there.end(), true);
    const Sparse<float> rows(a, 0), columns(a, 1);
    Room<char> r(indices(rows.major, false, base)), c(indices(rows.minor, false, base)), offsets(4 * (a.rows + 1)),
        again(r.n);
    Room<char> across(4 * (a.columns + 1)), down(c.n);
    Room<float> values(made<float>(rows.values)), turned(n);
    const cusparseIndexBase_t b = (cusparseIndexBase_t)base;
    OK(cusparseXcoo2csr(s.h, (int *)r.at, n, a.rows, (int *)offsets.at, b));
    CHECK(indices_back(offsets.get(), false, base) == rows.offsets);
    OK(cusparseXcsr2coo(s.h, (int *)offsets.at, n, a.rows, (int *)again.at, b));
    CHECK(indices_back(again.get(), false, base) == rows.major);
    size_t bytes;
#define GIVEN                                                                                                          \
    s.h, a.rows, a.columns, n, values.at, (int *)offsets.at, (int *)c.at, turned.at, (int *)across.at, (int *)down.at, \
        CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, b, CUSPARSE_CSR2CSC_ALG1
    OK(cusparseCsr2cscEx2_bufferSize(GIVEN, &bytes));
    Room<char> buffer(bytes);
    OK(cusparseCsr2cscEx2(GIVEN, buffer.at));
#undef GIVEN
    CHECK(indices_back(across.get(), false, base) == columns.offsets &&
          indices_back(down.get(), false, base) == columns.minor);
    CHECK(near(turned.get(), columns.values));
}

// A system that needs its rows exchanged, for gtsv2; and well-behaved ones without.
static void tridiagonal(Session &s)
{
    const int n = 3 + random_below(60), sides = 1 + random_below(4), gap = n + random_below(3);
    for (int pivot = 0; pivot < 2; pivot++) {
        Plain a(n, n), x = random_dense<double>(n, sides);
        std::vector<Value> dl(n), d(n), du(n), b((size_t)gap * sides);
        for (int i = 0; i < n; i++) {
            d[i] = a(i, i) = pivot ? (i == 0 && n % 2 == 0 ? 0 : 0.1 * random_part()) : 3 + random_part();
            if (i) dl[i] = a(i, i - 1) = pivot ? 1 + 0.3 * random_part() : random_part();
            if (i + 1 < n) du[i] = a(i, i + 1) = pivot ? 1 + 0.3 * random_part() : random_part();
        }
        if (pivot) d[n - 1] = a(n - 1, n - 1) = 2;
        const Plain right = product(1, a, x, 0, x);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < sides; c++) b[i + (size_t)c * gap] = right(i, c);
        Room<double> l(made<double>(dl)), o(made<double>(d)), u(made<double>(du)), r(made<double>(b));
        size_t bytes;
        OK(pivot ? cusparseDgtsv2_bufferSizeExt(s.h, n, sides, l.at, o.at, u.at, r.at, gap, &bytes)
                 : cusparseDgtsv2_nopivot_bufferSizeExt(s.h, n, sides, l.at, o.at, u.at, r.at, gap, &bytes));
        Room<char> buffer(bytes);
        OK(pivot ? cusparseDgtsv2(s.h, n, sides, l.at, o.at, u.at, r.at, gap, buffer.at)
                 : cusparseDgtsv2_nopivot(s.h, n, sides, l.at, o.at, u.at, r.at, gap, buffer.at));
        const std::vector<double> got = r.get();
        double error = 0;
        for (int i = 0; i < n; i++)
            for (int c = 0; c < sides; c++) error = std::max(error, std::abs(got[i + (size_t)c * gap] - x(i, c)));
        CHECK(error < 1e-6);
        if (pivot) continue;
        // The same matrix twice, as a batch.
        std::vector<Value> l2 = dl, d2 = d, u2 = du, b2(b.begin(), b.begin() + n);
        l2.insert(l2.end(), dl.begin(), dl.end()), d2.insert(d2.end(), d.begin(), d.end()),
            u2.insert(u2.end(), du.begin(), du.end());
        for (int i = 0; i < n; i++) b2.push_back(2.0 * b[i]);
        Room<double> lb(made<double>(l2)), ob(made<double>(d2)), ub(made<double>(u2)), rb(made<double>(b2));
        OK(cusparseDgtsv2StridedBatch_bufferSizeExt(s.h, n, lb.at, ob.at, ub.at, rb.at, 2, n, &bytes));
        Room<char> room(bytes);
        OK(cusparseDgtsv2StridedBatch(s.h, n, lb.at, ob.at, ub.at, rb.at, 2, n, room.at));
        const std::vector<double> both = rb.get();
        for (int i = 0; i < n; i++)
            CHECK(std::abs(both[i] - x(i, 0)) < 1e-9 && std::abs(both[n + i] - 2.0 * x(i, 0)) < 1e-9);
    }
}

static void descriptions()
{
    cusparseHandle_t h;
    cusparseMatDescr_t d;
    cusparsePointerMode_t mode;
    int version = 0;
    OK(cusparseCreate(&h));
    OK(cusparseGetVersion(h, &version));
    OK(cusparseGetPointerMode(h, &mode));
    CHECK(version >= 11000 && mode == CUSPARSE_POINTER_MODE_HOST);
    CHECK(cusparseGetVersion(nullptr, &version) == CUSPARSE_STATUS_NOT_INITIALIZED);
    CHECK(!strcmp(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT"));
    CHECK(cusparseGetErrorString(CUSPARSE_STATUS_SUCCESS) != nullptr);
    OK(cusparseCreateMatDescr(&d));
    CHECK(cusparseGetMatType(d) == CUSPARSE_MATRIX_TYPE_GENERAL &&
          cusparseGetMatIndexBase(d) == CUSPARSE_INDEX_BASE_ZERO);
    OK(cusparseSetMatType(d, CUSPARSE_MATRIX_TYPE_TRIANGULAR));
    OK(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE));
    OK(cusparseSetMatFillMode(d, CUSPARSE_FILL_MODE_UPPER));
    OK(cusparseSetMatDiagType(d, CUSPARSE_DIAG_TYPE_UNIT));
    CHECK(cusparseGetMatType(d) == CUSPARSE_MATRIX_TYPE_TRIANGULAR &&
          cusparseGetMatIndexBase(d) == CUSPARSE_INDEX_BASE_ONE);
    CHECK(cusparseGetMatFillMode(d) == CUSPARSE_FILL_MODE_UPPER &&
          cusparseGetMatDiagType(d) == CUSPARSE_DIAG_TYPE_UNIT);
    CHECK(cusparseSetMatType(d, (cusparseMatrixType_t)9) == CUSPARSE_STATUS_INVALID_VALUE);
    OK(cusparseDestroyMatDescr(d));
    OK(cusparseDestroy(h));
}

template <class T> static void all(Session &s)
{
    products<T>(s);
    dense<T>(s);
    vectors<T>(s);
    triangles<T>(s);
    sparse_products<T>(s);
}

int main(int argc, char **argv)
{
    const int many = argc > 1 ? atoi(argv[1]) : 16;
    descriptions();
    Session s;
    for (int k = 0; k < many; k++) {
        switch (k % 4) {
        case 0: all<float>(s); break;
        case 1: all<double>(s); break;
        case 2: all<cuComplex>(s); break;
        case 3: all<cuDoubleComplex>(s); break;
        }
        forms(s);
        tridiagonal(s);
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
