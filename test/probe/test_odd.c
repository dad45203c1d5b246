// Caches outside of what the probe supposes, from a fixed seed, three of each kind, in the long form five: what can't
// be right must be undetermined.
#include "check.h"
#include "odd.h"

static void odd(void **state)
{
    (void)state;
    const bool all = getenv("ONCHIP_LONG");
    assert_true(score_odd(1, all ? 5 : 3, 0, 0.8, stdout));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(odd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
