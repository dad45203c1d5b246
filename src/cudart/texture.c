// texture.c: texture objects over arrays, over mipmaps, over pieces of memory (one dimension, read by index), and over
// rows of memory. What the simulator can't read in this way is refused by name.
#include "cudart/unit.h"

#include <pthread.h>
#include <string.h>

_Static_assert(sizeof(Resource) == 64, "as in CUDA 12");
_Static_assert(sizeof(Resource13) == 144 && sizeof(TextureDesc) == 72, "as in CUDA 13");
enum { WRAP, CLAMP, MIRROR, BORDER, ADDRESSES };                             // cudaTextureAddressMode
enum { PITCH = 32 };                                                         // attribute 51
enum { TEXELS = 1 << 28, WIDTH = 131072, HEIGHT = 65000, BYTES = 2097120 };  // attributes 69 to 72

typedef struct Texture {
    uint64_t handle;  // the key
    Resource resource;
    TextureDesc desc;
    bool viewed;
    View view;
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
static WireLevel level_of(const Array *a) { return (WireLevel){(uintptr_t)a->at, a->pitch, a->pitch * array_rows(a)}; }

static cudaError_t of_array(const Array *array, WireTexture *w, ChannelDesc *d)
{
    Array a;
    if (!array_find(array, &a)) return cudaErrorInvalidValue;
    bool slices = a.flags & (LAYERED | CUBEMAP);
    w->first = level_of(&a), w->width = a.width, w->height = a.height, w->levels = 1;
    w->depth = slices ? 0 : a.depth, w->cube = (a.flags & CUBEMAP) != 0;
    if (a.flags & LAYERED) w->layers = w->cube ? a.depth / 6 : a.depth;
    *d = a.desc;
    return cudaSuccess;
}

static cudaError_t of_mipmap(const Mipmap *mipmap, TextureCall *c, ChannelDesc *d)
{
    Mipmap m;
    if (!mipmap_find(mipmap, &m)) return cudaErrorInvalidValue;
    cudaError_t error = of_array(m.level[0], &c->w, d);
    c->w.levels = m.levels;
    for (unsigned k = 1; k < m.levels && !error; k++) {
        Array a;
        if (!array_find(m.level[k], &a)) return cudaErrorInvalidValue;
        c->rest[k - 1] = level_of(&a);
    }
    return error;
}

static cudaError_t of_linear(const Linear *l, WireTexture *w, ChannelDesc *d)
{
    size_t texel;
    cudaError_t error = texel_of(&l->desc, &texel);
    if (error) return error;
    w->first.base = (uintptr_t)l->at, w->width = l->bytes / texel, w->levels = 1;
    *d = l->desc;
    return w->width && w->width <= TEXELS && w->first.base % TEXTURE_ALIGN == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t of_rows(const Rows *r, WireTexture *w, ChannelDesc *d)
{
    size_t texel;
    cudaError_t error = texel_of(&r->desc, &texel);
    if (error) return error;
    w->first = (WireLevel){(uintptr_t)r->at, r->pitch, 0}, w->width = r->width, w->height = r->height, w->levels = 1;
    *d = r->desc;
    bool fits = r->width && r->height && r->width <= WIDTH && r->height <= HEIGHT && r->pitch <= BYTES;
    return fits && w->first.base % TEXTURE_ALIGN == 0 && r->pitch % PITCH == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

static uint32_t channels_of(const ChannelDesc *d)
{
    uint32_t n = 0;
    for (int k = 0; k < 4; k++) n += d->bits[k] > 0;
    return n;
}

static cudaError_t place(const Resource *r, TextureCall *c)
{
    WireTexture *w = &c->w;
    ChannelDesc d;
    cudaError_t error;
    switch (r->type) {
    case ARRAY: error = of_array(r->of.array, w, &d); break;
    case MIPMAPS: error = of_mipmap(r->of.mipmap, c, &d); break;
    case LINEAR: error = of_linear(&r->of.linear, w, &d); break;
    case ROWS: error = of_rows(&r->of.rows, w, &d); break;
    default: return cudaErrorInvalidValue;
    }
    if (error) return error;
    w->kind = (uint32_t)d.kind, w->bits = (uint32_t)d.bits[0], w->channels = channels_of(&d);
    return cudaSuccess;
}

// The format of a view, by its number (cudaResourceViewFormat): a group of three has one, two and four channels.
static cudaError_t view_format(int format, WireTexture *w)
{
    static const uint8_t groups[][2] = {{8, 1}, {8, 0}, {16, 1}, {16, 0}, {32, 1}, {32, 0}, {16, 2}, {32, 2}};
    if (!format) return cudaSuccess;
    if (format < 0 || format > 34) return cudaErrorInvalidValue;
    if (format > 24) return client_missing("a texture with a view of compressed texels");
    const uint8_t *g = groups[(format - 1) / 3];
    uint32_t channels = 1u << (format - 1) % 3;
    if (g[0] * channels != w->bits * w->channels) return cudaErrorInvalidValue;
    w->bits = g[0], w->kind = g[1], w->channels = channels;
    return cudaSuccess;
}

// A view's size is that of what it shows; it may have fewer levels and layers.
static cudaError_t look(const View *v, TextureCall *c)
{
    WireTexture *w = &c->w;
    uint64_t slices = w->cube ? 6 * MAX(w->layers, 1u) : w->layers;
    cudaError_t error = view_format(v->format, w);
    if (error) return error;
    if (v->width != w->width || v->height != w->height) return cudaErrorInvalidValue;
    if (v->first_level > v->last_level || v->last_level >= w->levels) return cudaErrorInvalidValue;
    if (v->first_layer > v->last_layer || v->last_layer >= MAX(slices, 1u)) return cudaErrorInvalidValue;
    if (w->cube && (v->first_layer || v->last_layer + 1 != slices))
        return client_missing("a texture with a view of some of a cube's faces");
    if (w->layers && !w->cube) w->layers = v->last_layer - v->first_layer + 1;
    const unsigned first = v->first_level;
    if (first) {
        w->first = c->rest[first - 1];
        for (unsigned k = first; k < v->last_level; k++) c->rest[k - first] = c->rest[k];
        w->width = MAX(w->width >> first, 1u), w->height = w->height ? MAX(w->height >> first, 1u) : 0;
        w->depth = w->depth ? MAX(w->depth >> first, 1u) : 0;
    }
    w->levels = v->last_level - first + 1;
    w->first.base += v->first_layer * w->first.slice;
    for (unsigned k = 0; k + 1 < w->levels; k++) c->rest[k].base += v->first_layer * c->rest[k].slice;
    return cudaSuccess;
}

// --- how it is read --------------------------------------------------------------------------------------------------
// Memory is read by index; beyond it is zero.
static cudaError_t address(const Resource *r, const TextureDesc *t, WireTexture *w)
{
    const int axes = w->depth ? 3 : w->height ? 2 : 1;
    for (int k = 0; k < 3; k++) {
        int mode = k < axes || !k ? t->address[k] : CLAMP;
        if (mode < 0 || mode >= ADDRESSES) return cudaErrorInvalidValue;
        w->address[k] = (uint32_t)(r->type == LINEAR ? BORDER : mode);
        if (w->cube) w->address[k] = CLAMP;
    }
    if (r->type != LINEAR) memcpy(w->border, t->border, sizeof w->border);
    return cudaSuccess;
}

// Integers of 32 bits are never read as floats. Filtering needs floats.
static cudaError_t reading(const Resource *r, const TextureDesc *t, WireTexture *w)
{
    enum { FLOAT = 2, WHOLE = 32 };
    if (t->filter < 0 || t->filter > 1 || t->read < 0 || t->read > 1) return cudaErrorInvalidValue;
    if (t->mipmap_filter < 0 || t->mipmap_filter > 1) return cudaErrorInvalidValue;
    if (w->cube && t->seamless) return client_missing("a texture of a cube that is seamless");
    w->linear = r->type != LINEAR && t->filter;
    w->unit = t->read && w->kind != FLOAT && w->bits < WHOLE;
    w->normalized = r->type != LINEAR && t->normalized;
    w->srgb = t->srgb && w->unit && w->bits == 8 && w->kind == 1;  // of others it means nothing
    w->linear_levels = w->levels > 1 && t->mipmap_filter;
    w->bias = t->mipmap_bias, w->least = t->mipmap_least, w->most = t->mipmap_most;
    if (w->levels > 1 && !w->normalized) return cudaErrorInvalidValue;
    return (w->linear || w->linear_levels) && w->kind != FLOAT && !w->unit ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t texture_describe(const Resource *r, const TextureDesc *t, const View *view, TextureCall *call)
{
    *call = (TextureCall){0};
    cudaError_t error = place(r, call);
    if (!error && view) error = look(view, call);
    if (!error && t) error = reading(r, t, &call->w);
    if (!error && t) error = address(r, t, &call->w);
    return error;
}

size_t texture_bytes_of(const TextureCall *call) { return sizeof call->w + (call->w.levels - 1) * sizeof *call->rest; }

// --- objects ---------------------------------------------------------------------------------------------------------
cudaError_t cudaCreateTextureObject(uint64_t *handle, const Resource *r, const TextureDesc *t, const View *view)
{
    TextureCall call;
    Answer answer;
    READY();
    if (!handle || !r || !t || (view && (r->type == LINEAR || r->type == ROWS))) return noted(cudaErrorInvalidValue);
    cudaError_t error = texture_describe(r, t, view, &call);
    if (!error) error = client_ask(&(WireCall){.ask = ASK_TEXTURE, .bytes = texture_bytes_of(&call)}, &call, &answer);
    if (error) return noted(error);
    text_free(&answer.text);
    Texture *x = mem_alloc(sizeof *x);
    *x = (Texture){.handle = answer.of.a, .resource = *r, .desc = *t, .viewed = view != NULL};
    if (view) x->view = *view;
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

// An object that was made without a view is an error. Views of CUDA 12 and later end in reserved words.
cudaError_t cudaGetTextureObjectResourceViewDesc(View *to, uint64_t handle)
{
    Texture t;
    READY();
    if (!to || !find(handle, &t) || !t.viewed) return noted(cudaErrorInvalidValue);
    *to = t.view;
    return cudaSuccess;
}
