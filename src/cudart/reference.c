// reference.c: references to textures and surfaces, which programs of CUDA 11 and before have as variables. Such a
// variable is registered with its name in the PTX; what it is bound to goes to onchip at once. These functions are
// exported for programs of CUDA 11 alone (older.c). The driver names a reference by its module (libcuda/reference.c).
#include "cudart/unit.h"

#include <pthread.h>
#include <string.h>

typedef struct Named {
    const void *host;  // the key: its address in the program
    void **binary;
    const char *name;
    int normalized_read;  // cudaReadModeNormalizedFloat
    size_t offset;        // bytes from where the texture begins to where the program's memory does
    UT_hash_handle hh;
} Named;
static struct {
    pthread_mutex_t lock;
    Named *all;
} references = {.lock = PTHREAD_MUTEX_INITIALIZER};

void reference_register(void **binary, const void *host, const char *name, int normalized_read)
{
    Named *n;
    pthread_mutex_lock(&references.lock);
    HASH_FIND_PTR(references.all, &host, n);
    if (!n) {
        n = mem_alloc(sizeof *n);
        n->host = host;
        HASH_ADD_PTR(references.all, host, n);
    }
    n->binary = binary, n->name = name, n->normalized_read = normalized_read, n->offset = 0;
    pthread_mutex_unlock(&references.lock);
}

void references_unregister(void **binary)
{
    Named *n, *next;
    pthread_mutex_lock(&references.lock);
    HASH_ITER(hh, references.all, n, next)
    {
        if (n->binary != binary) continue;
        HASH_DEL(references.all, n);
        mem_free(n);
    }
    pthread_mutex_unlock(&references.lock);
}

static bool find(const void *host, Named *found)
{
    Named *n;
    pthread_mutex_lock(&references.lock);
    HASH_FIND_PTR(references.all, &host, n);
    if (n) *found = *n;
    pthread_mutex_unlock(&references.lock);
    return n;
}

static void keep_offset(const void *host, size_t offset)
{
    Named *n;
    pthread_mutex_lock(&references.lock);
    HASH_FIND_PTR(references.all, &host, n);
    if (n) n->offset = offset;
    pthread_mutex_unlock(&references.lock);
}

// --- what onchip is told ---------------------------------------------------------------------------------------------
static cudaError_t tell_module(uint64_t module, const char *name, TextureCall *call, bool unbind)
{
    Text text = {0};
    call->w.name = (uint32_t)strlen(name);
    text_add(&text, (const char *)call, texture_bytes_of(call));
    text_add(&text, name, call->w.name);
    const WireCall ask = {.ask = ASK_REFERENCE, .a = module, .b = unbind, .bytes = text.n};
    cudaError_t error = client_ask(&ask, text.v, NULL);
    text_free(&text);
    return error;
}

static const TextureCall nothing = {.w = {.levels = 1, .channels = 1, .bits = 32}};

cudaError_t reference_set(uint64_t module, const char *name, const Resource *r, const TextureDesc *how)
{
    TextureCall call = nothing;
    READY();
    cudaError_t error = cudaSuccess;
    if (r) error = how ? texture_describe(r, how, NULL, &call) : surface_describe(r->of.array, &call);
    if (!error && module) error = tell_module(module, name, &call, !r);
    return noted(error);
}

cudaError_t reference_kind(uint64_t module, const char *name, int *kind)
{
    Answer answer;
    READY();
    const WireCall ask = {.ask = ASK_REFERENCE_KIND, .a = module, .bytes = strlen(name)};
    cudaError_t error = client_ask(&ask, name, &answer);
    *kind = error ? 0 : (int)answer.of.a;
    text_free(&answer.text);
    return noted(error);
}

// --- those of a program's own ----------------------------------------------------------------------------------------
static cudaError_t tell(const Named *n, TextureCall *call, bool unbind)
{
    uint64_t module;
    cudaError_t error = module_of(n->binary, &module);
    return error ? error : tell_module(module, n->name, call, unbind);
}

static cudaError_t bind(const TextureReference *t, const Resource *r)
{
    TextureCall call;
    Named n;
    READY();
    if (!t || !find(t, &n)) return noted(cudaErrorInvalidTexture);
    const TextureDesc how = {.address = {t->address[0], t->address[1], t->address[2]},
                             .filter = t->filter,
                             .read = n.normalized_read != 0,
                             .srgb = t->srgb,
                             .normalized = t->normalized,
                             .mipmap_filter = t->mipmap_filter,
                             .mipmap_bias = t->mipmap_bias,
                             .mipmap_least = t->mipmap_least,
                             .mipmap_most = t->mipmap_most};
    cudaError_t error = texture_describe(r, &how, NULL, &call);
    return noted(error ? error : tell(&n, &call, false));
}

// A texture begins at a multiple of TEXTURE_ALIGN bytes; what is in front of the program's memory the program must add
// to its indices, which it can't where offset is null.
enum { ALL = 0xffffffff };
static cudaError_t aligned(const TextureReference *t, const void *at, size_t *offset, uintptr_t *base)
{
    size_t before = (uintptr_t)at % TEXTURE_ALIGN;
    if (before && !offset) return cudaErrorInvalidValue;
    if (offset) *offset = before;
    keep_offset(t, before);
    *base = (uintptr_t)at - before;
    return cudaSuccess;
}

cudaError_t reference_bind_linear(size_t *offset, const TextureReference *t, const void *at, const ChannelDesc *desc,
                                  size_t bytes)
{
    uintptr_t base = 0;
    uint64_t module;
    Named n;
    Answer answer;
    READY();
    if (!desc || !t || !find(t, &n)) return noted(cudaErrorInvalidValue);
    cudaError_t error = aligned(t, at, offset, &base);
    if (!error) error = module_of(n.binary, &module);
    if (!error) error = client_ask(&(WireCall){.ask = ASK_RANGE, .a = (uintptr_t)at}, NULL, &answer);
    if (error) return noted(error);
    text_free(&answer.text);
    size_t left = answer.of.b ? answer.of.a + answer.of.b - base : 0, size = bytes + ((uintptr_t)at - base);
    if (!left) return noted(cudaErrorInvalidValue);
    if (bytes == ALL || size > left) size = left;  // UINT_MAX stands for the whole allocation
    const Resource r = {.type = LINEAR, .of.linear = {(void *)base, *desc, size}};
    return bind(t, &r);
}

cudaError_t reference_bind_rows(size_t *offset, const TextureReference *t, const void *at, const ChannelDesc *desc,
                                size_t width, size_t height, size_t pitch)
{
    uintptr_t base = 0;
    READY();
    if (!desc || !t) return noted(cudaErrorInvalidValue);
    cudaError_t error = aligned(t, at, offset, &base);
    const Resource r = {.type = ROWS, .of.rows = {(void *)base, *desc, width, height, pitch}};
    return error ? noted(error) : bind(t, &r);
}

cudaError_t reference_bind_array(const TextureReference *t, const Array *array)
{
    return bind(t, &(Resource){.type = ARRAY, .of.array = array});
}

cudaError_t reference_bind_mipmap(const TextureReference *t, const Mipmap *mipmap)
{
    return bind(t, &(Resource){.type = MIPMAPS, .of.mipmap = mipmap});
}

cudaError_t reference_bind_surface(const void *surface, const Array *array)
{
    TextureCall call;
    Named n;
    READY();
    if (!find(surface, &n)) return noted(cudaErrorInvalidSurface);
    cudaError_t error = surface_describe(array, &call);
    return noted(error ? error : tell(&n, &call, false));
}

cudaError_t reference_unbind(const TextureReference *t)
{
    TextureCall call = nothing;
    Named n;
    READY();
    if (!t || !find(t, &n)) return noted(cudaErrorInvalidTexture);
    return noted(tell(&n, &call, true));
}

cudaError_t reference_offset(size_t *offset, const TextureReference *t)
{
    Named n;
    READY();
    if (!offset || !t || !find(t, &n)) return noted(cudaErrorInvalidTexture);
    *offset = n.offset;
    return cudaSuccess;
}

// A reference is its own symbol.
cudaError_t reference_of(const void **reference, const void *symbol, cudaError_t none)
{
    Named n;
    READY();
    if (!reference) return noted(cudaErrorInvalidValue);
    *reference = find(symbol, &n) ? symbol : NULL;
    return *reference ? cudaSuccess : noted(none);
}
