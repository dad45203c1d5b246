// vector_add.cu: the kernel of vector_add.cpp, which loads it out of a fat binary.
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
