// The order of work: within a stream, between streams by cudaStreamWaitEvent, and of the default stream with all
// others.
#include "check.cuh"

__global__ void step(int *log, int *n, int what) { log[(*n)++] = what; }

__global__ void slow(int *log, int *n, int what)
{
    long long until = clock64() + 20000;
    while (clock64() < until) {
    }
    log[(*n)++] = what;
}

int main()
{
    int *log = shared_array<int>(32), *n = shared_array<int>(1);
    cudaStream_t a, b, c;
    cudaEvent_t done, more;
    MUST(cudaStreamCreate(&a));
    MUST(cudaStreamCreate(&b));
    MUST(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&done));
    MUST(cudaEventCreateWithFlags(&more, cudaEventBlockingSync | cudaEventDisableTiming));
    MUST(cudaStreamWaitEvent(b, done, 0));  // it wasn't recorded: nobody waits
    slow<<<1, 1, 0, a>>>(log, n, 1);
    step<<<1, 1, 0, a>>>(log, n, 2);
    MUST(cudaEventRecord(done, a));
    MUST(cudaStreamWaitEvent(b, done, 0));
    step<<<1, 1, 0, b>>>(log, n, 3);
    step<<<1, 1>>>(log, n, 4);  // the default stream waits for a and b, and they for it
    slow<<<1, 1, 0, b>>>(log, n, 5);
    MUST(cudaEventRecord(more, b));
    MUST(cudaStreamWaitEvent(c, more));
    step<<<1, 1, 0, c>>>(log, n, 6);
    MUST(cudaEventSynchronize(more));
    CHECK(*n >= 5);
    MUST(cudaStreamDestroy(b));  // what it has under way goes on
    MUST(cudaStreamSynchronize(c));
    CHECK(*n == 6);
    for (int k = 0; k < 6; k++) CHECK(log[k] == k + 1);

    int host = 0;
    slow<<<1, 1, 0, a>>>(log, n, 7);
    MUST(cudaMemcpyAsync(&host, n, sizeof host, cudaMemcpyDefault, a));
    MUST(cudaStreamSynchronize(a));
    CHECK(host == 7);
    step<<<1, 1, 0, cudaStreamLegacy>>>(log, n, 8);
    MUST(cudaMemcpy(&host, n, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host == 8);
    return verdict();
}
