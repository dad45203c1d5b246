// lps: Laplace's equation on a grid of nx·ny·nz points, a step of Jacobi's iteration a launch: each inner point becomes
// the mean of its six neighbours; the points on the grid's faces keep their values. ISPASS 2009's definition (Giles): a
// block of 32x4 threads has a tile of x and y and goes through all z. Three planes of the tile and a frame of one point
// around it are in shared memory. At each z the planes move down by one and the next plane is read.
#include "cuda.h"

#define TILE_X 32
#define TILE_Y 4
#define FRAME (2 * (TILE_X + TILE_Y + 2))  // points around a tile, with the corners, which no point needs
#define PLANE ((TILE_X + 2) * (TILE_Y + 2))

// What a thread brings of each plane: a point of the grid and its place in shared memory.
struct Point {
    int at;       // in the grid
    float *here;  // in the middle plane
    bool on_grid;
    __device__ __forceinline__ void read(const float *from) {
        if (on_grid) here[PLANE] = from[at];
    }
    __device__ __forceinline__ void move_down() {
        if (!on_grid) return;
        here[-PLANE] = here[0];
        here[0] = here[PLANE];
    }
};

extern "C" __global__ void lps_step(int nx, int ny, int nz, int pitch, const float *from, float *to) {
    __shared__ float planes[3 * PLANE];
    float *const middle = planes + PLANE + (TILE_X + 2) + 1;  // the tile's first point
    const int tx = threadIdx.x, ty = threadIdx.y, t = TILE_X * ty + tx, stride = pitch * ny;
    const int left = TILE_X * blockIdx.x, top = TILE_Y * blockIdx.y, x = left + tx, y = top + ty;
    Point own = {pitch * y + x, middle + (TILE_X + 2) * ty + tx, x < nx && y < ny};

    // Some threads bring a point of the frame too: the first 64 those above and below the tile, the next those beside.
    const bool row = t < 2 * TILE_X;
    const int fx = row ? tx : t % 2 ? TILE_X : -1, fy = !row ? t / 2 - TILE_X - 1 : ty ? TILE_Y : -1;
    const int gx = left + fx, gy = top + fy;
    const bool framed = t < FRAME && gx >= 0 && gx < nx && gy >= 0 && gy < ny;
    Point frame = {pitch * gy + gx, middle + (TILE_X + 2) * fy + fx, framed};

    const bool inner_column = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    own.read(from);
    frame.read(from);
    for (int z = 0; z < nz; z++, own.at += stride, frame.at += stride) {
        own.move_down();
        frame.move_down();
        if (z < nz - 1) {
            own.read(from + stride);
            frame.read(from + stride);
        }
        __syncthreads();
        if (own.on_grid) {
            const float *u = own.here;
            const bool inner = inner_column && z > 0 && z < nz - 1;
            to[own.at] =
                inner ? (u[-1] + u[1] + u[-TILE_X - 2] + u[TILE_X + 2] + u[-PLANE] + u[PLANE]) * (1.0f / 6) : u[0];
        }
        __syncthreads();
    }
}
