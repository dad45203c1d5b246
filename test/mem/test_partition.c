// A slice of the L2 with its DRAM channel: times of hits, misses and merges to the cycle, write-back, back-pressure and
// credits, counts against a naive model, and the interleaving of addresses over partitions.
#include "check.h"
#include "mem/mem.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

// --- a rig that sends packets and collects what comes back -----------------------------------------------------------
enum { SMS = 3, WINDOW = 40, BACK = 50, DRAM = 100, HEADER = 8 };  // BACK: cycles to the SM; DRAM: the controller's
static const PartitionCfg plain = {
    .l2 = {.size = 16384,
           .line = 128,
           .sector = 32,
           .fill = 32,
           .ways = 4,
           .mshrs = 8,
           .merges = 4,
           .write_back = true,
           .write_allocate = true},
    .dram =
        {.simple = true, .bytes_per_cycle = 32, .banks = 1, .row = 2048, .clock_ratio = 1, .queue = 8, .latency = DRAM},
    .interval = 1,
    .duplex = true,
    .bytes_in = 32,
    .bytes_out = 32,
    .to_sm = BACK,
    .credits = 8,
    .partitions = 1,
    .chunk = 256,
    .header = HEADER,
    .atomic_interval = 1,
    .sms = SMS,
    .page = 1 << 21,
};

typedef struct Rig {
    Partition p;
    Wire wires[SMS], *from[SMS];
    VEC(Packet) sent, replies, credits;  // sent: in order of time
    size_t next;
    uint64_t window, turns;  // of time; those that were run
    bool jumps;              // windows in which nothing is due aren't
} Rig;

static void rig_open(Rig *r, const PartitionCfg *cfg)
{
    const char *why;
    memset(r, 0, sizeof *r);
    for (int s = 0; s < SMS; s++) r->from[s] = &r->wires[s];
    if (!partition_open(&r->p, cfg, 0, NULL, NULL, &why)) fail_msg("%s", why);
    partition_begin(&r->p, SMS);
    r->p.from = r->from;
}

static void rig_close(Rig *r)
{
    for (int s = 0; s < SMS; s++)
        for (int b = 0; b < 2; b++) mem_free(r->wires[s].box[b].v);
    vec_free(&r->sent), vec_free(&r->replies), vec_free(&r->credits);
    partition_close(&r->p);
}

static void send(Rig *r, uint64_t time, int sm, PacketKind kind, uint64_t address, uint32_t sectors, uint32_t whole,
                 uint32_t tag)
{
    Packet p = {.time = time,
                .address = address,
                .tag = tag,
                .sm = (uint16_t)sm,
                .kind = (uint8_t)kind,
                .sectors = (uint8_t)sectors,
                .whole = (uint8_t)whole,
                .ops = 32,
                .quiet = kind == PACKET_WRITE};
    vec_push(&r->sent, p);
}

static void read_line(Rig *r, uint64_t time, uint64_t address, uint32_t tag)
{
    send(r, time, 0, PACKET_READ, address, 15, 0, tag);
}

// Runs until nothing is under way, and at least to `until`.
static void run(Rig *r, uint64_t until)
{
    for (;;) {
        uint64_t end = (r->window + 1) * WINDOW;
        bool arrives = false;
        for (; r->next < r->sent.n && r->sent.v[r->next].time < end; r->next++) {
            Packet p = r->sent.v[r->next];
            fifo_put(&r->wires[p.sm].box[(r->turns & 1) ^ 1], &p);
            arrives = true;
        }
        if (r->jumps && !arrives && r->p.due >= end && !partition_idle(&r->p)) {
            r->window++;
            continue;
        }
        partition_run(&r->p, r->turns, end);
        uint64_t sent = NEVER;
        for (int s = 0; s < SMS; s++) {
            Fifo *reply = &r->p.reply[s].box[r->turns & 1], *credit = &r->p.credit[s].box[r->turns & 1];
            if (credit->n) sent = MIN(sent, credit->v[0].time);
            if (reply->n) sent = MIN(sent, reply->v[0].time);
            for (size_t k = 0; k < reply->n; k++) {
                assert_int_equal(reply->v[k].sm, s);
                assert_int_equal(reply->v[k].kind, PACKET_REPLY);
                assert_true(reply->v[k].time >=
                            end);  // it crosses a window's edge, or the SMs would have to wait for it
                vec_push(&r->replies, reply->v[k]);
            }
            for (size_t k = 0; k < credit->n; k++) {
                Packet c = credit->v[k];
                c.sm = (uint16_t)s;
                vec_push(&r->credits, c);
            }
            reply->n = credit->n = 0;
        }
        assert_int_equal(r->p.sent, sent);
        r->window++, r->turns++;
        if (r->next == r->sent.n && partition_idle(&r->p) && end >= until) break;
        assert_true(r->window < 10000000);
    }
}

static uint64_t reply_time(const Rig *r, uint32_t tag)
{
    uint64_t time = NEVER;
    for (size_t k = 0; k < r->replies.n; k++) {
        if (r->replies.v[k].tag != tag) continue;
        assert_true(time == NEVER);  // one reply each
        time = r->replies.v[k].time;
    }
    assert_true(time != NEVER);
    return time;
}

#define COUNTS(rig, counter, want) assert_int_equal((rig)->p.count[C_##counter], want)

// --- times -----------------------------------------------------------------------------------------------------------
// At 32 bytes a cycle, a reply of a header and 128 bytes takes 4.25 cycles of the port out, one of 32 bytes 1.25;
// DRAM's bus takes 4 and 1.
static void hit_and_miss(void **state)
{
    (void)state;
    Rig r;
    rig_open(&r, &plain);
    read_line(&r, 1000, 0x4000, 1);                   // misses
    read_line(&r, 2000, 0x4000, 2);                   // hits
    send(&r, 3000, 1, PACKET_READ, 0x4000, 4, 0, 3);  // one sector, another SM
    send(&r, 4000, 0, PACKET_READ, 0x4080, 1, 0, 4);  // a line of which one sector comes
    send(&r, 5000, 0, PACKET_READ, 0x4080, 3, 0, 5);  // and another
    send(&r, 6000, 0, PACKET_READ, 0x4080, 3, 0, 6);
    run(&r, 0);
    assert_int_equal(reply_time(&r, 1), 1000 + 4 + DRAM + 5 + BACK);
    assert_int_equal(reply_time(&r, 2), 2000 + 5 + BACK);
    assert_int_equal(reply_time(&r, 3), 3000 + 2 + BACK);
    assert_int_equal(reply_time(&r, 4), 4000 + 1 + DRAM + 2 + BACK);
    assert_int_equal(reply_time(&r, 5), 5000 + 1 + DRAM + 3 + BACK);  // fetches one sector, returns two: 2.25 cycles
    assert_int_equal(reply_time(&r, 6), 6000 + 3 + BACK);
    COUNTS(&r, L2_ACCESSES, 6);
    COUNTS(&r, L2_READS, 6);
    COUNTS(&r, L2_HITS, 3);
    COUNTS(&r, L2_MISSES, 3);
    COUNTS(&r, L2_MERGES, 0);
    COUNTS(&r, L2_SECTORS, 4 + 4 + 1 + 1 + 2 + 2);
    COUNTS(&r, DRAM_READS, 3);
    COUNTS(&r, DRAM_READ_BYTES, 128 + 32 + 32);
    COUNTS(&r, REPLIES, 6);
    COUNTS(&r, LINK_IN, 6 * HEADER + 32 * 14);
    rig_close(&r);
}

// Stores of whole sectors need nothing of what was there, and are counted by what was there all the same.
static void whole_writes(void **state)
{
    (void)state;
    Rig r;
    rig_open(&r, &plain);
    send(&r, 1000, 0, PACKET_WRITE, 0x4000, 15, 15, 1);  // not there: a miss that fetches nothing
    send(&r, 2000, 0, PACKET_WRITE, 0x4000, 15, 15, 2);  // there
    send(&r, 3000, 0, PACKET_READ, 0x4080, 15, 0, 3);    // misses
    send(&r, 3010, 1, PACKET_WRITE, 0x4080, 15, 15, 4);  // under way
    run(&r, 0);
    COUNTS(&r, L2_MISSES, 2);
    COUNTS(&r, L2_HITS, 1);
    COUNTS(&r, L2_MERGES, 1);
    COUNTS(&r, DRAM_READS, 1);
    rig_close(&r);
}

static void whole_line_fill(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.fill = 128;
    Rig r;
    rig_open(&r, &cfg);
    send(&r, 1000, 0, PACKET_READ, 0x4000, 1, 0, 1);
    send(&r, 2000, 0, PACKET_READ, 0x4000, 8, 0, 2);
    run(&r, 0);
    assert_int_equal(reply_time(&r, 1), 1000 + 4 + DRAM + 2 + BACK);
    assert_int_equal(reply_time(&r, 2), 2000 + 2 + BACK);
    COUNTS(&r, DRAM_READ_BYTES, 128);
    COUNTS(&r, L2_HITS, 1);
    rig_close(&r);
}

static void merging(void **state)
{
    (void)state;
    Rig r;
    rig_open(&r, &plain);
    read_line(&r, 1000, 0x4000, 1);
    send(&r, 1010, 1, PACKET_READ, 0x4000, 15, 0, 2);  // joins
    send(&r, 1020, 2, PACKET_READ, 0x4000, 1, 0, 3);   // joins
    send(&r, 1030, 0, PACKET_READ, 0x4080, 1, 0, 4);   // a miss of its own
    send(&r, 1040, 0, PACKET_READ, 0x4080, 3, 0, 5);   // the same line, another sector: fetches it
    run(&r, 0);
    uint64_t done = 1000 + 4 + DRAM;
    assert_int_equal(reply_time(&r, 1), done + 5 + BACK);   // 4.25
    assert_int_equal(reply_time(&r, 2), done + 9 + BACK);   // 8.5
    assert_int_equal(reply_time(&r, 3), done + 10 + BACK);  // 9.75
    uint64_t later = 1040 + 1 + DRAM;                       // both sectors of the line are there
    assert_int_equal(reply_time(&r, 4), later + 2 + BACK);  // 1.25
    assert_int_equal(reply_time(&r, 5), later + 4 + BACK);  // 3.5
    COUNTS(&r, L2_MISSES, 3);
    COUNTS(&r, L2_MERGES, 2);
    COUNTS(&r, DRAM_READS, 3);
    COUNTS(&r, DRAM_READ_BYTES, 128 + 32 + 32);
    rig_close(&r);
}

static void one_lookup_an_interval(void **state)
{
    (void)state;
    for (uint32_t interval = 1; interval < 8; interval++) {
        PartitionCfg cfg = plain;
        cfg.interval = interval;
        cfg.bytes_out = 4096;
        Rig r;
        rig_open(&r, &cfg);
        read_line(&r, 1000, 0x4000, 0);
        for (uint32_t k = 1; k <= 20; k++) read_line(&r, 2000, 0x4000, k);  // hits
        run(&r, 0);
        for (uint32_t k = 1; k <= 20; k++) assert_int_equal(reply_time(&r, k), 2000 + (k - 1) * interval + 1 + BACK);
        rig_close(&r);
    }
}

// Requests pass the port in as fast as it is described: 64 stores of a header and 128 bytes, 4.25 cycles each.
static void port_in(void **state)
{
    (void)state;
    Rig r;
    rig_open(&r, &plain);
    for (uint32_t k = 0; k < 64; k++) send(&r, 1000, 0, PACKET_WRITE, 0x1000 + 128 * (k % 4), 15, 15, 0);
    for (uint32_t k = 0; k < 64; k++)
        send(&r, 5000, 0, PACKET_READ, 0x1000, 1, 0, k);  // headers alone: a look-up a cycle
    run(&r, 0);
    assert_int_equal(r.credits.n, 128);
    assert_int_equal(r.credits.v[0].time, 1000 + BACK);
    assert_in_range(r.credits.v[63].time, 1000 + BACK + 63 * 17 / 4 - 1, 1000 + BACK + 63 * 17 / 4 + 1);
    assert_int_equal(r.credits.v[127].time - r.credits.v[64].time, 63);
    rig_close(&r);
}

// Where both ways are one, 32 stores and 32 loads of 128 bytes that come in turn take the sum of both times, 8 cycles a
// pair without headers; otherwise they take those of one way, 4.
static void one_way(void **state)
{
    (void)state;
    for (int duplex = 0; duplex < 2; duplex++) {
        PartitionCfg cfg = plain;
        Rig r;
        cfg.duplex = duplex, cfg.header = 0;
        rig_open(&r, &cfg);
        read_line(&r, 1000, 0x4000, 0);
        for (uint32_t k = 0; k < 32; k++) {
            send(&r, 2000 + k, 0, PACKET_WRITE, 0x1000 + 128 * (k % 4), 15, 15, 0);
            send(&r, 2000 + k, 1, PACKET_READ, 0x4000, 15, 0, 1 + k);
        }
        run(&r, 0);
        const uint64_t took = reply_time(&r, 32) - BACK - 2000, want = duplex ? 32 * 4 : 32 * 8;
        assert_in_range(took, want - 8, want + 8);
        rig_close(&r);
    }
}

// The first come is the first served; of those that come together the one of the lower SM.
static void arrival_order(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.interval = 10;
    Rig r;
    rig_open(&r, &cfg);
    read_line(&r, 1000, 0x4000, 0);
    send(&r, 2000, 2, PACKET_READ, 0x4000, 1, 0, 1);
    send(&r, 2000, 1, PACKET_READ, 0x4000, 1, 0, 2);
    send(&r, 2001, 0, PACKET_READ, 0x4000, 1, 0, 3);
    send(&r, 2001, 1, PACKET_READ, 0x4000, 1, 0, 4);
    run(&r, 0);
    assert_int_equal(reply_time(&r, 2), 2000 + 2 + BACK);
    assert_int_equal(reply_time(&r, 1), 2010 + 2 + BACK);
    assert_int_equal(reply_time(&r, 3), 2020 + 2 + BACK);
    assert_int_equal(reply_time(&r, 4), 2030 + 2 + BACK);
    rig_close(&r);
}

// Sectors of 64 bytes: each is two of a request's, and comes for either.
static void wide_sectors(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.sector = cfg.l2.fill = 64;
    Rig r;
    rig_open(&r, &cfg);
    for (uint32_t k = 0; k < 4; k++) send(&r, 1000 + 1000 * k, 0, PACKET_READ, 0x4000, 8u >> k, 0, k);
    run(&r, 0);
    for (uint32_t k = 0; k < 4; k++)  // the last one first: the fourth, with the third; the second, with the first
        assert_int_equal(reply_time(&r, k), 1000 + 1000 * k + (k % 2 ? 0 : 2 + DRAM) + 2 + BACK);
    COUNTS(&r, L2_MISSES, 2);
    COUNTS(&r, L2_HITS, 2);
    COUNTS(&r, DRAM_READ_BYTES, 128);
    rig_close(&r);
}

// --- stores ----------------------------------------------------------------------------------------------------------
static void write_back(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.size = 256, cfg.l2.ways = 2;  // one set of two lines
    Rig r;
    rig_open(&r, &cfg);
    send(&r, 1000, 0, PACKET_WRITE, 0x0000, 15, 15, 0);  // whole: nothing is fetched
    run(&r, 1500);
    COUNTS(&r, DRAM_READS, 0);
    COUNTS(&r, L2_MISSES, 1);
    read_line(&r, 2000, 0x0000, 1);  // what was written is there
    run(&r, 2500);
    assert_int_equal(reply_time(&r, 1), 2000 + 5 + BACK);
    COUNTS(&r, DRAM_READS, 0);
    send(&r, 3000, 0, PACKET_WRITE, 0x0080, 3, 1, 0);  // sector 0 whole, a part of sector 1: that is fetched
    run(&r, 3500);
    COUNTS(&r, DRAM_READS, 1);
    COUNTS(&r, DRAM_READ_BYTES, 32);
    send(&r, 4000, 0, PACKET_READ, 0x0080, 3, 0, 2);
    send(&r, 4500, 0, PACKET_READ, 0x0080, 4, 0, 3);  // clean
    run(&r, 5000);
    assert_int_equal(reply_time(&r, 2), 4000 + 3 + BACK);
    COUNTS(&r, DRAM_READ_BYTES, 64);
    COUNTS(&r, DRAM_WRITES, 0);
    COUNTS(&r, L2_EVICTIONS, 0);
    read_line(&r, 6000, 0x0100, 4);  // the line at 0 goes: four dirty sectors in one request
    run(&r, 6500);
    COUNTS(&r, DRAM_WRITES, 1);
    COUNTS(&r, DRAM_WRITE_BYTES, 128);
    COUNTS(&r, L2_WRITEBACKS, 4);
    COUNTS(&r, L2_EVICTIONS, 1);
    read_line(&r, 7000, 0x0180, 5);  // that at 0x80: two of three
    run(&r, 7500);
    COUNTS(&r, DRAM_WRITES, 2);
    COUNTS(&r, DRAM_WRITE_BYTES, 128 + 64);
    COUNTS(&r, L2_WRITEBACKS, 6);
    read_line(&r, 8000, 0x0200, 6);  // clean ones go quietly
    run(&r, 8500);
    COUNTS(&r, DRAM_WRITES, 2);
    COUNTS(&r, L2_EVICTIONS, 3);
    COUNTS(&r, L2_WRITES, 2);
    COUNTS(&r, L2_READS, 6);
    assert_int_equal(r.replies.n, 6);  // none for stores
    assert_int_equal(r.credits.n, 8);
    rig_close(&r);
}

static void partial_store_to_a_missing_line(void **state)
{
    (void)state;
    Rig r;
    rig_open(&r, &plain);
    send(&r, 1000, 0, PACKET_WRITE, 0x4000, 1, 0, 0);  // a part of a sector: fetched, written when it comes
    send(&r, 1010, 1, PACKET_READ, 0x4000, 1, 0, 1);   // joins that
    run(&r, 0);
    assert_int_equal(reply_time(&r, 1), 1000 + 1 + DRAM + 2 + BACK);
    COUNTS(&r, DRAM_READS, 1);
    COUNTS(&r, L2_MISSES, 1);
    COUNTS(&r, L2_MERGES, 1);
    rig_close(&r);
}

static void write_through(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.size = 256, cfg.l2.ways = 2, cfg.l2.write_back = false;
    Rig r;
    rig_open(&r, &cfg);
    send(&r, 1000, 0, PACKET_WRITE, 0x0000, 15, 15, 0);
    run(&r, 1500);
    COUNTS(&r, DRAM_WRITES, 1);
    COUNTS(&r, DRAM_WRITE_BYTES, 128);
    COUNTS(&r, DRAM_READS, 0);
    read_line(&r, 2000, 0x0000, 1);  // it is there all the same
    send(&r, 3000, 0, PACKET_WRITE, 0x0000, 2, 2, 0);
    run(&r, 3500);
    COUNTS(&r, DRAM_READS, 0);
    COUNTS(&r, DRAM_WRITES, 2);
    COUNTS(&r, DRAM_WRITE_BYTES, 128 + 32);
    for (uint32_t k = 0; k < 4; k++) read_line(&r, 4000 + 1000 * k, 0x80 + 0x80 * k, 2 + k);
    run(&r, 0);
    COUNTS(&r, L2_EVICTIONS, 3);
    COUNTS(&r, L2_WRITEBACKS, 0);
    COUNTS(&r, DRAM_WRITES, 2);
    rig_close(&r);
}

static void no_allocation_for_stores(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.write_allocate = false;
    Rig r;
    rig_open(&r, &cfg);
    send(&r, 1000, 0, PACKET_WRITE, 0x4000, 3, 3, 0);
    run(&r, 1500);
    COUNTS(&r, DRAM_WRITES, 1);
    COUNTS(&r, DRAM_WRITE_BYTES, 64);
    read_line(&r, 2000, 0x4000, 1);  // isn't there
    run(&r, 2500);
    COUNTS(&r, DRAM_READS, 1);
    COUNTS(&r, DRAM_READ_BYTES, 128);
    send(&r, 3000, 0, PACKET_WRITE, 0x4000, 3, 3, 0);  // now it is
    run(&r, 3500);
    COUNTS(&r, DRAM_WRITES, 1);
    rig_close(&r);
}

static void atomics(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.atomic_interval = 3;
    cfg.bytes_out = 4096;
    Rig r;
    rig_open(&r, &cfg);
    read_line(&r, 1000, 0x4000, 0);
    send(&r, 2000, 0, PACKET_ATOMIC, 0x4000, 1, 0, 1);  // 32 lanes at 3 cycles each
    send(&r, 2000, 1, PACKET_ATOMIC, 0x4000, 1, 0, 2);  // behind it
    run(&r, 0);
    assert_int_equal(reply_time(&r, 1), 2000 + 96 + 1 + BACK);
    assert_int_equal(reply_time(&r, 2), 2000 + 192 + 1 + BACK);
    COUNTS(&r, L2_ATOMICS, 2);
    COUNTS(&r, L2_HITS, 2);
    rig_close(&r);
}

// --- back-pressure ---------------------------------------------------------------------------------------------------
static void full_of_misses(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.mshrs = 1;
    Rig r;
    rig_open(&r, &cfg);
    read_line(&r, 1000, 0x4000, 1);
    read_line(&r, 1001, 0x4080, 2);                    // no MSHR until the first is done
    send(&r, 1002, 1, PACKET_READ, 0x4000, 15, 0, 3);  // waits behind it, though it could merge
    run(&r, 0);
    uint64_t first = 1000 + 4 + DRAM;
    assert_int_equal(reply_time(&r, 1), first + 5 + BACK);
    assert_int_equal(reply_time(&r, 2), first + 4 + DRAM + 5 + BACK);
    assert_int_equal(reply_time(&r, 3), first + 9 + BACK);  // by then a hit: right behind 1's reply
    COUNTS(&r, L2_REFUSED, first - 1001);
    COUNTS(&r, L2_MISSES, 2);
    COUNTS(&r, L2_HITS, 1);
    rig_close(&r);
}

static void full_of_merges(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.merges = 2;
    Rig r;
    rig_open(&r, &cfg);
    for (uint32_t k = 0; k < 3; k++) read_line(&r, 1000 + k, 0x4000, k + 1);  // the miss and one more, then it is full
    run(&r, 0);
    uint64_t done = 1000 + 4 + DRAM;
    COUNTS(&r, L2_MISSES, 1);
    COUNTS(&r, L2_MERGES, 1);
    COUNTS(&r, L2_HITS, 1);
    COUNTS(&r, L2_REFUSED, done - 1002);
    assert_int_equal(reply_time(&r, 3), done + 13 + BACK);  // 3 · 4.25
    rig_close(&r);
}

static void full_set(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.size = 128, cfg.l2.ways = 1;
    Rig r;
    rig_open(&r, &cfg);
    read_line(&r, 1000, 0x0000, 1);
    read_line(&r, 1001, 0x0080, 2);
    run(&r, 0);
    COUNTS(&r, L2_REFUSED, 4 + DRAM - 1);
    assert_int_equal(reply_time(&r, 2), 1000 + 4 + DRAM + 4 + DRAM + 5 + BACK);
    rig_close(&r);
}

static void full_dram_queue(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.dram.queue = 2;
    cfg.dram.bytes_per_cycle = 1;  // 128 cycles a line
    Rig r;
    rig_open(&r, &cfg);
    for (uint32_t k = 0; k < 5; k++) read_line(&r, 1000 + k, 0x4000 + 128 * k, k + 1);
    run(&r, 0);
    // 1 goes to the bus at once, 2 and 3 wait for it, 4 finds the queue full until 2 starts at 1128, 5 until 1256.
    for (uint32_t k = 0; k < 5; k++) assert_int_equal(reply_time(&r, k + 1), 1000 + 128 * (k + 1) + DRAM + 5 + BACK);
    COUNTS(&r, L2_REFUSED, (1128 - 1003) + (1256 - 1129));
    rig_close(&r);
}

// A dirty victim needs room in the queue beside the fetch.
static void full_dram_queue_of_a_victim(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.size = 128, cfg.l2.ways = 1;
    cfg.dram.queue = 2;
    Rig r;
    rig_open(&r, &cfg);
    for (uint32_t k = 0; k < 50; k++) send(&r, 1000 + k, 0, PACKET_WRITE, 128 * k, 15, 15, 0);
    read_line(&r, 1100, 128 * 60, 1);
    run(&r, 0);
    COUNTS(&r, DRAM_WRITES, 50);
    COUNTS(&r, DRAM_WRITE_BYTES, 50 * 128);
    COUNTS(&r, DRAM_READS, 1);
    COUNTS(&r, L2_EVICTIONS, 50);
    assert_true(r.p.count[C_DRAM_BUSY] >> 8 == 51 * 4);
    rig_close(&r);
}

// A miss reads as much at a time as a request may have; it is over with the last one.
static void reads_by_sector(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.dram.request = 32, cfg.dram.queue = 4, cfg.dram.bytes_per_cycle = 1;  // 32 cycles each
    Rig r;
    rig_open(&r, &cfg);
    read_line(&r, 1000, 0x4000, 1);
    send(&r, 1001, 0, PACKET_READ, 0x5000, 5, 0, 2);  // two sectors
    run(&r, 0);
    assert_int_equal(reply_time(&r, 1), 1000 + 4 * 32 + DRAM + 5 + BACK);
    assert_int_equal(reply_time(&r, 2), 1000 + 6 * 32 + DRAM + 3 + BACK);
    COUNTS(&r, DRAM_READS, 6);
    COUNTS(&r, DRAM_READ_BYTES, 6 * 32);
    COUNTS(&r, L2_REFUSED, 31);  // of the four places one is free at once, the second at 1032
    rig_close(&r);
}

// A packet with a header for each sector that a store writes, and no data; nobody asked for it, so it isn't a reply.
static void acknowledgements(void **state)
{
    (void)state;
    for (int acks = 0; acks < 2; acks++) {
        PartitionCfg cfg = plain;
        cfg.acks = acks, cfg.flit = 40, cfg.bytes_out = 40;
        Rig r;
        rig_open(&r, &cfg);
        send(&r, 1000, 2, PACKET_WRITE, 0x4000, 7, 7, 0);
        send(&r, 2000, 1, PACKET_WRITE, 0x4000, 8, 0, 0);  // a part of a sector
        run(&r, 0);
        assert_int_equal(r.replies.n, acks ? 2 : 0);
        COUNTS(&r, REPLIES, 0);
        COUNTS(&r, LINK_IN, acks ? 4 * 40 : 0);
        for (size_t k = 0; k < r.replies.n; k++) {
            assert_true(r.replies.v[k].quiet);
            assert_int_equal(r.replies.v[k].sm, k ? 1 : 2);
            assert_int_equal(r.replies.v[k].time, (k ? 2000 + 1 : 1000 + 3) + BACK);
        }
        rig_close(&r);
    }
}

// Two slices with one channel: its bus serves one after the other, its queue has room for both together, and chunks
// that follow each other, by turns of one and the other slice, lie in one row.
static void slices_of_a_channel(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    const char *why;
    cfg.partitions = cfg.slices = 2;
    cfg.dram = (DramCfg){.bytes_per_cycle = 1, .banks = 4, .row = 1024, .clock_ratio = 1, .queue = 3, .latency = DRAM};
    Partition p[2];
    Wire wires[2][SMS] = {0}, *from[2][SMS];
    for (int k = 0; k < 2; k++) {
        assert_true(partition_open(&p[k], &cfg, (uint32_t)k, k ? &p[0] : NULL, NULL, &why));
        partition_begin(&p[k], SMS);
        for (int s = 0; s < SMS; s++) from[k][s] = &wires[k][s];
        p[k].from = from[k];
        for (uint32_t m = 0; m < 2; m++)  // chunks 0 to 3, one line of each
            fifo_put(&wires[k][0].box[0],
                     &(Packet){.time = 1000 + m, .address = (2 * m + (uint32_t)k) * 256, .sectors = 15});
    }
    partition_run(&p[0], 1, 1020);
    assert_true(p[0].misses + p[1].misses == 4 && partition_idle(&p[0]) == false);
    for (uint64_t window = 2; !partition_idle(&p[0]) || !partition_idle(&p[1]); window++) {
        partition_run(&p[0], window, 1020 + window * WINDOW);
        assert_true(window < 100);
        assert_int_equal(p[0].due, p[1].due);
    }
    assert_int_equal(p[0].count[C_DRAM_READS], 4);  // the channel counts for its first slice
    assert_int_equal(p[0].count[C_DRAM_ROW_MISSES], 1);
    assert_int_equal(p[0].count[C_DRAM_BUSY] >> 8, 4 * 128);
    assert_int_equal(p[0].count[C_REPLIES] + p[1].count[C_REPLIES], 4);
    for (int k = 0; k < 2; k++) {
        for (int s = 0; s < SMS; s++)
            for (int b = 0; b < 2; b++) mem_free(wires[k][s].box[b].v);
        partition_close(&p[k]);
    }
}

// A credit is on its way back as soon as its request is served, in the order of service.
static void credits(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.interval = 5;
    Rig r;
    rig_open(&r, &cfg);
    for (uint32_t k = 0; k < 4; k++) send(&r, 1000, (int)k % 2, PACKET_READ, 0x4000, 1, 0, k);
    send(&r, 2000, 2, PACKET_WRITE, 0x4000, 1, 1, 0);
    run(&r, 0);
    assert_int_equal(r.credits.n, 5);
    uint64_t times[SMS][2] = {{1000, 1005}, {1010, 1015}, {2000, 0}};  // SM 0's two come first
    uint32_t n[SMS] = {0};
    for (size_t k = 0; k < r.credits.n; k++) {
        uint32_t sm = r.credits.v[k].sm;
        assert_int_equal(r.credits.v[k].time, times[sm][n[sm]++] + BACK);
    }
    rig_close(&r);
}

// --- a naive model: requests far apart, so that each is over before the next -----------------------------------------
typedef struct NaiveLine {
    uint64_t line;
    uint32_t valid, dirty;
    uint64_t used;
} NaiveLine;

static uint32_t bits(uint32_t x)
{
    uint32_t n = 0;
    for (; x; x /= 2) n += x & 1;
    return n;
}

static void against_naive(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        enum { SETS = 8, WAYS = 2, N = 4000 };
        PartitionCfg cfg = plain;
        cfg.l2.size = SETS * WAYS * 128, cfg.l2.ways = WAYS;
        if (seed == 3) cfg.l2.fill = 128;
        Rig r;
        rig_open(&r, &cfg);
        NaiveLine cache[SETS][WAYS] = {{{0}}};
        for (uint32_t k = 0; k < SETS * WAYS; k++) cache[k / WAYS][k % WAYS].line = ~0ull;
        uint64_t hits = 0, misses = 0, read_sectors = 0, written = 0, evicted = 0, state_of = seed;
        for (uint32_t k = 0; k < N; k++) {
            uint64_t x = next_random(&state_of), line = x % 40, kind = x >> 20 & 3;
            uint32_t sectors = (x >> 32 & 15) ? (uint32_t)(x >> 32 & 15) : 1,
                     whole = kind == 0 ? sectors & (uint32_t)(x >> 40) : 0;
            send(&r, 1000 + 1000ull * k, (int)(x >> 50) % SMS,
                 kind == 0   ? PACKET_WRITE
                 : kind == 1 ? PACKET_ATOMIC
                             : PACKET_READ,
                 line * 128, sectors, whole, k);
            NaiveLine *set = cache[line % SETS], *l = NULL;
            for (uint32_t w = 0; w < WAYS; w++)
                if (set[w].line == line) l = &set[w];
            if (!l) {
                l = set[0].used <= set[1].used ? &set[0] : &set[1];
                if (l->line != ~0ull) evicted++, written += bits(l->dirty);
                *l = (NaiveLine){.line = line};
            }
            uint32_t need = sectors & ~whole & ~l->valid;  // what is missing
            if (need && cfg.l2.fill == 128) need = 15 & ~l->valid;
            if (sectors & ~l->valid)  // also where it is overwritten whole
                misses++;
            else
                hits++;
            read_sectors += bits(need);
            l->valid |= need | whole;
            if (kind < 2) l->dirty |= sectors;
            l->used = k + 1;
        }
        run(&r, 0);
        COUNTS(&r, L2_ACCESSES, N);
        COUNTS(&r, L2_HITS, hits);
        COUNTS(&r, L2_MISSES, misses);
        COUNTS(&r, L2_MERGES, 0);
        COUNTS(&r, L2_EVICTIONS, evicted);
        COUNTS(&r, L2_WRITEBACKS, written);
        COUNTS(&r, DRAM_READ_BYTES, read_sectors * 32);
        COUNTS(&r, DRAM_WRITE_BYTES, written * 32);
        COUNTS(&r, L2_REFUSED, 0);
        rig_close(&r);
    }
}

// As many as possible at once, with everything scarce: each read and atomic is answered once, and the laws hold.
static void flood(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        enum { N = 5000 };
        PartitionCfg cfg = plain;
        cfg.l2.size = 2048, cfg.l2.mshrs = 1 + (uint32_t)seed, cfg.l2.merges = 2,
        cfg.dram.queue = 2 + (uint32_t)seed % 2;
        cfg.dram.simple = seed & 1;
        cfg.dram.cl = cfg.dram.rcd = cfg.dram.rp = 10, cfg.dram.ras = 30, cfg.dram.banks = 4;
        Rig r;
        rig_open(&r, &cfg);
        uint64_t state_of = seed + 100, awaited = 0;
        uint8_t *asked = calloc(N, 1);
        assert_non_null(asked);
        for (uint32_t k = 0; k < N; k++) {
            uint64_t x = next_random(&state_of), kind = x >> 20 & 3;
            uint32_t sectors = (uint32_t)(x >> 32 & 15) | 1;
            send(&r, 1000 + k / 3, (int)(k % SMS),
                 kind == 0   ? PACKET_WRITE
                 : kind == 1 ? PACKET_ATOMIC
                             : PACKET_READ,
                 x % 64 * 128, sectors, kind == 0 ? sectors & (uint32_t)(x >> 40) : 0, k);
            asked[k] = kind != 0;
            awaited += kind != 0;
        }
        run(&r, 0);
        assert_int_equal(r.replies.n, awaited);
        for (size_t k = 0; k < r.replies.n; k++) assert_int_equal(asked[r.replies.v[k].tag]--, 1);
        assert_int_equal(r.credits.n, N);
        COUNTS(&r, L2_ACCESSES, N);
        uint64_t *c = r.p.count;
        assert_int_equal(c[C_L2_HITS] + c[C_L2_MISSES] + c[C_L2_MERGES], N);
        assert_int_equal(c[C_L2_READS] + c[C_L2_WRITES] + c[C_L2_ATOMICS], N);
        assert_int_equal(c[C_REPLIES], awaited);
        assert_int_equal(c[C_L2_WRITEBACKS] * 32, c[C_DRAM_WRITE_BYTES]);
        if (!cfg.dram.simple)
            assert_int_equal(c[C_DRAM_ROW_HITS] + c[C_DRAM_ROW_MISSES], c[C_DRAM_READS] + c[C_DRAM_WRITES]);
        assert_true(c[C_L2_REFUSED] > 0);
        for (uint32_t l = 0; l < 16; l++) assert_int_equal(r.p.l2.lines[l].pending, 0);  // nothing stays locked
        free(asked);
        rig_close(&r);
    }
}

// Windows before anything is due needn't be run: the same replies at the same times, and the same counts.
static void jumps(void **state)
{
    (void)state;
    PartitionCfg cfg = plain;
    cfg.l2.size = 2048, cfg.l2.mshrs = 2, cfg.dram.queue = 3, cfg.dram.latency = 400;
    Rig r[2];
    for (int j = 0; j < 2; j++) {
        uint64_t state_of = 7, time = 1000;
        rig_open(&r[j], &cfg);
        r[j].jumps = j;
        for (uint32_t k = 0; k < 2000; k++) {
            uint64_t x = next_random(&state_of);
            send(&r[j], time, (int)(k % SMS), x >> 20 & 1 ? PACKET_WRITE : PACKET_READ, x % 64 * 128, 15, 0, k);
            time += x >> 30 & 7 ? 3 : 2500;
        }
        run(&r[j], 0);
    }
    assert_true(r[1].turns < r[0].turns * 3 / 4);
    assert_int_equal(r[1].window, r[0].window);
    assert_memory_equal(r[1].p.count, r[0].p.count, sizeof r[0].p.count);
    assert_true(r[0].p.count[C_L2_REFUSED] > 0);
    assert_int_equal(r[1].replies.n, r[0].replies.n);
    for (size_t k = 0; k < r[0].replies.n; k++) {
        assert_int_equal(r[1].replies.v[k].time, r[0].replies.v[k].time);
        assert_int_equal(r[1].replies.v[k].tag, r[0].replies.v[k].tag);
    }
    rig_close(&r[0]), rig_close(&r[1]);
}

// --- interleaving ----------------------------------------------------------------------------------------------------
// Every address has one place: a chunk's bytes stay together, no two chunks share a place, and each partition gets its
// part.
static void interleaving(void **state)
{
    (void)state;
    for (uint32_t parts = 1; parts <= 64; parts = parts < 13 ? parts + 1 : parts * 2)
        for (uint32_t hash = 0; hash < 3; hash++)
            for (uint32_t chunk = 128; chunk <= 4096; chunk *= 4) {
                PartitionCfg cfg = {.partitions = parts, .chunk = chunk, .hash = hash == 1};
                // As many bits as the number has, or six: each its own and others further up.
                for (uint32_t k = 0; hash == 2 && (parts & (parts - 1) ? k < 6 : 1u << k < parts);
                     k++, cfg.slice_bit_count++)
                    cfg.slice_bits[k] = (0x1021ull << k) * chunk | 1ull << (35 + k);
                const char *why;
                partition_prepare(&cfg);
                assert_true(partition_check(&cfg, &why));
                static const uint64_t bases[] = {0, 0x200000000, 0x400000000000};
                for (uint32_t b = 0; b < COUNT(bases); b++) {
                    uint32_t rows = 200;
                    uint64_t row_bytes = (uint64_t)chunk * parts, base = bases[b] / row_bytes * row_bytes;
                    uint8_t *taken = calloc((size_t)rows, parts);
                    assert_non_null(taken);
                    uint64_t local0;
                    partition_of(&cfg, base, &local0);
                    for (uint32_t k = 0; k < rows * parts; k++) {
                        uint64_t address = base + (uint64_t)k * chunk, local, last;
                        uint32_t p = partition_of(&cfg, address, &local);
                        assert_true(p < parts);
                        assert_int_equal(local % chunk, 0);
                        assert_int_equal(partition_of(&cfg, address + chunk - 1, &last), p);
                        assert_int_equal(last, local + chunk - 1);
                        uint64_t row = (local - local0) / chunk;  // rows of chunks, one in each partition
                        assert_int_equal(row, k / parts);
                        assert_int_equal(taken[row * parts + p]++, 0);
                    }
                    free(taken);
                }
            }
    // Without a hash chunks go round; a stride of all partitions stays on one. With it, such strides spread.
    PartitionCfg cfg = {.partitions = 6, .chunk = 256};
    partition_prepare(&cfg);
    for (uint32_t k = 0; k < 600; k++) assert_int_equal(partition_of(&cfg, k * 256ull + 77, NULL), k % 6);
    uint32_t count[6] = {0};
    cfg.hash = true;
    for (uint32_t k = 0; k < 6000; k++) count[partition_of(&cfg, k * 256ull * 6, NULL)]++;
    for (uint32_t p = 0; p < 6; p++) assert_in_range(count[p], 800, 1200);
}

// A slice's number by XORs of address bits, and how far chunks are moved on by those of the address within a partition.
static void slices_by_bits(void **state)
{
    (void)state;
    const char *why;
    PartitionCfg cfg = {.partitions = 4,
                        .chunk = 256,
                        .slice_bits = {1 << 8 | 1 << 12, 1 << 9 | 1 << 8 | 1 << 30},
                        .slice_bit_count = 2};
    partition_prepare(&cfg);
    assert_true(partition_check(&cfg, &why));
    for (uint64_t address = 0; address < 1 << 16; address += 64)
        for (uint32_t high = 0; high < 2; high++) {
            uint64_t a = address | (uint64_t)high << 30, local;
            uint32_t low = (a >> 8 ^ a >> 12) & 1, bit1 = (a >> 9 ^ a >> 8 ^ high) & 1;
            assert_int_equal(partition_of(&cfg, a, &local), low | bit1 << 1);
            assert_int_equal(local, a >> 10 << 8 | (a & 255));
        }
    cfg.slice_bits[1] = 1 << 8 | 1 << 30;  // chunks 0 and 2 of a row both in slice 0
    assert_false(partition_check(&cfg, &why));
    cfg.slice_bits[1] = 1 << 9 | 1 << 7;
    assert_false(partition_check(&cfg, &why));
    cfg = (PartitionCfg){.partitions = 6, .chunk = 256, .slice_bits = {1 << 8, 1 << 10 | 1 << 8}, .slice_bit_count = 2};
    partition_prepare(&cfg);
    for (uint32_t k = 0; k < 600; k++) {
        uint32_t row = k / 6, on = (row & 1) | ((row >> 2 ^ row) & 1)
                                                   << 1;  // bit 8 within a partition is the row's lowest
        assert_int_equal(partition_of(&cfg, k * 256ull + 77, NULL), (k % 6 + on) % 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hit_and_miss),
        cmocka_unit_test(whole_line_fill),
        cmocka_unit_test(wide_sectors),
        cmocka_unit_test(merging),
        cmocka_unit_test(one_lookup_an_interval),
        cmocka_unit_test(port_in),
        cmocka_unit_test(one_way),
        cmocka_unit_test(arrival_order),
        cmocka_unit_test(write_back),
        cmocka_unit_test(partial_store_to_a_missing_line),
        cmocka_unit_test(write_through),
        cmocka_unit_test(no_allocation_for_stores),
        cmocka_unit_test(atomics),
        cmocka_unit_test(full_of_misses),
        cmocka_unit_test(whole_writes),
        cmocka_unit_test(full_of_merges),
        cmocka_unit_test(full_set),
        cmocka_unit_test(full_dram_queue),
        cmocka_unit_test(full_dram_queue_of_a_victim),
        cmocka_unit_test(reads_by_sector),
        cmocka_unit_test(acknowledgements),
        cmocka_unit_test(slices_of_a_channel),
        cmocka_unit_test(credits),
        cmocka_unit_test(against_naive),
        cmocka_unit_test(flood),
        cmocka_unit_test(jumps),
        cmocka_unit_test(interleaving),
        cmocka_unit_test(slices_by_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
