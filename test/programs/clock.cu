// The host's clock in simulated time. All times are computed from what the list sets, in us: a call that gives work to
// a stream, or that waits, takes 1; a kernel begins 5 after its call began; a copy takes 3, and 1 for each 1000 bytes.
// An event of an idle stream is when its call returns. Which calls wait is from the CUDA Runtime API's "API
// synchronization behavior". times.cu has what holds for any setting.
#include "check.cuh"

#include <cmath>

enum { BYTES = 10000, ROWS = 4, ROW = 1000 };

__global__ void spin(int rounds)
{
    int x = threadIdx.x;
    for (int k = 0; k < rounds; k++) x = x * 5 + k;
    if (x == 1) __trap();
}

static cudaStream_t s, idle;
static cudaEvent_t start, stop;
static float kernel;  // its time

static void begin()
{
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(start, s));
}

// The time from begin() to an event of a stream that is recorded now.
static float until(cudaStream_t of)
{
    float ms = -1;
    MUST(cudaEventRecord(stop, of));
    MUST(cudaEventSynchronize(stop));
    MUST(cudaEventElapsedTime(&ms, start, stop));
    return ms * 1000;
}

#define IS(us, want) is(__LINE__, us, want)
static void is(int line, float us, float want)
{
    if (std::fabs(us - want) > 1e-3f) std::printf("line %d: %.4f us, not %.4f\n", line, us, want), wrong++;
}

// Kernels of two streams, which follow one another here; all that came before has been waited for by an event.
static float two_streams()
{
    cudaStream_t a, b;
    cudaEvent_t from, to;
    float ms = -1;
    MUST(cudaStreamCreate(&a));
    MUST(cudaStreamCreate(&b));
    MUST(cudaEventCreate(&from));
    MUST(cudaEventCreate(&to));
    MUST(cudaEventRecord(from, a));
    spin<<<1, 32, 0, a>>>(3000);
    spin<<<1, 32, 0, b>>>(3000);
    MUST(cudaEventRecord(to, b));
    MUST(cudaEventSynchronize(to));
    MUST(cudaEventElapsedTime(&ms, from, to));
    MUST(cudaStreamDestroy(a));
    MUST(cudaStreamDestroy(b));
    return ms * 1000;
}

static void note(void *called) { ++*(int *)called; }

static void waits(int *device, int *own, void *freed)
{
    // cudaMemcpy returns when it is done, either way; what is recorded behind it lies a call later.
    begin();
    MUST(cudaMemcpy(device, own, BYTES, cudaMemcpyHostToDevice));
    IS(until(idle), 13 + 1);
    begin();
    MUST(cudaMemcpy(own, device, BYTES, cudaMemcpyDeviceToHost));
    IS(until(idle), 13 + 1);
    // To pageable memory also in a stream.
    begin();
    MUST(cudaMemcpyAsync(own, device, BYTES, cudaMemcpyDeviceToHost, s));
    IS(until(idle), 13 + 1);
    // cudaFree waits for all work; a question that is answered by "done" has waited, too.
    begin();
    spin<<<1, 32, 0, s>>>(3000);
    MUST(cudaFree(freed));
    IS(until(idle), 5 + kernel + 1);
    begin();
    spin<<<1, 32, 0, s>>>(3000);
    MUST(cudaStreamQuery(s));
    IS(until(idle), 5 + kernel + 1);
    begin();
    MUST(cudaMemcpyAsync(device, own, BYTES, cudaMemcpyHostToDevice, s));
    MUST(cudaEventRecord(stop, s));
    MUST(cudaEventQuery(stop));
    IS(until(idle), 13 + 1);
}

static void does_not_wait(int *device, int *own)
{
    int called = 0;
    void *pooled;
    begin();
    spin<<<1, 32, 0, s>>>(3000);
    IS(until(idle), 2);
    begin();
    MUST(cudaMemcpyAsync(device, own, BYTES, cudaMemcpyHostToDevice, s));
    IS(until(idle), 2);
    begin();
    MUST(cudaMemcpyAsync(device, own, BYTES, cudaMemcpyHostToDevice, s));
    IS(until(s), 13);
    begin();
    MUST(cudaMemsetAsync(device, 0, BYTES, s));
    IS(until(idle), 2);
    begin();
    spin<<<1, 32, 0, s>>>(3000);
    MUST(cudaLaunchHostFunc(s, note, &called));
    IS(until(idle), 2);
    CHECK(called == 1);
    MUST(cudaMallocAsync(&pooled, 4, s));
    begin();
    spin<<<1, 32, 0, s>>>(3000);
    MUST(cudaFreeAsync(pooled, s));
    IS(until(idle), 2);
}

int main()
{
    static int own[BYTES / 4];
    int *device, *rows;
    size_t pitch;
    void *freed;
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&idle));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    MUST(cudaMalloc(&device, BYTES));
    MUST(cudaMalloc(&freed, 4));
    MUST(cudaMallocPitch(&rows, &pitch, ROW, ROWS));
    begin();
    spin<<<1, 32, 0, s>>>(3000);
    kernel = until(s) - 5;
    CHECK(kernel > 20);
    IS(two_streams(), 5 + kernel + 5 + kernel);
    IS(two_streams(), 5 + kernel + 5 + kernel);
    waits(device, own, freed);
    IS(two_streams(), 5 + kernel + 5 + kernel);
    does_not_wait(device, own);
    // Rows are one copy.
    begin();
    MUST(cudaMemcpy2DAsync(rows, pitch, own, ROW, ROW, ROWS, cudaMemcpyHostToDevice, s));
    IS(until(s), 3 + 4);
    begin();
    MUST(cudaMemcpy2D(own, ROW, rows, pitch, ROW, ROWS, cudaMemcpyDeviceToHost));
    IS(until(idle), 3 + 4 + 1);
    return verdict();
}
