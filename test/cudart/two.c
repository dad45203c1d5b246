// two.c: a CUDA program without nvcc whose two threads use the interface at the same time: each makes and ends streams
// and events, takes and gives back memory, copies, fills, launches, sets and asks, from the first call on. It prints
// how much was wrong. Layouts are those of app.c.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
typedef struct Location {
    int type, id;
} Location;
extern void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
extern int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
extern int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
extern int cudaMallocAsync(void **, size_t, void *), cudaFreeAsync(void *, void *);
extern int cudaHostAlloc(void **, size_t, unsigned), cudaFreeHost(void *), cudaHostGetFlags(unsigned *, void *);
extern int cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *);
extern int cudaMemcpyAsync(void *, const void *, size_t, int, void *), cudaMemsetAsync(void *, int, size_t, void *);
extern int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
extern int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
extern int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
extern int cudaPointerGetAttributes(void *, const void *), cudaMemGetInfo(size_t *, size_t *);
extern int cudaGetLastError(void), cudaDeviceSynchronize(void), cudaGetDeviceProperties(void *, int);
extern int cudaStreamCreate(void **), cudaStreamDestroy(void *), cudaStreamSynchronize(void *);
extern int cudaStreamWaitEvent(void *, void *, unsigned), cudaLaunchHostFunc(void *, void (*)(void *), void *);
extern int cudaEventCreate(void **), cudaEventDestroy(void *), cudaEventRecord(void *, void *);
extern int cudaEventSynchronize(void *), cudaEventElapsedTime(float *, void *, void *);
extern int cudaFuncGetAttributes(void *, const void *), cudaFuncSetAttribute(const void *, int, int);
extern int cudaDeviceSetLimit(int, size_t), cudaDeviceGetLimit(size_t *, int);
extern int cudaDeviceGetDefaultMemPool(void **, int), cudaMemPoolSetAttribute(void *, int, void *);
extern int cudaMemPoolGetAttribute(void *, int, void *), cudaImportExternalMemory(void **, const void *);

// add(x, n, by): x[i] += by for i below n; hello() prints; mine has an element for each of the program's threads.
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .b8 mine[8];\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 format[7] = {104, 101, 108, 108, 111, 10, 0};\n"
    ".visible .entry add(.param .u64 x, .param .u32 n, .param .u32 by)\n"
    "{ .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3; ld.param.u32 %r2, [n]; setp.ge.u32 %p, %r1, %r2;\n"
    "@%p bra DONE; ld.param.u32 %r5, [by]; ld.param.u64 %d1, [x]; mul.wide.u32 %d2, %r1, 4;\n"
    "add.u64 %d1, %d1, %d2; ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, %r5;\n"
    "st.global.u32 [%d1], %r4;\nDONE: ret; }\n"
    ".visible .entry hello() { .reg .b64 %d<2>; .reg .b32 %r;\n"
    "cvta.global.u64 %d1, format; mov.u64 %d0, 0; { .param .b64 f; .param .b64 a; .param .b32 r;\n"
    "st.param.b64 [f], %d1; st.param.b64 [a], %d0; call.uni (r), vprintf, (f, a); } ret; }\n";
#include "built.h"
static char add, hello, mine[8], nobody;

__attribute__((constructor)) static void begin(void)
{
    static const Registered kernels[] = {{&add, "add"}, {&hello, "hello"}};
    register_kernels(kernels, sizeof kernels / sizeof *kernels);
    __cudaRegisterVar(handle, mine, mine, "mine", 0, sizeof mine, 0, 0);
    register_end();
}

enum { N = 300, ROUNDS = 40, FAILED = 1 << 20 };
static atomic_int wrong;
static pthread_barrier_t together;
static void *shared_event;

#define MUST(call) must(__LINE__, call)
static void must(int line, int error)
{
    if (!error) return;
    printf("line %d: error %d\n", line, error);
    wrong += FAILED;
}

static void again(void *count) { ++*(int *)count; }

// What a program sets and asks; whoever comes later changes it for both.
static void ask(int me, int round)
{
    char attributes[144], properties[1008];
    size_t room, total, limit;
    uint64_t threshold = (uint64_t)me + 1;
    void *pool, *graph;
    MUST(cudaFuncGetAttributes(attributes, &add));
    MUST(cudaFuncSetAttribute(&add, 8, 1000 + me));  // most dynamic shared memory
    MUST(cudaDeviceSetLimit(2, (size_t)8 << 20));
    MUST(cudaDeviceGetLimit(&limit, 2));
    MUST(cudaMemGetInfo(&room, &total));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMemPoolSetAttribute(pool, 4, &threshold));
    MUST(cudaMemPoolGetAttribute(pool, 4, &threshold));
    if (round % 8 == 0) MUST(cudaGetDeviceProperties(properties, 0));
    wrong += limit != (size_t)8 << 20 || threshold < 1 || threshold > 2 || room > total;
    wrong += cudaGetLastError() != 0;
    wrong += cudaLaunchKernel(&nobody, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL) != 98;
    wrong += cudaImportExternalMemory(&graph, NULL) != 801;
    wrong += cudaGetLastError() != 801;
}

static void compute(int me, int round, void *s, void *event)
{
    int host[N], rows[N], calls = 0, value = 10 * round + me, seen;
    void *x, *y;
    unsigned n = N, by = (unsigned)round * 7;
    void *args[] = {&x, &n, &by};
    for (int k = 0; k < N; k++) host[k] = k * (me + 1);
    MUST(cudaMalloc(&x, sizeof host));
    MUST(cudaMallocAsync(&y, sizeof host, s));
    MUST(cudaMemcpyAsync(x, host, sizeof host, 1, s));
    MUST(cudaLaunchKernel(&add, (dim3){3, 1, 1}, (dim3){128, 1, 1}, args, 0, s));
    MUST(cudaEventRecord(event, s));
    MUST(cudaStreamWaitEvent((void *)2, event, 0));
    MUST(cudaLaunchKernel(&add, (dim3){3, 1, 1}, (dim3){128, 1, 1}, args, 0, (void *)2));  // the thread's own stream
    if (me)
        MUST(cudaStreamWaitEvent(s, shared_event, 0));
    else
        MUST(cudaEventRecord(shared_event, s));
    MUST(cudaLaunchHostFunc((void *)2, again, &calls));
    MUST(cudaMemcpyToSymbol(mine, &value, sizeof value, sizeof value * (size_t)me, 1));
    MUST(cudaMemcpy(host, x, sizeof host, 2));
    MUST(cudaMemcpyFromSymbol(&seen, mine, sizeof seen, sizeof seen * (size_t)me, 2));
    MUST(cudaMemsetAsync(y, 0, sizeof host, s));
    MUST(cudaMemcpy2D(y, 40, host, 40, 20, N / 10, 1));
    MUST(cudaMemcpy(rows, y, sizeof rows, 4));
    for (int k = 0; k < N; k++) {
        int right = k * (me + 1) + 14 * round;
        wrong += host[k] != right || rows[k] != (k % 10 < 5 ? right : 0);
    }
    wrong += seen != value || calls != 1;
    MUST(cudaFreeAsync(y, s));
    MUST(cudaFree(x));
}

static void memory(int me)
{
    struct {
        int type, device;
        void *on_device, *on_host;
        long reserved[8];
    } attributes;
    static char own[2][8192];
    unsigned flags;
    void *pinned;
    MUST(cudaHostAlloc(&pinned, 4096, 1));
    memset(pinned, me, 4096);
    MUST(cudaHostGetFlags(&flags, pinned));
    MUST(cudaPointerGetAttributes(&attributes, pinned));
    MUST(cudaHostRegister(own[me], sizeof *own, 0));
    MUST(cudaHostUnregister(own[me]));
    wrong += flags != 1 || attributes.type != 1;
    MUST(cudaFreeHost(pinned));
}

static void *work(void *number)
{
    int me = *(int *)number;
    if (me) MUST(cudaEventCreate(&shared_event));
    pthread_barrier_wait(&together);
    for (int round = 0; round < ROUNDS; round++) {
        void *s, *from, *to;
        float milliseconds = -1;
        MUST(cudaStreamCreate(&s));
        MUST(cudaEventCreate(&from));
        MUST(cudaEventCreate(&to));
        MUST(cudaEventRecord(from, s));
        compute(me, round, s, to);
        ask(me, round);
        memory(me);
        if (round % 10 == 0) MUST(cudaLaunchKernel(&hello, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, s));
        MUST(cudaEventSynchronize(to));
        MUST(cudaEventElapsedTime(&milliseconds, from, to));
        wrong += milliseconds < 0;
        MUST(cudaStreamSynchronize(s));
        MUST(cudaEventDestroy(from));
        MUST(cudaEventDestroy(to));
        MUST(cudaStreamDestroy(s));
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    pthread_barrier_init(&together, NULL, 2);
    for (int k = 0; k < 2; k++)
        if (pthread_create(&threads[k], NULL, work, &numbers[k])) return 1;
    for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
    MUST(cudaDeviceSynchronize());
    printf("%d wrong\n", wrong);
    return 0;
}
