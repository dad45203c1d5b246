// ops_logic.c: logic, shifts, moves and selections (PTX ISA §9.7.6.3–4, §9.7.8, §9.7.9.3, §9.7.9.7). Values are bits
// here; the width alone matters. Predicates as operands are coded as 2 · number + negated.
#include "exec/ops.h"
#include "ptx/ops.h"

#define BITS_2(name, expr)                      \
    BINARY(name##_16, uint32_t, uint16_t, expr) \
    BINARY(name##_32, uint32_t, uint32_t, expr) \
    BINARY(name##_64, uint64_t, uint64_t, expr)
#define BITS_1(name, expr)                     \
    UNARY(name##_16, uint32_t, uint16_t, expr) \
    UNARY(name##_32, uint32_t, uint32_t, expr) \
    UNARY(name##_64, uint64_t, uint64_t, expr)
#define PICK_BITS(name, bits) \
    ((bits) == 64 ? name##_64 : (bits) == 32 ? name##_32 : (bits) <= 16 ? name##_16 : (ExecFn *)NULL)

BITS_2(and, a &b)
BITS_2(or, a | b)
BITS_2(xor, a ^ b)
BITS_1(not, ~a)
BITS_1(cnot, a == 0)
BITS_1(mov, a)

static uint32_t pred_of(const Lanes *l, uint32_t coded)
{
    return coded & 1 ? ~l->pred[coded >> 1] : l->pred[coded >> 1];
}
#define PRED_OP(name, expr)                                   \
    static void name(Lanes *l, const Dinst *i, uint32_t mask) \
    {                                                         \
        uint32_t a = pred_of(l, i->a), b = pred_of(l, i->b);  \
        (void)b;                                              \
        put_pred(l, i->pdst, expr, mask);                     \
    }
PRED_OP(and_pred, a &b)
PRED_OP(or_pred, a | b)
PRED_OP(xor_pred, a ^ b)
PRED_OP(not_pred, ~a)
PRED_OP(mov_pred, a)

// Shifts clamp: by the width or more, shl and shr.u give 0 and shr.s the sign. The amount is 32-bit for every type.
#define SHIFT(name, S, T, expr) MAP2(name, S, T, S, T, uint32_t, uint32_t, expr)
SHIFT(shl_16, uint32_t, uint16_t, b < 16 ? (uint32_t)a << b : 0)
SHIFT(shl_32, uint32_t, uint32_t, b < 32 ? a << (b & 31) : 0)
SHIFT(shl_64, uint64_t, uint64_t, b < 64 ? a << (b & 63) : 0)
SHIFT(shr_u16, uint32_t, uint16_t, b < 16 ? a >> b : 0)
SHIFT(shr_u32, uint32_t, uint32_t, b < 32 ? a >> (b & 31) : 0)
SHIFT(shr_u64, uint64_t, uint64_t, b < 64 ? a >> (b & 63) : 0)
MAP2(shr_s16, uint32_t, uint16_t, uint32_t, int16_t, uint32_t, uint32_t, a >> (b < 15 ? b : 15))
SHIFT(shr_s32, uint32_t, int32_t, a >> (b < 31 ? b : 31))
SHIFT(shr_s64, uint64_t, int64_t, a >> (b < 63 ? b : 63))

// shf: the 64 bits {b, a}, b the upper half; .l gives the upper 32 bits after shifting left, .r the lower after right
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)((((uint64_t)b << 32 | a) << (c & 63)) >> 32);
}
static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> (c & 63));
}
TERNARY(shf_lc, uint32_t, uint32_t, funnel_left(a, b, c < 32 ? c : 32))
TERNARY(shf_lw, uint32_t, uint32_t, funnel_left(a, b, c & 31))
TERNARY(shf_rc, uint32_t, uint32_t, funnel_right(a, b, c < 32 ? c : 32))
TERNARY(shf_rw, uint32_t, uint32_t, funnel_right(a, b, c & 31))

// lop3: imm is the truth table; bit (4a + 2b + c) of it is the result for those input bits. With .and or .or a
// predicate is combined with whether any bit of the result is set.
static inline uint32_t look_up(const uint32_t t[8], uint32_t a, uint32_t b, uint32_t c)
{
    return (~a & ~b & ~c & t[0]) | (~a & ~b & c & t[1]) | (~a & b & ~c & t[2]) | (~a & b & c & t[3]) |
           (a & ~b & ~c & t[4]) | (a & ~b & c & t[5]) | (a & b & ~c & t[6]) | (a & b & c & t[7]);
}
static void lop3(Lanes *l, const Dinst *i, uint32_t mask)
{
    const uint32_t *ra = row(l, i->a), *rb = row(l, i->b), *rc = row(l, i->c);
    uint32_t t[8];
    for (int k = 0; k < 8; k++) t[k] = i->imm >> k & 1 ? ~0u : 0;
    if (i->mod) {
        LANE_MASK(any, , look_up(t, ra[n], rb[n], rc[n]) != 0)
        put_pred(l, i->pdst, i->mod == M_AND ? any & get_pred(l, i) : any | get_pred(l, i), mask);
    }
    STORE_LANES(uint32_t, uint32_t, uint32_t a = ra[n]; uint32_t b = rb[n]; uint32_t c = rc[n];, look_up(t, a, b, c))
}

// prmt (§9.7.9.7): four bytes picked from {b, a}; bit 3 of a selector replicates the byte's sign
static inline uint32_t pick_byte(uint64_t ba, uint32_t s)
{
    uint32_t byte = (uint32_t)(ba >> 8 * (s & 7)) & 0xff;
    return s & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t ba = (uint64_t)b << 32 | a;
    return pick_byte(ba, c) | pick_byte(ba, c >> 4) << 8 | pick_byte(ba, c >> 8) << 16 | pick_byte(ba, c >> 12) << 24;
}
TERNARY(prmt, uint32_t, uint32_t, permute(a, b, c))
// The selectors of prmt's modes, by the low two bits of c
static inline uint32_t permute_mode(uint32_t a, uint32_t b, uint32_t c, int mode)
{
    static const uint16_t table[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
        {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
        {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
        {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
        {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
        {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
    };
    return permute(a, b, table[mode][c & 3]);
}
TERNARY(prmt_f4e, uint32_t, uint32_t, permute_mode(a, b, c, 0))
TERNARY(prmt_b4e, uint32_t, uint32_t, permute_mode(a, b, c, 1))
TERNARY(prmt_rc8, uint32_t, uint32_t, permute_mode(a, b, c, 2))
TERNARY(prmt_ecl, uint32_t, uint32_t, permute_mode(a, b, c, 3))
TERNARY(prmt_ecr, uint32_t, uint32_t, permute_mode(a, b, c, 4))
TERNARY(prmt_rc16, uint32_t, uint32_t, permute_mode(a, b, c, 5))

#define SELP(name, S)                                                    \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)            \
    {                                                                    \
        const S *ra = row(l, i->a), *rb = row(l, i->b);                  \
        uint32_t p = get_pred(l, i);                                     \
        STORE_LANES(S, S, S a = ra[n]; S b = rb[n];, p >> n & 1 ? a : b) \
    }
SELP(selp_32, uint32_t)
SELP(selp_64, uint64_t)

// slct: a where c ≥ 0 (−0 included), else b; NaN selects b
#define SLCT(name, S, test)                                                              \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)                            \
    {                                                                                    \
        const S *ra = row(l, i->a), *rb = row(l, i->b);                                  \
        const uint32_t *rc = row(l, i->c);                                               \
        STORE_LANES(S, S, S a = ra[n]; S b = rb[n]; uint32_t c = rc[n];, (test) ? a : b) \
    }
SLCT(slct_s_32, uint32_t, (int32_t)c >= 0)
SLCT(slct_s_64, uint64_t, (int32_t)c >= 0)
SLCT(slct_f_32, uint32_t, as_f32(c) >= 0)
SLCT(slct_f_64, uint64_t, as_f32(c) >= 0)
SLCT(slct_ftz_32, uint32_t, as_f32(flush32(c)) >= 0)
SLCT(slct_ftz_64, uint64_t, as_f32(flush32(c)) >= 0)

// mov.b64 d, {a, b} and its kind: vector[] holds the elements' rows, vec their number, bytes the size of one
static void pack(Lanes *l, const Dinst *i, uint32_t mask)
{
    uint64_t v[LANES] = {0};
    for (int e = 0; e < i->vec; e++) {
        const uint32_t *r32 = row(l, i->vector[e]);
        const uint64_t *r64 = row(l, i->vector[e]);
        for (int n = 0; n < LANES; n++) {
            uint64_t x = i->bytes == 8 ? r64[n] : r32[n];
            if (i->bytes < 8) x &= (1ull << 8 * i->bytes) - 1;
            v[n] |= x << 8 * i->bytes * e;
        }
    }
    uint32_t *d32 = row(l, i->dst);
    uint64_t *d64 = row(l, i->dst);
    for (int n = 0; n < LANES; n++) {
        if (!(mask >> n & 1)) continue;
        if (i->flags & D_LONG)
            d64[n] = v[n];
        else
            d32[n] = (uint32_t)v[n];
    }
}

// The same with .b128, whose halves are at vector[4] and vector[5]; and a plain one, from vector[2] and [3] to [0] and
// [1]
static void pack_128(Lanes *l, const Dinst *i, uint32_t mask)
{
    for (int h = 0; h < 2; h++) {
        Dinst half = {.dst = i->vector[4 + h], .bytes = i->bytes, .vec = (uint8_t)(i->vec / 2), .flags = D_LONG};
        memcpy(half.vector, i->vector + h * half.vec, sizeof *half.vector * half.vec);
        pack(l, &half, mask);
    }
}
static void mov_128(Lanes *l, const Dinst *i, uint32_t mask)
{
    for (int h = 0; h < 2; h++) {
        Dinst half = {.dst = i->vector[h], .a = i->vector[2 + h]};
        mov_64(l, &half, mask);
    }
}

static void unpack(Lanes *l, const Dinst *i, uint32_t mask)
{
    const uint32_t *a32 = row(l, i->a);
    const uint64_t *a64 = row(l, i->a);
    uint64_t v[LANES];
    for (int n = 0; n < LANES; n++) v[n] = i->flags & D_SRC_LONG ? a64[n] : a32[n];
    for (int e = 0; e < i->vec; e++) {
        uint32_t *d = row(l, i->vector[e]);
        for (int n = 0; n < LANES; n++) {
            uint64_t x = v[n] >> 8 * i->bytes * e;
            if (mask >> n & 1) d[n] = (uint32_t)(i->bytes == 4 ? x : x & ((1ull << 8 * i->bytes) - 1));
        }
    }
}

static void unpack_128(Lanes *l, const Dinst *i, uint32_t mask)
{
    for (int h = 0; h < 2; h++) {
        Dinst half = {.dst = i->vector[h], .a = i->vector[4 + h], .bytes = 4, .vec = 2, .flags = D_SRC_LONG};
        memcpy(half.vector, i->vector + 2 * h, sizeof *half.vector * 2);
        if (i->bytes == 8)
            mov_64(l, &half, mask);
        else
            unpack(l, &half, mask);
    }
}

// cvta and isspacep: a window's base is imm. It is 0 for cvta of global memory, whose addresses are generic addresses.
// Global is what lies in no window of const, local or shared memory; that of kernel parameters is part of it
// (§6.4.1.1). The window of const is the module's bank, of `target` bytes.
UNARY(cvta_from, uint64_t, uint64_t, a + i->imm)
UNARY(cvta_to, uint64_t, uint64_t, a - i->imm)
_Static_assert(LOCAL_WINDOW == SHARED_WINDOW + WINDOW_BYTES, "side by side");
static void is_window(Lanes *l, const Dinst *i, uint32_t mask)
{
    const uint64_t *ra = row(l, i->a);
    LANE_MASK(in, , ra[n] - i->imm < WINDOW_BYTES)
    put_pred(l, i->pdst, in, mask);
}
static void is_const(Lanes *l, const Dinst *i, uint32_t mask)
{
    const uint64_t *ra = row(l, i->a);
    LANE_MASK(in, , ra[n] - i->imm < i->target)
    put_pred(l, i->pdst, in, mask);
}
static void is_global(Lanes *l, const Dinst *i, uint32_t mask)
{
    const uint64_t *ra = row(l, i->a);
    LANE_MASK(in, , (ra[n] - SHARED_WINDOW < 2 * WINDOW_BYTES) | (ra[n] - i->imm < i->target))
    put_pred(l, i->pdst, ~in, mask);
}
static ExecFn *pick_isspacep(Space s) { return s == SP_GLOBAL ? is_global : s == SP_CONST ? is_const : is_window; }

ExecFn *OPS_NAME(pick_logic)(const Inst *i)
{
    int bits = ty_bits(i->type);
    bool pred = i->type == TY_PRED;
    switch (i->op) {
    case OP_AND: return pred ? and_pred : PICK_BITS(and, bits);
    case OP_OR: return pred ? or_pred : PICK_BITS(or, bits);
    case OP_XOR: return pred ? xor_pred : PICK_BITS(xor, bits);
    case OP_NOT: return pred ? not_pred : PICK_BITS(not, bits);
    case OP_CNOT: return PICK_BITS(cnot, bits);
    case OP_SHL: return PICK_BITS(shl, bits);
    case OP_SHR:
        if (bits < 16) return NULL;
        return ty_signed(i->type) ? (bits == 64   ? shr_s64
                                     : bits == 32 ? shr_s32
                                                  : shr_s16)
               : bits == 64       ? shr_u64
               : bits == 32       ? shr_u32
                                  : shr_u16;
    case OP_SHF:
        if (i->mod[G_DIR] == M_LEFT) return i->mod[G_OVER] == M_WRAP ? shf_lw : shf_lc;
        return i->mod[G_OVER] == M_WRAP ? shf_rw : shf_rc;
    case OP_LOP3: return lop3;
    case OP_PRMT:
        switch (i->mod[G_PRMT]) {
        case M_F4E: return prmt_f4e;
        case M_B4E: return prmt_b4e;
        case M_RC8: return prmt_rc8;
        case M_ECL: return prmt_ecl;
        case M_ECR: return prmt_ecr;
        case M_RC16: return prmt_rc16;
        default: return prmt;
        }
    case OP_SELP:
        if (bits < 16 || (type_info[i->type].kind == K_FLOAT && i->type != TY_F32 && i->type != TY_F64)) return NULL;
        return bits == 64 ? selp_64 : selp_32;
    case OP_SLCT:
        if (i->type2 == TY_S32) return inst_has(i, G_FTZ) ? NULL : bits == 64 ? slct_s_64 : slct_s_32;
        if (inst_has(i, G_FTZ)) return bits == 64 ? slct_ftz_64 : slct_ftz_32;
        return bits == 64 ? slct_f_64 : slct_f_32;
    case OP_MOV:
        if (i->opnd[0].kind == O_VEC) return bits == 128 ? unpack_128 : unpack;
        if (i->opnd[1].kind == O_VEC) return bits == 128 ? pack_128 : pack;
        if (bits == 128) return mov_128;
        return pred ? mov_pred : PICK_BITS(mov, bits);
    case OP_POLICY_FRACTION:
    case OP_POLICY_RANGE:
    case OP_POLICY_CVT: return mov_64;
    case OP_CVTA:
    case OP_ISSPACEP:
        if (!inst_has(i, G_SPACE) || i->mod[G_SPACE] == M_PARAM_FUNC) return NULL;
        return i->op == OP_ISSPACEP ? pick_isspacep(i->space) : inst_has(i, G_TO) ? cvta_to : cvta_from;
    default: return NULL;
    }
}
