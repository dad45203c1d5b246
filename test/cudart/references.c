// references.c: a program of CUDA 11 without nvcc, whose kernels read textures and surfaces through references. Layouts
// and calls are those of texture_types.h and cuda_runtime_api.h of CUDA 11; values are those of the programming guide.
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
typedef struct Reference {  // textureReference
    int normalized, filter, address[3];
    Channels channels;
    int srgb;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmaps[3];
    int others[15];
} Reference;
extern int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
extern int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
extern int cudaDeviceSynchronize(void), cudaMallocArray(void **, const Channels *, size_t, size_t, unsigned);
extern int cudaMallocPitch(void **, size_t *, size_t, size_t);
extern int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
extern int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
extern int cudaMemcpy2DFromArray(void *, size_t, const void *, size_t, size_t, size_t, size_t, int);
extern int cudaBindTexture(size_t *, const Reference *, const void *, const Channels *, size_t);
extern int cudaBindTexture2D(size_t *, const Reference *, const void *, const Channels *, size_t, size_t, size_t);
extern int cudaBindTextureToArray(const Reference *, const void *, const Channels *);
extern int cudaUnbindTexture(const Reference *), cudaGetTextureAlignmentOffset(size_t *, const Reference *);
extern int cudaGetTextureReference(const Reference **, const void *);
extern int cudaBindSurfaceToArray(const void *, const void *, const Channels *);
extern const char *cudaGetErrorName(int);
extern void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int);
extern void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int);
enum { TO_DEVICE = 1, TO_HOST };
enum { SIGNED, UNSIGNED, FLOAT };

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".global .texref plane;\n.global .texref line;\n.global .texref shares;\n.global .surfref board;\n"
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .f32 %f<24>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; add.f32 %f2, %f1, 0f3f000000;\n"
    "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [plane, {%f2, %f2}];\n"
    "tex.1d.v4.f32.s32 {%f8, %f9, %f10, %f11}, [line, {%r1}];\n"
    "tex.2d.v4.f32.f32 {%f12, %f13, %f14, %f15}, [shares, {%f2, %f2}];\n"
    "shl.b32 %r2, %r1, 2; sust.b.2d.b32.trap [board, {%r2, %r1}], %r1;\n"
    "mul.wide.u32 %d2, %r1, 12; add.u64 %d3, %d1, %d2;\n"
    "st.global.f32 [%d3], %f4; st.global.f32 [%d3+4], %f8; st.global.f32 [%d3+8], %f12; ret;\n}\n";
#include "built.h"
static char k;
static Reference plane = {.address = {1, 1, 1}}, line, shares = {.address = {1, 1, 1}}, nobody;
static int board;

__attribute__((constructor)) static void begin(void)
{
    register_kernels(&(Registered){&k, "k"}, 1);
    __cudaRegisterTexture(handle, &plane, (const void **)&plane, "plane", 2, 0, 0);
    __cudaRegisterTexture(handle, &line, (const void **)&line, "line", 1, 0, 0);
    __cudaRegisterTexture(handle, &shares, (const void **)&shares, "shares", 2, 1, 0);  // read as shares of 255
    __cudaRegisterSurface(handle, &board, (const void **)&board, "board", 2, 0);
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

static int launch(void *out)
{
    MUST(cudaLaunchKernel(&k, (dim3){1, 1, 1}, (dim3){4, 1, 1}, (void *[]){&out}, 0, NULL));
    return cudaDeviceSynchronize();
}

int main(void)
{
    const float rows[4][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
    const uint8_t bytes[4][4] = {{0, 1, 2, 3}, {4, 51, 6, 7}, {8, 9, 102, 11}, {12, 13, 14, 255}};
    Channels f = {32, 0, 0, 0, FLOAT}, b = {8, 0, 0, 0, UNSIGNED}, i = {32, 0, 0, 0, SIGNED};
    void *memory, *array, *out, *squares;
    size_t pitch, offset = 7;
    float got[4][3];
    int there[4][4];
    const Reference *found;
    MUST(cudaMallocPitch(&memory, &pitch, 4, 4)), MUST(cudaMemcpy2D(memory, pitch, bytes, 4, 4, 4, TO_DEVICE));
    MUST(cudaMallocArray(&array, &f, 4, 4, 0));
    MUST(cudaMemcpy2DToArray(array, 0, 0, rows, 16, 16, 4, TO_DEVICE));
    MUST(cudaMallocArray(&squares, &i, 4, 4, 2));
    MUST(cudaMalloc(&out, 1024)), MUST(cudaMemcpy(out, rows, sizeof rows, TO_DEVICE));
    MUST(cudaMemcpy((char *)out + 512, rows, sizeof rows, TO_DEVICE));
    MUST(cudaBindTextureToArray(&plane, array, &f));
    MUST(cudaBindTexture(&offset, &line, (char *)out + 512, &f, 12));  // of 4 elements the first three
    printf("offset %zu\n", offset);
    MUST(cudaBindTexture2D(NULL, &shares, memory, &b, 4, 4, pitch));
    MUST(cudaBindSurfaceToArray(&board, squares, &i));
    MUST(launch(out));
    MUST(cudaMemcpy(got, out, sizeof got, TO_HOST));
    for (int n = 0; n < 4; n++) printf("%g %g %g\n", got[n][0], got[n][1], got[n][2]);
    MUST(cudaMemcpy2DFromArray(there, 16, squares, 0, 0, 16, 4, TO_HOST));
    printf("%d %d %d %d\n", there[0][0], there[1][1], there[2][2], there[3][3]);
    SHOW(cudaBindTexture(NULL, &line, (char *)out + 4, &f, 12));  // it doesn't begin where a texture may
    MUST(cudaBindTexture(&offset, &line, (char *)out + 516, &f, 8));
    printf("offset %zu\n", offset);
    MUST(cudaGetTextureAlignmentOffset(&offset, &line));
    printf("offset %zu\n", offset);
    MUST(launch(out));
    MUST(cudaMemcpy(got, out, sizeof got, TO_HOST));
    printf("%g %g %g %g\n", got[0][1], got[1][1], got[2][1], got[3][1]);
    MUST(cudaGetTextureReference(&found, &plane));
    printf("found: %d\n", found == &plane);
    SHOW(cudaGetTextureReference(&found, &nobody));
    SHOW(cudaBindTextureToArray(&nobody, array, &f));
    SHOW(cudaBindSurfaceToArray(&board, array, &f));  // it wasn't made for surfaces
    SHOW(cudaBindSurfaceToArray(&nobody, squares, &f));
    SHOW(cudaUnbindTexture(&plane));
    SHOW(launch(out));
    return 0;
}
