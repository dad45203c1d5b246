// cuda_module.c: modules and kernels on a real GPU. Modules are PTX, as on the simulated GPU: the driver compiles it,
// and our parser reads it for the kernels' names and parameters. What only the driver understands can still be
// launched.
#include "device/cuda_device.h"

#include <string.h>

static oc_kernel *new_kernel(CudaModule *m, CUfunction f, const char *name)
{
    CudaKernel *k = mem_alloc(sizeof *k);
    k->base.module = &m->base;
    int shared = 0;
    if (!driver_of(m->base.device)->cuFuncGetAttribute(&shared, FUNCTION_SHARED, f)) k->shared = (uint32_t)shared;
    k->function = f;
    k->name = mem_text(name);
    for (size_t n = 0; m->parsed && n < m->parsed->functions.n; n++) {
        const Function *g = m->parsed->functions.v[n];
        if (!g->entry || strcmp(g->symbol->name, name)) continue;
        params_read(&k->params, g);
    }
    vec_push(&m->kernels, &k->base);
    return &k->base;
}

oc_status cuda_load(oc_device *d, const char *ptx, size_t length, const char *name, oc_module **out)
{
    char errors[4096] = "";
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_BYTES};
    void *values[] = {errors, (void *)(uintptr_t)sizeof errors};
    USABLE(d);
    CudaModule *m = mem_alloc(sizeof *m);
    char *text = mem_alloc(length + 1);  // the driver wants a text that ends in a zero
    memcpy(text, ptx, length);
    CUresult r = driver_of(d)->cuModuleLoadDataEx(&m->module, text, COUNT(options), options, values);
    if (r) {
        oc_status status = cuda_check(d, r, name ? name : "PTX");
        if (errors[0]) status = device_fail(d, status, "%s: %s", name ? name : "PTX", errors);
        mem_free(m), mem_free(text);
        return status;
    }
    Diag diag = {0};
    m->base.device = d;
    m->parsed = ptx_parse_partly(text, length, name ? name : "PTX", &diag);  // for the kernels' names and parameters
    diag_free(&diag);
    mem_free(text);
    for (size_t n = 0; m->parsed && n < m->parsed->functions.n; n++) {
        CUfunction f;
        const Function *g = m->parsed->functions.v[n];
        if (g->entry && !driver_of(d)->cuModuleGetFunction(&f, m->module, g->symbol->name))
            new_kernel(m, f, g->symbol->name);
    }
    vec_push(&cuda_of(d)->modules, &m->base);
    *out = &m->base;
    return OC_OK;
}

void cuda_unload(oc_module *base)
{
    CudaModule *m = (CudaModule *)base;
    CudaDevice *d = cuda_of(base->device);
    for (size_t k = 0; k < m->kernels.n; k++) {
        CudaKernel *kernel = (CudaKernel *)m->kernels.v[k];
        mem_free(kernel->name), params_free(&kernel->params), mem_free(kernel);
    }
    vec_free(&m->kernels);
    if (!d->lost) d->cu.cuModuleUnload(m->module);
    ptx_free(m->parsed);
    vec_drop(&d->modules, base);
    mem_free(m);
}

oc_status cuda_kernel_get(oc_module *base, const char *name, oc_kernel **kernel)
{
    CudaModule *m = (CudaModule *)base;
    *kernel = NULL;
    for (size_t k = 0; k < m->kernels.n; k++)
        if (!strcmp(((CudaKernel *)m->kernels.v[k])->name, name)) return *kernel = m->kernels.v[k], OC_OK;
    CUfunction f;
    USABLE(base->device);
    if (driver_of(base->device)->cuModuleGetFunction(&f, m->module, name))
        return device_fail(base->device, OC_BAD_ARGUMENT, "no kernel '%s' in this module", name);
    *kernel = new_kernel(m, f, name);
    return OC_OK;
}

size_t cuda_kernel_count(const oc_module *m) { return ((const CudaModule *)m)->kernels.n; }
oc_kernel *cuda_kernel_at(oc_module *m, size_t index)
{
    return index < ((CudaModule *)m)->kernels.n ? ((CudaModule *)m)->kernels.v[index] : NULL;
}

oc_kernel_info cuda_kernel_describe(const oc_kernel *base)
{
    const CudaKernel *k = (const CudaKernel *)base;
    oc_device *d = base->module->device;
    int v[4] = {0};
    static const int of[] = {FUNCTION_REGISTERS, FUNCTION_SHARED, FUNCTION_LOCAL, FUNCTION_MAX_THREADS};
    for (size_t n = 0; n < COUNT(of) && cuda_usable(d) == OC_OK; n++)
        driver_of(d)->cuFuncGetAttribute(&v[n], of[n], k->function);
    return (oc_kernel_info){.name = k->name,
                            .params = k->params.n,
                            .sizes = k->params.sizes,
                            .names = k->params.names,
                            .types = k->params.types,
                            .declared = k->params.declared,
                            .registers = (uint32_t)v[0],
                            .shared_bytes = (uint32_t)v[1],
                            .local_bytes = (uint32_t)v[2],
                            .max_threads = (uint32_t)v[3]};
}

const char *cuda_kernel_name(const oc_kernel *k) { return ((const CudaKernel *)k)->name; }
uint32_t cuda_params(const oc_kernel *k) { return ((const CudaKernel *)k)->params.n; }

oc_status cuda_carveout(oc_kernel *k, int percent)
{
    oc_device *d = k->module->device;
    USABLE(d);
    TRY(d, driver_of(d)->cuFuncSetAttribute(((CudaKernel *)k)->function, FUNCTION_CARVEOUT, percent));
    return OC_OK;
}

oc_status cuda_symbol(oc_module *m, const char *name, oc_ptr *ptr, size_t *bytes)
{
    size_t size;
    USABLE(m->device);
    TRY(m->device, driver_of(m->device)->cuModuleGetGlobal_v2(ptr, &size, ((CudaModule *)m)->module, name));
    if (bytes) *bytes = size;
    return OC_OK;
}
