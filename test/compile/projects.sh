#!/bin/bash
# What builds programs with nvcc builds them with onchip: make, by its name; CMake's CUDA language, by cuda/bin/nvcc.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
cd "$work" || exit 1
command -v clang >/dev/null && [[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
clang=$(dirname "$(readlink -f "$(command -v clang)")")
export XDG_CACHE_HOME=$work/cache

mkdir src include
cat >include/add.h <<'CUDA'
#define STEP 5
__device__ int add(int a, int b);
int on_host(int n);
CUDA
cat >src/add.cu <<'CUDA'
#include "add.h"
__device__ int add(int a, int b) { return a + STEP * b; }
CUDA
cat >src/plain.cpp <<'CUDA'
#include <cuda_runtime.h>

#include <add.h>
int on_host(int n) { return cudaGetLastError() == cudaSuccess ? n : -1; }
CUDA
cat >src/main.cu <<'CUDA'
#include "add.h"
#include <cstdio>
#ifndef SCALE
#define SCALE 1
#endif
__global__ void fill(int *p) { p[threadIdx.x] = SCALE * add(threadIdx.x, 2); }
int main()
{
    int *p, h[8];
    cudaMalloc(&p, sizeof h);
    fill<<<1, 8>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", on_host(h[7]));
}
CUDA

if [[ -x $clang/llvm-link ]] && command -v make >/dev/null; then
    cat >Makefile <<'MAKE'
CXX = clang++
NVFLAGS = -O2 -arch=sm_70 -Iinclude -DSCALE=2 -Xcompiler -Wall,-Wextra --compiler-options -fno-strict-aliasing
OBJECTS = main.o add.o plain.o
app: $(OBJECTS)
	$(NVCC) -arch=sm_70 $^ -o $@ -lm
%.o: src/%.cu
	$(NVCC) $(NVFLAGS) -dc -MD -MF $*.d $< -o $@
%.o: src/%.cpp
	$(CXX) -Iinclude -I$(CUDA)/include -c $< -o $@
-include *.d
MAKE
    made() {
        make NVCC="$onchip cc" CUDA="$ONCHIP_BUILD/cuda" >"$work/log" 2>&1 ||
            complain "make: $(head -c 600 "$work/log")"
    }
    made
    gives 0 34 -- run --functional ./app # 2 * (7 + 5 * 2)
    # A header that has changed is noticed.
    sleep 0.01
    sed -i 's/STEP 5/STEP 6/' include/add.h
    made
    gives 0 38 -- run --functional ./app
    grep -q plain.cpp "$work/log" && complain "plain.cpp was compiled again"
    made
    grep -q -e '-dc' "$work/log" && complain "nothing has changed, and something was compiled: $(<"$work/log")"
fi

if [[ -x $clang/llvm-link ]] && command -v cmake >/dev/null; then
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX CUDA)
add_executable(app src/main.cu src/add.cu src/plain.cpp)
target_include_directories(app PRIVATE include ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_compile_definitions(app PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:SCALE=3>)
set_target_properties(app PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES 70 CUDA_STANDARD 17)
CMAKE
    { cmake -B made -DCMAKE_CUDA_COMPILER="$ONCHIP_BUILD/cuda/bin/nvcc" && cmake --build made; } >"$work/log" 2>&1 ||
        complain "cmake: $(tail -c 1500 "$work/log")"
    gives 0 57 -- run --functional made/app # 3 * (7 + 6 * 2)
fi
exit $bad
