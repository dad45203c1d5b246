#!/bin/bash
# Whole programs of CUDA source, without NVIDIA's toolkit: onchip run FILE.cu where the file has a main, and onchip cc.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
cd "$work" || exit 1
command -v clang >/dev/null && [[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
export XDG_CACHE_HOME=$work/cache
mkdir cache

# --- one file with a main ---------------------------------------------------------------------------------------------
cat >saxpy.cu <<'CUDA'
#include <cstdio>
#include <cuda.h>
#include <cstdlib>
#include <vector>
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) x[i] = i, y[i] = 1;
    float *dx, *dy;
    cudaMalloc(&dx, n * sizeof(float)), cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 31) / 32, 32>>>(n, 2, dx, dy);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%d of %s: %g\n", n, argv[0], y[n - 1]);
    return cudaGetLastError() == cudaSuccess ? 3 : 4;
}
CUDA
gives 3 '100 of saxpy.cu: 199' 'saxpy(int, float, float const*, float*)' -- run saxpy.cu
gives 3 '7 of saxpy.cu: 13' -- run --gpu a100 --functional saxpy.cu 7
gives 3 '--gpu stands behind saxpy.cu' -- run --functional saxpy.cu 7 --gpu
# The same once more comes from the cache: there is no clang.
path=$PATH PATH=/nowhere
run run saxpy.cu 7
PATH=$path
[[ $out == *'7 of saxpy.cu: 13'* ]] || [[ $err == *'isn'\''t installed'* ]] || complain "from the cache: $out $err"

# --- errors: clang's own, with what to do about them ------------------------------------------------------------------
printf '#include <cusolverDn.h>\nint main() {}\n' >library.cu
gives 1 'library.cu:1:10' 'hint: cuSOLVER' -- run library.cu
printf '__global__ void k() {}\nint main() { k(); }\n' >call.cu
gives 1 'call.cu:2:15' 'hint: a kernel is launched with its shape' -- run call.cu
gives 2 "unknown option -fo" -- cc -fo saxpy.cu
gives 2 'such as sm_80' -- cc -arch=x saxpy.cu
gives 1 "can't read none.cu" -- cc none.cu
gives 0 'release 12' -- cc --version

# --- what clang has no attribute for ----------------------------------------------------------------------------------
cat >bounds.cu <<'CUDA'
constexpr int four = 4;
__global__ void __cluster_dims__(four, 2) clusters(int *p) { *p = 1; }
template <int n> __global__ void __launch_bounds__(32 * n, n, 8) bounds(int *p) { *p = n; }
__global__ void __maxnreg__(40) registers() {}
__attribute__((annotate("a user's"))) __device__ int f(int a) { return a; }
__global__ void none(int *p) { *p = f(*p); }
template __global__ void bounds<3>(int *);
CUDA
gives 0 '.entry _Z9registersv' -- cc -arch=sm_80 -ptx bounds.cu -o -
gives 0 -- cc -arch=sm_80 -ptx bounds.cu -o bounds.ptx
# directives KERNEL TEXT: its directives are these.
directives() {
    local are
    are=$(sed -n "/\.entry $1(/,/^{/p" bounds.ptx | grep -v entry | grep '^\.[a-z]' | sed 's, *//.*,,' | tr '\n' ';')
    [[ $are == "$2" ]] || complain "the directives of $1 are $are"
}
directives _Z8clustersPi '.explicitcluster;.reqnctapercluster 4, 2;'
directives _Z6boundsILi3EEvPi '.maxclusterrank 8;.maxntid 96, 1, 1;.minnctapersm 3;'
directives _Z9registersv '.maxnreg 40;'
directives _Z4nonePi ''
# The limit of a whole file is that of kernels that have none.
gives 0 -- cc -arch=sm_80 -ptx -maxrregcount=24 bounds.cu -o bounds.ptx
directives _Z6boundsILi3EEvPi '.maxclusterrank 8;.maxntid 96, 1, 1;.minnctapersm 3;'
directives _Z9registersv '.maxnreg 40;'
directives _Z4nonePi '.maxnreg 24;'

# --- macros of one letter don't reach our headers -------------------------------------------------------------------
printf '#include <%s>\n' cooperative_groups.h cooperative_groups/{memcpy_async,reduce,scan}.h cuComplex.h cuda_bf16.h \
    cuda_fp16.h cuda_fp8.h cuda_pipeline.h curand_kernel.h mma.h nvToolsExt.h >letters.cu
[[ ! -e /usr/include/cuda/std/atomic ]] || printf '#include <cuda/%s>\n' atomic barrier pipeline >>letters.cu
printf '__global__ void k(int *p) { *p = N + Z; }\nint main() {}\n' >>letters.cu
letters=()
for letter in {A..Z}; do letters+=("-D$letter=7"); done
gives 0 -- cc -arch=sm_80 "${letters[@]}" letters.cu -o letters

# --- several files ----------------------------------------------------------------------------------------------------
gives 0 -- cc saxpy.cu -O2 -DUNUSED=1 -Iinclude -lm -o saxpy
gives 3 '9 of ./saxpy: 17' -- run ./saxpy 9
ready() { command -v "$(dirname "$(readlink -f "$(command -v clang)")")/llvm-link" >/dev/null; }
if ready; then
    cat >first.cu <<'CUDA'
#include <cstdio>
__device__ int twice(int x);
extern __device__ int common;
__global__ void fill(int *p) { p[threadIdx.x] = twice(threadIdx.x) + common; }
void other();
int main()
{
    int *p, h[32];
    cudaMalloc(&p, sizeof h);
    other();
    fill<<<1, 32>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[1], h[31]);
}
CUDA
    # own is a static variable that the host writes: 2·1 + 4 + 100, 2·31 + 4 + 100.
    cat >second.cu <<'CUDA'
__device__ int common = 1;
static __device__ int own = 3;
__device__ int twice(int x) { return 2 * x + own; }
__global__ void set() { common = 100; }
void other()
{
    int t = 4;
    cudaMemcpyToSymbol(own, &t, sizeof t);
    set<<<1, 1>>>();
}
CUDA
    gives 0 -- cc -dc first.cu second.cu
    gives 0 -- cc first.o second.o -o both
    gives 0 '106 166' -- run ./both
    gives 1 'hint: -rdc=true' -- cc first.cu -o alone
    # Libraries: all their members' device code is linked, as nvlink does it, each library's once.
    printf '__device__ int third(int x) { return missing(x); }' | sed 's/^/__device__ int missing(int);\n/' >third.cu
    gives 0 -- cc -dc third.cu
    gives 0 -- cc -lib second.o -o libsecond.a
    gives 0 -- cc -rdc=true -lib second.cu -o sources.a
    for library in libsecond.a sources.a '-L /nonexistent -L. -lsecond -lsecond'; do
        # shellcheck disable=SC2086
        gives 0 -- cc first.o $library -o with_library
        gives 0 '106 166' -- run ./with_library
    done
    gives 0 -- cc -dlink first.o -L. -lsecond -o linked.o
    gives 0 -- cc -lib second.o third.o -o all.a
    gives 1 'missing' -- cc first.o all.a -o with_library
    # One that was linked for itself has an object that registers its parts.
    gives 0 -- cc -lib first.o second.o linked.o -o whole.a
    printf 'int unused;\n' >empty.cpp
    gives 0 -- cc empty.cpp whole.a -o with_whole
    gives 0 '106 166' -- run ./with_whole
    printf '__managed__ int x;\nint main() { return x; }\n' >shared.cu
    gives 1 'shared.cu has a __managed__ variable' 'hint: memory of cudaMallocManaged' -- cc -rdc=true shared.cu
fi
# An address within an array, as a first value.
printf '__device__ int many[4], *one = &many[2];\n__global__ void k() { one[0]++; }\nint main() {}\n' >in.cu
! command -v clang-14 >/dev/null || gives 1 'hint: clang 16 takes an address' -- cc -ccbin clang-14 in.cu -o in
! command -v clang-16 >/dev/null || gives 0 -- cc -ccbin clang-16 in.cu -o in
# --- NVIDIA's compiler, where it is ---------------------------------------------------------------------------------
source "$ONCHIP_SOURCE/test/nvcc.bash"
if [[ -x $nvcc ]]; then
    export CUDA_HOME=$toolkit
    gives 3 '7 of saxpy.cu: 13' -- run --toolkit --functional saxpy.cu 7
    gives 0 'saxpy(' -- run --toolkit --functional --kernel saxpy --grid 1 --block 32 --arg u32:4 --arg f32:2 \
        --arg buf:16 --arg buf:16 saxpy.cu
    gives 0 -- cc --toolkit saxpy.cu -o by_nvcc
    gives 3 '9 of ./by_nvcc: 17' -- run --functional ./by_nvcc 9
    gives 1 'call.cu doesn'\''t compile; nvcc says' -- run --toolkit call.cu
fi
CUDA_HOME=/nowhere PATH=$ONCHIP_BUILD/cuda/bin:/usr/bin:/bin gives 1 '/nowhere/bin/nvcc' -- run --toolkit saxpy.cu 8
exit $bad
