// nn: a neural network that recognises handwritten digits, many images at a time. ISPASS 2009's definition (Billconan
// and Kavinguy, after Simard): a kernel a layer. Two layers convolve windows of 5x5 that lie two pixels apart: 29x29
// pixels to 6 maps of 13x13 neurons, and those to 50 maps of 5x5. Then 100 and 10 neurons each see the whole layer
// before them. A block makes one map, or one neuron, of one image; a thread makes one neuron. Neurons and weights are
// read from global memory. Constant memory has the places of a window's pixels.
#include "cuda.h"

#define WINDOW 25  // weights of a 5x5 window

// Where a window's pixels are in rows of 29 pixels and of 13.
__constant__ int window_of_29[WINDOW] = {0,  1,  2,  3,  4,  29, 30, 31, 32,  33,  58,  59, 60,
                                         61, 62, 87, 88, 89, 90, 91, 116, 117, 118, 119, 120};
__constant__ int window_of_13[WINDOW] = {0,  1,  2,  3,  4,  13, 14, 15, 16, 17, 26, 27, 28,
                                         29, 30, 39, 40, 41, 42, 43, 52, 53, 54, 55, 56};

static __device__ __forceinline__ float squash(float sum) { return 1.7159f * tanhf(0.66666667f * sum); }

// Blocks (map, image) of 13x13 threads. A map's weights are a bias and a window.
extern "C" __global__ void nn_layer1(const float *images, const float *weights, float *neurons) {
    const int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    const float *pixels = images + 29 * 29 * blockIdx.y + 29 * 2 * y + 2 * x, *w = weights + (1 + WINDOW) * map;
    float sum = w[0];
    for (int i = 0; i < WINDOW; i++) sum += pixels[window_of_29[i]] * w[1 + i];
    neurons[13 * 13 * (6 * blockIdx.y + map) + 13 * y + x] = squash(sum);
}

// Blocks (map, image) of 5x5 threads. A map's weights are a bias and, for each place of the window, the six maps'.
// There is room for six biases, of which only the first is used.
extern "C" __global__ void nn_layer2(const float *before, const float *weights, float *neurons) {
    const int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    const float *pixels = before + 13 * 13 * 6 * blockIdx.y + 13 * 2 * y + 2 * x, *w = weights + 6 * (1 + WINDOW) * map;
    float sum = w[0];
    for (int i = 0; i < WINDOW; i++)
        for (int m = 0; m < 6; m++) sum += pixels[13 * 13 * m + window_of_13[i]] * w[1 + 6 * i + m];
    neurons[5 * 5 * (50 * blockIdx.y + map) + 5 * y + x] = squash(sum);
}

// The sum for neuron blockIdx.x of image blockIdx.y, which sees all `count` neurons before it.
static __device__ __forceinline__ float sum_of_all(int count, const float *before, const float *weights) {
    const float *w = weights + (1 + count) * blockIdx.x, *neurons = before + count * blockIdx.y;
    float sum = w[0];
    for (int i = 0; i < count; i++) sum += neurons[i] * w[1 + i];
    return sum;
}

// Blocks (neuron, image) of one thread.
extern "C" __global__ void nn_layer3(const float *before, const float *weights, float *neurons) {
    neurons[100 * blockIdx.y + blockIdx.x] = squash(sum_of_all(50 * 5 * 5, before, weights));
}

// Blocks (neuron, image) of one thread.
extern "C" __global__ void nn_layer4(const float *before, const float *weights, float *neurons) {
    neurons[10 * blockIdx.y + blockIdx.x] = squash(sum_of_all(100, before, weights));
}
