// Times between events: above 0, the sum of their parts, larger for more work; errors where there is no time. Nothing
// is said of how large they are.
#include "check.cuh"

#include <cmath>

__global__ void spin(int *out, int rounds)
{
    int x = threadIdx.x;
    for (int k = 0; k < rounds; k++) x = x * 5 + k;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

static float between(cudaEvent_t a, cudaEvent_t b)
{
    float ms = -1;
    MUST(cudaEventElapsedTime(&ms, a, b));
    return ms;
}

int main()
{
    int *out = shared_array<int>(64);
    cudaEvent_t at[4], never, timeless;
    float ms;
    for (cudaEvent_t &e : at) MUST(cudaEventCreate(&e));
    MUST(cudaEventCreate(&never));
    MUST(cudaEventCreateWithFlags(&timeless, cudaEventDisableTiming));
    MUST(cudaEventRecord(at[0]));
    spin<<<1, 64>>>(out, 100);
    MUST(cudaEventRecord(at[1]));
    spin<<<1, 64>>>(out, 10000);
    MUST(cudaEventRecord(at[2]));
    MUST(cudaMemset(out, 0, 64 * sizeof *out));
    MUST(cudaEventRecord(at[3]));
    MUST(cudaEventRecord(timeless));
    MUST(cudaEventSynchronize(at[3]));
    float a = between(at[0], at[1]), b = between(at[1], at[2]), c = between(at[2], at[3]), all = between(at[0], at[3]);
    CHECK(a > 0 && b > 0 && c >= 0);
    CHECK(b > 2 * a);
    CHECK(std::fabs(a + b + c - all) <= 1e-4f * all);
    CHECK(between(at[1], at[1]) == 0);
    CHECK(between(at[2], at[1]) == -b);
    CHECK(cudaEventElapsedTime(&ms, at[0], never) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventElapsedTime(&ms, at[0], timeless) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventElapsedTime(nullptr, at[0], at[1]) == cudaErrorInvalidValue);
    CHECK(cudaEventQuery(never) == cudaSuccess);  // what was never recorded is done
    MUST(cudaEventSynchronize(never));
    MUST(cudaEventRecord(at[0]));  // an event's last record counts
    MUST(cudaEventSynchronize(at[0]));
    CHECK(between(at[3], at[0]) >= 0);
    return verdict();
}
