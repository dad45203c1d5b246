// cuda_runtime.h: what a .cu file needs of CUDA's runtime when clang compiles its kernels without a toolkit: cuda.h for
// device code, and for host code names, so that it can be read. Host code isn't compiled (--cuda-device-only): functions
// of the runtime are declared as templates that take anything.
#ifndef ONCHIP_CUDA_RUNTIME_H
#define ONCHIP_CUDA_RUNTIME_H

// What CUDA's brings along, and programs rely on; before clock becomes a macro.
#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <new>
#include <utility>

#define powf onchip_powf  // of positive numbers alone
#include "cuda.h"
#undef powf
#include "cuda_overloads.h"

uint onchip_clock();  // the host's

// clang 14 takes a load of a scalar in shared memory before the barrier of its own __syncthreads()
// (findings/clang-shared-broadcast.sh); not before this one.
#define __syncthreads() asm volatile("bar.sync 0;" ::: "memory")

#define __managed__ __attribute__((device))
#define __restrict__ __restrict
#define __grid_constant__

enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorInitializationError = 3,
    cudaErrorCudartUnloading = 4, cudaErrorProfilerDisabled = 5, cudaErrorProfilerNotInitialized = 6,
    cudaErrorProfilerAlreadyStarted = 7, cudaErrorProfilerAlreadyStopped = 8, cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12, cudaErrorInvalidSymbol = 13, cudaErrorInvalidHostPointer = 16,
    cudaErrorInvalidDevicePointer = 17, cudaErrorInvalidTexture = 18, cudaErrorInvalidTextureBinding = 19,
    cudaErrorInvalidChannelDescriptor = 20, cudaErrorInvalidMemcpyDirection = 21, cudaErrorAddressOfConstant = 22,
    cudaErrorTextureFetchFailed = 23, cudaErrorTextureNotBound = 24, cudaErrorSynchronizationError = 25,
    cudaErrorInvalidFilterSetting = 26, cudaErrorInvalidNormSetting = 27, cudaErrorMixedDeviceExecution = 28,
    cudaErrorNotYetImplemented = 31, cudaErrorMemoryValueTooLarge = 32, cudaErrorStubLibrary = 34,
    cudaErrorInsufficientDriver = 35, cudaErrorCallRequiresNewerDriver = 36, cudaErrorInvalidSurface = 37,
    cudaErrorDuplicateVariableName = 43, cudaErrorDuplicateTextureName = 44, cudaErrorDuplicateSurfaceName = 45,
    cudaErrorDevicesUnavailable = 46, cudaErrorIncompatibleDriverContext = 49, cudaErrorMissingConfiguration = 52,
    cudaErrorPriorLaunchFailure = 53, cudaErrorLaunchMaxDepthExceeded = 65, cudaErrorLaunchFileScopedTex = 66,
    cudaErrorLaunchFileScopedSurf = 67, cudaErrorSyncDepthExceeded = 68, cudaErrorLaunchPendingCountExceeded = 69,
    cudaErrorInvalidDeviceFunction = 98, cudaErrorNoDevice = 100, cudaErrorInvalidDevice = 101,
    cudaErrorDeviceNotLicensed = 102, cudaErrorSoftwareValidityNotEstablished = 103, cudaErrorStartupFailure = 127,
    cudaErrorInvalidKernelImage = 200, cudaErrorDeviceUninitialized = 201, cudaErrorMapBufferObjectFailed = 205,
    cudaErrorUnmapBufferObjectFailed = 206, cudaErrorArrayIsMapped = 207, cudaErrorAlreadyMapped = 208,
    cudaErrorNoKernelImageForDevice = 209, cudaErrorAlreadyAcquired = 210, cudaErrorNotMapped = 211,
    cudaErrorNotMappedAsArray = 212, cudaErrorNotMappedAsPointer = 213, cudaErrorECCUncorrectable = 214,
    cudaErrorUnsupportedLimit = 215, cudaErrorDeviceAlreadyInUse = 216, cudaErrorPeerAccessUnsupported = 217,
    cudaErrorInvalidPtx = 218, cudaErrorInvalidGraphicsContext = 219, cudaErrorNvlinkUncorrectable = 220,
    cudaErrorJitCompilerNotFound = 221, cudaErrorUnsupportedPtxVersion = 222, cudaErrorJitCompilationDisabled = 223,
    cudaErrorUnsupportedExecAffinity = 224, cudaErrorUnsupportedDevSideSync = 225, cudaErrorContained = 226,
    cudaErrorInvalidSource = 300, cudaErrorFileNotFound = 301, cudaErrorSharedObjectSymbolNotFound = 302,
    cudaErrorSharedObjectInitFailed = 303, cudaErrorOperatingSystem = 304, cudaErrorInvalidResourceHandle = 400,
    cudaErrorIllegalState = 401, cudaErrorLossyQuery = 402, cudaErrorSymbolNotFound = 500, cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700, cudaErrorLaunchOutOfResources = 701, cudaErrorLaunchTimeout = 702,
    cudaErrorLaunchIncompatibleTexturing = 703, cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorPeerAccessNotEnabled = 705, cudaErrorSetOnActiveProcess = 708, cudaErrorContextIsDestroyed = 709,
    cudaErrorAssert = 710, cudaErrorTooManyPeers = 711, cudaErrorHostMemoryAlreadyRegistered = 712,
    cudaErrorHostMemoryNotRegistered = 713, cudaErrorHardwareStackError = 714, cudaErrorIllegalInstruction = 715,
    cudaErrorMisalignedAddress = 716, cudaErrorInvalidAddressSpace = 717, cudaErrorInvalidPc = 718,
    cudaErrorLaunchFailure = 719, cudaErrorCooperativeLaunchTooLarge = 720, cudaErrorTensorMemoryLeak = 721,
    cudaErrorNotPermitted = 800, cudaErrorNotSupported = 801, cudaErrorSystemNotReady = 802,
    cudaErrorSystemDriverMismatch = 803, cudaErrorCompatNotSupportedOnDevice = 804, cudaErrorMpsConnectionFailed =
    805, cudaErrorMpsRpcFailure = 806, cudaErrorMpsServerNotReady = 807, cudaErrorMpsMaxClientsReached = 808,
    cudaErrorMpsMaxConnectionsReached = 809, cudaErrorMpsClientTerminated = 810, cudaErrorCdpNotSupported = 811,
    cudaErrorCdpVersionMismatch = 812, cudaErrorStreamCaptureUnsupported = 900, cudaErrorStreamCaptureInvalidated =
    901, cudaErrorStreamCaptureMerge = 902, cudaErrorStreamCaptureUnmatched = 903, cudaErrorStreamCaptureUnjoined =
    904, cudaErrorStreamCaptureIsolation = 905, cudaErrorStreamCaptureImplicit = 906, cudaErrorCapturedEvent = 907,
    cudaErrorStreamCaptureWrongThread = 908, cudaErrorTimeout = 909, cudaErrorGraphExecUpdateFailure = 910,
    cudaErrorExternalDevice = 911, cudaErrorInvalidClusterSize = 912, cudaErrorFunctionNotLoaded = 913,
    cudaErrorInvalidResourceType = 914, cudaErrorInvalidResourceConfiguration = 915, cudaErrorUnknown = 999
};
typedef cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaHostAllocDefault = 0, cudaHostAllocPortable = 1 };
enum { cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4, cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaCpuDeviceId = -1 };
enum { cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2 };
enum { cudaDeviceScheduleBlockingSync = 4, cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16 };
enum { cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2 };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth };
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed
};
enum cudaDeviceAttr {  // those that programs ask for most
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX = 2, cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrTotalConstantMemory = 9, cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12, cudaDevAttrClockRate = 13, cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36, cudaDevAttrGlobalMemoryBusWidth = 37, cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39, cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82, cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
struct cudaDeviceProp {
    char name[256];
    char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int multiProcessorCount;
    int integrated;
    int canMapHostMemory;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int deviceNumaConfig;
    int deviceNumaId;
    int mpsEnabled;
    int hostNumaId;
    unsigned gpuPciDeviceID;
    unsigned gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
    int clockRate, memoryClockRate, deviceOverlap, computeMode, kernelExecTimeoutEnabled;  // before CUDA 13
    int reserved[56];
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);  // what clang makes of <<<…>>>
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
#define ONCHIP_CALL(name) template <class... A> cudaError_t name(A &&...);
ONCHIP_CALL(cudaArrayGetInfo) ONCHIP_CALL(cudaArrayGetMemoryRequirements) ONCHIP_CALL(cudaArrayGetPlane)
ONCHIP_CALL(cudaArrayGetSparseProperties) ONCHIP_CALL(cudaChooseDevice) ONCHIP_CALL(cudaCreateChannelDesc)
ONCHIP_CALL(cudaCreateSurfaceObject) ONCHIP_CALL(cudaCreateTextureObject) ONCHIP_CALL(cudaCtxResetPersistingL2Cache)
ONCHIP_CALL(cudaDestroyExternalMemory) ONCHIP_CALL(cudaDestroyExternalSemaphore)
ONCHIP_CALL(cudaDestroySurfaceObject) ONCHIP_CALL(cudaDestroyTextureObject) ONCHIP_CALL(cudaDeviceCanAccessPeer)
ONCHIP_CALL(cudaDeviceDisablePeerAccess) ONCHIP_CALL(cudaDeviceEnablePeerAccess)
ONCHIP_CALL(cudaDeviceFlushGPUDirectRDMAWrites) ONCHIP_CALL(cudaDeviceGetAttribute)
ONCHIP_CALL(cudaDeviceGetByPCIBusId) ONCHIP_CALL(cudaDeviceGetCacheConfig) ONCHIP_CALL(cudaDeviceGetDefaultMemPool)
ONCHIP_CALL(cudaDeviceGetGraphMemAttribute) ONCHIP_CALL(cudaDeviceGetHostAtomicCapabilities)
ONCHIP_CALL(cudaDeviceGetLimit) ONCHIP_CALL(cudaDeviceGetMemPool) ONCHIP_CALL(cudaDeviceGetP2PAtomicCapabilities)
ONCHIP_CALL(cudaDeviceGetP2PAttribute) ONCHIP_CALL(cudaDeviceGetPCIBusId) ONCHIP_CALL(cudaDeviceGetSharedMemConfig)
ONCHIP_CALL(cudaDeviceGetStreamPriorityRange) ONCHIP_CALL(cudaDeviceGetTexture1DLinearMaxWidth)
ONCHIP_CALL(cudaDeviceGraphMemTrim) ONCHIP_CALL(cudaDeviceRegisterAsyncNotification) ONCHIP_CALL(cudaDeviceReset)
ONCHIP_CALL(cudaDeviceSetCacheConfig) ONCHIP_CALL(cudaDeviceSetGraphMemAttribute) ONCHIP_CALL(cudaDeviceSetLimit)
ONCHIP_CALL(cudaDeviceSetMemPool) ONCHIP_CALL(cudaDeviceSetSharedMemConfig) ONCHIP_CALL(cudaDeviceSynchronize)
ONCHIP_CALL(cudaDeviceUnregisterAsyncNotification) ONCHIP_CALL(cudaDriverGetVersion) ONCHIP_CALL(cudaEventCreate)
ONCHIP_CALL(cudaEventCreateWithFlags) ONCHIP_CALL(cudaEventDestroy) ONCHIP_CALL(cudaEventElapsedTime)
ONCHIP_CALL(cudaEventQuery) ONCHIP_CALL(cudaEventRecord) ONCHIP_CALL(cudaEventRecordWithFlags)
ONCHIP_CALL(cudaEventSynchronize) ONCHIP_CALL(cudaExternalMemoryGetMappedBuffer)
ONCHIP_CALL(cudaExternalMemoryGetMappedMipmappedArray) ONCHIP_CALL(cudaFree) ONCHIP_CALL(cudaFreeArray)
ONCHIP_CALL(cudaFreeAsync) ONCHIP_CALL(cudaFreeHost) ONCHIP_CALL(cudaFreeMipmappedArray)
ONCHIP_CALL(cudaFuncGetAttributes) ONCHIP_CALL(cudaFuncGetName) ONCHIP_CALL(cudaFuncGetParamInfo)
ONCHIP_CALL(cudaFuncSetAttribute) ONCHIP_CALL(cudaFuncSetCacheConfig) ONCHIP_CALL(cudaFuncSetSharedMemConfig)
ONCHIP_CALL(cudaGetChannelDesc) ONCHIP_CALL(cudaGetDevice) ONCHIP_CALL(cudaGetDeviceCount)
ONCHIP_CALL(cudaGetDeviceFlags) ONCHIP_CALL(cudaGetDeviceProperties) ONCHIP_CALL(cudaGetDriverEntryPoint)
ONCHIP_CALL(cudaGetDriverEntryPointByVersion) ONCHIP_CALL(cudaGetExportTable) ONCHIP_CALL(cudaGetFuncBySymbol)
ONCHIP_CALL(cudaGetKernel) ONCHIP_CALL(cudaGetLastError) ONCHIP_CALL(cudaGetMipmappedArrayLevel)
ONCHIP_CALL(cudaGetSurfaceObjectResourceDesc) ONCHIP_CALL(cudaGetSymbolAddress) ONCHIP_CALL(cudaGetSymbolSize)
ONCHIP_CALL(cudaGetTextureObjectResourceDesc) ONCHIP_CALL(cudaGetTextureObjectResourceViewDesc)
ONCHIP_CALL(cudaGetTextureObjectTextureDesc) ONCHIP_CALL(cudaGraphAddChildGraphNode)
ONCHIP_CALL(cudaGraphAddDependencies) ONCHIP_CALL(cudaGraphAddEmptyNode) ONCHIP_CALL(cudaGraphAddEventRecordNode)
ONCHIP_CALL(cudaGraphAddEventWaitNode) ONCHIP_CALL(cudaGraphAddExternalSemaphoresSignalNode)
ONCHIP_CALL(cudaGraphAddExternalSemaphoresWaitNode) ONCHIP_CALL(cudaGraphAddHostNode)
ONCHIP_CALL(cudaGraphAddKernelNode) ONCHIP_CALL(cudaGraphAddMemAllocNode) ONCHIP_CALL(cudaGraphAddMemFreeNode)
ONCHIP_CALL(cudaGraphAddMemcpyNode) ONCHIP_CALL(cudaGraphAddMemcpyNode1D)
ONCHIP_CALL(cudaGraphAddMemcpyNodeFromSymbol) ONCHIP_CALL(cudaGraphAddMemcpyNodeToSymbol)
ONCHIP_CALL(cudaGraphAddMemsetNode) ONCHIP_CALL(cudaGraphAddNode) ONCHIP_CALL(cudaGraphChildGraphNodeGetGraph)
ONCHIP_CALL(cudaGraphClone) ONCHIP_CALL(cudaGraphConditionalHandleCreate) ONCHIP_CALL(cudaGraphCreate)
ONCHIP_CALL(cudaGraphDebugDotPrint) ONCHIP_CALL(cudaGraphDestroy) ONCHIP_CALL(cudaGraphDestroyNode)
ONCHIP_CALL(cudaGraphEventRecordNodeGetEvent) ONCHIP_CALL(cudaGraphEventRecordNodeSetEvent)
ONCHIP_CALL(cudaGraphEventWaitNodeGetEvent) ONCHIP_CALL(cudaGraphEventWaitNodeSetEvent)
ONCHIP_CALL(cudaGraphExecChildGraphNodeSetParams) ONCHIP_CALL(cudaGraphExecDestroy)
ONCHIP_CALL(cudaGraphExecEventRecordNodeSetEvent) ONCHIP_CALL(cudaGraphExecEventWaitNodeSetEvent)
ONCHIP_CALL(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
ONCHIP_CALL(cudaGraphExecExternalSemaphoresWaitNodeSetParams) ONCHIP_CALL(cudaGraphExecGetFlags)
ONCHIP_CALL(cudaGraphExecHostNodeSetParams) ONCHIP_CALL(cudaGraphExecKernelNodeSetParams)
ONCHIP_CALL(cudaGraphExecMemcpyNodeSetParams) ONCHIP_CALL(cudaGraphExecMemcpyNodeSetParams1D)
ONCHIP_CALL(cudaGraphExecMemcpyNodeSetParamsFromSymbol) ONCHIP_CALL(cudaGraphExecMemcpyNodeSetParamsToSymbol)
ONCHIP_CALL(cudaGraphExecMemsetNodeSetParams) ONCHIP_CALL(cudaGraphExecNodeSetParams)
ONCHIP_CALL(cudaGraphExecUpdate) ONCHIP_CALL(cudaGraphExternalSemaphoresSignalNodeGetParams)
ONCHIP_CALL(cudaGraphExternalSemaphoresSignalNodeSetParams)
ONCHIP_CALL(cudaGraphExternalSemaphoresWaitNodeGetParams) ONCHIP_CALL(cudaGraphExternalSemaphoresWaitNodeSetParams)
ONCHIP_CALL(cudaGraphGetEdges) ONCHIP_CALL(cudaGraphGetNodes) ONCHIP_CALL(cudaGraphGetRootNodes)
ONCHIP_CALL(cudaGraphHostNodeGetParams) ONCHIP_CALL(cudaGraphHostNodeSetParams) ONCHIP_CALL(cudaGraphInstantiate)
ONCHIP_CALL(cudaGraphInstantiateWithFlags) ONCHIP_CALL(cudaGraphInstantiateWithParams)
ONCHIP_CALL(cudaGraphKernelNodeCopyAttributes) ONCHIP_CALL(cudaGraphKernelNodeGetAttribute)
ONCHIP_CALL(cudaGraphKernelNodeGetParams) ONCHIP_CALL(cudaGraphKernelNodeSetAttribute)
ONCHIP_CALL(cudaGraphKernelNodeSetParams) ONCHIP_CALL(cudaGraphLaunch) ONCHIP_CALL(cudaGraphMemAllocNodeGetParams)
ONCHIP_CALL(cudaGraphMemFreeNodeGetParams) ONCHIP_CALL(cudaGraphMemcpyNodeGetParams)
ONCHIP_CALL(cudaGraphMemcpyNodeSetParams) ONCHIP_CALL(cudaGraphMemcpyNodeSetParams1D)
ONCHIP_CALL(cudaGraphMemcpyNodeSetParamsFromSymbol) ONCHIP_CALL(cudaGraphMemcpyNodeSetParamsToSymbol)
ONCHIP_CALL(cudaGraphMemsetNodeGetParams) ONCHIP_CALL(cudaGraphMemsetNodeSetParams)
ONCHIP_CALL(cudaGraphNodeFindInClone) ONCHIP_CALL(cudaGraphNodeGetDependencies)
ONCHIP_CALL(cudaGraphNodeGetDependentNodes) ONCHIP_CALL(cudaGraphNodeGetEnabled) ONCHIP_CALL(cudaGraphNodeGetType)
ONCHIP_CALL(cudaGraphNodeSetEnabled) ONCHIP_CALL(cudaGraphNodeSetParams) ONCHIP_CALL(cudaGraphReleaseUserObject)
ONCHIP_CALL(cudaGraphRemoveDependencies) ONCHIP_CALL(cudaGraphRetainUserObject) ONCHIP_CALL(cudaGraphUpload)
ONCHIP_CALL(cudaHostAlloc) ONCHIP_CALL(cudaHostGetDevicePointer) ONCHIP_CALL(cudaHostGetFlags)
ONCHIP_CALL(cudaHostRegister) ONCHIP_CALL(cudaHostUnregister) ONCHIP_CALL(cudaImportExternalMemory)
ONCHIP_CALL(cudaImportExternalSemaphore) ONCHIP_CALL(cudaInitDevice) ONCHIP_CALL(cudaIpcCloseMemHandle)
ONCHIP_CALL(cudaIpcGetEventHandle) ONCHIP_CALL(cudaIpcGetMemHandle) ONCHIP_CALL(cudaIpcOpenEventHandle)
ONCHIP_CALL(cudaIpcOpenMemHandle) ONCHIP_CALL(cudaKernelSetAttributeForDevice)
ONCHIP_CALL(cudaLaunchCooperativeKernel) ONCHIP_CALL(cudaLaunchHostFunc) ONCHIP_CALL(cudaLaunchKernel)
ONCHIP_CALL(cudaLaunchKernelExC) ONCHIP_CALL(cudaLibraryEnumerateKernels) ONCHIP_CALL(cudaLibraryGetGlobal)
ONCHIP_CALL(cudaLibraryGetKernel) ONCHIP_CALL(cudaLibraryGetKernelCount) ONCHIP_CALL(cudaLibraryGetManaged)
ONCHIP_CALL(cudaLibraryGetUnifiedFunction) ONCHIP_CALL(cudaLibraryLoadData) ONCHIP_CALL(cudaLibraryLoadFromFile)
ONCHIP_CALL(cudaLibraryUnload) ONCHIP_CALL(cudaLogsCurrent) ONCHIP_CALL(cudaLogsDumpToFile)
ONCHIP_CALL(cudaLogsDumpToMemory) ONCHIP_CALL(cudaLogsRegisterCallback) ONCHIP_CALL(cudaLogsUnregisterCallback)
ONCHIP_CALL(cudaMalloc) ONCHIP_CALL(cudaMalloc3D) ONCHIP_CALL(cudaMalloc3DArray) ONCHIP_CALL(cudaMallocArray)
ONCHIP_CALL(cudaMallocAsync) ONCHIP_CALL(cudaMallocFromPoolAsync) ONCHIP_CALL(cudaMallocHost)
ONCHIP_CALL(cudaMallocManaged) ONCHIP_CALL(cudaMallocMipmappedArray) ONCHIP_CALL(cudaMallocPitch)
ONCHIP_CALL(cudaMemAdvise) ONCHIP_CALL(cudaMemDiscardAndPrefetchBatchAsync) ONCHIP_CALL(cudaMemDiscardBatchAsync)
ONCHIP_CALL(cudaMemGetDefaultMemPool) ONCHIP_CALL(cudaMemGetInfo) ONCHIP_CALL(cudaMemGetMemPool)
ONCHIP_CALL(cudaMemPoolCreate) ONCHIP_CALL(cudaMemPoolDestroy) ONCHIP_CALL(cudaMemPoolExportPointer)
ONCHIP_CALL(cudaMemPoolExportToShareableHandle) ONCHIP_CALL(cudaMemPoolGetAccess)
ONCHIP_CALL(cudaMemPoolGetAttribute) ONCHIP_CALL(cudaMemPoolImportFromShareableHandle)
ONCHIP_CALL(cudaMemPoolImportPointer) ONCHIP_CALL(cudaMemPoolSetAccess) ONCHIP_CALL(cudaMemPoolSetAttribute)
ONCHIP_CALL(cudaMemPoolTrimTo) ONCHIP_CALL(cudaMemPrefetchAsync) ONCHIP_CALL(cudaMemPrefetchBatchAsync)
ONCHIP_CALL(cudaMemRangeGetAttribute) ONCHIP_CALL(cudaMemRangeGetAttributes) ONCHIP_CALL(cudaMemSetMemPool)
ONCHIP_CALL(cudaMemcpy) ONCHIP_CALL(cudaMemcpy2D) ONCHIP_CALL(cudaMemcpy2DArrayToArray)
ONCHIP_CALL(cudaMemcpy2DAsync) ONCHIP_CALL(cudaMemcpy2DFromArray) ONCHIP_CALL(cudaMemcpy2DFromArrayAsync)
ONCHIP_CALL(cudaMemcpy2DToArray) ONCHIP_CALL(cudaMemcpy2DToArrayAsync) ONCHIP_CALL(cudaMemcpy3D)
ONCHIP_CALL(cudaMemcpy3DAsync) ONCHIP_CALL(cudaMemcpy3DBatchAsync) ONCHIP_CALL(cudaMemcpy3DPeer)
ONCHIP_CALL(cudaMemcpy3DPeerAsync) ONCHIP_CALL(cudaMemcpyArrayToArray) ONCHIP_CALL(cudaMemcpyAsync)
ONCHIP_CALL(cudaMemcpyBatchAsync) ONCHIP_CALL(cudaMemcpyFromArray) ONCHIP_CALL(cudaMemcpyFromArrayAsync)
ONCHIP_CALL(cudaMemcpyFromSymbol) ONCHIP_CALL(cudaMemcpyFromSymbolAsync) ONCHIP_CALL(cudaMemcpyPeer)
ONCHIP_CALL(cudaMemcpyPeerAsync) ONCHIP_CALL(cudaMemcpyToArray) ONCHIP_CALL(cudaMemcpyToArrayAsync)
ONCHIP_CALL(cudaMemcpyToSymbol) ONCHIP_CALL(cudaMemcpyToSymbolAsync) ONCHIP_CALL(cudaMemset)
ONCHIP_CALL(cudaMemset2D) ONCHIP_CALL(cudaMemset2DAsync) ONCHIP_CALL(cudaMemset3D) ONCHIP_CALL(cudaMemset3DAsync)
ONCHIP_CALL(cudaMemsetAsync) ONCHIP_CALL(cudaMipmappedArrayGetMemoryRequirements)
ONCHIP_CALL(cudaMipmappedArrayGetSparseProperties) ONCHIP_CALL(cudaOccupancyAvailableDynamicSMemPerBlock)
ONCHIP_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
ONCHIP_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) ONCHIP_CALL(cudaOccupancyMaxActiveClusters)
ONCHIP_CALL(cudaOccupancyMaxPotentialClusterSize) ONCHIP_CALL(cudaPeekAtLastError)
ONCHIP_CALL(cudaPointerGetAttributes) ONCHIP_CALL(cudaProfilerStart) ONCHIP_CALL(cudaProfilerStop)
ONCHIP_CALL(cudaRuntimeGetVersion) ONCHIP_CALL(cudaSetDevice) ONCHIP_CALL(cudaSetDeviceFlags)
ONCHIP_CALL(cudaSetValidDevices) ONCHIP_CALL(cudaSignalExternalSemaphoresAsync) ONCHIP_CALL(cudaStreamAddCallback)
ONCHIP_CALL(cudaStreamAttachMemAsync) ONCHIP_CALL(cudaStreamBeginCapture) ONCHIP_CALL(cudaStreamBeginCaptureToGraph)
ONCHIP_CALL(cudaStreamCopyAttributes) ONCHIP_CALL(cudaStreamCreate) ONCHIP_CALL(cudaStreamCreateWithFlags)
ONCHIP_CALL(cudaStreamCreateWithPriority) ONCHIP_CALL(cudaStreamDestroy) ONCHIP_CALL(cudaStreamEndCapture)
ONCHIP_CALL(cudaStreamGetAttribute) ONCHIP_CALL(cudaStreamGetCaptureInfo) ONCHIP_CALL(cudaStreamGetDevice)
ONCHIP_CALL(cudaStreamGetFlags) ONCHIP_CALL(cudaStreamGetId) ONCHIP_CALL(cudaStreamGetPriority)
ONCHIP_CALL(cudaStreamIsCapturing) ONCHIP_CALL(cudaStreamQuery) ONCHIP_CALL(cudaStreamSetAttribute)
ONCHIP_CALL(cudaStreamSynchronize) ONCHIP_CALL(cudaStreamUpdateCaptureDependencies) ONCHIP_CALL(cudaStreamWaitEvent)
ONCHIP_CALL(cudaThreadExchangeStreamCaptureMode) ONCHIP_CALL(cudaUserObjectCreate)
ONCHIP_CALL(cudaUserObjectRelease) ONCHIP_CALL(cudaUserObjectRetain) ONCHIP_CALL(cudaWaitExternalSemaphoresAsync)
ONCHIP_CALL(cudaOccupancyMaxPotentialBlockSize) ONCHIP_CALL(cudaLaunchKernelEx)
// Before CUDA 12.
ONCHIP_CALL(cudaThreadExit) ONCHIP_CALL(cudaThreadSynchronize) ONCHIP_CALL(cudaThreadSetCacheConfig)
ONCHIP_CALL(cudaThreadSetLimit)
#undef ONCHIP_CALL

#endif
