// graph.c: graphs, and streams whose work becomes one, which are the runtime's. Nodes that launch and copy are
// described by structures of the driver's own.
#include "libcuda/unit.h"

#include <string.h>

#define S(stream) ((cudaStream_t)(stream))
#define E(event) ((cudaEvent_t)(event))
typedef void *G;  // CUgraph
typedef void *N;  // CUgraphNode
typedef void *X;  // CUgraphExec
typedef struct Edge Edge;
// A function of the runtime's, which no other file needs, and the driver's that does the same.
#define AS(driver, runtime, params, args) \
    cudaError_t runtime params;           \
    CUresult driver params                \
    {                                     \
        CONTEXT();                        \
        return ASKED(runtime args);       \
    }
#define SAME(name, params, args) AS(cu##name, cuda##name, params, args)

// --- graphs and edges ------------------------------------------------------------------------------------------------
SAME(GraphCreate, (G * g, unsigned flags), (g, flags))
SAME(GraphDestroy, (G g), (g))
SAME(GraphClone, (G * clone, G g), (clone, g))
SAME(GraphNodeFindInClone, (N * n, N original, G clone), (n, original, clone))
SAME(GraphDestroyNode, (N n), (n))
SAME(GraphNodeGetType, (N n, int *type), (n, type))
SAME(GraphGetNodes, (G g, N *nodes, size_t *n), (g, nodes, n))
SAME(GraphGetRootNodes, (G g, N *nodes, size_t *n), (g, nodes, n))
SAME(GraphGetEdges_v2, (G g, N *from, N *to, Edge *edges, size_t *n), (g, from, to, edges, n))
SAME(GraphNodeGetDependencies_v2, (N node, N *list, Edge *edges, size_t *n), (node, list, edges, n))
SAME(GraphNodeGetDependentNodes_v2, (N node, N *list, Edge *edges, size_t *n), (node, list, edges, n))
SAME(GraphAddDependencies_v2, (G g, const N *from, const N *to, const Edge *edges, size_t n), (g, from, to, edges, n))
SAME(GraphRemoveDependencies_v2, (G g, const N *from, const N *to, const Edge *edges, size_t n),
     (g, from, to, edges, n))
SAME(GraphDebugDotPrint, (G g, const char *path, unsigned flags), (g, path, flags))

CUresult cuGraphGetEdges(G g, N *from, N *to, size_t *n) { return cuGraphGetEdges_v2(g, from, to, NULL, n); }
CUresult cuGraphNodeGetDependencies(N node, N *list, size_t *n)
{
    return cuGraphNodeGetDependencies_v2(node, list, NULL, n);
}
CUresult cuGraphNodeGetDependentNodes(N node, N *list, size_t *n)
{
    return cuGraphNodeGetDependentNodes_v2(node, list, NULL, n);
}
CUresult cuGraphAddDependencies(G g, const N *from, const N *to, size_t n)
{
    return cuGraphAddDependencies_v2(g, from, to, NULL, n);
}
CUresult cuGraphRemoveDependencies(G g, const N *from, const N *to, size_t n)
{
    return cuGraphRemoveDependencies_v2(g, from, to, NULL, n);
}

// --- nodes that the runtime describes in the same way ----------------------------------------------------------------
typedef struct Fill Fill;    // CUDA_MEMSET_NODE_PARAMS
typedef struct Host Host;    // CUDA_HOST_NODE_PARAMS
typedef struct Alloc Alloc;  // CUDA_MEM_ALLOC_NODE_PARAMS
#define NODE N *out, G g, const N *after, size_t n
SAME(GraphAddHostNode, (NODE, const Host *p), (out, g, after, n, p))
SAME(GraphHostNodeGetParams, (N node, Host *p), (node, p))
SAME(GraphHostNodeSetParams, (N node, const Host *p), (node, p))
SAME(GraphExecHostNodeSetParams, (X x, N node, const Host *p), (x, node, p))
SAME(GraphAddChildGraphNode, (NODE, G child), (out, g, after, n, child))
SAME(GraphChildGraphNodeGetGraph, (N node, G *child), (node, child))
SAME(GraphExecChildGraphNodeSetParams, (X x, N node, G child), (x, node, child))
SAME(GraphAddEmptyNode, (NODE), (out, g, after, n))
SAME(GraphAddEventRecordNode, (NODE, CUevent e), (out, g, after, n, e))
SAME(GraphEventRecordNodeGetEvent, (N node, CUevent *e), (node, e))
SAME(GraphEventRecordNodeSetEvent, (N node, CUevent e), (node, e))
SAME(GraphExecEventRecordNodeSetEvent, (X x, N node, CUevent e), (x, node, e))
SAME(GraphAddEventWaitNode, (NODE, CUevent e), (out, g, after, n, e))
SAME(GraphEventWaitNodeGetEvent, (N node, CUevent *e), (node, e))
SAME(GraphEventWaitNodeSetEvent, (N node, CUevent e), (node, e))
SAME(GraphExecEventWaitNodeSetEvent, (X x, N node, CUevent e), (x, node, e))
SAME(GraphAddMemAllocNode, (NODE, Alloc *p), (out, g, after, n, p))
SAME(GraphMemAllocNodeGetParams, (N node, Alloc *p), (node, p))
SAME(GraphAddMemFreeNode, (NODE, CUdeviceptr p), (out, g, after, n, p))
SAME(GraphMemFreeNodeGetParams, (N node, CUdeviceptr *p), (node, p))
SAME(GraphMemsetNodeGetParams, (N node, Fill *p), (node, p))
SAME(GraphMemsetNodeSetParams, (N node, const Fill *p), (node, p))
SAME(DeviceGetGraphMemAttribute, (CUdevice d, int attribute, void *value), (d, attribute, value))
SAME(DeviceSetGraphMemAttribute, (CUdevice d, int attribute, void *value), (d, attribute, value))
SAME(DeviceGraphMemTrim, (CUdevice d), (d))
SAME(GraphKernelNodeCopyAttributes, (N to, N from), (to, from))
SAME(GraphKernelNodeGetAttribute, (N node, int id, void *value), (node, id, value))
SAME(GraphKernelNodeSetAttribute, (N node, int id, const void *value), (node, id, value))

// With the context in which it happens, of which there is one GPU.
cudaError_t cudaGraphAddMemsetNode(NODE, const Fill *p);
CUresult cuGraphAddMemsetNode(NODE, const Fill *p, CUcontext c)
{
    CONTEXT();
    (void)c;
    return ASKED(cudaGraphAddMemsetNode(out, g, after, n, p));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(X x, N node, const Fill *p);
CUresult cuGraphExecMemsetNodeSetParams(X x, N node, const Fill *p, CUcontext c)
{
    CONTEXT();
    (void)c;
    return ASKED(cudaGraphExecMemsetNodeSetParams(x, node, p));
}

cudaError_t cudaGraphConditionalHandleCreate(uint64_t *handle, G g, unsigned first, unsigned flags);
CUresult cuGraphConditionalHandleCreate(uint64_t *handle, G g, CUcontext c, unsigned first, unsigned flags)
{
    CONTEXT();
    (void)c;
    return ASKED(cudaGraphConditionalHandleCreate(handle, g, first, flags));
}

// --- kernels ---------------------------------------------------------------------------------------------------------
typedef struct KernelParams {  // CUDA_KERNEL_NODE_PARAMS_v2; without the last two, its v1 and cudaKernelNodeParams
    CUfunction f;
    unsigned grid[3], block[3], shared;
    void **args, **extra;
    CUkernel kernel;
    CUcontext context;
} KernelParams;
enum { SHORT = offsetof(KernelParams, kernel) };
_Static_assert(SHORT == 56 && sizeof(KernelParams) == 72, "as in CUDA 13");

cudaError_t cudaGraphAddKernelNode(NODE, const KernelParams *p);
cudaError_t cudaGraphKernelNodeGetParams(N node, KernelParams *p);
cudaError_t cudaGraphKernelNodeSetParams(N node, const KernelParams *p);
cudaError_t cudaGraphExecKernelNodeSetParams(X x, N node, const KernelParams *p);

// A kernel is a function (CUfunction) or one of a library (CUkernel); here both are one.
static const KernelParams *of_either(const KernelParams *given, bool longer, KernelParams *p)
{
    if (!given) return NULL;
    memset(p, 0, sizeof *p);
    memcpy(p, given, longer ? sizeof *p : SHORT);
    if (!p->f) p->f = (CUfunction)p->kernel;
    return p;
}

#define KERNELS(suffix, longer)                                                                \
    CUresult cuGraphAddKernelNode##suffix(NODE, const KernelParams *given)                     \
    {                                                                                          \
        KernelParams p;                                                                        \
        CONTEXT();                                                                             \
        return ASKED(cudaGraphAddKernelNode(out, g, after, n, of_either(given, longer, &p)));  \
    }                                                                                          \
    CUresult cuGraphKernelNodeSetParams##suffix(N node, const KernelParams *given)             \
    {                                                                                          \
        KernelParams p;                                                                        \
        CONTEXT();                                                                             \
        return ASKED(cudaGraphKernelNodeSetParams(node, of_either(given, longer, &p)));        \
    }                                                                                          \
    CUresult cuGraphExecKernelNodeSetParams##suffix(X x, N node, const KernelParams *given)    \
    {                                                                                          \
        KernelParams p;                                                                        \
        CONTEXT();                                                                             \
        return ASKED(cudaGraphExecKernelNodeSetParams(x, node, of_either(given, longer, &p))); \
    }                                                                                          \
    CUresult cuGraphKernelNodeGetParams##suffix(N node, KernelParams *p)                       \
    {                                                                                          \
        CONTEXT();                                                                             \
        if (longer && p) p->kernel = NULL, p->context = NULL;                                  \
        return ASKED(cudaGraphKernelNodeGetParams(node, p));                                   \
    }
KERNELS(, false)
KERNELS(_v2, true)

// --- copies ----------------------------------------------------------------------------------------------------------
// What the runtime is asked to copy: boxes of memory, as they lie.
static CUresult params_of(const Copy3D *c, CopyParams *p)
{
    Box to, from;
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = boxes_of(c, &to, &from);
    *p = (CopyParams){.extent = {c->width, c->height, c->depth}, .kind = BY_ADDRESS};
    if (result != CUDA_SUCCESS) return result;
    p->to = (cudaPitchedPtr){to.at, to.pitch, c->width, to.height};
    p->from = (cudaPitchedPtr){from.at, from.pitch, c->width, from.height};
    return CUDA_SUCCESS;
}

cudaError_t cudaGraphAddMemcpyNode(NODE, const CopyParams *p);
CUresult cuGraphAddMemcpyNode(NODE, const Copy3D *c, CUcontext context)
{
    CopyParams p;
    CONTEXT();
    (void)context;
    CUresult result = params_of(c, &p);
    return result == CUDA_SUCCESS ? ASKED(cudaGraphAddMemcpyNode(out, g, after, n, &p)) : result;
}

cudaError_t cudaGraphMemcpyNodeSetParams(N node, const CopyParams *p);
CUresult cuGraphMemcpyNodeSetParams(N node, const Copy3D *c)
{
    CopyParams p;
    CONTEXT();
    CUresult result = params_of(c, &p);
    return result == CUDA_SUCCESS ? ASKED(cudaGraphMemcpyNodeSetParams(node, &p)) : result;
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(X x, N node, const CopyParams *p);
CUresult cuGraphExecMemcpyNodeSetParams(X x, N node, const Copy3D *c, CUcontext context)
{
    CopyParams p;
    CONTEXT();
    (void)context;
    CUresult result = params_of(c, &p);
    return result == CUDA_SUCCESS ? ASKED(cudaGraphExecMemcpyNodeSetParams(x, node, &p)) : result;
}

static End3D end_of(const cudaPitchedPtr *p)
{
    return (End3D){.type = BY_POINTER, .device = (uintptr_t)p->ptr, .pitch = p->pitch, .height = p->ysize};
}

cudaError_t cudaGraphMemcpyNodeGetParams(N node, CopyParams *p);
CUresult cuGraphMemcpyNodeGetParams(N node, Copy3D *c)
{
    CopyParams p;
    CONTEXT();
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = ASKED(cudaGraphMemcpyNodeGetParams(node, &p));
    if (result == CUDA_SUCCESS)
        *c = (Copy3D){end_of(&p.from), end_of(&p.to), p.extent.width, p.extent.height, p.extent.depth};
    return result;
}

// --- nodes of any kind -----------------------------------------------------------------------------------------------
// CUgraphNodeParams, and the runtime's, which differs in what a copy is.
typedef struct AnyParams {
    int kind, reserved[3];
    union {
        KernelParams kernel;
        struct {
            int flags, reserved;
            CUcontext context;
            Copy3D copy;
        } copy;
        struct {
            int flags, reserved;
            void *context;
            CopyParams copy;
        } of_runtime;
        char room[232];
    };
    long long last;
} AnyParams;
_Static_assert(sizeof(AnyParams) == 256, "as in CUDA 13");

static CUresult as_runtime(const AnyParams *given, AnyParams *p)
{
    enum { KERNEL, COPY };  // CUgraphNodeType
    if (!given) return CUDA_ERROR_INVALID_VALUE;
    *p = *given;
    if (p->kind == KERNEL && !p->kernel.f) p->kernel.f = (CUfunction)p->kernel.kernel;
    return p->kind == COPY ? params_of(&given->copy.copy, &p->of_runtime.copy) : CUDA_SUCCESS;
}

// What a node was given back stands in the parameters: an address, graphs.
static CUresult add_node(NODE, const Edge *edges, AnyParams *given)
{
    enum { COPY = 1 };
    cudaError_t cudaGraphAddNode_v2(N *, G, const N *, const Edge *, size_t, AnyParams *);
    AnyParams p;
    CONTEXT();
    CUresult result = as_runtime(given, &p);
    if (result == CUDA_SUCCESS) result = ASKED(cudaGraphAddNode_v2(out, g, after, edges, n, &p));
    if (result == CUDA_SUCCESS && p.kind != COPY) *given = p;
    return result;
}

CUresult cuGraphAddNode(NODE, AnyParams *p) { return add_node(out, g, after, n, NULL, p); }
CUresult cuGraphAddNode_v2(N *out, G g, const N *after, const Edge *edges, size_t n, AnyParams *p)
{
    return add_node(out, g, after, n, edges, p);
}

cudaError_t cudaGraphNodeSetParams(N node, const AnyParams *p);
CUresult cuGraphNodeSetParams(N node, const AnyParams *given)
{
    AnyParams p;
    CONTEXT();
    CUresult result = as_runtime(given, &p);
    return result == CUDA_SUCCESS ? ASKED(cudaGraphNodeSetParams(node, &p)) : result;
}

cudaError_t cudaGraphExecNodeSetParams(X x, N node, const AnyParams *p);
CUresult cuGraphExecNodeSetParams(X x, N node, const AnyParams *given)
{
    AnyParams p;
    CONTEXT();
    CUresult result = as_runtime(given, &p);
    return result == CUDA_SUCCESS ? ASKED(cudaGraphExecNodeSetParams(x, node, &p)) : result;
}

// --- objects of the program that graphs keep -------------------------------------------------------------------------
SAME(UserObjectCreate, (void **object, void *of, void (*destroy)(void *), unsigned references, unsigned flags),
     (object, of, destroy, references, flags))
SAME(UserObjectRetain, (void *object, unsigned n), (object, n))
SAME(UserObjectRelease, (void *object, unsigned n), (object, n))
SAME(GraphRetainUserObject, (G g, void *object, unsigned n, unsigned flags), (g, object, n, flags))
SAME(GraphReleaseUserObject, (G g, void *object, unsigned n), (g, object, n))

// --- executable graphs -----------------------------------------------------------------------------------------------
typedef struct UpdateResult {  // CUgraphExecUpdateResultInfo
    int result;
    N node, from;
} UpdateResult;

SAME(GraphInstantiateWithFlags, (X * x, G g, unsigned long long flags), (x, g, flags))
SAME(GraphInstantiateWithParams, (X * x, G g, void *params), (x, g, params))
AS(cuGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams, (X * x, G g, void *params), (x, g, params))
SAME(GraphExecDestroy, (X x), (x))
SAME(GraphExecGetFlags, (X x, uint64_t *flags), (x, flags))
SAME(GraphLaunch, (X x, CUstream s), (x, s))
AS(cuGraphLaunch_ptsz, cudaGraphLaunch_ptsz, (X x, CUstream s), (x, s))
SAME(GraphUpload, (X x, CUstream s), (x, s))
AS(cuGraphUpload_ptsz, cudaGraphUpload_ptsz, (X x, CUstream s), (x, s))
SAME(GraphNodeGetEnabled, (X x, N node, unsigned *on), (x, node, on))
SAME(GraphNodeSetEnabled, (X x, N node, unsigned on), (x, node, on))

CUresult cuGraphInstantiate_v2(X *x, G g, N *wrong, char *log, size_t bytes)
{
    if (wrong) *wrong = NULL;
    if (log && bytes) *log = '\0';
    return cuGraphInstantiateWithFlags(x, g, 0);
}
CUresult cuGraphInstantiate(X *x, G g, N *wrong, char *log, size_t bytes)
{
    return cuGraphInstantiate_v2(x, g, wrong, log, bytes);
}

CUresult cuGraphExecUpdate_v2(X x, G g, UpdateResult *result)
{
    CONTEXT();
    if (!result) return ASKED(graph_update(x, g, NULL, NULL, NULL));
    return ASKED(graph_update(x, g, &result->result, &result->node, &result->from));
}

CUresult cuGraphExecUpdate(X x, G g, N *node, int *result)
{
    CONTEXT();
    return ASKED(graph_update(x, g, result, node, NULL));
}

// --- streams that are captured ---------------------------------------------------------------------------------------
// A function with a stream, and the one that uses the thread's own in place of stream 0.
#define STREAM(name, runtime, params, args)   \
    AS(cu##name, cuda##runtime, params, args) \
    AS(cu##name##_ptsz, cuda##runtime##_ptsz, params, args)
STREAM(StreamBeginCapture_v2, StreamBeginCapture, (CUstream s, int mode), (s, mode))
STREAM(StreamBeginCaptureToGraph, StreamBeginCaptureToGraph,
       (CUstream s, G g, const N *after, const Edge *edges, size_t n, int mode), (s, g, after, edges, n, mode))
STREAM(StreamEndCapture, StreamEndCapture, (CUstream s, G *g), (s, g))
STREAM(StreamGetCaptureInfo_v2, StreamGetCaptureInfo_v2,
       (CUstream s, int *status, uint64_t *id, G *g, const N **last, size_t *n), (s, status, id, g, last, n))
STREAM(StreamGetCaptureInfo_v3, StreamGetCaptureInfo_v3,
       (CUstream s, int *status, uint64_t *id, G *g, const N **last, const Edge **edges, size_t *n),
       (s, status, id, g, last, edges, n))
STREAM(StreamUpdateCaptureDependencies_v2, StreamUpdateCaptureDependencies_v2,
       (CUstream s, N *after, const Edge *edges, size_t n, unsigned flags), (s, after, edges, n, flags))
SAME(ThreadExchangeStreamCaptureMode, (int *mode), (mode))

// As CUDA 10 and 11 had them.
#define OLDER(ptsz)                                                                                  \
    CUresult cuStreamBeginCapture##ptsz(CUstream s) { return cuStreamBeginCapture_v2##ptsz(s, 0); }  \
    CUresult cuStreamGetCaptureInfo##ptsz(CUstream s, int *status, uint64_t *id)                     \
    {                                                                                                \
        return cuStreamGetCaptureInfo_v2##ptsz(s, status, id, NULL, NULL, NULL);                     \
    }                                                                                                \
    CUresult cuStreamUpdateCaptureDependencies##ptsz(CUstream s, N *after, size_t n, unsigned flags) \
    {                                                                                                \
        return cuStreamUpdateCaptureDependencies_v2##ptsz(s, after, NULL, n, flags);                 \
    }
OLDER()
OLDER(_ptsz)
