// app.c: a program of the driver. Its argument names a part; the exit status is 0 where nothing went wrong. Numbers of
// attributes, flags and errors are those of the CUDA Driver API reference.
#include "calls.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"
// y[i] = a · x[i] + y[i], of 32-bit integers.
static const char ptx[] =
    HEAD ".visible .global .align 4 .u32 counter = 7;\n"
         ".global .align 8 .b8 hidden[24];\n"
         ".visible .entry axpy(.param .u64 x, .param .u64 y, .param .u32 n, .param .u32 a)\n"
         "{\n.reg .u64 %d<6>; .reg .u32 %r<9>; .reg .pred %p;\n"
         "ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.u32 %r1, [n]; ld.param.u32 %r6, [a];\n"
         "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;\n"
         "setp.ge.u32 %p, %r5, %r1; @%p ret;\n"
         "mul.wide.u32 %d3, %r5, 4; add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;\n"
         "ld.global.u32 %r7, [%d1]; ld.global.u32 %r8, [%d2]; mad.lo.u32 %r8, %r6, %r7, %r8;\n"
         "st.global.u32 [%d2], %r8; ret;\n}\n"
         ".visible .entry other() { ret; }\n";

enum { N = 1000 };
static H context, module, axpy;

static void begin(void)
{
    int d;
    OK(cuInit(0));
    OK(cuDeviceGet(&d, 0));
    OK(cuCtxCreate_v2(&context, 0, d));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&axpy, module, "axpy"));
}

typedef struct Data {
    P x, y;
    unsigned n, a;
} Data;

static Data make(unsigned a)
{
    unsigned h[N];
    Data v = {.n = N, .a = a};
    OK(cuMemAlloc_v2(&v.x, sizeof h));
    OK(cuMemAlloc_v2(&v.y, sizeof h));
    for (unsigned k = 0; k < N; k++) h[k] = k;
    OK(cuMemcpyHtoD_v2(v.x, h, sizeof h));
    for (unsigned k = 0; k < N; k++) h[k] = 3 * k;
    OK(cuMemcpyHtoD_v2(v.y, h, sizeof h));
    return v;
}

static void check(Data *v, unsigned times)
{
    unsigned h[N], bad = 0;
    OK(cuMemcpyDtoH_v2(h, v->y, sizeof h));
    for (unsigned k = 0; k < N; k++) bad += h[k] != 3 * k + times * v->a * k;
    THAT(!bad);
    OK(cuMemFree_v2(v->x));
    OK(cuMemFree_v2(v->y));
}

// --- launches of all kinds -------------------------------------------------------------------------------------------
static void launches(void)
{
    Data v = make(5);
    void *params[] = {&v.x, &v.y, &v.n, &v.a};
    size_t bytes = sizeof v;
    void *extra[] = {(void *)1, &v, (void *)2, &bytes, NULL};  // CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    struct {
        unsigned grid[3], block[3], shared;
        H stream;
        const void *attributes;
        unsigned n;
    } config = {{8, 1, 1}, {128, 1, 1}, 0, NULL, NULL, 0};
    OK(cuLaunchKernelEx(&config, axpy, params, NULL));
    OK(cuFuncSetBlockShape(axpy, 128, 1, 1));
    OK(cuParamSetv(axpy, 0, &v, sizeof v));
    OK(cuParamSetSize(axpy, sizeof v));
    OK(cuLaunchGrid(axpy, 8, 1));
    OK(cuCtxSynchronize());
    check(&v, 4);
    WANT(1, cuLaunchKernel(axpy, 0, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    WANT(1, cuLaunchKernel(axpy, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL));
    WANT(1, cuLaunchKernel(axpy, 1, 1, 1, 128, 1, 1, 0, NULL, params, extra));
    WANT(400, cuLaunchKernel((H)&v, 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    WANT(400, cuLaunchKernel(axpy, 1, 1, 1, 128, 1, 1, 0, (H)&v, params, NULL));
}

// --- kernels and variables of a module -------------------------------------------------------------------------------
static void modules(void)
{
    H m, f, all[4];
    unsigned n = 0;
    P at, inside;
    size_t bytes;
    int value;
    OK(cuModuleGetFunctionCount(&n, module));
    THAT(n == 2);
    OK(cuModuleEnumerateFunctions(all, 2, module));
    OK(cuFuncGetModule(&m, all[1]));
    THAT(m == module);
    OK(cuModuleGetFunction(&f, module, "axpy"));
    THAT(f == axpy);
    WANT(500, cuModuleGetFunction(&f, module, "nothing"));
    WANT(500, cuModuleGetGlobal_v2(&at, &bytes, module, "nothing"));
    OK(cuModuleGetGlobal_v2(&at, &bytes, module, "counter"));
    THAT(bytes == 4);
    OK(cuMemcpyDtoH_v2(&value, at, 4));
    THAT(value == 7);
    OK(cuModuleGetGlobal_v2(&inside, &bytes, module, "hidden"));  // that no other module sees
    THAT(bytes == 24 && inside % 8 == 0);
    OK(cuFuncGetAttribute(&value, 0, axpy));  // threads of a block
    THAT(value >= 256 && value <= 1024);
    OK(cuFuncGetAttribute(&value, 4, axpy));  // registers
    THAT(value > 0 && value < 64);
    WANT(1, cuFuncGetAttribute(&value, 99, axpy));
    OK(cuFuncSetAttribute(axpy, 8, 1024));
    OK(cuFuncGetAttribute(&value, 8, axpy));
    THAT(value == 1024);
    int blocks, grid, block;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, axpy, 128, 0));
    THAT(blocks > 0);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, axpy, NULL, 0, 96));
    THAT(block <= 96 && block > 0 && grid > 0);
    H library, kernel;
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "other"));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuLibraryUnload(library));
    WANT(400, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuModuleUnload(module));
    WANT(400, cuModuleUnload(module));
    WANT(400, cuModuleGetFunction(&f, module, "axpy"));
    WANT(400, cuFuncGetAttribute(&value, 0, axpy));
}

// --- what can't be loaded --------------------------------------------------------------------------------------------
static void logs(void)
{
    char info[100] = "x", error[400] = "x", small[8] = "x";
    int options[] = {3, 4, 5, 6, 0};  // the buffers and their bytes; the most registers
    void *values[] = {info, (void *)sizeof info, error, (void *)sizeof error, (void *)24};
    H m, f;
    // A kernel that can't be run leaves the others alone. The log says why.
    OK(cuModuleLoadDataEx(&m, HEAD ".visible .entry k() { frob.u32 ; }\n.visible .entry j() { ret; }", 4, options,
                          values));
    THAT(strstr(error, "frob") && (size_t)values[3] == strlen(error) && !*info);
    WANT(801, cuModuleGetFunction(&f, m, "k"));
    OK(cuModuleGetFunction(&f, m, "j"));
    values[2] = small, values[3] = (void *)sizeof small;
    WANT(218, cuModuleLoadDataEx(&m, HEAD ".entry k( {", 4, options, values));
    THAT(strlen(small) == 7);
    WANT(200, cuModuleLoadData(&m, "something else"));
    WANT(1, cuModuleLoadData(&m, NULL));
    int value;
    values[3] = (void *)sizeof small;
    OK(cuModuleLoadDataEx(&m, ptx, 5, options, values));
    OK(cuModuleGetFunction(&f, m, "axpy"));
    OK(cuFuncGetAttribute(&value, 4, f));
    THAT(value <= 24);
    WANT(1, cuModuleLoadDataEx(&m, ptx, 1, &(int){999}, values));
}

// --- linking ---------------------------------------------------------------------------------------------------------
static const char first[] =
    HEAD ".extern .func (.param .u32 r) twice(.param .u32 n);\n.global .u32 own = 1;\n"
         ".visible .entry k(.param .u64 to)\n{ .reg .u64 %d; .reg .u32 %r, %o;\n"
         ".param .u32 p, q; ld.global.u32 %o, [own]; add.u32 %o, %o, 20; st.param.u32 [p], %o;\n"
         "call (q), twice, (p); ld.param.u32 %r, [q];\n"
         "ld.param.u64 %d, [to]; st.global.u32 [%d], %r; ret; }\n";
static const char second[] = HEAD ".global .u32 own = 2;\n.visible .func (.param .u32 r) twice(.param .u32 n)\n"
                                  "{ .reg .u32 %r, %o; ld.param.u32 %r, [n]; ld.global.u32 %o, [own];\n"
                                  "mul.lo.u32 %r, %r, %o; st.param.u32 [r], %r; ret; }\n";

static void run_linked(const void *object)
{
    H m, f;
    P p;
    int registers;
    unsigned value = 0;
    void *params[] = {&p};
    OK(cuModuleLoadData(&m, object));
    OK(cuModuleGetFunction(&f, m, "k"));
    OK(cuFuncGetAttribute(&registers, 4, f));
    THAT(registers <= 20);
    OK(cuMemAlloc_v2(&p, 4));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(&value, p, 4));
    THAT(value == 42);
}

static void links(const char *self)
{
    H l;
    void *object;
    size_t bytes;
    char error[300] = "";
    int options[] = {5, 6, 0};  // the error log, its bytes, the most registers
    void *values[] = {error, (void *)sizeof error, (void *)20};
    OK(cuLinkCreate_v2(3, options, values, &l));
    OK(cuLinkAddData_v2(l, 1, first, sizeof first, "first", 0, NULL, NULL));
    WANT(200, cuLinkComplete(l, &object, &bytes));
    THAT(strstr(error, "twice"));
    OK(cuLinkAddData_v2(l, 1, second, sizeof second, "second", 0, NULL, NULL));
    OK(cuLinkComplete(l, &object, &bytes));
    run_linked(object);
    // Another process loads what this one stores.
    FILE *file = fopen("linked", "wb");
    THAT(file && fwrite(object, 1, bytes, file) == bytes && !fclose(file));
    OK(cuLinkDestroy(l));
    WANT(400, cuLinkDestroy(l));
    char command[300];
    snprintf(command, sizeof command, "%s stored", self);
    THAT(!system(command));
}

static void stored(void)
{
    static char bytes[65536];
    FILE *file = fopen("linked", "rb");
    size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    H m;
    THAT(n > 64);
    run_linked(bytes);
    bytes[15]++;  // the number of the format
    WANT(209, cuModuleLoadData(&m, bytes));
}

// --- contexts --------------------------------------------------------------------------------------------------------
static void *of_thread(void *given)
{
    H c;
    P p;
    OK(cuCtxGetCurrent(&c));
    THAT(!c);
    WANT(201, cuMemAlloc_v2(&p, 4));
    WANT(201, cuCtxSynchronize());
    OK(cuCtxSetCurrent(given));
    OK(cuMemAlloc_v2(&p, 4));
    OK(cuMemFree_v2(p));
    return NULL;
}

static void contexts(void)
{
    H other, c, stream, event, primary, of;
    P p;
    unsigned flags, version;
    int active;
    pthread_t thread;
    OK(cuCtxCreate_v2(&other, 4, 0));
    OK(cuCtxGetCurrent(&c));
    THAT(c == other && other != context);
    OK(cuStreamCreate(&stream, 1));
    OK(cuEventCreate(&event, 0));
    OK(cuMemAlloc_v2(&p, 100));
    OK(cuStreamGetCtx(stream, &of));
    THAT(of == other);
    OK(cuCtxPopCurrent_v2(&c));
    THAT(c == other);
    OK(cuCtxGetCurrent(&c));
    THAT(c == context);
    OK(cuMemcpyHtoD_v2(p, "abc", 4));  // one address space
    pthread_create(&thread, NULL, of_thread, context);
    pthread_join(thread, NULL);
    OK(cuCtxGetApiVersion(context, &version));
    // What was made in a context goes with it, also under a stream that works.
    OK(cuCtxDestroy_v2(other));
    WANT(400, cuStreamSynchronize(stream));
    WANT(400, cuEventRecord(event, NULL));
    WANT(1, cuMemcpyHtoD_v2(p, "abc", 4));
    WANT(709, cuCtxDestroy_v2(other));
    WANT(709, cuCtxPushCurrent_v2(other));
    WANT(201, cuCtxPushCurrent_v2((H)&p));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    THAT(!active);
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuCtxPushCurrent_v2(primary));
    WANT(201, cuCtxDestroy_v2(primary));
    OK(cuMemAlloc_v2(&p, 4));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    WANT(201, cuDevicePrimaryCtxRelease_v2(0));
    WANT(1, cuMemFree_v2(p));  // it has gone with its context
    // The primary context's handle stays the same.
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    THAT(c == primary);
    OK(cuMemAlloc_v2(&p, 4));
    OK(cuDevicePrimaryCtxReset_v2(0));
    WANT(1, cuMemFree_v2(p));
    OK(cuCtxPushCurrent_v2(primary));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    OK(cuCtxSetCurrent(NULL));
    OK(cuCtxGetCurrent(&c));
    OK(cuCtxDestroy_v2(context));
}

// --- memory ----------------------------------------------------------------------------------------------------------
static void memory(void)
{
    P p, start;
    size_t bytes, room, total, pitch;
    void *host;
    int value;
    OK(cuMemAlloc_v2(&p, 8047));
    OK(cuMemGetAddressRange_v2(&start, &bytes, p + 8000));
    THAT(start == p && bytes == 8047);
    WANT(500, cuMemGetAddressRange_v2(&start, &bytes, p + 8047));
    OK(cuMemGetInfo_v2(&room, &total));
    THAT(room < total && room > total / 2);
    OK(cuPointerGetAttribute(&value, 2, p));
    THAT(value == 2);
    OK(cuPointerGetAttribute(&start, 11, p + 5));
    THAT(start == p);
    WANT(1, cuPointerGetAttribute(&value, 2, (P)(uintptr_t)&value));
    OK(cuMemFree_v2(p));
    WANT(1, cuMemFree_v2(p));
    WANT(500, cuMemGetAddressRange_v2(&start, &bytes, p));
    WANT(1, cuMemAlloc_v2(&p, 0));
    WANT(2, cuMemAlloc_v2(&p, (size_t)1 << 60));
    OK(cuMemAllocPitch_v2(&p, &pitch, 100, 10, 4));
    THAT(pitch >= 100 && pitch % 4 == 0);
    OK(cuMemFree_v2(p));
    // Of the host, which kernels reach: of the driver's, of the program's own, of both.
    Data v = make(2);
    unsigned *mapped;
    OK(cuMemHostAlloc(&host, sizeof(unsigned) * N, 2));
    OK(cuMemHostGetDevicePointer_v2(&p, host, 0));
    mapped = host;
    for (unsigned k = 0; k < N; k++) mapped[k] = 3 * k;
    void *params[] = {&v.x, &p, &v.n, &v.a};
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    THAT(mapped[7] == 5 * 7);
    OK(cuMemFreeHost(host));
    unsigned *own = aligned_alloc(4096, 8192);
    for (unsigned k = 0; k < N; k++) own[k] = 3 * k;
    OK(cuMemHostRegister_v2(own, sizeof(unsigned) * N, 2));
    OK(cuMemHostGetDevicePointer_v2(&p, own, 0));
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    THAT(own[9] == 5 * 9);
    OK(cuMemHostUnregister(own));
    THAT(own[9] == 5 * 9);
    WANT(713, cuMemHostUnregister(own));
    OK(cuMemAllocManaged(&p, sizeof(unsigned) * N, 1));
    unsigned *managed = (unsigned *)(uintptr_t)p;
    for (unsigned k = 0; k < N; k++) managed[k] = 3 * k;
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    THAT(managed[11] == 5 * 11);
    OK(cuPointerGetAttribute(&value, 8, p));
    THAT(value);
    OK(cuMemFree_v2(p));
    check(&v, 0);
    // Pools.
    H pool;
    struct {
        int kind, handles, where, device;
        void *security;
        size_t most;
        char rest[56];
    } props = {.kind = 1, .where = 1};
    uint64_t used;
    OK(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&p, 1000, pool, NULL));
    OK(cuMemPoolGetAttribute(pool, 7, &used));
    THAT(used == 1000);
    OK(cuMemFreeAsync(p, NULL));
    OK(cuMemPoolGetAttribute(pool, 7, &used));
    THAT(used == 0);
    OK(cuMemPoolDestroy(pool));
    WANT(1, cuMemPoolDestroy(pool));
}

// --- addresses that get memory later ---------------------------------------------------------------------------------
static void addresses(void)
{
    enum { GRAIN = 2 << 20 };
    struct Props {
        int kind, handles, where, device;
        void *windows;
        char flags[8];
    } props = {.kind = 1, .where = 1};
    struct {
        int where, device, flags;
    } access = {1, 0, 3};
    size_t grain, bytes;
    uint64_t piece, other, again;
    P all, start;
    unsigned long long flags;
    unsigned h[N], bad = 0;
    OK(cuMemGetAllocationGranularity(&grain, &props, 0));
    THAT(grain == GRAIN);
    OK(cuMemAddressReserve(&all, (size_t)32 << 30, 0, 0, 0));
    OK(cuMemCreate(&piece, GRAIN, &props, 0));
    OK(cuMemCreate(&other, 2 * GRAIN, &props, 0));
    WANT(1, cuMemCreate(&again, 100, &props, 0));
    OK(cuMemMap(all, GRAIN, 0, piece, 0));
    WANT(1, cuMemMap(all, GRAIN, 0, other, 0));                  // something is there
    WANT(1, cuMemMap(all + GRAIN, 2 * GRAIN, GRAIN, other, 0));  // more than it has
    OK(cuMemMap(all + GRAIN, 2 * GRAIN, 0, other, 0));
    WANT(1, cuMemsetD8_v2(all, 0, 16));  // no access yet
    OK(cuMemSetAccess(all, 3 * GRAIN, &access, 1));
    OK(cuMemGetAccess(&flags, &access, all + GRAIN + 5));
    THAT(flags == 3);
    // An array over both pieces.
    Data v = make(3);
    const P y = all + GRAIN - 2000;
    OK(cuMemGetAddressRange_v2(&start, &bytes, y));
    THAT(start == all && bytes == 3 * GRAIN);
    OK(cuMemcpyDtoD_v2(y, v.y, sizeof h));
    void *params[] = {&v.x, &(P){y}, &v.n, &v.a};
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(h, y, sizeof h));
    for (unsigned k = 0; k < N; k++) bad += h[k] != 6 * k;
    THAT(!bad);
    // The same memory at a second address.
    P twice;
    OK(cuMemAddressReserve(&twice, GRAIN, 0, 0, 0));
    OK(cuMemMap(twice, GRAIN, 0, piece, 0));
    OK(cuMemSetAccess(twice, GRAIN, &access, 1));
    OK(cuMemcpyDtoH_v2(h, twice + GRAIN - 2000, 2000));
    THAT(h[100] == 600 && h[499] == 6 * 499);
    OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)twice));
    THAT(again == piece);
    OK(cuMemRelease(again));
    OK(cuMemRelease(piece));  // it stays as long as it is mapped
    OK(cuMemsetD8_v2(twice, 7, 8));
    WANT(1, cuMemAddressFree(twice, GRAIN));
    OK(cuMemUnmap(twice, GRAIN));
    OK(cuMemAddressFree(twice, GRAIN));
    OK(cuMemcpyDtoH_v2(h, all, 8));
    THAT(h[0] == 0x07070707);
    OK(cuMemUnmap(all, 3 * GRAIN));
    WANT(1, cuMemRelease(piece));
    OK(cuMemRelease(other));
    WANT(1, cuMemcpyDtoH_v2(h, all, 8));
    OK(cuMemAddressFree(all, (size_t)32 << 30));
    check(&v, 0);
}

// --- copies and fills ------------------------------------------------------------------------------------------------
typedef struct Copy2D {
    size_t from_x, from_y;
    int from_type;
    const void *from_host;
    P from;
    H from_array;
    size_t from_pitch, to_x, to_y;
    int to_type;
    void *to_host;
    P to;
    H to_array;
    size_t to_pitch, width, height;
} Copy2D;

static void copies(void)
{
    enum { W = 24, ROWS = 10, HOST = 1, DEVICE = 2, ARRAY = 3 };
    unsigned char h[W * ROWS], back[W * ROWS] = {0};
    unsigned words[16];
    P p, q;
    H array;
    for (int k = 0; k < W * ROWS; k++) h[k] = (unsigned char)k;
    OK(cuMemAlloc_v2(&p, 64 * ROWS));
    OK(cuMemAlloc_v2(&q, 64 * ROWS));
    // Rows 2 to 5 of h, from byte 3 on, to rows of 64 bytes, from byte 8 of row 1 on; and back.
    Copy2D c = {.from_x = 3,
                .from_y = 2,
                .from_type = HOST,
                .from_host = h,
                .from_pitch = W,
                .to_x = 8,
                .to_y = 1,
                .to_type = DEVICE,
                .to = p,
                .to_pitch = 64,
                .width = 16,
                .height = 4};
    OK(cuMemcpy2D_v2(&c));
    c = (Copy2D){.from_x = 8,
                 .from_y = 1,
                 .from_type = DEVICE,
                 .from = p,
                 .from_pitch = 64,
                 .to_type = HOST,
                 .to_host = back,
                 .to_pitch = W,
                 .width = 16,
                 .height = 4};
    OK(cuMemcpy2D_v2(&c));
    for (int y = 0; y < 4; y++) THAT(!memcmp(back + y * W, h + (y + 2) * W + 3, 16));
    c.width = 100;
    WANT(1, cuMemcpy2D_v2(&c));  // wider than a row
    c.width = 16, c.from = 4;
    WANT(1, cuMemcpy2D_v2(&c));
    // By way of an array.
    struct {
        size_t width, height;
        int format;
        unsigned channels;
    } shape = {W, ROWS, 1, 1};
    OK(cuArrayCreate_v2(&array, &shape));
    c = (Copy2D){.from_type = HOST,
                 .from_host = h,
                 .from_pitch = W,
                 .to_type = ARRAY,
                 .to_array = array,
                 .width = W,
                 .height = ROWS};
    OK(cuMemcpy2D_v2(&c));
    memset(back, 0, sizeof back);
    c = (Copy2D){.from_type = ARRAY,
                 .from_array = array,
                 .from_x = 4,
                 .from_y = 1,
                 .to_type = HOST,
                 .to_host = back,
                 .to_pitch = W,
                 .width = 10,
                 .height = 3};
    OK(cuMemcpy2D_v2(&c));
    for (int y = 0; y < 3; y++) THAT(!memcmp(back + y * W, h + (y + 1) * W + 4, 10));
    OK(cuMemcpyAtoH_v2(back, array, 5, 7));
    THAT(!memcmp(back, h + 5, 7));
    OK(cuArrayDestroy(array));
    WANT(400, cuArrayDestroy(array));
    // Fills of bytes, of words, of rows.
    OK(cuMemsetD8_v2(p, 0x5a, 64));
    OK(cuMemsetD16_v2(p + 8, 0x1234, 4));
    OK(cuMemsetD32_v2(p + 32, 0xdeadbeef, 2));
    OK(cuMemcpyDtoD_v2(q, p, 64));
    OK(cuMemcpyDtoH_v2(words, q, 64));
    THAT(words[0] == 0x5a5a5a5a && words[2] == 0x12341234 && words[4] == 0x5a5a5a5a && words[9] == 0xdeadbeef &&
         words[10] == 0x5a5a5a5a);
    OK(cuMemsetD2D32_v2(p, 64, 9, 3, ROWS));
    OK(cuMemcpyDtoH_v2(words, p + 64 * (ROWS - 1), 16));
    THAT(words[0] == 9 && words[2] == 9 && words[3] != 9);
    WANT(1, cuMemsetD32_v2(p + 2, 0, 1));
    WANT(1, cuMemsetD8_v2(p, 0, (size_t)1 << 40));
    WANT(1, cuMemcpyHtoD_v2((P)(uintptr_t)back, h, 4));
    WANT(1, cuMemcpyDtoH_v2(back, p, (size_t)1 << 40));
}

// --- a texture -------------------------------------------------------------------------------------------------------
// Filtered integers are the nearest ones, and coordinates that aren't normalised are clamped, whatever is asked for.
static void textures(void)
{
    static const char reads[] = HEAD ".visible .entry reads(.param .u64 t, .param .u64 to)\n"
                                     "{ .reg .u64 %d<3>; .reg .u32 %r<5>; .reg .f32 %f<3>;\n"
                                     "ld.param.u64 %d1, [t]; ld.param.u64 %d2, [to];\n"
                                     "mov.f32 %f1, 0f40266666; mov.f32 %f2, 0f3F000000;\n"  // 2.6, 0.5
                                     "tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%d1, {%f1, %f2}];\n"
                                     "st.global.u32 [%d2], %r1; mov.f32 %f1, 0f42C80000;\n"  // 100
                                     "tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%d1, {%f1, %f2}];\n"
                                     "st.global.u32 [%d2+4], %r1; ret; }\n";
    H m, f;
    P rows, to;
    uint64_t texture;
    unsigned char texels[64] = {10, 20, 30, 40};
    unsigned got[2];
    OK(cuModuleLoadData(&m, reads));
    OK(cuModuleGetFunction(&f, m, "reads"));
    OK(cuMemAlloc_v2(&rows, 64 * 2));
    OK(cuMemAlloc_v2(&to, 8));
    OK(cuMemcpyHtoD_v2(rows, texels, 64));
    struct {
        int type;
        P at;
        int format;
        unsigned channels;
        size_t width, height, pitch;
        int reserved[22];
        unsigned flags;
    } resource = {.type = 3, .at = rows, .format = 1, .channels = 1, .width = 4, .height = 1, .pitch = 64};
    struct {
        int address[3], filter;
        unsigned flags;
        char rest[64 + 28];
    } sampling = {.filter = 1, .flags = 1};  // linear; integers as they are; addresses wrap
    OK(cuTexObjectCreate(&texture, &resource, &sampling, NULL));
    void *params[] = {&texture, &to};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(got, to, 8));
    THAT(got[0] == 30 && got[1] == 40);
    OK(cuTexObjectDestroy(texture));
    WANT(1, cuTexObjectDestroy(texture));
    resource.format = 0x77;
    WANT(1, cuTexObjectCreate(&texture, &resource, &sampling, NULL));
}

// --- streams and events ----------------------------------------------------------------------------------------------
static void called(H stream, R result, void *data)
{
    (void)stream;
    *(int *)data += result ? 100 : 1;
}

static void streams(void)
{
    H s, t, from, to;
    float ms = -1;
    int calls = 0, priority;
    Data v = make(1);
    void *params[] = {&v.x, &v.y, &v.n, &v.a};
    const pid_t child = fork();  // which can't go on with its parent's device
    if (!child) {
        P p;
        _exit(cuMemAlloc_v2(&p, 4) != 3);
    }
    int status = -1;
    waitpid(child, &status, 0);
    THAT(!status);
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamCreateWithPriority(&t, 1, -1));
    OK(cuStreamGetPriority(t, &priority));
    THAT(priority == -1);
    OK(cuEventCreate(&from, 0));
    OK(cuEventCreate(&to, 0));
    OK(cuEventRecord(from, s));
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, s, params, NULL));
    OK(cuEventRecord(to, s));
    OK(cuStreamWaitEvent(t, to, 0));
    OK(cuStreamAddCallback(t, called, &calls, 0));
    OK(cuStreamSynchronize(t));
    OK(cuStreamQuery(s));
    THAT(calls == 1);
    OK(cuEventElapsedTime(&ms, from, to));
    THAT(ms >= 0);
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, (H)2, params, NULL));  // the thread's own stream
    OK(cuStreamSynchronize((H)2));
    check(&v, 2);
    OK(cuEventDestroy_v2(from));
    WANT(400, cuEventDestroy_v2(from));
    OK(cuStreamDestroy_v2(s));
    WANT(400, cuStreamDestroy_v2(s));
    WANT(400, cuStreamSynchronize((H)&ms));
}

// --- names and versions ----------------------------------------------------------------------------------------------
static void names(void)
{
    void *a, *b;
    int status, version;
    const char *text;
    OK(cuGetProcAddress_v2("cuMemAlloc", &a, 12000, 0, &status));
    THAT(a == (void *)cuMemAlloc_v2 && !status);
    OK(cuGetProcAddress_v2("cuGetProcAddress", &a, 11030, 0, NULL));
    OK(cuGetProcAddress_v2("cuGetProcAddress", &b, 12000, 0, NULL));
    THAT(a != b && b == (void *)cuGetProcAddress_v2);
    OK(cuGetProcAddress_v2("cuStreamSynchronize", &a, 12000, 0, NULL));
    OK(cuGetProcAddress_v2("cuStreamSynchronize", &b, 12000, 2, NULL));
    THAT(a == (void *)cuStreamSynchronize && a != b);
    OK(cuGetProcAddress_v2("cuEventElapsedTime", &a, 12000, 0, NULL));
    OK(cuGetProcAddress_v2("cuEventElapsedTime", &b, 12080, 0, NULL));
    THAT(a == (void *)cuEventElapsedTime && a != b);
    OK(cuGetProcAddress_v2("cuLibraryLoadData", &a, 11000, 0, &status));
    THAT(!a && status == 2);
    OK(cuGetProcAddress_v2("cuNothing", &a, 13000, 0, &status));
    THAT(!a && status == 1);
    WANT(500, cuGetProcAddress_v2("cuNothing", &a, 13000, 0, NULL));
    OK(cuDriverGetVersion(&version));
    THAT(version == 13000);
    OK(cuGetErrorName(700, &text));
    THAT(!strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    OK(cuGetErrorString(2, &text));
    THAT(!strcmp(text, "out of memory"));
    WANT(1, cuGetErrorName(12345, &text));
    WANT(801, cuImportExternalMemory((H *)&a, NULL));
    WANT(801, cuImportExternalMemory((H *)&a, NULL));
    OK(cuProfilerStart());
}

// --- a fault ---------------------------------------------------------------------------------------------------------
static void faults(void)
{
    Data v = make(1);
    v.x = 16;
    void *params[] = {&v.x, &v.y, &v.n, &v.a};
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    WANT(700, cuCtxSynchronize());
    WANT(700, cuMemFree_v2(v.y));  // from then on
}

// The program ends while its kernels wait.
static void dies(void)
{
    Data v = make(1);
    void *params[] = {&v.x, &v.y, &v.n, &v.a};
    for (int k = 0; k < 100; k++) OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    raise(SIGKILL);
}

// What no call has given is no handle, whatever it is.
static void strangers(void)
{
    H all[] = {NULL, (H)1, (H)2, (H)&wrong, (H)(uintptr_t)0x200000000, (H)context, (H)module, (H)axpy};
    int value;
    size_t bytes;
    void *object;
    P p;
    H h;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const H x = all[k];
        if (x != context) WANT(201, cuCtxPushCurrent_v2(x));
        if (x != module) WANT(400, cuModuleUnload(x));
        if (x != module) WANT(400, cuModuleGetFunction(&h, x, "axpy"));
        if (x != module) WANT(400, cuModuleGetGlobal_v2(&p, &bytes, x, "counter"));
        if (x != axpy) WANT(400, cuFuncGetAttribute(&value, 0, x));
        if (x != axpy) WANT(400, cuLaunchKernel(x, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        WANT(400, cuEventRecord(x, NULL));
        WANT(400, cuEventDestroy_v2(x));
        if ((uintptr_t)x > 2) WANT(400, cuStreamSynchronize(x));
        WANT(400, cuStreamDestroy_v2(x));
        WANT(400, cuArrayDestroy(x));
        WANT(400, cuLinkComplete(x, &object, &bytes));
        WANT(400, cuLinkDestroy(x));
        WANT(1, cuMemPoolDestroy(x));
        WANT(1, cuTexObjectDestroy((uintptr_t)x));
        WANT(1, cuMemRelease((uintptr_t)x));
        if (x) WANT(1, cuMemFree_v2((uintptr_t)x + 1));
    }
}

// --- memory of another process ---------------------------------------------------------------------------------------
static void gives(const char *self)
{
    Data v = make(7);
    IpcHandle handle;
    char command[400], *end;
    P p;
    OK(cuIpcGetMemHandle(&handle, v.y));
    WANT(201, cuIpcOpenMemHandle_v2(&p, handle, 1));  // its own
    end = command + snprintf(command, sizeof command, "%s takes ", self);
    for (size_t k = 0; k < sizeof handle; k++) end += sprintf(end, "%02x", (unsigned char)handle.room[k]);
    THAT(!system(command));
    check(&v, 2);
}

static void takes(const char *hex)
{
    Data v = make(7);
    IpcHandle handle;
    P y = v.y;
    for (size_t k = 0; k < sizeof handle; k++) {
        unsigned byte;
        THAT(sscanf(hex + 2 * k, "%2x", &byte) == 1);
        handle.room[k] = (char)byte;
    }
    OK(cuIpcOpenMemHandle_v2(&v.y, handle, 1));
    THAT(v.y != y);
    void *params[] = {&v.x, &v.y, &v.n, &v.a};
    for (int k = 0; k < 2; k++) OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    WANT(1, cuMemFree_v2(v.y));  // is another's
    OK(cuIpcCloseMemHandle(v.y));
    WANT(1, cuIpcCloseMemHandle(v.y));
    handle.room[20] ^= 1;
    WANT(400, cuIpcOpenMemHandle_v2(&v.y, handle, 1));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    P p;
    if (!strcmp(what, "names")) WANT(3, cuMemAlloc_v2(&p, 4));  // before cuInit
    begin();
    if (!strcmp(what, "launches")) launches();
    if (!strcmp(what, "modules")) modules();
    if (!strcmp(what, "logs")) logs();
    if (!strcmp(what, "links")) links(argv[0]);
    if (!strcmp(what, "stored")) stored();
    if (!strcmp(what, "contexts")) contexts();
    if (!strcmp(what, "memory")) memory();
    if (!strcmp(what, "addresses")) addresses();
    if (!strcmp(what, "copies")) copies();
    if (!strcmp(what, "textures")) textures();
    if (!strcmp(what, "streams")) streams();
    if (!strcmp(what, "names")) names();
    if (!strcmp(what, "faults")) faults();
    if (!strcmp(what, "dies")) dies();
    if (!strcmp(what, "strangers")) strangers();
    if (!strcmp(what, "gives")) gives(argv[0]);
    if (!strcmp(what, "takes") && argc > 2) takes(argv[2]);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
