// A sample of what test_ptxas_long gives to ptxas; where there is none, this is skipped (exit status 77).
#include "check.h"
#include "ptxas.h"

static void all(void **state)
{
    (void)state;
    give_to_ptxas(48, 4);
}

int main(void)
{
    if (!find_ptxas()) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
