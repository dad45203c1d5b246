// reference.c: references to textures and surfaces: variables of a module, of which the host says what they stand for
// and how it is read. The driver still has them for old kernels; CUDA 12's compilers make none.
//
// A reference keeps what the program has set. Each setting goes to onchip at once, so that later launches find it. What
// can't be read as it is set so far (a mipmap without normalized coordinates) stands for nothing meanwhile.
//
// Invariant: a module's references go with it, and nobody else ends them.
#include "libcuda/unit.h"

#include <pthread.h>
#include <string.h>

typedef struct Reference {
    struct Reference *self;  // the key
    uint64_t module;         // onchip's number; 0: cuTexRefCreate has made it, and no kernel knows it
    char *name;
    bool surface, bound;
    Resource of;  // if it is bound
    int format;   // CUarray_format
    unsigned channels;
    TextureSampling how;
    UT_hash_handle hh;
} Reference;
typedef Reference *CUtexref, *CUsurfref;
static struct {
    pthread_mutex_t lock;
    Reference *all;
} references = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { A_FLOAT = 0x20, OVERRIDE_FORMAT = 1 };  // CU_AD_FORMAT_FLOAT, CU_TRSA_OVERRIDE_FORMAT
enum { FLAGS = 0x73 };                         // CU_TRSF_*

static CUresult leave(CUresult result) { return pthread_mutex_unlock(&references.lock), result; }

// Returns with the lock, if there is such a reference.
static CUresult enter(const void *handle, bool surface, Reference **r)
{
    CONTEXT();
    pthread_mutex_lock(&references.lock);
    HASH_FIND_PTR(references.all, &handle, *r);
    return *r && (*r)->surface == surface ? CUDA_SUCCESS : leave(CUDA_ERROR_INVALID_VALUE);
}
#define ENTER(handle, surface, r)                      \
    Reference *r;                                      \
    do {                                               \
        CUresult result_ = enter(handle, surface, &r); \
        if (result_ != CUDA_SUCCESS) return result_;   \
    } while (0)
#define TEXTURE(r) ENTER(handle, false, r)

// --- references come and go ------------------------------------------------------------------------------------------
static Reference *make(uint64_t module, const char *name, bool surface)
{
    Reference *r = mem_alloc(sizeof *r);
    *r = (Reference){.self = r, .module = module, .name = mem_text(name), .surface = surface};
    r->format = A_FLOAT, r->channels = 1;
    HASH_ADD_PTR(references.all, self, r);
    return r;
}

static void end(Reference *r)
{
    HASH_DEL(references.all, r);
    mem_free(r->name);
    mem_free(r);
}

void references_end(uint64_t module)
{
    Reference *r, *next;
    pthread_mutex_lock(&references.lock);
    HASH_ITER(hh, references.all, r, next)
    {
        if (r->module == module) end(r);
    }
    leave(CUDA_SUCCESS);
}

static CUresult of_module(CUmodule m, const char *name, bool surface, Reference **out)
{
    enum { TEXTURE = 1, SURFACE };
    uint64_t module;
    int kind;
    CONTEXT();
    if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
    if (!module_number(m, &module)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = ASKED(reference_kind(module, name, &kind));
    if (result != CUDA_SUCCESS) return result;
    if (kind != (surface ? SURFACE : TEXTURE)) return CUDA_ERROR_NOT_FOUND;
    pthread_mutex_lock(&references.lock);
    Reference *r = references.all;
    while (r && (r->module != module || strcmp(r->name, name))) r = r->hh.next;
    *out = r ? r : make(module, name, surface);
    return leave(CUDA_SUCCESS);
}

CUresult cuModuleGetTexRef(CUtexref *out, CUmodule m, const char *name) { return of_module(m, name, false, out); }
CUresult cuModuleGetSurfRef(CUsurfref *out, CUmodule m, const char *name) { return of_module(m, name, true, out); }

CUresult cuTexRefCreate(CUtexref *out)
{
    CONTEXT();
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&references.lock);
    *out = make(0, "", false);
    context_gets(A_REFERENCE, (uintptr_t)*out);
    return leave(CUDA_SUCCESS);
}

CUresult cuTexRefDestroy(CUtexref handle)
{
    TEXTURE(r);
    if (r->module) return leave(CUDA_ERROR_INVALID_VALUE);
    end(r);
    context_loses(A_REFERENCE, (uintptr_t)handle);
    return leave(CUDA_SUCCESS);
}

void reference_end(uint64_t handle)
{
    const void *key = pointer(handle);
    Reference *r;
    pthread_mutex_lock(&references.lock);
    HASH_FIND_PTR(references.all, &key, r);
    if (r) end(r);
    leave(CUDA_SUCCESS);
}

// --- what they stand for ---------------------------------------------------------------------------------------------
// onchip learns what has been set so far.
static CUresult renew(const Reference *r)
{
    if (!r->bound) return CUDA_SUCCESS;
    const TextureDesc how = sampling_of(&r->how, &r->of);
    if (ASKED(reference_set(r->module, r->name, &r->of, &how)) == CUDA_SUCCESS) return CUDA_SUCCESS;
    return ASKED(reference_set(r->module, r->name, NULL, NULL));
}

// First as simple as can be: then an error is the resource's.
static CUresult bind(Reference *r, const Resource *of)
{
    const TextureDesc simple = {.normalized = 1};
    CUresult result = ASKED(reference_set(r->module, r->name, of, r->surface ? NULL : &simple));
    if (result != CUDA_SUCCESS) return r->bound && !r->surface ? renew(r), result : result;
    r->bound = true, r->of = *of;
    return r->surface ? CUDA_SUCCESS : renew(r);
}

static CUresult bind_array(Reference *r, const Resource *of, const Array *first)
{
    Array a;
    if (!array_find(first, &a)) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = bind(r, of);
    if (result == CUDA_SUCCESS) r->format = format_of(&a.desc, &r->channels);
    return result;
}

CUresult cuTexRefSetArray(CUtexref handle, CUarray array, unsigned flags)
{
    TEXTURE(r);
    if (flags != OVERRIDE_FORMAT) return leave(CUDA_ERROR_INVALID_VALUE);
    const Resource of = {.type = ARRAY, .of.array = (const Array *)array};
    return leave(bind_array(r, &of, of.of.array));
}

CUresult cuTexRefSetMipmappedArray(CUtexref handle, CUmipmappedArray mipmap, unsigned flags)
{
    Mipmap m;
    TEXTURE(r);
    const Resource of = {.type = MIPMAPS, .of.mipmap = (const Mipmap *)mipmap};
    if (flags != OVERRIDE_FORMAT || !mipmap_find(of.of.mipmap, &m)) return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(bind_array(r, &of, m.level[0]));
}

// A texture begins at a multiple of TEXTURE_ALIGN bytes; what is in front of the program's memory the program must add
// to its indices, which it can't where nobody asks for it.
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref handle, CUdeviceptr p, size_t bytes)
{
    TEXTURE(r);
    const size_t before = p % TEXTURE_ALIGN;
    Resource of = {.type = LINEAR, .of.linear = {.at = pointer(p - before), .bytes = bytes + before}};
    if ((before && !offset) || bytes > SIZE_MAX - before) return leave(CUDA_ERROR_INVALID_VALUE);
    if (!channels_of(r->format, r->channels, &of.of.linear.desc)) return leave(CUDA_ERROR_INVALID_VALUE);
    CUresult result = bind(r, &of);
    if (result == CUDA_SUCCESS && offset) *offset = before;
    return leave(result);
}

CUresult cuTexRefSetAddress2D_v3(CUtexref handle, const ArrayShape *shape, CUdeviceptr p, size_t pitch)
{
    TEXTURE(r);
    if (!shape) return leave(CUDA_ERROR_INVALID_VALUE);
    Resource of = {.type = ROWS,
                   .of.rows = {.at = pointer(p), .width = shape->width, .height = shape->height, .pitch = pitch}};
    if (!channels_of(shape->format, shape->channels, &of.of.rows.desc)) return leave(CUDA_ERROR_INVALID_VALUE);
    CUresult result = bind(r, &of);
    if (result == CUDA_SUCCESS) r->format = shape->format, r->channels = shape->channels;
    return leave(result);
}

CUresult cuTexRefSetAddress2D_v2(CUtexref handle, const ArrayShape *shape, CUdeviceptr p, size_t pitch)
{
    return cuTexRefSetAddress2D_v3(handle, shape, p, pitch);
}

CUresult cuSurfRefSetArray(CUsurfref handle, CUarray array, unsigned flags)
{
    ENTER(handle, true, r);
    if (flags) return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(bind(r, &(Resource){.type = ARRAY, .of.array = (const Array *)array}));
}

// --- how it is read --------------------------------------------------------------------------------------------------
// An array's format is its own, and that of rows was said with them. A piece of memory has another number of texels.
static CUresult set_format(Reference *r, int format, unsigned channels)
{
    ChannelDesc desc;
    if (!channels_of(format, channels, &desc)) return CUDA_ERROR_INVALID_VALUE;
    const bool same = format == r->format && channels == r->channels;
    if (r->bound && r->of.type != LINEAR) return same ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    r->format = format, r->channels = channels;
    if (r->bound) r->of.of.linear.desc = desc;
    return renew(r);
}

CUresult cuTexRefSetFormat(CUtexref handle, int format, int channels)
{
    TEXTURE(r);
    return leave(set_format(r, format, (unsigned)channels));
}

CUresult cuTexRefSetAddressMode(CUtexref handle, int axis, int mode)
{
    enum { LAST = 3 };  // CUaddress_mode: a border
    TEXTURE(r);
    if (axis < 0 || axis >= (int)COUNT(r->how.address) || mode < 0 || mode > LAST)
        return leave(CUDA_ERROR_INVALID_VALUE);
    r->how.address[axis] = mode;
    return leave(renew(r));
}

CUresult cuTexRefSetFilterMode(CUtexref handle, int filter)
{
    TEXTURE(r);
    if (filter < 0 || filter > 1) return leave(CUDA_ERROR_INVALID_VALUE);
    r->how.filter = filter;
    return leave(renew(r));
}

CUresult cuTexRefSetFlags(CUtexref handle, unsigned flags)
{
    TEXTURE(r);
    if (flags & ~(unsigned)FLAGS) return leave(CUDA_ERROR_INVALID_VALUE);
    r->how.flags = flags;
    return leave(renew(r));
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref handle, unsigned most)
{
    TEXTURE(r);
    r->how.anisotropy = most;
    return leave(renew(r));
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref handle, int filter)
{
    TEXTURE(r);
    if (filter < 0 || filter > 1) return leave(CUDA_ERROR_INVALID_VALUE);
    r->how.mipmap_filter = filter;
    return leave(renew(r));
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref handle, float bias)
{
    TEXTURE(r);
    r->how.mipmap_bias = bias;
    return leave(renew(r));
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref handle, float least, float most)
{
    TEXTURE(r);
    r->how.mipmap_min = least, r->how.mipmap_max = most;
    return leave(renew(r));
}

CUresult cuTexRefSetBorderColor(CUtexref handle, const float *colour)
{
    TEXTURE(r);
    if (!colour) return leave(CUDA_ERROR_INVALID_VALUE);
    memcpy(r->how.border, colour, sizeof r->how.border);
    return leave(renew(r));
}

// --- questions -------------------------------------------------------------------------------------------------------
CUresult cuTexRefGetArray(CUarray *out, CUtexref handle)
{
    TEXTURE(r);
    if (!out || !r->bound || r->of.type != ARRAY) return leave(CUDA_ERROR_INVALID_VALUE);
    memcpy(out, &r->of.of.array, sizeof *out);
    return leave(CUDA_SUCCESS);
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *out, CUtexref handle)
{
    TEXTURE(r);
    if (!out || !r->bound || r->of.type != MIPMAPS) return leave(CUDA_ERROR_INVALID_VALUE);
    memcpy(out, &r->of.of.mipmap, sizeof *out);
    return leave(CUDA_SUCCESS);
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr *out, CUtexref handle)
{
    TEXTURE(r);
    if (!out || !r->bound || (r->of.type != LINEAR && r->of.type != ROWS)) return leave(CUDA_ERROR_INVALID_VALUE);
    *out = (uintptr_t)(r->of.type == LINEAR ? r->of.of.linear.at : r->of.of.rows.at);
    return leave(CUDA_SUCCESS);
}

CUresult cuSurfRefGetArray(CUarray *out, CUsurfref handle)
{
    ENTER(handle, true, r);
    if (!out || !r->bound) return leave(CUDA_ERROR_INVALID_VALUE);
    memcpy(out, &r->of.of.array, sizeof *out);
    return leave(CUDA_SUCCESS);
}

CUresult cuTexRefGetFormat(int *format, int *channels, CUtexref handle)
{
    TEXTURE(r);
    if (!format || !channels) return leave(CUDA_ERROR_INVALID_VALUE);
    *format = r->format, *channels = (int)r->channels;
    return leave(CUDA_SUCCESS);
}

CUresult cuTexRefGetAddressMode(int *mode, CUtexref handle, int axis)
{
    TEXTURE(r);
    if (!mode || axis < 0 || axis >= (int)COUNT(r->how.address)) return leave(CUDA_ERROR_INVALID_VALUE);
    *mode = r->how.address[axis];
    return leave(CUDA_SUCCESS);
}

#define GET(name, type, member)                           \
    CUresult name(type *out, CUtexref handle)             \
    {                                                     \
        TEXTURE(r);                                       \
        if (!out) return leave(CUDA_ERROR_INVALID_VALUE); \
        *out = (type)r->how.member;                       \
        return leave(CUDA_SUCCESS);                       \
    }
GET(cuTexRefGetFilterMode, int, filter)
GET(cuTexRefGetFlags, unsigned, flags)
GET(cuTexRefGetMaxAnisotropy, int, anisotropy)
GET(cuTexRefGetMipmapFilterMode, int, mipmap_filter)
GET(cuTexRefGetMipmapLevelBias, float, mipmap_bias)

CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref handle)
{
    TEXTURE(r);
    if (!least || !most) return leave(CUDA_ERROR_INVALID_VALUE);
    *least = r->how.mipmap_min, *most = r->how.mipmap_max;
    return leave(CUDA_SUCCESS);
}

CUresult cuTexRefGetBorderColor(float *colour, CUtexref handle)
{
    TEXTURE(r);
    if (!colour) return leave(CUDA_ERROR_INVALID_VALUE);
    memcpy(colour, r->how.border, sizeof r->how.border);
    return leave(CUDA_SUCCESS);
}

// --- as CUDA 3 launched ----------------------------------------------------------------------------------------------
// A kernel has its module's references anyway.
CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref handle)
{
    enum { DEFAULT = -1 };  // CU_PARAM_TR_DEFAULT
    Entry *e;
    CONTEXT();
    CUresult result = ASKED(kernel_of(f, &e));
    if (result != CUDA_SUCCESS) return result == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_INVALID_HANDLE : result;
    TEXTURE(r);
    return leave(unit == DEFAULT && r->module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
