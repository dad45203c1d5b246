// Claims on banks, against the cycles that counting by hand gives.
#include "check.h"
#include "mem/mem.h"

static Claim claim(const uint32_t *banks, uint32_t n)
{
    Claim c = {0};
    for (uint32_t k = 0; k < n; k++) claim_add(&c, banks[k]);
    return c;
}
#define CLAIM(...) claim((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

// unified-memory §6.1: an access beyond the first to the busiest bank costs a cycle.
static void one_claim(void **state)
{
    (void)state;
    Array a;
    array_open(&a, &(ArrayCfg){.banks = 64, .width = 16, .reads = 1, .writes = 1});
    Claim c = {0};
    assert_int_equal(array_claim(&a, 100, &c, false), 101);  // none: an instruction takes its cycle all the same
    c = CLAIM(0, 1, 2);
    assert_int_equal(array_claim(&a, 100, &c, false), 101);
    c = CLAIM(5, 63, 5);
    assert_int_equal(array_claim(&a, 100, &c, false), 102);
    c = CLAIM(7, 7, 7, 1, 1);
    assert_int_equal(array_claim(&a, 100, &c, true), 103);
    c = CLAIM(7);  // claims don't wait for each other here
    assert_int_equal(array_claim(&a, 100, &c, false), 101);
    assert_int_equal(array_pass(&a, 100, 4), 104);
    assert_int_equal(array_pass(&a, 101, 1), 102);
}

static void ports(void **state)
{
    (void)state;
    Array a;
    array_open(&a, &(ArrayCfg){.banks = 4, .width = 4, .reads = 2, .writes = 1});
    Claim c = CLAIM(3, 3, 3);
    assert_int_equal(array_claim(&a, 0, &c, false), 2);  // two a cycle
    assert_int_equal(array_claim(&a, 0, &c, true), 3);
    c = CLAIM(3, 3);
    assert_int_equal(array_claim(&a, 0, &c, false), 1);
}

static void waits(void **state)
{
    (void)state;
    Array a;
    array_open(&a, &(ArrayCfg){.banks = 4, .width = 4, .reads = 1, .writes = 1, .waits = true});
    Claim two = CLAIM(1, 1), one = CLAIM(1), other = CLAIM(2), both = CLAIM(1, 2);
    assert_int_equal(array_claim(&a, 10, &two, false), 12);
    assert_int_equal(array_claim(&a, 10, &other, false), 11);  // another bank
    assert_int_equal(array_claim(&a, 10, &one, false), 13);    // behind the first
    assert_int_equal(array_claim(&a, 11, &both, true), 14);
    assert_int_equal(array_claim(&a, 20, &one, false), 21);  // free again
    assert_int_equal(array_pass(&a, 20, 2), 23);             // all banks: behind that
    assert_int_equal(array_claim(&a, 20, &other, false), 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_claim), cmocka_unit_test(ports), cmocka_unit_test(waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
