// dwthaar1d: the whole Haar wavelet decomposition of a signal. CUDA SDK, dwtHaar1D. A level makes of each two
// neighbours their scaled sum and their scaled difference. The differences are coefficients of the result; the sums are
// the next level's signal. A block of up to 512 threads takes two values a thread to shared memory and makes all levels
// of them, down to one sum. The sums of all blocks are the signal of the next launch.
#include "cuda.h"

#define ROOT_HALF 0.707106781f
#define BANKS 16  // of the shared memory that the SDK's sample was written for

// Where sum i of the first level is. Later levels read at distances of powers of two; a gap after each 16 sums keeps
// most of these reads from meeting in one bank.
static __device__ __forceinline__ unsigned at(unsigned i) { return i + i / BANKS; }

// Shared memory: 2 floats a thread. The coefficients of a level with n values stand at n / 2 to n - 1 of the result.
extern "C" __global__ void haar(const float *signal, float *coefficients, float *sums) {
    extern __shared__ float part[];
    const unsigned t = threadIdx.x, block = blockIdx.x, first = 2 * blockDim.x * block + t;
    part[t] = signal[first];
    part[t + blockDim.x] = signal[first + blockDim.x];
    __syncthreads();
    const float left = part[2 * t], right = part[2 * t + 1];
    __syncthreads();
    coefficients[blockDim.x * (gridDim.x + block) + t] = (left - right) * ROOT_HALF;
    part[at(t)] = (left + right) * ROOT_HALF;
    __syncthreads();

    unsigned apart = 1;  // of what a pair of this level is sums
    for (unsigned pairs = blockDim.x / 2; pairs > 0; pairs /= 2) {
        if (t < pairs) {
            const unsigned a = at(2 * apart * t), b = at(2 * apart * t + apart);
            coefficients[pairs * (gridDim.x + block) + t] = (part[a] - part[b]) * ROOT_HALF;
            part[a] = (part[a] + part[b]) * ROOT_HALF;
        }
        apart *= 2;
        __syncthreads();
    }
    if (t == 0) sums[block] = part[0];
}
