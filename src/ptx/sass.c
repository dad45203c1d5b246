// sass.c: what an instruction becomes in machine code (sass.def): how many instructions, on which unit most of them
// wait, and how many of them that unit does. It is executed as PTX says; this is about its time alone.
#include "ptx/ops.h"
#include "ptx/pass.h"

typedef enum When {
    ANY,
    CONST,
    APPROX_FTZ,
    APPROX,
    FULL_FTZ,
    FULL,
    WIDE,
    HI,
    FROM_INT,
    FROM_F64,
    FROM_F32,
    FROM_HALF,
    FROM_WORD_SM86,
    SHARED_SUM,
    SHARED_LEAST,
} When;

static const struct Row {
    uint16_t op;
    uint64_t types;
    When when;
    uint8_t slots, class, units;
} rows[] = {
#define SASS(op, types, when, slots, class, units) {OP_##op, types, when, slots, CLASS_##class, units},
#include "ptx/sass.def"
#undef SASS
};

static uint64_t type_bit(Type t) { return 1ull << t; }

static bool fits(const Inst *i, When when, int capability)
{
    const Type from = i->type2;
    const bool shared = i->space == SP_SHARED;
    const uint32_t atom = i->mod[G_ATOM];
    const bool ftz = inst_has(i, G_FTZ), number = i->op == OP_CVT && from != TY_NONE;
    switch (when) {
    case ANY: return true;
    case CONST: return i->opnd[i->operands - 1].kind == O_IMM;
    case APPROX_FTZ: return i->mod[G_APPROX] == M_APPROX && ftz;
    case APPROX: return i->mod[G_APPROX] == M_APPROX;
    case FULL_FTZ: return i->mod[G_APPROX] == M_FULL && ftz;
    case FULL: return i->mod[G_APPROX] == M_FULL;
    case WIDE: return i->mod[G_MUL] == M_WIDE;
    case HI: return i->mod[G_MUL] == M_HI;
    case FROM_INT: return number && (type_bit(from) & (T_INT | T_INT8));
    case FROM_F64: return number && from == TY_F64;
    case FROM_F32: return number && from == TY_F32;
    case FROM_HALF: return number && (type_bit(from) & (T(F16) | T(BF16)));
    case FROM_WORD_SM86: return number && (type_bit(from) & (T(S32) | T(U32))) && capability >= 86;
    case SHARED_SUM: return shared && (atom == M_A_ADD || atom == M_A_AND || atom == M_A_OR || atom == M_A_XOR);
    case SHARED_LEAST: return shared && (atom == M_A_MIN || atom == M_A_MAX);
    }
    return false;
}

bool ptx_sass(const Inst *i, int capability, Sass *out)
{
    for (size_t k = 0; k < COUNT(rows); k++) {
        const struct Row *r = &rows[k];
        if (r->op != i->op || !(r->types >> i->type & 1) || !fits(i, r->when, capability)) continue;
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
