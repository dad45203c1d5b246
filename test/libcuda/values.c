// values.c: streams write values and wait for them, as the CUDA Driver API reference says ("Stream Memory Operations").
// The argument names a part.
#include "wants.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int R;
typedef uint64_t P;  // CUdeviceptr
typedef struct Handle *H;
typedef struct Op {  // CUstreamBatchMemOpParams
    int operation;
    union {
        unsigned barrier;
        char pad[4];
    } at_once;
    P at;
    uint64_t value;
    unsigned flags;
    P alias;
    char room[8];
} Op;
R cuInit(unsigned);
R cuCtxCreate_v2(H *, unsigned, int);
R cuCtxSynchronize(void);
R cuDeviceGetAttribute(int *, int, int);
R cuModuleLoadData(H *, const void *);
R cuModuleGetFunction(H *, H, const char *);
R cuMemAlloc_v2(P *, size_t);
R cuMemAllocManaged(P *, size_t, unsigned);
R cuMemHostAlloc(void **, size_t, unsigned);
R cuMemcpyHtoD_v2(P, const void *, size_t);
R cuMemcpyHtoDAsync_v2(P, const void *, size_t, H);
R cuMemcpyDtoHAsync_v2(void *, P, size_t, H);
R cuMemcpyDtoH_v2(void *, P, size_t);
R cuMemsetD8_v2(P, unsigned char, size_t);
R cuStreamCreate(H *, unsigned);
R cuStreamSynchronize(H);
R cuLaunchKernel(H, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, H, void **, void **);
R cuStreamWaitValue32(H, P, uint32_t, unsigned);
R cuStreamWaitValue32_v2(H, P, uint32_t, unsigned);
R cuStreamWaitValue64_v2(H, P, uint64_t, unsigned);
R cuStreamWriteValue32(H, P, uint32_t, unsigned);
R cuStreamWriteValue32_v2(H, P, uint32_t, unsigned);
R cuStreamWriteValue32_v2_ptsz(H, P, uint32_t, unsigned);
R cuStreamWriteValue64_v2(H, P, uint64_t, unsigned);
R cuStreamBatchMemOp(H, unsigned, const Op *, unsigned);
R cuStreamBatchMemOp_v2(H, unsigned, const Op *, unsigned);

enum { INVALID_VALUE = 1, INVALID_HANDLE = 400, TIMEOUT = 702, NOT_SUPPORTED = 801 };
enum { GEQ, EQ, AND, NOR, FLUSH = 1 << 30 };                               // CUstreamWaitValue_flags
enum { WAIT_32 = 1, WRITE_32, FLUSH_WRITES, WAIT_64, WRITE_64, BARRIER };  // CUstreamBatchMemOpType

// The next place of a list becomes a number: the list tells in which order kernels ran.
static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry note(.param .u64 list, .param .u32 number)\n{\n"
                          ".reg .u64 %d<4>; .reg .u32 %r<3>;\n"
                          "ld.param.u64 %d1, [list]; ld.param.u32 %r1, [number];\n"
                          "atom.global.add.u32 %r2, [%d1], 1; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;\n"
                          "st.global.u32 [%d3+4], %r1; ret;\n}\n";
static H context, module, note, a, b;
static P flag, list;

static void begin(void)
{
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&note, module, "note"));
    OK(cuStreamCreate(&a, 0));
    OK(cuStreamCreate(&b, 0));
    OK(cuMemAlloc_v2(&flag, 64));
    OK(cuMemAlloc_v2(&list, 64));
    OK(cuMemsetD8_v2(flag, 0, 64));
    OK(cuMemsetD8_v2(list, 0, 64));
}

static void noted(H stream, unsigned number)
{
    OK(cuLaunchKernel(note, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&list, &number}, NULL));
}

// Whether these kernels have run since the last call, in one of two orders.
static int ran_either(const char *numbers, const char *other)
{
    uint32_t h[16];
    char text[32] = "";
    OK(cuMemcpyDtoH_v2(h, list, sizeof h));
    for (uint32_t k = 0; k < h[0] && k < 15; k++) sprintf(text + k, "%u", h[k + 1] % 10);
    OK(cuMemsetD8_v2(list, 0, 64));
    if (!strcmp(text, numbers) || !strcmp(text, other)) return 1;
    printf("ran '%s', not '%s'\n", text, numbers);
    return 0;
}

static int ran(const char *numbers) { return ran_either(numbers, numbers); }

static uint64_t there(P at, size_t bytes)
{
    uint64_t value = 0;
    OK(cuMemcpyDtoH_v2(&value, at, bytes));
    return value;
}

// --- comparisons -----------------------------------------------------------------------------------------------------
// Each is over at once.
static void met(void)
{
    const uint64_t wide = 0x8000000000000001;
    OK(cuStreamWriteValue32_v2(a, flag, 0xfffffffe, 0));
    OK(cuStreamWriteValue32(a, flag + 4, 6, 1));
    THAT(there(flag, 8) == 0x6fffffffe);
    OK(cuStreamWaitValue32_v2(a, flag, 0xfffffffe, GEQ));
    OK(cuStreamWaitValue32_v2(a, flag, 0xfffffff0, GEQ));
    OK(cuStreamWaitValue32_v2(a, flag + 4, 0xfffffff0, GEQ));  // 6 is 22 further
    OK(cuStreamWaitValue32_v2(a, flag + 4, 6, EQ));
    OK(cuStreamWaitValue32(a, flag + 4, 3, AND));
    OK(cuStreamWaitValue32_v2(a, flag + 4, 0xfffffff1, NOR));  // bit 3 is in neither
    OK(cuStreamWriteValue64_v2(b, flag + 8, wide, 0));
    THAT(there(flag + 8, 8) == wide);
    OK(cuStreamWaitValue64_v2(b, flag + 8, wide - 1, GEQ));
    OK(cuStreamWaitValue64_v2(b, flag + 8, 1ull << 63, AND));
    OK(cuStreamWaitValue64_v2(b, flag + 8, wide, EQ));
    OK(cuStreamWaitValue64_v2(b, flag + 8, ~wide ^ 2, NOR));
    OK(cuStreamWriteValue32_v2_ptsz(NULL, flag, 9, 0));
    OK(cuCtxSynchronize());
    THAT(there(flag, 4) == 9);
}

static void refusals(void)
{
    P managed;
    int value;
    OK(cuMemAllocManaged(&managed, 8, 1));
    WANT(INVALID_VALUE, cuStreamWaitValue32_v2(a, managed, 0, GEQ));
    WANT(INVALID_VALUE, cuStreamWaitValue32_v2(a, flag + 2, 0, GEQ));
    WANT(INVALID_VALUE, cuStreamWaitValue64_v2(a, flag + 4, 0, GEQ));
    WANT(INVALID_VALUE, cuStreamWaitValue32_v2(a, flag, 0, 4));
    WANT(NOT_SUPPORTED, cuStreamWaitValue32_v2(a, flag, 0, FLUSH));
    WANT(INVALID_VALUE, cuStreamWaitValue32_v2(a, 0, 0, GEQ));
    WANT(INVALID_VALUE, cuStreamWriteValue32_v2(a, (uintptr_t)&value & ~(uintptr_t)3, 0, 0));
    WANT(INVALID_VALUE, cuStreamWriteValue32_v2(a, flag, 0, 2));
    WANT(INVALID_HANDLE, cuStreamWriteValue32_v2((H)&value, flag, 0, 0));
    for (int k = 92; k < 95; k++) {
        OK(cuDeviceGetAttribute(&value, k, 0));
        THAT(value == 1);
    }
    OK(cuDeviceGetAttribute(&value, 98, 0));  // CAN_FLUSH_REMOTE_WRITES
    THAT(!value);
}

// --- order -----------------------------------------------------------------------------------------------------------
// What waits in one stream lets others go on, until one of them writes the value.
static void streams(void)
{
    OK(cuStreamWriteValue32_v2(a, flag, 0, 0));
    OK(cuStreamWaitValue32_v2(a, flag, 1, GEQ));
    noted(a, 1);
    noted(b, 2);
    OK(cuStreamSynchronize(b));
    noted(b, 3);
    OK(cuStreamWriteValue32_v2(b, flag, 1, 0));
    noted(b, 4);
    OK(cuStreamSynchronize(a));
    THAT(ran_either("2341", "2314"));
    // To and fro.
    OK(cuStreamWaitValue32_v2(a, flag, 2, EQ));
    noted(a, 1);
    OK(cuStreamWriteValue32_v2(a, flag, 3, 0));
    OK(cuStreamWaitValue32_v2(a, flag, 4, EQ));
    noted(a, 2);
    OK(cuStreamWriteValue32_v2(b, flag, 2, 0));
    OK(cuStreamWaitValue32_v2(b, flag, 3, EQ));
    noted(b, 3);
    OK(cuStreamWriteValue32_v2(b, flag, 4, 0));
    OK(cuCtxSynchronize());
    THAT(ran("132"));
    // A kernel writes it, as its list's length, and a copy.
    OK(cuStreamWaitValue32_v2(a, list, 2, GEQ));
    noted(a, 5);
    noted(b, 6);
    noted(b, 7);
    OK(cuStreamWaitValue32_v2(a, flag, 77, EQ));
    noted(a, 8);
    OK(cuMemcpyHtoDAsync_v2(flag, &(uint32_t){77}, 4, b));
    OK(cuStreamSynchronize(b));
    OK(cuStreamSynchronize(a));
    THAT(ran("6758"));
}

// The host lets a stream go on, without any call.
static void host(void)
{
    uint32_t *h, got = 0;
    OK(cuMemHostAlloc((void **)&h, 64, 2));
    *h = 0;
    OK(cuStreamWaitValue32_v2(a, (uintptr_t)h, 5, EQ));
    noted(a, 1);
    OK(cuStreamWriteValue32_v2(a, (uintptr_t)(h + 1), 8, 0));
    OK(cuMemcpyDtoHAsync_v2(&got, list, 4, b));
    OK(cuStreamSynchronize(b));
    THAT(!got);
    __atomic_store_n(h, 5, __ATOMIC_RELEASE);
    for (int k = 0; k < 5000 && __atomic_load_n(h + 1, __ATOMIC_ACQUIRE) != 8; k++) usleep(1000);
    THAT(h[1] == 8);
    OK(cuStreamSynchronize(a));
    THAT(ran("1"));
}

static void *writes(void *at)
{
    usleep(50000);
    __atomic_store_n((uint32_t *)at, 6, __ATOMIC_RELEASE);
    return NULL;
}

// Another thread does, while this one waits for it.
static void threads(void)
{
    pthread_t other;
    uint32_t *h;
    OK(cuMemHostAlloc((void **)&h, 64, 2));
    *h = 0;
    pthread_create(&other, NULL, writes, h);
    OK(cuStreamWaitValue32_v2(a, (uintptr_t)h, 6, EQ));
    noted(a, 1);
    OK(cuCtxSynchronize());
    THAT(ran("1"));
    pthread_join(other, NULL);
}

// --- several at once -------------------------------------------------------------------------------------------------
static void batches(void)
{
    const Op some[] = {{.operation = WRITE_32, .at = flag, .value = 0xffffffff00000007},
                       {.operation = BARRIER},
                       {.operation = WAIT_32, .at = flag, .value = 7, .flags = EQ},
                       {.operation = WRITE_64, .at = flag + 8, .value = 0x123456789abcdef},
                       {.operation = WAIT_64, .at = flag + 8, .value = 0x123456789abcdef, .flags = EQ}};
    Op flawed[3] = {some[0], some[2], {.operation = 7}};
    OK(cuStreamBatchMemOp_v2(a, 5, some, 0));
    OK(cuStreamSynchronize(a));
    THAT(there(flag, 4) == 7 && there(flag + 8, 8) == 0x123456789abcdef);
    flawed[0].value = 8;
    WANT(INVALID_VALUE, cuStreamBatchMemOp(a, 3, flawed, 0));
    flawed[2].operation = FLUSH_WRITES;
    WANT(NOT_SUPPORTED, cuStreamBatchMemOp_v2(a, 3, flawed, 0));
    WANT(INVALID_VALUE, cuStreamBatchMemOp_v2(a, 0, some, 0));
    WANT(INVALID_VALUE, cuStreamBatchMemOp_v2(a, 1000, some, 0));
    WANT(INVALID_VALUE, cuStreamBatchMemOp_v2(a, 1, NULL, 0));
    WANT(INVALID_VALUE, cuStreamBatchMemOp_v2(a, 1, some, 1));
    OK(cuStreamSynchronize(a));
    THAT(there(flag, 4) == 7);  // nothing of them was done
    WANT(NOT_SUPPORTED, cuStreamBatchMemOp(a, 2, flawed + 1, 0));
}

// --- nobody writes it ------------------------------------------------------------------------------------------------
static void stuck(void)
{
    OK(cuStreamWaitValue32_v2(a, flag, 3, EQ));
    noted(a, 1);
    WANT(TIMEOUT, cuStreamSynchronize(a));
    WANT(TIMEOUT, cuCtxSynchronize());
}

static void stuck_copy(void)
{
    OK(cuStreamWaitValue32_v2(a, flag, 3, GEQ));
    WANT(TIMEOUT, cuMemcpyHtoDAsync_v2(flag, &(uint32_t){3}, 4, a));
}

static void leaves(void)
{
    OK(cuStreamWaitValue32_v2(a, flag, 3, EQ));
    noted(a, 1);
}

int main(int n, char **words)
{
    static const struct {
        const char *name;
        void (*part)(void);
    } parts[] = {{"stuck", stuck}, {"stuck_copy", stuck_copy}, {"leaves", leaves}};
    begin();
    for (size_t k = 0; n > 1 && k < sizeof parts / sizeof *parts; k++)
        if (!strcmp(words[1], parts[k].name)) parts[k].part();
    if (n == 1) met(), refusals(), streams(), host(), threads(), batches();
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
