// cuda_texture.c: tensor maps, textures and surfaces on a real GPU, as far as they lie over memory. What needs an
// array, in whose layout a program can't see its texels, is refused.
#include "device/cuda_device.h"

#include <dlfcn.h>
#include <string.h>

// Drivers before CUDA 12 have no tensor maps, so that it isn't in the list of what must be there.
oc_status cuda_tensor_map(oc_device *base, const TensorMap *t, void *map)
{
    typedef CUresult Encode(void *map, int type, uint32_t rank, void *at, const uint64_t *size, const uint64_t *stride,
                            const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int promotion,
                            int fill);
    CudaDevice *d = cuda_of(base);
    Encode *encode;
    *(void **)&encode = dlsym(d->cu.library, "cuTensorMapEncodeTiled");
    USABLE(base);
    if (!encode) return device_fail(base, OC_UNSUPPORTED, "this GPU driver is too old: it has no tensor maps");
    return cuda_check(base,
                      encode(map, t->type, t->rank, (void *)(uintptr_t)t->base, t->size, t->stride + 1, t->box, t->step,
                             0, t->swizzle, 0, t->nan),
                      "cuTensorMapEncodeTiled");
}

oc_status cuda_texture_create(oc_device *d, const oc_texture *t, uint64_t *handle)
{
    static const int formats[] = {[OC_TEX_F32] = 0x20, [OC_TEX_U32] = 3, [OC_TEX_S32] = 10, [OC_TEX_U8] = 1,
                                  [OC_TEX_S8] = 8,     [OC_TEX_U16] = 2, [OC_TEX_S16] = 9,  [OC_TEX_F16] = 0x10};
    static const size_t sizes[] = {[OC_TEX_F32] = 4, [OC_TEX_U32] = 4, [OC_TEX_S32] = 4, [OC_TEX_U8] = 1,
                                   [OC_TEX_S8] = 1,  [OC_TEX_U16] = 2, [OC_TEX_S16] = 2, [OC_TEX_F16] = 2};
    static const int modes[] = {[OC_TEX_WRAP] = 0, [OC_TEX_CLAMP] = 1, [OC_TEX_MIRROR] = 2, [OC_TEX_BORDER] = 3};
    if ((size_t)t->format >= COUNT(formats) || (size_t)t->address >= COUNT(modes))
        return device_fail(d, OC_BAD_ARGUMENT, "a texture's format or address mode is out of range");
    if (t->depth || t->layers || t->cube || t->levels > 1)
        return device_fail(d, OC_UNSUPPORTED,
                           "on a real GPU, only textures of one or two dimensions lie in memory as it is here");
    const oc_tex_address y = t->by_axis ? t->address_y : t->address;
    if ((size_t)y >= COUNT(modes)) return device_fail(d, OC_BAD_ARGUMENT, "a texture's address mode is out of range");
    TextureResource r = {.type = t->height ? RESOURCE_PITCH : RESOURCE_LINEAR};
    if (t->height) {
        r.of.pitch.base = t->base, r.of.pitch.format = formats[t->format], r.of.pitch.channels = t->channels;
        r.of.pitch.width = t->width, r.of.pitch.height = t->height, r.of.pitch.pitch = t->pitch;
    } else {
        r.of.linear.base = t->base, r.of.linear.format = formats[t->format], r.of.linear.channels = t->channels;
        r.of.linear.bytes = t->width * sizes[t->format] * t->channels;
    }
    TextureSampling s = {.address = {modes[t->address], modes[y], modes[y]}, .filter = t->linear};
    bool whole = t->format != OC_TEX_F32 && t->format != OC_TEX_F16 && !t->unit_float;
    s.flags = (whole ? READ_AS_INTEGER : 0u) | (t->normalized ? NORMALIZED_COORDINATES : 0u) | (t->srgb ? SRGB : 0u);
    memcpy(s.border, t->border, sizeof s.border);
    CUtexObject object = 0;
    USABLE(d);
    TRY(d, driver_of(d)->cuTexObjectCreate(&object, &r, &s, NULL));
    *handle = object;
    return OC_OK;
}

oc_status cuda_texture_destroy(oc_device *d, uint64_t handle)
{
    USABLE(d);
    TRY(d, driver_of(d)->cuTexObjectDestroy(handle));
    return OC_OK;
}

// Surfaces and references need arrays, in whose layout a program can't see its texels.
oc_status cuda_surface_create(oc_device *d, const oc_texture *t, uint64_t *handle)
{
    (void)t, (void)handle;
    return device_fail(d, OC_UNSUPPORTED, "on a real GPU there are no surfaces over memory, only over arrays");
}

oc_status cuda_surface_destroy(oc_device *d, uint64_t handle)
{
    (void)handle;
    return device_fail(d, OC_BAD_ARGUMENT, "not a surface object");
}

oc_status cuda_reference_bind(oc_module *m, const char *name, const oc_texture *t, uint64_t *handle)
{
    (void)t, (void)handle;
    return device_fail(m->device, OC_UNSUPPORTED, "'%s': references can't be bound on a real GPU; use objects", name);
}
