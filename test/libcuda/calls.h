// calls.h: functions of the driver as the CUDA Driver API reference declares them, for the programs of this folder: the
// symbols that cuda.h's names stand for.
#ifndef CALLS_H
#define CALLS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int R;
typedef uint64_t P;  // CUdeviceptr
typedef struct Handle *H;

R cuInit(unsigned);
R cuDriverGetVersion(int *);
R cuGetErrorName(R, const char **);
R cuGetErrorString(R, const char **);
R cuDeviceGet(int *, int);
R cuDeviceGetCount(int *);
R cuDeviceGetAttribute(int *, int, int);
R cuDeviceGetName(char *, int, int);
R cuDeviceTotalMem_v2(size_t *, int);
R cuDevicePrimaryCtxRetain(H *, int);
R cuDevicePrimaryCtxRelease_v2(int);
R cuDevicePrimaryCtxGetState(int, unsigned *, int *);
R cuCtxCreate_v2(H *, unsigned, int);
R cuCtxDestroy_v2(H);
R cuCtxPushCurrent_v2(H);
R cuCtxPopCurrent_v2(H *);
R cuCtxSetCurrent(H);
R cuCtxGetCurrent(H *);
R cuCtxGetDevice(int *);
R cuCtxSynchronize(void);
R cuCtxGetApiVersion(H, unsigned *);
R cuModuleLoadData(H *, const void *);
R cuModuleLoadDataEx(H *, const void *, unsigned, int *, void **);
R cuModuleUnload(H);
R cuModuleGetFunction(H *, H, const char *);
R cuModuleGetFunctionCount(unsigned *, H);
R cuModuleEnumerateFunctions(H *, unsigned, H);
R cuModuleGetGlobal_v2(P *, size_t *, H, const char *);
R cuLibraryLoadData(H *, const void *, int *, void **, unsigned, int *, void **, unsigned);
R cuLibraryGetKernel(H *, H, const char *);
R cuLibraryUnload(H);
R cuFuncGetAttribute(int *, int, H);
R cuFuncSetAttribute(H, int, int);
R cuFuncGetModule(H *, H);
R cuFuncSetBlockShape(H, int, int, int);
R cuParamSetv(H, int, const void *, unsigned);
R cuParamSetSize(H, unsigned);
R cuLaunchGrid(H, int, int);
R cuLinkCreate_v2(unsigned, int *, void **, H *);
R cuLinkAddData_v2(H, int, const void *, size_t, const char *, unsigned, int *, void **);
R cuLinkComplete(H, void **, size_t *);
R cuLinkDestroy(H);
R cuMemAlloc_v2(P *, size_t);
R cuMemAllocPitch_v2(P *, size_t *, size_t, size_t, unsigned);
R cuMemAllocManaged(P *, size_t, unsigned);
R cuMemAllocHost_v2(void **, size_t);
R cuMemHostAlloc(void **, size_t, unsigned);
R cuMemHostRegister_v2(void *, size_t, unsigned);
R cuMemHostUnregister(void *);
R cuMemHostGetDevicePointer_v2(P *, void *, unsigned);
R cuMemFreeHost(void *);
R cuMemFree_v2(P);
R cuMemGetInfo_v2(size_t *, size_t *);
R cuMemGetAddressRange_v2(P *, size_t *, P);
R cuPointerGetAttribute(void *, int, P);
R cuMemAllocAsync(P *, size_t, H);
R cuMemFreeAsync(P, H);
R cuMemPoolCreate(H *, const void *);
R cuMemPoolGetAttribute(H, int, void *);
R cuMemPoolDestroy(H);
R cuMemAllocFromPoolAsync(P *, size_t, H, H);
R cuMemcpyHtoD_v2(P, const void *, size_t);
R cuMemcpyDtoH_v2(void *, P, size_t);
R cuMemcpyDtoD_v2(P, P, size_t);
R cuMemcpyHtoDAsync_v2(P, const void *, size_t, H);
R cuMemcpy(P, P, size_t);
R cuMemcpy2D_v2(const void *);
R cuMemcpy3D_v2(const void *);
R cuMemcpyHtoA_v2(H, size_t, const void *, size_t);
R cuMemcpyAtoH_v2(void *, H, size_t, size_t);
R cuMemsetD8_v2(P, unsigned char, size_t);
R cuMemsetD16_v2(P, unsigned short, size_t);
R cuMemsetD32_v2(P, unsigned, size_t);
R cuMemsetD2D32_v2(P, size_t, unsigned, size_t, size_t);
R cuStreamCreate(H *, unsigned);
R cuStreamCreateWithPriority(H *, unsigned, int);
R cuStreamDestroy_v2(H);
R cuStreamSynchronize(H);
R cuStreamQuery(H);
R cuStreamWaitEvent(H, H, unsigned);
R cuStreamGetCtx(H, H *);
R cuStreamGetPriority(H, int *);
R cuStreamAddCallback(H, void (*)(H, R, void *), void *, unsigned);
R cuEventCreate(H *, unsigned);
R cuEventDestroy_v2(H);
R cuEventRecord(H, H);
R cuEventSynchronize(H);
R cuEventElapsedTime(float *, H, H);
R cuLaunchKernel(H, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, H, void **, void **);
R cuLaunchKernelEx(const void *, H, void **, void **);
R cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, H, int, size_t);
R cuOccupancyMaxPotentialBlockSize(int *, int *, H, size_t (*)(int), size_t, int);
R cuArrayCreate_v2(H *, const void *);
R cuArrayDestroy(H);
R cuTexObjectCreate(uint64_t *, const void *, const void *, const void *);
R cuTexObjectDestroy(uint64_t);
R cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
R cuDevicePrimaryCtxReset_v2(int);
R cuMemGetAllocationGranularity(size_t *, const void *, int);
R cuMemCreate(uint64_t *, size_t, const void *, uint64_t);
R cuMemRelease(uint64_t);
R cuMemAddressReserve(P *, size_t, size_t, P, uint64_t);
R cuMemAddressFree(P, size_t);
R cuMemMap(P, size_t, size_t, uint64_t, uint64_t);
R cuMemUnmap(P, size_t);
R cuMemSetAccess(P, size_t, const void *, size_t);
R cuMemGetAccess(unsigned long long *, const void *, P);
R cuMemRetainAllocationHandle(uint64_t *, void *);
R cuIpcGetMemHandle(void *, P);
typedef struct IpcHandle {
    char room[64];
} IpcHandle;
R cuIpcOpenMemHandle_v2(P *, IpcHandle, unsigned);
R cuIpcCloseMemHandle(P);
R cuImportExternalMemory(H *, const void *);
R cuProfilerStart(void);

// The call must return the error; 0: none.
#define WANT(error, call)                                                                                 \
    do {                                                                                                  \
        R r_ = (call);                                                                                    \
        if (r_ != (error)) printf("line %d: %s gives %d, not %d\n", __LINE__, #call, r_, error), wrong++; \
    } while (0)
#define OK(call) WANT(0, call)
#define THAT(condition)                                                               \
    do {                                                                              \
        if (!(condition)) printf("line %d: not %s\n", __LINE__, #condition), wrong++; \
    } while (0)
static int wrong;

#endif
