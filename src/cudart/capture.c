// capture.c: streams whose work becomes a graph (CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture").
// What is asked for in such a stream is a node, and isn't done. Another stream joins when it waits for an event that
// was recorded in one; so a capture has several streams, each with the nodes that its next one will need.
//
// Invariant: what breaks a capture leaves it broken until its end, which then gives no graph.
#include "cudart/graph.h"

#include <pthread.h>

typedef enum Mode { GLOBAL, THREAD, RELAXED, MODES } Mode;  // cudaStreamCaptureMode
typedef enum Status { NONE, ACTIVE, BROKEN } Status;        // cudaStreamCaptureStatus
typedef struct Capture {
    uint64_t id;
    Graph *graph;
    bool own;  // the graph is the capture's, and not one that the program has given
    Mode mode;
    pthread_t thread;
    uint64_t origin;  // the stream that it began with
    bool broken;
} Capture;
// A stream, by its number, or an event: what comes behind it needs these nodes.
typedef struct Member {
    uint64_t key;
    Capture *of;  // its end is the member's, too
    bool blocking;
    Nodes last;
    UT_hash_handle hh;
} Member;
static struct {
    Member *streams, *events;
    uint64_t ids;
    atomic_uint on;  // captures, and events of them
    VEC(Capture *) all;
} captures;
static _Thread_local Mode exchanged = GLOBAL;

bool capture_on(void) { return atomic_load_explicit(&captures.on, memory_order_relaxed) && !graph_running(); }

static Member *find(Member *all, uint64_t key)
{
    Member *m;
    HASH_FIND(hh, all, &key, sizeof key, m);
    return m;
}

static Member *join(Member **all, uint64_t key, Capture *c)
{
    Member *m = find(*all, key);
    if (!m) {
        m = mem_alloc(sizeof *m);
        m->key = key;
        HASH_ADD(hh, *all, key, sizeof m->key, m);
        if (all == &captures.events) atomic_fetch_add(&captures.on, 1);
    }
    m->of = c;
    m->last.n = 0;
    return m;
}

static void leave(Member **all, Member *m)
{
    HASH_DEL(*all, m);
    if (all == &captures.events) atomic_fetch_sub(&captures.on, 1);
    vec_free(&m->last);
    mem_free(m);
}

static void push_all(Nodes *to, const Nodes *from)
{
    for (size_t k = 0; k < from->n; k++) {
        bool there = false;
        for (size_t j = 0; j < to->n; j++) there |= to->v[j] == from->v[k];
        if (!there) vec_push(to, from->v[k]);
    }
}

// --- what other calls ask --------------------------------------------------------------------------------------------
// The capture of a stream; null, and error 0: there is none. Returns with the lock.
static Member *member_of(cudaStream_t s, cudaError_t *error)
{
    uint64_t number;
    *error = stream_number(s, &number) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    graphs_enter();
    if (*error) return NULL;
    Member *m = number ? find(captures.streams, number) : NULL;
    if (m && m->of->broken) *error = cudaErrorStreamCaptureInvalidated;
    // The legacy stream waits for all that block, and a captured one can't be waited for.
    for (size_t k = 0; !number && !*error && k < captures.all.n; k++) {
        Capture *c = captures.all.v[k];
        const Member *origin = find(captures.streams, c->origin);
        if (!origin || !origin->blocking) continue;
        c->broken = true;
        *error = cudaErrorStreamCaptureImplicit;
    }
    return *error ? NULL : m;
}

static Node *add(Member *m, const Work *w)
{
    Node *n = node_add(m->of->graph, w, m->last.v, NULL, m->last.n);
    m->last.n = 0;
    vec_push(&m->last, n);
    return n;
}

// Adds a node to a captured stream.
static cudaError_t take(cudaStream_t s, const Work *w, bool *taken)
{
    cudaError_t error;
    Member *m = member_of(s, &error);
    *taken = m;
    if (m) add(m, w);
    graphs_leave();
    return error;
}

cudaError_t capture_kernel(const void *f, const Config *c, const Values *v, bool *taken)
{
    Work w;
    cudaError_t error = work_kernel(f, c, v, &w);
    if (error) return error;
    error = take(c->stream, &w, taken);
    if (!*taken) work_free(&w);
    return error;
}

cudaError_t capture_copy(const Box *to, const Box *from, cudaExtent e, int kind, cudaStream_t s, bool *taken)
{
    const Work w = {.kind = NODE_COPY,
                    .copy = {.to = {to->at, to->pitch, e.width, to->height},
                             .from = {from->at, from->pitch, e.width, from->height},
                             .extent = e,
                             .kind = kind}};
    return take(s, &w, taken);
}

cudaError_t capture_fill(void *to, size_t pitch, unsigned word, size_t size, size_t width, size_t height,
                         cudaStream_t s, bool *taken)
{
    const Work w = {.kind = NODE_FILL, .fill = {to, pitch, word, (unsigned)size, width, height}};
    return take(s, &w, taken);
}

cudaError_t capture_host(void (*function)(void *), void *data, cudaStream_t s, bool *taken)
{
    return take(s, &(Work){.kind = NODE_HOST, .host = {function, data}}, taken);
}

cudaError_t capture_child(Graph *child, cudaStream_t s, bool *taken)
{
    cudaError_t error = take(s, &(Work){.kind = NODE_CHILD, .child = child}, taken);
    graphs_enter();
    if (!*taken) graph_end(child);
    graphs_leave();
    return error;
}

cudaError_t capture_allocate(void **p, size_t bytes, cudaStream_t s, bool *taken)
{
    cudaError_t error;
    const Member *m = member_of(s, &error);
    *taken = m;
    graphs_leave();
    if (error || !m) return error;
    if (!p || !bytes) return cudaErrorInvalidValue;
    error = graph_allocate(p, bytes);
    return error ? error : take(s, &(Work){.kind = NODE_ALLOC, .memory = *p}, taken);
}

cudaError_t capture_free(void *p, cudaStream_t s, bool *taken)
{
    cudaError_t error = take(s, &(Work){.kind = NODE_FREE, .memory = p}, taken);
    if (!error && *taken) graph_holds(p, true);
    return error;
}

cudaError_t capture_record(cudaEvent_t e, cudaStream_t s, bool external, bool *taken)
{
    cudaError_t error;
    Member *m = member_of(s, &error), *was = find(captures.events, (uintptr_t)e);
    *taken = m;
    if (m && external) {
        add(m, &(Work){.kind = NODE_RECORD, .event = e});
    } else if (m) {
        Member *event = join(&captures.events, (uintptr_t)e, m->of);
        push_all(&event->last, &m->last);
    } else if (was && !error) {
        leave(&captures.events, was);
    }
    graphs_leave();
    return error;
}

cudaError_t capture_wait(cudaEvent_t e, cudaStream_t s, bool external, bool *taken)
{
    cudaError_t error;
    uint64_t number = 0;
    Member *m = member_of(s, &error);
    const Member *event = find(captures.events, (uintptr_t)e);
    Capture *c = event ? event->of : NULL;
    *taken = !error && (m || c);
    if (error) {
    } else if (m && external) {
        add(m, &(Work){.kind = NODE_WAIT, .event = e});
    } else if (m && !c) {
        m->of->broken = true;
        error = event ? cudaErrorInvalidValue : cudaErrorStreamCaptureIsolation;
    } else if (m && m->of != c) {
        m->of->broken = c->broken = true;
        error = cudaErrorStreamCaptureMerge;
    } else if (c && !stream_number(s, &number)) {
        error = cudaErrorInvalidResourceHandle;
    } else if (c && !number) {
        c->broken = true;
        error = cudaErrorStreamCaptureImplicit;
    } else if (c) {
        if (c->broken) error = cudaErrorStreamCaptureInvalidated;
        if (!m && !error) m = join(&captures.streams, number, c), m->blocking = stream_blocks(s);
        if (!error) push_all(&m->last, &event->last);
    }
    graphs_leave();
    return error;
}

cudaError_t capture_forbids(cudaStream_t s)
{
    cudaError_t error;
    if (!capture_on()) return cudaSuccess;
    Member *m = member_of(s, &error);
    if (m) m->of->broken = true, error = cudaErrorStreamCaptureUnsupported;
    graphs_leave();
    return error;
}

cudaError_t capture_forbids_event(const cudaEvent_t e)
{
    graphs_enter();
    const bool captured = find(captures.events, (uintptr_t)e);
    graphs_leave();
    return captured ? cudaErrorCapturedEvent : cudaSuccess;
}

cudaError_t capture_forbids_unsafe(void)
{
    bool forbidden = false;
    if (!capture_on() || exchanged == RELAXED) return cudaSuccess;
    graphs_enter();
    for (size_t k = 0; k < captures.all.n; k++) {
        Capture *c = captures.all.v[k];
        const bool here = pthread_equal(c->thread, pthread_self());
        const bool counts = here ? c->mode != RELAXED : c->mode == GLOBAL && exchanged == GLOBAL;
        if (counts) forbidden = c->broken = true;
    }
    graphs_leave();
    return forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

void capture_forgets(cudaStream_t s, cudaEvent_t e)
{
    uint64_t number;
    const bool stream = s && stream_number(s, &number);
    graphs_enter();
    Member *m = stream ? find(captures.streams, number) : NULL, *event = e ? find(captures.events, (uintptr_t)e) : NULL;
    if (m) m->of->broken = true;
    if (event) leave(&captures.events, event);
    graphs_leave();
}

// --- the program's calls ---------------------------------------------------------------------------------------------
static cudaError_t begin(cudaStream_t s, int mode, Graph *given, const cudaGraphNode_t *after, size_t n)
{
    uint64_t number;
    READY();
    if (mode < 0 || mode >= MODES) return noted(cudaErrorInvalidValue);
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    if (!number) return noted(cudaErrorStreamCaptureUnsupported);
    graphs_enter();
    if (find(captures.streams, number)) return graphs_left(cudaErrorIllegalState);
    if (given && (!graph_find(given) || !nodes_known(given, after, n))) return graphs_left(cudaErrorInvalidValue);
    Capture *c = mem_alloc(sizeof *c);
    *c = (Capture){.id = ++captures.ids, .mode = (Mode)mode, .thread = pthread_self(), .origin = number, .own = !given};
    c->graph = given ? given : graph_new();
    vec_push(&captures.all, c);
    atomic_fetch_add(&captures.on, 1);
    Member *m = join(&captures.streams, number, c);
    m->blocking = stream_blocks(s);
    for (size_t k = 0; k < n; k++) vec_push(&m->last, after[k]);
    return graphs_left(cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, int mode) { return begin(s, mode, NULL, NULL, 0); }

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *after,
                                          const Edge *edges, size_t n, int mode)
{
    (void)edges;
    READY();
    return g ? begin(s, mode, g, after, n) : noted(cudaErrorInvalidValue);
}

// Is a node of the capture needed by none, and not among the last of the stream that ends it? Then a stream that has
// joined wasn't waited for.
static bool unjoined(const Capture *c, const Member *end)
{
    Member *m, *next;
    bool found = false;
    HASH_ITER(hh, captures.streams, m, next)
    {
        if (m->of != c || m == end) continue;
        for (size_t k = 0; k < m->last.n; k++) {
            bool needed = false;
            for (size_t j = 0; j < end->last.n; j++) needed |= end->last.v[j] == m->last.v[k];
            for (size_t j = 0; j < c->graph->nodes.n && !needed; j++)
                for (size_t i = 0; i < c->graph->nodes.v[j]->after.n; i++)
                    needed |= c->graph->nodes.v[j]->after.v[i] == m->last.v[k];
            found |= !needed;
        }
    }
    return found;
}

static void end(Capture *c)
{
    Member *m, *next;
    HASH_ITER(hh, captures.streams, m, next) if (m->of == c) leave(&captures.streams, m);
    HASH_ITER(hh, captures.events, m, next) if (m->of == c) leave(&captures.events, m);
    vec_drop(&captures.all, c);
    atomic_fetch_sub(&captures.on, 1);
    mem_free(c);
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out)
{
    uint64_t number;
    READY();
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    graphs_enter();
    const Member *m = number ? find(captures.streams, number) : NULL;
    if (out) *out = NULL;
    if (!m) return graphs_left(cudaErrorIllegalState);
    Capture *c = m->of;
    if (c->origin != number) return graphs_left(cudaErrorStreamCaptureUnmatched);
    if (c->mode != RELAXED && !pthread_equal(c->thread, pthread_self()))
        return graphs_left(cudaErrorStreamCaptureWrongThread);
    cudaError_t error = c->broken        ? cudaErrorStreamCaptureInvalidated
                        : unjoined(c, m) ? cudaErrorStreamCaptureUnjoined
                        : !out && c->own ? cudaErrorInvalidValue
                                         : cudaSuccess;
    if (error && c->own) graph_end(c->graph);
    if (!error && out) *out = c->graph;
    end(c);
    return graphs_left(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s, int *status)
{
    uint64_t number;
    READY();
    if (!status) return noted(cudaErrorInvalidValue);
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    graphs_enter();
    const Member *m = number ? find(captures.streams, number) : NULL;
    *status = !m ? NONE : m->of->broken ? BROKEN : ACTIVE;
    return graphs_left(cudaSuccess);
}

typedef struct Info {
    int *status;
    unsigned long long *id;
    cudaGraph_t *graph;
    const cudaGraphNode_t **last;
    const Edge **edges;
    size_t *n;
} Info;

static cudaError_t tell(cudaStream_t s, const Info *to)
{
    uint64_t number;
    READY();
    if (!to->status) return noted(cudaErrorInvalidValue);
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    graphs_enter();
    const Member *m = number ? find(captures.streams, number) : NULL;
    *to->status = !m ? NONE : m->of->broken ? BROKEN : ACTIVE;
    if (!m) return graphs_left(cudaSuccess);
    if (to->id) *to->id = m->of->id;
    if (to->graph) *to->graph = m->of->graph;
    if (to->last) *to->last = m->last.v;
    if (to->edges) *to->edges = NULL;  // none has data
    if (to->n) *to->n = m->last.n;
    return graphs_left(cudaSuccess);
}

// Before CUDA 13 the plain name had three arguments, _v2 had no edges, and _v3 has what the plain name has today.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, int *status, unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **last, const Edge **edges, size_t *n)
{
    if (runtime_major() < 13) return tell(s, &(Info){status, id, NULL, NULL, NULL, NULL});
    return tell(s, &(Info){status, id, graph, last, edges, n});
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, int *status, unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **last, size_t *n)
{
    return tell(s, &(Info){status, id, graph, last, NULL, n});
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t s, int *status, unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **last, const Edge **edges, size_t *n)
{
    return tell(s, &(Info){status, id, graph, last, edges, n});
}

static cudaError_t update(cudaStream_t s, const cudaGraphNode_t *after, size_t n, unsigned flags)
{
    enum { ADD, SET };  // cudaStreamUpdateCaptureDependenciesFlags
    uint64_t number;
    READY();
    if (flags > SET || (n && !after)) return noted(cudaErrorInvalidValue);
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    graphs_enter();
    Member *m = number ? find(captures.streams, number) : NULL;
    if (!m) return graphs_left(cudaErrorIllegalState);
    if (!nodes_known(m->of->graph, after, n)) return graphs_left(cudaErrorInvalidValue);
    if (flags == SET) m->last.n = 0;
    const Nodes more = {.v = (cudaGraphNode_t *)(uintptr_t)after, .n = n};
    push_all(&m->last, &more);
    return graphs_left(cudaSuccess);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t s, const cudaGraphNode_t *after, const Edge *edges,
                                                   size_t n, unsigned flags)
{
    (void)edges;
    return update(s, after, n, flags);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, const cudaGraphNode_t *after, const Edge *edges,
                                                size_t n, unsigned flags)
{
    if (runtime_major() < 13) return update(s, after, (size_t)(uintptr_t)edges, (unsigned)n);
    return update(s, after, n, flags);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
    READY();
    if (!mode || *mode < 0 || *mode >= MODES) return noted(cudaErrorInvalidValue);
    const Mode was = exchanged;
    exchanged = (Mode)*mode, *mode = (int)was;
    return cudaSuccess;
}
