// texture.c: arrays, and objects through which kernels read and write them. They are the runtime's, whose structures
// are others: formats are pairs of a type and a number of channels here.
#include "libcuda/unit.h"

#include <string.h>

// --- formats ---------------------------------------------------------------------------------------------------------
// CUarray_format and the bits and kind (cudaChannelFormatKind) of a channel.
static const struct {
    int format, bits, kind;
} formats[] = {{0x01, 8, 1},  {0x02, 16, 1}, {0x03, 32, 1}, {0x08, 8, 0},
               {0x09, 16, 0}, {0x0a, 32, 0}, {0x10, 16, 2}, {0x20, 32, 2}};

bool channels_of(int format, unsigned channels, ChannelDesc *desc)
{
    *desc = (ChannelDesc){0};
    if (channels != 1 && channels != 2 && channels != 4) return false;
    for (size_t k = 0; k < COUNT(formats); k++) {
        if (formats[k].format != format) continue;
        desc->kind = formats[k].kind;
        for (unsigned c = 0; c < channels; c++) desc->bits[c] = formats[k].bits;
        return true;
    }
    return false;
}

int format_of(const ChannelDesc *d, unsigned *channels)
{
    *channels = 0;
    for (int k = 0; k < 4; k++) *channels += d->bits[k] > 0;
    for (size_t k = 0; k < COUNT(formats); k++)
        if (formats[k].bits == d->bits[0] && formats[k].kind == d->kind) return formats[k].format;
    return 0;
}

// --- arrays ----------------------------------------------------------------------------------------------------------
typedef struct ArrayShape3D {  // CUDA_ARRAY3D_DESCRIPTOR
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} ArrayShape3D;

// CUDA_ARRAY3D_*: layered 1, surfaces 2, a cube 4, gathers 8, as the runtime has them. One of depths does nothing here.
enum { COMMON_FLAGS = 15, DEPTH_TEXTURE = 16 };

CUresult cuArray3DCreate_v2(CUarray *out, const ArrayShape3D *shape)
{
    ChannelDesc desc;
    CONTEXT();
    if (!out || !shape || !channels_of(shape->format, shape->channels, &desc)) return CUDA_ERROR_INVALID_VALUE;
    if (shape->flags & ~(unsigned)(COMMON_FLAGS | DEPTH_TEXTURE)) return CUDA_ERROR_NOT_SUPPORTED;
    const cudaExtent e = {shape->width, shape->height, shape->depth};
    CUresult result = ASKED(cudaMalloc3DArray((const Array **)out, &desc, e, shape->flags & COMMON_FLAGS));
    if (result == CUDA_SUCCESS) context_gets(AN_ARRAY, (uintptr_t)*out);
    return result;
}

CUresult cuArrayCreate_v2(CUarray *out, const ArrayShape *shape)
{
    if (!shape) return CUDA_ERROR_INVALID_VALUE;
    return cuArray3DCreate_v2(out, &(ArrayShape3D){shape->width, shape->height, 0, shape->format, shape->channels, 0});
}

CUresult cuArrayDestroy(CUarray handle)
{
    STARTED();
    CUresult result = handle ? ASKED(cudaFreeArray((const Array *)handle)) : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS) context_loses(AN_ARRAY, (uintptr_t)handle);
    return result;
}

CUresult cuArray3DGetDescriptor_v2(ArrayShape3D *to, CUarray handle)
{
    Array a;
    CONTEXT();
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    if (!array_find((const Array *)handle, &a)) return CUDA_ERROR_INVALID_HANDLE;
    *to = (ArrayShape3D){.width = a.width, .height = a.height, .depth = a.depth, .flags = a.flags};
    to->format = format_of(&a.desc, &to->channels);
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(ArrayShape *to, CUarray handle)
{
    ArrayShape3D all;
    CUresult result = to ? cuArray3DGetDescriptor_v2(&all, handle) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *to = (ArrayShape){all.width, all.height, all.format, all.channels};
    return result;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const ArrayShape3D *shape, unsigned levels)
{
    ChannelDesc desc;
    CONTEXT();
    if (!out || !shape || !channels_of(shape->format, shape->channels, &desc)) return CUDA_ERROR_INVALID_VALUE;
    if (shape->flags & ~(unsigned)COMMON_FLAGS) return CUDA_ERROR_NOT_SUPPORTED;
    const cudaExtent e = {shape->width, shape->height, shape->depth};
    CUresult result = ASKED(cudaMallocMipmappedArray((const Mipmap **)out, &desc, e, levels, shape->flags));
    if (result == CUDA_SUCCESS) context_gets(A_MIPMAP, (uintptr_t)*out);
    return result;
}

CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray handle, unsigned level)
{
    CONTEXT();
    return ASKED(cudaGetMipmappedArrayLevel((const Array **)out, (const Mipmap *)handle, level));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray handle)
{
    STARTED();
    CUresult result = handle ? ASKED(cudaFreeMipmappedArray((const Mipmap *)handle)) : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS) context_loses(A_MIPMAP, (uintptr_t)handle);
    return result;
}

// --- objects ---------------------------------------------------------------------------------------------------------
// CUDA_RESOURCE_DESC: an array or a mipmap is a pointer at the beginning of its union.
static bool resource_of(const TextureResource *r, Resource *to)
{
    *to = (Resource){.type = r->type};
    void *handle;
    memcpy(&handle, &r->of, sizeof handle);
    switch (r->type) {
    case ARRAY: return to->of.array = handle, true;
    case MIPMAPS: return to->of.mipmap = handle, true;
    case LINEAR:
        to->of.linear = (Linear){.at = pointer(r->of.linear.base), .bytes = r->of.linear.bytes};
        return channels_of(r->of.linear.format, r->of.linear.channels, &to->of.linear.desc);
    case ROWS:
        to->of.rows = (Rows){.at = pointer(r->of.pitch.base),
                             .width = r->of.pitch.width,
                             .height = r->of.pitch.height,
                             .pitch = r->of.pitch.pitch};
        return channels_of(r->of.pitch.format, r->of.pitch.channels, &to->of.rows.desc);
    default: return false;
    }
}

static void resource_back(const Resource *r, TextureResource *to)
{
    *to = (TextureResource){.type = r->type};
    unsigned channels;
    if (r->type == ARRAY) memcpy(&to->of, &r->of.array, sizeof r->of.array);
    if (r->type == MIPMAPS) memcpy(&to->of, &r->of.mipmap, sizeof r->of.mipmap);
    if (r->type == LINEAR) {
        const int format = format_of(&r->of.linear.desc, &channels);
        to->of.linear.base = (uintptr_t)r->of.linear.at, to->of.linear.bytes = r->of.linear.bytes;
        to->of.linear.format = format, to->of.linear.channels = channels;
    }
    if (r->type == ROWS) {
        const int format = format_of(&r->of.rows.desc, &channels);
        to->of.pitch.base = (uintptr_t)r->of.rows.at, to->of.pitch.pitch = r->of.rows.pitch;
        to->of.pitch.width = r->of.rows.width, to->of.pitch.height = r->of.rows.height;
        to->of.pitch.format = format, to->of.pitch.channels = channels;
    }
}

static bool of_floats(const Resource *r)
{
    enum { FLOAT = 2 };
    Array a;
    Mipmap m;
    switch (r->type) {
    case ARRAY: return !array_find(r->of.array, &a) || a.desc.kind == FLOAT;
    case MIPMAPS: return !mipmap_find(r->of.mipmap, &m) || !array_find(m.level[0], &a) || a.desc.kind == FLOAT;
    case LINEAR: return r->of.linear.desc.kind == FLOAT;
    default: return r->of.rows.desc.kind == FLOAT;
    }
}

// Integers that are read as such aren't filtered: the nearest one is taken. FFmpeg's filters ask for it.
TextureDesc sampling_of(const TextureSampling *s, const Resource *r)
{
    enum { TRILINEAR_OFF = 32, SEAMLESS = 64 };
    TextureDesc t = {.address = {s->address[0], s->address[1], s->address[2]},
                     .filter = s->filter,
                     .read = !(s->flags & READ_AS_INTEGER),
                     .srgb = (s->flags & SRGB) != 0,
                     .normalized = (s->flags & NORMALIZED_COORDINATES) != 0,
                     .anisotropy = s->anisotropy,
                     .mipmap_filter = s->mipmap_filter,
                     .mipmap_bias = s->mipmap_bias,
                     .mipmap_least = s->mipmap_min,
                     .mipmap_most = s->mipmap_max,
                     .no_trilinear_shortcut = (s->flags & TRILINEAR_OFF) != 0,
                     .seamless = (s->flags & SEAMLESS) != 0};
    memcpy(t.border, s->border, sizeof t.border);
    if (!t.read && !of_floats(r)) t.filter = t.mipmap_filter = 0;
    return t;
}

CUresult cuTexObjectCreate(CUtexObject *out, const TextureResource *resource, const TextureSampling *sampling,
                           const View *view)
{
    Resource r;
    uint64_t handle;
    CONTEXT();
    if (!out || !resource || !sampling || !resource_of(resource, &r)) return CUDA_ERROR_INVALID_VALUE;
    const TextureDesc t = sampling_of(sampling, &r);
    CUresult result = ASKED(cudaCreateTextureObject(&handle, &r, &t, view));
    if (result != CUDA_SUCCESS) return result;
    context_gets(A_TEXTURE, handle);
    *out = handle;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject handle)
{
    STARTED();
    CUresult result = ASKED(cudaDestroyTextureObject(handle));
    if (result == CUDA_SUCCESS) context_loses(A_TEXTURE, handle);
    return result;
}

CUresult cuTexObjectGetResourceDesc(TextureResource *to, CUtexObject handle)
{
    Resource13 r;
    CONTEXT();
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaGetTextureObjectResourceDesc(&r, handle));
    if (result == CUDA_SUCCESS) resource_back(&r.r, to);
    return result;
}

CUresult cuTexObjectGetTextureDesc(TextureSampling *to, CUtexObject handle)
{
    TextureDesc t;
    CONTEXT();
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaGetTextureObjectTextureDesc(&t, handle));
    if (result != CUDA_SUCCESS) return result;
    *to = (TextureSampling){.address = {t.address[0], t.address[1], t.address[2]},
                            .filter = t.filter,
                            .anisotropy = t.anisotropy,
                            .mipmap_filter = t.mipmap_filter,
                            .mipmap_bias = t.mipmap_bias,
                            .mipmap_min = t.mipmap_least,
                            .mipmap_max = t.mipmap_most};
    to->flags = (t.read ? 0 : READ_AS_INTEGER) | (t.normalized ? NORMALIZED_COORDINATES : 0) | (t.srgb ? SRGB : 0);
    memcpy(to->border, t.border, sizeof t.border);
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceViewDesc(View *to, CUtexObject handle)
{
    CONTEXT();
    return ASKED(cudaGetTextureObjectResourceViewDesc(to, handle));
}

CUresult cuSurfObjectCreate(CUtexObject *out, const TextureResource *resource)
{
    Resource r;
    uint64_t handle;
    CONTEXT();
    if (!out || !resource || !resource_of(resource, &r)) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaCreateSurfaceObject(&handle, &r));
    if (result != CUDA_SUCCESS) return result;
    context_gets(A_SURFACE, handle);
    *out = handle;
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUtexObject handle)
{
    STARTED();
    CUresult result = ASKED(cudaDestroySurfaceObject(handle));
    if (result == CUDA_SUCCESS) context_loses(A_SURFACE, handle);
    return result;
}

CUresult cuSurfObjectGetResourceDesc(TextureResource *to, CUtexObject handle)
{
    Resource13 r;
    CONTEXT();
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaGetSurfaceObjectResourceDesc(&r, handle));
    if (result == CUDA_SUCCESS) resource_back(&r.r, to);
    return result;
}
