// graph.c: the call graph of a kernel, and for each function the facts (SL1_…) that hold for it or for any function
// that it leads to. Functions that call each other have all facts in common; they are found as strongly connected
// components (Tarjan). Chains of calls may be as long as the text, so nothing here recurses.
#include "sl1/unit.h"

static bool find(const Sl1Graph *g, const Function *f, int64_t *v)
{
    return map_get(&g->index, (const char *)&f, sizeof f, v);
}

static uint32_t add(Sl1Graph *g, const Function *f)
{
    int64_t v;
    if (find(g, f, &v)) return (uint32_t)v;
    map_put(&g->index, (const char *)&f, sizeof f, (int64_t)g->of.n);
    vec_push(&g->of, ((Sl1Node){.f = f, .facts = sl1_own_facts(f)}));
    return (uint32_t)g->of.n - 1;
}

// Adds the direct calls of each function, in the order of the text. The calls of node k are calls[of[k].first …
// of[k].last).
static void add_calls(Sl1Graph *g)
{
    for (size_t k = 0; k < g->of.n; k++) {
        const Function *f = g->of.v[k].f;
        g->of.v[k].first = (uint32_t)g->calls.n;
        for (size_t n = 0; n < f->insts.n; n++) {
            const Function *to = sl1_callee(&f->insts.v[n]);
            if (to) vec_push(&g->calls, add(g, to));
        }
        g->of.v[k].next = g->of.v[k].first, g->of.v[k].last = (uint32_t)g->calls.n;
    }
}

typedef VEC(uint32_t) Numbers;

// A component is complete. Its functions are the last ones of `open`.
static void close(Sl1Graph *g, Numbers *open, uint32_t root)
{
    uint32_t facts = 0, n = (uint32_t)open->n;
    do facts |= g->of.v[open->v[--n]].facts;
    while (open->v[n] != root);
    if (n + 1 < open->n) facts |= SL1_CYCLE;
    for (; open->n > n; open->n--)
        g->of.v[open->v[open->n - 1]].facts = facts, g->of.v[open->v[open->n - 1]].open = false;
}

static void visit(Sl1Graph *g, Numbers *under_way, Numbers *open, uint32_t *count, uint32_t *left)
{
    uint32_t at = under_way->v[under_way->n - 1];
    Sl1Node *v = &g->of.v[at];
    if (!v->number) {
        v->number = v->low = ++*count, v->open = true;
        vec_push(open, at);
    }
    for (; v->next < v->last; v->next++) {
        Sl1Node *to = &g->of.v[g->calls.v[v->next]];
        if (!to->number) {
            vec_push(under_way, g->calls.v[v->next]);
            return;
        }
        if (to == v) v->facts |= SL1_CYCLE;
        if (to->open)
            v->low = MIN(v->low, to->low);
        else
            v->facts |= to->facts & ~SL1_CYCLE;
    }
    under_way->n--;
    v->left = (*left)++;
    if (v->low == v->number) close(g, open, at);
}

Sl1Graph sl1_graph(const Function *f)
{
    Sl1Graph g = {.of = {0}};
    Numbers under_way = {0}, open = {0};
    uint32_t count = 0, left = 0;
    add(&g, f);
    add_calls(&g);
    vec_push(&under_way, 0);
    while (under_way.n) visit(&g, &under_way, &open, &count, &left);
    vec_free(&under_way), vec_free(&open);
    return g;
}

uint32_t sl1_facts(const Sl1Graph *g, const Function *f)
{
    int64_t v;
    return find(g, f, &v) ? g->of.v[v].facts : sl1_own_facts(f);
}

void sl1_graph_free(Sl1Graph *g)
{
    map_free(&g->index);
    vec_free(&g->of), vec_free(&g->calls);
}
