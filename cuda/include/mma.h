// mma.h: products of small matrices by a warp (nvcuda::wmma), as the CUDA C++ Programming Guide has them, by the wmma
// instructions of the PTX ISA (§9.7.14.4).
//
// A fragment is what one lane has of a matrix. How many registers that is, is the ISA's; which elements they are is
// left open, but fragments of one kind agree. Each form exists for the targets that have it: half from sm_70 on, bytes
// from sm_72, less than a byte from sm_75, bfloat16, tf32 and double from sm_80.
#ifndef ONCHIP_MMA_H
#define ONCHIP_MMA_H
#include "onchip/letters_off.h"
#define __CUDA_MMA_H__

#if defined(__CUDA__) && defined(__cplusplus)
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#if ONCHIP_ARCH >= 700
namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;

template <class R, unsigned n> struct onchip_registers {
    R at[n];
};
// packed: elements in one of x.
template <class T, class E, class R, unsigned registers, unsigned packed = 1> struct onchip_fragment {
    typedef T element_type;
    typedef E storage_element_type;
    typedef onchip_registers<R, registers> onchip_all;
    enum { num_storage_elements = registers * sizeof(R) / sizeof(E), num_elements = num_storage_elements * packed };
    E x[num_storage_elements];
};
template <class Fragment> ONCHIP_FN typename Fragment::onchip_all onchip_get(const Fragment &f)
{
    typename Fragment::onchip_all r;
    __builtin_memcpy(r.at, f.x, sizeof r.at);
    return r;
}
template <class Fragment> ONCHIP_FN void onchip_put(Fragment &f, const typename Fragment::onchip_all &r)
{
    __builtin_memcpy(f.x, r.at, sizeof r.at);
}

// The registers x.at[0] … of an assembly's text, and of its operands, C being their constraint.
#define ONCHIP_TEXT1(x) "%[" #x "0]"
#define ONCHIP_TEXT2(x) ONCHIP_TEXT1(x) ", %[" #x "1]"
#define ONCHIP_TEXT4(x) ONCHIP_TEXT2(x) ", %[" #x "2], %[" #x "3]"
#define ONCHIP_TEXT8(x) ONCHIP_TEXT4(x) ", %[" #x "4], %[" #x "5], %[" #x "6], %[" #x "7]"
#define ONCHIP_LIST1(x, C) [x##0] C(x.at[0])
#define ONCHIP_LIST2(x, C) ONCHIP_LIST1(x, C), [x##1] C(x.at[1])
#define ONCHIP_LIST4(x, C) ONCHIP_LIST2(x, C), [x##2] C(x.at[2]), [x##3] C(x.at[3])
#define ONCHIP_LIST8(x, C)                                                                                    \
    ONCHIP_LIST4(x, C), [x##4] C(x.at[4]), [x##5] C(x.at[5]), [x##6] C(x.at[6]), [x##7] C(x.at[7])

// --- fragments, loads and stores -----------------------------------------------------------------------------------
// n registers of type R; elements of type T are of type E in memory.
#define ONCHIP_READ(op, n, C)                                                                                 \
    asm volatile(op " {" ONCHIP_TEXT##n(d) "}, [%[from]], %[ldm];"                                            \
                 : ONCHIP_LIST##n(d, "=" C)                                                                   \
                 : [from] "l"(mptr), [ldm] "r"(ldm)                                                           \
                 : "memory")
#define ONCHIP_WRITE(op, n, C)                                                                                \
    asm volatile(op " [%[to]], {" ONCHIP_TEXT##n(d) "}, %[ldm];" ::[to] "l"(mptr), [ldm] "r"(ldm),            \
                 ONCHIP_LIST##n(d, C)                                                                         \
                 : "memory")
#define ONCHIP_FACTOR(use, layout, M, N, K, T, type, E, R, n, C, packed)                                      \
    template <> class fragment<matrix_##use, M, N, K, T, layout##_major>                                      \
        : public onchip_fragment<T, E, R, n, packed> {};                                                      \
    ONCHIP_FN void load_matrix_sync(fragment<matrix_##use, M, N, K, T, layout##_major> &a, const E *mptr,     \
                                    unsigned ldm)                                                             \
    {                                                                                                         \
        onchip_registers<R, n> d;                                                                             \
        ONCHIP_READ("wmma.load." #use ".sync.aligned." #layout ".m" #M "n" #N "k" #K type, n, C);             \
        onchip_put(a, d);                                                                                     \
    }
#define ONCHIP_FACTORS(M, N, K, T, type, E, R, na, nb, C)                                                     \
    ONCHIP_FACTOR(a, row, M, N, K, T, type, E, R, na, C, 1)                                                   \
    ONCHIP_FACTOR(a, col, M, N, K, T, type, E, R, na, C, 1)                                                   \
    ONCHIP_FACTOR(b, row, M, N, K, T, type, E, R, nb, C, 1)                                                   \
    ONCHIP_FACTOR(b, col, M, N, K, T, type, E, R, nb, C, 1)
#define ONCHIP_SUM(M, N, K, T, type, R, n, C)                                                                 \
    template <> class fragment<accumulator, M, N, K, T> : public onchip_fragment<T, T, R, n> {};              \
    ONCHIP_FN void load_matrix_sync(fragment<accumulator, M, N, K, T> &a, const T *mptr, unsigned ldm,        \
                                    layout_t layout)                                                          \
    {                                                                                                         \
        onchip_registers<R, n> d;                                                                             \
        if (layout == mem_row_major)                                                                          \
            ONCHIP_READ("wmma.load.c.sync.aligned.row.m" #M "n" #N "k" #K type, n, C);                        \
        else                                                                                                  \
            ONCHIP_READ("wmma.load.c.sync.aligned.col.m" #M "n" #N "k" #K type, n, C);                        \
        onchip_put(a, d);                                                                                     \
    }                                                                                                         \
    ONCHIP_FN void store_matrix_sync(T *mptr, const fragment<accumulator, M, N, K, T> &a, unsigned ldm,       \
                                     layout_t layout)                                                         \
    {                                                                                                         \
        const auto d = onchip_get(a);                                                                         \
        if (layout == mem_row_major)                                                                          \
            ONCHIP_WRITE("wmma.store.d.sync.aligned.row.m" #M "n" #N "k" #K type, n, C);                      \
        else                                                                                                  \
            ONCHIP_WRITE("wmma.store.d.sync.aligned.col.m" #M "n" #N "k" #K type, n, C);                      \
    }

template <typename Use, int m, int n, int k, typename T, typename Layout>
ONCHIP_FN void fill_fragment(fragment<Use, m, n, k, T, Layout> &a,
                             const typename fragment<Use, m, n, k, T, Layout>::storage_element_type &v)
{
    for (int e = 0; e < a.num_storage_elements; e++) a.x[e] = v;
}

// --- products ------------------------------------------------------------------------------------------------------
// What the instruction doesn't do for floats: infinities become the largest number, what isn't a number becomes 0.
template <class Fragment> ONCHIP_FN void onchip_saturate(Fragment &f, float most)
{
    for (int e = 0; e < f.num_elements; e++) {
        const float v = (float)f.x[e];
        if (v != v) f.x[e] = 0.0f;
        if (v > most) f.x[e] = most;
        if (v < -most) f.x[e] = -most;
    }
}
ONCHIP_FN constexpr float onchip_most(const float *) { return 3.402823466e+38f; }
ONCHIP_FN constexpr float onchip_most(const __half *) { return 65504.0f; }

#define ONCHIP_MULTIPLY(op, nd, Cd, na, nb, Cab, nc, Cc)                                                      \
    asm volatile(op " {" ONCHIP_TEXT##nd(d) "}, {" ONCHIP_TEXT##na(a) "}, {" ONCHIP_TEXT##nb(b) "}, {"        \
                 ONCHIP_TEXT##nc(c) "};"                                                                      \
                 : ONCHIP_LIST##nd(d, "=" Cd)                                                                 \
                 : ONCHIP_LIST##na(a, Cab), ONCHIP_LIST##nb(b, Cab), ONCHIP_LIST##nc(c, Cc))
// what: the last parameters; MULTIPLY and after: statements.
#define ONCHIP_MMA(name, la, lb, M, N, K, T, Td, Tc, what, MULTIPLY, after)                                   \
    ONCHIP_FN void name(fragment<accumulator, M, N, K, Td> &df,                                               \
                        const fragment<matrix_a, M, N, K, T, la##_major> &af,                                 \
                        const fragment<matrix_b, M, N, K, T, lb##_major> &bf,                                 \
                        const fragment<accumulator, M, N, K, Tc> &cf, what)                                   \
    {                                                                                                         \
        const auto a = onchip_get(af);                                                                        \
        const auto b = onchip_get(bf);                                                                        \
        const auto c = onchip_get(cf);                                                                        \
        typename fragment<accumulator, M, N, K, Td>::onchip_all d;                                            \
        MULTIPLY;                                                                                             \
        onchip_put(df, d);                                                                                    \
        after;                                                                                                \
    }
#define ONCHIP_OP(la, lb, M, N, K, types) "wmma.mma.sync.aligned." #la "." #lb ".m" #M "n" #N "k" #K types
#define ONCHIP_4(X, ...)                                                                                      \
    X(row, row, __VA_ARGS__) X(row, col, __VA_ARGS__) X(col, row, __VA_ARGS__) X(col, col, __VA_ARGS__)
#define ONCHIP_FLOATS(la, lb, M, N, K, T, types, Td, nd, Cd, na, nb, Cab, Tc, nc, Cc)                         \
    ONCHIP_MMA(mma_sync, la, lb, M, N, K, T, Td, Tc, bool satf = false,                                       \
               ONCHIP_MULTIPLY(ONCHIP_OP(la, lb, M, N, K, types), nd, Cd, na, nb, Cab, nc, Cc),               \
               if (satf) onchip_saturate(df, onchip_most((const Td *)nullptr)))
#define ONCHIP_DOUBLES(la, lb, M, N, K)                                                                       \
    ONCHIP_MMA(mma_sync, la, lb, M, N, K, double, double, double, bool = false,                               \
               ONCHIP_MULTIPLY(ONCHIP_OP(la, lb, M, N, K, ".rn.f64.f64.f64.f64"), 2, "d", 1, 1, "d", 2, "d"), )
#define ONCHIP_INTS(la, lb, M, N, K, T, types, nd, na, nb)                                                    \
    ONCHIP_MMA(mma_sync, la, lb, M, N, K, T, int, int, bool satf = false,                                     \
               if (satf)                                                                                      \
                   ONCHIP_MULTIPLY(ONCHIP_OP(la, lb, M, N, K, types ".satfinite"), nd, "r", na, nb, "r", nd, "r"); \
               else                                                                                           \
                   ONCHIP_MULTIPLY(ONCHIP_OP(la, lb, M, N, K, types), nd, "r", na, nb, "r", nd, "r"), )

// --- half ----------------------------------------------------------------------------------------------------------
#define ONCHIP_HALF(M, N, K)                                                                                  \
    ONCHIP_FACTORS(M, N, K, __half, ".f16", __half, unsigned, 8, 8, "r")                                      \
    ONCHIP_SUM(M, N, K, __half, ".f16", unsigned, 4, "r")                                                     \
    ONCHIP_SUM(M, N, K, float, ".f32", float, 8, "f")                                                         \
    ONCHIP_4(ONCHIP_FLOATS, M, N, K, __half, ".f16.f16", __half, 4, "r", 8, 8, "r", __half, 4, "r")           \
    ONCHIP_4(ONCHIP_FLOATS, M, N, K, __half, ".f16.f32", __half, 4, "r", 8, 8, "r", float, 8, "f")            \
    ONCHIP_4(ONCHIP_FLOATS, M, N, K, __half, ".f32.f16", float, 8, "f", 8, 8, "r", __half, 4, "r")            \
    ONCHIP_4(ONCHIP_FLOATS, M, N, K, __half, ".f32.f32", float, 8, "f", 8, 8, "r", float, 8, "f")
ONCHIP_HALF(16, 16, 16)
ONCHIP_HALF(8, 32, 16)
ONCHIP_HALF(32, 8, 16)
#undef ONCHIP_HALF

// --- bytes ---------------------------------------------------------------------------------------------------------
#if ONCHIP_ARCH >= 720
#define ONCHIP_BYTES(M, N, K, na, nb)                                                                         \
    ONCHIP_FACTORS(M, N, K, signed char, ".s8", signed char, unsigned, na, nb, "r")                           \
    ONCHIP_FACTORS(M, N, K, unsigned char, ".u8", unsigned char, unsigned, na, nb, "r")                       \
    ONCHIP_SUM(M, N, K, int, ".s32", int, 8, "r")                                                             \
    ONCHIP_4(ONCHIP_INTS, M, N, K, signed char, ".s32.s8.s8.s32", 8, na, nb)                                  \
    ONCHIP_4(ONCHIP_INTS, M, N, K, unsigned char, ".s32.u8.u8.s32", 8, na, nb)
ONCHIP_BYTES(16, 16, 16, 2, 2)
ONCHIP_BYTES(8, 32, 16, 1, 4)
ONCHIP_BYTES(32, 8, 16, 4, 1)
#undef ONCHIP_BYTES
#endif

// --- less than a byte ----------------------------------------------------------------------------------------------
// A lies by rows and B by columns, several elements in each of x. ldm counts elements.
#if ONCHIP_ARCH >= 750
#define ONCHIP_PACKED(K, T, type, E, packed)                                                                  \
    ONCHIP_FACTOR(a, row, 8, 8, K, experimental::precision::T, type, E, unsigned, 1, "r", packed)             \
    ONCHIP_FACTOR(b, col, 8, 8, K, experimental::precision::T, type, E, unsigned, 1, "r", packed)
ONCHIP_PACKED(32, u4, ".u4", unsigned, 8)
ONCHIP_PACKED(32, s4, ".s4", int, 8)
ONCHIP_PACKED(128, b1, ".b1", unsigned, 32)
ONCHIP_SUM(8, 8, 32, int, ".s32", int, 2, "r")
ONCHIP_SUM(8, 8, 128, int, ".s32", int, 2, "r")
ONCHIP_INTS(row, col, 8, 8, 32, experimental::precision::u4, ".s32.u4.u4.s32", 2, 1, 1)
ONCHIP_INTS(row, col, 8, 8, 32, experimental::precision::s4, ".s32.s4.s4.s32", 2, 1, 1)
#undef ONCHIP_PACKED
#define ONCHIP_BITS(op)                                                                                       \
    ONCHIP_MULTIPLY("wmma.mma." op ".popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, "r", 1, 1, "r", 2, "r")
#define ONCHIP_WHAT experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,                                  \
                    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC
#if ONCHIP_ARCH >= 800
#define ONCHIP_EITHER_OP if (op == experimental::bmmaBitOpAND) ONCHIP_BITS("and"); else ONCHIP_BITS("xor")
#else
#define ONCHIP_EITHER_OP if (op == experimental::bmmaBitOpAND) __trap(); else ONCHIP_BITS("xor")
#endif
ONCHIP_MMA(bmma_sync, row, col, 8, 8, 128, experimental::precision::b1, int, int, ONCHIP_WHAT, ONCHIP_EITHER_OP, )
#undef ONCHIP_EITHER_OP
#undef ONCHIP_WHAT
#undef ONCHIP_BITS
#endif

// --- bfloat16, tf32, double ----------------------------------------------------------------------------------------
#if ONCHIP_ARCH >= 800
ONCHIP_FN float __float_to_tf32(float in)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(in));
    return __uint_as_float(r);
}
#define ONCHIP_BFLOAT16(M, N, K, na, nb)                                                                      \
    ONCHIP_FACTORS(M, N, K, __nv_bfloat16, ".bf16", __nv_bfloat16, unsigned, na, nb, "r")                     \
    ONCHIP_4(ONCHIP_FLOATS, M, N, K, __nv_bfloat16, ".f32.bf16.bf16.f32", float, 8, "f", na, nb, "r", float, 8, "f")
ONCHIP_BFLOAT16(16, 16, 16, 4, 4)
ONCHIP_BFLOAT16(8, 32, 16, 2, 8)
ONCHIP_BFLOAT16(32, 8, 16, 8, 2)
#undef ONCHIP_BFLOAT16
ONCHIP_FACTORS(16, 16, 8, precision::tf32, ".tf32", float, unsigned, 4, 4, "r")
ONCHIP_SUM(16, 16, 8, float, ".f32", float, 8, "f")
ONCHIP_4(ONCHIP_FLOATS, 16, 16, 8, precision::tf32, ".f32.tf32.tf32.f32", float, 8, "f", 4, 4, "r", float, 8, "f")
ONCHIP_FACTORS(8, 8, 4, double, ".f64", double, double, 1, 1, "d")
ONCHIP_SUM(8, 8, 4, double, ".f64", double, 2, "d")
ONCHIP_4(ONCHIP_DOUBLES, 8, 8, 4)
#endif

#undef ONCHIP_INTS
#undef ONCHIP_DOUBLES
#undef ONCHIP_FLOATS
#undef ONCHIP_4
#undef ONCHIP_OP
#undef ONCHIP_MMA
#undef ONCHIP_MULTIPLY
#undef ONCHIP_SUM
#undef ONCHIP_FACTORS
#undef ONCHIP_FACTOR
#undef ONCHIP_WRITE
#undef ONCHIP_READ
#undef ONCHIP_LIST8
#undef ONCHIP_LIST4
#undef ONCHIP_LIST2
#undef ONCHIP_LIST1
#undef ONCHIP_TEXT8
#undef ONCHIP_TEXT4
#undef ONCHIP_TEXT2
#undef ONCHIP_TEXT1

}  // namespace wmma
}  // namespace nvcuda
#endif
#endif

#include "onchip/letters_back.h"
#endif
