// A program of two files without -rdc: each has a kernel and a variable of the same name, which are different ones.
#include "check.cuh"

static __device__ int value = 1;
static __constant__ int factor = 2;
static __global__ void work(int *x) { *x = value++ * factor; }

int other(int *x);  // parts_two.cu

int main()
{
    int *x = shared_array<int>(1);
    work<<<1, 1>>>(x);
    MUST(cudaDeviceSynchronize());
    CHECK(*x == 2);
    CHECK(other(x) == 3000);
    CHECK(other(x) == 3030);
    work<<<1, 1>>>(x);
    MUST(cudaDeviceSynchronize());
    CHECK(*x == 4);
    int now;
    MUST(cudaMemcpyFromSymbol(&now, value, sizeof now));
    CHECK(now == 3);
    return verdict();
}
