// legal_matrix.c: which forms of instructions about matrices are legal (PTX ISA §9.7.14, §9.7.15).
#include "ptx/legal.h"

// .aligned was implied before PTX 6.3 (§9.7.14.4.5).
static bool together(const Legal *c)
{
    const bool implied = c->m->version_major * 10 + c->m->version_minor < 63;
    return needs(c, has(c, G_SYNC), ".sync") && needs(c, has(c, G_ALIGNED) || implied, ".aligned");
}

static bool moves(const Legal *c)
{
    const Inst *i = c->i;
    const bool load = i->op == OP_LDMATRIX, store = i->op == OP_STMATRIX;
    const Mod space = (Mod)i->mod[G_SPACE];
    if (!together(c) || !needs(c, has(c, G_SHAPE), ".m8n8")) return false;
    if (!only(c, G_SHAPE, i->mod[G_SHAPE] == M_M8N8)) return false;
    if (!needs(c, has(c, G_NUM) || !(load || store), ".x1, .x2 or .x4")) return false;
    if (!only(c, G_SPACE, space == M_SHARED || space == M_SHARED_CTA)) return false;
    if (load) return since(c, "'ldmatrix'", 65, 75);
    if (store) return since(c, "'stmatrix'", 78, 90);
    return needs(c, has(c, G_TRANS), ".trans") && since(c, "'movmatrix'", 78, 75);
}

// --- products --------------------------------------------------------------------------------------------------------
// The form, and what it needs.
static bool form(const Legal *c, Product *x)
{
    if (!together(c) || !needs(c, has(c, G_SHAPE), "a shape such as .m16n8k16")) return false;
    if (!ptx_matrix(c->i, x)) return fail(c, c->i->at, "there is no '%s' of this shape with these types", name(c));
    char what[40];
    snprintf(what, sizeof what, "this form of '%s'", name(c));
    return since(c, what, x->version, x->sm);
}

// C and D have one type; but with wmma they may have .f16 and .f32 as they like, and with m8n8k4 a C of .f16 goes to a
// D of .f32. Integers go together in mma, signed or not, and so do .e4m3 and .e5m2.
static bool types(const Legal *c, const Product *x)
{
    const bool wmma = c->i->op == OP_WMMA_MMA, mixes = !wmma && (T_INT8 | T_INT4 | T_F8) >> x->type[MATRIX_A] & 1;
    const Type d = x->type[MATRIX_D], s = x->type[MATRIX_C];
    if (x->type[MATRIX_A] != x->type[MATRIX_B] && !mixes)
        return fail(c, c->i->at, "the matrices A and B of this '%s' have the same type", name(c));
    bool good = d == s || wmma || (x->quads && s == TY_F16);
    return good || fail(c, c->i->at, "there is no '%s' of this shape with C of .%s and D of .%s", name(c),
                        type_info[s].name, type_info[d].name);
}

static bool modifiers(const Legal *c, const Product *x)
{
    const Inst *i = c->i;
    const Type a = x->type[MATRIX_A];
    const bool integer = type_info[a].kind != K_FLOAT && a != TY_B1, bits = a == TY_B1;
    const bool free = x->quads || (i->op == OP_WMMA_MMA && !bits && !(T_INT4 >> a & 1));
    if (!needs(c, has(c, G_ALAYOUT) && has(c, G_BLAYOUT), "two layouts, such as .row.col")) return false;
    if (!only(c, G_ALAYOUT, free || i->mod[G_ALAYOUT] == M_A_ROW)) return false;
    if (!only(c, G_BLAYOUT, free || i->mod[G_BLAYOUT] == M_B_COL)) return false;
    if (!only(c, G_SAT, i->mod[G_SAT] == M_SATFINITE && integer)) return false;
    if (!only(c, G_RND, a == TY_F64 && i->mod[G_RND] <= M_RP && i->mod[G_RND] != M_RNA)) return false;
    if (!only(c, G_POPC, bits) || !only(c, G_ATOM, bits && is(c, G_ATOM, M_A_XOR, M_A_AND))) return false;
    if (!needs(c, !bits || (has(c, G_POPC) && has(c, G_ATOM)), ".xor.popc or .and.popc")) return false;
    return i->mod[G_ATOM] != M_A_AND || since(c, ".and", 71, 80);
}

static bool product(const Legal *c)
{
    Product x;
    if (!form(c, &x) || !types(c, &x) || !modifiers(c, &x)) return false;
    return !(T_F8 >> x.type[MATRIX_A] & 1) || x.type[MATRIX_D] == TY_F32 || since(c, "a sum of .f16", 87, 89);
}

// How many lanes of four give metadata, and so how many choices there are, is §9.7.14.6.1's.
static bool sparse(const Legal *c)
{
    const Inst *i = c->i;
    Product x;
    if (!form(c, &x) || !types(c, &x) || !modifiers(c, &x)) return false;
    if (i->op == OP_MMA_ORDERED && !since(c, "'mma.sp::ordered_metadata'", 85, 80)) return false;
    if (T_F8 >> x.type[MATRIX_A] & 1 && x.type[MATRIX_D] != TY_F32)
        return legal_refuse(c, i->at, i->op == OP_MMA_SP ? FORM_MMA_SP_HALF : FORM_MMA_ORDERED_HALF);
    const uint64_t choices = matrix_selectors(&x);
    if (i->operands < 6 || i->opnd[5].kind != O_IMM || i->opnd[5].imm < choices) return true;
    return wrong(c, i->opnd[5].at, "the sparsity selector of this '%s' is below %d", name(c), (int)choices);
}

// --- wgmma (§9.7.15) -------------------------------------------------------------------------------------------------
static bool hopper(const Legal *c, const char *what, int version)
{
    if (!since(c, what, version, 90)) return false;
    return (c->m->sm == 90 && is_special(c->m)) || wrong(c, c->i->at, "%s needs .target sm_90a", what);
}

static bool group_order(const Legal *c)
{
    char what[40];
    snprintf(what, sizeof what, "'%s'", name(c));
    return together(c) && hopper(c, what, 80);
}

static bool group_wait(const Legal *c)
{
    const Operand *o = c->i->opnd;
    if (!group_order(c)) return false;
    if (!c->i->operands || o->kind != O_IMM || (int64_t)o->imm >= 0) return true;
    return wrong(c, o->at, "the groups that '%s' leaves under way can't be negative", name(c));
}

static bool constant_is(const Legal *c, int n, int64_t a, int64_t b, const char *what)
{
    const Operand *o = &c->i->opnd[n];
    if (o->kind != O_IMM || (int64_t)o->imm == a || (int64_t)o->imm == b) return true;
    return wrong(c, o->at, "%s of '%s' is %d or %d", what, name(c), (int)a, (int)b);
}

// What follows B: metadata and a selector of a sparse A; whether D is added to; a sign for A and for B, of floats;
// whether a matrix is transposed, of numbers of 16 bits in shared memory.
static bool group_operands(const Legal *c, const Product *x)
{
    const Inst *i = c->i;
    const Type a = x->type[MATRIX_A];
    const bool floats = type_info[a].kind == K_FLOAT, halves = a == TY_F16 || a == TY_BF16,
               here = i->operands > 1 && i->opnd[1].kind == O_VEC;
    const int sign = x->sparse ? 6 : 4, turn = sign + 2, want = sign + (floats ? 2 : 0) + (halves ? here ? 1 : 2 : 0);
    if (i->operands != want)
        return wrong(c, i->at, "this form of '%s' has %d operands, not %d", name(c), want, i->operands);
    if (x->sparse && i->opnd[3].kind != O_REG) return wrong(c, i->opnd[3].at, "metadata comes in a register");
    if (x->sparse && i->opnd[4].kind == O_IMM && i->opnd[4].imm >= matrix_selectors(x))
        return wrong(c, i->opnd[4].at, "the sparsity selector of this '%s' is below %d", name(c),
                     (int)matrix_selectors(x));
    for (int n = sign; n < want; n++)
        if (!(n < turn ? constant_is(c, n, 1, -1, "a sign") : constant_is(c, n, 0, 1, "a transposition"))) return false;
    return true;
}

static bool group_product(const Legal *c)
{
    const Inst *i = c->i;
    Product x;
    if (!together(c) || !needs(c, has(c, G_SHAPE), "a shape such as .m64n128k16")) return false;
    if (!ptx_matrix(i, &x)) return fail(c, i->at, "there is no '%s' of this shape with these types", name(c));
    char what[60];
    snprintf(what, sizeof what, "this form of '%s'", name(c));
    const Type a = x.type[MATRIX_A];
    const bool bits = a == TY_B1;
    if (a != x.type[MATRIX_B] && !((T_INT8 | T_F8) >> a & 1 && (T_INT8 >> a & 1) == (T_INT8 >> x.type[MATRIX_B] & 1)))
        return fail(c, i->at, "the matrices A and B of this '%s' have the same type", name(c));
    if (!only(c, G_SAT, i->mod[G_SAT] == M_SATFINITE && T_INT8 >> a & 1)) return false;
    if (!only(c, G_POPC, bits) || !only(c, G_ATOM, bits && i->mod[G_ATOM] == M_A_AND)) return false;
    if (!needs(c, !bits || (has(c, G_POPC) && has(c, G_ATOM)), ".and.popc")) return false;
    return hopper(c, what, x.version) && group_operands(c, &x);
}

// --- wmma's loads and stores -----------------------------------------------------------------------------------------
static bool access(const Legal *c)
{
    const Inst *i = c->i;
    const Mod space = (Mod)i->mod[G_SPACE];
    Product x;
    if (!form(c, &x) || !needs(c, has(c, G_ALAYOUT), ".row or .col")) return false;
    const bool narrow = type_info[i->type].bits < 8,
               good = i->mod[G_ALAYOUT] == (i->op == OP_WMMA_LOAD_B ? M_A_COL : M_A_ROW);
    return only(c, G_ALAYOUT, !narrow || good) &&
           only(c, G_SPACE, space == M_GLOBAL || space == M_SHARED || space == M_SHARED_CTA);
}

LegalRule *const legal_matrix[OP_COUNT] = {
    [OP_LDMATRIX] = moves,           [OP_STMATRIX] = moves,
    [OP_MOVMATRIX] = moves,          [OP_MMA] = product,
    [OP_WMMA_MMA] = product,         [OP_MMA_SP] = sparse,
    [OP_MMA_ORDERED] = sparse,       [OP_WMMA_LOAD_A] = access,
    [OP_WMMA_LOAD_B] = access,       [OP_WMMA_LOAD_C] = access,
    [OP_WMMA_STORE] = access,        [OP_WGMMA] = group_product,
    [OP_WGMMA_SP] = group_product,   [OP_WGMMA_FENCE] = group_order,
    [OP_WGMMA_COMMIT] = group_order, [OP_WGMMA_WAIT] = group_wait,
};
