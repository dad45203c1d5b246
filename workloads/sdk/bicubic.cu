// bicubic: an enlarged part of a picture, by cubic B-splines. CUDA SDK's definition (BicubicTexture): a thread makes a
// pixel from the 4x4 texels around its place, each with a weight for its column and one for its row. The picture is a
// texture: of bytes, which are read as floats of [0, 1]. bicubic fetches the 16 texels. bicubic_filtered makes do with
// four fetches: the texture unit mixes two neighbours in a row, and two rows, in the ratio of their weights (Sigg,
// Hadwiger: "Fast Third-Order Texture Filtering", GPU Gems 2).
#include "cuda.h"

// Where a place is, along an axis: the centre of the texel before it, and the weights of four texels, of which that is
// the second.
struct Axis {
    float centre, w0, w1, w2, w3;
    __device__ __forceinline__ Axis(float place) : centre(floorf(place - 0.5f) + 0.5f) {
        const float t = place - centre, s = 1 - t;
        w0 = s * s * s / 6;
        w1 = 2.0f / 3 - t * t * (1 - t / 2);
        w2 = 2.0f / 3 - s * s * (1 - s / 2);
        w3 = t * t * t / 6;
    }
};

struct Texels {
    static __device__ __forceinline__ float row(cudaTextureObject_t picture, Axis x, float y) {
        return x.w0 * tex2D<float>(picture, x.centre - 1, y) + x.w1 * tex2D<float>(picture, x.centre, y) +
               x.w2 * tex2D<float>(picture, x.centre + 1, y) + x.w3 * tex2D<float>(picture, x.centre + 2, y);
    }
    static __device__ __forceinline__ float at(cudaTextureObject_t picture, Axis x, Axis y) {
        return y.w0 * row(picture, x, y.centre - 1) + y.w1 * row(picture, x, y.centre) +
               y.w2 * row(picture, x, y.centre + 1) + y.w3 * row(picture, x, y.centre + 2);
    }
};

// Halfway between two texels the texture unit mixes them one to one, further on it takes more of the second.
struct Filtered {
    static __device__ __forceinline__ float row(cudaTextureObject_t picture, Axis x, float y) {
        const float before = x.w0 + x.w1, after = x.w2 + x.w3;
        return before * tex2D<float>(picture, x.centre - 1 + x.w1 / before, y) +
               after * tex2D<float>(picture, x.centre + 1 + x.w3 / after, y);
    }
    static __device__ __forceinline__ float at(cudaTextureObject_t picture, Axis x, Axis y) {
        const float before = y.w0 + y.w1, after = y.w2 + y.w3;
        return before * row(picture, x, y.centre - 1 + y.w1 / before) +
               after * row(picture, x, y.centre + 1 + y.w3 / after);
    }
};

// What is enlarged lies around the picture's middle (x_middle, y_middle), but x_by texels to the right and y_by further
// down. scale: texels for a pixel.
template <class Source>
static __device__ __forceinline__ void enlarge(int width, int height, cudaTextureObject_t picture, float scale,
                                               float x_middle, float y_middle, float x_by, float y_by, uchar4 *to) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float grey = Source::at(picture, Axis((x - x_middle) * scale + x_middle + x_by),
                                  Axis((y - y_middle) * scale + y_middle + y_by));
    const unsigned char level = grey * 255;
    to[y * width + x] = make_uchar4(level, level, level, 0);
}

extern "C" __global__ void bicubic(int width, int height, cudaTextureObject_t picture, float scale, float x_middle,
                                   float y_middle, float x_by, float y_by, uchar4 *to) {
    enlarge<Texels>(width, height, picture, scale, x_middle, y_middle, x_by, y_by, to);
}

extern "C" __global__ void bicubic_filtered(int width, int height, cudaTextureObject_t picture, float scale,
                                            float x_middle, float y_middle, float x_by, float y_by, uchar4 *to) {
    enlarge<Filtered>(width, height, picture, scale, x_middle, y_middle, x_by, y_by, to);
}
