// Built with -default-stream per-thread: stream 0 is the host thread's own. Each of three threads works in its own, and
// sees what it has done itself.
#include "check.cuh"

#include <thread>
#include <vector>

__global__ void grow(int *x, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 3 + by;
}

static void work(int me, int *bad)
{
    enum { N = 500 };
    std::vector<int> host(N);
    int *x;
    cudaEvent_t e;
    MUST(cudaMalloc(&x, N * sizeof *x));
    MUST(cudaEventCreate(&e));
    for (int k = 0; k < N; k++) host[k] = k;
    MUST(cudaMemcpyAsync(x, host.data(), N * sizeof *x, cudaMemcpyHostToDevice));
    for (int round = 0; round < 20; round++) {
        grow<<<4, 128>>>(x, N, me);
        grow<<<4, 128, 0, cudaStreamPerThread>>>(x, N, -2 * round);
    }
    MUST(cudaEventRecord(e));
    MUST(cudaStreamWaitEvent(nullptr, e));
    MUST(cudaMemcpy(host.data(), x, N * sizeof *x, cudaMemcpyDeviceToHost));
    for (int k = 0; k < N; k++) {
        int right = k;
        for (int round = 0; round < 20; round++) right = (int)(((unsigned)right * 3 + me) * 3 - 2 * round);
        *bad += host[k] != right;
    }
    MUST(cudaMemset(x, 0, N * sizeof *x));
    MUST(cudaStreamSynchronize(nullptr));
    MUST(cudaMemcpy(host.data(), x, sizeof *x, cudaMemcpyDeviceToHost));
    *bad += host[0] != 0;
    MUST(cudaFree(x));
}

int main()
{
    int bad[3] = {0, 0, 0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; k++) threads.emplace_back(work, k + 1, &bad[k]);
    for (std::thread &t : threads) t.join();
    for (int b : bad) CHECK(b == 0);
    return verdict();
}
