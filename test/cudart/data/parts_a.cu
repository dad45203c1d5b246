// parts_a.cu, parts_b.cu: a program whose device code is in two parts (nvcc -rdc=true). They share a function, a
// variable and a constant that the other one defines, and an inline variable and a template's variable and kernel that
// both have.
#include <cstdio>

extern __device__ int table[8];
extern __device__ int twice(int x);
extern __constant__ int other_constant;
__constant__ int own_constant = 9;
inline __device__ int counter = 5;
template <class T> __device__ T value = T(3);
template <class T> __global__ void get(T *p) { p[0] = value<T> + 1; }
static __device__ int local(int x) { return x + 1; }

__global__ void use(int *p)
{
    counter++;
    p[threadIdx.x] = local(twice(table[threadIdx.x & 7])) + value<int>;
}

__global__ void sum(int *p) { p[0] = own_constant + other_constant; }

void run_b(int *p);

int main()
{
    int *p, h[8];
    cudaMalloc(&p, sizeof h);
    for (int k = 0; k < 8; k++) h[k] = 10 * k;
    cudaMemcpyToSymbol(table, h, sizeof h);
    use<<<1, 8>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 8; k++) printf("%d%c", h[k], k < 7 ? ' ' : '\n');
    run_b(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[0], h[1], h[4]);
    cudaMemcpyFromSymbol(h, counter, sizeof *h);
    printf("counter %d\n", h[0]);
    get<int><<<1, 1>>>(p);
    cudaMemcpy(h, p, sizeof *h, cudaMemcpyDeviceToHost);
    printf("value %d\n", h[0]);
    sum<<<1, 1>>>(p);
    cudaMemcpy(h, p, sizeof *h, cudaMemcpyDeviceToHost);
    printf("constants %d %s\n", h[0], cudaGetErrorName(cudaGetLastError()));
}
