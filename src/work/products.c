// products.c: a host's product of matrices, which the checks of kernels spend most of their time in. Each element is a
// sum in double, of four parts: part p has the elements p, p + 4, p + 8 … of two rows. So it is the same on every host,
// however wide its vectors are.
#include "work/work.h"

typedef float Floats4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double Doubles4 __attribute__((vector_size(32), aligned(8), may_alias));
enum { PARTS = 4, TOGETHER = 8 };  // of a sum; rows of B that one pass over a row of A multiplies

// Built for hosts with AVX2 and AVX-512, too, where compiler and system can choose when the program begins.
#if defined __x86_64__ && defined __GLIBC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__ && \
    !defined __SANITIZE_THREAD__
#define FOR_EACH_HOST __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512")))
#else
#define FOR_EACH_HOST
#endif

// A row of A with TOGETHER rows of B, which lie by turns: four elements of each.
FOR_EACH_HOST static void row(const float *a, const Doubles4 *b, int64_t fours, Doubles4 sum[TOGETHER])
{
    Doubles4 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};
    for (int64_t e = 0; e < fours; e++, b += TOGETHER) {
        const Doubles4 x = __builtin_convertvector(*(const Floats4 *)(a + PARTS * e), Doubles4);
        s0 += x * b[0], s1 += x * b[1], s2 += x * b[2], s3 += x * b[3];
        s4 += x * b[4], s5 += x * b[5], s6 += x * b[6], s7 += x * b[7];
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3, sum[4] = s4, sum[5] = s5, sum[6] = s6, sum[7] = s7;
}

void work_products(Work *work, float *c, const float *a, const float *b, int64_t m, int64_t n, int64_t k)
{
    const int64_t fours = k / PARTS, whole = fours * PARTS;
    Doubles4 *panel = work_host(work, (size_t)MAX(fours, 1) * TOGETHER * sizeof *panel), sum[TOGETHER];
    for (int64_t j = 0; panel && j < n; j += TOGETHER) {
        const int64_t rows = MIN(n - j, TOGETHER);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t e = 0; e < fours; e++)
                panel[e * TOGETHER + r] =
                    __builtin_convertvector(*(const Floats4 *)(b + (j + r) * k + PARTS * e), Doubles4);
        for (int64_t i = 0; i < m; i++) {
            row(a + i * k, panel, fours, sum);
            for (int64_t r = 0; r < rows; r++) {
                double first = sum[r][0];
                for (int64_t e = whole; e < k; e++) first += (double)a[i * k + e] * b[(j + r) * k + e];
                c[i * n + j + r] = (float)(first + sum[r][1] + sum[r][2] + sum[r][3]);
            }
        }
    }
}
