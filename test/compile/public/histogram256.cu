// Histogram of bytes three ways (global atomics, shared atomics, sub-histograms of a warp), with zero-copy input.
#include "cuda.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>
using namespace std;

#define SIZE (16 * 1024)
#define BIN_COUNT 256
#define WARPS 4
#define UMUL(a, b) ((a) * (b))
#define UMAD(a, b, c) (UMUL((a), (b)) + (c))

#define CUDA_SAFE_CALL(call)                                                                                          \
    {                                                                                                                 \
        cudaError err = call;                                                                                         \
        if (cudaSuccess != err) {                                                                                     \
            cerr << "Cuda error in file '" << __FILE__ << "' in line " << __LINE__ << ": " << cudaGetErrorString(err) \
                 << endl;                                                                                             \
            exit(EXIT_FAILURE);                                                                                       \
        }                                                                                                             \
    }

__global__ void histo_kernel(unsigned char *buffer, long size, unsigned int *histo)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&(histo[buffer[i]]), 1);
        i += stride;
    }
}
__global__ void histo_shared(const uchar4 *buffer, long size, unsigned int *histo)
{
    __shared__ unsigned int temp[BIN_COUNT];
    for (int b = threadIdx.x; b < BIN_COUNT; b += blockDim.x) temp[b] = 0;
    __syncthreads();
    for (int i = UMAD(blockIdx.x, blockDim.x, threadIdx.x); i < size / 4; i += UMUL(blockDim.x, gridDim.x)) {
        uchar4 v = buffer[i];
        atomicAdd(temp + v.x, 1), atomicAdd(temp + v.y, 1), atomicAdd(temp + v.z, 1), atomicAdd(temp + v.w, 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BIN_COUNT; b += blockDim.x)
        if (temp[b]) atomicAdd(&histo[b], temp[b]);
}
inline __device__ void addByte(uint *s_WarpHist, uint data) { atomicAdd(s_WarpHist + data, 1U); }
inline __device__ void addWord(uint *s_WarpHist, uint data)
{
    addByte(s_WarpHist, (data >> 0) & 0xFFU);
    addByte(s_WarpHist, (data >> 8) & 0xFFU);
    addByte(s_WarpHist, (data >> 16) & 0xFFU);
    addByte(s_WarpHist, (data >> 24) & 0xFFU);
}
__global__ void __launch_bounds__(WARPS * 32, 2) histo_warps(uint *d_PartialHistograms, uint *d_Data, uint dataCount)
{
    __shared__ uint s_Hist[WARPS * BIN_COUNT];
    uint *s_WarpHist = s_Hist + (threadIdx.x >> 5) * BIN_COUNT;
    for (uint i = 0; i < BIN_COUNT / 32; i++) s_Hist[threadIdx.x + i * WARPS * 32] = 0;
    __syncthreads();
    for (uint pos = UMAD(blockIdx.x, blockDim.x, threadIdx.x); pos < dataCount; pos += UMUL(blockDim.x, gridDim.x))
        addWord(s_WarpHist, d_Data[pos]);
    __syncthreads();
    for (uint bin = threadIdx.x; bin < BIN_COUNT; bin += WARPS * 32) {
        uint sum = 0;
        for (uint i = 0; i < WARPS; i++) sum += s_Hist[bin + i * BIN_COUNT] & 0x07FFFFFFU;
        d_PartialHistograms[blockIdx.x * BIN_COUNT + bin] = sum;
    }
}

int main(void)
{
    ostringstream text;
    ifstream self("/proc/self/exe", ios::binary);
    text << self.rdbuf();
    string bytes = text.str();
    bytes.resize(SIZE, '?');
    unsigned char *buffer, *mapped;
    CUDA_SAFE_CALL(cudaSetDeviceFlags(cudaDeviceMapHost));
    CUDA_SAFE_CALL(cudaHostAlloc((void **)&buffer, SIZE, cudaHostAllocWriteCombined | cudaHostAllocMapped));
    memcpy(buffer, bytes.data(), SIZE);
    CUDA_SAFE_CALL(cudaHostGetDevicePointer((void **)&mapped, (void *)buffer, 0));
    vector<unsigned> want(BIN_COUNT);
    for_each(bytes.begin(), bytes.end(), [&](unsigned char c) { ++want[c]; });

    const int blocks = 6;
    unsigned int *dev_histo, *dev_partial, histo[BIN_COUNT], wrong = 0;
    CUDA_SAFE_CALL(cudaMalloc((void **)&dev_histo, sizeof histo));
    CUDA_SAFE_CALL(cudaMalloc((void **)&dev_partial, blocks * sizeof histo));
    CUDA_SAFE_CALL(cudaFuncSetCacheConfig(histo_shared, cudaFuncCachePreferShared));
    for (int which = 0; which < 3; which++) {
        CUDA_SAFE_CALL(cudaMemset(dev_histo, 0, BIN_COUNT * sizeof(int)));
        if (which == 0) histo_kernel<<<blocks, 256>>>(mapped, SIZE, dev_histo);
        if (which == 1) histo_shared<<<blocks, 128>>>(reinterpret_cast<const uchar4 *>(mapped), SIZE, dev_histo);
        if (which == 2) histo_warps<<<blocks, WARPS * 32>>>(dev_partial, (uint *)mapped, SIZE / 4);
        vector<unsigned> got(BIN_COUNT), partial(blocks * BIN_COUNT);
        CUDA_SAFE_CALL(cudaMemcpy(&got[0], dev_histo, sizeof histo, cudaMemcpyDeviceToHost));
        if (which == 2) {
            CUDA_SAFE_CALL(cudaMemcpy(&partial[0], dev_partial, blocks * sizeof histo, cudaMemcpyDeviceToHost));
            for (size_t i = 0; i < partial.size(); i++) got[i % BIN_COUNT] += partial[i];
        }
        wrong += !equal(want.begin(), want.end(), got.begin());
        cout << "variant " << which << ": most frequent byte " << max_element(got.begin(), got.end()) - got.begin()
             << endl;
    }
    CUDA_SAFE_CALL(cudaFreeHost(buffer));
    cout << (wrong ? "FAILED" : "PASSED") << endl;
    return wrong;
}
