// legal.c: which modifiers an operation must have, and which go together and with which types (PTX ISA §9.7, as ptxas
// of CUDA 13 reads it). ops.def says what an operation can take at all; check.c, which asks here, has sorted that out.
#include "ptx/parse.h"

#include <string.h>

#define HALF (T(F16) | T(F16X2))
#define BRAIN (T(BF16) | T(BF16X2))
#define INT32_64 (T(U32) | T(S32) | T(U64) | T(S64))

typedef struct Legal {
    const Module *m;
    const Inst *i;
    Diag *diag;
} Legal;

static size_t mod_at(const Legal *c, Group g)
{
    for (int k = 0; k < c->i->suffixes; k++)
        if (c->i->suffix[k] == c->i->mod[g]) return suffix_at(c->m, c->i, k);
    return c->i->at;
}

static bool tell(const Legal *c, bool form, size_t at, const char *format, ...) __attribute__((format(printf, 4, 5)));
static bool tell(const Legal *c, bool form, size_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_vat(c->diag, &c->m->source, at, NULL, format, args);
    va_end(args);
    c->diag->unsupported |= form;
    return false;
}
#define fail(c, ...) tell(c, true, __VA_ARGS__)    // a form that isn't known, so that it isn't implemented
#define wrong(c, ...) tell(c, false, __VA_ARGS__)  // one that is: its operands are wrong, or the module is too old

static bool has(const Legal *c, Group g) { return c->i->mod[g] != M_NONE; }
static const char *name(const Legal *c) { return op_info[c->i->op].name; }

static bool needs(const Legal *c, bool good, const char *what)
{
    return good || fail(c, c->i->at, "'%s' needs %s", name(c), what);
}

// The modifier of group g, if there is one, goes with types only.
static bool only_types(const Legal *c, Group g, uint64_t types)
{
    if (!has(c, g) || types >> c->i->type & 1) return true;
    return fail(c, mod_at(c, g), "modifier .%s of '%s' doesn't go with type .%s", mod_info[c->i->mod[g]].name, name(c),
                type_info[c->i->type].name);
}

static bool only(const Legal *c, Group g, bool good)
{
    return !has(c, g) || good ||
           fail(c, mod_at(c, g), "modifier .%s doesn't apply to this form of '%s'", mod_info[c->i->mod[g]].name,
                name(c));
}

static bool apart(const Legal *c, Group a, Group b)
{
    if (!has(c, a) || !has(c, b)) return true;
    return fail(c, mod_at(c, b), "modifiers .%s and .%s of '%s' exclude each other", mod_info[c->i->mod[a]].name,
                mod_info[c->i->mod[b]].name, name(c));
}

// d|p, of which d alone may be thrown away
static bool gives_predicate(const Legal *c)
{
    const Operand *o = c->i->opnd;
    if (c->i->operands && o->kind == O_PAIR && o->items[1].kind == O_REG) return true;
    return wrong(c, c->i->operands ? o->at : c->i->at, "'%s' gives a pair, whose second is a predicate", name(c));
}

// A form that came later: with which version of the ISA, and with which architecture.
static bool since(const Legal *c, const char *what, int version, int sm)
{
    if (c->m->version_major * 10 + c->m->version_minor < version)
        return wrong(c, c->i->at, "%s needs .version %d.%d", what, version / 10, version % 10);
    return c->m->sm >= sm || wrong(c, c->i->at, "%s needs .target sm_%d", what, sm);
}

// Is the target one architecture, or one family, alone (sm_90a, sm_100f)?
static bool is_special(const Module *m)
{
    char last = m->target[3 + strspn(m->target + 3, "0123456789")];
    return last == 'a' || last == 'f';
}

static bool is(const Legal *c, Group g, Mod a, Mod b) { return c->i->mod[g] == a || c->i->mod[g] == b; }

// .rn, .rz, .rm, .rp, of which half-precision types take .rn alone
static bool rounding(const Legal *c)
{
    bool plain = c->i->mod[G_RND] <= M_RP;
    uint64_t all = T_FLT | T(F32X2);
    return only_types(c, G_RND, all | HALF | BRAIN) &&
           only(c, G_RND, plain && (all >> c->i->type & 1 || c->i->mod[G_RND] == M_RN));
}

static bool float_modifiers(const Legal *c)
{
    if (c->i->type == TY_F32X2 && !since(c, "type .f32x2", 86, 100)) return false;
    return rounding(c) && only_types(c, G_FTZ, T(F32) | T(F32X2) | HALF) && only(c, G_SAT, c->i->mod[G_SAT] == M_SAT);
}

static bool products(const Legal *c)
{
    bool integer = T_INT >> c->i->type & 1, wide = c->i->mod[G_MUL] == M_WIDE;
    return needs(c, !integer || has(c, G_MUL), ".lo, .hi or .wide") && only_types(c, G_MUL, T_INT) &&
           only(c, G_MUL, !wide || type_info[c->i->type].bits < 64);
}

// A comparison that operands of type t have (§9.3).
static bool comparison(const Legal *c, Type t)
{
    Mod m = (Mod)c->i->mod[G_CMP];
    if (!needs(c, has(c, G_CMP), "a comparison")) return false;
    Kind kind = type_info[t].kind;
    bool good = m == M_EQ || m == M_NE || (kind != K_BITS && m <= M_GE) ||
                (kind == K_UINT && m >= M_CLO && m <= M_CHS) || (kind == K_FLOAT && m >= M_EQU);
    if (!good)
        return fail(c, mod_at(c, G_CMP), "comparison .%s of '%s' doesn't go with type .%s", mod_info[m].name, name(c),
                    type_info[t].name);
    bool flush = has(c, G_FTZ) && t != TY_F32 && t != TY_F16 && t != TY_F16X2;
    return only(c, G_FTZ, !flush) && only(c, G_BOOL, c->i->operands == 4) &&
           needs(c, c->i->operands < 4 || has(c, G_BOOL), ".and, .or or .xor");
}

// --- memory ----------------------------------------------------------------------------------------------------------
static bool ordering(const Legal *c)
{
    const Inst *i = c->i;
    Mod sem = (Mod)i->mod[G_SEM];
    bool load = i->op == OP_LD, atomic = i->op == OP_ATOM || i->op == OP_RED,
         acquires = sem == M_ACQUIRE || sem == M_ACQ_REL;
    bool ordered = sem == M_RELAXED || acquires || sem == M_RELEASE;
    bool fits = atomic
                    ? ordered && !(acquires && i->op == OP_RED)
                    : sem == M_WEAK || sem == M_VOLATILE || sem == M_RELAXED || sem == (load ? M_ACQUIRE : M_RELEASE);
    bool shared = i->space == SP_GENERIC || i->space == SP_GLOBAL || i->space == SP_SHARED;
    if (!only(c, G_MMIO, sem == M_RELAXED && i->mod[G_SCOPE] == M_SYS && shared && i->space != SP_SHARED)) return false;
    if (!only(c, G_SEM, fits && (shared || sem == M_WEAK || (sem == M_VOLATILE && i->space != SP_PARAM)))) return false;
    if (!only(c, G_SCOPE, i->mod[G_SCOPE] != M_GL && (atomic || ordered))) return false;
    return needs(c, atomic || !ordered || has(c, G_SCOPE), "a scope such as .gpu");
}

static bool caching(const Legal *c)
{
    const Inst *i = c->i;
    bool load = i->op == OP_LD, global = i->space == SP_GLOBAL || i->space == SP_GENERIC;
    Mod cache = (Mod)i->mod[G_CACHE];
    bool fits = load ? cache <= M_CV : cache == M_CG || cache == M_CS || cache >= M_WB;
    bool weak = !has(c, G_SEM) || i->mod[G_SEM] == M_WEAK;
    if (!only(c, G_CACHE, fits && weak) || !apart(c, G_CACHE, G_EVICT)) return false;
    if (!only(c, G_NC, i->space == SP_GLOBAL && weak && cache != M_LU && cache != M_CV)) return false;
    bool wide = i->vec * type_info[i->type].bits == 256;
    return only(c, G_EVICT, global && i->mod[G_SEM] != M_VOLATILE) && only(c, G_EVICT2, global && wide) &&
           only(c, G_HINT, global) && only(c, G_PREFETCH, global);
}

static bool vectors(const Legal *c)
{
    const Inst *i = c->i;
    int bits = i->vec * type_info[i->type].bits;
    bool wide =
        bits == 256 && i->type != TY_B128 && i->op != OP_LDU && (i->space == SP_GLOBAL || i->space == SP_GENERIC);
    if (has(c, G_VEC) && wide && c->m->sm < 100)
        return wrong(c, mod_at(c, G_VEC), "vectors of 32 bytes need .target sm_100");
    return only(c, G_VEC, (bits <= 128 && i->vec < 8) || wide);
}

// Vectors of atomics are of .f32, which is added, and of halves; they lie in global memory (§9.7.13.5, §9.7.13.7).
static bool atomic_vectors(const Legal *c)
{
    const Inst *i = c->i;
    if (!has(c, G_VEC)) return true;
    if (!since(c, "a vector of atomics", 81, 90)) return false;
    Mod op = (Mod)i->mod[G_ATOM];
    uint64_t types = op == M_A_ADD ? T(F32) | HALF | BRAIN : op == M_A_MIN || op == M_A_MAX ? HALF | BRAIN : 0;
    return only_types(c, G_VEC, types) && only(c, G_VEC, i->space != SP_SHARED && vectors(c));
}

static bool atomics(const Legal *c)
{
    const Inst *i = c->i;
    if (!needs(c, has(c, G_ATOM), "an operation such as .add") || !ordering(c)) return false;
    if (i->space != SP_GENERIC && i->space != SP_GLOBAL && i->space != SP_SHARED)
        return fail(c, mod_at(c, G_SPACE), "'%s' works on global and shared memory, not on .%s", name(c),
                    space_names[i->space]);
    const TypeInfo *t = &type_info[i->type];
    Mod op = (Mod)i->mod[G_ATOM];
    uint64_t types = 0;
    switch (op) {
    case M_A_AND:
    case M_A_OR:
    case M_A_XOR: types = T(B32) | T(B64); break;
    case M_A_EXCH: types = i->op == OP_ATOM ? T(B32) | T(B64) | T(B128) : 0; break;
    case M_A_CAS: types = i->op == OP_ATOM ? T_BIT | T(B128) : 0; break;
    case M_A_INC:
    case M_A_DEC: types = T(U32); break;
    case M_A_ADD: types = T(U32) | T(S32) | T(U64) | T_FLT | HALF | BRAIN; break;
    case M_A_MIN:
    case M_A_MAX: types = has(c, G_VEC) ? HALF | BRAIN : INT32_64; break;
    default: return fail(c, mod_at(c, G_ATOM), "modifier .%s does not apply to '%s' here", mod_info[op].name, name(c));
    }
    if (!only_types(c, G_ATOM, types) || !atomic_vectors(c)) return false;
    bool half = t->kind == K_FLOAT && i->type != TY_F32 && i->type != TY_F64;
    if (!only(c, G_NOFTZ, half) || !needs(c, !half || has(c, G_NOFTZ), ".noftz for half-precision types")) return false;
    int values = i->operands - (i->op == OP_ATOM) - 1 - has(c, G_HINT);
    if (values != (op == M_A_CAS ? 2 : 1))
        return wrong(c, i->at, "'%s.%s' takes %s", name(c), mod_info[op].name,
                     op == M_A_CAS ? "a comparison and a value" : "one value");
    return only(c, G_HINT, i->space != SP_SHARED);
}

static bool copies(const Legal *c)
{
    const Inst *i = c->i;
    int spaces = 0, good = 0;
    for (int k = 0; k < i->suffixes; k++) {
        Mod m = i->suffix[k] < M_COUNT ? (Mod)i->suffix[k] : M_NONE;
        if (mod_info[m].group != G_SPACE) continue;
        good += spaces++ ? m == M_GLOBAL : m == M_SHARED || m == M_SHARED_CTA;
    }
    if (spaces != 2 || good != 2) return fail(c, i->at, "'cp.async' copies .shared.global");
    if (!needs(c, has(c, G_CACHE), ".ca or .cg") || !only(c, G_CACHE, is(c, G_CACHE, M_CA, M_CG))) return false;
    uint64_t n = i->operands > 2 && i->opnd[2].kind == O_IMM ? i->opnd[2].imm : 0;
    bool fits = n == 16 || (i->mod[G_CACHE] == M_CA && (n == 4 || n == 8));
    return fits || i->operands < 3 ||
           wrong(c, i->opnd[2].at,
                 i->mod[G_CACHE] == M_CA ? "cp.async.ca copies 4, 8 or 16 bytes" : "cp.async.cg copies 16 bytes");
}

// --- what says how memory is used, and changes nothing of what is in it ----------------------------------------------
static bool hints(const Legal *c)
{
    const Inst *i = c->i;
    switch (i->op) {
    case OP_POLICY_CVT: return needs(c, i->mod[G_LEVEL] == M_L2, ".L2");
    case OP_POLICY_FRACTION:
    case OP_POLICY_RANGE:
        return needs(c, has(c, G_POLICY), "a priority such as .L2::evict_last") &&
               only(c, G_SPACE, i->space == SP_GLOBAL);
    case OP_DISCARD:
        if (!needs(c, i->mod[G_LEVEL] == M_L2, ".L2")) return false;
        break;
    default:
        if (!needs(c, i->mod[G_LEVEL] == M_L2_EVICT_NORMAL, ".L2::evict_normal")) return false;
    }
    bool size = i->operands != 2 || i->opnd[1].kind != O_IMM || i->opnd[1].imm == 128;
    return only(c, G_SPACE, i->space == SP_GLOBAL) &&
           (size || wrong(c, i->opnd[1].at, "'%s' works on 128 bytes", name(c)));
}

static bool proxy_fence(const Legal *c)
{
    const Inst *i = c->i;
    bool async = i->mod[G_PROXY] == M_P_ASYNC,
         shared = i->mod[G_SPACE] == M_SHARED_CTA || i->mod[G_SPACE] == M_SHARED_CLUSTER;
    return needs(c, has(c, G_PROXY), ".alias or .async") &&
           only(c, G_SPACE, async && (i->space == SP_GLOBAL || shared));
}

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

static bool video(const Legal *c)
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

// --- synchronisation -------------------------------------------------------------------------------------------------
static bool barrier(const Legal *c)
{
    const Inst *i = c->i;
    Mod m = (Mod)i->mod[G_BAR], op = (Mod)i->mod[G_ATOM];
    if (!only(c, G_ALIGNED, i->op == OP_BARRIER)) return false;
    if (!needs(c, has(c, G_BAR), ".sync, .arrive or .red")) return false;
    if (!only(c, G_ATOM, m == M_B_RED)) return false;
    if (i->type != TY_NONE && m != M_B_RED) return fail(c, i->at, "'%s.%s' takes no type", name(c), mod_info[m].name);
    if (has(c, G_WARP))
        return only(c, G_BAR, m == M_B_SYNC) && only(c, G_BARCTA, false) &&
               (i->operands == 1 || wrong(c, i->at, "'bar.warp.sync' takes a mask"));
    if (m == M_B_RED) {
        if (!needs(c, has(c, G_ATOM), ".popc, .and or .or")) return false;
        if (!only(c, G_ATOM,
                  op == M_A_POPC ? i->type == TY_U32 : (op == M_A_AND || op == M_A_OR) && i->type == TY_PRED))
            return false;
    }
    int n = i->operands;
    bool good = m == M_B_RED ? n > 2 : m == M_B_ARRIVE ? n == 2 : n < 3;
    return good || wrong(c, i->at, "'%s.%s' can't have %d operand%s", name(c), mod_info[m].name, n, n == 1 ? "" : "s");
}

// Operations on a warp's lanes: with .sync they take a mask as well.
static bool warp(const Legal *c, int plain)
{
    const Inst *i = c->i;
    int want = plain + has(c, G_SYNC);
    if (i->operands == want) return true;
    return wrong(c, i->at, "'%s'%s takes %d operands%s", name(c), has(c, G_SYNC) ? " with .sync" : " without .sync",
                 want, has(c, G_SYNC) ? ", the last a mask of lanes" : "");
}

// --- one operation, or those that are alike --------------------------------------------------------------------------
static bool is_integer(const Legal *c) { return T_INT >> c->i->type & 1; }

static bool sum(const Legal *c)
{
    return float_modifiers(c) && only_types(c, G_SAT, T(S32) | T(F32) | HALF) && only_types(c, G_CC, INT32_64) &&
           apart(c, G_SAT, G_CC);
}

static bool product(const Legal *c) { return products(c) && float_modifiers(c) && only_types(c, G_SAT, T(F32) | HALF); }

static bool mad(const Legal *c)
{
    const Inst *i = c->i;
    return products(c) && float_modifiers(c) &&
           only(c, G_SAT, i->type == TY_F32 || (i->type == TY_S32 && i->mod[G_MUL] == M_HI)) &&
           only(c, G_CC, INT32_64 >> i->type & 1 && i->mod[G_MUL] != M_WIDE) && apart(c, G_SAT, G_CC) &&
           needs(c, is_integer(c) || has(c, G_RND), "a rounding mode");
}

static bool madc(const Legal *c) { return products(c) && only(c, G_MUL, c->i->mod[G_MUL] != M_WIDE); }

static bool product24(const Legal *c)
{
    const Inst *i = c->i;
    return needs(c, has(c, G_MUL), ".lo or .hi") && only(c, G_MUL, i->mod[G_MUL] != M_WIDE) &&
           only(c, G_SAT, i->mod[G_SAT] == M_SAT && i->type == TY_S32 && i->mod[G_MUL] == M_HI);
}

static bool dp2a(const Legal *c) { return needs(c, is(c, G_MUL, M_LO, M_HI), ".lo or .hi"); }

static bool quotient(const Legal *c)  // or a root, or a reciprocal
{
    const Inst *i = c->i;
    if (is_integer(c)) return only(c, G_RND, false) && only(c, G_APPROX, false) && only(c, G_FTZ, false);
    return needs(c, has(c, G_RND) || has(c, G_APPROX), "a rounding mode or .approx") && rounding(c) &&
           apart(c, G_RND, G_APPROX) &&
           only(c, G_APPROX,
                i->mod[G_APPROX] == M_APPROX ? i->type == TY_F32 || (i->op == OP_RCP && has(c, G_FTZ))
                                             : i->op == OP_DIV && i->type == TY_F32) &&
           only(c, G_FTZ, i->type == TY_F32 || has(c, G_APPROX));
}

static bool approximate(const Legal *c) { return needs(c, c->i->mod[G_APPROX] == M_APPROX, ".approx"); }
static bool ex2(const Legal *c)
{
    return approximate(c) && only_types(c, G_FTZ, T(F32) | BRAIN) &&
           needs(c, has(c, G_FTZ) || !(BRAIN >> c->i->type & 1), ".ftz for .bf16");
}

static bool sign(const Legal *c) { return only_types(c, G_FTZ, T(F32) | HALF); }

static bool extreme(const Legal *c)
{
    bool three = c->i->operands == 4;
    if (three && c->i->type != TY_F32)
        return wrong(c, c->i->at, "'%s' of .%s takes two sources", name(c), type_info[c->i->type].name);
    if (three && !since(c, c->i->op == OP_MIN ? "'min' of three sources" : "'max' of three sources", 88, 100))
        return false;
    return only_types(c, G_FTZ, T(F32) | HALF) && only_types(c, G_NAN, T(F32) | HALF | BRAIN) &&
           only_types(c, G_XORSIGN, T(F32) | HALF | BRAIN) && only(c, G_XORSIGN, !three) &&
           only(c, G_ABS, has(c, G_XORSIGN) || three) &&
           needs(c, !has(c, G_XORSIGN) || has(c, G_ABS), ".abs beside .xorsign") &&
           only_types(c, G_RELU, T(S32) | T(S16X2));
}

static bool fma_rule(const Legal *c)
{
    return needs(c, has(c, G_RND), "a rounding mode") && float_modifiers(c) && only_types(c, G_SAT, T(F32) | HALF) &&
           only_types(c, G_RELU, HALF | BRAIN) && apart(c, G_SAT, G_RELU);
}

static bool setp(const Legal *c)
{
    if (c->i->opnd[0].kind == O_PAIR && (c->i->type == TY_F16 || c->i->type == TY_BF16))
        return fail(c, c->i->opnd[0].at, "'setp' of .%s has one predicate", type_info[c->i->type].name);
    return comparison(c, (Type)c->i->type);
}

static bool set(const Legal *c)
{
    Type d = (Type)c->i->type, s = (Type)c->i->type2;
    bool halves = s == TY_F16 || s == TY_BF16, pairs = s == TY_F16X2 || s == TY_BF16X2,
         full = d == TY_U32 || d == TY_S32;
    bool good = full || (pairs    ? d == s
                         : halves ? d == TY_U16 || d == TY_S16 || d == s || (s == TY_F16 && d == TY_BF16)
                                  : d == TY_F32 || d == TY_F16 || d == TY_BF16);
    return (good || fail(c, c->i->at, "there is no 'set' of .%s from .%s", type_info[d].name, type_info[s].name)) &&
           only(c, G_FTZ, d != TY_BF16) && comparison(c, s);
}

static bool slct(const Legal *c) { return only(c, G_FTZ, c->i->type2 == TY_F32); }
static bool testp(const Legal *c) { return needs(c, has(c, G_TESTP), "a property such as .finite"); }

static bool shf(const Legal *c) { return needs(c, has(c, G_DIR) && has(c, G_OVER), ".l or .r, and .clamp or .wrap"); }
static bool clamps(const Legal *c) { return needs(c, has(c, G_OVER), ".clamp or .wrap"); }

static bool lop3(const Legal *c)
{
    bool both = c->i->opnd[0].kind == O_PAIR;
    return only(c, G_BOOL, c->i->mod[G_BOOL] != M_XOR && both) && needs(c, !both || has(c, G_BOOL), ".and or .or") &&
           needs(c, both == (c->i->operands == 6), "a predicate at its end exactly where its result is a pair") &&
           (!both || gives_predicate(c));
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

static bool of_space(const Legal *c)
{
    return needs(c, has(c, G_SPACE), "a state space") && only(c, G_SPACE, c->i->mod[G_SPACE] != M_PARAM_FUNC);
}

static bool load(const Legal *c) { return ordering(c) && caching(c) && vectors(c); }

static bool store(const Legal *c)
{
    return only(c, G_SPACE, c->i->space != SP_CONST && c->i->mod[G_SPACE] != M_PARAM_ENTRY) && load(c);
}

static bool ldu(const Legal *c) { return only(c, G_SPACE, c->i->space == SP_GLOBAL) && vectors(c); }

static bool prefetch(const Legal *c)
{
    const Inst *i = c->i;
    return needs(c, has(c, G_LEVEL), ".L1 or .L2") && only(c, G_SPACE, i->space == SP_GLOBAL || i->space == SP_LOCAL) &&
           only(c, G_LEVEL, i->mod[G_LEVEL] <= M_L2 || i->space != SP_LOCAL);
}

static bool prefetchu(const Legal *c) { return needs(c, c->i->mod[G_LEVEL] == M_L1, ".L1"); }

static bool texture(const Legal *c)
{
    const Inst *i = c->i;
    return needs(c, has(c, G_GEOM), ".1d or .2d") && needs(c, i->vec == 4, ".v4") &&
           needs(c, i->op == OP_TEX || i->mod[G_GEOM] == M_G2D, ".2d") &&
           needs(c, i->op == OP_TEX || has(c, G_COMP), "a component: .r, .g, .b or .a");
}

static bool membar(const Legal *c)
{
    return needs(c, has(c, G_SCOPE), ".cta, .gl or .sys") &&
           only(c, G_SCOPE, c->i->mod[G_SCOPE] != M_CLUSTER && c->i->mod[G_SCOPE] != M_GPU);
}

static bool fence(const Legal *c)
{
    uint8_t sem = c->i->mod[G_SEM];
    return needs(c, has(c, G_SCOPE), "a scope such as .gpu") && only(c, G_SCOPE, c->i->mod[G_SCOPE] != M_GL) &&
           only(c, G_SEM, sem != M_WEAK && sem != M_RELAXED && sem != M_VOLATILE);
}

static bool shfl(const Legal *c) { return needs(c, has(c, G_SHFL), ".up, .down, .bfly or .idx") && warp(c, 4); }

static bool vote(const Legal *c)
{
    return needs(c, has(c, G_VOTE), ".all, .any, .uni or .ballot") && warp(c, 2) &&
           only_types(c, G_VOTE, c->i->mod[G_VOTE] == M_BALLOT ? T(B32) : T(PRED));
}

static bool match(const Legal *c)
{
    const Inst *i = c->i;
    return needs(c, has(c, G_SYNC), ".sync") && needs(c, is(c, G_VOTE, M_ANY, M_ALL), ".any or .all") &&
           (i->opnd[0].kind != O_PAIR || i->mod[G_VOTE] == M_ALL ||
            wrong(c, i->opnd[0].at, "match.any has no predicate"));
}

static bool float_redux(const Legal *c)
{
    if (!since(c, "'redux' of .f32", 86, 100)) return false;
    return (c->m->sm < 110 && is_special(c->m)) ||
           wrong(c, c->i->at, "'redux' of .f32 needs .target sm_100a, sm_100f or another of that family");
}

static bool redux(const Legal *c)
{
    Mod op = (Mod)c->i->mod[G_ATOM];
    bool logic = op == M_A_AND || op == M_A_OR || op == M_A_XOR, extremes = op == M_A_MIN || op == M_A_MAX;
    return needs(c, has(c, G_SYNC), ".sync") && needs(c, has(c, G_ATOM), "an operation such as .add") &&
           only(c, G_ATOM, logic || extremes || op == M_A_ADD) &&
           only_types(c, G_ATOM, logic ? T(B32) : T(U32) | T(S32) | (extremes ? T(F32) : 0)) &&
           only_types(c, G_ABS, T(F32)) && only_types(c, G_NAN, T(F32)) && (c->i->type != TY_F32 || float_redux(c));
}

static bool griddepcontrol(const Legal *c) { return needs(c, has(c, G_DEPEND), ".wait or .launch_dependents"); }

static bool setmaxnreg(const Legal *c)
{
    const Inst *i = c->i;
    uint64_t n = i->operands && i->opnd[0].kind == O_IMM ? i->opnd[0].imm : 24;
    return needs(c, is(c, G_ATOM, M_A_INC, M_A_DEC), ".inc or .dec") &&
           needs(c, has(c, G_SYNC) && has(c, G_ALIGNED), ".sync.aligned") &&
           needs(c, is_special(c->m), "a target of one architecture alone, such as sm_90a") &&
           ((n >= 24 && n <= 256 && n % 8 == 0) ||
            wrong(c, i->opnd[0].at, "registers are counted in eights, from 24 to 256"));
}

static bool stack(const Legal *c)
{
    const Inst *i = c->i;
    const char *what = i->op == OP_ALLOCA ? "'alloca'" : i->op == OP_STACKSAVE ? "'stacksave'" : "'stackrestore'";
    if (!since(c, what, 73, 52)) return false;
    if (i->op == OP_STACKRESTORE && i->operands && i->opnd[0].kind != O_REG)
        return wrong(c, i->opnd[0].at, "'stackrestore' takes a register, which stacksave has set");
    uint64_t align = i->operands > 2 && i->opnd[2].kind == O_IMM ? i->opnd[2].imm : 8;
    return (align && !(align & (align - 1)) && align <= 1u << 23) ||
           wrong(c, i->opnd[2].at, "an alignment is a power of two, of at most 2^23");
}

// Where there is no rule, all that the row of ops.def allows is legal. The video instructions have one for all.
typedef bool Rule(const Legal *c);
static Rule *const rules[OP_COUNT] = {
    [OP_ADD] = sum,
    [OP_SUB] = sum,
    [OP_MUL] = product,
    [OP_MAD] = mad,
    [OP_MADC] = madc,
    [OP_MUL24] = product24,
    [OP_MAD24] = product24,
    [OP_DP2A] = dp2a,
    [OP_DIV] = quotient,
    [OP_SQRT] = quotient,
    [OP_RCP] = quotient,
    [OP_RSQRT] = approximate,
    [OP_SIN] = approximate,
    [OP_COS] = approximate,
    [OP_LG2] = approximate,
    [OP_TANH] = approximate,
    [OP_EX2] = ex2,
    [OP_ABS] = sign,
    [OP_NEG] = sign,
    [OP_MIN] = extreme,
    [OP_MAX] = extreme,
    [OP_FMA] = fma_rule,
    [OP_SETP] = setp,
    [OP_SET] = set,
    [OP_SLCT] = slct,
    [OP_TESTP] = testp,
    [OP_SHF] = shf,
    [OP_SZEXT] = clamps,
    [OP_BMSK] = clamps,
    [OP_LOP3] = lop3,
    [OP_CVT] = conversion,
    [OP_CVT_PACK] = cvt_pack,
    [OP_CVTA] = of_space,
    [OP_ISSPACEP] = of_space,
    [OP_LD] = load,
    [OP_ST] = store,
    [OP_LDU] = ldu,
    [OP_ATOM] = atomics,
    [OP_RED] = atomics,
    [OP_CP_ASYNC] = copies,
    [OP_DISCARD] = hints,
    [OP_APPLYPRIORITY] = hints,
    [OP_POLICY_FRACTION] = hints,
    [OP_POLICY_RANGE] = hints,
    [OP_POLICY_CVT] = hints,
    [OP_PREFETCH] = prefetch,
    [OP_PREFETCHU] = prefetchu,
    [OP_TEX] = texture,
    [OP_TLD4] = texture,
    [OP_BAR] = barrier,
    [OP_BARRIER] = barrier,
    [OP_MEMBAR] = membar,
    [OP_FENCE] = fence,
    [OP_FENCE_PROXY] = proxy_fence,
    [OP_MEMBAR_PROXY] = proxy_fence,
    [OP_SHFL] = shfl,
    [OP_VOTE] = vote,
    [OP_MATCH] = match,
    [OP_REDUX] = redux,
    [OP_ELECT] = gives_predicate,
    [OP_GRIDDEPCONTROL] = griddepcontrol,
    [OP_SETMAXNREG] = setmaxnreg,
    [OP_ALLOCA] = stack,
    [OP_STACKSAVE] = stack,
    [OP_STACKRESTORE] = stack,
};

bool check_legal(const Module *m, const Inst *i, Diag *diag)
{
    const Legal c = {m, i, diag};
    Rule *rule = op_has(i->op, P_VIDEO) ? video : rules[i->op];
    return !rule || rule(&c);
}
