// flow.c: a function's control flow: basic blocks, dominators and post-dominators, natural loops. The function's end is
// a virtual block behind the last one: ret, exit, trap and running off the end lead to it. Blocks from which no path
// leads to the end have no post-dominator; lanes that part in them meet at the end.
#include "ptx/pass.h"

#include <stdlib.h>
#include <string.h>

static bool ends_block(const Inst *i) { return op_has(i->op, P_BRANCH | P_LEAVE); }

static void edge(Flow *w, uint32_t from, uint32_t to)
{
    const Block *t = &w->blocks.v[to];
    if (t->pred.n && t->pred.v[t->pred.n - 1] == from) return;  // edges are added block by block
    vec_push(&w->blocks.v[from].succ, to);
    vec_push(&w->blocks.v[to].pred, from);
}

// The block that begins at instruction i; the virtual end for i = n.
static uint32_t block_at(const Flow *w, uint32_t i)
{
    return i < w->f->insts.n ? w->block_of[i] : (uint32_t)w->blocks.n - 1;
}

static void build_blocks(Flow *w)
{
    const Function *f = w->f;
    uint32_t n = (uint32_t)f->insts.n;
    uint8_t *leader = mem_alloc(n + 1);
    leader[0] = leader[n] = 1;
    for (size_t l = 0; l < f->labels.n; l++)
        if (f->labels.v[l].defined) leader[f->labels.v[l].inst] = 1;
    for (uint32_t i = 0; i < n; i++)
        if (ends_block(&f->insts.v[i])) leader[i + 1] = 1;
    w->block_of = mem_alloc(sizeof(uint32_t) * (n + 1));
    for (uint32_t i = 0; i < n; i++) {
        if (leader[i]) {
            Block b = {.first = i, .last = i, .idom = NO_BLOCK, .ipdom = NO_BLOCK, .loop = NO_BLOCK};
            vec_push(&w->blocks, b);
        }
        w->block_of[i] = (uint32_t)w->blocks.n - 1;
        w->blocks.v[w->blocks.n - 1].last = i + 1;
    }
    Block end = {.first = n, .last = n, .idom = NO_BLOCK, .ipdom = NO_BLOCK, .loop = NO_BLOCK};
    vec_push(&w->blocks, end);
    mem_free(leader);
    uint32_t exit = (uint32_t)w->blocks.n - 1;
    for (uint32_t b = 0; b < exit; b++) {
        const Inst *i = &f->insts.v[w->blocks.v[b].last - 1];
        uint32_t next = block_at(w, w->blocks.v[b].last);
        if (!ends_block(i) || i->guarded) edge(w, b, next);
        if (op_has(i->op, P_TABLE)) {
            for (int k = 0; k < i->opnd[1].count; k++)
                edge(w, b, block_at(w, f->labels.v[i->opnd[1].items[k].reg].inst));
        } else if (op_has(i->op, P_BRANCH)) {
            edge(w, b, block_at(w, f->labels.v[i->opnd[0].reg].inst));
        }
        if (op_has(i->op, P_LEAVE)) edge(w, b, exit);
    }
}

// A depth-first walk from root along succ (or pred, backwards), without recursion: functions can have many thousand
// blocks.
typedef struct Walk {
    uint32_t count, *post;  // blocks that are reached, in post-order
    uint32_t *pre, *number,
        *parent;  // the same in pre-order; per block its place there, or NO_BLOCK; per place its parent's
} Walk;

static Walk walk(const Flow *w, uint32_t root, bool backwards)
{
    uint32_t n = (uint32_t)w->blocks.n, depth = 0, begun = 0;
    Walk x = {.post = mem_alloc(sizeof(uint32_t) * n),
              .pre = mem_alloc(sizeof(uint32_t) * n),
              .number = mem_alloc(sizeof(uint32_t) * n),
              .parent = mem_alloc(sizeof(uint32_t) * n)};
    uint32_t *stack = mem_alloc(sizeof *stack * (n + 1)), *next = mem_alloc(sizeof *next * (n + 1));
    for (uint32_t b = 0; b < n; b++) x.number[b] = NO_BLOCK;
    stack[depth++] = root, x.number[root] = begun, x.pre[begun++] = root;
    while (depth) {
        uint32_t b = stack[depth - 1];
        const Block *k = &w->blocks.v[b];
        if (next[b] < (backwards ? k->pred.n : k->succ.n)) {
            uint32_t s = backwards ? k->pred.v[next[b]] : k->succ.v[next[b]];
            next[b]++;
            if (x.number[s] != NO_BLOCK) continue;
            x.number[s] = begun, x.parent[begun] = x.number[b], x.pre[begun++] = s;
            stack[depth++] = s;
        } else {
            x.post[x.count++] = b;
            depth--;
        }
    }
    mem_free(stack), mem_free(next);
    return x;
}

static void walk_free(Walk *x) { mem_free(x->post), mem_free(x->pre), mem_free(x->number), mem_free(x->parent); }

// Lengauer and Tarjan's forest: finds the best vertex on the path from v up to its root, and shortens the path.
typedef struct Forest {
    uint32_t *up, *best, *semi, *stack;  // up: NO_BLOCK: a root
} Forest;

static uint32_t evaluate(const Forest *t, uint32_t v)
{
    uint32_t depth = 0;
    if (t->up[v] == NO_BLOCK) return v;
    for (uint32_t k = v; t->up[t->up[k]] != NO_BLOCK; k = t->up[k]) t->stack[depth++] = k;
    while (depth) {
        uint32_t k = t->stack[--depth], above = t->up[k];
        if (t->semi[t->best[above]] < t->semi[t->best[k]]) t->best[k] = t->best[above];
        t->up[k] = t->up[above];
    }
    return t->best[v];
}

// Immediate dominators of what the walk reached, all as numbers of its pre-order (Lengauer and Tarjan, "A fast
// algorithm for finding dominators in a flowgraph").
static void find_dominators(const Flow *w, const Walk *x, bool backwards, uint32_t *dom)
{
    size_t bytes = sizeof(uint32_t) * (x->count + 1);
    Forest t = {mem_alloc(bytes), mem_alloc(bytes), mem_alloc(bytes), mem_alloc(bytes)};
    uint32_t *first = mem_alloc(bytes), *next = mem_alloc(bytes);  // those with one semidominator
    for (uint32_t v = 0; v < x->count; v++) t.up[v] = first[v] = NO_BLOCK, t.best[v] = t.semi[v] = v;
    for (uint32_t v = x->count; v-- > 1;) {
        const Block *block = &w->blocks.v[x->pre[v]];
        size_t m = backwards ? block->succ.n : block->pred.n;
        for (size_t e = 0; e < m; e++) {
            uint32_t p = x->number[backwards ? block->succ.v[e] : block->pred.v[e]];
            if (p != NO_BLOCK) t.semi[v] = MIN(t.semi[v], t.semi[evaluate(&t, p)]);
        }
        next[v] = first[t.semi[v]], first[t.semi[v]] = v;
        t.up[v] = x->parent[v];
        for (uint32_t k = first[x->parent[v]]; k != NO_BLOCK; k = next[k]) {
            uint32_t best = evaluate(&t, k);
            dom[k] = t.semi[best] < t.semi[k] ? best : x->parent[v];
        }
        first[x->parent[v]] = NO_BLOCK;
    }
    for (uint32_t v = 1; v < x->count; v++)
        if (dom[v] != t.semi[v]) dom[v] = dom[dom[v]];
    mem_free(t.up), mem_free(t.best), mem_free(t.semi), mem_free(t.stack);
    mem_free(first), mem_free(next);
}

static void dominators(Flow *w, bool backwards)
{
    Walk x = walk(w, backwards ? (uint32_t)w->blocks.n - 1 : 0, backwards);
    uint32_t *dom = mem_alloc(sizeof *dom * (x.count + 1));
    find_dominators(w, &x, backwards, dom);
    for (uint32_t v = 1; v < x.count; v++) {
        Block *b = &w->blocks.v[x.pre[v]];
        *(backwards ? &b->ipdom : &b->idom) = x.pre[dom[v]];
    }
    if (!backwards)
        for (uint32_t k = x.count; k-- > 0;) vec_push(&w->order, x.post[k]);
    walk_free(&x);
    mem_free(dom);
}

// Numbers the dominator tree so that each subtree is a run of numbers.
static void number_tree(Flow *w)
{
    uint32_t *next = mem_alloc(sizeof *next * w->blocks.n);
    for (size_t b = 0; b < w->blocks.n; b++) w->blocks.v[b].dom_first = NO_BLOCK;
    for (size_t o = w->order.n; o-- > 0;) {
        Block *b = &w->blocks.v[w->order.v[o]];
        b->dom_count++;
        if (b->idom != NO_BLOCK) w->blocks.v[b->idom].dom_count += b->dom_count;
    }
    for (size_t o = 0; o < w->order.n; o++) {
        uint32_t index = w->order.v[o];
        Block *b = &w->blocks.v[index];
        b->dom_first = b->idom == NO_BLOCK ? 0 : next[b->idom];
        if (b->idom != NO_BLOCK) next[b->idom] += b->dom_count;
        next[index] = b->dom_first + 1;
    }
    mem_free(next);
}

double flow_weight(const Flow *w, uint32_t block)
{
    uint32_t loop = w->blocks.v[block].loop;
    double weight = 1;
    for (uint32_t d = loop == NO_BLOCK ? 0 : w->loops.v[loop].depth; d && weight < 1e6; d--) weight *= 10;
    return weight;
}

bool flow_dominates(const Flow *w, uint32_t a, uint32_t b)
{
    const Block *x = &w->blocks.v[a], *y = &w->blocks.v[b];
    return a == b ||
           (y->dom_first != NO_BLOCK && y->dom_first >= x->dom_first && y->dom_first - x->dom_first < x->dom_count);
}

static int by_size(const void *a, const void *b)
{
    const Loop *x = a, *y = b;
    if (x->blocks.n != y->blocks.n) return x->blocks.n < y->blocks.n ? 1 : -1;
    return x->head < y->head ? -1 : 1;
}

// Natural loops are found from the inside out: one that is known counts as its head from then on, so that no block is
// walked through more than once. size: how many blocks are in a loop.
typedef struct Nest {
    uint32_t *up, *mark, *stack;  // per block: the head of a loop around it, as far as they are known, or itself
    uint32_t *loop_at;            // per block: the loop that it is the head of, or NO_BLOCK
    VEC(Loop) loops;
} Nest;

static uint32_t representative(const Nest *t, uint32_t b)
{
    uint32_t top = b;
    while (t->up[top] != top) top = t->up[top];
    while (t->up[b] != top) {
        uint32_t next = t->up[b];
        t->up[b] = top;
        b = next;
    }
    return top;
}

// Collects the loop's own blocks and the loops directly inside it.
static void find_loop(Flow *w, Nest *t, Loop loop)
{
    uint32_t number = (uint32_t)t->loops.n, depth = 0;
    w->blocks.v[loop.head].loop = number;
    loop.blocks.n = 1;
    t->mark[loop.head] = number + 1;
    for (size_t k = 0; k < loop.latches.n; k++) {
        uint32_t b = representative(t, loop.latches.v[k]);
        if (t->mark[b] != number + 1) t->mark[b] = number + 1, t->stack[depth++] = b;
    }
    while (depth) {
        uint32_t b = t->stack[--depth], inner = t->loop_at[b];
        t->up[b] = loop.head;
        loop.blocks.n += inner == NO_BLOCK ? 1 : t->loops.v[inner].blocks.n;
        if (inner == NO_BLOCK)
            w->blocks.v[b].loop = number;
        else
            t->loops.v[inner].parent = number;
        for (size_t k = 0; k < w->blocks.v[b].pred.n; k++) {
            uint32_t p = w->blocks.v[b].pred.v[k];
            if (!flow_dominates(w, loop.head, p)) continue;
            p = representative(t, p);
            if (t->mark[p] != number + 1) t->mark[p] = number + 1, t->stack[depth++] = p;
        }
    }
    t->loop_at[loop.head] = number;
    vec_push(&t->loops, loop);
}

// Numbers the loops again, outermost first, and puts the blocks of each loop behind one another, those of inner loops
// before its own.
static void order_loops(Flow *w, Nest *t)
{
    size_t n = t->loops.n;
    uint32_t *number = mem_alloc(sizeof *number * (n + 1)), *next = mem_alloc(sizeof *next * (n + 1)), all = 0;
    for (size_t l = 0; l < n; l++) vec_push(&w->loops, t->loops.v[l]);
    if (n) qsort(w->loops.v, n, sizeof *w->loops.v, by_size);
    for (uint32_t l = 0; l < n; l++) number[t->loop_at[w->loops.v[l].head]] = l;
    w->loop_blocks = mem_alloc(sizeof *w->loop_blocks * (w->blocks.n + 1));
    for (uint32_t l = 0; l < n; l++) {
        Loop *loop = &w->loops.v[l];
        if (loop->parent != NO_BLOCK) loop->parent = number[loop->parent];
        loop->depth = loop->parent == NO_BLOCK ? 1 : w->loops.v[loop->parent].depth + 1;
        uint32_t *from = loop->parent == NO_BLOCK ? &all : &next[loop->parent];
        next[l] = *from;
        *from += (uint32_t)loop->blocks.n;
        loop->blocks.v = w->loop_blocks + next[l];
    }
    for (uint32_t b = 0; b < w->blocks.n; b++) {
        Block *block = &w->blocks.v[b];
        if (block->loop == NO_BLOCK) continue;
        block->loop = number[block->loop];
        w->loop_blocks[next[block->loop]++] = b;
    }
    mem_free(number), mem_free(next);
}

// One loop per head; back edges to the same head are one loop with several latches.
static void find_loops(Flow *w)
{
    size_t n = w->blocks.n, bytes = sizeof(uint32_t) * (n + 1);
    Nest t = {.up = mem_alloc(bytes), .mark = mem_alloc(bytes), .stack = mem_alloc(bytes), .loop_at = mem_alloc(bytes)};
    for (uint32_t b = 0; b < n; b++) t.up[b] = b, t.loop_at[b] = NO_BLOCK;
    for (size_t o = w->order.n; o-- > 0;) {
        Loop loop = {.head = w->order.v[o], .parent = NO_BLOCK};
        const Block *head = &w->blocks.v[loop.head];
        for (size_t k = 0; k < head->pred.n; k++)
            if (flow_dominates(w, loop.head, head->pred.v[k])) vec_push(&loop.latches, head->pred.v[k]);
        if (loop.latches.n) find_loop(w, &t, loop);
    }
    order_loops(w, &t);
    vec_free(&t.loops);
    mem_free(t.up), mem_free(t.mark), mem_free(t.stack), mem_free(t.loop_at);
}

Flow *flow_build(const Function *f)
{
    Flow *w = mem_alloc(sizeof *w);
    w->f = f;
    build_blocks(w);
    dominators(w, false);
    dominators(w, true);
    number_tree(w);
    find_loops(w);
    return w;
}

uint32_t flow_reconvergence(const Flow *w, uint32_t i)
{
    uint32_t p = w->blocks.v[w->block_of[i]].ipdom;
    return p == NO_BLOCK ? (uint32_t)w->f->insts.n : w->blocks.v[p].first;
}

void flow_free(Flow *w)
{
    if (!w) return;
    for (size_t b = 0; b < w->blocks.n; b++) vec_free(&w->blocks.v[b].succ), vec_free(&w->blocks.v[b].pred);
    for (size_t l = 0; l < w->loops.n; l++) vec_free(&w->loops.v[l].latches);
    vec_free(&w->blocks), vec_free(&w->loops), vec_free(&w->order);
    mem_free(w->block_of), mem_free(w->live_in), mem_free(w->loop_blocks);
    mem_free(w);
}

void flow_dot(const Flow *w, Text *out)
{
    text_printf(out, "digraph \"%s\" {\n  node [shape=box, fontname=monospace];\n", w->f->symbol->name);
    for (size_t b = 0; b + 1 < w->blocks.n; b++) {
        const Block *k = &w->blocks.v[b];
        text_printf(out, "  b%zu [label=\"b%zu", b, b);
        if (k->loop != NO_BLOCK) text_printf(out, " loop depth %u", w->loops.v[k->loop].depth);
        text_put(out, "\\l");
        for (uint32_t i = k->first; i < k->last; i++) {
            Text line = {0};
            ptx_print_inst(w->f, &w->f->insts.v[i], &line);
            text_printf(out, "%s\\l", line.v);
            text_free(&line);
        }
        text_put(out, "\"];\n");
        for (size_t s = 0; s < k->succ.n; s++) {
            if (k->succ.v[s] + 1 == w->blocks.n)
                text_printf(out, "  b%zu -> end;\n", b);
            else
                text_printf(out, "  b%zu -> b%u;\n", b, k->succ.v[s]);
        }
    }
    text_put(out, "  end [shape=circle];\n}\n");
}
