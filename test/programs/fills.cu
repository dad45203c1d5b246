// Fills: of bytes, rows and boxes, in a stream or not, with what is around them left as it was.
#include "check.cuh"

int main()
{
    unsigned char *p, host[4096];
    MUST(cudaMalloc(&p, sizeof host));
    MUST(cudaMemset(p, 0x11, sizeof host));
    MUST(cudaMemset(p + 3, 0x1ff, 10));  // the value counts as a byte
    MUST(cudaMemset(p, 0, 0));
    MUST(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 4096; k++) CHECK(host[k] == (k >= 3 && k < 13 ? 0xff : 0x11));

    cudaStream_t s;
    MUST(cudaStreamCreate(&s));
    MUST(cudaMemsetAsync(p, 1, sizeof host, s));
    MUST(cudaMemset2DAsync(p + 5, 64, 2, 7, 20, s));
    MUST(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, s));
    MUST(cudaStreamSynchronize(s));
    for (int k = 0; k < 4096; k++) CHECK(host[k] == (k / 64 < 20 && k % 64 >= 5 && k % 64 < 12 ? 2 : 1));

    cudaPitchedPtr box;
    MUST(cudaMalloc3D(&box, make_cudaExtent(30, 5, 4)));
    CHECK(box.pitch >= 30 && box.pitch % 32 == 0 && box.xsize == 30 && box.ysize == 5);
    MUST(cudaMemset3D(box, 3, make_cudaExtent(30, 5, 4)));
    MUST(cudaMemset3DAsync(box, 4, make_cudaExtent(8, 2, 3), s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy2D(host, 30, box.ptr, box.pitch, 30, 20, cudaMemcpyDeviceToHost));
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 30; x++) CHECK(host[(z * 5 + y) * 30 + x] == (x < 8 && y < 2 && z < 3 ? 4 : 3));
    CHECK(cudaMemset(p, 0, (size_t)1 << 40) == cudaErrorInvalidValue);
    CHECK(cudaMemset2D(p, 8, 0, 9, 2) == cudaErrorInvalidValue);
    return verdict();
}
