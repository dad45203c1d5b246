// Graphs that allocate and free, and graphs whose kernels say whether, and how often, a part of them runs (CUDA C++
// Programming Guide, "Graph Memory Nodes", "Conditional Graph Nodes").
#include "check.cuh"

#include <cstring>

enum { N = 256 };

__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }
__global__ void add(int *p, const int *q) { p[threadIdx.x] += q[threadIdx.x]; }
__global__ void down(int *left, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void choose(const int *which, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, (unsigned)*which);
}

#if CUDART_VERSION >= 13000
#define NO_EDGES NULL,
#else
#define NO_EDGES
#endif

static cudaStream_t s;

static void run(cudaGraphExec_t x)
{
    MUST(cudaGraphLaunch(x, s));
    MUST(cudaStreamSynchronize(s));
}

// A graph with one conditional node of n bodies, each of which fills p with 10, 20 …
static cudaGraphExec_t conditional(cudaGraphConditionalNodeType type, unsigned n, int *which, int *p)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t set, node;
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphConditionalHandleCreate(&handle, g, 0, 0));
    void *args[] = {&which, &handle};
    cudaKernelNodeParams k;
    std::memset(&k, 0, sizeof k);
    k.func = (void *)choose, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&set, g, NULL, 0, &k));
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle, params.conditional.type = type, params.conditional.size = n;
    MUST(cudaGraphAddNode(&node, g, &set, NO_EDGES 1, &params));
    for (unsigned j = 0; j < n; j++) {
        MUST(cudaStreamBeginCaptureToGraph(s, params.conditional.phGraph_out[j], NULL, NULL, 0,
                                           cudaStreamCaptureModeGlobal));
        fill<<<1, N, 0, s>>>(p, 10 * (int)(j + 1));
        MUST(cudaStreamEndCapture(s, NULL));
    }
    MUST(cudaGraphInstantiate(&x, g, 0));
    MUST(cudaGraphDestroy(g));
    return x;
}

int main()
{
    int *p = shared_array<int>(N), *left = shared_array<int>(1);
    cudaGraph_t g;
    cudaGraphExec_t x;
    MUST(cudaStreamCreate(&s));

    // Memory of a stream's order, captured: it is there while the graph runs, at one address.
    int *inside;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaMallocAsync(&inside, N * sizeof *inside, s));
    fill<<<1, N, 0, s>>>(inside, 7);
    add<<<1, N, 0, s>>>(p, inside);
    MUST(cudaFreeAsync(inside, s));
    MUST(cudaStreamEndCapture(s, &g));
    MUST(cudaGraphInstantiate(&x, g, 0));
    for (int k = 1; k <= 3; k++) {
        run(x);
        CHECK(p[0] == 7 * k && p[N - 1] == 7 * k);
    }
    MUST(cudaGraphExecDestroy(x));
    MUST(cudaGraphDestroy(g));

    // What a graph allocates and doesn't free is the program's until it frees it; before, the graph can't run again.
    cudaGraphNode_t alloc, use;
    cudaMemAllocNodeParams want;
    std::memset(&want, 0, sizeof want);
    want.poolProps.allocType = cudaMemAllocationTypePinned;
    want.poolProps.location.type = cudaMemLocationTypeDevice;
    want.bytesize = N * sizeof(int);
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &want));
    int *made = (int *)want.dptr, value = 5;
    void *args[] = {&made, &value};
    cudaKernelNodeParams k;
    std::memset(&k, 0, sizeof k);
    k.func = (void *)fill, k.gridDim = dim3(1), k.blockDim = dim3(N), k.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&use, g, &alloc, 1, &k));
    MUST(cudaGraphInstantiate(&x, g, 0));
    for (int round = 0; round < 2; round++) {
        run(x);
        fill<<<1, N, 0, s>>>(p, 0);
        add<<<1, N, 0, s>>>(p, made);
        MUST(cudaStreamSynchronize(s));
        CHECK(p[0] == 5 && p[N - 1] == 5);
        CHECK(cudaGraphLaunch(x, s) == cudaErrorInvalidValue);
        MUST(cudaFree(made));
    }
    unsigned long long used = 1;
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    CHECK(used >= N * sizeof(int));
    MUST(cudaGraphExecDestroy(x));
    MUST(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    run(x), run(x);
    MUST(cudaFree(made));
    MUST(cudaGraphExecDestroy(x));
    MUST(cudaGraphDestroy(g));

    // If, with an else where there are two bodies; a switch.
    for (unsigned n = 1; n <= 2; n++) {
        x = conditional(cudaGraphCondTypeIf, n, left, p);
        p[0] = 1, *left = 0, run(x);
        CHECK(p[0] == (n == 2 ? 20 : 1));
        p[0] = 1, *left = 3, run(x);
        CHECK(p[0] == 10);
        MUST(cudaGraphExecDestroy(x));
    }
    x = conditional(cudaGraphCondTypeSwitch, 3, left, p);
    for (int which = 0; which < 4; which++) {
        p[0] = 1, *left = which, run(x);
        CHECK(p[0] == (which < 3 ? 10 * (which + 1) : 1));
    }
    MUST(cudaGraphExecDestroy(x));

    // A loop, whose first value is set at each launch.
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t loop;
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
    params.conditional.handle = handle, params.conditional.type = cudaGraphCondTypeWhile, params.conditional.size = 1;
    MUST(cudaGraphAddNode(&loop, g, NULL, NO_EDGES 0, &params));
    int *ones = shared_array<int>(N);
    for (int j = 0; j < N; j++) ones[j] = 1;
    MUST(cudaStreamBeginCaptureToGraph(s, params.conditional.phGraph_out[0], NULL, NULL, 0,
                                       cudaStreamCaptureModeGlobal));
    add<<<1, N, 0, s>>>(p, ones);
    down<<<1, 1, 0, s>>>(left, handle);
    MUST(cudaStreamEndCapture(s, NULL));
    MUST(cudaGraphInstantiate(&x, g, 0));
    for (int rounds = 1; rounds < 6; rounds++) {
        *left = rounds, p[0] = p[N - 1] = 0;
        run(x);
        CHECK(p[0] == rounds && p[N - 1] == rounds && *left == 0);
    }
    MUST(cudaGraphExecDestroy(x));
    MUST(cudaGraphDestroy(g));
    return verdict();
}
