// decode_texture.c: textures, surfaces and the questions about them. Such an instruction has more operands than a Dinst
// has room for: its rows are a list of their own (run.h).
#include "exec/decode.h"
#include "ptx/ops.h"

#include <assert.h>
#include <string.h>

static Loc32 *tex_rows(Decode *x, Dinst *d)
{
    const bool variants = d->op == OP_SUST_P || d->op == OP_SURED_P;
    Loc32 *rows = mem_alloc(sizeof *rows * TEX_VARIANTS_AT + (variants ? sizeof *d * TEX_VARIANTS : 0));
    for (int k = 0; k < TEX_ROWS; k++) rows[k] = NO_ROW;
    vec_push(&x->code->results, rows);
    d->results = rows;
    d->a = constant_row(x, 0, true);  // no address is computed of it
    return rows;
}

static Loc32 object_row(Decode *x, const Operand *o)
{
    if (o->kind == O_SYM) return constant_row(x, address_of(x, o->sym), true);
    return source_row(x, o, TY_B64);
}

static void put_values(Decode *x, Loc32 *rows, int first, const Operand *o, int n, Type t)
{
    for (int k = 0; k < n; k++) rows[first + k] = source_row(x, o->kind == O_VEC ? &o->items[k] : o, t);
}

// [object, {coordinates}] or [object, sampler, {coordinates}]
static void put_where(Decode *x, Loc32 *rows, const Operand *o, Type t)
{
    const TexShape shape = tex_shape(x->i->mod[G_GEOM]);
    Operand at = o->items[o->count - 1];
    rows[TEX_HANDLE] = object_row(x, &o->items[0]);
    if (o->count == 3) rows[TEX_SAMPLER] = object_row(x, &o->items[1]);
    if (shape.layered) {
        rows[TEX_LAYER] = source_row(x, &at.items[0], TY_U32);
        at.items++, at.count--;
    }
    put_values(x, rows, TEX_AT, &at, shape.coordinates, t);
}

bool decode_texture(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const Operand *to = i->opnd[0].kind == O_PAIR ? &i->opnd[0].items[0] : &i->opnd[0];
    const int n = tex_shape(i->mod[G_GEOM]).coordinates;
    Loc32 *rows = tex_rows(x, d);
    d->mod = i->mod[G_GEOM];
    d->component = (uint8_t)(i->mod[G_COMP] - M_TR);
    assert(to->kind == O_VEC && to->count == i->vec);
    for (int k = 0; k < to->count; k++) rows[TEX_OUT + k] = dest_row(x, &to->items[k]);
    if (i->opnd[0].kind == O_PAIR) d->pdst = pdest_of(x, &i->opnd[0].items[1]);
    put_where(x, rows, &i->opnd[1], i->type2);
    for (int k = 2; k < i->operands; k++) switch (tex_part(x->f, i, k)) {
        case TEX_LEVEL: put_values(x, rows, TEX_LOD, &i->opnd[k], 1, i->type2); break;
        case TEX_DX: put_values(x, rows, TEX_DDX, &i->opnd[k], n, TY_F32); break;
        case TEX_DY: put_values(x, rows, TEX_DDY, &i->opnd[k], n, TY_F32); break;
        default: put_values(x, rows, TEX_OFF, &i->opnd[k], n, TY_S32);
        }
    return !x->failed;
}

// A texel is stored with its format's size, and added to with its format's sign: what these are is known when it runs.
static void put_variants(Loc32 *rows, const Dinst *d)
{
    static const uint8_t sizes[TEX_VARIANTS][2] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {8, 2}};
    Dinst *v = (Dinst *)(void *)(rows + TEX_VARIANTS_AT);
    for (int k = 0; k < TEX_VARIANTS; k++) {
        v[k] = *d;
        if (d->op == OP_SUST_P) v[k].bytes = sizes[k][0], v[k].vec = sizes[k][1];
        if (d->op == OP_SURED_P) v[k].type = d->bytes == 8 ? k ? TY_S64 : TY_U64 : k ? TY_S32 : TY_U32;
    }
}

bool decode_surface(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    const bool load = i->op == OP_SULD;
    const Operand *value = &i->opnd[load ? 0 : 1];
    Loc32 *rows = tex_rows(x, d);
    d->space = SP_TEX;
    d->bytes = (uint8_t)type_bytes(i->type);
    if (i->mod[G_CACHE] == M_CG || i->mod[G_CACHE] == M_CV) d->flags |= D_UNCACHED;
    put_where(x, rows, &i->opnd[load ? 1 : 0], TY_S32);
    if (d->kind == X_ATOM) {
        d->mod = i->mod[G_ATOM];
        d->flags |= D_UNCACHED | D_STRONG;
        d->dst = scratch_row(x);
        d->b = d->c = source_row(x, value, i->type);
    } else {
        decode_elements(x, d, value, load);
    }
    if (i->op == OP_SUST_P || i->op == OP_SURED_P) put_variants(rows, d);
    return !x->failed;
}

bool decode_query(Decode *x, Dinst *d)
{
    const Inst *i = x->i;
    Loc32 *rows = tex_rows(x, d);
    if (i->op == OP_ISTYPEP) {
        d->pdst = pdest_of(x, &i->opnd[0]);
        rows[TEX_HANDLE] = source_row(x, &i->opnd[1], TY_B64);
        return true;
    }
    const Operand *o = &i->opnd[1];
    Operand object = {.kind = o->sym ? O_SYM : O_REG, .sym = o->sym, .reg = o->reg};
    d->mod = i->mod[G_QUERY];
    d->dst = dest_row(x, &i->opnd[0]);
    rows[TEX_HANDLE] = o->sym || o->reg != NO_REG ? object_row(x, &object) : constant_row(x, o->imm, true);
    if (i->operands == 3) rows[TEX_LOD] = source_row(x, &i->opnd[2], TY_U32);
    return !x->failed;
}
