// resident: data that the L2 holds, read by all blocks or read and written. A block reads 32 rows of its own size.
#include "cuda.h"

extern "C" __global__ void __launch_bounds__(1024) resident_read(double *a, const double *b, int run)
{
    enum { ROWS = 32 };
    double sum = 0;
    for (int k = 0; k < ROWS; k++)
        sum += b[blockDim.x * run * k + blockIdx.x % run * blockDim.x + threadIdx.x];
    if (sum == 123.25) a[threadIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(1024) resident_scale(double *a, const double *b, int n, int turns)
{
    for (int turn = 0; turn < turns; turn++)
        for (int k = threadIdx.x + blockIdx.x * blockDim.x; k < n; k += gridDim.x * blockDim.x) {
            double x;
            asm volatile("ld.global.cg.f64 %0, [%1];" : "=d"(x) : "l"(b + k));  // past the L1, which has it by then
            a[k] = x * 1.25;
        }
}
