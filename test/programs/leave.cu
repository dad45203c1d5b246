// A program that ends by exit in the middle of its work, with nothing freed and a launch under way: its exit status and
// what it has printed are its own, and the launch is in the report.
#include "check.cuh"

__global__ void under_way(int *x)
{
    for (int k = 0; k < 100; k++) atomicAdd(x, 1);
}

int main()
{
    int *x;
    cudaStream_t s;
    MUST(cudaMalloc(&x, 1 << 20));
    MUST(cudaStreamCreate(&s));
    std::atexit([] { std::puts("at exit"); });
    under_way<<<2, 64, 0, s>>>(x);
    std::puts("leaves");
    std::exit(23);
}
