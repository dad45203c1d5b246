// atomic.c: what an atomic operation makes of an old value (PTX ISA, atom and red). Floats are computed on their bits,
// so that NaNs are canonical and every host agrees.
#include "exec/unit.h"

#include <string.h>

static float f32_of(uint64_t v)
{
    uint32_t b = (uint32_t)v;
    float f;
    memcpy(&f, &b, 4);
    return f;
}
static uint32_t u32_of(float f)
{
    uint32_t b;
    memcpy(&b, &f, 4);
    return f == f ? b : 0x7fffffffu;
}
static uint32_t flush(uint32_t x) { return x & 0x7f800000u ? x : x & 0x80000000u; }

// f16 and bf16 additions go through float: 24 bits of significand round once more without harm (ops_half.c).
static float half_value(uint32_t h)
{
    uint32_t s = (h & 0x8000u) << 16, e = h >> 10 & 31, m = h & 0x3ff;
    if (e == 31) return f32_of(s | 0x7f800000u | m << 13);
    if (e) return f32_of(s | (e + 112) << 23 | m << 13);
    float f = (float)m * 0x1p-24f;
    return s ? -f : f;
}
static uint32_t half_bits(float f)
{
    uint32_t b = u32_of(f), s = b >> 16 & 0x8000u, a = b & 0x7fffffffu;
    if (a > 0x7f800000u) return 0x7fffu;
    if (a >= 0x477ff000u) return s | 0x7c00u;
    if (a < 0x38800000u) {  // subnormal: adding 0.5 lines the bits up and rounds to nearest even
        float x = f32_of(a) + 0.5f;
        return s | (u32_of(x) - 0x3f000000u);
    }
    return s | ((a + 0xfffu + (a >> 13 & 1) - 0x38000000u) >> 13);
}
static uint32_t bf16_bits(float f)
{
    uint32_t b = u32_of(f);
    if (f != f) return 0x7fffu;
    return (b + 0x7fffu + (b >> 16 & 1)) >> 16;
}

// The smaller or greater of two halves: not the one that is a NaN, and -0 is below 0 (as min and max, §9.7.4).
static uint32_t half_extreme(uint32_t a, uint32_t b, bool bf16, bool most)
{
    float x = bf16 ? f32_of((uint64_t)a << 16) : half_value(a), y = bf16 ? f32_of((uint64_t)b << 16) : half_value(b);
    if (x != x || y != y) return x == x ? a : y == y ? b : 0x7fff;
    if (x == y) return most ? a & b : a | b;  // they differ in the sign of zero, if at all
    return (x < y) != most ? a : b;
}

static uint64_t halves_extreme(Type t, uint64_t a, uint64_t b, bool most)
{
    bool bf16 = t == TY_BF16 || t == TY_BF16X2;
    uint64_t low = half_extreme(a & 0xffff, b & 0xffff, bf16, most);
    if (t == TY_F16 || t == TY_BF16) return low;
    return low | (uint64_t)half_extreme(a >> 16 & 0xffff, b >> 16 & 0xffff, bf16, most) << 16;
}

uint64_t exec_atom(const Dinst *d, uint64_t old, uint64_t x, uint64_t y, bool global)
{
    Type t = d->type;
    switch (d->mod) {
    case M_A_EXCH: return x;
    case M_A_CAS: return old == x ? y : old;
    case M_A_AND: return old & x;
    case M_A_OR: return old | x;
    case M_A_XOR: return old ^ x;
    case M_A_INC: return (uint32_t)old >= (uint32_t)x ? 0 : old + 1;
    case M_A_DEC: return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)x ? x : old - 1;
    case M_A_MIN:
        if (T_HALF >> t & 1) return halves_extreme(t, old, x, false);
        if (t == TY_S32) return (int32_t)old < (int32_t)x ? old : x;
        if (t == TY_S64) return (int64_t)old < (int64_t)x ? old : x;
        return old < x ? old : x;
    case M_A_MAX:
        if (T_HALF >> t & 1) return halves_extreme(t, old, x, true);
        if (t == TY_S32) return (int32_t)old > (int32_t)x ? old : x;
        if (t == TY_S64) return (int64_t)old > (int64_t)x ? old : x;
        return old > x ? old : x;
    default: break;
    }
    double p, q;
    switch (t) {
    case TY_F32:  // subnormals are flushed in global memory, and kept in shared (PTX ISA §9.7.13.5)
        if (global) return flush(u32_of(f32_of(flush((uint32_t)old)) + f32_of(flush((uint32_t)x))));
        return u32_of(f32_of(old) + f32_of(x));
    case TY_F64:
        memcpy(&p, &old, 8), memcpy(&q, &x, 8);
        p += q;
        memcpy(&old, &p, 8);
        return p == p ? old : 0x7ff8000000000000ull;
    case TY_F16: return half_bits(half_value((uint32_t)old & 0xffff) + half_value((uint32_t)x & 0xffff));
    case TY_BF16: return bf16_bits(f32_of(old << 16) + f32_of(x << 16));
    case TY_F16X2:
        return half_bits(half_value(old & 0xffff) + half_value(x & 0xffff)) |
               (uint64_t)half_bits(half_value(old >> 16 & 0xffff) + half_value(x >> 16 & 0xffff)) << 16;
    case TY_BF16X2:
        return bf16_bits(f32_of(old << 16) + f32_of(x << 16)) |
               (uint64_t)bf16_bits(f32_of(old & 0xffff0000u) + f32_of(x & 0xffff0000u)) << 16;
    default: return old + x;
    }
}
