// driver_types.h: the runtime's enumerations and structures, with the names, values and layouts of the CUDA Runtime API
// reference for CUDA 12, which has all that CUDA 11 has and most of what came later.
#ifndef ONCHIP_DRIVER_TYPES_H
#define ONCHIP_DRIVER_TYPES_H
#include "onchip/letters_off.h"
#define __DRIVER_TYPES_H__

#include "onchip/cu_uuid.h"

#include "vector_types.h"

#include <limits.h>
#include <stddef.h>

// --- errors ------------------------------------------------------------------------------------------------------------
enum cudaError {
#define ERROR(number, name, text) name = number,
#include "onchip/errors.def"
#undef ERROR
    cudaErrorApiFailureBase = 10000
};
typedef enum cudaError cudaError_t;

// --- handles -----------------------------------------------------------------------------------------------------------
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef struct CUuuid_st cudaUUID_t;
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
typedef void (CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *user);
typedef void (CUDART_CB *cudaHostFn_t)(void *user);
typedef size_t (*cudaOccupancyB2DSize)(int block_size);

// --- memory ------------------------------------------------------------------------------------------------------------
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly = 1,
    cudaMemRangeAttributePreferredLocation,
    cudaMemRangeAttributeAccessedBy,
    cudaMemRangeAttributeLastPrefetchLocation
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid,
    cudaMemLocationTypeDevice,
    cudaMemLocationTypeHost,
    cudaMemLocationTypeHostNuma,
    cudaMemLocationTypeHostNumaCurrent
};
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold,
    cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh,
    cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh
};
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned, cudaMemAllocationTypeMax = 0x7fffffff };
enum cudaMemAllocationHandleType {
    cudaMemHandleTypeNone = 0,
    cudaMemHandleTypePosixFileDescriptor = 1,
    cudaMemHandleTypeWin32 = 2,
    cudaMemHandleTypeWin32Kmt = 4
};
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead = 1, cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};

// --- streams and events ------------------------------------------------------------------------------------------------
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventRecordExternal 0x01
#define cudaEventWaitDefault 0x00
#define cudaEventWaitExternal 0x01
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaStreamUpdateCaptureDependenciesFlags { cudaStreamAddCaptureDependencies, cudaStreamSetCaptureDependencies };
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
enum cudaSynchronizationPolicy {
    cudaSyncPolicyAuto = 1,
    cudaSyncPolicySpin,
    cudaSyncPolicyYield,
    cudaSyncPolicyBlockingSync
};

// --- devices -----------------------------------------------------------------------------------------------------------
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceScheduleMask 0x07
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaDeviceMask 0xff
enum cudaComputeMode {
    cudaComputeModeDefault,
    cudaComputeModeExclusive,
    cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1 = 0
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
    cudaLimitPersistingL2CacheSize
};
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
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
    int clockRate;
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
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
    int memoryClockRate;
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
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
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
    int reserved2[2];
    int reserved1;
    int reserved[60];
};
#define cudaDevicePropDontCare {{0}}
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX,
    cudaDevAttrMaxBlockDimY,
    cudaDevAttrMaxBlockDimZ,
    cudaDevAttrMaxGridDimX,
    cudaDevAttrMaxGridDimY,
    cudaDevAttrMaxGridDimZ,
    cudaDevAttrMaxSharedMemoryPerBlock,
    cudaDevAttrTotalConstantMemory,
    cudaDevAttrWarpSize,
    cudaDevAttrMaxPitch,
    cudaDevAttrMaxRegistersPerBlock,
    cudaDevAttrClockRate,
    cudaDevAttrTextureAlignment,
    cudaDevAttrGpuOverlap,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrKernelExecTimeout,
    cudaDevAttrIntegrated,
    cudaDevAttrCanMapHostMemory,
    cudaDevAttrComputeMode,
    cudaDevAttrMaxTexture1DWidth,
    cudaDevAttrMaxTexture2DWidth,
    cudaDevAttrMaxTexture2DHeight,
    cudaDevAttrMaxTexture3DWidth,
    cudaDevAttrMaxTexture3DHeight,
    cudaDevAttrMaxTexture3DDepth,
    cudaDevAttrMaxTexture2DLayeredWidth,
    cudaDevAttrMaxTexture2DLayeredHeight,
    cudaDevAttrMaxTexture2DLayeredLayers,
    cudaDevAttrSurfaceAlignment,
    cudaDevAttrConcurrentKernels,
    cudaDevAttrEccEnabled,
    cudaDevAttrPciBusId,
    cudaDevAttrPciDeviceId,
    cudaDevAttrTccDriver,
    cudaDevAttrMemoryClockRate,
    cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrL2CacheSize,
    cudaDevAttrMaxThreadsPerMultiProcessor,
    cudaDevAttrAsyncEngineCount,
    cudaDevAttrUnifiedAddressing,
    cudaDevAttrMaxTexture1DLayeredWidth,
    cudaDevAttrMaxTexture1DLayeredLayers,
    cudaDevAttrMaxTexture2DGatherWidth = 45,
    cudaDevAttrMaxTexture2DGatherHeight,
    cudaDevAttrMaxTexture3DWidthAlt,
    cudaDevAttrMaxTexture3DHeightAlt,
    cudaDevAttrMaxTexture3DDepthAlt,
    cudaDevAttrPciDomainId,
    cudaDevAttrTexturePitchAlignment,
    cudaDevAttrMaxTextureCubemapWidth,
    cudaDevAttrMaxTextureCubemapLayeredWidth,
    cudaDevAttrMaxTextureCubemapLayeredLayers,
    cudaDevAttrMaxSurface1DWidth,
    cudaDevAttrMaxSurface2DWidth,
    cudaDevAttrMaxSurface2DHeight,
    cudaDevAttrMaxSurface3DWidth,
    cudaDevAttrMaxSurface3DHeight,
    cudaDevAttrMaxSurface3DDepth,
    cudaDevAttrMaxSurface1DLayeredWidth,
    cudaDevAttrMaxSurface1DLayeredLayers,
    cudaDevAttrMaxSurface2DLayeredWidth,
    cudaDevAttrMaxSurface2DLayeredHeight,
    cudaDevAttrMaxSurface2DLayeredLayers,
    cudaDevAttrMaxSurfaceCubemapWidth,
    cudaDevAttrMaxSurfaceCubemapLayeredWidth,
    cudaDevAttrMaxSurfaceCubemapLayeredLayers,
    cudaDevAttrMaxTexture1DLinearWidth,
    cudaDevAttrMaxTexture2DLinearWidth,
    cudaDevAttrMaxTexture2DLinearHeight,
    cudaDevAttrMaxTexture2DLinearPitch,
    cudaDevAttrMaxTexture2DMipmappedWidth,
    cudaDevAttrMaxTexture2DMipmappedHeight,
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrMaxTexture1DMipmappedWidth,
    cudaDevAttrStreamPrioritiesSupported,
    cudaDevAttrGlobalL1CacheSupported,
    cudaDevAttrLocalL1CacheSupported,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaDevAttrMaxRegistersPerMultiprocessor,
    cudaDevAttrManagedMemory,
    cudaDevAttrIsMultiGpuBoard,
    cudaDevAttrMultiGpuBoardGroupID,
    cudaDevAttrHostNativeAtomicSupported,
    cudaDevAttrSingleToDoublePrecisionPerfRatio,
    cudaDevAttrPageableMemoryAccess,
    cudaDevAttrConcurrentManagedAccess,
    cudaDevAttrComputePreemptionSupported,
    cudaDevAttrCanUseHostPointerForRegisteredMem,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrCooperativeMultiDeviceLaunch,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrCanFlushRemoteWrites,
    cudaDevAttrHostRegisterSupported,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables,
    cudaDevAttrDirectManagedMemAccessFromHost,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108,
    cudaDevAttrMaxAccessPolicyWindowSize,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrSparseCudaArraySupported,
    cudaDevAttrHostRegisterReadOnlySupported,
    cudaDevAttrTimelineSemaphoreInteropSupported,
    cudaDevAttrMemoryPoolsSupported,
    cudaDevAttrGPUDirectRDMASupported,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions,
    cudaDevAttrGPUDirectRDMAWritesOrdering,
    cudaDevAttrMemoryPoolSupportedHandleTypes,
    cudaDevAttrClusterLaunch,
    cudaDevAttrDeferredMappingCudaArraySupported,
    cudaDevAttrIpcEventSupport = 125,
    cudaDevAttrMemSyncDomainCount,
    cudaDevAttrUnifiedFunctionPointers = 129
};
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported,
    cudaDevP2PAttrNativeAtomicSupported,
    cudaDevP2PAttrCudaArrayAccessSupported
};
#define CUDA_IPC_HANDLE_SIZE 64
#define cudaIpcMemLazyEnablePeerAccess 0x01
typedef struct cudaIpcEventHandle_st {
    char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcEventHandle_t;
typedef struct cudaIpcMemHandle_st {
    char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcMemHandle_t;
#define cudaPeerAccessDefault 0x00

// --- kernels -----------------------------------------------------------------------------------------------------------
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
        clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout,
    cudaFuncAttributeClusterDimMustBeSet,
    cudaFuncAttributeRequiredClusterWidth,
    cudaFuncAttributeRequiredClusterHeight,
    cudaFuncAttributeRequiredClusterDepth,
    cudaFuncAttributeNonPortableClusterSizeAllowed,
    cudaFuncAttributeClusterSchedulingPolicyPreference,
    cudaFuncAttributeMax
};
enum cudaClusterSchedulingPolicy {
    cudaClusterSchedulingPolicyDefault,
    cudaClusterSchedulingPolicySpread,
    cudaClusterSchedulingPolicyLoadBalancing
};
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore,
    cudaLaunchAttributeAccessPolicyWindow,
    cudaLaunchAttributeCooperative,
    cudaLaunchAttributeSynchronizationPolicy,
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeClusterSchedulingPolicyPreference,
    cudaLaunchAttributeProgrammaticStreamSerialization,
    cudaLaunchAttributeProgrammaticEvent,
    cudaLaunchAttributePriority,
    cudaLaunchAttributeMemSyncDomainMap,
    cudaLaunchAttributeMemSyncDomain,
    cudaLaunchAttributePreferredClusterDimension,
    cudaLaunchAttributeLaunchCompletionEvent
};
typedef enum cudaLaunchAttributeID cudaLaunchAttributeID;
#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaKernelNodeAttrID cudaLaunchAttributeID
typedef union cudaLaunchAttributeValue {
    char pad[64];
    struct cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative;
    enum cudaSynchronizationPolicy syncPolicy;
    struct {
        unsigned x, y, z;
    } clusterDim;
    enum cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
    int programmaticStreamSerializationAllowed;
    struct {
        cudaEvent_t event;
        int flags, triggerAtBlockStart;
    } programmaticEvent;
    int priority;
} cudaLaunchAttributeValue;
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaKernelNodeAttrValue cudaLaunchAttributeValue
typedef struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    char pad[8 - sizeof(int)];
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;
#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01

// --- arrays, textures and surfaces -------------------------------------------------------------------------------------
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
enum cudaResourceViewFormat { cudaResViewFormatNone };
struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0c
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2
#define cudaTextureTypeCubemapLayered 0xfc

// --- others ------------------------------------------------------------------------------------------------------------
enum cudaGetDriverEntryPointFlags {
    cudaEnableDefault,
    cudaEnableLegacyStream,
    cudaEnablePerThreadDefaultStream
};
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess,
    cudaDriverEntryPointSymbolNotFound,
    cudaDriverEntryPointVersionNotSufficent
};
enum cudaOutputMode { cudaKeyValuePair, cudaCSV };
typedef enum cudaOutputMode cudaOutputMode_t;

#include "onchip/letters_back.h"
#endif
