// A program whose kernel fails, and which ends without a call that could return the error: onchip says so, and makes
// the status 0 into 1.
#include "check.cuh"

__global__ void stray(int *x) { x[1 << 20] = 1; }

int main()
{
    int *x;
    MUST(cudaMalloc(&x, 4));
    stray<<<1, 1>>>(x);
    return verdict();
}
