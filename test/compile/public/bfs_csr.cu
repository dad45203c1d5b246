// Breadth-first search on a graph in CSR with frontiers, a queue by warp-aggregated atomics, and a flag for the end.
#include <cooperative_groups.h>
#include <cstdint>
#include <iostream>
#include <limits>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

using namespace cooperative_groups;
using index_t = std::uint32_t;

struct Graph {
    std::vector<index_t> offsets, edges;
    index_t vertices() const { return offsets.size() - 1; }
};
struct GraphView {
    const index_t *__restrict__ offsets;
    const index_t *__restrict__ edges;
};

__device__ int atomicAggInc(int *ctr)
{
    auto g = coalesced_threads();
    int warp_res;
    if (g.thread_rank() == 0) warp_res = atomicAdd(ctr, g.size());
    return g.shfl(warp_res, 0) + g.thread_rank();
}

__global__ void expand(GraphView graph, int *level, const index_t *frontier, int size, index_t *next, int *next_size,
                       int depth)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= size) return;
    index_t v = frontier[t];
    for (index_t e = graph.offsets[v]; e != graph.offsets[v + 1]; ++e) {
        index_t w = graph.edges[e];
        if (atomicCAS(level + w, -1, depth) == -1) next[atomicAggInc(next_size)] = w;
    }
}
__global__ void topdown(GraphView graph, index_t n, int *level, bool *done, int depth)
{
    for (index_t v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        if (level[v] != depth) continue;
        for (index_t e = graph.offsets[v]; e < graph.offsets[v + 1]; e++)
            if (level[graph.edges[e]] == std::numeric_limits<int>::max()) {
                level[graph.edges[e]] = depth + 1;
                *done = false;
            }
    }
}

static std::vector<int> bfs_host(const Graph &g, index_t source)
{
    std::vector<int> level(g.vertices(), -1);
    std::queue<index_t> q;
    level[source] = 0, q.push(source);
    while (!q.empty()) {
        auto v = q.front();
        q.pop();
        for (auto e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
            if (level[g.edges[e]] < 0) level[g.edges[e]] = level[v] + 1, q.push(g.edges[e]);
    }
    return level;
}

template <class T> T *upload(const std::vector<T> &v)
{
    T *p;
    if (auto e = cudaMallocManaged(&p, v.size() * sizeof(T)); e != cudaSuccess) std::terminate();
    std::copy(v.begin(), v.end(), p);
    return p;
}

int main()
{
    std::default_random_engine random{7};
    std::unordered_map<index_t, std::set<index_t>> lists;
    const index_t n = 700;
    std::poisson_distribution<int> degree(3);
    std::normal_distribution<double> near(0, 12);
    for (index_t v = 0; v < n; ++v)
        for (int k = degree(random); k > 0; --k) {
            const index_t w = (v + n + (int)near(random)) % n;
            if (v != w) lists[v].insert(w), lists[w].insert(v);
        }
    Graph g{{0}, {}};
    for (index_t v = 0; v < n; ++v) {
        g.edges.insert(g.edges.end(), lists[v].begin(), lists[v].end());
        g.offsets.push_back(g.edges.size());
    }
    GraphView view{upload(g.offsets), upload(g.edges)};
    int *level = upload(std::vector<int>(n, -1)), *size = upload<int>({0}),
        *flat = upload(std::vector<int>(n, INT_MAX));
    index_t *frontier = upload(std::vector<index_t>(n)), *next = upload(std::vector<index_t>(n));
    const index_t source = 5;
    level[source] = 0, frontier[0] = source, flat[source] = 0;
    int depth = 0;
    for (int count = 1; count; count = *size, std::swap(frontier, next)) {
        *size = 0;
        expand<<<(count + 63) / 64, 64>>>(view, level, frontier, count, next, size, ++depth);
        cudaDeviceSynchronize();
    }
    bool *done = upload(std::vector<char>(1)) ? (bool *)upload(std::vector<char>(1)) : nullptr;
    int d = 0;
    do {
        *done = true;
        topdown<<<4, 128>>>(view, n, flat, done, d++);
        cudaDeviceSynchronize();
    } while (!*done);
    const auto want = bfs_host(g, source);
    int wrong = 0, reached = 0;
    for (index_t v = 0; v < n; ++v) {
        reached += want[v] >= 0;
        wrong += want[v] != level[v];
        wrong += (want[v] < 0 ? INT_MAX : want[v]) != flat[v];
    }
    std::cout << g.edges.size() << " edges, " << reached << " vertices reached in " << d << " levels\n";
    std::cout << std::string(wrong ? "FAILED" : "PASSED") << std::endl;
    return wrong ? 1 : 0;
}
