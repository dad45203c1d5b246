// One DRAM channel: what each access costs from the described timings, the order of FR-FCFS, and its bandwidth.
#include "check.h"
#include "mem/unit.h"
#include "random.h"

#include <string.h>

enum { CL = 10, RCD = 12, RP = 14, RAS = 40, CONTROLLER = 5, BURST = 2 };  // 64 bytes at 32 a cycle
static const DramCfg plain = {.bytes_per_cycle = 32,
                              .banks = 8,
                              .row = 2048,
                              .clock_ratio = 1,
                              .cl = CL,
                              .rcd = RCD,
                              .rp = RP,
                              .ras = RAS,
                              .queue = 16,
                              .latency = CONTROLLER};

typedef struct Channel {
    Dram dram;
    uint64_t count[C_COUNT];
} Channel;

static void channel_open(Channel *c, const DramCfg *cfg)
{
    memset(c, 0, sizeof *c);
    dram_open(&c->dram, cfg, c->count);
}

// An address in a row of a bank: rows are numbered r = row · banks + place, and the bank of row r is (r + row) mod
// banks (dram.c: the bank's bits are hashed with the row).
static uint64_t in_row(const DramCfg *cfg, uint32_t bank, uint32_t row)
{
    uint32_t place = (bank + cfg->banks * 64 - row % cfg->banks) % cfg->banks;  // (place + row) mod banks = bank
    return ((uint64_t)row * cfg->banks + place) * cfg->row;
}

// Runs until a read is complete; its time and tag.
static uint64_t next_done(Channel *c, uint32_t *tag)
{
    for (;;) {
        uint64_t t = dram_next(&c->dram);
        assert_true(t != NEVER);
        dram_run(&c->dram, t, NO_ROOM_HELPS);
        if (dram_pop(&c->dram, t, tag)) return t;
    }
}

static uint64_t read_at(Channel *c, uint64_t now, uint64_t address)
{
    uint32_t tag;
    dram_put(&c->dram, now, address, 64, false, 7);
    uint64_t t = next_done(c, &tag);
    assert_int_equal(tag, 7);
    return t - now;
}

static void rows(void **state)
{
    (void)state;
    Channel c;
    channel_open(&c, &plain);
    // Closed bank: activate, column, data.
    assert_int_equal(read_at(&c, 1000, in_row(&plain, 0, 0)), RCD + CL + BURST + CONTROLLER);
    // Open row.
    assert_int_equal(read_at(&c, 2000, in_row(&plain, 0, 0) + 64), CL + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 3000, in_row(&plain, 0, 0) + 2048 - 64), CL + BURST + CONTROLLER);
    // Another row of the bank: precharge first.
    assert_int_equal(read_at(&c, 4000, in_row(&plain, 0, 1)), RP + RCD + CL + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 5000, in_row(&plain, 0, 0)), RP + RCD + CL + BURST + CONTROLLER);
    // Another bank has its own row.
    assert_int_equal(read_at(&c, 6000, in_row(&plain, 3, 1)), RCD + CL + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 7000, in_row(&plain, 0, 0)), CL + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 8000, in_row(&plain, 3, 1)), CL + BURST + CONTROLLER);
    assert_int_equal(c.count[C_DRAM_ROW_HITS], 4);
    assert_int_equal(c.count[C_DRAM_ROW_MISSES], 4);
    assert_int_equal(c.count[C_DRAM_READS], 8);
    assert_int_equal(c.count[C_DRAM_READ_BYTES], 8 * 64);
    assert_int_equal(c.count[C_DRAM_WRITES], 0);
    dram_close(&c.dram);
}

// A row stays open for tRAS before it may be precharged.
static void row_active_time(void **state)
{
    (void)state;
    for (uint32_t after = 1; after < 60; after++) {
        Channel c;
        uint32_t tag;
        channel_open(&c, &plain);
        dram_put(&c.dram, 1000, in_row(&plain, 2, 0), 64, false, 1);  // activated at 1000, column at 1012
        dram_run(&c.dram, 1000, NO_ROOM_HELPS);
        dram_put(&c.dram, 1000 + after, in_row(&plain, 2, 1), 64, false, 2);
        assert_int_equal(next_done(&c, &tag), 1000 + RCD + CL + BURST + CONTROLLER);
        assert_int_equal(tag, 1);
        uint64_t precharge = MAX(1000u + after, 1000u + RAS);
        assert_int_equal(next_done(&c, &tag), precharge + RP + RCD + CL + BURST + CONTROLLER);
        assert_int_equal(tag, 2);
        dram_close(&c.dram);
    }
}

// DRAM at half, and at twice the core's clock.
static void clocks(void **state)
{
    (void)state;
    Channel c;
    DramCfg slow = plain, fast = plain;
    slow.clock_ratio = 0.5, fast.clock_ratio = 2;
    channel_open(&c, &slow);
    assert_int_equal(read_at(&c, 1000, in_row(&slow, 0, 0)), 2 * (RCD + CL) + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 2000, in_row(&slow, 0, 1)), 2 * (RP + RCD + CL) + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 3000, in_row(&slow, 0, 1)), 2 * CL + BURST + CONTROLLER);
    dram_close(&c.dram);
    channel_open(&c, &fast);
    assert_int_equal(read_at(&c, 1000, in_row(&fast, 0, 0)), (RCD + CL) / 2 + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 2000, in_row(&fast, 0, 1)), (RP + RCD + CL) / 2 + BURST + CONTROLLER);
    dram_close(&c.dram);
}

// The oldest whose row is open goes first; else the oldest.
static void order(void **state)
{
    (void)state;
    Channel c;
    uint32_t tag;
    channel_open(&c, &plain);
    uint64_t a = in_row(&plain, 0, 0), b = in_row(&plain, 0, 1), x = in_row(&plain, 1, 0);
    dram_put(&c.dram, 100, a, 64, false, 0);
    dram_run(&c.dram, 100, NO_ROOM_HELPS);          // opens row a
    dram_put(&c.dram, 101, b, 64, false, 1);        // conflicts
    dram_put(&c.dram, 101, a + 64, 64, false, 2);   // hits
    dram_put(&c.dram, 101, x, 64, false, 3);        // another bank, closed
    dram_put(&c.dram, 101, a + 128, 64, false, 4);  // hits
    dram_put(&c.dram, 101, b + 64, 64, false, 5);
    static const uint32_t want[] = {0, 2, 4, 3, 1, 5};  // 3's row opens meanwhile; b's bank is busy until tRAS is over
    for (uint32_t k = 0; k < COUNT(want); k++) {
        next_done(&c, &tag);
        assert_int_equal(tag, want[k]);
    }
    assert_int_equal(dram_next(&c.dram), NEVER);
    assert_int_equal(c.count[C_DRAM_ROW_HITS], 3);
    assert_int_equal(c.count[C_DRAM_ROW_MISSES], 3);
    // What hasn't arrived can't be preferred.
    dram_put(&c.dram, 1000, in_row(&plain, 0, 5), 64, false, 6);
    dram_run(&c.dram, 1000, NO_ROOM_HELPS);
    dram_put(&c.dram, 1500, b, 64, false, 7);
    dram_run(&c.dram, 1500, NO_ROOM_HELPS);
    dram_put(&c.dram, 1600, in_row(&plain, 0, 5), 64, false, 8);
    for (uint32_t k = 6; k < 9; k++) {
        next_done(&c, &tag);
        assert_int_equal(tag, k);
    }
    dram_close(&c.dram);
}

// Feeds n requests as fast as the queue takes them; cycles from the first until the last datum is through, at a steady
// state: the first half is not counted.
static double cycles_each(const DramCfg *cfg, uint32_t n, uint32_t bytes, bool write,
                          uint64_t (*address)(const DramCfg *, uint32_t))
{
    Channel c;
    uint32_t tag, put = 0, done = 0;
    uint64_t now = 0, half = 0;
    channel_open(&c, cfg);
    while (done < n) {
        for (; put < n && dram_room(&c.dram); put++) dram_put(&c.dram, now, address(cfg, put), bytes, write, put);
        uint64_t t = dram_next(&c.dram);
        assert_true(t != NEVER);
        now = MAX(now, t);
        uint32_t before = c.dram.n;
        dram_run(&c.dram, now, NO_ROOM_HELPS);
        if (write)
            done += before - c.dram.n;
        else
            while (dram_pop(&c.dram, now, &tag)) done++;
        if (done >= n / 2 && !half) half = now, n = n + done - n / 2;
    }
    double each = (double)(now - half) / (n / 2.0);
    dram_close(&c.dram);
    return each;
}

static uint64_t sequential(const DramCfg *cfg, uint32_t k) { return (void)cfg, (uint64_t)k * 64; }
static uint64_t all_banks(const DramCfg *cfg, uint32_t k) { return in_row(cfg, k % cfg->banks, k / cfg->banks); }
static uint64_t two_banks(const DramCfg *cfg, uint32_t k) { return in_row(cfg, k % 2, k / 2); }
static uint64_t one_bank(const DramCfg *cfg, uint32_t k) { return in_row(cfg, 0, k); }

static void assert_near(double got, double want, double part)
{
    if (got < want * (1 - part) || got > want * (1 + part)) fail_msg("%g, expected %g", got, want);
}

static void bandwidth(void **state)
{
    (void)state;
    DramCfg cfg = plain;
    // Rows that are open cost nothing but the bus, nor does the next one, where the queue holds enough of it.
    cfg.queue = 32;
    assert_near(cycles_each(&cfg, 20000, 64, false, sequential), 2, 0.01);
    assert_near(cycles_each(&cfg, 20000, 64, true, sequential), 2, 0.01);
    cfg.bytes_per_cycle = 42.142857;  // gtx480: 177 GB/s at 700 MHz over six channels
    assert_near(cycles_each(&cfg, 20000, 64, false, sequential), 64 / 42.142857, 0.01);
    cfg.bytes_per_cycle = 3.7;
    assert_near(cycles_each(&cfg, 20000, 64, false, sequential), 64 / 3.7, 0.01);
    // A new row in every bank in turn: tRC = tRAS + tRP = 54 cycles for eight requests, which the bus would carry in
    // 16.
    cfg = plain;
    assert_near(cycles_each(&cfg, 20000, 64, false, all_banks), 54.0 / 8, 0.01);
    assert_near(cycles_each(&cfg, 20000, 64, false, two_banks), 54.0 / 2, 0.01);
    assert_near(cycles_each(&cfg, 20000, 64, false, one_bank), 54.0, 0.01);
    // With a slower bus the banks' work hides behind it: 8 × 8 cycles are more than tRC.
    cfg.bytes_per_cycle = 8;
    assert_near(cycles_each(&cfg, 20000, 64, false, all_banks), 8, 0.01);
    assert_near(cycles_each(&cfg, 20000, 64, false, two_banks), 27, 0.01);
    // Simple mode knows the bus alone.
    cfg = plain;
    cfg.simple = true;
    assert_near(cycles_each(&cfg, 20000, 64, false, one_bank), 2, 0.01);
    cfg.bytes_per_cycle = 52.2;
    assert_near(cycles_each(&cfg, 20000, 128, false, one_bank), 128 / 52.2, 0.01);
}

static void simple_mode(void **state)
{
    (void)state;
    Channel c;
    DramCfg cfg = plain;
    uint32_t tag;
    cfg.simple = true;
    channel_open(&c, &cfg);
    assert_int_equal(read_at(&c, 100, 0), BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 200, 1 << 20), BURST + CONTROLLER);
    dram_put(&c.dram, 300, 0, 64, false, 1);  // three at once: one after the other on the bus, in their order
    dram_put(&c.dram, 300, 1 << 20, 64, true, 2);
    dram_put(&c.dram, 300, 2 << 20, 64, false, 3);
    assert_int_equal(next_done(&c, &tag), 300 + BURST + CONTROLLER);
    assert_int_equal(tag, 1);
    assert_int_equal(next_done(&c, &tag), 300 + 3 * BURST + CONTROLLER);  // a write is between them, and isn't reported
    assert_int_equal(tag, 3);
    assert_int_equal(dram_next(&c.dram), NEVER);
    assert_int_equal(c.count[C_DRAM_READS], 4);
    assert_int_equal(c.count[C_DRAM_WRITES], 1);
    assert_int_equal(c.count[C_DRAM_WRITE_BYTES], 64);
    assert_int_equal(c.count[C_DRAM_BUSY] >> 8, 5 * BURST);
    dram_close(&c.dram);
}

// The queue has the described room, and a request leaves it when it is started.
static void queue(void **state)
{
    (void)state;
    Channel c;
    DramCfg cfg = plain;
    cfg.queue = 4;
    channel_open(&c, &cfg);
    assert_int_equal(dram_room(&c.dram), 4);
    for (uint32_t k = 0; k < 4; k++) dram_put(&c.dram, 10, in_row(&cfg, 0, k), 64, false, k);
    assert_int_equal(dram_room(&c.dram), 0);
    dram_run(&c.dram, 9, NO_ROOM_HELPS);
    assert_int_equal(dram_room(&c.dram), 0);
    dram_run(&c.dram, 10, NO_ROOM_HELPS);
    assert_in_range(dram_room(&c.dram), 1, 3);
    for (uint32_t tag, k = 0; k < 4; k++) next_done(&c, &tag);
    assert_int_equal(dram_room(&c.dram), 4);
    for (uint32_t k = 0; k < 4; k++) dram_put(&c.dram, 20000, in_row(&cfg, k, 4), 64, false, k);
    dram_run(&c.dram, 100000, 3);  // as long as there is less room
    assert_int_equal(dram_room(&c.dram), 3);
    dram_close(&c.dram);
}

// Banks open rows while the bus is another's: a row of another bank follows without a gap, if its request came a tRCD
// before. A request for a closed row doesn't wait for hits in other banks to end either.
static void rows_ahead(void **state)
{
    (void)state;
    for (uint32_t hits = 1; hits <= 10; hits++) {
        Channel c;
        uint32_t tag, passed = 0;
        channel_open(&c, &plain);
        read_at(&c, 1000, in_row(&plain, 0, 0));
        for (uint32_t k = 0; k < hits; k++) dram_put(&c.dram, 2000, in_row(&plain, 0, 0) + 64 * k, 64, false, k);
        dram_put(&c.dram, 2000, in_row(&plain, 1, 0), 64, false, 100);
        for (uint32_t k = 0; k < hits; k++) {
            assert_int_equal(next_done(&c, &tag), 2000 + CL + (k + 1) * BURST + CONTROLLER);
            assert_int_equal(tag, k), passed++;
        }
        uint64_t behind = 2000 + CL + hits * BURST, opened = 2000 + RCD + CL;
        assert_int_equal(next_done(&c, &tag), MAX(behind, opened) + BURST + CONTROLLER);
        dram_close(&c.dram);
    }
}

// Address bits that choose the bank; what lies in one bank, and in the same stretch of all banks' rows, is one row.
static void bank_bits(void **state)
{
    (void)state;
    DramCfg cfg = plain;
    cfg.bank_bits[0] = 1 << 8, cfg.bank_bits[1] = 1 << 13 | 1 << 16, cfg.bank_bits[2] = 1 << 14, cfg.bank_bit_count = 3;
    static const struct {
        uint64_t address;
        bool hit;
    } of[] = {{0, false},
              {512, true},
              {256, false},
              {768, true},
              {1 << 13, false},
              {1 << 14, false},
              {1 << 12, true},
              {1 << 16, false},
              {1 << 16 | 4096, true},
              {1 << 16 | 512, true},
              {1 << 13, false},
              {1 << 15, false},
              {0, false}};  // 1 << 16 is a row of the bank of 1 << 13
    Channel c;
    channel_open(&c, &cfg);
    uint64_t hits = 0;
    for (uint32_t k = 0; k < COUNT(of); k++) {
        read_at(&c, 1000 * (k + 1), of[k].address);
        hits += of[k].hit;
        if (c.count[C_DRAM_ROW_HITS] != hits)
            fail_msg("access %u: %llu hits", k, (unsigned long long)c.count[C_DRAM_ROW_HITS]);
    }
    dram_close(&c.dram);
}

// --- what a controller loses -----------------------------------------------------------------------------------------
static void write_at(Channel *c, uint64_t now, uint64_t address)
{
    dram_put(&c->dram, now, address, 64, true, 0);
    dram_run(&c->dram, now, NO_ROOM_HELPS);
}

// Reads two rows or banks at once: when the second is complete.
static uint64_t second_of(const DramCfg *cfg, uint64_t first, uint64_t second)
{
    Channel c;
    uint32_t tag;
    channel_open(&c, cfg);
    read_at(&c, 1000, first);  // rows that are open are so from here on
    read_at(&c, 2000, second);
    dram_put(&c.dram, 3000, first, 64, false, 1);
    dram_put(&c.dram, 3000, second, 64, false, 2);
    next_done(&c, &tag);
    uint64_t t = next_done(&c, &tag);
    assert_int_equal(tag, 2);
    dram_close(&c.dram);
    return t - 3000;
}

static void turnaround(void **state)
{
    (void)state;
    enum { WL = 4, WTR = 6, RTW = 17, WR = 30, LATER = 5000 };
    DramCfg cfg = plain;
    cfg.wl = WL, cfg.wtr = WTR, cfg.rtw = RTW, cfg.wr = WR;
    Channel c;
    channel_open(&c, &cfg);
    uint64_t open = in_row(&cfg, 0, 0), other = in_row(&cfg, 0, 1);
    read_at(&c, 1000, open);
    // A read behind a write: the write's data, tWTR, the read.
    write_at(&c, LATER, open);
    assert_int_equal(read_at(&c, LATER, open), WL + BURST + WTR + CL + BURST + CONTROLLER);
    // A write behind a read: tRTW after the read's column.
    uint32_t tag;
    dram_put(&c.dram, 2 * LATER, open, 64, false, 1);
    dram_put(&c.dram, 2 * LATER, open, 64, true, 0);
    next_done(&c, &tag);
    dram_run(&c.dram, 2 * LATER + 1000, NO_ROOM_HELPS);
    assert_int_equal(c.dram.bus, (2 * LATER + RTW + WL + BURST) * 256);
    // Another row behind a write: the write's data, tWR, precharge, activation.
    write_at(&c, 3 * LATER, open);
    assert_int_equal(read_at(&c, 3 * LATER, other), WL + BURST + WR + RP + RCD + CL + BURST + CONTROLLER);
    dram_close(&c.dram);
}

static void activations(void **state)
{
    (void)state;
    enum { RRD = 9 };
    DramCfg cfg = plain;
    cfg.rrd = RRD;
    Channel c;
    uint32_t tag;
    channel_open(&c, &cfg);
    dram_put(&c.dram, 1000, in_row(&cfg, 0, 0), 64, false, 1);
    dram_put(&c.dram, 1000, in_row(&cfg, 5, 0), 64, false, 2);
    assert_int_equal(next_done(&c, &tag), 1000 + RCD + CL + BURST + CONTROLLER);
    assert_int_equal(next_done(&c, &tag), 1000 + RRD + RCD + CL + BURST + CONTROLLER);
    dram_close(&c.dram);
}

static void groups(void **state)
{
    (void)state;
    enum { CCDL = 5 };
    DramCfg cfg = plain;
    cfg.groups = 4, cfg.ccdl = CCDL, cfg.burst = 64;
    uint64_t row = in_row(&cfg, 1, 0);
    // Two accesses of one bank, of one group (banks 1 and 5), and of two.
    assert_int_equal(second_of(&cfg, row, row + 64), CCDL + CL + BURST + CONTROLLER);
    assert_int_equal(second_of(&cfg, row, in_row(&cfg, 5, 0)), CCDL + CL + BURST + CONTROLLER);
    assert_int_equal(second_of(&cfg, row, in_row(&cfg, 2, 0)), BURST + CL + BURST + CONTROLLER);
    // The two bursts of one request, too.
    Channel c;
    uint32_t tag;
    channel_open(&c, &cfg);
    read_at(&c, 1000, row);
    dram_put(&c.dram, 2000, row, 128, false, 1);
    assert_int_equal(next_done(&c, &tag), 2000 + CL + CCDL + BURST + CONTROLLER);
    assert_int_equal(c.dram.bus, (2000 + CL + 2 * BURST) * 256);  // another group's burst fits into the gap
    dram_close(&c.dram);
}

static void whole_bursts(void **state)
{
    (void)state;
    DramCfg cfg = plain;
    cfg.burst = 64;
    Channel c;
    channel_open(&c, &cfg);
    read_at(&c, 1000, 0);
    for (uint32_t bytes = 32; bytes <= 160; bytes += 32) {
        uint64_t now = bytes * 100ull;
        uint32_t tag;
        dram_put(&c.dram, now, 0, bytes, false, 1);
        assert_int_equal(next_done(&c, &tag), now + CL + (bytes + 63) / 64 * BURST + CONTROLLER);
    }
    dram_close(&c.dram);
}

// Puts requests of 1 to 4 parts, and runs until all are done; when each of them was, by its tag. whole: a read's parts
// are one request.
enum { ROUND = 12, EACH = 32 };
static void run_round(Channel *c, bool whole, uint64_t now, uint64_t seed, uint64_t done[ROUND])
{
    uint32_t tag;
    for (uint32_t k = 0; k < ROUND; k++) {
        uint64_t address = in_row(&plain, random_below(&seed, 8), random_below(&seed, 3));
        uint32_t n = 1 + random_below(&seed, 4);
        bool write = random_below(&seed, 4) == 0;
        for (uint32_t m = 0; m < (write || whole ? 1 : n); m++)
            dram_put(&c->dram, now, address, write || !whole ? EACH : n * EACH, write, k);
        now += random_below(&seed, 9);
        done[k] = 0;
    }
    for (uint64_t t; (t = dram_next(&c->dram)) != NEVER;) {
        dram_run(&c->dram, t, NO_ROOM_HELPS);
        while (dram_pop(&c->dram, t, &tag)) done[tag] = t;
    }
}

// A read of several parts is done when the last of as many reads would be that come one by one.
static void parts(void **state)
{
    (void)state;
    DramCfg cfg = plain;
    cfg.groups = 4, cfg.ccdl = 5, cfg.burst = 64, cfg.wtr = 5, cfg.rtw = 12, cfg.refi = 3000, cfg.rfc = 100;
    cfg.queue = 4 * ROUND;
    Channel whole, each;
    channel_open(&each, &cfg);
    cfg.request = EACH;
    channel_open(&whole, &cfg);
    for (uint64_t round = 1; round < 400; round++) {
        uint64_t one[ROUND], other[ROUND];
        run_round(&whole, true, round * 700, round, one), run_round(&each, false, round * 700, round, other);
        for (uint32_t k = 0; k < ROUND; k++) assert_int_equal(one[k], other[k]);
    }
    for (int k = 0; k < C_COUNT; k++) assert_int_equal(whole.count[k], each.count[k]);
    dram_close(&whole.dram), dram_close(&each.dram);
}

static void refreshes(void **state)
{
    (void)state;
    DramCfg cfg = plain;
    cfg.refi = 1000, cfg.rfc = 100;
    Channel c;
    channel_open(&c, &cfg);
    assert_int_equal(read_at(&c, 500, 0), RCD + CL + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 900, 0), CL + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 1500, 0), RCD + CL + BURST + CONTROLLER);  // that at 1000 has closed the row
    assert_int_equal(read_at(&c, 1600, 0), CL + BURST + CONTROLLER);
    assert_int_equal(read_at(&c, 2010, 0), 90 + RCD + CL + BURST + CONTROLLER);     // within the next one
    assert_int_equal(read_at(&c, 1000030, 0), 70 + RCD + CL + BURST + CONTROLLER);  // many have passed
    dram_close(&c.dram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),       cmocka_unit_test(row_active_time), cmocka_unit_test(clocks),
        cmocka_unit_test(order),      cmocka_unit_test(bandwidth),       cmocka_unit_test(simple_mode),
        cmocka_unit_test(queue),      cmocka_unit_test(turnaround),      cmocka_unit_test(activations),
        cmocka_unit_test(groups),     cmocka_unit_test(whole_bursts),    cmocka_unit_test(refreshes),
        cmocka_unit_test(rows_ahead), cmocka_unit_test(bank_bits),       cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
