// What --check finds in a program: a barrier that is missing between two warps, and an element that nobody has written.
// What the kernels compute is right as long as nobody reads what isn't there.
#include "check.cuh"

__global__ void reverse(int *out, const int *in)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    out[t] = tile[63 - t];
}

__global__ void sum(int *out, const int *in)
{
    int s = 0;
    for (int k = 0; k < 65; k++) s += in[k];
    out[0] = s, out[1] = in[0];
}

int main()
{
    int host[64], *in, *out;
    for (int k = 0; k < 64; k++) host[k] = k + 1;
    MUST(cudaMalloc(&in, 65 * sizeof *in));
    MUST(cudaMalloc(&out, sizeof host));
    MUST(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reverse<<<1, 64>>>(out, in);
    MUST(cudaDeviceSynchronize());
    sum<<<1, 1>>>(out, in);
    MUST(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[1] == 1);
    return verdict();
}
