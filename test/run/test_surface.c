// Surfaces, and references of modules. Loads, stores and reductions are compared with what plain C does to a copy of
// the memory; outside of a surface with what PTX ISA §9.7.11 says of .trap, .clamp and .zero; formatted stores with the
// ranges of OpenCL's formats. Both with time and without.
#include "check.h"

#include <math.h>
#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Thread n reads four coordinates and four words of a value at `in`; what it loads goes to 16 bytes of `out`.
#define KERNEL(name, body)                                                                                 \
    ".visible .entry " name "(.param .u64 s, .param .u64 in, .param .u64 out)\n{\n"                        \
    "    .reg .b16 %h<8>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<8>; .reg .pred %p<4>;\n"        \
    "    ld.param.u64 %d1, [s]; ld.param.u64 %d2, [in]; ld.param.u64 %d3, [out];\n"                        \
    "    mov.u32 %r30, %tid.x; mov.u32 %r31, %ctaid.x; mad.lo.u32 %r30, %r31, 64, %r30;\n"                 \
    "    mul.wide.u32 %d4, %r30, 32; add.u64 %d5, %d2, %d4;\n"                                             \
    "    mul.wide.u32 %d6, %r30, 16; add.u64 %d7, %d3, %d6;\n"                                             \
    "    ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d5]; ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d5+16];\n" \
    "    mov.b64 %d10, {%r4, %r5}; mov.b64 %d11, {%r6, %r7}; cvt.u16.u32 %h1, %r4;\n"                      \
    "    " body "\n    ret;\n}\n"
#define LOAD(name, how, to, store) KERNEL(name, "suld.b." how " " to "; " store)
static const char *const kernels[] = {
    // clang-format off
    LOAD("ld1d", "1d.b32.trap", "%r20, [%d1, {%r0}]", "st.global.u32 [%d7], %r20;"),
    LOAD("ld2d", "2d.v4.b32.zero", "{%r20, %r21, %r22, %r23}, [%d1, {%r0, %r1}]",
         "st.global.v4.u32 [%d7], {%r20, %r21, %r22, %r23};"),
    LOAD("ld3d", "3d.v2.b64.clamp", "{%d12, %d13}, [%d1, {%r0, %r1, %r2, %r3}]",
         "st.global.v2.u64 [%d7], {%d12, %d13};"),
    LOAD("lda1d", "a1d.b8.zero", "%r20, [%d1, {%r2, %r0}]", "st.global.u32 [%d7], %r20;"),
    LOAD("lda2d", "a2d.v2.b16.clamp", "{%h2, %h3}, [%d1, {%r2, %r0, %r1, %r1}]",
         "st.global.v2.u16 [%d7], {%h2, %h3};"),
    LOAD("ldclamp", "2d.b32.clamp", "%r20, [%d1, {%r0, %r1}]", "st.global.u32 [%d7], %r20;"),
    LOAD("ldtrap", "2d.b32.trap", "%r20, [%d1, {%r0, %r1}]", "st.global.u32 [%d7], %r20;"),
    KERNEL("st1d", "sust.b.1d.b8.trap [%d1, {%r0}], %h1;"),
    KERNEL("st2d", "sust.b.2d.v4.b32.zero [%d1, {%r0, %r1}], {%r4, %r5, %r6, %r7};"),
    KERNEL("st3d", "sust.b.3d.v2.b64.clamp [%d1, {%r0, %r1, %r2, %r3}], {%d10, %d11};"),
    KERNEL("sta1d", "sust.b.a1d.b16.zero [%d1, {%r2, %r0}], %h1;"),
    KERNEL("sta2d", "sust.b.a2d.b32.trap [%d1, {%r2, %r0, %r1, %r1}], %r4;"),
    KERNEL("stp", "sust.p.2d.v4.b32.zero [%d1, {%r0, %r1}], {%r4, %r5, %r6, %r7};"),
    KERNEL("add", "sured.b.add.2d.u32.trap [%d1, {%r0, %r1}], %r4;"),
    KERNEL("add64", "sured.b.add.1d.u64.zero [%d1, {%r0}], %d10;"),
    KERNEL("mins", "sured.b.min.3d.s32.trap [%d1, {%r0, %r1, %r2, %r2}], %r4;"),
    KERNEL("maxu", "sured.b.max.2d.u32.clamp [%d1, {%r0, %r1}], %r4;"),
    KERNEL("andb", "sured.b.and.2d.b32.trap [%d1, {%r0, %r1}], %r4;"),
    KERNEL("pmin", "sured.p.min.2d.b32.trap [%d1, {%r0, %r1}], %r4;"),
    KERNEL("padd", "sured.p.add.2d.b32.trap [%d1, {%r0, %r1}], %r4;"),
    // what a thread has stored and added it reads
    KERNEL("own", "sust.b.2d.b32.trap [%d1, {%r0, %r1}], %r4; sured.b.add.2d.u32.trap [%d1, {%r0, %r1}], %r5; "
                  "suld.b.2d.b32.trap %r20, [%d1, {%r0, %r1}]; sust.b.2d.b32.trap [%d1, {%r0, %r1}], %r6; "
                  "suld.b.2d.b32.trap %r21, [%d1, {%r0, %r1}]; st.global.v2.u32 [%d7], {%r20, %r21};"),
    // the surface is the thread's own
    KERNEL("mixed", "mov.b64 %d8, {%r6, %r7}; sured.p.min.2d.b32.trap [%d8, {%r0, %r1}], %r4; "
                    "sust.p.2d.b32.trap [%d8, {%r2, %r1}], %r5;"),
    KERNEL("ask", "suq.width.b32 %r20, [%d1]; suq.height.b32 %r21, [%d1]; suq.depth.b32 %r22, [%d1]; "
                  "suq.array_size.b32 %r23, [%d1]; st.global.v4.u32 [%d7], {%r20, %r21, %r22, %r23};"),
    KERNEL("ask2", "suq.channel_order.b32 %r20, [%d1]; suq.channel_data_type.b32 %r21, [%d1]; "
                   "suq.memory_layout.b32 %r22, [%d1]; istypep.surfref %p1, %d1; selp.u32 %r23, 1, 0, %p1; "
                   "st.global.v4.u32 [%d7], {%r20, %r21, %r22, %r23};"),
    ".global .surfref sr; .global .texref tr = {addr_mode_0 = wrap}; .global .surfref many[3];\n",
    KERNEL("ref", "suld.b.2d.b32.trap %r20, [sr, {%r0, %r1}]; tex.2d.v4.u32.s32 {%r21, %r22, %r23, %r24}, "
                  "[tr, {%r4, %r1}]; mov.u64 %d8, tr; txq.width.b32 %r22, [%d8]; suq.width.b32 %r23, [sr]; "
                  "st.global.v4.u32 [%d7], {%r20, %r21, %r22, %r23};"),
    // clang-format on
};

enum { W = 8, H = 4, D = 3, PITCH = 160, SLICE = 768, N = 256, BYTES = 4096 };  // texels of 16 bytes
typedef struct In {
    int32_t at[4];
    uint32_t value[4];
} In;
typedef struct Fixture {
    oc_device *d;
    oc_module *m;
    oc_ptr memory, at, out;
    uint8_t bytes[BYTES], now[BYTES];
    In in[N];
    uint8_t got[N][16];
} Fixture;

static int set_up(void **state)
{
    bool functional = *state != NULL;
    Fixture *f = calloc(1, sizeof *f);
    oc_config config = {.functional = functional, .gpu = "titan_v"};
    char *ptx = calloc(1, 1 << 20);
    strcat(ptx, ".version 8.1\n.target sm_70\n.address_size 64\n");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) strcat(ptx, kernels[k]);
    if (oc_open(&config, &f->d, NULL, 0) != OC_OK) return -1;
    if (oc_load(f->d, ptx, strlen(ptx), "surface.ptx", &f->m) != OC_OK)
        return fprintf(stderr, "%s\n", oc_error(f->d)), -1;
    free(ptx);
    oc_malloc(f->d, BYTES, "memory", &f->memory);
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

static uint32_t seed = 3;
static uint32_t draw(uint32_t n) { return seed = seed * 1664525u + 1013904223u, (seed >> 8) % n; }

static void fill(Fixture *f)
{
    for (int k = 0; k < BYTES; k++) f->bytes[k] = (uint8_t)draw(256);
    assert_int_equal(oc_write(f->d, f->memory, f->bytes, BYTES, NULL), OC_OK);
}

static oc_status launch(Fixture *f, const char *kernel, uint64_t handle)
{
    oc_kernel *k;
    const void *args[] = {&handle, &f->at, &f->out};
    assert_int_equal(oc_kernel_get(f->m, kernel, &k), OC_OK);
    assert_int_equal(oc_write(f->d, f->at, f->in, sizeof f->in, NULL), OC_OK);
    assert_int_equal(oc_fill(f->d, f->out, 0, sizeof f->got, NULL), OC_OK);
    return oc_launch(k, (oc_dim3){N / 64, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args);
}

static void run(Fixture *f, const char *kernel, uint64_t handle)
{
    if (launch(f, kernel, handle) != OC_OK) fail_msg("%s: %s", kernel, oc_error(f->d));
    assert_int_equal(oc_read(f->d, f->got, f->out, sizeof f->got, NULL), OC_OK);
    assert_int_equal(oc_read(f->d, f->now, f->memory, BYTES, NULL), OC_OK);
}

static oc_texture shape(const Fixture *f, uint32_t height, uint32_t depth, uint32_t layers)
{
    return (oc_texture){.base = f->memory,
                        .width = W,
                        .height = height,
                        .depth = depth,
                        .layers = layers,
                        .pitch = PITCH,
                        .slice = SLICE,
                        .channels = 4,
                        .format = OC_TEX_U32};
}

static uint64_t create(Fixture *f, const oc_texture *t)
{
    uint64_t handle;
    if (oc_surface_create(f->d, t, &handle) != OC_OK) fail_msg("%s", oc_error(f->d));
    return handle;
}

// --- loads and stores ------------------------------------------------------------------------------------------------
typedef struct Way {
    const char *load, *store;
    int dims, bytes;  // of an access
    int load_mode, store_mode;
    bool layered;
} Way;
enum { TRAP, CLAMP, ZERO };

// Where an access lies: -1 outside.
static int place(const Way *w, const In *in, int mode)
{
    const int last[3] = {W * 16 - w->bytes, w->dims > 1 ? H - 1 : 0, w->dims > 2 || w->layered ? D - 1 : 0};
    int at[3] = {in->at[0], w->dims > 1 ? in->at[1] : 0, w->dims > 2 || w->layered ? in->at[2] : 0};
    for (int k = 0; k < 3; k++) {
        bool layer = k == 2 && w->layered;  // unsigned: what is negative is large
        if (mode == CLAMP) at[k] = at[k] < 0 ? (layer ? last[k] : 0) : at[k] > last[k] ? last[k] : at[k];
        if (at[k] < 0 || at[k] > last[k]) return -1;
    }
    return at[0] + at[1] * PITCH + at[2] * SLICE;
}

// Coordinates: in and around the surface; of stores that don't trap each inside place once, so that none is stored to
// by two threads.
static void choose(Fixture *f, const Way *w, int mode, bool store)
{
    bool taken[BYTES] = {false};
    for (int n = 0; n < N; n++) {
        In *in = &f->in[n];
        for (int tries = 0;; tries++) {
            in->at[0] = ((int)draw(W * 16 / (uint32_t)w->bytes + 4) - 2) * w->bytes;
            in->at[1] = (int)draw(H + 4) - 2, in->at[2] = (int)draw(D + 4) - 2, in->at[3] = 77;
            int at = place(w, in, mode);
            if (mode == TRAP && at < 0) continue;
            if (at < 0 || !store || !taken[at]) {
                if (at >= 0) taken[at] = true;
                break;
            }
            if (tries < 1000) continue;
            in->at[0] = -1000 * w->bytes;  // no place is left: outside
            if (mode == ZERO) break;
            in->at[0] = f->in[0].at[0], in->at[1] = f->in[0].at[1], in->at[2] = f->in[0].at[2];
            memcpy(in->value, f->in[0].value, sizeof in->value);
            goto next;
        }
        for (int k = 0; k < 4; k++) in->value[k] = draw(1 << 24) * 251u;
    next:;
    }
}

static void access_bytes(void **state)
{
    static const Way ways[] = {{"ld1d", "st1d", 1, 0, TRAP, TRAP, false},   {"ld2d", "st2d", 2, 0, ZERO, ZERO, false},
                               {"ld3d", "st3d", 3, 0, CLAMP, CLAMP, false}, {"lda1d", "sta1d", 1, 0, ZERO, ZERO, true},
                               {"lda2d", "sta2d", 2, 0, CLAMP, TRAP, true}, {"ldclamp", NULL, 2, 0, CLAMP, 0, false}};
    static const int load_bytes[] = {4, 16, 16, 1, 4, 4}, store_bytes[] = {1, 16, 16, 2, 4, 0};
    Fixture *f = *state;
    for (int k = 0; k < 6; k++) {
        Way w = ways[k];
        oc_texture t = shape(f, w.dims > 1 ? H : 0, w.dims > 2 ? D : 0, w.layered ? D : 0);
        if (w.dims == 1) t.pitch = 0;
        uint64_t s = create(f, &t);
        fill(f);
        w.bytes = load_bytes[k];
        choose(f, &w, w.load_mode, false);
        run(f, w.load, s);
        for (int n = 0; n < N; n++) {
            uint8_t want[16] = {0};
            int at = place(&w, &f->in[n], w.load_mode);
            if (at >= 0) memcpy(want, f->bytes + at, (size_t)w.bytes);
            if (memcmp(want, f->got[n], 16)) fail_msg("%s: thread %d, byte %d", w.load, n, at);
        }
        if (!w.store) continue;
        w.bytes = store_bytes[k];
        choose(f, &w, w.store_mode, true);
        run(f, w.store, s);
        for (int n = 0; n < N; n++) {
            int at = place(&w, &f->in[n], w.store_mode);
            if (at >= 0) memcpy(f->bytes + at, f->in[n].value, (size_t)w.bytes);
        }
        if (memcmp(f->bytes, f->now, BYTES)) fail_msg("%s", w.store);
        assert_int_equal(oc_surface_destroy(f->d, s), OC_OK);
    }
}

// --- formatted stores ------------------------------------------------------------------------------------------------
static double clip(double v, double least, double most) { return v < least ? least : v > most ? most : v; }

static float number(uint32_t v)
{
    float x;
    memcpy(&x, &v, 4);
    return x;
}

// Whether the channel's bits are those of the value: floats rounded to the nearest step, integers brought into range.
static bool stored(oc_tex_format format, bool unit, uint32_t value, const uint8_t *p)
{
    double x = number(value);
    int32_t s = (int32_t)value;
    uint16_t word;
    uint32_t whole;
    memcpy(&word, p, 2), memcpy(&whole, p, 4);
    switch (format) {
    case OC_TEX_U8: return unit ? fabs(clip(x, 0, 1) * 255 - *p) <= 0.5 : *p == (value > 255 ? 255 : value);
    case OC_TEX_S8:
        return unit ? fabs(clip(x, -1, 1) * 127 - (int8_t)*p) <= 0.5 : (int8_t)*p == (int)clip(s, -128, 127);
    case OC_TEX_U16: return unit ? fabs(clip(x, 0, 1) * 65535 - word) <= 0.51 : word == (value > 65535 ? 65535 : value);
    case OC_TEX_S16:
        return unit ? fabs(clip(x, -1, 1) * 32767 - (int16_t)word) <= 0.51
                    : (int16_t)word == (int)clip(s, -32768, 32767);
    case OC_TEX_F16: {
        int e = word >> 10 & 31, m = word & 1023;
        double v = ldexp(e ? 1024 + m : m, (e ? e : 1) - 25) * (word & 0x8000 ? -1 : 1);
        return fabs(v - x) <= fabs(x) / 2048 + 0x1p-25;
    }
    default: return whole == value;
    }
}

static void formats(void **state)
{
    static const int sizes[] = {4, 4, 4, 1, 1, 2, 2, 2};
    Fixture *f = *state;
    for (int format = 0; format < 8; format++)
        for (int unit = 0; unit < 2; unit++)
            for (uint32_t channels = 1; channels <= 4; channels *= 2) {
                if (unit && (format < OC_TEX_U8 || format > OC_TEX_S16)) continue;
                bool floats = unit || format == OC_TEX_F32 || format == OC_TEX_F16;
                oc_texture t = shape(f, H, 0, 0);
                t.channels = channels, t.format = (oc_tex_format)format, t.unit_float = unit;
                uint64_t s = create(f, &t);
                fill(f);
                for (int n = 0; n < N; n++) {
                    In *in = &f->in[n];
                    in->at[0] = n < W * H ? n % W : -1 - n, in->at[1] = n < W * H ? n / W : n;
                    for (int k = 0; k < 4; k++) {
                        float x = (float)((int)draw(4000) - 2000) / 1200;
                        in->value[k] = draw(2) ? draw(300) - 150u : draw(1 << 24) * 300u;
                        if (floats) memcpy(&in->value[k], &x, 4);
                    }
                }
                run(f, "stp", s);
                for (int n = 0; n < W * H; n++)
                    for (uint32_t c = 0; c < channels; c++) {
                        const uint8_t *p = f->now + n / W * PITCH + (n % W * (int)channels + (int)c) * sizes[format];
                        if (!stored(t.format, unit, f->in[n].value[c], p))
                            fail_msg("format %d%s, channel %u: %08x became %02x%02x", format, unit ? " unit" : "", c,
                                     f->in[n].value[c], p[1], p[0]);
                    }
                for (int k = H * PITCH; k < BYTES; k++) assert_int_equal(f->now[k], f->bytes[k]);
            }
}

// --- reductions ------------------------------------------------------------------------------------------------------
static uint32_t word_at(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static void reductions(void **state)
{
    static const char *const all[] = {"add", "mins", "maxu", "andb", "pmin", "padd"};
    Fixture *f = *state;
    for (int k = 0; k < 6; k++) {
        bool volume = k == 1, texels = k > 3;
        oc_texture t = shape(f, H, volume ? D : 0, 0);
        t.channels = 1, t.format = OC_TEX_S32;
        uint64_t s = create(f, &t);
        fill(f);
        for (int n = 0; n < N; n++) {
            f->in[n].at[0] = (int)draw(W) * (texels ? 1 : 4), f->in[n].at[1] = (int)draw(H);
            f->in[n].at[2] = volume ? (int)draw(D) : 0;
            f->in[n].value[0] = draw(1 << 24) * 256u + draw(256);
        }
        run(f, all[k], s);
        for (int n = 0; n < N; n++) {
            uint8_t *p = f->bytes + f->in[n].at[0] * (texels ? 4 : 1) + f->in[n].at[1] * PITCH + f->in[n].at[2] * SLICE;
            uint32_t old = word_at(p), v = f->in[n].value[0], now = old;
            if (k == 0 || k == 5) now = old + v;
            if (k == 1 || k == 4) now = (int32_t)v < (int32_t)old ? v : old;
            if (k == 2) now = v > old ? v : old;
            if (k == 3) now = old & v;
            memcpy(p, &now, 4);
        }
        if (memcmp(f->bytes, f->now, BYTES)) fail_msg("%s", all[k]);
    }
    oc_texture line = shape(f, 0, 0, 0);  // 64 bits; outside nothing happens
    line.pitch = 0;
    uint64_t s = create(f, &line), sum = 0, first;
    fill(f);
    memcpy(&first, f->bytes + 8, 8);
    for (int n = 0; n < N; n++) {
        f->in[n].at[0] = n % 2 ? 8 : W * 16 + 8 * n;
        memcpy(f->in[n].value, &(uint64_t){(uint64_t)n << 33 | 7}, 8);
        if (n % 2) sum += (uint64_t)n << 33 | 7;
    }
    run(f, "add64", s);
    first += sum;
    memcpy(f->bytes + 8, &first, 8);
    assert_memory_equal(f->bytes, f->now, BYTES);
    for (int n = 0; n < N; n++) {  // a place of its own for each thread of a block
        f->in[n].at[0] = n % 8 * 16, f->in[n].at[1] = n / 8 % 4;
        for (int k = 0; k < 3; k++) f->in[n].value[k] = (uint32_t)(n % 32 * 100 + k);
    }
    oc_texture plane = shape(f, H, 0, 0);
    oc_kernel *own;
    s = create(f, &plane);
    assert_int_equal(oc_kernel_get(f->m, "own", &own), OC_OK);
    assert_int_equal(oc_write(f->d, f->at, f->in, sizeof f->in, NULL), OC_OK);
    const void *args[] = {&s, &f->at, &f->out};
    if (oc_launch(own, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, args) != OC_OK) fail_msg("%s", oc_error(f->d));
    assert_int_equal(oc_read(f->d, f->got, f->out, sizeof f->got, NULL), OC_OK);
    for (int n = 0; n < 32; n++) {
        assert_int_equal(word_at(f->got[n]), n * 100 + n * 100 + 1);
        assert_int_equal(word_at(f->got[n] + 4), n * 100 + 2);
    }
}

// Lanes of one warp with surfaces of other formats: each takes the minimum and stores as its own says.
static void mixed(void **state)
{
    static const oc_tex_format formats[] = {OC_TEX_U32, OC_TEX_S32, OC_TEX_F32};
    Fixture *f = *state;
    uint64_t s[3];
    for (int k = 0; k < 3; k++) {
        oc_texture t = shape(f, H, 0, 0);
        t.channels = 1, t.format = formats[k];
        s[k] = create(f, &t);
    }
    fill(f);
    memset(f->in, 0, sizeof f->in);
    for (int n = 0; n < N; n++) {  // 16 threads of the first warp, of which each has two texels of its own
        In *in = &f->in[n];
        int k = n % 16;
        in->at[0] = k % 4, in->at[2] = k % 4 + 4, in->at[1] = k / 4;
        in->value[0] = 0x80000000u + draw(1 << 24), in->value[1] = draw(1 << 24);
        memcpy(&in->value[2], &s[n % 3], 8);
    }
    oc_kernel *kernel;
    const void *args[] = {&s[0], &f->at, &f->out};
    assert_int_equal(oc_kernel_get(f->m, "mixed", &kernel), OC_OK);
    assert_int_equal(oc_write(f->d, f->at, f->in, sizeof f->in, NULL), OC_OK);
    if (oc_launch(kernel, (oc_dim3){1, 1, 1}, (oc_dim3){16, 1, 1}, 0, NULL, args) != OC_OK)
        fail_msg("%s", oc_error(f->d));
    assert_int_equal(oc_read(f->d, f->now, f->memory, BYTES, NULL), OC_OK);
    for (int n = 0; n < 16; n++) {
        const In *in = &f->in[n];
        int at = in->at[1] * PITCH + in->at[0] * 4;
        uint32_t old = word_at(f->bytes + at), v = in->value[0];
        uint32_t want = n % 3 == 1 ? ((int32_t)v < (int32_t)old ? v : old) : v < old ? v : old;
        assert_int_equal(word_at(f->now + at), want);
        assert_int_equal(word_at(f->now + in->at[1] * PITCH + in->at[2] * 4), in->value[1]);
    }
}

static void faults(void **state)
{
    Fixture *f = *state;
    oc_texture t = shape(f, H, 0, 0);
    uint64_t s = create(f, &t), texture;
    memset(f->in, 0, sizeof f->in);
    run(f, "ldtrap", s);
    f->in[70].at[1] = H;
    assert_int_equal(launch(f, "ldtrap", s), OC_FAULT);
    if (!strstr(oc_error(f->d), "read of 4 bytes at byte 0, row 4, slice 0, outside of the surface") ||
        !strstr(oc_error(f->d), "block (1,0,0), thread (6,0,0)"))
        fail_msg("%s", oc_error(f->d));
    f->in[70].at[1] = 0, f->in[3].at[0] = 2;
    assert_int_equal(launch(f, "ldtrap", s), OC_FAULT);
    assert_non_null(strstr(oc_error(f->d), "not aligned"));
    f->in[3].at[0] = INT32_MIN;
    assert_int_equal(launch(f, "add", s), OC_FAULT);
    assert_non_null(strstr(oc_error(f->d), "write of 4 bytes at byte -2147483648"));
    f->in[3].at[0] = 0;
    assert_int_equal(oc_texture_create(f->d, &t, &texture), OC_OK);
    static const uint64_t handles[] = {0, UINT64_MAX, 0x7e00000000001234};
    for (int k = 0; k < 4; k++) {
        uint64_t h = k < 3 ? handles[k] : texture;
        assert_int_equal(launch(f, "ldtrap", h), OC_FAULT);
        assert_non_null(strstr(oc_error(f->d), "is not a surface object"));
        assert_int_equal(launch(f, "ask", h), OC_FAULT);
        assert_int_equal(launch(f, "add", h), OC_FAULT);
    }
    run(f, "ask", s);
    assert_true(word_at(f->got[0]) == W && word_at(f->got[0] + 4) == H && !word_at(f->got[0] + 8));
    run(f, "ask2", s);  // RGBA, UNSIGNED_INT32, rows one after the other
    assert_int_equal(word_at(f->got[0]), 4277);
    assert_int_equal(word_at(f->got[0] + 4), 4316);
    assert_int_equal(word_at(f->got[0] + 8), 1);
    assert_int_equal(word_at(f->got[0] + 12), 1);
    assert_int_equal(oc_surface_destroy(f->d, s), OC_OK);
    assert_int_equal(launch(f, "ldtrap", s), OC_FAULT);
    oc_texture beyond = shape(f, H, 100, 0);
    assert_int_equal(oc_surface_create(f->d, &beyond, &s), OC_BAD_ARGUMENT);
    oc_ptr gone;
    assert_int_equal(oc_malloc(f->d, BYTES, "gone", &gone), OC_OK);
    t.base = gone, s = create(f, &t);
    oc_free(f->d, gone);
    assert_int_equal(launch(f, "ldtrap", s), OC_FAULT);
    assert_non_null(strstr(oc_error(f->d), "in memory that was freed"));
}

// --- references ------------------------------------------------------------------------------------------------------
static void references(void **state)
{
    Fixture *f = *state;
    oc_texture t = shape(f, H, 0, 0);
    uint64_t handle;
    fill(f);
    memset(f->in, 0, sizeof f->in);
    for (int n = 0; n < N; n++)
        f->in[n].at[0] = n % 8 * 16, f->in[n].at[1] = n % 4, f->in[n].value[0] = (uint32_t)n % 8;
    assert_int_equal(launch(f, "ref", 0), OC_FAULT);
    assert_non_null(strstr(oc_error(f->d), "nothing is bound to the reference"));
    assert_int_equal(oc_reference_bind(f->m, "ref", &t, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_reference_bind(f->m, "sr", &t, NULL), OC_OK);
    assert_int_equal(oc_reference_bind(f->m, "tr", &t, &handle), OC_OK);
    run(f, "ref", 0);
    for (int n = 0; n < N; n++) {
        uint32_t want = word_at(f->bytes + n % 4 * PITCH + n % 8 * 16);
        assert_int_equal(word_at(f->got[n]), want);
        assert_int_equal(word_at(f->got[n] + 4), want);
        assert_int_equal(word_at(f->got[n] + 8), W);
        assert_int_equal(word_at(f->got[n] + 12), W);
    }
    assert_int_equal(oc_texture_destroy(f->d, handle), OC_BAD_ARGUMENT);  // it is the module's
    assert_int_equal(oc_reference_bind(f->m, "tr", NULL, NULL), OC_OK);
    assert_int_equal(launch(f, "ref", 0), OC_FAULT);
    t.width = 1 << 20;
    assert_int_equal(oc_reference_bind(f->m, "sr", &t, NULL), OC_BAD_ARGUMENT);
}

// Samplers of their own (texmode_independent): the modes are the sampler's, not the texture's.
static void samplers(void **state)
{
    Fixture *f = *state;
    static const char ptx[] =
        ".version 8.1\n.target sm_70, texmode_independent\n.address_size 64\n.global .texref tr;\n"
        ".global .samplerref wraps = {addr_mode_0 = wrap, filter_mode = nearest};\n"
        ".global .samplerref whole = {addr_mode_0 = mirror, filter_mode = nearest, force_unnormalized_coords = 1};\n"
        ".global .samplerref ends = {addr_mode_0 = clamp_to_edge, filter_mode = linear, "
        "force_unnormalized_coords = 1};\n"
        ".visible .entry k(.param .u64 out) {\n.reg .f32 %f<13>; .reg .b32 %r<4>; .reg .b64 %d<2>;\n"
        "ld.param.u64 %d1, [out]; mov.f32 %f0, 0f41140000;\n"  // 9.25
        "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tr, wraps, {%f0}];\n"
        "tex.1d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [tr, ends, {%f0}];\n"
        "tex.1d.v4.f32.f32 {%f9, %f10, %f11, %f12}, [tr, whole, {%f0}]; st.global.f32 [%d1+16], %f9;\n"
        "txq.filter_mode.b32 %r1, [ends]; txq.addr_mode_0.b32 %r2, [ends]; st.global.v2.f32 [%d1], {%f1, %f5}; "
        "st.global.v2.u32 [%d1+8], {%r1, %r2}; ret; }\n";
    oc_module *m;
    oc_kernel *k;
    float texels[W];
    struct {
        float values[2];
        uint32_t answers[2];
        float whole;
    } got;
    const void *args[] = {&f->out};
    for (int n = 0; n < W; n++) texels[n] = (float)(10 * n);
    oc_write(f->d, f->memory, texels, sizeof texels, NULL);
    if (oc_load(f->d, ptx, sizeof ptx - 1, "samplers.ptx", &m) != OC_OK) fail_msg("%s", oc_error(f->d));
    oc_texture t = {.base = f->memory, .width = W, .channels = 1, .format = OC_TEX_F32, .address = OC_TEX_BORDER};
    assert_int_equal(oc_reference_bind(m, "tr", &t, NULL), OC_OK);
    assert_int_equal(oc_kernel_get(m, "k", &k), OC_OK);
    if (oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args) != OC_OK) fail_msg("%s", oc_error(f->d));
    oc_read(f->d, &got, f->out, sizeof got, NULL);
    assert_true(got.values[0] == 20 && got.values[1] == 70);  // texel 9.25 · 8 − 9 · 8, and the last one
    assert_true(got.whole == 70);                             // it is clamped, not mirrored
    assert_true(got.answers[0] == 1 && got.answers[1] == 3);  // linear, clamp_to_edge
    oc_unload(m);
}

int main(void)
{
    static bool functional = true;
#define BOTH(test) \
    {#test, test, set_up, tear_down, NULL}, { #test ", functional", test, set_up, tear_down, &functional }
    const struct CMUnitTest tests[] = {BOTH(access_bytes), BOTH(formats),  BOTH(reductions), BOTH(faults),
                                       BOTH(references),   BOTH(samplers), BOTH(mixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
