// exec.c: executable graphs. A launch asks for each node's work on one of a few streams, in an order in which it can be
// done; onchip is told that these are nodes of one launch, which take the host no time of their own (host.graph).
//
// A node goes on with the stream of one that it needs, if that is the stream's last so far; else it begins another one.
// The first stream is the one that the graph is launched in.
#include "cudart/graph.h"

#include <pthread.h>

enum { LANES_MOST = 32 };  // streams of a graph; beyond them nodes share one, and so run one behind the other
typedef struct Plan Plan;
// What a graph's nodes run on; of a node with graphs inside of it, a plan for each of these.
struct Plan {
    Graph *graph;
    Nodes order;
    VEC(cudaStream_t) streams;  // of the lanes from 1 on
    cudaEvent_t begins;
    VEC(Plan *) inside;  // of the nodes, in their order
};
typedef struct Exec {
    struct Exec *self;  // the key
    Plan *plan;
    unsigned long long flags;
    UT_hash_handle hh;
} Exec;
static Exec *execs;  // under the graphs' lock
static _Thread_local uint32_t running;

bool graph_running(void) { return running; }

static Exec *find(const Exec *handle)
{
    Exec *e;
    HASH_FIND_PTR(execs, &handle, e);
    return e;
}

// --- plans -----------------------------------------------------------------------------------------------------------
static void plan_free(Plan *p)
{
    for (size_t k = 0; k < p->inside.n; k++) plan_free(p->inside.v[k]);
    for (size_t k = 0; k < p->streams.n; k++) cudaStreamDestroy(p->streams.v[k]);
    if (p->begins) cudaEventDestroy(p->begins);
    vec_free(&p->inside), vec_free(&p->streams), vec_free(&p->order);
    mem_free(p);
}

static uint32_t choose_lane(Nodes *ends, const Node *n)
{
    for (size_t j = 0; j < n->after.n; j++)
        if (ends->v[n->after.v[j]->lane] == n->after.v[j]) return n->after.v[j]->lane;
    if (ends->n < LANES_MOST) {
        vec_push(ends, NULL);
        return (uint32_t)ends->n - 1;
    }
    return n->after.n ? n->after.v[0]->lane : 0;
}

static cudaError_t choose_lanes(Plan *p)
{
    enum { NO_TIMING = 2, NON_BLOCKING = 1 };
    Nodes ends = {0};
    cudaError_t error = cudaSuccess;
    for (size_t k = 0; k < p->order.n; k++) {
        Node *n = p->order.v[k];
        n->lane = choose_lane(&ends, n);
        n->marks = false, n->last = true;
        for (size_t j = 0; j < n->after.n; j++) {
            n->after.v[j]->marks |= n->after.v[j]->lane != n->lane;
            n->after.v[j]->last = false;
        }
        ends.v[n->lane] = n;
    }
    for (size_t k = 1; k < ends.n && !error; k++) {
        cudaStream_t s;
        error = cudaStreamCreateWithPriority(&s, NON_BLOCKING, 0);
        if (!error) vec_push(&p->streams, s);
    }
    if (!error && ends.n > 1) error = cudaEventCreateWithFlags(&p->begins, NO_TIMING);
    for (size_t k = 0; k < p->order.n && !error; k++) {
        Node *n = p->order.v[k];
        if (n->marks || (n->last && n->lane)) error = cudaEventCreateWithFlags(&n->done, NO_TIMING);
    }
    vec_free(&ends);
    return error;
}

// Plans a graph, which is the plan's from now on, and those inside of its nodes. null, and the error: it can't be run.
static Plan *plan_new(Graph *g, cudaError_t *error)
{
    Plan *p = mem_alloc(sizeof *p);
    p->graph = g;
    *error = graph_order(g, &p->order) ? choose_lanes(p) : cudaErrorInvalidValue;
    for (size_t k = 0; k < p->order.n && !*error; k++) {
        const Work *w = &p->order.v[k]->work;
        const unsigned n = w->kind == NODE_CONDITIONAL ? w->conditional.n : w->kind == NODE_CHILD;
        for (unsigned j = 0; j < n && !*error; j++) {
            Plan *inside = plan_new(w->kind == NODE_CHILD ? w->child : w->conditional.bodies[j], error);
            if (inside) vec_push(&p->inside, inside);
        }
    }
    if (!*error) return p;
    plan_free(p);
    return NULL;
}

static uint64_t count(const Plan *p)
{
    uint64_t n = p->order.n;
    for (size_t k = 0; k < p->inside.n; k++) n += count(p->inside.v[k]);
    return n;
}

// --- running ---------------------------------------------------------------------------------------------------------
static cudaError_t run(const Plan *p, cudaStream_t s);

// The word is read once all work before it is done.
static cudaError_t read_word(uint64_t at, cudaStream_t s, uint32_t *value)
{
    cudaError_t error = launches_done(s);
    if (!error) memcpy(value, (const void *)(uintptr_t)at, sizeof *value);
    return error;
}

static cudaError_t run_conditional(const ConditionalWork *c, Plan *const *bodies, cudaStream_t s)
{
    enum { IF, WHILE, SWITCH };  // cudaGraphConditionalNodeType
    uint32_t value;
    cudaError_t error = read_word(c->handle, s, &value);
    if (c->sort == WHILE) {
        while (!error && value) {
            error = run(bodies[0], s);
            if (!error) error = read_word(c->handle, s, &value);
        }
        return error;
    }
    const uint32_t which = c->sort == IF ? !value : value;  // an if's second body is its else
    return !error && which < c->n ? run(bodies[which], s) : error;
}

static cudaError_t run_node(const Node *n, Plan *const *inside, cudaStream_t s)
{
    switch (n->work.kind) {
    case NODE_CHILD: return run(inside[0], s);
    case NODE_CONDITIONAL: return run_conditional(&n->work.conditional, inside, s);
    default: return n->off ? cudaSuccess : work_run(&n->work, s);
    }
}

static cudaError_t run(const Plan *p, cudaStream_t s)
{
    cudaError_t error = p->begins ? cudaEventRecord(p->begins, s) : cudaSuccess;
    for (size_t k = 0; k < p->streams.n && !error; k++) error = cudaStreamWaitEvent(p->streams.v[k], p->begins, 0);
    Plan *const *inside = p->inside.v;
    for (size_t k = 0; k < p->order.n && !error; k++) {
        const Node *n = p->order.v[k];
        const cudaStream_t lane = n->lane ? p->streams.v[n->lane - 1] : s;
        for (size_t j = 0; j < n->after.n && !error; j++)
            if (n->after.v[j]->lane != n->lane) error = cudaStreamWaitEvent(lane, n->after.v[j]->done, 0);
        if (!error) error = run_node(n, inside, lane);
        if (!error && n->done) error = cudaEventRecord(n->done, lane);
        inside += n->work.kind == NODE_CONDITIONAL ? n->work.conditional.n : n->work.kind == NODE_CHILD;
    }
    for (size_t k = 0; k < p->order.n && !error; k++) {
        const Node *n = p->order.v[k];
        if (n->last && n->lane) error = cudaStreamWaitEvent(s, n->done, 0);
    }
    return error;
}

// Words of conditional nodes get their first values. What an earlier launch has allocated and nothing freed can't be
// allocated again, unless the program has asked that it be freed.
static cudaError_t prepare(const Plan *p, bool frees)
{
    const Graph *g = p->graph;
    cudaError_t error = cudaSuccess;
    for (size_t k = 0; k < g->handles.n && !error; k++)
        if (g->first_value.v[k] != UINT32_MAX)
            error = rows_fill((void *)(uintptr_t)g->handles.v[k], 4, g->first_value.v[k], 4, 1, 1, NULL);
    for (size_t k = 0; k < g->nodes.n && !error; k++) {
        const Work *w = &g->nodes.v[k]->work;
        if (w->kind != NODE_ALLOC || !graph_memory_live(w->memory)) continue;
        error = frees ? graph_memory_run(w->memory, false) : cudaErrorInvalidValue;
    }
    for (size_t k = 0; k < p->inside.n && !error; k++) error = prepare(p->inside.v[k], frees);
    return error;
}

static cudaError_t launch(const Exec *e, cudaStream_t s)
{
    enum { FREES = 1 };  // cudaGraphInstantiateFlagAutoFreeOnLaunch
    cudaError_t error = prepare(e->plan, e->flags & FREES);
    if (error) return error;
    error = client_ask(&(WireCall){.ask = ASK_GRAPH, .a = 1 + count(e->plan)}, NULL, NULL);
    running++;
    if (!error) error = run(e->plan, s);
    running--;
    const cudaError_t end = client_ask(&(WireCall){.ask = ASK_GRAPH}, NULL, NULL);
    return error ? error : end;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t s)
{
    uint64_t number;
    bool taken = false;
    READY();
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    graphs_enter();
    const Exec *e = find(handle);
    const Work w = {.kind = NODE_CHILD, .child = e && capture_on() ? graph_copy(e->plan->graph) : NULL};
    graphs_leave();
    if (!e) return noted(cudaErrorInvalidValue);
    cudaError_t error = w.child ? capture_child(w.child, s, &taken) : cudaSuccess;
    return noted(error || taken ? error : launch(e, s));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t s)
{
    uint64_t number;
    READY();
    graphs_enter();
    const bool known = find(handle);
    graphs_leave();
    if (!known) return noted(cudaErrorInvalidValue);
    return noted(stream_number(s, &number) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

// --- making ----------------------------------------------------------------------------------------------------------
static void exec_end(Exec *e)
{
    HASH_DEL(execs, e);
    Graph *g = e->plan->graph;
    plan_free(e->plan);
    graph_end(g);
    mem_free(e);
}

// Graphs that kernels would launch (flag 4) need what onchip hasn't: launches from the device.
static cudaError_t make(cudaGraphExec_t *out, cudaGraph_t handle, unsigned long long flags)
{
    enum { FLAGS = 15, DEVICE_LAUNCH = 4 };
    cudaError_t error;
    READY();
    if (!out || flags > FLAGS) return noted(cudaErrorInvalidValue);
    if (flags & DEVICE_LAUNCH) return client_missing("a graph that kernels launch");
    graphs_enter();
    const Graph *g = graph_find(handle);
    Graph *copy = g ? graph_copy(g) : NULL;
    graphs_leave();
    if (!g) return noted(cudaErrorInvalidValue);
    Plan *plan = plan_new(copy, &error);
    graphs_enter();
    if (plan) {
        Exec *e = mem_alloc(sizeof *e);
        e->self = e, e->plan = plan, e->flags = flags;
        HASH_ADD_PTR(execs, self, e);
        *out = e;
    } else {
        graph_end(copy);
    }
    return graphs_left(error);
}

// CUDA 11 had the node that failed and a log where flags are now.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags)
{
    return make(out, g, runtime_major() < 12 ? 0 : flags);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags)
{
    return make(out, g, flags);
}

typedef struct InstantiateParams {  // cudaGraphInstantiateParams
    unsigned long long flags;
    cudaStream_t upload;
    cudaGraphNode_t error_node;
    int result;
} InstantiateParams;

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t g, InstantiateParams *params)
{
    READY();
    if (!params) return noted(cudaErrorInvalidValue);
    const cudaError_t error = make(out, g, params->flags);
    params->error_node = NULL, params->result = error != cudaSuccess;  // cudaGraphInstantiateError
    return error;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle)
{
    READY();
    graphs_enter();
    Exec *e = find(handle);
    if (e) exec_end(e);
    return graphs_left(e ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long *flags)
{
    READY();
    graphs_enter();
    const Exec *e = find(handle);
    if (e && flags) *flags = e->flags;
    return graphs_left(e && flags ? cudaSuccess : cudaErrorInvalidValue);
}

// --- changing --------------------------------------------------------------------------------------------------------
// The node of an executable graph, or of one inside of it, that is a copy of the program's.
static Node *copy_of(const Plan *p, const Node *original)
{
    for (size_t k = 0; k < p->graph->nodes.n; k++)
        if (p->graph->nodes.v[k]->origin == original) return p->graph->nodes.v[k];
    for (size_t k = 0; k < p->inside.n; k++) {
        Node *n = copy_of(p->inside.v[k], original);
        if (n) return n;
    }
    return NULL;
}

Node *exec_node(cudaGraphExec_t handle, const Node *original)
{
    const Exec *e = find(handle);
    return e && original ? copy_of(e->plan, original) : NULL;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t e, cudaGraphNode_t original, unsigned on)
{
    READY();
    graphs_enter();
    Node *n = exec_node(e, original);
    if (!n || (n->work.kind != NODE_KERNEL && n->work.kind != NODE_COPY && n->work.kind != NODE_FILL))
        return graphs_left(cudaErrorInvalidValue);
    n->off = !on;
    return graphs_left(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t e, cudaGraphNode_t original, unsigned *on)
{
    READY();
    graphs_enter();
    const Node *n = exec_node(e, original);
    if (!n || !on) return graphs_left(cudaErrorInvalidValue);
    *on = !n->off;
    return graphs_left(cudaSuccess);
}

// --- update ----------------------------------------------------------------------------------------------------------
typedef enum Outcome {  // cudaGraphExecUpdateResult
    UPDATED,
    UPDATE_ERROR,
    TOPOLOGY_CHANGED,
    KIND_CHANGED,
    FUNCTION_CHANGED,
    PARAMETERS_CHANGED,
    NOT_SUPPORTED
} Outcome;
typedef struct UpdateResult {  // cudaGraphExecUpdateResultInfo
    int result;
    cudaGraphNode_t node, from;
} UpdateResult;
_Static_assert(sizeof(UpdateResult) == 24, "as in CUDA 13");

// Do both have the same nodes and edges, as they were added one by one? to is the executable one.
static Outcome compare(const Graph *to, const Graph *from, UpdateResult *r)
{
    if (to->nodes.n != from->nodes.n) return TOPOLOGY_CHANGED;
    graph_number(to), graph_number(from);
    for (size_t k = 0; k < to->nodes.n; k++) {
        const Node *a = to->nodes.v[k], *b = from->nodes.v[k];
        r->node = from->nodes.v[k];
        if (a->work.kind != b->work.kind) return KIND_CHANGED;
        if (a->after.n != b->after.n) return TOPOLOGY_CHANGED;
        for (size_t j = 0; j < a->after.n; j++) {
            r->from = b->after.v[j];
            if (a->after.v[j]->place != b->after.v[j]->place) return TOPOLOGY_CHANGED;
        }
        r->from = NULL;
        const bool inside = a->work.kind == NODE_CHILD;
        const Outcome o = inside ? compare(a->work.child, b->work.child, r) : UPDATED;
        if (inside) graph_number(to), graph_number(from);
        if (o != UPDATED) return o;
        if ((a->work.kind == NODE_ALLOC || a->work.kind == NODE_FREE) && a->work.memory != b->work.memory)
            return PARAMETERS_CHANGED;
        if (a->work.kind == NODE_CONDITIONAL && a->work.conditional.handle != b->work.conditional.handle)
            return PARAMETERS_CHANGED;
    }
    r->node = NULL;
    return UPDATED;
}

// Nodes whose work has graphs inside of it keep these, which hold the plans; their nodes change.
static void take_over(Graph *to, const Graph *from)
{
    for (size_t k = 0; k < to->nodes.n; k++) {
        Work *a = &to->nodes.v[k]->work;
        const Work *b = &from->nodes.v[k]->work;
        if (a->kind == NODE_CHILD) {
            take_over(a->child, b->child);
        } else if (a->kind != NODE_CONDITIONAL) {
            Work w = work_copy(b);
            work_free(a);
            *a = w;
        }
    }
}

bool graph_take_over(Graph *to, const Graph *from)
{
    UpdateResult r;
    const bool same = compare(to, from, &r) == UPDATED;
    if (same) take_over(to, from);
    return same;
}

cudaError_t graph_update(cudaGraphExec_t handle, cudaGraph_t graph, int *result, void **node, void **from)
{
    UpdateResult r = {0};
    READY();
    graphs_enter();
    const Exec *e = find(handle);
    const Graph *g = graph_find(graph);
    if (!e || !g) return graphs_left(cudaErrorInvalidValue);
    r.result = (int)compare(e->plan->graph, g, &r);
    if (r.result == UPDATED) take_over(e->plan->graph, g);
    if (result) *result = r.result;
    if (node) *node = r.node;
    if (from) *from = r.from;
    return graphs_left(r.result == UPDATED ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

// CUDA 11 has the node and the result each by itself.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, UpdateResult *result, int *older)
{
    if (runtime_major() < 12) return graph_update(e, g, older, (void **)(void *)result, NULL);
    if (!result) return graph_update(e, g, NULL, NULL, NULL);
    return graph_update(e, g, &result->result, (void **)&result->node, (void **)&result->from);
}
