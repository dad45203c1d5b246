// Streams reach the bandwidth of the tightest described stage, within 3 %: an SM's ports, a partition's, the L2's
// look-ups, credits, DRAM with and without rows. Measured between two lengths of a stream, all blocks being resident.
#include "bench.h"

#include <math.h>
#include <string.h>

#define STREAM "test/chip/gpus/stream.ini"
enum { BLOCK = 256 };

typedef struct Stream {
    bool store;
    bool resident;   // the same four elements of each thread again and again
    uint32_t bytes;  // of an element: 4, 8 or 16
    uint32_t blocks;
    uint32_t ahead;  // accesses of a thread under way; 0: as many as there are registers
} Stream;

// Bytes a cycle that threads move.
static double bandwidth(const char *gpu, const char *sets, Stream s)
{
    enum { FEW = 144, MORE = 432 };  // accesses of a thread
    Bench b;
    Text t = {0};
    // Registers as numbered: lowered, those that nobody reads would be one, and loads wait for each other.
    bench_open_config(&b, (oc_config){.no_lowering = true}, gpu, sets);
    // Nothing reads what is loaded, but a register is loaded again only when its last load is complete: as many loads
    // are under way as there are registers.
    uint32_t words = s.bytes / 4, registers = s.ahead ? s.ahead : 48 / words, unroll = s.ahead ? s.ahead : 144;
    uint64_t sweep = (uint64_t)s.blocks * BLOCK * s.bytes + 256,
             turn = unroll * sweep;  // not a multiple of all partitions'
    bench_data(&b, NULL, s.resident ? 4 * sweep : sweep * MORE);
    text_printf(&t, "mul.wide.u32 %%rd1, %%g, %u;\nadd.u64 %%rd1, %%in, %%rd1;\nmov.u32 %%r1, 0;\nLOOP:\n", s.bytes);
    for (uint32_t k = 0; k < unroll; k++) {
        static const char *const vector[] = {[4] = ".u32", [8] = ".v2.u32", [16] = ".v4.u32"};
        text_printf(&t, s.store ? "st.global%s [%%rd1+%llu], " : "ld.global%s ", vector[s.bytes],
                    (unsigned long long)((s.resident ? k % 4 : k) * sweep));
        if (words > 1) text_put(&t, "{");
        for (uint32_t w = 0; w < words; w++)
            text_printf(&t, "%s%%r%u", w ? ", " : "", s.store ? 1 : 10 + words * (k % registers) + w);
        if (words > 1) text_put(&t, "}");
        if (!s.store) text_printf(&t, ", [%%rd1+%llu]", (unsigned long long)((s.resident ? k % 4 : k) * sweep));
        text_put(&t, ";\n");
    }
    text_printf(&t,
                "add.u64 %%rd1, %%rd1, %llu;\nadd.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p1, %%r1, %%n;\n@%%p1 bra LOOP;\n",
                (unsigned long long)(s.resident ? 0 : turn));
    oc_kernel *kernel = bench_load(&b, t.v, "sm_35");
    uint64_t cycles[2];
    for (int l = 0; l < 2; l++) {
        const Record *r =
            bench_launch(&b, kernel, (Shape){.grid = s.blocks, .block = BLOCK}, (l ? MORE : FEW) / unroll);
        assert_true((uint64_t)r->occupancy_blocks * b.gpu->sms >= s.blocks);
        cycles[l] = CYCLES(r);
    }
    text_free(&t);
    bench_close(&b);
    return (double)((sweep - 256) * (MORE - FEW)) / (double)(cycles[1] - cycles[0]);
}

static Text wrong;
static void expect(const char *gpu, const char *sets, Stream s, double described)
{
    double got = bandwidth(gpu, sets, s);
    if (got < 0.97 * described || got > 1.03 * described)
        text_printf(&wrong, "  %s %s, %s of %u bytes%s: %.1f bytes a cycle, described %.1f\n", gpu, sets ? sets : "",
                    s.store ? "stores" : "loads", s.bytes, s.resident ? " in L2" : "", got, described);
}

static void all_as_expected(void)
{
    bool bad = wrong.n;
    if (bad) print_error("%s", wrong.v);
    wrong.n = 0;
    assert_false(bad);
}

static const Stream loads = {.bytes = 4, .blocks = 16, .resident = true},
                    loads16 = {.bytes = 16, .blocks = 16, .resident = true};
static const Stream stores = {.store = true, .bytes = 4, .blocks = 16, .resident = true};
static const Stream far_loads = {.bytes = 4, .blocks = 16, .ahead = 8},
                    far_stores = {.store = true, .bytes = 4, .blocks = 16, .ahead = 8};

static void loads_in_l2(void **state)
{
    (void)state;
    expect(STREAM, "l2.interval=1", loads, 2 * 128);  // two slices, a look-up a cycle, 128 bytes each
    expect(STREAM, "l2.interval=4", loads, 2 * 128 / 4.0);
    expect(STREAM, "l2.partitions=8 l2.size=1MiB sm.schedulers=2", loads,
           4 * 128);  // four load-store units, a look-up a cycle
    expect(STREAM, "link.sm_in=32", loads, 4 * 32);
    expect(STREAM, "link.sm_in=32 link.header=8", loads, 4 * 32 * 128 / 136.0);
    if (getenv("ONCHIP_LONG")) expect(STREAM, "link.sm_in=31.4", loads, 4 * 31.4);
    if (getenv("ONCHIP_LONG")) expect(STREAM, "link.partition_out=40", loads, 2 * 40);
    expect(STREAM, "link.partition_out=50.3 link.header=16", loads, 2 * 50.3 * 128 / 144.0);
    expect(STREAM, "link.sm_out=0.5 link.header=8", loads, 4 * 128 * 0.5 / 8);  // requests are headers
    expect(STREAM, "link.partition_in=1 link.header=4", loads, 2 * 128 / 4.0);
    expect(STREAM, "link.sm_in=24", loads16, 4 * 24);  // float4
    expect(STREAM, "link.partition_out=36", loads16, 2 * 36);
    all_as_expected();
}

static void stores_in_l2(void **state)
{
    (void)state;
    expect(STREAM, NULL, stores, 2 * 128);
    expect(STREAM, "link.sm_out=16", stores, 4 * 16);
    expect(STREAM, "link.sm_out=16 link.header=8", stores, 4 * 16 * 128 / 136.0);
    expect(STREAM, "link.partition_in=32", stores, 2 * 32);
    expect(STREAM, "link.partition_in=32 link.header=8", stores, 2 * 32 * 128 / 136.0);
    expect(STREAM, "link.partition_in=48.5", stores, 2 * 48.5);
    all_as_expected();
}

// An SM may have `credits` requests at a partition; each comes back after the way there, at least.
static void credits(void **state)
{
    (void)state;
    Bench b;
    bench_open(&b, STREAM, NULL);
    double round = b.gpu->to_partition + b.gpu->to_sm + 1;
    bench_close(&b);
    assert_true(round > 90 && round <= 101);
    expect(STREAM, "link.credits=2", loads, 4 * 2 * 2 * 128 / round);
    expect(STREAM, "link.credits=8", loads, 4 * 2 * 8 * 128 / round);
    // Each SM has a near and a far partition. Its loads leave in order, so the near one waits for the far one's
    // credits.
    expect(STREAM, "link.credits=8 l2.far=80", loads, 4 * 2 * 8 * 128 / (round + 80));
    all_as_expected();
}

// Requests under way, uncached: lsu.pending of them come back after the latency of the L2.
static void pending_requests(void **state)
{
    (void)state;
    expect(STREAM, "lsu.pending=16", loads, 4 * 16 * 128 / 100.0);
    expect(STREAM, "l1.global=yes l1.mshrs=16 l1.size=4KiB", loads, 4 * 16 * 128 / 100.0);
    all_as_expected();
}

static void dram_reads(void **state)
{
    (void)state;
    expect(STREAM, "dram.bandwidth=48 dram.simple=yes", far_loads, 48);
    expect(STREAM, "dram.bandwidth=48", far_loads, 48);  // rows: sequential streams keep them open
    expect(STREAM, "dram.bandwidth=96", far_loads, 96);
    expect(STREAM, "dram.bandwidth=48 gpu.clock=500", far_loads, 96);
    expect(STREAM, "dram.bandwidth=37.3 dram.simple=yes l2.partitions=1", far_loads, 37.3);
    expect(STREAM, "dram.bandwidth=64 dram.simple=yes l1.global=yes l1.mshrs=256", far_loads, 64);
    all_as_expected();
}

static void dram_writes(void **state)
{
    (void)state;
    expect(STREAM, "dram.bandwidth=48 dram.simple=yes l2.size=64KiB", far_stores, 48);
    static const Stream of_one = {
        .store = true, .bytes = 4, .blocks = 4, .ahead = 8};  // several SMs drift apart, and rows are closed early
    expect(STREAM, "dram.bandwidth=48 l2.size=64KiB gpu.sms=1", of_one, 48);
    expect(STREAM, "dram.bandwidth=48 dram.simple=yes l2.write_back=no", stores, 48);
    expect(STREAM, "dram.bandwidth=48 dram.simple=yes l2.write_allocate=no", far_stores, 48);
    all_as_expected();
}

// s-l1 §2.3, §4.1: an SM's port of 32 bytes a cycle; 15 of them reach about 480 GB/s of L2 (470 at 980 MHz); DRAM gives
// 307 GB/s, from ten SMs on.
static void titan_black(void **state)
{
    (void)state;
    static const Stream near = {.bytes = 4, .blocks = 15 * 8, .resident = true};
    expect("titan_black", NULL, near, 15 * 32);
    // At 10 SMs the ports (320 bytes a cycle) and DRAM (313) are as good as equal: each makes the other wait, and
    // neither gives its own (297 measured; s-l1 §2.3 says about 306).
    static const uint32_t counts[] = {1, 12, 5, 8, 15};
    for (size_t k = 0; k < (getenv("ONCHIP_LONG") ? COUNT(counts) : 2); k++) {
        const uint32_t sms = counts[k];
        char one[64];
        Stream far = {.bytes = 4, .blocks = sms * 8};
        snprintf(one, sizeof one, "gpu.sms=%u", sms);
        expect("titan_black", one, far, MIN(sms * 32.0, 307e9 / 980e6));
    }
    all_as_expected();
}

// Published: 36 bytes a clock and SM from the L2, 4.8 TB/s of DRAM. A quarter of the chip with its share of slices, for
// the L2; in the long form all of it for DRAM, of whose bandwidth it must give 97 %.
static void h200(void **state)
{
    (void)state;
    static const Stream near = {.bytes = 4, .blocks = 33 * 4, .ahead = 16, .resident = true};
    expect("h200", "gpu.sms=33 l2.partitions=24 l2.size=15MiB l1.global=no", near, 33 * 36);
    static const Stream far = {.bytes = 4, .blocks = 132 * 2, .ahead = 8};
    // While a channel refreshes itself, 160 of 3,900 cycles, it serves nothing.
    if (getenv("ONCHIP_LONG")) expect("h200", "l2.keep=no", far, 4.8e12 / 1.98e9 * (1 - 160.0 / 3900));
    all_as_expected();
}

// Many blocks of one element a thread, as a program would launch them: a new one takes the place of each that ends.
static void many_blocks(void **state)
{
    (void)state;
    enum { FEW = 1500, MORE = 6000 };
    static const char body[] = "mul.wide.u32 %rd1, %g, 4;\nadd.u64 %rd2, %in, %rd1;\nld.global.u32 %r1, "
                               "[%rd2];\nld.global.u32 %r2, [%rd2+8388608];\n"
                               "add.u32 %r1, %r1, %r2;\nst.global.u32 [%rd2+16777216], %r1;";
    Bench b;
    uint64_t cycles[2], bytes[2];
    for (int l = 0; l < 2; l++) {
        bench_open(&b, "titan_black", NULL);
        bench_data(&b, NULL, 3 * 8388608);
        const Record *r = bench_run(&b, body, (Shape){.grid = l ? MORE : FEW, .block = 256}, 0);
        cycles[l] = CYCLES(r), bytes[l] = COUNT_OF(r, DRAM_READ_BYTES) + COUNT_OF(r, DRAM_WRITE_BYTES);
        assert_int_equal(COUNT_OF(r, DRAM_READ_BYTES), (l ? MORE : FEW) * 2048);
        bench_close(&b);
    }
    double got = (double)(bytes[1] - bytes[0]) / (double)(cycles[1] - cycles[0]);
    assert_within(got, 307e9 / 980e6, 0.03, "bytes a cycle of DRAM");
}

// The tightest of what a description says about loads of whole lines, past the L1, from DRAM.
static double tightest(const Gpu *g)
{
    double flit = g->part.flit, lines = ceil((128 + g->part.header) / flit) * flit / 128, parts = g->part.partitions,
           sms = g->sms;
    double of[] = {
        parts / g->part.slices * g->part.dram.bytes_per_cycle,
        parts * g->part.bytes_out / lines,
        sms * g->sm.bytes_in / lines,
        parts * g->part.l2.mshrs * 128 / (g->dram_latency - g->part.l2.latency),
        sms * g->sm.pending * 128 / g->dram_latency,
        sms * parts * g->part.credits * 128 / (g->to_partition + g->to_sm),
    };
    double least = of[0];
    for (size_t k = 1; k < COUNT(of); k++) least = MIN(least, of[k]);
    return least;
}

static void gtx480(void **state)
{
    (void)state;
#define FREE "l1.global=no lsu.pending=256 link.ordered=no link.acks=no "
    static const char *const sets[] = {
        FREE "link.credits=32 dram.simple=yes dram.request=0 l2.mshrs=12",
        FREE "link.credits=32 dram.simple=yes dram.request=0 link.partition_out=12",
        FREE "link.credits=32 dram.simple=yes dram.request=0",
        FREE "link.credits=32 dram.request=0 dram.ccdl=0 sched.policy=lrr",
    };
    static const Stream far = {.bytes = 4, .blocks = 15 * 6, .ahead = 2};
    for (size_t k = 0; k < COUNT(sets); k++) {
        Bench b;
        bench_open(&b, "gtx480", sets[k]);
        double described = tightest(b.gpu);
        bench_close(&b);
        expect("gtx480", sets[k], far, described);
    }
    expect("gtx480", sets[3], far, 177e9 / 700e6);  // ciao §V-E: 177 GB/s
    // A read of a sector takes a burst of twice its size.
    expect("gtx480", FREE "sched.policy=lrr", far, 177e9 / 700e6 / 2);
    all_as_expected();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_in_l2),      cmocka_unit_test(stores_in_l2), cmocka_unit_test(credits),
        cmocka_unit_test(pending_requests), cmocka_unit_test(dram_reads),   cmocka_unit_test(dram_writes),
        cmocka_unit_test(titan_black),      cmocka_unit_test(h200),         cmocka_unit_test(many_blocks),
        cmocka_unit_test(gtx480),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
