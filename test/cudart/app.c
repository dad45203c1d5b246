// app.c: a CUDA program without nvcc. It has what nvcc makes of a .cu file: a fat binary with PTX in it, a constructor
// that registers it, and launches by push, pop and launch. Its first argument says what it does; it prints the outcome.
// Layouts and the order of the calls are those that nvcc 13.0 was seen to use.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
extern void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
extern void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
extern char __cudaInitModule(void **);
extern unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
extern int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
extern int __cudaGetKernel(const void **, const void *);
extern int __cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
extern int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
extern int cudaMallocManaged(void **, size_t, unsigned), cudaHostAlloc(void **, size_t, unsigned);
extern int cudaMallocHost(void **, size_t), cudaFreeHost(void *), cudaHostGetDevicePointer(void **, void *, unsigned);
extern int cudaMemset(void *, int, size_t), cudaMemGetInfo(size_t *, size_t *);
extern int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
extern int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
extern int cudaGetSymbolAddress(void **, const void *), cudaGetSymbolSize(size_t *, const void *);
extern int cudaDeviceSynchronize(void), cudaDeviceReset(void), cudaGetLastError(void), cudaPeekAtLastError(void);
extern int cudaGetDeviceProperties(void *, int), cudaGetDeviceCount(int *), cudaSetDevice(int), cudaGetDevice(int *);
extern int cudaDeviceGetAttribute(int *, int, int), cudaRuntimeGetVersion(int *), cudaDriverGetVersion(int *);
extern int cudaStreamCreate(void **), cudaStreamDestroy(void *), cudaStreamSynchronize(void *);
extern int cudaStreamWaitEvent(void *, void *, unsigned), cudaStreamQuery(void *);
extern int cudaEventCreate(void **), cudaEventDestroy(void *), cudaEventRecord(void *, void *);
extern int cudaEventSynchronize(void *), cudaEventElapsedTime(float *, void *, void *);
extern int cudaFuncGetAttributes(void *, const void *), cudaFuncSetAttribute(const void *, int, int);
extern int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
extern int cudaImportExternalMemory(void **, const void *);
extern int cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, void *);
extern const char *cudaGetErrorName(int), *cudaGetErrorString(int);

// --- what nvcc makes -------------------------------------------------------------------------------------------------
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".const .align 4 .b8 factor[8];\n"
    ".global .align 4 .b8 shared_value[4];\n"
    ".visible .global .align 8 .u64 plain;\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 format[7] = {104, 101, 108, 108, 111, 10, 0};\n"
    // x[i] = factor[1] * i + add, for i below n
    ".visible .entry fill(.param .u64 x, .param .u32 n, .param .u8 add)\n"
    "{ .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3; ld.param.u32 %r2, [n]; setp.ge.u32 %p, %r1, %r2;\n"
    "@%p bra DONE; ld.const.u32 %r4, [factor+4]; ld.param.u8 %r5, [add];\n"
    "mad.lo.u32 %r4, %r4, %r1, %r5; ld.param.u64 %d1, [x]; mul.wide.u32 %d2, %r1, 4;\n"
    "add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r4;\nDONE: ret; }\n"
    ".visible .entry raise() { .reg .b32 %r<2>; ld.global.u32 %r1, [shared_value];\n"
    "add.u32 %r1, %r1, 1; st.global.u32 [shared_value], %r1; ret; }\n"
    ".visible .entry hello() { .reg .b64 %d<2>; .reg .b32 %r;\n"
    "cvta.global.u64 %d1, format; mov.u64 %d0, 0; { .param .b64 f; .param .b64 a; .param .b32 r;\n"
    "st.param.b64 [f], %d1; st.param.b64 [a], %d0; call.uni (r), vprintf, (f, a); } ret; }\n"
    ".visible .entry stray(.param .u64 x) { .reg .b64 %d; ld.param.u64 %d, [x];\n"
    "st.global.u32 [%d], 1; ret; }\n"
    ".visible .entry forever() { LOOP: bra LOOP; }\n"
    ".visible .entry stop() { trap; }\n"
    ".visible .entry count() { .reg .b64 %d; .reg .pred %p; mov.u64 %d, 0;\n"
    "MORE: add.u64 %d, %d, 1; setp.ne.u64 %p, %d, 0; @%p bra MORE; ret; }\n"
    // Counts itself in the memory of cooperative launches, and waits until n blocks have: x[block] = how many it saw.
    ".visible .entry meet(.param .u64 x, .param .u32 n)\n"
    "{ .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %d1, {%r2, %r1}; ld.param.u32 %r3, [n];\n"
    "atom.add.release.gpu.u32 %r4, [%d1+4], 1;\n"
    "AGAIN: ld.acquire.gpu.u32 %r4, [%d1+4]; setp.lt.u32 %p, %r4, %r3; @%p bra AGAIN;\n"
    "mov.u32 %r5, %ctaid.x; mul.wide.u32 %d2, %r5, 4; ld.param.u64 %d3, [x]; add.u64 %d3, %d3, %d2;\n"
    "st.global.u32 [%d3], %r4; ret; }\n";

#include "built.h"

// The host counterparts: their addresses are what the runtime knows them by.
static char fill, raise_it, hello, stray, forever, stop, count, meet, nobody;
static char factor[8], shared_shadow[4], plain[8];
static void *shared_value;  // managed

__attribute__((constructor)) static void begin(void)
{
    static const Registered kernels[] = {{&fill, "fill"},   {&raise_it, "raise"},  {&hello, "hello"},
                                         {&stray, "stray"}, {&forever, "forever"}, {&stop, "stop"},
                                         {&count, "count"}, {&meet, "meet"},       {&nobody, "nobody"}};
    register_kernels(kernels, sizeof kernels / sizeof *kernels);
    __cudaRegisterVar(handle, factor, factor, "factor", 0, sizeof factor, 1, 0);
    __cudaRegisterVar(handle, plain, plain, "plain", 0, sizeof plain, 0, 0);
    __cudaRegisterManagedVar(handle, &shared_value, shared_shadow, "shared_value", 0, 4, 0, 0);
    register_end();
}

// k<<<blocks, threads, shared, stream>>>(args…), as nvcc writes it out.
static int launch(char *k, unsigned blocks, unsigned threads, size_t shared, void *stream, void **args)
{
    dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
    const void *kernel;
    if (__cudaPushCallConfiguration(grid, block, shared, stream)) return -1;
    if (__cudaGetKernel(&kernel, k)) return -1;
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream)) return -1;
    return __cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

static int launch_fill(void *x, unsigned n, unsigned char add, void *stream)
{
    void *args[] = {&x, &n, &add};
    return launch(&fill, (n + 63) / 64, 64, 0, stream, args);
}

// Says what a call returned, and goes on.
#define SHOW(call) show(#call, call)
static int show(const char *what, int error)
{
    printf("%.*s: %s\n", (int)strcspn(what, "("), what, cudaGetErrorName(error));
    return error;
}
#define MUST(call) must(__LINE__, call)
static void must(int line, int error)
{
    if (!error) return;
    printf("line %d: %s\n", line, cudaGetErrorName(error));
    exit(99);
}

// --- what it does ----------------------------------------------------------------------------------------------------
enum { N = 1000, TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3 };

static void set_factor(unsigned value) { MUST(cudaMemcpyToSymbol(factor, &value, 4, 4, TO_DEVICE)); }

// How many of N values aren't factor · i + add.
static int wrong(const unsigned *x, unsigned value, unsigned add)
{
    int n = 0;
    for (unsigned k = 0; k < N; k++) n += x[k] != value * k + add;
    return n;
}

static int do_fill(void)
{
    unsigned *x, host[N];
    MUST(cudaMalloc((void **)&x, sizeof host));
    set_factor(3);
    MUST(launch_fill(x, N, 200, NULL));
    MUST(cudaMemcpy(host, x, sizeof host, TO_HOST));
    printf("%d wrong\n", wrong(host, 3, 200));
    MUST(cudaFree(x));
    return 7;
}

// Memory that host and device share, by one address.
static int do_memory(void)
{
    unsigned *managed, *pinned, *device, host[N], value = 0;
    size_t room, total, after, bytes;
    void *at;
    set_factor(5);
    MUST(cudaMemGetInfo(&room, &total));
    MUST(cudaMallocManaged((void **)&managed, sizeof host, 1));
    MUST(cudaMallocHost((void **)&pinned, sizeof host));
    MUST(cudaMalloc((void **)&device, sizeof host));
    MUST(cudaMemGetInfo(&after, &total));
    printf("%zu bytes less of %zu\n", room - after, total);
    MUST(launch_fill(managed, N, 1, NULL));
    MUST(launch_fill(pinned, N, 2, NULL));
    MUST(cudaDeviceSynchronize());
    printf("managed %d wrong, pinned %d wrong\n", wrong(managed, 5, 1), wrong(pinned, 5, 2));
    MUST(cudaHostGetDevicePointer(&at, pinned, 0));
    printf("pinned memory has %s address\n", at == pinned ? "one" : "another");
    MUST(cudaMemcpy(device, managed, sizeof host, ON_DEVICE));
    MUST(cudaMemset(device, 0xab, 8));
    MUST(cudaMemcpy(host, device, sizeof host, TO_HOST));
    printf("%x %x %u\n", host[0], host[1], host[2]);
    MUST(cudaMemcpyFromSymbol(&value, factor, 4, 4, TO_HOST));
    printf("factor %u\n", value);
    MUST(cudaGetSymbolSize(&bytes, plain));
    MUST(cudaGetSymbolAddress(&at, plain));
    MUST(cudaMemcpy(at, "abcdefg", 8, TO_DEVICE));
    char text[8];
    MUST(cudaMemcpyFromSymbol(text, plain, 8, 0, TO_HOST));
    printf("%zu bytes: %s\n", bytes, text);
    if (!__cudaInitModule(handle)) return 99;
    *(unsigned *)shared_value = 41;
    MUST(launch(&raise_it, 1, 1, 0, NULL, NULL));
    MUST(cudaDeviceSynchronize());
    printf("raised %u\n", *(unsigned *)shared_value);
    MUST(cudaFree(managed)), MUST(cudaFreeHost(pinned)), MUST(cudaFree(device)), MUST(cudaFree(NULL));
    MUST(cudaMemGetInfo(&after, &total));
    printf("%zu bytes less\n", room - after);
    return 0;
}

static int do_errors(void)
{
    unsigned *x, host[N];
    void *p;
    int n;
    size_t room, total;
    SHOW(cudaSetDevice(1));
    printf("last %s", cudaGetErrorName(cudaPeekAtLastError()));
    printf(" %s", cudaGetErrorName(cudaGetLastError()));
    printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
    SHOW(cudaFree(host));
    SHOW(cudaMemGetInfo(&room, &total));
    SHOW(cudaMalloc(&p, total + 1));
    SHOW(cudaMalloc(&p, SIZE_MAX));
    MUST(cudaMalloc((void **)&x, sizeof host));
    SHOW(cudaMemcpy(x + 1, host, sizeof host, TO_DEVICE));
    SHOW(cudaMemcpy(host, x, SIZE_MAX, TO_HOST));
    SHOW(cudaMemcpy(x, host, sizeof host, 9));
    SHOW(cudaMemset((char *)x + sizeof host - 1, 0, 2));
    SHOW(cudaMemcpyToSymbol(factor, host, 8, 4, TO_DEVICE));
    SHOW(cudaMemcpyToSymbol(host, host, 4, 0, TO_DEVICE));
    SHOW(launch(&nobody, 1, 1, 0, NULL, NULL));
    SHOW(launch((char *)host, 1, 1, 0, NULL, NULL));
    SHOW(launch(&raise_it, 0, 1, 0, NULL, NULL));
    SHOW(launch(&raise_it, 1, 1025, 0, NULL, NULL));
    SHOW(launch(&raise_it, 1, 1, 49153, NULL, NULL));
    SHOW(launch(&raise_it, 1, 1, 0, host, NULL));
    SHOW(launch(&stray, 1, 1, 0, NULL, NULL));
    SHOW(cudaStreamDestroy(host));
    SHOW(cudaEventDestroy(NULL));
    SHOW(cudaGetDeviceProperties(host, 1));
    SHOW(cudaDeviceGetAttribute(&n, 0, 0));
    SHOW(cudaImportExternalMemory(&p, NULL));
    SHOW(cudaImportExternalMemory(&p, NULL));
    SHOW(cudaDeviceSynchronize());  // none of them stays
    return 0;
}

// A kernel's fault comes out at the next call, and at all that follow, until the device is reset.
static int do_fault(char *k, void *at)
{
    unsigned *x, host[N];
    void *args[] = {&at};
    MUST(cudaMalloc((void **)&x, sizeof host));
    SHOW(launch(k, 1, 1, 0, NULL, args));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaMemcpy(host, x, sizeof host, TO_HOST));
    SHOW(cudaFree(x));
    SHOW(cudaDeviceReset());
    set_factor(2);
    MUST(cudaMalloc((void **)&x, sizeof host));
    MUST(launch_fill(x, N, 9, NULL));
    MUST(cudaMemcpy(host, x, sizeof host, TO_HOST));
    printf("%d wrong\n", wrong(host, 2, 9));
    return 0;
}

static int do_streams(void)
{
    unsigned *x, host[N];
    void *s[2], *e[3];
    float of_one, of_both;
    set_factor(1);
    MUST(cudaMalloc((void **)&x, sizeof host));
    for (int k = 0; k < 2; k++) MUST(cudaStreamCreate(&s[k]));
    for (int k = 0; k < 3; k++) MUST(cudaEventCreate(&e[k]));
    SHOW(cudaEventElapsedTime(&of_one, e[0], e[1]));
    MUST(cudaEventRecord(e[0], s[0]));
    MUST(launch_fill(x, N, 1, s[0]));
    MUST(cudaEventRecord(e[1], s[0]));
    MUST(cudaStreamWaitEvent(s[1], e[1], 0));
    MUST(cudaEventRecord(e[2], s[1]));
    MUST(cudaEventSynchronize(e[2])), MUST(cudaStreamSynchronize(s[1])), MUST(cudaStreamQuery(s[0]));
    MUST(cudaEventElapsedTime(&of_one, e[0], e[1])), MUST(cudaEventElapsedTime(&of_both, e[0], e[2]));
    printf("it took time: %d; whoever waits is as late: %d\n", of_one > 0, of_both >= of_one);
    MUST(launch_fill(x, N, 4, (void *)2));
    MUST(cudaMemcpy(host, x, sizeof host, TO_HOST));
    printf("%d wrong\n", wrong(host, 1, 4));
    for (int k = 0; k < 2; k++) MUST(cudaStreamDestroy(s[k]));
    for (int k = 0; k < 3; k++) MUST(cudaEventDestroy(e[k]));
    SHOW(cudaStreamDestroy(s[0]));
    SHOW(cudaEventRecord(e[0], NULL));
    SHOW(launch_fill(x, N, 4, s[1]));
    return 0;
}

static int do_device(void)
{
    static unsigned char p[1024];
    int n, major, shared, version[2], blocks;
    int attributes[36];
    size_t total, room, shared_block;
    memset(p, 0xee, sizeof p);
    MUST(cudaGetDeviceCount(&n));
    MUST(cudaGetDeviceProperties(p, 0));
    MUST(cudaMemGetInfo(&room, &total));
    MUST(cudaRuntimeGetVersion(&version[0])), MUST(cudaDriverGetVersion(&version[1]));
    memcpy(&shared_block, p + 296, 8);
    printf("%d device, %s, CUDA %d %d\n", n, (char *)p, version[0], version[1]);
    // Offsets in cudaDeviceProp of CUDA 13, and the attribute that says the same.
    static const int same[][2] = {{304, 12}, {308, 10}, {320, 1},  {324, 2},  {328, 3},   {332, 4},  {336, 5},
                                  {340, 6},  {344, 7},  {360, 75}, {364, 76}, {384, 16},  {588, 41}, {596, 38},
                                  {604, 39}, {632, 82}, {636, 83}, {668, 95}, {688, 106}, {748, 120}};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        int field, value;
        memcpy(&field, p + same[k][0], 4);
        MUST(cudaDeviceGetAttribute(&value, same[k][1], 0));
        if (field != value) printf("field at %d: %d, attribute %d\n", same[k][0], field, value);
    }
    size_t memory, sm, optin, constant;
    memcpy(&memory, p + 288, 8), memcpy(&sm, p + 624, 8), memcpy(&optin, p + 672, 8), memcpy(&constant, p + 352, 8);
    MUST(cudaDeviceGetAttribute(&shared, 97, 0)), MUST(cudaDeviceGetAttribute(&major, 75, 0));
    printf("memory %d, shared %d, constant %zu, major %d, behind it %02x\n", memory == total,
           optin == (size_t)shared && sm >= optin && shared_block <= optin, constant, major, p[1008]);
    size_t left = 0;
    for (int k = 784; k < 1008; k++) left += p[k];
    printf("reserved %zu\n", left);
    MUST(cudaFuncGetAttributes(attributes, &fill));
    printf("threads %d, PTX %d, dynamic %d\n", attributes[6], attributes[8], attributes[11]);
    SHOW(cudaFuncSetAttribute(&fill, 8, shared));
    SHOW(cudaFuncSetAttribute(&fill, 8, shared + 1));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &fill, 64, (size_t)shared));
    printf("%d block\n", blocks);
    return 0;
}

static int do_print(void)
{
    printf("before\n");
    MUST(launch(&hello, 2, 1, 0, NULL, NULL));
    MUST(cudaDeviceSynchronize());
    printf("after\n");
    return 0;
}

static int do_many(void)
{
    unsigned *x, host[N];
    set_factor(7);
    MUST(cudaMalloc((void **)&x, sizeof host));
    for (unsigned k = 0; k < 3000; k++) MUST(launch_fill(x, 1, 0, NULL));
    MUST(launch_fill(x, N, 6, NULL));
    MUST(cudaMemcpy(host, x, sizeof host, TO_HOST));
    printf("%d wrong\n", wrong(host, 7, 6));
    return 0;
}

static int do_count(void)
{
    MUST(cudaDeviceSynchronize());
    printf("begun\n");
    fflush(stdout);
    MUST(launch(&count, 1, 1, 0, NULL, NULL));  // it waits for its end, since the program has managed memory
    SHOW(cudaDeviceSynchronize());
    return 0;
}

// Its child can't use the device, and it goes on.
// Blocks that wait for one another: as many as the card has room for at once, and one more.
static int do_meet(void)
{
    enum { MOST = 4096 };
    static unsigned got[MOST];
    unsigned n = 0, less = 0;
    int blocks, sms;
    void *x;
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &meet, 32, 0));
    MUST(cudaDeviceGetAttribute(&sms, 16, 0));
    n = (unsigned)(blocks * sms);
    void *args[] = {&x, &n};
    MUST(cudaMalloc(&x, 4 * MOST));
    MUST(cudaLaunchCooperativeKernel(&meet, (dim3){n, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    MUST(cudaMemcpy(got, x, 4 * n, TO_HOST));
    for (unsigned k = 0; k < n; k++) less += got[k] < n;
    printf("%u saw fewer\n", less);
    SHOW(cudaLaunchCooperativeKernel(&meet, (dim3){n + 1, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL));
    return 0;
}

static int do_fork(void)
{
    int status;
    do_fill();
    fflush(stdout);
    if (!fork()) {
        SHOW(cudaDeviceSynchronize());
        SHOW(cudaDeviceSynchronize());
        exit(3);
    }
    wait(&status);
    printf("child %d\n", WEXITSTATUS(status));
    return do_fill();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "fill")) return do_fill();
    if (!strcmp(what, "memory")) return do_memory();
    if (!strcmp(what, "errors")) return do_errors();
    if (!strcmp(what, "null")) return do_fault(&stray, NULL);
    if (!strcmp(what, "misaligned")) return do_fault(&stray, (void *)0x200000001);
    if (!strcmp(what, "trap")) return do_fault(&stop, NULL);
    if (!strcmp(what, "forever")) return do_fault(&forever, NULL);
    if (!strcmp(what, "streams")) return do_streams();
    if (!strcmp(what, "device")) return do_device();
    if (!strcmp(what, "print")) return do_print();
    if (!strcmp(what, "many")) return do_many();
    if (!strcmp(what, "count")) return do_count();
    if (!strcmp(what, "meet")) return do_meet();
    if (!strcmp(what, "fork")) return do_fork();
    if (!strcmp(what, "leave")) return set_factor(1), launch(&hello, 1, 1, 0, NULL, NULL), _exit(5), 0;
    if (!strcmp(what, "die")) return do_fill(), fflush(stdout), abort(), 0;
    if (!strcmp(what, "nothing")) return 4;
    printf("what?\n");
    return 98;
}
