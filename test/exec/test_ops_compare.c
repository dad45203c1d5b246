// setp and set (PTX ISA §9.3.1, §9.7.6.1–2, §9.7.7.1–2): all comparisons of all types, against a reference that takes
// the operands apart. Where the implementation compares floats, this compares signs, exponents and fractions.
#include "check.h"
#include "ptx/ops.h"

#include "exec/ops_test.h"

#include <string.h>

static Census census;

// --- what a comparison gives -----------------------------------------------------------------------------------------
typedef enum Order { BEFORE, SAME, AFTER, UNORDERED } Order;

static int exponent_bits(Type t) { return t == TY_F16 ? 5 : t == TY_F64 ? 11 : 8; }

static Order compare_floats(uint64_t a, uint64_t b, Type t, bool ftz)
{
    int bits = type_info[t].bits, fraction_bits = bits - 1 - exponent_bits(t);
    uint64_t v[2] = {a, b}, magnitude[2];
    bool negative[2];
    for (int k = 0; k < 2; k++) {
        uint64_t exponent = low_bits(v[k] >> fraction_bits, exponent_bits(t)), fraction = low_bits(v[k], fraction_bits);
        negative[k] = v[k] >> (bits - 1) & 1;
        if (exponent == (1ull << exponent_bits(t)) - 1 && fraction) return UNORDERED;
        if (ftz && !exponent) fraction = 0;
        magnitude[k] = exponent << fraction_bits | fraction;
    }
    if (!magnitude[0] && !magnitude[1]) return SAME;
    if (negative[0] != negative[1]) return negative[0] ? BEFORE : AFTER;
    if (magnitude[0] == magnitude[1]) return SAME;
    return (magnitude[0] < magnitude[1]) != negative[0] ? BEFORE : AFTER;
}

static Order compare_ints(uint64_t a, uint64_t b, Type t)
{
    int bits = type_info[t].bits;
    for (int k = bits - 1; k >= 0; k--) {
        bool x = a >> k & 1, y = b >> k & 1;
        if (x == y) continue;
        bool sign = k == bits - 1 && type_info[t].kind == K_SINT;
        return x != sign ? AFTER : BEFORE;
    }
    return SAME;
}

// §9.3.1, tables of comparison operators: on integers, floats, and floats where NaN counts as true
static bool holds(uint8_t op, Order o)
{
    switch (op) {
    case M_EQ: return o == SAME;
    case M_NE: return o == BEFORE || o == AFTER;
    case M_LT:
    case M_CLO: return o == BEFORE;
    case M_LE:
    case M_CLS: return o == BEFORE || o == SAME;
    case M_GT:
    case M_CHI: return o == AFTER;
    case M_GE:
    case M_CHS: return o == AFTER || o == SAME;
    case M_EQU: return o == SAME || o == UNORDERED;
    case M_NEU: return o != SAME;
    case M_LTU: return o == BEFORE || o == UNORDERED;
    case M_LEU: return o != AFTER;
    case M_GTU: return o == AFTER || o == UNORDERED;
    case M_GEU: return o != BEFORE;
    case M_NUM: return o != UNORDERED;
    default: return o == UNORDERED;  // .nan
    }
}
static bool combined(const Form *f, bool t, bool c)
{
    switch (f->mod[G_BOOL]) {
    case M_AND: return t && c;
    case M_OR: return t || c;
    case M_XOR: return t != c;
    default: return t;
    }
}

static Type compared(const Form *f) { return f->op == OP_SET ? f->type2 : f->type; }

static bool is_pair(Type t) { return t == TY_F16X2 || t == TY_BF16X2; }

static void reference(const Form *f, const In *in, Out *out)
{
    Type t = compared(f);
    uint64_t yes = UINT64_MAX;
    if (f->type == TY_F32) yes = 0x3f800000;
    if (f->type == TY_F16 || f->type == TY_F16X2) yes = 0x3c00;
    if (f->type == TY_BF16 || f->type == TY_BF16X2) yes = 0x3f80;
    if (is_pair(t)) {  // p and the low half of d from the low halves, q and the high half from the high ones
        Type half = t == TY_F16X2 ? TY_F16 : TY_BF16;
        Order low = compare_floats(in->x[0] & 0xffff, in->x[1] & 0xffff, half, form_has(f, G_FTZ));
        Order high = compare_floats(in->x[0] >> 16, in->x[1] >> 16, half, form_has(f, G_FTZ));
        out->p = combined(f, holds(f->mod[G_CMP], low), in->q);
        out->q = combined(f, holds(f->mod[G_CMP], high), in->q);
        out->d = (out->p ? yes & 0xffff : 0) + (out->q ? (yes & 0xffff) << 16 : 0);
        return;
    }
    Order o = type_info[t].kind == K_FLOAT ? compare_floats(in->x[0], in->x[1], t, form_has(f, G_FTZ))
                                           : compare_ints(in->x[0], in->x[1], t);
    bool result = holds(f->mod[G_CMP], o);
    out->p = combined(f, result, in->q);
    out->q = combined(f, !result, in->q);
    out->d = out->p ? yes : 0;
}

// --- which forms there are -------------------------------------------------------------------------------------------
#define ORDERED_INTS (T(U16) | T(S16) | T(U32) | T(S32) | T(U64) | T(S64))
static bool legal_comparison(const Form *f, Type t)
{
    if (!form_only(f, G(CMP) | G(BOOL) | G(FTZ)) || !form_has(f, G_CMP)) return false;
    if (form_has(f, G_FTZ) && t != TY_F32 && t != TY_F16 && t != TY_F16X2) return false;
    switch (f->mod[G_CMP]) {
    case M_EQ:
    case M_NE: return (T_BIT | ORDERED_INTS | T_FLT | T_HALF) >> t & 1;
    case M_LT:
    case M_LE:
    case M_GT:
    case M_GE: return (ORDERED_INTS | T_FLT | T_HALF) >> t & 1;
    case M_CLO:
    case M_CLS:
    case M_CHI:
    case M_CHS: return (T(U16) | T(U32) | T(U64)) >> t & 1;
    default: return (T_FLT | T_HALF) >> t & 1;
    }
}
static bool legal_setp(const Form *f) { return legal_comparison(f, f->type); }
// §9.7.6.1 and, with halves on one side or both, §9.7.7.1
static bool legal_set(const Form *f)
{
    if (!legal_comparison(f, f->type2)) return false;
    uint64_t d = 1ull << f->type, words = T(U32) | T(S32);
    if (f->type == TY_BF16 && form_has(f, G_FTZ)) return false;
    switch (f->type2) {
    case TY_F16: return d & (words | T(U16) | T(S16) | T(F16) | T(BF16));
    case TY_BF16: return d & (words | T(U16) | T(S16) | T(BF16));
    case TY_F16X2: return d & (words | T(F16X2));
    case TY_BF16X2: return d & (words | T(BF16X2));
    default: return d & (words | T(F32) | T(F16) | T(BF16));
    }
}

static const Rule rules[] = {
    {OP_SETP, "Paaq", legal_setp, NULL, reference},
    {OP_SET, "dbbq", legal_set, NULL, reference},
};

static void forms(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(rules); k++) rule_census(&census, &rules[k], 0);
}

// What the number of operands decides
static void operands(void **state)
{
    (void)state;
    static const char *const right[] = {"setp.eq.u32 %p, %a, %b;",         "setp.eq.u32 %p|%q, %a, %b;",
                                        "setp.eq.u32 _|%q, %a, %b;",       "setp.eq.u32 %p|_, %a, %b;",
                                        "setp.lt.and.s32 %p, %a, %b, %s;", "setp.lt.xor.s32 %p|%q, %a, %b, !%s;",
                                        "setp.lt.or.s32 %p|%q, %a, %b, 1;"};
    static const char *const wrong[] = {"setp.eq.and.u32 %p, %a, %b;",   "setp.eq.u32 %p, %a, %b, %s;",
                                        "set.eq.or.u32.u32 %d, %a, %b;", "set.eq.u32.u32 %d, %a, %b, %s;",
                                        "setp.u32 %p, %a, %b;",          "setp.eq.u32 !%p, %a, %b;",
                                        "setp.eq.u32 %p, %a, !%b;"};
    for (size_t k = 0; k < COUNT(right) + COUNT(wrong); k++) {
        const char *inst = k < COUNT(right) ? right[k] : wrong[k - COUNT(right)];
        Opened o;
        Text t = {0};
        text_printf(&t, ".reg .b32 %%a, %%b, %%d;\n.reg .pred %%p, %%q, %%s;\n%s", inst);
        if ((ptx_open(&o, 90, false, "", t.v) == ACCEPTED) != (k < COUNT(right)))
            print_error("%s is %s\n", inst, k < COUNT(right) ? "refused" : "accepted"), census.wrong++;
        text_free(&t);
        ptx_close(&o);
    }
}

static void nothing_lost(void **state)
{
    (void)state;
    census_print("comparisons", &census, build_count());
    text_free(&census.missing_text);
    assert_int_equal(census.wrong, 0);
    assert_true(census.tested >= 3984);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(operands),
                                       cmocka_unit_test(nothing_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
