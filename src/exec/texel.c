// texel.c: objects that handles mean, and the texels in their memory: where one lies, and what its channels are. A
// handle is a stranger's number. Invariant: a texel is read or written only inside of an allocation.
#include "exec/ops.h"

#include <string.h>

uint64_t texture_bytes(const Texture *t, const TexLevel *l)
{
    uint64_t slices = (uint64_t)MAX(t->slices, 1u) * l->depth;
    return (slices - 1) * l->slice + (uint64_t)(l->height - 1) * l->pitch + (uint64_t)l->width * texel_bytes(t);
}

// --- objects ---------------------------------------------------------------------------------------------------------
const Texture *object_find(Env *env, Warp *w, uint32_t lane, uint64_t handle, ObjectKind kind)
{
    static const FaultKind none[] = {FAULT_TEXTURE, FAULT_TEXTURE, FAULT_SURFACE, FAULT_SAMPLER};
    uint64_t index = handle - TEXTURE_TAG;
    const Texture *t = index < env->texture_count ? &env->textures[index] : NULL;
    bool fits = t && (t->kind == kind || (kind == OBJECT_SAMPLER && t->kind == OBJECT_TEXTURE));
    if (fits && t->bound) return t;
    exec_fault(env, w, fits ? FAULT_UNBOUND : none[kind], lane, handle, 0, false);
    return NULL;
}

bool object_lives(Env *env, Warp *w, uint32_t lane, const Texture *t, const TexLevel *l)
{
    const Allocation *a = gmem_find(env->gmem, l->base);
    if (a && !a->freed && texture_bytes(t, l) <= a->end - l->base) return true;
    exec_fault(env, w, FAULT_FREED, lane, l->base, texel_bytes(t), false);
    return false;
}

// --- places ----------------------------------------------------------------------------------------------------------
bool texel_outside(int mode, int64_t *i, int64_t n)
{
    switch (mode) {
    case 0: *i = *i < 0 ? 0 : n - 1; return true;  // clamp
    case 1: return false;                          // border
    case 2: *i = (*i % n + n) % n; return true;    // wrap
    default: {                                     // mirror
        int64_t k = (*i % (2 * n) + 2 * n) % (2 * n);
        *i = k < n ? k : 2 * n - 1 - k;
        return true;
    }
    }
}

// --- values ----------------------------------------------------------------------------------------------------------
// What a byte of sRGB stands for (IEC 61966-2-1). x^2.4 is the fifth root of x^12, by Newton's method: products,
// quotients and sums round alike on every host.
static float from_srgb(uint32_t byte)
{
    double c = byte / 255.0;
    if (c <= 0.04045) return (float)(c / 12.92);
    double x = (c + 0.055) / 1.055, x2 = x * x, x4 = x2 * x2, power = x4 * x4 * x4, r = x2;
    for (int k = 0; k < 16; k++) r -= (r - power / (r * r * r * r)) / 5;
    return (float)r;
}

static uint32_t channel_value(const Texture *t, const uint8_t *p, int channel)
{
    uint32_t v = 0;
    float f;
    switch (t->format) {
    case 3: v = *p, f = t->srgb && channel < 3 ? from_srgb(v) : (float)v / 255.0f; break;
    case 4: v = (uint32_t)(int32_t)(int8_t)*p, f = MAX((float)(int32_t)v / 127.0f, -1.0f); break;
    case 5: v = (uint32_t)(p[0] | p[1] << 8), f = (float)v / 65535.0f; break;
    case 6: v = (uint32_t)(int32_t)(int16_t)(p[0] | p[1] << 8), f = MAX((float)(int32_t)v / 32767.0f, -1.0f); break;
    case 7: return half_to_f32((uint32_t)(p[0] | p[1] << 8));
    default: memcpy(&v, p, 4); return v;
    }
    return t->unit_float ? as_u32(f) : v;
}

// The channels that a texture lacks are 0, and the fourth one is 1.
void texel_read(const Texture *t, const uint8_t *p, uint32_t out[4])
{
    const bool number = t->format == 0 || t->format == 7 || t->unit_float;
    out[1] = out[2] = 0, out[3] = number ? as_u32(1.0f) : 1;
    for (int c = 0; c < t->channels; c++, p += texel_channel_bytes(t)) out[c] = channel_value(t, p, c);
}

// The nearest integer to x times most, for x brought between least and 1; NaN is 0.
static int32_t to_unit(float x, float least, float most)
{
    float v = x != x ? 0 : x < least ? least : x > 1 ? 1 : x;
    v *= most;
    return (int32_t)(v < 0 ? v - 0.5f : v + 0.5f);
}

void texel_write(const Texture *t, uint8_t *p, int channel, uint32_t value)
{
    int32_t s = (int32_t)value;
    float f = as_f32(value);
    uint32_t bytes = texel_channel_bytes(t), v = value;
    if (channel >= t->channels) return;
    switch (t->format) {
    case 3: v = t->unit_float ? (uint32_t)to_unit(f, 0, 255) : MIN(value, 255u); break;
    case 4: v = (uint32_t)(t->unit_float ? to_unit(f, -1, 127) : MAX(-128, MIN(s, 127))); break;
    case 5: v = t->unit_float ? (uint32_t)to_unit(f, 0, 65535) : MIN(value, 65535u); break;
    case 6: v = (uint32_t)(t->unit_float ? to_unit(f, -1, 32767) : MAX(-32768, MIN(s, 32767))); break;
    case 7: v = f32_to_half_rn(value); break;
    default: break;
    }
    memcpy(p + bytes * (unsigned)channel, &v, bytes);
}
