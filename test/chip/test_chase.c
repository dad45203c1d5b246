// Pointer chases of one thread: every step takes the described cycles of where its line lies. Two lengths of a chase
// differ by the steps between them, so that what comes before and after cancels.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROOM = 16 << 20
};  // of the data, from an address that is a multiple of all rows, banks and partitions used here

// A chase through base + offset[0], base + offset[1] …, of `steps` steps by the instruction `load`; its record.
static const Record *chase(const char *gpu, const char *sets, const char *load, const uint64_t *offset, uint32_t steps)
{
    static Bench b;
    static bool open;
    if (open) bench_close(&b);  // the record lives until the next chase
    bench_open(&b, gpu, sets);
    open = true;
    bench_data(&b, NULL, 2 * ROOM);
    uint64_t unit = 6ull * 256 * 8 * 16 * 16, base = (b.data + unit - 1) / unit * unit;
    for (uint32_t k = 0; k < steps; k++) {
        uint64_t next = base + offset[k + 1];
        assert_true(offset[k] + 8 <= ROOM + unit && base + offset[k] + 8 <= b.data + 2 * ROOM);
        assert_int_equal(oc_write(b.d, base + offset[k], &next, 8, NULL), OC_OK);
    }
    Text t = {0};
    text_printf(&t, "add.u64 %%rd1, %%in, %llu;\n", (unsigned long long)(base + offset[0] - b.data));
    repeat(&t, steps, 1, load);
    text_put(&t, "st.global.u64 [%out], %rd1;");
    const Record *r = bench_run(&b, t.v, (Shape){.block = 1}, 0);
    uint64_t got;
    bench_read(&b, &got, 8);
    assert_int_equal(got, base + offset[steps]);
    text_free(&t);
    return r;
}

#define PLAIN "ld.global.u64 %rd1, [%rd1];"
#define CG "ld.global.cg.u64 %rd1, [%rd1];"
#define NC "ld.global.nc.u64 %rd1, [%rd1];"

static void assert_steps(const char *gpu, const char *sets, const char *load, const uint64_t *offset, uint32_t from,
                         uint32_t to, uint64_t each)
{
    uint64_t a = CYCLES(chase(gpu, sets, load, offset, from)), c = CYCLES(chase(gpu, sets, load, offset, to));
    if (c - a != (to - from) * each)
        fail_msg("%s %s, %s: %g cycles a step, described %llu", gpu, sets ? sets : "", load,
                 (double)(c - a) / (to - from), (unsigned long long)each);
}

// A ring of `lines` lines `stride` bytes apart.
static const uint64_t *ring(uint32_t lines, uint64_t stride)
{
    static uint64_t offset[2048];
    for (uint32_t k = 0; k < COUNT(offset); k++) offset[k] = k % lines * stride;
    return offset;
}

#define ODD "test/chip/gpus/odd.ini"

static void level_1(void **state)
{
    (void)state;
    assert_steps(ODD, NULL, PLAIN, ring(8, 128), 16, 80, 37);
    assert_steps(ODD, NULL, PLAIN, ring(32, 128), 64, 160, 37);  // all of its 4 KiB
    assert_steps(ODD, "l1.latency=2", PLAIN, ring(8, 128), 16, 80, 2);
    assert_steps("gtx480", NULL, PLAIN, ring(128, 128), 256, 512, 40);
    assert_steps("titan_black", "l1.global=yes", PLAIN, ring(128, 128), 256, 512, 80);
    assert_steps("titan_black", "l1.global=yes l1.size=48KiB shared.size=16KiB shared.max=16KiB", PLAIN, ring(384, 128),
                 768, 1024, 80);
    assert_steps("h200", NULL, PLAIN, ring(128, 128), 256, 512, 34);
    assert_steps("h200", NULL, NC, ring(128, 128), 256, 512, 34);
    const Record *r = chase(ODD, NULL, PLAIN, ring(8, 128), 80);
    assert_int_equal(COUNT_OF(r, L1_READS), 80);
    assert_int_equal(COUNT_OF(r, L1_MISSES) - COUNT_OF(r, L1_WRITES), 8);
    assert_int_equal(COUNT_OF(r, L1_READ_HITS), 72);
}

static void level_2(void **state)
{
    (void)state;
    assert_steps(ODD, NULL, CG, ring(8, 128), 16, 80, 101);
    assert_steps(ODD, NULL, "ld.global.cv.u64 %rd1, [%rd1];", ring(8, 128), 16, 80, 101);
    assert_steps(ODD, NULL, "ld.volatile.global.u64 %rd1, [%rd1];", ring(8, 128), 16, 80, 101);
    assert_steps(ODD, NULL, "ld.relaxed.gpu.global.u64 %rd1, [%rd1];", ring(8, 128), 16, 80, 101);
    assert_steps(ODD, "l1.global=no", PLAIN, ring(8, 128), 16, 80, 101);
    assert_steps(ODD, "l1.size=0", PLAIN, ring(8, 128), 16, 80, 101);
    assert_steps(ODD, NULL, PLAIN, ring(40, 128), 80, 160, 101);  // five lines to each set of four: LRU keeps none
    assert_steps(ODD, NULL, PLAIN, ring(5, 1024), 15, 55, 101);   // five lines of one set of four
    assert_steps(ODD, "l2.partitions=4 l2.hash=yes", CG, ring(64, 128), 128, 256, 101);
    assert_steps(ODD, "l2.latency=102", CG, ring(8, 128), 16, 80, 102);      // an odd number of cycles to share out
    assert_steps("gtx480", NULL, PLAIN, ring(256, 128), 512, 768, 182);      // 32 KiB through 16
    assert_steps("titan_black", NULL, PLAIN, ring(64, 128), 128, 256, 240);  // its L1 doesn't serve global loads
    assert_steps("titan_black", "l1.global=yes", PLAIN, ring(256, 128), 512, 768, 240);
    const Record *r = chase("titan_black", NULL, PLAIN, ring(64, 128), 256);
    assert_int_equal(COUNT_OF(r, L1_ACCESSES), 0);
    assert_int_equal(COUNT_OF(r, L1_BYPASSES), 256 + 1);
    assert_int_equal(COUNT_OF(r, L2_HITS), 256 - 64);  // the store fetches its sector
    assert_int_equal(COUNT_OF(r, DRAM_READS), 64 + 1);
}

// l2.latency is that of what the L1 fetches. On gtx480 that is a line: with its header it takes the partition's port
// and the SM's ceil(136 / 32) = 5 cycles each, and a sector past the L1 ceil(40 / 32) = 2.
static void sectors_pass_sooner(void **state)
{
    (void)state;
    assert_steps("gtx480", "link.sm_in=32 link.partition_out=32 link.header=8", CG, ring(64, 128), 128, 256,
                 182 - 2 * (5 - 2));
    assert_steps(ODD, "link.sm_in=16 link.partition_out=64", PLAIN, ring(40, 128), 80, 160, 101);
    assert_steps(ODD, "link.sm_in=16 link.partition_out=64", CG, ring(40, 128), 80, 160, 101 - (8 - 2) - (2 - 1));
}

static void read_only_cache(void **state)
{
    (void)state;
    assert_steps("titan_black", NULL, NC, ring(128, 128), 256, 512, 110);
    assert_steps("gtx480", NULL, NC, ring(128, 128), 256, 512, 40);  // it has no such loads: the L1 serves them
    assert_steps(ODD, "readonly.size=4KiB readonly.latency=43", NC, ring(32, 128), 64, 128, 43);
    assert_steps(ODD, "readonly.size=4KiB readonly.nc=no", NC, ring(32, 128), 64, 128, 37);
}

// --- DRAM: lines never touched before --------------------------------------------------------------------------------
// One partition: rows are numbered r = address / 2 KiB; row r / banks of bank (r + r / banks) mod banks.
static uint64_t in_row(uint32_t bank, uint32_t row) { return ((uint64_t)row * 8 + (bank + 64 - row % 8) % 8) * 2048; }

static void dram_rows(void **state)
{
    (void)state;
    uint64_t hits[17], closed[9], conflicts[33], alternate[33];
    for (uint32_t k = 0; k < 17; k++) hits[k] = in_row(0, 0) + k % 16 * 128;
    for (uint32_t k = 0; k < 9; k++) closed[k] = in_row(k % 8, 0);
    for (uint32_t k = 0; k < 33; k++) conflicts[k] = in_row(3, k);
    for (uint32_t k = 0; k < 33; k++) alternate[k] = in_row(3, k & 1) + k / 2 % 16 * 128;
    static const char *const loads[] = {PLAIN, CG};  // a line or a sector: both pass DRAM's bus in a cycle
    for (int l = 0; l < 2; l++) {
        assert_steps(ODD, NULL, loads[l], hits, 3, 15, 211);
        assert_steps(ODD, NULL, loads[l], closed, 1, 7, 211 + 17);
        assert_steps(ODD, NULL, loads[l], conflicts, 4, 30, 211 + 17 + 19);
        assert_steps(ODD, NULL, loads[l], alternate, 4, 30, 211 + 17 + 19);
    }
    assert_steps(ODD, "dram.clock=500", PLAIN, hits, 3, 15, 211);
    assert_steps(ODD, "dram.clock=500", PLAIN, closed, 1, 7, 211 + 2 * 17);
    assert_steps(ODD, "dram.clock=500", PLAIN, conflicts, 4, 30, 211 + 2 * (17 + 19));
    assert_steps(ODD, "dram.cl=0 dram.rcd=0 dram.rp=0 dram.ras=0", PLAIN, conflicts, 4, 30, 211);
    assert_steps(ODD, "dram.ras=600", PLAIN, conflicts, 4, 30, 600 + 19);  // activations tRC apart, later than 211 + 36
    const Record *r = chase(ODD, NULL, PLAIN, conflicts, 30);
    assert_int_equal(COUNT_OF(r, DRAM_ROW_MISSES), 30 + 1);  // and the store's sector
    assert_int_equal(COUNT_OF(r, DRAM_ROW_HITS), 0);
    r = chase(ODD, NULL, PLAIN, hits, 15);
    assert_int_equal(COUNT_OF(r, DRAM_ROW_HITS), 14);
    assert_int_equal(COUNT_OF(r, DRAM_ROW_MISSES), 1 + 1);
}

// gtx480: 128 bytes pass a channel in 3.04 core cycles, tCL, tRCD and tRP are 9.09 each at 924 to 700 MHz. The
// described 300 are for an open row: its column and data end in cycle 13 (12.13) of DRAM's part; with tRCD in cycle 22
// (21.22), with tRP too in cycle 31 (30.31). Six partitions of 256 bytes in turn: a row of one lies in 16 chunks, 1536
// bytes apart.
static void dram_of_gtx480(void **state)
{
    (void)state;
    uint64_t hits[17], closed[17], conflicts[17];
    // Six channels take chunks of 256 bytes in turn. Within one, bits 8, 13, 14, 15 are the bank, the row begins at 16.
    enum { TURN = 6 * 256 };
    for (uint32_t k = 0; k < 17; k++) hits[k] = k / 2 % 16 * TURN + k % 2 * 128;
    for (uint32_t k = 0; k < 17; k++) closed[k] = (k % 2 + k / 2 * 32) * TURN;  // row 0 of each bank
    for (uint32_t k = 0; k < 17; k++) conflicts[k] = k * 256ull * TURN;         // row k of bank 0
    assert_steps("gtx480", NULL, PLAIN, hits, 3, 15, 300);
    assert_steps("gtx480", NULL, PLAIN, closed, 2, 14, 309);
    assert_steps("gtx480", NULL, PLAIN, conflicts, 2, 14, 318);
}

static void dram_without_rows(void **state)
{
    (void)state;
    uint64_t anywhere[65];
    for (uint32_t k = 0; k < 65; k++) anywhere[k] = k * 7919ull % 1024 * 8192;
    assert_steps("titan_black", NULL, PLAIN, anywhere, 8, 60, 350);
    assert_steps("titan_black", "l1.global=yes", PLAIN, anywhere, 8, 60, 350);
    assert_steps("titan_black", NULL, NC, anywhere, 8, 60, 350);
    assert_steps(ODD, "dram.simple=yes", PLAIN, anywhere, 8, 60, 211);
}

// --- other spaces ----------------------------------------------------------------------------------------------------
static uint64_t body_cycles(const char *gpu, const char *sets, const char *before, const char *line, uint32_t n,
                            const char *after)
{
    Bench b;
    Text t = {0};
    bench_open(&b, gpu, sets);
    text_put(&t, before);
    repeat(&t, n, 1, line);
    text_put(&t, after);
    uint64_t cycles = CYCLES(bench_run(&b, t.v, (Shape){.block = 1, .shared = 1024}, 0));
    text_free(&t);
    bench_close(&b);
    return cycles;
}

static void assert_chain(const char *gpu, const char *sets, const char *before, const char *line, const char *after,
                         uint64_t each)
{
    uint64_t a = body_cycles(gpu, sets, before, line, 20, after), c = body_cycles(gpu, sets, before, line, 60, after);
    if (c - a != 40 * each)
        fail_msg("%s %s, %s: %g cycles a step, described %llu", gpu, sets ? sets : "", line, (double)(c - a) / 40,
                 (unsigned long long)each);
}

// Words of a thread's local memory are interleaved with other threads': 32 lanes' words are a line, and an element of
// 64 bits lies in two, which are looked up one after the other.
static void local_memory(void **state)
{
    (void)state;
    // A word that is 0 is added to the address: an addition of 64 bits, which is of two slots.
    static const char before[] = ".local .align 8 .b8 own[64];\nmov.u64 %rd2, own;\nmov.u32 %r1, 0;\nst.local.u32 "
                                 "[%rd2], %r1;\nadd.u64 %rd1, %rd2, 0;\n";
    static const char line[] = "ld.local.u32 %rd3, [%rd1];\nadd.u64 %rd1, %rd3, %rd2;",
                      after[] = "st.global.u64 [%out], %rd1;";
    static const char before64[] = ".local .align 8 .b8 own[64];\nmov.u64 %rd1, own;\nst.local.u64 [%rd1], %rd1;\n",
                      line64[] = "ld.local.u64 %rd1, [%rd1];", after64[] = "st.global.u64 [%out], %rd1;";
    assert_chain(ODD, NULL, before, line, after, 37 + 8);
    assert_chain(ODD, NULL, before64, line64, after64, 37 + 1);
    assert_chain(ODD, "l1.global=no", before, line, after, 37 + 8);  // the L1 may serve local memory alone
    assert_chain(ODD, "l1.local=no", before, line, after, 101 + 8);
    assert_chain("gtx480", NULL, before, line, after, 40 + 11);
    assert_chain("titan_black", NULL, before, line, after, 80 + 11);
}

static void constant_memory(void **state)
{
    (void)state;
    static const char before[] =
        ".const .align 8 .u64 table[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};\n---\n"
        "mov.u64 %rd2, table;\nadd.u64 %rd1, %rd2, 0;\nld.const.u64 %rd3, [%rd2];\nadd.u64 %rd1, %rd1, %rd3;\n";
    static const char line[] = "ld.const.u64 %rd3, [%rd1];\nadd.u64 %rd1, %rd3, %rd2;",
                      after[] = "st.global.u64 [%out], %rd1;";
    // Each step: a load that hits, and an addition of 64 bits, which is of two slots.
    assert_chain(ODD, "const.size=2KiB const.line=64 const.sector=64 const.fill=64 const.latency=19", before, line,
                 after, 19 + 7 + 1);
    assert_chain("gtx480", NULL, before, line, after, 12 + 10 + 1);
    assert_chain("titan_black", NULL, before, line, after, 12 + 10 + 1);
    assert_chain("h200", NULL, before, line, after, 17 + 4 + 1);
}

static void shared_memory(void **state)
{
    (void)state;
    static const char before[] = "mov.u64 %rd1, smem;\nst.shared.u64 [%rd1], %rd1;\n",
                      line[] = "ld.shared.u64 %rd1, [%rd1];", after[] = "st.global.u64 [%out], %rd1;";
    assert_chain(ODD, NULL, before, line, after, 29);
    assert_chain("gtx480", NULL, before, line, after, 32);
    assert_chain("titan_black", NULL, before, line, after, 80);
    assert_chain("h200", NULL, before, line, after, 29);
}

// Generic addresses find their space and take its time.
static void generic_addresses(void **state)
{
    (void)state;
    static const char before[] = "mov.u64 %rd2, smem;\ncvta.shared.u64 %rd1, %rd2;\nst.u64 [%rd1], %rd1;\n",
                      line[] = "ld.u64 %rd1, [%rd1];", after[] = "st.global.u64 [%out], %rd1;";
    assert_chain(ODD, NULL, before, line, after, 29);
    assert_steps(ODD, NULL, "ld.u64 %rd1, [%rd1];", ring(8, 128), 16, 80, 37);
}

static void atomic_operations(void **state)
{
    (void)state;
    // An atomic goes to the L2 and back; its unit takes one cycle for the one lane. The values come at a window's edge,
    // which the next instruction may have to wait for: at most a window more.
    uint64_t a =
        body_cycles(ODD, NULL, "", "atom.global.add.u64 %rd1, [%out], %rd1;", 20, "st.global.u64 [%in], %rd1;");
    uint64_t c =
        body_cycles(ODD, NULL, "", "atom.global.add.u64 %rd1, [%out], %rd1;", 60, "st.global.u64 [%in], %rd1;");
    assert_in_range(c - a, 40 * 102, 40 * 152);
    // One whose old value nobody reads is a reduction: the warp doesn't wait, and no register is held.
    uint64_t unread =
        body_cycles(ODD, NULL, "", "atom.global.add.u64 %rd5, [%out], %rd1;", 60, "st.global.u64 [%in], %rd1;");
    assert_int_equal(unread,
                     body_cycles(ODD, NULL, "", "red.global.add.u64 [%out], %rd1;", 60, "st.global.u64 [%in], %rd1;"));
    assert_true(unread < c / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_1),           cmocka_unit_test(level_2),           cmocka_unit_test(sectors_pass_sooner),
        cmocka_unit_test(read_only_cache),   cmocka_unit_test(dram_rows),         cmocka_unit_test(dram_of_gtx480),
        cmocka_unit_test(dram_without_rows), cmocka_unit_test(local_memory),      cmocka_unit_test(constant_memory),
        cmocka_unit_test(shared_memory),     cmocka_unit_test(generic_addresses), cmocka_unit_test(atomic_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
