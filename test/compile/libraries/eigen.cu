// Eigen (libeigen3-dev): small matrices in a kernel, and half as Eigen's own scalar, beside the host's.
#include <Eigen/Dense>

#include "../../programs/check.cuh"

__global__ void solve(const float *a, float *o)
{
    const Eigen::Map<const Eigen::Matrix3f> m(a + 9 * threadIdx.x);
    const Eigen::Vector3f v(1, 2, 3);
    Eigen::Map<Eigen::Vector3f>(o + 4 * threadIdx.x) = m.transpose() * v + v.cwiseProduct(v);
    o[4 * threadIdx.x + 3] = m.determinant();
}
__global__ void halves(const Eigen::half *a, Eigen::half *o)
{
    o[threadIdx.x] = a[threadIdx.x] * a[threadIdx.x] + Eigen::half(1);
}

int main()
{
    enum { N = 32 };
    float *a = shared_array<float>(9 * N), *o = shared_array<float>(4 * N);
    Eigen::half *h = shared_array<Eigen::half>(N), *g = shared_array<Eigen::half>(N);
    for (int k = 0; k < 9 * N; k++) a[k] = (float)((k * 7) % 13 - 6);
    for (int k = 0; k < N; k++) h[k] = Eigen::half((float)k / 4);
    solve<<<1, N>>>(a, o);
    halves<<<1, N>>>(h, g);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++) {
        const float *m = a + 9 * k;  // by columns
        for (int c = 0; c < 3; c++)
            CHECK(o[4 * k + c] == m[3 * c] + 2 * m[3 * c + 1] + 3 * m[3 * c + 2] + (c + 1) * (c + 1));
        const float d = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[3] * (m[1] * m[8] - m[2] * m[7]) +
                        m[6] * (m[1] * m[5] - m[2] * m[4]);
        CHECK(o[4 * k + 3] == d);
        CHECK((float)g[k] == (float)(k * k) / 16 + 1);
    }
    return verdict();
}
