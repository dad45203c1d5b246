// texture_indirect_functions.h: reads of textures by their objects, as the CUDA C++ Programming Guide has them. Each is
// one instruction, which gives four floats or four integers (PTX ISA, tex and tld4); what T has no place for is dropped. An
// integer's sign is put back from its bits, so that there is one instruction for both.
#ifndef ONCHIP_TEXTURE_INDIRECT_FUNCTIONS_H
#define ONCHIP_TEXTURE_INDIRECT_FUNCTIONS_H
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#include "driver_types.h"

#if defined(__CUDA__) && defined(__cplusplus)
// --- the types of a texel: Four is what the instruction gives, E an element ------------------------------------------
template <class T> struct onchip_texel;
#define ONCHIP_TEXEL(T, E_, Four_, n_, ...)                                                                   \
    template <> struct onchip_texel<T> {                                                                      \
        typedef Four_ Four;                                                                                   \
        typedef E_ E;                                                                                         \
        enum { n = n_ };                                                                                      \
        ONCHIP_FN T of(const Four &v) { return __VA_ARGS__; }                                                 \
    };
#define ONCHIP_TEXELS(T, E, Four)                                                                             \
    ONCHIP_TEXEL(T##1, E, Four, 1, T##1{(E)v.x})                                                              \
    ONCHIP_TEXEL(T##2, E, Four, 2, T##2{(E)v.x, (E)v.y})                                                      \
    ONCHIP_TEXEL(T##4, E, Four, 4, T##4{(E)v.x, (E)v.y, (E)v.z, (E)v.w})
ONCHIP_TEXEL(char, char, int4, 1, (char)v.x)
ONCHIP_TEXEL(signed char, signed char, int4, 1, (signed char)v.x)
ONCHIP_TEXEL(unsigned char, unsigned char, int4, 1, (unsigned char)v.x)
ONCHIP_TEXEL(short, short, int4, 1, (short)v.x)
ONCHIP_TEXEL(unsigned short, unsigned short, int4, 1, (unsigned short)v.x)
ONCHIP_TEXEL(int, int, int4, 1, v.x)
ONCHIP_TEXEL(unsigned, unsigned, int4, 1, (unsigned)v.x)
ONCHIP_TEXEL(float, float, float4, 1, v.x)
ONCHIP_TEXELS(char, signed char, int4)
ONCHIP_TEXELS(uchar, unsigned char, int4)
ONCHIP_TEXELS(short, short, int4)
ONCHIP_TEXELS(ushort, unsigned short, int4)
ONCHIP_TEXELS(int, int, int4)
ONCHIP_TEXELS(uint, unsigned, int4)
ONCHIP_TEXELS(float, float, float4)
#undef ONCHIP_TEXELS
#undef ONCHIP_TEXEL

// --- one function of each name ---------------------------------------------------------------------------------------
// op: the instruction before its types; from: the type of coordinates; at: the operands, whose registers begin at %5;
// P and A: the function's parameters and their names; the registers' values come last.
#define ONCHIP_LIST(...) __VA_ARGS__
#define ONCHIP_TEX_OF(name, Four, of, C, op, from, at, P, ...)                                                \
    ONCHIP_FN void onchip_##name(Four &v, cudaTextureObject_t texObj, ONCHIP_LIST P)                           \
    {                                                                                                         \
        asm(op ".v4." of "." from " {%0, %1, %2, %3}, [%4, " at ";"                                           \
            : "=" C(v.x), "=" C(v.y), "=" C(v.z), "=" C(v.w)                                                  \
            : "l"(texObj), __VA_ARGS__);                                                                      \
    }
#define ONCHIP_TEX(name, op, from, at, P, A, ...)                                                             \
    ONCHIP_TEX_OF(name, float4, "f32", "f", op, from, at, P, __VA_ARGS__)                                     \
    ONCHIP_TEX_OF(name, int4, "s32", "r", op, from, at, P, __VA_ARGS__)                                       \
    template <class T> ONCHIP_FN T name(cudaTextureObject_t texObj, ONCHIP_LIST P)                             \
    {                                                                                                         \
        typename onchip_texel<T>::Four v;                                                                     \
        onchip_##name(v, texObj, ONCHIP_LIST A);                                                               \
        return onchip_texel<T>::of(v);                                                                        \
    }                                                                                                         \
    template <class T> ONCHIP_FN void name(T *out, cudaTextureObject_t texObj, ONCHIP_LIST P)                  \
    {                                                                                                         \
        *out = name<T>(texObj, ONCHIP_LIST A);                                                                 \
    }

ONCHIP_TEX(tex1Dfetch, "tex.1d", "s32", "{%5}]", (int x), (x), "r"(x))
ONCHIP_TEX(tex1D, "tex.1d", "f32", "{%5}]", (float x), (x), "f"(x))
ONCHIP_TEX(tex1DLod, "tex.level.1d", "f32", "{%5}], %6", (float x, float level), (x, level), "f"(x), "f"(level))
ONCHIP_TEX(tex1DGrad, "tex.grad.1d", "f32", "{%5}], {%6}, {%7}", (float x, float dx, float dy), (x, dx, dy), "f"(x),
           "f"(dx), "f"(dy))
ONCHIP_TEX(tex1DLayered, "tex.a1d", "f32", "{%5, %6}]", (float x, int layer), (x, layer), "r"(layer), "f"(x))
ONCHIP_TEX(tex1DLayeredLod, "tex.level.a1d", "f32", "{%5, %6}], %7", (float x, int layer, float level),
           (x, layer, level), "r"(layer), "f"(x), "f"(level))
ONCHIP_TEX(tex1DLayeredGrad, "tex.grad.a1d", "f32", "{%5, %6}], {%7}, {%8}",
           (float x, int layer, float dx, float dy), (x, layer, dx, dy), "r"(layer), "f"(x), "f"(dx), "f"(dy))

ONCHIP_TEX(tex2D, "tex.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
ONCHIP_TEX(tex2DLod, "tex.level.2d", "f32", "{%5, %6}], %7", (float x, float y, float level), (x, y, level), "f"(x),
           "f"(y), "f"(level))
ONCHIP_TEX(tex2DGrad, "tex.grad.2d", "f32", "{%5, %6}], {%7, %8}, {%9, %10}",
           (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x),
           "f"(dy.y))
ONCHIP_TEX(tex2DLayered, "tex.a2d", "f32", "{%5, %6, %7, %7}]", (float x, float y, int layer), (x, y, layer),
           "r"(layer), "f"(x), "f"(y))
ONCHIP_TEX(tex2DLayeredLod, "tex.level.a2d", "f32", "{%5, %6, %7, %7}], %8",
           (float x, float y, int layer, float level), (x, y, layer, level), "r"(layer), "f"(x), "f"(y), "f"(level))
ONCHIP_TEX(tex2DLayeredGrad, "tex.grad.a2d", "f32", "{%5, %6, %7, %7}], {%8, %9}, {%10, %11}",
           (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy), "r"(layer), "f"(x), "f"(y),
           "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))

ONCHIP_TEX(tex3D, "tex.3d", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), (x, y, z), "f"(x), "f"(y),
           "f"(z))
ONCHIP_TEX(tex3DLod, "tex.level.3d", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level),
           (x, y, z, level), "f"(x), "f"(y), "f"(z), "f"(level))
ONCHIP_TEX(tex3DGrad, "tex.grad.3d", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
           (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "f"(x), "f"(y), "f"(z), "f"(dx.x),
           "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))

ONCHIP_TEX(texCubemap, "tex.cube", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), (x, y, z), "f"(x),
           "f"(y), "f"(z))
ONCHIP_TEX(texCubemapLod, "tex.level.cube", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level),
           (x, y, z, level), "f"(x), "f"(y), "f"(z), "f"(level))
ONCHIP_TEX(texCubemapGrad, "tex.grad.cube", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
           (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "f"(x), "f"(y), "f"(z), "f"(dx.x),
           "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
ONCHIP_TEX(texCubemapLayered, "tex.acube", "f32", "{%5, %6, %7, %8}]", (float x, float y, float z, int layer),
           (x, y, z, layer), "r"(layer), "f"(x), "f"(y), "f"(z))
ONCHIP_TEX(texCubemapLayeredLod, "tex.level.acube", "f32", "{%5, %6, %7, %8}], %9",
           (float x, float y, float z, int layer, float level), (x, y, z, layer, level), "r"(layer), "f"(x), "f"(y),
           "f"(z), "f"(level))
ONCHIP_TEX(texCubemapLayeredGrad, "tex.grad.acube", "f32",
           "{%5, %6, %7, %8}], {%9, %10, %11, %11}, {%12, %13, %14, %14}",
           (float x, float y, float z, int layer, float4 dx, float4 dy), (x, y, z, layer, dx, dy), "r"(layer), "f"(x),
           "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))

// --- the four texels around a place, of one channel ------------------------------------------------------------------
ONCHIP_TEX(onchip_gather_x, "tld4.r.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
ONCHIP_TEX(onchip_gather_y, "tld4.g.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
ONCHIP_TEX(onchip_gather_z, "tld4.b.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
ONCHIP_TEX(onchip_gather_w, "tld4.a.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
template <class T> ONCHIP_FN T tex2Dgather(cudaTextureObject_t texObj, float x, float y, int comp = 0)
{
    return comp == 3   ? onchip_gather_w<T>(texObj, x, y)
           : comp == 2 ? onchip_gather_z<T>(texObj, x, y)
           : comp == 1 ? onchip_gather_y<T>(texObj, x, y)
                       : onchip_gather_x<T>(texObj, x, y);
}
template <class T> ONCHIP_FN void tex2Dgather(T *out, cudaTextureObject_t texObj, float x, float y, int comp = 0)
{
    *out = tex2Dgather<T>(texObj, x, y, comp);
}
#undef ONCHIP_TEX
#undef ONCHIP_TEX_OF
#undef ONCHIP_LIST
#endif

#endif
