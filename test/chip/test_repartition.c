// What the L1 keeps when another kernel gets another share of the storage, and how long a division stays. Kernels read
// consecutive lines with one warp; what hits tells which lines the L1 had, and so how large it was.
#include "bench.h"
#include "exec/code.h"

#include <string.h>

#define LINE_BYTES 128
#define AT_R1 "mul.wide.u32 %rd1, %r1, 128;\nadd.u64 %rd1, %in, %rd1;\nld.global.u32 %r2, [%rd1];\n"
// %n lines, from the first to the last, and back.
#define UP "mov.u32 %r1, 0;\nUP:\n" AT_R1 "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %n;\n@%p1 bra UP;\n"
#define DOWN "mov.u32 %r1, %n;\nDOWN:\nsub.u32 %r1, %r1, 1;\n" AT_R1 "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DOWN;\n"
// A store of each whole line.
#define STORES                                                                          \
    "mov.u32 %r1, 0;\nUP:\nmul.wide.u32 %rd1, %r1, 128;\nadd.u64 %rd1, %in, %rd1;\n"    \
    "mul.wide.u32 %rd2, %t, 4;\nadd.u64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %t;\n" \
    "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %n;\n@%p1 bra UP;\n"
enum { KIB = 1024, STORAGE = 384 * KIB, SET = 4 * LINE_BYTES, MOST_BLOCKS = 32 };  // of sm32
enum { ALL = STORAGE / LINE_BYTES };                                               // lines that fill the whole storage

static void open_sm32(Bench *b, const char *sets)
{
    char all[512];
    snprintf(all, sizeof all, "storage.kind=unified l1.index=modulo l1.keep=no %s", sets);
    bench_open(b, "sm32", all);
    bench_data(b, NULL, 2 * ALL * LINE_BYTES);
}

static const Record *run(Bench *b, const char *body, uint32_t shared, uint32_t lines)
{
    return bench_run(b, body, (Shape){.shared = shared}, lines);
}

// The L1's lines if so many blocks of a kernel's registers and shared memory have room beside it. They never take more
// than there is.
static uint64_t lines_beside(const Record *r, uint32_t shared, uint32_t blocks)
{
    uint64_t others = blocks * (4ull * 32 * r->info.kernel->registers + shared);
    assert_true(others <= STORAGE);
    return (STORAGE - others) / SET * 4;
}

// The L1 has `lines`: reading as many as the storage has there and back, the way back hits those.
static void assert_lines(Bench *b, uint32_t shared, uint64_t lines)
{
    const Record *r = run(b, UP DOWN, shared, ALL);
    assert_int_equal(COUNT_OF(r, L1_READ_HITS), lines);
    uint64_t held = r->occupancy_blocks * (4ull * 32 * r->info.kernel->registers + shared);
    assert_true(held + lines * LINE_BYTES <= STORAGE);
}

// Lines that fit each of the L1s hit in all kernels, with private L1s and every replacement policy, too.
static void all_fit(void **state)
{
    static const char *const sets[] = {"",
                                       "l1.private=yes",
                                       "l1.replacement=fifo",
                                       "l1.replacement=plru",
                                       "l1.replacement=random",
                                       "l1.replacement=weighted l1.weights=1,3,1,1"};
    enum { LINES = 256 };
    (void)state;
    for (size_t k = 0; k < COUNT(sets); k++)
        for (int keep = 0; keep < 2; keep++) {
            Bench b;
            char all[256];
            snprintf(all, sizeof all, "l1.keep=yes storage.per=kernel storage.repartition=%s %s",
                     keep ? "keep" : "drop", sets[k]);
            open_sm32(&b, all);
            assert_int_equal(COUNT_OF(run(&b, UP, 0, LINES), L1_READ_HITS), 0);
            assert_int_equal(COUNT_OF(run(&b, UP, 300 * KIB, LINES), L1_READ_HITS), keep ? LINES : 0);
            assert_int_equal(COUNT_OF(run(&b, UP, 0, LINES), L1_READ_HITS), keep ? LINES : 0);
            assert_int_equal(COUNT_OF(run(&b, UP, 0, LINES), L1_READ_HITS), LINES);  // the same size: they stay
            bench_close(&b);
        }
}

// The smaller L1 keeps as many lines as it has, those that were read last. Without l1.keep it keeps none.
static void latest_fit(void **state)
{
    enum { LINES = 2000, SHARED = 300 * KIB };
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        Bench b;
        char all[256];
        snprintf(all, sizeof all, "l1.keep=%s storage.per=kernel storage.repartition=keep", keep ? "yes" : "no");
        open_sm32(&b, all);
        run(&b, UP, 0, LINES);
        const Record *r = run(&b, DOWN, SHARED, LINES);
        uint64_t lines = lines_beside(r, SHARED, 1);
        assert_true(lines < LINES);
        assert_int_equal(COUNT_OF(r, L1_READ_HITS), keep ? lines : 0);
        bench_close(&b);
    }
}

// Dirty lines stay dirty, and leave when they are replaced, as they do where the size stays.
static void dirty_stay(void **state)
{
    enum { LINES = 256 };
    (void)state;
    for (int other = 0; other < 2; other++) {
        Bench b;
        open_sm32(&b, "l1.keep=yes l1.write_back=yes storage.per=kernel storage.repartition=keep");
        assert_int_equal(COUNT_OF(run(&b, STORES, 0, LINES), L1_WRITEBACKS), 0);
        const Record *r = run(&b, UP, other ? 300 * KIB : 0, 2 * ALL);
        assert_int_equal(COUNT_OF(r, L1_READ_HITS), LINES);
        assert_int_equal(COUNT_OF(r, L1_WRITEBACKS), LINES);
        bench_close(&b);
    }
}

// Those for which there is no room are written when the next launch begins, and in it: nothing is lost.
static void dirty_leave(void **state)
{
    enum { LINES = 2000, SHARED = 300 * KIB };
    (void)state;
    for (int other = 0; other < 2; other++) {
        Bench b;
        open_sm32(
            &b,
            "l1.keep=yes l1.write_back=yes storage.per=kernel storage.repartition=keep link.credits=8 link.queue=2");
        const Record *r = run(&b, STORES, 0, LINES);
        assert_int_equal(COUNT_OF(r, L1_WRITEBACKS), 0);
        assert_int_equal(COUNT_OF(r, DRAM_WRITE_BYTES), 0);
        r = run(&b, DOWN, other ? SHARED : 0, 1);
        uint64_t stay = other ? lines_beside(r, SHARED, 1) : LINES;
        assert_true(stay < LINES || !other);
        // Its own line, the first one, has no room among the latest.
        assert_int_equal(COUNT_OF(r, L1_WRITEBACKS), other ? LINES - stay + 1 : 0);
        assert_int_equal(COUNT_OF(r, DRAM_WRITE_BYTES), COUNT_OF(r, L1_WRITEBACKS) * LINE_BYTES);
        uint64_t written = COUNT_OF(r, L1_WRITEBACKS);
        r = run(&b, UP, other ? SHARED : 0, 2 * ALL);
        assert_int_equal(COUNT_OF(r, L1_WRITEBACKS), LINES - written);
        assert_int_equal(COUNT_OF(r, DRAM_WRITE_BYTES), (LINES - written) * LINE_BYTES);
        bench_close(&b);
    }
}

static void per_kernel(void **state)
{
    Bench b;
    (void)state;
    open_sm32(&b, "storage.per=kernel");
    const Record *r = run(&b, UP DOWN, 300 * KIB, ALL);
    uint64_t small = lines_beside(r, 300 * KIB, 1), large = lines_beside(r, 0, MOST_BLOCKS);
    assert_int_equal(r->occupancy_blocks, 1);
    assert_true(small < large);
    assert_lines(&b, 0, large);
    assert_lines(&b, 300 * KIB, small);
    bench_close(&b);
}

// The first launch's sizes stay: a kernel with less shared memory gets no more L1. One of which more blocks could run
// with sizes of its own divides anew, for those that come later, too. A fault between them changes nothing.
static void per_program(void **state)
{
    Bench b;
    const void *args[3];
    uint32_t n = 1;
    oc_ptr nowhere = 0;
    (void)state;
    open_sm32(&b, "storage.per=program");
    const Record *r = run(&b, UP DOWN, 9 * KIB, ALL);
    uint64_t first = lines_beside(r, 9 * KIB, MOST_BLOCKS), second = lines_beside(r, 300 * KIB, 1);
    assert_true(second > first);
    assert_int_equal(r->occupancy_blocks, MOST_BLOCKS);
    assert_int_equal(COUNT_OF(r, L1_READ_HITS), first);
    assert_lines(&b, 0, first);
    oc_kernel *k = bench_load(&b, UP, "sm_35");
    args[0] = &nowhere, args[1] = &nowhere, args[2] = &n;
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, args), OC_FAULT);
    assert_lines(&b, 0, first);
    assert_lines(&b, 300 * KIB, second);
    assert_lines(&b, 280 * KIB, second);
    assert_lines(&b, 0, second);  // more blocks of it would fit, but it has one
    bench_close(&b);
}

// A launch without time neither divides nor is bound: its own occupancy is what it would be alone.
static bool none(void *user, const char *name, const char *shown, bool *taken, Diag *diag)
{
    (void)user, (void)name, (void)shown, (void)diag;
    *taken = false;
    return true;
}

static void without_time(void **state)
{
    Bench b;
    (void)state;
    open_sm32(&b, "storage.per=program");
    device_select(b.d, NULL, 1);
    const Record *r = run(&b, UP DOWN, 0, ALL);
    assert_true(r->functional);
    assert_int_equal(r->occupancy_blocks, MOST_BLOCKS);
    r = run(&b, UP DOWN, 300 * KIB, ALL);
    assert_false(r->functional);
    uint64_t first = lines_beside(r, 300 * KIB, 1);
    assert_int_equal(COUNT_OF(r, L1_READ_HITS), first);
    uint32_t blocks;
    assert_int_equal(device_occupancy(bench_load(&b, UP, "sm_35"), (oc_dim3){32, 1, 1}, 300 * KIB, &blocks), OC_OK);
    assert_int_equal(blocks, 1);
    device_select(b.d, &(KernelFilter){.takes = none}, 0);
    assert_int_equal(run(&b, UP DOWN, 0, 1)->occupancy_blocks, MOST_BLOCKS);
    bench_close(&b);
}

// The keys mean nothing where the sizes are described.
static void partitioned(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        Bench b;
        bench_open(&b, "sm32",
                   k ? "l1.index=modulo l1.keep=no storage.per=program storage.repartition=keep"
                     : "l1.index=modulo l1.keep=no storage.per=kernel storage.repartition=drop");
        bench_data(&b, NULL, ALL * LINE_BYTES);
        for (uint32_t shared = 0; shared <= 32 * KIB; shared += 32 * KIB)
            assert_int_equal(COUNT_OF(run(&b, UP DOWN, shared, ALL), L1_READ_HITS), 64 * KIB / LINE_BYTES);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_fit),      cmocka_unit_test(latest_fit),
                                       cmocka_unit_test(dirty_stay),   cmocka_unit_test(dirty_leave),
                                       cmocka_unit_test(per_kernel),   cmocka_unit_test(per_program),
                                       cmocka_unit_test(without_time), cmocka_unit_test(partitioned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
