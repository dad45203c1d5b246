// few.c: an order of a part that keeps few registers alive. Two greedy ways are tried. From the end: each instruction
// goes right before what needs it. From the beginning: leaves, which are loads and what reads nothing, go when
// something needs them. The first is better for sums of many terms; the second where many sums share their terms, as
// the outputs of a convolution do. Invariant: what deps.c says goes first does.
#include "ptx/pass.h"

#include <string.h>

struct Few {
    Pressure *p;
    const Deps *d;
    uint32_t *order, *waits, *depth, *ready, ready_n;
    uint32_t *since, *from;  // per register: when its value was asked for or made; the instruction + 1 that writes it
    uint8_t *leaf, *gone;    // per instruction
    uint32_t at, newest;     // the newest of the values that an instruction is about
    int64_t change;
};

static const Inst *inst_at(const Few *w, uint32_t k) { return &w->p->f->insts.v[w->p->first + k]; }

static void note_writer(void *user, uint32_t reg, bool def)
{
    Few *w = user;
    if (def) w->from[reg] = w->at + 1;
    w->since[reg] = 0;
}
static void forget_writer(void *user, uint32_t reg, bool def)
{
    (void)def;
    ((Few *)user)->from[reg] = 0;
}

static void begin(Few *w)
{
    pressure_begin(w->p);
    for (w->at = 0; w->at < w->d->n; w->at++) inst_regs(inst_at(w, w->at), forget_writer, w);
    for (w->at = 0; w->at < w->d->n; w->at++) inst_regs(inst_at(w, w->at), note_writer, w);
    w->ready_n = 0;
}

static void drop_ready(Few *w, uint32_t inst)
{
    uint32_t at = 0;
    while (w->ready[at] != inst) at++;
    w->ready[at] = w->ready[--w->ready_n];
}

// The one that leaves the fewest alive. Of equal ones, from the end that whose value was asked for last, then that to
// which the shortest way leads; from the beginning that whose sources have waited longest, so that sums which share
// their terms go on side by side.
static uint32_t choose(Few *w, RegVisit *weigh, bool back)
{
    uint32_t best = UINT32_MAX, newest = 0;
    int64_t least = INT64_MAX;
    for (uint32_t r = 0; r < w->ready_n; r++) {
        uint32_t k = w->ready[r];
        w->change = 0, w->newest = 0;
        inst_regs(inst_at(w, k), weigh, w);
        bool better = best == UINT32_MAX                      ? true
                      : w->change != least                    ? w->change < least
                      : w->newest != newest                   ? (w->newest > newest) == back
                      : back && w->depth[k] != w->depth[best] ? w->depth[k] < w->depth[best]
                                                              : (k > best) == back;
        if (better) best = k, least = w->change, newest = w->newest;
    }
    return best;
}

// --- from the end ----------------------------------------------------------------------------------------------------
static void find_depths(Few *w)
{
    const Deps *d = w->d;
    for (uint32_t a = 0; a < d->n; a++) {
        w->depth[a] = 0;
        for (uint32_t k = d->up_first[a]; k < d->up_first[a + 1]; k++)
            w->depth[a] = MAX(w->depth[a], w->depth[d->up[k]] + 1);
    }
}

static void live_after(void *user, uint32_t reg, bool def)
{
    Pressure *p = user;
    (void)def;
    p->alive[reg] = p->after[reg];
}

static void add_sources(void *user, uint32_t reg, bool def)
{
    Few *w = user;
    if (!def && !w->p->alive[reg]) w->change += w->p->width[reg];
}

// A value that nothing else needs can go right after: then its own sources count, if they are fewer.
static void weigh_back(void *user, uint32_t reg, bool def)
{
    Few *w = user;
    const Pressure *p = w->p;
    if (def && p->alive[reg]) w->change -= p->width[reg], w->newest = MAX(w->newest, w->since[reg]);
    if (def || p->alive[reg] || !p->width[reg]) return;
    int64_t with = w->change + p->width[reg];
    if (p->left[reg] == 1 && w->from[reg])
        inst_regs(inst_at(w, w->from[reg] - 1), add_sources, w);
    else
        w->change = with;
    w->change = MIN(w->change, with);
}

static void end_value(void *user, uint32_t reg, bool def)
{
    if (def) ((Few *)user)->p->alive[reg] = 0;
}
static void begin_value(void *user, uint32_t reg, bool def)
{
    Few *w = user;
    if (def) return;
    w->p->left[reg]--;
    if (!w->p->alive[reg]) w->p->alive[reg] = 1, w->since[reg] = w->at;
}

static void from_end(Few *w, uint32_t *order)
{
    const Deps *d = w->d;
    begin(w);
    find_depths(w);
    for (uint32_t k = 0; k < d->n; k++) inst_regs(inst_at(w, k), live_after, w->p);
    for (uint32_t k = 0; k < d->n; k++)
        if (!(w->waits[k] = d->down_first[k + 1] - d->down_first[k])) w->ready[w->ready_n++] = k;
    for (uint32_t k = d->n; k-- > 0;) {
        uint32_t next = order[k] = choose(w, weigh_back, true);
        w->at = d->n - k;
        drop_ready(w, next);
        if (!inst_keeps(inst_at(w, next))) inst_regs(inst_at(w, next), end_value, w);
        inst_regs(inst_at(w, next), begin_value, w);
        for (uint32_t e = d->up_first[next]; e < d->up_first[next + 1]; e++)
            if (!--w->waits[d->up[e]]) w->ready[w->ready_n++] = d->up[e];
    }
}

// --- from the beginning ----------------------------------------------------------------------------------------------
static bool is_leaf(const Few *w, uint32_t k)
{
    const Inst *i = inst_at(w, k);
    bool source = false;
    if (w->d->down_first[k] == w->d->down_first[k + 1]) return false;
    for (int n = inst_dest_count(i); n < i->operands; n++) source |= i->opnd[n].kind == O_REG;
    return op_info[i->op].class == CLASS_LOAD || (inst_dest_count(i) && !source);
}

// With its leaves: those that nothing else needs end with it.
static void weigh_ahead(void *user, uint32_t reg, bool def)
{
    Few *w = user;
    const Pressure *p = w->p;
    bool last = p->left[reg] == 1 && !p->after[reg];
    if (!def && p->alive[reg]) w->newest = MAX(w->newest, w->since[reg]);
    if (!def && p->alive[reg] && last) w->change -= p->width[reg];
    if (!def && !p->alive[reg] && !last) w->change += p->width[reg];
    if (def && !p->alive[reg] && (p->left[reg] || p->after[reg])) w->change += p->width[reg];
}

static void note_made(void *user, uint32_t reg, bool def)
{
    if (def) ((Few *)user)->since[reg] = ((Few *)user)->at;
}

static void put(Few *w, uint32_t *order, uint32_t inst)
{
    order[w->at++] = inst;
    w->gone[inst] = 1;
    pressure_step(w->p, inst);
    inst_regs(inst_at(w, inst), note_made, w);
}

// What waits for an instruction doesn't any more. A leaf stands for itself as soon as it could go.
static void let_go(Few *w, uint32_t inst)
{
    const Deps *d = w->d;
    for (uint32_t e = d->down_first[inst]; e < d->down_first[inst + 1]; e++) {
        uint32_t k = d->down[e];
        if (--w->waits[k]) continue;
        if (w->leaf[k])
            let_go(w, k);  // a load behind a store, whose users wait for it alone: no deeper than leaves follow leaves
        else
            w->ready[w->ready_n++] = k;
    }
}

// A leaf's own leaves go before it: the load of an address, say.
static void put_with_leaves(Few *w, uint32_t *order, uint32_t inst)
{
    const Deps *d = w->d;
    for (uint32_t e = d->up_first[inst]; e < d->up_first[inst + 1]; e++)
        if (!w->gone[d->up[e]]) put_with_leaves(w, order, d->up[e]);
    put(w, order, inst);
}

static void from_beginning(Few *w, uint32_t *order)
{
    const Deps *d = w->d;
    begin(w);
    w->at = 0;
    memset(w->gone, 0, d->n);
    for (uint32_t k = 0; k < d->n; k++) w->waits[k] = d->up_first[k + 1] - d->up_first[k], w->leaf[k] = is_leaf(w, k);
    for (uint32_t k = 0; k < d->n; k++) {
        if (d->up_first[k + 1] != d->up_first[k]) continue;
        if (w->leaf[k])
            let_go(w, k);
        else
            w->ready[w->ready_n++] = k;
    }
    while (w->ready_n) {
        uint32_t next = choose(w, weigh_ahead, false);
        drop_ready(w, next);
        put_with_leaves(w, order, next);
        let_go(w, next);
    }
}

// --- what others see -------------------------------------------------------------------------------------------------
bool few_find(Few *w, uint32_t *order)
{
    uint32_t least = pressure_peak(w->p, NULL);
    bool found = false;
    void (*const ways[])(Few *, uint32_t *) = {from_end, from_beginning};
    for (size_t k = 0; k < COUNT(ways); k++) {
        ways[k](w, w->order);
        uint32_t peak = pressure_peak(w->p, w->order);
        if (peak >= least) continue;
        memcpy(order, w->order, sizeof *order * w->d->n);
        least = peak, found = true;
    }
    return found;
}

Few *few_open(Pressure *p, const Deps *d, uint32_t most)
{
    Few *w = mem_alloc(sizeof *w);
    size_t n = p->f->regs.n + 1;
    *w = (Few){.p = p, .d = d, .order = mem_alloc(sizeof *w->order * most)};
    w->waits = mem_alloc(sizeof *w->waits * most), w->depth = mem_alloc(sizeof *w->depth * most);
    w->ready = mem_alloc(sizeof *w->ready * most), w->leaf = mem_alloc(most), w->gone = mem_alloc(most);
    w->since = mem_alloc(sizeof *w->since * n), w->from = mem_alloc(sizeof *w->from * n);
    return w;
}

void few_close(Few *w)
{
    if (!w) return;
    mem_free(w->order), mem_free(w->waits), mem_free(w->depth), mem_free(w->ready), mem_free(w->leaf),
        mem_free(w->gone);
    mem_free(w->since), mem_free(w->from), mem_free(w);
}
