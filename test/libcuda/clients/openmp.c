// openmp.c: OpenMP's target regions: a map, a reduction, a pointer of the device, tasks, a host that goes on meanwhile.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096 };
#pragma omp declare target
int table[16];
static int square(int x) { return x * x + table[x & 15]; }
#pragma omp end declare target

int main(void)
{
    static float x[N], y[N];
    static int z[N];
    int wrong = 0, on_gpu = 0;
    double sum = 0;
    for (int k = 0; k < N; k++) x[k] = (float)k, y[k] = 1;
    for (int k = 0; k < 16; k++) table[k] = 100 * k;
#pragma omp target update to(table)
#pragma omp target map(from : on_gpu)
    on_gpu = !omp_is_initial_device();
#pragma omp target teams distribute parallel for map(to : x) map(tofrom : y)
    for (int k = 0; k < N; k++) y[k] += 2 * x[k];
    for (int k = 0; k < N; k++) wrong += y[k] != 2 * (float)k + 1;
#pragma omp target data map(to : y)
    {
#pragma omp target teams distribute parallel for reduction(+ : sum)
        for (int k = 0; k < N; k++) sum += y[k];
#pragma omp target teams distribute parallel for nowait map(from : z) depend(out : z)
        for (int k = 0; k < N; k++) z[k] = square(k & 255);
#pragma omp taskwait
    }
    wrong += sum != (double)N * N;
    for (int k = 0; k < N; k++) wrong += z[k] != (k & 255) * (k & 255) + 100 * (k & 15);
    int *own = omp_target_alloc(N * sizeof(int), omp_get_default_device());
#pragma omp target teams distribute parallel for is_device_ptr(own)
    for (int k = 0; k < N; k++) own[k] = 3 * k;
    omp_target_memcpy(z, own, sizeof z, 0, 0, omp_get_initial_device(), omp_get_default_device());
    omp_target_free(own, omp_get_default_device());
    for (int k = 0; k < N; k++) wrong += z[k] != 3 * k;
    printf("%d wrong, on the %s\n", wrong, on_gpu ? "GPU" : "host");
    return wrong || !on_gpu;
}
