// Textures of all shapes: 1D arrays to cubes, mipmaps, borders, an address mode for each axis, sRGB, f16 results,
// offsets and questions, against a reference written from the CUDA programming guide's appendix on texture fetching
// (texels at half-odd places, weights of 8 bits behind the point) and its table of a cube's faces.
#include "check.h"

#include <math.h>
#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Thread n reads 16 words at `at`: %f0 … %f15, which are %r0 … %r15, too, and stores %r20 … %r23.
#define KERNEL(name, body)                                                                                 \
    ".visible .entry " name "(.param .u64 tex, .param .u64 at, .param .u64 out)\n"                         \
    "{\n"                                                                                                  \
    "    .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<40>; .reg .b64 %d<12>; .reg .f32 %f<40>;\n"       \
    "    ld.param.u64 %d1, [tex]; ld.param.u64 %d2, [at]; ld.param.u64 %d3, [out];\n"                      \
    "    mov.u32 %r30, %tid.x; mov.u32 %r31, %ctaid.x; mad.lo.u32 %r30, %r31, 64, %r30;\n"                 \
    "    mul.wide.u32 %d4, %r30, 64; add.u64 %d5, %d2, %d4;\n"                                             \
    "    mul.wide.u32 %d6, %r30, 16; add.u64 %d7, %d3, %d6;\n"                                             \
    "    ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d5]; ld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%d5+16];\n" \
    "    ld.global.v4.f32 {%f8, %f9, %f10, %f11}, [%d5+32];\n"                                             \
    "    ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d5]; ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d5+16];\n" \
    "    ld.global.v4.u32 {%r12, %r13, %r14, %r15}, [%d5+48];\n"                                           \
    "    mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r23, 0;\n"                            \
    "    " body "\n"                                                                                       \
    "    st.global.v4.u32 [%d7], {%r20, %r21, %r22, %r23}; ret;\n"                                         \
    "}\n"
#define OUT "{%r20, %r21, %r22, %r23}"
#define FOUT "{%f20, %f21, %f22, %f23}"
#define MOVED "mov.b32 %r20, %f20; mov.b32 %r21, %f21; mov.b32 %r22, %f22; mov.b32 %r23, %f23;"
static const char *const kernels[] = {
    // clang-format off
    KERNEL("f1d", "tex.1d.v4.f32.f32 " FOUT ", [%d1, {%f0}]; " MOVED),
    KERNEL("f2d", "tex.2d.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1}]; " MOVED),
    KERNEL("f3d", "tex.3d.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1, %f2, %f3}]; " MOVED),
    KERNEL("i3d", "tex.3d.v4.u32.s32 " OUT ", [%d1, {%r0, %r1, %r2, %r3}];"),
    KERNEL("fa1d", "tex.a1d.v4.f32.f32 " FOUT ", [%d1, {%r12, %f0}]; " MOVED),
    KERNEL("ia1d", "tex.a1d.v4.u32.s32 " OUT ", [%d1, {%r12, %r0}];"),
    KERNEL("fa2d", "tex.a2d.v4.f32.f32 " FOUT ", [%d1, {%r12, %f0, %f1, %f1}]; " MOVED),
    KERNEL("ia2d", "tex.a2d.v4.u32.s32 " OUT ", [%d1, {%r12, %r0, %r1, %r1}];"),
    KERNEL("cube", "tex.cube.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1, %f2, %f3}]; " MOVED),
    KERNEL("acube", "tex.acube.v4.f32.f32 " FOUT ", [%d1, {%r12, %f0, %f1, %f2}]; " MOVED),
    KERNEL("base2d", "tex.base.2d.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1}]; " MOVED),
    KERNEL("level1d", "tex.level.1d.v4.f32.f32 " FOUT ", [%d1, {%f0}], %f4; " MOVED),
    KERNEL("level2d", "tex.level.2d.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1}], %f4; " MOVED),
    KERNEL("level3d", "tex.level.3d.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1, %f2, %f3}], %f4; " MOVED),
    KERNEL("levela2d", "tex.level.a2d.v4.f32.f32 " FOUT ", [%d1, {%r12, %f0, %f1, %f3}], %f4; " MOVED),
    KERNEL("levelcube", "tex.level.cube.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1, %f2, %f3}], %f4; " MOVED),
    KERNEL("grad2d", "tex.grad.2d.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1}], {%f5, %f6}, {%f8, %f9}; " MOVED),
    KERNEL("grad3d", "tex.grad.3d.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1, %f2, %f3}], {%f5, %f6, %f7, %f7}, "
                     "{%f8, %f9, %f10, %f10}; " MOVED),
    KERNEL("ilevel2d", "tex.level.2d.v4.u32.s32 " OUT ", [%d1, {%r0, %r1}], %r12;"),
    KERNEL("off2d", "tex.2d.v4.f32.f32 " FOUT ", [%d1, {%f0, %f1}], {%r13, %r14}; " MOVED),
    KERNEL("off1d", "tex.1d.v4.f32.s32 " FOUT ", [%d1, {%r0}], %r13; " MOVED),
    KERNEL("resident", "tex.2d.v4.f32.f32 " FOUT "|%p1, [%d1, {%f0, %f1}]; " MOVED " selp.u32 %r23, 77, 0, %p1;"),
    KERNEL("f16", "tex.2d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [%d1, {%f0, %f1}]; cvt.u32.u16 %r20, %h1; "
                  "cvt.u32.u16 %r21, %h2; cvt.u32.u16 %r22, %h3; cvt.u32.u16 %r23, %h4;"),
    KERNEL("f16x2", "tex.2d.v2.f16x2.f32 {%r20, %r21}, [%d1, {%f0, %f1}];"),
    KERNEL("gathera2d", "tld4.g.a2d.v4.f32.f32 " FOUT ", [%d1, {%r12, %f0, %f1, %f1}]; " MOVED),
    KERNEL("ask1", "txq.width.b32 %r20, [%d1]; txq.height.b32 %r21, [%d1]; txq.depth.b32 %r22, [%d1]; "
                   "txq.array_size.b32 %r23, [%d1];"),
    KERNEL("ask2", "txq.channel_data_type.b32 %r20, [%d1]; txq.channel_order.b32 %r21, [%d1]; "
                   "txq.normalized_coords.b32 %r22, [%d1]; txq.num_mipmap_levels.b32 %r23, [%d1];"),
    KERNEL("ask3", "txq.filter_mode.b32 %r20, [%d1]; txq.addr_mode_0.b32 %r21, [%d1]; "
                   "txq.addr_mode_1.b32 %r22, [%d1]; txq.addr_mode_2.b32 %r23, [%d1];"),
    KERNEL("ask4", "mov.u32 %r1, 1; txq.level.width.b32 %r20, [%d1], %r1; txq.level.height.b32 %r21, [%d1], 2; "
                   "txq.level.depth.b32 %r22, [%d1], 9; txq.num_samples.b32 %r23, [%d1];"),
    KERNEL("what", "istypep.texref %p1, %d1; istypep.surfref %p2, %d1; istypep.samplerref %p3, %d1; "
                   "selp.u32 %r20, 1, 0, %p1; selp.u32 %r21, 1, 0, %p2; selp.u32 %r22, 1, 0, %p3;"),
    // clang-format on
};

enum { N = 640, BYTES = 1 << 16 };
typedef struct Fixture {
    oc_device *d;
    oc_module *m;
    oc_ptr image, at, out;
    uint8_t pixels[BYTES];
    union {
        float f[16];
        int32_t i[16];
    } in[N];
    uint32_t got[N][4];
} Fixture;

static int set_up(void **state)
{
    bool functional = *state != NULL;
    Fixture *f = calloc(1, sizeof *f);
    oc_config config = {.gpu = "gtx480", .functional = functional};
    char *ptx = calloc(1, 1 << 20);
    strcat(ptx, ".version 7.0\n.target sm_70\n.address_size 64\n");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) strcat(ptx, kernels[k]);
    if (oc_open(&config, &f->d, NULL, 0) != OC_OK) return -1;
    if (oc_load(f->d, ptx, strlen(ptx), "shapes.ptx", &f->m) != OC_OK)
        return fprintf(stderr, "%s\n", oc_error(f->d)), -1;
    free(ptx);
    oc_malloc(f->d, sizeof f->pixels, "image", &f->image);
    oc_malloc(f->d, sizeof f->in, "in", &f->at);
    oc_malloc(f->d, sizeof f->got, "out", &f->out);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    oc_close(f->d);
    free(f);
    return 0;
}

static oc_status launch(Fixture *f, const char *kernel, uint64_t handle)
{
    oc_kernel *k;
    const void *args[] = {&handle, &f->at, &f->out};
    assert_int_equal(oc_kernel_get(f->m, kernel, &k), OC_OK);
    assert_int_equal(oc_write(f->d, f->at, f->in, sizeof f->in, NULL), OC_OK);
    return oc_launch(k, (oc_dim3){N / 64, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args);
}

static void run(Fixture *f, const char *kernel, uint64_t handle)
{
    if (launch(f, kernel, handle) != OC_OK) fail_msg("%s: %s", kernel, oc_error(f->d));
    assert_int_equal(oc_read(f->d, f->got, f->out, sizeof f->got, NULL), OC_OK);
}

static uint64_t create(Fixture *f, const oc_texture *t)
{
    uint64_t handle;
    if (oc_texture_create(f->d, t, &handle) != OC_OK) fail_msg("%s", oc_error(f->d));
    return handle;
}

static uint32_t seed = 7;
static uint32_t draw(uint32_t n) { return seed = seed * 1664525u + 1013904223u, (seed >> 8) % n; }

static float number(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, 4);
    return v;
}

// Floats that are small whole numbers: sums of products are exact, or nearly.
static void paint(Fixture *f)
{
    for (size_t k = 0; k < BYTES / 4; k++) {
        float v = (float)(int)draw(2001) - 1000;
        memcpy(f->pixels + 4 * k, &v, 4);
    }
    assert_int_equal(oc_write(f->d, f->image, f->pixels, BYTES, NULL), OC_OK);
}

// --- the reference ---------------------------------------------------------------------------------------------------
typedef struct Plane {  // a level of a texture of one channel of 32 bits, in words
    int at, width, height, depth, row, slice;
} Plane;
typedef struct Ref {
    const Fixture *f;
    oc_tex_address mode[3];
    float border;
    int dims;
    bool linear;
} Ref;

// What becomes of texel i of n; -1: the border.
static int place(oc_tex_address mode, int i, int n)
{
    if (i >= 0 && i < n) return i;
    switch (mode) {
    case OC_TEX_CLAMP: return i < 0 ? 0 : n - 1;
    case OC_TEX_BORDER: return -1;
    case OC_TEX_WRAP: return i - n * (int)floor((double)i / n);
    default: {
        int turn = (int)floor((double)i / n), k = i - n * turn;
        return turn % 2 ? n - 1 - k : k;
    }
    }
}

// Coordinates that aren't normalized are clamped where they would wrap or mirror (CUDA C++ Programming Guide, "Texture
// Object API").
static oc_tex_address whole_mode(oc_tex_address mode)
{
    return mode == OC_TEX_WRAP || mode == OC_TEX_MIRROR ? OC_TEX_CLAMP : mode;
}

static double texel(const Ref *r, const Plane *p, int x, int y, int z, int slice)
{
    int i = place(r->mode[0], x, p->width), j = place(r->mode[1], y, p->height), k = place(r->mode[2], z, p->depth);
    float v;
    if (i < 0 || j < 0 || k < 0) return r->border;
    memcpy(&v, r->f->pixels + 4 * (p->at + i + j * p->row + (k + slice) * p->slice), 4);
    return v;
}

static double weight(double x) { return floor((x - floor(x)) * 256 + 0.5) / 256; }

// At texel coordinates
static double fetched(const Ref *r, const Plane *p, double x, double y, double z, int slice)
{
    if (r->dims < 2) y = 0;
    if (r->dims < 3) z = 0;
    if (!r->linear) return texel(r, p, (int)floor(x), (int)floor(y), (int)floor(z), slice);
    double at[3] = {x - 0.5, r->dims > 1 ? y - 0.5 : 0, r->dims > 2 ? z - 0.5 : 0}, sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        double w = 1;
        int i[3];
        for (int k = 0; k < 3; k++) {
            int far = corner >> k & 1;
            double a = weight(at[k]);
            w *= far ? a : 1 - a;
            i[k] = (int)floor(at[k]) + far;
        }
        if (w != 0) sum += w * texel(r, p, i[0], i[1], i[2], slice);
    }
    return sum;
}

static void compare(const Fixture *f, int n, double want, const char *what)
{
    float got = number(f->got[n][0]);
    if (!(fabs(want - got) <= 1e-3))
        fail_msg("%s: thread %d at (%g, %g, %g), word %d: %.9g, not %.9g", what, n, f->in[n].f[0], f->in[n].f[1],
                 f->in[n].f[2], f->in[n].i[12], got, want);
}

// In [-2, 3) times n, at multiples of 1/1024 that aren't in the middle of two weights.
static double coordinate(int n)
{
    uint32_t q = draw((uint32_t)(5 * n * 1024));
    if (q % 4 == 2) q++;
    return (double)q / 1024 - 2 * n;
}

// --- tests -----------------------------------------------------------------------------------------------------------
enum { W = 13, H = 7, D = 5, ROW = 16, SLICE = ROW * (H + 1) };
static const Plane whole = {0, W, H, D, ROW, SLICE};

static oc_texture box(const Fixture *f)
{
    return (oc_texture){.base = f->image,
                        .width = W,
                        .height = H,
                        .pitch = ROW * 4,
                        .slice = SLICE * 4,
                        .channels = 1,
                        .format = OC_TEX_F32};
}

// Each axis has a mode of its own; the border isn't zero.
static void volumes(void **state)
{
    Fixture *f = *state;
    paint(f);
    for (int modes = 0; modes < 64; modes += 3)
        for (int linear = 0; linear < 2; linear++) {
            oc_texture t = box(f);
            t.depth = D, t.linear = linear, t.by_axis = true, t.border[0] = 55;
            t.address = (oc_tex_address)(modes & 3), t.address_y = (oc_tex_address)(modes >> 2 & 3);
            t.address_z = (oc_tex_address)(modes >> 4);
            Ref r = {f, {t.address, t.address_y, t.address_z}, 55, 3, linear};
            // Normalized: sizes that are powers of two, so that the products are exact.
            const Plane part = {0, 8, 4, 4, ROW, SLICE};
            oc_texture u = t;
            u.normalized = true, u.width = 8, u.height = u.depth = 4;
            for (int n = 0; n < N; n++)
                f->in[n].f[0] = (float)coordinate(8) / 8, f->in[n].f[1] = (float)coordinate(4) / 4,
                f->in[n].f[2] = (float)coordinate(4) / 4;
            uint64_t h = create(f, &u);
            run(f, "f3d", h);
            for (int n = 0; n < N; n++)
                compare(f, n, fetched(&r, &part, f->in[n].f[0] * 8, f->in[n].f[1] * 4, f->in[n].f[2] * 4, 0),
                        "3D, normalized");
            assert_int_equal(oc_texture_destroy(f->d, h), OC_OK);
            for (int k = 0; k < 3; k++) r.mode[k] = whole_mode(r.mode[k]);
            for (int n = 0; n < N; n++)
                f->in[n].f[0] = (float)coordinate(W), f->in[n].f[1] = (float)coordinate(H),
                f->in[n].f[2] = (float)coordinate(D);
            h = create(f, &t);
            run(f, "f3d", h);
            for (int n = 0; n < N; n++)
                compare(f, n, fetched(&r, &whole, f->in[n].f[0], f->in[n].f[1], f->in[n].f[2], 0), "3D");
            if (!linear) {
                for (int n = 0; n < N; n++)
                    f->in[n].i[0] = (int)draw(5 * W) - 2 * W, f->in[n].i[1] = (int)draw(5 * H) - 2 * H,
                    f->in[n].i[2] = (int)draw(5 * D) - 2 * D;
                run(f, "i3d", h);
                for (int n = 0; n < N; n++)
                    compare(f, n, texel(&r, &whole, f->in[n].i[0], f->in[n].i[1], f->in[n].i[2], 0), "3D, whole");
            }
            assert_int_equal(oc_texture_destroy(f->d, h), OC_OK);
        }
}

// A layer's number is brought into range, whatever the modes are.
static void layers(void **state)
{
    Fixture *f = *state;
    paint(f);
    for (int linear = 0; linear < 2; linear++)
        for (int dims = 1; dims < 3; dims++) {
            oc_texture t = box(f);
            t.layers = D, t.linear = linear, t.address = OC_TEX_WRAP;
            if (dims == 1) t.height = 0, t.pitch = 0;
            const Plane p = {0, W, dims == 1 ? 1 : H, 1, ROW, SLICE};
            const Ref r = {f, {OC_TEX_CLAMP, OC_TEX_CLAMP, OC_TEX_CLAMP}, 0, dims, linear};  // not normalized
            for (int n = 0; n < N; n++)
                f->in[n].f[0] = (float)coordinate(W), f->in[n].f[1] = (float)coordinate(H),
                f->in[n].i[12] = (int)draw(3 * D) - D;
            uint64_t h = create(f, &t);
            run(f, dims == 1 ? "fa1d" : "fa2d", h);
            for (int n = 0; n < N; n++) {
                int layer = f->in[n].i[12] < 0 || f->in[n].i[12] >= D ? D - 1 : f->in[n].i[12];  // it is unsigned
                compare(f, n, fetched(&r, &p, f->in[n].f[0], f->in[n].f[1], 0, layer), "layers");
            }
            if (!linear) {
                for (int n = 0; n < N; n++) f->in[n].i[0] = (int)draw(W), f->in[n].i[1] = (int)draw(H);
                run(f, dims == 1 ? "ia1d" : "ia2d", h);
                for (int n = 0; n < N; n++) {
                    int layer = f->in[n].i[12] < 0 || f->in[n].i[12] >= D ? D - 1 : f->in[n].i[12];
                    compare(f, n, texel(&r, &p, f->in[n].i[0], dims == 1 ? 0 : f->in[n].i[1], 0, layer), "layers, i");
                }
            }
            if (dims == 2 && !linear) {  // the four texels around, of a channel that isn't there
                run(f, "gathera2d", h);
                for (int n = 0; n < N; n++) assert_int_equal(f->got[n][0] | f->got[n][3], 0);
            }
        }
}

// The guide's table "Cubemap Fetch": which face, m, s and t.
static int face_of(const double v[3], double *x, double *y)
{
    double a[3] = {fabs(v[0]), fabs(v[1]), fabs(v[2])}, s, t, m;
    int face;
    if (a[0] > a[1] && a[0] > a[2])
        face = v[0] >= 0 ? 0 : 1, m = a[0], s = v[0] >= 0 ? -v[2] : v[2], t = -v[1];
    else if (a[1] > a[0] && a[1] > a[2])
        face = v[1] >= 0 ? 2 : 3, m = a[1], s = v[0], t = v[1] >= 0 ? v[2] : -v[2];
    else
        face = v[2] >= 0 ? 4 : 5, m = a[2], s = v[2] >= 0 ? v[0] : -v[0], t = -v[1];
    *x = (s / m + 1) / 2, *y = (t / m + 1) / 2;
    return face;
}

// The direction's coordinates are powers of two, the greatest one too: the place on the face is exact.
static void direction(float v[3])
{
    int major = (int)draw(3);
    for (int k = 0; k < 3; k++) v[k] = (float)((int)draw(2047) - 1023) / 1024;
    v[major] = draw(2) ? 1.0f : -1.0f;
}

static void cubes(void **state)
{
    Fixture *f = *state;
    enum { SIDE = 8, LAYERS = 3 };
    paint(f);
    for (int linear = 0; linear < 2; linear++)
        for (int layered = 0; layered < 2; layered++) {
            oc_texture t = box(f);
            t.width = t.height = SIDE, t.slice = ROW * SIDE * 4, t.cube = true, t.linear = linear;
            if (layered) t.layers = LAYERS;
            const Plane p = {0, SIDE, SIDE, 1, ROW, ROW * SIDE};
            const Ref r = {f, {OC_TEX_CLAMP, OC_TEX_CLAMP, OC_TEX_CLAMP}, 0, 2, linear};
            for (int n = 0; n < N; n++) direction(f->in[n].f), f->in[n].i[12] = (int)draw(LAYERS);
            run(f, layered ? "acube" : "cube", create(f, &t));
            for (int n = 0; n < N; n++) {
                double x, y, v[3] = {f->in[n].f[0], f->in[n].f[1], f->in[n].f[2]};
                int face = face_of(v, &x, &y);
                compare(f, n, fetched(&r, &p, x * SIDE, y * SIDE, 0, face + (layered ? 6 * f->in[n].i[12] : 0)),
                        layered ? "cubes" : "cube");
            }
        }
}

// --- levels ----------------------------------------------------------------------------------------------------------
enum { LEVELS = 4, MW = 8, MH = 4, MD = 2 };

// A mipmap of 8 × 4 (× 2) texels; its levels lie one behind the other.
static oc_texture mipmap(const Fixture *f, oc_tex_level *rest, Plane *p, bool volume)
{
    oc_texture t = box(f);
    int at = 0;
    t.width = MW, t.height = MH, t.normalized = true, t.levels = LEVELS, t.mipmap = rest;
    t.depth = volume ? MD : 0, t.level_max = 100;
    for (int k = 0; k < LEVELS; k++) {
        int w = MW >> k ? MW >> k : 1, h = MH >> k ? MH >> k : 1, d = volume && MD >> k ? MD >> k : 1;
        p[k] = (Plane){at, w, h, d, ROW, ROW * h};
        if (k)
            rest[k - 1] = (oc_tex_level){f->image + (oc_ptr)at * 4, ROW * 4, (uint64_t)ROW * (uint64_t)h * 4};
        else
            t.slice = (uint64_t)ROW * (uint64_t)h * 4;
        at += ROW * h * (volume ? d : 3);
    }
    return t;
}

// Trilinear filtering: the two levels around, with a weight of 8 bits.
static double leveled(const Ref *r, const Plane *p, double level, bool linear_levels, double x, double y, double z)
{
    if (level < 0) level = 0;
    if (level > LEVELS - 1) level = LEVELS - 1;
    int k = (int)floor(linear_levels ? level : level + 0.5);
    double a = fetched(r, &p[k], x * p[k].width, y * p[k].height, z * p[k].depth, 0);
    if (!linear_levels || k == LEVELS - 1) return a;
    k++;
    double b = fetched(r, &p[k], x * p[k].width, y * p[k].height, z * p[k].depth, 0), w = weight(level);
    return (1 - w) * a + w * b;
}

static void levels(void **state)
{
    Fixture *f = *state;
    oc_tex_level rest[LEVELS];
    Plane p[LEVELS];
    paint(f);
    for (int how = 0; how < 16; how++) {
        const bool linear = how & 1, between = how & 2, volume = how & 4, bent = how & 8;
        oc_texture t = mipmap(f, rest, p, volume);
        t.linear = linear, t.linear_levels = between;
        if (bent) t.level_bias = 0.75f, t.level_min = 0.5f, t.level_max = 2.25f;
        const Ref r = {f, {OC_TEX_CLAMP, OC_TEX_CLAMP, OC_TEX_CLAMP}, 0, volume ? 3 : 2, linear};
        for (int n = 0; n < N; n++) {
            for (int k = 0; k < 3; k++) f->in[n].f[k] = (float)draw(1 << 12) / (1 << 12);
            f->in[n].f[4] = (float)draw(6 * 256) / 256 - 1;
            if (!between) f->in[n].f[4] += 1.0f / 512;  // not in the middle of two levels
        }
        uint64_t h = create(f, &t);
        run(f, volume ? "level3d" : "level2d", h);
        for (int n = 0; n < N; n++) {
            double l = f->in[n].f[4];
            if (bent) l = fmin(fmax(l + 0.75, 0.5), 2.25);
            compare(f, n, leveled(&r, p, l, between, f->in[n].f[0], f->in[n].f[1], f->in[n].f[2]), "level");
        }
        if (volume || bent) continue;
        run(f, "base2d", h);
        for (int n = 0; n < N; n++) compare(f, n, leveled(&r, p, 0, false, f->in[n].f[0], f->in[n].f[1], 0), "base");
        run(f, "f2d", h);
        for (int n = 0; n < N; n++)
            compare(f, n, leveled(&r, p, 0, false, f->in[n].f[0], f->in[n].f[1], 0), "without a level");
    }
}

// The level of derivatives: log2 of the longer of the two, in texels of the first level. Between them it is known to a
// bit of the weight only, so two neighbouring weights are good.
static void gradients(void **state)
{
    Fixture *f = *state;
    oc_tex_level rest[LEVELS];
    Plane p[LEVELS];
    paint(f);
    for (int how = 0; how < 4; how++) {
        const bool between = how & 1, volume = how & 2;
        oc_texture t = mipmap(f, rest, p, volume);
        const Ref r = {f, {OC_TEX_CLAMP, OC_TEX_CLAMP, OC_TEX_CLAMP}, 0, volume ? 3 : 2, false};
        t.linear_levels = between;
        for (int n = 0; n < N; n++)
            for (int k = 0; k < 11; k++)
                f->in[n].f[k] = k < 3 ? (float)draw(1 << 12) / (1 << 12) : (float)((int)draw(2000) - 1000) / 1500;
        run(f, volume ? "grad3d" : "grad2d", create(f, &t));
        for (int n = 0; n < N; n++) {
            const float *v = f->in[n].f;
            double x = hypot(v[5] * MW, v[6] * MH), y = hypot(v[8] * MW, v[9] * MH);
            if (volume) x = hypot(x, v[7] * MD), y = hypot(y, v[10] * MD);
            double level = log2(fmax(x, y)), got = number(f->got[n][0]), off = 1e9;
            for (int k = -1; k < 2; k++)
                off = fmin(off, fabs(leveled(&r, p, level + k / 256.0, between, v[0], v[1], v[2]) - got));
            if (off > 1e-3) fail_msg("thread %d: level %g: %g is off by %g", n, level, got, off);
        }
    }
}

static void whole_levels(void **state)
{
    Fixture *f = *state;
    oc_tex_level rest[LEVELS];
    Plane p[LEVELS];
    paint(f);
    oc_texture t = mipmap(f, rest, p, false);
    const Ref r = {f, {OC_TEX_CLAMP, OC_TEX_CLAMP, OC_TEX_CLAMP}, 0, 2, false};
    for (int n = 0; n < N; n++)
        f->in[n].i[0] = (int)draw(10) - 1, f->in[n].i[1] = (int)draw(6) - 1, f->in[n].i[12] = (int)draw(6) - 1;
    run(f, "ilevel2d", create(f, &t));
    for (int n = 0; n < N; n++) {
        int k = f->in[n].i[12] < 0 ? 0 : f->in[n].i[12] >= LEVELS ? LEVELS - 1 : f->in[n].i[12];
        compare(f, n, texel(&r, &p[k], f->in[n].i[0], f->in[n].i[1], 0, 0), "level of whole numbers");
    }
}

// --- results and offsets ---------------------------------------------------------------------------------------------
static double half_value(uint32_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double v = ldexp(e ? 1024 + m : m, (e ? e : 1) - 25);
    return h & 0x8000 ? -v : v;
}

static void results(void **state)
{
    Fixture *f = *state;
    oc_texture t = box(f);
    const Ref r = {f, {OC_TEX_CLAMP, OC_TEX_CLAMP, OC_TEX_CLAMP}, 0, 2, true};
    const Plane p = {0, W, H, 1, ROW, SLICE};
    paint(f);
    t.linear = true;
    uint64_t h = create(f, &t);
    for (int n = 0; n < N; n++) {
        f->in[n].f[0] = (float)coordinate(W), f->in[n].f[1] = (float)coordinate(H);
        f->in[n].i[13] = (int)draw(16) - 8, f->in[n].i[14] = (int)draw(16) - 8;
    }
    run(f, "off2d", h);
    for (int n = 0; n < N; n++)
        compare(f, n, fetched(&r, &p, f->in[n].f[0] + f->in[n].i[13], f->in[n].f[1] + f->in[n].i[14], 0, 0), "offset");
    run(f, "resident", h);
    for (int n = 0; n < N; n++) assert_int_equal(f->got[n][3], 77);
    run(f, "f16", h);
    for (int n = 0; n < N; n++) {
        double want = fetched(&r, &p, f->in[n].f[0], f->in[n].f[1], 0, 0);
        assert_true(fabs(half_value(f->got[n][0]) - want) <= fabs(want) / 2048 + 1e-4);
        assert_int_equal(f->got[n][3], 0x3c00);  // 1
    }
    uint32_t first[N];
    for (int n = 0; n < N; n++) first[n] = f->got[n][0] | f->got[n][1] << 16;
    run(f, "f16x2", h);
    for (int n = 0; n < N; n++) {
        assert_int_equal(f->got[n][0], first[n]);
        assert_int_equal(f->got[n][1], 0x3c000000);
    }
    // sRGB: the standard's function, of red, green and blue alone
    for (int k = 0; k < 256; k++) f->pixels[4 * k] = (uint8_t)k, f->pixels[4 * k + 3] = (uint8_t)k;
    oc_write(f->d, f->image, f->pixels, BYTES, NULL);
    t = (oc_texture){
        .base = f->image, .width = 256, .channels = 4, .format = OC_TEX_U8, .unit_float = true, .srgb = true};
    for (int n = 0; n < N; n++) f->in[n].f[0] = (float)(n % 256) + 0.5f;
    run(f, "f1d", create(f, &t));
    for (int n = 0; n < N; n++) {
        double c = n % 256 / 255.0, want = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
        assert_true(fabs(number(f->got[n][0]) - want) < 1e-7);
        assert_true(number(f->got[n][3]) == (float)(n % 256) / 255.0f);
    }
}

// --- questions and faults --------------------------------------------------------------------------------------------
static void expect(const Fixture *f, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t want[4] = {a, b, c, d};
    for (int k = 0; k < 4; k++)
        if (f->got[N - 1][k] != want[k]) fail_msg("answer %d is %u, not %u", k, f->got[N - 1][k], want[k]);
}

static void questions(void **state)
{
    Fixture *f = *state;
    oc_tex_level rest[LEVELS];
    Plane p[LEVELS];
    oc_texture t = mipmap(f, rest, p, true);
    t.linear = true, t.by_axis = true, t.address = OC_TEX_WRAP, t.address_y = OC_TEX_MIRROR,
    t.address_z = OC_TEX_BORDER;
    uint64_t h = create(f, &t);
    run(f, "ask1", h), expect(f, MW, MH, MD, 0);
    run(f, "ask2", h), expect(f, 4318, 4272, 1, LEVELS);  // CL_FLOAT, CL_R
    run(f, "ask3", h), expect(f, 1, 0, 1, 4);             // linear; wrap, mirror, clamp_to_border
    run(f, "ask4", h), expect(f, MW / 2, 1, 1, 1);
    run(f, "what", h), expect(f, 1, 0, 0, 0);
    run(f, "what", 12345), expect(f, 0, 0, 0, 0);
    oc_texture flat = {.base = f->image, .width = 16, .layers = 3, .slice = 256, .channels = 4, .format = OC_TEX_U8};
    h = create(f, &flat);
    run(f, "ask1", h), expect(f, 16, 0, 0, 3);
    run(f, "ask2", h), expect(f, 4314, 4277, 0, 1);  // CL_UNSIGNED_INT8, CL_RGBA
}

static void faults(void **state)
{
    Fixture *f = *state;
    oc_texture t = box(f);
    oc_ptr other;
    uint64_t h;
    for (int k = 0; k < 3; k++) {
        static const char *const bad[] = {"f3d", "cube", "ask1"};
        assert_int_equal(launch(f, bad[k], 0x1234), OC_FAULT);
        assert_non_null(strstr(oc_error(f->d), "0x1234 is not a texture object"));
    }
    assert_int_equal(oc_malloc(f->d, 4096, "other", &other), OC_OK);
    t.base = other, t.depth = 4, t.height = 4, t.slice = 256;
    assert_int_equal(oc_texture_create(f->d, &t, &h), OC_OK);
    oc_free(f->d, other);
    assert_int_equal(launch(f, "f3d", h), OC_FAULT);
    assert_non_null(strstr(oc_error(f->d), "memory that was freed"));
    // descriptions
    t = box(f);
    oc_texture bad = t;
    bad.depth = 1000, assert_int_equal(oc_texture_create(f->d, &bad, &h), OC_BAD_ARGUMENT);  // beyond the allocation
    bad = t, bad.depth = 3, bad.slice = 100;
    assert_int_equal(oc_texture_create(f->d, &bad, &h), OC_BAD_ARGUMENT);
    bad = t, bad.depth = 3, bad.slice = UINT64_MAX / 2 + 1;
    assert_int_equal(oc_texture_create(f->d, &bad, &h), OC_BAD_ARGUMENT);
    bad = t, bad.cube = true, assert_int_equal(oc_texture_create(f->d, &bad, &h), OC_BAD_ARGUMENT);
    bad = t, bad.levels = 2, assert_int_equal(oc_texture_create(f->d, &bad, &h), OC_BAD_ARGUMENT);
    bad = t, bad.levels = 99, assert_int_equal(oc_texture_create(f->d, &bad, &h), OC_BAD_ARGUMENT);
    bad = t, bad.by_axis = true, bad.address_z = (oc_tex_address)4;
    assert_int_equal(oc_texture_create(f->d, &bad, &h), OC_BAD_ARGUMENT);
    bad = t, bad.srgb = true, assert_int_equal(oc_texture_create(f->d, &bad, &h), OC_BAD_ARGUMENT);
}

int main(void)
{
#define FUNCTIONAL(test) cmocka_unit_test_prestate_setup_teardown(test, set_up, tear_down, (void *)"functional")
    const struct CMUnitTest tests[] = {
        FUNCTIONAL(volumes),   FUNCTIONAL(layers),
        FUNCTIONAL(cubes),     FUNCTIONAL(levels),
        FUNCTIONAL(gradients), FUNCTIONAL(whole_levels),
        FUNCTIONAL(results),   FUNCTIONAL(questions),
        FUNCTIONAL(faults),    cmocka_unit_test_setup_teardown(layers, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
