// guard.c: a branch over few instructions goes, and they get its guard, as ptxas does it: a warp whose threads differ
// then goes over them once, and what stands before and behind them is one block. ptxas of CUDA 13 does so for sm_75, 86
// and 90 where both sides together have 20 machine instructions at most, the jump between them included, and no atomic
// operation; with 21 it writes BSSY and BRA (products, sums, MUFU, loads and stores of shared and global memory, with
// nothing, 1, 4 and 8 of them on the other side). Invariant: they don't write the
// predicate that the branch reads, and each thread executes what it did.
#include "ptx/ops.h"
#include "ptx/pass.h"

enum { MOST_SLOTS = 20 };  // of machine code, on both sides

typedef struct Side {
    uint32_t first, last;  // instructions, without the jump at its end
} Side;

static bool may_guard(const Function *f, const Inst *i, uint32_t guard, uint32_t *slots)
{
    Class c = op_info[i->op].class;
    if (i->op == OP_ATOM || i->op == OP_RED) return false;
    if (i->guarded || op_has(i->op, P_TOGETHER | P_BRANCH | P_LEAVE | P_ORDER | P_EARLY) || inst_has(i, G_SYNC))
        return false;
    if (c == CLASS_BRANCH || c == CLASS_BARRIER || c == CLASS_FENCE || inst_has(i, G_CC)) return false;
    if (i->op == OP_ADDC || i->op == OP_SUBC || i->op == OP_MADC || i->op == OP_ACTIVEMASK) return false;
    *slots += inst_sass(i, f->module->sass).slots;
    return !inst_writes(i, guard) && *slots <= MOST_SLOTS;
}

static bool may_guard_all(const Function *f, const Side *s, uint32_t guard, uint32_t *slots)
{
    if (s->last - s->first > 2 * MOST_SLOTS) return false;
    for (size_t p = 0; p < f->pragmas.n; p++)
        if (f->pragmas.v[p].inst >= s->first && f->pragmas.v[p].inst < s->last) return false;
    for (uint32_t n = s->first; n < s->last; n++)
        if (!may_guard(f, &f->insts.v[n], guard, slots)) return false;
    return true;
}

// --- what is read where ----------------------------------------------------------------------------------------------
typedef struct Inside {
    const RegIndex *readers, *writers;
    const Side *side;
    uint32_t at;  // the instruction
    bool all;
} Inside;
static void find_outside(void *user, uint32_t reg, bool def)
{
    Inside *x = user;
    if (!def) return;
    x->all &= reg_single(x->writers, reg);
    if (!x->all) return;
    for (uint32_t k = x->readers->first[reg]; k < x->readers->first[reg + 1]; k++)
        x->all &= x->readers->inst[k] > x->at && x->readers->inst[k] < x->side->last;
}

// What writes registers that nobody else writes, and that only later ones of these instructions read, needs to keep
// nothing for the threads that skip it; arithmetic is done for them too.
static void put_guard(Function *f, const Side *s, uint32_t guard, bool negated, const RegIndex *readers,
                      const RegIndex *writers)
{
    for (uint32_t n = s->first; n < s->last; n++) {
        Inst *i = &f->insts.v[n];
        Inside x = {readers, writers, s, n, true};
        inst_regs(i, find_outside, &x);
        bool plain = op_info[i->op].class == CLASS_ALU || inst_on_alu(i) || (i->op == OP_LD && i->space == SP_PARAM);
        if (x.all && plain && inst_dest_count(i)) continue;
        i->guarded = true, i->guard = guard, i->guard_negated = negated;
        i->alone = x.all;
    }
}

// --- what a branch leads over ----------------------------------------------------------------------------------------
static bool falls_to(const Flow *w, uint32_t block, uint32_t to)
{
    const Block *b = &w->blocks.v[block];
    return b->pred.n == 1 && b->succ.n == 1 && b->succ.v[0] == to;
}

static bool is_jump(const Inst *i) { return i->op == OP_BRA && !i->guarded; }

// The sides of the branch at the end of block b: then, or then and other. False: it leads over something else.
static bool find_sides(const Function *f, const Flow *w, uint32_t b, Side *then, Side *other)
{
    const Block *k = &w->blocks.v[b];
    if (k->first == k->last || b + 2 >= w->blocks.n) return false;
    const Inst *branch = &f->insts.v[k->last - 1];
    if (branch->op != OP_BRA || !branch->guarded) return false;
    const Block *next = &w->blocks.v[b + 1];
    uint32_t at = f->labels.v[branch->opnd[0].reg].inst;
    if (at <= next->first || at >= f->insts.n + 1) return false;
    *then = (Side){next->first, next->last}, *other = (Side){0, 0};
    const bool ends = f->entry && (at == f->insts.n || op_has(f->insts.v[at].op, P_LEAVE));  // an EXIT under the guard
    if (next->last == at && falls_to(w, b + 1, b + 2) && !is_jump(&f->insts.v[at - 1])) return !ends;
    if (next->last != at || b + 3 >= w->blocks.n || !is_jump(&f->insts.v[at - 1])) return false;
    const Block *last = &w->blocks.v[b + 2];
    *then = (Side){next->first, next->last - 1}, *other = (Side){last->first, last->last};
    return falls_to(w, b + 1, b + 3) && falls_to(w, b + 2, b + 3) && !is_jump(&f->insts.v[last->last - 1]);
}

bool guard_branches(Function *f)
{
    Flow *w = flow_build(f);
    bool *gone = mem_alloc(f->insts.n + 1), any = false;
    RegIndex readers = reg_index(f, false), writers = reg_index(f, true);
    for (uint32_t b = 0; b + 1 < w->blocks.n; b++) {
        Side then, other;
        if (!find_sides(f, w, b, &then, &other)) continue;
        const Inst *branch = &f->insts.v[w->blocks.v[b].last - 1];
        uint32_t slots = other.last > 0;
        if (!may_guard_all(f, &then, branch->guard, &slots)) continue;
        if (!may_guard_all(f, &other, branch->guard, &slots)) continue;
        put_guard(f, &then, branch->guard, !branch->guard_negated, &readers, &writers);
        put_guard(f, &other, branch->guard, branch->guard_negated, &readers, &writers);
        gone[w->blocks.v[b].last - 1] = any = true;
        if (other.last) gone[then.last] = true;
        b += other.last ? 2 : 1;
    }
    reg_index_free(&readers), reg_index_free(&writers);
    if (any) insts_drop(f, gone);
    mem_free(gone);
    flow_free(w);
    return any;
}
