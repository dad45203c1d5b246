// flow.c: a function's control flow: basic blocks, dominators and post-dominators (Cooper, Harvey and Kennedy's
// iteration), natural loops. The function's end is a virtual block behind the last one: ret, exit, trap and running
// off the end lead to it. Where no path leads to the end, blocks have no post-dominator, and lanes that part there
// meet at the end.
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static bool ends_block(const Inst *i)
{
    return i->op == OP_BRA || i->op == OP_BRX || i->op == OP_RET || i->op == OP_EXIT || i->op == OP_TRAP;
}

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
        if (i->op == OP_BRA) edge(w, b, block_at(w, f->labels.v[i->opnd[0].reg].inst));
        if (i->op == OP_BRX)
            for (int k = 0; k < i->opnd[1].count; k++)
                edge(w, b, block_at(w, f->labels.v[i->opnd[1].items[k].reg].inst));
        if (i->op == OP_RET || i->op == OP_EXIT || i->op == OP_TRAP) edge(w, b, exit);
    }
}

// Post-order from root along succ (or pred, backwards), without recursion: functions can have many thousand blocks.
static uint32_t post_order(const Flow *w, uint32_t root, bool backwards, uint32_t *order, uint32_t *number)
{
    uint32_t n = (uint32_t)w->blocks.n, count = 0, depth = 0;
    uint32_t *stack = mem_alloc(sizeof *stack * (n + 1)), *next = mem_alloc(sizeof *next * (n + 1));
    for (uint32_t b = 0; b < n; b++) number[b] = NO_BLOCK;
    bool *seen = mem_alloc(n);
    stack[depth++] = root;
    seen[root] = true;
    while (depth) {
        uint32_t b = stack[depth - 1];
        const Block *k = &w->blocks.v[b];
        size_t m = backwards ? k->pred.n : k->succ.n;
        if (next[b] < m) {
            uint32_t s = backwards ? k->pred.v[next[b]] : k->succ.v[next[b]];
            next[b]++;
            if (!seen[s]) seen[s] = true, stack[depth++] = s;
        } else {
            number[b] = count;
            order[count++] = b;
            depth--;
        }
    }
    mem_free(stack), mem_free(next), mem_free(seen);
    return count;
}

static void dominators(Flow *w, bool backwards)
{
    uint32_t n = (uint32_t)w->blocks.n, root = backwards ? n - 1 : 0;
    uint32_t *order = mem_alloc(sizeof *order * n), *number = mem_alloc(sizeof *number * n),
             *dom = mem_alloc(sizeof *dom * n);
    uint32_t count = post_order(w, root, backwards, order, number);
    for (uint32_t b = 0; b < n; b++) dom[b] = NO_BLOCK;
    dom[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = count; k-- > 0;) {
            uint32_t b = order[k], best = NO_BLOCK;
            if (b == root) continue;
            const Block *block = &w->blocks.v[b];
            size_t m = backwards ? block->succ.n : block->pred.n;
            for (size_t e = 0; e < m; e++) {
                uint32_t p = backwards ? block->succ.v[e] : block->pred.v[e];
                if (dom[p] == NO_BLOCK) continue;
                if (best == NO_BLOCK) best = p;
                for (uint32_t a = p; a != best;) {
                    while (number[a] < number[best]) a = dom[a];
                    while (number[best] < number[a]) best = dom[best];
                }
            }
            if (dom[b] != best) dom[b] = best, changed = true;
        }
    }
    for (uint32_t b = 0; b < n; b++) {
        uint32_t d = b == root ? NO_BLOCK : dom[b];
        if (backwards)
            w->blocks.v[b].ipdom = d;
        else
            w->blocks.v[b].idom = d;
    }
    if (!backwards)
        for (uint32_t k = count; k-- > 0;) vec_push(&w->order, order[k]);
    mem_free(order), mem_free(number), mem_free(dom);
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

// Natural loops: one per head; back edges to the same head are one loop with several latches.
static void find_loops(Flow *w)
{
    uint32_t n = (uint32_t)w->blocks.n;
    uint32_t *mark = mem_alloc(sizeof *mark * n), *stack = mem_alloc(sizeof *stack * n);
    uint32_t stamp = 0;
    for (size_t o = 0; o < w->order.n; o++) {
        uint32_t head = w->order.v[o];
        Loop loop = {.head = head, .parent = NO_BLOCK, .depth = 1};
        for (size_t k = 0; k < w->blocks.v[head].pred.n; k++)
            if (flow_dominates(w, head, w->blocks.v[head].pred.v[k]))
                vec_push(&loop.latches, w->blocks.v[head].pred.v[k]);
        if (!loop.latches.n) continue;
        stamp++;
        mark[head] = stamp;
        vec_push(&loop.blocks, head);
        uint32_t depth = 0;
        for (size_t k = 0; k < loop.latches.n; k++)
            if (mark[loop.latches.v[k]] != stamp) mark[loop.latches.v[k]] = stamp, stack[depth++] = loop.latches.v[k];
        while (depth) {
            uint32_t b = stack[--depth];
            vec_push(&loop.blocks, b);
            for (size_t k = 0; k < w->blocks.v[b].pred.n; k++) {
                uint32_t p = w->blocks.v[b].pred.v[k];
                if (mark[p] != stamp && flow_dominates(w, head, p)) mark[p] = stamp, stack[depth++] = p;
            }
        }
        vec_push(&w->loops, loop);
    }
    if (w->loops.n) qsort(w->loops.v, w->loops.n, sizeof *w->loops.v, by_size);
    for (size_t l = 0; l < w->loops.n; l++) {  // larger loops first, so that an inner one overwrites
        Loop *loop = &w->loops.v[l];
        loop->parent = w->blocks.v[loop->head].loop;
        loop->depth = loop->parent == NO_BLOCK ? 1 : w->loops.v[loop->parent].depth + 1;
        for (size_t k = 0; k < loop->blocks.n; k++) w->blocks.v[loop->blocks.v[k]].loop = (uint32_t)l;
    }
    mem_free(mark), mem_free(stack);
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
    for (size_t l = 0; l < w->loops.n; l++) vec_free(&w->loops.v[l].blocks), vec_free(&w->loops.v[l].latches);
    vec_free(&w->blocks), vec_free(&w->loops), vec_free(&w->order);
    mem_free(w->block_of), mem_free(w->live_in);
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
