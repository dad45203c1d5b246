// onchip/cu_external.h: memory and semaphores that Vulkan and others have, and resources of graphics.
#ifndef ONCHIP_CU_EXTERNAL_H
#define ONCHIP_CU_EXTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

// --- memory ----------------------------------------------------------------------------------------------------------
#define CUDA_EXTERNAL_MEMORY_DEDICATED 0x1
typedef enum CUexternalMemoryHandleType_enum {
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF
} CUexternalMemoryHandleType;
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st {
    CUexternalMemoryHandleType type;
    union {
        int fd;
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *nvSciBufObject;
    } handle;
    unsigned long long size;
    unsigned flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {
    unsigned long long offset, size;
    unsigned flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st {
    unsigned long long offset;
    CUDA_ARRAY3D_DESCRIPTOR arrayDesc;
    unsigned numLevels, reserved[16];
} CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;
CUresult cuImportExternalMemory(CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *handle);
CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *at, CUexternalMemory memory,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *buffer);
CUresult cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *array, CUexternalMemory memory,
                                                 const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *shape);
CUresult cuDestroyExternalMemory(CUexternalMemory memory);

// --- semaphores ------------------------------------------------------------------------------------------------------
#define CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC 0x01
#define CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC 0x02
typedef enum CUexternalSemaphoreHandleType_enum {
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32
} CUexternalSemaphoreHandleType;
typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {
    CUexternalSemaphoreHandleType type;
    union {
        int fd;
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *nvSciSyncObj;
    } handle;
    unsigned flags, reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
        } keyedMutex;
        unsigned reserved[12];
    } params;
    unsigned flags, reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
typedef struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
            unsigned timeoutMs;
        } keyedMutex;
        unsigned reserved[10];
    } params;
    unsigned flags, reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
CUresult cuImportExternalSemaphore(CUexternalSemaphore *semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *handle);
CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *list,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params, unsigned count,
                                         CUstream stream);
CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *list,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params, unsigned count,
                                       CUstream stream);
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore semaphore);

// --- resources of graphics -------------------------------------------------------------------------------------------
typedef enum CUgraphicsRegisterFlags_enum {
    CU_GRAPHICS_REGISTER_FLAGS_NONE = 0,
    CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY = 1,
    CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 2,
    CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST = 4,
    CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER = 8
} CUgraphicsRegisterFlags;
typedef enum CUgraphicsMapResourceFlags_enum {
    CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE = 0,
    CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY = 1,
    CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 2
} CUgraphicsMapResourceFlags;
CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource);
CUresult cuGraphicsMapResources(unsigned count, CUgraphicsResource *resources, CUstream stream);
CUresult cuGraphicsUnmapResources(unsigned count, CUgraphicsResource *resources, CUstream stream);
CUresult cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned flags);
CUresult cuGraphicsResourceGetMappedPointer(CUdeviceptr *at, size_t *bytes, CUgraphicsResource resource);
CUresult cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *array, CUgraphicsResource resource);
CUresult cuGraphicsSubResourceGetMappedArray(CUarray *array, CUgraphicsResource resource, unsigned index,
                                             unsigned level);

#ifdef __cplusplus
}
#endif
#endif
