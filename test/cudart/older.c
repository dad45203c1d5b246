// older.c: a program of CUDA 11 or 12 (VERSION), whose structures have other layouts and whose functions other
// arguments than in CUDA 13. Sizes and offsets are those of driver_types.h of CUDA 11.8 and 12.4.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern int cudaRuntimeGetVersion(int *), cudaThreadSynchronize(void), cudaThreadExit(void);
extern int cudaGetDeviceProperties(void *, int), cudaPointerGetAttributes(void *, const void *);
extern int cudaMallocManaged(void **, size_t, unsigned);
extern int cudaMemPrefetchAsync(const void *, size_t, int, void *), cudaMemAdvise(const void *, size_t, int, int);
extern int cudaSetDoubleForDevice(double *), cudaLaunchCooperativeKernelMultiDevice(void *, unsigned, unsigned);
#if VERSION == 12
extern int cudaGetDeviceProperties_v2(void *, int);
#define NEWER cudaGetDeviceProperties_v2
enum { PROPERTIES = 1032 };
#else
#define NEWER cudaGetDeviceProperties
enum { PROPERTIES = 728 };
extern int cudaBindTexture(size_t *, const void *, const void *, const void *, size_t);
#endif

static void properties(int (*get)(void *, int), size_t bytes)
{
    unsigned char p[2000];
    size_t memory;
    int clock, sms;
    memset(p, 7, sizeof p);
    int error = get(p, 0);
    memcpy(&memory, p + 288, sizeof memory);  // totalGlobalMem
    memcpy(&clock, p + 348, sizeof clock);    // clockRate, kHz
    memcpy(&sms, p + 388, sizeof sms);        // multiProcessorCount
    printf("%d: %s, %d SMs, %d kHz, %zu MiB, as large as it is: %d\n", error, (char *)p, sms, clock, memory >> 20,
           p[bytes - 1] == 0 && p[bytes] == 7);
}

int main(void)
{
    int version = 0;
    void *m;
    unsigned char attributes[100];
    double d = 1;
    if (cudaRuntimeGetVersion(&version)) return 1;
    printf("%d\n", version / 1000);
    properties(cudaGetDeviceProperties, 728);
    properties(NEWER, PROPERTIES);
    printf("%d\n", cudaMallocManaged(&m, 4096, 1));
    memset(attributes, 7, sizeof attributes);
    int error = cudaPointerGetAttributes(attributes, m);
    printf("%d: type %d, 24 bytes %d\n", error, attributes[0], attributes[24] == 7);
    printf("%d %d\n", cudaMemPrefetchAsync(m, 4096, 0, NULL), cudaMemPrefetchAsync(m, 4096, 0, (void *)0x1234));
    printf("%d %d\n", cudaMemAdvise(m, 4096, 1, 0), cudaSetDoubleForDevice(&d));
    printf("%d\n", cudaLaunchCooperativeKernelMultiDevice(NULL, 0, 0));
#if VERSION == 11
    printf("%d\n", cudaBindTexture(NULL, NULL, NULL, NULL, 0));
#endif
    printf("%d %d\n", cudaThreadSynchronize(), cudaThreadExit());
    return 0;
}
