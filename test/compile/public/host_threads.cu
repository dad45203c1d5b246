// Threads of the host, each with its stream and memory of a pool; futures; RAII classes that move; prefetch of managed
// memory; knapsack by dynamic programming in each of them.
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

class cuda_category : public std::error_category
{
  public:
    const char *name() const noexcept override { return "cuda"; }
    std::string message(int code) const override { return cudaGetErrorString(static_cast<cudaError_t>(code)); }
};
inline void throw_on_error(cudaError_t code)
{
    static const cuda_category category;
    if (code != cudaSuccess) throw std::system_error(code, category);
}

class Stream
{
    struct Destroy {
        using pointer = cudaStream_t;
        void operator()(cudaStream_t s) const { cudaStreamDestroy(s); }
    };
    std::unique_ptr<cudaStream_t, Destroy> stream_;

  public:
    Stream()
    {
        cudaStream_t s;
        throw_on_error(cudaStreamCreate(&s));
        stream_.reset(s);
    }
    operator cudaStream_t() const { return stream_.get(); }
    void wait() const { throw_on_error(cudaStreamSynchronize(*this)); }
};
template <typename T> class PoolArray
{
    T *data_ = nullptr;
    cudaStream_t stream_;

  public:
    PoolArray(std::size_t n, cudaStream_t s) : stream_(s) { throw_on_error(cudaMallocAsync(&data_, n * sizeof(T), s)); }
    PoolArray(PoolArray &&other) noexcept : data_(std::exchange(other.data_, nullptr)), stream_(other.stream_) {}
    PoolArray(const PoolArray &) = delete;
    ~PoolArray()
    {
        if (data_) cudaFreeAsync(data_, stream_);
    }
    T *get() const { return data_; }
};

struct Problem {
    int capacity;
    std::vector<int> weights, values;
};
__global__ void knapsack_row(const int *before, int *now, int capacity, int weight, int value)
{
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c <= capacity; c += gridDim.x * blockDim.x) {
        const int without = before[c];
        now[c] = c >= weight ? max(without, before[c - weight] + value) : without;
    }
}
static int solve(const Problem &p)
{
    Stream stream;
    std::vector<PoolArray<int>> rows;
    for (int k = 0; k < 2; ++k) {
        rows.push_back(PoolArray<int>(p.capacity + 1, stream));
        throw_on_error(cudaMemsetAsync(rows.back().get(), 0, (p.capacity + 1) * sizeof(int), stream));
    }
    for (std::size_t i = 0; i < p.weights.size(); ++i) {
        knapsack_row<<<2, 64, 0, stream>>>(rows[i % 2].get(), rows[1 - i % 2].get(), p.capacity, p.weights[i],
                                           p.values[i]);
        throw_on_error(cudaGetLastError());
    }
    int best;
    const int *last = rows[p.weights.size() % 2].get() + p.capacity;
    throw_on_error(cudaMemcpyAsync(&best, last, sizeof best, cudaMemcpyDeviceToHost, stream));
    stream.wait();
    return best;
}
static int solve_host(const Problem &p)
{
    std::vector<int> best(p.capacity + 1);
    for (std::size_t i = 0; i < p.weights.size(); ++i)
        for (int c = p.capacity; c >= p.weights[i]; --c)
            best[c] = std::max(best[c], best[c - p.weights[i]] + p.values[i]);
    return best.back();
}

template <class... F> struct overloaded : F... {
    using F::operator()...;
};
template <class... F> overloaded(F...) -> overloaded<F...>;

int main()
{
    std::vector<Problem> problems;
    for (int k = 0; k < 6; ++k) {
        Problem p{100 + 20 * k, {}, {}};
        for (int i = 0; i < 12; ++i)
            p.weights.push_back((i * 37 + k * 11) % 50 + 1), p.values.push_back((i * 53 + k) % 90);
        problems.push_back(std::move(p));
    }
    std::mutex mutex;
    std::deque<std::size_t> waiting(problems.size());
    std::iota(waiting.begin(), waiting.end(), 0);
    std::vector<std::variant<std::monostate, int, std::string>> results(problems.size());
    std::vector<std::thread> workers;
    for (int w = 0; w < 2; ++w)
        workers.emplace_back([&] {
            cudaSetDevice(0);
            for (;;) {
                std::size_t k;
                {
                    std::lock_guard<std::mutex> guard(mutex);
                    if (waiting.empty()) return;
                    k = waiting.front(), waiting.pop_front();
                }
                try {
                    results[k] = solve(problems[k]);
                } catch (const std::system_error &e) {
                    results[k] = std::string(e.what());
                }
            }
        });
    for (auto &w : workers) w.join();
    auto extra = std::async(std::launch::async, [] { return solve({10, {4, 5, 6}, {7, 8, 9}}); });
    bool ok = extra.get() == 16;  // 4 and 6
    for (std::size_t k = 0; k < problems.size(); ++k) {
        const int want = solve_host(problems[k]);
        std::visit(overloaded{[&](int got) { ok &= got == want, std::cout << got << ' '; },
                              [&](const std::string &what) { ok = false, std::cout << what << ' '; },
                              [&](std::monostate) { ok = false; }},
                   results[k]);
    }
    int *managed = nullptr, device = 0;
    throw_on_error(cudaMallocManaged(&managed, 2 * 101 * sizeof(int)));
    std::memset(managed, 0, 2 * 101 * sizeof(int));
#if CUDART_VERSION < 13000
    throw_on_error(cudaMemAdvise(managed, 101 * sizeof(int), cudaMemAdviseSetPreferredLocation, device));
    throw_on_error(cudaMemPrefetchAsync(managed, 2 * 101 * sizeof(int), device));
#endif
    knapsack_row<<<1, 128>>>(managed, managed + 101, 100, 40, 9);
    throw_on_error(cudaDeviceSynchronize());
    ok &= managed[101 + 39] == 0 && managed[101 + 40] == 9;
    throw_on_error(cudaFree(managed));
    std::cout << (ok ? "PASSED" : "FAILED") << std::endl;
    return !ok;
}
