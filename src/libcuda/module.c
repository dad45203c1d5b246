// module.c: modules, and libraries, which are the same here. A module's handle stands for PTX that onchip has loaded.
// Its functions are entries of the runtime's list of kernels, so that the runtime can launch them, too.
#include "libcuda/unit.h"

#include "driver/fatbin.h"

#include <pthread.h>
#include <string.h>

typedef struct Function {
    char *name;
    Entry *kernel;
    struct Function *next;
} Function;
typedef struct Module {
    struct Module *self;  // the key
    uint64_t number;      // onchip's
    struct Binary *binary;
    Function *functions;  // that were asked for
    bool library;
    UT_hash_handle hh;
} Module;
static struct {
    pthread_mutex_t lock;
    Module *all;
} modules = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(void) { pthread_mutex_lock(&modules.lock); }
static void leave(void) { pthread_mutex_unlock(&modules.lock); }

static Module *find(const void *handle)
{
    Module *m;
    enter();
    HASH_FIND_PTR(modules.all, &handle, m);
    leave();
    return m;
}

bool module_number(CUmodule handle, uint64_t *number)
{
    const Module *m = find(handle);
    if (m) *number = m->number;
    return m;
}

// --- loading ---------------------------------------------------------------------------------------------------------
static bool object_ptx(const void *image, Text *ptx, Diag *why)
{
    const char *text;
    size_t n;
    if (!object_read(image, object_bytes(image), &text, &n, why)) return false;
    text_add(ptx, text, n);
    return true;
}

bool image_ptx(const void *image, Text *ptx, Diag *why)
{
    const WireDevice *d = client_device();
    const Wish wish = {.capability = d->capability, .only = {d->target, (char)d->target_kind}};
    if (object_is(image)) return object_ptx(image, ptx, why);
    switch (image_kind(image)) {
    case IMAGE_PTX: return text_put(ptx, image), true;
    case IMAGE_FATBIN: return fatbin_ptx(image, &wish, ptx, why);
    case IMAGE_CUBIN: return diag_error(why, "it is machine code alone; " NEEDS_PTX);
    case IMAGE_UNKNOWN: break;
    }
    return diag_error(why, "it is neither PTX nor a fat binary");
}

static const char cannot_load[] = "a module can't be loaded";

static CUresult load_ptx(const Text *ptx, const Jit *jit, Module **out)
{
    Answer answer;
    const WireCall call = {.ask = ASK_LOAD, .a = jit->registers, .b = 1, .bytes = ptx->n};
    CUresult result = ASKED(client_ask(&call, ptx->v, &answer));
    if (result == CUDA_SUCCESS) {
        Module *m = mem_alloc(sizeof *m);
        *m = (Module){.self = m, .number = answer.of.a, .binary = binary_of(answer.of.a)};
        enter();
        HASH_ADD_PTR(modules.all, self, m);
        leave();
        *out = m;
        jit_tell(jit, NULL, answer.text.v);  // which kernels of it can't be run
    } else {
        jit_refuse(jit, cannot_load, answer.text.v);
    }
    text_free(&answer.text);
    return result;
}

static CUresult load(const void *image, const Jit *jit, Module **out)
{
    Text ptx = {0};
    Diag why = {0};
    CUresult result = CUDA_ERROR_INVALID_IMAGE;
    if (!image) return CUDA_ERROR_INVALID_VALUE;
    if (image_ptx(image, &ptx, &why)) {
        result = load_ptx(&ptx, jit, out);
    } else {
        if (image_kind(image) == IMAGE_CUBIN || image_kind(image) == IMAGE_FATBIN)
            result = CUDA_ERROR_NO_BINARY_FOR_GPU;
        jit_refuse(jit, cannot_load, why.text.v);
    }
    text_free(&ptx), diag_free(&why);
    return result;
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned n, int *options, void **values)
{
    Jit jit;
    Module *m = NULL;
    CONTEXT();
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = jit_read(n, options, values, &jit);
    if (result == CUDA_SUCCESS) result = load(image, &jit, &m);
    if (result != CUDA_SUCCESS) return result;
    context_gets(A_MODULE, (uintptr_t)m);
    *out = (CUmodule)m;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *out, const void *image) { return cuModuleLoadDataEx(out, image, 0, NULL, NULL); }
CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image) { return cuModuleLoadData(out, image); }

CUresult cuModuleLoad(CUmodule *out, const char *path)
{
    Text file = {0};
    CONTEXT();
    if (!out || !path) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = text_read_file(&file, path) ? CUDA_SUCCESS : CUDA_ERROR_FILE_NOT_FOUND;
    if (result == CUDA_SUCCESS) result = cuModuleLoadData(out, file.v ? file.v : "");
    text_free(&file);
    return result;
}

static CUresult unload(const void *handle, bool library)
{
    Module *m;
    enter();
    HASH_FIND_PTR(modules.all, &handle, m);
    if (m && m->library != library) m = NULL;
    if (m) HASH_DEL(modules.all, m);
    leave();
    if (!m) return CUDA_ERROR_INVALID_HANDLE;
    references_end(m->number);
    CUresult result = ASKED(client_ask(&(WireCall){.ask = ASK_UNLOAD, .a = m->number}, NULL, NULL));
    binary_end(m->binary);
    for (Function *f = m->functions, *next; f; f = next) {
        next = f->next;
        mem_free(f->name);
        mem_free(f);
    }
    mem_free(m);
    return result;
}

void module_end(uint64_t handle) { unload(pointer(handle), false); }

CUresult cuModuleUnload(CUmodule handle)
{
    STARTED();
    CUresult result = unload(handle, false);
    if (result == CUDA_SUCCESS) context_loses(A_MODULE, (uintptr_t)handle);
    return result;
}

CUresult cuModuleGetLoadingMode(int *mode)
{
    enum { LAZY = 2 };  // kernels are made ready when they are asked for
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = LAZY;
    return CUDA_SUCCESS;
}

// --- functions -------------------------------------------------------------------------------------------------------
static CUresult function_of(const void *handle, const char *name, Entry **kernel)
{
    Module *m = find(handle);
    if (!m) return CUDA_ERROR_INVALID_HANDLE;
    for (const Function *f = m->functions; f; f = f->next)
        if (!strcmp(f->name, name)) return *kernel = f->kernel, CUDA_SUCCESS;
    Function *f = mem_alloc(sizeof *f);
    f->name = mem_text(name);
    CUresult result = ASKED(binary_kernel(m->binary, f->name, &f->kernel, NULL));
    *kernel = f->kernel;
    if (result == CUDA_SUCCESS) {
        enter();
        f->next = m->functions, m->functions = f;
        leave();
    } else {
        mem_free(f->name), mem_free(f);
    }
    return result;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name)
{
    Entry *kernel;
    CONTEXT();
    if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = function_of(handle, name, &kernel);
    if (result == CUDA_SUCCESS) *out = (CUfunction)kernel;
    return result;
}

// The names of all of a module's kernels.
static CUresult names_of(const void *handle, size_t *n, Text *names)
{
    Answer answer;
    const Module *m = find(handle);
    if (!m) return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = ASKED(client_ask(&(WireCall){.ask = ASK_KERNELS, .a = m->number}, NULL, &answer));
    *n = result == CUDA_SUCCESS ? answer.of.a : 0, *names = answer.text;
    return result;
}

static CUresult count(unsigned *to, const void *handle)
{
    size_t n;
    Text names;
    CONTEXT();
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = names_of(handle, &n, &names);
    if (result == CUDA_SUCCESS) *to = (unsigned)n;
    if (result != CUDA_ERROR_INVALID_HANDLE) text_free(&names);
    return result;
}

// The first `room` of them. One that can't be run isn't given.
static CUresult enumerate(CUfunction *to, unsigned room, const void *handle)
{
    size_t n;
    Text names;
    CONTEXT();
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = names_of(handle, &n, &names);
    if (result != CUDA_SUCCESS) return result;
    const char *name = names.v;
    for (size_t k = 0; k < n && k < room && result == CUDA_SUCCESS; k++, name += strlen(name) + 1) {
        Entry *kernel = NULL;
        result = function_of(handle, name, &kernel);
        to[k] = (CUfunction)kernel;
    }
    text_free(&names);
    return result;
}

CUresult cuModuleGetFunctionCount(unsigned *n, CUmodule handle) { return count(n, handle); }
CUresult cuModuleEnumerateFunctions(CUfunction *to, unsigned room, CUmodule handle)
{
    return enumerate(to, room, handle);
}

CUresult cuFuncGetModule(CUmodule *out, CUfunction f)
{
    Entry *kernel;
    CONTEXT();
    CUresult result = ASKED(kernel_of(f, &kernel));
    if (result != CUDA_SUCCESS || !out) return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result;
    *out = NULL;
    enter();
    for (Module *m = modules.all; m; m = m->hh.next)
        if (m->binary == kernel->of) *out = (CUmodule)m;
    leave();
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// --- variables -------------------------------------------------------------------------------------------------------
static CUresult variable(const void *handle, const char *name, CUdeviceptr *p, size_t *bytes, bool managed)
{
    Answer answer;
    const Module *m = find(handle);
    if (!m) return CUDA_ERROR_INVALID_HANDLE;
    const WireCall call = {.ask = ASK_SYMBOL, .a = m->number, .b = managed, .bytes = strlen(name)};
    CUresult result = ASKED(client_ask(&call, name, &answer));
    if (result == CUDA_SUCCESS && p) *p = answer.of.a;
    if (result == CUDA_SUCCESS && bytes) *bytes = answer.of.b;
    text_free(&answer.text);
    return result;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *bytes, CUmodule handle, const char *name)
{
    CONTEXT();
    return name && (p || bytes) ? variable(handle, name, p, bytes, false) : CUDA_ERROR_INVALID_VALUE;
}

// --- libraries -------------------------------------------------------------------------------------------------------
// They belong to no context.
CUresult cuLibraryLoadData(CUlibrary *out, const void *image, int *jit_options, void **jit_values, unsigned jit_n,
                           const int *options, void **values, unsigned n)
{
    Jit jit;
    Module *m = NULL;
    (void)options, (void)values, (void)n;  // whether the image is kept: here it is read at once
    if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = jit_read(jit_n, jit_options, jit_values, &jit);
    if (result == CUDA_SUCCESS) result = load(image, &jit, &m);
    if (result != CUDA_SUCCESS) return result;
    m->library = true;
    *out = (CUlibrary)m;
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, int *jit_options, void **jit_values, unsigned jit_n,
                               const int *options, void **values, unsigned n)
{
    Text file = {0};
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = text_read_file(&file, path) ? CUDA_SUCCESS : CUDA_ERROR_FILE_NOT_FOUND;
    if (result == CUDA_SUCCESS)
        result = cuLibraryLoadData(out, file.v ? file.v : "", jit_options, jit_values, jit_n, options, values, n);
    text_free(&file);
    return result;
}

CUresult cuLibraryUnload(CUlibrary handle) { return unload(handle, true); }

CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary handle, const char *name)
{
    Entry *kernel;
    if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = function_of(handle, name, &kernel);
    if (result == CUDA_SUCCESS) *out = (CUkernel)kernel;
    return result;
}

CUresult cuLibraryGetModule(CUmodule *out, CUlibrary handle)
{
    CONTEXT();
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (!find(handle)) return CUDA_ERROR_INVALID_HANDLE;
    *out = (CUmodule)handle;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned *n, CUlibrary handle) { return count(n, handle); }
CUresult cuLibraryEnumerateKernels(CUkernel *to, unsigned room, CUlibrary handle)
{
    return enumerate((CUfunction *)to, room, handle);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *p, size_t *bytes, CUlibrary handle, const char *name)
{
    return cuModuleGetGlobal_v2(p, bytes, (CUmodule)handle, name);
}

CUresult cuLibraryGetManaged(CUdeviceptr *p, size_t *bytes, CUlibrary handle, const char *name)
{
    return name && (p || bytes) ? variable(handle, name, p, bytes, true) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuKernelGetFunction(CUfunction *out, CUkernel k)
{
    Entry *kernel;
    CONTEXT();
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(kernel_of(k, &kernel));
    if (result == CUDA_SUCCESS) *out = (CUfunction)k;
    return result;
}

CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel k) { return cuFuncGetModule((CUmodule *)out, (CUfunction)k); }
