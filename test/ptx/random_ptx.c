// random_ptx.c: see random_ptx.h.
#include "ptx/random_ptx.h"
#include "ptx/ops.h"
#include "ptx/unit.h"

#include "check.h"

#include <string.h>

uint32_t chance(uint64_t *state, uint32_t n)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ x >> 31) >> 32) % n;
}

// --- made up ---------------------------------------------------------------------------------------------------------
typedef struct Maker {
    uint64_t state;
    Text *out;
    uint32_t r, d, p, h;  // registers of 32, 64, 1 and 16 bits
    uint32_t blocks;
} Maker;

#define pick(m, n) chance(&(m)->state, (n))

static void guard(Maker *m)
{
    if (pick(m, 4) == 0) text_printf(m->out, "@%s%%p%u ", pick(m, 2) ? "!" : "", pick(m, m->p));
}

static void value32(Maker *m)
{
    if (pick(m, 4))
        text_printf(m->out, "%%r%u", pick(m, m->r));
    else
        text_printf(m->out, "%d", (int)pick(m, 40) - 20);
}

static void instruction(Maker *m)
{
    static const char *const binary[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "xor.b32", "max.s32"};
    static const char *const comparison[] = {"eq", "ne", "lt", "ge"};
    Text *out = m->out;
    text_put(out, "    ");
    guard(m);
    switch (pick(m, 28)) {
    case 0:
    case 1: text_printf(out, "mov.b32 %%r%u, %%r%u;", pick(m, m->r), pick(m, m->r)); break;
    case 2: text_printf(out, "mov.u32 %%r%u, %d;", pick(m, m->r), (int)pick(m, 100) - 50); break;
    case 3:
    case 4:
    case 5:
    case 6:
        text_printf(out, "%s %%r%u, ", binary[pick(m, COUNT(binary))], pick(m, m->r));
        value32(m);
        text_put(out, ", ");
        value32(m);
        text_put(out, ";");
        break;
    case 7:
        text_printf(out, "setp.%s.s32 %%p%u, %%r%u, ", comparison[pick(m, COUNT(comparison))], pick(m, m->p),
                    pick(m, m->r)),
            value32(m), text_put(out, ";");
        break;
    case 8:
        text_printf(out, "selp.b32 %%r%u, %%r%u, %%r%u, %s%%p%u;", pick(m, m->r), pick(m, m->r), pick(m, m->r),
                    pick(m, 2) ? "!" : "", pick(m, m->p));
        break;
    case 9: text_printf(out, "add.s64 %%d%u, %%d%u, %%d%u;", pick(m, m->d), pick(m, m->d), pick(m, m->d)); break;
    case 10: text_printf(out, "mov.b64 %%d%u, %%d%u;", pick(m, m->d), pick(m, m->d)); break;
    case 11: text_printf(out, "cvt.s64.s32 %%d%u, %%r%u;", pick(m, m->d), pick(m, m->r)); break;
    case 12: text_printf(out, "cvt.u32.u64 %%r%u, %%d%u;", pick(m, m->r), pick(m, m->d)); break;
    case 13: text_printf(out, "mov.b64 {%%r%u, %%r%u}, %%d%u;", pick(m, m->r), pick(m, m->r), pick(m, m->d)); break;
    case 14: text_printf(out, "mov.b64 %%d%u, {%%r%u, %%r%u};", pick(m, m->d), pick(m, m->r), pick(m, m->r)); break;
    case 15: text_printf(out, "ld.global.v2.u32 {%%r%u, %%r%u}, [%%out];", pick(m, m->r), pick(m, m->r)); break;
    case 16: text_printf(out, "cvt.u16.u32 %%h%u, %%r%u;", pick(m, m->h), pick(m, m->r)); break;
    case 17: text_printf(out, "mov.b32 %%r%u, {%%h%u, %%h%u};", pick(m, m->r), pick(m, m->h), pick(m, m->h)); break;
    case 18: text_printf(out, "mov.pred %%p%u, %s%%p%u;", pick(m, m->p), pick(m, 2) ? "!" : "", pick(m, m->p)); break;
    case 19: text_printf(out, "mov.b32 %%v.%c, %%r%u;", "xyr"[pick(m, 3)], pick(m, m->r)); break;
    case 20: text_printf(out, "mov.b32 %%r%u, %%v.%c;", pick(m, m->r), "xyg"[pick(m, 3)]); break;
    case 21: text_printf(out, "mov.v2.b32 %%v, {%%v.%c, %%r%u};", "xy"[pick(m, 2)], pick(m, m->r)); break;
    case 22: text_printf(out, "mov.b64 %%d%u, %%v;", pick(m, m->d)); break;
    case 23:
        text_printf(out, "add.s32 %%r%u, %%r%u, (%d+%d)*%d;", pick(m, m->r), pick(m, m->r), (int)pick(m, 9) - 4,
                    (int)pick(m, 9), (int)pick(m, 9) - 4);
        break;
    case 24: text_printf(out, "st.global.v2.u32 [%%out+4*%u], %%v;", pick(m, 4) * 2); break;
    case 25: text_printf(out, "ld.global.u32 %%r%u, table[%u];", pick(m, m->r), pick(m, 8)); break;
    case 26:
        text_printf(out, "st.global.u32 table[%%r%u+%d], %%r%u;", pick(m, m->r), (int)pick(m, 9) - 4, pick(m, m->r));
        break;
    default: text_printf(out, "st.global.v2.u32 [%%out], {%%r%u, %%r%u};", pick(m, m->r), pick(m, m->r));
    }
    text_put(out, "\n");
}

// A loop of one block: how it counts, and up to where, is sometimes known. It may run away from its limit.
static void counted_loop(Maker *m, uint32_t number)
{
    static const char *const kinds[] = {"s32", "u32", "s64", "u64"}, *const up[] = {"lt", "le", "ne"},
                             *const down[] = {"gt", "ge", "ne"};
    Text *out = m->out;
    uint32_t kind = pick(m, 4), wide = kind / 2, bits = wide ? 64 : 32;
    const char *i = wide ? "%e" : "%c", *limit = wide ? "%f" : "%g";
    int step = (int)pick(m, 4) + 1, sign = pick(m, 2) ? 1 : -1, start = (int)pick(m, 30) - 10, known = (int)pick(m, 2);
    int far = start + sign * (int)(pick(m, 12) * (uint32_t)step) + (pick(m, 4) ? 0 : (int)pick(m, 3));
    bool edge = !pick(m, 8), first = !pick(m, 4), turned = !pick(m, 3);
    const char *cmp = sign > 0 ? up[pick(m, 3)] : down[pick(m, 3)];
    if (known)
        text_printf(out, "    mov.b%u %s, %d;\n", bits, i, start);
    else
        text_printf(out, "    %s %s, %%r%u;\n    and.b%u %s, %s, 15;\n", wide ? "cvt.u64.u32" : "mov.b32", i,
                    pick(m, m->r), bits, i, i);
    text_printf(out, "    mov.b%u %s, %lld;\n", bits, limit,
                edge ? (wide ? 0x7fffffffffffffffll : 0x7fffffffll) - (long long)pick(m, 3) : (long long)far);
    if (edge) text_printf(out, "    sub.s%u %s, %s, %d;\n", bits, i, limit, (int)pick(m, 9) * step);
    text_printf(out, "C%u:\n", number);
    if (first) text_printf(out, "    add.s%u %s, %s, %d;\n", bits, i, i, sign * step);
    for (uint32_t n = pick(m, 4); n; n--) instruction(m);
    text_printf(out, "    st.global.u%u [%%out+16], %s;\n", bits, i);
    char right[24];
    if (edge || pick(m, 2))
        snprintf(right, sizeof right, "%s", limit);
    else
        snprintf(right, sizeof right, "%d", far);
    text_printf(out, "    setp.%s.%s %%q, %s, %s;\n", cmp, kinds[kind], i, right);
    if (!first) text_printf(out, "    add.s%u %s, %s, %d;\n", bits, i, i, sign * step);
    if (turned) text_put(out, "    not.pred %q, %q;\n");
    text_printf(out, "    @%s%%q bra C%u;\n", turned ? "!" : "", number);
}

static void block_end(Maker *m, uint32_t block)
{
    Text *out = m->out;
    switch (pick(m, 8)) {
    case 0: break;
    case 1: text_printf(out, "    bra L%u;\n", pick(m, m->blocks + 1)); break;
    case 2:
        text_printf(out, "    and.b32 %%index, %%r%u, 3;\n    brx.idx %%index, T%u;\n", pick(m, m->r), block);
        break;
    case 3: text_put(out, "    "), guard(m), text_put(out, "ret;\n"); break;
    default: text_printf(out, "    @%s%%p%u bra L%u;\n", pick(m, 2) ? "!" : "", pick(m, m->p), pick(m, m->blocks + 1));
    }
}

Module *random_module(uint64_t seed, int size)
{
    Text text = {0};
    Maker maker = {.state = seed, .out = &text}, *m = &maker;
    m->r = 2 + pick(m, 12), m->d = 1 + pick(m, 6), m->p = 1 + pick(m, 4), m->h = 1 + pick(m, 3),
    m->blocks = 1 + pick(m, 12);
    text_printf(&text,
                ".version 8.8\n.target sm_90\n.address_size 64\n.global .u32 table[8];\n.visible .entry "
                "k(.param .u64 a, .param .u64 b)\n{\n"
                "    .reg .b32 %%r<%u>;\n    .reg .b64 %%d<%u>;\n    .reg .pred %%p<%u>;\n    .reg .b16 %%h<%u>;\n"
                "    .reg .b64 %%out;\n    .reg .b32 %%index, %%c, %%g;\n    .reg .b64 %%e, %%f;\n    .reg .pred %%q;\n"
                "    .reg .v2 .b32 %%v;\n",
                m->r, m->d, m->p, m->h);
    for (uint32_t b = 0; b < m->blocks; b++)
        text_printf(&text, "T%u: .branchtargets L%u, L%u, L%u, L%u;\n", b, pick(m, m->blocks + 1),
                    pick(m, m->blocks + 1), pick(m, m->blocks + 1), b + 1);
    text_put(&text, "    ld.param.u64 %out, [a];\n    cvta.to.global.u64 %out, %out;\n    ld.param.u64 %d0, [b];\n    "
                    "mov.u32 %r0, 3;\n    setp.eq.s32 %p0, %r0, 3;\n");
    for (uint32_t b = 0; b < m->blocks; b++) {
        text_printf(&text, "L%u:\n", b);
        for (uint32_t n = pick(m, 7) * (uint32_t)size; n; n--) instruction(m);
        if (!pick(m, 3)) counted_loop(m, b);
        block_end(m, b);
    }
    text_printf(&text,
                "L%u:\n    st.global.v2.u32 [%%out], {%%r0, %%r1};\n    st.global.u64 [%%out], %%d0;\n    ret;\n}\n",
                m->blocks);
    Diag diag = {0};
    Module *module = ptx_parse(text.v, text.n, "random", &diag);
    if (!module) fail_msg("seed %llu: %s", (unsigned long long)seed, diag.text.v);
    diag_free(&diag);
    text_free(&text);
    return module;
}

// --- run -------------------------------------------------------------------------------------------------------------
enum { MEMORY = 1 << 10, TABLE = 0x50000 };  // words; where the table lies

typedef struct Machine {
    const Function *f;
    Home home;
    uint64_t *own;        // per register
    uint32_t *cell;       // per cell of the home
    uint8_t *pred;        // per register, or per predicate of the home
    VEC(uint64_t) local;  // by variable
    uint32_t *memory;     // by address: what is stored there less what was there before
    Text *out;
} Machine;

static int bits_of(const Machine *x, uint32_t reg) { return type_info[x->f->regs.v[reg].type].bits; }

static uint64_t get(const Machine *x, uint32_t reg)
{
    int bits = bits_of(x, reg);
    if (bits == 1) return x->pred[x->home.at ? x->home.at[reg] : reg];
    if (!x->home.at) return x->own[reg];
    const uint32_t *c = x->cell + x->home.at[reg];
    return bits == 64 ? c[0] | (uint64_t)c[1] << 32 : c[0];
}

static void set(Machine *x, uint32_t reg, uint64_t v)
{
    int bits = bits_of(x, reg);
    if (bits == 16) v = (uint16_t)v;
    if (bits == 32) v = (uint32_t)v;
    if (bits == 1) {
        x->pred[x->home.at ? x->home.at[reg] : reg] = v & 1;
    } else if (!x->home.at) {
        x->own[reg] = v;
    } else {
        assert_true(x->home.at[reg] + (uint32_t)(bits + 31) / 32 <= x->home.cells);
        uint32_t *c = x->cell + x->home.at[reg];
        c[0] = (uint32_t)v;
        if (bits == 64) c[1] = (uint32_t)(v >> 32);
    }
}

static uint64_t operand(const Machine *x, const Operand *o, Type t)
{
    if (o->kind == O_IMM) return imm_bits(o, t);
    if (o->kind == O_SYM) return TABLE + o->imm;
    assert_int_equal(o->kind, O_REG);
    uint64_t v = get(x, o->reg);
    return o->negated ? !v : v;
}

static void give(Machine *x, const Operand *o, uint64_t v)
{
    if (o->kind == O_REG) set(x, o->reg, v);
}

static uint64_t *variable(Machine *x, const Operand *o)
{
    for (size_t k = 0; k < x->f->locals.n; k++) {
        while (x->local.n <= k) vec_push(&x->local, 0);
        if (x->f->locals.v[k] == o->sym) return &x->local.v[k];
    }
    fail_msg("no such variable");
    return NULL;
}

static void move(Machine *x, const Inst *i)
{
    const Operand *to = &i->opnd[0], *from = &i->opnd[1];
    int part = type_info[i->type].bits;
    if (from->kind == O_VEC) {
        uint64_t v = 0;
        part /= from->count;
        for (int k = 0; k < from->count; k++)
            v |= operand(x, &from->items[k], part == 16 ? TY_B16 : TY_B32) << (k * part);
        give(x, to, v);
    } else if (to->kind == O_VEC) {
        uint64_t v = operand(x, from, i->type);
        part /= to->count;
        for (int k = 0; k < to->count; k++) give(x, &to->items[k], v >> (k * part));
    } else {
        give(x, to, operand(x, from, i->type));
    }
}

// Words that are far from each other may be one: then a store of one changes the other.
static uint32_t *cell_at(Machine *x, uint64_t address) { return &x->memory[address / 4 % MEMORY]; }

static void memory(Machine *x, const Inst *i)
{
    bool load = i->op == OP_LD;
    const Operand *what = &i->opnd[load ? 0 : 1], *where = &i->opnd[load ? 1 : 0];
    int n = what->kind == O_VEC ? what->count : 1;
    if (i->space == SP_LOCAL) {
        if (load)
            give(x, what, *variable(x, where));
        else
            *variable(x, where) = operand(x, what, i->type);
        return;
    }
    uint64_t v[8], address = where->imm + (where->reg == NO_REG ? 0 : get(x, where->reg)) + (where->sym ? TABLE : 0);
    uint64_t bytes = (uint64_t)type_info[i->type].bits / 8;
    if (!load) text_printf(x->out, "[%llx]", (unsigned long long)address);
    for (int k = 0; k < n; k++) {
        const Operand *e = what->kind == O_VEC ? &what->items[k] : what;
        if (i->space == SP_PARAM)
            v[k] = where->sym->name[0] == 'a' ? 0x1000 : 0x123456789abcdefu;
        else if (load)
            v[k] = (*cell_at(x, address + (uint64_t)k * bytes) + address * 3 + (uint64_t)k * 13) % 50;
        else
            text_printf(x->out, " %llx", (unsigned long long)operand(x, e, i->type)),
                *cell_at(x, address + (uint64_t)k * bytes) = (uint32_t)operand(x, e, i->type);
    }
    for (int k = 0; load && k < n; k++) give(x, what->kind == O_VEC ? &what->items[k] : what, v[k]);
    if (!load) text_put(x->out, "\n");
}

static bool compare(Mod how, bool equal, bool less)
{
    switch (how) {
    case M_EQ: return equal;
    case M_NE: return !equal;
    case M_LT: return less;
    case M_LE: return less || equal;
    case M_GT: return !less && !equal;
    default: return !less;
    }
}

static uint64_t calculate(Machine *x, const Inst *i)
{
    const Operand *o = i->opnd;
    if (i->op == OP_CVTA) return operand(x, &o[1], TY_B64);
    if (i->op == OP_SELP) return operand(x, &o[3], TY_PRED) ? operand(x, &o[1], i->type) : operand(x, &o[2], i->type);
    if (i->op == OP_CVT) {
        uint64_t v = operand(x, &o[1], i->type2);
        return i->type2 == TY_S32 ? (uint64_t)(int32_t)v : v;
    }
    uint64_t a = operand(x, &o[1], i->type), b = i->op == OP_NOT ? 0 : operand(x, &o[2], i->type);
    if (i->op == OP_MAD) return (uint64_t)(uint32_t)a * (uint32_t)b + operand(x, &o[3], TY_B64);
    bool wide = type_info[i->type].bits == 64, number = type_info[i->type].kind == K_SINT;
    if (!wide) a = number ? (uint64_t)(int32_t)a : (uint32_t)a, b = number ? (uint64_t)(int32_t)b : (uint32_t)b;
    bool equal = a == b, less = number ? (int64_t)a < (int64_t)b : a < b;
    switch (i->op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_AND: return a & b;
    case OP_XOR: return a ^ b;
    case OP_MAX: return less ? b : a;
    case OP_MIN: return less ? a : b;
    case OP_NOT: return !a;
    case OP_SETP:
        less = compare(i->mod[G_CMP], equal, less);
        return i->mod[G_BOOL] == M_AND ? less && operand(x, &o[3], TY_PRED) : less;
    default: fail_msg("the interpreter doesn't know '%s'", op_info[i->op].name); return 0;
    }
}

bool interpret(const Function *f, Home home, Text *out)
{
    Machine x = {.f = f, .home = home, .out = out};
    x.own = mem_alloc(sizeof *x.own * (f->regs.n + 1));
    x.cell = mem_alloc(sizeof *x.cell * (home.cells + 1));
    x.pred = mem_alloc(f->regs.n + 1);
    x.memory = mem_alloc(sizeof *x.memory * MEMORY);
    int branches = 0;
    size_t from = out->n;
    uint32_t pc = 0;
    for (; pc < f->insts.n && branches < 300 && out->n - from < 2000 * 8;) {
        const Inst *i = &f->insts.v[pc++];
        bool branch = i->op == OP_BRA || i->op == OP_BRX;
        branches += branch;
        if (i->guarded && get(&x, i->guard) == i->guard_negated) continue;
        if (i->op == OP_RET || i->op == OP_EXIT) pc = (uint32_t)f->insts.n;
        if (i->op == OP_RET || i->op == OP_EXIT) continue;
        if (i->op == OP_BRA)
            pc = f->labels.v[i->opnd[0].reg].inst;
        else if (i->op == OP_BRX)
            pc = f->labels.v[i->opnd[1].items[operand(&x, &i->opnd[0], TY_B32)].reg].inst;
        else if (i->op == OP_LD || i->op == OP_ST)
            memory(&x, i);
        else if (i->op == OP_MOV)
            move(&x, i);
        else
            give(&x, &i->opnd[0], calculate(&x, i));
    }
    mem_free(x.own), mem_free(x.cell), mem_free(x.pred), mem_free(x.memory);
    vec_free(&x.local);
    return pc >= f->insts.n;
}
