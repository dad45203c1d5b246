// async.c: a load of global memory whose value only goes to shared memory becomes cp.async, as if the source had
// __pipeline_memcpy_async (sm.async). It stands where the store stood, so nothing between the two may write global
// memory, nor the registers of the load's address and guard, which is the store's. Before the first instruction that
// could see or order what was copied, a barrier among them, the thread waits for all its copies. Kernels alone are
// changed: what a function's caller does isn't seen.
#include "ptx/ops.h"
#include "ptx/pass.h"

enum { ASYNC_TARGET = 80, ASYNC_VERSION = 7 };  // from which on PTX has it

typedef struct Copies {
    Function *f;
    const Flow *w;
    RegIndex reads, writes;
    bool *gone;    // loads
    bool *copies;  // instructions that are one now
    bool any;
} Copies;

static bool plain(const Inst *i, Op op, Space space)
{
    return i->op == op && i->space == space && i->vec <= 1 && !inst_has(i, G_SEM) && !inst_has(i, G_MMIO) &&
           i->operands == 2;
}

// May it write global memory, or order the thread with others?
static bool parts(const Inst *i)
{
    const Class c = op_info[i->op].class;
    if (op_has(i->op, P_TOGETHER | P_BRANCH | P_LEAVE | P_ORDER) || inst_has(i, G_SEM) || i->op == OP_CALL) return true;
    if (c == CLASS_ATOMIC || c == CLASS_BARRIER || c == CLASS_FENCE || c == CLASS_ASYNC || c == CLASS_BULK) return true;
    return c == CLASS_STORE && i->space != SP_SHARED && i->space != SP_LOCAL && i->space != SP_PARAM;
}

// The store that alone reads what the load leaves; NO_REG: there is none, or it can't take the load's place.
static uint32_t store_of(const Copies *x, uint32_t load, uint32_t end)
{
    const Function *f = x->f;
    const Inst *l = &f->insts.v[load];
    const uint32_t r = l->opnd[0].reg;
    const uint32_t base = l->opnd[1].reg, guard = l->guarded ? l->guard : NO_REG;
    if (!reg_single(&x->writes, r) || !reg_single(&x->reads, r) || base == r) return NO_REG;
    const uint32_t at = x->reads.inst[x->reads.first[r]];
    if (at <= load || at >= end) return NO_REG;
    const Inst *s = &f->insts.v[at];
    const bool fits = plain(s, OP_ST, SP_SHARED) && s->opnd[0].kind == O_ADDR && s->opnd[1].kind == O_REG &&
                      s->opnd[1].reg == r && type_bytes(s->type) == type_bytes(l->type) && s->guarded == l->guarded &&
                      (!l->guarded || (s->guard == l->guard && s->guard_negated == l->guard_negated));
    for (uint32_t n = load + 1; n < at && fits; n++) {
        const Inst *i = &f->insts.v[n];
        if (parts(i) || inst_writes(i, base) || inst_writes(i, guard)) return NO_REG;
    }
    return fits ? at : NO_REG;
}

static void find_copies(Copies *x)
{
    Function *f = x->f;
    for (size_t b = 0; b < x->w->blocks.n; b++) {
        const uint32_t end = (uint32_t)MIN(x->w->blocks.v[b].last, f->insts.n);
        for (uint32_t n = x->w->blocks.v[b].first; n < end; n++) {
            const Inst *l = &f->insts.v[n];
            const int bytes = type_bytes(l->type);
            if (!plain(l, OP_LD, SP_GLOBAL) || (bytes != 4 && bytes != 8) || l->opnd[0].kind != O_REG) continue;
            if (l->opnd[1].kind != O_ADDR) continue;
            const uint32_t at = store_of(x, n, end);
            if (at == NO_REG) continue;
            const uint16_t suffix[] = {M_CA, M_SHARED, M_GLOBAL};
            const Operand o[] = {f->insts.v[at].opnd[0], l->opnd[1], operand_imm((uint64_t)bytes)};
            Inst copy = inst_make(f, &f->insts.v[at], OP_CP_ASYNC, suffix, 3, o, 3);
            copy.guarded = l->guarded, copy.guard = l->guard, copy.guard_negated = l->guard_negated;
            f->insts.v[at] = copy;
            x->gone[n] = x->copies[at] = x->any = true;
        }
    }
}

// --- waits -----------------------------------------------------------------------------------------------------------
// Can it neither see shared memory nor order the thread with others?
static bool blind(const Inst *i)
{
    const Class c = op_info[i->op].class;
    if (op_has(i->op, P_ORDER) || inst_has(i, G_SEM) || i->op == OP_CALL) return false;
    if (c == CLASS_LOAD || c == CLASS_STORE)
        return i->space == SP_GLOBAL || i->space == SP_LOCAL || i->space == SP_PARAM || i->space == SP_CONST;
    return c != CLASS_ATOMIC && c != CLASS_ASYNC && c != CLASS_BULK && c != CLASS_BARRIER && c != CLASS_FENCE;
}

// Goes through a block with what may be under way at its beginning; waits: gets the instructions to wait before, null.
static bool walk(const Copies *x, uint32_t block, bool under_way, bool *waits)
{
    for (uint32_t n = x->w->blocks.v[block].first; n < x->w->blocks.v[block].last && n < x->f->insts.n; n++) {
        if (x->copies[n]) {
            under_way = true;
        } else if (under_way && !x->gone[n] && !blind(&x->f->insts.v[n])) {
            under_way = false;
            if (waits) waits[n] = true;
        }
    }
    return under_way;
}

static bool before(const Copies *x, const bool *out, uint32_t block)
{
    bool any = false;
    for (size_t k = 0; k < x->w->blocks.v[block].pred.n; k++) any |= out[x->w->blocks.v[block].pred.v[k]];
    return any;
}

static void find_waits(const Copies *x, bool *waits)
{
    const uint32_t blocks = (uint32_t)x->w->blocks.n;
    bool *out = mem_alloc(blocks + 1);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t b = 0; b < blocks; b++) {
            const bool now = walk(x, b, before(x, out, b), NULL);
            more |= now && !out[b];
            out[b] |= now;
        }
    }
    for (uint32_t b = 0; b < blocks; b++) walk(x, b, before(x, out, b), waits);
    mem_free(out);
}

void copy_async(Function *f)
{
    Module *m = f->module;
    const int sm = m->sm, version = m->version_major;
    if (!f->entry) return;
    m->sm = MAX(sm, ASYNC_TARGET), m->version_major = MAX(version, ASYNC_VERSION);  // as if it were compiled for it
    Copies x = {.f = f, .reads = reg_index(f, false), .writes = reg_index(f, true)};
    Flow *w = flow_build(f);
    bool *waits = mem_alloc(f->insts.n + 1);
    x.w = w, x.gone = mem_alloc(f->insts.n + 1), x.copies = mem_alloc(f->insts.n + 1);
    find_copies(&x);
    if (x.any) find_waits(&x, waits);
    for (uint32_t n = (uint32_t)f->insts.n; x.any && n-- > 0;) {
        if (x.gone[n]) insts_replace(f, n, n + 1, NULL, 0);
        if (!waits[n]) continue;
        const Inst two[] = {inst_make(f, &f->insts.v[n], OP_CP_ASYNC_WAIT_ALL, NULL, 0, f->insts.v[n].opnd, 0),
                            f->insts.v[n]};
        insts_replace(f, n, n + 1, two, 2);
    }
    mem_free(waits), mem_free(x.gone), mem_free(x.copies);
    reg_index_free(&x.reads), reg_index_free(&x.writes);
    flow_free(w);
    m->sm = sm, m->version_major = version;
}
