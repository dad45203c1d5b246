// texture.c: the operands of texture and surface instructions: addresses [object, {coordinates}], and what stands
// behind those of textures (PTX ISA §9.7.10, §9.7.11).
#include "ptx/ops.h"
#include "ptx/parse.h"

TexShape tex_shape(uint16_t geometry)
{
    switch (geometry) {
    case M_G1D: return (TexShape){.coordinates = 1, .items = 1};
    case M_G2D: return (TexShape){.coordinates = 2, .items = 2};
    case M_G3D: return (TexShape){.coordinates = 3, .items = 4};
    case M_GA1D: return (TexShape){.coordinates = 1, .items = 2, .layered = true};
    case M_GA2D: return (TexShape){.coordinates = 2, .items = 4, .layered = true};
    case M_GCUBE: return (TexShape){.coordinates = 3, .items = 4, .cube = true};
    case M_GACUBE: return (TexShape){.coordinates = 3, .items = 4, .layered = true, .cube = true};
    case M_G2DMS: return (TexShape){.coordinates = 2, .items = 4, .samples = true};
    default: return (TexShape){.coordinates = 2, .items = 4, .layered = true, .samples = true};
    }
}

// Offsets are a vector, which may be without braces where there is one; a depth is a float.
TexPart tex_part(const Function *f, const Inst *i, int n)
{
    if (i->mod[G_MIP] == M_AT_LEVEL && n == 2) return TEX_LEVEL;
    if (i->mod[G_MIP] == M_GRAD && n < 4) return n == 2 ? TEX_DX : TEX_DY;
    const Operand *o = &i->opnd[n];
    bool alone = tex_shape(i->mod[G_GEOM]).coordinates == 1 && i->op == OP_TEX;
    if (o->kind == O_VEC) return TEX_OFFSET;
    if (!alone) return TEX_DEPTH;
    if (o->kind == O_REG) return type_info[f->regs.v[o->reg].type].kind == K_FLOAT ? TEX_DEPTH : TEX_OFFSET;
    return o->kind == O_IMM && o->imm_kind != IMM_INT ? TEX_DEPTH : TEX_OFFSET;
}

static bool is_object(const Check *c, const Operand *o)
{
    if (o->kind == O_SYM) return !o->sym->function && !o->imm;
    return o->kind == O_REG && !o->negated && type_info[c->f->regs.v[o->reg].type].bits == 64;
}

// What the instruction takes: a texture or a surface; behind a texture a sampler.
static bool check_object(const Check *c, const Operand *o, Type want)
{
    if (!is_object(c, o)) return check_fail(c, o->at, NULL, "a texture object is a variable or a 64-bit register");
    if (o->kind != O_SYM || o->sym->space == SP_TEX || o->sym->type == want) return true;
    return check_fail(c, o->at, NULL, "'%s' is a .%s, and a .%s is expected", o->sym->name,
                      type_info[o->sym->type].name, type_info[want].name);
}

// Whether there are so many values of type t; those behind them are ignored.
static bool check_values(const Check *c, int n, const Operand *o, int want, Type t)
{
    int have = o->kind == O_VEC ? o->count : 1;
    for (int k = 0; k < want && k < have; k++)
        if (!check_source(c, n, o->kind == O_VEC ? &o->items[k] : o, t, false)) return false;
    return have >= want;
}

// A layer's number comes before the coordinates.
static bool check_coordinates(const Check *c, const Operand *at)
{
    const Inst *i = c->i;
    TexShape shape = tex_shape(i->mod[G_GEOM]);
    int have = at->kind == O_VEC ? at->count : 1;
    if (have < shape.items || have > 4 || have == 3)
        return check_fail(c, at->at, NULL, "%d coordinate%s expected", shape.items, shape.items == 1 ? " is" : "s are");
    Type type = i->type2 ? (Type)i->type2 : TY_S32;
    Operand rest = *at;
    if (shape.layered) {
        if (!check_source(c, 1, &at->items[0], TY_U32, false)) return false;
        rest.items++, rest.count--;
    }
    return check_values(c, 1, &rest, shape.coordinates, type);
}

static bool check_where(const Check *c, const Operand *o)
{
    const OpInfo *op = &op_info[c->i->op];
    bool texture = op->class == CLASS_TEX;
    if (o->kind != O_TEX)
        return check_fail(c, o->at, NULL, "a %s address [object, {coordinates}] is expected",
                          texture ? "texture" : "surface");
    const Operand *at = &o->items[o->count - 1];
    if (o->count > (texture ? 3 : 2))
        return check_fail(c, at->at, NULL, "a texture address has an object, perhaps a sampler, and coordinates");
    if (!check_object(c, &o->items[0], texture ? TY_TEXREF : TY_SURFREF)) return false;
    if (o->count == 3 && !check_object(c, &o->items[1], TY_SAMPLERREF)) return false;
    if (texture && c->m->separate_samplers && o->count == 2 && o->items[0].kind == O_SYM)
        return check_fail(c, at->at, NULL, "with the target's option texmode_independent '%s' needs a sampler",
                          op->name);
    return check_coordinates(c, at);
}

static bool check_behind(const Check *c, int n, const Operand *o)
{
    const Inst *i = c->i;
    TexShape shape = tex_shape(i->mod[G_GEOM]);
    const char *name = op_info[i->op].name;
    switch (tex_part(c->f, i, n)) {
    case TEX_LEVEL: return check_source(c, n, o, i->type2, false);
    case TEX_DX:
    case TEX_DY:
        if (o->kind != O_VEC) return check_fail(c, o->at, NULL, "operand %d of '%s' must be a vector", n + 1, name);
        return check_values(c, n, o, shape.coordinates, TY_F32) ||
               check_fail(c, o->at, NULL, "%d derivatives are expected", shape.coordinates);
    case TEX_OFFSET:
        if (shape.cube) return check_fail(c, o->at, NULL, "'%s' of cubes takes no offsets", name);
        return check_values(c, n, o, shape.coordinates, TY_S32) ||
               check_fail(c, o->at, NULL, "%d offsets are expected", shape.coordinates);
    default: return check_refuse(c, o->at, i->op == OP_TEX ? FORM_TEX_DEPTH : FORM_TLD4_DEPTH);
    }
}

// [variable] or [register]: what txq and suq ask about
static bool check_asked(const Check *c, int n, const Operand *o)
{
    uint16_t query = c->i->mod[G_QUERY];
    bool sampler = query >= M_Q_UNNORMALIZED && query <= M_Q_ADDRESS_2 && c->m->separate_samplers;
    if (o->kind != O_ADDR || o->imm)
        return check_fail(c, o->at, NULL, "operand %d of '%s' is a texture or a surface in brackets", n + 1,
                          op_info[c->i->op].name);
    Operand object = {.kind = o->sym ? O_SYM : O_REG, .at = o->at, .sym = o->sym, .reg = o->reg};
    if (!o->sym && o->reg == NO_REG) object.kind = O_IMM;
    return check_object(c, &object, c->i->op == OP_SUQ ? TY_SURFREF : sampler ? TY_SAMPLERREF : TY_TEXREF);
}

bool check_texture(const Check *c, char letter, int n)
{
    const Operand *o = &c->i->opnd[n];
    return letter == 't' ? check_where(c, o) : letter == 'X' ? check_behind(c, n, o) : check_asked(c, n, o);
}
