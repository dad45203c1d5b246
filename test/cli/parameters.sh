#!/bin/bash
# Of a .cu file, the kernels' parameters have the names and the kinds that the source gives them: --arg takes a number
# without a type, and --dump, errors and the report name a buffer as the source does.
source test/cli/expect.bash
cd "$work" || exit 1
command -v clang >/dev/null || exit 77
cat >k.cu <<'CUDA'
struct Pair { float *x; int n; };
typedef unsigned long long number;
template <typename T> __global__ void scale(T *__restrict__ data, const T factor, int count)
{
    if ((int)threadIdx.x < count) data[threadIdx.x] *= factor;
}
template __global__ void scale<float>(float *, const float, int);
template __global__ void scale<double>(double *, const double, int);
namespace some {
__global__ void all(float *out, size_t n, Pair pair, number big, double d, bool flag, char letter, short s,
                    unsigned char byte, const int &at, unsigned positive)
{
    const float of[] = {(float)n, (float)pair.n, (float)big, (float)d, (float)flag, (float)letter, (float)s,
                        (float)byte,
                        (float)at, (float)positive};
    out[threadIdx.x] = of[threadIdx.x];
}
}
__device__ int plain_x = 7;
extern "C" __global__ void plain(float *out, long n, int, float param_0, int x)
{
    out[0] = n, out[1] = param_0, out[2] = x, out[3] = plain_x;
}
CUDA
k=(run k.cu --gpu h200 --functional --kernel)
gives 0 'data: 0 1.5 3 4.5' -- "${k[@]}" 'scale<float>' --arg buf:16:iota:f32 --arg 1.5 --arg 4 \
    --dump data:f32 --block 4
gives 0 'data: 0 1.5' -- "${k[@]}" 'scale<float>' --arg buf:8:iota:f32 --arg f32:1.5 --arg i32:2 --dump 0:f32 --block 4
gives 0 'data: 0000000000000440' -- "${k[@]}" 'scale<double>' --arg buf:8:hex:000000000000f03f --arg 2.5 --arg 1 \
    --block 1 --dump data
gives 0 'out: 5 -2 3 0.5 1 -7 -300 255 9 4' -- "${k[@]}" all --arg buf:40 --arg 5 \
    --arg "hex:0000000000000000feffffff00000000" --arg 3 --arg 0.5 --arg 1 --arg -7 --arg -300 --arg 255 \
    --arg buf:4:hex:09000000 --arg 4 --block 10 --dump out:f32
gives 0 'out: 5 1.5 9 7' -- "${k[@]}" plain --arg buf:16 --arg 5 --arg 3 --arg 1.5 --arg 9 --dump out:f32 --block 1
gives 2 'its parameters are out (.u64), n (.u64), param_2 (.u32), param_3 (.f32), param_4 (.u32)' -- "${k[@]}" plain

# In an argument file, too.
printf '%s\n' '[buffers]' 'a = 16:iota:f32' '[launch scale<float>]' 'block = 4' 'args = &a 2 4' >k.args
gives 0 'a: 0 2 4 6' -- run k.cu @k.args --dump a:f32

# Mistakes.
s=("${k[@]}" 'scale<float>')
gives 2 "arg 64: parameter 'data' is a pointer; write u64:64, or buf:SIZE" -- "${s[@]}" --arg 64 --arg 1 --arg 4
gives 2 "arg 1.5: a whole number is expected, not '1.5' (parameter 'count')" -- "${s[@]}" --arg buf:4 --arg 1 --arg 1.5
gives 2 "arg x: a number is expected, not 'x' (parameter 'factor')" -- "${s[@]}" --arg buf:4 --arg x --arg 1
gives 2 "doesn't fit 32 bits (parameter 'count', a .u32)" -- "${s[@]}" --arg buf:4 --arg 1 --arg 4294967296
gives 2 "parameter 'count' has the PTX type .u32; write u32:1" -- "${s[@]}" --arg buf:4 --arg 1 --arg f32:1
gives 1 "nearest allocation: 'data'" "parameter 'data'" -- "${s[@]}" --arg buf:4 --arg 1 --arg 32
gives 0 '  data  ' -- run k.cu --kernel 'scale<float>' --arg buf:16 --arg 1 --arg 4

# PTX without such a comment: as ever, with its type.
run show ptx k.cu --view text
grep -v '^// arguments' <<<"$out" >bare.ptx
gives 2 "arg 1: parameter 'factor' has the PTX type .f32; write f32:1" -- run bare.ptx --kernel 'scale<float>' \
    --arg buf:4 --arg 1 --arg 4
exit $bad
