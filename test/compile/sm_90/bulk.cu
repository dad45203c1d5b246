// Copies in bulk that a cuda::barrier counts by their bytes: into two stages by one thread, while the block sums up the
// other one. What a phase expects is said with an arrival, or before it; one arrival may stand for several. Then copies
// in and out in bytes, and boxes of tensors of one to five dimensions.
#include "../../programs/check.cuh"

#include <cuda.h>
#include <cuda/barrier>
#include <utility>
namespace cde = cuda::device::experimental;

enum { T = 64, PARTS = 6 };

__global__ void sums(int *out, const int *in, bool apart)
{
    __shared__ alignas(16) int box[2][T];
    __shared__ cuda::barrier<cuda::thread_scope_block> full[2];
    const int t = threadIdx.x;
    if (t == 0) {
        init(&full[0], T);
        init(&full[1], T);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    int sum = 0;
    cuda::barrier<cuda::thread_scope_block>::arrival_token token[2];
    const auto ask = [&](int part) {
        auto &b = full[part % 2];
        if (t == 0) {
            if (apart) cuda::device::barrier_expect_tx(b, sizeof box[0]);
            const cuda::aligned_size_t<16> bytes(sizeof box[0]);
            token[part % 2] = apart ? b.arrive() : cuda::device::barrier_arrive_tx(b, 1, sizeof box[0]);
            cuda::device::memcpy_async_tx(box[part % 2], in + part * T, bytes, b);
        } else {
            token[part % 2] = b.arrive();
        }
    };
    ask(0);
    for (int part = 0; part < PARTS; part++) {
        if (part + 1 < PARTS) ask(part + 1);
        full[part % 2].wait(std::move(token[part % 2]));
        sum += box[part % 2][T - 1 - t] * (part + 1);
        __syncthreads();
    }
    out[t] = sum;
}

// One thread for all.
__global__ void several(int *out, const int *in)
{
    __shared__ alignas(16) int box[T];
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    if (threadIdx.x == 0) {
        init(&full, 5);
        cde::fence_proxy_async_shared_cta();
        auto token = cuda::device::barrier_arrive_tx(full, 5, sizeof box);
        cuda::device::memcpy_async_tx(box, in, cuda::aligned_size_t<16>(sizeof box / 2), full);
        out[T] = full.try_wait_parity(false);
        cuda::device::memcpy_async_tx(box + T / 2, in + T / 2, cuda::aligned_size_t<16>(sizeof box / 2), full);
        full.wait(std::move(token));
    }
    __syncthreads();
    out[threadIdx.x] = box[threadIdx.x];
}

// Adds 1 to what one thread brings in and out.
template <class In, class Out> __device__ void through(int *box, int n, In in, Out out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        in(full);
        token = cuda::device::barrier_arrive_tx(full, 1, n * sizeof(int));
    } else {
        token = full.arrive();
    }
    full.wait(std::move(token));
    for (int k = threadIdx.x; k < n; k += blockDim.x) box[k]++;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        out();
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}
__global__ void bytes(int *dst, const int *src, int n)
{
    __shared__ alignas(128) int box[1024];
    through(
        box, n, [&](auto &full) { cde::cp_async_bulk_global_to_shared(box, src, n * sizeof(int), full); },
        [&] { cde::cp_async_bulk_shared_to_global(dst, box, n * sizeof(int)); });
}

// clang copies a parameter whose address is taken into local memory, where no map may be.
__constant__ CUtensorMap to, from;
// The box of an array of 8, 6, 5, 4, 3 elements goes to another place.
constexpr int SIZE[] = {8, 6, 5, 4, 3}, BOX[] = {4, 3, 2, 2, 2}, AT[] = {4, 2, 3, 1, 0}, TO[] = {2, 1, 1, 2, 1};
template <int n> __global__ void boxes(int elements)
{
    __shared__ alignas(128) int box[1024];
    const auto in = [&](auto &full) {
        if constexpr (n == 1) cde::cp_async_bulk_tensor_1d_global_to_shared(box, &from, 4, full);
        if constexpr (n == 2) cde::cp_async_bulk_tensor_2d_global_to_shared(box, &from, 4, 2, full);
        if constexpr (n == 3) cde::cp_async_bulk_tensor_3d_global_to_shared(box, &from, 4, 2, 3, full);
        if constexpr (n == 4) cde::cp_async_bulk_tensor_4d_global_to_shared(box, &from, 4, 2, 3, 1, full);
        if constexpr (n == 5) cde::cp_async_bulk_tensor_5d_global_to_shared(box, &from, 4, 2, 3, 1, 0, full);
    };
    const auto out = [&] {
        if constexpr (n == 1) cde::cp_async_bulk_tensor_1d_shared_to_global(&to, 2, box);
        if constexpr (n == 2) cde::cp_async_bulk_tensor_2d_shared_to_global(&to, 2, 1, box);
        if constexpr (n == 3) cde::cp_async_bulk_tensor_3d_shared_to_global(&to, 2, 1, 1, box);
        if constexpr (n == 4) cde::cp_async_bulk_tensor_4d_shared_to_global(&to, 2, 1, 1, 2, box);
        if constexpr (n == 5) cde::cp_async_bulk_tensor_5d_shared_to_global(&to, 2, 1, 1, 2, 1, box);
    };
    through(box, elements, in, out);
}

typedef CUresult Encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                        const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                        CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static Encode *encode;
static CUtensorMap map_of(int *data, int n)
{
    CUtensorMap map;
    cuuint64_t size[5], stride[5], all = sizeof(int);
    cuuint32_t box[5], step[5];
    for (int k = 0; k < n; k++) size[k] = SIZE[k], stride[k] = all *= SIZE[k], box[k] = BOX[k], step[k] = 1;
    CHECK(!encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, n, data, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return map;
}
template <int n> static void try_boxes()
{
    int size = 1, elements = 1;
    for (int k = 0; k < n; k++) size *= SIZE[k], elements *= BOX[k];
    int *in = shared_array<int>(size), *out = shared_array<int>(size);
    for (int k = 0; k < size; k++) in[k] = k * 7, out[k] = -1;
    const CUtensorMap map_in = map_of(in, n), map_out = map_of(out, n);
    MUST(cudaMemcpyToSymbol(from, &map_in, sizeof map_in));
    MUST(cudaMemcpyToSymbol(to, &map_out, sizeof map_out));
    boxes<n><<<1, T>>>(elements);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < size; k++) {
        int source = 0, rest = k, step = 1;
        bool inside = true;
        for (int d = 0; d < n; rest /= SIZE[d], step *= SIZE[d], d++) {
            const int x = rest % SIZE[d] - TO[d];
            inside &= x >= 0 && x < BOX[d];
            source += (x + AT[d]) * step;
        }
        CHECK(out[k] == (inside ? source * 7 + 1 : -1));
    }
}

int main()
{
    int *in = shared_array<int>(PARTS * T), *out = shared_array<int>(T + 1);
    for (int k = 0; k < PARTS * T; k++) in[k] = k * k % 1009;
    for (int apart = 0; apart < 2; apart++) {
        sums<<<1, T>>>(out, in, apart);
        MUST(cudaDeviceSynchronize());
        for (int t = 0; t < T; t++) {
            int sum = 0;
            for (int part = 0; part < PARTS; part++) sum += in[part * T + T - 1 - t] * (part + 1);
            CHECK(out[t] == sum);
            out[t] = 0;
        }
    }
    several<<<1, T>>>(out, in);
    MUST(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) CHECK(out[t] == in[t]);
    CHECK(out[T] == 0);
    bytes<<<1, T>>>(out, in, T);
    MUST(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) CHECK(out[t] == in[t] + 1);
    cudaDriverEntryPointQueryResult got;
    MUST(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void **)&encode, cudaEnableDefault, &got));
    try_boxes<1>();
    try_boxes<2>();
    try_boxes<3>();
    try_boxes<4>();
    try_boxes<5>();
    return verdict();
}
