// wave.cu: a wave on a string, a graph for each time step of which the parameters change: the pulse that drives it, the
// order of the three buffers, and now and then the whole graph (cudaGraphExecUpdate). The host takes the same steps.
#include "check.cuh"
#include <cstring>

__global__ void advance(const float *before, const float *now, float *after, int n, float speed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        after[i] =
            i == 0 || i == n - 1 ? 0 : 2 * now[i] - before[i] + speed * speed * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

__global__ void drive(float *at, int place, float force) { at[place] += force; }

__global__ void record(const float *at, int n, float *loudest, int step)
{
    __shared__ float most;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicMax((int *)&most, __float_as_int(fabsf(at[i])));  // as integers they have the same order
    __syncthreads();
    if (threadIdx.x == 0) loudest[step] = most;
}

static void add_steps(cudaStream_t s, float *const u[], int n, int step, float speed, float force, float *loudest)
{
    float *before = u[step % 3], *now = u[(step + 1) % 3], *after = u[(step + 2) % 3];
    advance<<<(n + 63) / 64, 64, 0, s>>>(before, now, after, n, speed);
    drive<<<1, 1, 0, s>>>(after, n / 3, force);
    record<<<1, 64, 0, s>>>(after, n, loudest, step);
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 300), steps = 60;
    Array<float> a(n), b(n), c(n), loudest(steps);
    float *const u[] = {a, b, c};
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[8];
    size_t count = 8;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add_steps(stream, u, n, 0, 0.5f, 0, loudest);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphGetNodes(graph, nodes, &count));
    CHECK(count == 3);

    std::vector<double> before(n), now(n), after(n), most(steps);
    for (int step = 0; step < steps; step++) {
        const float speed = step < 30 ? 0.5f : 0.9f, force = step < 20 ? (float)std::sin(0.4 * step) : 0;
        if (step % 8 == 7) {
            // The same graph, captured anew.
            cudaGraph_t other;
            cudaGraphExecUpdateResultInfo result;
            MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
            add_steps(stream, u, n, step, speed, force, loudest);
            MUST(cudaStreamEndCapture(stream, &other));
            MUST(cudaGraphExecUpdate(exec, other, &result));
            CHECK(result.result == cudaGraphExecUpdateSuccess);
            MUST(cudaGraphDestroy(other));
        } else {
            float *p[] = {u[step % 3], u[(step + 1) % 3], u[(step + 2) % 3]}, *out = loudest;
            int length = n, place = n / 3, at = step;
            float s = speed, f = force;
            void *advance_args[] = {&p[0], &p[1], &p[2], &length, &s}, *drive_args[] = {&p[2], &place, &f},
                 *record_args[] = {&p[2], &length, &out, &at};
            for (size_t k = 0; k < count; k++) {
                cudaKernelNodeParams params;
                MUST(cudaGraphKernelNodeGetParams(nodes[k], &params));
                params.kernelParams = params.func == (void *)advance ? advance_args
                                      : params.func == (void *)drive ? drive_args
                                                                     : record_args;
                MUST(cudaGraphExecKernelNodeSetParams(exec, nodes[k], &params));
            }
        }
        MUST(cudaGraphLaunch(exec, stream));
        for (int i = 1; i < n - 1; i++)
            after[i] = 2 * now[i] - before[i] + (double)speed * speed * (now[i - 1] - 2 * now[i] + now[i + 1]);
        after[n / 3] += force;
        for (double x : after) most[step] = std::fmax(most[step], std::fabs(x));
        before.swap(now), now.swap(after);
    }
    MUST(cudaStreamSynchronize(stream));
    const std::vector<float> got = loudest.get(), end = steps % 3 == 0 ? b.get() : c.get();
    for (int step = 0; step < steps; step++) NEAR(got[step], most[step], 1e-3);
    for (int i = 0; i < n; i++) NEAR(end[i], now[i], 1e-3);
    CHECK(most[steps - 1] > 0.1);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    return verdict();
}
