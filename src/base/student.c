// student.c: quantiles of Student's t distribution, for confidence intervals.
//
// With theta = atan(t / sqrt(n)), the probability that |t| stays below is a finite sum of powers of cos(theta)
// (Abramowitz and Stegun 26.7.3 and 26.7.4), so that it is exact for every whole number n of degrees of freedom. It
// grows with theta, and the quantile is found by halving.
#include "base/base.h"

#include <math.h>

static double inside(double theta, uint32_t n)
{
    const double pi = 3.14159265358979323846;
    double c = cos(theta), term = n % 2 ? c : 1, sum = 0;
    for (uint32_t k = n % 2 ? 3 : 2; k <= n; k += 2) {
        sum += term;
        term *= c * c * (k - 1) / k;
    }
    return n % 2 ? 2 / pi * (theta + sin(theta) * sum) : sin(theta) * sum;
}

double student_t(double confidence, uint32_t n)
{
    double low = 0, high = 3.14159265358979323846 / 2;
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (inside(middle, n) < confidence)
            low = middle;
        else
            high = middle;
    }
    return sqrt(n) * tan((low + high) / 2);
}
