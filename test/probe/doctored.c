// doctored.c: stands between a device and those who use it (doctored.h).
#include "doctored.h"
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

static const DeviceOps *honest;
static DeviceOps doctored;
static uint32_t most;

static oc_status load_early(oc_device *d, const char *ptx, size_t length, const char *name, oc_module **m)
{
    static const char waits[] = "    st.shared.u32 [%wait], %x;\n    mov.u32 %t1, %clock;\n",
                      early[] = "    mov.u32 %t1, %clock;\n    st.shared.u32 [%wait], %x;\n";
    char *text = mem_alloc(length + 1);
    memcpy(text, ptx, length);
    char *last = strstr(text, "LAST:"), *at = strstr(text, waits);
    if (!at || !last || at > last) abort();  // the kernel is written otherwise now
    memcpy(at, early, sizeof early - 1);
    oc_status status = honest->load(d, text, length, name, m);
    mem_free(text);
    return status;
}

static oc_status launch_small(oc_kernel *k, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *s,
                              const void *const *args)
{
    if (oc_kernel_describe(k).local_bytes > most) return OC_OUT_OF_MEMORY;
    return honest->launch(k, grid, block, smem, s, args);
}

static oc_device_info info_real(const oc_device *d)
{
    oc_device_info i = honest->info(d);
    i.real = true;
    return i;
}

static void doctor(oc_device *d)
{
    honest = d->ops, doctored = *honest;
    d->ops = &doctored;
}

void device_is_real(oc_device *d) { doctor(d), doctored.info = info_real; }
void device_reads_clock_early(oc_device *d) { device_is_real(d), doctored.load = load_early; }
void device_has_local(oc_device *d, uint32_t bytes) { doctor(d), doctored.launch = launch_small, most = bytes; }
void device_is_honest(oc_device *d)
{
    if (d->ops == &doctored) d->ops = honest;
}
