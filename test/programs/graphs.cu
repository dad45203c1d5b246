// Graphs that are made node by node: each kind of node, edges, copies of a graph, and what can be changed of one that
// is executable (CUDA Runtime API, "Graph Management").
#include "check.cuh"

#include <cstring>

enum { N = 64 };

__global__ void add(int *p, int by) { p[threadIdx.x] += by; }
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
__device__ int table[N];
__global__ void from_table(int *p) { p[threadIdx.x] += table[threadIdx.x]; }

static int called;
static void count(void *by) { called += *(int *)by; }

#if CUDART_VERSION >= 13000
#define NO_EDGES NULL,
#else
#define NO_EDGES
#endif

static cudaKernelNodeParams kernel(const void *f, void **args)
{
    cudaKernelNodeParams p;
    std::memset(&p, 0, sizeof p);
    p.func = (void *)f, p.gridDim = dim3(1), p.blockDim = dim3(N), p.kernelParams = args;
    return p;
}

static int *d, h[N];
static cudaStream_t s;

static int run(cudaGraphExec_t x)
{
    std::memset(h, 0, sizeof h);
    MUST(cudaGraphLaunch(x, s));
    MUST(cudaStreamSynchronize(s));
    for (int k = 1; k < N; k++) CHECK(h[k] == h[0] + k);
    return h[0];
}

int main()
{
    static int numbers[N], one = 1, ten = 10;
    cudaGraph_t g, clone, child;
    cudaGraphNode_t fill, load, plus, table_plus, both, inner, down, host, list[16];
    cudaGraphExec_t x;
    for (int k = 0; k < N; k++) numbers[k] = k;
    MUST(cudaMalloc(&d, sizeof h));
    MUST(cudaStreamCreate(&s));
    MUST(cudaGraphCreate(&g, 0));

    // d = 0; table = 0, 1, 2 …; d += 3; d += table; d *= 2 in a child; h = d; count
    cudaMemsetParams zero;
    std::memset(&zero, 0, sizeof zero);
    zero.dst = d, zero.elementSize = 4, zero.width = N, zero.height = 1;
    MUST(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &zero));
    MUST(cudaGraphAddMemcpyNodeToSymbol(&load, g, NULL, 0, table, numbers, sizeof numbers, 0, cudaMemcpyHostToDevice));
    int by = 3;
    void *plus_args[] = {&d, &by}, *table_args[] = {&d}, *twice_args[] = {&d};
    cudaKernelNodeParams params = kernel((const void *)add, plus_args);
    MUST(cudaGraphAddKernelNode(&plus, g, &fill, 1, &params));
    by = 99;  // the node has its own copy
    params = kernel((const void *)from_table, table_args);
    MUST(cudaGraphAddKernelNode(&table_plus, g, &plus, 1, &params));
    MUST(cudaGraphAddDependencies(g, &load, &table_plus, NO_EDGES 1));
    CHECK(cudaGraphAddDependencies(g, &load, &table_plus, NO_EDGES 1) == cudaErrorInvalidValue);
    MUST(cudaGraphCreate(&child, 0));
    params = kernel((const void *)add, plus_args);
    by = 0;
    MUST(cudaGraphAddKernelNode(&inner, child, NULL, 0, &params));
    MUST(cudaGraphAddChildGraphNode(&both, g, &table_plus, 1, child));
    MUST(cudaGraphDestroy(child));  // the node has a copy
    MUST(cudaGraphAddMemcpyNode1D(&down, g, &both, 1, h, d, sizeof h, cudaMemcpyDeviceToHost));
    cudaHostNodeParams call = {count, &one};
    MUST(cudaGraphAddHostNode(&host, g, &down, 1, &call));

    // What is in it.
    size_t n = 16;
    MUST(cudaGraphGetNodes(g, list, &n));
    CHECK(n == 7 && list[0] == fill && list[6] == host);
    MUST(cudaGraphGetRootNodes(g, NULL, &(n = 0)));
    CHECK(n == 2);
    MUST(cudaGraphNodeGetDependencies(table_plus, list, NO_EDGES &(n = 16)));
    CHECK(n == 2 && list[0] == plus && list[1] == load);
    MUST(cudaGraphNodeGetDependentNodes(load, list, NO_EDGES &(n = 16)));
    CHECK(n == 1 && list[0] == table_plus);
    MUST(cudaGraphGetEdges(g, NULL, NULL, NO_EDGES &(n = 0)));
    CHECK(n == 6);
    cudaGraphNodeType type;
    MUST(cudaGraphNodeGetType(both, &type));
    CHECK(type == cudaGraphNodeTypeGraph);
    MUST(cudaGraphKernelNodeGetParams(plus, &params));
    CHECK(params.func == (void *)add && params.blockDim.x == N && *(int *)params.kernelParams[1] == 3);

    MUST(cudaGraphInstantiate(&x, g, 0));
    CHECK(run(x) == 3 && called == 1);
    // A change of the graph isn't one of what was made of it, and the other way round.
    by = 5;
    params = kernel((const void *)add, plus_args);
    MUST(cudaGraphKernelNodeSetParams(plus, &params));
    CHECK(run(x) == 3);
    by = 7;
    MUST(cudaGraphExecKernelNodeSetParams(x, plus, &params));
    CHECK(run(x) == 7);
    call.userData = &ten, called = 0;
    MUST(cudaGraphExecHostNodeSetParams(x, host, &call));
    CHECK(run(x) == 7 && called == 10);
    zero.value = 100;
    MUST(cudaGraphExecMemsetNodeSetParams(x, fill, &zero));
    CHECK(run(x) == 107);
    unsigned on = 9;
    MUST(cudaGraphNodeSetEnabled(x, plus, 0));
    MUST(cudaGraphNodeGetEnabled(x, plus, &on));
    CHECK(on == 0 && run(x) == 100);
    MUST(cudaGraphNodeSetEnabled(x, plus, 1));

    // A copy of a graph; an executable one that does what the copy does.
    cudaGraphNode_t copied;
    MUST(cudaGraphClone(&clone, g));
    MUST(cudaGraphNodeFindInClone(&copied, plus, clone));
    by = 11;
    MUST(cudaGraphKernelNodeSetParams(copied, &params));
    cudaGraphExecUpdateResultInfo result;
    MUST(cudaGraphExecUpdate(x, clone, &result));
    CHECK(result.result == cudaGraphExecUpdateSuccess && run(x) == 11);
    // With a node less it has another shape.
    MUST(cudaGraphNodeFindInClone(&copied, host, clone));
    MUST(cudaGraphDestroyNode(copied));
    CHECK(cudaGraphExecUpdate(x, clone, &result) == cudaErrorGraphExecUpdateFailure);
    CHECK(result.result == cudaGraphExecUpdateErrorTopologyChanged && run(x) == 11);
    params = kernel((const void *)twice, twice_args);
    MUST(cudaGraphExecKernelNodeSetParams(x, plus, &params));
    CHECK(run(x) == 0);

    // An object that a graph keeps goes with the last one that has it.
    cudaUserObject_t object;
    called = 0;
    MUST(cudaUserObjectCreate(&object, &ten, count, 2, cudaUserObjectNoDestructorSync));
    MUST(cudaGraphRetainUserObject(clone, object, 1, cudaGraphUserObjectMove));
    MUST(cudaUserObjectRelease(object, 1));
    cudaGraphExec_t keeps;
    MUST(cudaGraphInstantiate(&keeps, clone, 0));
    MUST(cudaGraphReleaseUserObject(clone, object, 1));
    CHECK(called == 0 && cudaGraphReleaseUserObject(clone, object, 1) == cudaErrorInvalidValue);
    MUST(cudaGraphExecDestroy(keeps));
    CHECK(called == 10 && cudaUserObjectRetain(object, 1) == cudaErrorInvalidValue);

    // Events and empty nodes; a circle can't be run; handles that there aren't.
    cudaGraph_t e;
    cudaGraphNode_t begin, end, middle;
    cudaEvent_t first, last, got;
    float ms = -1;
    MUST(cudaEventCreate(&first));
    MUST(cudaEventCreate(&last));
    MUST(cudaGraphCreate(&e, 0));
    MUST(cudaGraphAddEventRecordNode(&begin, e, NULL, 0, first));
    params = kernel((const void *)twice, twice_args);
    MUST(cudaGraphAddKernelNode(&middle, e, &begin, 1, &params));
    MUST(cudaGraphAddEmptyNode(&end, e, &middle, 1));
    cudaGraphNode_t record;
    MUST(cudaGraphAddEventRecordNode(&record, e, &end, 1, last));
    MUST(cudaGraphEventRecordNodeGetEvent(record, &got));
    CHECK(got == last);
    cudaGraphExec_t ex;
    MUST(cudaGraphInstantiate(&ex, e, 0));
    MUST(cudaGraphLaunch(ex, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaEventElapsedTime(&ms, first, last));
    CHECK(ms > 0);
    MUST(cudaGraphAddDependencies(e, &record, &middle, NO_EDGES 1));
    cudaGraphExec_t none;
    CHECK(cudaGraphInstantiate(&none, e, 0) != cudaSuccess);
    MUST(cudaGraphRemoveDependencies(e, &record, &middle, NO_EDGES 1));
    MUST(cudaGraphInstantiate(&none, e, 0));
    CHECK(cudaGraphLaunch((cudaGraphExec_t)g, s) == cudaErrorInvalidValue);
    CHECK(cudaGraphDestroy((cudaGraph_t)x) == cudaErrorInvalidValue);
    CHECK(cudaGraphAddEmptyNode(&end, e, &plus, 1) == cudaErrorInvalidValue);  // another graph's node
    MUST(cudaGraphExecDestroy(ex));
    MUST(cudaGraphExecDestroy(x));
    MUST(cudaGraphDestroy(e));
    MUST(cudaGraphDestroy(clone));
    MUST(cudaGraphDestroy(g));
    CHECK(cudaGraphDestroy(g) == cudaErrorInvalidValue);
    return verdict();
}
