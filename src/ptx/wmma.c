// wmma.c: wmma.load and wmma.store become loads and stores (PTX ISA §9.7.14.4.3, §9.7.14.4.4), since their fragments'
// layout is ours to choose (ptx.h, matrix_element): each register is loaded as a word where its elements lie side by
// side in memory, else element by element. Neighbours of C and D in a row are one access of two registers. Where lanes
// stand in a matrix is computed once, at the function's beginning.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <string.h>

enum { MOST_STEPS = 64 };

typedef struct Wmma {
    Function *f;
    VEC(Inst) out;
    uint32_t group, inner;  // registers: the lane's number / 4, and % 4
    const Inst *near;
    bool guarded;  // what is put gets near's guard
} Wmma;

static bool is_access(const Inst *i)
{
    return i->op == OP_WMMA_LOAD_A || i->op == OP_WMMA_LOAD_B || i->op == OP_WMMA_LOAD_C || i->op == OP_WMMA_STORE;
}

bool ptx_has_wmma(const Function *f)
{
    for (size_t n = 0; n < f->insts.n; n++)
        if (is_access(&f->insts.v[n])) return true;
    return false;
}

// --- putting instructions --------------------------------------------------------------------------------------------
static Operand vector(const Wmma *w, const Operand *items, int n)
{
    Operand o = {.kind = O_VEC, .reg = NO_REG, .count = (uint16_t)n};
    o.items = arena_alloc(&w->f->module->arena, sizeof *items * (size_t)n);
    memcpy(o.items, items, sizeof *items * (size_t)n);
    return o;
}

// The suffixes end with a type; M_NONE among them stands for none.
static void put(Wmma *w, Op op, Mod first, Mod second, Type t, int n, const Operand *o)
{
    uint16_t suffix[3];
    int suffixes = 0;
    if (first) suffix[suffixes++] = (uint16_t)first;
    if (second) suffix[suffixes++] = (uint16_t)second;
    suffix[suffixes++] = type_suffix(t);
    Inst i = inst_make(w->f, w->near, op, suffix, suffixes, o, n);
    if (w->guarded) i.guarded = w->near->guarded, i.guard = w->near->guard, i.guard_negated = w->near->guard_negated;
    vec_push(&w->out, i);
}

#define PUT(w, op, first, second, type, ...)                               \
    do {                                                                   \
        const Operand list[] = {__VA_ARGS__};                              \
        put(w, OP_##op, first, second, TY_##type, (int)COUNT(list), list); \
    } while (0)

static void put_lane(Wmma *w)
{
    uint32_t lane = reg_new(w->f, TY_B32);
    w->group = reg_new(w->f, TY_B32), w->inner = reg_new(w->f, TY_B32);
    w->guarded = false;
    PUT(w, MOV, M_NONE, M_NONE, U32, operand_reg(lane), {.kind = O_SREG, .reg = SR_LANEID});
    PUT(w, SHR, M_NONE, M_NONE, U32, operand_reg(w->group), operand_reg(lane), operand_imm(2));
    PUT(w, AND, M_NONE, M_NONE, B32, operand_reg(w->inner), operand_reg(lane), operand_imm(3));
}

// --- addresses -------------------------------------------------------------------------------------------------------
// An element's address is base + step · major + (bits · minor) / 8: major is its row where rows follow one another in
// memory, else its column.
typedef struct Access {
    const Inst *i;
    Product x;
    int which;
    Type type;
    int bits, per;
    bool load, by_rows, side_by_side;  // side_by_side: a register's elements, in memory
    bool wide;                         // addresses have 64 bits
    Operand step;                      // bytes
    uint32_t base;                     // register: of this lane's first element
    uint64_t offset;
    uint32_t at[MOST_STEPS];  // registers: base + step · major, as far as it is needed
} Access;

static uint64_t standard_stride(const Access *a)
{
    const Product *x = &a->x;
    const int rows = a->which == MATRIX_B ? x->k : x->m, columns = a->which == MATRIX_A ? x->k : x->n;
    return (uint64_t)(a->by_rows ? columns : rows);
}

// The stride counts elements.
static Operand find_step(Wmma *w, const Access *a)
{
    const Operand *o = a->i->operands > 2 ? &a->i->opnd[2] : NULL;
    if (!o) return operand_imm(standard_stride(a) * (uint64_t)a->bits / 8);
    if (o->kind == O_IMM) return operand_imm((uint32_t)o->imm * (uint64_t)a->bits / 8);
    if (a->bits == 8) return *o;
    uint32_t r = reg_new(w->f, TY_B32);
    const uint64_t shift = (uint64_t)__builtin_ctz(a->bits > 8 ? (unsigned)a->bits / 8 : 8 / (unsigned)a->bits);
    if (a->bits > 8)
        PUT(w, SHL, M_NONE, M_NONE, B32, operand_reg(r), *o, operand_imm(shift));
    else
        PUT(w, SHR, M_NONE, M_NONE, U32, operand_reg(r), *o, operand_imm(shift));
    return operand_reg(r);
}

// d = a · b + c, in the width of addresses
static uint32_t product_sum(Wmma *w, const Access *a, Operand x, Operand y, uint32_t c)
{
    uint32_t d = reg_new(w->f, a->wide ? TY_B64 : TY_B32);
    PUT(w, MAD, a->wide ? M_WIDE : M_LO, M_NONE, U32, operand_reg(d), x, y, operand_reg(c));
    return d;
}

static void find_base(Wmma *w, Access *a)
{
    const Operand *p = &a->i->opnd[a->load ? 1 : 0];
    a->wide = p->reg == NO_REG || type_info[w->f->regs.v[p->reg].type].bits == 64;
    a->step = find_step(w, a);
    a->offset = p->imm;
    uint32_t base = p->reg;
    if (base == NO_REG) {
        base = reg_new(w->f, TY_B64);
        Operand from = p->sym ? (Operand){.kind = O_SYM, .reg = NO_REG, .sym = p->sym} : operand_imm(0);
        PUT(w, MOV, M_NONE, M_NONE, U64, operand_reg(base), from);
    }
    // Four lanes have neighbours of a group: in A and C along a row, in B along a column.
    const bool along = a->by_rows == (a->which != MATRIX_B);
    const int each = a->which == MATRIX_A || a->which == MATRIX_B ? a->per : 2;
    const Operand major = operand_reg(along ? w->group : w->inner), minor = operand_reg(along ? w->inner : w->group);
    const uint64_t minor_bytes = (uint64_t)(along ? each * a->bits : a->bits) / 8;
    Operand step = a->step;
    if (!along && each > 1 && step.kind == O_IMM) step.imm *= (uint64_t)each;
    if (!along && each > 1 && step.kind == O_REG) {
        uint32_t r = reg_new(w->f, TY_B32);
        PUT(w, MUL, M_LO, M_NONE, U32, operand_reg(r), step, operand_imm((uint64_t)each));
        step = operand_reg(r);
    }
    base = product_sum(w, a, major, step, base);
    a->base = product_sum(w, a, minor, operand_imm(minor_bytes), base);
    for (int k = 0; k < MOST_STEPS; k++) a->at[k] = NO_REG;
}

static uint32_t major_of(const Access *a, Element e) { return a->by_rows ? e.row : e.column; }

static void find_steps(Wmma *w, Access *a, int registers)
{
    for (int r = 0; r < registers && a->step.kind == O_REG; r++)
        for (int e = 0; e < a->per; e++) {
            const uint32_t major = major_of(a, matrix_element(&a->x, a->which, 0, (uint32_t)r, (uint32_t)e));
            if (a->at[major] == NO_REG)
                a->at[major] = major ? product_sum(w, a, a->step, operand_imm(major), a->base) : a->base;
        }
}

static Operand address(const Access *a, Element e)
{
    const uint32_t major = major_of(a, e), minor = a->by_rows ? e.column : e.row;
    uint64_t offset = a->offset + (uint64_t)minor * (uint64_t)a->bits / 8;
    const bool constant = a->step.kind == O_IMM;
    if (constant) offset += a->step.imm * major;
    return (Operand){.kind = O_ADDR, .reg = constant ? a->base : a->at[major], .imm = offset};
}

// --- loads and stores ------------------------------------------------------------------------------------------------
static void move(Wmma *w, const Access *a, Type t, const Operand *what, int n, Operand where)
{
    const Operand v = n > 1 ? vector(w, what, n) : *what;
    const Operand list[] = {a->load ? v : where, a->load ? where : v};
    Mod space = (Mod)a->i->mod[G_SPACE];
    if (!space && a->i->space == SP_SHARED) space = M_SHARED;  // the variable's
    if (!space && a->i->space == SP_GLOBAL) space = M_GLOBAL;
    w->guarded = true;
    put(w, a->load ? OP_LD : OP_ST, space, n > 1 ? M_V2 : M_NONE, t, 2, list);
}

// Elements that lie apart, into the register's parts or out of them.
static void move_parts(Wmma *w, const Access *a, Operand whole, uint32_t r)
{
    const Type t = a->bits == 16 ? TY_B16 : TY_B8;
    Operand part[4];
    for (int e = 0; e < a->per; e++) part[e] = operand_reg(reg_new(w->f, a->bits == 16 ? TY_B16 : TY_B32));
    w->guarded = true;
    if (!a->load) PUT(w, MOV, M_NONE, M_NONE, B32, vector(w, part, a->per), whole);
    for (int e = 0; e < a->per; e++)
        move(w, a, t, &part[e], 1, address(a, matrix_element(&a->x, a->which, 0, r, (uint32_t)e)));
    if (!a->load) return;
    if (a->bits == 16) {
        PUT(w, MOV, M_NONE, M_NONE, B32, whole, vector(w, part, 2));
        return;
    }
    const Operand low = operand_reg(reg_new(w->f, TY_B32)), high = operand_reg(reg_new(w->f, TY_B32));
    PUT(w, PRMT, M_NONE, M_NONE, B32, low, part[0], part[1], operand_imm(0x40));
    PUT(w, PRMT, M_NONE, M_NONE, B32, high, part[2], part[3], operand_imm(0x40));
    PUT(w, PRMT, M_NONE, M_NONE, B32, whole, low, high, operand_imm(0x5410));
}

static Operand item(const Operand *o, int k) { return o->kind == O_VEC ? o->items[k] : *o; }

static void expand(Wmma *w, const Inst *i)
{
    Access a = {.i = i, .load = i->op != OP_WMMA_STORE};
    w->near = i;
    w->guarded = false;
    ptx_matrix(i, &a.x);
    a.which = i->op == OP_WMMA_LOAD_A   ? MATRIX_A
              : i->op == OP_WMMA_LOAD_B ? MATRIX_B
              : i->op == OP_WMMA_LOAD_C ? MATRIX_C
                                        : MATRIX_D;
    a.type = a.x.type[a.which];
    a.bits = type_info[a.type].bits, a.per = matrix_per_register(a.type);
    a.by_rows = i->mod[G_ALAYOUT] == M_A_ROW;
    a.side_by_side = a.per == 1 || a.by_rows == (a.which != MATRIX_B);
    const Operand *fragment = &i->opnd[a.load ? 0 : 1];
    const int all = a.x.registers[a.which], elements = a.which == MATRIX_A   ? a.x.m * a.x.k
                                                       : a.which == MATRIX_B ? a.x.k * a.x.n
                                                                             : a.x.m * a.x.n;
    const int used = elements / (32 * a.per);
    const bool pairs = a.per == 1 && a.by_rows && (a.which == MATRIX_C || a.which == MATRIX_D);
    find_base(w, &a);
    find_steps(w, &a, used);
    for (int r = 0; r < used; r += 1 + pairs) {
        const Operand two[] = {item(fragment, r), pairs ? item(fragment, r + 1) : operand_imm(0)};
        const Type word = a.bits == 64 ? TY_B64 : TY_B32;
        if (a.side_by_side)
            move(w, &a, word, two, 1 + pairs, address(&a, matrix_element(&a.x, a.which, 0, (uint32_t)r, 0)));
        else if (two[0].kind == O_REG)
            move_parts(w, &a, two[0], (uint32_t)r);
    }
    for (int r = used; r < all && a.load; r++)  // the others repeat them
        if (item(fragment, r).kind == O_REG && item(fragment, r % used).kind == O_REG) {
            w->guarded = true;
            PUT(w, MOV, M_NONE, M_NONE, B32, item(fragment, r), item(fragment, r % used));
        }
}

void expand_wmma(Function *f)
{
    Wmma w = {.f = f, .near = &f->insts.v[0]};
    uint32_t *moved = mem_alloc(sizeof *moved * (f->insts.n + 1));
    put_lane(&w);
    for (size_t n = 0; n < f->insts.n; n++) {
        moved[n] = (uint32_t)w.out.n;
        if (is_access(&f->insts.v[n]))
            expand(&w, &f->insts.v[n]);
        else
            vec_push(&w.out, f->insts.v[n]);
    }
    moved[f->insts.n] = (uint32_t)w.out.n;
    places_move(f, moved, moved);
    mem_free(moved);
    mem_free(f->insts.v);
    f->insts.v = w.out.v, f->insts.n = w.out.n, f->insts.cap = w.out.cap;
}
