// blur.cu: an image blurred by a kernel that isn't symmetric: cuFFT forward (R2C), a product of spectra, and back
// (C2R). The host adds the same sums directly, round the edges.
#include "check.cuh"

#include <cuComplex.h>
#include <cufft.h>

enum { RADIUS = 3 };

__global__ void multiply(cufftComplex *a, const cufftComplex *b, int n, float scale)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const cufftComplex p = cuCmulf(a[i], b[i]);
        a[i] = make_cuComplex(p.x * scale, p.y * scale);
    }
}

int main(int argc, char **argv)
{
    const int w = size_of(argc, argv, 60), h = w - 12, images = 3, half = h * (w / 2 + 1);
    const std::vector<float> picture = random_vector<float>(images * w * h), weights = random_vector<float>(49);
    std::vector<float> spread(w * h);
    for (int y = -RADIUS; y <= RADIUS; y++)
        for (int x = -RADIUS; x <= RADIUS; x++)
            spread[(y + h) % h * w + (x + w) % w] = weights[(y + RADIUS) * 7 + x + RADIUS];

    Array<float> in(picture), filter(spread), out(images * w * h);
    Array<cufftComplex> spectra(images * half), response(half);
    cufftHandle many, one, back;
    int size[] = {h, w};
    MUST(cufftPlanMany(&many, 2, size, nullptr, 1, w * h, nullptr, 1, half, CUFFT_R2C, images));
    MUST(cufftPlan2d(&one, h, w, CUFFT_R2C));
    MUST(cufftPlanMany(&back, 2, size, nullptr, 1, half, nullptr, 1, w * h, CUFFT_C2R, images));
    MUST(cufftExecR2C(many, in, spectra));
    MUST(cufftExecR2C(one, filter, response));
    for (int k = 0; k < images; k++) multiply<<<4, 128>>>(spectra + k * half, response, half, 1.0f / (float)(w * h));
    MUST(cudaGetLastError());
    MUST(cufftExecC2R(back, spectra, out));

    const std::vector<float> got = out.get();
    for (int k = 0; k < images; k++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                double sum = 0;
                for (int v = -RADIUS; v <= RADIUS; v++)
                    for (int u = -RADIUS; u <= RADIUS; u++)
                        sum += (double)weights[(v + RADIUS) * 7 + u + RADIUS] *
                               picture[(k * h + (y - v + h) % h) * w + (x - u + w) % w];
                NEAR(got[(k * h + y) * w + x], sum, 2e-5);
            }
    MUST(cufftDestroy(many));
    MUST(cufftDestroy(one));
    MUST(cufftDestroy(back));
    return verdict();
}
