// A program with code for several targets: which of them runs is told on the standard error, and the list says which it
// must be: the newest that isn't above the GPU, and of one number the one for that GPU alone; else the oldest.
#include "check.cuh"

__global__ void which(int *code)
{
#ifdef __CUDA_ARCH__
    code[0] = __CUDA_ARCH__;
#endif
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    code[1] = 'a';
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
    code[1] = 'f';
#else
    code[1] = ' ';
#endif
}

int main()
{
    int *device, code[2] = {0, 0};
    MUST(cudaMalloc(&device, sizeof code));
    which<<<1, 1>>>(device);
    MUST(cudaMemcpy(code, device, sizeof code, cudaMemcpyDeviceToHost));
    std::fprintf(stderr, "code for %d%c runs\n", code[0] / 10, code[1]);
    return verdict();
}
