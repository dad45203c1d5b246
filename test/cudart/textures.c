// textures.c: a CUDA program without nvcc that reads arrays and memory through texture objects. What it expects are the
// formulas of the CUDA C++ Programming Guide ("Texture Fetching"); it prints what isn't so. Layouts are those of app.c
// and of the CUDA Runtime API reference.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
typedef struct Channels {
    int x, y, z, w, kind;
} Channels;
typedef struct Extent {
    size_t width, height, depth;
} Extent;
typedef struct Pos {
    size_t x, y, z;
} Pos;
typedef struct PitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} PitchedPtr;
typedef struct Parms {
    void *from_array;
    Pos from_at;
    PitchedPtr from;
    void *to_array;
    Pos to_at;
    PitchedPtr to;
    Extent extent;
    int kind;
} Parms;
typedef struct Resource {
    int type;
    union {
        void *array;
        struct {
            void *at;
            Channels channels;
            size_t bytes;
        } linear;
        struct {
            void *at;
            Channels channels;
            size_t width, height, pitch;
        } rows;
        int reserved[32];
    } of;
    unsigned flags;
} Resource;
typedef struct Texture {
    int address[3], filter, read, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmaps[3];
    int no_shortcut, seamless;
} Texture;
typedef struct View {
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer, reserved[16];
} View;
extern int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
extern int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
extern int cudaMallocPitch(void **, size_t *, size_t, size_t), cudaDeviceReset(void), cudaDeviceSynchronize(void);
extern int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int), cudaMemcpy3D(const Parms *);
extern Channels cudaCreateChannelDesc(int, int, int, int, int);
extern int cudaMallocArray(void **, const Channels *, size_t, size_t, unsigned), cudaFreeArray(void *);
extern int cudaMalloc3DArray(void **, const Channels *, Extent, unsigned);
extern int cudaArrayGetInfo(Channels *, Extent *, unsigned *, void *), cudaGetChannelDesc(Channels *, const void *);
extern int cudaDeviceGetTexture1DLinearMaxWidth(size_t *, const Channels *, int);
extern int cudaArrayGetPlane(void **, void *, unsigned);
extern int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
extern int cudaMemcpy2DFromArray(void *, size_t, const void *, size_t, size_t, size_t, size_t, int);
extern int cudaMemcpy2DToArrayAsync_ptsz(void *, size_t, size_t, const void *, size_t, size_t, size_t, int, void *);
extern int cudaMemcpy2DArrayToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, size_t, int);
extern int cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int);
extern int cudaMemcpyFromArray(void *, const void *, size_t, size_t, size_t, int);
extern int cudaMemcpyArrayToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
extern int cudaCreateTextureObject(uint64_t *, const Resource *, const Texture *, const void *);
extern int cudaDestroyTextureObject(uint64_t), cudaGetTextureObjectResourceDesc(Resource *, uint64_t);
extern int cudaGetTextureObjectTextureDesc(Texture *, uint64_t);
extern int cudaMallocMipmappedArray(void **, const Channels *, Extent, unsigned, unsigned);
extern int cudaFreeMipmappedArray(void *), cudaGetMipmappedArrayLevel(void **, const void *, unsigned);
extern int cudaMipmappedArrayGetSparseProperties(void *, const void *);
extern int cudaCreateSurfaceObject(uint64_t *, const Resource *), cudaDestroySurfaceObject(uint64_t);
extern int cudaGetSurfaceObjectResourceDesc(Resource *, uint64_t);
extern const char *cudaGetErrorName(int);
enum { TO_DEVICE = 1, TO_HOST, ON_DEVICE, BY_ADDRESS };
enum { SIGNED, UNSIGNED, FLOAT };
enum { WRAP, CLAMP, MIRROR, BORDER };
enum { ARRAY, MIPMAPS, LINEAR, ROWS };
enum { LAYERED = 1, SURFACE = 2, CUBEMAP = 4 };

// --- kernels ---------------------------------------------------------------------------------------------------------
// Thread k reads at (xy[2k], xy[2k + 1]), and writes four channels to out[4k].
#define BODY(name, fetch, at)                                                                        \
    ".visible .entry " name "(.param .u64 t, .param .u64 xy, .param .u64 out)\n"                     \
    "{ .reg .b32 %r<8>; .reg .b64 %d<5>;\n"                                                          \
    "ld.param.u64 %d1, [t]; ld.param.u64 %d2, [xy]; ld.param.u64 %d3, [out]; mov.u32 %r1, %tid.x;\n" \
    "mul.wide.u32 %d4, %r1, 8; add.u64 %d2, %d2, %d4; ld.global.v2.b32 {%r2, %r3}, [%d2];\n" fetch   \
    " {%r4, %r5, %r6, %r7}, [%d1, {" at "}];\n"                                                      \
    "mul.wide.u32 %d4, %r1, 16; add.u64 %d3, %d3, %d4; st.global.v4.b32 [%d3], {%r4, %r5, %r6, %r7}; ret; }\n"
static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"  //
    BODY("plane", "tex.2d.v4.f32.f32", "%r2, %r3")                           //
    BODY("whole", "tex.2d.v4.s32.f32", "%r2, %r3")                           //
    BODY("line", "tex.1d.v4.f32.f32", "%r2")                                 //
    BODY("item", "tex.1d.v4.s32.s32", "%r2");
#include "built.h"
static char plane, whole, line, item;

__attribute__((constructor)) static void begin(void)
{
    static const Registered kernels[] = {{&plane, "plane"}, {&whole, "whole"}, {&line, "line"}, {&item, "item"}};
    register_kernels(kernels, sizeof kernels / sizeof *kernels);
    register_end();
}

#define SHOW(call) printf("%.*s: %s\n", (int)strcspn(#call, "("), #call, cudaGetErrorName(call))
#define MUST(call) must(__LINE__, call)
static void must(int at, int error)
{
    if (!error) return;
    printf("line %d: %s\n", at, cudaGetErrorName(error));
    exit(99);
}

// --- reading ---------------------------------------------------------------------------------------------------------
enum { MOST = 32 };
typedef union Texel {
    float f[4];
    int32_t i[4];
} Texel;

// n texels of t, at coordinates of 4 bytes each.
static const Texel *fetch(char *kernel, uint64_t t, const void *xy, unsigned n)
{
    static Texel got[MOST];
    void *at, *out, *args[] = {&t, &at, &out};
    MUST(cudaMalloc(&at, 8 * n)), MUST(cudaMalloc(&out, 16 * n));
    MUST(cudaMemcpy(at, xy, 8 * n, TO_DEVICE));
    MUST(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){n, 1, 1}, args, 0, NULL));
    MUST(cudaMemcpy(got, out, 16 * n, TO_HOST));
    MUST(cudaFree(at)), MUST(cudaFree(out));
    return got;
}

// Values of the first channel at n coordinates.
static void expect(const char *what, char *kernel, uint64_t t, const float (*xy)[2], const float *values, unsigned n)
{
    const Texel *got = fetch(kernel, t, xy, n);
    unsigned wrong = 0;
    for (unsigned k = 0; k < n; k++) {
        if (got[k].f[0] == values[k]) continue;
        printf("%s at (%g, %g): %g, not %g\n", what, xy[k][0], xy[k][1], got[k].f[0], values[k]);
        wrong++;
    }
    printf("%s: %u of %u wrong\n", what, wrong, n);
}
#define EXPECT(what, kernel, t, ...) /* {x, y, value} … */                                \
    do {                                                                                    \
        static const float list_[][3] = {__VA_ARGS__};                                      \
        enum { N_ = sizeof list_ / sizeof *list_ };                                         \
        float xy_[N_][2], values_[N_];                                                      \
        for (int k = 0; k < N_; k++) memcpy(xy_[k], list_[k], 8), values_[k] = list_[k][2]; \
        expect(what, kernel, t, (const float(*)[2])xy_, values_, N_);                       \
    } while (0)

static uint64_t of_array(void *array, Texture how)
{
    uint64_t t;
    Resource r = {.type = ARRAY, .of.array = array};
    MUST(cudaCreateTextureObject(&t, &r, &how, NULL));
    return t;
}

// --- what it does ----------------------------------------------------------------------------------------------------
enum { W = 4, H = 2 };  // powers of two: normalized coordinates are exact
static const float image[H][W] = {{1, 2, 4, 8}, {16, 32, 64, 128}};

static void planes(void)
{
    Channels c = cudaCreateChannelDesc(32, 0, 0, 0, FLOAT);
    void *a;
    MUST(cudaMallocArray(&a, &c, W, H, 0));
    MUST(cudaMemcpy2DToArray(a, 0, 0, image, sizeof *image, sizeof *image, H, TO_DEVICE));
    uint64_t t = of_array(a, (Texture){.address = {CLAMP, CLAMP}});
    EXPECT("points", &plane, t, {0, 0, 1}, {0.75f, 1.5f, 16}, {3, 1, 128}, {2.5f, 0.5f, 4});
    EXPECT("clamped", &plane, t, {-9, -1, 1}, {99, 0, 8}, {1, 7, 32}, {4, 2, 128});
    MUST(cudaDestroyTextureObject(t));
    t = of_array(a, (Texture){.address = {WRAP, MIRROR}});  // coordinates aren't normalized
    EXPECT("clamped all the same", &plane, t, {-1, 0, 1}, {4, 0, 8}, {0, 2, 16});
    t = of_array(a, (Texture){.address = {BORDER, BORDER}});
    EXPECT("zero outside", &plane, t, {-1, 0, 0}, {4, 0, 0}, {0, 2, 0}, {3, 1, 128});
    // (1 − α)(1 − β) T[j][i] + α(1 − β) T[j][i + 1] + (1 − α) β T[j + 1][i] + α β T[j + 1][i + 1], where i + α is
    // x − ½, and j + β is y − ½
    t = of_array(a, (Texture){.address = {CLAMP, CLAMP}, .filter = 1});
    EXPECT("filtered", &plane, t, {0.5f, 0.5f, 1}, {1, 0.5f, 1.5f}, {0.5f, 1, 8.5f},
           {1.75f, 1.25f, 0.75f * 0.25f * 2 + 0.25f * 0.25f * 4 + 0.75f * 0.75f * 32 + 0.25f * 0.75f * 64}, {0, 0, 1},
           {4, 2, 128});
    // α and β have 8 bits behind the point; the guide doesn't say how they are rounded.
    const float near[1][2] = {{1.0f - 0x1p-20f, 0.5f}};
    float v = fetch(&plane, t, near, 1)->f[0];
    printf("weights of 8 bits: %d\n", v == 1.5f || v == 1 + 127 / 256.0f);
    t = of_array(a, (Texture){.address = {BORDER, BORDER}, .filter = 1});
    EXPECT("filtered to zero", &plane, t, {0, 0.5f, 0.5f}, {4, 1.5f, 64});
    t = of_array(a, (Texture){.address = {WRAP, WRAP}, .normalized = 1});
    EXPECT("wrapped", &plane, t, {0.125f, 0.25f, 1}, {1.125f, 1.75f, 16}, {-0.125f, -0.25f, 128}, {2.625f, 0, 4});
    t = of_array(a, (Texture){.address = {MIRROR, MIRROR}, .normalized = 1});
    EXPECT("mirrored", &plane, t, {1.125f, 0.25f, 8}, {-0.125f, -0.25f, 1}, {2.375f, 1.25f, 32});
    t = of_array(a, (Texture){.address = {WRAP, WRAP}, .normalized = 1, .filter = 1});
    EXPECT("wrapped and filtered", &plane, t, {0, 0.25f, 4.5f}, {1, 0.25f, 4.5f}, {0.25f, 0, 25.5f / 2});
    MUST(cudaFreeArray(a));
}

// 8 and 16 bits, one to four channels.
static void formats(void)
{
    static const uint8_t bytes[2][4] = {{0, 51, 255, 1}, {128, 3, 4, 5}};
    static const int16_t words[2][2] = {{-32768, 32767}, {-5, 7}};
    static const float xy[2][2] = {{0.5f, 0.5f}, {1.5f, 0.5f}};
    Channels c = cudaCreateChannelDesc(8, 8, 8, 8, UNSIGNED), d = cudaCreateChannelDesc(16, 16, 0, 0, SIGNED);
    void *a, *b;
    MUST(cudaMallocArray(&a, &c, 2, 1, 0)), MUST(cudaMallocArray(&b, &d, 2, 1, 0));
    MUST(cudaMemcpy2DToArray(a, 0, 0, bytes, 8, 8, 1, TO_DEVICE));
    MUST(cudaMemcpy2DToArrayAsync_ptsz(b, 0, 0, words, 8, 8, 1, TO_DEVICE, NULL));
    const Texel *got = fetch(&plane, of_array(a, (Texture){.address = {1, 1}, .read = 1}), xy, 2);
    int wrong = 0;
    for (int k = 0; k < 8; k++) wrong += got[k / 4].f[k % 4] != (float)bytes[k / 4][k % 4] / 255;
    printf("bytes as floats: %d wrong\n", wrong), wrong = 0;
    got = fetch(&whole, of_array(a, (Texture){.address = {1, 1}}), xy, 2);
    for (int k = 0; k < 8; k++) wrong += got[k / 4].i[k % 4] != bytes[k / 4][k % 4];
    printf("bytes: %d wrong\n", wrong), wrong = 0;
    got = fetch(&whole, of_array(b, (Texture){.address = {1, 1}}), xy, 2);
    for (int k = 0; k < 4; k++) wrong += got[k / 2].i[k % 2] != words[k / 2][k % 2];
    printf("words: %d wrong\n", wrong);
    got = fetch(&plane, of_array(b, (Texture){.address = {1, 1}, .read = 1}), xy, 2);
    printf("words as floats: %g %g %d\n", got[0].f[0], got[0].f[1], got[1].f[0] == -5 / 32767.0f);
    MUST(cudaFreeArray(a)), MUST(cudaFreeArray(b));
    // 1, −2, 65504 and 2^−24 in 16 bits
    static const uint16_t halves[2][2] = {{0x3c00, 0xc000}, {0x7bff, 0x0001}};
    c = cudaCreateChannelDesc(16, 16, 0, 0, FLOAT);
    MUST(cudaMallocArray(&a, &c, 2, 1, 0));
    MUST(cudaMemcpy2DToArray(a, 0, 0, halves, 8, 8, 1, TO_DEVICE));
    got = fetch(&plane, of_array(a, (Texture){.address = {1, 1}}), xy, 2);
    printf("halves: %g %g %g %d\n", got[0].f[0], got[0].f[1], got[1].f[0], got[1].f[1] == 0x1p-24f);
    const float middle[1][2] = {{1, 0.5f}};
    got = fetch(&plane, of_array(a, (Texture){.address = {1, 1}, .filter = 1}), middle, 1);
    printf("halves, filtered: %g %g\n", got->f[0], got->f[1]);
    MUST(cudaFreeArray(a));
}

// Memory that is read by index, a line of an array, rows of memory.
static void others(void)
{
    enum { N = 10 };
    int32_t items[N][4], at[N + 2][2];
    Channels c = cudaCreateChannelDesc(32, 32, 32, 32, SIGNED), f = cudaCreateChannelDesc(32, 0, 0, 0, FLOAT);
    void *p, *a, *rows;
    size_t pitch;
    uint64_t t;
    for (int k = 0; k < 4 * N; k++) items[k / 4][k % 4] = 7 - k * k;
    for (int k = 0; k < N + 2; k++) at[k][0] = k - 1;
    MUST(cudaMalloc(&p, sizeof items));
    MUST(cudaMemcpy(p, items, sizeof items, TO_DEVICE));
    Resource r = {.type = LINEAR, .of.linear = {p, c, sizeof items}};
    MUST(cudaCreateTextureObject(&t, &r, &(Texture){.read = 0}, NULL));
    const Texel *got = fetch(&item, t, at, N + 2);
    int wrong = 0;
    for (int k = 0; k < 4 * N + 8; k++)
        wrong += got[k / 4].i[k % 4] != (k < 4 || k >= 4 * N + 4 ? 0 : items[k / 4 - 1][k % 4]);
    printf("items: %d wrong\n", wrong);
    MUST(cudaMallocArray(&a, &f, 8, 0, 0));
    MUST(cudaMemcpyToArray(a, 0, 0, image, sizeof image, TO_DEVICE));
    t = of_array(a, (Texture){.address = {CLAMP}, .filter = 1});
    EXPECT("a line", &line, t, {0.5f, 0, 1}, {-1, 0, 1}, {1.25f, 0, 1.75f}, {4, 0, 12}, {7.5f, 0, 128}, {9, 0, 128});
    MUST(cudaMallocPitch(&rows, &pitch, sizeof *image, H));
    MUST(cudaMemcpy2D(rows, pitch, image, sizeof *image, sizeof *image, H, TO_DEVICE));
    r = (Resource){.type = ROWS, .of.rows = {rows, f, W, H, pitch}};
    MUST(cudaCreateTextureObject(&t, &r, &(Texture){.address = {CLAMP, CLAMP}, .filter = 1}, NULL));
    EXPECT("rows", &plane, t, {0.5f, 1.5f, 16}, {9, 9, 128}, {3, 1, (4 + 8 + 64 + 128) / 4.0f});
    Resource back = {.flags = 1};
    Texture how = {0};
    MUST(cudaGetTextureObjectResourceDesc(&back, t)), MUST(cudaGetTextureObjectTextureDesc(&how, t));
    printf("told again: %d\n", back.type == ROWS && back.of.rows.at == rows && back.of.rows.pitch == pitch &&
                                   how.address[0] == CLAMP && how.filter == 1 && !back.flags);
    MUST(cudaFree(p)), MUST(cudaFree(rows)), MUST(cudaFreeArray(a));
}

static void print(const char *what, const char *v) { printf("%s %.3s %.3s\n", what, v, v + 3); }

// Copies into, out of and between arrays of 3 by 2 bytes. Runs go on in the next row.
static void copies(void)
{
    char got[7] = "";
    Channels c = cudaCreateChannelDesc(8, 0, 0, 0, UNSIGNED), back, wide = cudaCreateChannelDesc(8, 8, 0, 0, UNSIGNED);
    Extent e;
    unsigned flags;
    void *a, *b, *d;
    MUST(cudaMallocArray(&a, &c, 3, 2, 0)), MUST(cudaMalloc3DArray(&b, &c, (Extent){3, 2, 0}, 0));
    MUST(cudaMallocArray(&d, &wide, 2, 2, 0));
    MUST(cudaArrayGetInfo(&back, &e, &flags, b)), MUST(cudaGetChannelDesc(&back, a));
    printf("%zu %zu %zu %u %d %d %d\n", e.width, e.height, e.depth, flags, back.x, back.y, back.kind);
    MUST(cudaMemcpyToArray(a, 0, 0, "abcdef", 6, TO_DEVICE));
    MUST(cudaMemcpy2DFromArray(got, 3, a, 0, 0, 3, 2, TO_HOST)), print("run in", got);
    MUST(cudaMemcpyFromArray(got, a, 2, 0, 3, TO_HOST)), print("run out", got);
    MUST(cudaMemcpyToArray(b, 0, 0, "------", 6, TO_DEVICE));
    MUST(cudaMemcpyArrayToArray(b, 1, 0, a, 0, 0, 4, ON_DEVICE));
    MUST(cudaMemcpyFromArray(got, b, 0, 0, 6, TO_HOST)), print("run across", got);
    MUST(cudaMemcpy2DArrayToArray(b, 0, 0, a, 1, 0, 2, 2, ON_DEVICE));
    MUST(cudaMemcpyFromArray(got, b, 0, 0, 6, TO_HOST)), print("box across", got);
    MUST(cudaMemcpy2DToArray(b, 1, 1, "xy", 2, 2, 1, TO_DEVICE));
    Parms out = {.from_array = b, .from_at = {1, 0, 0}, .to = {got, 3, 3, 2}, .extent = {2, 2, 1}, .kind = TO_HOST};
    MUST(cudaMemcpy3D(&out)), print("box out", got);
    Parms in = {.from = {"0123", 4, 4, 1}, .to_array = d, .to_at = {0, 1, 0}, .extent = {2, 1, 1}, .kind = TO_DEVICE};
    MUST(cudaMemcpy3D(&in));  // two elements are four bytes
    MUST(cudaMemcpyFromArray(got, d, 0, 1, 4, TO_HOST)), print("box in", got);
    char rows[2 * 64], again[2 * 64] = "";
    void *long_one;
    for (int k = 0; k < 2 * 64; k++) rows[k] = (char)k;
    MUST(cudaMallocArray(&long_one, &c, 64, 2, 0));
    MUST(cudaMemcpyToArray(long_one, 0, 0, rows, 60, TO_DEVICE));
    MUST(cudaMemcpyToArray(long_one, 60, 0, rows + 60, 2 * 64 - 60, TO_DEVICE));
    MUST(cudaMemcpyFromArray(again, long_one, 10, 0, 100, TO_HOST));
    MUST(cudaMemcpyFromArray(again + 100, long_one, 46, 1, 18, TO_HOST));
    printf("rows without a gap: %d\n", !memcmp(again, rows + 10, 100) && !memcmp(again + 100, rows + 110, 18));
    SHOW(cudaMemcpyFromArray(again, long_one, 47, 1, 18, TO_HOST));
    MUST(cudaFreeArray(long_one));
    SHOW(cudaMemcpyToArray(a, 1, 1, "abc", 3, TO_DEVICE));
    SHOW(cudaMemcpyFromArray(got, a, 0, 2, 1, TO_HOST));
    SHOW(cudaMemcpy2DToArray(a, 2, 0, "abcd", 2, 2, 1, TO_DEVICE));
    SHOW(cudaMemcpy2DToArray(a, 0, 1, "abcd", 2, 2, 2, TO_DEVICE));
    SHOW(cudaMemcpy2DToArray(a, 0, 0, "abcd", 1, 2, 1, TO_DEVICE));
    SHOW(cudaMemcpy2DToArray(a, SIZE_MAX, SIZE_MAX, "abcd", 2, 2, 1, TO_DEVICE));
    in.extent.width = SIZE_MAX / 2 + 2;
    SHOW(cudaMemcpy3D(&in));
    out.to_array = d, out.to.ptr = NULL;
    SHOW(cudaMemcpy3D(&out));
    MUST(cudaFreeArray(a)), MUST(cudaFreeArray(b)), MUST(cudaFreeArray(d));
}

// TRY(what): a change of `how` or `r`, which has an array of floats, and what comes of it.
#define TRY(...)                                           \
    do {                                                   \
        Resource r = {.type = ARRAY, .of.array = a};       \
        Texture how = {.address = {CLAMP, CLAMP}};         \
        __VA_ARGS__;                                       \
        printf("%s: ", #__VA_ARGS__);                      \
        SHOW(cudaCreateTextureObject(&t, &r, &how, NULL)); \
    } while (0)

// Likewise of a view.
#define VIEW(...)                                                          \
    do {                                                                   \
        Resource r = {.type = ARRAY, .of.array = a};                       \
        Texture how = {.address = {CLAMP, CLAMP}};                         \
        printf("%s: ", #__VA_ARGS__);                                      \
        SHOW(cudaCreateTextureObject(&t, &r, &how, &(View){__VA_ARGS__})); \
    } while (0)

static void errors(void)
{
    Channels f = {32, 0, 0, 0, FLOAT}, three = {8, 8, 8, 0, UNSIGNED};
    Channels mixed = {8, 16, 0, 0, UNSIGNED}, i = {32, 0, 0, 0, SIGNED}, packed = {8, 8, 8, 8, 17};
    void *a, *b, *p, *m, *level;
    size_t most;
    uint64_t t;
    Extent e;
    Resource r0;
    MUST(cudaMallocArray(&a, &f, 4, 4, 0)), MUST(cudaMallocArray(&b, &i, 4, 4, 0));
    MUST(cudaMalloc(&p, 4096));
    SHOW(cudaMallocArray(&p, &three, 4, 4, 0));
    SHOW(cudaMallocArray(&p, &mixed, 4, 4, 0));
    SHOW(cudaMallocArray(&p, &packed, 4, 4, 0));
    SHOW(cudaMallocArray(&p, &f, 0, 4, 0));
    SHOW(cudaMallocArray(&p, &f, SIZE_MAX, SIZE_MAX, 0));
    SHOW(cudaMallocArray(&p, NULL, 4, 4, 0));
    SHOW(cudaMalloc3DArray(&p, &f, (Extent){4, 4, 4}, 0x40));     // sparse
    SHOW(cudaMalloc3DArray(&p, &f, (Extent){4, 0, 4}, 0));        // a depth without a height
    SHOW(cudaMalloc3DArray(&p, &f, (Extent){4, 4, 0}, LAYERED));  // no layer
    SHOW(cudaMalloc3DArray(&p, &f, (Extent){4, 4, 4}, CUBEMAP));
    SHOW(cudaMalloc3DArray(&p, &f, (Extent){4, 8, 6}, CUBEMAP));
    SHOW(cudaMalloc3DArray(&p, &f, (Extent){4, 4, 9}, CUBEMAP | LAYERED));
    SHOW(cudaMalloc3DArray(&p, &f, (Extent){131072, 65536, 16384}, 0));
    SHOW(cudaMallocArray(&p, &f, 4, 4, LAYERED));
    SHOW(cudaMallocMipmappedArray(&p, &three, (Extent){4, 4, 0}, 2, 0));
    MUST(cudaMallocMipmappedArray(&m, &f, (Extent){4, 2, 0}, 99, SURFACE));
    SHOW(cudaGetMipmappedArrayLevel(&level, m, 3));  // 4, 2, 1
    MUST(cudaGetMipmappedArrayLevel(&level, m, 2));
    MUST(cudaArrayGetInfo(NULL, &e, NULL, level));
    printf("the last level: %zu %zu %zu\n", e.width, e.height, e.depth);
    SHOW(cudaFreeArray(level));
    SHOW(cudaMipmappedArrayGetSparseProperties(NULL, m));
    r0 = (Resource){.type = ARRAY, .of.array = level};
    SHOW(cudaCreateSurfaceObject(&t, &r0));
    Resource back = {0};
    MUST(cudaGetSurfaceObjectResourceDesc(&back, t));
    printf("told again: %d\n", back.type == ARRAY && back.of.array == level);
    SHOW(cudaDestroySurfaceObject(t));
    SHOW(cudaDestroySurfaceObject(t));
    r0.of.array = a;
    SHOW(cudaCreateSurfaceObject(&t, &r0));
    r0.type = LINEAR;
    SHOW(cudaCreateSurfaceObject(&t, &r0));
    TRY(r = (Resource){.type = MIPMAPS, .of.array = m});  // its coordinates aren't normalized
    TRY(r = (Resource){.type = MIPMAPS, .of.array = m}; how.normalized = 1);
    VIEW(.width = 4, .height = 4);
    VIEW(.format = 16, .width = 4, .height = 4);  // integers of 32 bits
    VIEW(.format = 3, .width = 4, .height = 4);   // four bytes
    VIEW(.format = 20, .width = 4, .height = 4);  // two halves
    VIEW(.format = 23, .width = 4, .height = 4);  // two floats
    VIEW(.format = 25, .width = 16, .height = 16);
    VIEW(.format = 99, .width = 4, .height = 4);
    VIEW(.width = 2, .height = 4);
    VIEW(.width = 4, .height = 4, .last_level = 1);
    VIEW(.width = 4, .height = 4, .last_layer = 1);
    VIEW(.width = 4, .height = 4, .first_level = 1);
    MUST(cudaFreeMipmappedArray(m));
    SHOW(cudaFreeMipmappedArray(m));
    SHOW(cudaGetMipmappedArrayLevel(&level, m, 0));
    MUST(cudaMalloc3DArray(&m, &f, (Extent){4, 4, 6}, CUBEMAP));
    TRY(r.of.array = m; how.seamless = 1);
    TRY(r.of.array = m);
    TRY(r.of.array = &t);
    TRY(r.type = 4);
    TRY(r.type = MIPMAPS);
    TRY(r.of.array = b; how.filter = 1);
    TRY(how.address[1] = BORDER);
    TRY(how.address[0] = 4);
    TRY(how.address[0] = how.address[1] = BORDER; how.border[2] = 1);
    TRY(how.srgb = 1);
    MUST(cudaMalloc(&p, 4096));
    TRY(r = (Resource){.type = LINEAR, .of.linear = {p, f, 4096}});
    TRY(r = (Resource){.type = LINEAR, .of.linear = {p, f, 4100}});
    TRY(r = (Resource){.type = LINEAR, .of.linear = {p, f, 3}});
    TRY(r = (Resource){.type = LINEAR, .of.linear = {(char *)p + 4, f, 4}});
    TRY(r = (Resource){.type = LINEAR, .of.linear = {&f, f, 4}});
    TRY(r = (Resource){.type = ROWS, .of.rows = {p, f, 16, 64, 64}});
    TRY(r = (Resource){.type = ROWS, .of.rows = {p, f, 16, 65, 64}});
    TRY(r = (Resource){.type = ROWS, .of.rows = {p, f, 17, 2, 64}});
    TRY(r = (Resource){.type = ROWS, .of.rows = {p, f, 4, 2, 16}});
    SHOW(cudaDeviceGetTexture1DLinearMaxWidth(&most, &f, 0));
    SHOW(cudaDeviceGetTexture1DLinearMaxWidth(&most, &three, 0));
    SHOW(cudaDeviceGetTexture1DLinearMaxWidth(&most, &f, 1));
    SHOW(cudaArrayGetPlane(&p, a, 0));
    SHOW(cudaDestroyTextureObject(1));
    SHOW(cudaFreeArray(&t));
    SHOW(cudaFreeArray(NULL));
    MUST(cudaFreeArray(b));
    SHOW(cudaFreeArray(b));
    SHOW(cudaArrayGetInfo(NULL, NULL, NULL, b));
}

// What is gone is a fault of the kernel that reads it, and so is what was there before the device's reset.
static void faults(void)
{
    Channels f = {32, 0, 0, 0, FLOAT};
    const float xy[1][2] = {{0, 0}};
    void *a, *p, *out;
    uint64_t t;
    for (int k = 0; k < 3; k++) {
        MUST(cudaMalloc(&p, 8)), MUST(cudaMalloc(&out, 16)), MUST(cudaMemcpy(p, xy, 8, TO_DEVICE));
        MUST(cudaMallocArray(&a, &f, 4, 4, 0));
        t = of_array(a, (Texture){.address = {1, 1}});
        if (k == 0) MUST(cudaFreeArray(a));
        if (k == 1) MUST(cudaDestroyTextureObject(t));
        MUST(cudaLaunchKernel(&plane, (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&t, &p, &out}, 0, NULL));
        SHOW(cudaDeviceSynchronize());
        MUST(cudaDeviceReset());
    }
    SHOW(cudaDestroyTextureObject(t));
    SHOW(cudaFreeArray(a));
}

int main(void)
{
    planes();
    formats();
    others();
    copies();
    errors();
    faults();
    return 0;
}
