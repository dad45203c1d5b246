// Two thousand random kernels, others than test_equal's.
#include "check.h"
#include "equal.h"

static void two_thousand(void **state)
{
    (void)state;
    Tally t = {.out = stdout};
    compare_seeds(1001, 2000, &t);
    assert_int_equal(t.different, 0);
    assert_true(t.changed >= 1000 && t.odd >= 1000 && t.cached * 2 >= t.timed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_thousand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
