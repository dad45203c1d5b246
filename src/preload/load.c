// load.c: loads modules and libraries. If the application loads PTX, bare or in a fat binary, the PTX is rewritten, and
// the rewritten text is loaded in its place. If nothing in it can be rewritten, or the driver refuses the rewritten
// text, the application's call is made as it was.
#include "preload/unit.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

// The compute capability of the GPU for which a module would be loaded: the current context's, or the first GPU.
static uint32_t capability(void)
{
    CUdevice d;
    int major = 0, minor = 0;
    if (REAL(cuCtxGetDevice, &d) != CUDA_SUCCESS && REAL(cuDeviceGet, &d, 0) != CUDA_SUCCESS) return 0;
    if (REAL(cuDeviceGetAttribute, &major, DEVICE_MAJOR, d) != CUDA_SUCCESS ||
        REAL(cuDeviceGetAttribute, &minor, DEVICE_MINOR, d) != CUDA_SUCCESS)
        return 0;
    return (uint32_t)(major * 10 + minor);
}

// Finds the PTX: the image itself, or, if it had to be unpacked, in *unpacked. Null: there is none.
static const char *find_ptx(const void *image, const char *name, Text *unpacked)
{
    Diag why = {0};
    const char *ptx = NULL;
    switch (image_kind(image)) {
    case IMAGE_PTX: return image;
    case IMAGE_CUBIN: diag_error(&why, "it is machine code alone"); break;
    case IMAGE_UNKNOWN: diag_error(&why, "it is neither PTX nor a fat binary"); break;
    case IMAGE_FATBIN:
        if (fatbin_ptx(image, &(Wish){.capability = capability(), .real = true}, unpacked, &why)) ptx = unpacked->v;
        break;
    }
    if (!ptx) log_line("%s is left alone: %s", name, why.text.v);
    diag_free(&why);
    return ptx;
}

// Our own driver, which simulates a GPU, leaves nothing to rewrite here: onchip run --sl1 does so.
static bool simulated(void)
{
    static atomic_bool told;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const bool is = library && dlsym(library, SIMULATED);
    if (library) dlclose(library);
    if (is && !atomic_exchange(&told, true))
        log_line("the driver is onchip's own, which simulates a GPU: nothing is rewritten here; see onchip run --sl1");
    return is;
}

// Null: the image must be loaded as it is.
static Image *rewrite(const void *image, const char *path)
{
    if (!image || simulated()) return NULL;
    const Sl1Options *o = settings();
    Image *made = mem_alloc(sizeof *made);
    Text name = {0}, unpacked = {0};
    Diag diag = {0};
    uint32_t rewritten = 0;
    text_printf(&name, "module %u%s%s", ++preload.loads, path ? ": " : "", path ? path : "");
    made->name = name.v;
    const char *ptx = find_ptx(image, name.v, &unpacked);
    if (ptx && !sl1_rewrite_text(ptx, strlen(ptx), name.v, o, false, &made->text, &made->of, &diag))
        log_line("%s is left alone: its PTX is not understood\n%s", name.v, diag.text.v);
    for (size_t k = 0; k < made->of.kernels.n; k++) {
        const Sl1Kernel *of = &made->of.kernels.v[k];
        if (of->left)
            log_line("%s: %s is left alone: %s", name.v, of->name, of->left);
        else
            log_line("%s: %s is rewritten: %u data structure%s", name.v, of->name, of->structures,
                     of->structures == 1 ? "" : "s"),
                rewritten++;
        if (of->silent) log_line("%s: %s: %s", name.v, of->name, sl1_silent);
    }
    text_free(&unpacked), diag_free(&diag);
    if (rewritten) return made;
    image_free(made);
    return NULL;
}

static bool accepted(Image *image, CUresult r)
{
    if (r == CUDA_SUCCESS) return true;
    log_line("%s is left alone: the driver refuses it rewritten: %s", image->name, error_name(r));
    image_free(image);
    return false;
}

// The driver writes into the options' values, for example how long its log is. Before a second try they are restored.
static void **keep(void **values, unsigned n)
{
    void **kept = mem_alloc(sizeof *kept * (n + 1));
    if (values && n) memcpy(kept, values, sizeof *kept * n);
    return kept;
}

static void put_back(void **values, const void *kept, unsigned n)
{
    if (values && n) memcpy(values, kept, sizeof *values * n);
}

// --- modules ---------------------------------------------------------------------------------------------------------
// Something that wasn't rewritten may have got a handle that we know from before; that is forgotten.
static CUresult as_it_was(CUresult r, CUmodule *m)
{
    if (r == CUDA_SUCCESS) handles_remove(*m, false);
    return r;
}

static bool loaded(Image *image, CUresult r, const CUmodule *m)
{
    if (!accepted(image, r)) return false;
    text_free(&image->text);
    handles_add_image(*m, false, image);
    return true;
}

CUresult cuModuleLoadData(CUmodule *m, const void *image)
{
    Image *ours = rewrite(image, NULL);
    if (ours && loaded(ours, REAL(cuModuleLoadData, m, ours->text.v), m)) return CUDA_SUCCESS;
    return as_it_was(REAL(cuModuleLoadData, m, image), m);
}

CUresult cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned n, int *options, void **values)
{
    Image *ours = rewrite(image, NULL);
    if (ours) {
        void **kept = keep(values, n);
        bool done = loaded(ours, REAL(cuModuleLoadDataEx, m, ours->text.v, n, options, values), m);
        if (!done) put_back(values, kept, n);
        mem_free(kept);
        if (done) return CUDA_SUCCESS;
    }
    return as_it_was(REAL(cuModuleLoadDataEx, m, image, n, options, values), m);
}

CUresult cuModuleLoadFatBinary(CUmodule *m, const void *image)
{
    Image *ours = rewrite(image, NULL);
    if (ours && loaded(ours, REAL(cuModuleLoadData, m, ours->text.v), m)) return CUDA_SUCCESS;
    return as_it_was(REAL(cuModuleLoadFatBinary, m, image), m);
}

CUresult cuModuleLoad(CUmodule *m, const char *path)
{
    Text file = {0};
    Image *ours = path && text_read_file(&file, path) ? rewrite(file.v, path) : NULL;
    text_free(&file);
    if (ours && loaded(ours, REAL(cuModuleLoadData, m, ours->text.v), m)) return CUDA_SUCCESS;
    return as_it_was(REAL(cuModuleLoad, m, path), m);
}

// The handle is forgotten before the module is unloaded, since the driver may give it to another thread at once.
CUresult cuModuleUnload(CUmodule m)
{
    handles_remove(m, false);
    return REAL(cuModuleUnload, m);
}

CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name)
{
    CUresult r = REAL(cuModuleGetFunction, f, m, name);
    if (r == CUDA_SUCCESS) handles_add_kernel(*f, m, false, name);
    return r;
}

// --- libraries -------------------------------------------------------------------------------------------------------
static Image *load_library(Image *ours, CUlibrary *l, int *options, void **values, unsigned n, int *library_options,
                           void **library_values, unsigned library_n)
{
    if (!ours) return NULL;
    void **kept = keep(values, n);
    CUresult r =
        REAL(cuLibraryLoadData, l, ours->text.v, options, values, n, library_options, library_values, library_n);
    if (r != CUDA_SUCCESS) put_back(values, kept, n);
    mem_free(kept);
    if (!accepted(ours, r)) return NULL;
    handles_add_image(*l, true, ours);
    return ours;
}

static CUresult library_as_it_was(CUresult r, CUlibrary *l)
{
    if (r == CUDA_SUCCESS) handles_remove(*l, true);
    return r;
}

CUresult cuLibraryLoadData(CUlibrary *l, const void *image, int *options, void **values, unsigned n,
                           int *library_options, void **library_values, unsigned library_n)
{
    if (load_library(rewrite(image, NULL), l, options, values, n, library_options, library_values, library_n))
        return CUDA_SUCCESS;
    return library_as_it_was(
        REAL(cuLibraryLoadData, l, image, options, values, n, library_options, library_values, library_n), l);
}

CUresult cuLibraryLoadFromFile(CUlibrary *l, const char *path, int *options, void **values, unsigned n,
                               int *library_options, void **library_values, unsigned library_n)
{
    Text file = {0};
    Image *ours = path && text_read_file(&file, path) ? rewrite(file.v, path) : NULL;
    text_free(&file);
    if (load_library(ours, l, options, values, n, library_options, library_values, library_n)) return CUDA_SUCCESS;
    return library_as_it_was(
        REAL(cuLibraryLoadFromFile, l, path, options, values, n, library_options, library_values, library_n), l);
}

// The text must outlive the library, since the driver may read it until the library is unloaded.
CUresult cuLibraryUnload(CUlibrary l)
{
    Image *image = handles_take(l, true);
    CUresult r = REAL(cuLibraryUnload, l);
    image_free(image);
    return r;
}

CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name)
{
    CUresult r = REAL(cuLibraryGetKernel, k, l, name);
    if (r == CUDA_SUCCESS) handles_add_kernel(*k, l, true, name);
    return r;
}

CUresult cuLibraryGetModule(CUmodule *m, CUlibrary l)
{
    CUresult r = REAL(cuLibraryGetModule, m, l);
    if (r == CUDA_SUCCESS) handles_add_module(*m, l);
    return r;
}

CUresult cuKernelGetFunction(CUfunction *f, CUkernel k)
{
    CUresult r = REAL(cuKernelGetFunction, f, k);
    if (r == CUDA_SUCCESS) handles_add_function(*f, k);
    return r;
}
