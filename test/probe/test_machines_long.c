// 500 random machines: each parameter wrong at most twice, undetermined at most one time in twenty where it can be
// told.
#include "check.h"
#include "table.h"

static void five_hundred(void **state)
{
    (void)state;
    assert_true(score_machines(1, 500, 2, 0.05, stdout));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(five_hundred)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
