// What a graph's launch costs, in simulated time. All times are computed from what the list sets, in us: a graph's
// launch takes the host 2 and 0.1 for each node; a kernel begins 5 after the launch began, and 1 after one that it
// needs; a call that gives work to a stream takes 1.
#include "check.cuh"

#include <cmath>

enum { NODES = 10 };

__global__ void spin(int rounds)
{
    int x = threadIdx.x;
    for (int k = 0; k < rounds; k++) x = x * 5 + k;
    if (x == 1) __trap();
}

static cudaStream_t s;
static cudaEvent_t start, stop, after;

static float between(cudaEvent_t a, cudaEvent_t b)
{
    float ms = -1;
    MUST(cudaEventElapsedTime(&ms, a, b));
    return ms * 1000;
}

#define IS(us, want) is(__LINE__, us, want)
static void is(int line, float us, float want)
{
    if (std::fabs(us - want) > 1e-3f) std::printf("line %d: %.4f us, not %.4f\n", line, us, want), wrong++;
}

int main()
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStream_t idle;
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&idle));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    MUST(cudaEventCreate(&after));
    // A kernel alone: its call began when the event's had returned.
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(start, s));
    spin<<<1, 32, 0, s>>>(20000);
    MUST(cudaEventRecord(stop, s));
    MUST(cudaEventSynchronize(stop));
    const float kernel = between(start, stop) - 5;
    CHECK(kernel > 20);

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < NODES; k++) spin<<<1, 32, 0, s>>>(20000);
    MUST(cudaStreamEndCapture(s, &g));
    MUST(cudaGraphInstantiate(&x, g, 0));
    for (int round = 0; round < 2; round++) {
        MUST(cudaDeviceSynchronize());
        MUST(cudaEventRecord(start, s));
        MUST(cudaGraphLaunch(x, s));
        MUST(cudaEventRecord(after, idle));  // what the host has needed: the launch, and this call
        MUST(cudaEventRecord(stop, s));
        MUST(cudaEventSynchronize(stop));
        IS(between(start, after), 2 + 0.1f * NODES + 1);
        IS(between(start, stop), 5 + NODES * kernel + (NODES - 1) * 1);
    }
    return verdict();
}
