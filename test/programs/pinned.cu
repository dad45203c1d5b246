// Pinned memory: kernels reach it by the pointer that cudaHostGetDevicePointer gives; copies between all sorts of
// memory go where their addresses say (cudaMemcpyDefault).
#include "check.cuh"

__global__ void add(int *to, const int *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] += from[i];
}

int main()
{
    enum { N = 1000, BYTES = N * sizeof(int) };
    int *host, *on_device, *mapped, *plain, *device, own[N];
    MUST(cudaHostAlloc(&host, BYTES, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    MUST(cudaHostAlloc(&mapped, BYTES, cudaHostAllocPortable | cudaHostAllocMapped));
    MUST(cudaMallocHost(&plain, BYTES));
    MUST(cudaMalloc(&device, BYTES));
    MUST(cudaHostGetDevicePointer(&on_device, host, 0));
    for (int k = 0; k < N; k++) host[k] = k, mapped[k] = 1000 * k, own[k] = 7;
    add<<<8, 128>>>(on_device, mapped, N);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) CHECK(host[k] == 1001 * k);
    MUST(cudaMemcpy(device, own, BYTES, cudaMemcpyDefault));
    MUST(cudaMemcpy(plain, device, BYTES, cudaMemcpyDefault));
    MUST(cudaMemcpy(own, host, BYTES, cudaMemcpyHostToHost));
    MUST(cudaMemcpy(device + 500, device, BYTES / 4, cudaMemcpyDeviceToDevice));
    for (int k = 0; k < N; k++) CHECK(plain[k] == 7 && own[k] == 1001 * k);

    cudaPointerAttributes a;
    MUST(cudaPointerGetAttributes(&a, plain + 3));
    CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == plain + 3 && a.devicePointer == plain + 3);
    MUST(cudaPointerGetAttributes(&a, device));
    CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == device);
    MUST(cudaPointerGetAttributes(&a, own));
    CHECK(a.type == cudaMemoryTypeUnregistered);
    unsigned flags;
    MUST(cudaHostGetFlags(&flags, mapped));
    CHECK((flags & (cudaHostAllocPortable | cudaHostAllocMapped)) == (cudaHostAllocPortable | cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&on_device, own, 0) == cudaErrorInvalidValue);
    CHECK(cudaFreeHost(own) == cudaErrorInvalidValue);
    cudaGetLastError();
    MUST(cudaFreeHost(host));
    MUST(cudaFreeHost(mapped));
    MUST(cudaFreeHost(plain));
    MUST(cudaFree(device));
    MUST(cudaFree(nullptr));
    MUST(cudaFreeHost(nullptr));
    return verdict();
}
