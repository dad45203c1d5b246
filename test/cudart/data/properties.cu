// Each field of cudaDeviceProp that an attribute says, too, has the attribute's value. Nothing is written behind it.
#include <cstdio>
#include <cstring>

static long long of(cudaDeviceAttr attribute)
{
    int value = -1;
    cudaDeviceGetAttribute(&value, attribute, 0);
    return value;
}

int main()
{
    struct {
        cudaDeviceProp p;
        unsigned char behind[64];
    } x;
    int wrong = 0;
    std::memset(&x, 0xee, sizeof x);
    if (cudaGetDeviceProperties(&x.p, 0)) return 1;
    for (unsigned char b : x.behind) wrong += b != 0xee;
#define SAME(field, attribute) \
    if ((long long)x.p.field != of(cudaDevAttr##attribute)) \
    wrong++, std::printf(#field ": %lld\n", (long long)x.p.field)
    SAME(sharedMemPerBlock, MaxSharedMemoryPerBlock);
    SAME(regsPerBlock, MaxRegistersPerBlock);
    SAME(warpSize, WarpSize);
    SAME(memPitch, MaxPitch);
    SAME(maxThreadsPerBlock, MaxThreadsPerBlock);
    SAME(maxThreadsDim[2], MaxBlockDimZ);
    SAME(maxGridSize[0], MaxGridDimX);
    SAME(maxGridSize[2], MaxGridDimZ);
    SAME(totalConstMem, TotalConstantMemory);
    SAME(major, ComputeCapabilityMajor);
    SAME(minor, ComputeCapabilityMinor);
    SAME(textureAlignment, TextureAlignment);
    SAME(texturePitchAlignment, TexturePitchAlignment);
    SAME(multiProcessorCount, MultiProcessorCount);
    SAME(integrated, Integrated);
    SAME(canMapHostMemory, CanMapHostMemory);
    SAME(maxTexture1D, MaxTexture1DWidth);
    SAME(maxTexture2D[1], MaxTexture2DHeight);
    SAME(maxTexture2DLinear[2], MaxTexture2DLinearPitch);
    SAME(maxTexture3D[2], MaxTexture3DDepth);
    SAME(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers);
    SAME(maxSurface2DLayered[2], MaxSurface2DLayeredLayers);
    SAME(surfaceAlignment, SurfaceAlignment);
    SAME(concurrentKernels, ConcurrentKernels);
    SAME(pciBusID, PciBusId);
    SAME(asyncEngineCount, AsyncEngineCount);
    SAME(unifiedAddressing, UnifiedAddressing);
    SAME(l2CacheSize, L2CacheSize);
    SAME(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
    SAME(streamPrioritiesSupported, StreamPrioritiesSupported);
    SAME(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
    SAME(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
    SAME(managedMemory, ManagedMemory);
    SAME(concurrentManagedAccess, ConcurrentManagedAccess);
    SAME(cooperativeLaunch, CooperativeLaunch);
    SAME(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
    SAME(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
    SAME(clusterLaunch, ClusterLaunch);
    SAME(hostRegisterSupported, HostRegisterSupported);
    SAME(memoryPoolsSupported, MemoryPoolsSupported);
    std::printf("%d wrong, %s\n", wrong, x.p.name);
}
