// systems.cu: many small systems of equations at once: batched LU with row exchanges, solutions, inverses and products
// of both (cuBLAS's getrfBatched, getrsBatched, getriBatched, gemmBatched, matinvBatched). The host eliminates by
// itself.
#include "check.cuh"

#include <cublas_v2.h>
#include <utility>

// Solves a x = b by Gauss's elimination with row exchanges; a is stored by columns. The determinant's sign goes to
// sign.
static std::vector<double> gauss(std::vector<double> a, std::vector<double> b, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (std::fabs(a[k * n + i]) > std::fabs(a[k * n + best])) best = i;
        for (int j = 0; j < n; j++) std::swap(a[j * n + k], a[j * n + best]);
        std::swap(b[k], b[best]);
        for (int i = k + 1; i < n; i++) {
            const double f = a[k * n + i] / a[k * n + k];
            for (int j = k; j < n; j++) a[j * n + i] -= f * a[j * n + k];
            b[i] -= f * b[k];
        }
    }
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; j++) b[i] -= a[j * n + i] * b[j];
        b[i] /= a[i * n + i];
    }
    return b;
}

int main(int argc, char **argv)
{
    const int many = size_of(argc, argv, 24), n = 20;
    const size_t each = n * n;
    const std::vector<double> a = random_vector<double>(many * each), b = random_vector<double>(many * n);
    Array<double> originals(a), factors(a), right(b), inverses(many * each), again(many * each), products(many * each);
    Array<int> pivots(many * n), info(many);
    std::vector<double *> p0, p1, p2, p3, p4, p5;
    for (int k = 0; k < many; k++) {
        p0.push_back(originals + k * each), p1.push_back(factors + k * each), p2.push_back(right + k * n);
        p3.push_back(inverses + k * each), p4.push_back(again + k * each), p5.push_back(products + k * each);
    }
    Array<double *> as(p0), lus(p1), bs(p2), invs(p3), mats(p4), prods(p5);
    cublasHandle_t blas;
    MUST(cublasCreate(&blas));
    MUST(cublasDgetrfBatched(blas, n, lus, n, pivots, info, many));
    for (int x : info.get()) CHECK(x == 0);
    int bad = -1;
    MUST(cublasDgetrsBatched(blas, CUBLAS_OP_N, n, 1, lus, n, pivots, bs, n, &bad, many));
    CHECK(bad == 0);
    const std::vector<double> x = right.get();
    for (int k = 0; k < many; k++) {
        const std::vector<double> want =
            gauss({a.begin() + k * each, a.begin() + (k + 1) * each}, {b.begin() + k * n, b.begin() + (k + 1) * n}, n);
        for (int i = 0; i < n; i++) NEAR(x[k * n + i], want[i], 1e-8 * (1 + std::fabs(want[i])));
    }

    // The inverse times the matrix is one, and another function gives the same inverse.
    const double one = 1, zero = 0;
    MUST(cublasDgetriBatched(blas, n, lus, n, pivots, invs, n, info, many));
    MUST(cublasDgemmBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, as, n, invs, n, &zero, prods, n, many));
    const std::vector<double> unit = products.get();
    for (size_t k = 0; k < unit.size(); k++) NEAR(unit[k], k % each % (n + 1) == 0, 1e-8);
    MUST(cublasDmatinvBatched(blas, n, as, n, mats, n, info, many));
    for (int i : info.get()) CHECK(i == 0);
    const std::vector<double> first = inverses.get(), second = again.get();
    for (size_t k = 0; k < first.size(); k++) NEAR(second[k], first[k], 1e-8 * (1 + std::fabs(first[k])));

    // A matrix with two equal rows has no factors: info names the step.
    std::vector<double> flat = a;
    for (int j = 0; j < n; j++) flat[j * n + n - 1] = flat[j * n] = j % 3 ? 1 : 2;
    factors.put(flat);
    MUST(cublasDgetrfBatched(blas, n, lus, n, pivots, info, many));
    const std::vector<int> told = info.get();
    CHECK(told[0] == n);
    for (int k = 1; k < many; k++) CHECK(told[k] == 0);
    MUST(cublasDestroy(blas));
    return verdict();
}
