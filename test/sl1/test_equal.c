// Random kernels, as they are and with the software L1, leave the same bytes: 12 of them, in the long form 2000 others.
// With ONCHIP_SEED=N only that one, whose PTX goes to the file ONCHIP_PTX.
#include "check.h"
#include "equal.h"

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

static void seeds(void **state)
{
    (void)state;
    Tally t = {.out = stdout};
    const char *only = getenv("ONCHIP_SEED"), *path = getenv("ONCHIP_PTX");
    bool large = getenv("ONCHIP_LONG");
    uint64_t seed = only ? strtoull(only, NULL, 0) : large ? 1001 : 1;
    uint32_t n = only ? 1 : large ? 2000 : 12;
    if (only && path) write_ptx(seed, path);
    compare_seeds(seed, n, &t);
    assert_int_equal(t.different, 0);
    if (only) return;
    assert_true(2 * t.changed >= n && 2 * t.rewritten >= 5 * n && 2 * t.odd >= n);
    assert_true(t.cached * 2 >= t.timed && t.fills > 10 * n && t.accesses > 2 * t.fills);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(seeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
