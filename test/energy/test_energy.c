// Prices and accounts: expected values are unified-memory Table 4's, or computed here by hand from §5.2.
#include "check.h"
#include "energy/unit.h"
#include "gpu/gpu.h"

#include <math.h>
#include <string.h>

static const EnergyCfg paper = {.wiring = 10, .dram = 40, .sram = 0.52, .leakage = 0.7, .dynamic = 1.9};

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

static void table_4(void **state)
{
    (void)state;
    const struct {
        double kib, read, write;
    } rows[] = {{2, 3.9, 5.1},
                {8, 9.8, 11.8},
                {12, 12.1, 14.9},
                {4, 3.9 + 5.9 / 3, 5.1 + 6.7 / 3},  // a third of the way from 2 to 8
                {10, 10.95, 13.35},                 // half of the way from 8 to 12
                {1, 3.9 - 5.9 / 6, 5.1 - 6.7 / 6},  // the nearest line goes on
                {16, 14.4, 18.0}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        assert_true(near(energy_of_access(&paper, rows[k].kib, false), rows[k].read));
        assert_true(near(energy_of_access(&paper, rows[k].kib, true), rows[k].write));
    }
    EnergyCfg own = {.bank = {1, 2, 4}, .read = {5, 1, 9}, .write = {1, 2, 3}}, one = {.bank = {3}, .read = {7}};
    assert_true(near(energy_of_access(&own, 3, false), 5));
    assert_true(near(energy_of_access(&own, 0, true), 0));
    assert_true(near(energy_of_access(&own, 0, false), 9));
    own.read[0] = 0.1;
    assert_true(near(energy_of_access(&own, 0, false), 0));  // the line would be below it
    assert_true(near(energy_of_access(&one, 100, false), 7));
}

static SmCfg sm_of(uint32_t kind)
{
    return (SmCfg){.storage = kind,
                   .storage_size = kind == STORAGE_UNIFIED ? 384 * 1024 : 128 * 1024,
                   .registers = 65536,
                   .shared_size = kind == STORAGE_PARTITIONED ? 64 * 1024 : 96 * 1024,
                   .l1 = {.size = kind == STORAGE_PARTITIONED ? 64 * 1024 : 32 * 1024, .line = 128, .ways = 4}};
}

static void organisations(void **state)
{
    (void)state;
    SmCfg s = sm_of(STORAGE_PARTITIONED);
    EnergyPrices p = energy_prices(&paper, &s, 1000);
    assert_int_equal(p.register_read, 9800);
    assert_int_equal(p.register_write, 11800);
    assert_int_equal(p.shared_read, 3900);
    assert_int_equal(p.l1_write, 5100);
    assert_int_equal(p.dram_byte, 320000);
    assert_int_equal(p.sram, 199680);  // 0.52 mW × 384 at 1 GHz: 0.2 W, as §5.2 says
    assert_int_equal(p.leakage, 700000);
    assert_int_equal(p.dynamic, 1900000);
    s = sm_of(STORAGE_UNIFIED);
    p = energy_prices(&paper, &s, 1000);
    assert_int_equal(p.register_read, 12100);  // no wires for registers
    assert_int_equal(p.shared_read, 13310);
    assert_int_equal(p.l1_write, 16390);
    assert_int_equal(p.sram, 199680);
    s = sm_of(STORAGE_FERMI);  // shared memory and L1 lie in banks of 4 KB
    p = energy_prices(&paper, &s, 500);
    assert_int_equal(p.register_read, 9800);
    assert_int_equal(p.shared_read, p.l1_read);
    assert_int_equal(p.l1_read, 5867);
    assert_int_equal(p.sram, 2 * 199680);
}

// An SM that ran 1000 cycles, in which everything happened a little.
static void accounts(void **state)
{
    (void)state;
    uint64_t c[C_COUNT] = {
        [C_CYCLES] = 1000,     [C_SM_CYCLES] = 900,    [C_MRF_READS] = 10,        [C_MRF_WRITES] = 5,
        [C_LRF_READS] = 7,     [C_ORF_WRITES] = 3,     [C_SHARED_BANK_READS] = 6, [C_SHARED_BANK_WRITES] = 2,
        [C_L1_BANK_READS] = 4, [C_L1_BANK_WRITES] = 8, [C_DRAM_READ_BYTES] = 64,  [C_DRAM_WRITE_BYTES] = 32,
        [C_L2_SECTORS] = 3};
    EnergyCfg cfg = paper;
    cfg.lrf = 1, cfg.orf = 2, cfg.l2 = 50;
    SmCfg s = sm_of(STORAGE_PARTITIONED);
    EnergyPrices p = energy_prices(&cfg, &s, 1000);
    energy_count(&p, 1, c);
    uint64_t registers = 8 * (10 * 9800 + 5 * 11800 + 7 * 1000 + 3 * 2000), shared = 6 * 3900 + 2 * 5100,
             l1 = 4 * 3900 + 8 * 5100;
    assert_int_equal(c[C_ENERGY_REGISTERS], registers);
    assert_int_equal(c[C_ENERGY_SHARED], shared);
    assert_int_equal(c[C_ENERGY_L1], l1);
    assert_int_equal(c[C_ENERGY_L2], 150000);
    assert_int_equal(c[C_ENERGY_DRAM], 96 * 320000);
    assert_int_equal(c[C_ENERGY_CORE], 900 * 1900000ull - registers - shared - l1);
    assert_int_equal(c[C_ENERGY_LEAKAGE], 1000 * 700000);
    assert_int_equal(c[C_ENERGY_SRAM], 1000 * 199680);
    assert_int_equal(c[C_ENERGY], 900 * 1900000ull + 150000 + 96 * 320000 + 1000 * (700000 + 199680));
    cfg.core = 0.5;  // given: the banks come on top
    p = energy_prices(&cfg, &s, 1000);
    energy_count(&p, 4, c);
    assert_int_equal(c[C_ENERGY_CORE], 900 * 500000);
    assert_int_equal(c[C_ENERGY_LEAKAGE], 4000 * 700000ull);
    c[C_MRF_READS] = 1u << 31;  // banks that need more than the SM has
    cfg.core = 0;
    p = energy_prices(&cfg, &s, 1000);
    energy_count(&p, 1, c);
    assert_int_equal(c[C_ENERGY_CORE], 0);
}

// Accounts that don't fit 64 bits stay at the largest number; they don't begin anew.
static void hostile(void **state)
{
    (void)state;
    uint64_t c[C_COUNT];
    for (int k = 0; k < C_COUNT; k++) c[k] = UINT64_MAX / 4;
    SmCfg s = sm_of(STORAGE_UNIFIED);
    EnergyPrices p = energy_prices(&paper, &s, 1);
    energy_count(&p, 256, c);
    assert_int_equal(c[C_ENERGY_DRAM], UINT64_MAX);
    assert_int_equal(c[C_ENERGY], UINT64_MAX);
    s.storage_size = 0;
    p = energy_prices(&paper, &s, 1e-300);
    assert_true(p.leakage > 0);
}

static void tags(void **state)
{
    (void)state;
    const CacheCfg paper_l1 = {.size = 64 * 1024, .line = 128, .ways = 4}, none = {0};
    assert_int_equal(tag_storage(&paper_l1), 1152);  // §4.1: 1.125 KB
    const CacheCfg all = {.size = 384 * 1024, .line = 128, .ways = 4};
    assert_int_equal(tag_storage(&all), 3072 * 16 / 8);  // 768 sets: 9 bits of the 25 are known
    assert_int_equal(tag_storage(&none), 0);
    // 2^18 sets of lines of 64 KiB: set and offset have 34 bits, more than the address.
    const CacheCfg huge = {.size = 1ull << 34, .line = 1 << 16, .ways = 1};
    assert_int_equal(tag_storage(&huge), 0);
}

static void words(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int n = 0; n < 20000; n++) {
        uint64_t addr[32], word[1024];
        uint32_t count = 0, bytes = 1u << n % 5, width = 4u << n / 5 % 3, lanes = 0;
        for (int k = 0; k < 32; k++) {
            seed = seed * 1664525 + 1013904223;
            addr[k] = (seed >> 8) % (16u << n % 7) * bytes;
            lanes |= (seed >> 4 & 3) ? 1u << k : 0;
        }
        for (int k = 0; k < 32; k++)
            for (uint64_t b = 0; b < bytes && lanes >> k & 1; b++) {
                uint32_t at = 0;
                while (at < count && word[at] != (addr[k] + b) / width) at++;
                if (at == count) word[count++] = (addr[k] + b) / width;
            }
        assert_int_equal(bank_words(addr, lanes, bytes, width), count);
    }
}

static void keys(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"energy.bank=2,8", NULL},        {"energy.bank=8,2,12", NULL},
                                           {"energy.bank=2,2,12", NULL},     {"energy.read=1,2,3,0.5", NULL},
                                           {"energy.write=1,2,3,0.5", NULL}, {"energy.dram=-1", NULL},
                                           {"energy.read=nan,1,2", NULL},    {"energy.bank=1,2,3,4,5,6,7,8,9", NULL}};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        Gpu g;
        Diag diag = {0};
        bool ok = gpu_load(&g, "sm32", wrong[k], &diag);
        if (ok) print_message("%s was taken\n", wrong[k][0]);
        assert_false(ok);
        assert_non_null(strstr(diag.text.v, "energy."));
        diag_free(&diag);
    }
    // A size lacks a price: the first one, too.
    EnergyCfg own = {.bank = {2, 8}, .read = {1, 2}, .write = {1, 2}};
    assert_null(energy_refusal(&own));
    own.read[0] = 0;
    assert_non_null(energy_refusal(&own));
    own.read[0] = 1, own.write[0] = 0;
    assert_non_null(energy_refusal(&own));
    Gpu g;
    Diag diag = {0};
    const char *const fewer[] = {"energy.bank=1,2", "energy.read=1,2", "energy.write=3,4", NULL};
    assert_true(gpu_load(&g, "sm32", fewer, &diag));  // nothing is left of the three before
    assert_true(near(energy_of_access(&g.energy, 3, true), 5));
    gpu_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(table_4),  cmocka_unit_test(organisations),
                                       cmocka_unit_test(accounts), cmocka_unit_test(hostile),
                                       cmocka_unit_test(tags),     cmocka_unit_test(words),
                                       cmocka_unit_test(keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
