// Shared-memory banks: passes by hand for the patterns of mei §V-C and the programming guide, and a model of bytes for
// random ones.
#include "check.h"
#include "mem/mem.h"
#include "random.h"

#include <string.h>

static const BankCfg fermi = {.banks = 32, .width = 4, .mode = 4}, kepler4 = {.banks = 32, .width = 8, .mode = 4},
                     kepler8 = {.banks = 32, .width = 8, .mode = 8};

static uint32_t strided(const BankCfg *cfg, uint32_t stride, uint32_t bytes)
{  // lane · stride · bytes
    uint64_t a[32];
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = (uint64_t)lane * stride * bytes;
    return bank_passes(cfg, a, ~0u, bytes);
}

static uint32_t gcd(uint32_t a, uint32_t b) { return b ? gcd(b, a % b) : a; }

static void words(void **state)
{
    (void)state;
    // Fermi (mei §V-C): the ways of a conflict are the greatest common divisor of stride and 32; a broadcast has none.
    assert_int_equal(strided(&fermi, 0, 4), 1);
    for (uint32_t s = 1; s <= 64; s++) assert_int_equal(strided(&fermi, s, 4), gcd(s, 32));
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        for (uint32_t s = 0; s <= 70; s++)
            assert_int_equal(bank_passes_of_run(s * bytes, bytes), strided(&fermi, s, bytes));
    // Lanes that pass together may be of several runs, one behind the other anywhere.
    for (uint32_t run = 8; run <= 16; run *= 2)
        for (uint32_t bytes = 128 / run, s = 0; s <= 70; s++) {
            uint64_t at[32];
            for (uint32_t lane = 0; lane < 32; lane++) at[lane] = (lane / run * 37 + lane % run * s) * bytes;
            assert_int_equal(bank_passes_of_run(s * bytes, bytes), bank_passes(&fermi, at, ~0u, bytes));
        }
    // Kepler (mei Fig. 6, 7): words w and w + 32 lie in one row of 8 bytes.
    assert_int_equal(strided(&kepler4, 0, 4), 1);
    assert_int_equal(strided(&kepler4, 1, 4), 1);
    assert_int_equal(strided(&kepler4, 2, 4), 1);
    assert_int_equal(strided(&kepler4, 4, 4), 2);
    assert_int_equal(strided(&kepler4, 6, 4), 2);
    assert_int_equal(strided(&kepler4, 8, 4), 4);
    assert_int_equal(strided(&kepler4, 32, 4), 16);
    assert_int_equal(strided(&kepler4, 64, 4), 32);
    for (uint32_t s = 1; s < 64; s += 2) assert_int_equal(strided(&kepler4, s, 4), 1);
    assert_int_equal(strided(&kepler8, 0, 4), 1);
    assert_int_equal(strided(&kepler8, 1, 4), 1);
    assert_int_equal(strided(&kepler8, 2, 4), 1);
    assert_int_equal(strided(&kepler8, 4, 4), 2);
    assert_int_equal(strided(&kepler8, 6, 4), 1);
    assert_int_equal(strided(&kepler8, 8, 4), 4);
    assert_int_equal(strided(&kepler8, 10, 4), 1);
    assert_int_equal(strided(&kepler8, 12, 4), 2);
    assert_int_equal(strided(&kepler8, 32, 4), 16);
    assert_int_equal(strided(&kepler8, 64, 4), 32);
}

// Programming guide, capability 2.0: 64-bit accesses go by half warps, 128-bit ones by quarter warps.
static void wide(void **state)
{
    (void)state;
    assert_int_equal(strided(&fermi, 1, 8), 2);
    assert_int_equal(strided(&fermi, 2, 8), 4);  // 16 lanes on banks 0, 1, 4, 5 …: two ways in each half
    assert_int_equal(strided(&fermi, 1, 16), 4);
    assert_int_equal(strided(&fermi, 2, 16), 8);
    assert_int_equal(strided(&kepler8, 1, 8), 1);  // a bank gives 8 bytes
    assert_int_equal(strided(&kepler8, 2, 8), 2);
    assert_int_equal(strided(&kepler8, 1, 16), 2);
    assert_int_equal(strided(&kepler4, 1, 8), 1);  // words 2n, 2n + 1: each row's two words are of two lanes
    assert_int_equal(strided(&kepler4, 1, 16), 2);
    assert_int_equal(strided(&fermi, 1, 1), 1);  // bytes and halves: neighbours share a word
    assert_int_equal(strided(&fermi, 1, 2), 1);
    assert_int_equal(strided(&fermi, 128, 1), 32);
}

static void patterns(void **state)
{
    (void)state;
    uint64_t a[32];
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = (uint64_t)((lane * 7 + 3) % 32) * 4;  // a permutation
    assert_int_equal(bank_passes(&fermi, a, ~0u, 4), 1);
    for (uint32_t n = 1; n <= 32; n++) {  // n lanes on n rows of one bank, the others spread over the rest
        for (uint32_t lane = 0; lane < 32; lane++) a[lane] = lane < n ? 128ull * lane : lane * 4ull;
        assert_int_equal(bank_passes(&fermi, a, ~0u, 4), n);
    }
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = (lane & 1) * 128ull;  // two rows, each read by 16 lanes
    assert_int_equal(bank_passes(&fermi, a, ~0u, 4), 2);
    assert_int_equal(bank_passes(&fermi, a, 0x55555555, 4), 1);  // only the lanes of one row
    assert_int_equal(bank_passes(&fermi, a, 1u << 17, 4), 1);
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = (lane < 16 ? 0 : 128) + lane % 16 * 4ull;
    assert_int_equal(bank_passes(&fermi, a, ~0u, 4), 2);
    assert_int_equal(bank_passes(&kepler4, a, ~0u, 4), 1);  // words w and w + 32
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = (lane < 16 ? 0 : 256) + lane % 16 * 4ull;
    assert_int_equal(bank_passes(&kepler4, a, ~0u, 4), 2);  // w and w + 64
    // A tile of 32×32 words read by column: 32 ways; padded to 33 columns: none.
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = lane * 32 * 4ull;
    assert_int_equal(bank_passes(&fermi, a, ~0u, 4), 32);
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = lane * 33 * 4ull;
    assert_int_equal(bank_passes(&fermi, a, ~0u, 4), 1);
}

// Every byte has a bank and a row, by the description alone; a pass gives each bank one row.
static uint32_t naive_part(const BankCfg *cfg, const uint64_t *addr, uint32_t from, uint32_t to, uint32_t lanes,
                           uint32_t bytes)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < cfg->banks; bank++) {
        uint64_t rows[1024];
        uint32_t n = 0;
        for (uint32_t lane = from; lane < to; lane++)
            for (uint64_t b = addr[lane]; lanes & 1u << lane && b < addr[lane] + bytes; b++) {
                uint64_t stripe = (uint64_t)cfg->banks * cfg->mode;  // bytes until a bank comes again
                if (b % stripe / cfg->mode != bank) continue;
                uint64_t row = b / (stripe * (cfg->width / cfg->mode));  // a row is `width` bytes of each bank
                uint32_t k = 0;
                while (k < n && rows[k] != row) k++;
                if (k == n) rows[n++] = row;
            }
        if (n > most) most = n;
    }
    return most;
}

static void random_patterns(void **state)
{
    (void)state;
    static const BankCfg of[] = {{.banks = 32, .width = 4, .mode = 4},
                                 {.banks = 32, .width = 8, .mode = 4},
                                 {.banks = 32, .width = 8, .mode = 8},
                                 {.banks = 16, .width = 4, .mode = 4},
                                 {.banks = 64, .width = 4, .mode = 4}};
    uint64_t r = 3, a[32];
    for (int round = 0; round < 15000; round++) {
        const BankCfg *cfg = &of[next_random(&r) % COUNT(of)];
        uint32_t bytes = 1u << next_random(&r) % 5, lanes = next_random(&r) & 1 ? ~0u : (uint32_t)next_random(&r) | 1;
        uint64_t span = 64ull << next_random(&r) % 10, stride = next_random(&r) % 70 * bytes;
        bool regular = next_random(&r) & 1;
        uint64_t base = next_random(&r) & 1 ? 227 << 10 : 0;  // up to the end of the largest shared memory, and beyond
        for (uint32_t lane = 0; lane < 32; lane++)
            a[lane] = base + (regular ? lane * stride : next_random(&r) % span / bytes * bytes);
        uint32_t parts = bytes > cfg->width ? bytes / cfg->width : 1, want = 0;
        for (uint32_t p = 0; p < parts; p++)
            want += naive_part(cfg, a, 32 / parts * p, 32 / parts * (p + 1), lanes, bytes);
        assert_int_equal(bank_passes(cfg, a, lanes, bytes), want);
    }
}

// A column of a tile of 32 words a row meets in one bank; with a word behind each row it takes one pass.
static void padded_rows(void **state)
{
    (void)state;
    uint64_t column[32], padded[32], row[32];
    for (uint32_t lane = 0; lane < 32; lane++) column[lane] = 128ull * lane + 8, row[lane] = 128ull * 5 + 4ull * lane;
    assert_int_equal(bank_passes(&fermi, column, ~0u, 4), 32);
    const BankCfg by_word = {.banks = 32, .width = 4, .mode = 4, .pad = true};
    bank_lay_out(&by_word, column, ~0u, padded);
    for (uint32_t lane = 0; lane < 32; lane++) assert_int_equal(padded[lane], 132ull * lane + 8);
    assert_int_equal(bank_passes(&fermi, padded, ~0u, 4), 1);
    bank_lay_out(&by_word, row, ~0u, padded);
    assert_int_equal(bank_passes(&fermi, padded, ~0u, 4), 1);
}

// Eight lanes that read 16 bytes each, 64 bytes apart, meet four at a time; with 16 bytes behind each row of 64 they
// don't. 128 bytes apart they meet all; where units of 16 bytes change places within rows of 128, none does.
static void other_layouts(void **state)
{
    (void)state;
    uint64_t rows[8], laid[8], wide[8];
    for (uint32_t lane = 0; lane < 8; lane++) rows[lane] = 64ull * lane, wide[lane] = 128ull * lane + 16;
    assert_int_equal(bank_passes(&fermi, rows, 0xff, 16), 4);
    const BankCfg padded = {.banks = 32, .width = 4, .mode = 4, .pad = true, .pad_row = 64, .pad_by = 16};
    bank_lay_out(&padded, rows, 0xff, laid);
    for (uint32_t lane = 0; lane < 8; lane++) assert_int_equal(laid[lane], 80ull * lane);
    assert_int_equal(bank_passes(&fermi, laid, 0xff, 16), 1);
    assert_int_equal(bank_passes(&fermi, wide, 0xff, 16), 8);
    const BankCfg swizzled = {.banks = 32, .width = 4, .mode = 4, .swizzle = 16};
    bank_lay_out(&swizzled, wide, 0xff, laid);
    for (uint32_t lane = 0; lane < 8; lane++) assert_int_equal(laid[lane], 128ull * lane + 16 * (1 ^ lane));
    assert_int_equal(bank_passes(&fermi, laid, 0xff, 16), 1);
}

// What the short cut for runs calls free takes one pass, and on Fermi's banks it finds most that do.
static void free_runs(void **state)
{
    (void)state;
    static const BankCfg of[] = {{.banks = 32, .width = 4, .mode = 4},
                                 {.banks = 32, .width = 8, .mode = 4},
                                 {.banks = 32, .width = 8, .mode = 8},
                                 {.banks = 16, .width = 4, .mode = 4},
                                 {.banks = 64, .width = 4, .mode = 4}};
    uint64_t r = 5, a[32];
    uint32_t found = 0, all = 0;
    for (int round = 0; round < 15000; round++) {
        const BankCfg *cfg = &of[next_random(&r) % COUNT(of)];
        uint32_t run = 8u << next_random(&r) % 3, stride = next_random(&r) & 1 ? 4 : 0,
                 span = 32u << next_random(&r) % 5;
        for (uint32_t lane = 0; lane < 32; lane++)
            a[lane] = lane % run ? a[lane - 1] + stride : next_random(&r) % span * 4;
        bool got = banks_free(cfg, a, run, stride), one = naive_part(cfg, a, 0, 32, ~0u, 4) == 1;
        assert_true(one || !got);
        if (cfg != of || !one) continue;
        found += got, all++;
    }
    assert_true(all > 500 && found > all * 9 / 10);
}

// Atomics: what lanes do to one bank they do one after the other, on one word or several.
static void atomics(void **state)
{
    (void)state;
    uint64_t a[32];
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = lane * 4ull;
    assert_int_equal(bank_passes_atomic(&fermi, a, ~0u), 1);
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = 64;
    assert_int_equal(bank_passes_atomic(&fermi, a, ~0u), 32);
    assert_int_equal(bank_passes_atomic(&fermi, a, 0xf0), 4);
    assert_int_equal(bank_passes_atomic(&fermi, a, 1), 1);
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = lane % 8 * 4ull;
    assert_int_equal(bank_passes_atomic(&fermi, a, ~0u), 4);
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = lane * 8ull;
    assert_int_equal(bank_passes_atomic(&fermi, a, ~0u), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),           cmocka_unit_test(wide),        cmocka_unit_test(patterns),
        cmocka_unit_test(random_patterns), cmocka_unit_test(padded_rows), cmocka_unit_test(other_layouts),
        cmocka_unit_test(free_runs),       cmocka_unit_test(atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
