// check.cuh: what the programs of this folder share. A program compares what the GPU has computed with what CUDA's
// documents demand, and prints how much of it was wrong.
#ifndef CHECK_CUH
#define CHECK_CUH

#include <cstdio>
#include <cstdlib>

// A call that must succeed.
#define MUST(call) must(__LINE__, call)
static inline void must(int line, cudaError_t error)
{
    if (error == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorString(error));
    std::exit(99);
}

// A condition that must hold; the first few that don't are told.
#define CHECK(condition) check(__LINE__, condition)
static int wrong;
static inline void check(int line, bool right)
{
    if (!right && wrong++ < 4) std::printf("line %d is wrong\n", line);
}

static inline int verdict()
{
    std::printf("%d wrong\n", wrong);
    return wrong ? 1 : 0;
}

// Memory of n elements that the GPU and the host see.
template <typename T> static T *shared_array(int n)
{
    T *p;
    MUST(cudaMallocManaged(&p, n * sizeof *p));
    for (int k = 0; k < n; k++) p[k] = T();
    return p;
}

#endif
