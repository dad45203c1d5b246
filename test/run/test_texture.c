// Texture objects: tex.1d, tex.2d and tld4 against a reference written from the CUDA programming guide's appendix on
// texture fetching: formats, channels, coordinates as integers and floats, normalized ones, the four ways of addressing
// outside, nearest and bilinear filtering with weights of 8 bits behind the point.
#include "check.h"

#include <math.h>
#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL(name, fetch)                                                                        \
    ".visible .entry " name "(.param .u64 tex, .param .u64 at, .param .u64 out)\n"                 \
    "{\n"                                                                                          \
    "    .reg .b32 %r<20>;\n    .reg .b64 %rd<12>;\n    .reg .f32 %f<12>;\n"                       \
    "    ld.param.u64 %rd1, [tex];\n    ld.param.u64 %rd2, [at];\n    ld.param.u64 %rd3, [out];\n" \
    "    mov.u32 %r1, %tid.x;\n    mov.u32 %r2, %ctaid.x;\n    mad.lo.u32 %r3, %r2, 64, %r1;\n"    \
    "    mul.wide.u32 %rd4, %r3, 8;\n    add.u64 %rd5, %rd2, %rd4;\n"                              \
    "    mul.wide.u32 %rd6, %r3, 16;\n    add.u64 %rd7, %rd3, %rd6;\n"                             \
    "    ld.global.v2.f32 {%f1, %f2}, [%rd5];\n    ld.global.v2.u32 {%r4, %r5}, [%rd5];\n"         \
    "    " fetch "\n"                                                                              \
    "    st.global.v4.u32 [%rd7], {%r10, %r11, %r12, %r13};\n    ret;\n"                           \
    "}\n"
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n" KERNEL(
    "f2d", "tex.2d.v4.u32.f32 {%r10, %r11, %r12, %r13}, [%rd1, {%f1, %f2}];")
    KERNEL("i2d", "tex.2d.v4.u32.s32 {%r10, %r11, %r12, %r13}, [%rd1, {%r4, %r5}];")
        KERNEL("f1d", "tex.1d.v4.u32.f32 {%r10, %r11, %r12, %r13}, [%rd1, {%f1}];")
            KERNEL("i1d", "tex.1d.v4.u32.s32 {%r10, %r11, %r12, %r13}, [%rd1, {%r4}];")
                KERNEL("fl2d", "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}]; mov.b32 %r10, %f3; mov.b32 "
                               "%r11, %f4; mov.b32 %r12, %f5; mov.b32 %r13, %f6;")
                    KERNEL("gr", "tld4.r.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}]; mov.b32 %r10, %f3; "
                                 "mov.b32 %r11, %f4; mov.b32 %r12, %f5; mov.b32 %r13, %f6;")
                        KERNEL("ga", "tld4.a.2d.v4.u32.f32 {%r10, %r11, %r12, %r13}, [%rd1, {%f1, %f2}];");

enum { W = 13, H = 7, PITCH = 256, N = 640 };
static const char *const format_names[] = {"f32", "u32", "s32", "u8", "s8", "u16", "s16", "f16"};
static const int format_bytes[] = {4, 4, 4, 1, 1, 2, 2, 2};

typedef struct Fixture {
    oc_device *d;
    oc_module *m;
    oc_ptr image, at, out;
    uint8_t pixels[PITCH * H];
    float coords[N][2];
    uint32_t got[N][4];
} Fixture;

static int set_up(void **state)
{
    bool functional = *state != NULL;
    Fixture *f = calloc(1, sizeof *f);
    oc_config config = {.gpu = "gtx480", .functional = functional};
    if (oc_open(&config, &f->d, NULL, 0) != OC_OK) return -1;
    if (oc_load(f->d, ptx, strlen(ptx), "tex.ptx", &f->m) != OC_OK) return fprintf(stderr, "%s\n", oc_error(f->d)), -1;
    oc_malloc(f->d, sizeof f->pixels, "image", &f->image);
    oc_malloc(f->d, sizeof f->coords, "coords", &f->at);
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

static void run(Fixture *f, const char *kernel, uint64_t handle)
{
    oc_kernel *k;
    const void *args[] = {&handle, &f->at, &f->out};
    assert_int_equal(oc_kernel_get(f->m, kernel, &k), OC_OK);
    assert_int_equal(oc_write(f->d, f->at, f->coords, sizeof f->coords, NULL), OC_OK);
    if (oc_launch(k, (oc_dim3){N / 64, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args) != OC_OK)
        fail_msg("%s", oc_error(f->d));
    assert_int_equal(oc_read(f->d, f->got, f->out, sizeof f->got, NULL), OC_OK);
}

static uint64_t create(Fixture *f, const oc_texture *t)
{
    uint64_t handle;
    if (oc_texture_create(f->d, t, &handle) != OC_OK) fail_msg("%s", oc_error(f->d));
    return handle;
}

static uint32_t seed = 1;
static uint32_t random_u32(void) { return seed = seed * 1664525u + 1013904223u, seed >> 4 ^ seed << 9; }

static void paint(Fixture *f, oc_tex_format format)
{
    for (size_t k = 0; k < sizeof f->pixels; k++) f->pixels[k] = (uint8_t)random_u32();
    if (format == OC_TEX_F32)  // small whole numbers, so that sums of products are exact
        for (size_t k = 0; k < sizeof f->pixels / 4; k++) {
            float v = (float)(int)(random_u32() % 2001) - 1000;
            memcpy(f->pixels + 4 * k, &v, 4);
        }
    if (format == OC_TEX_F16)  // no infinities, and no NaNs
        for (size_t k = 1; k < sizeof f->pixels; k += 2) f->pixels[k] &= 0xfb;
    assert_int_equal(oc_write(f->d, f->image, f->pixels, sizeof f->pixels, NULL), OC_OK);
}

// --- the reference ---------------------------------------------------------------------------------------------------
// The position that addressing makes of texel i of n; -1: the border.
static int place(oc_tex_address mode, int i, int n)
{
    switch (mode) {
    case OC_TEX_CLAMP: return i < 0 ? 0 : i >= n ? n - 1 : i;
    case OC_TEX_BORDER: return i < 0 || i >= n ? -1 : i;
    case OC_TEX_WRAP:
        while (i < 0) i += n;
        while (i >= n) i -= n;
        return i;
    default:  // there and back again
        for (int step = 1, at = 0, k = 0;; k++) {
            if (i >= 0 ? k == i : k == -1 - i) return at;
            if (at + step >= 0 && at + step < n)
                at += step;
            else
                step = -step;
        }
    }
}

// Coordinates that aren't normalized are clamped where they would wrap or mirror (CUDA C++ Programming Guide, "Texture
// Object API").
static oc_tex_address mode_of(const oc_texture *t)
{
    return !t->normalized && (t->address == OC_TEX_WRAP || t->address == OC_TEX_MIRROR) ? OC_TEX_CLAMP : t->address;
}

// A channel of a texel: its raw 32 bits, and as a number.
static uint32_t raw(const Fixture *f, const oc_texture *t, int x, int y, int c)
{
    int b = format_bytes[t->format], w = (int)t->width, h = t->height ? (int)t->height : 1;
    uint32_t v = 0;
    x = place(mode_of(t), x, w), y = place(mode_of(t), y, h);
    if (x < 0 || y < 0) return 0;
    bool is_float = t->format == OC_TEX_F32 || t->format == OC_TEX_F16 || t->unit_float;
    float one = 1;
    if (c >= (int)t->channels) {  // what a texel doesn't have is 0, and 1 for the last
        if (c == 3 && is_float)
            memcpy(&v, &one, 4);
        else
            v = c == 3;
        return v;
    }
    memcpy(&v, f->pixels + (size_t)y * t->pitch + (size_t)(x * (int)t->channels + c) * (size_t)b, (size_t)b);
    if (t->format == OC_TEX_S8 && v & 0x80) v |= 0xffffff00u;
    if (t->format == OC_TEX_S16 && v & 0x8000) v |= 0xffff0000u;
    if (t->format == OC_TEX_F16) {  // IEEE 754, binary16
        int e = v >> 10 & 31, m = v & 1023;
        float u = ldexpf((float)(e ? 1024 + m : m), (e ? e : 1) - 25);
        if (v & 0x8000) u = -u;
        memcpy(&v, &u, 4);
    }
    if (t->unit_float) {
        static const float most[] = {0, 0, 0, 255, 127, 65535, 32767};
        float u = (t->format == OC_TEX_U8 || t->format == OC_TEX_U16 ? (float)v : (float)(int32_t)v) / most[t->format];
        if (u < -1) u = -1;
        memcpy(&v, &u, 4);
    }
    return v;
}

static float number(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, 4);
    return v;
}

// A weight has 8 bits behind the point and may be 1.0 (linear filtering: "9-bit fixed point format"): a fraction is
// rounded to the nearest, since cut off it would never be 1.0.
static double weight(double fraction) { return floor(fraction * 256 + 0.5) / 256; }

static double filtered(const Fixture *f, const oc_texture *t, double x, double y, int c)
{
    double xb = x - 0.5, yb = t->height ? y - 0.5 : 0;
    int i = (int)floor(xb), j = (int)floor(yb);
    double a = weight(xb - i), b = weight(yb - j);
    return (1 - a) * (1 - b) * number(raw(f, t, i, j, c)) + a * (1 - b) * number(raw(f, t, i + 1, j, c)) +
           (t->height ? (1 - a) * b * number(raw(f, t, i, j + 1, c)) + a * b * number(raw(f, t, i + 1, j + 1, c)) : 0);
}

static void compare(const Fixture *f, int n, int c, uint32_t want, const char *what)
{
    if (f->got[n][c] != want)
        fail_msg("%s: at (%g, %g) channel %d is 0x%08x (%g), not 0x%08x (%g)", what, f->coords[n][0], f->coords[n][1],
                 c, f->got[n][c], number(f->got[n][c]), want, number(want));
}

// --- tests -----------------------------------------------------------------------------------------------------------
// A number in [-2, 3) times n, with a fraction that is a multiple of 1/256, or three of four times between two of them;
// never in the middle, where the guide doesn't say which way to round.
static double coordinate(int n)
{
    uint32_t quarters = random_u32() % (uint32_t)(5 * n * 1024);
    if (quarters % 4 == 2) quarters++;
    return (double)quarters / 1024 - 2 * n;
}

static void choose(Fixture *f, bool normalized, int w, int h)
{
    for (int n = 0; n < N; n++) {
        double x = coordinate(w), y = coordinate(h);
        f->coords[n][0] = (float)(normalized ? x / w : x);
        f->coords[n][1] = (float)(normalized ? y / h : y);
    }
}

static void nearest(void **state)
{
    Fixture *f = *state;
    char what[100];
    for (int format = 0; format < 8; format++)
        for (int unit = 0; unit < 2; unit++)
            for (uint32_t channels = 1; channels <= 4; channels *= 2)
                for (int mode = 0; mode < 4; mode++) {
                    if (unit && (format < OC_TEX_U8 || format > OC_TEX_S16)) continue;
                    oc_texture t = {.base = f->image,
                                    .width = W,
                                    .height = H,
                                    .pitch = PITCH,
                                    .channels = channels,
                                    .format = (oc_tex_format)format,
                                    .address = (oc_tex_address)mode,
                                    .unit_float = unit};
                    snprintf(what, sizeof what, "nearest %s%s, %u channels, mode %d", format_names[format],
                             unit ? " unit" : "", channels, mode);
                    paint(f, t.format);
                    uint64_t h = create(f, &t);
                    choose(f, false, W, H);
                    run(f, "f2d", h);
                    for (int n = 0; n < N; n++)
                        for (int c = 0; c < 4; c++)
                            compare(f, n, c, raw(f, &t, (int)floor(f->coords[n][0]), (int)floor(f->coords[n][1]), c),
                                    what);
                    int32_t whole[N][2];
                    for (int n = 0; n < N; n++) {
                        whole[n][0] = (int)(random_u32() % (5 * W)) - 2 * W,
                        whole[n][1] = (int)(random_u32() % (5 * H)) - 2 * H;
                        memcpy(f->coords[n], whole[n], 8);
                    }
                    run(f, "i2d", h);
                    for (int n = 0; n < N; n++)
                        for (int c = 0; c < 4; c++) compare(f, n, c, raw(f, &t, whole[n][0], whole[n][1], c), what);
                    assert_int_equal(oc_texture_destroy(f->d, h), OC_OK);
                }
}

static void bilinear(void **state)
{
    Fixture *f = *state;
    char what[100];
    for (uint32_t channels = 1; channels <= 4; channels *= 2)
        for (int mode = 0; mode < 4; mode++)
            for (int one_d = 0; one_d < 2; one_d++) {
                oc_texture t = {.base = f->image,
                                .width = W,
                                .height = one_d ? 0 : H,
                                .pitch = PITCH,
                                .channels = channels,
                                .format = OC_TEX_F32,
                                .address = (oc_tex_address)mode,
                                .linear = true};
                snprintf(what, sizeof what, "linear %dD, %u channels, mode %d", 2 - one_d, channels, mode);
                paint(f, t.format);
                uint64_t h = create(f, &t);
                choose(f, false, W, H);
                run(f, one_d ? "f1d" : "fl2d", h);
                for (int n = 0; n < N; n++)
                    for (uint32_t c = 0; c < channels; c++) {
                        // Sums of whole numbers times multiples of 2^-16: exact in 24 bits up to rounding of the last.
                        float want = (float)filtered(f, &t, f->coords[n][0], f->coords[n][1], (int)c),
                              got = number(f->got[n][c]);
                        if (fabsf(want - got) > 2e-4f)
                            fail_msg("%s: at (%g, %g) channel %u is %.9g, not %.9g", what, f->coords[n][0],
                                     f->coords[n][1], c, got, want);
                    }
            }
    // 8-bit texels read as numbers from 0 to 1.
    oc_texture t = {.base = f->image,
                    .width = W,
                    .height = H,
                    .pitch = PITCH,
                    .channels = 4,
                    .format = OC_TEX_U8,
                    .address = OC_TEX_CLAMP,
                    .linear = true,
                    .unit_float = true};
    paint(f, t.format);
    uint64_t h = create(f, &t);
    choose(f, false, W, H);
    run(f, "fl2d", h);
    for (int n = 0; n < N; n++)
        for (int c = 0; c < 4; c++)
            assert_true(fabs(filtered(f, &t, f->coords[n][0], f->coords[n][1], c) - number(f->got[n][c])) < 1e-6);
}

// Normalized coordinates: a power of two as the size, so that the products are exact.
static void normalized(void **state)
{
    Fixture *f = *state;
    for (int mode = 0; mode < 4; mode++)
        for (int linear = 0; linear < 2; linear++) {
            oc_texture t = {.base = f->image,
                            .width = 8,
                            .height = 4,
                            .pitch = PITCH,
                            .channels = 1,
                            .format = OC_TEX_F32,
                            .address = (oc_tex_address)mode,
                            .linear = linear,
                            .normalized = true};
            paint(f, t.format);
            uint64_t h = create(f, &t);
            choose(f, true, 8, 4);
            run(f, "fl2d", h);
            for (int n = 0; n < N; n++) {
                double x = f->coords[n][0] * 8, y = f->coords[n][1] * 4;
                double want = linear ? filtered(f, &t, x, y, 0) : number(raw(f, &t, (int)floor(x), (int)floor(y), 0));
                if (fabs(want - number(f->got[n][0])) > 2e-4)
                    fail_msg("mode %d linear %d: at (%g, %g): %.9g, not %.9g", mode, linear, f->coords[n][0],
                             f->coords[n][1], number(f->got[n][0]), want);
            }
        }
}

// tex1Dfetch: linear memory, whole numbers; outside of it 0 or the nearest, as the address mode says.
static void linear_memory(void **state)
{
    Fixture *f = *state;
    oc_texture t = {
        .base = f->image + 256, .width = 100, .channels = 2, .format = OC_TEX_S16, .address = OC_TEX_BORDER};
    paint(f, t.format);
    uint64_t h = create(f, &t);
    int32_t i[N];
    for (int n = 0; n < N; n++) {
        i[n] = n % 160 - 30;
        memcpy(f->coords[n], &i[n], 4);
    }
    run(f, "i1d", h);
    for (int n = 0; n < N; n++) {
        int16_t v[2];
        if (i[n] >= 0 && i[n] < 100)
            memcpy(v, f->pixels + 256 + 4 * i[n], 4);
        else
            v[0] = v[1] = 0;
        assert_int_equal((int32_t)f->got[n][0], v[0]);
        assert_int_equal((int32_t)f->got[n][1], v[1]);
    }
}

// tld4: the channel of the four texels around, counter-clockwise from the lower left (PTX ISA, tld4).
static void gather(void **state)
{
    Fixture *f = *state;
    oc_texture t = {.base = f->image,
                    .width = W,
                    .height = H,
                    .pitch = PITCH,
                    .channels = 4,
                    .format = OC_TEX_F32,
                    .address = OC_TEX_CLAMP};
    for (int alpha = 0; alpha < 2; alpha++) {
        if (alpha) t.format = OC_TEX_U16, t.address = OC_TEX_WRAP;
        paint(f, t.format);
        uint64_t h = create(f, &t);
        choose(f, false, W, H);
        run(f, alpha ? "ga" : "gr", h);
        for (int n = 0; n < N; n++) {
            static const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
            int x = (int)floor(f->coords[n][0] - 0.5), y = (int)floor(f->coords[n][1] - 0.5);
            for (int c = 0; c < 4; c++) compare(f, n, c, raw(f, &t, x + dx[c], y + dy[c], alpha ? 3 : 0), "tld4");
        }
    }
}

static void refused(void **state)
{
    Fixture *f = *state;
    const oc_texture good = {.base = f->image, .width = W, .height = H, .pitch = PITCH, .channels = 1};
    oc_texture t;
    uint64_t h;
#define REFUSED(change) t = good, change, assert_int_equal(oc_texture_create(f->d, &t, &h), OC_BAD_ARGUMENT)
    REFUSED(t.channels = 3);
    REFUSED(t.channels = 0);
    REFUSED(t.width = 0);
    REFUSED(t.pitch = W * 4 - 1);
    REFUSED(t.height = H + 1);
    REFUSED(t.base = 0);
    REFUSED(t.base = f->image + 257);
    REFUSED(t.width = 0xffffffff);
    REFUSED((t.height = 0, t.width = PITCH * H / 4 + 1));
    REFUSED(t.format = (oc_tex_format)99);
    REFUSED(t.address = (oc_tex_address)99);
    REFUSED((t.format = OC_TEX_U8, t.linear = true));
    // A handle that was destroyed, or never was one.
    h = create(f, &good);
    assert_int_equal(oc_texture_destroy(f->d, h), OC_OK);
    assert_int_equal(oc_texture_destroy(f->d, h), OC_BAD_ARGUMENT);
    assert_int_equal(oc_texture_destroy(f->d, 77), OC_BAD_ARGUMENT);
    for (int k = 0; k < 2; k++) {
        oc_kernel *kernel;
        const void *args[] = {&h, &f->at, &f->out};
        assert_int_equal(oc_kernel_get(f->m, "f2d", &kernel), OC_OK);
        assert_int_equal(oc_launch(kernel, (oc_dim3){1, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args), OC_FAULT);
        assert_non_null(strstr(oc_error(f->d), "is not a texture object"));
        h = 5;
    }
    // Wild coordinates: infinities and NaN don't leave the image.
    h = create(f, &good);
    for (int n = 0; n < N; n++)
        f->coords[n][0] = n % 3 ? n % 2 ? INFINITY : -INFINITY : NAN, f->coords[n][1] = n % 5 ? 3e38f : -3e38f;
    run(f, "f2d", h);
}

// The image is freed under the texture: reads are as good as of freed memory, not of somebody else's.
static void freed(void **state)
{
    Fixture *f = *state;
    oc_texture t = {.base = f->image, .width = W, .height = H, .pitch = PITCH, .channels = 1};
    uint64_t h = create(f, &t);
    assert_int_equal(oc_free(f->d, f->image), OC_OK);
    oc_kernel *kernel;
    const void *args[] = {&h, &f->at, &f->out};
    assert_int_equal(oc_kernel_get(f->m, "i2d", &kernel), OC_OK);
    assert_int_equal(oc_write(f->d, f->at, f->coords, sizeof f->coords, NULL), OC_OK);
    assert_int_equal(oc_launch(kernel, (oc_dim3){1, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args), OC_FAULT);
    assert_non_null(strstr(oc_error(f->d), "memory that was freed"));
}

int main(void)
{
    static bool functional = true;
#define BOTH(test) \
    {#test, test, set_up, tear_down, NULL}, { #test ", functional", test, set_up, tear_down, &functional }
    const struct CMUnitTest tests[] = {BOTH(nearest), BOTH(bilinear), BOTH(normalized), BOTH(linear_memory),
                                       BOTH(gather),  BOTH(refused),  BOTH(freed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
