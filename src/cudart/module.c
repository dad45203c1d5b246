// module.c: a program's device code. nvcc puts a constructor into each object file, which registers the fat binary, and
// then its kernels and variables by the addresses of their host counterparts. A binary is loaded when the first of
// these is used: its PTX goes to onchip.
#include "cudart/unit.h"

#include <pthread.h>
#include <string.h>

typedef struct Variable {
    const void *host;  // its address in the program
    struct Binary *of;
    const char *name;
    uint64_t at;  // 0: not known yet
    size_t bytes;
    void **managed;  // the pointer through which the program reads it; null: it isn't managed
    UT_hash_handle hh;
} Variable;
typedef struct Binary {
    const void *image;
    bool tried, given;  // given: the driver's, which has loaded it
    cudaError_t error;
    uint64_t module;
} Binary;

static struct {
    pthread_mutex_t lock;
    Entry *entries;
    Variable *variables;
    VEC(Binary *) binaries;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(void) { pthread_mutex_lock(&registry.lock); }
static void leave(void) { pthread_mutex_unlock(&registry.lock); }

static void drop_entry(Entry *e)
{
    HASH_DEL(registry.entries, e);
    mem_free(e->params);
    mem_free(e);
}

static void drop_variable(Variable *v)
{
    HASH_DEL(registry.variables, v);
    mem_free(v);
}

// --- registration ----------------------------------------------------------------------------------------------------
void **__cudaRegisterFatBinary(void *image)
{
    Binary *b = mem_alloc(sizeof *b);
    b->image = image;
    enter();
    vec_push(&registry.binaries, b);
    leave();
    return (void **)b;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

void __cudaUnregisterFatBinary(void **handle)
{
    Binary *b = (Binary *)handle;
    Entry *e, *next_entry;
    Variable *v, *next_variable;
    bool known = false;
    enter();
    for (size_t k = 0; k < registry.binaries.n; k++) known |= registry.binaries.v[k] == b;
    if (!known) {  // a constructor of redirect.c's has run twice
        leave();
        return;
    }
    HASH_ITER(hh, registry.entries, e, next_entry) if (e->of == b) drop_entry(e);
    HASH_ITER(hh, registry.variables, v, next_variable) if (v->of == b) drop_variable(v);
    vec_drop(&registry.binaries, b);
    leave();
    references_unregister(handle);
    mem_free(b);
}

void __cudaRegisterFunction(void **handle, const char *host, char *stub, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp)
{
    (void)stub, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    Entry *e;
    enter();
    HASH_FIND_PTR(registry.entries, &host, e);
    if (e) drop_entry(e);
    e = mem_alloc(sizeof *e);
    e->host = host, e->of = (Binary *)handle, e->name = name;
    HASH_ADD_PTR(registry.entries, host, e);
    leave();
}

static void add_variable(void **handle, const void *host, const char *name, size_t bytes, void **managed)
{
    Variable *v;
    enter();
    HASH_FIND_PTR(registry.variables, &host, v);
    if (v) drop_variable(v);
    v = mem_alloc(sizeof *v);
    v->host = host, v->of = (Binary *)handle, v->name = name, v->bytes = bytes, v->managed = managed;
    HASH_ADD_PTR(registry.variables, host, v);
    leave();
}

void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext, size_t bytes, int constant,
                       int global)
{
    (void)address, (void)ext, (void)constant, (void)global;
    add_variable(handle, host, name, bytes, NULL);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name, int ext, size_t bytes,
                              int constant, int global)
{
    (void)address, (void)ext, (void)constant, (void)global;
    managed_is_used();
    add_variable(handle, host, name, bytes, host);
}

// --- loading ---------------------------------------------------------------------------------------------------------
static cudaError_t place(Variable *v)
{
    Answer answer;
    if (v->at) return cudaSuccess;
    const WireCall call = {.ask = ASK_SYMBOL, .a = v->of->module, .b = v->managed != NULL, .bytes = strlen(v->name)};
    cudaError_t error = client_ask(&call, v->name, &answer);
    text_free(&answer.text);
    if (error) return error == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : error;
    v->at = answer.of.a, v->bytes = answer.of.b;
    if (v->managed) *v->managed = (void *)(uintptr_t)v->at;  // it lies in memory that the program has mapped
    return cudaSuccess;
}

static cudaError_t load_image(Binary *b)
{
    Text ptx = {0};
    Diag why = {0};
    Answer answer;
    if (!parts_ptx(b->image, &ptx, &why)) {
        client_line("the program's device code can't be used: %s", why.text.v);
        text_free(&ptx), diag_free(&why);
        return cudaErrorNoKernelImageForDevice;
    }
    cudaError_t error = client_ask(&(WireCall){.ask = ASK_LOAD, .bytes = ptx.n}, ptx.v, &answer);
    text_free(&ptx), diag_free(&why), text_free(&answer.text);
    b->module = answer.of.a;
    return error;
}

static cudaError_t load(Binary *b)
{
    cudaError_t error = client_connect();
    if (error || b->tried) return error ? error : b->error;
    b->tried = true;
    b->error = load_image(b);
    for (Variable *v = registry.variables; v && !b->error; v = v->hh.next)
        if (v->of == b && v->managed) b->error = place(v);
    return b->error;
}

cudaError_t module_of(void **handle, uint64_t *module)
{
    Binary *b = (Binary *)handle;
    enter();
    cudaError_t error = load(b);
    *module = b->module;
    leave();
    return error;
}

// Before a unit's managed variables are used, the program calls this.
char __cudaInitModule(void **handle)
{
    enter();
    cudaError_t error = load((Binary *)handle);
    leave();
    return !noted(error);
}

void modules_forget(void)
{
    enter();
    for (size_t k = 0; k < registry.binaries.n; k++) {
        Binary *b = registry.binaries.v[k];
        b->tried = b->given;
        if (b->given) b->error = cudaErrorInvalidResourceHandle;
    }
    for (Variable *v = registry.variables; v; v = v->hh.next) v->at = 0;
    for (Entry *e = registry.entries; e; e = e->hh.next) {
        mem_free(e->params);
        e->params = NULL, e->found = false;
    }
    leave();
}

// --- kernels and variables -------------------------------------------------------------------------------------------
static cudaError_t find(Entry *e, Text *why)
{
    enum { USUAL_SHARED = 49152 };  // of a block that doesn't ask for more
    Answer answer;
    cudaError_t error = load(e->of);
    if (error || e->found) return error;
    error = client_ask(&(WireCall){.ask = ASK_KERNEL, .a = e->of->module, .bytes = strlen(e->name)}, e->name, &answer);
    if (!error) {
        memcpy(&e->info, answer.text.v, sizeof e->info);
        e->params = mem_alloc(sizeof *e->params * (e->info.params + 1));
        if (e->info.params) memcpy(e->params, answer.text.v + sizeof e->info, sizeof *e->params * e->info.params);
        e->number = answer.of.a, e->found = true;
        e->carveout = -1;
        e->most_dynamic = (int)MIN(client_device()->shared_block, USUAL_SHARED) - (int)e->info.shared;
    }
    if (error && why && answer.text.n) text_add(why, answer.text.v, answer.text.n);
    text_free(&answer.text);
    return error == cudaErrorSymbolNotFound ? cudaErrorInvalidDeviceFunction : error;
}

cudaError_t kernel_of(const void *function, Entry **kernel)
{
    Entry *e;
    enter();
    HASH_FIND_PTR(registry.entries, &function, e);
    cudaError_t error = e ? find(e, NULL) : cudaErrorInvalidDeviceFunction;
    leave();
    *kernel = e;
    return error;
}

Binary *binary_of(uint64_t module)
{
    Binary *b = (Binary *)__cudaRegisterFatBinary(NULL);
    b->tried = b->given = true, b->module = module;
    return b;
}

cudaError_t binary_kernel(Binary *b, const char *name, Entry **kernel, Text *why)
{
    Entry *e = mem_alloc(sizeof *e);
    e->host = e, e->of = b, e->name = name;
    enter();
    cudaError_t error = find(e, why);
    if (!error) HASH_ADD_PTR(registry.entries, host, e);
    leave();
    if (error) mem_free(e->params), mem_free(e);
    *kernel = error ? NULL : e;
    return error == cudaErrorInvalidDeviceFunction ? cudaErrorSymbolNotFound : error;
}

void binary_end(Binary *b) { __cudaUnregisterFatBinary((void **)b); }

// A kernel's handle is its host function's address. So it is looked up again at each launch, and an error of loading
// comes out there.
cudaError_t __cudaGetKernel(const void **kernel, const void *function)
{
    *kernel = function;
    return cudaSuccess;
}

cudaError_t variable_of(const void *symbol, uint64_t *at, size_t *bytes)
{
    Variable *v;
    enter();
    HASH_FIND_PTR(registry.variables, &symbol, v);
    cudaError_t error = v ? load(v->of) : cudaErrorInvalidSymbol;
    if (!error) error = place(v);
    *at = error ? 0 : v->at, *bytes = error ? 0 : v->bytes;
    leave();
    return error;
}

cudaError_t cudaGetSymbolAddress(void **at, const void *symbol)
{
    uint64_t a;
    size_t bytes;
    READY();
    if (!at) return noted(cudaErrorInvalidValue);
    cudaError_t error = variable_of(symbol, &a, &bytes);
    *at = (void *)(uintptr_t)a;
    return noted(error);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    uint64_t at;
    READY();
    return noted(bytes ? variable_of(symbol, &at, bytes) : cudaErrorInvalidValue);
}
