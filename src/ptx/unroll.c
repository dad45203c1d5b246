// unroll.c: copies of a loop's body one behind the other, as ptxas of CUDA 13 makes them: as many as the turns are
// known to be, where these are few; so many that they divide the turns; or four, then two, then one, where nothing is
// known.
// How many are "small" and "so many" was measured, in loops of mad and of pairs of a load and a mad (-O3, sm_75 to
// sm_90); a loop here counts like the one with as many instructions, of which a load is two. Loops are single blocks
// that go on as long as a register with a constant step compares with what the loop doesn't change.
//
// Each copy writes registers of its own, except the last, which leaves in the loop's own registers what the next turn
// reads. Invariant: a thread makes the same turns; a copy's test is left out only where it's sure how it would end.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <string.h>

enum { MOST_TURNS = 1024, MOST_INSTS = 1 << 16, MOST_STEP = 1 << 20, MOST_BODY = 256, MOST_LOOPS = 1000 };
static const char NO_UNROLL[] = ".pragma \"nounroll\";";

typedef struct Turns {
    uint16_t weight, full, copies;  // fully up to so many turns; else so many copies
} Turns;
static const Turns turns_of[] = {{2, 1024, 1024}, {3, 512, 106}, {4, 512, 75}, {6, 400, 55}, {8, 200, 38},
                                 {12, 100, 24},   {16, 64, 21},  {24, 36, 12}, {32, 20, 8},  {36, 16, 8},
                                 {48, 9, 4},      {64, 6, 4},    {96, 4, 1},   {192, 2, 1}};
// The most instructions of a loop whose turns aren't known, measured with ptxas: without loads; and with loads of
// global memory, which count twice (up to 44, 42, … 18 mads with 1, 2, … 14 loads). Each load of shared memory allows
// four more (21 mads with one; 31 and 43 with 4 and 8, where this says 30 and 42).
enum { MOST_UNKNOWN = 18, MOST_UNKNOWN_LOADING = 46 };

typedef struct Counted {
    uint32_t counter, limit;  // registers; limit NO_REG: a constant
    uint64_t constant;
    int64_t step, offset;  // what a turn adds; what the counter of a turn's beginning is compared with more
    int bits;
    bool is_signed, up, equal, differs;  // goes on while below or above the limit, or equal to it; or while it differs
    bool negated;                        // of the branch's guard
} Counted;
typedef struct Unroll {
    Function *f;
    uint32_t first, last;  // the body: instructions [first, last); the branch is the last one
    uint32_t *to;          // per register: what stands for it in the copy that is made
    bool *kept;            // per register: where it's written, some thread may keep what it holds, or adds to that
    VEC(Inst) out;
} Unroll;

// --- which loops -----------------------------------------------------------------------------------------------------
static bool has_pragma(const Function *f, uint32_t first, uint32_t last)
{
    for (size_t p = 0; p < f->pragmas.n; p++)
        if (f->pragmas.v[p].inst >= first && f->pragmas.v[p].inst < last) return true;
    return false;
}

static bool may_copy(const Inst *i)
{
    return !op_has(i->op, P_BRANCH | P_LEAVE) && op_info[i->op].class != CLASS_BRANCH;
}

// A register that is another one's value at the body's beginning, and a sum.
typedef struct Chain {
    uint32_t root;
    int64_t sum;
} Chain;

typedef struct Last {
    uint32_t reg, inst, n;  // the last instruction + 1 before the end that writes it; how many do
    uint32_t at;
} Last;
static void note_last(void *user, uint32_t reg, bool def)
{
    Last *l = user;
    if (def && reg == l->reg) l->inst = l->at + 1, l->n++;
}
static Last last_write(const Function *f, uint32_t first, uint32_t end, uint32_t reg)
{
    Last l = {.reg = reg};
    for (l.at = first; l.at < end; l.at++) inst_regs(&f->insts.v[l.at], note_last, &l);
    return l;
}

// Follows sums with constants back to the body's beginning.
static bool follow(const Function *f, uint32_t first, uint32_t at, uint32_t reg, int bits, Chain *out)
{
    *out = (Chain){reg, 0};
    for (;;) {
        Last l = last_write(f, first, at, out->root);
        if (!l.n) return true;
        const Inst *i = &f->insts.v[l.inst - 1];
        const Operand *o = i->opnd;
        if (i->guarded || o[0].kind != O_REG || type_info[i->type].bits != bits || o[1].kind != O_REG || o[1].negated)
            return false;
        bool add = i->op == OP_ADD, sub = i->op == OP_SUB;
        if (inst_has(i, G_CC) || inst_has(i, G_SAT) || !(add || sub || i->op == OP_MOV)) return false;
        if (add || sub) {
            int64_t c = bits == 32 ? (int32_t)o[2].imm : (int64_t)o[2].imm;
            if (o[2].kind != O_IMM || o[2].imm_kind != IMM_INT || c > MOST_STEP || c < -MOST_STEP) return false;
            out->sum += add ? c : -c;
            if (out->sum > MOST_STEP || out->sum < -MOST_STEP) return false;
        }
        out->root = o[1].reg, at = l.inst - 1;
    }
}

// What the branch at the end of the body tests. The comparison is turned so that it says when the loop goes on.
static bool find_test(const Function *f, uint32_t first, uint32_t last, Counted *c)
{
    const Inst *branch = &f->insts.v[last - 1];
    Last l = last_write(f, first, last - 1, branch->guard);
    if (l.n != 1) return false;
    const Inst *t = &f->insts.v[l.inst - 1];
    const TypeInfo *type = &type_info[t->type];
    if (t->op != OP_SETP || t->guarded || t->operands != 3 || t->opnd[0].kind != O_REG || inst_has(t, G_BOOL))
        return false;
    if ((type->bits != 32 && type->bits != 64) || type->kind == K_FLOAT) return false;
    Mod cmp = t->mod[G_CMP];
    const Operand *a = &t->opnd[1], *b = &t->opnd[2];
    static const struct {
        Mod cmp, turned, mirrored;  // where it must not hold; with its sides exchanged
    } mods[] = {{M_EQ, M_NE, M_EQ}, {M_NE, M_EQ, M_NE}, {M_LT, M_GE, M_GT},
                {M_LE, M_GT, M_GE}, {M_GT, M_LE, M_LT}, {M_GE, M_LT, M_LE}};
    size_t m = 0;
    while (m < COUNT(mods) && mods[m].cmp != cmp) m++;
    if (m == COUNT(mods)) return false;
    if (branch->guard_negated) cmp = mods[m].turned;
    bool found = false;
    for (int side = 0; side < 2 && !found; side++) {
        Chain now, end;
        if (side) {
            const Operand *x = a;
            a = b, b = x;
            for (m = 0; mods[m].cmp != cmp;) m++;
            cmp = mods[m].mirrored;
        }
        if (a->kind != O_REG || a->negated || type_info[f->regs.v[a->reg].type].bits != type->bits) continue;
        bool constant = b->kind == O_IMM && b->imm_kind == IMM_INT;
        bool fixed = b->kind == O_REG && !b->negated && !last_write(f, first, last, b->reg).n &&
                     type_info[f->regs.v[b->reg].type].bits == type->bits;
        if (!constant && !fixed) continue;
        if (!follow(f, first, l.inst - 1, a->reg, type->bits, &now) ||
            !follow(f, first, last - 1, now.root, type->bits, &end) || end.root != now.root || !end.sum)
            continue;
        *c = (Counted){now.root,   fixed ? b->reg : NO_REG, constant ? b->imm : 0,           end.sum, now.sum,
                       type->bits, type->kind == K_SINT,    .negated = branch->guard_negated};
        found = true;
    }
    c->up = cmp == M_LT || cmp == M_LE, c->equal = cmp == M_LE || cmp == M_GE, c->differs = cmp == M_NE;
    if (!found || cmp == M_EQ) return false;
    if (c->differs) c->up = c->step > 0;
    // Where it runs away from its limit, or compares with more than the next turn's beginning, nothing is said.
    return c->up == (c->step > 0) &&
           (c->up ? c->offset >= 0 && c->offset <= c->step : c->offset <= 0 && c->offset >= c->step);
}

// --- how many turns --------------------------------------------------------------------------------------------------
static uint64_t cut(uint64_t v, int bits) { return bits == 32 ? (uint32_t)v : v; }

static bool goes_on(const Counted *c, uint64_t a, uint64_t b)
{
    a = cut(a, c->bits), b = cut(b, c->bits);
    if (c->differs) return a != b;
    if (c->equal && a == b) return true;
    if (!c->is_signed) return c->up ? a < b : a > b;
    int64_t x = c->bits == 32 ? (int32_t)a : (int64_t)a, y = c->bits == 32 ? (int32_t)b : (int64_t)b;
    return c->up ? x < y : x > y;
}

// 0: not known, or too many.
static uint32_t count_turns(const Counted *c, uint64_t start)
{
    uint32_t n = 1;
    for (uint64_t i = start; n <= MOST_TURNS; n++, i += (uint64_t)c->step)
        if (!goes_on(c, i + (uint64_t)c->offset, c->constant)) return n;
    return 0;
}

// The constant that the counter holds when the loop is entered from the block before it, of which there is one.
static bool find_start(const Flow *w, uint32_t head, uint32_t reg, uint64_t *start)
{
    const Function *f = w->f;
    const Block *h = &w->blocks.v[head];
    if (h->pred.n != 2) return false;
    uint32_t b = h->pred.v[0] == head ? h->pred.v[1] : h->pred.v[0];
    for (int far = 0; far < 16; far++) {
        const Block *k = &w->blocks.v[b];
        Last l = last_write(f, k->first, k->last, reg);
        if (l.n) {
            const Inst *i = &f->insts.v[l.inst - 1];
            if (i->op != OP_MOV || i->guarded || i->opnd[0].kind != O_REG || i->opnd[1].kind != O_IMM) return false;
            *start = imm_bits(&i->opnd[1], i->type);
            return true;
        }
        if (k->pred.n != 1 || k->pred.v[0] == b) return false;
        b = k->pred.v[0];
    }
    return false;
}

typedef struct Weight {
    uint32_t insts, loads, shared;  // shared: of the loads
} Weight;
// The weight of what the loop is there for, without its counting, which goes when it's unrolled.
static Weight weigh(const Function *f, uint32_t first, uint32_t last)
{
    Weight w = {0, 0, 0};
    for (uint32_t n = first; n < last - 1; n++) {
        const Inst *i = &f->insts.v[n];
        bool sum = (i->op == OP_ADD || i->op == OP_SUB) && i->opnd[0].kind == O_REG && i->opnd[1].kind == O_REG &&
                   i->opnd[0].reg == i->opnd[1].reg && i->opnd[2].kind == O_IMM;
        if (i->op == OP_SETP || i->op == OP_MOV || sum || (i->op == OP_LD && i->space == SP_PARAM)) continue;
        w.insts++;
        w.loads += op_info[i->op].class == CLASS_LOAD;
        w.shared += op_info[i->op].class == CLASS_LOAD && i->space == SP_SHARED;
    }
    return w;
}

static bool may_unroll_unknown(const Weight *w)
{
    if (w->loads > w->shared) return w->insts + w->loads <= MOST_UNKNOWN_LOADING;
    return w->insts <= MOST_UNKNOWN + 4 * w->shared;
}

static const Turns *look_up(const Weight *w)
{
    size_t k = 0;
    while (k + 1 < COUNT(turns_of) && turns_of[k].weight < w->insts + w->loads) k++;
    return &turns_of[k];
}

static uint32_t divisor(uint32_t turns, uint32_t most)
{
    uint32_t n = MIN(most, turns);
    while (turns % n) n--;
    return n;
}

// --- copies ----------------------------------------------------------------------------------------------------------
typedef struct Naming {
    Unroll *u;
    bool last;
} Naming;
static void name_result(void *user, uint32_t reg, bool def)
{
    Naming *n = user;
    Unroll *u = n->u;
    if (!def || u->kept[reg]) return;
    if (n->last) {
        u->to[reg] = reg;
        return;
    }
    Type t = u->f->regs.v[reg].type;
    u->to[reg] = reg_new(u->f, t);
}

static void put_copy(Unroll *u, const Inst *body, bool last)
{
    Naming name = {u, last};
    for (uint32_t k = 0; k + 1 < u->last - u->first; k++) {
        Inst i = body[k];
        int dests = inst_dest_count(&i);
        inst_own(u->f, &i);
        if (i.guarded) i.guard = u->to[i.guard];
        for (int o = dests; o < i.operands; o++) operand_rename(&i.opnd[o], u->to);
        inst_regs(&body[k], name_result, &name);
        for (int o = 0; o < dests; o++) operand_rename(&i.opnd[o], u->to);
        vec_push(&u->out, i);
    }
}

static void put_copies(Unroll *u, const Inst *body, uint32_t n)
{
    for (uint32_t k = 1; k <= n; k++) put_copy(u, body, k == n);
}

static void put(Unroll *u, Inst i) { vec_push(&u->out, i); }

static uint16_t type_of(const Counted *c)
{
    const bool wide = c->bits == 64;
    return type_suffix(c->is_signed ? wide ? TY_S64 : TY_S32 : wide ? TY_U64 : TY_U32);
}

static Operand limit_operand(const Counted *c)
{
    return c->limit == NO_REG ? operand_imm(c->constant) : operand_reg(c->limit);
}

// How far the counter is from its limit; none where it's beyond.
static uint32_t put_distance(Unroll *u, const Counted *c)
{
    const Inst *near = &u->f->insts.v[u->last - 1];
    const bool wide = c->bits == 64;
    const uint16_t type = type_of(c), whole = type_suffix(wide ? TY_U64 : TY_U32);
    Operand limit = limit_operand(c), counter = operand_reg(c->counter);
    uint32_t d = reg_new(u->f, wide ? TY_B64 : TY_B32);
    if (!c->differs) {
        Operand o[] = {operand_reg(reg_new(u->f, wide ? TY_B64 : TY_B32)), counter, limit};
        put(u, inst_make(u->f, near, c->up ? OP_MAX : OP_MIN, &type, 1, o, 3));
        limit = o[0];
    }
    Operand o[] = {operand_reg(d), c->up ? limit : counter, c->up ? counter : limit};
    if (o[2].kind == O_IMM && !cut(o[2].imm, c->bits)) return counter.reg;
    if (o[1].kind == O_IMM) {  // a constant stands last: what is taken from it is added to its negative
        Operand x[] = {operand_reg(reg_new(u->f, wide ? TY_B64 : TY_B32)), o[1]};
        const uint16_t bits = type_suffix(wide ? TY_B64 : TY_B32);
        put(u, inst_make(u->f, near, OP_MOV, &bits, 1, x, 2));
        o[1] = x[0];
    }
    put(u, inst_make(u->f, near, OP_SUB, &whole, 1, o, 3));
    return d;
}

// Is the limit so far that `turns` can be made without a test? also: and does the loop go on anyway, by its own test?
// Beyond the limit the distance is 0, as it is at the limit: so it must be more than that.
static uint32_t put_far(Unroll *u, const Counted *c, uint32_t turns, bool also)
{
    const Inst *near = &u->f->insts.v[u->last - 1];
    uint64_t step = (uint64_t)(c->step < 0 ? -c->step : c->step);
    uint64_t offset = (uint64_t)(c->offset < 0 ? -c->offset : c->offset);
    uint64_t least = (turns - 2) * step + offset;
    uint16_t cmp = c->equal ? M_GE : M_GT, type = type_suffix(c->bits == 64 ? TY_U64 : TY_U32);
    uint32_t p = reg_new(u->f, TY_PRED);
    Operand o[] = {operand_reg(p), {0}, operand_imm(least), operand_reg(near->guard)};
    o[3].negated = c->negated;
    if (least) {
        o[1] = operand_reg(put_distance(u, c));
    } else {
        o[1] = operand_reg(c->counter), o[2] = limit_operand(c), type = type_of(c);
        cmp = c->differs ? M_NE : c->up ? c->equal ? M_LE : M_LT : cmp;
    }
    const uint16_t suffix[] = {cmp, also ? M_AND : type, type};
    put(u, inst_make(u->f, near, OP_SETP, suffix, also ? 3 : 2, o, also ? 4 : 3));
    return p;
}

static void put_branch(Unroll *u, uint32_t guard, bool negated, uint32_t label)
{
    Operand o = {.kind = O_LABEL, .reg = label};
    Inst i = inst_make(u->f, &u->f->insts.v[u->last - 1], OP_BRA, NULL, 0, &o, 1);
    i.guarded = true, i.guard = guard, i.guard_negated = negated;
    put(u, i);
}

static void mark(Function *f, uint32_t inst) { vec_push(&f->pragmas, ((Pragma){NO_UNROLL, inst, 0})); }

// All of a loop whose turns are known, or as many as divide them.
static void unroll_known(Unroll *u, const Inst *body, uint32_t turns, uint32_t copies)
{
    put_copies(u, body, copies);
    if (copies < turns) put(u, body[u->last - u->first - 1]);
    insts_replace(u->f, u->first, u->last, u->out.v, (uint32_t)u->out.n);
    if (copies < turns) mark(u->f, u->first);
}

// head:  far for 4? else two
// four:  4 turns; far for 4 more? then four; goes on? else leave
// two:   far for 2? else one; 2 turns; goes on? else leave
// one:   a turn; goes on? then head
// leave:
static void unroll_unknown(Unroll *u, const Counted *c, const Inst *body)
{
    Function *f = u->f;
    const Inst *branch = &body[u->last - u->first - 1];
    enum { FOUR, TWO, ONE, LEAVE, PLACES };
    uint32_t label[PLACES], at[PLACES];
    for (int k = 0; k < PLACES; k++) label[k] = label_new(f, 0);
    put_branch(u, put_far(u, c, 4, false), true, label[TWO]);
    at[FOUR] = (uint32_t)u->out.n;
    put_copies(u, body, 4);
    put_branch(u, put_far(u, c, 4, true), false, label[FOUR]);
    put_branch(u, branch->guard, !c->negated, label[LEAVE]);
    at[TWO] = (uint32_t)u->out.n;
    put_branch(u, put_far(u, c, 2, false), true, label[ONE]);
    put_copies(u, body, 2);
    put_branch(u, branch->guard, !c->negated, label[LEAVE]);
    at[ONE] = (uint32_t)u->out.n;
    put_copies(u, body, 1);
    put(u, *branch);
    at[LEAVE] = (uint32_t)u->out.n;
    insts_replace(f, u->first, u->last, u->out.v, (uint32_t)u->out.n);
    for (int k = 0; k < PLACES; k++) f->labels.v[label[k]].inst = u->first + at[k];
    mark(f, u->first + at[FOUR]);
}

static void note_kept(void *user, uint32_t reg, bool def)
{
    Naming *n = user;
    if (def) n->u->kept[reg] = n->last;
}

// What a loop of one block is made: nothing, where it isn't known how it counts or it's too large.
static bool unroll(Function *f, const Flow *w, uint32_t block, uint32_t *to, bool *kept)
{
    Unroll u = {.f = f, .first = w->blocks.v[block].first, .last = w->blocks.v[block].last, .to = to, .kept = kept};
    const Inst *branch = &f->insts.v[u.last - 1];
    Counted c;
    if (u.last - u.first > MOST_BODY || branch->op != OP_BRA || !branch->guarded) return false;
    if (has_pragma(f, u.first, u.last) || !find_test(f, u.first, u.last, &c)) return false;
    for (uint32_t n = u.first; n < u.last - 1; n++)
        if (!may_copy(&f->insts.v[n])) return false;
    Weight weight = weigh(f, u.first, u.last);
    const Turns *t = look_up(&weight);
    uint64_t start;
    uint32_t turns = c.limit == NO_REG && find_start(w, block, c.counter, &start) ? count_turns(&c, start) : 0;
    uint32_t copies = !turns ? 0 : turns <= t->full ? turns : divisor(turns, t->copies);
    bool unknown = copies < 2 && turns != 1;
    if (unknown && !may_unroll_unknown(&weight)) return false;
    size_t n = u.last - u.first, size = (unknown ? 4 + 2 + 1 : copies) * n;
    if (f->insts.n + size > MOST_INSTS) return false;
    Inst *body = mem_alloc(sizeof *body * n);
    memcpy(body, f->insts.v + u.first, sizeof *body * n);
    for (int keeps = 0; keeps < 2; keeps++)  // at last those that some instruction keeps
        for (size_t k = 0; k < n; k++)
            if ((inst_keeps(&body[k]) || inst_adds(&body[k])) == (keeps != 0))
                inst_regs(&body[k], note_kept, &(Naming){&u, keeps != 0});
    if (unknown)
        unroll_unknown(&u, &c, body);
    else
        unroll_known(&u, body, turns, copies);
    vec_free(&u.out), mem_free(body);
    return true;
}

bool unroll_loops(Function *f)
{
    Flow *w = flow_build(f);
    size_t regs = f->regs.n;
    uint32_t *to = mem_alloc(sizeof *to * (regs + 1)), done = 0;
    bool *kept = mem_alloc(regs + 1), any = false;
    for (uint32_t r = 0; r < regs; r++) to[r] = r;
    // From the last one to the first, so that what stands before one is still where it was.
    for (uint32_t b = (uint32_t)w->blocks.n - 1; b-- > 0 && done < MOST_LOOPS;) {
        const Block *k = &w->blocks.v[b];
        bool loop = false, before = true;
        for (size_t p = 0; p < k->pred.n; p++) loop |= k->pred.v[p] == b, before &= k->pred.v[p] <= b;
        if (loop && before && unroll(f, w, b, to, kept)) any = true, done++;
    }
    mem_free(to), mem_free(kept);
    flow_free(w);
    return any;
}
