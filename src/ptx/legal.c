// legal.c: which modifiers an operation must have, and which go together and with which types (PTX ISA §9.7, as ptxas
// of CUDA 13 reads it). ops.def says what an operation can take at all; suffix.c has sorted that out before check.c
// asks here.
#include "ptx/legal.h"

bool legal_tell(const Legal *c, bool form, size_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_vat(c->diag, &c->m->source, at, NULL, format, args);
    va_end(args);
    c->diag->unsupported |= form;
    return false;
}

bool legal_refuse(const Legal *c, size_t at, FormId id)
{
    return check_refuse(&(Check){.m = c->m, .diag = c->diag}, at, id);
}

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
static LegalRule *const rules[OP_COUNT] = {
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
    [OP_BAR] = barrier,
    [OP_BARRIER] = barrier,
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
    LegalRule *rule = op_has(i->op, P_VIDEO) ? legal_video : rules[i->op];
    if (!rule) rule = legal_memory[i->op] ? legal_memory[i->op] : legal_convert[i->op];
    if (!rule) rule = legal_matrix[i->op] ? legal_matrix[i->op] : legal_async[i->op];
    return !rule || rule(&c);
}
