// graph.h: graphs (CUDA Runtime API, "Graph Management"): work that is described first and launched many times. Here
// stands what the files about graphs and captures share; other files call those alone that unit.h has.
//
// A graph is nodes with edges. A node has one piece of Work. An executable graph is a copy of one, in an order in which
// the nodes can run, each on one of a few streams: of nodes that need one another, one follows the other.
#ifndef CUDART_GRAPH_H
#define CUDART_GRAPH_H

#include "cudart/unit.h"

#include <string.h>

enum {  // cudaError_t
    cudaErrorOperatingSystem = 304,
    cudaErrorIllegalState = 401,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated,
    cudaErrorStreamCaptureMerge,
    cudaErrorStreamCaptureUnmatched,
    cudaErrorStreamCaptureUnjoined,
    cudaErrorStreamCaptureIsolation,
    cudaErrorStreamCaptureImplicit,
    cudaErrorCapturedEvent,
    cudaErrorStreamCaptureWrongThread,
    cudaErrorGraphExecUpdateFailure = 910
};

// --- work ------------------------------------------------------------------------------------------------------------
typedef enum NodeKind {  // cudaGraphNodeType
    NODE_KERNEL,
    NODE_COPY,
    NODE_FILL,
    NODE_HOST,
    NODE_CHILD,
    NODE_EMPTY,
    NODE_WAIT,
    NODE_RECORD,
    NODE_ALLOC = 10,
    NODE_FREE,
    NODE_CONDITIONAL = 13
} NodeKind;
typedef struct KernelWork {
    const void *f;
    Config config;  // its stream isn't used
    uint8_t *values;
    size_t bytes;  // of the values, as the kernel has them
    void **args;   // where each is in values, for who asks; null: nobody has
} KernelWork;
typedef struct FillWork {  // cudaMemsetParams
    void *at;
    size_t pitch;
    unsigned value, element;  // element: bytes, 1, 2 or 4
    size_t width, height;     // elements; rows
} FillWork;
typedef struct HostWork {  // cudaHostNodeParams
    void (*function)(void *);
    void *data;
} HostWork;
typedef struct ConditionalWork {  // cudaConditionalNodeParams
    uint64_t handle;              // the address of a word, which kernels set
    int sort;                     // 0: if, 1: while, 2: switch
    unsigned n;                   // bodies
    cudaGraph_t *bodies;          // the node's own
} ConditionalWork;
typedef struct Work {
    NodeKind kind;
    union {
        KernelWork kernel;
        CopyParams copy;
        FillWork fill;
        HostWork host;
        cudaGraph_t child;  // the node's own
        cudaEvent_t event;
        void *memory;  // that is allocated or freed
        ConditionalWork conditional;
    };
} Work;
_Static_assert(sizeof(FillWork) == 40 && sizeof(HostWork) == 16 && sizeof(ConditionalWork) == 24, "as in CUDA 13");

typedef struct Edge {  // cudaGraphEdgeData
    uint8_t from_port, to_port, sort, reserved[5];
} Edge;
typedef struct Node {
    struct Node *self;  // the key
    struct Graph *of;
    const struct Node *origin;  // of a copy: the node that it is a copy of
    Work work;
    VEC(struct Node *) after;  // what it needs
    VEC(Edge) edges;           // to each of these
    bool off;                  // of an executable graph: it does nothing
    // In an executable graph: the stream that the node runs on, counted from 0; whether somebody on another stream
    // waits for it, or nobody does; by which event.
    uint32_t lane;
    bool marks, last;
    cudaEvent_t done;
    uint32_t place;  // while something walks over the graph
    UT_hash_handle hh;
} Node;
typedef VEC(Node *) Nodes;
typedef struct Retained {
    struct UserObject *object;
    uint64_t count;  // of the graph's references to it
} Retained;
typedef struct Graph {
    struct Graph *self;         // the key
    Node *owner;                // the node whose child it is; null: it is the program's
    Nodes nodes;                // in the order in which they were added
    VEC(uint64_t) handles;      // of conditional nodes, each with
    VEC(unsigned) first_value;  // its value when the graph is launched; UINT_MAX: that isn't set
    VEC(Retained) objects;      // of the program's
    UT_hash_handle hh;
} Graph;

// --- graph.c: graphs, nodes and edges -------------------------------------------------------------------------------
// One lock is held from graphs_enter to graphs_leave, for all that follows.
void graphs_enter(void);
void graphs_leave(void);
cudaError_t graphs_left(cudaError_t error);  // graphs_leave, for a call that ends with the error
Graph *graph_find(const Graph *handle);      // null: there is no such one
Node *node_find(const Node *handle);
Graph *graph_new(void);
Graph *graph_copy(const Graph *g);
void graph_end(Graph *g);
// Takes over what the work has. edges may be null.
Node *node_add(Graph *g, const Work *w, Node *const *after, const Edge *edges, size_t n);
// Are these nodes of the graph, each once?
bool nodes_known(const Graph *g, Node *const *list, size_t n);
void graph_number(const Graph *g);         // a node's place is the one in its graph
bool graph_order(Graph *g, Nodes *order);  // each behind all that it needs; false: it has a circle

// --- work.c: what a node does ---------------------------------------------------------------------------------------
cudaError_t work_kernel(const void *f, const Config *c, const Values *v, Work *w);
cudaError_t work_check(const Work *w);
Work work_copy(const Work *w);
void work_free(Work *w);
// Does it on a stream, now. Kinds that have graphs inside of them, and empty ones, are exec.c's.
cudaError_t work_run(const Work *w, cudaStream_t s);

// --- graph_memory.c: memory that graphs allocate --------------------------------------------------------------------
// It is there from the node's creation on, and goes with the last graph that has the node, unless a launch has
// allocated it and nothing has freed it.
cudaError_t graph_allocate(void **p, size_t bytes);
void graph_holds(void *p, bool on);                 // a node more, or less, has it
cudaError_t graph_memory_run(void *p, bool alloc);  // a node is run that allocates or frees it
bool graph_memory_live(const void *p);              // a launch has allocated it

// --- graph_object.c: objects of the program that graphs keep --------------------------------------------------------
void graph_objects_copy(Graph *to, const Graph *from);
void graph_objects_free(Graph *g);

// --- exec.c: executable graphs --------------------------------------------------------------------------------------
bool graph_take_over(Graph *to, const Graph *from);  // their nodes' work; false: they don't have the same nodes
Node *exec_node(cudaGraphExec_t handle, const Node *original);  // its copy of a graph's node; null: there is none

// --- capture.c -------------------------------------------------------------------------------------------------------
cudaError_t capture_child(Graph *child, cudaStream_t s, bool *taken);  // which it takes over, or ends

#endif
