// Arithmetic and conversions of floats against MPFR, and the builds for the instruction sets against one another.
#include "check.h"
#include "ptx/ops.h"

#include "exec/exec.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1  // how many more values to try
#endif

// --- the builds ------------------------------------------------------------------------------------------------------
typedef ExecFn *PickFn(const Inst *i);
typedef struct Build {
    const char *name;
    PickFn *floats, *sfu, *half, *cvt;
} Build;
#define DECLARE(isa) PickFn pick_float_##isa, pick_sfu_##isa, pick_half_##isa, pick_cvt_##isa;
#define BUILD(isa)                                                              \
    {                                                                           \
#isa, pick_float_##isa, pick_sfu_##isa, pick_half_##isa, pick_cvt_##isa \
    }
#ifdef __x86_64__
DECLARE(sse2)
DECLARE(avx2)
DECLARE(avx512)
static const Build all_builds[] = {BUILD(sse2), BUILD(avx2), BUILD(avx512)};
static int build_count(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512bw")
               ? 3
               : 2;
}
#else
DECLARE(generic)
static const Build all_builds[] = {BUILD(generic)};
static int build_count(void) { return 1; }
#endif

static ExecFn *pick(const Build *b, const Inst *i)
{
    bool half = i->type == TY_F16 || i->type == TY_BF16 || i->type == TY_F16X2 || i->type == TY_BF16X2;
    switch (i->op) {
    case OP_CVT: return b->cvt(i);
    case OP_RCP:
    case OP_SQRT:
    case OP_RSQRT:
    case OP_SIN:
    case OP_COS:
    case OP_LG2:
    case OP_EX2:
    case OP_TANH: return b->sfu(i);
    default: return half ? b->half(i) : b->floats(i);
    }
}

// --- running one warp ------------------------------------------------------------------------------------------------
typedef struct Warp32 {
    _Alignas(128) uint8_t rows[4 * 256];
    uint32_t pred[4];
} Warp32;
static uint32_t flags_of(const Inst *i)
{
    return (type_info[i->type].bits == 64 ? D_LONG : 0u) | (type_info[i->type2].bits == 64 ? D_SRC_LONG : 0u);
}
static void run(ExecFn *fn, const Inst *in, uint32_t flags, Warp32 *w, uint32_t mask)
{
    Dinst d = {.fn = fn,
               .a = 0,
               .b = 256,
               .c = 512,
               .dst = 768,
               .inst = in,
               .type = in->type,
               .type2 = in->type2,
               .op = (uint8_t)in->op,
               .flags = (uint16_t)flags,
               .pdst = 2};
    Lanes l = {.bank = {w->rows, NULL}, .pred = w->pred};
    fn(&l, &d, mask);
}
static uint64_t get(const Warp32 *w, int operand, bool wide, int n)
{
    uint64_t x = 0;
    if (wide)
        memcpy(&x, w->rows + 256 * operand + 8 * n, 8);
    else
        memcpy(&x, w->rows + 256 * operand + 4 * n, 4);
    return x;
}
static void put(Warp32 *w, int operand, bool wide, int n, uint64_t x)
{
    if (wide)
        memcpy(w->rows + 256 * operand + 8 * n, &x, 8);
    else
        memcpy(w->rows + 256 * operand + 4 * n, &x, 4);
}

// --- values ----------------------------------------------------------------------------------------------------------
static uint64_t seed = 0x9e3779b97f4a7c15ull;
static uint64_t any(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}
typedef struct Layout {
    int bits, mantissa, bias;
} Layout;
static Layout layout(int t)
{
    switch (t) {
    case TY_F16:
    case TY_F16X2: return (Layout){16, 10, 15};
    case TY_BF16:
    case TY_BF16X2: return (Layout){16, 7, 127};
    case TY_TF32: return (Layout){19, 10, 127};
    case TY_F32: return (Layout){32, 23, 127};
    default: return (Layout){64, 52, 1023};
    }
}
// A float that is often an edge: zeros, subnormals, near one, near a power of two, infinities, NaN
static uint64_t any_float(int t)
{
    Layout f = layout(t);
    uint64_t r = any(), sign = (r & 1) << (f.bits - 1), fraction = any() & ((1ull << f.mantissa) - 1);
    int e = 0;
    switch (r >> 1 & 15) {
    case 0: return sign;
    case 1: return sign | (uint64_t)(2 * f.bias + 1) << f.mantissa;
    case 2: return sign | (uint64_t)(2 * f.bias + 1) << f.mantissa | 1ull << (f.mantissa - 1) | (fraction & 7);
    case 3: return sign | fraction >> (r >> 8 & 15);
    case 4: e = 1 + (int)(r >> 8 & 3); break;
    case 5: e = 2 * f.bias - (int)(r >> 8 & 3); break;
    case 6:
    case 7:
    case 8:
    case 9: e = f.bias + (int)(r >> 8 & 7) - 3; break;
    case 10: e = f.bias + (int)(r >> 8 & 63) - 3; break;
    case 11:
        e = f.bias + (int)(r >> 8 & 7) - 3;
        fraction = r >> 20 & 1 ? (1ull << f.mantissa) - 1 - (fraction & 3) : fraction & 3;
        break;
    default: e = (int)((r >> 8) % (unsigned)(2 * f.bias + 1));
    }
    if (e >= 2 * f.bias + 1) e = 2 * f.bias;
    if (r >> 40 & 1) fraction &= fraction << (r >> 41 & 15);
    return sign | (uint64_t)e << f.mantissa | (fraction & ((1ull << f.mantissa) - 1));
}
static uint64_t any_int(void)
{
    uint64_t r = any(), x = any() >> (r & 63);
    if (r >> 6 & 1) x = 0 - x;
    if ((r >> 7 & 7) == 0) x = (1ull << (r >> 10 & 63)) + (r >> 16 & 3) - 1;
    return x;
}

// A float as a number, for the narrow types through double.
static double number(int t, uint64_t x)
{
    Layout f = layout(t);
    int e = (int)(x >> f.mantissa) & (2 * f.bias + 1);
    uint64_t fraction = x & ((1ull << f.mantissa) - 1);
    double sign = x >> (f.bits - 1) & 1 ? -1.0 : 1.0;
    if (e == 2 * f.bias + 1) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (!e) return sign * ldexp((double)fraction, 1 - f.bias - f.mantissa);
    return sign * ldexp((double)(fraction | 1ull << f.mantissa), e - f.bias - f.mantissa);
}
// The bits of a number that the type holds exactly; NaNs canonical
static uint64_t bits_of(int t, double d)
{
    Layout f = layout(t);
    uint64_t sign = (uint64_t)(signbit(d) != 0) << (f.bits - 1), top = (uint64_t)(2 * f.bias + 1) << f.mantissa, r;
    if (isnan(d)) return t == TY_F64 ? 0x7ff8000000000000ull : t == TY_F32 || t == TY_TF32 ? 0x7fffffff : 0x7fff;
    if (isinf(d))
        r = top;
    else if (d == 0)
        r = 0;
    else {
        int e = ilogb(d);
        if (e < 1 - f.bias)
            r = (uint64_t)ldexp(fabs(d), f.bias - 1 + f.mantissa);
        else
            r = ((uint64_t)(e + f.bias - 1) << f.mantissa) + (uint64_t)ldexp(fabs(d), f.mantissa - e);
    }
    r |= sign;
    return t == TY_TF32 ? r << 13 : r;
}

static mpfr_rnd_t mpfr_mode(int m)
{
    switch (m) {
    case M_RZ:
    case M_RZI: return MPFR_RNDZ;
    case M_RM:
    case M_RMI: return MPFR_RNDD;
    case M_RP:
    case M_RPI: return MPFR_RNDU;
    default: return MPFR_RNDN;
    }
}
// Narrows MPFR to a type: its exponents, with what subnormals need.
static void narrow(int t)
{
    Layout f = layout(t);
    mpfr_set_emin(2 - f.bias - f.mantissa);
    mpfr_set_emax(f.bias + 1);
}
static void widen(void)
{
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
}
// value (which must be exact, or have far more bits) rounded to a type
static uint64_t rounded(int t, mpfr_t value, int mode)
{
    mpfr_t r;
    mpfr_init2(r, layout(t).mantissa + 1);
    mpfr_rnd_t m = mpfr_mode(mode);
    if (mode == M_RNA) {  // the nearer neighbour, the larger of two
        mpfr_t low, high, to_low, to_high;
        mpfr_inits2(layout(t).mantissa + 1, low, high, (mpfr_ptr)0);
        mpfr_inits2(400, to_low, to_high, (mpfr_ptr)0);
        narrow(t);
        int q = mpfr_set(low, value, MPFR_RNDZ);
        mpfr_subnormalize(low, mpfr_check_range(low, q, MPFR_RNDZ), MPFR_RNDZ);
        q = mpfr_set(high, value, MPFR_RNDA);
        mpfr_subnormalize(high, mpfr_check_range(high, q, MPFR_RNDA), MPFR_RNDA);
        widen();
        mpfr_sub(to_low, value, low, MPFR_RNDN);
        mpfr_sub(to_high, high, value, MPFR_RNDN);
        m = mpfr_cmpabs(to_high, to_low) <= 0 ? MPFR_RNDA : MPFR_RNDZ;
        mpfr_clears(low, high, to_low, to_high, (mpfr_ptr)0);
    }
    narrow(t);
    int inexact = mpfr_set(r, value, m);
    inexact = mpfr_check_range(r, inexact, m);
    mpfr_subnormalize(r, inexact, m);
    widen();
    uint64_t bits = bits_of(t, mpfr_get_d(r, MPFR_RNDN));
    mpfr_clear(r);
    return bits;
}

static uint64_t flush(int t, uint64_t x)
{
    Layout f = layout(t);
    return x >> f.mantissa & (uint64_t)(2 * f.bias + 1) ? x : x & 1ull << (f.bits - 1);
}
static bool is_nan(int t, uint64_t x) { return isnan(number(t, x)); }
static uint64_t saturate(int t, uint64_t x)
{
    double d = number(t, x);
    return d > 0 ? bits_of(t, d < 1 ? d : 1) : 0;
}

#define RANDOM_ROUNDS (300 * SCALE)

// --- add, sub, mul, fma, div, rcp, sqrt ------------------------------------------------------------------------------
static uint64_t reference(const Inst *i, int t, const uint64_t *x)
{
    mpfr_t a, b, c, r;
    // exact for sums and products; enough for quotients and roots, whose digits can't be all but exact that far
    mpfr_inits2(5000, a, b, c, r, (mpfr_ptr)0);
    mpfr_set_prec(a, 53), mpfr_set_prec(b, 53), mpfr_set_prec(c, 53);
    uint64_t v[3];
    for (int k = 0; k < 3; k++) v[k] = inst_has(i, G_FTZ) ? flush(t, x[k]) : x[k];
    mpfr_set_d(a, number(t, v[0]), MPFR_RNDN);
    mpfr_set_d(b, number(t, v[1]), MPFR_RNDN);
    mpfr_set_d(c, number(t, v[2]), MPFR_RNDN);
    mpfr_rnd_t m = mpfr_mode(i->mod[G_RND]);
    if (i->op == OP_DIV || i->op == OP_RCP || i->op == OP_SQRT) mpfr_set_prec(r, 200);
    switch (i->op) {
    case OP_ADD: mpfr_add(r, a, b, m); break;
    case OP_SUB: mpfr_sub(r, a, b, m); break;
    case OP_MUL: mpfr_mul(r, a, b, m); break;
    case OP_DIV: mpfr_div(r, a, b, m); break;
    case OP_RCP: mpfr_ui_div(r, 1, a, m); break;
    case OP_SQRT: mpfr_sqrt(r, a, m); break;
    default: mpfr_fma(r, a, b, c, m);
    }
    uint64_t bits = rounded(t, r, i->mod[G_RND]);
    mpfr_clears(a, b, c, r, (mpfr_ptr)0);
    if (inst_has(i, G_FTZ)) bits = flush(t, bits);
    if (inst_has(i, G_SAT)) bits = saturate(t, bits);
    if (inst_has(i, G_RELU) && !is_nan(t, bits) && bits >> (layout(t).bits - 1)) bits = 0;
    return bits;
}

static void check_arithmetic(const Inst *i, int rounds)
{
    bool wide = type_info[i->type].bits == 64,
         pair = i->type == TY_F16X2 || i->type == TY_BF16X2 || i->type == TY_F32X2;
    int t = i->type == TY_F16X2 ? TY_F16 : i->type == TY_BF16X2 ? TY_BF16 : i->type == TY_F32X2 ? TY_F32 : i->type;
    int bits = layout(t).bits;
    uint64_t half = (1ull << bits % 64) - 1;
    const Build *b = &all_builds[build_count() - 1];
    ExecFn *fn = pick(b, i);
    assert_non_null(fn);
    for (int round = 0; round < rounds; round++) {
        Warp32 w = {0};
        for (int n = 0; n < LANES; n++)
            for (int k = 0; k < 3; k++) put(&w, k, wide, n, any_float(t) | (pair ? any_float(t) << bits : 0));
        run(fn, i, flags_of(i), &w, FULL);
        for (int n = 0; n < LANES; n++)
            for (int h = 0; h <= pair; h++) {
                uint64_t x[3], want, got = get(&w, 3, wide, n);
                for (int k = 0; k < 3; k++) {
                    x[k] = get(&w, k, wide, n);
                    if (pair) x[k] = x[k] >> bits * h & half;
                }
                if (pair) got = got >> bits * h & half;
                want = reference(i, t, x);
                if (got != want)
                    print_error("%s%s%s%s.%s(%llx, %llx, %llx) = %llx, not %llx\n", op_info[i->op].name,
                                inst_has(i, G_RND) ? "." : "", inst_has(i, G_RND) ? mod_info[i->mod[G_RND]].name : "",
                                inst_has(i, G_FTZ) ? ".ftz" : "", type_info[i->type].name, (unsigned long long)x[0],
                                (unsigned long long)x[1], (unsigned long long)x[2], (unsigned long long)got,
                                (unsigned long long)want);
                assert_true(got == want);
            }
    }
}

static void arithmetic(void **state)
{
    (void)state;
    static const uint16_t ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA, OP_DIV, OP_RCP, OP_SQRT};
    static const uint8_t modes[] = {M_RN, M_RZ, M_RM, M_RP};
    for (size_t o = 0; o < COUNT(ops); o++)
        for (size_t m = 0; m < COUNT(modes); m++)
            for (int form = 0; form < 5; form++) {
                Inst i = {.op = ops[o], .type = form == 4 ? TY_F64 : TY_F32, .operands = 4};
                i.mod[G_RND] = modes[m];
                if (form < 4 && form & 1) i.mod[G_FTZ] = M_FTZ;
                if (form < 4 && form & 2) i.mod[G_SAT] = M_SAT;
                if (o >= 4 && form < 4 && form & 2) continue;
                check_arithmetic(&i, RANDOM_ROUNDS / (form ? 8 : 4));
            }
}

static void half_arithmetic(void **state)
{
    (void)state;
    static const uint16_t ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA};
    static const uint8_t types[] = {TY_F16, TY_BF16, TY_F16X2, TY_BF16X2};
    for (size_t o = 0; o < COUNT(ops); o++)
        for (size_t t = 0; t < COUNT(types); t++)
            for (int form = 0; form < 6; form++) {
                bool is_bf16 = types[t] == TY_BF16 || types[t] == TY_BF16X2;
                if (is_bf16 && form && form != 4) continue;
                if (form >= 4 && ops[o] != OP_FMA) continue;
                Inst i = {.op = ops[o], .type = types[t], .operands = 4};
                i.mod[G_RND] = M_RN;
                if (form & 1) i.mod[G_FTZ] = M_FTZ;
                if (form < 4 && form & 2) i.mod[G_SAT] = M_SAT;
                if (form >= 4) i.mod[G_RELU] = M_RELU;
                check_arithmetic(&i, RANDOM_ROUNDS / (form ? 16 : 3));
            }
}

// add, sub, mul and fma of two .f32 at once (.f32x2): each half by itself.
static void pairs_of_singles(void **state)
{
    (void)state;
    static const uint16_t ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA};
    static const uint8_t modes[] = {M_NONE, M_RN, M_RZ, M_RM, M_RP};
    for (size_t o = 0; o < COUNT(ops); o++)
        for (size_t m = 0; m < COUNT(modes); m++)
            for (int ftz = 0; ftz < 2; ftz++) {
                Inst i = {.op = ops[o], .type = TY_F32X2, .operands = ops[o] == OP_FMA ? 4 : 3};
                i.mod[G_RND] = modes[m];
                if (ftz) i.mod[G_FTZ] = M_FTZ;
                check_arithmetic(&i, RANDOM_ROUNDS / 16);
            }
}

// --- min, max, abs, neg, copysign, testp -----------------------------------------------------------------------------
static uint64_t least(const Inst *i, int t, uint64_t a, uint64_t b)
{
    Layout f = layout(t);
    uint64_t top = 1ull << (f.bits - 1), sign = 0;
    if (inst_has(i, G_FTZ)) a = flush(t, a), b = flush(t, b);
    if (inst_has(i, G_XORSIGN)) sign = (a ^ b) & top, a &= ~top, b &= ~top;
    bool an = is_nan(t, a), bn = is_nan(t, b);
    if ((an && bn) || (inst_has(i, G_NAN) && (an || bn))) return bits_of(t, (double)NAN);
    if (an) return b | sign;
    if (bn) return a | sign;
    double x = number(t, a), y = number(t, b);
    bool first = x == y ? (signbit(x) != 0) != (i->op == OP_MAX) : (x < y) == (i->op == OP_MIN);
    return (first ? a : b) | sign;
}
// min and max of three .f32 (§9.7.3.11, §9.7.3.12): as of two, and then of that and the third one. The values are often
// few, so that the three are often equal but for the sign, or NaNs.
static void three_sources(void **state)
{
    (void)state;
    const Build *b = &all_builds[build_count() - 1];
    for (int form = 0; form < 16; form++) {
        Inst i = {.op = form & 1 ? OP_MAX : OP_MIN, .type = TY_F32, .operands = 4};
        if (form & 2) i.mod[G_FTZ] = M_FTZ;
        if (form & 4) i.mod[G_NAN] = M_NAN;
        if (form & 8) i.mod[G_ABS] = M_ABS;
        ExecFn *fn = pick(b, &i);
        assert_non_null(fn);
        for (int round = 0; round < 200; round++) {
            Warp32 w = {0};
            uint64_t some[3] = {any_float(TY_F32), any_float(TY_F32), any_float(TY_F32)};
            for (int n = 0; n < LANES; n++)
                for (int k = 0; k < 3; k++)
                    put(&w, k, false, n, round % 3 ? some[any() % 3] ^ (any() & 1) << 31 : any_float(TY_F32));
            run(fn, &i, 0, &w, FULL);
            for (int n = 0; n < LANES; n++) {
                uint64_t x[3], got = get(&w, 3, false, n);
                for (int k = 0; k < 3; k++) x[k] = get(&w, k, false, n) & (form & 8 ? 0x7fffffffu : 0xffffffffu);
                assert_int_equal(got, least(&i, TY_F32, least(&i, TY_F32, x[0], x[1]), x[2]));
            }
        }
    }
}

static bool has_property(int t, uint64_t x, int property)
{
    double d = number(t, x);
    double tiniest = ldexp(1.0, 1 - layout(t).bias);
    switch (property) {
    case M_FINITE: return isfinite(d);
    case M_INFINITE: return isinf(d);
    case M_NUMBER: return !isnan(d);
    case M_NOTANUMBER: return isnan(d);
    case M_NORMAL: return isfinite(d) && (d == 0 || fabs(d) >= tiniest);
    default: return d != 0 && fabs(d) < tiniest;
    }
}
static void selections(void **state)
{
    (void)state;
    const Build *b = &all_builds[build_count() - 1];
    static const uint16_t ops[] = {OP_MIN, OP_MAX, OP_ABS, OP_NEG, OP_COPYSIGN};
    static const uint8_t types[] = {TY_F32, TY_F64, TY_F16, TY_BF16, TY_F16X2, TY_BF16X2};
    int found = 0;
    for (size_t o = 0; o < COUNT(ops); o++)
        for (size_t q = 0; q < COUNT(types); q++)
            for (int form = 0; form < 8; form++) {
                Inst i = {.op = ops[o], .type = types[q], .operands = 3};
                if (form & 1) i.mod[G_FTZ] = M_FTZ;
                if (form & 2) i.mod[G_NAN] = M_NAN;
                if (form & 4) i.mod[G_XORSIGN] = M_XORSIGN, i.mod[G_ABS] = M_ABS;
                if (o >= 2 && form > (o == 4 ? 0 : 1)) continue;
                ExecFn *fn = pick(b, &i);
                if (!fn) continue;
                found++;
                bool wide = i.type == TY_F64, pair = q >= 4;
                int t = i.type == TY_F16X2 ? TY_F16 : i.type == TY_BF16X2 ? TY_BF16 : i.type;
                uint64_t top = 1ull << (layout(t).bits - 1);
                for (int round = 0; round < 60; round++) {
                    Warp32 w = {0};
                    for (int n = 0; n < LANES; n++)
                        for (int k = 0; k < 2; k++) put(&w, k, wide, n, any_float(t) | (pair ? any_float(t) << 16 : 0));
                    run(fn, &i, flags_of(&i), &w, FULL);
                    for (int n = 0; n < LANES; n++)
                        for (int h = 0; h <= pair; h++) {
                            uint64_t x = get(&w, 0, wide, n), y = get(&w, 1, wide, n), got = get(&w, 3, wide, n), want;
                            if (pair) x = x >> 16 * h & 0xffff, y = y >> 16 * h & 0xffff, got = got >> 16 * h & 0xffff;
                            uint64_t f = inst_has(&i, G_FTZ) ? flush(t, x) : x;
                            switch (i.op) {
                            case OP_ABS: want = is_nan(t, x) ? bits_of(t, (double)NAN) : f & ~top; break;
                            case OP_NEG: want = is_nan(t, x) ? bits_of(t, (double)NAN) : f ^ top; break;
                            case OP_COPYSIGN: want = (x & top) | (y & ~top); break;
                            default: want = least(&i, t, x, y);
                            }
                            assert_int_equal(got, want);
                        }
                }
            }
    assert_int_equal(found, 8 * 2 + 2 + (8 + 8) * 2 + (4 + 4) * 2 + 2 * (2 + 1 + 2 * 2 + 2) + 2);
    for (int p = M_FINITE; p <= M_SUBNORMAL; p++)
        for (int t = TY_F32; t <= TY_F64; t++) {
            Inst i = {.op = OP_TESTP, .type = (uint8_t)t, .operands = 2};
            i.mod[G_TESTP] = (uint8_t)p;
            ExecFn *fn = pick(b, &i);
            assert_non_null(fn);
            for (int round = 0; round < 30; round++) {
                Warp32 w = {0};
                uint32_t want = 0, mask = (uint32_t)any();
                for (int n = 0; n < LANES; n++) {
                    uint64_t x = any_float(t);
                    put(&w, 0, t == TY_F64, n, x);
                    want |= (uint32_t)has_property(t, x, p) << n;
                }
                w.pred[2] = 0xdeadbeef;
                run(fn, &i, flags_of(&i), &w, mask);
                assert_int_equal(w.pred[2], (want & mask) | (0xdeadbeef & ~mask));
            }
        }
}

// --- approximations --------------------------------------------------------------------------------------------------
static double exact(int op, double x)
{
    mpfr_t a, r;
    mpfr_inits2(60, a, r, (mpfr_ptr)0);
    mpfr_set_d(a, x, MPFR_RNDN);
    switch (op) {
    case OP_RCP: mpfr_ui_div(r, 1, a, MPFR_RNDN); break;
    case OP_SQRT: mpfr_sqrt(r, a, MPFR_RNDN); break;
    case OP_RSQRT: mpfr_rec_sqrt(r, a, MPFR_RNDN); break;
    case OP_SIN: mpfr_sin(r, a, MPFR_RNDN); break;
    case OP_COS: mpfr_cos(r, a, MPFR_RNDN); break;
    case OP_LG2: mpfr_log2(r, a, MPFR_RNDN); break;
    case OP_EX2: mpfr_exp2(r, a, MPFR_RNDN); break;
    default: mpfr_tanh(r, a, MPFR_RNDN);
    }
    double d = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clears(a, r, (mpfr_ptr)0);
    if (op == OP_RSQRT && x == 0) d = copysign(d, x);  // MPFR's is positive
    return d;
}
// |got − want| in units of the last place of a type
static double ulps(int t, double got, double want)
{
    Layout f = layout(t);
    if (got == want || (isnan(got) && isnan(want))) return 0;
    double largest = ldexp(2.0 - ldexp(1.0, -f.mantissa), f.bias);
    if (isinf(got) && fabs(want) > largest) return signbit(got) == signbit(want) ? 0 : 1e9;
    if (isnan(got) || isnan(want) || isinf(got) || isinf(want)) return 1e9;
    int e = want == 0 ? 1 - f.bias : ilogb(want);
    if (e < 1 - f.bias) e = 1 - f.bias;
    return fabs(got - want) / ldexp(1.0, e - f.mantissa);
}

static void approximations(void **state)
{
    (void)state;
    const Build *b = &all_builds[build_count() - 1];
    static const uint16_t ops[] = {OP_RCP, OP_SQRT, OP_RSQRT, OP_SIN, OP_COS, OP_LG2, OP_EX2, OP_TANH};
    for (size_t o = 0; o < COUNT(ops); o++)
        for (int ftz = 0; ftz < 2; ftz++) {
            Inst i = {.op = ops[o], .type = TY_F32, .operands = 2};
            i.mod[G_APPROX] = M_APPROX;
            if (ftz) i.mod[G_FTZ] = M_FTZ;
            ExecFn *fn = pick(b, &i);
            if (ftz && i.op == OP_TANH) assert_null(fn);
            if (!fn) continue;
            double worst = 0;
            uint32_t worst_at = 0;
            for (int round = 0; round < 1200 * SCALE; round++) {
                Warp32 w = {0};
                for (int n = 0; n < LANES; n++) {
                    uint64_t x = any_float(TY_F32);
                    bool angle = i.op == OP_SIN || i.op == OP_COS;
                    if (angle && n & 1) x = (x & 0x807fffff) | (uint64_t)(110 + any() % 44) << 23;
                    while (angle && (x & 0x7fffffff) < 0x7f800000 && fabs(number(TY_F32, x)) > 1e8)
                        x = any_float(TY_F32);
                    if (i.op == OP_EX2 && n & 1) x = (x & 0x807fffff) | (uint64_t)(115 + any() % 20) << 23;
                    if (i.op == OP_TANH && n & 1) x = (x & 0x807fffff) | (uint64_t)(115 + any() % 18) << 23;
                    if (i.op == OP_LG2 && n & 1) x = (x & 0x7fffff) | (uint64_t)(125 + any() % 4) << 23;
                    put(&w, 0, false, n, x);
                }
                run(fn, &i, 0, &w, FULL);
                for (int n = 0; n < LANES; n++) {
                    uint64_t x = get(&w, 0, false, n), got = get(&w, 3, false, n);
                    double v = number(TY_F32, ftz ? flush(TY_F32, x) : x), want = exact(i.op, v);
                    if (isnan(want)) assert_int_equal(got, 0x7fffffff);
                    if (want == 0 || v == 0) assert_int_equal(got, bits_of(TY_F32, want));
                    if (ftz && fabs(want) < 0x1p-126 * (1 - 0x1p-25)) {
                        assert_int_equal(got & 0x7fffffff, 0);
                        continue;
                    }
                    double error = ulps(TY_F32, number(TY_F32, got), want);
                    if (error > worst) worst = error, worst_at = (uint32_t)x;
                }
            }
            if (SCALE > 1)
                print_message("%s%s: %.7f ulp at %08x\n", op_info[i.op].name, ftz ? ".ftz" : "", worst, worst_at);
            assert_true(worst < 0.51);
        }
}

// ex2 and tanh of every f16 and bf16; the pairs hold two of them
static void half_approximations(void **state)
{
    (void)state;
    const Build *b = &all_builds[build_count() - 1];
    static const uint8_t types[] = {TY_F16, TY_BF16, TY_F16X2, TY_BF16X2};
    for (size_t q = 0; q < COUNT(types); q++)
        for (int op = OP_EX2; op <= OP_TANH; op++) {
            int t = q & 1 ? TY_BF16 : TY_F16;
            bool ftz = op == OP_EX2 && t == TY_BF16, pair = q >= 2;
            Inst i = {.op = (uint16_t)op, .type = types[q], .operands = 2};
            i.mod[G_APPROX] = M_APPROX;
            if (ftz) i.mod[G_FTZ] = M_FTZ;
            ExecFn *fn = pick(b, &i);
            assert_non_null(fn);
            for (uint32_t x = 0; x < 0x10000; x += LANES) {
                Warp32 w = {0};
                for (uint32_t n = 0; n < LANES; n++)
                    put(&w, 0, false, (int)n, (x + n) | (pair ? (x + n) * 0x9e37u << 16 : 0));
                run(fn, &i, 0, &w, FULL);
                for (int n = 0; n < LANES; n++)
                    for (int h = 0; h <= pair; h++) {
                        uint64_t from = get(&w, 0, false, n) >> 16 * h & 0xffff,
                                 got = get(&w, 3, false, n) >> 16 * h & 0xffff;
                        double want = exact(op, number(t, ftz ? flush(t, from) : from));
                        if (isnan(want)) assert_int_equal(got, 0x7fff);
                        if (ftz && fabs(want) < 0x1p-126)
                            assert_int_equal(got & 0x7fff, 0);
                        else
                            assert_true(ulps(t, number(t, got), want) < 0.501);
                    }
            }
        }
}

// what the ISA says of the approximations that aren't f32's
static uint64_t one(Inst i, uint64_t a, uint64_t b)
{
    Warp32 w = {0};
    ExecFn *fn = pick(&all_builds[build_count() - 1], &i);
    assert_non_null(fn);
    bool wide = type_info[i.type].bits == 64;
    put(&w, 0, wide, 5, a);
    put(&w, 1, wide, 5, b);
    run(fn, &i, flags_of(&i), &w, 1u << 5);
    assert_int_equal(get(&w, 3, wide, 4), 0);
    return get(&w, 3, wide, 5);
}
static void special_forms(void **state)
{
    (void)state;
    Inst i = {.op = OP_DIV, .type = TY_F32, .operands = 3};
    i.mod[G_APPROX] = M_APPROX;
    assert_int_equal(one(i, 0x3f800000, 0x7f000000), 0);  // 1 / 2^127
    assert_int_equal(one(i, 0xbf800000, 0x7f000001), 0x80000000);
    assert_int_equal(one(i, 0x7f800000, 0x7f000000), 0x7fffffff);  // inf / 2^127
    assert_int_equal(one(i, 0x7f000000, 0x7e800000), 0x40000000);  // 2^127 / 2^126
    assert_int_equal(one(i, 0x40400000, 0x3f000000), 0x40c00000);
    assert_int_equal(one(i, 0x3f800000, 0x7fc00000), 0x7fffffff);
    i.mod[G_APPROX] = M_FULL;
    assert_int_equal(one(i, 0x7f000000, 0x7f000000), 0x3f800000);
    static const struct {
        uint16_t op;
        uint64_t from, to;
    } table[] = {
        {OP_RCP, 0x3ff0000000000000, 0x3ff0000000000000},   {OP_RCP, 0, 0x7ff0000000000000},
        {OP_RCP, 0x8000000000000001, 0xfff0000000000000},   {OP_RCP, 0xfff0000000000000, 0x8000000000000000},
        {OP_RCP, 0x7ff8000000000001, 0x7fffffff00000000},   {OP_RCP, 0x7fe0000000000000, 0},
        {OP_RCP, 0x40000000ffffffff, 0x3fe0000000000000},   {OP_RSQRT, 0x4010000000000000, 0x3fe0000000000000},
        {OP_RSQRT, 0x8000000000000000, 0xfff0000000000000}, {OP_RSQRT, 0x000fffffffffffff, 0x7ff0000000000000},
        {OP_RSQRT, 0xbff0000000000000, 0x7fffffff00000000}, {OP_RSQRT, 0x7ff0000000000000, 0},
    };
    for (size_t k = 0; k < COUNT(table); k++) {
        Inst f = {.op = table[k].op, .type = TY_F64, .operands = 2};
        f.mod[G_APPROX] = M_APPROX, f.mod[G_FTZ] = M_FTZ;
        assert_true(one(f, table[k].from, 0) == table[k].to);
    }
    for (int k = 0; k < 3000; k++) {
        Inst f = {.op = k & 1 ? OP_RCP : OP_RSQRT, .type = TY_F64, .operands = 2};
        f.mod[G_APPROX] = M_APPROX, f.mod[G_FTZ] = M_FTZ;
        uint64_t x = 0x3000000000000000 | (any() >> 3 & 0x1fffffffffffffff);
        double want = exact(f.op, number(TY_F64, x)), got = number(TY_F64, one(f, x, 0));
        assert_true(fabs(got - want) <= fabs(want) * 0x1p-19);
        f.mod[G_FTZ] = M_NONE;
        if (f.op != OP_RSQRT) continue;
        assert_true(ulps(TY_F64, number(TY_F64, one(f, x, 0)), want) <= 2);
    }
}

// --- cvt -------------------------------------------------------------------------------------------------------------
static bool is_float(int t) { return type_info[t].kind == K_FLOAT; }
static bool is_signed(int t) { return type_info[t].kind == K_SINT; }

// In 64 bits, integers extended by their sign
static uint64_t converted(const Inst *i, int to, uint64_t x)
{
    int from = i->type2, bits = type_info[to].bits, rnd = i->mod[G_RND];
    bool ftz = inst_has(i, G_FTZ), nan = false, negative_zero = false;
    mpfr_t v;
    mpfr_init2(v, 70);
    if (is_float(from)) {
        x &= layout(from).bits == 64 ? ~0ull : (1ull << layout(from).bits) - 1;
        double d = number(from, from == TY_F32 && ftz ? flush(from, x) : x);
        nan = isnan(d), negative_zero = d == 0 && signbit(d);
        mpfr_set_d(v, d, MPFR_RNDN);
    } else {
        int unused = 64 - type_info[from].bits;
        if (is_signed(from))
            mpfr_set_sj(v, (int64_t)(x << unused) >> unused, MPFR_RNDN);
        else
            mpfr_set_uj(v, x << unused >> unused, MPFR_RNDN);
    }
    uint64_t r;
    if (!is_float(to)) {
        bool clamp = is_float(from) || inst_has(i, G_SAT);
        if (nan)
            r = from == TY_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
        else {
            mpfr_t low, high;
            mpfr_inits2(70, low, high, (mpfr_ptr)0);
            mpfr_rint(v, v, mpfr_mode(rnd));
            mpfr_set_si_2exp(low, is_signed(to) ? -1 : 0, bits - 1, MPFR_RNDN);
            mpfr_set_ui_2exp(high, 1, is_signed(to) ? bits - 1 : bits, MPFR_RNDN);
            mpfr_sub_ui(high, high, 1, MPFR_RNDN);
            if (clamp && mpfr_cmp(v, low) < 0) mpfr_set(v, low, MPFR_RNDN);
            if (clamp && mpfr_cmp(v, high) > 0) mpfr_set(v, high, MPFR_RNDN);
            r = mpfr_sgn(v) < 0 ? (uint64_t)mpfr_get_sj(v, MPFR_RNDN) : mpfr_get_uj(v, MPFR_RNDN);
            mpfr_clears(low, high, (mpfr_ptr)0);
        }
        int unused = 64 - bits;
        r = is_signed(to) ? (uint64_t)((int64_t)(r << unused) >> unused) : r << unused >> unused;
    } else {
        if (rnd >= M_RNI && rnd <= M_RPI && mpfr_number_p(v) && !mpfr_zero_p(v)) {
            bool below = mpfr_sgn(v) < 0;
            mpfr_rint(v, v, mpfr_mode(rnd));
            mpfr_setsign(v, v, below, MPFR_RNDN);
        }
        r = rounded(to, v, rnd);
        if (negative_zero) r = bits_of(to, -0.0);
        int at = to == TY_TF32 ? TY_F32 : to;
        uint64_t largest = bits_of(to, ldexp(2.0 - ldexp(1.0, -layout(to).mantissa), layout(to).bias)),
                 top = 1ull << (layout(at).bits - 1);
        if (ftz && to == TY_F32) r = flush(to, r);
        if (i->mod[G_SAT] == M_SATFINITE && !nan && isinf(number(at, r))) r = largest | (r & top);
        if (i->mod[G_SAT] == M_SAT) r = saturate(at, r);
        if (inst_has(i, G_RELU) && !nan && r & top) r = 0;
    }
    mpfr_clear(v);
    return r;
}

static int check_cvt(const Inst *i)
{
    ExecFn *fn = pick(&all_builds[build_count() - 1], i);
    if (!fn) return 0;
    int to = i->type, from = i->type2;
    bool pair = to == TY_F16X2 || to == TY_BF16X2;
    for (int round = 0; round < 4 * SCALE; round++)
        for (int regs = 0; regs < 6; regs++) {  // the width of the registers: the type's, or more
            uint32_t flags = flags_of(i);
            if (regs & 1) {
                if (is_float(from)) continue;
                flags |= D_SRC_LONG;
            }
            if (regs >> 1 && (is_float(to) || type_info[to].bits == 64)) continue;
            if (regs >> 1 == 1) flags |= D_DST_32;
            if (regs >> 1 == 2) flags |= D_LONG;
            Warp32 w;
            for (size_t k = 0; k < sizeof w.rows; k++) w.rows[k] = (uint8_t)any();
            for (int n = 0; n < LANES; n++)
                for (int k = 0; k < 2; k++) {
                    uint64_t x = is_float(from) ? any_float(from) : any_int();
                    if (is_float(from) && !is_float(to) && n & 1) {  // near the end of the type, or with a half
                        double d = ldexp(1.0, (int)(any() % (unsigned)(type_info[to].bits + 2))) +
                                   ((double)(any() % 9) - 4) / 2;
                        mpfr_t v;
                        mpfr_init2(v, 53);
                        mpfr_set_d(v, any() & 1 ? d : -d, MPFR_RNDN);
                        x = rounded(from, v, M_RN);
                        mpfr_clear(v);
                    }
                    put(&w, k, flags & D_SRC_LONG, n, x);
                }
            Warp32 before = w;
            uint32_t mask = round & 1 ? FULL : (uint32_t)any();
            run(fn, i, flags, &w, mask);
            for (int n = 0; n < LANES; n++) {
                bool wide = flags & D_LONG;
                uint64_t got = get(&w, 3, wide, n), want;
                int one_to = to == TY_F16X2 ? TY_F16 : to == TY_BF16X2 ? TY_BF16 : to;
                want = converted(i, one_to, get(&w, 0, flags & D_SRC_LONG, n));
                if (pair) want = want << 16 | converted(i, one_to, get(&w, 1, flags & D_SRC_LONG, n));
                if (!wide) want &= type_info[to].bits <= 16 && !(flags & D_DST_32) ? 0xffff : 0xffffffff;
                if (!(mask >> n & 1)) want = get(&before, 3, wide, n);
                if (got != want)
                    print_error("cvt.%s%s%s%s.%s.%s flags %x of %llx = %llx, not %llx\n",
                                inst_has(i, G_RND) ? mod_info[i->mod[G_RND]].name : "",
                                inst_has(i, G_FTZ) ? ".ftz" : "", inst_has(i, G_SAT) ? ".sat" : "",
                                inst_has(i, G_RELU) ? ".relu" : "", type_info[to].name, type_info[from].name, flags,
                                (unsigned long long)get(&w, 0, flags & D_SRC_LONG, n), (unsigned long long)got,
                                (unsigned long long)want);
                assert_true(got == want);
            }
        }
    return 1;
}

// Every pair of types with every modifier: 8 rounding modes and none, .ftz, .sat or .satfinite, .relu
static void every_cvt(int (*visit)(const Inst *), int *legal)
{
    for (int to = TY_U8; to <= TY_BF16X2; to++)
        for (int from = TY_U8; from <= TY_BF16X2; from++)
            for (int form = 0; form < 10 * 2 * 3 * 2; form++) {
                Inst i = {.op = OP_CVT,
                          .type = (uint8_t)to,
                          .type2 = (uint8_t)from,
                          .operands = to == TY_F16X2 || to == TY_BF16X2 ? 3 : 2};
                int rnd = form % 10, ftz = form / 10 % 2, sat = form / 20 % 3, relu = form / 60;
                i.mod[G_RND] = rnd ? (uint8_t)(M_RN + rnd - 1) : M_NONE;
                i.mod[G_FTZ] = ftz ? M_FTZ : M_NONE;
                i.mod[G_SAT] = sat ? (sat == 1 ? M_SAT : M_SATFINITE) : M_NONE;
                i.mod[G_RELU] = relu ? M_RELU : M_NONE;
                *legal += visit(&i);
            }
}
static void conversions(void **state)
{
    (void)state;
    int legal = 0;
    every_cvt(check_cvt, &legal);
    print_message("cvt: covered %d combinations\n", legal);
    assert_int_equal(legal, 968);
}

// f16 → f32 → f16 is the identity, and halfway values go to the even neighbour
static void all_halves(void **state)
{
    (void)state;
    for (int t = TY_F16; t <= TY_BF16; t++) {
        Inst up = {.op = OP_CVT, .type = TY_F32, .type2 = (uint8_t)t, .operands = 2},
             down = {.op = OP_CVT, .type = (uint8_t)t, .type2 = TY_F32, .operands = 2};
        down.mod[G_RND] = M_RN;
        for (uint32_t x = 0; x < 0x10000; x++) {
            uint64_t f = one(up, x, 0), infinity = bits_of(t, (double)INFINITY);
            if ((x & 0x7fff) > infinity) {
                assert_int_equal(f, 0x7fffffff);
                assert_int_equal(one(down, f, 0), 0x7fff);
                continue;
            }
            assert_int_equal(one(down, f, 0), x);
            if ((x & 0x7fff) >= infinity - 1) continue;
            double d = number(t, x), next = number(t, x + 1), middle = (d + next) / 2;
            uint64_t m = bits_of(TY_F32, middle);
            assert_int_equal(one(down, m, 0), x & 1 ? x + 1 : x);
            assert_int_equal(one(down, m + 1, 0), x + 1);
            assert_int_equal(one(down, m - 1, 0), x);
        }
    }
}

// --- the builds agree ------------------------------------------------------------------------------------------------
static int compared;
static uint64_t digest;  // of all results: what two compilers must agree on too
static int compare(const Inst *i)
{
    ExecFn *fn[3];
    for (int b = 0; b < build_count(); b++) {
        fn[b] = pick(&all_builds[b], i);
        assert_int_equal(!fn[b], !fn[0]);
    }
    if (!fn[0]) return 0;
    compared++;
    uint8_t from = i->op == OP_CVT ? i->type2 : i->type;
    bool pair = from == TY_F16X2 || from == TY_BF16X2, wide = type_info[from].bits == 64;
    uint32_t flags = flags_of(i);
    for (int round = 0; round < 10 * SCALE; round++) {
        Warp32 w = {0};
        for (int n = 0; n < LANES; n++) {
            for (int k = 0; k < 3; k++)
                put(&w, k, wide, n,
                    !is_float(from) ? any_int()
                    : round & 1     ? any()
                                    : any_float(from) | (pair ? any_float(from) << 16 : 0));
            put(&w, 3, true, n, any());
        }
        uint32_t mask = round & 2 ? FULL : (uint32_t)any();
        Warp32 first = w;
        run(fn[0], i, flags, &first, mask);
        for (int n = 0; n < LANES; n++) digest = (digest ^ get(&first, 3, true, n)) * 0x100000001b3ull;
        for (int b = 1; b < build_count(); b++) {
            Warp32 other = w;
            run(fn[b], i, flags, &other, mask);
            if (memcmp(&first, &other, sizeof w))
                print_error("%s.%s.%s: %s and %s differ\n", op_info[i->op].name, type_info[i->type].name,
                            type_info[from].name, all_builds[0].name, all_builds[b].name);
            assert_memory_equal(&first, &other, sizeof w);
        }
    }
    return 1;
}
static void builds_agree(void **state)
{
    (void)state;
    int legal = 0;
    every_cvt(compare, &legal);
    static const uint16_t ops[] = {OP_ADD,  OP_SUB,   OP_MUL, OP_MAD, OP_FMA,      OP_DIV,  OP_RCP,
                                   OP_SQRT, OP_RSQRT, OP_SIN, OP_COS, OP_LG2,      OP_EX2,  OP_TANH,
                                   OP_MIN,  OP_MAX,   OP_ABS, OP_NEG, OP_COPYSIGN, OP_TESTP};
    static const uint8_t types[] = {TY_F32, TY_F64, TY_F16, TY_BF16, TY_F16X2, TY_BF16X2, TY_F32X2};
    for (size_t o = 0; o < COUNT(ops); o++)
        for (size_t t = 0; t < COUNT(types); t++)
            for (int form = 0; form < 5 * 3 * 2 * 2 * 2 * 2 * 2; form++) {
                Inst i = {.op = ops[o], .type = types[t], .operands = 3};
                int rest = form, rnd = rest % 5, approx = (rest /= 5) % 3;
                rest /= 3;
                i.mod[G_RND] = rnd ? (uint8_t)(M_RN + rnd - 1) : M_NONE;
                i.mod[G_APPROX] = approx ? (approx == 1 ? M_APPROX : M_FULL) : M_NONE;
                if (rest & 1) i.mod[G_FTZ] = M_FTZ;
                if (rest & 2) i.mod[G_SAT] = M_SAT;
                if (rest & 4) i.mod[G_NAN] = M_NAN;
                if (rest & 8) i.mod[G_XORSIGN] = M_XORSIGN, i.mod[G_ABS] = M_ABS;
                if (rest & 16) i.mod[G_RELU] = M_RELU;
                if (i.op == OP_TESTP) i.mod[G_TESTP] = (uint8_t)(M_FINITE + form % 6);
                compare(&i);
            }
    if (SCALE > 1) print_message("%d forms compared, digest %016llx\n", compared, (unsigned long long)digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),          cmocka_unit_test(half_arithmetic), cmocka_unit_test(pairs_of_singles),
        cmocka_unit_test(three_sources),       cmocka_unit_test(selections),      cmocka_unit_test(approximations),
        cmocka_unit_test(half_approximations), cmocka_unit_test(special_forms),   cmocka_unit_test(conversions),
        cmocka_unit_test(all_halves),          cmocka_unit_test(builds_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
