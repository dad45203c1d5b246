#!/bin/bash
# onchip run FILE.cu: clang compiles its kernels with our headers, as a user has written them, host code beside them.
source test/cli/expect.bash
cd "$work" || exit 1
command -v clang >/dev/null || exit 77
mkdir "a folder"
cat >"a folder/rows.h" <<'H'
struct Rows {
    const int *first, *column;
};
H
cat >"a folder/spmv.cu" <<'CUDA'
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <time.h>
#include <vector>
#include "rows.h"
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { puts(cudaGetErrorString(e)); exit(1); } } while (0)

__constant__ float factor[2] = {1.0f, 2.0f};

__global__ void spmv(int n, const int *first, const int *column, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Rows rows = {first, column};
    if (i >= n) return;
    float sum = 0;
    for (int k = rows.first[i]; k < rows.first[i + 1]; k++) sum += factor[1] * x[rows.column[k]];
    y[i] = sqrtf(sum * sum);
}

template <typename T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }

int main()
{
    std::vector<float> h(100);
    float *d;
    cudaDeviceProp p;
    cudaStream_t s;
    cudaEvent_t e;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaMalloc(&d, h.size() * sizeof(float)));
    CHECK(cudaMemcpy(d, h.data(), 400, cudaMemcpyHostToDevice));
    cudaStreamCreate(&s), cudaEventCreate(&e), cudaEventRecord(e, s);
    clock_t start = clock();
    twice<<<dim3(1, 1), 32, 0, s>>>(d);
    std::cout << p.name << p.multiProcessorCount << p.warpSize << std::sqrt(2.0) << clock() - start;
    return cudaDeviceSynchronize();
}
CUDA
# Row i has its column i alone: y[i] = 2 x[i], and x[i] = i.
gives 0 'spmv(int, int const*, int const*, float const*, float*)' '0 2 4 6' -- run "a folder/spmv.cu" --kernel spmv \
    --arg i32:4 --arg buf:20:iota:u32 --arg buf:16:iota:u32 --arg buf:16:iota:f32 --arg buf:16 --block 4 --dump 4:f32
gives 0 'twice<float>(float*)' '0 2 4 6' -- run "a folder/spmv.cu" --kernel 'twice<float>' --arg buf:16:iota:f32 \
    --block 4 --dump 0:f32 --gpu h200 --functional
gives 0 'spmv.cu:19' -- run "a folder/spmv.cu" --kernel spmv --arg i32:4 --arg buf:20:iota:u32 --arg buf:16:iota:u32 \
    --arg buf:16:iota:f32 --arg buf:16 --block 4 --lines
gives 2 "no kernel 'three'" 'twice<float>' -- run "a folder/spmv.cu" --kernel three
gives 1 "can't read none.cu" -- run none.cu
echo '__global__ void k(int *x) { *x = nothing; }' >wrong.cu
gives 1 'wrong.cu' "doesn't compile" "use of undeclared identifier 'nothing'" -- run wrong.cu --arg buf:4
touch header.cuh
gives 2 'header.cuh is a header' -- run header.cuh
path=$PATH PATH=/nowhere
run run wrong.cu
PATH=$path
[[ $err == *'apt install clang'* ]] || complain "without clang it says $err"

# --- what was compiled before is found again, unless a file that it includes has changed -----------------------------
mkdir bin cache
cat >small.cu <<'CUDA'
#include "a folder/rows.h"
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
CUDA
cat >bin/clang <<END
#!/bin/bash
echo "\$*" >>'$work/log'
exec '$(command -v clang)' "\$@"
END
chmod +x bin/clang
# compiles TIMES OPTION …: clang does so.
compiles() {
    : >log
    PATH=$work/bin:$PATH XDG_CACHE_HOME=$work/cache run run small.cu "${@:2}" --arg buf:16:iota:f32 \
        --block 4 --dump 0:f32
    [[ $out == *': 0 2 4 6'* ]] || complain "the cache gives $out $err"
    (($(grep -c -e ' -emit-llvm -S ' log) == $1)) || complain "clang compiles not $1 times: $(<log)"
}
compiles 1
compiles 0
compiles 0 --set l1.size=32KiB
echo '// changed' >>"a folder/rows.h"
compiles 1  # any change of a file counts
echo 'struct More {};' >>"a folder/rows.h"
compiles 1
compiles 1 --gpu a100  # for another target
compiles 0 --gpu a100
if ((EUID)); then
    chmod -w cache/onchip
    echo 'struct Most {};' >>"a folder/rows.h"
    compiles 1
    compiles 1
    chmod +w cache/onchip
fi
rm -r cache
compiles 1

# show ptx compiles too, for the GPU that is asked for (clang.c's targets), and prints what clang makes.
for gpu in gtx480:sm_35 a100:sm_80; do
    gives 0 ".target ${gpu#*:}" '.visible .entry' -- show ptx small.cu --view text --gpu "${gpu%:*}"
    run show ptx small.cu --view text --gpu "${gpu%:*}"
    printf '%s\n' "$out" >shown.ptx
    gives 0 '0 2 4 6' -- run shown.ptx --arg buf:16:iota:f32 --block 4 --dump 0:f32
done
# A thread's word for all: clang 14 loads it before the barrier of its own __syncthreads().
cat >word.cu <<'END'
__global__ void words(int *out, int n)
{
    __shared__ int word;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == i) word = i * 3 + 1;
        __syncthreads();
        sum += word;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
END
run run word.cu --kernel words --arg buf:512:zero --arg i32:3 --block 128 --dump 0:@words
[[ $(od -An -t d4 -v words | tr -s ' ' '\n' | sort -u | paste -sd, -) == ,12 ]] ||
    complain 'a word for all is read too early'
gives 1 "can't read none.cu" -- show ptx none.cu
gives 2 "unknown GPU 'gtx48'" gtx480 -- show ptx small.cu --gpu gtx48
shopt -s nullglob
left=("${TMPDIR:-/tmp}"/onchip*/cuda_runtime.h)
((${#left[@]} == 0)) || complain "it leaves ${left[*]}"
exit $bad
