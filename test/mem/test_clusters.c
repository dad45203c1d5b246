// Passes in unified storage, counted by hand from the mapping of unified-memory §4.2: cluster = address / 16 modulo 8,
// bank = address / 128 modulo 4. A cluster gives one row of 16 bytes a pass, or, if it scatters, 16 bytes of several.
#include "check.h"
#include "mem/mem.h"

static void expect(uint64_t base, uint64_t step, uint32_t lanes, uint32_t bytes, uint32_t one, uint32_t several)
{
    uint64_t addr[32];
    uint8_t rows[CLUSTER_BANKS];
    for (uint32_t k = 0; k < 32; k++) addr[k] = base + k * step;
    assert_int_equal(cluster_passes(addr, lanes, bytes, false, rows), one);
    assert_int_equal(cluster_passes(addr, lanes, bytes, true, rows), several);
}

static void strides(void **state)
{
    (void)state;
    const uint32_t all = 0xffffffff;
    expect(0, 4, all, 4, 1, 1);      // a line: a row of each cluster
    expect(64, 4, all, 4, 1, 1);     // likewise, of two lines
    expect(4096, 0, all, 4, 1, 1);   // one word
    expect(0, 8, all, 4, 2, 1);      // two rows of a cluster, in two banks, and two words of each
    expect(0, 16, all, 4, 4, 1);     // four rows, in four banks, and a word of each
    expect(0, 128, all, 4, 32, 8);   // one cluster: eight rows of each of its banks, 32 words
    expect(0, 512, all, 4, 32, 32);  // one bank
    expect(0, 512, 0x00010001, 4, 2, 2);
    expect(0, 8, all, 8, 2, 2);  // 256 bytes at 128 a pass
    expect(0, 16, all, 16, 4, 4);
    expect(1u << 31, 4, all, 4, 1, 1);
}

static void rows_of_banks(void **state)
{
    (void)state;
    uint64_t addr[32];
    uint8_t rows[CLUSTER_BANKS];
    for (uint32_t k = 0; k < 32; k++)
        addr[k] = 16 * 3 + 128 * (k % 6);  // six rows of cluster 3: banks 0, 1, 2, 3, 0, 1
    assert_int_equal(cluster_passes(addr, 0xffffffff, 4, false, rows), 6);
    for (uint32_t c = 0; c < CLUSTERS; c++)
        for (uint32_t b = 0; b < CLUSTER_WAYS; b++)
            assert_int_equal(rows[c * CLUSTER_WAYS + b], c != 3 ? 0 : b < 2 ? 2 : 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(strides), cmocka_unit_test(rows_of_banks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
