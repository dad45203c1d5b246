// Calls on the device: functions that call themselves, functions that aren't inlined, pointers to functions in
// variables, in constant memory and from the host.
#include "check.cuh"

__device__ int ackermann(int m, int n)
{
    if (!m) return n + 1;
    return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }

typedef double (*Function)(double, int);
__device__ double add(double x, int n) { return x + n; }
__device__ double multiply(double x, int n) { return x * n; }
__device__ double power(double x, int n) { return n ? x * power(x, n - 1) : 1; }
__constant__ Function table[3] = {add, multiply, power};
__device__ Function chosen = multiply;

struct Big {
    int v[20];
};
__device__ __noinline__ Big fill(Big b, int by)
{
    for (int &x : b.v) x += by;
    return b;
}

__global__ void work(double *out, Function given)
{
    int t = threadIdx.x;
    double *o = out + t * 6;
    Big b = {};
    b.v[7] = t;
    o[0] = ackermann(t % 3, t % 4), o[1] = even(t), o[2] = table[t % 3](1.5, t % 5);
    o[3] = chosen(2, t), o[4] = given(3, t % 4), o[5] = fill(b, 2).v[7];
}

int main()
{
    double *out = shared_array<double>(64 * 6);
    Function host;
    MUST(cudaMemcpyFromSymbol(&host, table, sizeof host, 2 * sizeof host));
    MUST(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    work<<<1, 64>>>(out, host);
    MUST(cudaDeviceSynchronize());
    for (int t = 0; t < 64; t++) {
        const double *o = out + t * 6;
        int m = t % 3, n = t % 4, k = t % 5;
        CHECK(o[0] == (m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3));
        CHECK(o[1] == (t % 2 == 0));
        double power = 1, cube = 1;
        for (int j = 0; j < k; j++) power *= 1.5;
        for (int j = 0; j < n; j++) cube *= 3;
        CHECK(o[2] == (t % 3 == 0 ? 1.5 + k : t % 3 == 1 ? 1.5 * k : power));
        CHECK(o[3] == 2 * t && o[4] == cube && o[5] == t + 2);
    }
    return verdict();
}
