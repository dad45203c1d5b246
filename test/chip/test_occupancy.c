// How many blocks fit an SM: by threads, warps, blocks, registers and shared memory, worked out by hand; and that as
// many run at a time.
#include "bench.h"
#include "sm/sm.h"

#include <string.h>

static const Record *run(Bench *b, const char *body, Shape s) { return bench_run(b, body, s, 5); }

static void assert_fit(const char *gpu, const char *sets, const char *body, Shape s, uint32_t blocks, const char *limit)
{
    Bench b;
    bench_open(&b, gpu, sets);
    const Record *r = run(&b, body, s);
    if (r->occupancy_blocks != blocks || strcmp(r->occupancy_limit, limit))
        fail_msg("%s %s, %u threads, %u bytes: %u blocks by %s, expected %u by %s", gpu, sets ? sets : "", s.block,
                 s.shared, r->occupancy_blocks, r->occupancy_limit, blocks, limit);
    assert_int_equal(r->occupancy_warps, blocks * ((s.block + 31) / 32));
    bench_close(&b);
}

static const char small[] = "st.global.u32 [%out], %n;";

static void threads_and_blocks(void **state)
{
    (void)state;
    // gtx480: 8 blocks, 48 warps, 1536 threads.
    assert_fit("gtx480", NULL, small, (Shape){.block = 32}, 8, "blocks");
    assert_fit("gtx480", NULL, small, (Shape){.block = 192}, 8, "blocks");
    assert_fit("gtx480", NULL, small, (Shape){.block = 193}, 6, "warps");  // seven warps
    assert_fit("gtx480", NULL, small, (Shape){.block = 256}, 6, "warps");
    assert_fit("gtx480", NULL, small, (Shape){.block = 512}, 3, "warps");
    assert_fit("gtx480", NULL, small, (Shape){.block = 768}, 2, "warps");
    assert_fit("gtx480", NULL, small, (Shape){.block = 800}, 1, "warps");
    assert_fit("gtx480", NULL, small, (Shape){.block = 1024}, 1, "warps");
    // titan_black: 16 blocks, 64 warps.
    assert_fit("titan_black", NULL, small, (Shape){.block = 64}, 16, "blocks");
    assert_fit("titan_black", NULL, small, (Shape){.block = 128}, 16, "blocks");
    assert_fit("titan_black", NULL, small, (Shape){.block = 129}, 12, "warps");
    assert_fit("titan_black", NULL, small, (Shape){.block = 1024}, 2, "warps");
    assert_fit("gtx480", "sm.threads=500", small, (Shape){.block = 128}, 3, "threads");
    assert_fit("gtx480", "sm.blocks=2", small, (Shape){.block = 128}, 2, "blocks");
    assert_fit("gtx480", "sm.warps=10", small, (Shape){.block = 128}, 2, "warps");
}

static void shared_memory(void **state)
{
    (void)state;
    assert_fit("gtx480", NULL, small, (Shape){.block = 32, .shared = 6144}, 8, "blocks");
    assert_fit("gtx480", NULL, small, (Shape){.block = 32, .shared = 6145}, 7,
               "shared memory");  // 6272: in units of 128
    assert_fit("gtx480", NULL, small, (Shape){.block = 32, .shared = 16384}, 3, "shared memory");
    assert_fit("gtx480", NULL, small, (Shape){.block = 32, .shared = 16385}, 2, "shared memory");
    assert_fit("gtx480", NULL, small, (Shape){.block = 32, .shared = 49152}, 1, "shared memory");
    static const char own[] = ".shared .align 4 .b8 own[8192];\n---\nmov.u64 %rd1, own;\nst.shared.u32 [%rd1], %n;\n";
    assert_fit("gtx480", NULL, own, (Shape){.block = 32}, 6, "shared memory");
    assert_fit("gtx480", NULL, own, (Shape){.block = 32, .shared = 4096}, 4, "shared memory");
    assert_fit("gtx480", "shared.reserved=1024", own, (Shape){.block = 32, .shared = 4096}, 3,
               "shared memory");  // 13312
    assert_fit("gtx480", "shared.unit=4096 shared.reserved=1024", own, (Shape){.block = 32, .shared = 4096}, 3,
               "shared memory");  // 16384
    assert_fit("titan_black", NULL, small, (Shape){.block = 32, .shared = 3072}, 16, "blocks");
    assert_fit("titan_black", NULL, small, (Shape){.block = 32, .shared = 3073}, 14,
               "shared memory");  // 3328: units of 256
    assert_fit("titan_black", "shared.size=16KiB shared.max=16KiB", small, (Shape){.block = 32, .shared = 3072}, 5,
               "shared memory");
}

// The carve-out is the smallest that holds as many blocks as the largest does, and the L1 gets the rest, of 256 KiB on
// h200 and of 128 KiB on titan_v, which has a carve-out of 0, too: a working set fits it or not.
static void carve_outs(void **state)
{
    (void)state;
    assert_fit("h200", NULL, small, (Shape){.block = 32}, 32, "blocks");
    assert_fit("h200", NULL, small, (Shape){.block = 1024}, 2, "warps");
    assert_fit("h200", NULL, small, (Shape){.block = 32, .shared = 227 << 10}, 1, "shared memory");
    assert_fit("h200", NULL, small, (Shape){.block = 32, .shared = 113 << 10}, 2,
               "shared memory");  // and a KiB each: 228
    assert_fit("h200", NULL, small, (Shape){.block = 32, .shared = (113 << 10) + 1}, 1, "shared memory");
    static const struct {
        const char *gpu;
        uint32_t shared, l1;  // KiB of a block, two of which fit but of the last; KiB of the L1
    } of[] = {{"h200", 0, 248},    {"h200", 3, 248},    {"h200", 4, 240},    {"h200", 31, 192},
              {"h200", 49, 156},   {"h200", 65, 124},   {"h200", 113, 28},   {"h200", 227, 28},
              {"titan_v", 0, 128}, {"titan_v", 4, 120}, {"titan_v", 33, 32}, {"titan_v", 96, 32}};
    // One warp walks %n lines, 32 at a time, and then again.
    static const char twice[] =
        "setp.gt.u32 %p1, %t, 31;\n@%p1 bra OUT;\nmul.wide.u32 %rd1, %t, 128;\nadd.u64 %rd2, %in, %rd1;\nmov.u32 %r2, "
        "0;\n"
        "PASS:\nmov.u64 %rd1, %rd2;\nmov.u32 %r1, 0;\n"
        "LINES:\nld.global.u32 %r3, [%rd1];\nadd.u32 %r4, %r4, %r3;\nadd.u64 %rd1, %rd1, 4096;\nadd.u32 %r1, %r1, 32;\n"
        "setp.lt.u32 %p1, %r1, %n;\n@%p1 bra LINES;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 2;\n@%p1 bra "
        "PASS;\nst.global.u32 [%out], %r4;\nOUT:";
    for (size_t k = 0; k < COUNT(of); k++) {
        Bench b;
        uint32_t lines = of[k].l1 * 8;
        bench_open(&b, of[k].gpu, NULL);
        bench_data(&b, NULL, 512 << 10);
        oc_kernel *kernel = bench_load(&b, twice, "sm_35");
        Shape shape = {.block = 1024, .shared = of[k].shared << 10};
        uint64_t fits = COUNT_OF(bench_launch(&b, kernel, shape, lines), L1_READ_HITS),
                 over = COUNT_OF(bench_launch(&b, kernel, shape, lines + 32), L1_READ_HITS);
        if (fits != lines || over >= lines)
            fail_msg("%s, %u KiB of shared memory: %u lines of the L1 hit %llu times, %u more %llu times", of[k].gpu,
                     of[k].shared, lines, (unsigned long long)fits, 32, (unsigned long long)over);
        bench_close(&b);
    }
}

// `live` values of 32 bits, all needed at one time.
static const char *with_live(uint32_t live)
{
    static Text t;
    t.n = 0;
    text_printf(&t, ".reg .u32 %%x<%u>;\n", live);
    for (uint32_t k = 0; k < live; k++) text_printf(&t, "ld.global.u32 %%x%u, [%%in+%u];\n", k, 4 * k);
    for (uint32_t k = 1; k < live; k++) text_printf(&t, "mad.lo.u32 %%x0, %%x0, %%n, %%x%u;\n", k);
    text_put(&t, "st.global.u32 [%out], %x0;");
    return t.v;
}

static void registers(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        uint32_t count, unit, max_blocks, max_warps;
    } of[] = {{"gtx480", 32768, 64, 8, 48}, {"titan_black", 65536, 256, 16, 64}};
    for (size_t g = 0; g < COUNT(of); g++)
        for (uint32_t live = 8; live <= 56; live += 7) {
            Bench b;
            uint32_t data[64];
            bench_open(&b, of[g].gpu, NULL);
            for (uint32_t k = 0; k < 64; k++) data[k] = k * k + 3;
            bench_data(&b, data, sizeof data);
            oc_kernel *k = bench_load(&b, with_live(live), "sm_35");
            uint32_t registers = oc_kernel_describe(k).registers;
            assert_in_range(registers, live, live + 5);  // besides: an address of two, n, and what is left to luck
            for (uint32_t block = 64; block <= 512; block *= 2) {
                uint32_t warps = block / 32, of_warp = (registers * 32 + of[g].unit - 1) / of[g].unit * of[g].unit;
                uint32_t fit = MIN(MIN(of[g].max_blocks, of[g].max_warps / warps), of[g].count / (of_warp * warps));
                const Record *r = bench_launch(&b, k, (Shape){.block = block}, 5);
                assert_int_equal(r->occupancy_blocks, fit);
                uint32_t got, want = data[0];
                for (uint32_t i = 1; i < live; i++) want = want * 5 + data[i];
                bench_read(&b, &got, 4);
                assert_int_equal(got, want);
            }
            bench_close(&b);
        }
    assert_fit("gtx480", "registers.unit=2048", small, (Shape){.block = 256}, 2,
               "registers");  // 64 for each thread: eight warps take 16384
}

// Blocks that fit an h200's SM by CUDA's rule (cuda_occupancy.h; capability 9.0): its registers are four files of
// 16,384. A warp takes registers in units of 256 from one of them, here from the emptiest, until a block's warps find
// no room.
static uint32_t blocks_of_files(uint32_t registers, uint32_t warps)
{
    uint32_t of_warp = (registers * 32 + 255) / 256 * 256, left[4] = {16384, 16384, 16384, 16384}, blocks = 0;
    for (;; blocks++)
        for (uint32_t w = 0; w < warps; w++) {
            uint32_t *most = &left[0];
            for (uint32_t k = 1; k < 4; k++)
                if (left[k] > *most) most = &left[k];
            if (*most < of_warp) return blocks;
            *most -= of_warp;
        }
}

static void register_files(void **state)
{
    (void)state;
    Bench b;
    bench_open(&b, "h200", NULL);
    for (uint32_t warps = 1; warps <= 32; warps++)
        for (uint32_t registers = 16; registers <= 255; registers++) {
            Kernel kernel = {.registers = registers};
            LaunchInfo launch = {.kernel = &kernel, .grid = {1, 1, 1}, .block = {32 * warps, 1, 1}};
            SmCfg cfg = device_gpu(b.d)->sm;
            const char *limit;
            sm_organise(&cfg, &launch, NULL);
            uint32_t want = MIN(MIN(32u, 64 / warps), blocks_of_files(registers, warps));
            uint32_t fit = sm_occupancy(&cfg, &launch, &limit);
            if (fit != want)
                fail_msg("%u warps with %u registers: %u blocks, expected %u", warps, registers, fit, want);
        }
    bench_close(&b);
    assert_int_equal(blocks_of_files(40, 10), 4);  // not 65536 / 12800
    assert_int_equal(blocks_of_files(85, 3), 6);
    assert_int_equal(blocks_of_files(192, 10), 0);
}

// Shared memory that no instruction names. ptxas 13.0 reports 40,960 bytes for the first two kernels and none for the
// third (`ptxas -v`); 4 times 40,960 and what a block reserves fit the largest carve-out, 164 KiB.
static void unnamed(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t blocks;
    } of[] = {{".shared .align 16 .b8 own[40960];\nst.global.u32 [%out], %t;", 4},
              {".func f(.reg .b32 %x)\n{\n.shared .align 16 .b8 own[40960];\nret;\n}\n---\n"
               "call f, (%t);\nst.global.u32 [%out], %t;",
               4},
              {".shared .align 16 .b8 of_module[40960];\n---\nst.global.u32 [%out], %t;", 32}};
    for (size_t k = 0; k < COUNT(of); k++) {
        Bench b;
        bench_open(&b, "a100", NULL);
        const Record *r = bench_launch(&b, bench_load(&b, of[k].body, "sm_80"), (Shape){.block = 64}, 5);
        if (r->occupancy_blocks != of[k].blocks)
            fail_msg("kernel %zu: %u blocks, expected %u", k, r->occupancy_blocks, of[k].blocks);
        bench_close(&b);
    }
}

// More registers than a thread may have: the rest lies in local memory, and the result is the same.
static void spills(void **state)
{
    (void)state;
    Bench b;
    uint32_t data[64], got, want;
    bench_open(&b, "gtx480", "registers.max=24");
    for (uint32_t k = 0; k < 64; k++) data[k] = k * k + 3;
    bench_data(&b, data, sizeof data);
    oc_kernel *k = bench_load(&b, with_live(48), "sm_35");
    assert_in_range(oc_kernel_describe(k).registers, 8, 24);
    const Record *r = bench_launch(&b, k, (Shape){0}, 5);
    want = data[0];
    for (uint32_t i = 1; i < 48; i++) want = want * 5 + data[i];
    bench_read(&b, &got, 4);
    assert_int_equal(got, want);
    assert_true(COUNT_OF(r, ST_LOCAL) >= 24 && COUNT_OF(r, LD_LOCAL) >= 24);
    bench_close(&b);
}

// Bounds of a block leave a thread so many registers. The counts are those of ptxas 13.0 (`ptxas -v`, sm_80) for
// kernels of this form with a few values more than they leave alive at once.
static void bounds(void **state)
{
    (void)state;
    static const struct {
        const char *bounds;
        uint32_t block, registers;
    } of[] = {{".maxntid 1024, 1, 1", 1024, 64},
              {".maxntid 32, 32, 1", 1024, 64},
              {".reqntid 1024", 1024, 64},
              {".maxntid 640, 1, 1", 640, 96},
              {".maxntid 512, 1, 1", 512, 128},
              {".maxntid 512, 1, 1\n.minnctapersm 1", 512, 128},
              {".maxntid 256, 1, 1\n.minnctapersm 2", 256, 128},
              {".maxntid 320, 1, 1\n.minnctapersm 2", 320, 96},
              {".maxntid 33, 1, 1\n.minnctapersm 9", 33, 96},
              {".maxntid 96, 1, 1\n.minnctapersm 5", 96, 128},
              {".maxntid 1024, 1, 1\n.minnctapersm 2", 1024, 32},
              {".maxntid 1024, 1, 1\n.minnctapersm 3", 1024, 64},  // no SM has so many threads
              {".maxntid 384, 1, 1", 384, 168},
              {".maxntid 257, 1, 1", 257, 168},
              {".maxntid 1024, 1, 1\n.maxnreg 40", 1024, 40}};
    for (size_t k = 0; k < COUNT(of); k++) {
        Bench b;
        uint32_t data[180], got, want;
        bench_open(&b, "a100", NULL);
        for (uint32_t i = 0; i < COUNT(data); i++) data[i] = i * i + 3;
        bench_data(&b, data, sizeof data);
        Text body = {0};
        text_put(&body, ".reg .u32 %x<180>;\n");
        for (uint32_t i = 0; i < 180; i++) text_printf(&body, "ld.volatile.global.u32 %%x%u, [%%in+%u];\n", i, 4 * i);
        for (uint32_t i = 179; i > 0; i--) text_printf(&body, "mad.lo.u32 %%x0, %%x0, %%n, %%x%u;\n", i);
        text_put(&body, "st.global.u32 [%out], %x0;");
        oc_kernel *kernel = bench_load_bounded(&b, body.v, "sm_80", of[k].bounds);
        uint32_t registers = oc_kernel_describe(kernel).registers;
        if (registers > of[k].registers || registers < of[k].registers - 2)
            fail_msg("%s: %u registers, ptxas has %u", of[k].bounds, registers, of[k].registers);
        const Record *r = bench_launch(&b, kernel, (Shape){.block = of[k].block}, 5);
        assert_true(r->occupancy_blocks >= 1);
        assert_true(COUNT_OF(r, ST_LOCAL) > 0);
        bench_read(&b, &got, 4);
        want = data[0];
        for (uint32_t i = 179; i > 0; i--) want = want * 5 + data[i];
        assert_int_equal(got, want);
        text_free(&body);
        bench_close(&b);
    }
}

// As many blocks run at a time as fit, and the next begins when one has ended.
static void at_a_time(void **state)
{
    (void)state;
    static const struct {
        Shape s;
        uint32_t fit;
    } of[] = {{{.grid = 24, .block = 64}, 8},
              {{.grid = 24, .block = 256}, 4},
              {{.grid = 24, .block = 32, .shared = 16384}, 3},
              {{.grid = 5, .block = 512}, 2}};
    for (size_t k = 0; k < COUNT(of); k++) {
        Bench b;
        uint32_t times[64][2];
        bench_open(&b, "test/chip/gpus/odd.ini", NULL);  // 32 warps, 8 blocks, one SM
        Text t = {0};
        text_put(&t, "mov.u32 %r1, %clock;\nmov.u32 %r10, %ctaid.x;\nmul.wide.u32 %rd1, %r10, 8;\nadd.u64 %rd1, %rd1, "
                     "%out;\ncvt.rn.f32.u32 %f1, %t;\n");
        repeat(&t, 60, 1, "ex2.approx.f32 %f1, %f1;");
        text_put(
            &t,
            "bar.sync 0;\nst.global.f32 [%out+4096], %f1;\nmov.u32 %r2, %clock;\nst.global.v2.u32 [%rd1], {%r1, %r2};");
        const Record *r = bench_run(&b, t.v, of[k].s, 0);
        bench_read(&b, times, sizeof times);
        uint32_t most = 0;
        for (uint32_t i = 0; i < of[k].s.grid; i++) {
            uint32_t running = 0;  // when block i begins
            for (uint32_t j = 0; j < of[k].s.grid; j++)
                running += times[j][0] <= times[i][0] && times[i][0] <= times[j][1];
            most = MAX(most, running);
        }
        assert_int_equal(most, of[k].fit);
        assert_int_equal(r->occupancy_blocks, of[k].fit);
        assert_int_equal(COUNT_OF(r, BLOCKS), of[k].s.grid);
        assert_int_equal(COUNT_OF(r, WARPS), of[k].s.grid * of[k].s.block / 32);
        text_free(&t);
        bench_close(&b);
    }
}

// Blocks go to SMs in turn.
static void dispatch(void **state)
{
    (void)state;
    Bench b;
    uint32_t where[60];
    bench_open(&b, "gtx480", NULL);
    bench_run(&b,
              "mov.u32 %r1, %smid;\nmov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd1, %r2, 4;\nadd.u64 %rd1, %rd1, "
              "%out;\nst.global.u32 [%rd1], %r1;",
              (Shape){.grid = 60, .block = 64}, 0);
    bench_read(&b, where, sizeof where);
    for (uint32_t k = 0; k < 60; k++) assert_int_equal(where[k], k % 15);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_blocks),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(carve_outs),
        cmocka_unit_test(registers),
        cmocka_unit_test(register_files),
        cmocka_unit_test(spills),
        cmocka_unit_test(bounds),
        cmocka_unit_test(unnamed),
        cmocka_unit_test(at_a_time),
        cmocka_unit_test(dispatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
