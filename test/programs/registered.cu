// Memory of the program that the GPU is let into (cudaHostRegister): kernels reach it by the pointer that
// cudaHostGetDevicePointer gives, the program by its own; its neighbours stay as they are.
#include "check.cuh"
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *x, int n, int more)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += more;
}

static int large[5000];

static void test(int *x, int n, unsigned flags)
{
    int *on_device;
    MUST(cudaHostRegister(x, n * sizeof(int), flags));
    CHECK(cudaHostRegister(x + 1, 4, flags) == cudaErrorHostMemoryAlreadyRegistered);
    cudaGetLastError();
    for (int k = 0; k < n; k++) x[k] = 3 * k;
    MUST(cudaHostGetDevicePointer(&on_device, x, 0));
    add<<<(n + 127) / 128, 128>>>(on_device, n, 1);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < n; k++) CHECK(x[k] == 3 * k + 1);
    for (int k = 0; k < n; k++) x[k] = k;
    add<<<(n + 127) / 128, 128>>>(on_device, n, 10);
    MUST(cudaDeviceSynchronize());
    cudaPointerAttributes a;
    MUST(cudaPointerGetAttributes(&a, x + 2));
    CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == x + 2 && a.devicePointer == on_device + 2);
    fflush(stdout);
    if (!fork()) {  // a child has memory of its own
        x[0] = 77;
        _exit(x[1] == 11 ? 0 : 1);
    }
    int status = -1;
    CHECK(wait(&status) > 0 && status == 0 && x[0] == 10);
    MUST(cudaHostUnregister(x));
    for (int k = 0; k < n; k++) CHECK(x[k] == k + 10);
    CHECK(cudaHostUnregister(x) == cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();
    x[0] = 5;
    CHECK(x[0] == 5);
}

int main()
{
    int *small[3];
    for (int k = 0; k < 3; k++) small[k] = (int *)malloc(1000 * sizeof(int)), small[k][0] = small[k][999] = 1000 + k;
    test(small[1], 1000, cudaHostRegisterMapped);
    CHECK(small[0][0] == 1000 && small[0][999] == 1000 && small[2][0] == 1002 && small[2][999] == 1002);
    for (int k = 0; k < 3; k++) free(small[k]);
    test(large + 17, 4500, cudaHostRegisterDefault);

    // After the device is as new, the program's memory is its own again.
    int *on_device;
    MUST(cudaHostRegister(large, sizeof large, cudaHostRegisterMapped));
    MUST(cudaHostGetDevicePointer(&on_device, large, 0));
    large[4999] = 12;
    MUST(cudaDeviceReset());
    MUST(cudaMalloc(&on_device, sizeof large));
    MUST(cudaMemset(on_device, 0, sizeof large));
    CHECK(large[4999] == 12);
    return verdict();
}
