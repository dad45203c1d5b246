// A hundred random kernels, as they are and with the software L1: they leave the same bytes. With ONCHIP_SEED=N only
// that one, whose PTX goes to the file ONCHIP_PTX.
#include "check.h"
#include "equal.h"

#include <stdlib.h>

static void write_ptx(uint64_t seed, const char *path)
{
    Text ptx = {0};
    Launch l;
    generate(seed, machines[seed % 3].sm, &ptx, &l);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(ptx.v, 1, ptx.n, f);
    fclose(f);
    launch_free(&l);
    text_free(&ptx);
}

static void hundred(void **state)
{
    (void)state;
    Tally t = {.out = stdout};
    const char *only = getenv("ONCHIP_SEED"), *path = getenv("ONCHIP_PTX");
    uint64_t seed = only ? strtoull(only, NULL, 0) : 1;
    if (only && path) write_ptx(seed, path);
    compare_seeds(seed, only ? 1 : 100, &t);
    assert_int_equal(t.different, 0);
    if (only) return;
    assert_true(t.changed >= 50);
    assert_true(t.rewritten >= 250 && t.odd >= 50);
    assert_true(t.cached * 2 >= t.timed && t.fills > 1000 && t.accesses > 2 * t.fills);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hundred)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
