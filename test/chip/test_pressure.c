// What is scarce refuses, and for exactly as long as it must: MSHRs, places to merge, ways, credits, DRAM's queue. And
// what the L1 counts for hand-made patterns of loads and stores.
#include "bench.h"

#include <string.h>

#define ODD "test/chip/gpus/odd.ini"
// With dram.simple a line comes 211 cycles after the issue of its load: 210 after its look-up, a cycle after the issue.
enum {
    FILL = 210,
    CREDIT = 98
};  // CREDIT: a request's way to the L2 and the credit's back: 101 minus look-up and two ports

static const Record *run(const char *sets, const char *body, Shape s)
{
    static Bench b;
    static bool open;
    if (open) bench_close(&b);
    bench_open(&b, ODD, sets);
    open = true;
    bench_data(&b, NULL, 1 << 20);
    return bench_run(&b, body, s, 7);
}

#define COUNTS(record, counter, want) assert_int_equal(COUNT_OF(record, counter), want)
#define LANES_LINES "mul.wide.u32 %rd1, %t, 128;\nadd.u64 %rd1, %in, %rd1;\n"  // a line for each lane

// Look-up k of 32 lines in turn can't be before that of k − most is over `after` cycles later: the cycles refused.
static uint64_t refused_of(uint32_t most, uint64_t after)
{
    uint64_t at[32], sum = 0;
    for (uint32_t k = 0; k < 32; k++) {
        uint64_t next = k ? at[k - 1] + 1 : 0;
        at[k] = k >= most ? MAX(next, at[k - most] + after) : next;
        sum += at[k] - next;
    }
    return sum;
}

static void full_of_misses(void **state)
{
    (void)state;
    for (uint32_t most = 1; most <= 32; most = most < 4 ? most + 1 : most * 2) {
        char sets[128];
        snprintf(sets, sizeof sets, "dram.simple=yes l1.mshrs=%u", most);
        const Record *r = run(sets, LANES_LINES "ld.global.u32 %r1, [%rd1];", (Shape){0});
        COUNTS(r, L1_REFUSED_MSHR, refused_of(most, FILL));
        COUNTS(r, L1_MISSES, 32);
        COUNTS(r, L1_MERGES, 0);
        COUNTS(r, L1_REFUSED_SET, 0);
        snprintf(sets, sizeof sets, "dram.simple=yes lsu.pending=%u", most);
        r = run(sets, LANES_LINES "ld.global.cg.u32 %r1, [%rd1];", (Shape){0});
        COUNTS(r, L1_REFUSED_MSHR, refused_of(most, FILL));
        COUNTS(r, L1_BYPASSES, 32);
    }
}

static void full_of_merges(void **state)
{
    (void)state;
    for (uint32_t most = 1; most <= 8; most++) {
        char sets[128];
        snprintf(sets, sizeof sets, "dram.simple=yes l1.merges=%u", most);
        const Record *r = run(sets, "ld.global.u32 %r1, [%in];", (Shape){.block = 12 * 32});  // twelve warps, one line
        COUNTS(r, L1_MISSES, 1);
        COUNTS(r, L1_MERGES, most - 1);
        COUNTS(r, L1_HITS, 12 - most);
        COUNTS(r, L1_REFUSED_MERGE, FILL - most);  // from the look-up after the last that merged until the line comes
        COUNTS(r, L2_ACCESSES, 1);
    }
}

static void full_set(void **state)
{
    (void)state;
    // Lines 1 KiB apart share one of eight sets; as many lanes as lines.
    for (uint32_t lines = 3; lines <= 8; lines++) {
        const Record *r =
            run("dram.simple=yes", "mul.wide.u32 %rd1, %t, 1024;\nadd.u64 %rd1, %in, %rd1;\nld.global.u32 %r1, [%rd1];",
                (Shape){.block = lines});
        COUNTS(r, L1_MISSES, lines);
        COUNTS(r, L1_REFUSED_SET,
               lines > 4 ? FILL - 4 : 0);  // the fifth waits for the first, the others come as its neighbours do
        COUNTS(r, L1_EVICTIONS, lines > 4 ? lines - 4 : 0);
        COUNTS(r, L1_REFUSED_MSHR, 0);
    }
}

static void no_credit(void **state)
{
    (void)state;
    for (uint32_t credits = 2; credits <= 32; credits = credits < 5 ? credits + 1 : credits * 2) {
        char sets[128];
        snprintf(sets, sizeof sets, "dram.simple=yes link.queue=0 link.credits=%u", credits);
        static const char *const loads[] = {LANES_LINES "ld.global.u32 %r1, [%rd1];",
                                            LANES_LINES "ld.global.cg.u32 %r1, [%rd1];",
                                            LANES_LINES "st.global.u32 [%rd1], %n;"};
        for (size_t l = 0; l < COUNT(loads); l++) {
            const Record *r = run(sets, loads[l], (Shape){0});
            COUNTS(r, L1_REFUSED_LINK, refused_of(credits, CREDIT));
            COUNTS(r, L1_REFUSED_MSHR, 0);
        }
    }
}

// With places to wait for credits, a line is refused until the one so many places before it has left; it leaves when
// the credit of the one so many credits before it is back.
static uint64_t refused_behind(uint32_t credits, uint32_t places)
{
    uint64_t at[32], left[32], sum = 0;
    for (uint32_t k = 0; k < 32; k++) {
        uint64_t next = k ? at[k - 1] + 1 : 0;
        at[k] = k >= places ? MAX(next, left[k - places]) : next;
        left[k] = k >= credits ? MAX(at[k], left[k - credits] + CREDIT) : at[k];
        sum += at[k] - next;
    }
    return sum;
}

static void places_to_wait(void **state)
{
    (void)state;
    for (uint32_t credits = 2; credits <= 8; credits *= 2)
        for (uint32_t places = 1; places <= 32; places = places < 4 ? places + 1 : places * 2) {
            char sets[128];
            snprintf(sets, sizeof sets, "dram.simple=yes link.queue=%u link.credits=%u", places, credits);
            const Record *r = run(sets, LANES_LINES "ld.global.u32 %r1, [%rd1];", (Shape){0});
            COUNTS(r, L1_REFUSED_LINK, refused_behind(credits, places));
            COUNTS(r, L1_MISSES, 32);
        }
}

// Cycles that a load of partition 1 takes behind 32 stores to partition 0.
static uint64_t load_behind_stores(const char *sets)
{
    static const char body[] = "mul.wide.u32 %rd1, %t, 512;\nadd.u64 %rd1, %in, %rd1;\n"
                               "mov.u32 %r1, %clock;\nst.global.u32 [%rd1], %n;\nld.global.cg.u32 %r2, [%in+256];\n"
                               "add.u32 %r2, %r2, %r2;\nmov.u32 %r3, %clock;\nsub.u32 %r3, %r3, %r1;\n"
                               "add.u32 %r3, %r3, %r2;\nst.global.u32 [%out], %r3;";  // %r2 is 0
    Bench b;
    uint32_t cycles;
    bench_open(&b, ODD, sets);
    bench_data(&b, NULL, 1 << 20);
    bench_run(&b, body, (Shape){0}, 7);
    bench_read(&b, &cycles, sizeof cycles);
    bench_close(&b);
    return cycles;
}

// Who waits for one partition holds nobody up who goes to another.
static void others_pass(void **state)
{
    (void)state;
#define TWO "dram.simple=yes l2.partitions=2 l2.chunk=256 l2.hash=no "
    uint64_t free = load_behind_stores(TWO "link.credits=64 link.queue=0"),
             held_up = load_behind_stores(TWO "link.credits=2 link.queue=0"),
             passed = load_behind_stores(TWO "link.credits=2 link.queue=32");
    assert_true(passed <= free);  // the stores that wait don't take the SM's port either
    assert_true(held_up > free + 10 * CREDIT);
}

// The least of everything that a description may have: it takes long, but ends.
static void the_least_of_everything(void **state)
{
    (void)state;
    static const char body[] =
        ".local .align 4 .b8 own[8192];\n" LANES_LINES
        "mov.u64 %rd2, own;\nmov.u32 %r2, 0;\nL: st.local.u32 [%rd2], %r2;\nadd.u64 %rd2, %rd2, 4;\n"
        "add.u32 %r2, %r2, 1;\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1+4], %r1;\natom.global.add.u32 %r3, "
        "[%in], %r2;\n"
        "add.u64 %rd1, %rd1, 4096;\nsetp.lt.u32 %p1, %r2, 100;\n@%p1 bra L;\nld.local.u32 %r4, "
        "[%rd2+-4];\nst.global.u32 [%out], %r4;";
    const Record *r = run("link.credits=2 l1.mshrs=1 l1.merges=1 lsu.pending=1 l2.mshrs=1 l2.merges=1 lsu.queue=2 "
                          "l1.ways=1 l1.size=128 l2.size=512 dram.queue=4 dram.banks=1",
                          body, (Shape){.block = 64});
    assert_true(COUNT_OF(r, L1_REFUSED_LINK) > 0 && COUNT_OF(r, L2_REFUSED) > 0 && COUNT_OF(r, L1_WRITEBACKS) > 0);
    COUNTS(r, BLOCKS, 1);
    r = run("link.credits=2 l2.mshrs=1 l2.merges=1 lsu.queue=2 l2.size=512 dram.queue=4 l2.write_back=no "
            "l1.write_allocate=yes l1.write_back=yes",
            body, (Shape){.block = 64});
    COUNTS(r, BLOCKS, 1);
}

// DRAM can't keep up: its queue fills, the L2 can't take the next request, credits don't come back, the load-store
// unit's queue fills, and warps can't issue.
static void pushing_back(void **state)
{
    (void)state;
    static const char store[] = "mul.wide.u32 %rd1, %g, 128;\nadd.u64 %rd1, %in, %rd1;\nst.global.u32 [%rd1], "
                                "%n;\nst.global.u32 [%rd1+32], %n;\nst.global.u32 [%rd1+64], %n;";
    static const char load[] = "mul.wide.u32 %rd1, %g, 128;\nadd.u64 %rd1, %in, %rd1;\nld.global.cg.u32 %r1, "
                               "[%rd1];\nld.global.cg.u32 %r2, [%rd1+32];\nld.global.cg.u32 %r3, [%rd1+64];";
    static const char *const bodies[] = {store, load};
    for (size_t k = 0; k < COUNT(bodies); k++) {
        const Record *slow = run("dram.latency=500 dram.bandwidth=1 dram.queue=4 l2.mshrs=4 link.credits=8 lsu.queue=4",
                                 bodies[k], (Shape){.grid = 8, .block = 256});
        assert_true(COUNT_OF(slow, L2_REFUSED) > CYCLES(slow) / 2);
        assert_true(COUNT_OF(slow, L1_REFUSED_LINK) > CYCLES(slow) / 2);
        assert_true(COUNT_OF(slow, STALL_LSU) > CYCLES(slow) / 3);
        uint64_t bytes = 8 * 256 * 96;  // all sectors are fetched, a byte a cycle (a partial store fetches too)
        assert_true(CYCLES(slow) > bytes * 9 / 10);
        const Record *wide = run("dram.bandwidth=100000 dram.queue=512 l2.mshrs=4096 link.credits=4096 lsu.queue=256 "
                                 "lsu.pending=4096 dram.simple=yes",
                                 bodies[k], (Shape){.grid = 8, .block = 256});
        COUNTS(wide, L2_REFUSED, 0);
        COUNTS(wide, L1_REFUSED_LINK, 0);
        COUNTS(wide, L1_REFUSED_MSHR, 0);
    }
}

// --- counting --------------------------------------------------------------------------------------------------------
static void merges(void **state)
{
    (void)state;
    // Twelve warps, line w / 4 each: three misses, nine merges; one request a line.
    const Record *r =
        run("l1.merges=32",
            "shr.u32 %r1, %t, 7;\nmul.wide.u32 %rd1, %r1, 128;\nadd.u64 %rd1, %in, %rd1;\nld.global.u32 %r2, [%rd1];",
            (Shape){.block = 384});
    COUNTS(r, L1_ACCESSES, 12);
    COUNTS(r, L1_MISSES, 3);
    COUNTS(r, L1_MERGES, 9);
    COUNTS(r, L1_HITS, 0);
    COUNTS(r, L2_ACCESSES, 3);
    COUNTS(r, DRAM_READ_BYTES, 3 * 128);
    // With fills of sectors: warps w read sector w / 2 of one line: four sectors are asked for, four merge.
    r = run("l1.fill=32",
            "shr.u32 %r1, %t, 6;\nmul.wide.u32 %rd1, %r1, 32;\nadd.u64 %rd1, %in, %rd1;\nld.global.u32 %r2, [%rd1];",
            (Shape){.block = 256});
    COUNTS(r, L1_MISSES, 4);
    COUNTS(r, L1_MERGES, 4);
    COUNTS(r, L2_ACCESSES, 4);
    COUNTS(r, L2_SECTORS, 4);
    COUNTS(r, DRAM_READ_BYTES, 4 * 32);
    // A store that finds its sector under way merges as a load does; one whose sector lacks misses in a line that is
    // there.
    r = run(NULL, "ld.global.u32 %r1, [%in];\nst.global.u32 [%in], %n;", (Shape){.block = 1});
    COUNTS(r, L1_MISSES, 1);
    COUNTS(r, L1_MERGES, 1);
    COUNTS(r, L1_HITS, 0);
    r = run("l1.fill=32", "ld.global.u32 %r1, [%in];\nadd.u32 %r1, %r1, %r1;\nst.global.u32 [%in + 32], %n;",
            (Shape){.block = 1});
    COUNTS(r, L1_MISSES, 2);
    COUNTS(r, L1_MERGES, 0);
    COUNTS(r, L1_HITS, 0);
    // Four SMs read one line at the same time: the L2 fetches it once.
    r = run("gpu.sms=4", "ld.global.u32 %r2, [%in];", (Shape){.grid = 4});
    COUNTS(r, L1_MISSES, 4);
    COUNTS(r, L2_MISSES, 1);
    COUNTS(r, L2_MERGES, 3);
    COUNTS(r, DRAM_READS, 1);
}

// Sectors of loads are those of loads alone: an atomic touches one too.
static void sectors(void **state)
{
    (void)state;
    const Record *r = run(NULL, "atom.global.add.u32 %r1, [%in], 1;\nst.global.u32 [%out], %r1;", (Shape){.block = 1});
    COUNTS(r, ATOMICS, 1);
    COUNTS(r, SECTORS_LOADED, 0);
    COUNTS(r, SECTORS_STORED, 1);
}

// Loads and stores of one thread, one after the other: load, store, load, load.
#define PAUSE "membar.gl;\nmembar.gl;\nmembar.gl;\nmembar.gl;\n"  // 31 cycles each
#define THEN "\nadd.u32 %r1, %r1, %r1;\n" PAUSE PAUSE PAUSE
static void stores(void **state)
{
    (void)state;
    static const char body[] = "ld.global.u32 %r1, [%in];" THEN "st.global.u32 [%in], %n;" THEN
                               "ld.global.u32 %r1, [%in];" THEN "ld.global.u32 %r2, [%in];";
    const Record *r = run(NULL, body, (Shape){.block = 1});  // written through, the line updated
    COUNTS(r, L1_READS, 3);
    COUNTS(r, L1_WRITES, 1);
    COUNTS(r, L1_READ_HITS, 2);
    COUNTS(r, L1_HITS, 3);
    COUNTS(r, L2_WRITES, 1);
    COUNTS(r, L2_READS, 1);
    r = run("l1.write_evict=yes", body, (Shape){.block = 1});  // or dropped
    COUNTS(r, L1_READ_HITS, 1);
    COUNTS(r, L2_READS, 2);
    COUNTS(r, L2_WRITES, 1);
    static const char first[] =
        "st.global.u32 [%in], %n;" THEN "ld.global.u32 %r1, [%in];" THEN "ld.global.u32 %r2, [%in];";
    r = run(NULL, first, (Shape){.block = 1});  // a store that misses brings nothing in
    COUNTS(r, L1_READ_HITS, 1);
    COUNTS(r, L1_MISSES, 2);
    COUNTS(r, L2_READS, 1);
    r = run("l1.write_allocate=yes", first, (Shape){.block = 1});  // or does
    COUNTS(r, L1_READ_HITS, 2);
    COUNTS(r, L2_WRITES, 1);
    COUNTS(r, L2_READS, 1);
    // Atomics happen at the L2; what the L1 holds of the line is stale.
    r = run(NULL,
            "ld.global.u32 %r1, [%in];" THEN "atom.global.add.u32 %r1, [%in], 1;" THEN "ld.global.u32 %r1, [%in];",
            (Shape){.block = 1});
    COUNTS(r, L1_READ_HITS, 0);
    COUNTS(r, L2_ATOMICS, 1);
    COUNTS(r, L2_READS, 2);
    // Around the L1, through it, and around it.
    r = run(NULL, "ld.global.cg.u32 %r1, [%in];" THEN "ld.global.u32 %r1, [%in];" THEN "ld.global.cg.u32 %r1, [%in];",
            (Shape){.block = 1});
    COUNTS(r, L1_BYPASSES, 2);
    COUNTS(r, L1_ACCESSES, 1);
    COUNTS(r, L2_MISSES, 2);  // a sector, then the rest of the line
    COUNTS(r, L2_HITS, 1);
}

// Local memory is written back: a line that is rewritten leaves once.
static void local_stores(void **state)
{
    (void)state;
    static const char body[] =
        ".local .align 4 .b8 own[4];\nmov.u64 %rd1, own;\nst.local.u32 [%rd1], %t;\nst.local.u32 [%rd1], "
        "%n;\nst.local.u32 [%rd1], %t;\nld.local.u32 %r1, [%rd1];\nst.global.u32 [%out], %r1;";
    const Record *r = run(NULL, body, (Shape){0});
    COUNTS(r, L1_WRITES, 3 + 1);
    COUNTS(r, L1_READ_HITS, 1);
    COUNTS(r, L2_WRITES, 1);  // the result
    COUNTS(r, L1_WRITEBACKS, 0);
    // 40 words of 32 lanes each are 40 lines; the cache has 32, eight sets of four: those that leave are dirty. It is
    // so where a store has to wait until its victim can leave, too.
    static const char *const ways_out[] = {NULL, "dram.simple=yes link.queue=0 link.credits=2"};
    for (size_t k = 0; k < COUNT(ways_out); k++) {
        r = run(ways_out[k],
                ".local .align 4 .b8 own[160];\nmov.u64 %rd1, own;\nmov.u32 %r1, 0;\nL: st.local.u32 [%rd1], "
                "%r1;\nadd.u64 %rd1, %rd1, 4;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 40;\n@%p1 bra L;",
                (Shape){0});
        assert_true((COUNT_OF(r, L1_REFUSED_LINK) > 0) == (k > 0));
        COUNTS(r, L1_WRITES, 40);
        COUNTS(r, L1_WRITEBACKS, 8);
        COUNTS(r, L1_EVICTIONS, 8);
        COUNTS(r, L2_WRITES, 8);
        COUNTS(r, L2_READS, 0);  // whole lines: nothing is fetched
    }
}

// Contents from one kernel to the next: a key.
static void kept_or_flushed(void **state)
{
    (void)state;
    for (int keep = 0; keep < 4; keep++) {
        char sets[64];
        Bench b;
        snprintf(sets, sizeof sets, "l1.keep=%s l2.keep=%s", keep & 1 ? "yes" : "no", keep & 2 ? "yes" : "no");
        bench_open(&b, ODD, sets);
        bench_data(&b, NULL, 4096);
        oc_kernel *k = bench_load(&b, "ld.global.u32 %r1, [%in];", "sm_35");
        bench_launch(&b, k, (Shape){0}, 0);
        const Record *r = bench_launch(&b, k, (Shape){0}, 0);
        COUNTS(r, L1_HITS, keep & 1 ? 1 : 0);
        COUNTS(r, L2_HITS, !(keep & 1) && keep & 2 ? 1 : 0);
        COUNTS(r, DRAM_READS, keep ? 0 : 1);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_of_misses),
        cmocka_unit_test(full_of_merges),
        cmocka_unit_test(full_set),
        cmocka_unit_test(no_credit),
        cmocka_unit_test(places_to_wait),
        cmocka_unit_test(others_pass),
        cmocka_unit_test(the_least_of_everything),
        cmocka_unit_test(pushing_back),
        cmocka_unit_test(merges),
        cmocka_unit_test(sectors),
        cmocka_unit_test(stores),
        cmocka_unit_test(local_stores),
        cmocka_unit_test(kept_or_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
