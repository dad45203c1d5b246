// init.c: the driver begins; versions, errors, and calls that mean nothing on a simulated GPU.
#include "libcuda/unit.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

extern const char onchip_simulates[];  // driver.h, SIMULATED
const char onchip_simulates[] = ONCHIP_VERSION;

static atomic_bool begun;
bool initialised(void) { return atomic_load(&begun) || runtime_begun(); }

CUresult cuInit(unsigned flags)
{
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    if (client_connect() != cudaSuccess) return CUDA_ERROR_NO_DEVICE;
    atomic_store(&begun, true);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = VERSION;
    return CUDA_SUCCESS;
}

// --- errors ----------------------------------------------------------------------------------------------------------
// From 100 on the numbers of both are the same. Below, the driver has only these.
CUresult of_runtime(cudaError_t error)
{
    enum { SHARED = 100, FIRST_FIVE = 5 };
    switch (error) {
    case cudaErrorDevicesUnavailable: return client_forked() ? CUDA_ERROR_NOT_INITIALIZED : error;
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_NOT_FOUND;
    default: return error >= SHARED || error < FIRST_FIVE ? error : CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult asked_end(cudaError_t error)
{
    errors_hush(false);
    return of_runtime(error);
}

CUresult missing(const char *name)
{
    errors_hush(true);
    return asked_end(client_missing(name));
}

static const struct {
    CUresult number;
    const char *name, *text;  // text null: the runtime's
} errors[] = {
#define ERROR(number, name) {number, #name, NULL},
#define OWN(number, name, text) {number, #name, text},
#include "libcuda/errors.def"
#undef ERROR
#undef OWN
};

static CUresult find(CUresult error, bool name, const char **to)
{
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    *to = NULL;
    for (size_t k = 0; k < COUNT(errors) && !*to; k++)
        if (errors[k].number == error)
            *to = name ? errors[k].name : errors[k].text ? errors[k].text : cudaGetErrorString(error);
    return *to ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **to) { return find(error, true, to); }
CUresult cuGetErrorString(CUresult error, const char **to) { return find(error, false, to); }

// --- tables and profilers, which there aren't ------------------------------------------------------------------------
// Whoever asks for a table is of NVIDIA's: the runtime that is inside of a program or of a library, which goes no
// further; or a compiler, which goes on.
static void tell_whose(const void *caller)
{
    static atomic_bool told;
    Dl_info at;
    const char *name = dladdr(caller, &at) && at.dli_fname && *at.dli_fname ? base_name(at.dli_fname) : "the program";
    if (strstr(name, "libnvrtc") || strstr(name, "libnvJitLink") || atomic_exchange(&told, true)) return;
    client_line("%s has a part of NVIDIA's in it that asks the driver for what only NVIDIA's own has. CUDA's runtime "
                "inside of a program can be replaced, if the program isn't stripped: nvcc -cudart shared leaves it "
                "out. NVIDIA's libraries, such as cuBLAS, can't be used",
                name);
}

CUresult cuGetExportTable(const void **table, const void *id)
{
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    tell_whose(__builtin_return_address(0));
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuProfilerStart(void)
{
    CONTEXT();
    return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void)
{
    CONTEXT();
    return CUDA_SUCCESS;
}

// Gone with CUDA 13; its driver has the name.
CUresult cuProfilerInitialize(const char *settings, const char *out, int mode)
{
    (void)settings, (void)out, (void)mode;
    return CUDA_ERROR_NOT_SUPPORTED;
}
