// libcu++ (libcu++-dev): atomics by scope, a semaphore, and what cuda/std has, on the device.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <nv/target>

#include "../../programs/check.cuh"

__device__ cuda::binary_semaphore<cuda::thread_scope_device> lock(1);

__global__ void atomics(int *counts, unsigned *most)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> all(counts[0]);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> high(*most);
    all.fetch_add(2, cuda::memory_order_relaxed);
    high.fetch_max(blockIdx.x * 1000 + threadIdx.x, cuda::memory_order_relaxed);
    if (threadIdx.x == 0) {
        lock.acquire();
        counts[1] += 3;  // one block at a time
        __threadfence();
        lock.release();
    }
    __shared__ cuda::atomic<int, cuda::thread_scope_block> own;
    if (threadIdx.x == 0) new (&own) cuda::atomic<int, cuda::thread_scope_block>(0);
    __syncthreads();
    own++;
    __syncthreads();
    if (threadIdx.x == 0) all.fetch_add(own.load());
}

__global__ void values(double *o)
{
    cuda::std::array<int, 3> three = {1, 2, 3};
    cuda::std::tuple<int, double> two(4, 0.5);
    cuda::std::complex<double> z(3, 4);
    auto p = cuda::std::make_pair(7, 8);
    o[0] = three[0] + three[1] + three.size(), o[1] = cuda::std::get<0>(two) * cuda::std::get<1>(two);
    o[2] = (z * z).real(), o[3] = cuda::std::abs(z), o[4] = p.first * p.second;
    o[5] = cuda::std::numeric_limits<short>::max();
    o[6] = cuda::std::chrono::milliseconds(cuda::std::chrono::seconds(2)).count();
    o[7] = cuda::std::is_same<cuda::std::remove_const<const int>::type, int>::value;
    NV_IF_TARGET(NV_IS_DEVICE, (o[8] = 1;), (o[8] = 2;))
}

int main()
{
    int *counts = shared_array<int>(2);
    unsigned *most = shared_array<unsigned>(1);
    double *o = shared_array<double>(9);
    atomics<<<8, 64>>>(counts, most);
    values<<<1, 1>>>(o);
    MUST(cudaDeviceSynchronize());
    CHECK(counts[0] == 8 * 64 * 2 + 8 * 64 && counts[1] == 8 * 3 && *most == 7063);
    const double want[9] = {6, 2, -7, 5, 56, 32767, 2000, 1, 1};
    for (int k = 0; k < 9; k++) CHECK(o[k] == want[k]);
    return verdict();
}
