// pca.cu: principal components: the mean by Sgemv, centring by Sger, the covariance by Ssyrk, directions one by one by
// power iteration and deflation (Ssyr), and the data's projection by Sgemm. The host does the same in doubles.
#include "check.cuh"

#include <cublas_v2.h>

enum { D = 12, K = 3 };

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 400);
    // Points by columns: K strong directions and a little noise.
    std::vector<float> points(D * n), base = random_vector<float>(D * K);
    for (int i = 0; i < n; i++) {
        double strength[K];
        for (int k = 0; k < K; k++) strength[k] = (k == 0 ? 9 : k == 1 ? 3 : 1) * random_part();
        for (int j = 0; j < D; j++) {
            double x = j + 0.01 * random_part();
            for (int k = 0; k < K; k++) x += strength[k] * base[k * D + j];
            points[i * D + j] = (float)x;
        }
    }
    std::vector<double> mean(D), cov(D * D);
    for (int i = 0; i < n * D; i++) mean[i % D] += points[i] / (double)n;
    for (int i = 0; i < n; i++)
        for (int a = 0; a < D; a++)
            for (int b = 0; b < D; b++)
                cov[a * D + b] += (points[i * D + a] - mean[a]) * (points[i * D + b] - mean[b]) / (n - 1);

    cublasHandle_t blas;
    MUST(cublasCreate(&blas));
    Array<float> x(points), ones(std::vector<float>(n, 1)), m(D), c(D * D), w(D * K), y(D), scores(K * n);
    const float one = 1, zero = 0, minus = -1, by_n = 1.0f / (float)n, by_less = 1.0f / (float)(n - 1);
    MUST(cublasSgemv(blas, CUBLAS_OP_N, D, n, &by_n, x, D, ones, 1, &zero, m, 1));
    MUST(cublasSger(blas, D, n, &minus, m, 1, ones, 1, x, D));
    MUST(cublasSsyrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, D, n, &by_less, x, D, &zero, c, D));
    const std::vector<float> got_mean = m.get(), got = c.get();
    double trace = 0, explained = 0;
    for (int a = 0; a < D; a++) {
        NEAR(got_mean[a], mean[a], 1e-4);
        trace += cov[a * D + a];
        for (int b = 0; b < D; b++) NEAR(got[a * D + b], b >= a ? cov[a * D + b] : 0, 1e-3);  // the lower part alone
    }
    for (int k = 0; k < K; k++) {
        float *at = w + k * D, size, down;
        const std::vector<float> begin = random_vector<float>(D);
        MUST(cublasSetVector(D, sizeof(float), begin.data(), 1, at, 1));
        for (int step = 0; step < 60; step++) {
            MUST(cublasSsymv(blas, CUBLAS_FILL_MODE_LOWER, D, &one, c, D, at, 1, &zero, y, 1));
            MUST(cublasSnrm2(blas, D, y, 1, &size));
            down = 1 / size;
            MUST(cublasScopy(blas, D, y, 1, at, 1));
            MUST(cublasSscal(blas, D, &down, at, 1));
        }
        explained += size;
        down = -size;
        MUST(cublasSsyr(blas, CUBLAS_FILL_MODE_LOWER, D, &down, at, 1, c, D));
        // A direction of the covariance: C w = λ w, by the host.
        std::vector<float> v(D);
        MUST(cublasGetVector(D, sizeof(float), at, 1, v.data(), 1));
        for (int a = 0; a < D; a++) {
            double sum = 0;
            for (int b = 0; b < D; b++) sum += cov[a * D + b] * v[b];
            NEAR(sum, (double)size * v[a], 2e-3 * std::sqrt(cov[0] + 1) + 2e-3);
        }
    }
    CHECK(explained > 0.9999 * trace && explained < 1.0001 * trace);
    MUST(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, K, n, D, &one, w, D, x, D, &zero, scores, K));
    const std::vector<float> directions = w.get(), s = scores.get();
    for (int i = 0; i < n; i++)
        for (int k = 0; k < K; k++) {
            double sum = 0;
            for (int a = 0; a < D; a++) sum += directions[k * D + a] * (points[i * D + a] - mean[a]);
            NEAR(s[i * K + k], sum, 2e-4 + 1e-5 * std::fabs(sum));
        }
    // Directions are at right angles.
    for (int a = 0; a < K; a++)
        for (int b = 0; b < K; b++) {
            float dot;
            MUST(cublasSdot(blas, D, w + a * D, 1, w + b * D, 1, &dot));
            NEAR(dot, a == b, 1e-3);
        }
    MUST(cublasDestroy(blas));
    return verdict();
}
