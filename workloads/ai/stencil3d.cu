// stencil3d: a step of diffusion in a volume, which is read as a 3D texture: each place takes a part of what its six
// neighbours have more than it. Outside of the volume is zero, as the texture's border reads. A thread goes up a
// column.
#include "tensor.h"

FN float texel(unsigned long long volume, int x, int y, int z)
{
    float r, g, b, a;
    asm("tex.3d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
        : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
        : "l"(volume), "r"(x), "r"(y), "r"(z));
    return r;
}

extern "C" __global__ void stencil3d(int width, int height, int depth, float part, unsigned long long volume,
                                     float *out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float below = 0, here = texel(volume, x, y, 0);
    for (int z = 0; z < depth; z++) {
        const float above = texel(volume, x, y, z + 1);
        const float around = texel(volume, x - 1, y, z) + texel(volume, x + 1, y, z) + texel(volume, x, y - 1, z) +
                             texel(volume, x, y + 1, z);
        out[((size_t)z * height + y) * width + x] = here + part * (around + above + below - 6 * here);
        below = here, here = above;
    }
}
