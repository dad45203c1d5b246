// split.c: the tree of splits of a warp (exec.h). The current leaf is cached in the Warp; everything here first saves
// it, changes the tree, and loads what is current then. Before sm_70 a leaf runs until it arrives or waits. From sm_70
// on, waiting at the reconvergence point is an optimisation: when no leaf can run, or the running one has spun for
// long, lanes that arrived are released as leaves of their own, which meet the others again further out.
#include "exec/unit.h"

#include <string.h>

// The first free place, which is searched from the first that may be: of deep recursion there are many that aren't.
int split_new(Warp *w)
{
    uint32_t k = w->first_free;
    while (k < w->splits.n && w->splits.v[k].state != SPLIT_FREE) k++;
    Split s = {.state = SPLIT_FREE};
    if (!w->splits.cap) {
        w->splits.v = mem_alloc(sizeof *w->splits.v * FIRST_SPLITS);
        w->splits.cap = FIRST_SPLITS;
    }
    if (k == w->splits.n) vec_push(&w->splits, s);
    w->first_free = k;
    return (int)k;
}

static void drop(Warp *w, int at)
{
    w->splits.v[at].state = SPLIT_FREE;
    w->first_free = MIN(w->first_free, (uint32_t)at);
}

void split_load(Warp *w)
{
    const Split *s = &w->splits.v[w->cur];
    w->pc = s->pc;
    w->mask = s->mask;
    w->rpc = s->rpc;
    w->code = s->code;
    w->l.bank[0] = w->rows + s->base;
    w->l.pred = (uint32_t *)(w->rows + s->base + s->code->rows * ROW_BYTES);
}

void split_save(Warp *w)
{
    if (w->cur < 0) return;
    w->splits.v[w->cur].pc = w->pc;
    w->splits.v[w->cur].mask = w->mask;
}

void split_init(Warp *w, Code *code, uint32_t mask)
{
    w->splits.n = w->first_free = 0;
    w->cur = split_new(w);
    w->splits.v[w->cur] = (Split){
        .mask = mask, .rpc = NO_RPC, .parent = -1, .state = SPLIT_READY, .code = code, .stack = code->frame_bytes};
    w->live = mask;
    w->watch.epoch = 0;  // what was seen of the slot's warp before isn't of this one
    split_load(w);
}

// What a call's leaf leaves behind for its caller: the words of the return values.
static void return_values(Warp *w, const Split *leaf, const Split *node, uint32_t mask)
{
    const CallSite *site = node->code->insts[node->pc - 1].call;
    const uint8_t *from = w->rows + leaf->base + (size_t)((leaf->code->reg_rows + 1) & ~1u) * ROW_BYTES;
    uint8_t *to = w->rows + node->base;
    for (size_t r = 0; r < site->rets.n; r++) {
        const CallArg *a = &site->rets.v[r];
        for (uint32_t k = 0; k < a->words && !a->dropped; k++) {
            const uint32_t *src = (const uint32_t *)(from + (size_t)(a->there + k) * ROW_BYTES);
            if (a->is_param) {
                uint32_t *dst = (uint32_t *)(to + (size_t)(a->here + k) * ROW_BYTES);
                for (int n = 0; n < LANES; n++)
                    if (mask >> n & 1) dst[n] = src[n];
            } else {
                uint8_t *dst = to + (a->value & ~(ROW_BYTES - 1));
                for (int n = 0; n < LANES; n++)
                    if (mask >> n & 1) memcpy(dst + (size_t)n * (a->words * 4) + k * 4, &src[n], 4);
            }
        }
    }
}

static void leave(Warp *w, int parent);

// Lanes of a leaf (already taken out of it) reach their parent's pc.
static void reach(Warp *w, const Split *leaf, uint32_t mask)
{
    Split *p = &w->splits.v[leaf->parent];
    if (leaf->is_call) return_values(w, leaf, p, mask);
    p->arrived |= mask;
    p->backs = MAX(p->backs, leaf->backs);  // a loop is the same spin whatever it calls or branches to inside
    p->synced |= leaf->synced;
}

// A kid of node p is gone. The last one makes the node a leaf again, with the lanes that arrived, or ends it.
static void leave(Warp *w, int p)
{
    while (p >= 0) {
        Split *node = &w->splits.v[p];
        if (--node->kids > 0) return;
        if (!node->arrived) {
            drop(w, p);
            p = node->parent;
            continue;
        }
        node->state = SPLIT_READY;
        node->mask = node->arrived;
        node->arrived = 0;
        if (node->pc != node->rpc || node->parent < 0) {
            w->cur = p;
            return;
        }
        Split leaf = *node;
        drop(w, p);
        reach(w, &leaf, leaf.mask);
        p = leaf.parent;
    }
}

// A ready leaf becomes the current one.
static void pick(Warp *w, int leaf)
{
    w->cur = leaf;
    w->splits.v[leaf].backs = 0;
    split_merge(w);
    split_load(w);
    if (w->pc == w->rpc) split_arrive(w);
}

// The next one to run is the nearest: below node p, or else below a node further out, as from a stack. So what stands
// between a branch and where its lanes meet is run without anything else between, unless something there waits.
enum { NEAR = 64 };  // nodes outwards

static void pick_near(Warp *w, int p, bool its)
{
    for (int level = 0; p >= 0 && level < NEAR; level++, p = w->splits.v[p].parent) {
        for (int k = 0; k < (int)w->splits.n; k++) {
            if (w->splits.v[k].state != SPLIT_READY || w->splits.v[k].parent != p) continue;
            pick(w, k);
            return;
        }
    }
    split_pick(w, its);
}

void split_arrive(Warp *w)
{
    split_save(w);
    Split leaf = w->splits.v[w->cur];
    drop(w, w->cur);
    w->cur = -1;
    reach(w, &leaf, leaf.mask);
    leave(w, leaf.parent);
    if (w->cur >= 0)
        split_load(w);
    else
        pick_near(w, leaf.parent, leaf.code->kernel->its);
}

void split_branch(Warp *w, uint32_t taken, uint32_t target, uint32_t next, uint32_t reconverge)
{
    split_save(w);
    Split s = w->splits.v[w->cur];
    int p;
    bool call = false;
    if (s.parent >= 0 && s.rpc == reconverge) {  // siblings below the same node
        p = s.parent;
        call = s.is_call;
        drop(w, w->cur);
        w->splits.v[p].kids--;
    } else {
        p = w->cur;
        Split *node = &w->splits.v[p];
        node->state = SPLIT_KIDS;
        node->pc = reconverge;
        node->kids = 0;
        node->arrived = 0;
    }
    const uint32_t mask[2] = {taken, s.mask & ~taken}, pc[2] = {target, next};
    int leaf[2] = {-1, -1};
    for (int k = 0; k < 2; k++) {
        Split kid = {.mask = mask[k],
                     .pc = pc[k],
                     .rpc = reconverge,
                     .parent = p,
                     .state = SPLIT_READY,
                     .is_call = call,
                     .synced = s.synced,
                     .base = s.base,
                     .local_base = s.local_base,
                     .stack = s.stack,
                     .code = s.code,
                     .backs = s.backs};
        if (pc[k] == reconverge) {
            reach(w, &kid, kid.mask);
        } else {
            leaf[k] = split_new(w);
            w->splits.v[leaf[k]] = kid;
            w->splits.v[p].kids++;
        }
    }
    w->cur = -1;
    if (leaf[0] >= 0 && leaf[1] >= 0)
        w->cur = pc[0] < pc[1] ? leaf[0] : leaf[1];
    else
        w->cur = leaf[0] >= 0 ? leaf[0] : leaf[1];
    if (w->cur < 0) w->splits.v[p].kids = 1, leave(w, p);
    if (w->cur >= 0)
        split_load(w);
    else
        split_pick(w, s.code->kernel->its);
}

void split_part(Warp *w, uint32_t mask, uint32_t now)
{
    if (mask != w->mask) split_branch(w, mask, w->pc, w->pc + 1, w->pc + 1);
    if (now == mask) return;
    split_branch(w, now, w->pc, w->pc, w->pc + 1);
    split_save(w);
    for (size_t k = 0; k < w->splits.n; k++)
        if (w->splits.v[k].state == SPLIT_READY && w->splits.v[k].mask == now) w->cur = (int)k;
    split_load(w);
}

void split_exit(Warp *w, uint32_t lanes)
{
    w->live &= ~lanes;
    w->mask &= ~lanes;
    split_save(w);
    if (w->mask) return;
    Split *s = &w->splits.v[w->cur];
    bool its = s->code->kernel->its;
    int parent = s->parent;
    drop(w, w->cur);
    w->cur = -1;
    leave(w, parent);
    if (w->cur >= 0)
        split_load(w);
    else
        pick_near(w, parent, its);
}

// Leaves at the same place below the same node are one.
void split_merge(Warp *w)
{
    Split *c = &w->splits.v[w->cur];
    for (size_t k = 0; k < w->splits.n; k++) {
        Split *o = &w->splits.v[k];
        if ((int)k == w->cur || o->state != SPLIT_READY || o->pc != c->pc || o->parent != c->parent ||
            o->rpc != c->rpc || o->code != c->code || o->base != c->base || o->is_call != c->is_call)
            continue;
        c->mask |= o->mask;
        drop(w, (int)k);
        if (c->parent >= 0) w->splits.v[c->parent].kids--;
    }
}

// Lanes that wait at reconvergence points become leaves. True: there were some.
static bool release(Warp *w)
{
    bool any = false;
    for (size_t k = 0; k < w->splits.n; k++) {
        Split *node = &w->splits.v[k];
        if (node->state != SPLIT_KIDS || !node->arrived) continue;
        Split leaf = {.mask = node->arrived,
                      .pc = node->pc,
                      .rpc = node->rpc,
                      .parent = node->parent,
                      .state = SPLIT_READY,
                      .is_call = node->is_call,
                      .base = node->base,
                      .local_base = node->local_base,
                      .stack = node->stack,
                      .code = node->code};
        node->arrived = 0;
        any = true;
        if (leaf.pc == leaf.rpc && leaf.parent >= 0) {  // on to the next one further out
            reach(w, &leaf, leaf.mask);
            if (leaf.parent < (int)k) k = (size_t)leaf.parent - 1;
            continue;
        }
        if (leaf.parent >= 0) w->splits.v[leaf.parent].kids++;
        int at = split_new(w);
        w->splits.v[at] = leaf;
    }
    return any;
}

// Makes the next ready split behind `from` current.
static bool pick_next(Warp *w, int from)
{
    int n = (int)w->splits.n;
    for (int k = 1; k <= n; k++) {
        int c = (from + k + n) % n;
        if (w->splits.v[c].state != SPLIT_READY) continue;
        pick(w, c);
        return w->cur >= 0;
    }
    w->cur = -1;
    return false;
}

bool split_pick(Warp *w, bool its) { return pick_next(w, -1) || (its && release(w) && pick_next(w, -1)); }

void split_yield(Warp *w)
{
    int from = w->cur;
    split_save(w);
    w->splits.v[from].synced = false;
    release(w);
    pick_next(w, from);
}

bool exec_goes_apart(const Warp *w)
{
    for (size_t k = 0; k < w->splits.n; k++)
        if ((int)k != w->cur && w->splits.v[k].state == SPLIT_READY) return true;
    return false;
}
