// What an instruction asks of the register files and of the banks behind them: by hand, from unified-memory §6.1.
#include "bench.h"

enum { ROUNDS = 20 };

// What ROUNDS times a body adds to a counter, behind a beginning.
static uint64_t growth(const char *sets, const char *begin, const char *body, Counter c)
{
    uint64_t count[2];
    for (uint32_t k = 0; k < 2; k++) {
        Bench b;
        Text t = {0};
        text_put(&t, begin);
        for (uint32_t n = 0; n < (k + 1) * ROUNDS; n++) text_put(&t, body);
        text_put(&t, "st.global.u64 [%out], %rd5;\nst.global.u32 [%out], %r5;\n");
        bench_open(&b, "sm32", sets);
        bench_data(&b, NULL, 4096);
        count[k] = bench_run(&b, t.v, (Shape){0}, 1)->count[c];
        bench_close(&b);
        text_free(&t);
    }
    return count[1] - count[0];
}

// 32 lines: each of the partitioned cache's banks has a word of every line; in unified storage eight lines lie in each
// of a cluster's four banks. Lines of another cache, and accesses that go past the L1, are in none of these banks.
static void lines(void **state)
{
    (void)state;
    const char *address = "mov.u32 %r5, 0;\nmul.wide.u32 %rd5, %t, 128;\nadd.u64 %rd5, %rd5, %in;\n";
    static const struct {
        const char *access;
        uint64_t crowded;
    } cases[] = {{"ld.global.u32 %r5, [%rd5];\n", ROUNDS},
                 {"st.global.u32 [%rd5], %r5;\n", ROUNDS},
                 {"ld.global.nc.u32 %r5, [%rd5];\n", 0},
                 {"ld.global.cg.u32 %r5, [%rd5];\n", 0},
                 {"atom.global.add.u32 %r5, [%rd5], 1;\n", 0}};
    for (size_t k = 0; k < COUNT(cases); k++)
        for (int unified = 0; unified < 2; unified++)
            assert_int_equal(growth(unified ? "storage.kind=unified" : "storage.kind=partitioned", address,
                                    cases[k].access, C_BANK_MOST_5),
                             cases[k].crowded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
