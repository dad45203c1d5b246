// ViennaCL (libviennacl-dev): vectors, a norm, and a matrix times a vector, beside the host's.
#define VIENNACL_WITH_CUDA
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

#include "../../programs/check.cuh"

#include <cmath>
#include <vector>

int main()
{
    enum { N = 200 };
    std::vector<double> x(N), y(N), z(N);
    std::vector<std::vector<double>> a(N, std::vector<double>(N));
    for (int k = 0; k < N; k++) {
        x[k] = k % 7 - 3, y[k] = k % 5;
        for (int j = 0; j < N; j++) a[k][j] = (k * 3 + j) % 11 - 5;
    }
    viennacl::vector<double> dx(N), dy(N), dz(N);
    viennacl::matrix<double> da(N, N);
    viennacl::copy(x, dx), viennacl::copy(y, dy), viennacl::copy(a, da);

    double dot = 0, squares = 0;
    for (int k = 0; k < N; k++) dot += x[k] * y[k], squares += x[k] * x[k];
    CHECK(double(viennacl::linalg::inner_prod(dx, dy)) == dot);
    CHECK(std::fabs(double(viennacl::linalg::norm_2(dx)) - std::sqrt(squares)) < 1e-12 * std::sqrt(squares));
    dz = viennacl::linalg::prod(da, dx);
    dz += 2.0 * dy;
    viennacl::copy(dz, z);
    for (int k = 0; k < N; k++) {
        double sum = 2 * y[k];
        for (int j = 0; j < N; j++) sum += a[k][j] * x[j];
        CHECK(z[k] == sum);
    }
    return verdict();
}
