// Caches outside of what the probe supposes, from a fixed seed: what can't be right must be undetermined.
#include "check.h"
#include "odd.h"

static void odd(void **state)
{
    (void)state;
    assert_true(score_odd(1, 5, 0, 0.8, stdout));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(odd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
