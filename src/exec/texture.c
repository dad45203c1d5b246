// texture.c: tex and tld4 (PTX ISA §9.7.10), and the questions about textures and surfaces. Filtering is done in float
// with fractions of 8 bits, as the CUDA programming guide describes ("Texture Fetching"). The step's address of a lane
// is that of its first texel, of its first level: neighbours and second levels aren't timed
// (doc/extend/model-errors.md).
#include "exec/ops.h"
#include "ptx/ops.h"

#include <math.h>
#include <string.h>

// What a lane fetches from. offset is in texels.
typedef struct Fetch {
    const Gmem *gmem;
    const Texture *t;
    const Sampler *s;
    uint64_t slice;
    float at[3];       // coordinates, of a cube's face the two on it
    int64_t whole[3];  // integer coordinates
    int32_t offset[3];
    bool by_float, cube;
    uint16_t mip;
    int axes;  // of the coordinates
} Fetch;

// Coordinates from far outside are as good as from outside, and NaN is 0: all hosts agree on the integers they become.
static float tame(float x) { return x > 0x1p30f ? 0x1p30f : x < -0x1p30f ? -0x1p30f : x == x ? x : 0; }

static int64_t floor_of(float x) { return (int64_t)x - ((float)(int64_t)x > x); }

// A fraction of 8 bits: rounded, since a weight may be 1.
static float fraction(float x, int64_t floor) { return (float)(int)((x - (float)floor) * 256 + 0.5f) / 256; }

// --- one level -------------------------------------------------------------------------------------------------------
static uint32_t border(const Fetch *f, int c)
{
    const Texture *t = f->t;
    float v = f->s->border[c];
    if (t->format == 0 || t->format == 7 || t->unit_float) return as_u32(v);
    v = tame(v);
    return (uint32_t)(int32_t)(v > 0x1.fffffep30f ? 0x1.fffffep30f : v);
}

// The four channels of a texel; those that the texture lacks, too.
static void texel(const Fetch *f, const TexLevel *l, int64_t x, int64_t y, int64_t z, uint32_t out[4])
{
    const Texture *t = f->t;
    const uint8_t *mode = f->s->address;
    if (texel_wrap(mode[0], &x, l->width) && texel_wrap(mode[1], &y, l->height) && texel_wrap(mode[2], &z, l->depth)) {
        texel_read(t, gmem_host(f->gmem, texel_address(t, l, &(Texel){x, y, z, f->slice})), out);
    } else {
        for (int c = 0; c < 4; c++) out[c] = border(f, c);
    }
}

// Coordinates in [0, 1) are of the whole level; those on a cube's face always are.
static bool scaled(const Fetch *f) { return f->s->normalized || f->t->cube; }

// Where the coordinates lie in a level, in texels.
static void place(const Fetch *f, const TexLevel *l, float to[3])
{
    const uint32_t size[3] = {l->width, l->height, l->depth};
    const bool whole = scaled(f);
    for (int k = 0; k < 3; k++) {
        const float x = k >= f->t->dimensions ? 0 : whole ? f->at[k] * (float)size[k] : f->at[k];
        to[k] = tame(x) + (float)f->offset[k];
    }
}

// Four texels around a place, weighed.
static void in_plane(const Fetch *f, const TexLevel *l, const float at[3], int64_t z, float out[4])
{
    const bool plane = f->t->dimensions > 1;
    const float xb = at[0] - 0.5f, yb = plane ? at[1] - 0.5f : 0;
    const int64_t i = floor_of(xb), j = floor_of(yb);
    const float a = fraction(xb, i), b = fraction(yb, j);
    uint32_t near[4][4] = {{0}};
    texel(f, l, i, j, z, near[0]), texel(f, l, i + 1, j, z, near[1]);
    if (plane) texel(f, l, i, j + 1, z, near[2]), texel(f, l, i + 1, j + 1, z, near[3]);
    for (int c = 0; c < 4; c++) {
        out[c] = (1 - a) * (1 - b) * as_f32(near[0][c]) + a * (1 - b) * as_f32(near[1][c]);
        if (plane) out[c] += (1 - a) * b * as_f32(near[2][c]) + a * b * as_f32(near[3][c]);
    }
}

// What a fetch gives of a level; at: its place there.
static void sample(const Fetch *f, const TexLevel *l, const float at[3], uint32_t out[4])
{
    float near[4], far[4];
    if (!f->by_float)
        return texel(f, l, f->whole[0] + f->offset[0], f->whole[1] + f->offset[1], f->whole[2] + f->offset[2], out);
    if (!f->s->linear) return texel(f, l, floor_of(at[0]), floor_of(at[1]), floor_of(at[2]), out);
    const bool deep = f->t->dimensions > 2;
    const float zb = at[2] - 0.5f;
    const int64_t k = deep ? floor_of(zb) : 0;
    const float g = deep ? fraction(zb, k) : 0;
    in_plane(f, l, at, k, near);
    if (deep) in_plane(f, l, at, k + 1, far);
    for (int c = 0; c < 4; c++) out[c] = as_u32(deep ? (1 - g) * near[c] + g * far[c] : near[c]);
}

// --- levels ----------------------------------------------------------------------------------------------------------
// The binary logarithm of a positive number to 10 bits behind the point: a bit for each squaring, alike on all hosts.
static float log2_of(double x)
{
    int e;
    double m = frexp(x, &e) * 2, r = e - 1;
    for (int k = 1; k <= 10; k++) {
        m *= m;
        if (m >= 2) m /= 2, r += 1.0 / (1 << k);
    }
    return (float)r;
}

// The level that derivatives ask for: how many texels of the first level lie between neighbours, at most.
static float level_of(const Fetch *f, const float dx[3], const float dy[3])
{
    const TexLevel *l = f->t->level;
    const uint32_t size[3] = {l->width, l->height, l->depth};
    double x2 = 0, y2 = 0;
    for (int k = 0; k < f->t->dimensions; k++) {
        double n = scaled(f) ? size[k] : 1, x = (double)tame(dx[k]) * n, y = (double)tame(dy[k]) * n;
        x2 += x * x, y2 += y * y;
    }
    double most = MAX(x2, y2);
    return most > 0 ? log2_of(most) / 2 : -0x1p10f;
}

// The levels that are read, and the second one's weight.
static float pick_levels(const Fetch *f, float lod, const TexLevel *l[2])
{
    const Sampler *s = f->s;
    float x = tame(lod) + s->bias, last = (float)(f->t->levels - 1);
    x = x < s->least ? s->least : x > s->most ? s->most : x;
    x = x != x || x < 0 ? 0 : x > last ? last : x;
    int64_t k = floor_of(s->linear_levels ? x : x + 0.5f), most = f->t->levels - 1;
    l[0] = &f->t->level[MIN(k, most)], l[1] = &f->t->level[MIN(k + 1, most)];
    return s->linear_levels ? fraction(x, k) : 0;
}

// --- cubes -----------------------------------------------------------------------------------------------------------
// A direction's face and the place on it (the guide's table "Cubemap Fetch"): the axis of the greatest magnitude, of
// equal ones the first. Derivatives are projected with it.
static void to_face(Fetch *f, float dx[3], float dy[3])
{
    static const int8_t s_axis[] = {2, 2, 0, 0, 0, 0}, t_axis[] = {1, 1, 2, 2, 1, 1};
    static const int8_t s_sign[] = {-1, 1, 1, 1, 1, -1}, t_sign[] = {-1, -1, 1, -1, -1, -1};
    float at[3], size[3];
    for (int k = 0; k < 3; k++) at[k] = tame(f->at[k]), size[k] = at[k] < 0 ? -at[k] : at[k];
    int axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    int face = 2 * axis + (at[axis] < 0);
    float m = size[axis], sign = at[axis] < 0 ? -1.0f : 1.0f;
    float s = at[s_axis[face]] * s_sign[face], t = at[t_axis[face]] * t_sign[face];
    for (int k = 0; m > 0 && k < 2; k++) {
        float *d = k ? dy : dx, dm = d[axis] * sign, ds = d[s_axis[face]] * s_sign[face],
              dt = d[t_axis[face]] * t_sign[face];
        d[0] = (ds - s / m * dm) / (2 * m), d[1] = (dt - t / m * dm) / (2 * m), d[2] = 0;
    }
    f->at[0] = m > 0 ? (s / m + 1) / 2 : 0.5f, f->at[1] = m > 0 ? (t / m + 1) / 2 : 0.5f, f->at[2] = 0;
    f->slice += (uint32_t)face;
}

// --- tex and tld4 ----------------------------------------------------------------------------------------------------
static float float_in(const Lanes *l, const Dinst *d, int row_of, int n)
{
    Loc32 at = d->results[row_of];
    return at == NO_ROW ? 0 : as_f32(((const uint32_t *)row(l, at))[n]);
}

static int32_t int_in(const Lanes *l, const Dinst *d, int row_of, int n)
{
    Loc32 at = d->results[row_of];
    return at == NO_ROW ? 0 : ((const int32_t *)row(l, at))[n];
}

static uint64_t long_in(const Lanes *l, const Dinst *d, int row_of, int n)
{
    return ((const uint64_t *)row(l, d->results[row_of]))[n];
}

// A lane's coordinates, layer and offsets; the level that it asks for.
static float take_up(Fetch *f, const Lanes *l, const Dinst *d, int n)
{
    const Texture *t = f->t;
    const uint16_t mip = f->mip;
    float dx[3] = {0}, dy[3] = {0}, lod = 0;
    for (int k = 0; k < f->axes; k++) {
        if (f->by_float)
            f->at[k] = float_in(l, d, TEX_AT + k, n);
        else
            f->whole[k] = int_in(l, d, TEX_AT + k, n);
        f->offset[k] = int_in(l, d, TEX_OFF + k, n);
        if (mip == M_GRAD) dx[k] = float_in(l, d, TEX_DDX + k, n), dy[k] = float_in(l, d, TEX_DDY + k, n);
    }
    if (t->layers) f->slice = MIN((uint32_t)int_in(l, d, TEX_LAYER, n), t->layers - 1);
    if (t->cube) f->slice *= 6;
    if (t->cube && f->cube) to_face(f, dx, dy);
    if (mip == M_AT_LEVEL) lod = f->by_float ? float_in(l, d, TEX_LOD, n) : (float)int_in(l, d, TEX_LOD, n);
    return mip == M_GRAD ? level_of(f, dx, dy) : lod;
}

// The four texels of bilinear filtering: one channel, counter-clockwise from below left.
static void gather(const Fetch *f, const float at[3], int c, uint32_t out[4])
{
    static const uint8_t right[] = {0, 1, 1, 0}, up[] = {1, 1, 0, 0};
    const int64_t p = floor_of(at[0] - 0.5f), q = floor_of(at[1] - 0.5f);
    for (int k = 0; k < 4; k++) {
        uint32_t all[4];
        texel(f, f->t->level, p + right[k], q + up[k], 0, all);
        out[k] = all[c];
    }
}

static void put_result(const Lanes *l, const Dinst *d, int n, const uint32_t out[4])
{
    const Loc32 *to = d->results + TEX_OUT;
    if (d->type == TY_F16X2) {
        for (int k = 0; k < 2; k++)
            ((uint32_t *)row(l, to[k]))[n] = f32_to_half_rn(out[2 * k]) | f32_to_half_rn(out[2 * k + 1]) << 16;
        return;
    }
    for (int k = 0; k < 4; k++) ((uint32_t *)row(l, to[k]))[n] = d->type == TY_F16 ? f32_to_half_rn(out[k]) : out[k];
}

// The address of a lane's first texel, brought inside.
static uint64_t first_address(const Fetch *f, const TexLevel *l, const float at[3])
{
    Texel where = {.slice = f->slice};
    int64_t *to[3] = {&where.x, &where.y, &where.z};
    const uint32_t size[3] = {l->width, l->height, l->depth};
    for (int k = 0; k < f->t->dimensions; k++) {
        *to[k] = f->by_float ? floor_of(at[k]) : f->whole[k] + f->offset[k];
        texel_wrap(0, to[k], size[k]);
    }
    return texel_address(f->t, l, &where);
}

static void fetch(Env *env, Warp *w, const Dinst *d, int n, Fetch *f)
{
    const TexLevel *l[2] = {f->t->level, NULL};
    const float lod = take_up(f, &w->l, d, n);
    float at[3], second = 0;
    uint32_t out[4], other[4];
    if (d->op != OP_TLD4 && (f->mip == M_AT_LEVEL || f->mip == M_GRAD)) second = pick_levels(f, lod, l);
    place(f, l[0], at);
    if (d->op == OP_TLD4)
        gather(f, at, d->component, out);
    else
        sample(f, l[0], at, out);
    env->step.addr[n] = first_address(f, l[0], at);
    if (second > 0) {
        place(f, l[1], at);
        sample(f, l[1], at, other);
        for (int c = 0; c < 4; c++) out[c] = as_u32((1 - second) * as_f32(out[c]) + second * as_f32(other[c]));
    }
    put_result(&w->l, d, n, out);
}

void exec_texture(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    Step *s = &env->step;
    uint64_t last = UINT64_MAX;
    const Texture *t = NULL;
    const bool cube = tex_shape(d->mod).cube;
    s->space = SP_TEX;
    s->bytes = 4;
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint64_t handle = long_in(&w->l, d, TEX_HANDLE, n);
        if (!t || handle != last) {
            t = object_find(env, w, (uint32_t)n, handle, OBJECT_TEXTURE);
            for (uint32_t k = 0; t && k < t->levels; k++)
                if (!object_lives(env, w, (uint32_t)n, t, &t->level[k])) return;
            last = handle;
        }
        if (!t) return;
        Fetch f = {.gmem = env->gmem,
                   .t = t,
                   .s = &t->sampler,
                   .by_float = d->type2 == TY_F32,
                   .cube = cube,
                   .mip = d->inst->mod[G_MIP],
                   .axes = cube ? 3 : t->dimensions};
        if (d->results[TEX_SAMPLER] != NO_ROW) {
            const Texture *sampler =
                object_find(env, w, (uint32_t)n, long_in(&w->l, d, TEX_SAMPLER, n), OBJECT_SAMPLER);
            if (!sampler) return;
            f.s = &sampler->sampler;
        }
        fetch(env, w, d, n, &f);
        s->bytes = MAX(texel_bytes(t), 1u);
    }
    if (d->pdst != PRED_SINK) w->l.pred[d->pdst] |= mask;  // all texels are resident
}

// --- questions -------------------------------------------------------------------------------------------------------
// Numbers of OpenCL 1.0 (PTX ISA §5.3.3).
static uint32_t data_type(const Texture *t)
{
    static const uint16_t whole[] = {0x10de, 0x10da, 0x10d9, 0x10da, 0x10d7, 0x10db, 0x10d8, 0x10dd};
    static const uint16_t unit[] = {0x10de, 0x10dc, 0x10d9, 0x10d2, 0x10d0, 0x10d3, 0x10d1, 0x10dd};
    if (t->format == 1) return 0x10dc;
    return t->unit_float ? unit[t->format] : whole[t->format];
}

static uint32_t answer(const Texture *t, const Dinst *d, uint32_t lod)
{
    static const uint8_t modes[] = {3, 4, 0, 1};  // clamp_to_edge, clamp_to_border, wrap, mirror
    static const TexLevel nothing = {0};
    const TexLevel *l = t->levels ? &t->level[MIN(lod, t->levels - 1)] : &nothing;
    switch (d->mod) {
    case M_Q_WIDTH: return l->width;
    case M_Q_HEIGHT: return t->dimensions > 1 ? l->height : 0;
    case M_Q_DEPTH: return t->dimensions > 2 ? l->depth : 0;
    case M_Q_DATA_TYPE: return data_type(t);
    case M_Q_ORDER: return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;  // R, RG, RGBA
    case M_Q_ARRAY_SIZE: return t->layers;
    case M_Q_NORMALIZED: return t->sampler.normalized;
    case M_Q_UNNORMALIZED: return !t->sampler.normalized;
    case M_Q_LEVELS: return t->levels;
    case M_Q_SAMPLES: return 1;
    case M_Q_FILTER: return t->sampler.linear;
    case M_Q_LAYOUT: return 1;  // rows one after the other
    default: return modes[t->sampler.address[d->mod - M_Q_ADDRESS_0]];
    }
}

static bool is_kind(const Env *env, uint64_t handle, Type type)
{
    uint64_t index = handle - TEXTURE_TAG;
    uint8_t kind = type == TY_TEXREF ? OBJECT_TEXTURE : type == TY_SURFREF ? OBJECT_SURFACE : OBJECT_SAMPLER;
    return index < env->texture_count && env->textures[index].kind == kind;
}

void exec_query(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const ObjectKind kind = d->op == OP_SUQ ? OBJECT_SURFACE : OBJECT_TEXTURE;
    const bool sampler = d->mod >= M_Q_UNNORMALIZED && d->mod <= M_Q_ADDRESS_2;
    for (uint32_t m = mask; m; m &= m - 1) {
        int n = __builtin_ctz(m);
        uint64_t handle = long_in(&w->l, d, TEX_HANDLE, n);
        if (d->op == OP_ISTYPEP) {
            uint32_t *p = &w->l.pred[d->pdst];
            *p = is_kind(env, handle, d->type) ? *p | 1u << n : *p & ~(1u << n);
            continue;
        }
        const Texture *t = object_find(env, w, (uint32_t)n, handle, sampler ? OBJECT_SAMPLER : kind);
        if (!t) return;
        ((uint32_t *)row(&w->l, d->dst))[n] = answer(t, d, (uint32_t)int_in(&w->l, d, TEX_LOD, n));
    }
}
