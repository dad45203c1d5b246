#!/bin/bash
# onchip run FILE.cu: what CUDA's own cuda_runtime.h brings along, and programs of courses rely on, is there with ours:
# names of the C library and host overloads for host code; min, max and the mathematical functions for kernels. The
# functions' values are compared with Python's, which are the C library's.
source test/cli/expect.bash
cd "$work" || exit 1
command -v clang >/dev/null && command -v python3 >/dev/null || exit 77

# Nothing is included, as nvcc allows.
cat >host.cu <<'CUDA'
#define N 1000
#define CHECK(call) check(call, __FILE__, __LINE__)
static void check(cudaError_t error, const char *file, int line)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s in %s at line %d\n", cudaGetErrorString(error), file, line);
    exit(EXIT_FAILURE);
}
__global__ void add(float *out, const float *a, const float *b, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(blockDim.x <= 4);
    if (i < n) out[i] = a[i] + b[min(i, n - 1)] + __mul24(0x1000001, -3) + __float2int_rn(2.5f) + 1;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : N;
    float *a = (float *)malloc(N * sizeof(float)), *d;
    unsigned char bytes[4];
    srand(time(NULL));
    for (int i = 0; i < n; i++) a[i] = rand() / (float)RAND_MAX;
    memset(bytes, 0, sizeof bytes);
    CHECK(cudaMalloc((void **)&d, N * sizeof(float)));
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMemAdvise(d, 4, cudaMemAdviseSetReadMostly, 0));
    cudaThreadSynchronize();
    printf("%d %s\n", prop.clockRate, prop.name);
    float3 p = make_float3(1, 2, 3);
    uchar4 c = make_uchar4(1, 2, 3, 4);
    add<<<min((n + 3) / 4, 64), 4>>>(d, d, d, max(n, 1));
    if (fabs(a[0] - p.x) > 1e-6 || ceil(n / 256.0) > INT_MAX || toupper('a') == c.y) exit(1);
    assert(n > 0);
    qsort(a, n, sizeof *a, [](const void *, const void *) { return 0; });
    free(a);
    return EXIT_SUCCESS;
}
CUDA
add=(run host.cu --arg buf:16 --arg buf:16:iota:f32 --arg buf:16:iota:f32 --arg u64:4 --dump 0:f32)
gives 0 '0 2 4 6' -- "${add[@]}" --block 4
gives 1 'host.cu:12' -- "${add[@]}" --block 5  # a kernel's assert

cat >standard.cu <<'CUDA'
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <random>
#include <stdint.h>
#include <vector>
using namespace std;
struct Pair {
    short2 a;
    ulong2 b;
};
__host__ __device__ inline int up(int a, int b) { return (a + b - 1) / b; }
template <typename T> __global__ void pick(T *out, Pair pair, uint64_t n)
{
    ushort4 s = make_ushort4(1, 2, 3, 4);
    if (threadIdx.x < n) out[threadIdx.x] = s.w + pair.a.y + std::max((int)pair.b.x, 3) + up(n, 3) + max(1u, 2);
    if (n == 77) printf("%d\n", s.x);
}
int main()
{
    vector<float> v(100);
    mt19937 generator(1);
    auto begin = chrono::high_resolution_clock::now();
    pick<<<1, 2>>>(v.data(), Pair{make_short2(1, 2)}, std::min(3, 4));
    cout << v.size() << max(1, 2) << sqrt(2.0f) << (chrono::high_resolution_clock::now() - begin).count() << endl;
}
CUDA
# 4 + 2 + 3 + 1 + 2; a Pair has 24 bytes, its b at 16 (of 16 bytes, aligned so).
gives 0 ': 12 12' -- run standard.cu --arg buf:8 --arg "hex:0100020000000000$(printf '%048d' 0)" --arg u64:2 --block 2 \
    --dump 0:f32

cat >values.py <<'END'
import array, math, struct, sys
x = [-745.2, -700.25, -30.5, -2.5, -1.0, -0.5, -1e-9, 0.3, 0.5, 1.0, 1.5, 2.0, 3.25, 10.0, 100.7, 709.5, 12345.678,
     0.49999999999999994, 2.5, -0.4999999, 1e-300, 5e-320]
single = array.array("f", x)
if sys.argv[1] == "write":
    open("double", "wb").write(array.array("d", x).tobytes())
    open("single", "wb").write(single.tobytes())
    sys.exit()

def safe(f, *of):
    try:
        return f(*of)
    except OverflowError:
        return -math.inf if of[0] < 0 and of[1:] in ((3,), (3.0,)) else math.inf
    except (ValueError, ZeroDivisionError):
        return math.inf if f is math.pow and of[1] < 0 and not of[0] else math.nan

def away(v):
    return math.copysign(math.floor(abs(v)) + (abs(v) % 1 >= 0.5), v)

doubles = [math.exp, lambda v: math.log(abs(v)), math.sin, math.cos, lambda v: safe(math.pow, abs(v), 1.75),
           lambda v: safe(math.pow, v, 3.0), lambda v: safe(math.pow, v, -3), away, math.tanh, math.tan]
singles = [lambda v: safe(math.pow, v, 3.0), lambda v: v * v, 
           lambda v: math.fmod(v, struct.unpack("f", struct.pack("f", .7))[0]),
           away, lambda v: v * v, lambda v: safe(math.pow, v, 0.5), math.exp, lambda v: max(v, 1), abs,
           lambda v: safe(math.pow, abs(v), -1.5)]
bad = 0
for name, kind, inputs, functions in ("double", "d", x, doubles), ("single", "f", single, singles):
    got = array.array(kind, open(name + ".out", "rb").read())
    # As many units in the last place as the header says, |y·ln x| of them for powers; and as much beside a sine's zero.
    near, top = (2**-50, sys.float_info.max) if kind == "d" else (2**-19, 3.4028235e38)
    tiny = 1e-320 if kind == "d" else 1e-37
    for k, f in enumerate(functions):
        for i, v in enumerate(inputs):
            want, have = safe(f, v), got[k * len(x) + i]
            scale = 1 + (abs(v) if k in (4, 5, 6) and 1e-200 < abs(v) < 1e-9 else 0)
            if k in (4, 5, 6, 9) and v and kind == "d":
                scale += 3 * abs(math.log(abs(v)))
            if abs(want) > top:
                want = math.copysign(math.inf, want)
            if math.isnan(want) and math.isnan(have) or want == have:
                continue
            if not abs(have - want) <= near * scale * max(abs(want), near if k in (2, 3) else 0) + tiny:
                print(name, k, v, "gives", have, "not", want, file=sys.stderr)
                bad = 1
sys.exit(bad)
END
cat >values.cu <<'CUDA'
__global__ void doubles(const double *x, double *y)
{
    const int i = threadIdx.x, n = blockDim.x;
    y[i] = exp(x[i]), y[n + i] = log(fabs(x[i])), y[2 * n + i] = sin(x[i]), y[3 * n + i] = cos(x[i]);
    y[4 * n + i] = pow(fabs(x[i]), 1.75), y[5 * n + i] = pow(x[i], 3.0), y[6 * n + i] = pow(x[i], -3);
    y[7 * n + i] = round(x[i]), y[8 * n + i] = tanh(x[i]), y[9 * n + i] = tan(x[i]);
}
__global__ void singles(const float *x, float *y)
{
    const int i = threadIdx.x, n = blockDim.x;
    y[i] = powf(x[i], 3.0f), y[n + i] = pow(x[i], 2), y[2 * n + i] = fmodf(x[i], 0.7f), y[3 * n + i] = roundf(x[i]);
    y[4 * n + i] = pow(x[i], 2.0), y[5 * n + i] = powf(x[i], 0.5f), y[6 * n + i] = exp(x[i]);
    y[7 * n + i] = max(x[i], 1.0), y[8 * n + i] = abs(x[i]), y[9 * n + i] = powf(fabsf(x[i]), -1.5f);
}
CUDA
python3 -S values.py write
for kind in double single; do
    size=$(stat -c %s $kind)
    gives 0 '' -- run values.cu --functional --gpu h200 --kernel ${kind}s --block 22 --arg buf:@$kind \
        --arg buf:$((10 * size)) --dump "1:@$kind.out"
done
python3 -S values.py compare || complain 'a function of cuda_overloads.h is wrong'
exit $bad
