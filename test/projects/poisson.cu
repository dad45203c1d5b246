// poisson.cu: Poisson's equation on a square without edges, by cuFFT in doubles: the spectrum of the right side is
// divided by the eigenvalues of the five-point Laplacian. The host knows the solution that the right side was made of.
#include "check.cuh"

#include <cufft.h>

__global__ void divide(cufftDoubleComplex *f, int n)
{
    const int half = n / 2 + 1, i = blockIdx.x * blockDim.x + threadIdx.x, y = i / half, x = i % half;
    if (y >= n) return;
    const double sx = sinpi(x / (double)n), sy = sinpi(y / (double)n);
    const double value = -4 * (sx * sx + sy * sy) * n * n;  // both directions of cuFFT together give n² times the data
    if (i == 0) {
        f[0].x = f[0].y = 0;  // what is added to the solution is free: its mean is 0
        return;
    }
    f[i].x /= value, f[i].y /= value;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 45);
    std::vector<double> solution = random_vector<double>(n * n), f(n * n);
    double mean = 0;
    for (double x : solution) mean += x / (n * n);
    for (double &x : solution) x -= mean;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            f[y * n + x] = solution[y * n + (x + 1) % n] + solution[y * n + (x + n - 1) % n] +
                           solution[(y + 1) % n * n + x] + solution[(y + n - 1) % n * n + x] - 4 * solution[y * n + x];

    // In place: a row of reals has the room of a row of the spectrum.
    const int half = n / 2 + 1;
    std::vector<double> padded(n * 2 * half, 77);
    for (int i = 0; i < n * n; i++) padded[i / n * 2 * half + i % n] = f[i];
    Array<double> data(padded);
    cufftDoubleComplex *spectrum = (cufftDoubleComplex *)data.at;
    cufftHandle forward, back;
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    MUST(cufftPlan2d(&forward, n, n, CUFFT_D2Z));
    MUST(cufftPlan2d(&back, n, n, CUFFT_Z2D));
    MUST(cufftSetStream(forward, stream));
    MUST(cufftSetStream(back, stream));
    MUST(cufftExecD2Z(forward, data, spectrum));
    divide<<<(n * half + 127) / 128, 128, 0, stream>>>(spectrum, n);
    MUST(cudaGetLastError());
    MUST(cufftExecZ2D(back, spectrum, data));
    MUST(cudaStreamSynchronize(stream));
    const std::vector<double> got = data.get();
    for (int i = 0; i < n * n; i++) NEAR(got[i / n * 2 * half + i % n], solution[i], 1e-10);
    MUST(cufftDestroy(forward));
    MUST(cufftDestroy(back));
    return verdict();
}
