// What a warp can tell of itself through inline PTX: lane and SM, bit fields, carries, clocks, and cached loads.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
static void HandleError(cudaError_t err, const char *file, int line)
{
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}

static __device__ __inline__ uint32_t laneId()
{
    uint32_t ret;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(ret));
    return ret;
}
__device__ __forceinline__ unsigned smid(void)
{
    unsigned ret;
    asm("mov.u32 %0, %%smid;" : "=r"(ret));
    return ret;
}
__device__ __forceinline__ unsigned lanemask_lt()
{
    unsigned ret;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(ret));
    return ret;
}
__device__ __forceinline__ uint32_t bfe(uint32_t x, uint32_t start, uint32_t len)
{
    uint32_t bits;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(bits) : "r"(x), "r"(start), "r"(len));
    return bits;
}
template <int lut> __device__ __forceinline__ uint32_t lop3(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d;
    asm volatile("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(lut));
    return d;
}
__device__ void add128(uint32_t r[4], const uint32_t a[4], const uint32_t b[4])
{
    asm("add.cc.u32  %0, %4, %8;\n\t"
        "addc.cc.u32 %1, %5, %9;\n\t"
        "addc.cc.u32 %2, %6, %10;\n\t"
        "addc.u32    %3, %7, %11;\n\t"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}
__device__ __forceinline__ int4 ld_cs(const int4 *p)
{
    int4 v;
    asm volatile("ld.global.cs.v4.s32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}
__device__ bool isEven(int x)
{
    int r;
    asm("{\n"
        " .reg .pred p;\n"
        " .reg .b32 t;\n"
        " and.b32 t, %1, 1;\n"
        " setp.eq.s32 p, t, 0;\n"
        " selp.s32 %0, 1, 0, p;\n"
        "}"
        : "=r"(r)
        : "r"(x));
    return r;
}

__global__ void probe(const int4 *in, uint32_t *out, long long *cycles)
{
    const int t = threadIdx.x;
    long long start = clock64();
    uint32_t *o = out + 8 * t;
    int4 v = ld_cs(in + t);
    uint32_t a[4] = {0xffffffffu, 0xffffffffu, (uint32_t)t, 0}, b[4] = {1, 0, 0xffffffffu, 7}, r[4];
    add128(r, a, b);
    o[0] = laneId();
    o[1] = __popc(__ballot_sync(0xffffffff, isEven(v.x)) & lanemask_lt());
    o[2] = bfe(v.y, 4, 8);
    o[3] = lop3<0x96>(v.x, v.y, v.z);
    memcpy(o + 4, r, sizeof r);
    float f = __uint_as_float(v.w), g;
    asm volatile("fma.rn.f32 %0, %1, %1, %2;" : "=f"(g) : "f"(f), "f"(0.5f));
    if (g < 0.5f) asm volatile("trap;");
    asm volatile("membar.gl; bar.sync 0;" ::: "memory");
    cycles[t] = smid() < 1024 ? clock64() - start : -1;
}

int main()
{
    enum { n = 64 };
    int4 in[n], *d_in;
    uint32_t out[8 * n], *d_out;
    long long cycles[n], *d_cycles;
    for (int i = 0; i < n; i++) in[i] = make_int4(i * 3, i * 2654435761u, ~i, 0x3f800000 + i);
    HANDLE_ERROR(cudaMalloc(&d_in, sizeof in));
    HANDLE_ERROR(cudaMalloc(&d_out, sizeof out));
    HANDLE_ERROR(cudaMalloc(&d_cycles, sizeof cycles));
    HANDLE_ERROR(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    probe<<<1, n>>>(d_in, d_out, d_cycles);
    HANDLE_ERROR(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    HANDLE_ERROR(cudaMemcpy(cycles, d_cycles, sizeof cycles, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        const uint32_t *o = out + 8 * i, y = in[i].y;
        wrong += o[0] != i % 32 || o[1] != (i % 32 + 1) / 2 || o[2] != (y >> 4 & 255);
        wrong += o[3] != (uint32_t)(in[i].x ^ in[i].y ^ in[i].z);
        wrong += o[4] != 0 || o[5] != 0 || o[6] != (uint32_t)i || o[7] != 8 || cycles[i] < 0;
    }
    printf("first warp took %lld cycles\nresult: %s\n", cycles[0], wrong ? "FAILED" : "PASSED");
    return wrong;
}
