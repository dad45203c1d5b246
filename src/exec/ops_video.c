// ops_video.c: video instructions (PTX ISA §9.7.17): on bytes, halves and words that selectors pick from the sources,
// with a clamp, and a second operation on a third source or a merge into it. `scalar`, `packed` and `mad` do every form
// as its Inst says, a lane at a time. A result keeps all of its bits until it is clamped, merged or has met the third
// source, as in the ISA's formulas; there they are 33, with which only vshl could differ. vabsdiff4, which programs do
// use, has loops that vectorise.
#include "exec/ops.h"
#include "ptx/ops.h"

static Type result_type(const Inst *i)  // the first of three types; what vset gives is unsigned
{
    if (!op_has(i->op, P_THREE)) return TY_U32;
    for (int k = 0; k < i->suffixes; k++)
        if (i->suffix[k] >= M_COUNT) return (Type)(i->suffix[k] - M_COUNT);
    return TY_NONE;
}

// The low bits of x as a number
static int64_t number(uint64_t x, int bits, bool is_signed)
{
    int unused = 64 - bits;
    return is_signed ? (int64_t)(x << unused) >> unused : (int64_t)(x << unused >> unused);
}

static int64_t clamp(int64_t x, int bits, bool is_signed)
{
    int64_t most = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1, least = is_signed ? -most - 1 : 0;
    return x > most ? most : x < least ? least : x;
}

static bool compares(uint8_t cmp, int64_t a, int64_t b)
{
    switch (cmp) {
    case M_EQ: return a == b;
    case M_NE: return a != b;
    case M_LT: return a < b;
    case M_LE: return a <= b;
    case M_GT: return a > b;
    default: return a >= b;
    }
}

static int64_t average(int64_t sum) { return (sum >= 0 ? sum + 1 : sum) >> 1; }

static int64_t shifted(const Inst *i, int64_t a, int64_t b)
{
    int by = (int)(i->mod[G_OVER] == M_WRAP ? b & 31 : b > 32 ? 32 : b);
    if (i->op == OP_VSHR) return a >> by;
    // What would leave no room for an addition keeps its sign, its being large, and its lower 32 bits.
    int64_t x = (int64_t)((uint64_t)a << by), large = 1ll << 62, low = x & 0xffffffff, high = a >> (62 - by);
    return high > 0 ? large | low : high < -1 ? low - large : x;
}

static int64_t operate(const Inst *i, int64_t a, int64_t b)
{
    switch (i->op) {
    case OP_VADD:
    case OP_VADD2:
    case OP_VADD4: return a + b;
    case OP_VSUB:
    case OP_VSUB2:
    case OP_VSUB4: return a - b;
    case OP_VABSDIFF:
    case OP_VABSDIFF2:
    case OP_VABSDIFF4: return a > b ? a - b : b - a;
    case OP_VMIN:
    case OP_VMIN2:
    case OP_VMIN4: return a < b ? a : b;
    case OP_VMAX:
    case OP_VMAX2:
    case OP_VMAX4: return a > b ? a : b;
    case OP_VAVRG2:
    case OP_VAVRG4: return average(a + b);
    case OP_VSHL:
    case OP_VSHR: return shifted(i, a, b);
    default: return compares(i->mod[G_CMP], a, b);
    }
}

// The part of a word that a selector of one digit names
static int part_bits(uint16_t select) { return !select ? 32 : select & SELECT_HALVES ? 16 : 8; }
static int64_t part(uint32_t x, uint16_t select, Type t)
{
    int bits = part_bits(select);
    return number(x >> bits * (select ? SELECT_DIGIT(select, 0) : 0), bits, ty_signed(t));
}

static uint32_t scalar_one(const Inst *i, uint32_t a, uint32_t b, uint32_t c)
{
    Type type = result_type(i);
    uint16_t into = i->opnd[0].select;
    int bits = part_bits(into);
    int64_t x = operate(i, part(a, i->opnd[1].select, i->type), part(b, i->opnd[2].select, i->type2)),
            third = number(c, 32, ty_signed(type));
    if (inst_has(i, G_SAT)) x = clamp(x, bits, ty_signed(type));
    switch (i->mod[G_ATOM]) {
    case M_A_ADD: return (uint32_t)(x + third);
    case M_A_MIN: return (uint32_t)(x < third ? x : third);
    case M_A_MAX: return (uint32_t)(x > third ? x : third);
    default: break;
    }
    if (!into) return (uint32_t)x;
    uint32_t place = (uint32_t)((1ull << bits) - 1) << bits * SELECT_DIGIT(into, 0);
    return (c & ~place) | ((uint32_t)x << bits * SELECT_DIGIT(into, 0) & place);
}

// vop2, vop4: n elements, each picked from both sources side by side; those outside the mask are c's.
static uint32_t packed_one(const Inst *i, int n, uint32_t a, uint32_t b, uint32_t c)
{
    int bits = 32 / n;
    uint64_t both = (uint64_t)b << 32 | a;
    uint16_t mask = i->opnd[0].select, sa = i->opnd[1].select, sb = i->opnd[2].select;
    bool is_signed = ty_signed(result_type(i)), adds = i->mod[G_ATOM] == M_A_ADD;
    uint32_t d = c;
    for (int k = 0; k < n; k++) {
        bool in = !mask;
        for (int m = 0; m < SELECT_COUNT(mask); m++) in |= SELECT_DIGIT(mask, m) == k;
        if (!in) continue;
        int from_a = sa ? SELECT_DIGIT(sa, k) : k, from_b = sb ? SELECT_DIGIT(sb, k) : n + k;
        int64_t x = operate(i, number(both >> bits * from_a, bits, ty_signed(i->type)),
                            number(both >> bits * from_b, bits, ty_signed(i->type2)));
        if (inst_has(i, G_SAT)) x = clamp(x, bits, is_signed);
        uint32_t place = ((1u << bits) - 1) << bits * k;
        d = adds ? d + (uint32_t)x : (d & ~place) | ((uint32_t)x << bits * k & place);
    }
    return d;
}

// vmad: a·b + c in 128 bits, where one of the product and c may be negated, and .po adds one
static uint32_t mad_one(const Inst *i, uint32_t a, uint32_t b, uint32_t c)
{
    const Operand *o = i->opnd;
    bool minus = o[1].minus != o[2].minus, is_signed = ty_signed(i->type) || ty_signed(i->type2) || minus || o[3].minus;
    __int128 product = (__int128)part(a, o[1].select, i->type) * part(b, o[2].select, i->type2),
             third = number(c, 32, is_signed);
    __int128 x = (minus ? -product : product) + (o[3].minus ? -third : third) + inst_has(i, G_PLUS);
    int64_t r = (int64_t)(x >> (i->mod[G_SCALE] == M_SHR7 ? 7 : i->mod[G_SCALE] == M_SHR15 ? 15 : 0));
    return (uint32_t)(inst_has(i, G_SAT) ? clamp(r, 32, is_signed) : r);
}

#define VIDEO(name, expr)                                                          \
    static void name(Lanes *l, const Dinst *i, uint32_t mask)                      \
    {                                                                              \
        const uint32_t *ra = row(l, i->a), *rb = row(l, i->b), *rc = row(l, i->c); \
        const Inst *in = i->inst;                                                  \
        uint32_t *d = row(l, i->dst);                                              \
        for (int n = 0; n < LANES; n++)                                            \
            if (mask >> n & 1) d[n] = (expr);                                      \
    }
VIDEO(scalar, scalar_one(in, ra[n], rb[n], in->operands > 3 ? rc[n] : 0))
VIDEO(packed_2, packed_one(in, 2, ra[n], rb[n], rc[n]))
VIDEO(packed_4, packed_one(in, 4, ra[n], rb[n], rc[n]))
VIDEO(mad, mad_one(in, ra[n], rb[n], rc[n]))

// --- vabsdiff4 without selectors, in loops ---------------------------------------------------------------------------
static inline int32_t byte_of(uint32_t x, int k, bool s) { return s ? (int8_t)(x >> 8 * k) : (uint8_t)(x >> 8 * k); }
// With accumulation: c + Σ |a_k − b_k|
static inline uint32_t absdiff4(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb)
{
    for (int k = 0; k < 4; k++) {
        int32_t d = byte_of(a, k, sa) - byte_of(b, k, sb);
        c += (uint32_t)(d < 0 ? -d : d);
    }
    return c;
}
TERNARY(vabsdiff4_uu, uint32_t, uint32_t, absdiff4(a, b, c, false, false))
TERNARY(vabsdiff4_us, uint32_t, uint32_t, absdiff4(a, b, c, false, true))
TERNARY(vabsdiff4_su, uint32_t, uint32_t, absdiff4(a, b, c, true, false))
TERNARY(vabsdiff4_ss, uint32_t, uint32_t, absdiff4(a, b, c, true, true))
// Without: the four differences side by side, cut to a byte, or clamped to the result's type by .sat
static inline uint32_t differences(uint32_t a, uint32_t b, bool sa, bool sb, int32_t most)
{
    uint32_t r = 0;
    for (int k = 0; k < 4; k++) {
        int32_t d = byte_of(a, k, sa) - byte_of(b, k, sb);
        d = d < 0 ? -d : d;
        r |= (uint32_t)((d > most ? most : d) & 0xff) << 8 * k;
    }
    return r;
}
static void vabsdiff4(Lanes *l, const Dinst *i, uint32_t mask)
{
    const uint32_t *ra = row(l, i->a), *rb = row(l, i->b);
    bool sa = ty_signed(i->type), sb = ty_signed(i->type2);
    int32_t most = !inst_has(i->inst, G_SAT) ? INT32_MAX : ty_signed(result_type(i->inst)) ? INT8_MAX : UINT8_MAX;
    STORE_LANES(uint32_t, uint32_t, , differences(ra[n], rb[n], sa, sb, most))
}

#define PICK_PAIR(name, t1, t2) \
    (ty_signed(t1) ? (ty_signed(t2) ? name##_ss : name##_su) : ty_signed(t2) ? name##_us : name##_uu)

ExecFn *OPS_NAME(pick_video)(const Inst *i)
{
    if (i->op == OP_VMAD) return mad;
    if (i->op <= OP_VSET) return scalar;
    bool selects = i->opnd[0].select || i->opnd[1].select || i->opnd[2].select;
    if (i->op == OP_VABSDIFF4 && !selects)
        return inst_has(i, G_ATOM) ? PICK_PAIR(vabsdiff4, i->type, i->type2) : vabsdiff4;
    return i->op <= OP_VSET2 ? packed_2 : packed_4;
}
