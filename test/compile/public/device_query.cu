// What the runtime says of devices, functions and pointers: properties, attributes, limits, peers, occupancy.
#include <cstring>
#include <cuda_runtime.h>
#include <iostream>
#include <memory>
#include <string>

inline int _ConvertSMVer2Cores(int major, int minor)
{
    typedef struct {
        int SM;
        int Cores;
    } sSMtoCores;
    sSMtoCores nGpuArchCoresPerSM[] = {{0x20, 32},  {0x30, 192}, {0x70, 64}, {0x80, 64},
                                       {0x86, 128}, {0x90, 128}, {-1, -1}};
    for (int index = 0; nGpuArchCoresPerSM[index].SM != -1; index++)
        if (nGpuArchCoresPerSM[index].SM == ((major << 4) + minor)) return nGpuArchCoresPerSM[index].Cores;
    return 64;
}
__constant__ int table[100];
__device__ double scratch[12];
__global__ void __launch_bounds__(256) small(int *p) { p[threadIdx.x] = table[threadIdx.x % 100] + threadIdx.x; }
__global__ void large(float *p)
{
    extern __shared__ float dynamic[];
    __shared__ float fixed[512];
    fixed[threadIdx.x] = p[threadIdx.x], dynamic[threadIdx.x] = p[threadIdx.x + 512];
    __syncthreads();
    p[threadIdx.x] = fixed[511 - threadIdx.x] + dynamic[511 - threadIdx.x];
}
static int failures = 0;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(failures++, std::cout << "line " << __LINE__ << ": " #condition << std::endl))

int main(int argc, char **argv)
{
    printf("%s Starting...\n\n CUDA Device Query (Runtime API) version (CUDART static linking)\n\n", argv[0]);
    int deviceCount = 0, driverVersion = 0, runtimeVersion = 0;
    cudaError_t error_id = cudaGetDeviceCount(&deviceCount);
    if (error_id != cudaSuccess) {
        printf("cudaGetDeviceCount returned %d\n-> %s\n", static_cast<int>(error_id), cudaGetErrorString(error_id));
        exit(EXIT_FAILURE);
    }
    for (int dev = 0; dev < deviceCount; ++dev) {
        cudaSetDevice(dev);
        cudaDeviceProp deviceProp;
        cudaGetDeviceProperties(&deviceProp, dev);
        printf("\nDevice %d: \"%s\"\n", dev, deviceProp.name);
        cudaDriverGetVersion(&driverVersion);
        cudaRuntimeGetVersion(&runtimeVersion);
        printf("  CUDA Driver Version / Runtime Version          %d.%d / %d.%d\n", driverVersion / 1000,
               (driverVersion % 100) / 10, runtimeVersion / 1000, (runtimeVersion % 100) / 10);
        char msg[256];
        snprintf(msg, sizeof(msg), "  Total amount of global memory:                 %.0f MBytes (%llu bytes)\n",
                 static_cast<float>(deviceProp.totalGlobalMem / 1048576.0f),
                 (unsigned long long)deviceProp.totalGlobalMem);
        printf("%s", msg);
        printf("  (%03d) Multiprocessors, (%03d) CUDA Cores/MP:    %d CUDA Cores\n", deviceProp.multiProcessorCount,
               _ConvertSMVer2Cores(deviceProp.major, deviceProp.minor),
               _ConvertSMVer2Cores(deviceProp.major, deviceProp.minor) * deviceProp.multiProcessorCount);
        printf("  GPU Max Clock rate: %.0f MHz, Memory: %.0f Mhz, %d-bit, L2 %d bytes\n", deviceProp.clockRate * 1e-3f,
               deviceProp.memoryClockRate * 1e-3f, deviceProp.memoryBusWidth, deviceProp.l2CacheSize);
        printf("  Max Texture: 1D=(%d), 2D=(%d, %d), 3D=(%d, %d, %d)\n", deviceProp.maxTexture1D,
               deviceProp.maxTexture2D[0], deviceProp.maxTexture2D[1], deviceProp.maxTexture3D[0],
               deviceProp.maxTexture3D[1], deviceProp.maxTexture3D[2]);
        printf("  constant %zu, shared %zu, registers %d, pitch %zu, alignment %zu\n", deviceProp.totalConstMem,
               deviceProp.sharedMemPerBlock, deviceProp.regsPerBlock, deviceProp.memPitch, deviceProp.textureAlignment);
        const char *sComputeMode[] = {"Default (multiple host threads can use ::cudaSetDevice())",
                                      "Exclusive",
                                      "Prohibited",
                                      "Exclusive Process",
                                      "Unknown",
                                      NULL};
        printf("  Compute Mode:\n     < %s >\n", sComputeMode[deviceProp.computeMode]);
        printf("  Device supports Unified Addressing (UVA):      %s\n", deviceProp.unifiedAddressing ? "Yes" : "No");
        printf("  PCI %d/%d/%d, ECC %s, managed %d, cooperative %d\n", deviceProp.pciDomainID, deviceProp.pciBusID,
               deviceProp.pciDeviceID, deviceProp.ECCEnabled ? "Enabled" : "Disabled", deviceProp.managedMemory,
               deviceProp.cooperativeLaunch);
        EXPECT(deviceProp.warpSize == 32 && deviceProp.maxThreadsPerBlock == 1024);
        int value = 0;
        EXPECT(!cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, dev) && value == deviceProp.major);
        EXPECT(!cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, dev) && value >= 48 * 1024);
        for (int peer = 0; peer < deviceCount; ++peer)
            EXPECT(!cudaDeviceCanAccessPeer(&value, dev, peer) && (dev != peer || !value));
    }
    size_t free_bytes, total, limit, bytes;
    EXPECT(!cudaMemGetInfo(&free_bytes, &total) && free_bytes <= total);
    for (auto which : {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize})
        EXPECT(!cudaDeviceGetLimit(&limit, which) && limit > 0);
    EXPECT(!cudaGetSymbolSize(&bytes, table) && bytes == sizeof(int) * 100);
    EXPECT(!cudaGetSymbolSize(&bytes, scratch) && bytes == 96);

    cudaFuncAttributes attr;
    EXPECT(!cudaFuncGetAttributes(&attr, large));
    printf("large: %d registers, %zu bytes static shared, %d threads\n", attr.numRegs, attr.sharedSizeBytes,
           attr.maxThreadsPerBlock);
    EXPECT(attr.sharedSizeBytes == 2048);
    EXPECT(!cudaFuncGetAttributes(&attr, small) && attr.maxThreadsPerBlock == 256);
    int numBlocks, minGridSize, blockSize;
    EXPECT(!cudaOccupancyMaxActiveBlocksPerMultiprocessor(&numBlocks, small, 256, 0) && numBlocks >= 4);
    EXPECT(!cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        &minGridSize, &blockSize, large, [](int threads) -> size_t { return threads * sizeof(float); }));
    EXPECT(blockSize % 32 == 0 && minGridSize > 0);
    EXPECT(!cudaFuncSetCacheConfig(large, cudaFuncCachePreferShared));
    EXPECT(!cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 40 * 1024));
    EXPECT(!cudaFuncSetAttribute((void *)large, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 cudaSharedmemCarveoutMaxShared));
    float *p, host[1024];
    for (int i = 0; i < 1024; ++i) host[i] = i;
    EXPECT(!cudaMalloc(&p, sizeof host) && !cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    large<<<1, 512, 40 * 1024>>>(p);
    EXPECT(!cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost) && host[3] == 508 + 1020);
    cudaPointerAttributes where;
    EXPECT(!cudaPointerGetAttributes(&where, p) && where.type == cudaMemoryTypeDevice && where.devicePointer == p);
    EXPECT(!cudaPointerGetAttributes(&where, host) && where.type == cudaMemoryTypeUnregistered);
    small<<<1, 2048>>>(nullptr);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
    EXPECT(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
    cudaUUID_t uuid;
    cudaDeviceProp prop;
    EXPECT(!cudaGetDeviceProperties(&prop, 0));
    memcpy(&uuid, &prop.uuid, sizeof uuid);
    std::string sProfileString = "deviceQuery, CUDA Driver = CUDART, NumDevs = " + std::to_string(deviceCount);
    std::cout << sProfileString << "\nResult = " << (failures ? "FAILED" : "PASSED") << "\n";
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
