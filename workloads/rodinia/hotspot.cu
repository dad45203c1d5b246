// hotspot: the temperature of a chip's grid cells, driven by their power and by heat flow to their neighbours and to
// the package. Rodinia's definition and pyramid: a 16x16 block takes a tile to shared memory and makes `steps` steps on
// it, each valid one cell further in, so that blocks overlap by 2·steps and only the middle is written.
#include "cuda.h"

#define BLOCK 16

extern "C" __global__ void hotspot(int steps, int n, const float *power, const float *from, float *to,
                                   float step_by_cap, float rx1, float ry1, float rz1, float ambient) {
    __shared__ float now[BLOCK][BLOCK], next[BLOCK][BLOCK], heat[BLOCK][BLOCK];
    const int inner = BLOCK - 2 * steps, tx = threadIdx.x, ty = threadIdx.y;
    const int left = inner * (int)blockIdx.x - steps, top = inner * (int)blockIdx.y - steps;
    const int x = left + tx, y = top + ty;
    const bool on_grid = x >= 0 && x < n && y >= 0 && y < n;
    if (on_grid) {
        now[ty][tx] = from[y * n + x];
        heat[ty][tx] = power[y * n + x];
    }
    __syncthreads();

    // At the grid's edge a cell is its own neighbour.
    const int west = max(tx - 1, -left), east = min(tx + 1, n - 1 - left);
    const int north = max(ty - 1, -top), south = min(ty + 1, n - 1 - top);
    bool valid = false;
    for (int s = 1; s <= steps; s++) {
        valid = on_grid && tx >= s && tx < BLOCK - s && ty >= s && ty < BLOCK - s;
        if (valid) {
            const float t = now[ty][tx];
            next[ty][tx] = t + step_by_cap * (heat[ty][tx] + (now[south][tx] + now[north][tx] - 2.0f * t) * ry1 +
                                              (now[ty][east] + now[ty][west] - 2.0f * t) * rx1 + (ambient - t) * rz1);
        }
        __syncthreads();
        if (s == steps) break;
        if (valid) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (valid) to[y * n + x] = next[ty][tx];
}
