// surface_indirect_functions.h: reads and writes of surfaces by their objects, as the CUDA C++ Programming Guide has
// them. Each is one instruction (PTX ISA, suld.b and sust.b) that moves the bytes of a T as they are; x counts bytes.
#ifndef ONCHIP_SURFACE_INDIRECT_FUNCTIONS_H
#define ONCHIP_SURFACE_INDIRECT_FUNCTIONS_H
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#include "driver_types.h"

#if defined(__CUDA__) && defined(__cplusplus)
// The instruction has the width of T: 1, 2, 4, 8 or 16 bytes, in one register of R or several.
template <class R, int N> struct onchip_surfel_of { R v[N]; };
template <int BYTES> struct onchip_surfel;
template <> struct onchip_surfel<1> : onchip_surfel_of<unsigned short, 1> {};
template <> struct onchip_surfel<2> : onchip_surfel_of<unsigned short, 1> {};
template <> struct onchip_surfel<4> : onchip_surfel_of<unsigned, 1> {};
template <> struct onchip_surfel<8> : onchip_surfel_of<unsigned, 2> {};
template <> struct onchip_surfel<16> : onchip_surfel_of<unsigned, 4> {};

// --- the instructions: one for each width, and each way to treat what lies outside -----------------------------------
#define ONCHIP_LIST(...) __VA_ARGS__
// at: the place in PTX's words; the list that comes last has its registers.
#define ONCHIP_MODES(ONE, ...)                                                                                \
    switch (mode) {                                                                                           \
    case cudaBoundaryModeZero: ONE(".zero", __VA_ARGS__); break;                                              \
    case cudaBoundaryModeClamp: ONE(".clamp", __VA_ARGS__); break;                                            \
    default: ONE(".trap", __VA_ARGS__);                                                                       \
    }
#define ONCHIP_LOAD(mode, shape, type, to, at, C, ...)                                                        \
    asm volatile("suld.b." shape type mode " " to ", [%[s], " at "];"                                         \
                 : ONCHIP_LIST C : [s] "l"(surfObj), __VA_ARGS__ : "memory")
#define ONCHIP_STORE(mode, shape, type, from, at, C, ...)                                                     \
    asm volatile("sust.b." shape type mode " [%[s], " at "], " from ";"                                       \
                 ::ONCHIP_LIST C, [s] "l"(surfObj), __VA_ARGS__ : "memory")
#define ONCHIP_SURF_OF(name, bytes, shape, type, value, O, I, P, at, ...)                                     \
    ONCHIP_FN void onchip_##name##read(onchip_surfel<bytes> &b, cudaSurfaceObject_t surfObj, ONCHIP_LIST P,   \
                                       cudaSurfaceBoundaryMode mode)                                          \
    {                                                                                                         \
        ONCHIP_MODES(ONCHIP_LOAD, shape, type, value, at, O, __VA_ARGS__)                                     \
    }                                                                                                         \
    ONCHIP_FN void onchip_##name##write(const onchip_surfel<bytes> &b, cudaSurfaceObject_t surfObj,           \
                                        ONCHIP_LIST P, cudaSurfaceBoundaryMode mode)                          \
    {                                                                                                         \
        ONCHIP_MODES(ONCHIP_STORE, shape, type, value, at, I, __VA_ARGS__)                                    \
    }
// P and A: the parameters that name a place, and their names
#define ONCHIP_SURF(name, shape, P, A, at, ...)                                                               \
    ONCHIP_SURF_OF(name, 1, shape, ".b8", "%[a]", ([a] "=h"(b.v[0])), ([a] "h"(b.v[0])), P, at, __VA_ARGS__)  \
    ONCHIP_SURF_OF(name, 2, shape, ".b16", "%[a]", ([a] "=h"(b.v[0])), ([a] "h"(b.v[0])), P, at, __VA_ARGS__) \
    ONCHIP_SURF_OF(name, 4, shape, ".b32", "%[a]", ([a] "=r"(b.v[0])), ([a] "r"(b.v[0])), P, at, __VA_ARGS__) \
    ONCHIP_SURF_OF(name, 8, shape, ".v2.b32", "{%[a], %[b]}", ([a] "=r"(b.v[0]), [b] "=r"(b.v[1])),           \
                   ([a] "r"(b.v[0]), [b] "r"(b.v[1])), P, at, __VA_ARGS__)                                    \
    ONCHIP_SURF_OF(name, 16, shape, ".v4.b32", "{%[a], %[b], %[c], %[d]}",                                    \
                   ([a] "=r"(b.v[0]), [b] "=r"(b.v[1]), [c] "=r"(b.v[2]), [d] "=r"(b.v[3])),                  \
                   ([a] "r"(b.v[0]), [b] "r"(b.v[1]), [c] "r"(b.v[2]), [d] "r"(b.v[3])), P, at, __VA_ARGS__)  \
    ONCHIP_SURF_NAMES(name, name, P, A)
#define ONCHIP_SURF_NAMES(name, as, P, A)                                                                     \
    template <class T>                                                                                        \
    ONCHIP_FN T name##read(cudaSurfaceObject_t surfObj, ONCHIP_LIST P,                                        \
                           cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap)                       \
    {                                                                                                         \
        T v;                                                                                                  \
        onchip_surfel<sizeof(T)> b;                                                                           \
        onchip_##as##read(b, surfObj, ONCHIP_LIST A, boundaryMode);                                           \
        __builtin_memcpy(&v, b.v, sizeof v);                                                                  \
        return v;                                                                                             \
    }                                                                                                         \
    template <class T>                                                                                        \
    ONCHIP_FN void name##read(T *data, cudaSurfaceObject_t surfObj, ONCHIP_LIST P,                            \
                              cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap)                    \
    {                                                                                                         \
        *data = name##read<T>(surfObj, ONCHIP_LIST A, boundaryMode);                                          \
    }                                                                                                         \
    template <class T>                                                                                        \
    ONCHIP_FN void name##write(T data, cudaSurfaceObject_t surfObj, ONCHIP_LIST P,                            \
                               cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap)                   \
    {                                                                                                         \
        onchip_surfel<sizeof(T)> b = {};                                                                      \
        __builtin_memcpy(b.v, &data, sizeof data);                                                            \
        onchip_##as##write(b, surfObj, ONCHIP_LIST A, boundaryMode);                                          \
    }
ONCHIP_SURF(surf1D, "1d", (int x), (x), "{%[x]}", [x] "r"(x))
ONCHIP_SURF(surf2D, "2d", (int x, int y), (x, y), "{%[x], %[y]}", [x] "r"(x), [y] "r"(y))
ONCHIP_SURF(surf3D, "3d", (int x, int y, int z), (x, y, z), "{%[x], %[y], %[z], %[z]}", [x] "r"(x), [y] "r"(y),
            [z] "r"(z))
ONCHIP_SURF(surf1DLayered, "a1d", (int x, int layer), (x, layer), "{%[z], %[x]}", [x] "r"(x), [z] "r"(layer))
ONCHIP_SURF(surf2DLayered, "a2d", (int x, int y, int layer), (x, y, layer), "{%[z], %[x], %[y], %[y]}", [x] "r"(x),
            [y] "r"(y), [z] "r"(layer))
// A face is a layer to a surface.
ONCHIP_SURF_NAMES(surfCubemap, surf2DLayered, (int x, int y, int face), (x, y, face))
ONCHIP_SURF_NAMES(surfCubemapLayered, surf2DLayered, (int x, int y, int layerFace), (x, y, layerFace))
#undef ONCHIP_SURF_NAMES
#undef ONCHIP_SURF
#undef ONCHIP_SURF_OF
#undef ONCHIP_STORE
#undef ONCHIP_LOAD
#undef ONCHIP_MODES
#undef ONCHIP_LIST
#endif

#endif
