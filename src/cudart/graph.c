// graph.c: graphs, their nodes and edges, as a program makes and looks at them. Every handle is looked up among those
// that were given out, and one lock is held while it is used.
#include "cudart/graph.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    Graph *graphs;
    Node *nodes;
} all = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};  // to end a node is to end its event

void graphs_enter(void) { pthread_mutex_lock(&all.lock); }
void graphs_leave(void) { pthread_mutex_unlock(&all.lock); }
cudaError_t graphs_left(cudaError_t error)
{
    graphs_leave();
    return noted(error);
}

Graph *graph_find(const Graph *handle)
{
    Graph *g;
    HASH_FIND_PTR(all.graphs, &handle, g);
    return g;
}

Node *node_find(const Node *handle)
{
    Node *n;
    HASH_FIND_PTR(all.nodes, &handle, n);
    return n;
}

Graph *graph_new(void)
{
    Graph *g = mem_alloc(sizeof *g);
    g->self = g;
    HASH_ADD_PTR(all.graphs, self, g);
    return g;
}

static void node_end(Node *n)
{
    HASH_DEL(all.nodes, n);
    work_free(&n->work);
    vec_free(&n->after), vec_free(&n->edges);
    if (n->done) cudaEventDestroy(n->done);
    mem_free(n);
}

void graph_end(Graph *g)
{
    for (size_t k = 0; k < g->nodes.n; k++) node_end(g->nodes.v[k]);
    HASH_DEL(all.graphs, g);
    vec_free(&g->nodes), vec_free(&g->handles), vec_free(&g->first_value);
    graph_objects_free(g);
    mem_free(g);
}

Node *node_add(Graph *g, const Work *w, Node *const *after, const Edge *edges, size_t count)
{
    static const Edge plain;
    Node *n = mem_alloc(sizeof *n);
    n->self = n, n->of = g, n->work = *w;
    for (size_t k = 0; k < count; k++) {
        vec_push(&n->after, after[k]);
        vec_push(&n->edges, edges ? edges[k] : plain);
    }
    if (w->kind == NODE_CHILD) w->child->owner = n;
    for (unsigned k = 0; w->kind == NODE_CONDITIONAL && k < w->conditional.n; k++) w->conditional.bodies[k]->owner = n;
    vec_push(&g->nodes, n);
    HASH_ADD_PTR(all.nodes, self, n);
    return n;
}

void graph_number(const Graph *g)
{
    for (size_t k = 0; k < g->nodes.n; k++) g->nodes.v[k]->place = (uint32_t)k;
}

Graph *graph_copy(const Graph *g)
{
    Graph *to = graph_new();
    graph_number(g);
    for (size_t k = 0; k < g->nodes.n; k++) {
        const Node *n = g->nodes.v[k];
        const Work w = work_copy(&n->work);
        Node *copy = node_add(to, &w, NULL, NULL, 0);
        copy->origin = n, copy->off = n->off;
    }
    for (size_t k = 0; k < g->nodes.n; k++)
        for (size_t j = 0; j < g->nodes.v[k]->after.n; j++) {
            vec_push(&to->nodes.v[k]->after, to->nodes.v[g->nodes.v[k]->after.v[j]->place]);
            vec_push(&to->nodes.v[k]->edges, g->nodes.v[k]->edges.v[j]);
        }
    for (size_t k = 0; k < g->handles.n; k++) {
        vec_push(&to->handles, g->handles.v[k]);
        vec_push(&to->first_value, g->first_value.v[k]);
    }
    graph_objects_copy(to, g);
    return to;
}

bool nodes_known(const Graph *g, Node *const *list, size_t n)
{
    bool known = !n || list;
    for (size_t k = 0; known && k < n; k++) {
        const Node *is = node_find(list[k]);
        known = is && is->of == g;
        for (size_t j = 0; known && j < k; j++) known = list[j] != is;
    }
    return known;
}

// A node's place counts what it still waits for; the list of those that wait for nothing is the order.
bool graph_order(Graph *g, Nodes *order)
{
    VEC(Nodes) behind = {0};
    graph_number(g);
    for (size_t k = 0; k < g->nodes.n; k++) vec_push(&behind, ((Nodes){0}));
    for (size_t k = 0; k < g->nodes.n; k++)
        for (size_t j = 0; j < g->nodes.v[k]->after.n; j++)
            vec_push(&behind.v[g->nodes.v[k]->after.v[j]->place], g->nodes.v[k]);
    VEC(uint32_t) waits = {0};
    for (size_t k = 0; k < g->nodes.n; k++) {
        vec_push(&waits, (uint32_t)g->nodes.v[k]->after.n);
        if (!waits.v[k]) vec_push(order, g->nodes.v[k]);
    }
    for (size_t k = 0; k < order->n; k++) {
        const Nodes *next = &behind.v[order->v[k]->place];
        for (size_t j = 0; j < next->n; j++)
            if (!--waits.v[next->v[j]->place]) vec_push(order, next->v[j]);
    }
    for (size_t k = 0; k < behind.n; k++) vec_free(&behind.v[k]);
    vec_free(&behind), vec_free(&waits);
    return order->n == g->nodes.n;
}

// --- graphs ----------------------------------------------------------------------------------------------------------
#define ENTER() \
    READY();    \
    graphs_enter()

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags)
{
    READY();
    if (!out || flags) return noted(cudaErrorInvalidValue);
    graphs_enter();
    *out = graph_new();
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle)
{
    ENTER();
    Graph *g = graph_find(handle);
    if (!g || g->owner) return graphs_left(cudaErrorInvalidValue);
    graph_end(g);
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t handle)
{
    ENTER();
    const Graph *g = graph_find(handle);
    if (!out || !g) return graphs_left(cudaErrorInvalidValue);
    *out = graph_copy(g);
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone)
{
    ENTER();
    const Graph *g = graph_find(clone);
    Node *found = NULL;
    for (size_t k = 0; g && k < g->nodes.n; k++)
        if (g->nodes.v[k]->origin == original) found = g->nodes.v[k];
    if (!out || !original || !found) return graphs_left(cudaErrorInvalidValue);
    *out = found;
    return graphs_left(cudaSuccess);
}

// It doesn't need its k-th any more; the order of the others stays.
static void node_loses(Node *n, size_t k)
{
    const size_t behind = --n->after.n - k;
    memmove(n->after.v + k, n->after.v + k + 1, behind * sizeof *n->after.v);
    memmove(n->edges.v + k, n->edges.v + k + 1, behind * sizeof *n->edges.v);
    n->edges.n--;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle)
{
    ENTER();
    Node *n = node_find(handle);
    if (!n) return graphs_left(cudaErrorInvalidValue);
    Graph *g = n->of;
    for (size_t k = 0; k < g->nodes.n; k++) {
        Node *other = g->nodes.v[k];
        for (size_t j = other->after.n; j--;)
            if (other->after.v[j] == n) node_loses(other, j);
    }
    size_t at = 0;
    while (g->nodes.v[at] != n) at++;
    memmove(g->nodes.v + at, g->nodes.v + at + 1, (--g->nodes.n - at) * sizeof *g->nodes.v);
    node_end(n);
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, int *type)
{
    ENTER();
    const Node *n = node_find(handle);
    if (!n || !type) return graphs_left(cudaErrorInvalidValue);
    *type = (int)n->work.kind;
    return graphs_left(cudaSuccess);
}

// --- lists -----------------------------------------------------------------------------------------------------------
// A list for the program: n says how much room there is, and then how much was put there; where no list is wanted, how
// long it is. What isn't used of the room is null.
static cudaError_t give(const Nodes *list, cudaGraphNode_t *to, size_t *n)
{
    if (!n) return cudaErrorInvalidValue;
    const size_t room = to ? *n : 0, given = MIN(room, list->n);
    for (size_t k = 0; k < room; k++) to[k] = k < given ? list->v[k] : NULL;
    *n = to ? given : list->n;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *n)
{
    ENTER();
    const Graph *g = graph_find(handle);
    return graphs_left(g ? give(&g->nodes, nodes, n) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *n)
{
    Nodes roots = {0};
    ENTER();
    const Graph *g = graph_find(handle);
    for (size_t k = 0; g && k < g->nodes.n; k++)
        if (!g->nodes.v[k]->after.n) vec_push(&roots, g->nodes.v[k]);
    const cudaError_t error = g ? give(&roots, nodes, n) : cudaErrorInvalidValue;
    vec_free(&roots);
    return graphs_left(error);
}

typedef struct EdgeList {
    Nodes from, to;
    VEC(Edge) data;
} EdgeList;

static void push_edge(EdgeList *l, Node *from, Node *to, Edge data)
{
    vec_push(&l->from, from);
    vec_push(&l->to, to);
    vec_push(&l->data, data);
}

static cudaError_t give_edges(EdgeList *l, cudaGraphNode_t *from, cudaGraphNode_t *to, Edge *data, size_t *n)
{
    const size_t room = n ? *n : 0;
    size_t both = room;
    cudaError_t error = give(&l->from, from, n);
    if (!error && to) error = give(&l->to, to, from ? &both : n);
    for (size_t k = 0; !error && data && k < room; k++) data[k] = k < l->data.n ? l->data.v[k] : (Edge){0};
    vec_free(&l->from), vec_free(&l->to), vec_free(&l->data);
    return error;
}

// Before CUDA 13 the plain names have no data of edges, and those that end in _v2 have it.
static cudaError_t edges_of(cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to, Edge *data, size_t *n)
{
    EdgeList l = {0};
    ENTER();
    const Graph *g = graph_find(handle);
    for (size_t k = 0; g && k < g->nodes.n; k++)
        for (size_t j = 0; j < g->nodes.v[k]->after.n; j++)
            push_edge(&l, g->nodes.v[k]->after.v[j], g->nodes.v[k], g->nodes.v[k]->edges.v[j]);
    if (!g || !from != !to) return give_edges(&l, NULL, NULL, NULL, n), graphs_left(cudaErrorInvalidValue);
    return graphs_left(give_edges(&l, from, to, data, n));
}

static cudaError_t needed_by(cudaGraphNode_t handle, cudaGraphNode_t *list, Edge *data, size_t *n)
{
    EdgeList l = {0};
    ENTER();
    Node *x = node_find(handle);
    for (size_t k = 0; x && k < x->after.n; k++) push_edge(&l, x->after.v[k], x, x->edges.v[k]);
    const cudaError_t error = give_edges(&l, list, NULL, data, n);
    return graphs_left(x ? error : cudaErrorInvalidValue);
}

static cudaError_t that_need(cudaGraphNode_t handle, cudaGraphNode_t *list, Edge *data, size_t *n)
{
    EdgeList l = {0};
    ENTER();
    const Node *x = node_find(handle);
    for (size_t k = 0; x && k < x->of->nodes.n; k++) {
        Node *other = x->of->nodes.v[k];
        for (size_t j = 0; j < other->after.n; j++)
            if (other->after.v[j] == x) push_edge(&l, other, other, other->edges.v[j]);
    }
    const cudaError_t error = give_edges(&l, list, NULL, data, n);
    return graphs_left(x ? error : cudaErrorInvalidValue);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, Edge *data, size_t *n)
{
    if (runtime_major() < 13) return edges_of(g, from, to, NULL, (size_t *)(void *)data);
    return edges_of(g, from, to, data, n);
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, Edge *data, size_t *n)
{
    return edges_of(g, from, to, data, n);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *list, Edge *data, size_t *n)
{
    if (runtime_major() < 13) return needed_by(node, list, NULL, (size_t *)(void *)data);
    return needed_by(node, list, data, n);
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *list, Edge *data, size_t *n)
{
    return needed_by(node, list, data, n);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *list, Edge *data, size_t *n)
{
    if (runtime_major() < 13) return that_need(node, list, NULL, (size_t *)(void *)data);
    return that_need(node, list, data, n);
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *list, Edge *data, size_t *n)
{
    return that_need(node, list, data, n);
}

// --- edges -----------------------------------------------------------------------------------------------------------
static size_t edge_find(const Node *from, const Node *to)
{
    size_t k = 0;
    while (k < to->after.n && to->after.v[k] != from) k++;
    return k;
}

static cudaError_t change(cudaGraph_t handle, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const Edge *data,
                          size_t n, bool add)
{
    ENTER();
    Graph *g = graph_find(handle);
    if (!g || (n && (!from || !to))) return graphs_left(cudaErrorInvalidValue);
    for (size_t k = 0; k < n; k++) {
        const Node *a = node_find(from[k]), *b = node_find(to[k]);
        if (!a || !b || a->of != g || b->of != g || a == b) return graphs_left(cudaErrorInvalidValue);
        if ((edge_find(a, b) < b->after.n) == add) return graphs_left(cudaErrorInvalidValue);
    }
    for (size_t k = 0; k < n; k++) {
        Node *b = to[k];
        const size_t at = edge_find(from[k], b);
        if (add) {
            vec_push(&b->after, from[k]);
            vec_push(&b->edges, data ? data[k] : (Edge){0});
        } else if (at < b->after.n) {
            node_loses(b, at);
        }
    }
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const Edge *data, size_t n)
{
    return change(g, from, to, data, n, true);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const Edge *data, size_t n)
{
    if (runtime_major() < 13) return change(g, from, to, NULL, (size_t)(uintptr_t)data, true);
    return change(g, from, to, data, n, true);
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const Edge *data, size_t n)
{
    return change(g, from, to, data, n, false);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const Edge *data, size_t n)
{
    if (runtime_major() < 13) return change(g, from, to, NULL, (size_t)(uintptr_t)data, false);
    return change(g, from, to, data, n, false);
}
