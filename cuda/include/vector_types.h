// vector_types.h: vectors of one to four elements, with CUDA's alignments, and dim3.
#ifndef ONCHIP_VECTOR_TYPES_H
#define ONCHIP_VECTOR_TYPES_H
#include "onchip/letters_off.h"
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define ONCHIP_VECTOR(T, name, A2, A4)                                   \
    struct name##1 { T x; };                                             \
    struct __attribute__((aligned(A2))) name##2 { T x, y; };             \
    struct name##3 { T x, y, z; };                                       \
    struct __attribute__((aligned(A4))) name##4 { T x, y, z, w; };       \
    typedef struct name##1 name##1;                                      \
    typedef struct name##2 name##2;                                      \
    typedef struct name##3 name##3;                                      \
    typedef struct name##4 name##4;
ONCHIP_VECTOR(signed char, char, 2, 4)
ONCHIP_VECTOR(unsigned char, uchar, 2, 4)
ONCHIP_VECTOR(short, short, 4, 8)
ONCHIP_VECTOR(unsigned short, ushort, 4, 8)
ONCHIP_VECTOR(int, int, 8, 16)
ONCHIP_VECTOR(unsigned, uint, 8, 16)
ONCHIP_VECTOR(long, long, 16, 16)
ONCHIP_VECTOR(unsigned long, ulong, 16, 16)
ONCHIP_VECTOR(long long, longlong, 16, 16)
ONCHIP_VECTOR(unsigned long long, ulonglong, 16, 16)
ONCHIP_VECTOR(float, float, 8, 16)
ONCHIP_VECTOR(double, double, 16, 16)
#undef ONCHIP_VECTOR

struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#include "onchip/letters_back.h"
#endif
