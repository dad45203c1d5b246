// The coalescer: classic patterns worked out by hand, and random ones against a model that looks at every byte.
#include "check.h"
#include "mem/mem.h"
#include "random.h"

#include <string.h>

typedef struct Expected {
    uint64_t address;
    uint32_t sectors, whole;
} Expected;

static void assert_segments(const uint64_t *addr, uint32_t lanes, uint32_t bytes, const Expected *want, uint32_t n)
{
    Segment got[64];
    assert_int_equal(coalesce(addr, lanes, bytes, true, got), n);
    for (uint32_t k = 0; k < n; k++) {
        assert_int_equal(got[k].address, want[k].address);
        assert_int_equal(got[k].sectors, want[k].sectors);
        assert_int_equal(got[k].whole, want[k].whole);
    }
}

static void strided(uint64_t *addr, uint64_t first, uint64_t stride)
{
    for (uint32_t lane = 0; lane < 32; lane++) addr[lane] = first + lane * stride;
}

static void classic_patterns(void **state)
{
    (void)state;
    uint64_t a[32];
    strided(a, 0x1000, 4);  // 32 floats: one line
    assert_segments(a, ~0u, 4, (Expected[]){{0x1000, 15, 15}}, 1);
    strided(a, 0x1004, 4);  // misaligned by one: a byte-wise remainder in the first sector, one word in the next line
    assert_segments(a, ~0u, 4, (Expected[]){{0x1000, 15, 14}, {0x1080, 1, 0}}, 2);
    strided(a, 0x1040, 4);  // by half a line
    assert_segments(a, ~0u, 4, (Expected[]){{0x1000, 12, 12}, {0x1080, 3, 3}}, 2);
    strided(a, 0x1020, 0);  // a broadcast
    assert_segments(a, ~0u, 4, (Expected[]){{0x1000, 2, 0}}, 1);
    assert_segments(a, 0x7fffffff, 4, (Expected[]){{0x1000, 2, 0}},
                    1);     // 31 lanes on 4 bytes don't make a sector whole
    strided(a, 0x1000, 8);  // every other word: two lines, all sectors, none whole
    assert_segments(a, ~0u, 4, (Expected[]){{0x1000, 15, 0}, {0x1080, 15, 0}}, 2);
    strided(a, 0x1000, 8);  // the same as doubles
    assert_segments(a, ~0u, 8, (Expected[]){{0x1000, 15, 15}, {0x1080, 15, 15}}, 2);
    strided(a, 0x1000, 16);  // float4
    assert_segments(a, ~0u, 16, (Expected[]){{0x1000, 15, 15}, {0x1080, 15, 15}, {0x1100, 15, 15}, {0x1180, 15, 15}},
                    4);
    strided(a, 0x1000, 1);  // bytes
    assert_segments(a, ~0u, 1, (Expected[]){{0x1000, 1, 1}}, 1);
    strided(a, 0x107f, 1);
    assert_segments(a, ~0u, 1, (Expected[]){{0x1000, 8, 0}, {0x1080, 1, 0}}, 2);
    strided(a, 0x1000, 32);  // one word of each sector
    Expected eight[8];
    for (uint32_t k = 0; k < 8; k++) eight[k] = (Expected){0x1000 + 128 * k, 15, 0};
    assert_segments(a, ~0u, 4, eight, 8);
    strided(a, 0x10000, 4096);  // a column of a matrix: 32 lines
    Expected column[32];
    for (uint32_t k = 0; k < 32; k++) column[k] = (Expected){0x10000 + 4096ull * k, 1, 0};
    assert_segments(a, ~0u, 4, column, 32);
    for (uint32_t lane = 0; lane < 32; lane++) a[lane] = 0x1000 + (31 - lane) * 4;  // backwards
    assert_segments(a, ~0u, 4, (Expected[]){{0x1000, 15, 15}}, 1);
    for (uint32_t lane = 0; lane < 32; lane++)
        a[lane] = 0x1100 - (lane & 1) * 0x80 + lane / 2 * 4;                      // two lines in turn:
    assert_segments(a, ~0u, 4, (Expected[]){{0x1100, 3, 3}, {0x1080, 3, 3}}, 2);  // by first lane
    strided(a, 0x1000, 4);                                                        // partial masks
    assert_segments(a, 1u, 4, (Expected[]){{0x1000, 1, 0}}, 1);
    assert_segments(a, 1u << 31, 4, (Expected[]){{0x1000, 8, 0}}, 1);
    assert_segments(a, 0xff, 4, (Expected[]){{0x1000, 1, 1}}, 1);
    assert_segments(a, 0xff00ff00, 4, (Expected[]){{0x1000, 10, 10}}, 1);
    assert_segments(a, 0x55555555, 4, (Expected[]){{0x1000, 15, 0}}, 1);
    assert_segments(a, 0xfffffffe, 4, (Expected[]){{0x1000, 15, 14}}, 1);
    a[5] = 0x107e;  // straddles two segments
    assert_segments(a, 1u << 5, 4, (Expected[]){{0x1000, 8, 0}, {0x1080, 1, 0}}, 2);
    a[5] = 0x101e;  // and two sectors
    assert_segments(a, 1u << 5, 4, (Expected[]){{0x1000, 3, 0}}, 1);
}

// --- a model that looks at every byte --------------------------------------------------------------------------------
static uint32_t naive(const uint64_t *addr, uint32_t lanes, uint32_t bytes, Expected *out, uint32_t *touches)
{
    uint8_t seen[64][128];
    uint32_t n = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(lanes & 1u << lane)) continue;
        for (uint64_t b = addr[lane]; b < addr[lane] + bytes; b++) {
            uint32_t k = 0;
            while (k < n && out[k].address != b / 128 * 128) k++;
            if (k == n) {
                out[n] = (Expected){.address = b / 128 * 128};
                touches[n] = 0;
                memset(seen[n++], 0, 128);
            }
            seen[k][b % 128] = 1;
            touches[k]++;
        }
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t s = 0; s < 4; s++) {
            uint32_t sum = 0;
            for (uint32_t b = 0; b < 32; b++) sum += seen[k][s * 32 + b];
            out[k].sectors |= (uint32_t)(sum > 0) << s;
            out[k].whole |= (uint32_t)(sum == 32) << s;
        }
    return n;
}

static void random_patterns(void **state)
{
    (void)state;
    uint64_t r = 1, addr[32];
    Expected want[64];
    Segment got[64];
    uint32_t touches[64];
    for (int round = 0; round < 60000; round++) {
        uint32_t bytes = 1u << next_random(&r) % 6;  // 1 to 32: a vector of four doubles
        uint64_t kind = next_random(&r) % 5, base = (next_random(&r) & 0xffffffffff) / bytes * bytes;
        uint64_t stride = next_random(&r) % 40 * bytes, span = 1ull << next_random(&r) % 20;
        uint32_t lanes = kind == 4 ? (uint32_t)next_random(&r) : next_random(&r) & 1 ? ~0u : (uint32_t)next_random(&r);
        if (!lanes) lanes = 1;
        for (uint32_t lane = 0; lane < 32; lane++)
            addr[lane] = kind < 2 ? base + lane * stride : base + next_random(&r) % span / bytes * bytes;
        if (bytes <= 4 && kind == 3)
            for (uint32_t lane = 0; lane < 32; lane++) addr[lane] += next_random(&r) & 3;  // unaligned too
        uint32_t n = naive(addr, lanes, bytes, want, touches), m = coalesce(addr, lanes, bytes, true, got);
        assert_int_equal(m, n);
        for (uint32_t k = 0; k < n; k++) {
            assert_int_equal(got[k].address, want[k].address);
            assert_int_equal(got[k].sectors, want[k].sectors);
            assert_int_equal(got[k].whole, want[k].whole);
            assert_int_equal(got[k].bytes, touches[k]);
        }
    }
}

// The short cut for runs gives what looking at lanes gives.
static void runs(void **state)
{
    (void)state;
    uint64_t addr[32], r = 7;
    Expected want[64];
    Segment got[64];
    uint32_t touches[64];
    for (uint32_t bytes = 1; bytes <= 32; bytes *= 2)
        for (uint32_t first = 0; first < 512; first += bytes)
            for (uint32_t kind = 0; kind < 15; kind++) {
                const uint32_t strides[] = {0, bytes, 128, 160, 4096 + bytes};
                uint32_t run = 32 >> kind / 5, stride = strides[kind % 5];
                for (uint32_t lane = 0; lane < 32; lane++) {
                    uint64_t start = lane % run ? 0 : 0x123456000 + first + next_random(&r) % 1000 / bytes * bytes;
                    addr[lane] = lane % run ? addr[lane - 1] + stride : start;
                }
                uint32_t n = naive(addr, ~0u, bytes, want, touches), m = coalesce_runs(addr, run, stride, bytes, got);
                bool known = stride <= bytes || (run == 32 && kind % 5 != 1);
                assert_int_equal(m, known ? n : 0);
                for (uint32_t k = 0; k < m; k++) {
                    assert_int_equal(got[k].address, want[k].address);
                    assert_int_equal(got[k].sectors, want[k].sectors);
                    assert_int_equal(got[k].whole, want[k].whole);
                }
            }
}

// So does the one for neighbouring lanes with neighbouring words.
static void ranges(void **state)
{
    (void)state;
    uint64_t addr[32];
    Expected want[64];
    Segment got[64];
    uint32_t touches[64];
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2)
        for (uint32_t first = 0; first < 256; first += bytes)
            for (uint32_t from = 0; from < 32; from++)
                for (uint32_t lanes = 1; from + lanes <= 32; lanes++) {
                    for (uint32_t n = 0; n < lanes; n++) addr[from + n] = 0x123456000 + first + n * bytes;
                    const uint32_t mask = (lanes == 32 ? ~0u : (1u << lanes) - 1) << from;
                    uint32_t n = naive(addr, mask, bytes, want, touches);
                    assert_int_equal(coalesce_range(addr[from], lanes * bytes, got), n);
                    for (uint32_t k = 0; k < n; k++) {
                        assert_int_equal(got[k].address, want[k].address);
                        assert_int_equal(got[k].sectors, want[k].sectors);
                        assert_int_equal(got[k].whole, want[k].whole);
                        assert_int_equal(got[k].bytes, touches[k]);
                    }
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classic_patterns),
        cmocka_unit_test(random_patterns),
        cmocka_unit_test(runs),
        cmocka_unit_test(ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
