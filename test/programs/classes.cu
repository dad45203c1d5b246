// C++ on the device: classes with methods, operators, constructors, private members, class templates with values and
// specialisations, variadic templates, and lambdas.
#include "check.cuh"

template <typename T, int N> class Vector
{
    T v[N];

  public:
    __host__ __device__ explicit Vector(T all = T())
    {
        for (T &x : v) x = all;
    }
    __host__ __device__ T &operator[](int k) { return v[k]; }
    __host__ __device__ Vector operator+(const Vector &o) const
    {
        Vector sum;
        for (int k = 0; k < N; k++) sum.v[k] = v[k] + o.v[k];
        return sum;
    }
    __host__ __device__ T dot(const Vector &o) const
    {
        T sum = 0;
        for (int k = 0; k < N; k++) sum += v[k] * o.v[k];
        return sum;
    }
};

template <typename T> struct Name {
    static constexpr int number = 0;
};
template <> struct Name<float> {
    static constexpr int number = 1;
};

template <typename... T> __device__ int sum_of(T... x) { return (0 + ... + (int)x); }

template <typename T, int N, typename F> __global__ void run(T *out, F change)
{
    Vector<T, N> a((T)threadIdx.x), b((T)2);
    b[N - 1] = (T)blockIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        change((a + b).dot(b)) + (T)(Name<T>::number + sum_of(1, 2.5f, 3u, 'a' - 'b'));
}

template <typename T, int N> static void test(int by)
{
    T *out = shared_array<T>(3 * 40);
    run<T, N><<<3, 40>>>(out, [by] __device__(T x) { return x * (T)by; });
    MUST(cudaDeviceSynchronize());
    for (int b = 0; b < 3; b++)
        for (int t = 0; t < 40; t++) {
            T right = (T)by * ((T)(N - 1) * (t + 2) * 2 + (T)(t + b) * b) + (T)Name<T>::number + 5;
            CHECK(out[b * 40 + t] == right);
        }
}

int main()
{
    test<int, 3>(2), test<float, 4>(3), test<double, 7>(1), test<long long, 1>(5);
    return verdict();
}
