// bfs: distances from node 0 in a seeded random graph, a level at a time.
#include "../host.h"

#define BLOCK 512  // Rodinia's

typedef struct Node {
    int32_t first, count;
} Node;

// Each node gets 1 to 2·degree - 1 edges to random nodes; returns how many edges there are.
static int64_t random_nodes(Work *work, Node *nodes, int64_t n, int64_t degree)
{
    int64_t edges = 0;
    for (int64_t i = 0; i < n; i++) {
        nodes[i] = (Node){(int32_t)edges, (int32_t)(1 + work_random(work) % (uint32_t)(2 * degree - 1))};
        edges += nodes[i].count;
    }
    return edges;
}

// As Rodinia's generator makes its graphs: each node draws 2 to 4 others where a node shall have 6 edges on average,
// and an edge leads both ways. Returns how many edges there are, and puts them into *edges.
static int64_t undirected_nodes(Work *work, Node *nodes, int64_t n, int64_t degree, int32_t **edges)
{
    const uint32_t least = degree < 6 ? 1 : (uint32_t)degree / 3, most = (uint32_t)degree - least;
    int32_t *drawn = work_host(work, (size_t)n * sizeof(int32_t)), *ends;
    int64_t count = 0, at = 0;
    for (int64_t i = 0; drawn && i < n; i++)
        count += drawn[i] = (int32_t)(least + work_random(work) % (most - least + 1));
    ends = work_host(work, (size_t)count * sizeof(int32_t));
    *edges = work_host(work, 2 * (size_t)count * sizeof(int32_t));
    if (!work_ok(work)) return 1;
    for (int64_t i = 0; i < n; i++) nodes[i].count = drawn[i];
    for (int64_t e = 0; e < count; e++) nodes[ends[e] = (int32_t)(work_random(work) % (uint32_t)n)].count++;
    for (int64_t i = 0, first = 0; i < n; first += nodes[i++].count) nodes[i].first = (int32_t)first;
    for (int64_t i = 0; i < n; i++) nodes[i].count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int32_t k = 0; k < drawn[i]; k++, at++) {
            Node *to = &nodes[ends[at]];
            (*edges)[nodes[i].first + nodes[i].count++] = ends[at];
            (*edges)[to->first + to->count++] = (int32_t)i;
        }
    return 2 * count;
}

// The textbook's search with a queue; unreached nodes keep -1.
static void search(const Node *nodes, const int32_t *edges, int32_t *queue, int32_t *cost)
{
    int64_t head = 0, tail = 0;
    cost[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        const int32_t i = queue[head++];
        for (int32_t e = nodes[i].first; e < nodes[i].first + nodes[i].count; e++)
            if (cost[edges[e]] < 0) {
                cost[edges[e]] = cost[i] + 1;
                queue[tail++] = edges[e];
            }
    }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), degree = work_param(work, "degree");
    const size_t of_cost = (size_t)n * sizeof(int32_t);
    Node *nodes = work_host(work, (size_t)n * sizeof(Node));
    const bool both = work_param(work, "both");
    if (both && degree < 2) work_refuse(work, "degree", "2 or more with both=1");
    int32_t *edges = NULL, *queue = work_host(work, of_cost);
    const int64_t count = !nodes ? 1
                          : both ? undirected_nodes(work, nodes, n, degree, &edges)
                                 : random_nodes(work, nodes, n, degree);
    if (!both) edges = work_host(work, (size_t)count * sizeof(int32_t));
    int32_t *got = work_host(work, of_cost), *want = work_host(work, of_cost);
    uint8_t *start = work_host(work, (size_t)n);
    if (!work_ok(work)) return;
    for (int64_t e = 0; e < count && !both; e++) edges[e] = (int32_t)(work_random(work) % (uint32_t)n);
    for (int64_t i = 0; i < n; i++) want[i] = -1;
    want[0] = 0;
    start[0] = 1;

    WorkBuf dnodes = work_upload(work, "nodes", nodes, (size_t)n * sizeof(Node));
    WorkBuf dedges = work_upload(work, "edges", edges, (size_t)count * sizeof(int32_t));
    WorkBuf dfrontier = work_upload(work, "frontier", start, (size_t)n);
    WorkBuf dmarked = work_device(work, "marked", (size_t)n);
    WorkBuf dvisited = work_upload(work, "visited", start, (size_t)n);
    WorkBuf dcost = work_upload(work, "cost", want, of_cost);
    WorkBuf dagain = work_device(work, "again", sizeof(int32_t));

    const oc_dim3 grid = dim1(ceil_div(n, BLOCK)), block = dim1(BLOCK);
    for (int32_t again = 1; again && work_ok(work);) {
        again = 0;
        work_write(work, dagain, &again, sizeof again);
        work_launch(work, "bfs_expand", grid, block, 0,
                    ARGS(arg_i32(n), arg_buf(dnodes), arg_buf(dedges), arg_buf(dfrontier), arg_buf(dmarked),
                         arg_buf(dvisited), arg_buf(dcost)));
        work_launch(work, "bfs_advance", grid, block, 0,
                    ARGS(arg_i32(n), arg_buf(dfrontier), arg_buf(dmarked), arg_buf(dvisited), arg_buf(dagain)));
        work_read(work, &again, dagain, sizeof again);
    }
    work_read(work, got, dcost, of_cost);
    if (!work_ok(work)) return;

    search(nodes, edges, queue, want);
    work_check_u32(work, "cost", (const uint32_t *)got, (const uint32_t *)want, (size_t)n);
}

static const WorkParam params[] = {
    {"n", "nodes, 1 to 2^24", 1000, 65536, 1, 1 << 24},
    {"degree", "mean number of edges of a node, 1 to 64", 6, 6, 1, 64},
    {"both", "1: each edge leads both ways, as in the graphs of Rodinia's generator, 0 or 1", 0, 0, 0, 1},
    {.name = NULL},
};

const Workload workload_rodinia_bfs = {
    "bfs", "rodinia", "Distances from a node in a random graph, two kernels a level (Rodinia)", params, run};
