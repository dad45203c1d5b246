// Copies of rows and boxes between memories of different pitches, both ways and on the device, and kernels that go by
// the pitch.
#include "check.cuh"

__global__ void number(cudaPitchedPtr p, cudaExtent e)
{
    unsigned x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    int *row = (int *)((char *)p.ptr + (z * p.ysize + y) * p.pitch);
    row[x] = x + 100 * y + 10000 * z;
}

int main()
{
    enum { W = 9, H = 6, D = 4 };
    static int host[D * H * W], part[3][5][20];
    cudaPitchedPtr p;
    cudaExtent e = make_cudaExtent(W * sizeof(int), H, D);
    MUST(cudaMalloc3D(&p, e));
    number<<<D, dim3(W, H)>>>(p, e);
    cudaMemcpy3DParms all = {};
    all.srcPtr = p, all.dstPtr = make_cudaPitchedPtr(host, W * sizeof(int), W, H);
    all.extent = e, all.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&all));
    for (int k = 0; k < W * H * D; k++) CHECK(host[k] == k % W + 100 * (k / W % H) + 10000 * (k / W / H));

    cudaMemcpy3DParms some = {};  // 3 columns, 4 rows, 2 slices, from (2, 1, 1) to (10, 0, 1)
    some.srcPtr = p, some.dstPtr = make_cudaPitchedPtr(part, 20 * sizeof(int), 20, 5);
    some.srcPos = make_cudaPos(2 * sizeof(int), 1, 1), some.dstPos = make_cudaPos(10 * sizeof(int), 0, 1);
    some.extent = make_cudaExtent(3 * sizeof(int), 4, 2), some.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3DAsync(&some, nullptr));
    MUST(cudaStreamSynchronize(nullptr));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 20; x++) {
                bool in = x >= 10 && x < 13 && y < 4 && z >= 1;
                CHECK(part[z][y][x] == (in ? x - 8 + 100 * (y + 1) + 10000 * z : 0));
            }

    char *rows, text[] = "abcdefghijklmnopqrstuvwx", back[24] = "";
    size_t pitch;
    MUST(cudaMallocPitch(&rows, &pitch, 6, 4));
    MUST(cudaMemcpy2D(rows, pitch, text, 6, 6, 4, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy2D(rows + pitch, pitch, rows, pitch, 3, 1, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy2DAsync(back, 5, rows + 1, pitch, 4, 4, cudaMemcpyDeviceToHost, nullptr));
    MUST(cudaDeviceSynchronize());
    const char *right[] = {"bcde", "bcjk", "nopq", "tuvw"};
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) CHECK(back[y * 5 + x] == right[y][x]);
    CHECK(cudaMemcpy2D(back, 5, rows, pitch, 6, 2, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    return verdict();
}
