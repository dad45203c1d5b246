// deps.c: which instructions of a part of a block must go before which others. Invariants: reads and writes of a
// register, stores, and accesses of memory that may meet stay in order; what the whole warp, the clock, the carry or
// other threads see of a thread ends a part.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <string.h>

typedef struct Access {
    uint32_t inst, base;  // base: a register
    const Symbol *sym;
    Space space;
    uint64_t offset, bytes;
    bool store;
} Access;
typedef struct Reader {
    uint32_t inst, next;  // the next one's place + 1; 0: none
} Reader;
typedef struct Edge {
    uint32_t from, to;
} Edge;
struct DepsWork {
    VEC(Access) access;
    VEC(Reader) readers;
    VEC(Edge) edges;
    uint32_t *writer, *reader, *part, parts;  // per register: its last write + 1, its readers since; in which part
    uint32_t at;                              // the instruction that is looked at
    size_t stored;                            // the last store's place among the accesses + 1; 0: none
};

bool inst_stays(const Inst *i)
{
    Class c = op_info[i->op].class;
    bool memory = c == CLASS_LOAD || c == CLASS_STORE;
    if (op_has(i->op, P_EARLY | P_TOGETHER | P_BRANCH | P_LEAVE | P_ORDER)) return true;
    if (i->op == OP_ADDC || i->op == OP_SUBC || i->op == OP_MADC || inst_has(i, G_CC)) return true;
    if (inst_has(i, G_SYNC) && !op_has(i->op, P_ALIGNED)) return true;
    if (inst_has(i, G_MMIO) || (inst_has(i, G_SEM) && i->mod[G_SEM] != M_WEAK)) return true;
    if (op_has(i->op, P_COPY) && i->opnd[1].kind == O_SREG) return sreg_info[i->opnd[1].reg].clock;
    if (c == CLASS_ATOMIC || c == CLASS_BRANCH || i->op == OP_ACTIVEMASK) return true;
    return !memory && (inst_dest_count(i) == 0 || (op_has(i->op, P_EFFECT) && c != CLASS_TEX));
}

static void go_before(Deps *d, uint32_t a, uint32_t b)
{
    if (a != b) vec_push(&d->work->edges, ((Edge){a, b}));
}

static void note_reg(void *user, uint32_t reg, bool def)
{
    Deps *d = user;
    struct DepsWork *w = d->work;
    if (w->part[reg] != w->parts) w->part[reg] = w->parts, w->writer[reg] = w->reader[reg] = 0;
    if (w->writer[reg]) go_before(d, w->writer[reg] - 1, w->at);
    if (!def) {
        vec_push(&w->readers, ((Reader){w->at, w->reader[reg]}));
        w->reader[reg] = (uint32_t)w->readers.n;
        return;
    }
    for (uint32_t r = w->reader[reg]; r; r = w->readers.v[r - 1].next) go_before(d, w->readers.v[r - 1].inst, w->at);
    w->writer[reg] = w->at + 1, w->reader[reg] = 0;
}

// If two accesses are from one register, and it is written between them, the order of its uses keeps theirs.
static bool may_meet(const Access *a, const Access *b)
{
    if (a->store == b->store) return a->store;  // stores keep their order
    if (a->space != b->space) return a->space == SP_GENERIC || b->space == SP_GENERIC;
    if (a->base != b->base || a->sym != b->sym) return true;
    return a->offset - b->offset < b->bytes || b->offset - a->offset < a->bytes;  // modulo 2^64, as addresses are
}

static void note_access(Deps *d, const Inst *i)
{
    const Operand *m = &i->opnd[op_info[i->op].class == CLASS_STORE ? 0 : 1];
    Access a = {.inst = d->work->at, .base = m->reg, .sym = m->sym, .space = i->space, .offset = m->imm};
    a.bytes = (uint64_t)type_info[i->type].bits / 8 * i->vec;
    if (op_has(i->op, P_ALIGNED)) a.bytes = UINT64_MAX;  // rows of other lanes' addresses
    a.store = op_info[i->op].class == CLASS_STORE;
    for (size_t k = 0; k < d->work->access.n; k++) {
        const Access *b = &d->work->access.v[k];
        if (a.store && b->store && k + 1 != d->work->stored) continue;  // the last one stands for those before it
        if (may_meet(b, &a)) go_before(d, b->inst, d->work->at);
    }
    vec_push(&d->work->access, a);
    if (a.store) d->work->stored = d->work->access.n;
}

// Lists for each instruction those that follow it (down), or precede it.
static void fill(Deps *d, uint32_t *first, uint32_t **list, bool down)
{
    size_t edges = d->work->edges.n;
    const Edge *e = d->work->edges.v;
    mem_free(*list);
    *list = mem_alloc(sizeof **list * (edges + 1));
    memset(first, 0, sizeof *first * (d->n + 2));
    for (size_t k = 0; k < edges; k++) first[(down ? e[k].from : e[k].to) + 2]++;
    for (uint32_t k = 2; k <= d->n + 1; k++) first[k] += first[k - 1];
    for (size_t k = 0; k < edges; k++) (*list)[first[(down ? e[k].from : e[k].to) + 1]++] = down ? e[k].to : e[k].from;
}

void deps_find(Deps *d, uint32_t first, uint32_t n)
{
    struct DepsWork *w = d->work;
    d->first = first, d->n = n;
    w->parts++;
    w->access.n = w->readers.n = w->edges.n = w->stored = 0;
    for (w->at = 0; w->at < n; w->at++) {
        const Inst *i = &d->f->insts.v[first + w->at];
        Class c = op_info[i->op].class;
        if (c == CLASS_LOAD || c == CLASS_STORE) note_access(d, i);  // before a load writes its own base
        inst_regs(i, note_reg, d);
    }
    fill(d, d->down_first, &d->down, true);
    fill(d, d->up_first, &d->up, false);
}

Deps deps_open(const Function *f, uint32_t most)
{
    size_t n = f->regs.n + 1;
    Deps d = {.f = f, .work = mem_alloc(sizeof *d.work)};
    d.down_first = mem_alloc(sizeof *d.down_first * (most + 2)),
    d.up_first = mem_alloc(sizeof *d.up_first * (most + 2));
    d.work->writer = mem_alloc(sizeof *d.work->writer * n), d.work->reader = mem_alloc(sizeof *d.work->reader * n);
    d.work->part = mem_alloc(sizeof *d.work->part * n);
    return d;
}

void deps_close(Deps *d)
{
    mem_free(d->down_first), mem_free(d->up_first), mem_free(d->down), mem_free(d->up);
    mem_free(d->work->writer), mem_free(d->work->reader), mem_free(d->work->part);
    vec_free(&d->work->access), vec_free(&d->work->readers), vec_free(&d->work->edges), mem_free(d->work);
}
