// app.c: a program of the driver. Its argument names a part; the exit status is 0 where nothing went wrong. Numbers of
// errors are those of the CUDA Driver API reference.
#include "calls.h"

#include <cudaProfiler.h>
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
static CUcontext context;
static CUmodule module;
static CUfunction axpy;

static void begin(void)
{
    CUdevice d;
    OK(cuInit(0));
    OK(cuDeviceGet(&d, 0));
    OK(cuCtxCreate(&context, 0, d));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&axpy, module, "axpy"));
}

typedef struct Data {
    CUdeviceptr x, y;
    unsigned n, a;
} Data;

static Data make(unsigned a)
{
    unsigned h[N];
    Data v = {.n = N, .a = a};
    OK(cuMemAlloc(&v.x, sizeof h));
    OK(cuMemAlloc(&v.y, sizeof h));
    for (unsigned k = 0; k < N; k++) h[k] = k;
    OK(cuMemcpyHtoD(v.x, h, sizeof h));
    for (unsigned k = 0; k < N; k++) h[k] = 3 * k;
    OK(cuMemcpyHtoD(v.y, h, sizeof h));
    return v;
}

static void check(Data *v, unsigned times)
{
    unsigned h[N], bad = 0;
    OK(cuMemcpyDtoH(h, v->y, sizeof h));
    for (unsigned k = 0; k < N; k++) bad += h[k] != 3 * k + times * v->a * k;
    THAT(!bad);
    OK(cuMemFree(v->x));
    OK(cuMemFree(v->y));
}

// --- launches of all kinds -------------------------------------------------------------------------------------------
static void launches(void)
{
    Data v = make(5);
    void *params[] = {&v.x, &v.y, &v.n, &v.a};
    size_t bytes = sizeof v;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &v, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    CUlaunchConfig config = {
        .gridDimX = 8, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 128, .blockDimY = 1, .blockDimZ = 1};
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
    WANT(400, cuLaunchKernel((CUfunction)&v, 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    WANT(400, cuLaunchKernel(axpy, 1, 1, 1, 128, 1, 1, 0, (CUstream)&v, params, NULL));
}

// --- kernels and variables of a module -------------------------------------------------------------------------------
static void modules(void)
{
    CUmodule m;
    CUfunction f, all[4];
    unsigned n = 0;
    CUdeviceptr at, inside;
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
    WANT(500, cuModuleGetGlobal(&at, &bytes, module, "nothing"));
    OK(cuModuleGetGlobal(&at, &bytes, module, "counter"));
    THAT(bytes == 4);
    OK(cuMemcpyDtoH(&value, at, 4));
    THAT(value == 7);
    OK(cuModuleGetGlobal(&inside, &bytes, module, "hidden"));  // that no other module sees
    THAT(bytes == 24 && inside % 8 == 0);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, axpy));
    THAT(value >= 256 && value <= 1024);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, axpy));
    THAT(value > 0 && value < 64);
    WANT(1, cuFuncGetAttribute(&value, 99, axpy));
    OK(cuFuncSetAttribute(axpy, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, axpy));
    THAT(value == 1024);
    int blocks, grid, block;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, axpy, 128, 0));
    THAT(blocks > 0);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, axpy, NULL, 0, 96));
    THAT(block <= 96 && block > 0 && grid > 0);
    CUlibrary library;
    CUkernel kernel;
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "other"));
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuLibraryUnload(library));
    WANT(400, cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuModuleUnload(module));
    WANT(400, cuModuleUnload(module));
    WANT(400, cuModuleGetFunction(&f, module, "axpy"));
    WANT(400, cuFuncGetAttribute(&value, 0, axpy));
}

// --- what can't be loaded --------------------------------------------------------------------------------------------
static void logs(void)
{
    char info[100] = "x", error[400] = "x", small[8] = "x";
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
    void *values[] = {info, (void *)sizeof info, error, (void *)sizeof error, (void *)24};
    CUmodule m;
    CUfunction f;
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
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    THAT(value <= 24);
    WANT(1, cuModuleLoadDataEx(&m, ptx, 1, &(CUjit_option){999}, values));
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
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    int registers;
    unsigned value = 0;
    void *params[] = {&p};
    OK(cuModuleLoadData(&m, object));
    OK(cuModuleGetFunction(&f, m, "k"));
    OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    THAT(registers <= 20);
    OK(cuMemAlloc(&p, 4));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH(&value, p, 4));
    THAT(value == 42);
}

static void links(const char *self)
{
    CUlinkState l;
    void *object;
    size_t bytes;
    char error[300] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
    void *values[] = {error, (void *)sizeof error, (void *)20};
    OK(cuLinkCreate(3, options, values, &l));
    OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)first, sizeof first, "first", 0, NULL, NULL));
    WANT(200, cuLinkComplete(l, &object, &bytes));
    THAT(strstr(error, "twice"));
    OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)second, sizeof second, "second", 0, NULL, NULL));
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
    CUmodule m;
    THAT(n > 64);
    run_linked(bytes);
    bytes[15]++;  // the number of the format
    WANT(209, cuModuleLoadData(&m, bytes));
}

// --- contexts --------------------------------------------------------------------------------------------------------
static void *of_thread(void *given)
{
    CUcontext c;
    CUdeviceptr p;
    OK(cuCtxGetCurrent(&c));
    THAT(!c);
    WANT(201, cuMemAlloc(&p, 4));
    WANT(201, cuCtxSynchronize());
    OK(cuCtxSetCurrent(given));
    OK(cuMemAlloc(&p, 4));
    OK(cuMemFree(p));
    return NULL;
}

static void contexts(void)
{
    CUcontext other, c, primary, of;
    CUstream stream;
    CUevent event;
    CUdeviceptr p;
    unsigned flags, version;
    int active;
    pthread_t thread;
    OK(cuCtxCreate(&other, CU_CTX_SCHED_BLOCKING_SYNC, 0));
    OK(cuCtxGetCurrent(&c));
    THAT(c == other && other != context);
    OK(cuStreamCreate(&stream, 1));
    OK(cuEventCreate(&event, 0));
    OK(cuMemAlloc(&p, 100));
    OK(cuStreamGetCtx(stream, &of));
    THAT(of == other);
    OK(cuCtxPopCurrent(&c));
    THAT(c == other);
    OK(cuCtxGetCurrent(&c));
    THAT(c == context);
    OK(cuMemcpyHtoD(p, "abc", 4));  // one address space
    pthread_create(&thread, NULL, of_thread, context);
    pthread_join(thread, NULL);
    OK(cuCtxGetApiVersion(context, &version));
    // What was made in a context goes with it, also under a stream that works.
    OK(cuCtxDestroy(other));
    WANT(400, cuStreamSynchronize(stream));
    WANT(400, cuEventRecord(event, NULL));
    WANT(1, cuMemcpyHtoD(p, "abc", 4));
    WANT(709, cuCtxDestroy(other));
    WANT(709, cuCtxPushCurrent(other));
    WANT(201, cuCtxPushCurrent((CUcontext)&p));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    THAT(!active);
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuCtxPushCurrent(primary));
    WANT(201, cuCtxDestroy(primary));
    OK(cuMemAlloc(&p, 4));
    OK(cuDevicePrimaryCtxRelease(0));
    WANT(201, cuDevicePrimaryCtxRelease(0));
    WANT(1, cuMemFree(p));  // it has gone with its context
    // The primary context's handle stays the same.
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    THAT(c == primary);
    OK(cuMemAlloc(&p, 4));
    OK(cuDevicePrimaryCtxReset(0));
    WANT(1, cuMemFree(p));
    OK(cuCtxPushCurrent(primary));
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSetCurrent(NULL));
    OK(cuCtxGetCurrent(&c));
    OK(cuCtxDestroy(context));
}

// --- memory ----------------------------------------------------------------------------------------------------------
static void memory(void)
{
    CUdeviceptr p, start;
    size_t bytes, room, total, pitch;
    void *host;
    int value;
    OK(cuMemAlloc(&p, 8047));
    OK(cuMemGetAddressRange(&start, &bytes, p + 8000));
    THAT(start == p && bytes == 8047);
    WANT(500, cuMemGetAddressRange(&start, &bytes, p + 8047));
    OK(cuMemGetInfo(&room, &total));
    THAT(room < total && room > total / 2);
    OK(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    THAT(value == CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 5));
    THAT(start == p);
    WANT(1, cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)&value));
    OK(cuMemFree(p));
    WANT(1, cuMemFree(p));
    WANT(500, cuMemGetAddressRange(&start, &bytes, p));
    WANT(1, cuMemAlloc(&p, 0));
    WANT(2, cuMemAlloc(&p, (size_t)1 << 60));
    OK(cuMemAllocPitch(&p, &pitch, 100, 10, 4));
    THAT(pitch >= 100 && pitch % 4 == 0);
    OK(cuMemFree(p));
    // Memory of the host that kernels reach: the driver's, the program's own, both.
    Data v = make(2);
    unsigned *mapped;
    OK(cuMemHostAlloc(&host, sizeof(unsigned) * N, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&p, host, 0));
    mapped = host;
    for (unsigned k = 0; k < N; k++) mapped[k] = 3 * k;
    void *params[] = {&v.x, &p, &v.n, &v.a};
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    THAT(mapped[7] == 5 * 7);
    OK(cuMemFreeHost(host));
    unsigned *own = aligned_alloc(4096, 8192);
    for (unsigned k = 0; k < N; k++) own[k] = 3 * k;
    OK(cuMemHostRegister(own, sizeof(unsigned) * N, CU_MEMHOSTREGISTER_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&p, own, 0));
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    THAT(own[9] == 5 * 9);
    OK(cuMemHostUnregister(own));
    THAT(own[9] == 5 * 9);
    WANT(713, cuMemHostUnregister(own));
    OK(cuMemAllocManaged(&p, sizeof(unsigned) * N, CU_MEM_ATTACH_GLOBAL));
    unsigned *managed = (unsigned *)(uintptr_t)p;
    for (unsigned k = 0; k < N; k++) managed[k] = 3 * k;
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    THAT(managed[11] == 5 * 11);
    OK(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    THAT(value);
    OK(cuMemFree(p));
    check(&v, 0);
    // Pools.
    CUmemoryPool pool;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    cuuint64_t used;
    OK(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&p, 1000, pool, NULL));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    THAT(used == 1000);
    OK(cuMemFreeAsync(p, NULL));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    THAT(used == 0);
    OK(cuMemPoolDestroy(pool));
    WANT(1, cuMemPoolDestroy(pool));
}

// --- addresses that get memory later ---------------------------------------------------------------------------------
static void addresses(void)
{
    enum { GRAIN = 2 << 20 };
    const CUmemAllocationProp props = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    const CUmemAccessDesc access = {props.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    size_t grain, bytes;
    CUmemGenericAllocationHandle piece, other, again;
    CUdeviceptr all, start;
    unsigned long long flags;
    unsigned h[N], bad = 0;
    OK(cuMemGetAllocationGranularity(&grain, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    THAT(grain == GRAIN);
    OK(cuMemAddressReserve(&all, (size_t)32 << 30, 0, 0, 0));
    OK(cuMemCreate(&piece, GRAIN, &props, 0));
    OK(cuMemCreate(&other, 2 * GRAIN, &props, 0));
    WANT(1, cuMemCreate(&again, 100, &props, 0));
    OK(cuMemMap(all, GRAIN, 0, piece, 0));
    WANT(1, cuMemMap(all, GRAIN, 0, other, 0));                  // something is there
    WANT(1, cuMemMap(all + GRAIN, 2 * GRAIN, GRAIN, other, 0));  // more than it has
    OK(cuMemMap(all + GRAIN, 2 * GRAIN, 0, other, 0));
    WANT(1, cuMemsetD8(all, 0, 16));  // no access yet
    OK(cuMemSetAccess(all, 3 * GRAIN, &access, 1));
    OK(cuMemGetAccess(&flags, &access.location, all + GRAIN + 5));
    THAT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    // An array over both pieces.
    Data v = make(3);
    const CUdeviceptr y = all + GRAIN - 2000;
    OK(cuMemGetAddressRange(&start, &bytes, y));
    THAT(start == all && bytes == 3 * GRAIN);
    OK(cuMemcpyDtoD(y, v.y, sizeof h));
    void *params[] = {&v.x, &(CUdeviceptr){y}, &v.n, &v.a};
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH(h, y, sizeof h));
    for (unsigned k = 0; k < N; k++) bad += h[k] != 6 * k;
    THAT(!bad);
    // The same memory at a second address.
    CUdeviceptr twice;
    OK(cuMemAddressReserve(&twice, GRAIN, 0, 0, 0));
    OK(cuMemMap(twice, GRAIN, 0, piece, 0));
    OK(cuMemSetAccess(twice, GRAIN, &access, 1));
    OK(cuMemcpyDtoH(h, twice + GRAIN - 2000, 2000));
    THAT(h[100] == 600 && h[499] == 6 * 499);
    OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)twice));
    THAT(again == piece);
    OK(cuMemRelease(again));
    OK(cuMemRelease(piece));  // it stays as long as it is mapped
    OK(cuMemsetD8(twice, 7, 8));
    WANT(1, cuMemAddressFree(twice, GRAIN));
    OK(cuMemUnmap(twice, GRAIN));
    OK(cuMemAddressFree(twice, GRAIN));
    OK(cuMemcpyDtoH(h, all, 8));
    THAT(h[0] == 0x07070707);
    OK(cuMemUnmap(all, 3 * GRAIN));
    WANT(1, cuMemRelease(piece));
    OK(cuMemRelease(other));
    WANT(1, cuMemcpyDtoH(h, all, 8));
    OK(cuMemAddressFree(all, (size_t)32 << 30));
    check(&v, 0);
}

// --- copies and fills ------------------------------------------------------------------------------------------------
static void copies(void)
{
    enum { W = 24, ROWS = 10 };
    unsigned char h[W * ROWS], back[W * ROWS] = {0};
    unsigned words[16];
    CUdeviceptr p, q;
    CUarray array;
    for (int k = 0; k < W * ROWS; k++) h[k] = (unsigned char)k;
    OK(cuMemAlloc(&p, 64 * ROWS));
    OK(cuMemAlloc(&q, 64 * ROWS));
    // Rows 2 to 5 of h, from byte 3 on, to rows of 64 bytes, from byte 8 of row 1 on; and back.
    CUDA_MEMCPY2D c = {.srcXInBytes = 3,
                       .srcY = 2,
                       .srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = h,
                       .srcPitch = W,
                       .dstXInBytes = 8,
                       .dstY = 1,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = p,
                       .dstPitch = 64,
                       .WidthInBytes = 16,
                       .Height = 4};
    OK(cuMemcpy2D(&c));
    c = (CUDA_MEMCPY2D){.srcXInBytes = 8,
                        .srcY = 1,
                        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = p,
                        .srcPitch = 64,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = back,
                        .dstPitch = W,
                        .WidthInBytes = 16,
                        .Height = 4};
    OK(cuMemcpy2D(&c));
    for (int y = 0; y < 4; y++) THAT(!memcmp(back + y * W, h + (y + 2) * W + 3, 16));
    c.WidthInBytes = 100;
    WANT(1, cuMemcpy2D(&c));  // wider than a row
    c.WidthInBytes = 16, c.srcDevice = 4;
    WANT(1, cuMemcpy2D(&c));
    // By way of an array.
    const CUDA_ARRAY_DESCRIPTOR shape = {W, ROWS, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    OK(cuArrayCreate(&array, &shape));
    c = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = h,
                        .srcPitch = W,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = W,
                        .Height = ROWS};
    OK(cuMemcpy2D(&c));
    memset(back, 0, sizeof back);
    c = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = array,
                        .srcXInBytes = 4,
                        .srcY = 1,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = back,
                        .dstPitch = W,
                        .WidthInBytes = 10,
                        .Height = 3};
    OK(cuMemcpy2D(&c));
    for (int y = 0; y < 3; y++) THAT(!memcmp(back + y * W, h + (y + 1) * W + 4, 10));
    OK(cuMemcpyAtoH(back, array, 5, 7));
    THAT(!memcmp(back, h + 5, 7));
    OK(cuArrayDestroy(array));
    WANT(400, cuArrayDestroy(array));
    // Fills of bytes, of words, of rows.
    OK(cuMemsetD8(p, 0x5a, 64));
    OK(cuMemsetD16(p + 8, 0x1234, 4));
    OK(cuMemsetD32(p + 32, 0xdeadbeef, 2));
    OK(cuMemcpyDtoD(q, p, 64));
    OK(cuMemcpyDtoH(words, q, 64));
    THAT(words[0] == 0x5a5a5a5a && words[2] == 0x12341234 && words[4] == 0x5a5a5a5a && words[9] == 0xdeadbeef &&
         words[10] == 0x5a5a5a5a);
    OK(cuMemsetD2D32(p, 64, 9, 3, ROWS));
    OK(cuMemcpyDtoH(words, p + 64 * (ROWS - 1), 16));
    THAT(words[0] == 9 && words[2] == 9 && words[3] != 9);
    WANT(1, cuMemsetD32(p + 2, 0, 1));
    WANT(1, cuMemsetD8(p, 0, (size_t)1 << 40));
    WANT(1, cuMemcpyHtoD((uintptr_t)back, h, 4));
    WANT(1, cuMemcpyDtoH(back, p, (size_t)1 << 40));
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
    CUmodule m;
    CUfunction f;
    CUdeviceptr rows, to;
    CUtexObject texture;
    unsigned char texels[64] = {10, 20, 30, 40};
    unsigned got[2];
    OK(cuModuleLoadData(&m, reads));
    OK(cuModuleGetFunction(&f, m, "reads"));
    OK(cuMemAlloc(&rows, 64 * 2));
    OK(cuMemAlloc(&to, 8));
    OK(cuMemcpyHtoD(rows, texels, 64));
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D,
                                   .res.pitch2D = {.devPtr = rows,
                                                   .format = CU_AD_FORMAT_UNSIGNED_INT8,
                                                   .numChannels = 1,
                                                   .width = 4,
                                                   .height = 1,
                                                   .pitchInBytes = 64}};
    const CUDA_TEXTURE_DESC sampling = {.filterMode = CU_TR_FILTER_MODE_LINEAR, .flags = CU_TRSF_READ_AS_INTEGER};
    OK(cuTexObjectCreate(&texture, &resource, &sampling, NULL));
    void *params[] = {&texture, &to};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH(got, to, 8));
    THAT(got[0] == 30 && got[1] == 40);
    OK(cuTexObjectDestroy(texture));
    WANT(1, cuTexObjectDestroy(texture));
    resource.res.pitch2D.format = 0x77;
    WANT(1, cuTexObjectCreate(&texture, &resource, &sampling, NULL));
}

// --- streams and events ----------------------------------------------------------------------------------------------
static void called(CUstream stream, CUresult result, void *data)
{
    (void)stream;
    *(int *)data += result ? 100 : 1;
}

static void streams(void)
{
    CUstream s, t;
    CUevent from, to;
    float ms = -1;
    int calls = 0, priority;
    Data v = make(1);
    void *params[] = {&v.x, &v.y, &v.n, &v.a};
    const pid_t child = fork();  // which can't go on with its parent's device
    if (!child) {
        CUdeviceptr p;
        _exit(cuMemAlloc(&p, 4) != 3);
    }
    int status = -1;
    waitpid(child, &status, 0);
    THAT(!status);
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamCreateWithPriority(&t, CU_STREAM_NON_BLOCKING, -1));
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
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, CU_STREAM_PER_THREAD, params, NULL));
    OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    check(&v, 2);
    OK(cuEventDestroy(from));
    WANT(400, cuEventDestroy(from));
    OK(cuStreamDestroy(s));
    WANT(400, cuStreamDestroy(s));
    WANT(400, cuStreamSynchronize((CUstream)&ms));
}

// --- names and versions ----------------------------------------------------------------------------------------------
static void names(void)
{
    void *a, *b;
    CUdriverProcAddressQueryResult status;
    CUexternalMemory outside;
    int version;
    const char *text;
    OK(cuGetProcAddress_v2("cuMemAlloc", &a, 12000, 0, &status));
    THAT(a == (void *)cuMemAlloc && !status);
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
    OK(cuGetProcAddress_v2("cuGraphInstantiate", &a, 12000, 0, &status));
    OK(cuGetProcAddress_v2("cuGraphInstantiate", &b, 11040, 0, &status));
    THAT(a == (void *)cuGraphInstantiateWithFlags && a != b);
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
    WANT(801, cuImportExternalMemory(&outside, NULL));
    WANT(801, cuImportExternalMemory(&outside, NULL));
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
    WANT(700, cuMemFree(v.y));  // from then on
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
    void *all[] = {NULL, (void *)1, (void *)2, &wrong, (void *)(uintptr_t)0x200000000, context, module, axpy};
    int value;
    size_t bytes;
    void *object;
    CUdeviceptr p;
    CUfunction f;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        void *const x = all[k];
        if (x != context) WANT(201, cuCtxPushCurrent(x));
        if (x != module) WANT(400, cuModuleUnload(x));
        if (x != module) WANT(400, cuModuleGetFunction(&f, x, "axpy"));
        if (x != module) WANT(400, cuModuleGetGlobal(&p, &bytes, x, "counter"));
        if (x != axpy) WANT(400, cuFuncGetAttribute(&value, 0, x));
        if (x != axpy) WANT(400, cuLaunchKernel(x, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        WANT(400, cuEventRecord(x, NULL));
        WANT(400, cuEventDestroy(x));
        if ((uintptr_t)x > 2) WANT(400, cuStreamSynchronize(x));
        WANT(400, cuStreamDestroy(x));
        WANT(400, cuArrayDestroy(x));
        WANT(400, cuLinkComplete(x, &object, &bytes));
        WANT(400, cuLinkDestroy(x));
        WANT(1, cuMemPoolDestroy(x));
        WANT(1, cuTexObjectDestroy((uintptr_t)x));
        WANT(1, cuMemRelease((uintptr_t)x));
        if (x) WANT(1, cuMemFree((uintptr_t)x + 1));
    }
}

// --- memory of another process ---------------------------------------------------------------------------------------
static void gives(const char *self)
{
    Data v = make(7);
    CUipcMemHandle handle;
    char command[400], *end;
    CUdeviceptr p;
    OK(cuIpcGetMemHandle(&handle, v.y));
    WANT(201, cuIpcOpenMemHandle(&p, handle, 1));  // its own
    end = command + snprintf(command, sizeof command, "%s takes ", self);
    for (size_t k = 0; k < sizeof handle; k++) end += sprintf(end, "%02x", (unsigned char)handle.reserved[k]);
    THAT(!system(command));
    check(&v, 2);
}

static void takes(const char *hex)
{
    Data v = make(7);
    CUipcMemHandle handle;
    CUdeviceptr y = v.y;
    for (size_t k = 0; k < sizeof handle; k++) {
        unsigned byte;
        THAT(sscanf(hex + 2 * k, "%2x", &byte) == 1);
        handle.reserved[k] = (char)byte;
    }
    OK(cuIpcOpenMemHandle(&v.y, handle, 1));
    THAT(v.y != y);
    void *params[] = {&v.x, &v.y, &v.n, &v.a};
    for (int k = 0; k < 2; k++) OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    WANT(1, cuMemFree(v.y));  // is another's
    OK(cuIpcCloseMemHandle(v.y));
    WANT(1, cuIpcCloseMemHandle(v.y));
    handle.reserved[20] ^= 1;
    WANT(400, cuIpcOpenMemHandle(&v.y, handle, 1));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    CUdeviceptr p;
    if (!strcmp(what, "names")) WANT(3, cuMemAlloc(&p, 4));  // before cuInit
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
