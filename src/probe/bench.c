// bench.c: a measurement's kernels on a device. They are loaded from text and launched one at a time, and their results
// are read back. Each launch is waited for, so that nothing else runs while something is measured.
#include "probe/measure.h"

static bool failed(const Bench *b, Diag *diag) { return diag_error(diag, "%s", oc_error(b->device)); }

void bench_begin(Text *ptx) { text_put(ptx, ".version 6.0\n.target sm_35\n.address_size 64\n"); }

bool bench_open(Bench *b, oc_device *device, const char *name, const Text *ptx, uint64_t bytes, uint64_t out_bytes,
                Diag *diag)
{
    *b = (Bench){.device = device, .bytes = bytes, .out_bytes = out_bytes};
    if (oc_load(device, ptx->v, ptx->n, name, &b->module) != OC_OK) return b->module = NULL, failed(b, diag);
    if (bytes && oc_malloc(device, bytes, "measured", &b->memory) != OC_OK) return b->memory = 0, failed(b, diag);
    if (oc_malloc(device, out_bytes, "results", &b->out) != OC_OK) return b->out = 0, failed(b, diag);
    // A simulated device's memory is zero, and takes no host memory until it is used.
    if (bytes && oc_describe(device).real && oc_fill(device, b->memory, 0, bytes, NULL) != OC_OK)
        return failed(b, diag);
    return true;
}

void bench_close(Bench *b)
{
    if (b->module) oc_unload(b->module);
    if (b->memory) oc_free(b->device, b->memory);
    if (b->out) oc_free(b->device, b->out);
    *b = (Bench){.device = NULL};
}

bool bench_write(Bench *b, const void *from, uint64_t bytes, Diag *diag)
{
    return oc_write(b->device, b->memory, from, bytes, NULL) == OC_OK || failed(b, diag);
}

bool bench_run(Bench *b, const char *kernel, uint32_t blocks, uint32_t threads, const void *const *args, Diag *diag)
{
    oc_kernel *k;
    if (!bound_take(b->bound, (uint64_t)blocks * MAX(threads, 32u))) return false;
    if (oc_kernel_get(b->module, kernel, &k) != OC_OK) return failed(b, diag);
    if (oc_launch(k, (oc_dim3){blocks, 1, 1}, (oc_dim3){threads, 1, 1}, 0, NULL, args) != OC_OK) return failed(b, diag);
    b->seconds = oc_launch_rate(b->device, oc_launches(b->device) - 1, "seconds");
    oc_forget(b->device, PROBE_KEPT);
    return true;
}

bool bench_clear(Bench *b, Diag *diag)
{
    return oc_fill(b->device, b->out, 0, b->out_bytes, NULL) == OC_OK || failed(b, diag);
}

bool bench_read(Bench *b, void *to, uint64_t bytes, Diag *diag)
{
    return oc_read(b->device, to, b->out, bytes, NULL) == OC_OK || failed(b, diag);
}
