// gemm.cuh: products of matrices by ordinary instructions, for any type, shape and layout. A block of 16x16 threads makes
// a tile of c, each thread EACH x EACH elements of it. Steps of DEEP along k pass through two buffers in shared memory:
// while one is multiplied, registers hold what the other gets.
#ifndef GEMM_CUH
#define GEMM_CUH

#include "finish.cuh"

// How a matrix is read: AS_IT_IS by any layout; ALONG_FIRST, ALONG_SECOND: a whole one, where neighbours in memory are
// neighbours along op(a)'s first or second index.
enum Way { ANY, ALONG_FIRST, ALONG_SECOND };

// T: in memory; S: of sums
template <class T, class S, Way A, Way B, int TILE, int EACH, int DEEP> struct Gemm {
    enum { THREADS = 256, RUN = EACH < 4 ? EACH : 4, PITCH = TILE + 4, LOADS = TILE * DEEP / THREADS };
    struct __align__(16) Buffer { S a[DEEP][PITCH], b[DEEP][PITCH]; };
    struct __align__(RUN * sizeof(S) > 16 ? 16 : RUN * sizeof(S)) Run { S v[RUN]; };

    // Which of a tile's elements a thread reads: `first` along m or n, `k` along k. Neighbours in memory are read by
    // neighbouring threads.
    FN void place(bool first_fast, int r, int &first, int &k)
    {
        const int which = threadIdx.x + r * THREADS;
        if (first_fast)
            first = which % TILE, k = which / TILE;
        else
            k = which % DEEP, first = which / DEEP;
    }
    template <Way W> FN bool is_first_fast(const Matrix &a, bool left)
    {
        return W == ANY ? is_transposed(a) != left : W == ALONG_FIRST;
    }
    template <Way W>
    FN S get(const Matrix &a, T *at, bool left, long long first, long long k, long long size, long long depth)
    {
        if (first >= size || k >= depth) return S(0);
        if (W == ALONG_FIRST) return as<S>(at[first + k * a.ld]);
        if (W == ALONG_SECOND) return as<S>(at[k + first * a.ld]);
        return left ? used<S, T>(a, at, first, k) : used<S, T>(a, at, k, first);
    }
    template <Way W>
    FN void read(S (&kept)[LOADS], const Matrix &a, T *at, bool left, long long from, long long k, long long size,
                 long long depth)
    {
        const bool fast = is_first_fast<W>(a, left);
#pragma unroll
        for (int r = 0; r < LOADS; r++) {
            int first, deep;
            place(fast, r, first, deep);
            kept[r] = get<W>(a, at, left, from + first, k + deep, size, depth);
        }
    }
    template <Way W> FN void write(S (&to)[DEEP][PITCH], const S (&kept)[LOADS], bool fast)
    {
#pragma unroll
        for (int r = 0; r < LOADS; r++) {
            int first, deep;
            place(fast, r, first, deep);
            to[deep][first] = kept[r];
        }
    }
    FN int at(int thread, int e) { return e / RUN * 16 * RUN + thread * RUN + e % RUN; }
    FN void row(S (&to)[EACH], const S (&from)[PITCH], int thread)
    {
#pragma unroll
        for (int e = 0; e < EACH; e += RUN) {
            const Run run = *(const Run *)&from[at(thread, e)];
#pragma unroll
            for (int v = 0; v < RUN; v++) to[e + v] = run.v[v];
        }
    }
    FN void multiply(S (&sums)[EACH][EACH], const Buffer &buffer)
    {
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            S a[EACH], b[EACH];
            row(a, buffer.a[k], threadIdx.x % 16);
            row(b, buffer.b[k], threadIdx.x / 16);
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++) sums[i][j] = fused(a[i], b[j], sums[i][j]);
        }
    }
    FN void tile(const Product &p, const Factors<S> &f, Buffer (&buffers)[2], long long which, long long m0,
                 long long n0)
    {
        T *const a = of_batch<T>(p.a, which, p.pointers), *const b = of_batch<T>(p.b, which, p.pointers);
        const long long depth = f.alpha == S(0) ? 0 : p.k;
        const bool fast_a = is_first_fast<A>(p.a, true), fast_b = is_first_fast<B>(p.b, false);
        S sums[EACH][EACH], next_a[LOADS], next_b[LOADS];
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++) sums[i][j] = S(0);
        read<A>(next_a, p.a, a, true, m0, 0, p.m, depth);
        read<B>(next_b, p.b, b, false, n0, 0, p.n, depth);
        int now = 0;
        for (long long k = 0; k < depth; k += DEEP, now ^= 1) {
            write<A>(buffers[now].a, next_a, fast_a);
            write<B>(buffers[now].b, next_b, fast_b);
            __syncthreads();
            if (k + DEEP < depth) {
                read<A>(next_a, p.a, a, true, m0, k + DEEP, p.m, depth);
                read<B>(next_b, p.b, b, false, n0, k + DEEP, p.n, depth);
            }
            multiply(sums, buffers[now]);
        }
        void *const c = out_of_batch(p, which);
        if (p.plain == 1)
            plain(p, f, (T *)c, m0, n0, sums);
        else
            other(p, f, c, which, m0, n0, sums);
    }
    FN void plain(const Product &p, const Factors<S> &f, T *c, long long m0, long long n0, const S (&sums)[EACH][EACH])
    {
#pragma unroll
        for (int j = 0; j < EACH; j++)
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                const long long row = m0 + at(threadIdx.x % 16, i), column = n0 + at(threadIdx.x / 16, j);
                if (row >= p.m || column >= p.n) continue;
                T *const to = c + row + column * p.c.ld;
                S v = f.alpha * sums[i][j];
                if (f.keeps) v = fused(f.beta, as<S>(*to), v);
                *to = as<T>(v);
            }
    }
    // The sums go through local memory, so that what is done to each of them stands here once.
    FN void other(const Product &p, const Factors<S> &f, void *c, long long which, long long m0, long long n0,
                  const S (&sums)[EACH][EACH])
    {
        S kept[EACH * EACH];
#pragma unroll
        for (int e = 0; e < EACH * EACH; e++) kept[e] = sums[e % EACH][e / EACH];
#pragma unroll 1
        for (int e = 0; e < EACH * EACH; e++)
            finish(p, f, c, which, m0 + at(threadIdx.x % 16, e % EACH), n0 + at(threadIdx.x / 16, e / EACH), kept[e]);
    }
    FN void run(const Product &p)
    {
        __shared__ Buffer buffers[2];
        const uint2 t = tile_of_block((unsigned)((p.m + TILE - 1) / TILE), (unsigned)((p.n + TILE - 1) / TILE));
        const long long m0 = (long long)t.x * TILE, n0 = (long long)t.y * TILE;
        if (is_outside(p, m0, n0, TILE)) return;
        const Factors<S> f = factors<S>(p);
        for (long long which = blockIdx.z; which < p.count; which += gridDim.z) {
            tile(p, f, buffers, which, m0, n0);
            __syncthreads();
        }
    }
};

#define GEMM(name, ...) \
    extern "C" __global__ void __launch_bounds__(256) name(const Product p) { Gemm<__VA_ARGS__>::run(p); }
// Any layout: tiles of 64 and of 32.
#define GEMM_ANY(letter, T, S, deep)                   \
    GEMM(gemm64_##letter, T, S, ANY, ANY, 64, 4, deep) \
    GEMM(gemm32_##letter, T, S, ANY, ANY, 32, 2, deep)

#endif
