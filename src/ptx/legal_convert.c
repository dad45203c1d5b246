// legal_convert.c: which conversions are legal (PTX ISA §9.7.9.21, §9.7.9.22), and which forms of video instructions
// (§9.7.17).
#include "ptx/legal.h"

// --- conversions (§9.7.9.21) -----------------------------------------------------------------------------------------
// .sat needs a source that may lie outside of an integer type's range.
static bool may_saturate(const TypeInfo *to, const TypeInfo *from)
{
    if (from->kind == K_FLOAT) return true;
    if (to->kind == from->kind) return to->bits < from->bits;
    return to->kind == K_UINT || to->bits <= from->bits;
}

// A pair of powers of two, which .ue8m0x2 holds: from two .f32 or from .bf16x2, and to the latter.
static bool converts_scales(const Legal *c, Type d, Type s)
{
    Mod r = (Mod)c->i->mod[G_RND];
    bool from = d == TY_UE8M0X2, good = from ? s == TY_F32 || s == TY_BF16X2 : d == TY_BF16X2;
    if (!since(c, "type .ue8m0x2", 86, 100)) return false;
    if (!good || c->i->operands != (s == TY_F32 ? 3 : 2))
        return fail(c, c->i->at, "'cvt' with .ue8m0x2 is from two .f32 or one .bf16x2, or to .bf16x2");
    return needs(c, r, from ? ".rz or .rp" : ".rn") && only(c, G_RND, from ? r == M_RZ || r == M_RP : r == M_RN) &&
           only(c, G_SAT, from && c->i->mod[G_SAT] == M_SATFINITE) && only(c, G_RELU, false) && only(c, G_FTZ, false);
}

// Pairs: from two .f32, the first being the upper half; those of eight bits from and to .f16x2 as well.
static bool converts_pairs(const Legal *c, Type d, Type s)
{
    if (d == TY_UE8M0X2 || s == TY_UE8M0X2) return converts_scales(c, d, s);
    bool eights = T_F8X2 >> d & 1, of_eights = T_F8X2 >> s & 1;
    const char *to = type_info[d].name, *from = type_info[s].name;
    bool good = of_eights ? d == TY_F16X2 : s == TY_F16X2 ? eights : s == TY_F32;
    if (!good) return fail(c, c->i->at, "there is no 'cvt' from .%s to .%s", from, to);
    int operands = s == TY_F32 ? 3 : 2;
    if (c->i->operands != operands)
        return wrong(c, c->i->at, "'cvt' from .%s to .%s takes %d operands", from, to, operands);
    Mod r = (Mod)c->i->mod[G_RND];
    if (!needs(c, r, "a rounding mode such as .rn") ||
        !only(c, G_RND, r == M_RN || (r == M_RZ && !eights && !of_eights)))
        return false;
    if (!only(c, G_SAT, c->i->mod[G_SAT] == M_SATFINITE && !of_eights) ||
        !needs(c, has(c, G_SAT) || !eights, ".satfinite to .e4m3x2 and .e5m2x2"))
        return false;
    return only(c, G_FTZ, false);
}

static bool conversion(const Legal *c)
{
    const Inst *i = c->i;
    Type d = (Type)i->type, s = (Type)i->type2;
    const TypeInfo *to = &type_info[d], *from = &type_info[s];
    bool to_float = to->kind == K_FLOAT, from_float = from->kind == K_FLOAT;
    uint64_t pairs = T(F16X2) | T(BF16X2) | T_F8X2;
    if (pairs >> d & 1 || pairs >> s & 1) return converts_pairs(c, d, s);
    Mod r = (Mod)i->mod[G_RND];
    bool plain = r >= M_RN && r <= M_RP, integral = r >= M_RNI && r <= M_RPI;
    if ((s == TY_BF16 && to->bits == 8) || (d == TY_BF16 && from->bits == 8))
        return fail(c, i->at, "there is no 'cvt' from .%s to .%s", from->name, to->name);
    if (i->operands != 2) return wrong(c, i->at, "'cvt' to .%s takes 2 operands", to->name);
    bool half = to_float && to->bits < 32;
    if (d == TY_TF32 && s != TY_F32) return fail(c, i->at, "'cvt' to .%s is from .f32", to->name);
    // Between the 16-bit types rounding is to nearest unless it is written; to wider ones than .bf16 there is nothing
    // to round.
    bool free = (d == TY_BF16 && s == TY_F16) || (s == TY_BF16 && to_float && d != s);
    bool narrows = to_float && (!from_float || to->bits < from->bits || d == TY_TF32);
    if (free) {
        if (!only(c, G_RND, plain)) return false;
    } else if (narrows) {
        if (!needs(c, r, "a rounding mode such as .rn")) return false;
        if (!only(c, G_RND, plain || (r == M_RNA && d == TY_TF32))) return false;
        if (d == TY_TF32 && !only(c, G_RND, r == M_RN || r == M_RZ || r == M_RNA)) return false;
    } else if (from_float && !to_float) {
        if (!needs(c, r, "a rounding mode such as .rzi") || !only(c, G_RND, integral)) return false;
    } else if (!only(c, G_RND, d == s && to_float && integral)) {
        return false;
    }
    bool narrow = s == TY_F32 && (half || d == TY_TF32), finite = i->mod[G_SAT] == M_SATFINITE;
    if (!only(c, G_FTZ, (d == TY_F32 || s == TY_F32) && d != TY_TF32 && !finite && !has(c, G_RELU))) return false;
    if (!only(c, G_RELU, narrow && (plain && r <= M_RZ))) return false;
    if (finite && d == TY_TF32 && r != M_RNA && c->m->sm < 100)
        return wrong(c, mod_at(c, G_SAT), ".satfinite to .tf32 with .%s needs .target sm_100", mod_info[r].name);
    if (!finite && !apart(c, G_SAT, G_RELU)) return false;
    if (finite) return only(c, G_SAT, narrow && (r <= M_RZ || r == M_RNA));
    return only(c, G_SAT, d != TY_TF32 && d != TY_BF16 && s != TY_BF16 && (to_float || may_saturate(to, from)));
}

static bool cvt_pack(const Legal *c)
{
    const Inst *i = c->i;
    bool third = false, half = type_info[i->type].bits == 16;
    for (int k = 0; k < i->suffixes; k++) third |= i->suffix[k] == M_COUNT + TY_B32;
    if (!needs(c, i->mod[G_SAT] == M_SAT, ".sat") ||
        !needs(c, third != half, half ? "two types" : "three types, the last one .b32"))
        return false;
    return i->operands == 3 + third ||
           wrong(c, i->at, "'cvt.pack' to .%s takes %d operands", type_info[i->type].name, 3 + third);
}

LegalRule *const legal_convert[OP_COUNT] = {
    [OP_CVT] = conversion,
    [OP_CVT_PACK] = cvt_pack,
};

// --- video (§9.7.17) -------------------------------------------------------------------------------------------------
// A selector of count digits, each below most; descending: each smaller than the one before.
static bool selector(const Legal *c, int n, bool halves, int count, int most, bool descending)
{
    const Operand *o = &c->i->opnd[n];
    if (!o->select) return true;
    int digits = SELECT_COUNT(o->select);
    bool good = !(o->select & SELECT_HALVES) == !halves && (count ? digits == count : digits <= most);
    for (int k = 0; k < digits; k++)
        good &= SELECT_DIGIT(o->select, k) < most &&
                (!descending || !k || SELECT_DIGIT(o->select, k) > SELECT_DIGIT(o->select, k - 1));
    return good || wrong(c, o->at, "operand %d of '%s' can't have this selector", n + 1, name(c));
}

bool legal_video(const Legal *c)
{
    const Inst *i = c->i;
    bool set = i->op == OP_VSET || i->op == OP_VSET2 || i->op == OP_VSET4, shift = i->op == OP_VSHL || i->op == OP_VSHR;
    int parts = i->op <= OP_VSET ? 1 : i->op <= OP_VSET2 ? 2 : 4;
    Mod op = (Mod)i->mod[G_ATOM];
    if (!only(c, G_SAT, i->mod[G_SAT] == M_SAT) ||
        !needs(c, !set || (has(c, G_CMP) && i->mod[G_CMP] <= M_GE), "a comparison such as .lt"))
        return false;
    if (!needs(c, !shift || has(c, G_OVER), ".clamp or .wrap")) return false;
    if (shift && i->type2 != TY_U32) return fail(c, i->at, "the amount of '%s' is .u32", name(c));
    if (!only(c, G_ATOM, op == M_A_ADD || (parts == 1 && (op == M_A_MIN || op == M_A_MAX))) ||
        (parts > 1 && !apart(c, G_SAT, G_ATOM)))
        return false;
    bool merges = i->operands && i->opnd[0].select;
    for (int n = 0; n < i->operands && n < 4; n++) {
        const Operand *o = &i->opnd[n];
        if (n == 3 && o->select) return wrong(c, o->at, "operand 4 of '%s' can't have a selector", name(c));
        if (o->minus && (i->op != OP_VMAD || !n || has(c, G_PLUS)))
            return wrong(c, o->at, "operand %d of '%s' can't have a sign", n + 1, name(c));
        if (parts == 1 && o->select &&
            !selector(c, n, o->select & SELECT_HALVES, 1, o->select & SELECT_HALVES ? 2 : 4, false))
            return false;
        if (parts > 1 && !selector(c, n, parts == 2, n ? parts : 0, n ? 2 * parts : parts, !n)) return false;
    }
    if (i->op == OP_VMAD) {
        if (merges) return wrong(c, i->opnd[0].at, "operand 1 of 'vmad' can't have a selector");
        bool good = i->operands != 4 || i->opnd[1].minus == i->opnd[2].minus || !i->opnd[3].minus;
        return good ||
               wrong(c, i->opnd[3].at, "'vmad' takes the negative of the product or of what is added, not of both");
    }
    if (parts > 1) return true;
    if (merges && has(c, G_ATOM))
        return wrong(c, mod_at(c, G_ATOM), "'%s' has a second operation or merges into part of a register, not both",
                     name(c));
    return i->operands == 3 + (merges || has(c, G_ATOM)) ||
           wrong(c, i->at, "'%s' takes a fourth operand with a second operation or when it merges", name(c));
}
