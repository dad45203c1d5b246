// texture.c: texture objects over arrays, over pieces of memory (one dimension, read by index), and over rows of
// memory. What the simulator can't read in this way is refused by name.
#include "cudart/cudart.h"

#include <pthread.h>
#include <string.h>

typedef struct Linear {
    void *at;
    ChannelDesc desc;
    size_t bytes;
} Linear;
typedef struct Rows {
    void *at;
    ChannelDesc desc;
    size_t width, height, pitch;  // texels; bytes
} Rows;
typedef struct Resource {  // cudaResourceDesc, as far as all versions of CUDA have it
    int type;
    union {
        const Array *array;
        Linear linear;
        Rows rows;
    } of;
} Resource;
typedef struct Resource13 {
    Resource r;
    int reserved[18];
    unsigned flags;
} Resource13;
typedef struct TextureDesc {  // cudaTextureDesc
    int address[3], filter, read, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int no_trilinear_shortcut, seamless;
} TextureDesc;
_Static_assert(sizeof(Resource) == 64, "as in CUDA 12");
_Static_assert(sizeof(Resource13) == 144 && sizeof(TextureDesc) == 72, "as in CUDA 13");
enum { ARRAY, MIPMAPS, LINEAR, ROWS, RESOURCES };  // cudaResourceType
enum { WRAP, CLAMP, MIRROR, BORDER, ADDRESSES };   // cudaTextureAddressMode
enum { ALIGN = 256, PITCH = 32 };                  // what cudaMalloc gives at least; attribute 51
enum { TEXELS = 1 << 28, WIDTH = 131072, HEIGHT = 65000, BYTES = 2097120 };  // attributes 69 to 72

typedef struct Texture {
    uint64_t handle;  // the key
    Resource resource;
    TextureDesc desc;
    UT_hash_handle hh;
} Texture;
static struct {
    pthread_mutex_t lock;
    Texture *all;
} textures = {.lock = PTHREAD_MUTEX_INITIALIZER};

void textures_forget(void)
{
    Texture *t, *next;
    pthread_mutex_lock(&textures.lock);
    HASH_ITER(hh, textures.all, t, next)
    {
        HASH_DEL(textures.all, t);
        mem_free(t);
    }
    pthread_mutex_unlock(&textures.lock);
}

// --- what is read ----------------------------------------------------------------------------------------------------
static cudaError_t of_array(const Array *array, WireTexture *w, ChannelDesc *d)
{
    Array a;
    if (!array_find(array, &a)) return cudaErrorInvalidValue;
    w->base = (uintptr_t)a.at, w->width = a.width, w->height = a.height, w->pitch = a.pitch;
    *d = a.desc;
    return cudaSuccess;
}

static cudaError_t of_linear(const Linear *l, WireTexture *w, ChannelDesc *d)
{
    size_t texel;
    cudaError_t error = texel_of(&l->desc, &texel);
    if (error) return error;
    w->base = (uintptr_t)l->at, w->width = l->bytes / texel;
    *d = l->desc;
    return w->width && w->width <= TEXELS && w->base % ALIGN == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t of_rows(const Rows *r, WireTexture *w, ChannelDesc *d)
{
    size_t texel;
    cudaError_t error = texel_of(&r->desc, &texel);
    if (error) return error;
    w->base = (uintptr_t)r->at, w->width = r->width, w->height = r->height, w->pitch = r->pitch;
    *d = r->desc;
    bool fits = r->width && r->height && r->width <= WIDTH && r->height <= HEIGHT && r->pitch <= BYTES;
    return fits && w->base % ALIGN == 0 && r->pitch % PITCH == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t place(const Resource *r, WireTexture *w)
{
    ChannelDesc d;
    cudaError_t error;
    switch (r->type) {
    case ARRAY: error = of_array(r->of.array, w, &d); break;
    case MIPMAPS: return client_missing("a texture of mipmaps");
    case LINEAR: error = of_linear(&r->of.linear, w, &d); break;
    case ROWS: error = of_rows(&r->of.rows, w, &d); break;
    default: return cudaErrorInvalidValue;
    }
    if (error) return error;
    w->kind = (uint32_t)d.kind, w->bits = (uint32_t)d.bits[0];
    for (int k = 0; k < 4; k++) w->channels += d.bits[k] > 0;
    return cudaSuccess;
}

// --- how it is read --------------------------------------------------------------------------------------------------
// Without normalized coordinates those that wrap or mirror are clamped. Memory is read by index; beyond it is zero.
static cudaError_t address(const Resource *r, const TextureDesc *t, WireTexture *w)
{
    int mode[2];
    for (int k = 0; k < 2; k++) {
        mode[k] = t->address[k];
        if (mode[k] < 0 || mode[k] >= ADDRESSES) return cudaErrorInvalidValue;
        if (!t->normalized && (mode[k] == WRAP || mode[k] == MIRROR)) mode[k] = CLAMP;
    }
    if (r->type == LINEAR) return w->address = BORDER, cudaSuccess;
    if (w->height && mode[0] != mode[1]) return client_missing("a texture whose two addressing modes differ");
    bool colored = t->border[0] != 0 || t->border[1] != 0 || t->border[2] != 0 || t->border[3] != 0;
    if (mode[0] == BORDER && colored) return client_missing("a texture whose border isn't zero");
    w->address = (uint32_t)mode[0];
    return cudaSuccess;
}

// Integers of 32 bits are never read as floats. Filtering needs floats.
static cudaError_t reading(const Resource *r, const TextureDesc *t, WireTexture *w)
{
    enum { FLOAT = 2, WHOLE = 32 };
    if (t->filter < 0 || t->filter > 1 || t->read < 0 || t->read > 1) return cudaErrorInvalidValue;
    if (t->srgb) return client_missing("a texture of sRGB colors");
    w->linear = r->type != LINEAR && t->filter;
    w->unit = t->read && w->kind != FLOAT && w->bits < WHOLE;
    w->normalized = r->type != LINEAR && t->normalized;
    return w->linear && w->kind != FLOAT && !w->unit ? cudaErrorInvalidValue : cudaSuccess;
}

// --- objects ---------------------------------------------------------------------------------------------------------
cudaError_t cudaCreateTextureObject(uint64_t *handle, const Resource *r, const TextureDesc *t, const void *view)
{
    WireTexture w = {0};
    Answer answer;
    READY();
    if (!handle || !r || !t || (view && r->type == LINEAR)) return noted(cudaErrorInvalidValue);
    if (view) return client_missing("a texture with a resource view");
    cudaError_t error = place(r, &w);
    if (!error) error = reading(r, t, &w);
    if (!error) error = address(r, t, &w);
    if (!error) error = client_ask(&(WireCall){.ask = ASK_TEXTURE, .bytes = sizeof w}, &w, &answer);
    if (error) return noted(error);
    Texture *x = mem_alloc(sizeof *x);
    *x = (Texture){answer.of.a, *r, *t, {0}};
    pthread_mutex_lock(&textures.lock);
    HASH_ADD(hh, textures.all, handle, sizeof x->handle, x);
    pthread_mutex_unlock(&textures.lock);
    *handle = x->handle;
    return cudaSuccess;
}

// The handle goes from the list before onchip gives it to another object.
cudaError_t cudaDestroyTextureObject(uint64_t handle)
{
    Texture *t;
    READY();
    pthread_mutex_lock(&textures.lock);
    HASH_FIND(hh, textures.all, &handle, sizeof handle, t);
    if (t) HASH_DEL(textures.all, t);
    pthread_mutex_unlock(&textures.lock);
    if (!t) return noted(cudaErrorInvalidValue);
    mem_free(t);
    return noted(client_ask(&(WireCall){.ask = ASK_TEXTURE_END, .a = handle}, NULL, NULL));
}

static bool find(uint64_t handle, Texture *found)
{
    Texture *t;
    pthread_mutex_lock(&textures.lock);
    HASH_FIND(hh, textures.all, &handle, sizeof handle, t);
    if (t) *found = *t;
    pthread_mutex_unlock(&textures.lock);
    return t;
}

cudaError_t cudaGetTextureObjectResourceDesc(Resource13 *to, uint64_t handle)
{
    Texture t;
    READY();
    if (!to || !find(handle, &t)) return noted(cudaErrorInvalidValue);
    if (runtime_major() == 13) *to = (Resource13){.r = t.resource};
    to->r = t.resource;  // all that older ones have
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(TextureDesc *to, uint64_t handle)
{
    Texture t;
    READY();
    if (!to || !find(handle, &t)) return noted(cudaErrorInvalidValue);
    *to = t.desc;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const ChannelDesc *desc, int device)
{
    size_t bytes;
    READY();
    if (!texels || !desc) return noted(cudaErrorInvalidValue);
    if (device) return noted(cudaErrorInvalidDevice);
    cudaError_t error = texel_of(desc, &bytes);
    if (!error) *texels = TEXELS;
    return noted(error);
}

// No object has one.
cudaError_t cudaGetTextureObjectResourceViewDesc(void *to, uint64_t handle)
{
    (void)to, (void)handle;
    READY();
    return noted(cudaErrorInvalidValue);
}
