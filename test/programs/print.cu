// printf in kernels: its formats are those of C, and what it prints comes in the order of the launches, when the host
// waits (CUDA C++ Programming Guide, "Formatted Output"). It returns how many arguments it has.
#include "check.cuh"

__device__ const char *device_text = "from a variable";

__global__ void formats(int *out)
{
    printf("%d %i %5d|%-5d|%05d|%+d\n", 1, -2, 3, 4, 5, 6);
    printf("%u %x %X %o %#x\n", 4000000000u, 255, 255, 8, 255);
    printf("%lld %llu %llx %ld\n", -9000000000ll, 18000000000000000000ull, 1ull << 60, -5l);
    printf("%f %.2f %10.3f %e %g %G\n", 1.5, 2.345, -3.25, 12345.678, 1e-10, 1e20);
    printf("%c%c %s %10s|%-6s|%.3s\n", 'o', 'k', "text", "right", "left", "cut off");
    printf("100%% %a\n", 1.0);
    printf("%s\n", device_text);
    printf("%d %f %d %s %d\n", 1, 2.0, 3, "four", 5);
    printf("%hhd %hd %zu\n", (signed char)-1, (short)-2, sizeof(double));
    *out = printf("no arguments\n");
    out[1] = printf("%d %d\n", 7, 8);
    printf("%*d|%.*f\n", 4, 9, 1, 0.25f);
}

__global__ void each()
{
    if (threadIdx.x % 16 == 5) printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

int main()
{
    int *out = shared_array<int>(2);
    formats<<<1, 1>>>(out);
    MUST(cudaDeviceSynchronize());
    CHECK(out[0] == 0 && out[1] == 2);
    std::puts("host");
    each<<<1, 32>>>();
    each<<<1, 6>>>();
    MUST(cudaDeviceReset());
    return verdict();
}
