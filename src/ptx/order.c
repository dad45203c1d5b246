// order.c: the order in which a compiler for the machine has the instructions of a block. List scheduling: of those
// whose sources are ready, the one goes first that has the longest way to the end, by the latencies of its results. So
// loads go ahead of what doesn't need them, one behind the other. No order may keep more registers alive than the
// function already does, or than the compiler aims at, if that is more. Invariants: reads and writes of a register,
// stores, and accesses of memory that may meet stay in order; what the whole warp, the clock, the carry or other
// threads see of a thread stays where it is.
#include "ptx/pass.h"

#include <string.h>

enum { MOST = 512 };  // instructions that are ordered at once: more are taken in parts

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
typedef struct Order {
    Function *f;
    const Flow *w;
    uint64_t *live;        // registers that are alive before the part
    uint32_t live_words;   // how many words these are
    uint32_t most, limit;  // words that may be alive at once; up to which a load goes ahead
    // A part: instructions [first, first + n).
    uint32_t first, n;
    uint64_t before[MOST][MOST / 64];  // of each instruction, those that must go before it
    uint32_t height[MOST], order[MOST];
    VEC(Access) access;
    VEC(Reader) readers;
    uint32_t *writer, *reader, *part, parts;  // per register: its last write + 1, its readers since; in which part
    uint32_t *left;                           // per register: reads to come
    uint8_t *alive, *after;                   // per register: now, and behind the part
    uint32_t now, at;                         // words that are alive; the instruction that is looked at
    int64_t change;                           // what `at` would add
} Order;

// Roughly what results take on the GPUs that have a description (unified-memory Table 2).
static uint32_t latency(const Inst *i)
{
    switch (op_info[i->op].class) {
    case CLASS_LOAD: return i->space == SP_SHARED || i->space == SP_CONST || i->space == SP_PARAM ? 20 : 400;
    case CLASS_TEX: return 400;
    case CLASS_SFU: return 20;
    case CLASS_STORE: return 1;
    default: return 8;
    }
}

static bool stays(const Inst *i)
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

// --- what must go before what ----------------------------------------------------------------------------------------
static void go_before(Order *o, uint32_t a, uint32_t b)
{
    if (a != b) o->before[b][a / 64] |= 1ull << a % 64;
}

static void note_reg(void *user, uint32_t reg, bool def)
{
    Order *o = user;
    if (o->part[reg] != o->parts) o->part[reg] = o->parts, o->writer[reg] = o->reader[reg] = 0;
    if (o->writer[reg]) go_before(o, o->writer[reg] - 1, o->at);
    if (!def) {
        vec_push(&o->readers, ((Reader){o->at, o->reader[reg]}));
        o->reader[reg] = (uint32_t)o->readers.n;
        return;
    }
    for (uint32_t r = o->reader[reg]; r; r = o->readers.v[r - 1].next) go_before(o, o->readers.v[r - 1].inst, o->at);
    o->writer[reg] = o->at + 1, o->reader[reg] = 0;
}

// Of two accesses from one register between which it is written, the order of the register's uses holds anyway.
static bool may_meet(const Access *a, const Access *b)
{
    if (a->store == b->store) return a->store;  // stores keep their order
    if (a->space != b->space) return a->space == SP_GENERIC || b->space == SP_GENERIC;
    if (a->base != b->base || a->sym != b->sym) return true;
    return a->offset - b->offset < b->bytes || b->offset - a->offset < a->bytes;  // modulo 2^64, as addresses are
}

static void note_access(Order *o, const Inst *i)
{
    const Operand *m = &i->opnd[op_info[i->op].class == CLASS_STORE ? 0 : 1];
    Access a = {.inst = o->at, .base = m->reg, .sym = m->sym, .space = i->space, .offset = m->imm};
    a.bytes = (uint64_t)type_info[i->type].bits / 8 * i->vec;
    if (op_has(i->op, P_ALIGNED)) a.bytes = UINT64_MAX;  // rows of other lanes' addresses
    a.store = op_info[i->op].class == CLASS_STORE;
    for (size_t k = 0; k < o->access.n; k++)
        if (may_meet(&o->access.v[k], &a)) go_before(o, o->access.v[k].inst, o->at);
    vec_push(&o->access, a);
}

static void find_edges(Order *o)
{
    o->parts++;
    o->access.n = o->readers.n = 0;
    memset(o->before, 0, sizeof *o->before * o->n);
    for (o->at = 0; o->at < o->n; o->at++) {
        const Inst *i = &o->f->insts.v[o->first + o->at];
        Class c = op_info[i->op].class;
        if (c == CLASS_LOAD || c == CLASS_STORE) note_access(o, i);  // before a load writes its own base
        inst_regs(i, note_reg, o);
    }
    for (uint32_t k = 0; k < o->n; k++) o->height[k] = latency(&o->f->insts.v[o->first + k]);
    for (uint32_t b = o->n; b-- > 0;)
        for (uint32_t x = 0; x < MOST / 64; x++)
            for (uint64_t bits = o->before[b][x]; bits; bits &= bits - 1) {
                uint32_t a = x * 64 + (uint32_t)__builtin_ctzll(bits);
                o->height[a] = MAX(o->height[a], latency(&o->f->insts.v[o->first + a]) + o->height[b]);
            }
}

// --- how many words are alive ----------------------------------------------------------------------------------------
static bool in(const uint64_t *set, uint32_t reg) { return set[reg / 64] >> reg % 64 & 1; }

static void count_left(void *user, uint32_t reg, bool def)
{
    Order *o = user;
    o->left[reg] += !def;
    o->alive[reg] = in(o->live, reg);
}

static void forget(void *user, uint32_t reg, bool def)
{
    (void)def;
    ((Order *)user)->left[reg] = 0;
}

static void begin_part(Order *o)
{
    for (uint32_t k = 0; k < o->n; k++) inst_regs(&o->f->insts.v[o->first + k], forget, o);
    for (uint32_t k = 0; k < o->n; k++) inst_regs(&o->f->insts.v[o->first + k], count_left, o);
    o->now = o->live_words;
}

// What an instruction would add: it's exact unless it reads a register twice.
static void weigh(void *user, uint32_t reg, bool def)
{
    Order *o = user;
    if (!def && o->alive[reg] && o->left[reg] == 1 && !o->after[reg]) o->change -= reg_width(o->f, reg);
    if (def && !o->alive[reg] && (o->left[reg] || o->after[reg])) o->change += reg_width(o->f, reg);
}

static void step(void *user, uint32_t reg, bool def)
{
    Order *o = user;
    if (!def && --o->left[reg] == 0 && o->alive[reg] && !o->after[reg])
        o->alive[reg] = 0, o->now -= (uint32_t)reg_width(o->f, reg);
    if (def && !o->alive[reg] && (o->left[reg] || o->after[reg]))
        o->alive[reg] = 1, o->now += (uint32_t)reg_width(o->f, reg);
}

// The most words at once in the given order; null: as it stands.
static uint32_t peak(Order *o, const uint32_t *order)
{
    begin_part(o);
    uint32_t most = o->now;
    for (uint32_t k = 0; k < o->n; k++) {
        inst_regs(&o->f->insts.v[o->first + (order ? order[k] : k)], step, o);
        most = MAX(most, o->now);
    }
    return most;
}

// --- the order -------------------------------------------------------------------------------------------------------
// Of the instructions that can go: the highest that leaves no more alive than may be, and of equal ones the first. If
// there is none, the first of all goes: as the function was, it leads to one that ends values.
static uint32_t choose(Order *o, const uint64_t *done)
{
    uint32_t best = MOST, first = MOST;
    for (uint32_t k = 0; k < o->n; k++) {
        bool ready = !(done[k / 64] >> k % 64 & 1);
        for (uint32_t x = 0; x < MOST / 64 && ready; x++) ready = !(o->before[k][x] & ~done[x]);
        if (!ready) continue;
        first = MIN(first, k);
        if (best < MOST && o->height[k] <= o->height[best]) continue;
        o->change = 0;
        inst_regs(&o->f->insts.v[o->first + k], weigh, o);
        if (o->change <= 0 || o->now + o->change <= o->limit) best = k;
    }
    return best < MOST ? best : first;
}

// Finds an order. False: it keeps more alive than may be.
static bool find_order(Order *o)
{
    uint64_t done[MOST / 64] = {0};
    begin_part(o);
    for (uint32_t k = 0; k < o->n; k++) {
        uint32_t next = o->order[k] = choose(o, done);
        done[next / 64] |= 1ull << next % 64;
        inst_regs(&o->f->insts.v[o->first + next], step, o);
    }
    return peak(o, o->order) <= o->most;
}

// With less room at first, more is left for what comes behind.
static void order_part(Order *o)
{
    Inst copy[MOST];
    find_edges(o);
    for (uint32_t less = 0; less <= o->most / 2; less = 2 * less + 1) {
        o->limit = o->most - less;
        if (!find_order(o)) continue;
        memcpy(copy, o->f->insts.v + o->first, sizeof *copy * o->n);
        for (uint32_t k = 0; k < o->n; k++) o->f->insts.v[o->first + k] = copy[o->order[k]];
        return;
    }
}

// --- from the end of a block to its beginning ------------------------------------------------------------------------
static void count_live(Order *o)
{
    o->live_words = 0;
    for (uint32_t x = 0; x < o->w->words; x++)
        for (uint64_t bits = o->live[x]; bits; bits &= bits - 1)
            o->live_words += (uint32_t)reg_width(o->f, x * 64 + (uint32_t)__builtin_ctzll(bits));
}

static void note_after(void *user, uint32_t reg, bool def)
{
    Order *o = user;
    (void)def;
    o->after[reg] = in(o->live, reg);
}

static void go_back(void *user, uint32_t reg, bool def)
{
    Order *o = user;
    if (def == !in(o->live, reg)) return;
    o->live[reg / 64] ^= 1ull << reg % 64;
    o->live_words += (uint32_t)(def ? -reg_width(o->f, reg) : reg_width(o->f, reg));
}
static void kill(void *user, uint32_t reg, bool def)
{
    if (def) go_back(user, reg, true);
}
static void revive(void *user, uint32_t reg, bool def)
{
    if (!def) go_back(user, reg, false);
}

// From what is alive behind the part to what is alive before it. A guarded write leaves other lanes the old value.
static void back_over_part(Order *o)
{
    const Inst *part = &o->f->insts.v[o->first];
    for (uint32_t k = 0; k < o->n; k++) inst_regs(&part[k], note_after, o);
    for (uint32_t k = o->n; k-- > 0;) {
        if (!part[k].guarded) inst_regs(&part[k], kill, o);
        inst_regs(&part[k], revive, o);
    }
}

// Each part of each block, the last one first. At first only `most` is found.
static void walk(Order *o, const uint8_t *ends, bool only_count)
{
    for (uint32_t b = 0; b + 1 < o->w->blocks.n; b++) {
        const Block *k = &o->w->blocks.v[b];
        flow_live_out(o->w, b, o->live);
        count_live(o);
        for (uint32_t last = k->last; last > k->first; last = o->first) {
            o->first = last - 1;
            if (!ends[last - 1])
                while (o->first > k->first && last - o->first < MOST && !ends[o->first - 1]) o->first--;
            o->n = last - o->first;
            back_over_part(o);
            if (only_count)
                o->most = MAX(o->most, peak(o, NULL));
            else if (o->n > 1)
                order_part(o);
        }
    }
}

// The registers of a thread that ptxas aims at (CUDA 13, sm_75 to sm_90): as many as still leave an SM full of threads,
// in eights; of the threads of the blocks that fit, where .maxntid says how many these have; and with .minnctapersm as
// many as so many blocks leave. 0: nothing is aimed at.
static uint32_t aim_of(const Function *f)
{
    const Module *m = f->module;
    const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
    uint64_t block = (uint64_t)n[0] * MAX(n[1], 1u) * MAX(n[2], 1u), resident = m->sm_threads;
    if (!m->sm_registers || !f->entry) return 0;
    if (block && f->minnctapersm)
        resident = block * f->minnctapersm;
    else if (block)
        resident = block * MAX(MIN(m->sm_blocks, m->sm_threads / block), 1u);
    return (uint32_t)MIN(m->sm_registers / MAX(resident, 1u) & ~7u, 255u);
}

void order_blocks(Function *f)
{
    Flow *w = flow_build(f);
    flow_live(w);
    size_t n = f->regs.n + 1;
    Order *o = mem_alloc(sizeof *o);
    *o = (Order){.f = f, .w = w, .live = mem_alloc(w->words * 8), .alive = mem_alloc(n), .after = mem_alloc(n)};
    o->writer = mem_alloc(sizeof *o->writer * n), o->reader = mem_alloc(sizeof *o->reader * n);
    o->part = mem_alloc(sizeof *o->part * n), o->left = mem_alloc(sizeof *o->left * n);
    uint8_t *ends = mem_alloc(f->insts.n + 2);
    for (size_t i = 0; i < f->insts.n; i++) ends[i] = stays(&f->insts.v[i]);
    for (size_t p = 0; p < f->pragmas.n; p++) ends[f->pragmas.v[p].inst] = 1;  // a pragma means its instruction
    walk(o, ends, true);
    o->most = MAX(o->most, aim_of(f));
    walk(o, ends, false);
    mem_free(ends), mem_free(o->writer), mem_free(o->reader), mem_free(o->part), mem_free(o->left), mem_free(o->live);
    mem_free(o->alive), mem_free(o->after), vec_free(&o->access), vec_free(&o->readers), mem_free(o);
    flow_free(w);
}
