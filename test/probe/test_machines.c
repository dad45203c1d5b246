// 60 random machines from a fixed seed; test_machines_long.c has the 500.
#include "check.h"
#include "table.h"

static void sixty(void **state)
{
    (void)state;
    assert_true(score_machines(1, 60, 1, 0.05, stdout));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sixty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
