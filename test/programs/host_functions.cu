// Functions of the host in the order of a stream: they run after what was before them, see its results, and what is
// behind them waits.
#include "check.cuh"

__global__ void add(int *x, int by) { *x += by; }

static int *value, seen[3], calls;
static void CUDART_CB look(void *data)
{
    seen[calls++] = *value;
    *value *= *(int *)data;
}
static void CUDART_CB told(cudaStream_t, cudaError_t error, void *data)
{
    if (error == cudaSuccess) *(int *)data = *value;
}

int main()
{
    int two = 2, five = 5, last = 0;
    cudaStream_t s;
    value = shared_array<int>(1);
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    add<<<1, 1, 0, s>>>(value, 3);
    MUST(cudaLaunchHostFunc(s, look, &two));
    add<<<1, 1, 0, s>>>(value, 1);
    MUST(cudaLaunchHostFunc(s, look, &five));
    MUST(cudaMemcpyAsync(&last, value, sizeof last, cudaMemcpyDefault, s));
    MUST(cudaLaunchHostFunc(s, look, &two));
    MUST(cudaStreamSynchronize(s));
    CHECK(calls == 3 && seen[0] == 3 && seen[1] == 7 && seen[2] == 35);
    CHECK(last == 35 && *value == 70);
    add<<<1, 1, 0, s>>>(value, 5);
    MUST(cudaStreamAddCallback(s, told, &last, 0));
    MUST(cudaStreamSynchronize(s));
    CHECK(last == 75);
    return verdict();
}
