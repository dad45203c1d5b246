// vector_functions.h: make_float4 and its like.
#ifndef ONCHIP_VECTOR_FUNCTIONS_H
#define ONCHIP_VECTOR_FUNCTIONS_H
#include "onchip/letters_off.h"
#include "vector_types.h"

#ifdef __CUDA__
#define ONCHIP_MAKER ONCHIP_BOTH
#else
#define ONCHIP_MAKER static __inline__ __attribute__((unused))
#endif
#define ONCHIP_MAKERS(T, name)                                                                                \
    ONCHIP_MAKER name##1 make_##name##1(T x) { name##1 v; v.x = x; return v; }                                \
    ONCHIP_MAKER name##2 make_##name##2(T x, T y) { name##2 v; v.x = x, v.y = y; return v; }                  \
    ONCHIP_MAKER name##3 make_##name##3(T x, T y, T z) { name##3 v; v.x = x, v.y = y, v.z = z; return v; }    \
    ONCHIP_MAKER name##4 make_##name##4(T x, T y, T z, T w)                                                   \
    {                                                                                                         \
        name##4 v;                                                                                            \
        v.x = x, v.y = y, v.z = z, v.w = w;                                                                   \
        return v;                                                                                             \
    }
ONCHIP_MAKERS(signed char, char)
ONCHIP_MAKERS(unsigned char, uchar)
ONCHIP_MAKERS(short, short)
ONCHIP_MAKERS(unsigned short, ushort)
ONCHIP_MAKERS(int, int)
ONCHIP_MAKERS(unsigned, uint)
ONCHIP_MAKERS(long, long)
ONCHIP_MAKERS(unsigned long, ulong)
ONCHIP_MAKERS(long long, longlong)
ONCHIP_MAKERS(unsigned long long, ulonglong)
ONCHIP_MAKERS(float, float)
ONCHIP_MAKERS(double, double)
#undef ONCHIP_MAKERS
#undef ONCHIP_MAKER

#include "onchip/letters_back.h"
#endif
