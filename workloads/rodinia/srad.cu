// srad: an ultrasound image without its speckle. Yu, Acton: speckle-reducing anisotropic diffusion; Rodinia's srad_v2.
// A pixel moves towards its neighbours, the less the more it looks like an edge. In each step srad_coefficient finds
// how much all pixels move, and srad_move moves them. A block has 16x16 pixels. It brings them, and the pixels beyond
// its four sides, to shared memory, where each side has a tile of its own. As in Rodinia, results pass through shared
// memory, too; volatile keeps compilers from leaving these tiles out.
#include "cuda.h"

#define BLOCK 16

// speckle: the squared variation of a region that has nothing but speckle. Leaves the differences between a pixel and
// its four neighbours, and how far the pixel may move: 0 on an edge, 1 where the image is even.
extern "C" __global__ void srad_coefficient(int columns, float speckle, const float *image, float *to_north,
                                            float *to_south, float *to_west, float *to_east, float *coefficient) {
    __shared__ float here[BLOCK][BLOCK];
    volatile __shared__ float result[BLOCK][BLOCK];
    __shared__ float north[BLOCK][BLOCK], south[BLOCK][BLOCK], west[BLOCK][BLOCK], east[BLOCK][BLOCK];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int corner = BLOCK * (columns * blockIdx.y + blockIdx.x), row = corner + columns * ty, at = row + tx;
    // At the image's edge a pixel is its own neighbour.
    north[ty][tx] = image[corner + tx - (blockIdx.y > 0 ? columns : 0)];
    south[ty][tx] = image[corner + tx + columns * (BLOCK - (blockIdx.y + 1 == gridDim.y))];
    __syncthreads();
    west[ty][tx] = image[row - (blockIdx.x > 0)];
    east[ty][tx] = image[row + BLOCK - (blockIdx.x + 1 == gridDim.x)];
    __syncthreads();
    here[ty][tx] = image[at];
    __syncthreads();

    const float pixel = here[ty][tx];
    const float n = (ty > 0 ? here[ty - 1][tx] : north[ty][tx]) - pixel;
    const float s = (ty < BLOCK - 1 ? here[ty + 1][tx] : south[ty][tx]) - pixel;
    const float w = (tx > 0 ? here[ty][tx - 1] : west[ty][tx]) - pixel;
    const float e = (tx < BLOCK - 1 ? here[ty][tx + 1] : east[ty][tx]) - pixel;
    const float gradient = (n * n + s * s + w * w + e * e) / (pixel * pixel), laplacian = (n + s + w + e) / pixel;
    const float mean = 1 + 0.25f * laplacian;
    const float variation = (0.5f * gradient - 0.0625f * (laplacian * laplacian)) / (mean * mean);
    const float c = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
    result[ty][tx] = c < 0 ? 0 : c > 1 ? 1 : c;
    __syncthreads();
    coefficient[at] = result[ty][tx];
    to_east[at] = e;
    to_west[at] = w;
    to_south[at] = s;
    to_north[at] = n;
}

// A pixel's flow to the south and to the east goes by the neighbour's coefficient, to the north and to the west by its
// own: so both pixels compute the same flow.
extern "C" __global__ void srad_move(int columns, float rate, float *image, const float *to_north,
                                     const float *to_south, const float *to_west, const float *to_east,
                                     const float *coefficient) {
    __shared__ float here[BLOCK][BLOCK];
    volatile __shared__ float result[BLOCK][BLOCK], pixel[BLOCK][BLOCK];
    __shared__ float south[BLOCK][BLOCK], east[BLOCK][BLOCK];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int corner = BLOCK * (columns * blockIdx.y + blockIdx.x), row = corner + columns * ty, at = row + tx;
    pixel[ty][tx] = image[at];
    __syncthreads();
    south[ty][tx] = coefficient[corner + tx + columns * (BLOCK - (blockIdx.y + 1 == gridDim.y))];
    __syncthreads();
    east[ty][tx] = coefficient[row + BLOCK - (blockIdx.x + 1 == gridDim.x)];
    __syncthreads();
    here[ty][tx] = coefficient[at];
    __syncthreads();

    const float own = here[ty][tx];
    const float of_south = ty < BLOCK - 1 ? here[ty + 1][tx] : south[ty][tx];
    const float of_east = tx < BLOCK - 1 ? here[ty][tx + 1] : east[ty][tx];
    const float flow = own * to_north[at] + of_south * to_south[at] + own * to_west[at] + of_east * to_east[at];
    result[ty][tx] = pixel[ty][tx] + 0.25f * rate * flow;
    __syncthreads();
    image[at] = result[ty][tx];
}
