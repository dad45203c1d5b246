// The workloads, the kernels with calls and random kernels, rewritten, are given to ptxas: each second one with one of
// the settings; in the long form a hundred random kernels, and all with every setting. Where there is no ptxas, this is
// skipped (exit status 77).
#include "check.h"
#include "ptxas.h"

static void all(void **state)
{
    (void)state;
    if (getenv("ONCHIP_LONG"))
        give_to_ptxas(100, 1);
    else
        give_to_ptxas(22, 2 * SETTINGS_OF_PTXAS);
}

int main(void)
{
    if (!find_ptxas()) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
