// Copies between memory of the device and all memory that host and device share take the link, beside kernels. Times
// are computed from what the list sets, in us: a call that gives work to a stream, or that waits, takes 1; a copy
// between host and device takes 3, and 1 for each 1000 bytes. An event of an idle stream is when its call returns.
#include "check.cuh"

#include <cmath>
#include <cstdlib>

enum { BYTES = 20000 };

__managed__ char variable[BYTES];
__device__ char on_device[BYTES];

__global__ void spin(int rounds)
{
    int x = threadIdx.x;
    for (int k = 0; k < rounds; k++) x = x * 5 + k;
    if (x == 1) __trap();
}

static cudaStream_t s, idle, other;
static cudaEvent_t start, stop;

static void begin()
{
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(start, s));
}

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

enum { COPY = 3 + 20, RETURNS = 2, WAITS = COPY + 1 };

// One kind of memory. back: what a copy to it costs the host, before the next call returns. If the host waits for the
// copy, an event behind it lies a call later.
static void both_ways(void *host, void *device, float back)
{
    const float late = back == WAITS ? 1 : 0;
    begin();
    MUST(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, s));
    IS(until(s), COPY);
    begin();
    MUST(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, s));
    IS(until(s), COPY + late);
    begin();
    MUST(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyDefault, s));
    IS(until(idle), RETURNS);
    begin();
    MUST(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDefault, s));
    IS(until(idle), back);
    begin();
    MUST(cudaMemcpy(device, host, BYTES, cudaMemcpyHostToDevice));
    IS(until(idle), WAITS);
    begin();
    MUST(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
    IS(until(idle), WAITS);
    // Beside a kernel: it runs for longer than a copy takes.
    begin();
    spin<<<1, 32, 0, other>>>(20000);
    MUST(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, s));
    MUST(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, s));
    IS(until(s), 1 + 2 * COPY + late);
    CHECK(until(other) > 200);
}

static void fill(void *host)
{
    begin();
    MUST(cudaMemsetAsync(host, 1, BYTES, s));
    IS(until(idle), RETURNS);
    begin();
    MUST(cudaMemset(host, 1, BYTES));
    IS(until(idle), WAITS);
}

int main()
{
    void *device, *second, *pinned, *combined, *mapped, *managed, *registered, *reached, *alias, *symbol;
    void *pageable = std::malloc(BYTES);
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&idle));
    MUST(cudaStreamCreate(&other));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    MUST(cudaMalloc(&device, BYTES));
    MUST(cudaMalloc(&second, BYTES));
    MUST(cudaMallocHost(&pinned, BYTES));
    MUST(cudaHostAlloc(&combined, BYTES, cudaHostAllocWriteCombined));
    MUST(cudaHostAlloc(&mapped, BYTES, cudaHostAllocMapped));
    MUST(cudaMallocManaged(&managed, BYTES));
    registered = std::aligned_alloc(4096, 20480);
    reached = std::aligned_alloc(4096, 20480);
    MUST(cudaHostRegister(registered, BYTES, 0));
    MUST(cudaHostRegister(reached, BYTES, cudaHostRegisterMapped));
    MUST(cudaHostGetDevicePointer(&alias, reached, 0));
    MUST(cudaGetSymbolAddress(&symbol, on_device));
    both_ways(pageable, device, WAITS);
    for (void *host : {pinned, combined, mapped, managed, registered, reached, alias, (void *)variable})
        both_ways(host, device, RETURNS);
    both_ways(pinned, symbol, RETURNS);
    for (void *host : {pinned, combined, mapped, managed, alias, (void *)variable}) fill(host);
    // Between two places of the host a copy takes no time, and waits for its stream.
    for (void *host : {pinned, pageable, managed, registered}) {
        begin();
        MUST(cudaMemcpyAsync(combined, host, BYTES, cudaMemcpyHostToHost, s));
        IS(until(s), RETURNS);
        begin();
        MUST(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s));
        MUST(cudaMemcpyAsync(host, combined, BYTES, cudaMemcpyHostToHost, s));
        IS(until(idle), WAITS);
    }
    // On the device it doesn't wait, and takes no link.
    begin();
    MUST(cudaMemcpyAsync(second, device, BYTES, cudaMemcpyDeviceToDevice, s));
    CHECK(until(s) < 3);
    return verdict();
}
