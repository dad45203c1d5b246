// The crossbar whose replies keep their order: who holds up whom, to the cycle, and how much of a crossbar's bandwidth
// is left. Expected bandwidths are those of Karol, Hluchyj and Morgan, Input versus output queueing on a space-division
// packet switch (IEEE Trans. Commun. 1987), table I.
#include "check.h"
#include "mem/mem.h"

#include <string.h>

enum { MOST = 16, WINDOW = 50, BYTES = 32 };
typedef struct Rig {
    Crossbar x;
    Partition parts[MOST];
    Wire reply[MOST];  // [partition]
    uint32_t n;
    uint64_t window;
} Rig;

static void rig_open(Rig *r, uint32_t n)
{
    memset(r, 0, sizeof *r);
    r->n = n;
    PartitionCfg cfg = {.partitions = n, .sms = n};
    assert_true(crossbar_open(&r->x, &cfg, BYTES));
    for (uint32_t p = 0; p < n; p++) r->parts[p].reply = &r->reply[p];
    crossbar_begin(&r->x);
}

static void rig_close(Rig *r)
{
    for (uint32_t p = 0; p < r->n; p++) wire_close(&r->reply[p]);
    crossbar_close(&r->x);
}

// A reply of so many sectors, of 32 bytes and a cycle each, from a partition to an SM.
static void send(Rig *r, uint64_t time, uint32_t part, uint32_t sm, uint32_t sectors, uint32_t tag)
{
    Packet p = {.time = time, .sm = (uint16_t)sm, .kind = PACKET_REPLY, .sectors = (uint8_t)sectors, .tag = tag};
    fifo_put_by_sm(&r->reply[part].box[(r->window & 1) ^ 1], &p);
}

// Settles what begins before a cycle; the times of what has passed go to `at`, by tag. Gives back how many have.
static uint32_t settle(Rig *r, uint64_t horizon, uint64_t *at)
{
    uint32_t passed = 0;
    crossbar_look(&r->x, r->parts);
    crossbar_run(&r->x, r->parts, r->window, horizon);
    for (uint32_t k = 0; k < r->n; k++) {
        Fifo *f = &r->x.wire[k].box[(r->window & 1) ^ 1];
        for (size_t m = 0; m < f->n; m++, passed++)
            if (at) at[f->v[m].tag] = f->v[m].time;
        f->n = 0;
    }
    r->window++;
    return passed;
}

static void order(void **state)
{
    (void)state;
    Rig r;
    uint64_t at[8];
    rig_open(&r, 3);
    send(&r, 100, 0, 0, 15, 0);  // four cycles to SM 0
    send(&r, 100, 1, 0, 15, 1);  // waits for it
    send(&r, 101, 1, 2, 1, 2);   // and holds up this one, whose SM is idle
    send(&r, 101, 2, 2, 1, 3);   // which another partition reaches
    send(&r, 103, 0, 1, 1, 4);   // its partition's first one isn't through
    assert_int_equal(settle(&r, 1000, at), 5);
    assert_int_equal(at[0], 100);
    assert_int_equal(at[1], 104);
    assert_int_equal(at[2], 108);
    assert_int_equal(at[3], 101);
    assert_int_equal(at[4], 104);
    assert_int_equal(r.x.due, NEVER);
    rig_close(&r);
}

// Replies that leave a partition in one cycle: the SM with the lowest number comes first, whichever was answered first.
static void same_time(void **state)
{
    (void)state;
    Rig r;
    uint64_t at[4];
    rig_open(&r, 3);
    send(&r, 100, 0, 2, 1, 0);
    send(&r, 100, 0, 0, 1, 1);
    send(&r, 100, 0, 2, 1, 2);
    send(&r, 99, 0, 1, 1, 3);
    assert_int_equal(settle(&r, 1000, at), 4);
    assert_int_equal(at[3], 99);
    assert_int_equal(at[1], 100);
    assert_int_equal(at[0], 101);
    assert_int_equal(at[2], 102);
    rig_close(&r);
}

// What begins at the horizon or later stays, and comes out as if it had never been cut.
static void horizons(void **state)
{
    (void)state;
    uint64_t whole[64] = {0}, cut[64] = {0};
    for (int j = 0; j < 2; j++) {
        Rig r;
        rig_open(&r, 4);
        for (uint32_t k = 0; k < 64; k++) send(&r, 100 + k / 8, k % 4, k * 7 / 3 % 4, 1 + k % 15, k);
        uint32_t passed = 0;
        for (uint64_t horizon = j ? 100 : 10000; passed < 64; horizon += 3) {
            passed += settle(&r, horizon, j ? cut : whole);
            if (j) assert_true(r.x.due >= horizon);
            assert_true(horizon < 20000);
        }
        rig_close(&r);
    }
    assert_memory_equal(whole, cut, sizeof whole);
    for (uint32_t k = 0; k < 64; k++) assert_true(whole[k] >= 100);
}

// Acknowledgements have a header for each sector and nothing else.
static void acknowledgements(void **state)
{
    (void)state;
    PartitionCfg cfg = {.header = 8, .flit = 40};
    assert_int_equal(reply_bytes(&cfg, &(Packet){.sectors = 15}), 160);  // 136 in flits of 40
    assert_int_equal(reply_bytes(&cfg, &(Packet){.sectors = 1}), 40);
    assert_int_equal(reply_bytes(&cfg, &(Packet){.sectors = 7, .quiet = true}), 120);
    cfg.flit = 1;
    assert_int_equal(reply_bytes(&cfg, &(Packet){.sectors = 7, .quiet = true}), 24);
}

static uint32_t draw(uint64_t *state, uint32_t n)  // of 0 … n - 1
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

// Queues that are never empty, random destinations, a packet a cycle: what part of the outputs is busy.
static void left_of_bandwidth(void **state)
{
    (void)state;
    static const struct {
        uint32_t n;
        double part;
    } karol[] = {{2, 0.75}, {3, 0.6825}, {4, 0.6553}, {5, 0.6399}, {6, 0.6302}, {7, 0.6234}, {8, 0.6184}};
    for (size_t k = 0; k < COUNT(karol); k++) {
        enum { CYCLES = 20000 };
        Rig r;
        uint64_t random = 7;
        uint32_t passed = 0, n = karol[k].n;
        rig_open(&r, n);
        for (uint64_t now = 0; now < CYCLES; now += WINDOW) {
            for (uint32_t m = 0; m < n * WINDOW; m++) send(&r, now + m / n, m % n, draw(&random, n), 1, 0);
            passed += settle(&r, now + WINDOW, NULL);
        }
        double part = (double)passed / n / CYCLES;
        if (part < karol[k].part - 0.01 || part > karol[k].part + 0.01)
            fail_msg("%u by %u: %.4f of the bandwidth, Karol et al. %.4f", n, n, part, karol[k].part);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),
        cmocka_unit_test(same_time),
        cmocka_unit_test(horizons),
        cmocka_unit_test(acknowledgements),
        cmocka_unit_test(left_of_bandwidth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
