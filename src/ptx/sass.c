// sass.c: what an instruction becomes in machine code (sass.def): how many instructions, on which unit most of them
// wait, and how many of them that unit does. It is executed as PTX says; this is about its time alone.
#include "ptx/ops.h"
#include "ptx/pass.h"

enum {
#define WHEN(id, holds) WHEN_##id,
#define SASS(op, types, types2, when, slots, class, units)
#include "ptx/sass.def"
#undef WHEN
#undef SASS
    WHEN_COUNT
};
_Static_assert(WHEN_COUNT <= 64, "conditions are a set");

#define W(id) (1ull << WHEN_##id)
#define ALL UINT64_MAX
#define T_INT16 (T(U16) | T(S16))
#define T_INT32 (T(U32) | T(S32))
#define T_INT64 (T(U64) | T(S64))

static const struct Row {
    uint64_t types, types2, when;
    uint16_t op;
    uint8_t slots, class, units;
} rows[] = {
#define WHEN(id, holds)
#define SASS(op, types, types2, when, slots, class, units) {types, types2, when, OP_##op, slots, CLASS_##class, units},
#include "ptx/sass.def"
#undef WHEN
#undef SASS
};

// Are the n last sources constants?
static bool constant_from(const Inst *i, int n)
{
    for (int k = 1; k <= n; k++)
        if (k > i->operands || i->opnd[i->operands - k].kind != O_IMM) return false;
    return true;
}

static bool is_byte(const Inst *i)
{
    return i->op == OP_BFE && constant_from(i, 2) && i->opnd[2].imm % 8 == 0 && i->opnd[3].imm == 8;
}

static bool is_selected(const Inst *i)
{
    for (int k = 1; k < i->operands; k++)
        if (i->opnd[k].select) return true;
    return false;
}

static bool is_counted(const Inst *i)
{
    return (i->op == OP_BAR || i->op == OP_BARRIER) && i->operands == 2 && i->opnd[0].kind == O_REG &&
           i->opnd[1].kind == O_REG;
}

static bool has_tail(const Inst *i)
{
    return i->op == OP_CP_ASYNC && i->operands == 4 && !inst_has(i, G_HINT) && i->opnd[3].kind == O_REG;
}

// The conditions of sass.def that hold.
static uint64_t conditions_of(const Inst *i, int capability)
{
    const uint32_t atom = i->mod[G_ATOM], rounding = i->mod[G_RND], order = i->mod[G_SEM];
    uint64_t set = 0;
#define WHEN(id, holds) \
    if (holds) set |= W(id);
#define SASS(op, types, types2, when, slots, class, units)
#include "ptx/sass.def"
#undef WHEN
#undef SASS
    return set;
}

static bool has(uint64_t types, Type t) { return types == ALL || types >> t & 1; }

bool ptx_sass(const Inst *i, int capability, Sass *out)
{
    uint64_t set = 0;
    bool known = false;
    for (size_t k = 0; k < COUNT(rows); k++) {
        const struct Row *r = &rows[k];
        if (r->op != i->op || !has(r->types, i->type) || !(!r->types2 || has(r->types2, i->type2))) continue;
        if (!known) set = conditions_of(i, capability), known = true;
        if (r->when & ~set) continue;
        *out = (Sass){r->slots, r->units, (Class)r->class};
        return true;
    }
    return false;
}

// Floating-point sums and products are the multiply-add unit's, whatever unit does the integer ones.
static Class class_of(const Inst *i)
{
    Class class = op_info[i->op].class;
    bool sum = i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_MAD;
    if (i->type == TY_F64 && (class == CLASS_ALU || class == CLASS_MUL || class == CLASS_FMA)) return CLASS_F64;
    return sum && type_info[i->type].kind == K_FLOAT ? CLASS_FMA : class;
}

// Issue slots are those of ops.def, by width; some modifiers change them. In machine code a load of a kernel parameter
// becomes an operand from the constant bank, and a conversion between generic and global addresses becomes nothing.
static int slots_of(const Inst *i)
{
    const OpInfo *op = &op_info[i->op];
    bool is_float = type_info[i->type].kind == K_FLOAT, is_wide = type_info[i->type].bits == 64;
    switch (i->op) {
    case OP_LD: return i->space == SP_PARAM ? 0 : 1;
    case OP_CVTA: return i->space == SP_GLOBAL ? 0 : 1;
    case OP_DIV:
        if (is_float && inst_has(i, G_APPROX)) return 2;
        break;
    case OP_RCP:
        if (!is_wide) return inst_has(i, G_APPROX) ? 1 : 6;
        break;
    case OP_SQRT:
        if (!is_wide) return inst_has(i, G_APPROX) ? 2 : 8;
        break;
    case OP_RSQRT: break;
    case OP_MUL:
    case OP_MAD:
        if (!is_float && i->mod[G_MUL] == M_WIDE && type_info[i->type].bits == 32) return 2;
        if (is_float) return 1;
        break;
    case OP_CVT: return type_info[i->type].bits == 64 || type_info[i->type2].bits == 64 ? op->slots64 : op->slots32;
    default:
        if (is_float) return 1;
    }
    return is_wide ? op->slots64 : op->slots32;
}

Sass inst_sass(const Inst *i, int capability)
{
    Sass s;
    if (i->fused == FUSED_AWAY) return (Sass){0, 0, class_of(i)};
    if (i->fused == FUSED_MOVE) return (Sass){1, 1, CLASS_ALU};
    if (i->fused == FUSED_PRODUCT) return (Sass){1, 1, CLASS_MUL};
    if (capability && ptx_sass(i, capability, &s)) return s;
    const uint8_t slots = (uint8_t)slots_of(i);
    return (Sass){slots, slots, class_of(i)};
}
