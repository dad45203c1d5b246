// Heat in three dimensions: cudaMalloc3D and pitched pointers, copies of boxes, a 3D texture, layers of a 2D array.
#define X 20
#define Y 12
#define Z 10
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define DO(call)                                          \
    if (const cudaError_t e_ = (call); e_ != cudaSuccess) \
    return fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(e_)), 2

#define AT(p, x, y, z) ((float *)((char *)(p).ptr + (p).pitch * ((size_t)(z)*Y + (y))))[x]

__global__ void stencil(cudaPitchedPtr in, cudaPitchedPtr out, float k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= X || y >= Y) return;
    float below = 0, here = AT(in, x, y, 0), above;
    for (int z = 0; z < Z; z++, below = here, here = above) {
        above = z + 1 < Z ? AT(in, x, y, z + 1) : 0;
        const float sides = (x > 0 ? AT(in, x - 1, y, z) : 0) + (x + 1 < X ? AT(in, x + 1, y, z) : 0) +
                            (y > 0 ? AT(in, x, y - 1, z) : 0) + (y + 1 < Y ? AT(in, x, y + 1, z) : 0);
        AT(out, x, y, z) = here + k * (sides + below + above - 6 * here);
    }
}
__global__ void sample(cudaTextureObject_t volume, cudaTextureObject_t layers, float *out, float *layered)
{
    const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x, at = (z * Y + y) * X + x;
    out[at] = tex3D<float>(volume, x + 1.0f, y + 0.5f, z + 0.5f);  // half way to the next
    layered[at] = tex2DLayered<float>(layers, x + 0.5f, y + 0.5f, z);
}

int main()
{
    static float host[2][Z][Y][X], got[Z][Y][X], layered[Z][Y][X];
    const int steps = 5;
    for (int i = 0; i < X * Y * Z; i++) (&host[0][0][0][0])[i] = i % 17;
    const cudaExtent extent = make_cudaExtent(X * sizeof(float), Y, Z), elements = make_cudaExtent(X, Y, Z);
    cudaPitchedPtr d[2];
    for (cudaPitchedPtr &p : d) {
        DO(cudaMalloc3D(&p, extent));
        DO(cudaMemset3D(p, 0, extent));
    }
    cudaMemcpy3DParms up = {0};
    up.srcPtr = make_cudaPitchedPtr(host[0], X * sizeof(float), X, Y);
    up.dstPtr = d[0], up.extent = extent, up.kind = cudaMemcpyHostToDevice;
    DO(cudaMemcpy3D(&up));
    for (int s = 0; s < steps; s++) {
        stencil<<<dim3((X + 7) / 8, (Y + 7) / 8), dim3(8, 8)>>>(d[s & 1], d[~s & 1], 0.1f);
        for (int z = 0; z < Z; z++)
            for (int y = 0; y < Y; y++)
                for (int x = 0; x < X; x++) {
                    auto in = [&](int i, int j, int k) {
                        return i < 0 || j < 0 || k < 0 || i >= X || j >= Y || k >= Z ? 0 : host[s & 1][k][j][i];
                    };
                    const float v = in(x - 1, y, z) + in(x + 1, y, z) + in(x, y - 1, z) + in(x, y + 1, z);
                    host[~s & 1][z][y][x] =
                        in(x, y, z) + 0.1f * (v + in(x, y, z - 1) + in(x, y, z + 1) - 6 * in(x, y, z));
                }
    }
    cudaMemcpy3DParms down;
    memset(&down, 0, sizeof(down));
    down.srcPtr = d[steps & 1], down.dstPtr = make_cudaPitchedPtr(got, X * sizeof(float), X, Y);
    down.extent = extent, down.kind = cudaMemcpyDeviceToHost;
    DO(cudaMemcpy3D(&down));
    double err = 0, sampled = 0;
    for (int i = 0; i < X * Y * Z; i++) err = fmax(err, fabs((&got[0][0][0])[i] - (&host[steps & 1][0][0][0])[i]));

    cudaArray_t arrays[2];
    cudaTextureObject_t textures[2];
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    for (int k = 0; k < 2; k++) {
        DO(cudaMalloc3DArray(&arrays[k], &desc, elements, k ? cudaArrayLayered : cudaArrayDefault));
        cudaMemcpy3DParms p = {};
        p.srcPtr = d[steps & 1], p.dstArray = arrays[k], p.extent = elements, p.kind = cudaMemcpyDeviceToDevice;
        DO(cudaMemcpy3D(&p));
        cudaResourceDesc res{};
        res.resType = cudaResourceTypeArray, res.res.array.array = arrays[k];
        cudaTextureDesc how{};
        for (auto &mode : how.addressMode) mode = cudaAddressModeClamp;
        how.filterMode = k ? cudaFilterModePoint : cudaFilterModeLinear;
        DO(cudaCreateTextureObject(&textures[k], &res, &how, NULL));
    }
    float *out;
    DO(cudaMalloc(&out, 2 * sizeof got));
    const float(*before)[Y][X] = host[steps & 1];
    sample<<<Z, dim3(X, Y)>>>(textures[0], textures[1], out, out + X * Y * Z);
    DO(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    DO(cudaMemcpy(layered, out + X * Y * Z, sizeof layered, cudaMemcpyDeviceToHost));
    for (int z = 0; z < Z; z++)
        for (int y = 0; y < Y; y++)
            for (int x = 0; x < X; x++) {
                const double want = 0.5 * (before[z][y][x] + before[z][y][x + 1 < X ? x + 1 : x]);
                sampled = fmax(sampled, fmax(fabs(want - got[z][y][x]), fabs(before[z][y][x] - layered[z][y][x])));
            }
    printf("stencil %g, sampled %g\n", err, sampled);
    for (int k = 0; k < 2; k++) DO(cudaDestroyTextureObject(textures[k]));
    for (int k = 0; k < 2; k++) DO(cudaFreeArray(arrays[k]));
    printf("%s\n", err < 1e-4 && sampled < 1e-4 ? "PASSED" : "FAILED");
    return err < 1e-4 && sampled < 1e-4 ? 0 : 1;
}
