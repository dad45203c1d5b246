// stride.c: predicts from the text of a kernel how often a line would hit (S-L1 §6: "if accesses to all data structures
// can be statically analyzed, the monitoring phase might also become unnecessary"). The address of an access is
// followed back, within the innermost loop around it, to a register that each round of the loop moves by a constant, or
// leaves alone. These steps tell which accesses find their line. If an address can't be followed, its structure isn't
// known. A wrong prediction costs time, but never changes a result.
#include "ptx/ops.h"
#include "sl1/unit.h"

#include <stdlib.h>

enum {
    ROUNDS = 64,
    DEEP = 32,
    INNER = 10
};  // rounds that are simulated; steps back along definitions, at most; rounds that an inner loop is supposed to make

typedef struct Address {  // root + offset, moving by step in each round
    bool known;
    int64_t step, offset;
    uint64_t root;  // a hash of the unknown part: addresses with the same root have a known distance
} Address;
typedef struct Round {  // of a loop
    const Sl1Body *b;
    uint32_t loop;
    uint64_t *budget;  // how many instructions may still be looked at
} Round;
typedef struct Stream {
    Address at;
    uint32_t width;
} Stream;

static const Address unknown = {.known = false};

// How many instructions are looked at for a kernel, at most: there may be exponentially many ways back from an address.
// What isn't followed by then isn't known.
#define BUDGET (50ull << 20)

// --- definitions -----------------------------------------------------------------------------------------------------
// How many instructions of the loop define a register, and the last of them.
static uint32_t definitions(const Round *r, uint32_t reg, uint32_t *last)
{
    const Loop *l = &r->b->flow->loops.v[r->loop];
    uint32_t n = 0;
    for (size_t k = 0; k < l->blocks.n && *r->budget; k++) {
        const Block *block = &r->b->flow->blocks.v[l->blocks.v[k]];
        *r->budget -= MIN(*r->budget, block->last - block->first);
        for (uint32_t at = block->first; at < block->last; at++)
            if (inst_writes(&r->b->f->insts.v[at], reg)) *last = at, n++;
    }
    return *r->budget ? n : 2;  // 2 stands for several: not known
}

static bool precedes(const Round *r, uint32_t def, uint32_t use)
{
    uint32_t a = r->b->flow->block_of[def], b = r->b->flow->block_of[use];
    return a == b ? def < use : flow_dominates(r->b->flow, a, b);
}

// Is the instruction executed exactly once in each round that is followed by another?
static bool in_every_round(const Round *r, uint32_t n)
{
    const Flow *flow = r->b->flow;
    const Loop *l = &flow->loops.v[r->loop];
    bool every = flow->blocks.v[flow->block_of[n]].loop == r->loop;
    for (size_t k = 0; k < l->latches.n; k++) every &= flow_dominates(flow, flow->block_of[n], l->latches.v[k]);
    return every && !r->b->f->insts.v[n].guarded;
}

// --- following back --------------------------------------------------------------------------------------------------
static bool is_constant(const Operand *o) { return o->kind == O_IMM && o->imm_kind == IMM_INT; }

// Does each round add a constant to this register, and nothing else?
static bool moves_by(const Round *r, uint32_t reg, int64_t *step)
{
    uint32_t at = reg, def = 0;
    *step = 0;
    for (int n = 0; n < DEEP; n++) {
        if (definitions(r, at, &def) != 1 || !in_every_round(r, def)) return false;
        const Inst *i = &r->b->f->insts.v[def];
        bool plus = i->op == OP_ADD || i->op == OP_SUB;
        if ((!plus && i->op != OP_MOV) || i->opnd[1].kind != O_REG || (plus && !is_constant(&i->opnd[2]))) return false;
        if (plus)
            *step = (int64_t)(i->op == OP_ADD ? (uint64_t)*step + i->opnd[2].imm : (uint64_t)*step - i->opnd[2].imm);
        at = i->opnd[1].reg;
        if (at == reg) return true;
    }
    return false;
}

static uint64_t mix(uint64_t a, uint64_t b) { return (a ^ (b + 0x9E3779B97F4A7C15 + (a << 6))) * 0xD6E8FEB86659FD93; }

static Address sum(Address a, Address b, int64_t sign)
{
    if (!a.known || !b.known) return unknown;
    Address s = {.known = true};
    if (__builtin_mul_overflow(b.step, sign, &s.step) || __builtin_add_overflow(s.step, a.step, &s.step) ||
        __builtin_mul_overflow(b.offset, sign, &s.offset) || __builtin_add_overflow(s.offset, a.offset, &s.offset))
        return unknown;
    return (Address){true, s.step, s.offset,
                     !b.root               ? a.root
                     : !a.root && sign > 0 ? b.root
                                           : mix(a.root, b.root + (uint64_t)sign)};
}

static Address times(Address a, int64_t by)
{
    if (!a.known || by > INT32_MAX || by < INT32_MIN) return unknown;
    Address s = {.known = true, .root = a.root ? mix(a.root, (uint64_t)by) : 0};
    bool over = __builtin_mul_overflow(a.step, by, &s.step) || __builtin_mul_overflow(a.offset, by, &s.offset);
    return over ? unknown : s;
}

static Address follow(const Round *r, uint32_t reg, uint32_t use, int deep);

static Address value(const Round *r, const Operand *o, uint32_t use, int deep)
{
    if (is_constant(o)) return (Address){true, 0, (int64_t)o->imm, 0};
    return o->kind == O_REG ? follow(r, o->reg, use, deep) : unknown;
}

static Address product(const Round *r, const Operand *a, const Operand *b, uint32_t use, int deep)
{
    if (is_constant(b)) return times(value(r, a, use, deep), (int64_t)b->imm);
    return is_constant(a) ? times(value(r, b, use, deep), (int64_t)a->imm) : unknown;
}

static Address result(const Round *r, uint32_t def, int deep)
{
    const Inst *i = &r->b->f->insts.v[def];
    const Operand *o = i->opnd;
    if (i->guarded || o[0].kind != O_REG || type_info[i->type].kind == K_FLOAT || i->mod[G_MUL] == M_HI) return unknown;
    switch (i->op) {
    case OP_MOV:
    case OP_CVTA:
    case OP_CVT: return value(r, &o[1], def, deep);
    case OP_ADD: return sum(value(r, &o[1], def, deep), value(r, &o[2], def, deep), 1);
    case OP_SUB: return sum(value(r, &o[1], def, deep), value(r, &o[2], def, deep), -1);
    case OP_MUL: return product(r, &o[1], &o[2], def, deep);
    case OP_MAD: return sum(product(r, &o[1], &o[2], def, deep), value(r, &o[3], def, deep), 1);
    case OP_SHL:
        return is_constant(&o[2]) && o[2].imm < 31 ? times(value(r, &o[1], def, deep), 1ll << o[2].imm) : unknown;
    default: return unknown;
    }
}

// A register's value where it is used: what this round computed, or what the last one left.
static Address follow(const Round *r, uint32_t reg, uint32_t use, int deep)
{
    uint32_t def = 0, n = definitions(r, reg, &def);
    Address same = {.known = true, .root = reg + 1ull};
    if (!n || (n == 1 && !precedes(r, def, use) && moves_by(r, reg, &same.step))) return same;
    return n == 1 && deep && precedes(r, def, use) ? result(r, def, deep - 1) : unknown;
}

// --- hits ------------------------------------------------------------------------------------------------------------
// Counts hits as simulateCache would, for the accesses of some rounds, and for every place in a line at which they may
// begin.
static void count_hits(const Stream *s, size_t n, uint32_t line, uint64_t *hits, uint64_t *all)
{
    uint32_t width = line;
    for (size_t k = 0; k < n; k++) width = MIN(width, s[k].width);
    for (int64_t begin = 0; begin < line; begin += width) {
        int64_t at = INT64_MIN;
        uint64_t root = 0;
        for (int64_t round = 0; round < ROUNDS; round++)
            for (size_t k = 0; k < n; k++) {
                int64_t byte = begin + s[k].at.offset + round * s[k].at.step,
                        where = byte >= 0 ? byte / line : -((line - 1 - byte) / line);
                *hits += where == at && s[k].at.root == root, *all += 1;
                at = where, root = s[k].at.root;
            }
    }
}

// Adds the hits and accesses of structure k in one loop, without the loops inside it. False: they aren't known.
static bool look_at_round(const Round *r, uint32_t main, int k, uint32_t line, double weight, double *hits, double *all)
{
    const Sl1Body *b = r->b;
    VEC(Stream) streams = {0};
    bool known = true;
    for (uint32_t n = 0; n < b->f->insts.n; n++) {
        const Inst *i = &b->f->insts.v[n];
        uint32_t block = b->flow->block_of[n];
        if (b->loop_of[block] != (int)main || b->access[n] != k || b->flow->blocks.v[block].loop != r->loop) continue;
        const Operand *o = &i->opnd[i->op == OP_ST ? 0 : 1];
        Stream s = {o->reg == NO_REG ? unknown : follow(r, o->reg, n, DEEP), (uint32_t)type_bytes(i->type) * i->vec};
        known &= s.at.known && !__builtin_add_overflow(s.at.offset, (int64_t)o->imm, &s.at.offset) &&
                 llabs(s.at.step) < INT64_MAX / 1024 && llabs(s.at.offset / 2) < INT64_MAX / 8;
        vec_push(&streams, s);
    }
    uint64_t h = 0, a = 0;
    if (known && streams.n) count_hits(streams.v, streams.n, line, &h, &a);
    if (a) *hits += weight * (double)streams.n * (double)h / (double)a, *all += weight * (double)streams.n;
    vec_free(&streams);
    return known;
}

static void look_at_structure(const Sl1Plan *p, Sl1Loop *l, uint32_t main, uint32_t k, uint32_t line, uint64_t *budget)
{
    const Sl1Body *b = p->bodies.v[0];
    double hits = 0, all = 0;
    bool known = true;
    for (uint32_t n = 0; n < b->flow->loops.n; n++) {
        uint32_t up = n;
        double weight = 1;
        for (; up != l->loop && up != NO_BLOCK; up = b->flow->loops.v[up].parent)
            weight = MIN(weight * INNER, 1e100), *budget -= MIN(*budget, 1u);
        known &= *budget > 0;
        if (up == l->loop && known)
            known = look_at_round(&(Round){b, n, budget}, main, (int)k, line, weight, &hits, &all);
    }
    l->hits[k] = !known ? SL1_NOT_KNOWN : all > 0 ? (int16_t)(1000 * hits / all) : SL1_NOT_USED;
    l->weight[k] = all;
}

void sl1_strides(Sl1Plan *p, uint32_t line)
{
    const Sl1Body *b = p->bodies.v[0];
    uint64_t budget = BUDGET;
    for (uint32_t n = 0; n < p->loops; n++) {
        Sl1Loop *l = &p->loop[n];
        bool calls = false;
        for (uint32_t i = 0; i < b->f->insts.n; i++)
            calls |= b->loop_of[b->flow->block_of[i]] == (int)n && b->call[i] > 0;
        l->known = !l->left;
        for (uint32_t k = 0; k < p->structures; k++) {
            if (calls)
                l->hits[k] = SL1_NOT_KNOWN;
            else
                look_at_structure(p, l, n, k, line, &budget);
            l->known &= p->structure[k].barred || l->hits[k] != SL1_NOT_KNOWN;
        }
    }
}
