// Loads and stores with hints: __ldg of each type and the cache operators. They change when data comes, never which.
#include "check.cuh"

template <typename T> __global__ void copy(T *to, const T *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T v = i % 6 == 0   ? __ldg(&from[i])
          : i % 6 == 1 ? __ldcg(&from[i])
          : i % 6 == 2 ? __ldca(&from[i])
          : i % 6 == 3 ? __ldcs(&from[i])
          : i % 6 == 4 ? __ldlu(&from[i])
                       : __ldcv(&from[i]);
    if (i % 4 == 0) __stwb(&to[i], v);
    if (i % 4 == 1) __stcg(&to[i], v);
    if (i % 4 == 2) __stcs(&to[i], v);
    if (i % 4 == 3) __stwt(&to[i], v);
}

template <typename T> static void test()
{
    enum { BYTES = 4800 };
    unsigned char *from = shared_array<unsigned char>(BYTES), *to = shared_array<unsigned char>(BYTES);
    for (int k = 0; k < BYTES; k++) from[k] = k * 7 + k / 256;
    int n = BYTES / sizeof(T);
    copy<<<(n + 127) / 128, 128>>>((T *)to, (const T *)from, n);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < BYTES; k++) CHECK(to[k] == from[k]);
}

int main()
{
    test<char>(), test<unsigned char>(), test<short>(), test<int>(), test<unsigned>(), test<long long>();
    test<float>(), test<double>(), test<char4>(), test<short2>(), test<int2>(), test<int4>(), test<uint4>();
    test<float2>(), test<float4>(), test<double2>(), test<ulonglong2>(), test<uchar2>(), test<ushort4>();
    return verdict();
}
