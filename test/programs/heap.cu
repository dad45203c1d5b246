// Memory that kernels take: malloc, free, new and delete; pieces stay for later kernels, are aligned to 16 bytes, don't
// overlap; malloc returns null when there is no more.
#include "check.cuh"

struct Node {
    Node *next;
    int value;
    __device__ explicit Node(Node *n, int v) : next(n), value(v) {}
    __device__ ~Node() { value = -1; }
};
__device__ Node *lists[64];

__global__ void build(int *bad)
{
    for (int k = 0; k < 10; k++) lists[threadIdx.x] = new Node(lists[threadIdx.x], threadIdx.x * 100 + k);
    char *mine = (char *)malloc(100 + threadIdx.x);
    if (!mine || (size_t)mine % 16) atomicAdd(bad, 1);
    memset(mine, threadIdx.x, 100 + threadIdx.x);
    __syncthreads();
    for (int k = 0; k < 100 + threadIdx.x; k++)
        if (mine[k] != threadIdx.x) atomicAdd(bad, 1);
    free(mine);
    free(nullptr);
}

__global__ void sum(int *out)
{
    while (Node *n = lists[threadIdx.x]) {
        atomicAdd(out, n->value);
        lists[threadIdx.x] = n->next;
        delete n;
    }
}

__global__ void all(int *out)
{
    void *too_much = malloc((size_t)1 << 40);
    out[0] = too_much == nullptr;
    double *p = new double[50];
    for (int k = 0; k < 50; k++) p[k] = k;
    for (int k = 0; k < 50; k++) out[1] += (int)p[k];
    delete[] p;
}

int main()
{
    int *out = shared_array<int>(4);
    MUST(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20));
    build<<<1, 64>>>(out + 3);
    sum<<<1, 64>>>(out + 2);
    all<<<1, 1>>>(out);
    MUST(cudaDeviceSynchronize());
    CHECK(out[0] == 1 && out[1] == 49 * 50 / 2 && out[3] == 0);
    CHECK(out[2] == 10 * 100 * 63 * 64 / 2 + 64 * 45);
    return verdict();
}
