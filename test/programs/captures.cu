// Streams whose work becomes a graph: nothing is done while it is captured, other streams join by events, and what a
// capture doesn't allow breaks it (CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture").
#include "check.cuh"

enum { N = 1000 };

__global__ void add(int *p, int n, int by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += by;
}

static int called;
static void count(void *by) { called += *(int *)by; }
static int *d, *h;
static cudaStream_t s, t;
static cudaEvent_t fork_event, join_event;

static cudaGraph_t capture(cudaStreamCaptureMode mode)
{
    static int one = 1;
    cudaGraph_t g;
    cudaStreamCaptureStatus status;
    MUST(cudaStreamBeginCapture(s, mode));
    MUST(cudaMemsetAsync(d, 0, N * sizeof *d, s));
    add<<<4, 256, 0, s>>>(d, N, 2);
    MUST(cudaEventRecord(fork_event, s));
    MUST(cudaStreamWaitEvent(t, fork_event, 0));
    add<<<2, 256, 0, t>>>(d, 500, 1);
    MUST(cudaStreamIsCapturing(t, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    add<<<2, 256, 0, s>>>(d + 500, 500, 5);
    MUST(cudaEventRecord(join_event, t));
    MUST(cudaStreamWaitEvent(s, join_event, 0));
    MUST(cudaMemcpyAsync(h, d, N * sizeof *d, cudaMemcpyDeviceToHost, s));
    MUST(cudaLaunchHostFunc(s, count, &one));
    MUST(cudaStreamEndCapture(s, &g));
    MUST(cudaStreamIsCapturing(t, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    return g;
}

// Begins a capture, has something done that breaks it, and ends it.
#define BREAKS(call, error)                                                             \
    do {                                                                                \
        cudaGraph_t g_ = (cudaGraph_t)1;                                                \
        MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));                   \
        CHECK((call) == (error));                                                       \
        CHECK(cudaStreamEndCapture(s, &g_) == cudaErrorStreamCaptureInvalidated && !g_); \
        cudaGetLastError();                                                             \
    } while (0)

static cudaError_t launch(cudaStream_t in)
{
    add<<<1, 1, 0, in>>>(d, 1, 1);
    return cudaGetLastError();
}

int main()
{
    MUST(cudaMalloc(&d, N * sizeof *d));
    MUST(cudaMallocHost(&h, N * sizeof *h));
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&t));
    MUST(cudaEventCreate(&fork_event));
    MUST(cudaEventCreate(&join_event));
    h[0] = h[N - 1] = -1;
    for (int mode = 0; mode < 3; mode++) {
        cudaGraph_t g = capture((cudaStreamCaptureMode)mode);
        cudaGraphExec_t x;
        size_t n = 0;
        MUST(cudaStreamSynchronize(s));
        CHECK(called == 3 * mode && (mode || (h[0] == -1 && h[N - 1] == -1)));
        MUST(cudaGraphGetNodes(g, NULL, &n));
        CHECK(n == 6);
        MUST(cudaGraphInstantiate(&x, g, 0));
        for (int k = 0; k < 3; k++) MUST(cudaGraphLaunch(x, s));
        MUST(cudaStreamSynchronize(s));
        CHECK(h[0] == 3 && h[499] == 3 && h[500] == 7 && h[N - 1] == 7 && called == 3 * (mode + 1));
        MUST(cudaGraphExecDestroy(x));
        MUST(cudaGraphDestroy(g));
    }
    // What a capture doesn't allow.
    void *p;
    BREAKS(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    BREAKS(cudaStreamQuery(s), cudaErrorStreamCaptureUnsupported);
    BREAKS(cudaMalloc(&p, 4), cudaErrorStreamCaptureUnsupported);
    BREAKS(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    BREAKS(launch(0), cudaErrorStreamCaptureImplicit);
    BREAKS(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost), cudaErrorStreamCaptureImplicit);
    // A relaxed one allows memory, and an event of the outside isn't waited for.
    cudaGraph_t g;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaMalloc(&p, 4));
    MUST(cudaFree(p));
    MUST(cudaStreamEndCapture(s, &g));
    MUST(cudaGraphDestroy(g));
    MUST(cudaEventRecord(join_event, t));
    BREAKS(cudaStreamWaitEvent(s, join_event, 0), cudaErrorStreamCaptureIsolation);
    // A stream that has joined must be waited for; who hasn't begun can't end; an event of a capture can't be asked.
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(fork_event, s));
    MUST(cudaStreamWaitEvent(t, fork_event, 0));
    MUST(launch(t));
    CHECK(cudaEventQuery(fork_event) == cudaErrorCapturedEvent);
    CHECK(cudaStreamEndCapture(t, &g) == cudaErrorStreamCaptureUnmatched);
    CHECK(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureUnjoined);
    CHECK(cudaStreamEndCapture(s, &g) == cudaErrorIllegalState);
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
    // All of it is over: streams work as before.
    cudaGetLastError();
    MUST(cudaMemset(d, 0, 4));
    MUST(launch(s));
    MUST(launch(t));
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 2);
    return verdict();
}
