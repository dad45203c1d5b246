// Two thousand random kernels with the register files that the compiler fills (test_files.c), of several sizes.
#include "check.h"
#include "equal.h"

static void two_thousand(void **state)
{
    (void)state;
    static const char *const orf[] = {"registers.orf=4", "registers.orf=1", "registers.orf=12", "registers.orf=0"};
    Tally t = {.out = stdout};
    for (uint32_t k = 0; k < 8; k++)
        compare_with(1000 + 250 * k, 250,
                     (const char *const[]){"registers.hierarchy=strands", "registers.audit=yes", orf[k % 4],
                                           k < 4 ? "registers.values=no" : "registers.values=yes", NULL},
                     &t);
    assert_int_equal(t.kernels, 2000);
    assert_int_equal(t.different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_thousand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
