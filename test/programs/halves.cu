// Numbers of 16 bits: half and bfloat16, single and in pairs. Values are chosen so that results are exact, or rounded
// as the formats' definitions say: 10 and 7 bits of a fraction, to nearest, ties to even.
#include "check.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void half_work(float *o)
{
    __half a = __float2half(1.5f), b = __float2half(-0.25f);
    __half2 p = __floats2half2_rn(3, 4), q = __floats2half2_rn(0.5f, -2);
    o[0] = __half2float(__hadd(a, b)), o[1] = __half2float(__hmul(a, b)), o[2] = __half2float(__hfma(a, a, b));
    o[3] = __half2float(a / b), o[4] = __low2float(__hmul2(p, q)), o[5] = __high2float(__hfma2(p, q, q));
    o[6] = __hgt(a, b) + 2 * __heq(a, a) + 4 * __hbeq2(p, p), o[7] = __half2float(__hmax(a, b));
    o[8] = __half2float(__float2half(2049.0f)), o[9] = __half2float(__float2half(2051.0f));
    o[10] = __half2float(__float2half_rz(2051.0f)), o[11] = __half2int_rn(__float2half(-3.5f));
    o[12] = __half2float(hsqrt(__float2half(6.25f))), o[13] = __half2float(__ushort_as_half(0x0001)) * 16777216;
    o[14] = __half2float(__float2half(65520.0f)), o[15] = __half2float(__habs(b)), o[16] = __half_as_ushort(-a);
    o[17] = __half2float(hfloor(b)), o[18] = __hisnan(__float2half(0.0f / 0.0f)), o[19] = __half2float(hexp2(a + a));
}

__global__ void bfloat_work(float *o)
{
    __nv_bfloat16 a = __float2bfloat16(1.5f), b = __float2bfloat16(-0.25f);
    __nv_bfloat162 p = __floats2bfloat162_rn(3, 4), q = __floats2bfloat162_rn(0.5f, -2);
    o[0] = __bfloat162float(__hadd(a, b)), o[1] = __bfloat162float(__hmul(a, b));
    o[2] = __bfloat162float(__hfma(a, a, b)), o[3] = __low2float(__hmul2(p, q));
    o[4] = __high2float(__hfma2(p, q, q)), o[5] = __hgt(a, b) + 2 * __heq(a, a);
    o[6] = __bfloat162float(__float2bfloat16(257.0f)), o[7] = __bfloat162float(__float2bfloat16(259.0f));
    o[8] = __bfloat162float(__float2bfloat16(1e38f)) > 9e37f, o[9] = __bfloat16_as_ushort(a);
    o[10] = __bfloat162float(__hmin(a, b)), o[11] = __bfloat162float(__double2bfloat16(0.75));
}

__global__ void add(__half *sum, __half2 *pair)
{
    atomicAdd(sum, __float2half(0.5f));
    atomicAdd(pair, __floats2half2_rn(1, 2));
}

int main()
{
    float *o = shared_array<float>(20);
    const float half[] = {1.25f, -0.375f, 2,    -6, 1.5f,     -10,   7,      1.5f, 2048, 2052,
                          2050,  -4,      2.5f, 1,  INFINITY, 0.25f, 0xbe00, -1,   1,    8};
    half_work<<<1, 1>>>(o);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 20; k++) CHECK(o[k] == half[k]);
    const float bfloat[] = {1.25f, -0.375f, 2, 1.5f, -10, 3, 256, 260, 1, 0x3fc0, -0.25f, 0.75f};
    bfloat_work<<<1, 1>>>(o);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 12; k++) CHECK(o[k] == bfloat[k]);
    __half *sum = (__half *)shared_array<int>(1);
    __half2 *pair = (__half2 *)shared_array<int>(1);
    add<<<4, 50>>>(sum, pair);
    MUST(cudaDeviceSynchronize());
    CHECK(__half2float(*sum) == 100 && __low2float(*pair) == 200 && __high2float(*pair) == 400);
    return verdict();
}
