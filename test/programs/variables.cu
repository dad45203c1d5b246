// Variables in global memory: initialised ones, arrays, pointers to others, their addresses and sizes, and what a
// kernel leaves in them for the next.
#include "check.cuh"

__device__ int counter = 5;
__device__ float table[3][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}};
__device__ int *where = &counter;
__device__ const char *text = "device";
struct Link {
    Link *next;
    int value;
};
__device__ Link third = {nullptr, 3}, second = {&third, 2}, first = {&second, 1};

__global__ void work(int *out)
{
    atomicAdd(where, 2);
    table[2][threadIdx.x] = table[1][threadIdx.x] - table[0][threadIdx.x];
    if (threadIdx.x) return;
    for (Link *l = &first; l; l = l->next) *out = *out * 10 + l->value;
    for (const char *c = text; *c; c++) out[1] += *c;
}

int main()
{
    int *out = shared_array<int>(2), count;
    work<<<1, 4>>>(out);
    work<<<1, 4>>>(out);
    MUST(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK(count == 5 + 2 * 8);
    CHECK(out[0] == 123123);
    CHECK(out[1] == 2 * ('d' + 'e' + 'v' + 'i' + 'c' + 'e'));
    float host[3][4];
    void *at;
    size_t bytes;
    MUST(cudaGetSymbolAddress(&at, table));
    MUST(cudaGetSymbolSize(&bytes, table));
    CHECK(bytes == sizeof host);
    MUST(cudaMemcpy(host, at, bytes, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 4; k++) CHECK(host[0][k] == k && host[1][k] == 10 + k && host[2][k] == 10);
    MUST(cudaMemset(at, 0, bytes));
    float part[2];
    MUST(cudaMemcpyFromSymbolAsync(part, table, sizeof part, 4 * sizeof(float), cudaMemcpyDeviceToHost, nullptr));
    MUST(cudaStreamSynchronize(nullptr));
    CHECK(part[0] == 0 && part[1] == 0);
    cudaPointerAttributes a;
    MUST(cudaPointerGetAttributes(&a, at));
    CHECK(a.type == cudaMemoryTypeDevice && a.device == 0);
    return verdict();
}
