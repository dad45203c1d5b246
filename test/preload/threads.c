// threads.c: threads that load, launch and unload modules at once, in two contexts: threads PTX. Each checks what its
// kernels left. Half of them share a kernel, which is launched in several shapes while its attributes are set; handles
// come and go, and are given out anew.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
#define NAMES(N)                                                                                            \
    N(cuInit) N(cuCtxCreate_v2) N(cuCtxSetCurrent) N(cuMemAlloc_v2) N(cuMemFree_v2) N(cuMemcpyHtoD_v2)      \
    N(cuMemcpyDtoH_v2) N(cuModuleLoadData) N(cuModuleGetFunction) N(cuModuleUnload) N(cuLibraryLoadData)    \
    N(cuLibraryGetKernel) N(cuLibraryUnload) N(cuKernelGetFunction) N(cuFuncSetAttribute) N(cuLaunchKernel)
// clang-format on
#define N(name) static int (*name)();
NAMES(N)
#undef N

enum { THREADS = 6, ROUNDS = 40, EACH = 16, MOST = 128 * 2 * EACH };

static char *ptx;
static void *contexts[2], *shared[2];  // kernels that nobody unloads
static pthread_barrier_t all;

static void check(int r, const char *what)
{
    if (r) fprintf(stderr, "%s: %d\n", what, r), exit(1);
}
#define CALL(name, ...) check(name(__VA_ARGS__), #name)

static void launch(void *f, unsigned threads, unsigned blocks, unsigned smem, unsigned char first)
{
    static _Thread_local unsigned char bytes[MOST];
    unsigned n = EACH, count = threads * blocks * EACH;
    uint64_t in, out;
    void *params[] = {&in, &out, &n};
    for (unsigned k = 0; k < count; k++) bytes[k] = (unsigned char)(first + k * 7);
    CALL(cuMemAlloc_v2, &in, (size_t)count);
    CALL(cuMemAlloc_v2, &out, (size_t)count);
    CALL(cuMemcpyHtoD_v2, in, bytes, (size_t)count);
    CALL(cuLaunchKernel, f, blocks, 1, 1, threads, 1, 1, smem, NULL, params, NULL);
    memset(bytes, 0, count);
    CALL(cuMemcpyDtoH_v2, bytes, out, (size_t)count);
    CALL(cuMemFree_v2, in);
    CALL(cuMemFree_v2, out);
    for (unsigned k = 0; k < count; k++)
        if (bytes[k] != (unsigned char)(first + k * 7 + 1)) fprintf(stderr, "byte %u is wrong\n", k), exit(1);
}

static void *run(void *number)
{
    unsigned t = (unsigned)(uintptr_t)number;
    CALL(cuCtxSetCurrent, contexts[t % 2]);
    pthread_barrier_wait(&all);
    for (unsigned k = 0; k < ROUNDS; k++) {
        void *m, *f;
        if (t / 2 == 0) {
            CALL(cuFuncSetAttribute, shared[t % 2], 8, (int)(1000 * k));
            launch(shared[t % 2], 32 + 32 * (k % 4), 1 + k % 2, 16 * (k % 3), (unsigned char)(t + k));
        } else if ((t + k) % 3) {
            CALL(cuModuleLoadData, &m, ptx);
            CALL(cuModuleGetFunction, &f, m, "add");
            for (unsigned n = 0; n < 2; n++) launch(f, 64, 1 + n, 0, (unsigned char)(t * k));
            CALL(cuModuleUnload, m);
        } else {
            CALL(cuLibraryLoadData, &m, ptx, NULL, NULL, 0, NULL, NULL, 0);
            CALL(cuLibraryGetKernel, &f, m, "add");
            if (k % 2) CALL(cuKernelGetFunction, &f, f);
            launch(f, 96, 1, 0, (unsigned char)(t + 5 * k));
            CALL(cuLibraryUnload, m);
        }
        if (t / 2) launch(shared[t % 2], 64, 2, 0, (unsigned char)k);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *m;
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    ptx = calloc(1, 1 << 16);
    if (!driver || !f || !ptx || !fread(ptx, 1, (1 << 16) - 1, f)) return 1;
    fclose(f);
#define N(function) *(void **)&function = dlsym(driver, #function);
    NAMES(N)
#undef N
    CALL(cuInit, 0);
    for (int c = 0; c < 2; c++) {
        CALL(cuCtxCreate_v2, &contexts[c], 0, 7 + c);
        CALL(cuModuleLoadData, &m, ptx);
        CALL(cuModuleGetFunction, &shared[c], m, "add");
    }
    pthread_barrier_init(&all, NULL, THREADS);
    for (uintptr_t t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, run, (void *)t)) return 1;
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    puts("all right");
    return 0;
}
