// references.c: a program of the driver whose kernels read textures and surfaces through variables of their module, as
// compilers of before CUDA 12 made them. Calls, flags and errors are those of the CUDA Driver API reference; what a
// texture gives is computed here as the CUDA C++ Programming Guide says ("Texture Fetching").
#include "wants.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int R;
typedef uint64_t P;  // CUdeviceptr
typedef struct Handle *H;
R cuInit(unsigned);
R cuCtxCreate_v2(H *, unsigned, int);
R cuCtxDestroy_v2(H);
R cuModuleLoadData(H *, const void *);
R cuModuleUnload(H);
R cuModuleGetFunction(H *, H, const char *);
R cuModuleGetTexRef(H *, H, const char *);
R cuModuleGetSurfRef(H *, H, const char *);
R cuMemAlloc_v2(P *, size_t);
R cuMemFree_v2(P);
R cuMemAllocPitch_v2(P *, size_t *, size_t, size_t, unsigned);
R cuMemcpyHtoD_v2(P, const void *, size_t);
R cuMemcpyDtoH_v2(void *, P, size_t);
R cuMemcpyHtoA_v2(H, size_t, const void *, size_t);
R cuMemcpy2D_v2(const void *);
R cuArrayCreate_v2(H *, const void *);
R cuArray3DCreate_v2(H *, const void *);
R cuArrayDestroy(H);
R cuMipmappedArrayCreate(H *, const void *, unsigned);
R cuMipmappedArrayGetLevel(H *, H, unsigned);
R cuMipmappedArrayDestroy(H);
R cuLaunchKernel(H, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, H, void **, void **);
R cuFuncSetBlockShape(H, int, int, int);
R cuParamSetv(H, int, const void *, unsigned);
R cuParamSetSize(H, unsigned);
R cuParamSetTexRef(H, int, H);
R cuLaunchGrid(H, int, int);
R cuCtxSynchronize(void);
R cuTexRefCreate(H *);
R cuTexRefDestroy(H);
R cuTexRefSetAddress_v2(size_t *, H, P, size_t);
R cuTexRefSetAddress2D_v2(H, const void *, P, size_t);
R cuTexRefSetAddress2D_v3(H, const void *, P, size_t);
R cuTexRefSetArray(H, H, unsigned);
R cuTexRefSetMipmappedArray(H, H, unsigned);
R cuTexRefSetFormat(H, int, int);
R cuTexRefSetAddressMode(H, int, int);
R cuTexRefSetFilterMode(H, int);
R cuTexRefSetFlags(H, unsigned);
R cuTexRefSetMaxAnisotropy(H, unsigned);
R cuTexRefSetMipmapFilterMode(H, int);
R cuTexRefSetMipmapLevelBias(H, float);
R cuTexRefSetMipmapLevelClamp(H, float, float);
R cuTexRefSetBorderColor(H, const float *);
R cuTexRefGetAddress_v2(P *, H);
R cuTexRefGetArray(H *, H);
R cuTexRefGetMipmappedArray(H *, H);
R cuTexRefGetFormat(int *, int *, H);
R cuTexRefGetAddressMode(int *, H, int);
R cuTexRefGetFilterMode(int *, H);
R cuTexRefGetFlags(unsigned *, H);
R cuTexRefGetMaxAnisotropy(int *, H);
R cuTexRefGetMipmapFilterMode(int *, H);
R cuTexRefGetMipmapLevelBias(float *, H);
R cuTexRefGetMipmapLevelClamp(float *, float *, H);
R cuTexRefGetBorderColor(float *, H);
R cuSurfRefSetArray(H, H, unsigned);
R cuSurfRefGetArray(H *, H);

enum { INVALID_VALUE = 1, INVALID_HANDLE = 400, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700 };
enum { U8 = 0x01, S32 = 0x0a, F32 = 0x20 };             // CUarray_format
enum { WRAP, CLAMP, MIRROR, BORDER };                   // CUaddress_mode
enum { POINT, LINEAR };                                 // CUfilter_mode
enum { AS_INTEGER = 1, NORMALIZED = 2, OVERRIDE = 1 };  // CU_TRSF_*, CU_TRSA_OVERRIDE_FORMAT
typedef struct Shape {                                  // CUDA_ARRAY_DESCRIPTOR
    size_t width, height;
    int format;
    unsigned channels;
} Shape;
typedef struct Shape3D {  // CUDA_ARRAY3D_DESCRIPTOR
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} Shape3D;
typedef struct Copy2D {  // CUDA_MEMCPY2D
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    P from;
    H from_array;
    size_t from_pitch, to_x, to_y;
    int to_kind;
    void *to_host;
    P to;
    H to_array;
    size_t to_pitch, width, height;
} Copy2D;

// A thread reads what stands for it: an index, or a pair of coordinates.
static const char ptx[] =
    ".version 3.1\n.target sm_35\n.address_size 64\n"
    ".global .texref line;\n.global .texref plane;\n.global .texref pyramid;\n.global .surfref board;\n"
    ".global .samplerref nobody;\n.global .u32 number;\n"
    ".visible .entry fetch(.param .u64 out, .param .u32 first)\n{\n"
    ".reg .u32 %r<8>; .reg .u64 %d<4>;\n"
    "ld.param.u64 %d1, [out]; ld.param.u32 %r1, [first]; mov.u32 %r2, %tid.x; add.u32 %r3, %r1, %r2;\n"
    "tex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [line, {%r3}];\n"
    "mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r4; ret;\n}\n"
    ".visible .entry sample(.param .u64 out, .param .u64 at)\n{\n"
    ".reg .u32 %r<2>; .reg .f32 %f<7>; .reg .u64 %d<7>;\n"
    "ld.param.u64 %d1, [out]; ld.param.u64 %d2, [at]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;\n"
    "add.u64 %d1, %d1, %d3; add.u64 %d4, %d2, %d3; add.u64 %d4, %d4, %d3; ld.global.v2.f32 {%f1, %f2}, [%d4];\n"
    "mov.u64 %d5, plane; tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d5, {%f1, %f2}]; st.global.f32 [%d1], %f3; ret;\n}\n"
    ".visible .entry level(.param .u64 out)\n{\n"
    ".reg .u32 %r<2>; .reg .f32 %f<7>; .reg .u64 %d<3>;\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
    "mov.f32 %f1, 0f3F000000; cvt.rn.f32.u32 %f2, %r1;\n"
    "tex.level.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [pyramid, {%f1, %f1}], %f2; st.global.f32 [%d1], %f3; ret;\n}\n"
    ".visible .entry turn(.param .u32 more)\n{\n.reg .u32 %r<6>;\n"
    "ld.param.u32 %r1, [more]; mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; shl.b32 %r4, %r2, 2;\n"
    "suld.b.2d.b32.trap {%r5}, [board, {%r4, %r3}]; add.u32 %r5, %r5, %r1;\n"
    "sust.b.2d.b32.trap [board, {%r4, %r3}], {%r5}; ret;\n}\n";

// As CUDA 1 had it: a space of textures, and as many coordinates as a vector may have.
static const char old[] = ".version 1.4\n.target sm_13\n.tex .u32 line;\n"
                          ".entry fetch(.param .u64 out, .param .u32 first)\n{\n"
                          ".reg .u32 %r<8>; .reg .u64 %d<4>; .reg .u16 %h;\n"
                          "ld.param.u64 %d1, [out]; ld.param.u32 %r1, [first];\n"
                          "mov.u16 %h, %tid.x; cvt.u32.u16 %r2, %h; add.u32 %r3, %r1, %r2; mov.u32 %r4, 0;\n"
                          "tex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [line, {%r3, %r4, %r4, %r4}];\n"
                          "mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; st.global.s32 [%d3], %r4; exit;\n}\n";

enum { N = 16, W = 4, ROWS = 4 };
static H context, module, fetch, sample, level, turn, line, plane, pyramid, board;
static P out, at;

static void begin(void)
{
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&fetch, module, "fetch"));
    OK(cuModuleGetFunction(&sample, module, "sample"));
    OK(cuModuleGetFunction(&level, module, "level"));
    OK(cuModuleGetFunction(&turn, module, "turn"));
    OK(cuModuleGetTexRef(&line, module, "line"));
    OK(cuModuleGetTexRef(&plane, module, "plane"));
    OK(cuModuleGetTexRef(&pyramid, module, "pyramid"));
    OK(cuModuleGetSurfRef(&board, module, "board"));
    OK(cuMemAlloc_v2(&out, N * 4));
    OK(cuMemAlloc_v2(&at, N * 8));
}

// --- a piece of memory -----------------------------------------------------------------------------------------------
static void fetched(unsigned first, int32_t got[N])
{
    OK(cuLaunchKernel(fetch, 1, 1, 1, N, 1, 1, 0, NULL, (void *[]){&out, &first}, NULL));
    OK(cuMemcpyDtoH_v2(got, out, N * 4));
}

static void pieces(void)
{
    int32_t h[N], got[N];
    uint8_t bytes[N * 4];
    P memory, where;
    size_t offset = 99;
    for (int k = 0; k < N; k++) h[k] = 1000 * k - 5000;
    memcpy(bytes, h, sizeof bytes);
    OK(cuMemAlloc_v2(&memory, sizeof h));
    OK(cuMemcpyHtoD_v2(memory, h, sizeof h));
    OK(cuTexRefSetFlags(line, AS_INTEGER));
    OK(cuTexRefSetFormat(line, S32, 1));
    OK(cuTexRefSetAddress_v2(&offset, line, memory, sizeof h));
    THAT(!offset);
    fetched(0, got);
    THAT(!memcmp(got, h, sizeof h));
    // Not where a texture may begin: the program adds what is in front to its index. Beyond the end is zero.
    WANT(INVALID_VALUE, cuTexRefSetAddress_v2(NULL, line, memory + 12, 20));
    OK(cuTexRefSetAddress_v2(&offset, line, memory + 12, 20));
    THAT(offset == 12);
    fetched((unsigned)offset / 4, got);
    for (int k = 0; k < N; k++) THAT(got[k] == (k < 5 ? h[3 + k] : 0));
    OK(cuTexRefGetAddress_v2(&where, line));
    THAT(where == memory);
    // The format may come behind the address, and then the piece has another number of texels.
    OK(cuTexRefSetAddress_v2(NULL, line, memory, sizeof h));
    OK(cuTexRefSetFormat(line, U8, 4));
    fetched(0, got);
    for (int k = 0; k < N; k++) THAT(got[k] == bytes[4 * k]);
    OK(cuTexRefSetFormat(line, U8, 1));
    fetched(9, got);
    for (int k = 0; k < N; k++) THAT(got[k] == bytes[9 + k]);
    WANT(INVALID_VALUE, cuTexRefSetAddress_v2(&offset, line, memory, 0));
    WANT(INVALID_VALUE, cuTexRefSetAddress_v2(&offset, line, 0, 16));
    WANT(INVALID_VALUE, cuTexRefSetAddress_v2(&offset, line, memory, sizeof h + 1));
    WANT(INVALID_VALUE, cuTexRefSetFormat(line, S32, 3));
    WANT(INVALID_VALUE, cuTexRefSetFormat(line, 7, 1));
    fetched(9, got);  // it stands for what it did
    THAT(got[0] == bytes[9]);
    OK(cuMemFree_v2(memory));
}

// --- planes ----------------------------------------------------------------------------------------------------------
// What a plane reads: how coordinates are taken, and the texels of a row-major table.
typedef struct How {
    const float (*texel)[W];
    int linear, normalized, mode;
    float border;
} How;

static float texel_at(const How *h, int x, int y)
{
    if (h->mode == BORDER && (x < 0 || x >= W || y < 0 || y >= ROWS)) return h->border;
    if (h->mode == WRAP && h->normalized) return h->texel[((y % ROWS) + ROWS) % ROWS][((x % W) + W) % W];
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= ROWS ? ROWS - 1 : y;
    return h->texel[y][x];
}

static double expected(const How *h, double u, double v)
{
    const double x = h->normalized ? u * W : u, y = h->normalized ? v * ROWS : v;
    if (!h->linear) return texel_at(h, (int)floor(x), (int)floor(y));
    const int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    const double a = x - 0.5 - i, b = y - 0.5 - j;  // of 256th parts, as the coordinates are
    return (1 - a) * (1 - b) * texel_at(h, i, j) + a * (1 - b) * texel_at(h, i + 1, j) +
           (1 - a) * b * texel_at(h, i, j + 1) + a * b * texel_at(h, i + 1, j + 1);
}

static void sampled(const How *h)
{
    float where[N][2], got[N];
    for (int k = 0; k < N; k++) {
        const float x = -1.25f + 0.4375f * (float)k, y = 5.125f - 0.375f * (float)k;
        where[k][0] = h->normalized ? x / W : x, where[k][1] = h->normalized ? y / ROWS : y;
    }
    OK(cuMemcpyHtoD_v2(at, where, sizeof where));
    OK(cuLaunchKernel(sample, 1, 1, 1, N, 1, 1, 0, NULL, (void *[]){&out, &at}, NULL));
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (int k = 0; k < N; k++) {
        const double want = expected(h, where[k][0], where[k][1]);
        if (fabs(got[k] - want) > 1e-5)
            printf("%s %s mode %d at (%g, %g): %g, not %g\n", h->linear ? "linear" : "point",
                   h->normalized ? "normalized" : "whole", h->mode, where[k][0], where[k][1], got[k], want),
                wrong++;
    }
}

static void to_array(H array, const void *from, size_t width, size_t rows)
{
    const Copy2D copy = {.from_kind = 1,
                         .from_host = from,
                         .from_pitch = width,
                         .to_kind = 3,
                         .to_array = array,
                         .width = width,
                         .height = rows};
    OK(cuMemcpy2D_v2(&copy));
}

// Each setting is seen by the launches behind it, in whichever order they come.
static void planes(void)
{
    static const float texel[ROWS][W] = {{1, 2, 4, 8}, {16, 32, 64, 128}, {3, 9, 27, 81}, {-1, -2, -3, -4}};
    How h = {.texel = texel, .mode = CLAMP, .border = 7};
    H array, got;
    int format, channels;
    OK(cuArrayCreate_v2(&array, &(Shape){W, ROWS, F32, 1}));
    to_array(array, texel, sizeof texel[0], ROWS);
    WANT(INVALID_VALUE, cuTexRefGetArray(&got, plane));
    WANT(INVALID_VALUE, cuTexRefSetArray(plane, array, 0));
    WANT(INVALID_VALUE, cuTexRefSetArray(plane, (H)&h, OVERRIDE));
    OK(cuTexRefSetFormat(plane, U8, 4));
    OK(cuTexRefSetArray(plane, array, OVERRIDE));
    OK(cuTexRefGetFormat(&format, &channels, plane));
    THAT(format == F32 && channels == 1);
    OK(cuTexRefGetArray(&got, plane));
    THAT(got == array);
    WANT(INVALID_VALUE, cuTexRefSetFormat(plane, U8, 4));
    sampled(&h);  // coordinates that aren't normalized are never wrapped
    for (int k = 0; k < 2; k++) OK(cuTexRefSetAddressMode(plane, k, CLAMP));
    OK(cuTexRefSetFilterMode(plane, LINEAR));
    h.linear = 1, sampled(&h);
    OK(cuTexRefSetFlags(plane, NORMALIZED));
    h.normalized = 1, sampled(&h);
    for (int k = 0; k < 2; k++) OK(cuTexRefSetAddressMode(plane, k, WRAP));
    h.mode = WRAP, sampled(&h);
    for (int k = 0; k < 2; k++) OK(cuTexRefSetAddressMode(plane, k, BORDER));
    OK(cuTexRefSetBorderColor(plane, (const float[4]){7, 0, 0, 0}));
    h.mode = BORDER, sampled(&h);
    OK(cuTexRefSetFilterMode(plane, POINT));
    h.linear = 0, sampled(&h);

    // Bytes in rows of memory, read as shares of 255.
    static const uint8_t bytes[ROWS][W] = {{0, 51, 102, 153}, {204, 255, 0, 51}, {5, 10, 15, 20}, {255, 128, 64, 32}};
    float shares[ROWS][W];
    P rows;
    size_t pitch;
    for (int k = 0; k < ROWS * W; k++) shares[k / W][k % W] = bytes[k / W][k % W] / 255.0f;
    OK(cuMemAllocPitch_v2(&rows, &pitch, W, ROWS, 4));
    for (int k = 0; k < ROWS; k++) OK(cuMemcpyHtoD_v2(rows + k * pitch, bytes[k], W));
    const Shape shape = {W, ROWS, U8, 1};
    OK(cuTexRefSetAddress2D_v3(plane, &shape, rows, pitch));
    WANT(INVALID_VALUE, cuTexRefGetArray(&got, plane));
    OK(cuTexRefSetFilterMode(plane, LINEAR));
    OK(cuTexRefSetAddressMode(plane, 0, CLAMP));
    OK(cuTexRefSetAddressMode(plane, 1, CLAMP));
    h = (How){.texel = (const float(*)[W])shares, .linear = 1, .normalized = 1, .mode = CLAMP};
    sampled(&h);
    OK(cuTexRefSetAddress2D_v2(plane, &shape, rows, pitch));
    OK(cuTexRefSetFormat(plane, U8, 1));
    WANT(INVALID_VALUE, cuTexRefSetFormat(plane, S32, 1));
    WANT(INVALID_VALUE, cuTexRefSetAddress2D_v3(plane, &shape, rows + 4, pitch));
    WANT(INVALID_VALUE, cuTexRefSetAddress2D_v3(plane, &shape, rows, pitch + 1));
    WANT(INVALID_VALUE, cuTexRefSetAddress2D_v3(plane, &(Shape){W, 0, U8, 1}, rows, pitch));
    WANT(INVALID_VALUE, cuTexRefSetAddress2D_v3(plane, NULL, rows, pitch));
    sampled(&h);
    OK(cuArrayDestroy(array));
    OK(cuMemFree_v2(rows));
}

// --- levels ----------------------------------------------------------------------------------------------------------
// Coordinates of a mipmap are normalized; until that is set, the reference can't be read.
static void levels(void)
{
    float h[W * W], got[N];
    H mipmap, one, found;
    OK(cuMipmappedArrayCreate(&mipmap, &(Shape3D){W, W, 0, F32, 1, 0}, 3));
    for (unsigned k = 0; k < 3; k++) {
        for (int i = 0; i < W * W; i++) h[i] = 10.0f * (float)(k + 1);
        OK(cuMipmappedArrayGetLevel(&one, mipmap, k));
        to_array(one, h, sizeof(float) * (W >> k), W >> k);
    }
    WANT(INVALID_VALUE, cuTexRefSetMipmappedArray(pyramid, mipmap, 0));
    WANT(INVALID_VALUE, cuTexRefSetMipmappedArray(pyramid, (H)h, OVERRIDE));
    OK(cuTexRefSetMipmappedArray(pyramid, mipmap, OVERRIDE));
    OK(cuTexRefGetMipmappedArray(&found, pyramid));
    THAT(found == mipmap);
    OK(cuTexRefSetMipmapLevelClamp(pyramid, 0, 2));
    OK(cuTexRefSetFlags(pyramid, NORMALIZED));
    OK(cuLaunchKernel(level, 1, 1, 1, 3, 1, 1, 0, NULL, (void *[]){&out}, NULL));
    OK(cuMemcpyDtoH_v2(got, out, 12));
    THAT(got[0] == 10 && got[1] == 20 && got[2] == 30);
    OK(cuTexRefSetMipmapLevelClamp(pyramid, 1, 1.5f));
    OK(cuTexRefSetMipmapFilterMode(pyramid, LINEAR));
    OK(cuLaunchKernel(level, 1, 1, 1, 3, 1, 1, 0, NULL, (void *[]){&out}, NULL));
    OK(cuMemcpyDtoH_v2(got, out, 12));
    THAT(got[0] == 20 && got[1] == 20 && got[2] == 25);
    OK(cuTexRefSetMipmapLevelClamp(pyramid, 0, 2));
    OK(cuTexRefSetMipmapLevelBias(pyramid, 0.5f));
    OK(cuLaunchKernel(level, 1, 1, 1, 3, 1, 1, 0, NULL, (void *[]){&out}, NULL));
    OK(cuMemcpyDtoH_v2(got, out, 12));
    THAT(got[0] == 15 && got[1] == 25 && got[2] == 30);
    OK(cuMipmappedArrayDestroy(mipmap));
}

// --- surfaces --------------------------------------------------------------------------------------------------------
static void surfaces(void)
{
    enum { FOR_SURFACES = 2 };  // CUDA_ARRAY3D_SURFACE_LDST
    uint32_t h[ROWS][W], got[ROWS][W], more = 100;
    H array, other, found;
    for (unsigned k = 0; k < ROWS * W; k++) h[k / W][k % W] = k * k;
    OK(cuArray3DCreate_v2(&array, &(Shape3D){W, ROWS, 0, S32, 1, FOR_SURFACES}));
    OK(cuArrayCreate_v2(&other, &(Shape){W, ROWS, S32, 1}));
    to_array(array, h, sizeof h[0], ROWS);
    WANT(INVALID_VALUE, cuSurfRefGetArray(&found, board));
    WANT(INVALID_VALUE, cuSurfRefSetArray(board, other, 0));
    WANT(INVALID_VALUE, cuSurfRefSetArray(board, array, 1));
    WANT(INVALID_VALUE, cuSurfRefSetArray(plane, array, 0));
    OK(cuSurfRefSetArray(board, array, 0));
    OK(cuSurfRefGetArray(&found, board));
    THAT(found == array);
    OK(cuLaunchKernel(turn, 1, 1, 1, W, ROWS, 1, 0, NULL, (void *[]){&more}, NULL));
    const Copy2D copy = {.from_kind = 3,
                         .from_array = array,
                         .to_kind = 1,
                         .to_host = got,
                         .to_pitch = sizeof got[0],
                         .width = sizeof got[0],
                         .height = ROWS};
    OK(cuMemcpy2D_v2(&copy));
    for (unsigned k = 0; k < ROWS * W; k++) THAT(got[k / W][k % W] == k * k + 100);
    OK(cuArrayDestroy(array));
    OK(cuArrayDestroy(other));
}

// --- what is set and asked -------------------------------------------------------------------------------------------
static void questions(void)
{
    H again, own, late;
    int mode, format, channels, most, filter;
    unsigned flags;
    float bias, least, greatest, colour[4];
    P where;
    OK(cuModuleGetTexRef(&again, module, "line"));
    THAT(again == line);
    WANT(NOT_FOUND, cuModuleGetTexRef(&again, module, "lines"));
    WANT(NOT_FOUND, cuModuleGetTexRef(&again, module, "board"));
    WANT(NOT_FOUND, cuModuleGetTexRef(&again, module, "nobody"));
    WANT(NOT_FOUND, cuModuleGetTexRef(&again, module, "number"));
    WANT(NOT_FOUND, cuModuleGetTexRef(&again, module, "fetch"));
    WANT(NOT_FOUND, cuModuleGetSurfRef(&again, module, "line"));
    WANT(INVALID_VALUE, cuModuleGetTexRef(NULL, module, "line"));
    WANT(INVALID_VALUE, cuModuleGetTexRef(&again, module, NULL));
    WANT(INVALID_HANDLE, cuModuleGetTexRef(&again, line, "line"));
    OK(cuTexRefCreate(&own));
    OK(cuTexRefGetFlags(&flags, own));
    OK(cuTexRefGetAddressMode(&mode, own, 2));
    OK(cuTexRefGetFilterMode(&filter, own));
    OK(cuTexRefGetFormat(&format, &channels, own));
    THAT(!flags && mode == WRAP && filter == POINT && format == F32 && channels == 1);
    OK(cuTexRefSetFlags(own, NORMALIZED | 0x10));
    OK(cuTexRefSetAddressMode(own, 2, MIRROR));
    OK(cuTexRefSetFilterMode(own, LINEAR));
    OK(cuTexRefSetFormat(own, U8, 4));
    OK(cuTexRefSetMaxAnisotropy(own, 4));
    OK(cuTexRefSetMipmapFilterMode(own, LINEAR));
    OK(cuTexRefSetMipmapLevelBias(own, -0.5f));
    OK(cuTexRefSetMipmapLevelClamp(own, 1, 3));
    OK(cuTexRefSetBorderColor(own, (const float[4]){1, 2, 3, 4}));
    OK(cuTexRefGetFlags(&flags, own));
    OK(cuTexRefGetAddressMode(&mode, own, 2));
    OK(cuTexRefGetFilterMode(&filter, own));
    OK(cuTexRefGetFormat(&format, &channels, own));
    OK(cuTexRefGetMaxAnisotropy(&most, own));
    THAT(flags == (NORMALIZED | 0x10) && mode == MIRROR && filter == LINEAR && format == U8 && channels == 4 &&
         most == 4);
    OK(cuTexRefGetMipmapFilterMode(&filter, own));
    OK(cuTexRefGetMipmapLevelBias(&bias, own));
    OK(cuTexRefGetMipmapLevelClamp(&least, &greatest, own));
    OK(cuTexRefGetBorderColor(colour, own));
    THAT(filter == LINEAR && bias == -0.5f && least == 1 && greatest == 3 && colour[0] == 1 && colour[3] == 4);
    WANT(INVALID_VALUE, cuTexRefSetFlags(own, 4));
    WANT(INVALID_VALUE, cuTexRefSetAddressMode(own, 3, CLAMP));
    WANT(INVALID_VALUE, cuTexRefSetAddressMode(own, 0, 4));
    WANT(INVALID_VALUE, cuTexRefSetFilterMode(own, 2));
    WANT(INVALID_VALUE, cuTexRefSetMipmapFilterMode(own, -1));
    WANT(INVALID_VALUE, cuTexRefSetBorderColor(own, NULL));
    WANT(INVALID_VALUE, cuTexRefGetAddress_v2(&where, own));
    WANT(INVALID_VALUE, cuTexRefGetFlags(NULL, own));
    WANT(INVALID_VALUE, cuTexRefGetFlags(&flags, (H)&own));
    WANT(INVALID_VALUE, cuTexRefGetFlags(&flags, board));
    OK(cuTexRefSetAddress_v2(NULL, own, at, 64));
    OK(cuTexRefGetAddress_v2(&where, own));
    THAT(where == at);
    OK(cuTexRefDestroy(own));
    WANT(INVALID_VALUE, cuTexRefDestroy(own));
    WANT(INVALID_VALUE, cuTexRefDestroy(line));
    OK(cuTexRefCreate(&late));  // goes with the context
}

// A reference of another module has the name, and stands for something else; CUDA 3 names the texture at the launch.
static void modules(void)
{
    enum { DEFAULT = -1 };
    H second, there, own, run;
    P memory[2];
    int32_t got[N];
    size_t offset;
    const unsigned none = 0;
    OK(cuModuleLoadData(&second, old));
    OK(cuModuleGetTexRef(&there, second, "line"));
    OK(cuModuleGetFunction(&run, second, "fetch"));
    THAT(there != line);
    for (int k = 0; k < 2; k++) {
        const int32_t h[2] = {k + 1, k + 11};
        H to = k ? there : line;
        OK(cuMemAlloc_v2(&memory[k], sizeof h));
        OK(cuMemcpyHtoD_v2(memory[k], h, sizeof h));
        OK(cuTexRefSetFlags(to, AS_INTEGER));
        OK(cuTexRefSetFormat(to, S32, 1));
        OK(cuTexRefSetAddress_v2(&offset, to, memory[k], sizeof h));
    }
    fetched(0, got);
    THAT(got[0] == 1 && got[1] == 11 && !got[2]);
    OK(cuFuncSetBlockShape(run, N, 1, 1));
    OK(cuParamSetv(run, 0, &out, sizeof out));
    OK(cuParamSetv(run, sizeof out, &none, sizeof none));
    OK(cuParamSetSize(run, sizeof out + sizeof none));
    OK(cuTexRefCreate(&own));
    OK(cuParamSetTexRef(run, DEFAULT, there));
    WANT(INVALID_VALUE, cuParamSetTexRef(run, 0, there));
    WANT(INVALID_VALUE, cuParamSetTexRef(run, DEFAULT, own));
    WANT(INVALID_HANDLE, cuParamSetTexRef(own, DEFAULT, there));
    OK(cuLaunchGrid(run, 1, 1));
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    THAT(got[0] == 2 && got[1] == 12 && !got[2]);
    OK(cuModuleUnload(second));
    WANT(INVALID_VALUE, cuTexRefSetFlags(there, 0));
    fetched(0, got);
    THAT(got[0] == 1);
    OK(cuMemFree_v2(memory[0]));
    OK(cuMemFree_v2(memory[1]));
}

// What lies behind is gone, or nothing was bound: the kernel says so.
static void faults(void)
{
    unsigned first = 0;
    H mipmap;
    OK(cuMipmappedArrayCreate(&mipmap, &(Shape3D){W, W, 0, F32, 1, 0}, 3));
    OK(cuTexRefSetFlags(pyramid, 0));
    OK(cuTexRefSetMipmappedArray(pyramid, mipmap, OVERRIDE));
    OK(cuLaunchKernel(fetch, 1, 1, 1, N, 1, 1, 0, NULL, (void *[]){&out, &first}, NULL));
    WANT(ILLEGAL_ADDRESS, cuCtxSynchronize());
}

int main(int n, char **words)
{
    begin();
    if (n > 1 && !strcmp(words[1], "faults")) {
        faults();
    } else {
        questions();
        pieces();
        planes();
        levels();
        surfaces();
        modules();
        OK(cuModuleUnload(module));
        WANT(INVALID_VALUE, cuTexRefSetFlags(line, 0));
        OK(cuCtxDestroy_v2(context));
    }
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
