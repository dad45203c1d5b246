// relax.cu: the heat of a plate relaxed until it changes no more: a graph with a conditional node whose body is two
// steps and a kernel that sets the condition. All numbers are exact in both places, so the host takes as many rounds.
#include "check.cuh"
#include <cstring>

#if CUDART_VERSION >= 13000
#define NO_EDGES nullptr,
#else
#define NO_EDGES
#endif

__global__ void step(const double *from, double *to, int n, double *change)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    const double next = 0.25 * ((from[i - 1] + from[i + 1]) + (from[i - n] + from[i + n]));
    to[i] = next;
    // Doubles that aren't negative have the order of their bits.
    atomicMax((unsigned long long *)change, (unsigned long long)__double_as_longlong(fabs(next - from[i])));
}

__global__ void decide(cudaGraphConditionalHandle handle, double *change, double limit, unsigned most, unsigned *rounds)
{
    const unsigned done = ++*rounds;
    cudaGraphSetConditional(handle, *change > limit && done < most);
    *change = 0;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 24);
    const double limit = 1.0 / 256;
    std::vector<double> plate(n * n);
    for (int i = 0; i < n; i++) plate[i] = 64, plate[(n - 1) * n + i] = i, plate[i * n] = 16;
    Array<double> a(plate), b(plate), change(1);
    Array<unsigned> rounds(1);

    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphNode_t first, loop;
    cudaGraphConditionalHandle handle;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaMemsetParams zero;
    std::memset(&zero, 0, sizeof zero);
    zero.dst = rounds, zero.elementSize = 4, zero.width = 1, zero.height = 1;
    MUST(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &zero));
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle, params.conditional.type = cudaGraphCondTypeWhile, params.conditional.size = 1;
    MUST(cudaGraphAddNode(&loop, graph, &first, NO_EDGES 1, &params));
    cudaGraph_t body = params.conditional.phGraph_out[0];
    const dim3 grid((n + 15) / 16, (n + 7) / 8), block(16, 8);
    MUST(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
    step<<<grid, block, 0, stream>>>(a, b, n, change);
    step<<<grid, block, 0, stream>>>(b, a, n, change);
    decide<<<1, 1, 0, stream>>>(handle, change, limit, 4000, rounds);
    MUST(cudaStreamEndCapture(stream, nullptr));
    cudaGraphExec_t exec;
    MUST(cudaGraphInstantiate(&exec, graph, 0));

    std::vector<double> now = plate, next = plate;
    for (int time = 0; time < 2; time++) {
        unsigned host_rounds = 0;
        double most = 1;
        while (most > limit) {
            most = 0;
            for (int half = 0; half < 2; half++, now.swap(next))
                for (int y = 1; y < n - 1; y++)
                    for (int x = 1; x < n - 1; x++) {
                        const int i = y * n + x;
                        next[i] = 0.25 * ((now[i - 1] + now[i + 1]) + (now[i - n] + now[i + n]));
                        most = std::fmax(most, std::fabs(next[i] - now[i]));
                    }
            host_rounds++;
        }
        MUST(cudaGraphLaunch(exec, stream));
        MUST(cudaStreamSynchronize(stream));
        CHECK(rounds.get()[0] == host_rounds && host_rounds > (time ? 0 : 3));
        const std::vector<double> got = a.get();
        for (int i = 0; i < n * n; i++) CHECK(got[i] == now[i]);
        // Once more, from another state, by the same graph.
        now[n * n / 2 + n / 2] = 1000;
        next = now;
        a.put(now), b.put(now);
    }
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    return verdict();
}
