// Any PTX that loads can be launched: a kernel does something, faults, hangs or runs into the limit, and the process
// goes on. Each kernel is executed without time and simulated, on one SM, with pointers to a small buffer as arguments.
#include "device/device.h"
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

// Bytes in one case of three, tokens in the others.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return seed % 3 || !LLVMFuzzerMutate ? mutate_input(data, size, max_size, seed)
                                         : LLVMFuzzerMutate(data, size, max_size);
}

static void launch_all(const char *text, size_t size, bool functional)
{
    const char *const sets[] = {"gpu.sms=1", "gpu.memory=64MiB", "sm.local=4096", NULL};
    const oc_config config = {.sets = sets, .functional = functional, .max_cycles = functional ? 20000 : 4000};
    oc_device *device;
    oc_module *module;
    oc_ptr buffer;
    if (oc_open(&config, &device, NULL, 0) != OC_OK) abort();
    if (oc_malloc(device, 4096, "buffer", &buffer) != OC_OK) abort();
    if (oc_load(device, text, size, "fuzz.ptx", &module) != OC_OK) {
        if (!*oc_error(device)) abort();
        oc_close(device);
        return;
    }
    for (size_t k = 0; k < oc_kernel_count(module) && k < 4; k++) {
        oc_kernel *kernel = oc_kernel_at(module, k);
        const oc_kernel_info info = oc_kernel_describe(kernel);
        const void *args[64];
        uint8_t *values = calloc(info.params + 1u, 65536);
        bool fits = values && info.params <= 64;
        for (uint32_t p = 0; p < info.params && fits; p++) {
            args[p] = values + (size_t)p * 65536;
            if (info.sizes[p] > 65536)
                fits = false;
            else if (info.sizes[p] == 8)
                memcpy(values + (size_t)p * 65536, &buffer, 8);
            else if (info.sizes[p] == 4)
                values[(size_t)p * 65536] = 32;
        }
        if (fits) oc_launch(kernel, (oc_dim3){2, 1, 1}, (oc_dim3){48, 1, 1}, 256, NULL, args);
        free(values);
    }
    oc_close(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 8192) return 0;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    launch_all(text, size, true);
    launch_all(text, size, false);
    free(text);
    return 0;
}
