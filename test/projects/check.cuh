// check.cuh: what the projects share: calls that must succeed, values that must be near what the host computed, numbers
// of a fixed generator, and arrays on the device.
#ifndef CHECK_CUH
#define CHECK_CUH

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

// A call of the runtime or of a library that must succeed.
#define MUST(call) must(__LINE__, (int)(call))
inline void must(int line, int status)
{
    if (!status) return;
    std::printf("line %d: status %d\n", line, status);
    std::exit(99);
}

// What must hold; the first few that don't are told.
inline int wrong;
#define CHECK(condition) check(__LINE__, condition)
inline void check(int line, bool right)
{
    if (!right && wrong++ < 4) std::printf("line %d is wrong\n", line);
}
#define NEAR(got, want, bound) check_near(__LINE__, got, want, bound)
inline void check_near(int line, double got, double want, double bound)
{
    if (!(std::fabs(got - want) <= bound) && wrong++ < 4) std::printf("line %d: %.9g, not %.9g\n", line, got, want);
}

inline int verdict()
{
    std::printf("%d wrong\n", wrong);
    return wrong ? 1 : 0;
}

inline unsigned random_bits()
{
    static unsigned long long at = 68;
    at = at * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(at >> 33);
}
inline double random_part() { return random_bits() / 1073741824.0 - 1; }  // in [-1, 1)
template <class T> std::vector<T> random_vector(size_t n, double scale = 1)
{
    std::vector<T> v(n);
    for (T &x : v) x = (T)(scale * random_part());
    return v;
}

template <class T> struct Array {
    T *at = nullptr;
    size_t n;
    explicit Array(size_t n) : n(n)
    {
        MUST(cudaMalloc(&at, n * sizeof(T)));
        MUST(cudaMemset(at, 0, n * sizeof(T)));
    }
    explicit Array(const std::vector<T> &v) : Array(v.size()) { put(v); }
    Array(const Array &) = delete;
    ~Array() { cudaFree(at); }
    operator T *() const { return at; }
    void put(const std::vector<T> &v) { MUST(cudaMemcpy(at, v.data(), n * sizeof(T), cudaMemcpyHostToDevice)); }
    std::vector<T> get() const
    {
        std::vector<T> v(n);
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

// The program's size: its argument, or this.
inline int size_of(int argc, char **argv, int otherwise) { return argc > 1 ? std::atoi(argv[1]) : otherwise; }

#endif
