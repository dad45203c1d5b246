// volume.cu: a field in three dimensions: its gradient by cuFFT with a work area of the program's own, several fields
// in one plan that lie interleaved, and lines of the volume transformed alone, with a stride. The host knows the
// field's derivatives, and transforms a line by the definition.
#include "check.cuh"

#include <algorithm>
#include <cufft.h>

static const double pi = 3.14159265358979323846;

// Along each axis: times i k, for nx x ny x nz points.
__global__ void derive(const cufftDoubleComplex *f, cufftDoubleComplex *to, int nx, int ny, int nz)
{
    const int n = nx * ny * nz, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at[] = {i / (ny * nz), i / nz % ny, i % nz}, size[] = {nx, ny, nz};
    for (int axis = 0; axis < 3; axis++) {
        int k = at[axis];
        if (2 * k > size[axis]) k -= size[axis];
        if (2 * k == size[axis]) k = 0;
        // The three fields lie side by side: one point has all of them.
        to[3 * i + axis] = make_cuDoubleComplex(-k * f[i].y / n, k * f[i].x / n);
    }
}

static double field(double x, double y, double z) { return std::sin(2 * x) * std::cos(y) + std::cos(z - x); }

int main(int argc, char **argv)
{
    const int nx = size_of(argc, argv, 12), ny = 10, nz = nx + 3, n = nx * ny * nz;
    std::vector<cufftDoubleComplex> values(n);
    std::vector<double> want(3 * n);
    for (int i = 0; i < n; i++) {
        const double x = 2 * pi * (i / (ny * nz)) / nx, y = 2 * pi * (i / nz % ny) / ny, z = 2 * pi * (i % nz) / nz;
        values[i] = make_cuDoubleComplex(field(x, y, z), 0);
        want[3 * i] = 2 * std::cos(2 * x) * std::cos(y) + std::sin(z - x);
        want[3 * i + 1] = -std::sin(2 * x) * std::sin(y), want[3 * i + 2] = -std::sin(z - x);
    }
    Array<cufftDoubleComplex> data(values), spectrum(n), gradient(3 * n);
    cufftHandle forward, back, lines;
    size_t bytes[2] = {0, 0};
    int size[] = {nx, ny, nz};
    MUST(cufftCreate(&forward));
    MUST(cufftCreate(&back));
    MUST(cufftSetAutoAllocation(forward, 0));
    MUST(cufftSetAutoAllocation(back, 0));
    MUST(cufftMakePlan3d(forward, nx, ny, nz, CUFFT_Z2Z, &bytes[0]));
    MUST(cufftMakePlanMany(back, 3, size, size, 3, 1, size, 3, 1, CUFFT_Z2Z, 3, &bytes[1]));
    Array<char> room(std::max(bytes[0], bytes[1]) + 1);
    MUST(cufftSetWorkArea(forward, room.at));
    MUST(cufftSetWorkArea(back, room.at));
    MUST(cufftExecZ2Z(forward, data, spectrum, CUFFT_FORWARD));
    derive<<<(n + 127) / 128, 128>>>(spectrum, gradient, nx, ny, nz);
    MUST(cudaGetLastError());
    MUST(cufftExecZ2Z(back, gradient, gradient, CUFFT_INVERSE));
    const std::vector<cufftDoubleComplex> got = gradient.get();
    for (int i = 0; i < 3 * n; i++) {
        NEAR(got[i].x, want[i], 1e-11);
        NEAR(got[i].y, 0, 1e-11);
    }

    // Lines along x: points ny * nz apart, a line for each (y, z).
    int length[] = {nx};
    MUST(cufftPlanMany(&lines, 1, length, length, ny * nz, 1, length, ny * nz, 1, CUFFT_Z2Z, ny * nz));
    MUST(cufftExecZ2Z(lines, data, spectrum, CUFFT_FORWARD));
    const std::vector<cufftDoubleComplex> s = spectrum.get();
    for (int line = 0; line < ny * nz; line++)
        for (int k = 0; k < nx; k++) {
            double re = 0, im = 0;
            for (int j = 0; j < nx; j++) {
                const double f = values[j * ny * nz + line].x, angle = -2 * pi * j * k / nx;
                re += f * std::cos(angle), im += f * std::sin(angle);
            }
            NEAR(s[k * ny * nz + line].x, re, 1e-11);
            NEAR(s[k * ny * nz + line].y, im, 1e-11);
        }
    for (cufftHandle h : {forward, back, lines}) MUST(cufftDestroy(h));
    return verdict();
}
