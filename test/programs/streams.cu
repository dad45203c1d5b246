// Copies and kernels in four streams, a piece of the array in each, from and to pinned memory; events say when a stream
// has come so far.
#include "check.cuh"

__global__ void square(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= x[i];
}

int main()
{
    enum { STREAMS = 4, PIECE = 1500, ALL = STREAMS * PIECE };
    int *host, *device;
    cudaStream_t streams[STREAMS];
    cudaEvent_t done[STREAMS];
    MUST(cudaMallocHost(&host, ALL * sizeof *host));
    MUST(cudaMalloc(&device, ALL * sizeof *device));
    for (int k = 0; k < ALL; k++) host[k] = k - 3000;
    for (int s = 0; s < STREAMS; s++) {
        int at = s * PIECE, bytes = PIECE * sizeof *host;
        MUST(cudaStreamCreateWithFlags(&streams[s], s % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
        MUST(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
        MUST(cudaMemcpyAsync(device + at, host + at, bytes, cudaMemcpyHostToDevice, streams[s]));
        square<<<(PIECE + 127) / 128, 128, 0, streams[s]>>>(device + at, PIECE);
        MUST(cudaGetLastError());
        MUST(cudaMemcpyAsync(host + at, device + at, bytes, cudaMemcpyDeviceToHost, streams[s]));
        MUST(cudaEventRecord(done[s], streams[s]));
    }
    for (int s = STREAMS - 1; s >= 0; s--) {
        MUST(cudaEventSynchronize(done[s]));
        CHECK(cudaEventQuery(done[s]) == cudaSuccess);
        for (int k = s * PIECE; k < (s + 1) * PIECE; k++) CHECK(host[k] == (k - 3000) * (k - 3000));
        MUST(cudaStreamSynchronize(streams[s]));
        CHECK(cudaStreamQuery(streams[s]) == cudaSuccess);
        unsigned flags;
        MUST(cudaStreamGetFlags(streams[s], &flags));
        CHECK(flags == (s % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
        MUST(cudaEventDestroy(done[s]));
        MUST(cudaStreamDestroy(streams[s]));
    }
    int least, greatest, priority;
    cudaStream_t urgent;
    MUST(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest <= least);  // the lower the number, the more urgent
    MUST(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    MUST(cudaStreamGetPriority(urgent, &priority));
    CHECK(priority == greatest);
    unsigned long long id, other;
    cudaStreamCaptureStatus capture;
    MUST(cudaStreamGetId(urgent, &id));
    MUST(cudaStreamGetId(nullptr, &other));
    CHECK(id != other);
    MUST(cudaStreamIsCapturing(urgent, &capture));
    CHECK(capture == cudaStreamCaptureStatusNone);
    MUST(cudaFreeHost(host));
    MUST(cudaFree(device));
    return verdict();
}
