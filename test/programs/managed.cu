// Managed memory: variables and allocations that the host and the GPU reach at one address; a list that the host builds
// and the GPU walks; the host finds what a kernel has written, also where it reads before it has waited.
#include "check.cuh"

struct Node {
    Node *next;
    int value;
};
__managed__ int numbers[4] = {4, 3, 2, 1};
__managed__ Node *head;
__device__ __managed__ double total = 0.5;

__global__ void walk()
{
    for (Node *n = head; n; n = n->next) {
        total += n->value;
        n->value *= numbers[n->value % 4];
    }
    numbers[3] = 100;
}

int main()
{
    for (int k = 0; k < 50; k++) {
        Node *n;
        MUST(cudaMallocManaged(&n, sizeof *n, k % 2 ? cudaMemAttachGlobal : cudaMemAttachHost));
        n->next = head, n->value = k, head = n;
        if (k % 2 == 0) MUST(cudaStreamAttachMemAsync(nullptr, n, 0, cudaMemAttachGlobal));
    }
    numbers[1] = -3;
    walk<<<1, 1>>>();
    CHECK(total == 0.5 + 49 * 50 / 2);  // reading waits
    MUST(cudaDeviceSynchronize());
    CHECK(total == 0.5 + 49 * 50 / 2);
    CHECK(numbers[0] == 4 && numbers[1] == -3 && numbers[2] == 2 && numbers[3] == 100);
    const int by[4] = {4, -3, 2, 1};
    int k = 49;
    for (Node *n = head, *next; n; n = next, k--) {
        CHECK(n->value == k * by[k % 4]);
        cudaPointerAttributes a;
        MUST(cudaPointerGetAttributes(&a, n));
        CHECK(a.type == cudaMemoryTypeManaged && a.devicePointer == n && a.hostPointer == n);
        next = n->next;
        MUST(cudaFree(n));
    }
    CHECK(k == -1);
    int *p;
    CHECK(cudaMallocManaged(&p, 0) == cudaErrorInvalidValue);
    CHECK(cudaMallocManaged(&p, 4, 8) == cudaErrorInvalidValue);
    return verdict();
}
