// What an instruction asks of the register files and of the banks behind them: by hand, from the definitions of
// registers.values and of unified-memory §6.1.
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

static const char *const start = "mul.wide.u32 %rd1, %t, 3;\nmul.wide.u32 %rd2, %t, 5;\nmul.wide.u32 %rd3, %t, 7;\n"
                                 "mul.wide.u32 %rd4, %t, 9;\nmul.wide.u32 %rd5, %t, 11;\nmov.u32 %r5, %n;\n";

// An addition reads two registers and writes one; of 64 bits they are two words each, unless a value of any width takes
// one register.
static void widths(void **state)
{
    (void)state;
    const char *wide = "add.u64 %rd5, %rd5, %rd1;\n", *narrow = "add.u32 %r5, %r5, %t;\n";
    const char *values = "registers.hierarchy=none registers.values=yes",
               *words = "registers.hierarchy=none registers.values=no";
    assert_int_equal(growth(values, start, wide, C_MRF_READS), 2 * ROUNDS);
    assert_int_equal(growth(values, start, wide, C_MRF_WRITES), ROUNDS);
    assert_int_equal(growth(words, start, wide, C_MRF_READS), 4 * ROUNDS);
    assert_int_equal(growth(words, start, wide, C_MRF_WRITES), 2 * ROUNDS);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(growth(k ? words : values, start, narrow, C_MRF_READS), 2 * ROUNDS);
        assert_int_equal(growth(k ? words : values, start, narrow, C_MRF_WRITES), ROUNDS);
    }
}

// Four values of 64 bits fill an ORF of four entries, and a fifth the LRF: nothing is left to the main file. As words
// they are eight, and two.
static void entries(void **state)
{
    (void)state;
    const char *all = "xor.b64 %rd5, %rd5, %rd1;\nadd.u64 %rd5, %rd5, %rd2;\nxor.b64 %rd5, %rd5, %rd3;\n"
                      "add.u64 %rd5, %rd5, %rd4;\n";
    assert_int_equal(growth("registers.values=yes", start, all, C_MRF_READS), 0);
    assert_int_equal(growth("registers.values=yes", start, all, C_ORF_READS), 4 * ROUNDS);
    assert_int_equal(growth("registers.values=yes", start, all, C_LRF_READS), 4 * ROUNDS);
    assert_true(growth("registers.values=no", start, all, C_MRF_READS) >= 4 * ROUNDS);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(widths), cmocka_unit_test(entries), cmocka_unit_test(lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
