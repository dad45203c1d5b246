// bfs: the distance of each node of a graph from a source, a level at a time. Rodinia's definition: bfs_expand gives
// the frontier's unvisited neighbours their distance and marks them, bfs_advance makes the marked ones the next
// frontier and says whether there were any. Nodes give their first edge and how many there are; flags are bytes.
#include "cuda.h"

typedef struct Node {
    int first, count;
} Node;

extern "C" __global__ void bfs_expand(int n, const Node *nodes, const int *edges, unsigned char *frontier,
                                      unsigned char *marked, const unsigned char *visited, int *cost) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && frontier[i]) {
        frontier[i] = 0;
        for (int e = nodes[i].first; e < nodes[i].first + nodes[i].count; e++) {
            const int to = edges[e];
            if (!visited[to]) {
                cost[to] = cost[i] + 1;  // lanes that meet here write the same value
                marked[to] = 1;
            }
        }
    }
}

extern "C" __global__ void bfs_advance(int n, unsigned char *frontier, unsigned char *marked, unsigned char *visited,
                                       int *again) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && marked[i]) {
        frontier[i] = 1;
        visited[i] = 1;
        *again = 1;
        marked[i] = 0;
    }
}
