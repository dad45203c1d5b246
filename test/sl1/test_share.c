// What a launch gets of shared memory, against S-L1 §3.1 by hand: an SM with 48 KiB for 2048 threads has 24 bytes for
// each of them, and so one line of 16 (CLN = 1); for 1024 threads 48, which were three lines, if a warp's own bytes
// didn't take some.
#include "check.h"
#include "sl1/sl1.h"

enum { SHARED = 48 << 10, SMS = 15, WARP_BYTES = 20, MANY = 480 };

// An SM as it is asked: threads it has registers for, with the original and with the rewritten kernel; a block's
// threads.
typedef struct Sm {
    uint32_t original, rewritten, threads;
} Sm;

static uint32_t fit(void *user, bool original, uint32_t smem)
{
    const Sm *sm = user;
    uint32_t by_registers = (original ? sm->original : sm->rewritten) / sm->threads;
    return smem && SHARED / smem < by_registers ? SHARED / smem : by_registers;
}

static Sl1Share share(Sm sm, const Sl1Options *o, uint32_t structures, uint64_t blocks, uint32_t smem)
{
    Sl1Kernel k = {.structures = structures, .warp_bytes = WARP_BYTES};
    return sl1_share(&k, o, true, sm.threads, blocks, SMS, smem, SHARED - smem, fit, &sm);
}

static void lines(void **state)
{
    (void)state;
    Sl1Options o = sl1_defaults;
    assert_int_equal(share((Sm){2048, 2048, 256}, &o, 4, MANY, 0).lines, 1);
    assert_int_equal(share((Sm){2048, 1024, 256}, &o, 4, MANY, 0).lines, 2);
    assert_int_equal(share((Sm){2048, 1024, 256}, &o, 1, MANY, 0).lines, 1);  // no more than there are structures
    assert_int_equal(share((Sm){2048, 2048, 256}, &o, 7, SMS, 0).lines, 7);   // a block an SM: 192 bytes a thread
    Sl1Share s = share((Sm){2048, 2048, 256}, &o, 4, MANY, 0);
    assert_null(s.left);
    assert_int_equal(s.smem, 256 * 16 + 8 * WARP_BYTES);
    o.line = 8;
    assert_int_equal(share((Sm){2048, 2048, 256}, &o, 4, MANY, 0).lines, 2);
}

// Two lines for each of two structures, where pointers don't alias: 512 threads of an SM have 96 bytes each, which were
// five lines beside their warps' own bytes. What is ours begins at a multiple of a pair.
static void pairs(void **state)
{
    (void)state;
    Sl1Options o = sl1_defaults;
    o.pairs = true;
    Sl1Kernel k = {.structures = 2, .warp_bytes = WARP_BYTES, .pairs = true};
    Sm sm = {2048, 512, 256};
    Sl1Share s = sl1_share(&k, &o, true, 256, MANY, SMS, 20, SHARED - 20, fit, &sm);
    assert_null(s.left);
    assert_int_equal(s.lines, 4);
    assert_int_equal(s.region, 32);
    assert_int_equal(s.smem, 32 + 8 * WARP_BYTES + 4 * 256 * 16);
    assert_int_equal(sl1_share(&k, &o, false, 256, MANY, SMS, 0, SHARED, fit, &sm).lines, 2);
}

static void application(void **state)
{
    (void)state;
    // 4090 bytes a block of the application's own leave eight blocks 2048 each, less than a line of 256 threads.
    Sl1Share s = share((Sm){2048, 2048, 256}, &sl1_defaults, 4, MANY, 4090);
    assert_string_equal(s.left, "there is no room for a line");
    assert_int_equal(s.smem, 4090);
    // Four blocks have 12 KiB each: ours begins at the next 16, and one line is 4096 bytes.
    s = share((Sm){2048, 1024, 256}, &sl1_defaults, 4, MANY, 4090);
    assert_null(s.left);
    assert_int_equal(s.region, 4096);
    assert_int_equal(s.lines, 1);
}

// Half of the original's warps are 50 percent of them, and of a grid that doesn't fill the GPU all of them.
static void warps(void **state)
{
    (void)state;
    Sl1Options o = sl1_defaults;
    o.warps = 50;
    assert_null(share((Sm){2048, 1024, 256}, &o, 4, MANY, 0).left);
    o.warps = 51;
    assert_string_equal(share((Sm){2048, 1024, 256}, &o, 4, MANY, 0).left,
                        "it would leave a multiprocessor too few warps");
    assert_null(share((Sm){2048, 1024, 256}, &o, 4, 4 * SMS, 0).left);
    o.warps = 100;
    assert_null(share((Sm){2048, 2048, 256}, &o, 4, MANY, 0).left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(pairs), cmocka_unit_test(application),
                                       cmocka_unit_test(warps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
