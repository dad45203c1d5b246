// Quantiles of Student's t against the printed table (Abramowitz and Stegun, table 26.10), and the normal limit.
#include "base/base.h"

#include "check.h"

#include <math.h>

static void table(void **state)
{
    (void)state;
    const struct {
        uint32_t n;
        double t90, t95, t99;
    } rows[] = {
        {1, 6.314, 12.706, 63.657}, {2, 2.920, 4.303, 9.925},   {3, 2.353, 3.182, 5.841},
        {4, 2.132, 2.776, 4.604},   {5, 2.015, 2.571, 4.032},   {9, 1.833, 2.262, 3.250},
        {10, 1.812, 2.228, 3.169},  {20, 1.725, 2.086, 2.845},  {29, 1.699, 2.045, 2.756},
        {30, 1.697, 2.042, 2.750},  {120, 1.658, 1.980, 2.617}, {1000000, 1.645, 1.960, 2.576},
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        assert_true(fabs(student_t(0.90, rows[k].n) - rows[k].t90) < 6e-4);
        assert_true(fabs(student_t(0.95, rows[k].n) - rows[k].t95) < 6e-4);
        assert_true(fabs(student_t(0.99, rows[k].n) - rows[k].t99) < 6e-4);
    }
}

// With one degree of freedom it is Cauchy's distribution, t = tan(pi p / 2); with two, t = p sqrt(2 / (1 - p²)).
static void closed_forms(void **state)
{
    (void)state;
    for (double p = 0.05; p < 1; p += 0.05) {
        double one = tan(3.14159265358979323846 * p / 2), two = p * sqrt(2 / (1 - p * p));
        assert_true(fabs(student_t(p, 1) - one) < 1e-12 * one);
        assert_true(fabs(student_t(p, 2) - two) < 1e-12 * two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(table), cmocka_unit_test(closed_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
