// Rotates an image through a texture object with linear filtering and wrapping, as a first texture sample does.
#define _USE_MATH_DEFINES
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <cuda_runtime.h>

inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort) exit(code);
    }
}
#define gpuErrchk(ans)                        \
    {                                         \
        gpuAssert((ans), __FILE__, __LINE__); \
    }

__global__ void transformKernel(float *output, int width, int height, float theta, cudaTextureObject_t tex)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = (float)x / width - 0.5f, v = (float)y / height - 0.5f;
    float tu = u * cosf(theta) - v * sinf(theta);
    float tv = v * cosf(theta) + u * sinf(theta);
    output[y * width + x] = tex2D<float>(tex, tu + 0.5f, tv + 0.5f);
}

static float fetch(const float *img, int w, int h, int x, int y)
{
    return img[((y % h + h) % h) * w + (x % w + w) % w];
}
static float linear(const float *img, int w, int h, float x, float y)
{
    float bx = x * w - 0.5f, by = y * h - 0.5f;
    int i = (int)floorf(bx), j = (int)floorf(by);
    float a = bx - i, b = by - j;
    return (1 - a) * (1 - b) * fetch(img, w, h, i, j) + a * (1 - b) * fetch(img, w, h, i + 1, j) +
           (1 - a) * b * fetch(img, w, h, i, j + 1) + a * b * fetch(img, w, h, i + 1, j + 1);
}

int main()
{
    const int width = 64, height = 48;
    const float angle = 30 * (float)M_PI / 180;
    std::unique_ptr<float[]> h_data(new float[width * height]), h_out(new float[width * height]);
    for (int i = 0; i < width * height; ++i) h_data[i] = (float)((i * 37 + i / width * 11) % 97) / 97;

    cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray *cuArray;
    gpuErrchk(cudaMallocArray(&cuArray, &channelDesc, width, height));
    const size_t spitch = width * sizeof(float);
    gpuErrchk(cudaMemcpy2DToArray(cuArray, 0, 0, h_data.get(), spitch, width * sizeof(float), height,
                                  cudaMemcpyHostToDevice));
    struct cudaResourceDesc resDesc;
    memset(&resDesc, 0, sizeof(resDesc));
    resDesc.resType = cudaResourceTypeArray;
    resDesc.res.array.array = cuArray;
    struct cudaTextureDesc texDesc;
    memset(&texDesc, 0, sizeof(texDesc));
    texDesc.addressMode[0] = cudaAddressModeWrap;
    texDesc.addressMode[1] = cudaAddressModeWrap;
    texDesc.filterMode = cudaFilterModeLinear;
    texDesc.readMode = cudaReadModeElementType;
    texDesc.normalizedCoords = 1;
    cudaTextureObject_t texObj = 0;
    gpuErrchk(cudaCreateTextureObject(&texObj, &resDesc, &texDesc, NULL));

    float *output;
    gpuErrchk(cudaMalloc(&output, width * height * sizeof(float)));
    dim3 threadsperBlock(16, 16);
    dim3 numBlocks((width + threadsperBlock.x - 1) / threadsperBlock.x,
                   (height + threadsperBlock.y - 1) / threadsperBlock.y);
    transformKernel<<<numBlocks, threadsperBlock>>>(output, width, height, angle, texObj);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaMemcpy(h_out.get(), output, width * height * sizeof(float), cudaMemcpyDeviceToHost));
    gpuErrchk(cudaDestroyTextureObject(texObj));
    gpuErrchk(cudaFreeArray(cuArray));
    gpuErrchk(cudaFree(output));

    double worst = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float u = (float)x / width - 0.5f, v = (float)y / height - 0.5f;
            float want = linear(h_data.get(), width, height, u * cosf(angle) - v * sinf(angle) + 0.5f,
                                v * cosf(angle) + u * sinf(angle) + 0.5f);
            worst = fmax(worst, fabs(want - h_out[y * width + x]));
        }
    // The hardware's weights have 8 bits of fraction.
    printf("largest difference %.4f\n%s\n", worst, worst < 0.012 ? "PASSED" : "FAILED");
    return worst < 0.012 ? 0 : 1;
}
