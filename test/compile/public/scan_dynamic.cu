// Prefix sums: the tree with padding against bank conflicts, a warp by shuffles, blocks by their sums; and compaction
// with a predicate that is a template parameter.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#ifdef ZERO_BANK_CONFLICTS
#define CONFLICT_FREE_OFFSET(n) ((n) >> NUM_BANKS + (n) >> (2 * LOG_NUM_BANKS))
#else
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#endif

template <unsigned B> __global__ void prescan(int *g_odata, const int *g_idata, int *sums, int n)
{
    __shared__ int temp[2 * B + CONFLICT_FREE_OFFSET(2 * B)];
    const int thid = threadIdx.x, base = blockIdx.x * 2 * B;
    int ai = thid, bi = thid + B, offset = 1;
    const int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + bankOffsetA] = base + ai < n ? g_idata[base + ai] : 0;
    temp[bi + bankOffsetB] = base + bi < n ? g_idata[base + bi] : 0;
    for (int d = B; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            temp[b + CONFLICT_FREE_OFFSET(b)] += temp[a + CONFLICT_FREE_OFFSET(a)];
        }
        offset *= 2;
    }
    if (thid == 0) {
        const int last = 2 * B - 1 + CONFLICT_FREE_OFFSET(2 * B - 1);
        sums[blockIdx.x] = temp[last];
        temp[last] = 0;
    }
    for (int d = 1; d < 2 * B; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a), b += CONFLICT_FREE_OFFSET(b);
            int t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    if (base + ai < n) g_odata[base + ai] = temp[ai + bankOffsetA];
    if (base + bi < n) g_odata[base + bi] = temp[bi + bankOffsetB];
}
template <typename T> __device__ T warp_inclusive_scan(T value)
{
#pragma unroll
    for (int i = 1; i <= warpSize / 2; i *= 2) {
        T n = __shfl_up_sync(0xffffffff, value, i, warpSize);
        if ((threadIdx.x & (warpSize - 1)) >= i) value += n;
    }
    return value;
}
__global__ void scan_warp(int *sums, int count)
{
    int carry = 0;
    for (int at = threadIdx.x; at < (count + 31) / 32 * 32; at += 32) {
        const int v = at < count ? sums[at] : 0, inclusive = warp_inclusive_scan(v);
        if (at < count) sums[at] = carry + inclusive - v;
        carry += __shfl_sync(0xffffffff, inclusive, 31);
    }
}
__global__ void add(int *data, const int *sums, int per, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += sums[i / per];
}
template <class Predicate> __global__ void flag(const int *in, int *flags, int n, Predicate keep)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flags[i] = keep(in[i]) ? 1 : 0;
}
__global__ void scatter(const int *in, const int *flags, const int *place, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flags[i]) out[place[i]] = in[i];
}
struct IsMultiple {
    int of;
    __host__ __device__ bool operator()(int x) const { return x % of == 0; }
};

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 5000;
    constexpr unsigned B = 64;
    const int blocks = (n + 2 * B - 1) / (2 * B);
    std::vector<int> in(n), got(n), want(n), kept(n), expect;
    for (int i = 0; i < n; i++) in[i] = (i * 131) % 97;
    int *buffers[5];
    for (int *&b : buffers)
        if (cudaMalloc(&b, n * sizeof(int)) != cudaSuccess) return puts("no memory: FAILED");
    int *d_in = buffers[0], *d_scan = buffers[1], *d_sums = buffers[2], *d_flags = buffers[3], *d_out = buffers[4];
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    const std::function<void(int *, int *)> scan = [=](int *from, int *to) {
        prescan<B><<<blocks, B>>>(to, from, d_sums, n);
        scan_warp<<<1, 32>>>(d_sums, blocks);
        add<<<(n + 127) / 128, 128>>>(to, d_sums, 2 * B, n);
    };
    scan(d_in, d_scan);
    cudaMemcpy(got.data(), d_scan, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::exclusive_scan(in.begin(), in.end(), want.begin(), 0);
    bool ok = got == want;
    printf("scan of %d: %s\n", n, ok ? "right" : "wrong");
    const IsMultiple keep{3};
    flag<<<(n + 127) / 128, 128>>>(d_in, d_flags, n, keep);
    scan(d_flags, d_scan);
    scatter<<<(n + 127) / 128, 128>>>(d_in, d_flags, d_scan, d_out, n);
    for (int x : in)
        if (keep(x)) expect.push_back(x);
    kept.resize(expect.size());
    cudaMemcpy(kept.data(), d_out, kept.size() * sizeof(int), cudaMemcpyDeviceToHost);
    ok = ok && kept == expect && cudaGetLastError() == cudaSuccess;
    printf("%zu kept\n%s\n", kept.size(), ok ? "PASSED" : "FAILED");
    return !ok;
}
