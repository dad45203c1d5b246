// The two halves of an L2 (l2.far): a chase from one SM sees two latencies over the partitions, exactly l2.latency and
// l2.far more, and which partitions are the far ones changes with the SM. A block times its own loads, on the SM it is
// told to, while the others leave at once. An h200 is the same at its size.
#include "bench.h"

#include <string.h>

#define STREAM "test/chip/gpus/stream.ini"

enum {
    WARM = 8,
    COLD = 64,
    FEW = 8,
    MORE = 24
};  // lines of a ring: loaded before they are timed, or more than all loads

// Cycles of a dependent load past the L1, of SM sm from lines that all lie in one partition, each on a page of its own.
static uint32_t latency(Bench *b, uint32_t sm, uint32_t part, uint32_t lines)
{
    static const char load[] = "ld.global.cg.u64 %rd1, [%rd1];";
    uint64_t ring[COLD], page = 4096;
    uint32_t n = 0, t[3];
    for (uint64_t at = b->data, last = 0; n < lines; at += b->gpu->part.chunk)
        if (partition_of(&b->gpu->part, at, NULL) == part && at / page != last) ring[n++] = at, last = at / page;
    assert_true(ring[lines - 1] + 8 <= b->data + b->data_bytes);
    for (n = 0; n < lines; n++) assert_int_equal(oc_write(b->d, ring[n], &ring[(n + 1) % lines], 8, NULL), OC_OK);
    Text body = {0};
    text_printf(&body,
                "mov.u32 %%r1, %%smid;\nsetp.ne.u32 %%p1, %%r1, %%n;\n@%%p1 bra OUT;\nadd.u64 %%rd1, %%in, %llu;\n",
                (unsigned long long)(ring[0] - b->data));
    repeat(&body, WARM, 1, load);
    // The clock is read when the last address is there: what the dependence and the clock cost is in both stretches.
    for (uint32_t k = 0; k < 3; k++) {
        text_printf(&body,
                    "and.b64 %%rd2, %%rd1, 7;\ncvt.u32.u64 %%r2, %%rd2;\nst.shared.u32 [smem], %%r2;\nmov.u32 %%r%u, "
                    "%%clock;\n",
                    10 + k);
        if (k < 2) repeat(&body, k ? MORE : FEW, 1, load);
    }
    text_put(&body, "st.global.u32 [%out], %r10;\nst.global.u32 [%out+4], %r11;\nst.global.u32 [%out+8], "
                    "%r12;\nst.global.u64 [%out+16], %rd1;\nOUT:");
    bench_run(b, body.v, (Shape){.grid = b->gpu->sms, .block = 1, .shared = 64}, sm);
    bench_read(b, t, sizeof t);
    text_free(&body);
    uint32_t cycles = t[2] - t[1] - (t[1] - t[0]);
    assert_int_equal(cycles % (MORE - FEW), 0);
    return cycles / (MORE - FEW);
}

static void assert_halves(const char *gpu, const char *sets, uint32_t lines, uint32_t near, uint32_t far,
                          const uint32_t *sms, size_t n)
{
    Bench b;
    bench_open(&b, gpu, sets);
    uint32_t parts = b.gpu->part.partitions, step = parts > 8 ? parts / 2 - 1 : 1;  // of many: the ends of both halves
    bench_data(&b, NULL, 64ull * b.gpu->part.chunk * parts + 64 * 4096);
    for (size_t s = 0; s < n; s++)
        for (uint32_t part = 0; part < parts; part += part == parts / 2 - 1 ? 1 : step) {
            bool other = sms[s] % 2 == 1 ? part < parts / 2 : part >= parts / 2;
            uint32_t got = latency(&b, sms[s], part, lines);
            if (got != near + (other ? far : 0))
                fail_msg("%s %s: SM %u, partition %u: %u cycles, described %u", gpu, sets ? sets : "", sms[s], part,
                         got, near + (other ? far : 0));
        }
    bench_close(&b);
}

static const uint32_t four[] = {0, 1, 2, 3};

static void near_and_far(void **state)
{
    (void)state;
    assert_halves(STREAM, "l2.far=60", WARM, 101, 60, four, 4);
    assert_halves(STREAM, "l2.far=61", WARM, 101, 61, four, 4);  // an odd number, shared out
    assert_halves(STREAM, "l2.far=1", WARM, 101, 1, four, 4);
    assert_halves(STREAM, "l2.far=3000", WARM, 101, 3000, four, 4);  // many windows
    assert_halves(STREAM, "l2.far=60 l2.partitions=8 l2.size=1MiB", WARM, 101, 60, four, 4);
    assert_halves(STREAM, "l2.far=60 l2.partitions=6 l2.size=768KiB l2.ways=8 l2.hash=yes", WARM, 101, 60, four, 4);
    assert_halves("titan_black", "l2.far=200", WARM, 240, 200, four, 4);
}

// A line that comes from DRAM is as far as its partition.
static void from_dram(void **state)
{
    (void)state;
    assert_halves(STREAM, "l2.far=60 dram.simple=yes", COLD, 211, 60, four, 4);
    assert_halves(STREAM, "dram.simple=yes", COLD, 211, 0, four, 2);
}

// Published figures: 265 cycles near and 475 far; from DRAM 690 over both halves, 28 of them for a row to open.
static void h200(void **state)
{
    (void)state;
    static const uint32_t sms[] = {0, 1, 130, 131};
    assert_halves("h200", NULL, WARM, 265, 475 - 265, sms, 4);
    assert_halves("h200", "l2.keep=no dram.simple=yes dram.refi=0", COLD, 585 - 28, 475 - 265, sms, 4);
}

static void no_halves(void **state)
{
    (void)state;
    assert_halves(STREAM, NULL, WARM, 101, 0, four, 4);
    assert_halves(STREAM, "l2.partitions=1", WARM, 101, 0, four, 4);
    assert_halves("titan_black", NULL, WARM, 240, 0, four, 4);
}

// By way of the L2 TLB, and with a walk through the partition, the way is as far.
static void translated(void **state)
{
    (void)state;
    assert_halves(STREAM, "l2.far=60 tlb1.entries=2 tlb1.ways=2 tlb1.page=4KiB tlb1.penalty=17", WARM, 101 + 17, 60,
                  four, 2);
    assert_halves(STREAM,
                  "l2.far=60 tlb1.entries=2 tlb1.ways=2 tlb1.page=4KiB tlb1.penalty=17 tlb2.entries=4 tlb2.ways=4 "
                  "tlb2.page=4KiB tlb2.penalty=29",
                  WARM, 101 + 17 + 29, 60, four, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_and_far), cmocka_unit_test(from_dram),
                                       cmocka_unit_test(h200), cmocka_unit_test(no_halves),
                                       cmocka_unit_test(translated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
