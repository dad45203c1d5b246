// Lesson 4, a cache that thrashes: each warp goes four times through a list of 2048 nodes. It reads one number of each,
// but the cache brings and keeps lines of 128 bytes: 256 KiB of them, and the L1 has at most 128.
// Run it with --why: what would serve these loads? Then keep the numbers that are read in an array of their own.
#include <cstdio>

struct Node {
    int next;
    char name[124];
};

__global__ void walk(const Node *list, int steps, int *end) {
    int at = 0;
    for (int k = 0; k < steps; k++) at = list[at].next;
    end[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

int main() {
    const int n = 2048, threads = 68 * 32;
    Node *list;
    int *end;
    cudaMallocManaged(&list, n * sizeof *list);
    cudaMallocManaged(&end, threads * sizeof *end);
    for (int k = 0; k < n; k++) list[k].next = (k + 5) % n;
    walk<<<threads / 32, 32>>>(list, 4 * n, end);
    cudaDeviceSynchronize();
    printf("the walk ends at node %d\n", end[0]);
}
