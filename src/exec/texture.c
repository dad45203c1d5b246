// texture.c: tex and tld4 on texture objects: 1D linear memory and 2D (PTX ISA §9.7.10). A handle is TEXTURE_TAG plus
// the object's index. Filtering is done in float with 8-bit fractions, as the CUDA programming guide describes. The
// step's address of a lane is that of its first texel: bilinear neighbours aren't timed (doc/extend/model-errors.md).
#include "exec/ops.h"

#include <string.h>

uint32_t texel_bytes(const Texture *t)
{
    static const uint8_t bytes[] = {4, 4, 4, 1, 1, 2, 2, 2};
    return bytes[t->format] * t->channels;
}

// Brings a texel coordinate into range; false: the border, which reads as zero.
static bool wrap(int mode, int64_t *i, int64_t n)
{
    if (*i >= 0 && *i < n) return true;
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

static uint64_t texel_address(const Texture *t, int64_t x, int64_t y)
{
    return t->base + (uint64_t)y * t->pitch + (uint64_t)x * texel_bytes(t);
}

// One texel's channel as raw 32 bits: floats, or integers extended; unit_float scales 8 and 16 bits.
static uint32_t texel(const Gmem *g, const Texture *t, int64_t x, int64_t y, int channel)
{
    if (!wrap(t->address, &x, t->width) || !wrap(t->address, &y, MAX(t->height, 1u))) return 0;
    if (channel >= t->channels) {
        float one = channel == 3 ? 1.0f : 0.0f;
        uint32_t b;
        memcpy(&b, &one, 4);
        return t->format == 0 || t->format == 7 || t->unit_float ? b : channel == 3;
    }
    const uint8_t *p =
        (const uint8_t *)gmem_host(g, texel_address(t, x, y)) + texel_bytes(t) / t->channels * (unsigned)channel;
    uint32_t v = 0;
    float f;
    switch (t->format) {
    case 3: v = *p, f = (float)v / 255.0f; break;
    case 4: v = (uint32_t)(int32_t)(int8_t)*p, f = MAX((float)(int32_t)v / 127.0f, -1.0f); break;
    case 5: v = (uint32_t)(p[0] | p[1] << 8), f = (float)v / 65535.0f; break;
    case 6: v = (uint32_t)(int32_t)(int16_t)(p[0] | p[1] << 8), f = MAX((float)(int32_t)v / 32767.0f, -1.0f); break;
    case 7: return half_to_f32((uint32_t)(p[0] | p[1] << 8));
    default: memcpy(&v, p, 4); return v;
    }
    if (t->unit_float) memcpy(&v, &f, 4);
    return v;
}

// Coordinates from far outside are as good as from outside, and NaN is 0: all hosts agree on the integers they become.
static float tame(float x) { return x > 0x1p30f ? 0x1p30f : x < -0x1p30f ? -0x1p30f : x == x ? x : 0; }

static int64_t floor_of(float x) { return (int64_t)x - ((float)(int64_t)x > x); }

static float texel_float(const Gmem *g, const Texture *t, int64_t x, int64_t y, int c)
{
    uint32_t b = texel(g, t, x, y, c);
    float f;
    memcpy(&f, &b, 4);
    return f;
}

static uint32_t sample(const Gmem *g, const Texture *t, float x, float y, int c)
{
    if (!t->linear) return texel(g, t, floor_of(x), t->height ? floor_of(y) : 0, c);
    float xb = x - 0.5f, yb = t->height ? y - 0.5f : 0;
    int64_t i = floor_of(xb), j = floor_of(yb);
    // Fractions have 8 bits.
    float a = (float)(int)((xb - (float)i) * 256 + 0.5f) / 256, b = (float)(int)((yb - (float)j) * 256 + 0.5f) / 256;
    float v = (1 - a) * (1 - b) * texel_float(g, t, i, j, c) + a * (1 - b) * texel_float(g, t, i + 1, j, c);
    if (t->height) v += (1 - a) * b * texel_float(g, t, i, j + 1, c) + a * b * texel_float(g, t, i + 1, j + 1, c);
    uint32_t bits;
    memcpy(&bits, &v, 4);
    return bits;
}

void exec_texture(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const uint64_t *handle = row(&w->l, d->vector[4]);
    const uint32_t *rx = row(&w->l, d->a), *ry = row(&w->l, d->b);
    Step *s = &env->step;
    uint64_t last = UINT64_MAX;
    s->space = SP_TEX;
    s->run = 0;
    s->bytes = 4;
    for (int n = 0; n < LANES; n++) {
        if (!(mask >> n & 1)) continue;
        uint64_t index = handle[n] - TEXTURE_TAG;
        if (index >= env->texture_count || !env->textures[index].used) {
            exec_fault(env, w, FAULT_TEXTURE, (uint32_t)n, handle[n], 0, false);
            return;
        }
        const Texture *t = &env->textures[index];
        const Allocation *a = index == last ? NULL : gmem_find(env->gmem, t->base);
        if (index != last && (!a || a->freed)) {
            exec_fault(env, w, FAULT_FREED, (uint32_t)n, t->base, texel_bytes(t), false);
            return;
        }
        last = index;
        float x, y = 0;
        bool by_float = d->type2 == TY_F32;
        memcpy(&x, &rx[n], 4);
        memcpy(&y, &ry[n], 4);
        if (!by_float) x = (float)(int32_t)rx[n], y = (float)(int32_t)ry[n];
        if (d->mod == M_G1D) y = 0;
        if (by_float && t->normalized) x *= (float)t->width, y *= (float)MAX(t->height, 1u);
        x = tame(x), y = tame(y);
        int64_t i = floor_of(x), j = floor_of(y);
        if (!by_float) i = (int32_t)rx[n], j = d->mod == M_G1D ? 0 : (int32_t)ry[n];
        uint32_t out[4];
        if (d->op ==
            OP_TLD4) {  // the four texels of bilinear filtering: one channel, counter-clockwise from below left
            int c = d->component - M_TR;
            int64_t p = floor_of(x - 0.5f), q = floor_of(y - 0.5f);
            out[0] = texel(env->gmem, t, p, q + 1, c);
            out[1] = texel(env->gmem, t, p + 1, q + 1, c);
            out[2] = texel(env->gmem, t, p + 1, q, c);
            out[3] = texel(env->gmem, t, p, q, c);
        } else {
            for (int c = 0; c < 4; c++)
                out[c] = by_float ? sample(env->gmem, t, x, y, c) : texel(env->gmem, t, i, j, c);
        }
        for (int c = 0; c < 4; c++) ((uint32_t *)row(&w->l, d->vector[c]))[n] = out[c];
        wrap(0, &i, t->width), wrap(0, &j, MAX(t->height, 1u));
        s->addr[n] = texel_address(t, i, j);
        s->bytes = MAX(texel_bytes(t), 1u);
    }
}
