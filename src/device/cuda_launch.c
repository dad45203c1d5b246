// cuda_launch.c: launches on a real GPU, and their record. There are no counters: it has a launch's seconds alone,
// those of a queued launch once somebody waits for it.
#include "device/cuda_device.h"

#include <dlfcn.h>
#include <string.h>

// Lets a launch take so much dynamic shared memory. A block that has more than 48 KiB, with what is the kernel's own,
// must ask for it first (CUDA C++ Programming Guide, "Compute Capability 7.x", "Shared Memory").
static CUresult ask_shared(const CudaKernel *k, const Driver *cu, uint32_t smem)
{
    if ((uint64_t)k->shared + smem <= 48 * 1024) return CUDA_SUCCESS;
    return cu->cuFuncSetAttribute(k->function, FUNCTION_MAX_DYNAMIC, (int)MIN(smem, (uint32_t)INT32_MAX));
}

oc_status cuda_occupancy(oc_kernel *base, oc_dim3 block, uint32_t smem, uint32_t *blocks)
{
    CudaKernel *k = (CudaKernel *)base;
    CudaDevice *d = cuda_of(base->module->device);
    int n = 0;
    *blocks = 0;
    USABLE(&d->base);
    if (ask_shared(k, &d->cu, smem) != CUDA_SUCCESS) return OC_OK;  // more bytes than there are
    TRY(&d->base,
        d->cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, k->function, (int)(block.x * block.y * block.z), smem));
    *blocks = (uint32_t)n;
    return OC_OK;
}

oc_status cuda_wait(oc_device *base, oc_stream *s)
{
    CudaDevice *d = cuda_of(base);
    USABLE(base);
    if (s)
        TRY(base, d->cu.cuStreamSynchronize(stream_of(s)));
    else
        TRY(base, d->cu.cuCtxSynchronize());
    for (size_t p = 0; !s && p < d->pending.n; p++) {
        Pending *q = &d->pending.v[p];
        double unused, *seconds = q->launch < d->forgotten ? &unused : &d->seconds.v[q->launch - d->forgotten];
        oc_status status = cuda_between(base, q->from, q->to, seconds);
        if (status != OC_OK) return status;
        d->cu.cuEventDestroy_v2(q->from), d->cu.cuEventDestroy_v2(q->to);
    }
    if (!s) d->pending.n = 0;
    return OC_OK;
}

void cuda_queue(oc_device *d, bool on)
{
    if (!on) cuda_wait(d, NULL);
    cuda_of(d)->queued = on;
}

void cuda_gather(oc_device *d, size_t bytes, oc_stream *s) { (void)d, (void)bytes, (void)s; }

// As with tensor maps, drivers before CUDA 12 have no such call.
static CUresult launch_clusters(CudaDevice *d, const CudaKernel *k, oc_dim3 grid, oc_dim3 block, uint32_t smem,
                                CUstream stream, const void *const *args)
{
    enum { NOT_SUPPORTED = 801 };  // CUresult
    const oc_dim3 c = k->base.cluster;
    const unsigned size[3] = {c.x, c.y, c.z};
    CUlaunchAttribute attribute = {.id = LAUNCH_CLUSTER};
    CUlaunchConfig config = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, smem, stream, &attribute, 1};
    cuLaunchKernelEx_fn *launch;
    *(void **)&launch = dlsym(d->cu.library, "cuLaunchKernelEx");
    memcpy(attribute.value.bytes, size, sizeof size);
    return launch ? launch(&config, k->function, (void **)(uintptr_t)args, NULL) : NOT_SUPPORTED;
}

oc_status cuda_launch(oc_kernel *base, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *s,
                      const void *const *args)
{
    CudaKernel *k = (CudaKernel *)base;
    CudaDevice *d = cuda_of(base->module->device);
    const Driver *cu = &d->cu;
    CUevent at[2] = {NULL, NULL};
    double seconds = 0;
    USABLE(&d->base);
    oc_status status = cuda_check(&d->base, ask_shared(k, cu, smem), k->name);
    if (status != OC_OK) return status;
    for (int n = 0; n < 2 && status == OC_OK; n++)
        status = cuda_check(&d->base, cu->cuEventCreate(&at[n], 0), "cuEventCreate");
    if (status == OC_OK) status = cuda_check(&d->base, cu->cuEventRecord(at[0], stream_of(s)), "cuEventRecord");
    if (status == OC_OK)
        status = cuda_check(&d->base,
                            base->cluster.x
                                ? launch_clusters(d, k, grid, block, smem, stream_of(s), args)
                                : cu->cuLaunchKernel(k->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                     smem, stream_of(s), (void **)(uintptr_t)args, NULL),
                            k->name);
    if (status == OC_OK) status = cuda_check(&d->base, cu->cuEventRecord(at[1], stream_of(s)), "cuEventRecord");
    bool later = status == OC_OK && d->queued;
    if (later) vec_push(&d->pending, ((Pending){at[0], at[1], d->forgotten + d->seconds.n}));
    if (status == OC_OK && !later) status = cuda_check(&d->base, cu->cuStreamSynchronize(stream_of(s)), k->name);
    if (status == OC_OK && !later) status = cuda_between(&d->base, at[0], at[1], &seconds);
    for (int n = 0; n < 2; n++)
        if (at[n] && !d->lost && !later) cu->cuEventDestroy_v2(at[n]);
    if (status == OC_OK) {
        vec_push(&d->kernels, mem_text(k->name));
        vec_push(&d->seconds, seconds);
    }
    return status;
}

// --- the record ------------------------------------------------------------------------------------------------------
size_t cuda_launches(const oc_device *d)
{
    return ((const CudaDevice *)d)->forgotten + ((const CudaDevice *)d)->kernels.n;
}
static bool cuda_kept(const oc_device *d, size_t n)
{
    return n >= ((const CudaDevice *)d)->forgotten && n < cuda_launches(d);
}
const char *cuda_launch_kernel(const oc_device *base, size_t n)
{
    const CudaDevice *d = (const CudaDevice *)base;
    return cuda_kept(base, n) ? d->kernels.v[n - d->forgotten] : "";
}
uint64_t cuda_launch_counter(const oc_device *d, size_t n, const char *name) { return (void)d, (void)n, (void)name, 0; }
double cuda_launch_rate(const oc_device *base, size_t n, const char *name)
{
    const CudaDevice *d = (const CudaDevice *)base;
    return cuda_kept(base, n) && !strcmp(name, "seconds") ? d->seconds.v[n - d->forgotten] : 0;
}
const char *cuda_counter_name(const oc_device *d, size_t index) { return (void)d, (void)index, NULL; }
const char *cuda_rate_name(const oc_device *d, size_t index) { return (void)d, index ? NULL : "seconds"; }
bool cuda_launch_structure(const oc_device *d, size_t n, size_t index, oc_structure *out)
{
    return (void)d, (void)n, (void)index, (void)out, false;
}

bool cuda_launch_value(const oc_device *base, size_t n, const char *name, double *value)
{
    if (!cuda_kept(base, n) || strcmp(name, "seconds")) return false;
    *value = cuda_launch_rate(base, n, name);
    return true;
}

void cuda_forget(oc_device *base, size_t keep)
{
    CudaDevice *d = cuda_of(base);
    if (d->kernels.n <= keep || d->kernels.n - keep < keep) return;
    size_t n = d->kernels.n - keep;
    for (size_t k = 0; k < n; k++) mem_free(d->kernels.v[k]);
    memmove(d->kernels.v, d->kernels.v + n, keep * sizeof *d->kernels.v);
    memmove(d->seconds.v, d->seconds.v + n, keep * sizeof *d->seconds.v);
    d->kernels.n = d->seconds.n = keep;
    d->forgotten += n;
}
