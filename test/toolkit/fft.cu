// fft.cu: transforms by cuFFT, and the same by the definition of a discrete Fourier transform in long double, dimension
// by dimension. What lies between a layout's elements must stay as it was. It prints how much is wrong.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cufftXt.h>
#include <vector>

typedef long double Wide;
typedef std::complex<Wide> Complex;
static int wrong;
static void check(bool right, const char *what, int line)
{
    if (right) return;
    printf("line %d: %s\n", line, what);
    wrong++;
}
#define CHECK(x) check(x, #x, __LINE__)

static unsigned long long at = 1;
static unsigned random_below(unsigned n)
{
    return (unsigned)((at = at * 6364136223846793005ull + 1442695040888963407ull) >> 33) % n;
}
static Wide random_part() { return (Wide)random_below(1u << 30) / (1 << 29) - 1; }

struct Layout {
    int embed[3], stride, dist;
    // The place of element i of batch b, i row by row in rows of `last`.
    size_t place(int rank, const int *size, int b, size_t i) const
    {
        size_t index[3] = {}, p = 0;
        for (int d = rank - 1; d >= 0; d--) index[d] = i % size[d], i /= size[d];
        for (int d = 0; d < rank; d++) p = (d ? p * embed[d] : 0) + index[d];
        return p * stride + (size_t)b * dist;
    }
};
struct Case {
    int rank, n[3], batch;
    cufftType type;
    bool in_place, usual, inverse, graph;
};

static size_t product(int rank, const int *n)
{
    size_t all = 1;
    for (int d = 0; d < rank; d++) all *= n[d];
    return all;
}
static void define(int rank, const int *n, bool inverse, std::vector<Complex> &x)
{
    size_t apart = 1;
    for (int d = rank - 1; d >= 0; apart *= n[d--]) {
        std::vector<Complex> root(n[d]), line(n[d]);
        for (int k = 0; k < n[d]; k++) root[k] = std::polar((Wide)1, (inverse ? 2 : -2) * (Wide)M_PIl * k / n[d]);
        for (size_t i = 0; i < x.size(); i++) {
            if (i / apart % n[d]) continue;
            for (int k = 0; k < n[d]; k++) {
                Wide re = 0, im = 0;
                for (int j = 0, turn = 0; j < n[d]; j++, turn = (turn + k) % n[d]) {
                    const Complex a = x[i + j * apart], w = root[turn];
                    re += a.real() * w.real() - a.imag() * w.imag(), im += a.real() * w.imag() + a.imag() * w.real();
                }
                line[k] = Complex(re, im);
            }
            for (int k = 0; k < n[d]; k++) x[i + k * apart] = line[k];
        }
    }
}

static Layout some_layout(const Case &c, const int *size, int row, bool loose)
{
    Layout l = {{1, 1, 1}, 1, 1};
    for (int d = 0; d < c.rank; d++) l.embed[d] = (d == c.rank - 1 ? row : size[d]) + (loose ? random_below(3) : 0);
    l.stride = loose ? 1 + random_below(3) : 1;
    l.dist = (int)product(c.rank, l.embed) * l.stride + (loose ? random_below(5) : 0);
    if (loose && random_below(4) == 0) l.dist = 1, l.stride = c.batch;  // the batch is innermost
    return l;
}

// T: the parts' type. Both sides are arrays of parts: a complex element is two.
template <class T> static void run(const Case &c, cufftHandle plan, const Layout &in, const Layout &out, cudaStream_t s)
{
    const bool from_real = c.type == CUFFT_R2C || c.type == CUFFT_D2Z,
               to_real = c.type == CUFFT_C2R || c.type == CUFFT_Z2D;
    int half[3] = {c.n[0], c.n[1], c.n[2]};
    half[c.rank - 1] = c.n[c.rank - 1] / 2 + 1;
    const int *in_size = to_real ? half : c.n, *out_size = from_real ? half : c.n;
    const size_t all = product(c.rank, c.n), in_all = product(c.rank, in_size), out_all = product(c.rank, out_size);
    std::vector<T> from, to, got;
    const int a = from_real ? 1 : 2, b = to_real ? 1 : 2;
    auto last_place = [&](const Layout &l, const int *size, size_t n) {
        return l.place(c.rank, size, c.batch - 1, n - 1) + 1;
    };
    size_t in_parts = last_place(in, in_size, in_all) * a, out_parts = last_place(out, out_size, out_all) * b;
    if (c.in_place) in_parts = out_parts = std::max(in_parts, out_parts);
    from.assign(in_parts, (T)7), to.assign(out_parts, (T)9);
    std::vector<std::vector<Complex>> want;
    for (int k = 0; k < c.batch; k++) {
        std::vector<Complex> x(all);
        for (Complex &z : x) z = Complex((T)random_part(), from_real || to_real ? 0 : (T)random_part());
        std::vector<Complex> y = x;
        define(c.rank, c.n, c.inverse, y);
        if (to_real) {
            // x is what comes out, if its spectrum, rounded, goes in; times their number.
            std::vector<Complex> spectrum = x;
            define(c.rank, c.n, false, spectrum);
            std::swap(x, spectrum);
            y = spectrum;
            for (Complex &z : y) z *= (Wide)all;
        }
        for (size_t i = 0; i < in_all; i++) {
            size_t full = i / in_size[c.rank - 1] * c.n[c.rank - 1] + i % in_size[c.rank - 1],
                   p = in.place(c.rank, in_size, k, i);
            from[p * a] = (T)x[full].real();
            if (a == 2) from[p * a + 1] = (T)x[full].imag();
        }
        want.push_back(y);
    }
    T *d, *e;
    cudaMalloc(&d, in_parts * sizeof(T));
    cudaMalloc(&e, out_parts * sizeof(T));
    if (c.in_place) to = from;
    cudaMemcpy(d, from.data(), in_parts * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(e, to.data(), out_parts * sizeof(T), cudaMemcpyHostToDevice);
    T *target = c.in_place ? d : e;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cufftSetStream(plan, s) == CUFFT_SUCCESS);
    if (c.graph) cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    CHECK(cufftXtExec(plan, d, target, c.inverse ? CUFFT_INVERSE : CUFFT_FORWARD) == CUFFT_SUCCESS);
    if (c.graph) {
        CHECK(cudaStreamEndCapture(s, &graph) == cudaSuccess && cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
        CHECK(cudaGraphLaunch(exec, s) == cudaSuccess);
    }
    CHECK(cudaStreamSynchronize(s) == cudaSuccess);
    got.resize(out_parts);
    cudaMemcpy(got.data(), target, out_parts * sizeof(T), cudaMemcpyDeviceToHost);
    Wide error = 0, sum = 0;
    for (int k = 0; k < c.batch; k++)
        for (size_t i = 0; i < out_all; i++) {
            size_t full = i / out_size[c.rank - 1] * c.n[c.rank - 1] + i % out_size[c.rank - 1],
                   p = out.place(c.rank, out_size, k, i);
            const Complex y = want[k][full], x(got[p * b], b == 2 ? got[p * b + 1] : 0);
            error += std::norm(x - y), sum += std::norm(y);
            for (int part = 0; part < b; part++) got[p * b + part] = to[p * b + part];
        }
    const Wide most = (sizeof(T) == 4 ? 6e-8L : 1.2e-16L) * (4 + std::log2((Wide)all + 1));
    const bool precise = std::sqrt(error) <= most * std::sqrt(sum), rest = c.in_place || got == to;
    if (!precise || !rest) {
        printf("%d × %d × %d of rank %d, %d of them, type %x%s%s%s: error %.2Lg of %.2Lg, rest %d\n", c.n[0], c.n[1],
               c.n[2], c.rank, c.batch, c.type, c.in_place ? ", in place" : "", c.usual ? "" : ", laid out",
               c.inverse ? ", inverse" : "", std::sqrt(error / sum), most, rest);
        wrong++;
    }
    if (!c.in_place) {  // what went in is still there
        std::vector<T> again(in_parts);
        cudaMemcpy(again.data(), d, in_parts * sizeof(T), cudaMemcpyDeviceToHost);
        CHECK(again == from);
    }
    cudaFree(d), cudaFree(e);
}

static void test(Case c)
{
    const bool from_real = c.type == CUFFT_R2C || c.type == CUFFT_D2Z,
               to_real = c.type == CUFFT_C2R || c.type == CUFFT_Z2D;
    if (from_real) c.inverse = false;
    if (to_real) c.inverse = true;
    const int last = c.n[c.rank - 1], half = last / 2 + 1, padded = c.in_place ? 2 * half : last;
    int half_size[3] = {c.n[0], c.n[1], c.n[2]};
    half_size[c.rank - 1] = half;
    const bool loose = !c.usual && !c.in_place;
    Layout in = some_layout(c, to_real ? half_size : c.n, from_real ? padded : to_real ? half : last, loose);
    Layout out = some_layout(c, from_real ? half_size : c.n, to_real ? padded : from_real ? half : last, loose);
    cufftHandle plan;
    cudaStream_t s = 0;
    if (random_below(2))
        cudaStreamCreate(&s);
    else
        c.graph = false;
    int *e = c.usual ? nullptr : in.embed, *f = c.usual ? nullptr : out.embed;
    CHECK(cufftPlanMany(&plan, c.rank, c.n, e, in.stride, in.dist, f, out.stride, out.dist, c.type, c.batch) ==
          CUFFT_SUCCESS);
    size_t size = 1, asked = 2;
    CHECK(cufftGetSize(plan, &size) == CUFFT_SUCCESS);
    CHECK(cufftEstimateMany(c.rank, c.n, e, in.stride, in.dist, f, out.stride, out.dist, c.type, c.batch, &asked) ==
          CUFFT_SUCCESS);
    CHECK(size == asked);
    if (c.type & 0x40)
        run<double>(c, plan, in, out, s);
    else
        run<float>(c, plan, in, out, s);
    CHECK(cufftDestroy(plan) == CUFFT_SUCCESS);
}

static void errors()
{
    cufftHandle plan = 0;
    size_t bytes = 0;
    int version = 0, n[4] = {4, 4, 4, 4};
    long long many[1] = {300};
    cufftComplex *x;
    cudaMalloc(&x, 300 * sizeof *x);
    cudaMemset(x, 0, 300 * sizeof *x);
    CHECK(cufftGetVersion(&version) == CUFFT_SUCCESS && version >= 10000);
    CHECK(cufftDestroy(12345) == CUFFT_INVALID_PLAN && cufftSetStream(0, 0) == CUFFT_INVALID_PLAN);
    CHECK(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, 8, (cufftType)1, 1) == CUFFT_INVALID_TYPE);
    CHECK(cufftPlanMany(&plan, 4, n, 0, 1, 1, 0, 1, 1, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
    CHECK(cufftCreate(&plan) == CUFFT_SUCCESS && cufftSetAutoAllocation(plan, 0) == CUFFT_SUCCESS);
    CHECK(cufftExecC2C(plan, x, x, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    CHECK(cufftXtMakePlanMany(plan, 1, many, 0, 1, 1, CUDA_C_32F, 0, 1, 1, CUDA_R_64F, 1, &bytes, CUDA_C_32F) ==
          CUFFT_NOT_SUPPORTED);
    many[0] = 17 * 17;
    CHECK(cufftXtMakePlanMany(plan, 1, many, 0, 1, 1, CUDA_C_32F, 0, 1, 1, CUDA_C_32F, 1, &bytes, CUDA_C_32F) ==
          CUFFT_SUCCESS);
    CHECK(bytes > 0 && cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes) == CUFFT_INVALID_PLAN);
    CHECK(cufftExecC2C(plan, x, x, CUFFT_FORWARD) == CUFFT_NO_WORKSPACE);
    void *area;
    cudaMalloc(&area, bytes);
    CHECK(cufftSetWorkArea(plan, area) == CUFFT_SUCCESS && cufftExecC2C(plan, x, x, CUFFT_FORWARD) == CUFFT_SUCCESS);
    CHECK(cufftExecC2C(plan, x, x, 0) == CUFFT_INVALID_VALUE && cufftExecC2C(plan, 0, x, 1) == CUFFT_INVALID_VALUE);
    CHECK(cufftExecR2C(plan, (cufftReal *)x, x) == CUFFT_INVALID_TYPE);
    CHECK(cufftDestroy(plan) == CUFFT_SUCCESS && cufftDestroy(plan) == CUFFT_INVALID_PLAN);
    cudaFree(x), cudaFree(area);
}

int main(int argc, char **argv)
{
    static const cufftType types[] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D};
    static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  11, 12, 13, 15,
                                16, 17, 21, 23, 27, 31, 32, 35, 37, 49, 60, 64};
    const int many = argc > 1 ? atoi(argv[1]) : 60, count = sizeof sizes / sizeof *sizes;
    errors();
    // Lines of one launch at their largest, of two and three launches, with a chirp and with one of two launches.
    static const int lines[] = {97, 1001, 1024, 1155, 2048, 2310, 4096, 1031, 2 * 3 * 19 * 23};
    for (int k = 0; k < 9 && many > 3; k++)
        test({1, {lines[k], 1, 1}, 1 + (k < 4), types[k * 5 % 6], k % 2 == 0, true, k % 2 == 0, false});
    for (int k = 0; k < many; k++) {
        Case c = {1 + k % 3,
                  {1, 1, 1},
                  1 + (int)random_below(4),
                  types[k % 6],
                  random_below(3) == 0,
                  random_below(2) == 0,
                  random_below(2) == 0,
                  random_below(4) == 0};
        for (int d = 0; d < c.rank; d++) c.n[d] = sizes[random_below(c.rank == 3 ? 14 : count)];
        test(c);
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
