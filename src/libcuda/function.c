// function.c: what a kernel is and may, and how many of its blocks fit an SM.
#include "libcuda/unit.h"

#include <string.h>

static CUresult kernel(const void *f, Entry **e)
{
    CONTEXT();
    CUresult result = ASKED(kernel_of(f, e));
    return result == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_INVALID_HANDLE : result;
}
#define KERNEL(f, e)                       \
    Entry *e;                              \
    do {                                   \
        CUresult r_ = kernel(f, &e);       \
        if (r_ != CUDA_SUCCESS) return r_; \
    } while (0)

// Numbers of CUfunction_attribute; from 10 on they are a cluster's, which only a launch or the PTX gives a size.
CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction f)
{
    enum { LAST = 15 };
    KERNEL(f, e);
    if (!value || attribute < 0 || attribute > LAST) return CUDA_ERROR_INVALID_VALUE;
    const int all[LAST + 1] = {(int)e->info.max_threads,
                               (int)e->info.shared,
                               (int)e->info.constant,
                               (int)e->info.local,
                               (int)e->info.registers,
                               (int)e->info.capability,
                               (int)client_device()->capability,
                               0,
                               e->most_dynamic,
                               e->carveout,
                               0,
                               (int)e->info.cluster[0],
                               (int)e->info.cluster[1],
                               (int)e->info.cluster[2],
                               e->large_clusters};
    *value = all[attribute];
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, int attribute, int value)
{
    KERNEL(f, e);
    (void)e;
    return ASKED(cudaFuncSetAttribute(f, attribute, value));
}

CUresult cuFuncSetCacheConfig(CUfunction f, int config)
{
    KERNEL(f, e);
    (void)e;
    return ASKED(cudaFuncSetCacheConfig(f, config));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *f, int width);
CUresult cuFuncSetSharedMemConfig(CUfunction f, int config)
{
    KERNEL(f, e);
    (void)e;
    return ASKED(cudaFuncSetSharedMemConfig(f, config));
}

CUresult cuFuncGetName(const char **name, CUfunction f)
{
    KERNEL(f, e);
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = e->name;
    return CUDA_SUCCESS;
}

cudaError_t cudaFuncGetParamInfo(const void *f, size_t index, size_t *at, size_t *bytes);
CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *at, size_t *bytes)
{
    KERNEL(f, e);
    (void)e;
    return ASKED(cudaFuncGetParamInfo(f, index, at, bytes));
}

CUresult cuFuncIsLoaded(int *loaded, CUfunction f)
{
    KERNEL(f, e);
    (void)e;
    if (!loaded) return CUDA_ERROR_INVALID_VALUE;
    *loaded = 1;
    return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction f)
{
    KERNEL(f, e);
    (void)e;
    return CUDA_SUCCESS;
}

// A library's kernel is the same thing.
CUresult cuKernelGetAttribute(int *value, int attribute, CUkernel k, CUdevice d)
{
    return d ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, (CUfunction)k);
}

CUresult cuKernelSetAttribute(int attribute, int value, CUkernel k, CUdevice d)
{
    return d ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute((CUfunction)k, attribute, value);
}

CUresult cuKernelSetCacheConfig(CUkernel k, int config, CUdevice d)
{
    return d ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig((CUfunction)k, config);
}

CUresult cuKernelGetName(const char **name, CUkernel k) { return cuFuncGetName(name, (CUfunction)k); }
CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *at, size_t *bytes)
{
    return cuFuncGetParamInfo((CUfunction)k, index, at, bytes);
}

// --- occupancy -------------------------------------------------------------------------------------------------------
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int threads, size_t dynamic,
                                                              unsigned flags)
{
    KERNEL(f, e);
    (void)e;
    return ASKED(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, dynamic, flags));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t dynamic)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, dynamic, 0);
}

// The block that fills an SM with the most threads, the largest of several; and so many blocks as fill the GPU.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f, size_t (*shared)(int threads),
                                                   size_t dynamic, int limit, unsigned flags)
{
    enum { WARP = 32 };
    int best = 0;
    KERNEL(f, e);
    if (!grid || !block || limit < 0) return CUDA_ERROR_INVALID_VALUE;
    const int most = limit ? MIN(limit, (int)e->info.max_threads) : (int)e->info.max_threads;
    for (int threads = (most + WARP - 1) / WARP * WARP; threads > 0 && best < (int)client_device()->threads;
         threads -= WARP) {
        const int n = MIN(threads, most);
        int blocks;
        CUresult result =
            cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, n, shared ? shared(n) : dynamic, flags);
        if (result != CUDA_SUCCESS) return result;
        if (blocks * n > best) best = blocks * n, *block = n, *grid = blocks * (int)client_device()->sms;
    }
    return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f, size_t (*shared)(int threads),
                                          size_t dynamic, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, shared, dynamic, limit, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *f, int blocks, int threads);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction f, int blocks, int threads)
{
    KERNEL(f, e);
    (void)e;
    return ASKED(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}

// --- clusters --------------------------------------------------------------------------------------------------------
static CUresult clusters(int *out, CUfunction f, const CUlaunchConfig *c, bool largest)
{
    KERNEL(f, e);
    (void)e;
    if (!out || !c) return CUDA_ERROR_INVALID_VALUE;
    const Config config = {.grid = {c->grid[0], c->grid[1], c->grid[2]},
                           .block = {c->block[0], c->block[1], c->block[2]},
                           .shared = c->smem};
    return ASKED(launch_clusters(f, &config, (const Attribute *)c->attrs, c->n, largest, out));
}

CUresult cuOccupancyMaxActiveClusters(int *n, CUfunction f, const CUlaunchConfig *config)
{
    return clusters(n, f, config, false);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction f, const CUlaunchConfig *config)
{
    return clusters(blocks, f, config, true);
}
