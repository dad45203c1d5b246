// ops_compare.c: setp and set (PTX ISA §9.3, §9.7.6.1–2). A comparison gives a mask of lanes; setp combines it with a
// predicate and writes one or two, set writes all ones or 1.0. Ordered float comparisons are false when an operand is
// NaN, unordered ones (.equ …) true.
#include "exec/ops.h"

#define CMP_MASK(name, S, T, expr)                                               \
    static uint32_t name(const Lanes *l, const Dinst *i)                         \
    {                                                                            \
        const S *ra = row(l, i->a), *rb = row(l, i->b);                          \
        LANE_MASK(out, T a = (T)ra[n]; T b = (T)rb[n]; (void)a; (void)b;, expr)  \
        return out;                                                              \
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
#define BOTH(name)                                                                  \
    static void setp_##name(Lanes *l, const Dinst *i, uint32_t mask)                \
    {                                                                               \
        uint32_t t = mask_##name(l, i), p = combine(l, i, t), q = combine(l, i, ~t); \
        put_pred(l, i->pdst, p, mask);                                              \
        put_pred(l, i->pdst2, q, mask);                                             \
    }                                                                               \
    static void set_##name(Lanes *l, const Dinst *i, uint32_t mask)                 \
    {                                                                               \
        uint32_t p = combine(l, i, mask_##name(l, i)), one = (uint32_t)i->imm;      \
        STORE_LANES(uint32_t, uint32_t, , p >> n & 1 ? one : 0)                     \
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
#define ROW6(ty)                                                                                            \
    {                                                                                                       \
        ExecFn *const f[2][6] = {{set_eq_##ty, set_ne_##ty, set_lt_##ty, set_le_##ty, set_gt_##ty, set_ge_##ty}, \
                                 {setp_eq_##ty, setp_ne_##ty, setp_lt_##ty, setp_le_##ty, setp_gt_##ty, setp_ge_##ty}}; \
        return cmp <= GE ? f[p][cmp] : NULL;                                                                \
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
#define ROW14(ty)                                                                                                     \
    {                                                                                                                 \
        ExecFn *const f[2][14] = {{set_eq_##ty, set_ne_##ty, set_lt_##ty, set_le_##ty, set_gt_##ty, set_ge_##ty,      \
                                   set_equ_##ty, set_neu_##ty, set_ltu_##ty, set_leu_##ty, set_gtu_##ty, set_geu_##ty, \
                                   set_num_##ty, set_nan_##ty},                                                       \
                                  {setp_eq_##ty, setp_ne_##ty, setp_lt_##ty, setp_le_##ty, setp_gt_##ty, setp_ge_##ty, \
                                   setp_equ_##ty, setp_neu_##ty, setp_ltu_##ty, setp_leu_##ty, setp_gtu_##ty,         \
                                   setp_geu_##ty, setp_num_##ty, setp_nan_##ty}};                                     \
        return f[p][cmp];                                                                                             \
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

ExecFn *OPS_NAME(pick_compare)(const Inst *i)
{
    if (i->op != OP_SETP && i->op != OP_SET) return NULL;
    bool p = i->op == OP_SETP, ftz = inst_has(i, G_FTZ);
    Type t = p ? i->type : i->type2;
    bool is_float = type_info[t].kind == K_FLOAT, half = t == TY_F16 || t == TY_BF16;
    if (!p && i->type != TY_U32 && i->type != TY_S32 && (i->type != TY_F32 || half)) return NULL;
    if (ftz && t != TY_F32 && t != TY_F16) return NULL;
    if (inst_has(i, G_BOOL) != (i->operands == 4)) return NULL;
    if (p && half && i->opnd[0].kind == O_PAIR) return NULL;  // one predicate only
    int cmp;
    switch (i->mod[G_CMP]) {
    case M_EQ: cmp = EQ; break;
    case M_NE: cmp = NE; break;
    case M_LT: case M_CLO: cmp = LT; break;
    case M_LE: case M_CLS: cmp = LE; break;
    case M_GT: case M_CHI: cmp = GT; break;
    case M_GE: case M_CHS: cmp = GE; break;
    case M_EQU: cmp = EQU; break;
    case M_NEU: cmp = NEU; break;
    case M_LTU: cmp = LTU; break;
    case M_LEU: cmp = LEU; break;
    case M_GTU: cmp = GTU; break;
    case M_GEU: cmp = GEU; break;
    case M_NUM: cmp = NUM; break;
    case M_CNAN: cmp = NANS; break;
    default: return NULL;
    }
    // Bits are equal or not; .lo, .ls, .hi and .hs are for unsigned integers.
    bool lohi = i->mod[G_CMP] == M_CLO || i->mod[G_CMP] == M_CLS || i->mod[G_CMP] == M_CHI || i->mod[G_CMP] == M_CHS;
    if ((type_info[t].kind == K_BITS && cmp > NE) || (lohi && type_info[t].kind != K_UINT)) return NULL;
    return is_float ? pick_float_cmp(cmp, t, ftz, p) : pick_int_cmp(cmp, t, p);
}
