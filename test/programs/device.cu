// The device: its properties and its attributes say the same, and are what CUDA's documents demand of each GPU of that
// compute capability (CUDA C++ Programming Guide, "Compute Capabilities").
#include "check.cuh"

#include <cstring>

static int attribute(cudaDeviceAttr a)
{
    int value = -1;
    MUST(cudaDeviceGetAttribute(&value, a, 0));
    return value;
}

int main()
{
    int count, device = -1, version, chosen;
    cudaDeviceProp p;
    MUST(cudaGetDeviceCount(&count));
    CHECK(count == 1);
    MUST(cudaGetDevice(&device));
    CHECK(device == 0);
    MUST(cudaSetDevice(0));
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    MUST(cudaRuntimeGetVersion(&version));
    CHECK(version / 1000 == CUDART_VERSION / 1000);  // headers of 12.0 meet the last runtime of 12
    MUST(cudaGetDeviceProperties(&p, 0));
    CHECK(p.name[0] && strlen(p.name) < sizeof p.name);
    CHECK(p.warpSize == 32 && attribute(cudaDevAttrWarpSize) == 32);
    CHECK(p.maxThreadsPerBlock == 1024 && attribute(cudaDevAttrMaxThreadsPerBlock) == 1024);
    CHECK(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
    CHECK(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
    CHECK(p.totalConstMem == 65536);
    CHECK(p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount) && p.multiProcessorCount > 0);
    CHECK(p.major == attribute(cudaDevAttrComputeCapabilityMajor));
    CHECK(p.minor == attribute(cudaDevAttrComputeCapabilityMinor));
    CHECK(p.sharedMemPerBlock == (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    CHECK(p.sharedMemPerBlock == 49152);
    CHECK(p.sharedMemPerBlockOptin == (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    CHECK(p.l2CacheSize == attribute(cudaDevAttrL2CacheSize) && p.l2CacheSize > 0);
    CHECK(p.regsPerBlock == attribute(cudaDevAttrMaxRegistersPerBlock));
    CHECK(p.regsPerMultiprocessor == attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
    CHECK(p.maxThreadsPerMultiProcessor == attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
    CHECK(p.unifiedAddressing == 1 && p.managedMemory == 1 && p.canMapHostMemory == 1);
    CHECK(p.concurrentManagedAccess == attribute(cudaDevAttrConcurrentManagedAccess));
    CHECK(p.cooperativeLaunch == 1);
    CHECK(attribute(cudaDevAttrClockRate) > 0 && attribute(cudaDevAttrMemoryClockRate) > 0);
    if (p.major == 9) {  // as the table "Technical Specifications per Compute Capability" has it
        CHECK(p.maxThreadsPerMultiProcessor == 2048 && p.maxBlocksPerMultiProcessor == 32);
        CHECK(p.regsPerMultiprocessor == 65536 && p.regsPerBlock == 65536);
        CHECK(p.sharedMemPerBlockOptin == 227 * 1024 && p.sharedMemPerMultiprocessor == 228 * 1024);
    }
    size_t room, total;
    MUST(cudaMemGetInfo(&room, &total));
    CHECK(room <= total && total == p.totalGlobalMem);
    MUST(cudaChooseDevice(&chosen, &p));
    CHECK(chosen == 0);
    char bus[20];
    MUST(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    MUST(cudaDeviceGetByPCIBusId(&chosen, bus));
    CHECK(chosen == 0);
    size_t stack;
    MUST(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CHECK(stack > 0);
    MUST(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
    MUST(cudaDeviceGetLimit(&stack, cudaLimitMallocHeapSize));
    CHECK(stack >= 1 << 24);
    CHECK(cudaDeviceSetLimit((cudaLimit)99, 1) == cudaErrorUnsupportedLimit);
    int peer = -1;
    MUST(cudaDeviceCanAccessPeer(&peer, 0, 0));
    CHECK(peer == 0);
    CHECK(cudaGetDeviceProperties(&p, 1) == cudaErrorInvalidDevice);
    return verdict();
}
