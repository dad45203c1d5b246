// order.c: the order in which a compiler for the machine has the instructions of a block. List scheduling: of those
// whose sources are ready, the one goes first that has the longest way to the end, by the latencies of its results. So
// loads go ahead of what doesn't need them, one behind the other. No order may keep more registers alive than the
// function already does, or than the compiler aims at, if that is more. Where it aims at something, the instructions
// first get an order that keeps few alive (few.c). Invariant: what deps.c says goes first does.
#include "ptx/pass.h"

#include <string.h>

enum { MOST = 512, MOST_AIMED = 4096 };  // instructions that are ordered at once: more are taken in parts

typedef struct Order {
    Function *f;
    const Flow *w;
    Deps deps;
    Pressure pressure;
    Few *few;              // null: nothing is aimed at
    uint64_t *live;        // registers that are alive before the part
    uint32_t most, limit;  // words that may be alive at once; up to which a load goes ahead
    uint32_t at_once;      // instructions
    uint32_t first, n;     // the part: instructions [first, first + n)
    uint32_t *height, *order, *waits, *ready, ready_n;  // waits: for how many others
    Inst *copy;
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

static void find_heights(Order *o)
{
    const Deps *d = &o->deps;
    for (uint32_t a = o->n; a-- > 0;) {
        uint32_t own = latency(&o->f->insts.v[o->first + a]);
        o->height[a] = own;
        for (uint32_t k = d->down_first[a]; k < d->down_first[a + 1]; k++)
            o->height[a] = MAX(o->height[a], own + o->height[d->down[k]]);
    }
}

// --- the order -------------------------------------------------------------------------------------------------------
// Those that wait for nothing.
static void begin_ready(Order *o)
{
    const uint32_t *first = o->deps.up_first;
    o->ready_n = 0;
    for (uint32_t k = 0; k < o->n; k++) {
        o->waits[k] = first[k + 1] - first[k];
        if (!o->waits[k]) o->ready[o->ready_n++] = k;
    }
}

// The ready ones stay in the order of the text.
static void take_ready(Order *o, uint32_t inst)
{
    const Deps *d = &o->deps;
    uint32_t at = 0;
    while (o->ready[at] != inst) at++;
    memmove(o->ready + at, o->ready + at + 1, sizeof *o->ready * (--o->ready_n - at));
    for (uint32_t e = d->down_first[inst]; e < d->down_first[inst + 1]; e++) {
        uint32_t k = d->down[e];
        if (--o->waits[k]) continue;
        uint32_t to = o->ready_n++;
        for (; to && o->ready[to - 1] > k; to--) o->ready[to] = o->ready[to - 1];
        o->ready[to] = k;
    }
}

// Chooses among the instructions that can go: the highest that leaves no more alive than may be, the first of equal
// ones. If there is none, the first of all goes: in the function's own order it leads to one that ends values.
static uint32_t choose(Order *o)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t r = 0; r < o->ready_n; r++) {
        uint32_t k = o->ready[r];
        if (best != UINT32_MAX && o->height[k] <= o->height[best]) continue;
        int64_t change = pressure_change(&o->pressure, k);
        if (change <= 0 || o->pressure.now + change <= o->limit) best = k;
    }
    return best != UINT32_MAX ? best : o->ready[0];
}

// Finds an order. False: it keeps more alive than may be.
static bool find_order(Order *o)
{
    pressure_begin(&o->pressure);
    begin_ready(o);
    for (uint32_t k = 0; k < o->n; k++) {
        uint32_t next = o->order[k] = choose(o);
        take_ready(o, next);
        pressure_step(&o->pressure, next);
    }
    return pressure_peak(&o->pressure, o->order) <= o->most;
}

static void put_in_order(Order *o)
{
    memcpy(o->copy, o->f->insts.v + o->first, sizeof *o->copy * o->n);
    for (uint32_t k = 0; k < o->n; k++) o->f->insts.v[o->first + k] = o->copy[o->order[k]];
}

// With less room at first, more is left for what comes behind.
static void order_part(Order *o)
{
    if (o->n < 2) return;
    deps_find(&o->deps, o->first, o->n);
    find_heights(o);
    for (uint32_t less = 0; less <= o->most / 2; less = 2 * less + 1) {
        o->limit = o->most - less;
        if (!find_order(o)) continue;
        put_in_order(o);
        return;
    }
}

// --- from the end of a block to its beginning ------------------------------------------------------------------------
static void kill(void *user, uint32_t reg, bool def)
{
    if (def) ((uint64_t *)user)[reg / 64] &= ~(1ull << reg % 64);
}
static void revive(void *user, uint32_t reg, bool def)
{
    if (!def) ((uint64_t *)user)[reg / 64] |= 1ull << reg % 64;
}

// From what is alive behind the part to what is alive before it. A guarded write leaves other lanes the old value.
static void back_over_part(Order *o)
{
    const Inst *part = &o->f->insts.v[o->first];
    pressure_behind(&o->pressure, o->live, o->first, o->n);
    for (uint32_t k = o->n; k-- > 0;) {
        if (!inst_keeps(&part[k])) inst_regs(&part[k], kill, o->live);
        inst_regs(&part[k], revive, o->live);
    }
    pressure_ahead(&o->pressure, o->live, o->w->words);
}

static void few_alive(Order *o)
{
    if (o->few && o->n > 1) {
        deps_find(&o->deps, o->first, o->n);
        if (few_find(o->few, o->order)) put_in_order(o);
    }
    o->most = MAX(o->most, pressure_peak(&o->pressure, NULL));
}

// Each part of each block, the last one first.
static void walk(Order *o, const uint8_t *ends, void (*each)(Order *))
{
    for (uint32_t b = 0; b + 1 < o->w->blocks.n; b++) {
        const Block *k = &o->w->blocks.v[b];
        flow_live_out(o->w, b, o->live);
        for (uint32_t last = k->last; last > k->first; last = o->first) {
            o->first = last - 1;
            if (!ends[last - 1])
                while (o->first > k->first && last - o->first < o->at_once && !ends[o->first - 1]) o->first--;
            o->n = last - o->first;
            back_over_part(o);
            each(o);
        }
    }
}

void order_blocks(Function *f, uint32_t aim)
{
    Flow *w = flow_build(f);
    flow_live(w);
    uint32_t most = aim ? MOST_AIMED : MOST;
    Order *o = mem_alloc(sizeof *o);
    *o = (Order){.f = f, .w = w, .deps = deps_open(f, most), .pressure = pressure_open(f, aim != 0), .at_once = most};
    if (aim) o->few = few_open(&o->pressure, &o->deps, most);
    o->live = mem_alloc(w->words * 8), o->copy = mem_alloc(sizeof *o->copy * most);
    o->height = mem_alloc(sizeof *o->height * most), o->order = mem_alloc(sizeof *o->order * most);
    o->waits = mem_alloc(sizeof *o->waits * most), o->ready = mem_alloc(sizeof *o->ready * most);
    uint8_t *ends = mem_alloc(f->insts.n + 2);
    for (size_t i = 0; i < f->insts.n; i++) ends[i] = inst_stays(&f->insts.v[i]);
    for (size_t p = 0; p < f->pragmas.n; p++)  // one of ours means its instruction
        if (strstr(f->pragmas.v[p].text, "onchip.")) ends[f->pragmas.v[p].inst] = 1;
    walk(o, ends, few_alive);
    o->most = MAX(o->most, aim);
    walk(o, ends, order_part);
    deps_close(&o->deps), pressure_close(&o->pressure), few_close(o->few);
    mem_free(ends), mem_free(o->live), mem_free(o->copy), mem_free(o->height), mem_free(o->order);
    mem_free(o->waits), mem_free(o->ready), mem_free(o);
    flow_free(w);
}
