// graph_node.c: nodes as a program describes them: each kind's parameters, how a node is added with them, how they are
// asked for and changed, in a graph and in an executable one.
#include "cudart/graph.h"

typedef struct KernelParams {  // cudaKernelNodeParams
    const void *f;
    dim3 grid, block;
    unsigned shared;
    void **args, **extra;
} KernelParams;
typedef struct AllocParams {  // cudaMemAllocNodeParams
    PoolProps pool;
    const void *access;
    size_t accesses, bytes;
    void *at;
} AllocParams;
_Static_assert(sizeof(KernelParams) == 56 && sizeof(AllocParams) == 120, "as in CUDA 13");
// cudaGraphNodeParams. In front of a copy stand flags, and the context in which it runs.
typedef struct AnyParams {
    int kind, reserved[3];
    union {
        KernelParams kernel;
        struct {
            int flags, reserved;
            void *context;
            CopyParams copy;
        } copy;
        FillWork fill;
        HostWork host;
        cudaGraph_t child;
        cudaEvent_t event;
        AllocParams alloc;
        void *memory;
        ConditionalWork conditional;
        char room[232];
    };
    long long last;
} AnyParams;
_Static_assert(sizeof(AnyParams) == 256, "as in CUDA 13");

// --- parameters ------------------------------------------------------------------------------------------------------
// extra, by which parameters come as bytes, is as in the driver's launches: pairs of a word and a value.
static cudaError_t kernel_values(const KernelParams *p, Values *v)
{
    enum { END, BUFFER, BYTES };  // CU_LAUNCH_PARAM_…
    *v = (Values){.args = p->args};
    if (p->args || !p->extra) return cudaSuccess;
    for (void **x = p->extra; (uintptr_t)*x != END; x += 2) {
        if ((uintptr_t)*x == BUFFER)
            v->packed = x[1];
        else if ((uintptr_t)*x == BYTES && x[1])
            v->bytes = *(const size_t *)x[1];
        else
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t read_kernel(const KernelParams *p, Work *w)
{
    Values v;
    if (!p) return cudaErrorInvalidValue;
    const Config c = {.grid = p->grid, .block = p->block, .shared = p->shared};
    cudaError_t error = kernel_values(p, &v);
    return error ? error : work_kernel(p->f, &c, &v, w);
}

// The parameters' addresses stay good until they change.
static cudaError_t tell_kernel(Node *n, KernelParams *p)
{
    KernelWork *k = &n->work.kernel;
    Entry *e;
    cudaError_t error = kernel_of(k->f, &e);
    if (error) return error;
    if (!k->args) k->args = mem_alloc(sizeof *k->args * (e->info.params + 1));
    for (uint32_t j = 0; j < e->info.params; j++) k->args[j] = k->values + e->params[j].at;
    *p = (KernelParams){.f = k->f,
                        .grid = k->config.grid,
                        .block = k->config.block,
                        .shared = (unsigned)k->config.shared,
                        .args = k->args};
    return cudaSuccess;
}

static CopyParams line_copy(void *to, const void *from, size_t bytes, int kind)
{
    return (CopyParams){.to = {to, bytes, bytes, 1},
                        .from = {(void *)(uintptr_t)from, bytes, bytes, 1},
                        .extent = {bytes, 1, 1},
                        .kind = kind};
}

// --- adding ----------------------------------------------------------------------------------------------------------
static cudaError_t add(cudaGraphNode_t *out, cudaGraph_t handle, const cudaGraphNode_t *after, const Edge *edges,
                       size_t n, Work *w)
{
    graphs_enter();
    Graph *g = graph_find(handle);
    cudaError_t error = out && g && nodes_known(g, after, n) ? work_check(w) : cudaErrorInvalidValue;
    if (error)
        work_free(w);
    else
        *out = node_add(g, w, after, edges, n);
    return graphs_left(error);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                   const KernelParams *p)
{
    Work w;
    READY();
    cudaError_t error = read_kernel(p, &w);
    return error ? noted(error) : add(out, g, after, NULL, n, &w);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                   const CopyParams *p)
{
    READY();
    if (!p) return noted(cudaErrorInvalidValue);
    return add(out, g, after, NULL, n, &(Work){.kind = NODE_COPY, .copy = *p});
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                     void *to, const void *from, size_t bytes, int kind)
{
    const CopyParams copy = line_copy(to, from, bytes, kind);
    return cudaGraphAddMemcpyNode(out, g, after, n, &copy);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                           const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    void *at;
    READY();
    cudaError_t error = symbol_place(symbol, offset, bytes, &at);
    return error ? noted(error) : cudaGraphAddMemcpyNode1D(out, g, after, n, at, from, bytes, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after,
                                             size_t n, void *to, const void *symbol, size_t bytes, size_t offset,
                                             int kind)
{
    void *at;
    READY();
    cudaError_t error = symbol_place(symbol, offset, bytes, &at);
    return error ? noted(error) : cudaGraphAddMemcpyNode1D(out, g, after, n, to, at, bytes, kind);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                   const FillWork *p)
{
    READY();
    if (!p) return noted(cudaErrorInvalidValue);
    return add(out, g, after, NULL, n, &(Work){.kind = NODE_FILL, .fill = *p});
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                 const HostWork *p)
{
    READY();
    if (!p) return noted(cudaErrorInvalidValue);
    return add(out, g, after, NULL, n, &(Work){.kind = NODE_HOST, .host = *p});
}

// The node has a copy of the graph.
static cudaError_t add_child(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, const Edge *edges,
                             size_t n, cudaGraph_t child)
{
    READY();
    graphs_enter();
    const Graph *is = graph_find(child);
    Work w = {.kind = NODE_CHILD, .child = is ? graph_copy(is) : NULL};
    graphs_leave();
    return is ? add(out, g, after, edges, n, &w) : noted(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                       cudaGraph_t child)
{
    return add_child(out, g, after, NULL, n, child);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n)
{
    READY();
    return add(out, g, after, NULL, n, &(Work){.kind = NODE_EMPTY});
}

static cudaError_t add_event(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, const Edge *edges,
                             size_t n, cudaEvent_t e, NodeKind kind)
{
    READY();
    if (!event_known(e)) return noted(cudaErrorInvalidResourceHandle);
    return add(out, g, after, edges, n, &(Work){.kind = kind, .event = e});
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                        cudaEvent_t e)
{
    return add_event(out, g, after, NULL, n, e, NODE_RECORD);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                      cudaEvent_t e)
{
    return add_event(out, g, after, NULL, n, e, NODE_WAIT);
}

static cudaError_t add_alloc(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, const Edge *edges,
                             size_t n, AllocParams *p)
{
    void *at;
    READY();
    if (!p || !p->bytes) return noted(cudaErrorInvalidValue);
    cudaError_t error = graph_allocate(&at, p->bytes);
    if (error) return noted(error);
    error = add(out, g, after, edges, n, &(Work){.kind = NODE_ALLOC, .memory = at});
    p->at = error ? NULL : at;
    return error;
}

static cudaError_t add_free(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, const Edge *edges,
                            size_t n, void *p)
{
    READY();
    graph_holds(p, true);
    return add(out, g, after, edges, n, &(Work){.kind = NODE_FREE, .memory = p});
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                     AllocParams *p)
{
    return add_alloc(out, g, after, NULL, n, p);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
                                    void *p)
{
    return add_free(out, g, after, NULL, n, p);
}

// --- conditional nodes -----------------------------------------------------------------------------------------------
// A handle is the address of a word that kernels set; cudaGraphSetConditional is a store there (parts.c).
cudaError_t cudaGraphConditionalHandleCreate(unsigned long long *handle, cudaGraph_t graph, unsigned first,
                                             unsigned flags)
{
    enum { ASSIGN = 1, WORD = 4 };  // cudaGraphCondAssignDefault
    void *at;
    READY();
    if (!handle || flags > ASSIGN) return noted(cudaErrorInvalidValue);
    cudaError_t error = memory_take(&at, WORD);
    if (!error) error = rows_fill(at, WORD, first, WORD, 1, 1, NULL);
    if (error) return error;
    graphs_enter();
    Graph *g = graph_find(graph);
    if (!g) return graphs_left(cudaErrorInvalidValue);
    *handle = (uintptr_t)at;
    vec_push(&g->handles, *handle);
    vec_push(&g->first_value, flags ? first : UINT32_MAX);
    return graphs_left(cudaSuccess);
}

// The bodies are new, and the program fills them.
static cudaError_t add_conditional(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   const Edge *edges, size_t n, ConditionalWork *p)
{
    enum { IF, WHILE, SWITCH, MOST = 4096 };
    READY();
    if (p->sort < IF || p->sort > SWITCH || !p->n || p->n > (p->sort == IF ? 2 : p->sort == WHILE ? 1 : MOST))
        return noted(cudaErrorInvalidValue);
    graphs_enter();
    const Graph *g = graph_find(graph);
    bool known = false;
    for (const Graph *top = g; top && !known; top = top->owner ? top->owner->of : NULL)
        for (size_t k = 0; k < top->handles.n; k++) known |= top->handles.v[k] == p->handle;
    if (!known) return graphs_left(cudaErrorInvalidValue);
    Work w = {.kind = NODE_CONDITIONAL, .conditional = *p};
    w.conditional.bodies = mem_alloc(sizeof *w.conditional.bodies * p->n);
    for (unsigned k = 0; k < p->n; k++) w.conditional.bodies[k] = graph_new();
    graphs_leave();
    cudaError_t error = add(out, graph, after, edges, n, &w);
    if (!error) p->bodies = (*out)->work.conditional.bodies;
    return error;
}

// --- nodes of any kind -----------------------------------------------------------------------------------------------
static cudaError_t add_any(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, const Edge *edges,
                           size_t n, AnyParams *p)
{
    Work w = {.kind = NODE_EMPTY};
    cudaError_t error = cudaSuccess;
    READY();
    if (!p) return noted(cudaErrorInvalidValue);
    switch (p->kind) {
    case NODE_KERNEL: error = read_kernel(&p->kernel, &w); break;
    case NODE_COPY: w = (Work){.kind = NODE_COPY, .copy = p->copy.copy}; break;
    case NODE_FILL: w = (Work){.kind = NODE_FILL, .fill = p->fill}; break;
    case NODE_HOST: w = (Work){.kind = NODE_HOST, .host = p->host}; break;
    case NODE_CHILD: return add_child(out, g, after, edges, n, p->child);
    case NODE_EMPTY: break;
    case NODE_WAIT:
    case NODE_RECORD: return add_event(out, g, after, edges, n, p->event, (NodeKind)p->kind);
    case NODE_ALLOC: return add_alloc(out, g, after, edges, n, &p->alloc);
    case NODE_FREE: return add_free(out, g, after, edges, n, p->memory);
    case NODE_CONDITIONAL: return add_conditional(out, g, after, edges, n, &p->conditional);
    default: return client_missing("a graph's node for other APIs' semaphores");
    }
    return error ? noted(error) : add(out, g, after, edges, n, &w);
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, const Edge *edges,
                                size_t n, AnyParams *p)
{
    return add_any(out, g, after, edges, n, p);
}

// Before CUDA 13 there was no data of edges: the count stood in its place, and the parameters in the count's.
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, const Edge *edges,
                             size_t n, AnyParams *p)
{
    if (runtime_major() < 13) return add_any(out, g, after, NULL, (size_t)(uintptr_t)edges, (AnyParams *)(uintptr_t)n);
    return add_any(out, g, after, edges, n, p);
}

// --- asking and changing ---------------------------------------------------------------------------------------------
static Node *of_kind(const Node *handle, NodeKind kind)
{
    Node *n = node_find(handle);
    return n && n->work.kind == kind ? n : NULL;
}
// A function that gives a part of a node's work.
#define GET(kind, handle, to, value)                            \
    READY();                                                    \
    graphs_enter();                                             \
    const Node *n = of_kind(handle, kind);                      \
    if (!n || !(to)) return graphs_left(cudaErrorInvalidValue); \
    *(to) = (value);                                            \
    return graphs_left(cudaSuccess)

// Puts work in place of a node's; null: there is no such node, or one of another kind.
static cudaError_t put(Node *n, Work *w)
{
    cudaError_t error = n && n->work.kind == w->kind ? work_check(w) : cudaErrorInvalidValue;
    if (error) {
        work_free(w);
    } else {
        work_free(&n->work);
        n->work = *w;
    }
    return graphs_left(error);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, KernelParams *p)
{
    READY();
    graphs_enter();
    Node *n = of_kind(node, NODE_KERNEL);
    return graphs_left(n && p ? tell_kernel(n, p) : cudaErrorInvalidValue);
}

// A kernel keeps its attributes.
static cudaError_t put_kernel(Node *n, const KernelParams *p)
{
    Work w;
    cudaError_t error = read_kernel(p, &w);
    if (error) return graphs_left(error);
    if (n && n->work.kind == NODE_KERNEL) {
        w.kernel.config.cooperative = n->work.kernel.config.cooperative;
        w.kernel.config.cluster = n->work.kernel.config.cluster;
    }
    return put(n, &w);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const KernelParams *p)
{
    READY();
    graphs_enter();
    return put_kernel(node_find(node), p);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node, const KernelParams *p)
{
    READY();
    graphs_enter();
    return put_kernel(exec_node(e, node), p);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, CopyParams *p) { GET(NODE_COPY, node, p, n->work.copy); }
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, FillWork *p) { GET(NODE_FILL, node, p, n->work.fill); }
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, HostWork *p) { GET(NODE_HOST, node, p, n->work.host); }
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *g)
{
    GET(NODE_CHILD, node, g, n->work.child);
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *e)
{
    GET(NODE_RECORD, node, e, n->work.event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *e)
{
    GET(NODE_WAIT, node, e, n->work.event);
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void **p) { GET(NODE_FREE, node, p, n->work.memory); }
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, AllocParams *p)
{
    GET(NODE_ALLOC, node, p, ((AllocParams){.pool = {.kind = 1, .at = {1, 0}}, .at = n->work.memory}));
}

static cudaError_t set_copy(Node *n, const CopyParams *p)
{
    return p ? put(n, &(Work){.kind = NODE_COPY, .copy = *p}) : graphs_left(cudaErrorInvalidValue);
}

static cudaError_t set_fill(Node *n, const FillWork *p)
{
    return p ? put(n, &(Work){.kind = NODE_FILL, .fill = *p}) : graphs_left(cudaErrorInvalidValue);
}

static cudaError_t set_host(Node *n, const HostWork *p)
{
    return p ? put(n, &(Work){.kind = NODE_HOST, .host = *p}) : graphs_left(cudaErrorInvalidValue);
}

// What changes a node of a graph, and what changes one of an executable graph.
#define SETS(name, params, call)                                                             \
    cudaError_t cudaGraph##name(cudaGraphNode_t node, UNPACK params);                        \
    cudaError_t cudaGraph##name(cudaGraphNode_t node, UNPACK params)                         \
    {                                                                                        \
        READY();                                                                             \
        graphs_enter();                                                                      \
        Node *n = node_find(node);                                                           \
        return call;                                                                         \
    }                                                                                        \
    cudaError_t cudaGraphExec##name(cudaGraphExec_t e, cudaGraphNode_t node, UNPACK params); \
    cudaError_t cudaGraphExec##name(cudaGraphExec_t e, cudaGraphNode_t node, UNPACK params)  \
    {                                                                                        \
        READY();                                                                             \
        graphs_enter();                                                                      \
        Node *n = exec_node(e, node);                                                        \
        return call;                                                                         \
    }
#define UNPACK(...) __VA_ARGS__
SETS(MemcpyNodeSetParams, (const CopyParams *p), set_copy(n, p))
SETS(MemsetNodeSetParams, (const FillWork *p), set_fill(n, p))
SETS(HostNodeSetParams, (const HostWork *p), set_host(n, p))
static cudaError_t set_event(Node *n, cudaEvent_t e, NodeKind kind)
{
    return event_known(e) ? put(n, &(Work){.kind = kind, .event = e}) : graphs_left(cudaErrorInvalidResourceHandle);
}

static cudaError_t set_line(Node *n, void *to, const void *from, size_t bytes, int kind)
{
    const CopyParams copy = line_copy(to, from, bytes, kind);
    return set_copy(n, &copy);
}

SETS(EventRecordNodeSetEvent, (cudaEvent_t p), set_event(n, p, NODE_RECORD))
SETS(EventWaitNodeSetEvent, (cudaEvent_t p), set_event(n, p, NODE_WAIT))
SETS(MemcpyNodeSetParams1D, (void *to, const void *from, size_t bytes, int kind), set_line(n, to, from, bytes, kind))

static cudaError_t set_symbol(Node *n, const void *symbol, void *other, size_t bytes, size_t offset, int kind, bool to)
{
    void *at;
    cudaError_t error = symbol_place(symbol, offset, bytes, &at);
    if (error) return graphs_left(error);
    const CopyParams copy = to ? line_copy(at, other, bytes, kind) : line_copy(other, at, bytes, kind);
    return set_copy(n, &copy);
}

SETS(MemcpyNodeSetParamsToSymbol, (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
     set_symbol(n, symbol, (void *)(uintptr_t)from, bytes, offset, kind, true))
SETS(MemcpyNodeSetParamsFromSymbol, (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
     set_symbol(n, symbol, to, bytes, offset, kind, false))

static cudaError_t set_any(Node *n, const AnyParams *p)
{
    if (!n || !p || (int)n->work.kind != p->kind) return graphs_left(cudaErrorInvalidValue);
    switch (n->work.kind) {
    case NODE_KERNEL: return put_kernel(n, &p->kernel);
    case NODE_COPY: return set_copy(n, &p->copy.copy);
    case NODE_FILL: return set_fill(n, &p->fill);
    case NODE_HOST: return set_host(n, &p->host);
    case NODE_WAIT:
    case NODE_RECORD: return set_event(n, p->event, n->work.kind);
    default: return graphs_left(cudaErrorInvalidValue);
    }
}
SETS(NodeSetParams, (const AnyParams *p), set_any(n, p))

// The graph inside of an executable node takes over what the other's nodes do.
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node, cudaGraph_t child)
{
    READY();
    graphs_enter();
    Node *n = exec_node(e, node);
    const Graph *g = graph_find(child);
    if (!n || n->work.kind != NODE_CHILD || !g) return graphs_left(cudaErrorInvalidValue);
    return graphs_left(graph_take_over(n->work.child, g) ? cudaSuccess : cudaErrorInvalidValue);
}

// --- a kernel's attributes -------------------------------------------------------------------------------------------
enum { COOPERATIVE = 2, CLUSTER = 4, PRIORITY = 8, ATTRIBUTES = 20 };  // cudaLaunchAttributeID

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int id, const void *value)
{
    READY();
    graphs_enter();
    Node *n = of_kind(node, NODE_KERNEL);
    if (!n || !value || id < 0 || id >= ATTRIBUTES) return graphs_left(cudaErrorInvalidValue);
    if (id == COOPERATIVE) n->work.kernel.config.cooperative = *(const int *)value;
    if (id == CLUSTER) memcpy(&n->work.kernel.config.cluster, value, sizeof(dim3));
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int id, void *value)
{
    enum { BYTES = 64 };
    READY();
    graphs_enter();
    const Node *n = of_kind(node, NODE_KERNEL);
    if (!n || !value || id < 0 || id >= ATTRIBUTES) return graphs_left(cudaErrorInvalidValue);
    memset(value, 0, BYTES);
    if (id == COOPERATIVE) *(int *)value = n->work.kernel.config.cooperative;
    if (id == CLUSTER) memcpy(value, &n->work.kernel.config.cluster, sizeof(dim3));
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    READY();
    graphs_enter();
    const Node *a = of_kind(from, NODE_KERNEL);
    Node *b = of_kind(to, NODE_KERNEL);
    if (!a || !b) return graphs_left(cudaErrorInvalidValue);
    b->work.kernel.config.cooperative = a->work.kernel.config.cooperative;
    b->work.kernel.config.cluster = a->work.kernel.config.cluster;
    return graphs_left(cudaSuccess);
}
