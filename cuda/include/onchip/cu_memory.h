// onchip/cu_memory.h: memory of the device, of the host and of both, copies and fills, pools, addresses that get memory
// later, memory of other processes.
#ifndef ONCHIP_CU_MEMORY_H
#define ONCHIP_CU_MEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

// --- memory of the device and of the host ----------------------------------------------------------------------------
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEMHOSTREGISTER_IOMEMORY 0x04
#define CU_MEMHOSTREGISTER_READ_ONLY 0x08
typedef enum CUmemAttach_flags_enum {
    CU_MEM_ATTACH_GLOBAL = 1,
    CU_MEM_ATTACH_HOST = 2,
    CU_MEM_ATTACH_SINGLE = 4
} CUmemAttach_flags;
CUresult cuMemGetInfo(size_t *free_bytes, size_t *total);
CUresult cuMemAlloc(CUdeviceptr *at, size_t bytes);
CUresult cuMemAllocPitch(CUdeviceptr *at, size_t *pitch, size_t width, size_t height, unsigned element);
CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned flags);
CUresult cuMemFree(CUdeviceptr at);
CUresult cuMemGetAddressRange(CUdeviceptr *start, size_t *bytes, CUdeviceptr at);
CUresult cuMemAllocHost(void **at, size_t bytes);
CUresult cuMemHostAlloc(void **at, size_t bytes, unsigned flags);
CUresult cuMemFreeHost(void *at);
CUresult cuMemHostGetDevicePointer(CUdeviceptr *on_device, void *at, unsigned flags);
CUresult cuMemHostGetFlags(unsigned *flags, void *at);
CUresult cuMemHostRegister(void *at, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *at);

// --- copies ----------------------------------------------------------------------------------------------------------
typedef enum CUmemorytype_enum {
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE,
    CU_MEMORYTYPE_ARRAY,
    CU_MEMORYTYPE_UNIFIED
} CUmemorytype;
typedef struct CUDA_MEMCPY2D_st {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_MEMCPY3D_PEER_st {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    CUcontext srcContext;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    CUcontext dstContext;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D_PEER;
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoA(CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes);
CUresult cuMemcpyHtoA(CUarray to, size_t to_offset, const void *from, size_t bytes);
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t from_offset, size_t bytes);
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes);
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy);
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy);
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy);
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes,
                           CUstream stream);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyHtoAAsync(CUarray to, size_t to_offset, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t from_offset, size_t bytes, CUstream stream);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream);

// --- fills -----------------------------------------------------------------------------------------------------------
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count);
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height);
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height);
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream);
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream);
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream);
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                            CUstream stream);

// --- where memory lies, and hints about it ---------------------------------------------------------------------------
typedef enum CUmemLocationType_enum {
    CU_MEM_LOCATION_TYPE_INVALID = 0,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEM_LOCATION_TYPE_HOST = 2,
    CU_MEM_LOCATION_TYPE_HOST_NUMA = 3,
    CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4,
    CU_MEM_LOCATION_TYPE_MAX = 0x7fffffff
} CUmemLocationType;
typedef struct CUmemLocation_st {
    CUmemLocationType type;
    int id;
} CUmemLocation;
typedef enum CUmem_advise_enum {
    CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
    CU_MEM_ADVISE_UNSET_READ_MOSTLY,
    CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
    CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
    CU_MEM_ADVISE_SET_ACCESSED_BY,
    CU_MEM_ADVISE_UNSET_ACCESSED_BY
} CUmem_advise;
typedef enum CUmem_range_attribute_enum {
    CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
    CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID
} CUmem_range_attribute;
CUresult cuMemPrefetchAsync(CUdeviceptr at, size_t bytes, CUdevice to, CUstream stream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr at, size_t bytes, CUmemLocation to, unsigned flags, CUstream stream);
CUresult cuMemAdvise(CUdeviceptr at, size_t bytes, CUmem_advise advice, CUdevice device);
CUresult cuMemAdvise_v2(CUdeviceptr at, size_t bytes, CUmem_advise advice, CUmemLocation location);
CUresult cuMemRangeGetAttribute(void *value, size_t room, CUmem_range_attribute attribute, CUdeviceptr at,
                                size_t bytes);
CUresult cuMemRangeGetAttributes(void **values, size_t *rooms, CUmem_range_attribute *attributes, size_t count,
                                 CUdeviceptr at, size_t bytes);

typedef enum CUpointer_attribute_enum {
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
    CU_POINTER_ATTRIBUTE_HOST_POINTER,
    CU_POINTER_ATTRIBUTE_P2P_TOKENS,
    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
    CU_POINTER_ATTRIBUTE_BUFFER_ID,
    CU_POINTER_ATTRIBUTE_IS_MANAGED,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
    CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
    CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    CU_POINTER_ATTRIBUTE_MAPPED,
    CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
    CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE,
    CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
    CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
    CU_POINTER_ATTRIBUTE_MAPPING_SIZE,
    CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR,
    CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID,
    CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE
} CUpointer_attribute;
typedef struct CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st {
    unsigned long long p2pToken;
    unsigned vaSpaceToken;
} CUDA_POINTER_ATTRIBUTE_P2P_TOKENS;
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr at);
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values, CUdeviceptr at);
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr at);

// --- addresses that get memory later ---------------------------------------------------------------------------------
#define CU_MEM_CREATE_USAGE_TILE_POOL 0x1
typedef unsigned long long CUmemGenericAllocationHandle;
typedef enum CUmemAllocationHandleType_enum {
    CU_MEM_HANDLE_TYPE_NONE = 0,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    CU_MEM_HANDLE_TYPE_WIN32 = 2,
    CU_MEM_HANDLE_TYPE_WIN32_KMT = 4,
    CU_MEM_HANDLE_TYPE_FABRIC = 8,
    CU_MEM_HANDLE_TYPE_MAX = 0x7fffffff
} CUmemAllocationHandleType;
typedef enum CUmemAllocationType_enum {
    CU_MEM_ALLOCATION_TYPE_INVALID = 0,
    CU_MEM_ALLOCATION_TYPE_PINNED = 1,
    CU_MEM_ALLOCATION_TYPE_MAX = 0x7fffffff
} CUmemAllocationType;
typedef enum CUmemAllocationCompType_enum {
    CU_MEM_ALLOCATION_COMP_NONE = 0,
    CU_MEM_ALLOCATION_COMP_GENERIC = 1
} CUmemAllocationCompType;
typedef enum CUmemAllocationGranularity_flags_enum {
    CU_MEM_ALLOC_GRANULARITY_MINIMUM,
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
} CUmemAllocationGranularity_flags;
typedef enum CUmemAccess_flags_enum {
    CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
    CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    CU_MEM_ACCESS_FLAGS_PROT_MAX = 0x7fffffff
} CUmemAccess_flags;
typedef enum CUmemRangeHandleType_enum {
    CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD = 1,
    CU_MEM_RANGE_HANDLE_TYPE_MAX = 0x7fffffff
} CUmemRangeHandleType;
typedef struct CUmemAllocationProp_st {
    CUmemAllocationType type;
    CUmemAllocationHandleType requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;
typedef struct CUmemAccessDesc_st {
    CUmemLocation location;
    CUmemAccess_flags flags;
} CUmemAccessDesc;
CUresult cuMemAddressReserve(CUdeviceptr *at, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes);
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
                     unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr at, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *list, size_t count);
CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr at);
CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags which);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *at);
CUresult cuMemExportToShareableHandle(void *shared, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared,
                                        CUmemAllocationHandleType type);
CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr at, size_t bytes, CUmemRangeHandleType type,
                                       unsigned long long flags);

// --- pools -----------------------------------------------------------------------------------------------------------
typedef enum CUmemPool_attribute_enum {
    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
    CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
    CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_USED_MEM_HIGH
} CUmemPool_attribute;
typedef struct CUmemPoolProps_st {
    CUmemAllocationType allocType;
    CUmemAllocationHandleType handleTypes;
    CUmemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
} CUmemPoolProps;
typedef struct CUmemPoolPtrExportData_st {
    unsigned char reserved[64];
} CUmemPoolPtrExportData;
CUresult cuMemAllocAsync(CUdeviceptr *at, size_t bytes, CUstream stream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *at, size_t bytes, CUmemoryPool pool, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr at, CUstream stream);
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties);
CUresult cuMemPoolDestroy(CUmemoryPool pool);
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep);
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count);
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location);
CUresult cuMemPoolExportToShareableHandle(void *shared, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags);
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *shared, CUmemAllocationHandleType type,
                                            unsigned long long flags);
CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr at);
CUresult cuMemPoolImportPointer(CUdeviceptr *at, CUmemoryPool pool, CUmemPoolPtrExportData *data);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);

// --- other processes -------------------------------------------------------------------------------------------------
#define CU_IPC_HANDLE_SIZE 64
typedef enum CUipcMem_flags_enum { CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1 } CUipcMem_flags;
typedef struct CUipcEventHandle_st {
    char reserved[CU_IPC_HANDLE_SIZE];
} CUipcEventHandle;
typedef struct CUipcMemHandle_st {
    char reserved[CU_IPC_HANDLE_SIZE];
} CUipcMemHandle;
CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr at);
CUresult cuIpcOpenMemHandle(CUdeviceptr *at, CUipcMemHandle handle, unsigned flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr at);
CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle);

#ifdef __cplusplus
}
#endif
#endif
