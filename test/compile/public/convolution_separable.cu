// Convolution: separable with halos in shared memory, Sobel by a surface, a box by a texture.
#define R 3
#define W 64
#define H 48
#include <assert.h>
#include <cmath>
#include <stdio.h>
#include <string.h>
#include <vector>

#include <cuda_runtime.h>
#include <cuda_texture_types.h>
#include <surface_functions.h>
#include <texture_fetch_functions.h>

#define TAPS (2 * R + 1)
__constant__ float c_Kernel[TAPS];
#define IMUL(a, b) __mul24(a, b)
#define clampi(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))

enum Pass { ROWS, COLUMNS };
template <Pass pass, int BX, int BY> __global__ void convolution(float *d_Dst, const float *d_Src, int w, int h)
{
    __shared__ float s[pass == ROWS ? BY : BY + 2 * R][pass == ROWS ? BX + 2 * R : BX];
    const int x = IMUL(blockIdx.x, BX) + threadIdx.x, y = IMUL(blockIdx.y, BY) + threadIdx.y;
    if (pass == ROWS)
        for (int i = threadIdx.x; i < BX + 2 * R; i += BX) {
            const int at = (int)blockIdx.x * BX + i - R;
            s[threadIdx.y][i] = at >= 0 && at < w ? d_Src[y * w + at] : 0;
        }
    else
        for (int j = threadIdx.y; j < BY + 2 * R; j += BY) {
            const int at = (int)blockIdx.y * BY + j - R;
            s[j][threadIdx.x] = (at >= 0 && at < h) ? d_Src[at * w + x] : 0;
        }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = -R; k <= R; k++)
        sum += c_Kernel[R - k] *
               (pass == ROWS ? s[threadIdx.y][threadIdx.x + R + k] : s[threadIdx.y + R + k][threadIdx.x]);
    d_Dst[y * w + x] = sum;
}
__global__ void sobel(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float v[3][3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            surf2Dread(&v[j][i], in, (x + i - 1) * (int)sizeof(float), y + j - 1, cudaBoundaryModeClamp);
    float gx = v[0][2] + 2 * v[1][2] + v[2][2] - v[0][0] - 2 * v[1][0] - v[2][0];
    float gy = v[2][0] + 2 * v[2][1] + v[2][2] - v[0][0] - 2 * v[0][1] - v[0][2];
    surf2Dwrite(fabsf(gx) + fabsf(gy), out, x * sizeof(float), y);
}
__global__ void box(cudaTextureObject_t tex, uchar4 *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            float4 t = tex2D<float4>(tex, x + i + 0.5f, y + j + 0.5f);
            sum.x += t.x, sum.y += t.y, sum.z += t.z, sum.w += t.w;
        }
    out[y * w + x] = make_uchar4(__float2int_rn(sum.x * 255 / 9), __float2int_rn(sum.y * 255 / 9),
                                 __float2uint_rn(sum.z * 255 / 9), __saturatef(sum.w / 9) * 255);
}

int main()
{
    std::vector<float> img(W * H), got(W * H), rows(W * H);
    float taps[TAPS], sum = 0;
    for (int i = 0; i < W * H; i++) img[i] = (i * 7919 + i / W * 31) % 256;
    for (int k = 0; k < TAPS; k++) sum += taps[k] = expf(-0.5f * (k - R) * (k - R) / 2) * (1 + 0.1f * k);
    for (float &t : taps) t /= sum;
    cudaMemcpyToSymbol(c_Kernel, taps, sizeof taps);
    float *d_in, *d_mid, *d_out;
    cudaMalloc(&d_in, W * H * sizeof(float)), cudaMalloc(&d_mid, W * H * sizeof(float));
    cudaMalloc(&d_out, W * H * sizeof(float));
    cudaMemcpy(d_in, img.data(), W * H * sizeof(float), cudaMemcpyHostToDevice);
    convolution<ROWS, 16, 4><<<dim3(W / 16, H / 4), dim3(16, 4)>>>(d_mid, d_in, W, H);
    convolution<COLUMNS, 32, 8><<<dim3(W / 32, H / 8), dim3(32, 8)>>>(d_out, d_mid, W, H);
    cudaMemcpy(got.data(), d_out, W * H * sizeof(float), cudaMemcpyDeviceToHost);
    double err = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            double want = 0;
            for (int j = -R; j <= R; j++)
                for (int i = -R; i <= R; i++)
                    if (y + j >= 0 && y + j < H && x + i >= 0 && x + i < W)
                        want += (double)taps[R - j] * taps[R - i] * img[(y + j) * W + x + i];
            err = fmax(err, fabs(want - got[y * W + x]));
        }
    printf("separable: %g\n", err);

    cudaArray_t a, b, c;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>(), desc4 = cudaCreateChannelDesc<uchar4>();
    cudaMallocArray(&a, &desc, W, H, cudaArraySurfaceLoadStore),
        cudaMallocArray(&b, &desc, W, H, cudaArraySurfaceLoadStore);
    cudaMallocArray(&c, &desc4, W, H);
    cudaMemcpy2DToArray(a, 0, 0, img.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice);
    cudaSurfaceObject_t sa, sb;
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a, cudaCreateSurfaceObject(&sa, &res);
    res.res.array.array = b, cudaCreateSurfaceObject(&sb, &res);
    sobel<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(sa, sb, W, H);
    cudaMemcpy2DFromArray(got.data(), W * sizeof(float), b, 0, 0, W * sizeof(float), H, cudaMemcpyDeviceToHost);
    auto at = [&](int x, int y) { return img[clampi(y, 0, H - 1) * W + clampi(x, 0, W - 1)]; };
    int wrong = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float gx = 0, gy = 0;
            for (int k = -1; k <= 1; k++) {
                gx += (2 - abs(k)) * (at(x + 1, y + k) - at(x - 1, y + k));
                gy += (2 - abs(k)) * (at(x + k, y + 1) - at(x + k, y - 1));
            }
            wrong += got[y * W + x] != fabs(gx) + fabs(gy);
        }
    printf("sobel: %d wrong\n", wrong);

    std::vector<uchar4> rgba(W * H), blurred(W * H);
    for (int i = 0; i < W * H; i++) rgba[i] = make_uchar4(i % 251, i % 13 * 19, i / W * 5, 255);
    cudaMemcpyToArray(c, 0, 0, rgba.data(), W * H * sizeof(uchar4), cudaMemcpyHostToDevice);
    cudaTextureDesc how;
    memset(&how, 0, sizeof how);
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint, how.readMode = cudaReadModeNormalizedFloat;
    res.res.array.array = c;
    cudaTextureObject_t tex;
    cudaCreateTextureObject(&tex, &res, &how, nullptr);
    box<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(tex, (uchar4 *)d_out, W, H);
    cudaMemcpy(blurred.data(), d_out, W * H * sizeof(uchar4), cudaMemcpyDeviceToHost);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int sum[3] = {0, 0, 0};
            for (int k = 0; k < 9; k++) {
                const uchar4 t = rgba[clampi(y + k / 3 - 1, 0, H - 1) * W + clampi(x + k % 3 - 1, 0, W - 1)];
                sum[0] += t.x, sum[1] += t.y, sum[2] += t.z;
            }
            const uchar4 o = blurred[y * W + x];
            wrong +=
                fabs(o.x - sum[0] / 9.0) > 0.51 || fabs(o.y - sum[1] / 9.0) > 0.51 || fabs(o.z - sum[2] / 9.0) > 0.51;
        }
    printf("with the box: %d wrong\n%s\n", wrong, wrong || err > 1e-3 || cudaGetLastError() ? "FAILED" : "PASSED");
    return wrong || err > 1e-3;
}
