// kernels.c: the kernels of a library, by their file and name.
#include "toolkit/unit.h"

#include <string.h>

static CUresult load(Kernels *k, size_t which)
{
    CUcontext now;
    CUresult result = cuCtxGetCurrent(&now);
    if (result != CUDA_SUCCESS) return result;
    if (k->context != now) kernels_free(k);
    k->context = now;
    while (k->modules.n <= which) vec_push(&k->modules, NULL);
    return k->modules.v[which] ? CUDA_SUCCESS : cuModuleLoadData(&k->modules.v[which], kernel_texts[which].ptx);
}

CUresult kernel_find(Kernels *k, const char *file, const char *name, CUfunction *out)
{
    size_t which = 0;
    while (kernel_texts[which].name && strcmp(kernel_texts[which].name, file)) which++;
    if (!kernel_texts[which].name) return CUDA_ERROR_NOT_FOUND;
    CUresult result = load(k, which);
    return result == CUDA_SUCCESS ? cuModuleGetFunction(out, k->modules.v[which], name) : result;
}

CUresult kernel_launch(CUfunction f, const Shape *s, void *const *args)
{
    enum { USUAL_SHARED = 48 << 10 };
    unsigned n[6];
    CUresult result = CUDA_SUCCESS;
    for (int j = 0; j < 3; j++) n[j] = MAX(s->grid[j], 1), n[3 + j] = MAX(s->block[j], 1);
    if (s->shared > USUAL_SHARED)
        result = cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)s->shared);
    if (result != CUDA_SUCCESS) return result;
    return cuLaunchKernel(f, n[0], n[1], n[2], n[3], n[4], n[5], s->shared, s->stream, (void **)(uintptr_t)args, NULL);
}

CUresult kernel_run(Kernels *k, const char *file, const char *name, const Shape *s, void *const *args)
{
    CUfunction f;
    CUresult result = kernel_find(k, file, name, &f);
    return result == CUDA_SUCCESS ? kernel_launch(f, s, args) : result;
}

// Modules of a context that has gone are gone with it.
void kernels_free(Kernels *k)
{
    for (size_t j = 0; j < k->modules.n; j++)
        if (k->modules.v[j]) cuModuleUnload(k->modules.v[j]);
    vec_free(&k->modules);
}

CUresult kernels_begin(void)
{
    CUcontext now = NULL;
    CUresult result = cuInit(0);
    if (result == CUDA_SUCCESS) result = cuCtxGetCurrent(&now);
    if (result != CUDA_SUCCESS || now) return result;
    result = cuDevicePrimaryCtxRetain(&now, 0);
    return result == CUDA_SUCCESS ? cuCtxSetCurrent(now) : result;
}

int kernels_capability(void)
{
    CUdevice d;
    int major = 0, minor = 0;
    if (cuCtxGetDevice(&d) != CUDA_SUCCESS) return 0;
    cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d);
    cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d);
    return 10 * major + minor;
}
