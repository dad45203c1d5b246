// Lines of 32 bytes and more at every level. What is looked up, fetched and written back follows from the addresses: an
// access of a warp is a segment of 128 bytes, which lies in several short lines or in part of a long one.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define ODD "test/chip/gpus/odd.ini"
static const uint32_t lines[] = {32, 64, 128, 256, 512};

static Bench b;
static const Record *run(uint32_t l1, uint32_t l2, const char *more, const char *body, uint32_t block)
{
    char sets[400];
    snprintf(sets, sizeof sets, "l1.line=%u l1.fill=%u l2.line=%u %s", l1, l1, l2, more);
    bench_open(&b, ODD, sets);
    bench_data(&b, NULL, 1 << 20);
    return bench_run(&b, body, (Shape){.block = block}, 3);
}

// Only lane 0 goes on.
#define FIRST "setp.ne.u32 %p1, %t, 0;\n@%p1 ret;\n"

// A word is loaded, then stored: the store finds the line, wherever in the segment the word lies.
static void a_store_finds_its_line(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(lines); k++)
        for (uint32_t at = 0; at < 128; at += 32) {
            char body[200];
            snprintf(body, sizeof body,
                     "%sld.global.u32 %%r1, [%%in+%u];\nadd.u32 %%r1, %%r1, 1;\nst.global.u32 [%%in+%u], %%r1;", FIRST,
                     at, at);
            const Record *r = run(lines[k], 128, "", body, 32);
            assert_int_equal(COUNT_OF(r, L1_ACCESSES), 2);
            assert_int_equal(COUNT_OF(r, L1_MISSES), 1);
            assert_int_equal(COUNT_OF(r, L1_HITS), 1);
            bench_close(&b);
        }
}

// What passes the L1 takes a stale line along, wherever in the segment the word lies.
static void an_atomic_drops_its_line(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(lines); k++)
        for (uint32_t at = 0; at < 128; at += 32) {
            char body[300];
            snprintf(body, sizeof body,
                     "%sld.global.u32 %%r1, [%%in+%u];\natom.global.add.u32 %%r2, [%%in+%u], %%r1;\nadd.u32 %%r3, "
                     "%%r2, 1;\nst.global.u32 [%%out], %%r3;\nld.global.u32 %%r4, [%%in+%u];\nst.global.u32 "
                     "[%%out+128], %%r4;",
                     FIRST, at, at, at);
            const Record *r = run(lines[k], 128, "", body, 32);
            assert_int_equal(COUNT_OF(r, L1_READS), 2);
            assert_int_equal(COUNT_OF(r, L1_READ_HITS), 0);
            bench_close(&b);
        }
}

// A warp loads 512 bytes past the L1 or through it, all of them or, masked, the second half of each segment. A request
// is for a segment's sectors; the L2 looks it up line by line.
static void look_ups(void **state)
{
    (void)state;
    static const char *const loads[] = {"ld.global.cg.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];",
                                        "ld.global.ca.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];"};
    for (size_t k = 0; k < COUNT(lines); k++)
        for (int cached = 0; cached < 2; cached++)
            for (int half = 0; half < 2; half++) {
                char body[400];
                snprintf(
                    body, sizeof body,
                    "add.u64 %%in, %%in, 511;\nand.b64 %%in, %%in, -512;\nmul.wide.u32 %%rd1, %%t, 16;\nadd.u64 %%rd1, "
                    "%%rd1, %%in;\nand.b32 %%r5, %%t, "
                    "4;\nsetp.lt.u32 %%p1, %%r5, %d;\n@%%p1 bra END;\n%s\nadd.u32 %%r1, %%r1, %%r2;\nst.global.u32 "
                    "[%%out], %%r1;\nEND:",
                    half ? 4 : 0, loads[cached]);
                // All levels alike: lines of 32 and 64 bytes in both, and longer ones.
                const Record *r = run(lines[k], lines[k], "", body, 32);
                uint32_t per = MAX(128 / lines[k], 1), segments = 4;
                uint32_t touched = half ? MAX(per / 2, 1) : per;   // lines of a segment
                uint64_t of_loads = COUNT_OF(r, L2_ACCESSES) - 1;  // and the store
                if (cached) {
                    assert_int_equal(COUNT_OF(r, L1_READS), segments * touched);
                    assert_int_equal(of_loads, segments * touched);
                } else {
                    assert_int_equal(of_loads, segments * touched);
                    assert_int_equal(COUNT_OF(r, L2_SPLITS), segments * (touched - 1));
                    assert_int_equal(COUNT_OF(r, REQUESTS), segments + 1);
                }
                assert_int_equal(COUNT_OF(r, REPLIES), COUNT_OF(r, AWAITED));
                bench_close(&b);
            }
}

// More requests of several lines under way than the L2 has room for at first: 32 warps load 512 bytes each, which take
// longer to come from DRAM than all of them to be asked for.
static void many_look_ups(void **state)
{
    (void)state;
    const Record *r = run(128, 32, "l2.mshrs=512 dram.queue=512 dram.latency=2000",
                          "mul.wide.u32 %rd1, %t, 16;\nadd.u64 %rd1, %rd1, %in;\nld.global.cg.v4.u32 {%r1, %r2, %r3, "
                          "%r4}, [%rd1];\nadd.u32 %r1, %r1, "
                          "%r2;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%out], %r1;",
                          1024);
    uint32_t segments = 32 * 4;
    assert_int_equal(b.data % 128, 0);
    assert_int_equal(COUNT_OF(r, REQUESTS), segments);
    assert_int_equal(COUNT_OF(r, L2_ACCESSES), 32 * 512 / 32);
    assert_int_equal(COUNT_OF(r, L2_SPLITS), 32 * 512 / 32 - segments);
    assert_int_equal(COUNT_OF(r, REPLIES), segments);
    bench_close(&b);
}

// What was loaded is right, too, and what is stored gets to memory, with lines of any size at both levels.
static void right_results(void **state)
{
    (void)state;
    uint32_t data[512], got[512];
    for (uint32_t k = 0; k < 512; k++) data[k] = k * 2654435761u;
    for (size_t k = 0; k < COUNT(lines); k++)
        for (size_t m = 0; m < COUNT(lines); m++)
            for (int back = 0; back < 2; back++) {
                char sets[100];
                snprintf(sets, sizeof sets, "l1.line=%u l1.fill=%u l2.line=%u l2.fill=32 l1.write_back=%s", lines[k],
                         lines[k], lines[m], back ? "yes" : "no");
                bench_open(&b, ODD, sets);
                bench_data(&b, data, sizeof data);
                bench_run(&b,
                          "mul.lo.u32 %r1, %t, 37;\nand.b32 %r1, %r1, 511;\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd2, "
                          "%in, %rd1;\nld.global.u32 %r2, [%rd2];\nadd.u64 %rd3, %out, %rd1;\nst.global.u32 [%rd3], "
                          "%r2;\natom.global.add.u32 %r3, [%rd3], 1;",
                          (Shape){.block = 512}, 0);
                bench_read(&b, got, sizeof got);
                for (uint32_t n = 0; n < 512; n++) assert_int_equal(got[n], data[n] + 1);
                bench_close(&b);
            }
}

// 64 words of local memory a thread, a segment of 128 bytes each for the warp, through an L1 of 4 KiB: what is replaced
// is written back, and no more than that. One lane alone dirties a sector of each segment, and only one line in so many
// that the sets are used evenly all the same.
static void write_backs(void **state)
{
    (void)state;
    Text t = {0};
    for (int one = 0; one < 2; one++)
        for (size_t k = 0; k < COUNT(lines); k++) {
            t.n = 0;
            text_put(&t, ".local .align 4 .b8 m[256];\nmov.u64 %rd1, m;\n");
            if (one) text_put(&t, FIRST);
            for (int w = 0; w < 64; w++) text_printf(&t, "st.local.u32 [%%rd1+%d], %%t;\n", 4 * w);
            text_put(&t, "ld.local.u32 %r1, [%rd1+252];\nst.global.u32 [%out], %r1;\n");
            const Record *r = run(lines[k], 128, "", t.v, 32);
            uint32_t line = lines[k], segments = 32;  // half of 64 fit
            assert_int_equal(COUNT_OF(r, L1_WRITEBACKS), one && line < 128 ? segments : segments * 128 / line);
            assert_int_equal(COUNT_OF(r, L2_WRITES), (one || line >= 128 ? segments : segments * 128 / line) + 1);
            assert_int_equal(COUNT_OF(r, LINK_OUT), segments * (one ? 32 : 128) + 4);  // packets have no header
            bench_close(&b);
        }
    text_free(&t);
}

// The same where loads of global memory replace the dirty lines: 4 KiB of local memory, then as much of global memory.
static void write_backs_for_loads(void **state)
{
    (void)state;
    Text t = {0};
    for (size_t k = 0; k < COUNT(lines); k++) {
        t.n = 0;
        text_put(&t, ".local .align 4 .b8 m[128];\nmov.u64 %rd1, m;\n");
        for (int w = 0; w < 32; w++) text_printf(&t, "st.local.u32 [%%rd1+%d], %%t;\n", 4 * w);
        text_put(&t, "mul.wide.u32 %rd2, %t, 4;\nadd.u64 %rd2, %rd2, %in;\nmov.u32 %r1, 0;\n");
        for (int w = 0; w < 32; w++)
            text_printf(&t, "ld.global.u32 %%r2, [%%rd2+%d];\nadd.u32 %%r1, %%r1, %%r2;\n", 128 * w);
        text_put(&t, "ld.local.u32 %r2, [%rd1];\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%out], %r1;\n");
        const Record *r = run(lines[k], 128, "", t.v, 32);
        uint32_t line = lines[k];
        assert_int_equal(COUNT_OF(r, L1_WRITEBACKS), 4096 / line);
        assert_int_equal(COUNT_OF(r, LINK_OUT), 4096 + 4);
        bench_close(&b);
    }
    text_free(&t);
}

// A store that brings its line in and goes through to the L2 as well sends a fill, what the line replaces, and itself:
// with the fewest credits that a description may give it waits, and doesn't overdraw them.
static void fewest_credits(void **state)
{
    (void)state;
    Text t = {0};
    text_put(&t, ".local .align 4 .b8 m[128];\nmov.u64 %rd1, m;\n");
    for (int w = 0; w < 32; w++) text_printf(&t, "st.local.u32 [%%rd1+%d], %%t;\n", 4 * w);
    for (int w = 0; w < 64; w++) text_printf(&t, "st.global.u8 [%%in+%d], %%t;\n", 128 * w);
    text_put(&t, "ld.local.u32 %r2, [%rd1];\nst.global.u32 [%out], %r2;\n");
    for (size_t k = 0; k < COUNT(lines); k++) {
        char sets[200];
        uint32_t least = 2 * MAX(lines[k] / 128, 1) + 1;
        snprintf(sets, sizeof sets, "l1.write_allocate=yes link.credits=%u readonly.line=32 const.line=32", least);
        const Record *r = run(lines[k], 128, sets, t.v, 32);
        assert_true(COUNT_OF(r, L1_WRITEBACKS) > 0);
        // No more than so many requests of an SM are on their way or wait at a time: each takes at least the way there
        // and back
        uint64_t way = b.gpu->to_partition + b.gpu->to_sm, requests = COUNT_OF(r, REQUESTS);
        assert_true(CYCLES(r) >= (requests / least - 1) * way);
        bench_close(&b);
    }
    text_free(&t);
}

// A reduction is over when the L2 has executed it, a lane after the other: 8 warps of 32 lanes that add to one word, 7
// cycles a lane. Lanes that hit different segments are requests of their own, with a lane each.
static void atomics_take_their_time(void **state)
{
    (void)state;
    const Record *r = run(128, 128, "l2.atomic=7", "red.global.add.u32 [%in], 1;", 256);
    assert_in_range(CYCLES(r), 256 * 7, 256 * 7 + 211 + 101 + 40);
    bench_close(&b);
    r = run(128, 128, "l2.atomic=7",
            "mul.wide.u32 %rd1, %t, 512;\nadd.u64 %rd1, %rd1, %in;\nred.global.add.u32 [%rd1], 1;", 256);
    assert_int_equal(COUNT_OF(r, REQUESTS), 256);
    assert_in_range(CYCLES(r), 256 * 7, 256 * 7 + 211 + 101 + 40);
    bench_close(&b);
    r = run(128, 32, "l2.atomic=7",
            "mul.wide.u32 %rd1, %t, 4;\nadd.u64 %rd1, %rd1, %in;\nred.global.add.u32 [%rd1], 1;", 256);
    assert_int_equal(COUNT_OF(r, L2_ATOMICS), 8 * 4);  // lines of 32 bytes, eight lanes each
    assert_in_range(CYCLES(r), 256 * 7, 256 * 7 + 211 + 101 + 40);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_finds_its_line),
        cmocka_unit_test(an_atomic_drops_its_line),
        cmocka_unit_test(look_ups),
        cmocka_unit_test(many_look_ups),
        cmocka_unit_test(right_results),
        cmocka_unit_test(write_backs),
        cmocka_unit_test(write_backs_for_loads),
        cmocka_unit_test(fewest_credits),
        cmocka_unit_test(atomics_take_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
