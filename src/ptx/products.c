// products.c: the products of matrices that there are (matrix.def; those of wgmma are found by a rule), and which
// element of a matrix is where in a warp's registers (PTX ISA §9.7.14, §9.7.15).
#include "ptx/ops.h"
#include "ptx/pass.h"

typedef enum Family { MMA, SPARSE, WMMA } Family;
static const struct Row {
    Family family;
    uint16_t m, n, k;
    uint64_t types;
    uint8_t version, sm;
    Mod shape;
} rows[] = {
#define MATRIX(family, m, n, k, types, version, sm) {family, m, n, k, types, version, sm, M_M##m##N##n##K##k},
#include "ptx/matrix.def"
#undef MATRIX
};

Type inst_type(const Inst *i, int n)
{
    for (int k = 0; k < i->suffixes; k++)
        if (i->suffix[k] >= M_COUNT && !n--) return (Type)(i->suffix[k] - M_COUNT);
    return TY_NONE;
}

// What C and D may have where A and B have this type.
static uint64_t sums_of(Type t)
{
    if (t == TY_F16 || T_F8 >> t & 1) return T(F16) | T(F32);
    if (t == TY_BF16 || t == TY_TF32) return T(F32);
    return t == TY_F64 ? T(F64) : T(S32);
}

static uint64_t sums_of_any(uint64_t types)
{
    uint64_t sums = 0;
    for (int t = 0; t < TY_COUNT; t++)
        if (types >> t & 1) sums |= sums_of((Type)t);
    return sums;
}

// The types that are written; TY_NONE: any.
static void written(const Inst *i, Type type[MATRICES])
{
    for (int k = 0; k < MATRICES; k++) type[k] = inst_type(i, k);
    if (i->op == OP_WMMA_MMA && type[2] == TY_NONE) {  // D's and C's
        type[MATRIX_C] = type[1];
        type[MATRIX_A] = type[MATRIX_B] = TY_F16;
    } else if (i->op == OP_WMMA_LOAD_A || i->op == OP_WMMA_LOAD_B) {
        type[MATRIX_A] = type[MATRIX_B] = type[0];
        type[MATRIX_C] = type[MATRIX_D] = TY_NONE;
    } else if (i->op == OP_WMMA_LOAD_C || i->op == OP_WMMA_STORE) {
        type[MATRIX_C] = type[0];
    }
}

static bool fits(const struct Row *r, const Type type[MATRICES])
{
    const uint64_t any = ~0ull, a = type[MATRIX_A] ? 1ull << type[MATRIX_A] : any,
                   b = type[MATRIX_B] ? 1ull << type[MATRIX_B] : any;
    const uint64_t sums = type[MATRIX_A] ? sums_of(type[MATRIX_A]) : sums_of_any(r->types);
    for (int k = 0; k < 2; k++) {
        Type t = type[k ? MATRIX_C : MATRIX_D];
        if (t && !(sums >> t & 1)) return false;
    }
    return r->types & a && r->types & b;
}

int matrix_per_register(Type t) { return t == TY_F64 ? 1 : 32 / type_info[t].bits; }

static void count_registers(Product *x, bool repeats)
{
    const int products = x->quads ? 4 : 1,
              elements[MATRICES] = {x->m * x->n, x->m * x->k >> x->sparse, x->k * x->n, x->m * x->n};
    for (int k = 0; k < MATRICES; k++) {
        Type t = x->type[k];
        if (t) x->registers[k] = (uint8_t)(products * elements[k] / (32 * matrix_per_register(t)));
        if (repeats && (k == MATRIX_A || k == MATRIX_B)) x->registers[k] = 8;
    }
}

// wgmma (§9.7.15.2): m64nNk…, where A's rows have 256 bits, and of a sparse one 512, of which half are stored. N goes
// by eights, and with integers beyond 32 by sixteens.
static bool find_group(const Inst *i, Product *x)
{
    static const uint16_t deep[] = {8, 16, 32, 64, 256};
    enum { WIDTHS = 32 };
    const uint64_t types = T_F8 | T(F16) | T(BF16) | T(TF32) | T_INT8 | (x->sparse ? 0 : T(B1));
    const Type a = x->type[MATRIX_A], b = x->type[MATRIX_B], d = x->type[MATRIX_D];
    const uint32_t shape = (uint32_t)i->mod[G_SHAPE] - M_M64N8K8;
    if (i->mod[G_SHAPE] < M_M64N8K8 || shape >= WIDTHS * COUNT(deep)) return false;
    if (x->type[MATRIX_C] != TY_NONE || !(types >> a & 1) || !(types >> b & 1) || !(sums_of(a) >> d & 1)) return false;
    x->m = 16, x->n = (uint16_t)(8 * (shape % WIDTHS + 1)), x->k = deep[shape / WIDTHS];
    if (x->k * type_info[a].bits != 256 << x->sparse || (d == TY_S32 && x->n > 32 && x->n % 16)) return false;
    x->type[MATRIX_C] = d;
    x->registers[MATRIX_D] = x->registers[MATRIX_C] = (uint8_t)(x->n / 2 / matrix_per_register(d));
    x->registers[MATRIX_A] = 4;
    x->version = T_INT8 >> a & 1 && a != b ? 84 : x->sparse ? 82 : 80;
    x->sm = 90;
    return true;
}

bool ptx_matrix(const Inst *i, Product *out)
{
    if (i->op == OP_WGMMA || i->op == OP_WGMMA_SP) {
        *out = (Product){.sparse = i->op == OP_WGMMA_SP};
        written(i, out->type);
        return find_group(i, out);
    }
    Family family = i->op == OP_MMA ? MMA : i->op == OP_MMA_SP || i->op == OP_MMA_ORDERED ? SPARSE : WMMA;
    *out = (Product){.sparse = family == SPARSE};
    written(i, out->type);
    for (size_t k = 0; k < COUNT(rows); k++) {
        const struct Row *r = &rows[k];
        if (r->family != family || r->shape != i->mod[G_SHAPE] || !fits(r, out->type)) continue;
        out->m = r->m, out->n = r->n, out->k = r->k, out->version = r->version, out->sm = r->sm;
        out->quads = family == MMA && r->k == 4 && out->type[MATRIX_A] == TY_F16;
        count_registers(out, family == WMMA && out->type[MATRIX_A] == TY_F16);  // §9.7.14.4.1: eight for .f16
        return true;
    }
    return false;
}

Fragment ptx_fragment(const Inst *i, int n)
{
    Product x;
    int which = i->op == OP_WMMA_LOAD_A   ? MATRIX_A
                : i->op == OP_WMMA_LOAD_B ? MATRIX_B
                : i->op == OP_WMMA_LOAD_C ? MATRIX_C
                : i->op == OP_WMMA_STORE  ? MATRIX_D
                                          : n;
    if (i->op == OP_LDMATRIX || i->op == OP_STMATRIX)
        return (Fragment){i->mod[G_NUM] == M_X4 ? 4 : i->mod[G_NUM] == M_X2 ? 2 : 1, TY_B32};
    if (!ptx_matrix(i, &x)) return (Fragment){0};
    Type t = x.type[which];
    return (Fragment){x.registers[which], t == TY_F64 || t == TY_F32 ? t : TY_B32};
}

// --- where elements are ----------------------------------------------------------------------------------------------
// A's and B's elements along k lie together, as many as a register has; four lanes then have neighbouring registers.
// Where there is more along k, the next registers go on with that; A's alternate between the halves of 16 rows first.
static Element factor_element(const Product *x, bool a, uint32_t lane, uint32_t reg, uint32_t e)
{
    const uint32_t per = (uint32_t)matrix_per_register(x->type[a ? MATRIX_A : MATRIX_B]);
    const uint32_t deep = (uint32_t)(a ? x->k >> x->sparse : x->k) / (4 * per);
    const uint32_t halves = a && x->m >= 16 ? 2 : 1, group = lane / 4;
    reg %= deep * (a ? x->m : x->n) / 8;
    const uint32_t half = reg % halves, at = (lane % 4 + reg / halves % deep * 4) * per + e;
    const uint32_t across = group + 8 * half + 8 * halves * (reg / halves / deep);
    return a ? (Element){(uint16_t)across, (uint16_t)at} : (Element){(uint16_t)at, (uint16_t)across};
}

// A lane has pairs of neighbours of C and D: of both halves of 16 rows, then of the next 8 columns, then the next rows.
static Element sum_element(const Product *x, Type t, uint32_t lane, uint32_t reg, uint32_t e)
{
    const uint32_t number = t == TY_F16 ? 2 * reg + e : reg, pair = number / 2, halves = x->m >= 16 ? 2 : 1;
    const uint32_t wide = x->n / 8u, row = lane / 4 + 8 * (pair % halves) + 8 * halves * (pair / halves / wide);
    return (Element){(uint16_t)row, (uint16_t)(8 * (pair / halves % wide) + 2 * (lane % 4) + number % 2)};
}

Element matrix_element(const Product *x, int which, uint32_t lane, uint32_t reg, uint32_t e)
{
    if (which == MATRIX_A || which == MATRIX_B) return factor_element(x, which == MATRIX_A, lane, reg, e);
    return sum_element(x, x->type[which], lane, reg, e);
}

// --- sparse matrices (§9.7.14.6.1) -----------------------------------------------------------------------------------
// Four bits of metadata say where two of four elements were: two numbers of two bits, the lower one's first. Elements
// of 4 bits go in pairs, of which two of four were there; one of .tf32 stands for two of the four.
static uint32_t stored_by_group(Type a) { return a == TY_TF32 ? 1 : T_INT4 >> a & 1 ? 4 : 2; }

static uint32_t groups_of(const Product *x) { return x->k / 2u / stored_by_group(x->type[MATRIX_A]); }

// Elements of 16 bits and of .tf32 have both rows of a lane in one word, others one row.
static bool by_halves(const Product *x) { return type_info[x->type[MATRIX_A]].bits >= 16; }

uint32_t matrix_selectors(const Product *x) { return 16 / groups_of(x); }

uint32_t matrix_metadata(const Product *x, uint32_t selector, uint32_t row, uint32_t stored, uint32_t *shift)
{
    const uint32_t group = stored / stored_by_group(x->type[MATRIX_A]), upper = row / 8, quad = 4 * (row % 8),
                   groups = groups_of(x);
    if (by_halves(x)) {
        *shift = 16 * upper + 4 * (group % 4);
        return quad + selector * (groups / 4) + group / 4;
    }
    *shift = 4 * (group % 8);
    return quad + 2 * selector + 2 * (group / 8) + upper;
}

uint32_t matrix_place(const Product *x, uint32_t stored, uint32_t metadata)
{
    const uint32_t by = stored_by_group(x->type[MATRIX_A]), group = stored / by, low = metadata & 3,
                   high = metadata >> 2;
    if (by == 1) return 2 * group + low / 2;
    if (by == 2) return 4 * group + (stored % 2 ? high : low);
    return 8 * group + 2 * (stored / 2 % 2 ? high : low) + stored % 2;
}
