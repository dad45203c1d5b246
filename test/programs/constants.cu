// Variables in constant memory: initialised ones, parts that the host writes and reads, structs, and pointers in them.
#include "check.cuh"

struct Filter {
    float weight[5];
    const int *table;
    char name[6];
};
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ Filter filter;
__constant__ double scale = 0.25;
static __constant__ int other = 40;

__global__ void use(double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int k = 0; k < 5; k++) sum += filter.weight[k] * filter.table[(i + k) % 16];
    out[i] = sum * scale + primes[i % 8] + filter.name[i % 6] + other;
}

int main()
{
    double *out = shared_array<double>(200);
    int *table, host[16];
    Filter f = {{1, 2, 3, 4, 5}, nullptr, "abcde"};
    MUST(cudaMalloc(&table, sizeof host));
    for (int k = 0; k < 16; k++) host[k] = k * k;
    MUST(cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice));
    f.table = table;
    MUST(cudaMemcpyToSymbol(filter, &f, sizeof f));
    int change = 23;
    MUST(cudaMemcpyToSymbol(primes, &change, sizeof change, 2 * sizeof change));
    use<<<2, 128>>>(out, 200);
    MUST(cudaDeviceSynchronize());
    const int now[8] = {2, 3, 23, 7, 11, 13, 17, 19};
    for (int i = 0; i < 200; i++) {
        double sum = 0;
        for (int k = 0; k < 5; k++) sum += (k + 1) * host[(i + k) % 16];
        CHECK(out[i] == sum * 0.25 + now[i % 8] + "abcde"[i % 6] + 40);
    }
    int read[8];
    MUST(cudaMemcpyFromSymbol(read, primes, 3 * sizeof *read, sizeof *read));
    CHECK(read[0] == 3 && read[1] == 23 && read[2] == 7);
    size_t bytes;
    MUST(cudaGetSymbolSize(&bytes, filter));
    CHECK(bytes == sizeof(Filter));
    CHECK(cudaMemcpyToSymbol(primes, host, 9 * sizeof(int)) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyFromSymbol(read, primes, 4, 32) == cudaErrorInvalidValue);
    void *at;
    double half = 0.5;
    MUST(cudaGetSymbolAddress(&at, scale));
    MUST(cudaMemcpy(at, &half, sizeof half, cudaMemcpyHostToDevice));
    use<<<1, 1>>>(out, 1);
    MUST(cudaDeviceSynchronize());
    CHECK(out[0] == (1 * 0 + 2 * 1 + 3 * 4 + 4 * 9 + 5 * 16) * 0.5 + 2 + 'a' + 40);
    return verdict();
}
