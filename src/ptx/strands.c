// strands.c: where the strands of a function begin. A strand ends where a value is read that memory hasn't brought yet,
// at barriers, fences and calls, and at backward branches (unified-memory §2.1; Gebhart et al., MICRO 2011). A warp
// loses its place in the active set only there, and with it what the small files hold. Invariants: within a strand the
// text is run forwards; and a warp that waits anywhere is at an instruction that starts a strand. The lanes of a warp
// may part: if one side of a branch has a start, the others wait meanwhile, and start strands, too.
#include "ptx/strands.h"
#include "ptx/ops.h"

#include <string.h>

#include "ptx/pass.h"

typedef struct Strands {
    const Flow *w;
    Files *f;
    uint64_t *in;  // per block, a set of slots: loads may be under way to them
    uint32_t words;
    uint32_t *starts, *backs;  // per block and one more: starts, backward branches in the blocks before it
    uint32_t *far[32];         // [k][b]: the farthest block to which one of the 2^k blocks from b on may go
} Strands;

// --- accesses --------------------------------------------------------------------------------------------------------
typedef struct Collect {
    const Flow *w;
    const Alloc *a;
    VEC(RegAccess) all;
    size_t begin;  // of this instruction's
    bool write;
} Collect;

static void collect(void *user, uint32_t reg, bool def)
{
    Collect *c = user;
    const TypeInfo *t = &type_info[c->w->f->regs.v[reg].type];
    if (def != c->write || t->kind == K_PRED || c->a->slot[reg] == NO_REG) return;
    for (uint32_t k = 0; k < MAX((uint32_t)t->bits / 32, 1u); k++) {
        RegAccess x = {(uint16_t)(c->a->slot[reg] + k), FILE_MAIN, def, def, k > 0};
        bool seen = false;
        for (size_t n = c->begin; n < c->all.n; n++) seen |= c->all.v[n].slot == x.slot && c->all.v[n].write == def;
        if (!seen) vec_push(&c->all, x);
    }
}

static void find_accesses(const Flow *w, const Alloc *a, Files *f)
{
    Collect c = {.w = w, .a = a};
    for (size_t i = 0; i < w->f->insts.n; i++) {
        f->first[i] = (uint32_t)(c.begin = c.all.n);
        c.write = false;
        inst_regs(&w->f->insts.v[i], collect, &c);
        c.write = true;
        inst_regs(&w->f->insts.v[i], collect, &c);
    }
    f->first[w->f->insts.n] = f->first[w->f->insts.n + 1] = (uint32_t)c.all.n;
    f->access = c.all.v;
}

// --- where strands start ---------------------------------------------------------------------------------------------
bool strand_long(const Function *f, const Inst *i)
{
    Class c = op_info[i->op].class;
    if (c == CLASS_TEX) return true;
    if (i->space == SP_CONST) return !f->module->near_constants;
    return (c == CLASS_LOAD || c == CLASS_ATOMIC) && i->space != SP_SHARED && i->space != SP_PARAM;
}

// Instructions at which a warp waits for others, or behind which another function's registers are in the files.
static bool ends_strand(const Inst *i)
{
    Class c = op_info[i->op].class;
    return c == CLASS_BARRIER || c == CLASS_FENCE || i->op == OP_CALL ||
           (inst_has(i, G_SYNC) && !op_has(i->op, P_ALIGNED));
}

// An instruction that the lanes of a warp may run one after another: they call different functions, or go to different
// barriers. Between two of them others run, or wait, and the small files are emptied.
static bool in_parts(const Inst *i)
{
    if (op_info[i->op].class == CLASS_BARRIER) {
        bool reduces = i->mod[G_BAR] == M_B_RED;  // then the result comes first, and a predicate last
        for (int k = reduces; k < i->operands - reduces; k++)
            if (i->opnd[k].kind == O_REG) return true;
        return false;
    }
    return i->op == OP_CALL && i->opnd[i->operands > 1 && i->opnd[0].kind == O_LIST].kind == O_REG;
}

static void mark(Strands *s, uint32_t i, uint8_t what)
{
    if (i < s->w->f->insts.n) s->f->start[i] |= what;
}

static void mark_plain(Strands *s)
{
    const Flow *w = s->w;
    mark(s, 0, STRAND_STARTS);
    for (uint32_t b = 0; b + 1 < w->blocks.n; b++) {
        const Block *k = &w->blocks.v[b];
        for (uint32_t i = k->first; i < k->last; i++) {
            if (in_parts(&w->f->insts.v[i])) mark(s, i, STRAND_STARTS);
            if (ends_strand(&w->f->insts.v[i])) mark(s, i + 1, STRAND_STARTS);
        }
        for (size_t n = 0; n < k->succ.n; n++)
            if (k->succ.v[n] <= b) mark(s, w->blocks.v[k->succ.v[n]].first, STRAND_STARTS);
    }
}

// One block, from the loads that are under way when it begins to those when it ends. Where a value is read or
// overwritten that may be under way, a strand starts, and waits for all loads.
static void pass_block(Strands *s, uint32_t b, uint64_t *now)
{
    const Block *k = &s->w->blocks.v[b];
    const Files *f = s->f;
    for (uint32_t i = k->first; i < k->last; i++) {
        bool waits = f->start[i] & STRAND_WAITS, late = strand_long(s->w->f, &s->w->f->insts.v[i]);
        for (uint32_t x = f->first[i]; x < f->first[i + 1] && !waits; x++)
            waits = now[f->access[x].slot / 64] >> f->access[x].slot % 64 & 1;
        if (waits) {
            f->start[i] |= STRAND_STARTS | STRAND_WAITS;
            memset(now, 0, s->words * 8);
        }
        for (uint32_t x = f->first[i]; x < f->first[i + 1] && late; x++)
            if (f->access[x].write) now[f->access[x].slot / 64] |= 1ull << f->access[x].slot % 64;
    }
}

// A function with so many blocks and registers that the sets would take too much memory: each block waits.
static void wait_always(Strands *s)
{
    uint64_t *now = mem_alloc(s->words * 8);
    for (uint32_t b = 0; b + 1 < s->w->blocks.n; b++) {
        memset(now, 0, s->words * 8);
        mark(s, s->w->blocks.v[b].first, STRAND_STARTS | STRAND_WAITS);
        pass_block(s, b, now);
    }
    mem_free(now);
}

// Loads under way reach the blocks behind, until nothing changes. In order of the reverse post-order, most functions
// are done after two rounds.
static void find_waits(Strands *s)
{
    const Flow *w = s->w;
    uint64_t *now = mem_alloc(s->words * 8);
    s->in = mem_alloc(w->blocks.n * s->words * 8);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = 0; n < w->order.n; n++) {
            uint32_t b = w->order.v[n];
            memcpy(now, s->in + (size_t)b * s->words, s->words * 8);
            pass_block(s, b, now);
            for (size_t e = 0; e < w->blocks.v[b].succ.n; e++) {
                uint64_t *to = s->in + (size_t)w->blocks.v[b].succ.v[e] * s->words;
                for (uint32_t x = 0; x < s->words; x++) changed |= (now[x] & ~to[x]) != 0, to[x] |= now[x];
            }
        }
    }
    mem_free(now);
}

static void count_starts(Strands *s)
{
    const Flow *w = s->w;
    for (uint32_t b = 0; b < w->blocks.n; b++) {
        const Block *k = &w->blocks.v[b];
        s->starts[b + 1] = s->starts[b], s->backs[b + 1] = s->backs[b];
        for (uint32_t i = k->first; i < k->last; i++) s->starts[b + 1] += s->f->start[i] != 0;
        for (size_t n = 0; n < k->succ.n; n++) s->backs[b + 1] += k->succ.v[n] <= b;
    }
}

static void find_far(Strands *s)
{
    uint32_t n = (uint32_t)s->w->blocks.n;
    for (uint32_t k = 0; 1u << k <= n; k++) {
        s->far[k] = mem_alloc(sizeof **s->far * n);
        for (uint32_t b = 0; b + (1u << k) <= n; b++) {
            const Block *from = &s->w->blocks.v[b];
            for (size_t e = 0; k == 0 && e < from->succ.n; e++) s->far[0][b] = MAX(s->far[0][b], from->succ.v[e]);
            if (k > 0) s->far[k][b] = MAX(s->far[k - 1][b], s->far[k - 1][b + (1u << (k - 1))]);
        }
    }
}

static uint32_t farthest(const Strands *s, uint32_t from, uint32_t to)  // from blocks [from, to), which are some
{
    int k = 31 - __builtin_clz(to - from);
    return MAX(s->far[k][from], s->far[k][to - (1u << k)]);
}

// Lanes that part at the end of block b: if a strand starts, or a loop lies, between b and where they meet, they meet
// at a start; and of several sides each starts a strand, since another may have run before it. What lies between stands
// between in the text, unless a branch leads past where they meet and another one back. True: something is new.
static bool mark_parting(Strands *s, uint32_t b)
{
    const Flow *w = s->w;
    const Block *k = &w->blocks.v[b];
    if (k->succ.n < 2 || k->dom_first == NO_BLOCK || op_has(w->f->insts.v[k->last - 1].op, P_LEAVE)) return false;
    uint32_t meet = k->ipdom == NO_BLOCK ? (uint32_t)w->blocks.n - 1 : k->ipdom, sides = 0;
    bool back = meet <= b || s->backs[meet] > s->backs[b] || farthest(s, b, meet) > meet, new = false;
    if (!back && s->starts[meet] == s->starts[b + 1]) return false;
    for (size_t n = 0; n < k->succ.n; n++) sides += k->succ.v[n] != meet;
    for (size_t n = 0; n <= k->succ.n; n++) {
        uint32_t to = n < k->succ.n ? k->succ.v[n] : meet, at = w->blocks.v[to].first;
        if ((to != meet && sides < 2) || at == w->f->insts.n || s->f->start[at]) continue;
        mark(s, at, STRAND_STARTS);
        new = true;
    }
    return new;
}

static void limit_lengths(Strands *s)
{
    for (uint32_t i = 0, n = 0; i < s->w->f->insts.n; i++) {
        if (s->f->start[i]) n = 0;
        if (n++ < STRAND_LENGTH) continue;
        mark(s, i, STRAND_STARTS);
        n = 1;
    }
}

static void mark_partings(Strands *s)
{
    for (bool new = true; new;) {
        new = false;
        count_starts(s);
        for (uint32_t b = 0; b + 1 < s->w->blocks.n; b++) new |= mark_parting(s, b);
    }
}

bool files_fit(const Flow *w, const Alloc *a) { return w->blocks.n * (a->slots / 64 + 1) <= MOST_SETS; }

Files *strands_find(const Flow *w, const Alloc *a)
{
    uint32_t n = (uint32_t)w->f->insts.n;
    Files *f = mem_alloc(sizeof *f);
    f->first = mem_alloc(sizeof *f->first * (n + 2));
    f->start = mem_alloc(n + 2);
    find_accesses(w, a, f);
    Strands s = {.w = w, .f = f, .words = a->slots / 64 + 1};
    s.starts = mem_alloc(sizeof *s.starts * (w->blocks.n + 1));
    s.backs = mem_alloc(sizeof *s.backs * (w->blocks.n + 1));
    mark_plain(&s);
    if (files_fit(w, a))
        find_waits(&s);
    else
        wait_always(&s);
    limit_lengths(&s);
    find_far(&s);
    mark_partings(&s);
    for (uint32_t i = 0; i < n; i++) f->strands += f->start[i] != 0;
    for (int k = 0; k < 32; k++) mem_free(s.far[k]);
    mem_free(s.starts), mem_free(s.backs), mem_free(s.in);
    return f;
}

void files_free(Files *f)
{
    if (!f) return;
    mem_free(f->access), mem_free(f->first), mem_free(f->start), mem_free(f->bank);
    mem_free(f);
}
