// ops_compare.c: setp and set (PTX ISA §9.3, §9.7.6.1–2). A comparison gives a mask of lanes; setp combines it with a
// predicate and writes one or two, set writes all ones or 1.0. Ordered float comparisons are false when an operand is
// NaN, unordered ones (.equ …) true.
#include "exec/ops.h"
#include "ptx/ops.h"

#define CMP_MASK(name, S, T, expr)                                              \
    static uint32_t name(const Lanes *l, const Dinst *i)                        \
    {                                                                           \
        const S *ra = row(l, i->a), *rb = row(l, i->b);                         \
        LANE_MASK(out, T a = (T)ra[n]; T b = (T)rb[n]; (void)a; (void)b;, expr) \
        return out;                                                             \
    }

// What setp and set make of a mask: c is the predicate operand, mod the combination.
static inline uint32_t combine(const Lanes *l, const Dinst *i, uint32_t t)
{
    switch (i->mod) {
    case M_AND: return t & get_pred(l, i);
    case M_OR: return t | get_pred(l, i);
    case M_XOR: return t ^ get_pred(l, i);
    default: return t;
    }
}
// What set gives where the comparison holds
static inline uint32_t truth(uint8_t t)
{
    switch (t) {
    case TY_F32: return 0x3f800000;
    case TY_F16: return 0x3c00;
    case TY_BF16: return 0x3f80;
    case TY_U16:
    case TY_S16: return 0xffff;
    default: return FULL;
    }
}
#define BOTH(name)                                                                   \
    static void setp_##name(Lanes *l, const Dinst *i, uint32_t mask)                 \
    {                                                                                \
        uint32_t t = mask_##name(l, i), p = combine(l, i, t), q = combine(l, i, ~t); \
        put_pred(l, i->pdst, p, mask);                                               \
        put_pred(l, i->pdst2, q, mask);                                              \
    }                                                                                \
    static void set_##name(Lanes *l, const Dinst *i, uint32_t mask)                  \
    {                                                                                \
        uint32_t p = combine(l, i, mask_##name(l, i)), one = truth(i->type);         \
        STORE_LANES(uint32_t, uint32_t, , p >> n & 1 ? one : 0)                      \
    }
#define CMP(name, S, T, expr) CMP_MASK(mask_##name, S, T, expr) BOTH(name)

#define INT_TYPE(ty, S, T)     \
    CMP(eq_##ty, S, T, a == b) \
    CMP(ne_##ty, S, T, a != b) \
    CMP(lt_##ty, S, T, a < b)  \
    CMP(le_##ty, S, T, a <= b) \
    CMP(gt_##ty, S, T, a > b)  \
    CMP(ge_##ty, S, T, a >= b)
INT_TYPE(u16, uint32_t, uint16_t)
INT_TYPE(s16, uint32_t, int16_t)
INT_TYPE(u32, uint32_t, uint32_t)
INT_TYPE(s32, uint32_t, int32_t)
INT_TYPE(u64, uint64_t, uint64_t)
INT_TYPE(s64, uint64_t, int64_t)

// Floats: value turns the stored bits into something that compares.
// clang-format off
#define FLOAT_TYPE(ty, S, F, value)                                                            \
    CMP_MASK(mask_eq_##ty, S, S, (F)value(a) == (F)value(b)) BOTH(eq_##ty)                     \
    CMP_MASK(mask_ne_##ty, S, S, value(a) < value(b) || value(a) > value(b)) BOTH(ne_##ty)     \
    CMP_MASK(mask_lt_##ty, S, S, value(a) < value(b)) BOTH(lt_##ty)                            \
    CMP_MASK(mask_le_##ty, S, S, value(a) <= value(b)) BOTH(le_##ty)                           \
    CMP_MASK(mask_gt_##ty, S, S, value(a) > value(b)) BOTH(gt_##ty)                            \
    CMP_MASK(mask_ge_##ty, S, S, value(a) >= value(b)) BOTH(ge_##ty)                           \
    CMP_MASK(mask_equ_##ty, S, S, !(value(a) < value(b) || value(a) > value(b))) BOTH(equ_##ty) \
    CMP_MASK(mask_neu_##ty, S, S, !(value(a) == value(b))) BOTH(neu_##ty)                      \
    CMP_MASK(mask_ltu_##ty, S, S, !(value(a) >= value(b))) BOTH(ltu_##ty)                      \
    CMP_MASK(mask_leu_##ty, S, S, !(value(a) > value(b))) BOTH(leu_##ty)                       \
    CMP_MASK(mask_gtu_##ty, S, S, !(value(a) <= value(b))) BOTH(gtu_##ty)                      \
    CMP_MASK(mask_geu_##ty, S, S, !(value(a) < value(b))) BOTH(geu_##ty)                       \
    CMP_MASK(mask_num_##ty, S, S, value(a) == value(a) && value(b) == value(b)) BOTH(num_##ty) \
    CMP_MASK(mask_nan_##ty, S, S, value(a) != value(a) || value(b) != value(b)) BOTH(nan_##ty)
// clang-format on
static inline float flushed(uint32_t x) { return as_f32(flush32(x)); }
static inline float of_half(uint32_t x) { return as_f32(half_to_f32(x)); }
static inline float flushed_half(uint32_t x) { return of_half(x & 0x7c00 ? x : x & 0x8000); }
static inline float of_bf16(uint32_t x) { return as_f32(x << 16); }
FLOAT_TYPE(f32, uint32_t, float, as_f32)
FLOAT_TYPE(ftz, uint32_t, float, flushed)
FLOAT_TYPE(f64, uint64_t, double, as_f64)
FLOAT_TYPE(f16, uint32_t, float, of_half)
FLOAT_TYPE(ftz16, uint32_t, float, flushed_half)
FLOAT_TYPE(bf16, uint32_t, float, of_bf16)

typedef enum Cmp { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NANS } Cmp;

static ExecFn *pick_int_cmp(int cmp, Type t, bool p)
{
#define ROW6(ty)                                                                                   \
    {                                                                                              \
        ExecFn *const f[2][6] = {                                                                  \
            {set_eq_##ty, set_ne_##ty, set_lt_##ty, set_le_##ty, set_gt_##ty, set_ge_##ty},        \
            {setp_eq_##ty, setp_ne_##ty, setp_lt_##ty, setp_le_##ty, setp_gt_##ty, setp_ge_##ty}}; \
        return cmp <= GE ? f[p][cmp] : NULL;                                                       \
    }
    switch (t) {
    case TY_B16:
    case TY_U16: ROW6(u16)
    case TY_S16: ROW6(s16)
    case TY_B32:
    case TY_U32: ROW6(u32)
    case TY_S32: ROW6(s32)
    case TY_B64:
    case TY_U64: ROW6(u64)
    case TY_S64: ROW6(s64)
    default: return NULL;
    }
}

static ExecFn *pick_float_cmp(int cmp, Type t, bool ftz, bool p)
{
#define ROW14(ty)                                                                                                      \
    {                                                                                                                  \
        ExecFn *const f[2][14] = {{set_eq_##ty, set_ne_##ty, set_lt_##ty, set_le_##ty, set_gt_##ty, set_ge_##ty,       \
                                   set_equ_##ty, set_neu_##ty, set_ltu_##ty, set_leu_##ty, set_gtu_##ty, set_geu_##ty, \
                                   set_num_##ty, set_nan_##ty},                                                        \
                                  {setp_eq_##ty, setp_ne_##ty, setp_lt_##ty, setp_le_##ty, setp_gt_##ty, setp_ge_##ty, \
                                   setp_equ_##ty, setp_neu_##ty, setp_ltu_##ty, setp_leu_##ty, setp_gtu_##ty,          \
                                   setp_geu_##ty, setp_num_##ty, setp_nan_##ty}};                                      \
        return f[p][cmp];                                                                                              \
    }
    switch (t) {
    case TY_F32:
        if (ftz) ROW14(ftz)
        ROW14(f32)
    case TY_F64: ROW14(f64)
    case TY_F16:
        if (ftz) ROW14(ftz16)
        ROW14(f16)
    case TY_BF16: ROW14(bf16)
    default: return NULL;
    }
}

static int comparison(const Inst *i)  // -1: none
{
    switch (i->mod[G_CMP]) {
    case M_EQ: return EQ;
    case M_NE: return NE;
    case M_LT:
    case M_CLO: return LT;
    case M_LE:
    case M_CLS: return LE;
    case M_GT:
    case M_CHI: return GT;
    case M_GE:
    case M_CHS: return GE;
    case M_EQU: return EQU;
    case M_NEU: return NEU;
    case M_LTU: return LTU;
    case M_LEU: return LEU;
    case M_GTU: return GTU;
    case M_GEU: return GEU;
    case M_NUM: return NUM;
    case M_CNAN: return NANS;
    default: return -1;
    }
}

// f16x2 and bf16x2 (§9.7.7): each half is compared as its type; setp writes one predicate for each, set one half.
typedef uint32_t MaskFn(const Lanes *l, const Dinst *i);
#define MASKS14(ty)                                                                                                 \
    {                                                                                                               \
        mask_eq_##ty, mask_ne_##ty, mask_lt_##ty, mask_le_##ty, mask_gt_##ty, mask_ge_##ty, mask_equ_##ty,          \
            mask_neu_##ty, mask_ltu_##ty, mask_leu_##ty, mask_gtu_##ty, mask_geu_##ty, mask_num_##ty, mask_nan_##ty \
    }
static void pair_masks(const Lanes *l, const Dinst *i, uint32_t t[2])
{
    static MaskFn *const masks[3][14] = {MASKS14(f16), MASKS14(ftz16), MASKS14(bf16)};
    bool f16 = (i->op == OP_SETP ? i->type : i->type2) == TY_F16X2;
    MaskFn *compare = masks[!f16 ? 2 : inst_has(i->inst, G_FTZ)][comparison(i->inst)];
    const uint32_t *ra = row(l, i->a), *rb = row(l, i->b);
    _Alignas(64) uint32_t half[2][LANES];
    Lanes apart = {.bank = {(uint8_t *)half, NULL}};
    Dinst d = {.a = 0, .b = ROW_BYTES};
    for (int h = 0; h < 2; h++) {
        LANE_LOOP half[0][n] = ra[n] >> 16 * h & 0xffff;
        LANE_LOOP half[1][n] = rb[n] >> 16 * h & 0xffff;
        t[h] = combine(l, i, compare(&apart, &d));
    }
}
static void setp_pair(Lanes *l, const Dinst *i, uint32_t mask)
{
    uint32_t t[2];
    pair_masks(l, i, t);
    put_pred(l, i->pdst, t[0], mask);
    put_pred(l, i->pdst2, t[1], mask);
}
static void set_pair(Lanes *l, const Dinst *i, uint32_t mask)
{
    uint32_t t[2], one = i->type == TY_F16X2 ? 0x3c00 : i->type == TY_BF16X2 ? 0x3f80 : 0xffff;
    pair_masks(l, i, t);
    STORE_LANES(uint32_t, uint32_t, , (t[0] >> n & 1 ? one : 0) | (t[1] >> n & 1 ? one << 16 : 0))
}

// The results that set has for a type of operands
static bool set_gives(Type d, Type t)
{
    if (d == TY_U32 || d == TY_S32) return true;
    switch (t) {
    case TY_F16: return d == TY_F16 || d == TY_BF16 || d == TY_U16 || d == TY_S16;
    case TY_BF16: return d == TY_BF16 || d == TY_U16 || d == TY_S16;
    case TY_F16X2:
    case TY_BF16X2: return d == t;
    default: return d == TY_F32 || d == TY_F16 || d == TY_BF16;
    }
}

ExecFn *OPS_NAME(pick_compare)(const Inst *i)
{
    if (i->op != OP_SETP && i->op != OP_SET) return NULL;
    bool p = i->op == OP_SETP, ftz = inst_has(i, G_FTZ);
    Type t = p ? i->type : i->type2;
    bool is_float = type_info[t].kind == K_FLOAT, half = t == TY_F16 || t == TY_BF16;
    bool pair = t == TY_F16X2 || t == TY_BF16X2;
    int cmp = comparison(i);
    if (cmp < 0 || (!p && !set_gives(i->type, t))) return NULL;
    if (ftz && ((t != TY_F32 && t != TY_F16 && t != TY_F16X2) || i->type == TY_BF16)) return NULL;
    if (inst_has(i, G_BOOL) != (i->operands == 4)) return NULL;
    if (p && half && i->opnd[0].kind == O_PAIR) return NULL;  // one predicate only
    // Bits are equal or not; .lo, .ls, .hi and .hs are for unsigned integers.
    bool lohi = i->mod[G_CMP] == M_CLO || i->mod[G_CMP] == M_CLS || i->mod[G_CMP] == M_CHI || i->mod[G_CMP] == M_CHS;
    if ((type_info[t].kind == K_BITS && cmp > NE) || (lohi && type_info[t].kind != K_UINT)) return NULL;
    if (pair) return p ? setp_pair : set_pair;
    return is_float ? pick_float_cmp(cmp, t, ftz, p) : pick_int_cmp(cmp, t, p);
}
