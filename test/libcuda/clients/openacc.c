// openacc.c: OpenACC: loops, a reduction, a queue, a function of the device.
#include <openacc.h>
#include <stdio.h>

enum { N = 2048 };
#pragma acc routine seq
static float half(float x) { return x / 2; }

int main(void)
{
    static float x[N], y[N];
    float most = 0;
    int wrong = 0, on_gpu = 0;
    for (int k = 0; k < N; k++) x[k] = (float)(k * 7 % N);
#pragma acc parallel copyout(on_gpu)
    on_gpu = acc_on_device(acc_device_nvidia);
#pragma acc data copyin(x) copyout(y)
    {
#pragma acc parallel loop gang vector async(1)
        for (int k = 0; k < N; k++) y[k] = half(x[k]) + 1;
#pragma acc parallel loop reduction(max : most) async(1)
        for (int k = 0; k < N; k++) most = x[k] > most ? x[k] : most;
#pragma acc wait(1)
    }
    for (int k = 0; k < N; k++) wrong += y[k] != x[k] / 2 + 1;
    wrong += most != N - 1;
    printf("%d wrong, on the %s\n", wrong, on_gpu ? "GPU" : "host");
    return wrong || !on_gpu;
}
