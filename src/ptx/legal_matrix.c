// legal_matrix.c: which forms of instructions about matrices are legal (PTX ISA §9.7.14).
#include "ptx/legal.h"

static bool together(const Legal *c)
{
    return needs(c, has(c, G_SYNC), ".sync") && needs(c, has(c, G_ALIGNED), ".aligned");
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

LegalRule *const legal_matrix[OP_COUNT] = {
    [OP_LDMATRIX] = moves,
    [OP_STMATRIX] = moves,
    [OP_MOVMATRIX] = moves,
};
