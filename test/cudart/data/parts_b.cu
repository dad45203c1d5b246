__device__ int table[8];
__constant__ int other_constant = 100;
inline __device__ int counter = 5;
template <class T> __device__ T value = T(3);
template <class T> __global__ void get(T *p) { p[0] = value<T> + 1; }
static __device__ int local(int x) { return x + 1000; }
__device__ int twice(int x) { return 2 * x; }

__global__ void set(int *p)
{
    counter++;
    p[0] = counter;
    p[1] = local(value<int>);
    value<int> = 70;
}

void run_b(int *p)
{
    set<<<1, 1>>>(p);
    get<int><<<1, 1>>>(p + 4);
}
