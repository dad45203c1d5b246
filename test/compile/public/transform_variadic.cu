// Elementwise kernels from any number of inputs: variadic templates, fold expressions, if constexpr and lambdas.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define CUDA_TRY(...)                                                                              \
    do {                                                                                           \
        if (auto const status = (__VA_ARGS__); status != cudaSuccess)                              \
            throw std::runtime_error(std::string{#__VA_ARGS__ ": "} + cudaGetErrorString(status)); \
    } while (false)

template <typename T> class DeviceVector
{
    struct Deleter {
        void operator()(T *p) const noexcept { cudaFree(p); }
    };
    std::unique_ptr<T[], Deleter> data_;
    std::size_t size_ = 0;

  public:
    using value_type = T;
    explicit DeviceVector(std::size_t n) : size_(n)
    {
        T *p = nullptr;
        CUDA_TRY(cudaMalloc(&p, n * sizeof(T)));
        data_.reset(p);
    }
    DeviceVector(const std::vector<T> &v) : DeviceVector(v.size())
    {
        CUDA_TRY(cudaMemcpy(data_.get(), v.data(), v.size() * sizeof(T), cudaMemcpyDefault));
    }
    [[nodiscard]] T *data() noexcept { return data_.get(); }
    [[nodiscard]] const T *data() const noexcept { return data_.get(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    std::vector<T> host() const
    {
        std::vector<T> v(size_);
        CUDA_TRY(cudaMemcpy(v.data(), data(), size_ * sizeof(T), cudaMemcpyDefault));
        return v;
    }
};

template <typename Out, typename F, typename... In>
__global__ void transform_kernel(std::size_t n, Out *out, F f, const In *...in)
{
    if (const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n) out[i] = f(in[i]...);
}
template <typename F, typename First, typename... Rest>
auto transform(F f, const DeviceVector<First> &first, const DeviceVector<Rest> &...rest)
{
    using Out = std::invoke_result_t<F, First, Rest...>;
    static_assert((std::is_trivially_copyable_v<Rest> && ... && std::is_trivially_copyable_v<First>));
    DeviceVector<Out> out(first.size());
    transform_kernel<<<(first.size() + 127) / 128, 128>>>(first.size(), out.data(), f, first.data(), rest.data()...);
    CUDA_TRY(cudaGetLastError());
    return out;
}

struct Sum {
    template <typename... Ts> __host__ __device__ constexpr auto operator()(Ts... ts) const { return (ts + ...); }
};
template <typename T> __host__ __device__ inline auto magnitude(T x)
{
    if constexpr (std::is_unsigned_v<T>)
        return x;
    else if constexpr (std::is_floating_point_v<T>)
        return std::abs(x);
    else
        return x < T{} ? -x : x;
}
template <int... I> __host__ __device__ constexpr int poly(int x, std::integer_sequence<int, I...>)
{
    int power = 1, total = 0;
    ((total += (I + 1) * power, power *= x), ...);
    return total;
}

int main()
try {
    constexpr std::size_t n = 1000;
    std::vector<int> a(n);
    std::vector<float> b(n);
    std::vector<double> c(n);
    std::iota(a.begin(), a.end(), -500);
    std::transform(std::cbegin(a), std::cend(a), std::begin(b), [](int x) { return 0.25f * x; });
    std::generate(c.begin(), c.end(), [k = 0]() mutable { return std::sqrt(k++); });
    const DeviceVector<int> da(a);
    const DeviceVector<float> db{b};
    const DeviceVector dc(c);

    const float scale = 3;
    auto saxpy = [=] __host__ __device__(float x, double y) { return scale * x + y; };
    auto pick = [] __device__(int x, float y) -> std::array<float, 2> {
        auto [lo, hi] = std::minmax(static_cast<float>(x), y);
        return {lo, hi};
    };
    auto maybe = [] __device__(int x) {
        std::optional<int> even = x % 2 ? std::nullopt : std::make_optional(x);
        return std::array<int, 2>{even.value_or(-1), std::get<1>(std::make_tuple(x, magnitude(x), 1.5f))};
    };
    auto cube = [] __host__ __device__(int x) { return poly(x, std::make_integer_sequence<int, 4>{}); };

    std::map<std::string, bool> results;
    const auto s = transform(Sum{}, da, db, dc).host();
    const auto y = transform(saxpy, db, dc).host();
    const auto p = transform(pick, da, db).host();
    const auto m = transform(maybe, da).host();
    const auto q = transform(cube, da).host();
    static_assert(std::is_same_v<decltype(s), const std::vector<double>>);
    for (auto name : {"sum", "saxpy", "pick", "maybe", "poly"}) results[name] = true;
    for (std::size_t i = 0; i < n; ++i) {
        results["sum"] &= s[i] == Sum{}(a[i], b[i], c[i]);
        results["saxpy"] &= std::abs(y[i] - saxpy(b[i], c[i])) < 1e-9;
        results["pick"] &= p[i][0] == std::min<float>(a[i], b[i]) && p[i][1] == std::max<float>(a[i], b[i]);
        results["maybe"] &= m[i][0] == (a[i] % 2 ? -1 : a[i]) && m[i][1] == magnitude(a[i]);
        results["poly"] &= q[i] == 1 + 2 * a[i] + 3 * a[i] * a[i] + 4 * a[i] * a[i] * a[i];
    }
    bool all = true;
    for (const auto &[name, ok] : results) std::cout << name << (ok ? " ok\n" : " wrong\n"), all &= ok;
    std::cout << (all ? "PASSED" : "FAILED") << std::endl;
    return !all;
} catch (const std::exception &e) {
    std::cerr << e.what() << "\nFAILED\n";
    return EXIT_FAILURE;
}
